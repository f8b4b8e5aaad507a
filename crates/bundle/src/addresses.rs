//! Hashes of addresses: "which page has this address?" They serve requests about one page: for
//! similar pages, or for an explanation of a page's rank.
//!
//! The addresses themselves are in the texts, which no reader fetches whole. This shard has four
//! bytes of the hash of each page's [`key`], in page order. Two pages rarely share a hash (in one
//! of ninety sites with 10,000 pages); a reader that finds several pages compares their texts. An
//! address that the site does not have matches a given page with a probability of 2^-32.
//!
//! - `n_pages`: varint
//! - whether ids follow: u8: 0 or 1
//! - hash of each URL's key: `n_pages` u32
//! - hash of each id, as it is: `n_pages` u32, if ids follow. They follow if some id has another
//!   key than its page's URL, or if two URLs have one key, such as `kiln#firing` and `kiln#glazing`

#![doc(alias = "deferred")]

use std::collections::HashSet;

use crate::codec::{Reader, hash128, put_varint};
use crate::{Error, PageId, Stats};

const WHAT: &str = "addresses";

/// Returns the key of an address, the same for all spellings of one page's address: without scheme,
/// host, fragment, leading slash, `index.html`, `.html` and trailing slash, percent-decoded. The
/// query string stays, since it can select another page.
///
/// ```
/// # use findling_bundle::addresses::key;
/// assert_eq!(key("https://example.org/guide/glaze.html#dipping"), "guide/glaze");
/// assert_eq!(key("guide/glaze/index.html"), key("/guide/glaze/"));
/// ```
pub fn key(address: &str) -> String {
    let address = without_anchor(address);
    let (path, query) = match address.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (address, None),
    };
    let path = match path.find("//") {
        // A scheme, or `//` with the page's own.
        Some(at) if at == 0 || path[..at].ends_with(':') => {
            path[at + 2..].split_once('/').map_or("", |(_, path)| path)
        }
        _ => path,
    };
    let decoded = percent_decoded(path);
    let mut path = decoded.trim_start_matches("./").trim_start_matches('/');
    for ending in [".html", ".htm"] {
        path = path.strip_suffix(ending).unwrap_or(path);
    }
    path = match path.strip_suffix("index") {
        Some(directory) if directory.is_empty() || directory.ends_with('/') => directory,
        _ => path,
    };
    let path = path.trim_end_matches('/');
    match query {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    }
}

/// Decodes percent-encoded bytes such as `%20`. Returns the text as it is if the result is not
/// UTF-8.
pub fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digit = |i: usize| bytes.get(at + i).and_then(|&byte| char::from(byte).to_digit(16));
        match (byte, digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// Returns how well an address fits a page with this id and URL, higher for better; `None` if it is
/// the address of another page. It decides between pages that [`Addresses::find`] cannot
/// distinguish.
pub fn closeness(id: &str, url: &str, address: &str) -> Option<u32> {
    if id == address || url == address {
        return Some(3);
    }
    let path = without_anchor(address);
    if without_anchor(url) == path {
        return Some(2);
    }
    let same = |address: &str| key(address) == key(url);
    (same(path) || same(path.split('?').next().unwrap_or_default())).then_some(1)
}

fn without_anchor(address: &str) -> &str {
    address.split('#').next().unwrap_or_default()
}

fn hash(text: &str) -> u32 {
    let [a, b, c, d, ..] = hash128(text.as_bytes());
    u32::from_le_bytes([a, b, c, d])
}

/// Returns the hash of a URL's [`key`].
pub fn hash_of(url: &str) -> u32 {
    hash(&key(url))
}

/// Writes the shard of all pages, each given as id and URL, in page order.
pub fn write<'a>(pages: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Vec<u8> {
    let mut out = Vec::new();
    let mut keys = HashSet::new();
    let with_ids = pages.clone().any(|(id, url)| key(id) != key(url) || !keys.insert(key(url)));
    put_varint(&mut out, pages.clone().count() as u32);
    out.push(u8::from(with_ids));
    for (_, url) in pages.clone() {
        out.extend_from_slice(&hash_of(url).to_le_bytes());
    }
    for (id, _) in pages.filter(|_| with_ids) {
        out.extend_from_slice(&hash(id).to_le_bytes());
    }
    out
}

/// The hashes of all addresses, read and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// The hash of each page's URL.
    urls: Vec<u32>,
    /// The hash of each page's id; empty if URLs distinguish the pages equally well.
    ids: Vec<u32>,
}

impl Addresses {
    /// Reads and checks the output of [`write`].
    ///
    /// # Errors
    /// If the bytes break the format, or the number of pages is not the manifest's.
    pub fn from_bytes(raw: &[u8], stats: &Stats) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        let n_pages = reader.varint()?;
        if n_pages != stats.n_pages {
            let (expected, got) = (stats.n_pages.into(), n_pages.into());
            return Err(Error::Length { what: "addresses of pages", expected, got });
        }
        let with_ids = match reader.u8()? {
            0 => false,
            1 => true,
            _ => {
                return Err(reader
                    .malformed("expected 0 or 1 for whether ids follow, found another number"));
            }
        };
        let n_pages = n_pages as usize;
        reader.fits(n_pages, if with_ids { 8 } else { 4 })?;
        let mut hashes =
            |n: usize| -> Result<Vec<u32>, Error> { (0..n).map(|_| reader.u32()).collect() };
        let (urls, ids) = (hashes(n_pages)?, hashes(if with_ids { n_pages } else { 0 })?);
        reader.finish()?;
        Ok(Self { urls, ids })
    }

    /// Returns the pages that match an id, a URL with or without host, or a path, ascending: mostly
    /// one. Ids are tried first, then the address with its query string, then the address without
    /// it. O(pages).
    pub fn find(&self, address: &str) -> Vec<PageId> {
        let matching = |hashes: &[u32], text: &str| -> Vec<PageId> {
            let wanted = hash(text);
            (0..)
                .zip(hashes)
                .filter(|(_, hash)| **hash == wanted)
                .map(|(page, _)| PageId(page))
                .collect()
        };
        let mut found = matching(&self.ids, address);
        for address in [address, address.split('?').next().unwrap_or_default()] {
            if found.is_empty() {
                found = matching(&self.urls, &key(address));
            }
        }
        found
    }

    /// Returns the hash of each page's URL ([`hash_of`]).
    pub fn urls(&self) -> &[u32] {
        &self.urls
    }

    /// Returns the bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        4 * (self.urls.len() + self.ids.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_code_or_no_text_stays() {
        for (text, expect) in [
            ("a%20b", "a b"),
            ("%C3%BC", "ü"),
            ("50%25", "50%"),
            ("%", "%"),
            ("%zz", "%zz"),
            ("%+5", "%+5"),
            ("%ff", "%ff"),
        ] {
            assert_eq!(percent_decoded(text), expect);
        }
    }

    #[test]
    fn spellings_of_an_address_share_a_key() {
        for (expect, addresses) in [
            (
                "guide/glaze",
                &[
                    "guide/glaze",
                    "/guide/glaze.html",
                    "./guide/glaze.htm",
                    "https://example.org/guide/glaze.html#dipping",
                    "//example.org/guide/glaze/",
                    "guide/glaze/index.html#a?b",
                    "guide/gl%61ze",
                ][..],
            ),
            ("", &["", "/", "index.html", "https://example.org", "https://example.org/"]),
            ("a?id=3", &["a?id=3", "/a.html?id=3#x"]),
            ("reindex", &["reindex", "/reindex.html"]),
            ("a//b", &["a//b"]),
            ("50%", &["50%"]),
            ("%ff", &["%ff"]),
        ] {
            for address in addresses {
                assert_eq!(key(address), expect, "{address}");
            }
        }
    }

    fn read(pages: &[(&str, &str)]) -> Addresses {
        let raw = write(pages.iter().copied());
        let stats = Stats { n_pages: pages.len() as u32, ..Stats::default() };
        Addresses::from_bytes(&raw, &stats).unwrap()
    }

    #[test]
    fn pages_are_found_by_url_path_and_id() {
        let site = read(&[("index.html", "/"), ("a/b.html", "/a/b.html"), ("c.html", "/c.html")]);
        assert_eq!(site.resident_bytes(), 12, "an id that is the path takes nothing");
        for (address, expect) in [
            ("/", &[0][..]),
            ("a/b.html", &[1]),
            ("https://example.org/a/b#part", &[1]),
            ("/c.html?highlight=kiln", &[2]),
            ("d", &[]),
            ("b", &[]),
        ] {
            assert_eq!(
                site.find(address).iter().map(|page| page.0).collect::<Vec<_>>(),
                expect,
                "{address}"
            );
        }
        let records = read(&[
            ("7#a", "/doc"),
            ("7#b", "/doc"),
            ("https://x/9", "https://example.org/nine?v=2"),
        ]);
        assert_eq!(records.find("7#b"), [PageId(1)]);
        assert_eq!(records.find("/doc"), [PageId(0), PageId(1)], "two pages at one address");
        assert_eq!(records.find("nine?v=2"), [PageId(2)]);
        assert!(records.find("nine").is_empty());
    }

    #[test]
    fn counts_must_be_those_of_the_manifest() {
        let raw = write([("a", "b")].into_iter());
        assert!(Addresses::from_bytes(&raw, &Stats { n_pages: 2, ..Stats::default() }).is_err());
        assert!(read(&[]).find("").is_empty());
    }

    #[test]
    fn the_page_that_is_spelt_so_fits_best() {
        let (id, url) = ("a#1", "https://example.org/a?v=1");
        for (address, expect) in [
            ("a#1", Some(3)),
            ("https://example.org/a?v=1#part", Some(2)),
            ("/a.html?v=1", Some(1)),
            ("https://example.org/a", None),
            ("b", None),
        ] {
            assert_eq!(closeness(id, url, address), expect, "{address}");
        }
        assert_eq!(closeness("", "/a.html", "a?highlight=b#c"), Some(1));
    }

    #[test]
    fn pages_that_share_an_address_up_to_the_fragment_are_found_by_their_ids() {
        let pages: Vec<_> = (0..40).map(|i| format!("https://example.org/kiln#{i}")).collect();
        let raw = write(pages.iter().map(|id| (&id[..], &id[..])));
        let stats = Stats { n_pages: 40, ..Stats::default() };
        let addresses = Addresses::from_bytes(&raw, &stats).expect("what was written");
        for (i, id) in (0..).zip(&pages) {
            assert_eq!(addresses.find(id), [PageId(i)]);
        }
    }
}
