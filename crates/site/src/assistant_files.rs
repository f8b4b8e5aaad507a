//! Files for assistants: `llms.txt`, its full form, and Markdown beside every page.
//!
//! The files follow <https://llmstxt.org>. Each ends or begins with a mark; a file without the mark
//! was written by somebody else and is not changed. Pages that `robots.txt` forbids are not
//! included.

use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::{Component, Path, PathBuf};

use findling_base::progress::{Progress, count};
use findling_base::safe_text;
use findling_bundle::AttributeValue;
use findling_engine::filter::date;
use findling_page::page::{Page, Section};
use findling_read::join;

use crate::error::{Error, Result};
use crate::markdown_links;
use crate::robots::{Robots, page_of, path_of, sitemap};

/// The mark in every file that is written.
const MARK: &str = "generator: findling";
/// Maximum number of characters of `llms.txt` and of a part of `llms-full.txt`: readers cut longer
/// files.
const PART_CHARS: usize = 50_000;
/// Pages that a warning names.
const MAX_NAMED: usize = 3;
/// Characters of a page's description in `llms.txt`.
const DESCRIPTION_CHARS: usize = 160;

/// A file to write, by its path below the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    path: PathBuf,
    text: String,
    /// The address of the file, if it is a page's Markdown.
    of_page: Option<String>,
}

impl File {
    /// Returns a file about several pages.
    fn new(path: impl Into<PathBuf>, text: String) -> Self {
        Self { path: path.into(), text, of_page: None }
    }
}

/// Returns the files for pages whose addresses begin with `base_url`, to be written below a
/// directory. Leaves out pages that `robots.txt` forbids, and reports differences between the pages
/// and `sitemap.xml`.
pub fn files(
    pages: &[Page],
    base_url: &str,
    directory: &Path,
    progress: &dyn Progress,
) -> Vec<File> {
    let robots = Robots::read(directory);
    let index = path_of(&join(base_url, "llms.txt"));
    if !robots.allows(&index) {
        progress
            .warn(format!("robots.txt forbids {index}, which assistants look for: allow it there"));
    }
    let is_allowed = |page: &&Page| {
        let markdown = place(&page.url, base_url).map(|(_, url)| url);
        robots.allows(&path_of(&page.url))
            && markdown.is_none_or(|url| robots.allows(&path_of(&url)))
    };
    let allowed: Vec<&Page> = pages.iter().filter(is_allowed).collect();
    if allowed.len() < pages.len() {
        let left_out = count((pages.len() - allowed.len()) as u64, "pages");
        progress
            .status("Left out", format!("{left_out} of the files for assistants, by robots.txt"));
    }
    let listed = sitemap(directory);
    let other = not_indexed(&listed, pages, base_url);
    if !other.is_empty() {
        let (n, named) = (count(other.len() as u64, "pages"), some_of(&other));
        progress.warn(format!(
            "sitemap.xml has {n} that are not in the index and so not in llms.txt, such as {named}"
        ));
    }
    let lacking = not_listed(&listed, &allowed);
    if !lacking.is_empty() {
        let (n, named) = (count(lacking.len() as u64, "pages"), some_of(&lacking));
        progress.warn(format!("sitemap.xml leaves out {n} that llms.txt has, such as {named}"));
    }
    files_of(&allowed, base_url)
}

/// Returns the addresses of a sitemap below the base that no page has.
fn not_indexed<'a>(listed: &'a [String], pages: &[Page], base_url: &str) -> Vec<&'a str> {
    let known: HashSet<String> =
        pages.iter().map(|page| page_of(&path_of(&page.url)).to_owned()).collect();
    let below = path_of(base_url);
    let is_other = |address: &&String| {
        let path = path_of(address);
        path.starts_with(&below) && !known.contains(page_of(&path))
    };
    listed.iter().filter(is_other).map(String::as_str).collect()
}

/// Returns the addresses of pages that a sitemap leaves out; none without a sitemap.
fn not_listed<'a>(listed: &[String], pages: &[&'a Page]) -> Vec<&'a str> {
    if listed.is_empty() {
        return Vec::new();
    }
    let known: HashSet<String> =
        listed.iter().map(|address| page_of(&path_of(address)).to_owned()).collect();
    let lacking = pages.iter().filter(|page| !known.contains(page_of(&path_of(&page.url))));
    lacking.map(|page| page.url.as_str()).collect()
}

/// Returns the first of some addresses, for a warning.
fn some_of(addresses: &[&str]) -> String {
    addresses[..addresses.len().min(MAX_NAMED)].join(", ")
}

fn files_of(pages: &[&Page], base_url: &str) -> Vec<File> {
    let mut files = Vec::new();
    let mut listed = Vec::new();
    let index = join(base_url, "llms.txt");
    for &page in pages {
        if let Some((path, url)) = place(&page.url, base_url) {
            let of_page = Some(url.clone());
            files.push(File { path, text: markdown(page, &index), of_page });
            listed.push((page, url));
        }
    }
    let parts = full(&listed);
    files.extend(lists(&listed, base_url, parts.len()));
    files.extend(parts);
    files
}

/// Writes the files below a directory. An existing file that somebody else wrote stays. `links` is
/// whether the pages of the directory get links to their Markdown.
///
/// # Errors
/// If the system refuses.
pub fn write(directory: &Path, files: &[File], links: bool, progress: &dyn Progress) -> Result<()> {
    let mut n_written = 0;
    let mut of_pages = Vec::new();
    for File { path, text, of_page } in files {
        let path = directory.join(path);
        let is_foreign =
            fs::read(&path).is_ok_and(|there| !String::from_utf8_lossy(&there).contains(MARK));
        if is_foreign {
            progress
                .warn(format!("{}: left as it is, since another program wrote it", path.display()));
            continue;
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)
                .map_err(|source| Error::Write { path: parent.to_owned(), source })?;
        }
        fs::write(&path, text).map_err(|source| Error::Write { path: path.clone(), source })?;
        n_written += 1;
        if let Some(url) = of_page {
            of_pages.push((path, url.as_str()));
        }
    }
    progress.status("Written", format!("{} for assistants", count(n_written, "files")));
    markdown_links::link(&of_pages, links, progress)
}

/// Returns the path of a page's Markdown below the site's root, and its address. `None` for an
/// address that is not a path below the base, or leads out of it.
fn place(url: &str, base_url: &str) -> Option<(PathBuf, String)> {
    let path = url.strip_prefix(base_url).unwrap_or(url);
    if path.contains(['?', '#', '\\', '%', '\0']) || path.contains("://") {
        return None;
    }
    let path = path.trim_start_matches('/');
    let path = match path.strip_suffix(".html").or_else(|| path.strip_suffix(".htm")) {
        Some(stem) => format!("{stem}.md"),
        None if path.is_empty() || path.ends_with('/') => format!("{path}index.md"),
        None => format!("{path}.md"),
    };
    let is_inside = Path::new(&path).components().all(|part| matches!(part, Component::Normal(_)));
    is_inside.then(|| (PathBuf::from(&path), join(base_url, &path)))
}

/// Returns a page as Markdown, with title, address and date in front, and the place of the list of
/// all pages.
fn markdown(page: &Page, index: &str) -> String {
    let quoted = |text: &str| safe_text::json(&text).unwrap_or_default();
    let mut out = format!("---\ntitle: {}\nurl: {}\n", quoted(&page.title), quoted(&page.url));
    if let Some(AttributeValue::Date(ms)) = page.attributes.get("date") {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "date: {}", date::format(*ms));
    }
    let index = safe_text::url(index);
    let _ = write!(out, "{MARK}\n---\n\n> All pages of this site: [llms.txt]({index})\n\n");
    out.push_str(&body(page, 0));
    out
}

/// Returns the sections of a page, with headings that are this many levels deeper.
fn body(page: &Page, deeper: u8) -> String {
    let mut out = String::new();
    let has_title = page.sections.iter().any(|section| section.level == 1);
    if !has_title && !page.title.is_empty() {
        let marks = "#".repeat(usize::from(1 + deeper));
        let _ = write!(out, "{marks} {}\n\n", safe_text::markdown(&page.title));
    }
    for section in &page.sections {
        heading(section, deeper, &mut out);
        for block in &section.blocks {
            let text = if block.is_code_block {
                safe_text::markdown_code(&block.text)
            } else {
                safe_text::markdown(&block.text)
            };
            let _ = write!(out, "{text}\n\n");
        }
    }
    out
}

fn heading(section: &Section, deeper: u8, out: &mut String) {
    if section.level > 0 {
        let marks = "#".repeat(usize::from(section.level + deeper).min(6));
        let _ = write!(out, "{marks} {}\n\n", safe_text::markdown(&section.heading));
    }
}

/// A line of `llms.txt`, and the first part of its page's path.
struct Entry {
    part: String,
    line: String,
}

/// Writes `llms.txt`: the pages by the first part of their path. If that is too long, `llms.txt`
/// lists files that list the pages.
fn lists(pages: &[(&Page, String)], base_url: &str, n_full: usize) -> Vec<File> {
    let front =
        pages.iter().find(|(page, _)| matches!(page.url.strip_prefix(base_url), Some("" | "/")));
    let title = front.map_or("Documentation", |(page, _)| page.title.as_str());
    let title = format!("# {}\n\n", safe_text::markdown(title));
    let about = front.and_then(|(page, _)| description(page));
    let about = about.map(|about| format!("> {}\n\n", safe_text::markdown(&about)));
    let head = format!("{title}{}", about.unwrap_or_default());
    let entries: Vec<Entry> = pages.iter().map(|(page, url)| entry(page, url, base_url)).collect();
    let tail = tail(base_url, n_full);
    let whole = format!("{head}{}{tail}", sections(&entries));
    if whole.chars().count() <= PART_CHARS {
        return vec![File::new("llms.txt", whole)];
    }
    let end = format!("\n<!-- {MARK} -->\n");
    let room = PART_CHARS - title.chars().count() - end.len();
    let parts = in_parts(&entries, room);
    let mut index = format!("{head}## Pages\n\n");
    let mut files = Vec::new();
    for (number, part) in (1..).zip(&parts) {
        let name = numbered("llms-pages", number);
        let url = safe_text::url(&join(base_url, &name));
        let _ = writeln!(index, "- [List of pages, part {number} of {}]({url})", parts.len());
        files.push(File::new(name, format!("{title}{}{end}", sections(part))));
    }
    files.insert(0, File::new("llms.txt", format!("{index}{tail}")));
    files
}

fn entry(page: &Page, url: &str, base_url: &str) -> Entry {
    let path = page.url.strip_prefix(base_url).unwrap_or(&page.url).trim_start_matches('/');
    let part = path.split_once('/').map_or("Pages", |(first, _)| first).to_owned();
    let title = if page.title.is_empty() { &page.id } else { &page.title };
    let about = description(page).map(|about| format!(": {}", safe_text::markdown(&about)));
    let (title, url) = (safe_text::markdown(title), safe_text::url(url));
    Entry { part, line: format!("- [{title}]({url}){}\n", about.unwrap_or_default()) }
}

/// Writes entries below headings.
fn sections(entries: &[Entry]) -> String {
    let mut out = String::new();
    let mut last = None;
    for Entry { part, line } in entries {
        if last != Some(part) {
            let _ = write!(out, "\n## {}\n\n", safe_text::markdown(part));
            last = Some(part);
        }
        out.push_str(line);
    }
    out
}

/// Divides entries into as few groups as possible, each of at most this many characters, including
/// headings. A group has at least one entry.
fn in_parts(entries: &[Entry], room: usize) -> Vec<&[Entry]> {
    let (mut parts, mut from, mut used) = (Vec::new(), 0, 0);
    for (at, entry) in entries.iter().enumerate() {
        let begins = at == from || entries[at - 1].part != entry.part;
        let heading = if begins { heading_chars(&entry.part) } else { 0 };
        let size = entry.line.chars().count();
        if at > from && used + heading + size > room {
            parts.push(&entries[from..at]);
            (from, used) = (at, heading_chars(&entry.part) + size);
        } else {
            used += heading + size;
        }
    }
    parts.push(&entries[from..]);
    parts
}

/// Returns the number of characters of the heading of a part.
fn heading_chars(part: &str) -> usize {
    "\n## \n\n".len() + safe_text::markdown(part).chars().count()
}

/// Returns the links to the full text, and the mark.
fn tail(base_url: &str, n_full: usize) -> String {
    let mut out = String::new();
    if n_full > 0 {
        out.push_str("\n## Optional\n\n");
    }
    for number in 1..=n_full {
        let url = safe_text::url(&join(base_url, &numbered("llms-full", number)));
        let _ = writeln!(out, "- [All pages, part {number} of {n_full}]({url})");
    }
    let _ = writeln!(out, "\n<!-- {MARK} -->");
    out
}

/// Returns the beginning of a page's first text.
fn description(page: &Page) -> Option<String> {
    let blocks = page.sections.iter().flat_map(|section| &section.blocks);
    let text = blocks.filter(|block| !block.is_code_block).find(|block| !block.text.is_empty())?;
    let cut: String = text.text.chars().take(DESCRIPTION_CHARS).collect();
    let is_cut = cut.len() < text.text.len();
    let whole_words = cut.rsplit_once(' ').filter(|_| is_cut).map_or(&*cut, |(words, _)| words);
    Some(if is_cut { format!("{whole_words}…") } else { cut })
}

/// Writes `llms-full.txt` in parts, each with whole pages, as far as they fit.
fn full(pages: &[(&Page, String)]) -> Vec<File> {
    let mut parts: Vec<String> = Vec::new();
    let mark = format!("\n<!-- {MARK} -->\n");
    let room = PART_CHARS - mark.len();
    for (page, _) in pages {
        let head = format!("Source: {}\n\n", safe_text::url(&page.url));
        let text = format!("{head}{}\n", body(page, 0));
        let mut rest = text.as_str();
        let n = |text: &str| text.chars().count();
        if parts.last().is_none_or(|part| n(part) + n(rest) > room) {
            parts.push(String::new());
        }
        while !rest.is_empty() {
            let left = room - parts.last().map_or(0, |part| n(part));
            let end = rest.char_indices().nth(left).map_or(rest.len(), |(at, _)| at);
            let (now, later) = rest.split_at(end);
            if let Some(part) = parts.last_mut() {
                part.push_str(now);
            }
            rest = later;
            if !rest.is_empty() {
                parts.push(String::new());
            }
        }
    }
    let file = |(number, text): (usize, String)| {
        File::new(numbered("llms-full", number), format!("{text}{mark}"))
    };
    (1..).zip(parts).map(file).collect()
}

fn numbered(name: &str, number: usize) -> String {
    if number == 1 { format!("{name}.txt") } else { format!("{name}-{number}.txt") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use findling_base::progress::Silent;
    use findling_page::page::Block;

    fn page(url: &str, text: &str) -> Page {
        let block = Block { text: text.into(), code: vec![], is_code_block: false, weight: 1.0 };
        let section = Section {
            level: 2,
            heading: "Heading".into(),
            blocks: vec![block],
            ..Section::default()
        };
        Page {
            id: url.into(),
            url: url.into(),
            title: "Title".into(),
            sections: vec![section],
            ..Page::default()
        }
    }

    #[test]
    fn markdown_lies_where_the_page_is() {
        for (url, base, expect) in [
            ("/guide/", "", Some(("guide/index.md", "/guide/index.md"))),
            ("/docs/a.html", "/docs/", Some(("a.md", "/docs/a.md"))),
            ("https://x.org/", "https://x.org/", Some(("index.md", "https://x.org/index.md"))),
            ("/a", "", Some(("a.md", "/a.md"))),
            ("/../etc/passwd", "", None),
            ("/a/..%2f..", "", None),
            ("/a?b=1", "", None),
            ("https://y.org/a", "https://x.org/", None),
        ] {
            let expect = expect.map(|(path, url)| (PathBuf::from(path), url.to_owned()));
            assert_eq!(place(url, base), expect, "{url}");
        }
    }

    #[test]
    fn pages_are_listed_and_their_text_is_no_markup() {
        let pages = [page("/", "Welcome."), page("/guide/a/", "<script> *b*")];
        let files = files_of(&pages.iter().collect::<Vec<_>>(), "");
        let by_name =
            |name: &str| &files.iter().find(|file| file.path == Path::new(name)).expect(name).text;
        let list = by_name("llms.txt");
        assert!(list.starts_with("# Title\n\n> Welcome.\n"), "{list}");
        assert!(list.contains("## guide\n\n- [Title](/guide/a/index.md): \\<script\\> \\*b\\*"));
        assert!(list.contains("llms-full.txt"), "{list}");
        let page = by_name("guide/a/index.md");
        assert!(page.starts_with("---\ntitle: \"Title\"\nurl: \"/guide/a/\"\n"), "{page}");
        assert!(page.contains("## Heading\n\n\\<script\\>"), "{page}");
        assert!(page.contains("\n---\n\n> All pages of this site: [llms.txt](/llms.txt)\n\n"));
        assert!(files.iter().all(|file| file.text.contains(MARK)));
    }

    #[test]
    fn the_full_text_comes_in_parts_that_join_to_all_of_it() {
        let long = "é".repeat(PART_CHARS + 10);
        let pages: Vec<Page> = (0..4).map(|i| page(&format!("/{i}/"), &long)).collect();
        let listed: Vec<_> = pages.iter().map(|page| (page, String::new())).collect();
        let parts = full(&listed);
        assert!(parts.len() >= 5);
        assert!(parts.iter().all(|part| part.text.chars().count() <= PART_CHARS));
        let n_letters: usize =
            parts.iter().map(|part| part.text.chars().filter(|c| *c == 'é').count()).sum();
        assert_eq!(n_letters, 4 * (PART_CHARS + 10));
    }

    #[test]
    fn a_list_of_many_pages_comes_in_files_that_are_short_enough() {
        let text = "Long ".repeat(40);
        let pages: Vec<Page> =
            (0..900).map(|i| page(&format!("/part-{}/{i}/", i / 200), &text)).collect();
        let files = files_of(&pages.iter().collect::<Vec<_>>(), "");
        let lists: Vec<&File> =
            files.iter().filter(|file| file.path.extension().is_some_and(|e| e == "txt")).collect();
        assert!(lists.iter().all(|file| file.text.chars().count() <= PART_CHARS));
        let index = lists.iter().find(|file| file.path == Path::new("llms.txt")).unwrap();
        let is_list = |file: &&&File| file.path.to_string_lossy().starts_with("llms-pages");
        let named: Vec<&&File> = lists.iter().filter(is_list).collect();
        assert!(named.len() > 2, "{}", named.len());
        for file in &named {
            assert!(index.text.contains(&format!("(/{})", file.path.display())));
        }
        let links = |file: &&&File| file.text.matches("/index.md)").count();
        assert_eq!(named.iter().map(links).sum::<usize>(), 900);
    }

    #[test]
    fn what_robots_are_forbidden_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let pages = [page("/open/", "Text."), page("/secret/", "Text."), page("/raw/", "Text.")];
        let rules = "User-agent: *\nDisallow: /secret/\nDisallow: /raw/*.md$\n";
        fs::write(dir.path().join("robots.txt"), rules).unwrap();
        let files = files(&pages, "", dir.path(), &Silent);
        let has = |name: &str| files.iter().any(|file| file.path == Path::new(name));
        assert!(has("open/index.md") && !has("secret/index.md") && !has("raw/index.md"));
        assert!(files.iter().all(|file| !file.text.contains("/secret/")));
    }

    #[test]
    fn a_file_of_somebody_else_stays() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("llms.txt"), "by hand").unwrap();
        let files = files_of(&[&page("/a/", "Text.")], "");
        for _ in 0..2 {
            write(dir.path(), &files, true, &Silent).unwrap();
        }
        assert_eq!(fs::read_to_string(dir.path().join("llms.txt")).unwrap(), "by hand");
        assert!(dir.path().join("a/index.md").is_file());
    }

    #[test]
    fn pages_link_to_the_markdown_that_is_written_and_only_when_asked() {
        let dir = tempfile::tempdir().unwrap();
        let html = "<head></head><body>Text.";
        for name in ["index.html", "a.html", "b/index.html", "other.html", "own.html"] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, html).unwrap();
        }
        fs::write(dir.path().join("own.md"), "by hand").unwrap();
        let pages = ["/", "/a.html", "/b", "/own.html"].map(|url| page(url, "Text."));
        let files = files_of(&pages.iter().collect::<Vec<_>>(), "");
        let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
        write(dir.path(), &files, false, &Silent).unwrap();
        assert_eq!(read("a.html"), html);
        for _ in 0..2 {
            write(dir.path(), &files, true, &Silent).unwrap();
            for (name, href) in
                [("index.html", "/index.md"), ("a.html", "/a.md"), ("b/index.html", "/b.md")]
            {
                let link = markdown_links::element(href);
                assert_eq!(read(name), format!("<head>{link}</head><body>Text."), "{name}");
            }
        }
        assert_eq!(read("other.html"), html, "a page that is not indexed");
        assert_eq!(read("own.html"), html, "a page whose Markdown another program wrote");
    }

    #[test]
    fn pages_and_sitemap_are_compared_whatever_the_spelling() {
        let pages = [page("/docs/a/", "A."), page("/docs/b.html", "B."), page("/docs/", "C.")];
        let listed = ["https://x.org/docs/a/index.html", "/docs/d", "/blog/"].map(String::from);
        assert_eq!(not_indexed(&listed, &pages, "/docs/"), ["/docs/d"]);
        let allowed: Vec<&Page> = pages.iter().collect();
        assert_eq!(not_listed(&listed, &allowed), ["/docs/b.html", "/docs/"]);
        assert!(not_listed(&[], &allowed).is_empty(), "a site without a sitemap");
    }
}
