//! Which page is meant by an address: a URL with or without host and anchor, a path, or a
//! document's id.
//!
//! The list of addresses has hashes alone. Where one page fits, that is taken for granted unless
//! the page's texts are needed anyhow; where several fit, their texts tell.

#![doc(alias = "deferred")]

use findling_bundle::addresses::key;
use findling_bundle::texts::PageText;
use findling_bundle::{PageId, SectionId, ShardId};

use crate::api::Error;
use crate::index::Index;

/// Most pages that share a hash or a key and are told apart.
const MAX_CANDIDATES: usize = 16;

/// A page, and a section of it where the address has an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub page: PageId,
    pub section: Option<SectionId>,
}

/// How far the shards at hand bring an address.
pub(crate) enum Located {
    /// These shards are needed to say.
    Need(Vec<ShardId>),
    /// This is what is meant.
    Found(Place),
}

/// Finds the page of an address; with `texts` also the section, and certainly.
///
/// # Errors
/// [`Error::NoSuchPage`], and [`Error::Request`] in a bundle without addresses.
pub(crate) fn locate(index: &Index, address: &str, texts: bool) -> Result<Located, Error> {
    let manifest = index.manifest();
    let Some(shard) = manifest.addresses() else {
        let message = "the bundle does not say which page has which address; build it again".into();
        return Err(Error::Request { message });
    };
    let address = address.trim();
    let (Some(addresses), Some(structure)) = (index.addresses(), index.structure()) else {
        return Ok(Located::Need(manifest.structure().into_iter().chain([shard]).collect()));
    };
    let mut pages = addresses.find(address);
    pages.truncate(MAX_CANDIDATES);
    if let ([page], false) = (&pages[..], texts) {
        return Ok(Located::Found(Place { page: *page, section: None }));
    }
    let mut best: Option<(u32, Place)> = None;
    let mut needed = Vec::new();
    for page in pages {
        let parts = match index.page_texts(page)? {
            Ok(parts) => parts,
            Err(missing) => {
                needed.extend(missing);
                continue;
            }
        };
        let Some(text) = parts.first() else { continue };
        let Some(closeness) = closeness(text, address) else { continue };
        if best.is_none_or(|(most, _)| closeness > most) {
            let anchor =
                address.split_once('#').map(|(_, anchor)| anchor).filter(|_| text.id != address);
            let mut sections = parts.iter().flat_map(|part| &part.sections);
            let at = anchor.and_then(|anchor| {
                sections.position(|section| section.anchor.as_deref() == Some(anchor))
            });
            let section = at.map(|at| SectionId(structure.sections(page).start + at as u32));
            best = Some((closeness, Place { page, section }));
        }
    }
    match (needed.is_empty(), best) {
        (false, _) => Ok(Located::Need(needed)),
        (true, Some((_, place))) => Ok(Located::Found(place)),
        (true, None) => Err(Error::NoSuchPage { address: address.into() }),
    }
}

/// How well an address fits a page, more for better; `None` where it is another's.
fn closeness(page: &PageText<'_>, address: &str) -> Option<u32> {
    if page.id == address {
        return Some(3);
    }
    let (url, path) = (without_anchor(page.url), without_anchor(address));
    if url == path {
        return Some(2);
    }
    let same = |address: &str| key(address) == key(page.url);
    (same(path) || same(path.split('?').next().unwrap_or_default())).then_some(1)
}

fn without_anchor(address: &str) -> &str {
    address.split('#').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_that_is_spelt_so_fits_best() {
        let page = PageText { id: "a#1", url: "https://example.org/a?v=1", ..PageText::default() };
        for (address, expect) in [
            ("a#1", Some(3)),
            ("https://example.org/a?v=1#part", Some(2)),
            ("/a.html?v=1", Some(1)),
            ("https://example.org/a", None),
            ("b", None),
        ] {
            assert_eq!(closeness(&page, address), expect, "{address}");
        }
        let page = PageText { url: "/a.html", ..PageText::default() };
        assert_eq!(closeness(&page, "a?highlight=b#c"), Some(1));
    }
}
