//! The web client that is deployed beside a bundle: script, worker, UI and WebAssembly.
//!
//! It is part of this binary where `www/dist` was there when it was compiled (`cargo xtask` sees to that), so that
//! `findling build` needs nothing else; `--client DIR` takes another one.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::write::Extra;

/// Compiled in: name and contents, by name.
static COMPILED_IN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/client_files.rs"));

/// What pages load. Without it there is no client.
const ENTRY: &str = "findling.js";

/// The engine as pages load it, in its two parts, with all stemmers; and the same with the English one alone, a sixth smaller.
const ENGINES: [(&str, &str); 2] = [
    ("findling_engine.pack", "findling_engine_en.pack"),
    ("findling_engine_rest.pack", "findling_engine_en_rest.pack"),
];

/// Leaves one engine among the client's files: the smallest that reads a bundle in these languages.
pub fn fit(files: &mut Vec<Extra>, languages: &[String]) {
    let stemmed = languages.iter().any(|language| findling_text::needs_stemmers(language));
    for (all, english) in ENGINES {
        let Some(at) = files.iter().position(|file| file.path == english) else { continue };
        let english = files.remove(at);
        if !stemmed && let Some(engine) = files.iter_mut().find(|file| file.path == all) {
            engine.contents = english.contents;
        }
    }
}

/// The client's files, by name: those in `dir`, or those compiled in.
///
/// # Errors
/// Where `dir` cannot be read or has no `findling.js`, or none was given and none is compiled in.
pub fn files(dir: Option<&Path>) -> Result<Vec<Extra>> {
    let Some(dir) = dir else {
        if COMPILED_IN.is_empty() {
            bail!(
                "this `findling` was compiled without its web client; build it with `cargo xtask client` and compile again, \
                 give a built one with --client DIR, or leave it out with --no-client"
            );
        }
        return Ok(COMPILED_IN
            .iter()
            .map(|&(name, contents)| Extra { path: name.to_owned(), contents: Cow::Borrowed(contents) })
            .collect());
    };
    let mut names: Vec<String> = fs::read_dir(dir)
        .with_context(|| format!("--client {}: the directory cannot be read", dir.display()))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| is_client_file(name))
        .collect();
    names.sort();
    if !names.iter().any(|name| name == ENTRY) {
        bail!(
            "--client {}: expected the built client, found no {ENTRY} (`cargo xtask client` makes www/dist)",
            dir.display()
        );
    }
    names
        .into_iter()
        .map(|name| {
            let path = dir.join(&name);
            let contents = fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
            Ok(Extra { path: name, contents: Cow::Owned(contents) })
        })
        .collect()
}

/// The same rule as in `build.rs`.
fn is_client_file(name: &str) -> bool {
    [".js", ".wasm", ".pack"].iter().any(|end| name.ends_with(end)) && !name.starts_with("findling-edge")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_gives_what_a_page_loads() {
        let dir = tempfile::tempdir().unwrap();
        let error = files(Some(dir.path())).unwrap_err().to_string();
        assert!(error.contains("no findling.js"), "{error}");
        for name in ["findling.js", "findling.d.ts", "findling-edge.js", "engine.wasm", "README.md"] {
            fs::write(dir.path().join(name), name).unwrap();
        }
        let names: Vec<String> = files(Some(dir.path())).unwrap().into_iter().map(|file| file.path).collect();
        assert_eq!(names, ["engine.wasm", "findling.js"]);
        assert!(files(Some(&dir.path().join("nowhere"))).is_err());
    }

    #[test]
    fn english_sites_get_the_smaller_engine() {
        let both = || {
            let file = |path: &str, text: &'static str| Extra {
                path: path.to_owned(),
                contents: Cow::Borrowed(text.as_bytes()),
            };
            let engines =
                ENGINES.into_iter().flat_map(|(all, english)| [file(all, "all"), file(english, "en")]);
            engines.chain([file(ENTRY, "js")]).collect::<Vec<_>>()
        };
        let deployed = |languages: &[&str]| {
            let mut files = both();
            fit(&mut files, &languages.iter().map(|&language| language.to_owned()).collect::<Vec<_>>());
            let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
            assert_eq!(names, [ENGINES[0].0, ENGINES[1].0, ENTRY]);
            // Both parts of one engine.
            assert_eq!(files[0].contents, files[1].contents);
            String::from_utf8(files[0].contents.to_vec()).unwrap()
        };
        assert_eq!(deployed(&["en-GB", "ja"]), "en");
        assert_eq!(deployed(&["en", "pt-BR"]), "all");
        assert_eq!(deployed(&[]), "en");
    }

    #[test]
    fn what_is_compiled_in_is_whole_or_missing() {
        match files(None) {
            Ok(files) => assert!(files.iter().any(|file| file.path == ENTRY && !file.contents.is_empty())),
            Err(error) => assert!(error.to_string().contains("--client"), "{error}"),
        }
    }
}
