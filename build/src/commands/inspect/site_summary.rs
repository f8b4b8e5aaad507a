//! The summary of a whole site for its owner: the parts that were left out, with the rule for each,
//! and the reasons why pages are hard to find.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use serde::Serialize;

use crate::sources::{Extraction, Problem, Severity};

/// Maximum number of examples of a group.
const MAX_EXAMPLES: usize = 3;

/// Fewest pages of a site whose repeated text is counted, and fewest pages that repeat it.
const MIN_REPEATED: usize = 5;

/// A page with fewer words is short.
const MIN_WORDS: usize = 10;

/// Longest repeated text that is shown, in characters.
const MAX_TEXT_CHARS: usize = 80;

/// The summary of a site.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Summary {
    pub pages: usize,
    pub sections: usize,
    pub words: usize,
    /// The number of pages of each language; the language is empty if it is unknown.
    pub languages: Vec<Counted>,
    /// Files that became no page, or were read with a complaint, by the reason.
    pub files: Vec<Files>,
    /// Visible text that rules left out of pages, most words first.
    pub rules: Vec<RuleWords>,
    /// Texts that are indexed on more than a fifth of the pages.
    pub repeated: Vec<Counted>,
    /// Titles of several pages.
    pub titles: Vec<Counted>,
    /// Pages without a heading.
    pub without_headings: Group,
    /// Pages with sections that have no anchor: results lead to the top of the page.
    pub without_anchors: Group,
    /// Pages with fewer than ten words.
    pub short: Group,
}

/// Pages, with examples.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Group {
    pub pages: usize,
    pub examples: Vec<String>,
}

impl Group {
    fn add(&mut self, page: &str) {
        self.pages += 1;
        if self.examples.len() < MAX_EXAMPLES {
            self.examples.push(page.to_owned());
        }
    }
}

/// Pages that have a text, a title or a language in common.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Counted {
    pub text: String,
    #[serde(flatten)]
    pub group: Group,
}

/// Files with the same fate.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Files {
    /// `left-out`, `warning`, `error`.
    pub severity: &'static str,
    pub reason: String,
    pub files: usize,
    pub examples: Vec<String>,
}

/// The visible words that a rule left out.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct RuleWords {
    pub rule: &'static str,
    pub words: u64,
    pub pages: usize,
    /// The elements that it left out on most pages.
    pub elements: Vec<Element>,
}

/// An element that a rule left out, as `name#id.class`.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Element {
    pub element: String,
    pub pages: usize,
    /// The beginning of its text on the first of these pages.
    pub text: String,
}

/// Returns the summary of the pages of `root` and of the messages about its files.
pub(super) fn summary(root: &Path, pages: &[Extraction], problems: &[Problem]) -> Summary {
    let mut summary = Summary { pages: pages.len(), ..Summary::default() };
    let mut languages: BTreeMap<&str, Group> = BTreeMap::new();
    let mut titles: BTreeMap<&str, Group> = BTreeMap::new();
    let mut texts: HashMap<String, Group> = HashMap::new();
    for Extraction { page, .. } in pages {
        let mut words = 0;
        let mut seen = HashSet::new();
        for section in &page.sections {
            words += section.heading.split_whitespace().count();
            for block in &section.blocks {
                words += block.text.split_whitespace().count();
                if !block.is_code_block {
                    seen.insert(block.text.trim().to_lowercase());
                }
            }
        }
        summary.words += words;
        summary.sections += page.sections.len();
        for text in seen {
            texts.entry(text).or_default().add(&page.id);
        }
        languages.entry(&page.language).or_default().add(&page.id);
        titles.entry(&page.title).or_default().add(&page.id);
        if page.sections.iter().all(|section| section.level == 0) {
            summary.without_headings.add(&page.id);
        }
        // The first heading is the page's own: its place is the top.
        let mut below = page.sections.iter().filter(|section| section.level > 1);
        if below.any(|section| section.anchor.is_none()) {
            summary.without_anchors.add(&page.id);
        }
        if words < MIN_WORDS {
            summary.short.add(&page.id);
        }
    }
    let many = (pages.len() / 5 + 1).max(MIN_REPEATED);
    let repeated =
        texts.into_iter().filter(|(text, group)| group.pages >= many && !text.is_empty());
    summary.repeated = counted(repeated.map(|(text, group)| (shortened(&text), group)));
    let doubled = titles.into_iter().filter(|(_, group)| group.pages > 1);
    summary.titles = counted(doubled.map(|(title, group)| (title.to_owned(), group)));
    summary.languages = counted(languages.into_iter().map(|(tag, all)| (tag.to_owned(), all)));
    summary.files = files(root, problems);
    summary.rules = rules(pages);
    summary
}

/// Returns groups; the groups with most pages come first.
fn counted(groups: impl Iterator<Item = (String, Group)>) -> Vec<Counted> {
    let mut all: Vec<Counted> = groups.map(|(text, group)| Counted { text, group }).collect();
    all.sort_by(|a, b| (b.group.pages, &a.text).cmp(&(a.group.pages, &b.text)));
    all
}

fn shortened(text: &str) -> String {
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(MAX_TEXT_CHARS).collect();
    if chars.next().is_some() { format!("{start}\u{2026}") } else { start }
}

/// Returns the name of a severity in JSON.
pub(super) fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Skipped => "left-out",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// Returns the files that were left out or complained of, by their reasons.
fn files(root: &Path, problems: &[Problem]) -> Vec<Files> {
    let mut found: BTreeMap<(Severity, String), Files> = BTreeMap::new();
    for problem in problems {
        let severity = severity_name(problem.severity);
        let reason = common_reason(&problem.reason);
        let files = found.entry((problem.severity, reason.clone())).or_insert_with(|| Files {
            severity,
            reason,
            files: 0,
            examples: Vec::new(),
        });
        files.files += 1;
        if files.examples.len() < MAX_EXAMPLES {
            let path = problem.path.strip_prefix(root).unwrap_or(&problem.path);
            files.examples.push(path.to_string_lossy().into_owned());
        }
    }
    let mut all: Vec<((Severity, String), Files)> = found.into_iter().collect();
    // Errors come first, then the messages about most files.
    all.sort_by(|((a, _), first), ((b, _), second)| {
        (b, second.files, &first.reason).cmp(&(a, first.files, &second.reason))
    });
    all.into_iter().map(|(_, files)| files).collect()
}

/// Returns a reason without its names and numbers, so that equal reasons can be counted together.
fn common_reason(reason: &str) -> String {
    let mut out = String::new();
    for (place, part) in reason.split('`').enumerate() {
        out.push_str(if place % 2 == 0 { part } else { "\u{2026}" });
    }
    out
}

/// Returns the rules with the visible words that they left out.
fn rules(pages: &[Extraction]) -> Vec<RuleWords> {
    let mut found: BTreeMap<&str, RuleWords> = BTreeMap::new();
    let mut elements: BTreeMap<(&str, &str), (usize, &str)> = BTreeMap::new();
    for page in pages {
        for (rule, words) in page.lost.by_words() {
            let rule = found.entry(rule.name()).or_insert(RuleWords {
                rule: rule.name(),
                words: 0,
                pages: 0,
                elements: Vec::new(),
            });
            rule.words += words;
            rule.pages += 1;
        }
        let mut seen = HashSet::new();
        for left_out in &page.left_out {
            let key = (left_out.rule.name(), left_out.element.as_str());
            if seen.insert(key) {
                elements.entry(key).or_insert((0, &left_out.text)).0 += 1;
            }
        }
    }
    for ((rule, element), (pages, text)) in elements {
        if let Some(rule) = found.get_mut(rule) {
            let (element, text) = (element.to_owned(), text.to_owned());
            rule.elements.push(Element { element, pages, text });
        }
    }
    let mut all: Vec<RuleWords> = found.into_values().collect();
    for rule in &mut all {
        rule.elements.sort_by(|a, b| (b.pages, &a.element).cmp(&(a.pages, &b.element)));
        rule.elements.truncate(MAX_EXAMPLES);
    }
    all.sort_by(|a, b| (b.words, a.rule).cmp(&(a.words, b.rule)));
    all
}
