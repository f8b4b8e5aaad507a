//! The web client that is deployed beside a bundle: scripts and WebAssembly modules.
//!
//! The crate contains it (`build.rs` embeds the files of `client/`), so that a build needs no other
//! files. [`Client`](crate::Client) can name a directory with other files instead.

pub mod standalone;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use findling_bundle::QueryEncoder;
use findling_index::write::Extra;
use findling_wasm_parts as parts;

use crate::error::{Error, Result};

/// Compiled in: name and contents, by name.
static COMPILED_IN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/client_files.rs"));

/// The script that pages load. Without it there is no client.
const ENTRY: &str = "findling.js";

/// Pagefind's JavaScript API, which only bundles built by Pagefind's rules can answer.
pub const PAGEFIND: &str = "pagefind.js";

/// All of the client in one script, for standalone files ([`super::standalone`]). No site loads it.
pub const STANDALONE: &str = "findling-standalone.js";

/// Marks a passage on its page. Pages load it themselves if their author wants that.
pub const HIGHLIGHT: &str = "findling-highlight.js";

/// The engine as pages load it, with the rules of all languages. Removing the languages that a site
/// does not use makes it a fifth smaller.
pub(super) const ENGINE: &str = "findling_engine.wasm";
/// The language that every engine has.
const BUILT_IN: &str = "en";

/// The files that run a transformer in the browser.
pub const TRANSFORMER: [&str; 2] = ["findling_encoder.js", "findling_encoder_bg.wasm"];

/// Removes from the client's files the parts that pages with this bundle never load: the
/// transformer, unless the bundle uses it to encode queries, and the engine's rules for languages
/// (BCP 47) that the site does not have.
///
/// # Errors
/// If the engine is damaged, or lacks a language of the site.
pub fn keep_needed(
    files: &mut Vec<Extra>,
    languages: &[String],
    query_encoders: &[QueryEncoder],
) -> Result<()> {
    if query_encoders.iter().all(|encoder| encoder.kind != "transformer") {
        files.retain(|file| !TRANSFORMER.contains(&file.path.as_str()));
    }
    keep_languages(files, languages)
}

/// Keeps only these languages in the engine, if it is among the files.
fn keep_languages(files: &mut [Extra], languages: &[String]) -> Result<()> {
    let Some(engine) = files.iter_mut().find(|file| file.path == ENGINE) else { return Ok(()) };
    let wanted = languages
        .iter()
        .filter_map(|language| findling_text::rules_for(language))
        .filter(|&language| language != BUILT_IN)
        .collect();
    engine.contents = Cow::Owned(with_languages(&engine.contents, &wanted)?);
    Ok(())
}

/// Returns the engine with only these of its languages.
fn with_languages(engine: &[u8], wanted: &BTreeSet<&'static str>) -> Result<Vec<u8>> {
    let damaged = |source| Error::Engine { name: ENGINE, source };
    let carried = parts::tags(engine).map_err(damaged)?;
    if let Some(missing) =
        wanted.iter().find(|language| carried.iter().all(|tag| tag != language.as_bytes()))
    {
        let found = carried.iter().map(|tag| String::from_utf8_lossy(tag).into_owned()).collect();
        return Err(Error::Language { name: ENGINE, expected: missing, found });
    }
    parts::keep(engine, |tag| wanted.iter().any(|language| language.as_bytes() == tag))
        .map_err(damaged)
}

/// Returns the client's files, sorted by name: the files in `dir`, or else the files in this
/// program.
///
/// # Errors
/// If `dir` cannot be read or has no `findling.js`. If `dir` is not given and this program has no
/// client.
pub fn files(dir: Option<&Path>) -> Result<Vec<Extra>> {
    let Some(dir) = dir else {
        if COMPILED_IN.is_empty() {
            return Err(Error::NoClient);
        }
        return Ok(COMPILED_IN
            .iter()
            .map(|&(name, contents)| Extra {
                path: name.to_owned(),
                contents: Cow::Borrowed(contents),
            })
            .collect());
    };
    let mut names: Vec<String> = fs::read_dir(dir)
        .map_err(|source| Error::Named { option: "client", path: dir.to_owned(), source })?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| parts::is_loaded_by_pages(name))
        .collect();
    names.sort();
    if !names.iter().any(|name| name == ENTRY) {
        return Err(Error::NoClientIn(dir.to_owned()));
    }
    names
        .into_iter()
        .map(|name| {
            let path = dir.join(&name);
            let contents = fs::read(&path).map_err(|source| Error::Read { path, source })?;
            Ok(Extra { path: name, contents: Cow::Owned(contents) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_gives_what_a_page_loads() {
        let dir = tempfile::tempdir().unwrap();
        let error = files(Some(dir.path())).unwrap_err();
        assert!(error.code() == Some("client") && error.to_string().contains(ENTRY), "{error}");
        for name in ["findling.js", "findling.d.ts", "findling-edge.js", "engine.wasm", "README.md"]
        {
            fs::write(dir.path().join(name), name).unwrap();
        }
        let names: Vec<String> =
            files(Some(dir.path())).unwrap().into_iter().map(|file| file.path).collect();
        assert_eq!(names, ["engine.wasm", "findling.js"]);
        assert!(files(Some(&dir.path().join("nowhere"))).is_err());
    }

    /// Returns a client whose engine carries these languages.
    fn client(carried: &[&[u8; 2]]) -> Vec<Extra> {
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        for &tag in carried {
            parts::push(&mut module, *tag, &[tag[0]; 100]);
        }
        let file = |path: &str, contents: Vec<u8>| Extra {
            path: path.to_owned(),
            contents: contents.into(),
        };
        vec![file(ENTRY, b"js".to_vec()), file(ENGINE, module)]
    }

    fn with_only(mut files: Vec<Extra>, languages: &[&str]) -> Result<Vec<Extra>> {
        let languages: Vec<String> = languages.iter().map(|&tag| tag.to_owned()).collect();
        keep_languages(&mut files, &languages)?;
        Ok(files)
    }

    #[test]
    fn sites_get_the_languages_that_they_have() {
        let deployed =
            |languages: &[&str]| with_only(client(&[b"de", b"no", b"pt"]), languages).unwrap();
        assert_eq!(deployed(&["en-GB", "ja"]), client(&[]));
        assert_eq!(deployed(&["en", "pt-BR"]), client(&[b"pt"]));
        assert_eq!(deployed(&["pt", "nb", "pt-BR"]), client(&[b"no", b"pt"]));
        assert_eq!(
            with_only(client(&[b"no", b"pt", b"ro"]), &["pt", "nb"]).unwrap(),
            client(&[b"no", b"pt"])
        );
        assert_eq!(deployed(&["de", "no", "pt"]), client(&[b"de", b"no", b"pt"]));
        assert_eq!(deployed(&[]), client(&[]));
    }

    #[test]
    fn a_client_that_does_not_serve_the_site_is_refused() {
        let error = with_only(client(&[b"de", b"es"]), &["en", "pt-BR"]).unwrap_err();
        assert_eq!(error.code(), Some("client"));
        for part in ["`pt`", "de, es", "`client`"] {
            assert!(error.to_string().contains(part), "{part} in {error}");
        }
        let mut damaged = client(&[b"de"]);
        damaged[1].contents.to_mut().truncate(20);
        let error = with_only(damaged, &["de"]).unwrap_err();
        assert!(matches!(error, Error::Engine { .. }), "{error}");
        // A client without an engine may still be complete for its purpose.
        let script = client(&[]).into_iter().take(1).collect();
        assert!(with_only(script, &["pt"]).is_ok());
    }

    #[test]
    fn the_transformer_is_deployed_only_with_a_bundle_that_uses_it() {
        let deployed = |query_encoders: &[&str]| -> Vec<String> {
            let file = |&path: &&str| Extra { path: path.to_owned(), contents: b"x"[..].into() };
            let mut files: Vec<Extra> = [ENTRY].iter().chain(&TRANSFORMER).map(file).collect();
            let of = |&kind: &&str| QueryEncoder { kind: kind.to_owned(), files: Vec::new() };
            let query_encoders: Vec<QueryEncoder> = query_encoders.iter().map(of).collect();
            keep_needed(&mut files, &["en".to_owned()], &query_encoders).unwrap();
            files.into_iter().map(|file| file.path).collect()
        };
        let all = [ENTRY, TRANSFORMER[0], TRANSFORMER[1]];
        assert_eq!(deployed(&["static", "transformer"]), all);
        assert_eq!(deployed(&["static"]), [ENTRY]);
        assert_eq!(deployed(&["hash"]), [ENTRY]);
        assert_eq!(deployed(&[]), [ENTRY]);
    }

    #[test]
    fn the_client_in_this_program_is_complete_or_missing() {
        match files(None) {
            Ok(files) => {
                for name in [ENTRY, ENGINE, "findling-ui.js", "findling-worker.js"] {
                    let file = files.iter().find(|file| file.path == name);
                    assert!(file.is_some_and(|file| !file.contents.is_empty()), "{name}");
                }
            }
            Err(error) => {
                assert!(matches!(error, Error::NoClient), "{error}");
            }
        }
    }
}
