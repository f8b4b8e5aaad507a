//! A page with its whole text, in place of results.

#![doc(alias = "deferred")]

use std::ops::Range;

use findling_bundle::ShardId;

use super::respond::attributes;
use crate::api::{Document, DocumentSection, Error, Request, Response, Total};
use crate::index::Index;
use crate::locate::{Located, locate};

/// The response that has the page, or the shards that are needed for it.
pub(crate) type Read = Result<Box<Response>, Vec<ShardId>>;

/// Reads the page at `address`. Cheap to call again.
///
/// # Errors
/// The errors of [`locate`]; [`Error::Request`] if the request also asks for something else.
#[inline(never)]
pub(crate) fn read(index: &Index, request: &Request, address: &str) -> Result<Read, Error> {
    let is_other = request.similar_to.is_some() || request.why.is_some();
    if is_other || !request.query.trim().is_empty() || !request.also.is_empty() {
        let message =
            "expected `read` alone, found it beside query, also, similarTo or why; leave \
                       them out"
                .into();
        return Err(Error::Request { message });
    }
    let page = match locate(index, address, true)? {
        Located::Need(shards) => return Ok(Err(shards)),
        Located::Found(place) => place.page,
    };
    let parts = match index.page_texts(page)? {
        Ok(parts) => parts,
        Err(missing) => return Ok(Err(missing)),
    };
    let Some(head) = parts.first() else { return Err(Error::inconsistent("a page has no texts")) };
    let mut sections = Vec::new();
    for part in &parts {
        for (place, section) in (part.first..).zip(&part.sections) {
            sections.push(DocumentSection {
                level: section.level,
                heading_path: part.heading_path(place).into_iter().map(str::to_string).collect(),
                anchor: section.anchor.as_deref().map(str::to_string),
                text: section.text.to_string(),
                passages: in_units(&section.text, &section.passages),
            });
        }
    }
    let document = Document {
        id: head.id.into(),
        url: head.url.into(),
        title: head.title.into(),
        language: head.language.into(),
        attributes: attributes(index, &head.attributes),
        sections,
    };
    Ok(Ok(Box::new(Response {
        query: String::new(),
        mode: request.mode,
        encoder: None,
        notices: Vec::new(),
        corrections: Vec::new(),
        suggestions: Vec::new(),
        answerable: None,
        total: Total::default(),
        results: Vec::new(),
        facets: Vec::new(),
        plan: None,
        why: None,
        document: Some(Box::new(document)),
    })))
}

/// Returns byte ranges as ranges of UTF-16 code units. They ascend by start and by end.
fn in_units(text: &str, ranges: &[Range<u32>]) -> Vec<(u32, u32)> {
    let starts = units(text, ranges.iter().map(|range| range.start));
    let ends = units(text, ranges.iter().map(|range| range.end));
    starts.into_iter().zip(ends).collect()
}

/// Returns how many code units are in front of each of some ascending places.
fn units(text: &str, bytes: impl Iterator<Item = u32>) -> Vec<u32> {
    let (mut at, mut count) = (0, 0);
    let mut counts = Vec::new();
    for byte in bytes {
        let end = text.floor_char_boundary(byte as usize).max(at);
        count += text[at..end].encode_utf16().count() as u32;
        at = end;
        counts.push(count);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_code_units() {
        let text = "aé𝄞b漢";
        assert_eq!(in_units(text, &[0..3, 3..8, 7..11]), [(0, 2), (2, 5), (4, 6)]);
        assert_eq!(in_units(text, &[0..1, 1..99]), [(0, 1), (1, 6)]);
        assert_eq!(in_units("", &[]), []);
    }
}
