//! Files by which browsers and programs find the search of a site: the list of its bundles
//! (`findling.json`, also at the well-known path) and the description for address bars
//! (`opensearch.xml`). `docs/discovery.md` describes both.
//!
//! Each file has a mark; a file without the mark was written by somebody else and is not changed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use findling_base::progress::Progress;
use findling_base::safe_text;
use findling_page::page::Page;
use findling_read::{encode, join};
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::options::{Discovery, Form, Options};

/// The program that wrote a file, as the file says.
const GENERATOR: &str = "findling";
/// The mark in a description.
const MARK: &str = "generator: findling";
/// The list of bundles, below the root of the site, for links.
const LIST: &str = "findling.json";
/// The same list at the path that programs try.
const WELL_KNOWN: &str = ".well-known/findling.json";
const DESCRIPTION: &str = "opensearch.xml";
/// The place of the query in the address of a search.
const TERMS: &str = "{searchTerms}";
/// Most characters of a short name and of a description in OpenSearch.
const MAX_NAME_CHARS: usize = 16;
const MAX_ABOUT_CHARS: usize = 1024;
/// Most bundles of a list. An earlier list with more was not written by a build.
const MAX_BUNDLES: usize = 1000;

/// Checks the options before the long work begins.
///
/// # Errors
/// If there is no bundle below the directory, or the page of the search has no address.
pub fn check(options: &Options) -> Result<()> {
    let Some(Discovery { directory, search_page, .. }) = &options.discovery else { return Ok(()) };
    if options.form == Form::SinglePage {
        return Err(Error::NoBundleToFind);
    }
    let is_directory = fs::metadata(directory).and_then(|metadata| match metadata.is_dir() {
        true => Ok(()),
        false => Err(io::ErrorKind::NotADirectory.into()),
    });
    is_directory.map_err(|source| Error::Named {
        option: "discovery",
        path: directory.clone(),
        source,
    })?;
    place(options, directory)?;
    search_page.as_deref().map(template).transpose().map(drop)
}

/// Returns the title of a site's front page.
pub fn front_title(pages: &[Page], base_url: &str) -> Option<String> {
    let is_front = |page: &&Page| matches!(page.url.strip_prefix(base_url), Some("" | "/"));
    pages.iter().find(is_front).map(|page| page.title.clone()).filter(|title| !title.is_empty())
}

/// Writes the files, and prints the elements by which pages link to these. `title` is that of the
/// front page, `languages` are those of the bundle.
///
/// # Errors
/// If the system refuses.
pub fn write(
    options: &Options,
    title: Option<&str>,
    languages: &[String],
    progress: &dyn Progress,
) -> Result<()> {
    let Some(discovery) = &options.discovery else { return Ok(()) };
    let Discovery { directory, search_page, .. } = discovery;
    let title = discovery.title.as_deref().or(title);
    let place = place(options, directory)?;
    let href = |name: &str| escaped(&join(&options.reading.base_url, name));
    for (path, up) in [(LIST, ""), (WELL_KNOWN, "../")] {
        let url = format!("{up}{place}");
        let url = if url.is_empty() { "./".to_owned() } else { url };
        let path = directory.join(path);
        match listed(&path, entry(&url, title, languages)) {
            Some(list) => put(&path, &list)?,
            None => foreign(&path, progress),
        }
    }
    let kind = "application/vnd.findling+json";
    let link = format!(r#"<link rel="search" type="{kind}" href="{}">"#, href(LIST));
    progress.status("Link", link);
    let Some(page) = search_page else { return Ok(()) };
    let path = directory.join(DESCRIPTION);
    let is_own = |there: Vec<u8>| String::from_utf8_lossy(&there).contains(MARK);
    if fs::read(&path).is_ok_and(|there| !is_own(there)) {
        foreign(&path, progress);
        return Ok(());
    }
    let name = title.unwrap_or_else(|| host(page));
    put(&path, &description(name, &template(page)?))?;
    let (kind, name) = ("application/opensearchdescription+xml", escaped(&short(name)));
    let link =
        format!(r#"<link rel="search" type="{kind}" title="{name}" href="{}">"#, href(DESCRIPTION));
    progress.status("Link", link);
    Ok(())
}

/// Returns the address of the bundle, relative to the root of the site.
fn place(options: &Options, directory: &Path) -> Result<String> {
    let output = match options.form {
        Form::SingleFile if options.output.extension().is_none_or(|end| end != "findling") => {
            options.output.join("bundle.findling")
        }
        _ => options.output.clone(),
    };
    let below = resolved(&output);
    let below = below.strip_prefix(resolved(directory)).map_err(|_| Error::NotBelow {
        directory: directory.to_owned(),
        output: options.output.clone(),
    })?;
    let names: Vec<_> =
        below.components().map(|name| encode(&name.as_os_str().to_string_lossy())).collect();
    let end = if options.form == Form::SingleFile || names.is_empty() { "" } else { "/" };
    Ok(format!("{}{end}", names.join("/")))
}

/// Returns a path without symbolic links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let existing = path.ancestors().find_map(|there| Some((there, fs::canonicalize(there).ok()?)));
    match existing {
        Some((there, real)) => real.join(path.strip_prefix(there).unwrap_or(Path::new(""))),
        None => path,
    }
}

/// Returns the entry of a bundle.
fn entry(url: &str, title: Option<&str>, languages: &[String]) -> Value {
    let mut entry = json!({ "url": url });
    if let Some(title) = title {
        entry["title"] = title.into();
    }
    if let [language] = languages {
        entry["lang"] = language.as_str().into();
    }
    entry
}

/// Returns the list at a path with an entry added to it, or in place of an earlier one of the same
/// bundle. `None` if somebody else wrote the list.
fn listed(path: &Path, entry: Value) -> Option<String> {
    let mut bundles = match fs::read(path) {
        Ok(there) => {
            let mut list: Value = serde_json::from_slice(&there).ok()?;
            if list["generator"] != GENERATOR {
                return None;
            }
            match list["bundles"].take() {
                Value::Array(bundles) if bundles.len() < MAX_BUNDLES => bundles,
                _ => return None,
            }
        }
        Err(_) => Vec::new(),
    };
    match bundles.iter_mut().find(|bundle| bundle["url"] == entry["url"]) {
        Some(earlier) => *earlier = entry,
        None => bundles.push(entry),
    }
    let list = json!({ "generator": GENERATOR, "bundles": bundles });
    safe_text::json_pretty(&list).ok().map(|list| list + "\n")
}

fn put(path: &Path, text: &str) -> Result<()> {
    let refused = |source| Error::Write { path: path.to_owned(), source };
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(refused)?;
    }
    fs::write(path, text).map_err(refused)
}

fn foreign(path: &Path, progress: &dyn Progress) {
    progress.warn(format!("{}: left as it is, since another program wrote it", path.display()));
}

/// Returns the address of a search: the page with the query in its place, by default as `q`.
fn template(page: &str) -> Result<String> {
    let parts: Vec<&str> = page.split(TERMS).collect();
    let is_safe = parts.iter().all(|part| safe_text::url(part) == **part && !part.contains('#'));
    if host(page).is_empty() || !is_safe || parts.len() > 2 {
        return Err(Error::SearchPage { found: page.to_owned() });
    }
    if parts.len() == 2 {
        return Ok(page.to_owned());
    }
    let mark = if page.contains('?') { '&' } else { '?' };
    Ok(format!("{page}{mark}q={TERMS}"))
}

/// Returns the host of an absolute address; empty if it has none.
fn host(page: &str) -> &str {
    let rest = page.strip_prefix("https://").or_else(|| page.strip_prefix("http://"));
    rest.and_then(|rest| rest.split(['/', '?', '{']).next()).unwrap_or_default()
}

fn description(name: &str, template: &str) -> String {
    let about: String = name.chars().take(MAX_ABOUT_CHARS).collect();
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- {MARK} -->
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
  <ShortName>{}</ShortName>
  <Description>{}</Description>
  <InputEncoding>UTF-8</InputEncoding>
  <Url type="text/html" template="{}"/>
</OpenSearchDescription>
"#,
        escaped(&short(name)),
        escaped(&about),
        escaped(template),
    )
}

/// Returns the first words of a name that fit a short name, or its beginning.
fn short(name: &str) -> String {
    let name = name.trim();
    let cut: String = name.chars().take(MAX_NAME_CHARS).collect();
    let is_whole = cut.len() == name.len() || name[cut.len()..].starts_with(char::is_whitespace);
    let words = cut.rsplit_once(char::is_whitespace).filter(|_| !is_whole);
    words.map_or(cut.as_str(), |(words, _)| words).trim_end().to_owned()
}

/// Returns text for an element or an attribute of XML and HTML, without what XML forbids.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in safe_text::line(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use findling_base::progress::Silent;

    fn options(directory: &Path, output: &str, search_page: Option<&str>) -> Options {
        let discovery = Discovery {
            directory: directory.to_owned(),
            search_page: search_page.map(str::to_owned),
            title: None,
        };
        let output = directory.join(output);
        Options { output, discovery: Some(discovery), ..Options::default() }
    }

    fn list(directory: &Path, name: &str) -> Value {
        serde_json::from_slice(&fs::read(directory.join(name)).unwrap()).unwrap()
    }

    #[test]
    fn a_list_leads_to_the_bundle_from_both_places() {
        let dir = tempfile::tempdir().unwrap();
        let options = options(dir.path(), "de/fínd ling", None);
        check(&options).unwrap();
        write(&options, Some("Kiln"), &["de".to_owned()], &Silent).unwrap();
        let expect = json!({ "url": "de/fínd%20ling/", "title": "Kiln", "lang": "de" });
        assert_eq!(list(dir.path(), LIST)["bundles"], json!([expect]));
        assert_eq!(list(dir.path(), WELL_KNOWN)["bundles"][0]["url"], "../de/fínd%20ling/");
        assert!(!dir.path().join(DESCRIPTION).exists());
    }

    #[test]
    fn bundles_of_several_builds_are_listed_once_each() {
        let dir = tempfile::tempdir().unwrap();
        for (output, title) in [("a", "A"), ("b", "B"), ("a", "New")] {
            let options = options(dir.path(), output, None);
            write(&options, Some(title), &[], &Silent).unwrap();
        }
        let expect = json!([{ "url": "a/", "title": "New" }, { "url": "b/", "title": "B" }]);
        assert_eq!(list(dir.path(), LIST)["bundles"], expect);
    }

    #[test]
    fn a_file_of_somebody_else_stays() {
        let dir = tempfile::tempdir().unwrap();
        for name in [LIST, DESCRIPTION] {
            fs::write(dir.path().join(name), "by hand").unwrap();
        }
        let options = options(dir.path(), "findling", Some("https://example.org/search/"));
        write(&options, None, &[], &Silent).unwrap();
        for name in [LIST, DESCRIPTION] {
            assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), "by hand");
        }
        assert!(dir.path().join(WELL_KNOWN).is_file());
    }

    #[test]
    fn a_hostile_title_stays_text() {
        let dir = tempfile::tempdir().unwrap();
        let title = "<b>&\"'\u{1b}[2J\u{202e}]]> --> ä";
        let options = options(dir.path(), "findling", Some("https://example.org/?a=1&b=2"));
        write(&options, Some(title), &[], &Silent).unwrap();
        let text = fs::read_to_string(dir.path().join(DESCRIPTION)).unwrap();
        assert!(text.contains("<Description>&lt;b&gt;&amp;&quot;&#39;"), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
        assert!(text.contains("https://example.org/?a=1&amp;b=2&amp;q={searchTerms}"), "{text}");
        assert_eq!(text.matches('<').count(), 11, "{text}");
        assert_eq!(list(dir.path(), LIST)["bundles"][0]["title"], title);
    }

    #[test]
    fn a_short_name_has_whole_words_if_one_fits() {
        for (name, expect) in [
            ("Kiln handbook", "Kiln handbook"),
            ("The kiln handbook", "The kiln"),
            ("The kiln handbo ok", "The kiln handbo"),
            ("Ofenbauanleitungen", "Ofenbauanleitung"),
            (" \n ", ""),
        ] {
            assert_eq!(short(name), expect);
        }
    }

    #[test]
    fn the_page_of_the_search_has_an_absolute_address() {
        for (page, expect) in [
            ("https://x.org/search/", "https://x.org/search/?q={searchTerms}"),
            ("http://x.org/?lang=de", "http://x.org/?lang=de&q={searchTerms}"),
            ("https://x.org/{searchTerms}/", "https://x.org/{searchTerms}/"),
        ] {
            assert_eq!(template(page).unwrap(), expect);
        }
        for page in [
            "/search/",
            "",
            "https://",
            "https://?q=",
            "javascript:alert(1)",
            "https://x.org/a b",
            "https://x.org/#q",
            "https://x.org/\"><script>",
            "https://x.org/{other}",
            "https://x.org/{searchTerms}{searchTerms}",
        ] {
            assert!(template(page).is_err(), "{page}");
        }
    }

    #[test]
    fn a_bundle_outside_of_the_site_is_refused_before_the_work() {
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let elsewhere =
            Options { output: other.path().join("b"), ..options(dir.path(), "b", None) };
        assert!(matches!(check(&elsewhere), Err(Error::NotBelow { .. })));
        let missing = options(&dir.path().join("none"), "b", None);
        assert!(matches!(check(&missing), Err(Error::Named { option: "discovery", .. })));
        let page = Options { form: Form::SinglePage, ..options(dir.path(), "b.html", None) };
        assert!(matches!(check(&page), Err(Error::NoBundleToFind)));
        // A way around is a way to the same place.
        let around = options(dir.path(), "none/../b", None);
        fs::create_dir(dir.path().join("none")).unwrap();
        assert_eq!(place(&around, dir.path()).unwrap(), "b/");
    }
}
