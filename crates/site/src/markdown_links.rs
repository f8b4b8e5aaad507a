//! Links from pages to their Markdown, which a build inserts if [`Assistants`](crate::Assistants)
//! say so.
//!
//! A link is inserted at the end of a page's head. A link by another program stays, a link by an
//! earlier build is replaced, and the rest of the page does not change.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use findling_base::progress::{Progress, count};
use findling_base::replace_file::keep;
use findling_base::safe_text;

use crate::error::{Error, Result};

/// The attribute by which a link of an earlier build is recognised.
const MARK: &str = "data-findling";
/// The type of the file that a link leads to.
const MARKDOWN: &[u8] = b"text/markdown";
/// Elements whose text is no markup.
const RAW: [&[u8]; 5] = [b"script", b"style", b"title", b"noscript", b"template"];

/// Inserts links into the pages beside files of Markdown, which are given with their addresses. If
/// `insert` is false, tells the author of pages without links how to add them to a template.
///
/// # Errors
/// If the system refuses.
pub fn link(files: &[(PathBuf, &str)], insert: bool, progress: &dyn Progress) -> Result<()> {
    let (mut n_linked, mut n_headless, mut lacking) = (0, 0, Vec::new());
    for (markdown, url) in files {
        let Some(path) = page_beside(markdown) else { continue };
        let html = fs::read(&path).map_err(|source| Error::Read { path: path.clone(), source })?;
        let href = safe_text::url(url);
        if !insert {
            if !is_linked(&html) {
                lacking.push(href);
            }
            continue;
        }
        match linked(&html, &href) {
            Linked::Already => {}
            Linked::NoHead => n_headless += 1,
            Linked::Changed(html) => {
                keep(&path, &html).map_err(|source| Error::Write { path, source })?;
                n_linked += 1;
            }
        }
    }
    if n_linked > 0 {
        progress.status("Linked", format!("{} to their Markdown", count(n_linked, "pages")));
    }
    if n_headless > 0 {
        let pages = count(n_headless, "pages");
        progress
            .warn(format!("{pages} without a head in HTML: they get no link to their Markdown"));
    }
    if let Some(href) = lacking.first() {
        let pages = count(lacking.len() as u64, "pages");
        progress.status(
            "Unlinked",
            format!(
                "{pages} without a link to their Markdown: add `{}` to the template, with each \
                 page's own address, or build with --agents-links",
                example(href)
            ),
        );
    }
    Ok(())
}

/// Returns the page of a file of Markdown: `a.html` or `a/index.html` for `a.md`.
fn page_beside(markdown: &Path) -> Option<PathBuf> {
    let below = markdown.with_extension("");
    let names = ["html", "htm"].map(|extension| markdown.with_extension(extension));
    names.into_iter().chain([below.join("index.html")]).find(|path| {
        // A symbolic link may lead to a page of another site.
        fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
    })
}

/// Returns the element for one page, as a template would contain it.
fn example(href: &str) -> String {
    element(href).replace(&format!(" {MARK}>"), ">")
}

/// Outcome for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Linked {
    /// The page already has the link, or a link that another program wrote.
    Already,
    /// The page with the link.
    Changed(Vec<u8>),
    /// The page has no head that can be read.
    NoHead,
}

/// Returns the element that leads from a page to its Markdown.
pub fn element(href: &str) -> String {
    let href = href.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    format!(r#"<link rel="alternate" type="text/markdown" href="{href}" {MARK}>"#)
}

/// Returns whether a page links to its Markdown.
pub fn is_linked(html: &[u8]) -> bool {
    head(html).links.iter().any(|link| contains(&html[link.clone()], MARKDOWN))
}

/// Returns a page with a link to its Markdown.
pub fn linked(html: &[u8], href: &str) -> Linked {
    let Head { links, end } = head(html);
    let Some(end) = end else { return Linked::NoHead };
    let wanted = element(href);
    let place = match links.into_iter().find(|link| contains(&html[link.clone()], MARKDOWN)) {
        Some(link) if html[link.clone()] == *wanted.as_bytes() => return Linked::Already,
        Some(link) if contains(&html[link.clone()], MARK.as_bytes()) => link,
        Some(_) => return Linked::Already,
        None => end..end,
    };
    Linked::Changed([&html[..place.start], wanted.as_bytes(), &html[place.end..]].concat())
}

/// The elements of a page's head that matter here.
#[derive(Default)]
struct Head {
    /// The elements `link`.
    links: Vec<Range<usize>>,
    /// The end of the head; `None` if it is unknown.
    end: Option<usize>,
}

/// Reads a page up to the end of its head: its end tag, or the beginning of the body.
fn head(html: &[u8]) -> Head {
    let mut head = Head::default();
    let mut at = 0;
    while let Some(found) = find(&html[at..], b"<") {
        let start = at + found;
        let rest = &html[start..];
        let (is_end, name) = match rest.get(1) {
            Some(b'/') => (true, name(&rest[2..])),
            _ => (false, name(&rest[1..])),
        };
        if name == b"body" || is_end && name == b"head" {
            head.end = Some(start);
            return head;
        }
        let is_raw = !is_end && RAW.contains(&&*name);
        let closing = match is_raw {
            true => find(rest, &[b"</", &*name].concat()),
            false if rest.starts_with(b"<!--") => find(rest, b"-->"),
            false => Some(tag_len(rest)),
        };
        let Some(len) = closing else { return head };
        if !is_end && name == b"link" {
            head.links.push(start..start + len);
        }
        // The position is two bytes after `<`, so that the end tag of a raw element is not taken
        // for its beginning.
        at = start + len.max(1) + if is_raw { 2 } else { 0 };
    }
    head
}

/// Returns the length of a tag with its `>`, which may also occur in a quoted value.
fn tag_len(tag: &[u8]) -> usize {
    let mut quote = None;
    for (at, byte) in tag.iter().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') => quote = Some(*byte),
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
    }
    tag.len()
}

/// Returns the name at the beginning of a tag, in small letters.
fn name(tag: &[u8]) -> Vec<u8> {
    let name = tag.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-');
    name.map(u8::to_ascii_lowercase).collect()
}

/// Returns the first position of a text, ignoring case. `text` is in lower case.
fn find(html: &[u8], text: &[u8]) -> Option<usize> {
    html.windows(text.len()).position(|window| window.eq_ignore_ascii_case(text))
}

fn contains(html: &[u8], text: &[u8]) -> bool {
    find(html, text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(html: &str, href: &str) -> Option<String> {
        match linked(html.as_bytes(), href) {
            Linked::Changed(page) => Some(String::from_utf8(page).unwrap()),
            Linked::Already | Linked::NoHead => None,
        }
    }

    #[test]
    fn a_link_is_the_last_of_the_head() {
        let link = element("/a.md");
        for (before, after) in [
            ("<!doctype html><HTML><head><title>A</title>", "</HEAD ><body>x"),
            ("<head><title></head> is text</title>", "</head><body>"),
            ("<head><script>'</head>'; a < b</script>", "</head>"),
            ("<head><!-- </head> --><style>/* </head> */</style>", "</head>"),
            ("<head><meta content='a > </head>'>", "</head>"),
            ("<title>A page without tags of its head</title>\n", "<body class=x>y"),
            ("<head><header-like></header-like>", "</head>"),
            ("<head><link rel=\"stylesheet\" href=\"a.css\">", "</head>"),
        ] {
            let page = format!("{before}{after}");
            let expect = format!("{before}{link}{after}");
            assert_eq!(with(&page, "/a.md"), Some(expect.clone()));
            assert!(!is_linked(page.as_bytes()) && is_linked(expect.as_bytes()), "{page}");
            assert_eq!(linked(expect.as_bytes(), "/a.md"), Linked::Already, "a second time");
        }
    }

    #[test]
    fn only_a_link_of_an_earlier_build_is_replaced() {
        let page = format!("<head>{}<meta></head>", element("/old.md"));
        let expect = format!("<head>{}<meta></head>", element("/new.md"));
        assert_eq!(with(&page, "/new.md"), Some(expect));
        let other = r#"<head><link href="/x.md" type="TEXT/Markdown" rel="alternate"></head>"#;
        assert_eq!(linked(other.as_bytes(), "/new.md"), Linked::Already);
    }

    #[test]
    fn a_page_without_a_head_stays() {
        for page in ["", "text", "<p>text</p>", "<script>'</head>'", "<!-- </head>", "<head", "<"] {
            assert_eq!(linked(page.as_bytes(), "/a.md"), Linked::NoHead, "{page}");
        }
        let wide: Vec<u8> = "<head></head>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(linked(&wide, "/a.md"), Linked::NoHead);
    }

    #[test]
    fn an_address_cannot_end_its_attribute() {
        assert!(element("/a?b&c\"><script>").contains("href=\"/a?b&amp;c&quot;>&lt;script>\""));
    }
}
