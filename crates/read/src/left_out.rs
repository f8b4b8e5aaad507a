//! The parts of a page that extraction leaves out, and the rule for each.
//!
//! Every rule has a name. A build applies the rules without keeping a record. `findling inspect
//! --extraction` runs the same code with a [`Trace`] that keeps a record.

use std::collections::BTreeMap;

use bincode::{Decode, Encode};
use serde::Serialize;

use super::outline::shorten;

/// Longest sample of the text that was left out, in bytes.
pub(super) const MAX_SAMPLE_BYTES: usize = 60;

/// Largest number of entries that a trace keeps.
const MAX_ENTRIES: usize = 10_000;

/// A rule that leaves something out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Encode, Decode)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Text outside of the element that holds the page's content.
    OutsideContent,
    /// `<nav>`, a role such as `navigation`, a class such as `breadcrumbs`.
    Navigation,
    /// `<header>` and `<footer>` of the page, `<aside>`, a role such as `banner`.
    PageFrame,
    /// Scripts, styles, embedded media: they are not text of the page.
    NotText,
    /// Buttons, inputs, menus of choices.
    Control,
    /// A form that is made of controls.
    Form,
    /// A dialog that is not part of the text.
    Dialog,
    /// Hidden text that nothing on the page shows.
    Hidden,
    /// `data-findling-ignore` or `data-pagefind-ignore`.
    Ignored,
    /// Line numbers of a code block.
    LineNumbers,
    /// A copy button or toolbar of a code block.
    CodeControl,
    /// Lines of code that the page does not show.
    HiddenCode,
    /// A link from a heading to itself.
    HeadingMark,
    /// Words that are only for screen readers.
    ScreenReaderText,
    /// Text that appears over a word when a reader points at it.
    PopUp,
    /// Text that is repeated on many pages of a site: menus, addresses, lines of generators.
    Repeated,
    /// Text that a page has about another page, under a link to that page.
    Teaser,
    /// Output of the code of a notebook, and the numbers of its cells.
    NotebookOutput,
    /// The name of an icon in an icon font.
    Icon,
    /// The mark of a footnote or reference.
    ReferenceMark,
    /// Markup of a site generator in Markdown: imports, template tags, shortcodes.
    GeneratorMarkup,
    /// A comment in reStructuredText or Org.
    Comment,
    /// Output of a tool in a conversation.
    ToolOutput,
    /// Thoughts of a model before its answer.
    Reasoning,
    /// Text that a program gave the model: instructions, the state of a directory.
    ProgramContext,
    /// Text that a mail quotes from another mail.
    QuotedMail,
    /// The list of references of a paper.
    References,
}

impl Rule {
    /// Returns the rule's name, as `inspect --extraction` and the documentation write it.
    pub fn name(self) -> &'static str {
        match self {
            Rule::OutsideContent => "outside-content",
            Rule::Navigation => "navigation",
            Rule::PageFrame => "page-frame",
            Rule::NotText => "not-text",
            Rule::Control => "control",
            Rule::Form => "form",
            Rule::Dialog => "dialog",
            Rule::Hidden => "hidden",
            Rule::Ignored => "ignored",
            Rule::LineNumbers => "line-numbers",
            Rule::CodeControl => "code-control",
            Rule::HiddenCode => "hidden-code",
            Rule::HeadingMark => "heading-mark",
            Rule::ScreenReaderText => "screen-reader-text",
            Rule::PopUp => "pop-up",
            Rule::Repeated => "repeated",
            Rule::Teaser => "teaser",
            Rule::NotebookOutput => "notebook-output",
            Rule::Icon => "icon",
            Rule::ReferenceMark => "reference-mark",
            Rule::GeneratorMarkup => "generator-markup",
            Rule::Comment => "comment",
            Rule::ToolOutput => "tool-output",
            Rule::Reasoning => "reasoning",
            Rule::ProgramContext => "program-context",
            Rule::QuotedMail => "quoted-mail",
            Rule::References => "references",
        }
    }

    /// Returns whether readers see the text that the rule leaves out.
    pub fn is_shown(self) -> bool {
        !matches!(
            self,
            Rule::NotText
                | Rule::Hidden
                | Rule::HiddenCode
                | Rule::HeadingMark
                | Rule::ScreenReaderText
                | Rule::Icon
                | Rule::LineNumbers
                | Rule::CodeControl
                | Rule::ReferenceMark
                | Rule::GeneratorMarkup
                | Rule::Comment
                | Rule::ToolOutput
                | Rule::Reasoning
                | Rule::ProgramContext
        )
    }

    /// All rules, in the order of the documentation.
    pub const ALL: [Rule; 27] = [
        Rule::OutsideContent,
        Rule::Navigation,
        Rule::PageFrame,
        Rule::NotText,
        Rule::Control,
        Rule::Form,
        Rule::Dialog,
        Rule::Hidden,
        Rule::Ignored,
        Rule::LineNumbers,
        Rule::CodeControl,
        Rule::HiddenCode,
        Rule::HeadingMark,
        Rule::ScreenReaderText,
        Rule::PopUp,
        Rule::Repeated,
        Rule::Teaser,
        Rule::NotebookOutput,
        Rule::Icon,
        Rule::ReferenceMark,
        Rule::GeneratorMarkup,
        Rule::Comment,
        Rule::ToolOutput,
        Rule::Reasoning,
        Rule::ProgramContext,
        Rule::QuotedMail,
        Rule::References,
    ];
}

/// A part that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Encode, Decode)]
pub struct LeftOut {
    /// The rule that left it out.
    pub rule: Rule,
    /// The element, as `name#id.class`; empty if the source is not HTML.
    pub element: String,
    /// The beginning of its text.
    pub text: String,
}

/// The number of words that each rule left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Lost {
    words: BTreeMap<Rule, u64>,
}

impl Lost {
    /// Adds words.
    pub fn add(&mut self, rule: Rule, words: u64) {
        if words > 0 {
            *self.words.entry(rule).or_default() += words;
        }
    }

    /// Adds the words of texts.
    pub(super) fn add_texts(&mut self, rule: Rule, texts: &[String]) {
        self.add(rule, texts.iter().map(|text| words(text)).sum());
    }

    /// Adds the words of another count.
    pub fn extend(&mut self, other: &Self) {
        for (rule, words) in &other.words {
            self.add(*rule, *words);
        }
    }

    /// Returns the rules with their words, most first.
    pub fn by_words(&self) -> Vec<(Rule, u64)> {
        let mut found: Vec<(Rule, u64)> = self.words.iter().map(|(rule, n)| (*rule, *n)).collect();
        found.sort_by_key(|(rule, words)| (std::cmp::Reverse(*words), *rule));
        found
    }
}

fn words(text: &str) -> u64 {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count() as u64
}

/// A count of the parts that are left out, with a record of them if requested.
#[derive(Debug, Default)]
pub(super) struct Trace {
    entries: Option<Vec<LeftOut>>,
    lost: Lost,
}

impl Trace {
    /// Returns a trace, which keeps a record if `on` is true.
    pub fn new(on: bool) -> Self {
        Self { entries: on.then(Vec::new), lost: Lost::default() }
    }

    /// Counts a part that was left out. `describe` returns the element and its text. It is only
    /// called if the rule leaves out visible text, or if a record is kept. A part without text is
    /// not counted.
    pub fn note(&mut self, rule: Rule, describe: impl FnOnce() -> (String, String)) {
        if self.entries.is_none() && !rule.is_shown() {
            return;
        }
        let (element, mut text) = describe();
        if rule.is_shown() {
            self.lost.add(rule, words(&text));
        }
        let Some(entries) = &mut self.entries else { return };
        if entries.len() >= MAX_ENTRIES {
            return;
        }
        if text.is_empty() {
            return;
        }
        shorten(&mut text, MAX_SAMPLE_BYTES);
        entries.push(LeftOut { rule, element, text });
    }

    /// Adds the count and the record of another trace.
    pub fn extend(&mut self, left_out: Vec<LeftOut>) {
        if let Some(entries) = &mut self.entries {
            entries.extend(left_out);
        }
    }

    /// Takes the count of words that were left out.
    pub fn take_lost(&mut self) -> Lost {
        std::mem::take(&mut self.lost)
    }

    /// Returns whether a record is kept.
    pub fn is_on(&self) -> bool {
        self.entries.is_some()
    }

    /// Returns the record, in the order of the page.
    pub fn finish(self) -> Vec<LeftOut> {
        self.entries.unwrap_or_default()
    }
}
