//! The web client beside a bundle that `pagefind.js` searches.
//!
//! `pagefind.js` loads the engine packed by gzip, under the names of Pagefind's own modules:
//! `wasm.LANGUAGE.pagefind` for pages of a language with rules, `wasm.unknown.pagefind` for others.
//! So a host need not compress `.wasm`, which Pagefind does not require either, and lists of files
//! that a site has for Pagefind (of a service worker, for example) stay right.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Write;

use anyhow::Context as _;
use findling_index::write::Extra;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::Result;

/// The first part of the client's engine.
const ENGINE: &str = "findling_engine.wasm";

/// Name for pages without a language, or of a language without rules.
const UNKNOWN: &str = "unknown";

/// Names of files, or their beginnings, that only other elements of Findling load.
const OTHERS: [&str; 10] = [
    "findling.css",
    "findling-ui.js",
    "findling-results.js",
    "findling-related.js",
    "findling-history.js",
    "findling-assistant.js",
    "findling-highlight.js",
    "findling-log.js",
    "findling-locale-",
    ENGINE,
];

/// Returns the language of the engine for pages of a language; `None` means the engine for all
/// other languages.
pub fn engine_of(language: &str) -> Option<&str> {
    let is_plain = language.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    (is_plain && findling_text::rules_for(language).is_some()).then_some(language)
}

/// Adds the engine, packed, for pages of these languages.
///
/// # Errors
/// If packing fails.
pub fn add_packed<'a>(
    files: &mut Vec<Extra>,
    languages: impl Iterator<Item = &'a String>,
) -> Result<()> {
    let Some(engine) = files.iter().find(|file| file.path == ENGINE) else { return Ok(()) };
    let engine = packed(&engine.contents)?;
    let names: BTreeSet<&str> = languages.filter_map(|language| engine_of(language)).collect();
    for name in names.into_iter().chain([UNKNOWN]) {
        let contents = Cow::Owned(engine.clone());
        files.push(Extra { path: format!("wasm.{name}.pagefind"), contents });
    }
    Ok(())
}

fn packed(module: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let packed = encoder.write_all(module).and_then(|()| encoder.finish());
    Ok(packed.context("packing the engine")?)
}

/// Removes files that `pagefind.js` does not load. Pagefind's package for Python takes 2 MiB at
/// most.
pub fn keep_needed(files: &mut Vec<Extra>) {
    files.retain(|file| !OTHERS.iter().any(|name| file.path.starts_with(name)));
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn files(names: &[&str]) -> Vec<Extra> {
        let file = |name: &&str| Extra {
            path: (*name).to_owned(),
            contents: Cow::Owned(name.as_bytes().repeat(100)),
        };
        names.iter().map(file).collect()
    }

    fn paths(files: &[Extra]) -> Vec<&str> {
        files.iter().map(|file| &*file.path).collect()
    }

    #[test]
    fn the_engine_is_packed_for_each_language_with_rules() {
        let mut all = files(&["findling.js", ENGINE]);
        let languages = ["en", "pt-br", "my_own", "de/../x"].map(str::to_owned);
        add_packed(&mut all, languages.iter()).unwrap();
        assert_eq!(
            paths(&all)[2..],
            ["wasm.en.pagefind", "wasm.pt-br.pagefind", "wasm.unknown.pagefind"]
        );
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&all[2].contents[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, *all[1].contents);
        let mut without = files(&["findling.js"]);
        add_packed(&mut without, languages.iter()).unwrap();
        assert_eq!(paths(&without), ["findling.js"]);
    }

    #[test]
    fn what_other_elements_load_is_left_out() {
        let mut all = files(&[
            "findling.js",
            "findling-ui.js",
            "findling-locale-de.js",
            "findling-worker.js",
            "pagefind.js",
            "pagefind-ui.js",
            ENGINE,
            "findling.idx",
            "wasm.en.pagefind",
        ]);
        keep_needed(&mut all);
        let kept = [
            "findling.js",
            "findling-worker.js",
            "pagefind.js",
            "pagefind-ui.js",
            "findling.idx",
            "wasm.en.pagefind",
        ];
        assert_eq!(paths(&all), kept);
    }
}
