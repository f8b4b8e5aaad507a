//! The web client that is deployed beside a bundle: script, worker, UI and WebAssembly.
//!
//! It is part of this binary where `www/dist` was there when it was compiled (`cargo xtask` sees to
//! that), so that `findling build` needs nothing else; `--client DIR` takes another one.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use findling_wasm_parts as parts;

use super::write::Extra;

/// Compiled in: name and contents, by name.
static COMPILED_IN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/client_files.rs"));

/// What pages load. Without it there is no client.
const ENTRY: &str = "findling.js";

/// The engine as pages load it, with all languages: without those that a site does not have it is a
/// fifth smaller.
const ENGINE: &str = "findling_engine.wasm";
/// The language that every engine has.
const BUILT_IN: &str = "en";

/// Leaves in the engine among the client's files, if it is there, those languages alone that a
/// bundle has (BCP 47).
///
/// # Errors
/// Where the engine is damaged, or lacks one of the languages.
pub fn fit(files: &mut [Extra], languages: &[String]) -> Result<()> {
    let Some(engine) = files.iter_mut().find(|file| file.path == ENGINE) else { return Ok(()) };
    let wanted = languages
        .iter()
        .filter_map(|language| findling_text::rules_for(language))
        .filter(|&language| language != BUILT_IN)
        .collect();
    engine.contents = Cow::Owned(with_languages(&engine.contents, &wanted)?);
    Ok(())
}

/// An engine that carries only these of its languages.
fn with_languages(engine: &[u8], wanted: &BTreeSet<&'static str>) -> Result<Vec<u8>> {
    let carried = parts::tags(engine).with_context(|| format!("the client's {ENGINE}"))?;
    if let Some(missing) =
        wanted.iter().find(|language| carried.iter().all(|tag| tag != language.as_bytes()))
    {
        bail!(
            "the client's {ENGINE}: expected the rules of language `{missing}`, which the site has, found {}; build the client anew \
             (`cargo xtask client`) or give one of this version with --client DIR",
            if carried.is_empty() {
                "none but those of English".to_owned()
            } else {
                carried
                    .iter()
                    .map(|tag| String::from_utf8_lossy(tag))
                    .collect::<Vec<_>>()
                    .join(", ")
            }
        );
    }
    Ok(parts::keep(engine, |tag| wanted.iter().any(|language| language.as_bytes() == tag))?)
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
            .map(|&(name, contents)| Extra {
                path: name.to_owned(),
                contents: Cow::Borrowed(contents),
            })
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
            let contents =
                fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
            Ok(Extra { path: name, contents: Cow::Owned(contents) })
        })
        .collect()
}

/// The same rule as in `build.rs`.
fn is_client_file(name: &str) -> bool {
    [".js", ".wasm"].iter().any(|end| name.ends_with(end)) && !name.starts_with("findling-edge")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_gives_what_a_page_loads() {
        let dir = tempfile::tempdir().unwrap();
        let error = files(Some(dir.path())).unwrap_err().to_string();
        assert!(error.contains("no findling.js"), "{error}");
        for name in ["findling.js", "findling.d.ts", "findling-edge.js", "engine.wasm", "README.md"]
        {
            fs::write(dir.path().join(name), name).unwrap();
        }
        let names: Vec<String> =
            files(Some(dir.path())).unwrap().into_iter().map(|file| file.path).collect();
        assert_eq!(names, ["engine.wasm", "findling.js"]);
        assert!(files(Some(&dir.path().join("nowhere"))).is_err());
    }

    /// A client whose engine carries these languages.
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

    fn fitted(mut files: Vec<Extra>, languages: &[&str]) -> Result<Vec<Extra>> {
        fit(
            &mut files,
            &languages.iter().map(|&language| language.to_owned()).collect::<Vec<_>>(),
        )?;
        Ok(files)
    }

    #[test]
    fn sites_get_the_languages_that_they_have() {
        let deployed =
            |languages: &[&str]| fitted(client(&[b"de", b"no", b"pt"]), languages).unwrap();
        assert_eq!(deployed(&["en-GB", "ja"]), client(&[]));
        assert_eq!(deployed(&["en", "pt-BR"]), client(&[b"pt"]));
        assert_eq!(deployed(&["pt", "nb", "pt-BR"]), client(&[b"no", b"pt"]));
        assert_eq!(
            fitted(client(&[b"no", b"pt", b"ro"]), &["pt", "nb"]).unwrap(),
            client(&[b"no", b"pt"])
        );
        assert_eq!(deployed(&["de", "no", "pt"]), client(&[b"de", b"no", b"pt"]));
        assert_eq!(deployed(&[]), client(&[]));
    }

    #[test]
    fn a_client_that_does_not_serve_the_site_is_refused() {
        let error = fitted(client(&[b"de", b"es"]), &["en", "pt-BR"]).unwrap_err().to_string();
        assert!(
            error.contains("`pt`") && error.contains("found de, es") && error.contains("--client"),
            "{error}"
        );
        let mut damaged = client(&[b"de"]);
        damaged[1].contents.to_mut().truncate(20);
        let error = format!("{:#}", fitted(damaged, &["de"]).unwrap_err());
        assert!(error.contains(ENGINE) && error.contains("found other bytes at"), "{error}");
        // One that has no engine may be complete in its own way.
        let script = client(&[]).into_iter().take(1).collect();
        assert!(fitted(script, &["pt"]).is_ok());
    }

    #[test]
    fn what_is_compiled_in_is_whole_or_missing() {
        match files(None) {
            Ok(files) => {
                assert!(files.iter().any(|file| file.path == ENTRY && !file.contents.is_empty()))
            }
            Err(error) => assert!(error.to_string().contains("--client"), "{error}"),
        }
    }
}
