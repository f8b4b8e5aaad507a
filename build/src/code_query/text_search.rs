//! Text that is found literally: `"if __name__ =="`, and regular expressions: `/fn \w+_id/`.
//!
//! The words of a text in quotes lead to the pages that can contain it; only these pages are read.
//! A regular expression, or a text without an indexed word, is searched for in every page.

use std::collections::HashMap;
use std::iter;
use std::ops::Range;
use std::time::{Duration, Instant};

use anyhow::Result;
use findling_bundle::PageId;
use findling_engine::{
    Limit, MAX_LIMIT, Mode, Notice, PageHit, Request, Response, SectionHit, SectionsPerPage,
    Snippet, Total,
};
use regex::{Regex, RegexBuilder};

use crate::host::{Cost, Document, DocumentSection, Host, QueryEncoder};
use crate::usage_error::UsageError;

/// Largest compiled expression, in bytes. The time of a search is bounded by this size times the
/// length of the text.
const MAX_EXPRESSION: usize = 256 << 10;

/// Longest time that sections are compared with a text.
const MAX_TIME: Duration = Duration::from_secs(10);

/// Longest stretch of a section that is compared at once, in bytes: the clock is read in between.
const MAX_STRETCH: usize = 64 << 10;

/// Lines before and after a match in a snippet.
const BESIDE: usize = 2;

/// Maximum number of pages with the words of a text that are read to find the text.
const MAX_READ: u32 = 300;

/// Longest snippet after the beginning of a match, in bytes, and before it.
const MAX_SNIPPET: usize = 1_000;

/// The text that a section must have.
#[derive(Debug)]
pub(super) enum Text {
    /// All of these must occur.
    Exact {
        all: Vec<String>,
        /// Whether the query consists only of these texts.
        is_alone: bool,
    },
    /// A match.
    Expression(Regex),
}

/// The time that is left.
struct Clock {
    end: Instant,
    /// Whether something was left out because the time was over.
    is_over: bool,
}

impl Clock {
    fn new() -> Self {
        Self { end: Instant::now() + MAX_TIME, is_over: false }
    }

    /// Returns whether there is time left.
    fn goes_on(&mut self) -> bool {
        self.is_over |= Instant::now() > self.end;
        !self.is_over
    }
}

impl Text {
    /// Returns what a query asks for, if it has text in quotes or is a regular expression.
    ///
    /// # Errors
    /// If the expression cannot be read.
    pub fn of(query: &str) -> Result<Option<Self>> {
        let query = query.trim();
        if let Some(source) = expression(query) {
            let mut builder = RegexBuilder::new(source);
            let built = builder.multi_line(true).size_limit(MAX_EXPRESSION).build();
            let regex = built.map_err(|error| {
                let message = format!(
                    "expected a regular expression between the slashes, found `{source}`: {error}; \
                     write the text in quotes to find it as it is"
                );
                UsageError { code: "query", message }
            })?;
            return Ok(Some(Self::Expression(regex)));
        }
        let parts: Vec<&str> = query.split('"').collect();
        let (mut all, mut others) = (Vec::new(), Vec::new());
        for (i, part) in parts.iter().enumerate() {
            let into = if i % 2 == 0 { &mut others } else { &mut all };
            if !part.trim().is_empty() {
                into.push((*part).to_owned());
            }
        }
        let is_closed = parts.len() % 2 == 1;
        // An exclusion (`-"a b"`) or the value of an attribute (`by:"a b"`) is no text to find.
        let is_text = others.iter().all(|other| !other.ends_with(['-', ':']));
        let is_alone = others.is_empty();
        let asks = is_closed && is_text && !all.is_empty();
        Ok(asks.then_some(Self::Exact { all, is_alone }))
    }

    /// Returns the first match in a text that contains every needle.
    fn find(&self, text: &str, clock: &mut Clock) -> Option<Range<usize>> {
        match self {
            Self::Exact { all, .. } => {
                let first = text.find(all.first()?)?;
                let has_all = all.iter().all(|one| text.contains(one));
                has_all.then_some(first..first + all.first()?.len())
            }
            Self::Expression(regex) => stretches(text).find_map(|(start, stretch)| {
                if !clock.goes_on() {
                    return None;
                }
                let mut found = regex.find_iter(stretch).map(|found| found.range());
                let range = found.find(|range| !range.is_empty())?;
                Some(start + range.start..start + range.end)
            }),
        }
    }
}

/// Returns the parts of a text that are compared at once, with their places. A long text is cut
/// after a line.
fn stretches(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let most = rest.floor_char_boundary(MAX_STRETCH);
        let end = match rest.len() > most {
            true => rest[..most].rfind('\n').map_or(most, |at| at + 1),
            false => rest.len(),
        };
        let stretch = (start, &rest[..end]);
        start += end;
        Some(stretch)
    })
}

/// Returns the expression of a query in slashes. A path has slashes in its middle.
fn expression(query: &str) -> Option<&str> {
    let source = query.strip_prefix('/')?.strip_suffix('/')?;
    let mut is_escaped = false;
    for c in source.chars() {
        if c == '/' && !is_escaped {
            return None;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    (!source.is_empty()).then_some(source)
}

/// Answers a request with the sections that have a text.
///
/// # Errors
/// The errors of the engine, and of reading pages.
pub(super) fn search(
    host: &mut Host,
    encoder: Option<&QueryEncoder>,
    request: &Request,
    text: &Text,
) -> Result<(Response, Cost)> {
    let wide = Request {
        limit: Limit(MAX_LIMIT),
        offset: 0,
        sections_per_page: SectionsPerPage(u32::MAX),
        verbatim: true,
        ..request.clone()
    };
    let mut clock = Clock::new();
    let mut hits = Vec::new();
    let (mut response, cost) = match text {
        Text::Exact { .. } => {
            let words = Request { mode: Mode::Lexical, limit: Limit(MAX_READ), ..wide.clone() };
            let (response, cost) = host.search_as_meant(encoder, words)?;
            for page in &response.results {
                let document = host.document(&page.id)?;
                hits.extend(of_page(page.clone(), &document, text, &mut clock));
            }
            (response, cost)
        }
        Text::Expression(_) => host.search(Request { limit: Limit(0), ..every(&wide) })?,
    };
    let mut at_least = response.total.pages > MAX_READ && !hits.is_empty();
    // Parts of words, or punctuation alone, have no indexed words.
    let is_anywhere = match text {
        Text::Exact { is_alone, .. } => *is_alone && request.filter.is_none(),
        Text::Expression(_) => true,
    };
    if hits.is_empty() && is_anywhere {
        let allowed = request.filter.as_ref().map(|_| allowed(host, &every(&wide))).transpose()?;
        hits = of_all(host, text, allowed.as_ref(), &mut clock)?;
        at_least = clock.is_over;
    }
    if clock.is_over {
        let seconds = MAX_TIME.as_secs();
        let message = format!(
            "the search stopped after {seconds} seconds; a filter or a shorter expression reaches \
             the other pages"
        );
        response.notices.push(Notice { code: "stopped".to_owned(), message });
    }
    let n_sections: usize = hits.iter().map(|page| page.sections.len()).sum();
    response.total = Total { pages: hits.len() as u32, sections: n_sections as u32, at_least };
    response.query = request.query.clone();
    response.suggestions.clear();
    let shown = hits.into_iter().skip(request.offset as usize).take(request.limit.0 as usize);
    response.results = shown
        .map(|mut page| {
            page.n_sections = page.sections.len() as u32;
            page.sections.truncate(request.sections_per_page.0.max(1) as usize);
            page
        })
        .collect();
    Ok((response, cost))
}

/// Returns a request for every page that meets the filter.
fn every(wide: &Request) -> Request {
    Request {
        query: String::new(),
        mode: Mode::Lexical,
        vector: None,
        also: Vec::new(),
        also_vectors: Vec::new(),
        ..wide.clone()
    }
}

/// Returns a page that was found, with only the sections that have the text.
fn of_page(
    mut page: PageHit,
    document: &Document,
    text: &Text,
    clock: &mut Clock,
) -> Option<PageHit> {
    let mut sections = Vec::new();
    let mut known: HashMap<Option<String>, SectionHit> =
        page.sections.drain(..).map(|section| (section.anchor.clone(), section)).collect();
    for section in &document.sections {
        let Some(range) = text.find(&section.text, clock) else { continue };
        let hit = known.remove(&section.anchor).unwrap_or_else(|| hit(document, section));
        sections.push(SectionHit { snippet: snippet(section, range), ..hit });
    }
    (!sections.is_empty()).then_some(PageHit { sections, ..page })
}

/// The sections that a filter lets through, by the id of their page.
type Allowed = HashMap<String, Vec<Option<String>>>;

/// Returns the sections that meet the filter of a request.
fn allowed(host: &mut Host, request: &Request) -> Result<Allowed> {
    let mut allowed = Allowed::new();
    loop {
        let offset = allowed.len() as u32;
        let (response, _) = host.search(Request { offset, ..request.clone() })?;
        for page in &response.results {
            let anchors = page.sections.iter().map(|section| section.anchor.clone());
            allowed.insert(page.id.clone(), anchors.collect());
        }
        // No page is new at the end.
        if allowed.len() as u32 == offset {
            return Ok(allowed);
        }
    }
}

/// Returns all pages that have the text, in the order of the bundle.
fn of_all(
    host: &mut Host,
    text: &Text,
    allowed: Option<&Allowed>,
    clock: &mut Clock,
) -> Result<Vec<PageHit>> {
    let mut found = Vec::new();
    for number in 0..host.manifest().stats.n_pages {
        if !clock.goes_on() {
            break;
        }
        let document = host.page(PageId(number))?;
        let anchors = allowed.map(|allowed| allowed.get(&document.id));
        if anchors == Some(None) {
            continue;
        }
        let anchors = anchors.flatten();
        let mut attributes = None;
        let mut sections = Vec::new();
        for (place, section) in document.sections.iter().enumerate() {
            if anchors.is_some_and(|anchors| !anchors.contains(&section.anchor)) {
                continue;
            }
            let Some(range) = text.find(&section.text, clock) else { continue };
            if attributes.is_none() {
                attributes = Some(host.attributes_of_sections(PageId(number))?);
            }
            let own = attributes.as_ref().and_then(|all| all.get(place)).cloned();
            sections.push(SectionHit {
                attributes: own.unwrap_or_default(),
                snippet: snippet(section, range),
                ..hit(&document, section)
            });
        }
        if !sections.is_empty() {
            found.push(page_of(document, sections));
        }
    }
    Ok(found)
}

fn page_of(document: Document, sections: Vec<SectionHit>) -> PageHit {
    PageHit {
        id: document.id,
        url: document.url,
        title: document.title,
        language: document.language,
        score: 1.0,
        attributes: document.attributes,
        meta: document.meta,
        n_sections: sections.len() as u32,
        sections,
        copies: 0,
        pinned: false,
    }
}

fn hit(document: &Document, section: &DocumentSection) -> SectionHit {
    SectionHit {
        url: document.url_of(section),
        anchor: section.anchor.clone(),
        heading_path: section.heading_path.clone(),
        attributes: Default::default(),
        score: 1.0,
        snippet: Snippet::default(),
        legs: Default::default(),
        explain: None,
    }
}

/// Returns the lines around a match.
fn snippet(section: &DocumentSection, found: Range<usize>) -> Snippet {
    let text = &section.text;
    let mut start = found.start;
    for _ in 0..=BESIDE {
        start = text[..start].rfind('\n').unwrap_or(0);
    }
    let start = if start == 0 { 0 } else { start + 1 };
    let start = start.max(found.start.saturating_sub(MAX_SNIPPET));
    let mut end = found.end;
    for _ in 0..=BESIDE {
        end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    }
    let end = end.min(start.max(found.start) + MAX_SNIPPET).max(start);
    let (start, end) = (text.floor_char_boundary(start), text.floor_char_boundary(end));
    let shown = text[start..end].trim_end();
    let units = |range: Range<usize>| {
        let to = |at: usize| {
            let at = shown.floor_char_boundary(at.saturating_sub(start).min(shown.len()));
            shown[..at].encode_utf16().count() as u32
        };
        (to(range.start), to(range.end))
    };
    let code = section.code.iter().map(|&(from, to)| units(from..to));
    Snippet {
        text: shown.to_owned(),
        ranges: vec![units(found.clone())],
        code: code.filter(|(from, to)| from < to).collect(),
        sentence: units(found),
        cut_start: !text[..start].trim().is_empty(),
        cut_end: !text[start + shown.len()..].trim().is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_slashes_ask_for_text() {
        let exact = |query: &str| match Text::of(query) {
            Ok(Some(Text::Exact { all, .. })) => Some(all.join("|")),
            _ => None,
        };
        assert_eq!(exact("\"if __name__ ==\"").as_deref(), Some("if __name__ =="));
        assert_eq!(exact("main \"a b\" \"c\"").as_deref(), Some("a b|c"));
        assert_eq!(exact("say \"a"), None);
        assert_eq!(exact("-\"a b\""), None);
        assert_eq!(exact("by:\"a b\" c"), None);
        assert_eq!(exact("a b"), None);
        assert_eq!(expression("/fn \\w+/"), Some("fn \\w+"));
        assert_eq!(expression("/a\\/b/"), Some("a\\/b"));
        for path in ["/usr/lib/", "/", "//", "/usr", "a/b/"] {
            assert_eq!(expression(path), None, "{path}");
        }
        for refused in ["/(/", "/(((a{100}){100}){100}){100}/", "/\\w{9000}/"] {
            let error = Text::of(refused).unwrap_err().to_string();
            assert!(error.contains("regular expression"), "{refused}: {error}");
        }
        for usual in ["/(?i)todo|fixme/", "/\\w+_id\\(/", "/^\\s*fn [a-z]{3,20}\\b/", "/\\p{Lu}x/"]
        {
            assert!(Text::of(usual).is_ok(), "{usual}: {:?}", Text::of(usual));
        }
    }

    #[test]
    fn a_match_is_not_empty_and_long_texts_are_compared_in_parts() {
        let found = |query: &str, text: &str| {
            let query = Text::of(query).unwrap().unwrap();
            query.find(text, &mut Clock::new()).map(|range| text[range].to_owned())
        };
        assert_eq!(found("/x*/", "a xx").as_deref(), Some("xx"));
        assert_eq!(found("/^$/", "a\n\nb"), None);
        assert_eq!(found("/a\\nb/", "a\nb").as_deref(), Some("a\nb"));
        for line in ["é\n", "é"] {
            let text = line.repeat(MAX_STRETCH) + "\nneedle_7";
            assert_eq!(found("/needle_\\d/", &text).as_deref(), Some("needle_7"));
            let all: String = stretches(&text).map(|(_, stretch)| stretch).collect();
            assert_eq!(all, text);
        }
        let mut over = Clock { end: Instant::now() - Duration::from_secs(1), is_over: false };
        assert_eq!(Text::of("/a/").unwrap().unwrap().find("a", &mut over), None);
        assert!(over.is_over, "what is left out is known");
    }

    #[test]
    fn a_snippet_has_the_lines_around_the_match() {
        let text = "a\nb\nc\n    if é:\n        hit(x)\nd\ne\nf";
        let section = DocumentSection {
            level: 1,
            heading_path: vec![],
            anchor: None,
            text: text.into(),
            code: vec![(0, text.len())],
            passages: vec![],
        };
        let at = text.find("hit").unwrap();
        let found = snippet(&section, at..at + 3);
        assert_eq!(found.text, "c\n    if é:\n        hit(x)\nd\ne");
        let (from, to) = found.ranges[0];
        let units: Vec<u16> = found.text.encode_utf16().collect();
        assert_eq!(String::from_utf16_lossy(&units[from as usize..to as usize]), "hit");
        assert!(found.cut_start && found.cut_end);
        assert_eq!(found.code, [(0, units.len() as u32)]);
    }
}
