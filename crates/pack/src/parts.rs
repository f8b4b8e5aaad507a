//! Modules that a module carries with it, of which a build takes those that it needs: one file to
//! fetch, whatever is in it.
//!
//! Each is in a custom section behind all others, called `part`: two letters that name it, and the
//! module. Hosts find it by `WebAssembly.Module.customSections` (`www/src/worker.ts`).

use std::fmt;
use std::ops::Range;

/// What the sections are called.
const NAME: &[u8] = b"part";
/// Custom sections are told by this, and then by their name.
const CUSTOM: u8 = 0;
/// Magic and version.
const PREAMBLE: usize = 8;

/// What names a part: two letters.
pub type Tag = [u8; 2];

/// What came is no module, by its sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoModule {
    /// Where in it that was found out.
    pub at: usize,
}

impl fmt::Display for NoModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected the sections of a WebAssembly module, found something else at byte {}; build it anew (`cargo xtask wasm`)",
            self.at
        )
    }
}

impl std::error::Error for NoModule {}

/// `module` with one more part.
///
/// # Panics
/// Where the part is longer than 4 GB.
pub fn push(module: &mut Vec<u8>, tag: Tag, part: &[u8]) {
    let contents = [&[NAME.len() as u8][..], NAME, &tag, part].concat();
    let mut length = u32::try_from(contents.len()).expect("a part of less than 4 GB");
    module.push(CUSTOM);
    while length >= 128 {
        module.push(length as u8 | 128);
        length >>= 7;
    }
    module.push(length as u8);
    module.extend(contents);
}

/// The parts of a module, in their order.
///
/// # Errors
/// Where it is none.
pub fn tags(module: &[u8]) -> Result<Vec<Tag>, NoModule> {
    Ok(sections(module)?.into_iter().filter_map(|section| section.part).collect())
}

/// `module` with those of its parts alone that are `wanted`.
///
/// # Errors
/// Where it is none.
pub fn only(module: &[u8], wanted: impl Fn(Tag) -> bool) -> Result<Vec<u8>, NoModule> {
    let mut out = module[..PREAMBLE.min(module.len())].to_vec();
    for section in sections(module)? {
        if section.part.is_none_or(&wanted) {
            out.extend(&module[section.bytes]);
        }
    }
    Ok(out)
}

/// A section with its head, and which part is in it, if one is.
struct Section {
    bytes: Range<usize>,
    part: Option<Tag>,
}

fn sections(module: &[u8]) -> Result<Vec<Section>, NoModule> {
    if !module.starts_with(b"\0asm\x01\0\0\0") {
        return Err(NoModule { at: 0 });
    }
    let mut sections = Vec::new();
    let mut at = PREAMBLE;
    while let Some(&id) = module.get(at) {
        let start = at;
        let mut length = 0u64;
        for shift in [0, 7, 14, 21, 28] {
            at += 1;
            let byte = *module.get(at).ok_or(NoModule { at })?;
            length |= u64::from(byte & 127) << shift;
            if byte < 128 {
                break;
            }
        }
        at += 1;
        let end = usize::try_from(length).ok().and_then(|length| at.checked_add(length));
        let end = end.filter(|&end| end <= module.len()).ok_or(NoModule { at })?;
        let contents = &module[at..end];
        let named = contents
            .split_first()
            .filter(|&(&length, _)| id == CUSTOM && usize::from(length) == NAME.len());
        let part =
            named.and_then(|(_, contents)| contents.strip_prefix(NAME)?.first_chunk().copied());
        sections.push(Section { bytes: start..end, part });
        at = end;
    }
    Ok(sections)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &[u8] = b"\0asm\x01\0\0\0";

    fn with(tags: &[Tag]) -> Vec<u8> {
        let mut module = [EMPTY, &[1, 1, 0], &[0, 5, 4, b'n', b'a', b'm', b'e']].concat();
        for &tag in tags {
            push(&mut module, tag, &[EMPTY, &[tag[0]; 300]].concat());
        }
        module
    }

    #[test]
    fn parts_are_found_and_left_out() {
        let all = with(&[*b"de", *b"es", *b"fi"]);
        assert_eq!(tags(&all), Ok(vec![*b"de", *b"es", *b"fi"]));
        assert_eq!(only(&all, |tag| tag == *b"es"), Ok(with(&[*b"es"])));
        assert_eq!(only(&all, |_| false), Ok(with(&[])));
        assert_eq!(only(&all, |_| true), Ok(all));
        assert_eq!(tags(&with(&[])), Ok(vec![]));
    }

    #[test]
    fn what_is_no_module_is_told() {
        let all = with(&[*b"de", *b"es"]);
        assert_eq!(tags(b""), Err(NoModule { at: 0 }));
        assert_eq!(tags(b"\0asm\x02\0\0\0"), Err(NoModule { at: 0 }));
        for end in 0..all.len() {
            // It may end between sections.
            if let Ok(tags) = tags(&all[..end]) {
                assert!(tags.len() < 2, "{end}");
            }
        }
        let endless = [EMPTY, &[0, 255, 255, 255, 255, 255, 0]].concat();
        assert!(tags(&endless).is_err() && only(&endless, |_| true).is_err());
    }
}
