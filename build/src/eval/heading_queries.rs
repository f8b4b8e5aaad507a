//! Judged queries made from a site's own headings: the page with the heading is relevant.

use std::collections::BTreeMap;

use anyhow::bail;

use super::judged::Query;
use super::metrics::Judgements;
use crate::bundle_files::BundleFiles;
use crate::sample;

/// Smallest number of words of a heading. A single word usually names a term and not a page.
const LEAST_WORDS: usize = 2;

/// Queries made from headings that only one page has, evenly spread over the site; that page is
/// judged relevant. The queries use the words of the page, so they favour the lexical leg.
///
/// # Errors
/// If the texts cannot be read, or there is no such heading.
pub fn heading_queries(files: &BundleFiles) -> anyhow::Result<Vec<(Query, Judgements)>> {
    // Headings in the order of the site. A heading that a second page has is dropped.
    let mut headings: Vec<(String, String)> = Vec::new();
    let mut pages: BTreeMap<String, Option<String>> = BTreeMap::new();
    files.each_page(|page| {
        for section in page.sections.iter().filter(|section| section.level > 0) {
            let heading = sample::words_alone(section.heading);
            if heading.split(' ').count() < LEAST_WORDS {
                continue;
            }
            let key = heading.to_lowercase();
            match pages.get_mut(&key) {
                None => {
                    pages.insert(key.clone(), Some(page.id.to_owned()));
                    headings.push((key, heading));
                }
                Some(known) => *known = known.take().filter(|known| known == page.id),
            }
        }
    })?;
    let alone =
        headings.into_iter().filter_map(|(key, heading)| Some((heading, pages.remove(&key)??)));
    let judged: Vec<(Query, Judgements)> = sample::evenly(alone.collect())
        .enumerate()
        .map(|(i, (text, page))| (Query { id: format!("heading-{i}"), text }, [(page, 1)].into()))
        .collect();
    if judged.is_empty() {
        bail!(
            "{}: expected headings of at least two words that only one page has, found none; give \
             judged queries with --queries and --qrels",
            files.path().display()
        );
    }
    Ok(judged)
}
