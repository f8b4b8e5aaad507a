//! Finds the page of an address: a URL with or without host and anchor, a path, or a document's id.
//!
//! The list of addresses stores hashes only. If only one page has the hash, it is accepted, unless
//! its texts are needed anyway. If several pages have it, their texts decide.

#![doc(alias = "deferred")]

use findling_bundle::addresses::closeness;
use findling_bundle::{PageId, SectionId, ShardId};

use crate::api::Error;
use crate::index::Index;

/// Maximum number of pages with one hash or key whose texts are compared.
const MAX_CANDIDATES: usize = 16;

/// A page, and a section of it if the address has an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub page: PageId,
    pub section: Option<SectionId>,
}

/// The page of an address, or the shards that are missing to find it.
pub(crate) enum Located {
    /// Shards that are missing.
    Need(Vec<ShardId>),
    /// The page.
    Found(Place),
}

/// Finds the page of an address. With `texts`, also finds the section and compares the full
/// address.
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
        let Some(closeness) = closeness(text.id, text.url, address) else { continue };
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
