//! Boosts by path and a list of pins, given in the options of a build and not in the pages.
//!
//! Pages can also set `search_boost` and `search_pin` in their front matter or attributes. A page's
//! own boost replaces the one of its path; pins of both kinds apply.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail};
use findling_engine::BOOST;
use serde::{Deserialize, Serialize};

use super::attributes::Raw;
use super::file::{matches_page, relative_pattern};
use super::outline::fold;
use super::{Format, Options, Problem, RawPage, Severity};

/// Largest factor for a page's score.
const MAX_BOOST: f64 = 100.0;

/// A factor for the scores of the pages below a path: `blog=0.5`, `old=0.2`, `guide/*.html=2`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Boost {
    pattern: String,
    factor: f64,
}

impl Boost {
    /// Returns whether the boost is of the page with this path.
    pub(super) fn is_of(&self, path: &str) -> bool {
        matches_page(&self.pattern, path)
    }
}

impl FromStr for Boost {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected PATTERN=FACTOR, such as blog=0.5";
        let Some((pattern, factor)) = text.rsplit_once('=') else {
            return Err(format!("{expected}, found no `=`"));
        };
        if relative_pattern(pattern).is_empty() {
            return Err(format!("{expected}, found no path before `=`"));
        }
        match boost(factor.trim()) {
            Some(factor) => Ok(Self { pattern: pattern.to_owned(), factor }),
            None => Err(format!("expected a factor from 0 to {MAX_BOOST}, found `{factor}`")),
        }
    }
}

fn boost(text: &str) -> Option<f64> {
    text.parse().ok().filter(|factor| (0.0..=MAX_BOOST).contains(factor))
}

/// A site's list of pins: lines `install, get started => guide/install.html`; `#` begins a comment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pins {
    path: PathBuf,
    lines: Vec<Pin>,
}

#[derive(Clone, Debug, PartialEq)]
struct Pin {
    line: u64,
    queries: Vec<String>,
    page: String,
}

impl Pins {
    /// Reads a list.
    ///
    /// # Errors
    /// If the file cannot be read or a line is malformed; the error has the number of the line.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{}: the pins cannot be read", path.display()))?;
        Self::parse(path, &text).with_context(|| format!("{}: no list of pins", path.display()))
    }

    fn parse(path: &Path, text: &str) -> anyhow::Result<Self> {
        let mut lines = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            // An address may contain `#`; a comment begins with a space and `#`.
            let text = match text.find(" #") {
                Some(at) => &text[..at],
                None => text,
            }
            .trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let Some((queries, page)) = text.split_once("=>") else {
                bail!("line {line}: {text}: expected `query, query => page`, found no `=>`");
            };
            let queries: Vec<String> = queries.split(',').map(fold).collect();
            if queries.iter().any(|query| !query.contains(char::is_alphanumeric)) {
                bail!(
                    "line {line}: {text}: expected queries between commas, found one without a word"
                );
            }
            if page.trim().is_empty() {
                bail!("line {line}: {text}: expected a page after `=>`, found nothing");
            }
            lines.push(Pin { line, queries, page: page.trim().to_owned() });
        }
        Ok(Self { path: path.to_owned(), lines })
    }
}

/// Applies boosts and pins to the pages. Reports patterns and pins that match no page, and boosts
/// that are not valid.
pub(super) fn apply(pages: &mut [RawPage], options: &Options, on_problem: &mut dyn FnMut(Problem)) {
    for raw in pages.iter_mut() {
        let Some(own) = raw.attributes.remove(BOOST) else { continue };
        let said = own.spelled();
        match boost(said.trim()) {
            // All boosts become numbers, so that one invalid boost does not turn the attribute into
            // strings.
            Some(factor) => drop(raw.attributes.insert(BOOST.to_owned(), Raw::Number(factor))),
            None => on_problem(Problem {
                severity: Severity::Warning,
                path: raw.path.clone(),
                line: None,
                reason: format!(
                    "the boost is left out: expected a number from 0 to {MAX_BOOST}, found `{said}`"
                ),
            }),
        }
    }
    let example = pages.first().map(|raw| path_of(raw, options).to_owned()).unwrap_or_default();
    let mut used = vec![false; options.boosts.len()];
    for raw in pages.iter_mut() {
        let mut wish = None;
        for (boost, used) in options.boosts.iter().zip(&mut used) {
            if matches_page(&boost.pattern, path_of(raw, options)) {
                *used = true;
                wish = Some(boost.factor);
            }
        }
        if let Some(factor) = wish {
            raw.attributes.entry(BOOST.to_owned()).or_insert(Raw::Number(factor));
        }
    }
    for (boost, _) in options.boosts.iter().zip(used).filter(|(_, used)| !used) {
        on_problem(Problem {
            severity: Severity::Warning,
            path: format!("--boost {}={}", boost.pattern, boost.factor).into(),
            line: None,
            reason: format!(
                "found no page there; expected a path below the root, such as {example}"
            ),
        });
    }
    for pin in &options.pins.lines {
        let is_it = |raw: &&mut RawPage| {
            [path_of(raw, options), raw.page.id.as_str(), raw.page.url.as_str()]
                .contains(&pin.page.as_str())
        };
        match pages.iter_mut().find(is_it) {
            Some(raw) => raw.page.pins.extend(pin.queries.iter().cloned()),
            None => on_problem(Problem {
                severity: Severity::Warning,
                path: options.pins.path.clone(),
                line: Some(pin.line),
                reason: format!(
                    "there is no page {}; expected a path below the root, such as {example}, or a \
                     URL",
                    pin.page
                ),
            }),
        }
    }
}

/// Returns a page's path below the root. A record has no path, so the path of its URL is used.
pub(super) fn path_of<'a>(raw: &'a RawPage, options: &Options) -> &'a str {
    if raw.format != Some(Format::Jsonl) {
        return &raw.page.id;
    }
    let url = raw.page.url.strip_prefix(&options.base_url).unwrap_or(&raw.page.url);
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => url,
    };
    path.trim_start_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(id: &str, own: Option<Raw>) -> RawPage {
        let mut raw = RawPage { path: id.into(), format: Some(Format::Html), ..RawPage::default() };
        raw.page.id = id.to_owned();
        raw.page.url = format!("/docs/{id}");
        raw.attributes.extend(own.map(|own| (BOOST.to_owned(), own)));
        raw
    }

    fn boosts(of: &[&str]) -> Options {
        Options {
            base_url: "/docs/".to_owned(),
            boosts: of.iter().map(|text| text.parse().unwrap()).collect(),
            ..Options::default()
        }
    }

    fn apply_to(pages: &mut [RawPage], options: &Options) -> (Vec<Option<f64>>, Vec<String>) {
        let mut said = Vec::new();
        apply(pages, options, &mut |problem| {
            let line = problem.line.map_or(String::new(), |line| format!(":{line}"));
            said.push(format!("{}{line}: {}", problem.path.display(), problem.reason));
        });
        let factors = pages.iter().map(|raw| match raw.attributes.get(BOOST) {
            Some(Raw::Number(factor)) => Some(*factor),
            Some(other) => panic!("{other:?}"),
            None => None,
        });
        (factors.collect(), said)
    }

    #[test]
    fn a_directory_stands_for_all_below_it() {
        let mut pages = [
            page("index.html", None),
            page("old/index.html", None),
            page("old/deep/a.html", None),
            page("older/a.html", None),
            page("blog/2024/a.html", None),
            page("blog/2019/a.html", None),
        ];
        let (factors, said) = apply_to(
            &mut pages,
            &boosts(&["/old/=0.2", "blog=0.5", "blog/20*/a.html=1.5", "blog/2019=0"]),
        );
        assert_eq!(
            factors,
            [None, Some(0.2), Some(0.2), None, Some(1.5), Some(0.0)],
            "the last that holds"
        );
        assert!(said.is_empty(), "{said:?}");
    }

    #[test]
    fn a_page_knows_better_than_its_directory() {
        let mut pages = [
            page("old/a.html", Some(Raw::Untyped("1".into()))),
            page("old/b.html", Some(Raw::Number(3.0))),
            page("old/c.html", Some(Raw::Text("high".into()))),
        ];
        let (factors, said) = apply_to(&mut pages, &boosts(&["old=0.2"]));
        assert_eq!(factors, [Some(1.0), Some(3.0), Some(0.2)]);
        assert_eq!(
            said,
            ["old/c.html: the boost is left out: expected a number from 0 to 100, found `high`"]
        );
    }

    #[test]
    fn records_lie_where_their_urls_do() {
        let mut pages = [page("1", None), page("2", None), page("3", None)];
        for (raw, url) in
            pages.iter_mut().zip(["/docs/old/1", "https://example.org/old/2", "/new/old/3"])
        {
            raw.format = Some(Format::Jsonl);
            raw.page.url = url.to_owned();
        }
        assert_eq!(apply_to(&mut pages, &boosts(&["old=0.5"])).0, [Some(0.5), Some(0.5), None]);
    }

    #[test]
    fn a_wish_for_no_page_is_told() {
        let pins =
            Pins::parse(Path::new("pins.txt"), "get started => guide/instal.html\n").unwrap();
        let options = Options { pins, ..boosts(&["odl=0.2"]) };
        let (_, said) = apply_to(&mut [page("old/a.html", None)], &options);
        assert_eq!(
            said,
            [
                "--boost odl=0.2: found no page there; expected a path below the root, such as \
                 old/a.html",
                "pins.txt:1: there is no page guide/instal.html; expected a path below the root, \
                 such as old/a.html, or a URL"
            ]
        );
    }

    #[test]
    fn pins_name_pages_by_path_or_url() {
        let list = "# what people look for\ninstall, Get  started => guide/a.html # first\n\n\
             help => /docs/b.html\n";
        let pins = Pins::parse(Path::new("pins.txt"), list).unwrap();
        let mut pages = [page("guide/a.html", None), page("b.html", None)];
        pages[1].page.pins.push("support".to_owned());
        assert!(apply_to(&mut pages, &Options { pins, ..boosts(&[]) }).1.is_empty());
        assert_eq!(pages[0].page.pins, ["install", "Get started"]);
        assert_eq!(pages[1].page.pins, ["support", "help"]);
    }

    #[test]
    fn what_is_no_wish_is_refused() {
        for (text, expect) in [
            ("blog", "expected PATTERN=FACTOR, such as blog=0.5, found no `=`"),
            ("/=2", "expected PATTERN=FACTOR, such as blog=0.5, found no path before `=`"),
            ("blog=half", "expected a factor from 0 to 100, found `half`"),
            ("blog=-1", "expected a factor from 0 to 100, found `-1`"),
            ("blog=NaN", "expected a factor from 0 to 100, found `NaN`"),
            ("blog=101", "expected a factor from 0 to 100, found `101`"),
        ] {
            assert_eq!(text.parse::<Boost>().unwrap_err(), expect);
        }
        for (text, expect) in [
            ("a => b\nc", "line 2: c: expected `query, query => page`, found no `=>`"),
            (
                "a, => b",
                "line 1: a, => b: expected queries between commas, found one without a word",
            ),
            ("a =>", "line 1: a =>: expected a page after `=>`, found nothing"),
        ] {
            assert_eq!(Pins::parse(Path::new("p"), text).unwrap_err().to_string(), expect);
        }
    }
}
