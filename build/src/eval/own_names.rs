//! Judged queries made from the names that a site gives its pages: titles, headings, and the texts
//! of links.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use anyhow::bail;
use findling_bundle::texts::PageText;
use findling_text::{Analyzer, TokenKind};

use super::judged::Query;
use super::metrics::Judgements;
use crate::bundle_files::BundleFiles;
use crate::{sample, sources};

/// Smallest number of words of a heading or of a link's text. A single word usually names a term
/// and not a page.
const MIN_WORDS: usize = 2;

/// Kind of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A page's title.
    Title,
    /// A heading in a page.
    Heading,
    /// The text of a link to a page.
    Link,
}

/// A name with the pages that have it.
#[derive(Debug)]
struct Name {
    text: String,
    pages: BTreeSet<String>,
}

/// Returns the number of words in a text. In scripts written without spaces, each pair of
/// characters that the index holds counts as a word.
fn n_words(text: &str) -> usize {
    let mut analyzer = Analyzer::for_language("");
    text.split_whitespace()
        .map(|word| {
            let mut n_pairs = 0;
            analyzer.analyze(word, |token| {
                let has_case = |c: char| c.is_lowercase() || c.is_uppercase();
                let is_name = token.term.chars().all(|c| c.is_alphabetic() && !has_case(c));
                n_pairs += usize::from(is_name && token.kind == TokenKind::Word);
            });
            n_pairs.max(1)
        })
        .sum()
}

/// Names of one kind, in the order of the site. Names that differ only in case are one name.
#[derive(Debug, Default)]
struct Names {
    names: Vec<Name>,
    by_text: HashMap<String, usize>,
}

impl Names {
    fn add(&mut self, text: &str, page: &str, least_words: usize) {
        let text = sample::words_alone(text);
        if n_words(&text) < least_words {
            return;
        }
        let at = *self.by_text.entry(text.to_lowercase()).or_insert_with(|| {
            self.names.push(Name { text, pages: BTreeSet::new() });
            self.names.len() - 1
        });
        self.names[at].pages.insert(page.to_owned());
    }

    /// Adds the headings of a page, without `except`.
    fn add_headings(&mut self, page: &PageText<'_>, except: &str) {
        for section in page.sections.iter().filter(|section| section.level > 0) {
            if section.heading != except {
                self.add(section.heading, page.id, MIN_WORDS);
            }
        }
    }

    /// Returns at most `max` queries, evenly spread.
    fn judged(names: Vec<Name>, max: usize, kind: &str) -> Vec<(Query, Judgements)> {
        sample::evenly(names, max)
            .enumerate()
            .map(|(i, Name { text, pages })| {
                let judgements = pages.into_iter().map(|page| (page, 1)).collect();
                (Query { id: format!("{kind}-{i}"), text }, judgements)
            })
            .collect()
    }

    /// Returns the names that belong to only one page.
    fn of_one_page(self) -> Vec<Name> {
        self.names.into_iter().filter(|name| name.pages.len() == 1).collect()
    }
}

/// Returns queries made from headings that only one page has; that page is judged relevant. They
/// are at most [`sample::MAX_QUERIES`], evenly spread over the site. The queries use the words of
/// the page, so they favour the lexical leg.
///
/// # Errors
/// If the texts cannot be read, or there is no such heading.
pub fn heading_queries(files: &BundleFiles) -> anyhow::Result<Vec<(Query, Judgements)>> {
    let mut headings = Names::default();
    files.each_page(|page| headings.add_headings(page, ""))?;
    let judged = Names::judged(headings.of_one_page(), sample::MAX_QUERIES, "heading");
    if judged.is_empty() {
        bail!(
            "{}: expected headings of at least two words that only one page has, found none; give \
             judged queries with --queries and --qrels",
            files.path().display()
        );
    }
    Ok(judged)
}

/// Returns queries made from all names of a site, at most `max` of each kind: every title, for
/// which each page that has it is relevant; headings, and texts of links in the HTML files of
/// `site`, that belong to only one page.
///
/// # Errors
/// If the texts or the files of `site` cannot be read, or the bundle has no page with a title.
pub fn names(
    files: &BundleFiles,
    site: Option<&Path>,
    max: usize,
) -> anyhow::Result<BTreeMap<Kind, Vec<(Query, Judgements)>>> {
    let (mut titles, mut headings) = (Names::default(), Names::default());
    let mut pages = BTreeSet::new();
    files.each_page(|page| {
        titles.add(page.title, page.id, 1);
        headings.add_headings(page, page.title);
        pages.insert(page.id.to_owned());
    })?;
    if titles.names.is_empty() {
        bail!(
            "{}: expected pages with titles, found none; give judged queries with --queries and \
             --qrels",
            files.path().display()
        );
    }
    let mut all = BTreeMap::from([
        (Kind::Title, Names::judged(titles.names, max, "title")),
        (Kind::Heading, Names::judged(headings.of_one_page(), max, "heading")),
    ]);
    if let Some(site) = site {
        let mut texts = Names::default();
        for link in sources::links::read(site)? {
            if let Some(page) = link.candidates().find(|id| pages.contains(id)) {
                texts.add(&link.text, &page, MIN_WORDS);
            }
        }
        let texts = texts.of_one_page();
        if texts.is_empty() {
            bail!(
                "{}: expected HTML files with links to pages of {}, found none; --site is the \
                 directory that the bundle was built from",
                site.display(),
                files.path().display()
            );
        }
        all.insert(Kind::Link, Names::judged(texts, max, "link"));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_with_and_without_spaces_between_them() {
        for (text, expect) in [
            ("", 0),
            ("Mutex", 1),
            ("getUserName", 1),
            ("--dry-run", 1),
            ("Shared state", 2),
            ("مزامنة", 1),
            ("安装", 1),
            ("安装指南", 3),
            ("Astro 安装", 2),
            ("インストール", 5),
        ] {
            assert_eq!(n_words(text), expect, "{text}");
        }
    }
}
