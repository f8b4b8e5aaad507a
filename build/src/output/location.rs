//! Location of a hit: a line or a page of a file on this machine, or an address.

use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};

use findling_engine::{PageHit, SectionHit};
use serde::{Serialize, Serializer};

use crate::collections::Target;
use crate::safe_text;

/// The name of the further data of a paper that has the file of its text.
const FILE_OF_TEXT: &str = "file";

/// Largest file in which a heading is looked for.
const MAX_BYTES: u64 = 4 << 20;

/// The files from which a bundle was made.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The directory that documents' ids are relative to.
    root: Option<PathBuf>,
}

/// The location of a hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A file, and the place in it where that is known.
    File {
        /// The file.
        path: PathBuf,
        /// The place.
        at: Option<Place>,
    },
    /// An address.
    Url(String),
}

/// A place in a file, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of text.
    Line(usize),
    /// A page of a PDF.
    Page(usize),
}

impl Sources {
    /// Returns the sources of a collection, as they are registered; none for other bundles.
    pub fn of(target: &Target) -> Self {
        Self::new(target.sources())
    }

    /// Finds sources in these directories and files. Ids are relative to the deepest directory that
    /// contains all of them, as in a build.
    pub fn new(paths: &[PathBuf]) -> Self {
        let directories = paths.iter().map(|path| match path.parent() {
            Some(parent) if path.is_file() => parent,
            _ => path.as_path(),
        });
        let root = directories.map(Path::to_owned).reduce(|a, b| {
            let both = a.components().zip(b.components()).take_while(|(a, b)| a == b);
            both.map(|(part, _)| part).collect()
        });
        Self { root }
    }

    /// Returns the same, relative to the working directory where they are below it: shorter to
    /// read.
    pub fn relative(&self) -> Self {
        let here = std::env::current_dir().ok();
        let below = |root: &PathBuf| root.strip_prefix(here.as_ref()?).ok().map(Path::to_owned);
        let root = self.root.as_ref().map(|root| below(root).unwrap_or_else(|| root.clone()));
        Self { root }
    }

    /// Returns the place of a section, or of a page.
    pub fn locate(&self, page: &PageHit, section: Option<&SectionHit>) -> Location {
        let Some(source) = self.source(page) else {
            let url = section.map_or(&page.url, |section| &section.url);
            return Location::Url(url.clone());
        };
        let path = source.path;
        let at = section.and_then(|section| {
            let anchor = section.anchor.as_deref();
            if is_pdf(&path) {
                return anchor?.strip_prefix("page=")?.parse().ok().map(Place::Page);
            }
            let line = anchor.and_then(line_of_anchor);
            let line = line.or_else(|| line_of_heading(&path, section.heading_path.last()?));
            line.map(Place::Line)
        });
        let at = at.or_else(|| line_of_key(&path, &source.key).map(Place::Line));
        Location::File { path, at }
    }

    /// Returns the file that a page was read from: the text of a paper, the page's own file, or
    /// the file that has it among others.
    fn source(&self, page: &PageHit) -> Option<Source> {
        let text = page.meta.iter().find(|(name, _)| name == FILE_OF_TEXT);
        let whole = text.and_then(|(_, file)| self.file(file)).or_else(|| self.file(&page.id));
        if let Some(path) = whole {
            return Some(Source { path, key: String::new() });
        }
        let mut id = page.id.as_str();
        while let Some((file, _)) = id.rsplit_once('/') {
            if let Some(path) = self.file(file) {
                return Some(Source { path, key: page.id[file.len() + 1..].to_owned() });
            }
            id = file;
        }
        None
    }

    /// Returns the file of a document. A document's id is its path below a source; one that leads
    /// out of it is none.
    pub fn file(&self, id: &str) -> Option<PathBuf> {
        let inside = Path::new(id).components().all(|part| matches!(part, Component::Normal(_)));
        if id.is_empty() || !inside {
            return None;
        }
        let path = self.root.as_ref()?.join(id);
        path.is_file().then_some(path)
    }
}

/// The file of a page.
struct Source {
    path: PathBuf,
    /// The page's key in the file; empty if the page is the file.
    key: String,
}

fn is_pdf(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"))
}

/// Returns the first line of an anchor such as `L12` or `L12-L30`, as code has them.
fn line_of_anchor(anchor: &str) -> Option<usize> {
    let first = anchor.split('-').next()?;
    first.strip_prefix('L')?.parse().ok()
}

/// Returns the first line of a file that is a heading with this text, or else contains it. Letters
/// and digits are compared, since a heading can have markup.
fn line_of_heading(path: &Path, heading: &str) -> Option<usize> {
    if fs::metadata(path).ok()?.len() > MAX_BYTES {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    let wanted = letters(heading);
    if wanted.is_empty() {
        return None;
    }
    let lines = || (1..).zip(text.lines());
    let headings = || lines().filter(|(_, line)| line.starts_with('#'));
    let line = headings().find(|(_, line)| letters(line) == wanted);
    let line = line.or_else(|| headings().find(|(_, line)| letters(line).contains(&wanted)));
    line.or_else(|| lines().find(|(_, line)| line.contains(heading))).map(|(at, _)| at)
}

/// Returns the first line of a file that has a key, as bibliographies and exports write it: whole.
fn line_of_key(path: &Path, key: &str) -> Option<usize> {
    if key.is_empty() || fs::metadata(path).ok()?.len() > MAX_BYTES {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    let has_key = |line: &str| {
        line.match_indices(key).any(|(at, _)| {
            !line[..at].ends_with(is_part) && !line[at + key.len()..].starts_with(is_part)
        })
    };
    (1..).zip(text.lines()).find(|(_, line)| has_key(line)).map(|(at, _)| at)
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

impl Location {
    /// Returns the file, if there is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::File { path, .. } => Some(path),
            Self::Url(_) => None,
        }
    }

    /// Returns the target of a link; `None` for an address that is no link outside of its site.
    pub fn href(&self) -> Option<String> {
        match self {
            Self::File { path, at } => {
                let path = std::path::absolute(path).ok()?;
                let page = match at {
                    Some(Place::Page(page)) => format!("#page={page}"),
                    _ => String::new(),
                };
                // Signs with a meaning in addresses.
                let path = path.to_str()?.replace('%', "%25");
                let path = path.replace('#', "%23").replace('?', "%3F");
                Some(format!("file://{}{page}", safe_text::url(&path)))
            }
            Self::Url(url) if url.contains("://") && safe_text::is_link(url) => {
                Some(safe_text::url(url))
            }
            Self::Url(_) => None,
        }
    }
}

/// `path:line`, `path:page12`, or the address. On one line, harmless.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, at } => {
                f.write_str(&safe_text::line(&path.to_string_lossy()))?;
                match at {
                    Some(Place::Line(line)) => write!(f, ":{line}"),
                    Some(Place::Page(page)) => write!(f, ":page{page}"),
                    None => Ok(()),
                }
            }
            Self::Url(url) => f.write_str(&safe_text::line(url)),
        }
    }
}

impl Serialize for Location {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_at_the_line_of_its_heading_or_of_its_anchor() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.md"), "# A\n\nb is not b\n\n## B\n\n### `D<T>` {#d}\n")
            .unwrap();
        let sources = Sources::new(&[dir.path().to_owned()]);
        let page = PageHit { url: "/a/".into(), ..page("a.md") };
        let section = |anchor: &str, heading: &str| SectionHit {
            url: format!("/a/#{anchor}"),
            anchor: Some(anchor.into()),
            heading_path: vec![heading.into()],
            attributes: Default::default(),
            score: 1.0,
            snippet: Default::default(),
            legs: Default::default(),
            explain: None,
        };
        let at = |section: &SectionHit| match sources.locate(&page, Some(section)) {
            Location::File { at: Some(Place::Line(line)), .. } => Some(line),
            Location::File { at: None, .. } => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(at(&section("b", "B")), Some(5));
        assert_eq!(at(&section("d", "D<T>")), Some(7), "markup in a heading is no difference");
        assert_eq!(at(&section("c", "C")), None);
        assert_eq!(at(&section("L2-L4", "C")), Some(2));
        fs::write(dir.path().join("b.PDF"), "%PDF B").unwrap();
        let pdf = self::page("b.PDF");
        for (anchor, expect) in [("page=12", ":page12"), ("page=x", ""), ("L2", "")] {
            let location = sources.locate(&pdf, Some(&section(anchor, "B")));
            assert!(location.to_string().ends_with(&format!("b.PDF{expect}")), "{location}");
            let link = location.href().unwrap();
            assert_eq!(link.ends_with("#page=12"), anchor == "page=12", "{link}");
        }
        fs::write(dir.path().join("50% #1.pdf"), "%PDF B").unwrap();
        let odd = sources.locate(&self::page("50% #1.pdf"), Some(&section("page=2", "B")));
        assert!(odd.to_string().ends_with("50% #1.pdf:page2"), "{odd}");
        assert!(odd.href().unwrap().ends_with("/50%25%20%231.pdf#page=2"), "{odd:?}");
        let nowhere = Sources::default().locate(&page, Some(&section("b", "B")));
        assert_eq!(nowhere.to_string(), "/a/#b");
    }

    #[test]
    fn a_page_of_a_file_with_many_and_a_paper_with_a_text_have_their_files() {
        let dir = tempfile::tempdir().unwrap();
        let bib = "@article{a1,\n title={A}}\n@article{a,\n title={B}}\n";
        fs::write(dir.path().join("refs.bib"), bib).unwrap();
        fs::create_dir_all(dir.path().join("files/12")).unwrap();
        fs::write(dir.path().join("files/12/Full Text.pdf"), "%PDF").unwrap();
        let sources = Sources::new(&[dir.path().to_owned()]);
        let shown = |page: &PageHit| sources.locate(page, None).to_string();
        let entry = PageHit { url: "https://doi.org/10.1/x".into(), ..page("refs.bib/a") };
        assert!(shown(&entry).ends_with("refs.bib:3"), "{}", shown(&entry));
        let file = ("file".to_owned(), "files/12/Full Text.pdf".to_owned());
        let paper = PageHit { meta: vec![file], ..entry.clone() };
        assert!(shown(&paper).ends_with("files/12/Full Text.pdf"), "{}", shown(&paper));
        let outside = ("file".to_owned(), "../x.pdf".to_owned());
        let hostile = PageHit { meta: vec![outside], ..page("none.bib/../refs.bib") };
        assert!(sources.locate(&hostile, None).path().is_none());
    }

    fn page(id: &str) -> PageHit {
        PageHit {
            id: id.into(),
            url: String::new(),
            title: String::new(),
            language: String::new(),
            score: 0.0,
            attributes: Default::default(),
            meta: vec![],
            sections: vec![],
            n_sections: 0,
            copies: 0,
            pinned: false,
        }
    }

    #[test]
    fn no_document_is_outside_of_the_sources() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("in")).unwrap();
        fs::write(dir.path().join("out.md"), "x").unwrap();
        let sources = Sources::new(&[dir.path().join("in")]);
        let absolute = dir.path().join("out.md");
        for id in ["../out.md", "in/../../out.md", absolute.to_str().unwrap(), "", "./../out.md"] {
            assert_eq!(sources.file(id), None, "{id}");
        }
        let both = Sources::new(&[dir.path().join("in"), absolute.clone()]);
        assert_eq!(both.file("out.md"), Some(absolute.clone()), "relative to what contains both");
        assert_eq!(Sources::new(std::slice::from_ref(&absolute)).file("out.md"), Some(absolute));
        assert_eq!(Sources::default().file("out.md"), None);
    }
}
