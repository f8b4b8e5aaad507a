//! Pages that repeat other pages of the site: lists of posts with the beginning of each, and one
//! page with the text of all pages.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::file::resolve;
use super::hints::{Hints, MIN_PRINT_WORDS};
use super::left_out::{LeftOut, MAX_SAMPLE_BYTES, Rule};
use super::outline::{fold, shorten};
use super::{Problem, RawPage, Severity};

/// Smallest number of other pages whose whole text a page repeats.
const MIN_REPEATED_PAGES: usize = 3;

/// Smallest number of entries of a list of pages.
const MIN_ENTRIES: usize = 2;

/// Leaves out pages that contain the text of several others.
pub(super) fn drop_whole_sites(pages: &mut [&mut RawPage], on_problem: &mut dyn FnMut(Problem)) {
    let mut where_: HashMap<u64, Vec<u32>> = HashMap::new();
    for (at, raw) in pages.iter().enumerate() {
        let Some(hints) = &raw.hints else { continue };
        let prints = hints.prints.iter().filter(|print| print.words >= MIN_PRINT_WORDS);
        let hashes: BTreeSet<u64> = prints.map(|print| print.hash).collect();
        for hash in hashes {
            where_.entry(hash).or_default().push(at as u32);
        }
    }
    let repeats = |at: usize, raw: &RawPage| -> Option<usize> {
        let hints = raw.hints.as_deref()?;
        let (mut words, mut known) = (0u64, 0u64);
        let mut others: HashMap<u32, u32> = HashMap::new();
        for print in hints.prints.iter().filter(|print| print.words > 0) {
            words += u64::from(print.words);
            let Some(found) = where_.get(&print.hash) else { continue };
            // Text on many pages does not characterise any of them.
            let mut other = found.iter().filter(|other| **other as usize != at).take(4).peekable();
            if other.peek().is_some() {
                known += u64::from(print.words);
            }
            if found.len() <= 4 {
                other.for_each(|other| *others.entry(*other).or_default() += 1);
            }
        }
        // Each of several other pages must have a part; a page that has nearly everything is
        // another version of this page.
        let n_known: u32 =
            hints.prints.iter().filter(|p| p.words >= MIN_PRINT_WORDS).count() as u32;
        let is_version = others.values().any(|n| n * 2 > n_known);
        // Text that related pages share, such as a notice in the notes on several releases, is
        // only a part of each of them, or the same part in all.
        let own: HashSet<u64> = hints.prints.iter().map(|print| print.hash).collect();
        others.retain(|other, _| is_within(pages[*other as usize].hints.as_deref(), &own));
        let n_parts = own
            .iter()
            .filter(|hash| {
                let found = where_.get(hash);
                found.is_some_and(|found| found.iter().any(|other| others.contains_key(other)))
            })
            .count();
        let are_several = others.len().min(n_parts) >= MIN_REPEATED_PAGES;
        (are_several && known * 10 >= words * 8 && !is_version).then_some(others.len())
    };
    let found: Vec<Option<usize>> =
        pages.iter().enumerate().map(|(at, raw)| repeats(at, raw)).collect();
    for (raw, n) in pages.iter_mut().zip(found) {
        let Some(n) = n else { continue };
        let reason = format!("repeats the text of {n} other pages");
        let path = raw.path.clone();
        on_problem(Problem { severity: Severity::Skipped, path, line: None, reason });
        raw.is_dropped = true;
    }
}

/// Returns whether most of a page's text is among these texts.
fn is_within(page: Option<&Hints>, texts: &HashSet<u64>) -> bool {
    let Some(page) = page else { return false };
    let words = |within: bool| -> u64 {
        let counted = page.prints.iter().filter(|p| !within || texts.contains(&p.hash));
        counted.map(|print| u64::from(print.words)).sum()
    };
    words(true) * 3 >= words(false) * 2
}

/// Leaves out the text about other pages in lists of pages: sections whose headings lead to a page
/// with the same title, and items that are links to a page.
pub(super) fn leave_out_teasers(pages: &mut [&mut RawPage], trace: bool) {
    if pages.iter().all(|raw| raw.hints.as_ref().is_none_or(|hints| hints.links.is_empty())) {
        return;
    }
    let mut titles: HashMap<String, Vec<String>> = HashMap::new();
    for raw in pages.iter() {
        let names = [&raw.names.explicit, &raw.names.h1, &raw.names.tag];
        let mut names: Vec<String> = names.into_iter().flatten().map(|name| plain(name)).collect();
        names.retain(|name| !name.is_empty());
        titles.insert(key(&raw.page.id), names);
    }
    for raw in pages.iter_mut() {
        let Some(hints) = &raw.hints else { continue };
        let own = key(&raw.page.id);
        let leads = |href: &str| -> Option<&Vec<String>> {
            let path = href.split(['#', '?']).next()?;
            let target = key(&target_of(&raw.page.id, path)?);
            titles.get(&target).filter(|_| target != own)
        };
        let mut sections: HashSet<u32> = HashSet::new();
        let mut blocks: HashSet<(u32, u32)> = HashSet::new();
        for link in &hints.links {
            let Some(names) = link.target.as_deref().and_then(leads) else { continue };
            let Some(section) = raw.page.sections.get(link.section as usize) else { continue };
            match link.block {
                None => {
                    let heading = plain(&section.heading);
                    if names.iter().any(|name| name.contains(&heading) || heading.contains(name)) {
                        sections.insert(link.section);
                    }
                }
                Some(block) => {
                    blocks.insert((link.section, block));
                }
            }
        }
        if !sections.is_empty() || blocks.len() >= MIN_ENTRIES {
            remove(raw, &sections, &blocks, &titles, trace);
        }
    }
}

/// Removes sections about other pages. Also removes items if most of the page consists of such
/// items.
fn remove(
    raw: &mut RawPage,
    sections: &HashSet<u32>,
    blocks: &HashSet<(u32, u32)>,
    titles: &HashMap<String, Vec<String>>,
    trace: bool,
) {
    if raw.page.restore().is_err() {
        return;
    }
    let targets: HashMap<(u32, u32), String> = raw
        .hints
        .iter()
        .flat_map(|hints| &hints.links)
        .filter_map(|links| {
            let block = (links.section, links.block?);
            let path = links.target.as_deref()?.split(['#', '?']).next()?;
            Some((block, key(&target_of(&raw.page.id, path)?)))
        })
        .collect();
    let says_title = |place: (u32, u32), text: &str| {
        let names = targets.get(&place).and_then(|target| titles.get(target));
        let text = plain(text);
        names.is_some_and(|names| names.iter().any(|name| text.contains(name.as_str())))
    };
    let n_blocks: usize = raw
        .page
        .sections
        .iter()
        .enumerate()
        .filter(|(at, _)| !sections.contains(&(*at as u32)))
        .map(|(_, section)| section.blocks.len())
        .sum();
    let is_list = blocks.len() >= MIN_ENTRIES && blocks.len() * 2 >= n_blocks;
    let mut left_out: Vec<String> = Vec::new();
    let mut gone: BTreeSet<(u32, u32)> = BTreeSet::new();
    let mut map: Vec<Option<u32>> = Vec::with_capacity(raw.page.sections.len());
    let mut kept = Vec::with_capacity(raw.page.sections.len());
    for (at, mut section) in std::mem::take(&mut raw.page.sections).into_iter().enumerate() {
        let at = at as u32;
        if sections.contains(&at) {
            left_out.push(section.heading);
            left_out.extend(section.blocks.into_iter().map(|block| block.text));
            map.push(None);
            continue;
        }
        if is_list {
            let mut number = 0;
            section.blocks.retain(|block| {
                let place = (at, number);
                number += 1;
                let goes = blocks.contains(&place) && says_title(place, &block.text);
                if goes {
                    left_out.push(block.text.clone());
                    gone.insert(place);
                }
                !goes
            });
        }
        map.push(Some(kept.len() as u32));
        kept.push(section);
    }
    raw.page.sections = kept;
    if let Some(hints) = &mut raw.hints {
        hints.forget(&gone, &map);
        hints.prints = raw.page.sections.iter().map(super::hints::print).collect();
    }
    raw.lost.add_texts(Rule::Teaser, &left_out);
    if trace {
        raw.left_out.extend(left_out.into_iter().map(|mut text| {
            shorten(&mut text, MAX_SAMPLE_BYTES);
            LeftOut { rule: Rule::Teaser, element: String::new(), text }
        }));
    }
}

/// Returns a title without case and punctuation.
fn plain(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    fold(&words.map(str::to_lowercase).collect::<Vec<_>>().join(" "))
}

/// Returns the path of a page without the parts that its addresses may leave out.
fn key(id: &str) -> String {
    let id = id.trim_start_matches('/');
    let id = id.strip_suffix(".html").or_else(|| id.strip_suffix(".htm")).unwrap_or(id);
    let id = match id.strip_suffix("index") {
        Some(front) if front.is_empty() || front.ends_with('/') => front,
        _ => id,
    };
    id.trim_end_matches('/').to_owned()
}

/// Returns the path that a link on a page leads to, below the root of the site.
fn target_of(id: &str, path: &str) -> Option<String> {
    if path.is_empty() || path.starts_with("//") || path.contains("://") || path.contains(':') {
        return None;
    }
    Some(match path.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None => resolve(id, path),
    })
}
