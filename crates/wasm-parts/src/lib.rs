//! WebAssembly modules that contain other modules, and the files of the client that pages load.
//!
//! A browser fetches the engine as one file, but a site needs only the code of its own languages.
//! So the engine contains a module for each language, and `findling build` keeps the modules that
//! the site needs.
//!
//! Each contained module is a part: a custom section called `part`, after all other sections, whose
//! contents are two letters (the part's tag) and the module. A browser finds them with
//! `WebAssembly.Module.customSections` (`www/src/wasm-linking.ts`). (WebAssembly core
//! specification, section 5.5.3, "Custom Section")
//!
//! ```
//! let mut engine = b"\0asm\x01\0\0\0".to_vec();
//! findling_wasm_parts::push(&mut engine, *b"de", b"\0asm\x01\0\0\0");
//! findling_wasm_parts::push(&mut engine, *b"fr", b"\0asm\x01\0\0\0");
//! let german = findling_wasm_parts::keep(&engine, |tag| tag == *b"de")?;
//! assert_eq!(findling_wasm_parts::tags(&german)?, [*b"de"]);
//! # Ok::<(), findling_wasm_parts::NotAModule>(())
//! ```

use std::fmt;
use std::ops::Range;

/// The name of the custom sections.
const NAME: &[u8] = b"part";
/// The id of custom sections.
const CUSTOM: u8 = 0;
/// Bytes of the magic number and the version.
const PREAMBLE: usize = 8;

/// The name of a part: two letters.
pub type Tag = [u8; 2];

/// The bytes are not a WebAssembly module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAModule {
    /// The first byte that does not belong to a valid module.
    pub at: usize,
}

impl fmt::Display for NotAModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected the sections of a WebAssembly module, found other bytes at {}; \
             build the module again with `cargo xtask wasm`",
            self.at
        )
    }
}

impl std::error::Error for NotAModule {}

/// Adds a part to a module.
///
/// # Panics
///
/// If the part is longer than 4 GB.
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

/// Returns the tags of a module's parts, in their order.
///
/// # Errors
///
/// If `module` is not a WebAssembly module.
pub fn tags(module: &[u8]) -> Result<Vec<Tag>, NotAModule> {
    Ok(sections(module)?.into_iter().filter_map(|section| section.part).collect())
}

/// Returns a copy of a module with only the parts that are `wanted`.
///
/// # Errors
///
/// If `module` is not a WebAssembly module.
pub fn keep(module: &[u8], wanted: impl Fn(Tag) -> bool) -> Result<Vec<u8>, NotAModule> {
    let mut out = module[..PREAMBLE.min(module.len())].to_vec();
    for section in sections(module)? {
        if section.part.is_none_or(&wanted) {
            out.extend(&module[section.bytes]);
        }
    }
    Ok(out)
}

/// Returns whether pages load a file of the npm package: a script or a module, except the files of
/// the Worker's handler. `cargo xtask client` copies these files into the command-line tool, and
/// `findling build` writes them beside a bundle.
#[must_use]
pub fn is_loaded_by_pages(name: &str) -> bool {
    let is_code = [".js", ".wasm", ".css"].iter().any(|ending| name.ends_with(ending));
    is_code && !name.starts_with("findling-edge")
}

/// A section of a module.
struct Section {
    /// The place, header included.
    bytes: Range<usize>,
    /// The tag of the part that it holds, if it holds one.
    part: Option<Tag>,
}

fn sections(module: &[u8]) -> Result<Vec<Section>, NotAModule> {
    if !module.starts_with(b"\0asm\x01\0\0\0") {
        return Err(NotAModule { at: 0 });
    }
    let mut sections = Vec::new();
    let mut at = PREAMBLE;
    while let Some(&id) = module.get(at) {
        let start = at;
        let mut length = 0u64;
        for shift in [0, 7, 14, 21, 28] {
            at += 1;
            let byte = *module.get(at).ok_or(NotAModule { at })?;
            length |= u64::from(byte & 127) << shift;
            if byte < 128 {
                break;
            }
        }
        at += 1;
        let end = usize::try_from(length).ok().and_then(|length| at.checked_add(length));
        let end = end.filter(|&end| end <= module.len()).ok_or(NotAModule { at })?;
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

    #[test]
    fn pages_load_scripts_modules_and_styles_except_the_handler() {
        for (name, expect) in [
            ("findling.js", true),
            ("findling_engine.wasm", true),
            ("findling.css", true),
            ("findling-edge.js", false),
            ("findling.d.ts", false),
            ("README.md", false),
        ] {
            assert_eq!(is_loaded_by_pages(name), expect, "{name}");
        }
    }

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
        assert_eq!(keep(&all, |tag| tag == *b"es"), Ok(with(&[*b"es"])));
        assert_eq!(keep(&all, |_| false), Ok(with(&[])));
        assert_eq!(keep(&all, |_| true), Ok(all));
        assert_eq!(tags(&with(&[])), Ok(vec![]));
    }

    #[test]
    fn other_bytes_are_refused() {
        let all = with(&[*b"de", *b"es"]);
        assert_eq!(tags(b""), Err(NotAModule { at: 0 }));
        assert_eq!(tags(b"\0asm\x02\0\0\0"), Err(NotAModule { at: 0 }));
        for end in 0..all.len() {
            // A module that ends between two sections is a module.
            if let Ok(tags) = tags(&all[..end]) {
                assert!(tags.len() < 2, "{end}");
            }
        }
        let endless = [EMPTY, &[0, 255, 255, 255, 255, 255, 0]].concat();
        assert!(tags(&endless).is_err() && keep(&endless, |_| true).is_err());
    }
}
