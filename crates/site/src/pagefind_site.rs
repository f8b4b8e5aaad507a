//! A site read by Pagefind's rules, and the files beside the bundle
//! that `pagefind.js` needs to show its pages.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use findling_base::progress::Progress;
use findling_index::write::{Extra, PAGEFIND_ENTRY};
use findling_page::page::Page;
use findling_read::pagefind::{self, Site};
use serde_json::json;

use crate::error::{Error, Result};
use crate::inputs::{Input, tell};
use crate::options::Options;
use crate::pagefind_client;

/// The version of Pagefind whose JavaScript API `pagefind.js` has.
const API_VERSION: &str = "1.6.0";

/// A page that searches the bundle and shows how the order is computed.
const PLAYGROUND: &str = "playground/index.html";

/// Files of Pagefind's user interfaces. They are Pagefind's own and not part of this program.
const UI_FILES: [&str; 7] = [
    "pagefind-ui.js",
    "pagefind-ui.css",
    "pagefind-modular-ui.js",
    "pagefind-modular-ui.css",
    "pagefind-component-ui.js",
    "pagefind-component-ui.css",
    "pagefind-highlight.js",
];

/// The script and the style that replace the interfaces that a build does not have.
const STAND_IN: &[u8] = include_bytes!("pagefind_ui.js");
const STAND_IN_STYLE: &[u8] = b"/* Findling's search box brings its own style. */\n";

/// Reads the site that the options name. Also returns the number of files that could not be read.
pub fn read(options: &Options, progress: &dyn Progress) -> Result<(Site, usize)> {
    let [site] = &options.inputs[..] else {
        return Err(Error::SeveralSites { found: options.inputs.len() });
    };
    let reading = pagefind::Options {
        force_language: options.reading.language.clone(),
        keep_index_url: options.reading.keep_index_html,
        max_file_bytes: options.reading.max_file_size.saturating_mul(1 << 20),
        max_file_time: Duration::from_secs(options.reading.max_file_seconds),
        follow_links: options.reading.follow_links,
        ..pagefind::Options::default()
    };
    let mut n_unreadable = 0;
    let site = pagefind::read(site, &reading, &mut |problem| {
        n_unreadable += usize::from(tell(&problem, progress));
    })?;
    Ok((site, n_unreadable))
}

/// Returns the parts of a site that a build needs.
pub fn input(
    options: &Options,
    site: Site,
    n_unreadable: usize,
    progress: &dyn Progress,
) -> Result<Input> {
    if site.pages.is_empty() {
        let n_files = site.n_files;
        let site = options.inputs.first().cloned().unwrap_or_default();
        return Err(Error::NoRenderedPage { site, n_files });
    }
    let missing = missing_ui(options, &site);
    let pagefind_languages = site.languages.keys().cloned().collect();
    let shared = site.shared;
    let (pages, mut extras) = files(options, site)?;
    if !missing.is_empty() {
        progress.status(
            "Placed",
            format!(
                "Findling's search box for {}, which pages load and which are Pagefind's own: to \
                 have those, name the directory of an earlier Pagefind build, or of Pagefind's npm \
                 package, by `findling pagefind --ui DIR` or `findling build --pagefind-ui DIR`",
                missing.join(", ")
            ),
        );
        extras.extend(missing.iter().flat_map(|script| stand_in(script)));
    }
    Ok(Input { pages, n_unreadable, extras, pagefind_languages, shared, ..Input::default() })
}

/// Returns the scripts of Pagefind's user interfaces that pages load and the output will not have.
fn missing_ui(options: &Options, site: &Site) -> Vec<&'static str> {
    let ui = options.pagefind.as_ref().and_then(|pagefind| pagefind.ui.clone());
    let directories = [Some(options.output.clone()), ui];
    // An earlier build may have left the replacements.
    let first = STAND_IN.split(|&byte| byte == b'\n').take(2).map(<[u8]>::len).sum::<usize>();
    let is_own = |path: PathBuf| {
        std::fs::read(path).is_ok_and(|contents| !contents.starts_with(&STAND_IN[..first]))
    };
    let is_there =
        |name: &str| directories.iter().flatten().any(|directory| is_own(directory.join(name)));
    site.ui_scripts.iter().copied().filter(|name| !is_there(name)).collect()
}

/// Returns the files in place of a script of Pagefind's user interfaces.
fn stand_in(script: &str) -> [Extra; 2] {
    let style = script.replace(".js", ".css");
    [(script.to_owned(), STAND_IN), (style, STAND_IN_STYLE)]
        .map(|(path, contents)| Extra { path, contents: Cow::Borrowed(contents) })
}

/// Removes the replacements of Pagefind's user interfaces, if the search box is left out too.
pub fn without_stand_ins(files: &mut Vec<Extra>) {
    files.retain(|file| *file.contents != *STAND_IN && *file.contents != *STAND_IN_STYLE);
}

/// Returns the pages of a site, and the files beside the bundle that they need.
pub fn files(options: &Options, site: Site) -> Result<(Vec<Page>, Vec<Extra>)> {
    let mut extras = vec![Extra { path: PAGEFIND_ENTRY.to_owned(), contents: entry(&site).into() }];
    extras.extend(
        site.fragments
            .into_iter()
            .map(|(path, contents)| Extra { path, contents: contents.into() }),
    );
    let pagefind = options.pagefind.clone().unwrap_or_default();
    if pagefind.playground {
        let contents = Cow::Borrowed(&include_bytes!("playground.html")[..]);
        extras.push(Extra { path: PLAYGROUND.to_owned(), contents });
    }
    if let Some(dir) = &pagefind.ui {
        extras.extend(ui_files(dir)?);
    }
    Ok((site.pages, extras))
}

/// Returns the file that tells `pagefind.js` which languages there are, and how long pages are on
/// average.
fn entry(site: &Site) -> Vec<u8> {
    let languages: serde_json::Map<_, _> = site
        .languages
        .iter()
        .map(|(language, n_pages)| {
            let wasm = pagefind_client::engine_of(language);
            (language.clone(), json!({ "wasm": wasm, "page_count": n_pages }))
        })
        .collect();
    let entry = json!({
        "version": API_VERSION,
        "languages": languages,
        "mean_words": site.n_words as f64 / site.pages.len().max(1) as f64,
    });
    entry.to_string().into_bytes()
}

/// Returns the files of Pagefind's user interfaces that are in a directory.
fn ui_files(dir: &Path) -> Result<Vec<Extra>> {
    let mut files = Vec::new();
    for name in UI_FILES {
        let path = dir.join(name);
        if path.is_file() {
            let contents = std::fs::read(&path).map_err(|source| Error::Named {
                option: "pagefind_ui",
                path,
                source,
            })?;
            files.push(Extra { path: name.to_owned(), contents: Cow::Owned(contents) });
        }
    }
    if files.is_empty() {
        return Err(Error::NoPagefindUi(dir.to_owned()));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use findling_index::write::PAGEFIND_FRAGMENTS;
    use findling_read::pagefind::fragment;

    #[test]
    fn a_build_replaces_the_directory_that_fragments_are_written_to() {
        assert_eq!(PAGEFIND_FRAGMENTS, fragment::DIRECTORY);
    }
}
