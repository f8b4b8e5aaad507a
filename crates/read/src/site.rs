//! Rules that need all pages of a site: marked bodies, titles, languages, types of attributes,
//! copies.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use findling_engine::BOOST;
use rayon::prelude::*;

use super::attributes::{self, Raw};
use super::left_out::Rule;
use super::{
    Format, Options, Problem, RawPage, Removed, Severity, addresses, boosts_and_pins, detect,
    language, name_languages, overviews, own_index, repeated, titles, versions,
};
use findling_page::page::{Page, Section};

/// Longest string (in bytes) and longest list in front matter that becomes an attribute
/// automatically.
const MAX_IMPLICIT_BYTES: usize = 200;
const MAX_IMPLICIT_VALUES: usize = 32;

/// Smallest number of pages for this decision: an attribute with a different string on nearly every
/// page is an identifier, and cannot serve as a filter.
const MIN_PAGES_TO_JUDGE: usize = 50;

/// Leaves out text that many pages share, and pages that repeat others.
pub(super) fn clean(
    pages: &mut [&mut RawPage],
    options: &Options,
    on_problem: &mut dyn FnMut(Problem),
) {
    own_index::drop_unlisted(pages, &options.tree, on_problem);
    overviews::drop_whole_sites(pages, on_problem);
    overviews::leave_out_teasers(pages, options.trace);
    repeated::leave_out(pages, options.trace);
    if !options.keep_index_html {
        addresses::clean(pages);
    }
}

/// Factor for the score of pages that a generator added.
const GENERATED_BOOST: f64 = 0.1;

pub(super) fn finish(
    mut pages: Vec<RawPage>,
    options: &Options,
    on_problem: &mut dyn FnMut(Problem),
) -> Vec<RawPage> {
    drop_unmarked(&mut pages, on_problem);
    drop_copies(&mut pages, on_problem);
    drop_empty(&mut pages, options, on_problem);
    tell_poor(&pages, on_problem);
    name_languages::apply(&mut pages, options);
    set_titles(&mut pages);
    add_keywords(&mut pages);
    set_languages(&mut pages, options);
    if let Some(name) = &options.attribute_from_path {
        for raw in &mut pages {
            if let Some((first, _)) =
                raw.page.id.split_once('/').filter(|_| raw.format != Some(Format::Jsonl))
            {
                raw.attributes.insert(name.clone(), Raw::Text(first.to_owned()));
            }
        }
    }
    drop_unfilterable(&mut pages, on_problem);
    boosts_and_pins::apply(&mut pages, options, on_problem);
    versions::apply(&mut pages, options);
    for raw in pages.iter_mut().filter(|raw| raw.is_generated) {
        raw.attributes.entry(BOOST.to_owned()).or_insert(Raw::Number(GENERATED_BOOST));
    }
    set_attributes(&mut pages, on_problem);
    pages
}

fn skip(raw: &RawPage, reason: String) -> Problem {
    Problem { severity: Severity::Skipped, path: raw.path.clone(), line: None, reason }
}

/// Leaves out pages that do not mark their body, if any page marks its body.
fn drop_unmarked(pages: &mut Vec<RawPage>, on_problem: &mut dyn FnMut(Problem)) {
    if pages.iter().any(|raw| raw.marked_body) {
        pages.retain(|raw| {
            let keep = raw.marked_body || raw.format != Some(Format::Html);
            if !keep {
                on_problem(skip(
                    raw,
                    "has no data-findling-body, which other pages have".to_owned(),
                ));
            }
            keep
        });
    }
}

/// Leaves out copies: mdBook, git and others write a page twice, once as `index.html`. The page
/// with its own name is kept.
fn drop_copies(pages: &mut Vec<RawPage>, on_problem: &mut dyn FnMut(Problem)) {
    let directory = |raw: &RawPage| {
        raw.page.id.rsplit_once('/').map_or(String::new(), |(directory, _)| directory.to_owned())
    };
    let is_index = |raw: &RawPage| {
        raw.format == Some(Format::Html) && raw.page.id.rsplit('/').next() == Some("index.html")
    };
    let indexes: HashMap<String, usize> = pages
        .iter()
        .enumerate()
        .filter(|(_, raw)| is_index(raw))
        .map(|(at, raw)| (directory(raw), at))
        .collect();
    let copies: HashMap<usize, String> = pages
        .iter()
        .enumerate()
        .filter_map(|(at, raw)| {
            let index = *indexes.get(&directory(raw))?;
            let same = index != at
                && !raw.page.sections.is_empty()
                && same_sections(&pages[index].page, &raw.page);
            (same && raw.format == Some(Format::Html)).then(|| (index, raw.page.id.clone()))
        })
        .collect();
    let mut at = 0;
    pages.retain(|raw| {
        let original = copies.get(&at);
        if let Some(original) = original {
            on_problem(skip(raw, format!("is a copy of {original}")));
        }
        at += 1;
        original.is_none()
    });
}

/// Returns whether two pages have the same sections. Sections that cannot be read are not the same.
fn same_sections(one: &Page, other: &Page) -> bool {
    let is_alike = |(a, b): (&Section, &Section)| a.heading == b.heading && a.anchor == b.anchor;
    one.sections.len() == other.sections.len()
        && one.sections.iter().zip(&other.sections).all(is_alike)
        && one.whole().ok().zip(other.whole().ok()).is_some_and(|(a, b)| a.sections == b.sections)
}

/// Largest number of pages without text, and of pages with little text, that are named in warnings.
/// The others are counted or shown only with --verbose.
const MAX_EMPTY_TOLD: usize = 5;

/// Leaves out pages without text, with a warning, because their authors may expect to find them.
fn drop_empty(pages: &mut Vec<RawPage>, options: &Options, on_problem: &mut dyn FnMut(Problem)) {
    let mut told = 0;
    let mut first = None;
    pages.retain(|raw| {
        // A record, or a Markdown page with a title (a section's front page), can be found by its
        // title.
        let titled = raw.names.explicit.is_some() && is_markup(raw);
        if !raw.page.sections.is_empty()
            || titled
            || matches!(raw.format, Some(Format::Jsonl | Format::Papers))
        {
            return true;
        }
        let severity = if told < MAX_EMPTY_TOLD { Severity::Warning } else { Severity::Skipped };
        told += 1;
        first.get_or_insert_with(|| raw.path.clone());
        on_problem(Problem { severity, path: raw.path.clone(), line: None, reason: no_text(raw) });
        // `inspect --extraction` also shows a page without text.
        options.trace
    });
    if let Some(path) = first.filter(|_| told > MAX_EMPTY_TOLD) {
        let more = told - MAX_EMPTY_TOLD;
        on_problem(Problem {
            severity: Severity::Warning,
            path,
            line: None,
            reason: format!("{more} more pages have no text; --verbose names them"),
        });
    }
}

/// Reports the pages from which most of the text was left out.
fn tell_poor(pages: &[RawPage], on_problem: &mut dyn FnMut(Problem)) {
    let mut told = 0;
    for raw in pages {
        let Some(Removed { words, indexed }) = raw.removed else { continue };
        let severity = if told < MAX_EMPTY_TOLD { Severity::Warning } else { Severity::Skipped };
        told += 1;
        let mut rules = rules(raw);
        rules.retain(|rule| *rule != Rule::OutsideContent.name());
        let reason = format!(
            "most of the page's text is left out: {indexed} of {words} words are indexed. Left out \
             by {}. See `findling inspect --extraction {}`",
            rules.join(", "),
            raw.path.display()
        );
        on_problem(Problem { severity, path: raw.path.clone(), line: None, reason });
    }
}

/// Returns the names of the rules that left something out of a page, each name once.
fn rules(raw: &RawPage) -> Vec<&'static str> {
    let mut rules: Vec<&str> = Vec::new();
    for left_out in &raw.left_out {
        let name = left_out.rule.name();
        if !rules.contains(&name) {
            rules.push(name);
        }
    }
    rules
}

/// Returns the message about a page without text, with the rules that left out its text.
fn no_text(raw: &RawPage) -> String {
    let why = match rules(raw).as_slice() {
        [] => "the file has no text outside of scripts".to_owned(),
        rules => format!("its text was left out by {}", rules.join(", ")),
    };
    format!(
        "the page has no text and is left out: {why}. See `findling inspect --extraction {}`",
        raw.path.display()
    )
}

fn set_titles(pages: &mut [RawPage]) {
    let titles: Vec<Option<String>> = {
        let group = |raw: &RawPage| {
            raw.page.id.split_once('/').map_or(String::new(), |(first, _)| first.to_owned())
        };
        let groups: Vec<String> = pages.iter().map(group).collect();
        let html = |raw: &RawPage| raw.format == Some(Format::Html);
        let shared = titles::Shared::of(
            pages
                .iter()
                .zip(&groups)
                .filter(|(raw, _)| html(raw))
                .map(|(raw, group)| (group.as_str(), &raw.names)),
        );
        pages
            .iter()
            .zip(&groups)
            .map(|(raw, group)| {
                let headings = raw.page.sections.iter().map(|section| &section.heading);
                let headings = headings.filter(|heading| !heading.is_empty());
                let n = if is_named_by_file(raw) { 0 } else { titles::N_HEADINGS };
                let fallback =
                    titles::Fallback { headings: headings.take(n).collect(), path: &raw.page.id };
                match raw.format {
                    Some(Format::Jsonl | Format::Code | Format::Chats | Format::Papers) => None,
                    _ => Some(shared.title(group, &raw.names, &fallback)),
                }
            })
            .collect()
    };
    for (raw, title) in pages.iter_mut().zip(titles) {
        if let Some(title) = title {
            raw.page.title = title;
        }
    }
}

/// Smallest number of pages for the rule on shared keywords: a keyword that a fifth of the pages
/// have is not a name of any page.
const MIN_PAGES_FOR_KEYWORDS: usize = 10;

/// Makes names of pages from their keywords, except for keywords that many pages share.
fn add_keywords(pages: &mut [RawPage]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for raw in pages.iter() {
        let words: BTreeSet<&String> = raw.keywords.iter().collect();
        for word in words {
            *counts.entry(word.clone()).or_default() += 1;
        }
    }
    let n_pages = pages.len();
    for raw in pages.iter_mut() {
        for word in std::mem::take(&mut raw.keywords) {
            let is_common = n_pages >= MIN_PAGES_FOR_KEYWORDS && counts[&word] * 5 > n_pages;
            if !is_common && !raw.page.aliases.contains(&word) {
                raw.page.aliases.push(word);
            }
        }
    }
}

/// Returns whether a page without a title is named after its file, as generators do: a page of
/// Markdown whose file name is not a generic one.
fn is_named_by_file(raw: &RawPage) -> bool {
    let id = raw.page.id.to_ascii_lowercase();
    let stem = id.rsplit_once('.').map_or(&*id, |(stem, _)| stem);
    raw.format == Some(Format::Markdown) && !matches!(stem, "index" | "_index" | "readme")
}

fn set_languages(pages: &mut [RawPage], options: &Options) {
    let is_open = |raw: &&RawPage| raw.page.language.is_empty() && has_translations(raw);
    let all: Vec<&str> = pages.iter().map(|raw| raw.page.id.as_str()).collect();
    let paths = pages.iter().filter(is_open).map(|raw| raw.page.id.as_str());
    let mut directories = language::Directories::of(paths);
    let said: Vec<(String, Option<&str>)> = pages
        .par_iter()
        .filter(|raw| is_open(raw) && directories.language(&raw.page.id).is_some())
        .map(|raw| (raw.page.id.clone(), detect::certain(&raw.page)))
        .collect();
    directories.keep_true(&said, &all);
    for raw in pages.iter_mut().filter(|raw| raw.page.language.is_empty()) {
        let of_directory =
            if has_translations(raw) { directories.language(&raw.page.id) } else { None };
        if let Some(language) = of_directory.or(options.language.as_deref()) {
            raw.page.language = language.to_owned();
        }
    }
    // Source code has names and comments in any language, and papers declare theirs.
    let is_silent =
        |raw: &&mut RawPage| raw.page.language.is_empty() && raw.format != Some(Format::Code);
    let mut silent: Vec<&mut RawPage> = pages.iter_mut().filter(is_silent).collect();
    detect::set_languages(&mut silent);
}

/// Returns whether directories of such pages may be translations of one another. The directories
/// `nn` and `ml` of source code are neural networks and machine learning.
fn has_translations(raw: &RawPage) -> bool {
    !matches!(raw.format, Some(Format::Jsonl | Format::Chats | Format::Papers | Format::Code))
}

/// Returns whether a page is in the form that its author wrote, with fields of front matter.
fn is_markup(raw: &RawPage) -> bool {
    raw.format.is_some_and(Format::is_markup)
}

/// Removes attributes from front matter that cannot serve as filters, such as identifiers and long
/// lists of keywords, and reports them.
fn drop_unfilterable(pages: &mut [RawPage], on_problem: &mut dyn FnMut(Problem)) {
    #[derive(Default)]
    struct Seen<'a> {
        pages: usize,
        too_long: bool,
        values: BTreeSet<&'a str>,
        only_text: bool,
    }
    let mut seen: BTreeMap<&str, Seen> = BTreeMap::new();
    for raw in pages.iter().filter(|raw| is_markup(raw)) {
        for (name, value) in &raw.attributes {
            let seen =
                seen.entry(name).or_insert_with(|| Seen { only_text: true, ..Seen::default() });
            seen.pages += 1;
            match value {
                Raw::Text(text) => {
                    seen.too_long |= text.len() > MAX_IMPLICIT_BYTES;
                    seen.values.insert(text);
                    seen.only_text &= attributes::date(text).is_none();
                }
                Raw::List(list) => {
                    seen.only_text = false;
                    seen.too_long |= list.len() > MAX_IMPLICIT_VALUES
                        || list.iter().any(|item| item.len() > MAX_IMPLICIT_BYTES);
                }
                _ => seen.only_text = false,
            }
        }
    }
    let dropped: BTreeMap<String, &str> = seen
        .into_iter()
        .filter_map(|(name, seen)| {
            let identifies = seen.only_text
                && seen.pages >= MIN_PAGES_TO_JUDGE
                && seen.values.len() * 10 >= seen.pages * 9;
            match (seen.too_long, identifies) {
                (true, _) => {
                    Some((name.to_owned(), "has values too long or lists too large to filter by"))
                }
                (_, true) => Some((name.to_owned(), "is different on nearly every page")),
                _ => None,
            }
        })
        .collect();
    for (name, why) in &dropped {
        let path = pages
            .iter()
            .find(|raw| raw.attributes.contains_key(name))
            .map(|raw| raw.path.clone())
            .unwrap_or_default();
        on_problem(Problem {
            severity: Severity::Skipped,
            path,
            line: None,
            reason: format!("front matter `{name}` {why}, so it is not an attribute"),
        });
    }
    for raw in pages.iter_mut().filter(|raw| is_markup(raw)) {
        raw.attributes.retain(|name, _| !dropped.contains_key(name));
    }
}

/// Gives each attribute one type, on pages and on their sections.
fn set_attributes(pages: &mut [RawPage], on_problem: &mut dyn FnMut(Problem)) {
    let taken = pages.par_iter_mut().flat_map_iter(|raw| {
        let mut taken = Vec::with_capacity(1 + raw.page.sections.len());
        taken.push(std::mem::take(&mut raw.attributes));
        taken.extend(raw.page.sections.iter_mut().map(|section| {
            let attributes = std::mem::take(&mut section.attributes).into_iter();
            attributes.map(|(name, value)| (name, Raw::from(value))).collect()
        }));
        taken
    });
    let (values, conflicts) = attributes::reconcile(taken.collect());
    for conflict in conflicts {
        // The first page that has the attribute, or whose sections have it.
        let mut end = 0;
        let has_first = |raw: &RawPage| {
            end += 1 + raw.page.sections.len();
            conflict.first < end
        };
        let at = pages.iter().position(has_first).unwrap_or_default();
        on_problem(Problem {
            severity: Severity::Warning,
            path: pages[at].path.clone(),
            line: None,
            reason: format!(
                "attribute `{}` has values of different types ({}), so all become {}",
                conflict.name, conflict.found, conflict.taken
            ),
        });
    }
    // In the order in which they were taken.
    let mut values = values.into_iter();
    for raw in pages {
        raw.page.attributes = values.next().unwrap_or_default();
        for section in &mut raw.page.sections {
            section.attributes = values.next().unwrap_or_default();
        }
        let Page { attributes, sections, sort_only, .. } = &mut raw.page;
        let of_sections =
            |name: &String| sections.iter().any(|section| section.attributes.contains_key(name));
        sort_only.retain(|name| attributes.contains_key(name) || of_sections(name));
    }
}
