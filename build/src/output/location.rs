//! Location of a hit: a line or a page of a file on this machine, or an address.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use findling_engine::{PageHit, SectionHit};
use serde::{Serialize, Serializer};

use crate::collections::{PackageRoot, Target};
use crate::safe_text;

/// The name of the further data of a paper that names the file of its text.
const FILE_OF_TEXT: &str = "file";

/// Largest file in which a heading is searched.
const MAX_BYTES: u64 = 4 << 20;

/// The files from which a bundle was made.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The directory that documents' ids are relative to.
    root: Option<PathBuf>,
    /// The places of packages, by the beginning of the ids of their documents.
    packages: Arc<BTreeMap<String, PackageRoot>>,
    /// The file that was read last, with its text.
    last: Arc<Mutex<LastRead>>,
}

/// A file and its text; `None` if the file cannot be read.
type LastRead = Option<(PathBuf, Option<Arc<str>>)>;

/// The location of a hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A file, and the place in the file if it is known.
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

/// The place of a section in a file on this machine, for programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FilePlace {
    /// The path, absolute.
    file: String,
    /// The line where the section begins, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The last line of the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    /// The column of the first character of its first line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    /// The page of a PDF, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<usize>,
}

impl Sources {
    /// Returns the sources of a collection, as they are registered; none for other bundles.
    pub fn of(target: &Target) -> Self {
        let packages = Arc::new(target.packages());
        match packages.is_empty() {
            true => Self::new(target.sources()),
            false => Self { packages, ..Self::default() },
        }
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
        Self { root, ..Self::default() }
    }

    /// Returns the same locations, relative to the working directory if they are below it, because
    /// these are shorter.
    pub fn relative(&self) -> Self {
        let here = std::env::current_dir().ok();
        let below = |root: &PathBuf| root.strip_prefix(here.as_ref()?).ok().map(Path::to_owned);
        let root = self.root.as_ref().map(|root| below(root).unwrap_or_else(|| root.clone()));
        Self { root, packages: Arc::clone(&self.packages), last: Arc::clone(&self.last) }
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
            let line = anchor.and_then(lines_of_anchor).map(|(first, _)| first);
            let of_headings = || line_of_headings(&self.text(&path)?, &section.heading_path);
            line.or_else(of_headings).map(Place::Line)
        });
        let at = at.or_else(|| line_of_key(&path, &source.key).map(Place::Line));
        Location::File { path, at }
    }

    /// Returns the file that a page was read from: the text of a paper, the page's own file, or a
    /// file of many pages.
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

    /// Returns the text of a file of the sources, unless it is too long. It is kept, because the
    /// sections of one page need it one after the other.
    fn text(&self, path: &Path) -> Option<Arc<str>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, text)) = &*last
            && known == path
        {
            return text.clone();
        }
        let is_short = fs::metadata(path).is_ok_and(|file| file.len() <= MAX_BYTES);
        let text = is_short.then(|| fs::read_to_string(path).ok()).flatten().map(Arc::from);
        *last = Some((path.to_owned(), text.clone()));
        text
    }

    /// Returns the place of a section in its file, for programs; `None` if it has no file here.
    pub fn place(&self, page: &PageHit, section: &SectionHit) -> Option<FilePlace> {
        let Location::File { path, at } = self.locate(page, Some(section)) else { return None };
        let file = safe_text::line(&path.to_string_lossy()).into_owned();
        let (line, of_page) = match at {
            Some(Place::Line(line)) => (Some(line), None),
            Some(Place::Page(page)) => (None, Some(page)),
            None => (None, None),
        };
        let lines = section.anchor.as_deref().and_then(lines_of_anchor);
        let column = line.and_then(|line| {
            let text = self.text(&path)?;
            let line = text.lines().nth(line - 1)?;
            Some(line.chars().take_while(|c| c.is_whitespace()).count() + 1)
        });
        let end_line = lines.map(|(_, last)| last);
        Some(FilePlace { file, line, end_line, column, page: of_page })
    }

    /// Returns the id and the fragment of the document that a path on this machine names, as
    /// locations are printed: `/src/a.rs`, `src/a.rs:12`, `/src/a.pdf:page3`.
    pub fn document_at(&self, location: &str) -> Option<(String, Option<Place>)> {
        let here = |path: &str| {
            let path = std::path::absolute(path).ok()?;
            let mut packages = self.packages.iter();
            let inner = |(label, root): (&String, &PackageRoot)| {
                let inner = root.inner(&path)?.to_str()?.replace('\\', "/");
                Some(format!("{label}/{inner}")).filter(|id| self.file(id).is_some())
            };
            if let Some(id) = packages.find_map(inner) {
                return Some(id);
            }
            let id = path.strip_prefix(self.root.as_ref()?).ok()?.to_str()?.replace('\\', "/");
            self.file(&id).map(|_| id)
        };
        if let Some(id) = here(location) {
            return Some((id, None));
        }
        let (path, place) = location.rsplit_once(':')?;
        let place = match place.strip_prefix("page") {
            Some(page) => Place::Page(page.parse().ok()?),
            None => Place::Line(place.parse().ok()?),
        };
        Some((here(path)?, Some(place)))
    }

    /// Returns the file of a document. A document's id is its path below a source; a path that
    /// leads out of the source is not accepted.
    pub fn file(&self, id: &str) -> Option<PathBuf> {
        let inside = Path::new(id).components().all(|part| matches!(part, Component::Normal(_)));
        if id.is_empty() || !inside {
            return None;
        }
        let path = match self.root_of(id) {
            Some((root, inner)) => root.path.join(inner),
            None => self.root.as_ref()?.join(id),
        };
        path.is_file().then_some(path)
    }
}

impl Sources {
    /// Returns the place of the package that a document belongs to, and the document's path in it.
    /// Names of packages have slashes, too: `@types/node@22.1.0/fs.d.ts`.
    fn root_of<'a>(&self, id: &'a str) -> Option<(&PackageRoot, &'a str)> {
        if self.packages.is_empty() {
            return None;
        }
        id.match_indices('/')
            .find_map(|(at, _)| Some((self.packages.get(&id[..at])?, &id[at + 1..])))
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

/// Returns the first and the last line of an anchor such as `L12` or `L12-L30`, as code has them.
pub fn lines_of_anchor(anchor: &str) -> Option<(usize, usize)> {
    let (first, last) = anchor.split_once('-').unwrap_or((anchor, anchor));
    let line = |part: &str| part.strip_prefix('L')?.parse().ok();
    Some((line(first)?, line(last)?)).filter(|(first, last)| 0 < *first && first <= last)
}

/// Returns the line of the innermost of some headings, each below the previous one. A heading that
/// is not found, such as a page's title from its file's name, is passed over.
fn line_of_headings(text: &str, headings: &[String]) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let (last, above) = headings.split_last()?;
    let mut start = 0;
    for heading in above {
        start = line_of_heading(&lines, start, heading).map_or(start, |at| at + 1);
    }
    let found = line_of_heading(&lines, start, last);
    found.or_else(|| line_of_heading(&lines, 0, last)).map(|at| at + 1)
}

/// Returns the first line from `start`, counted from 0, that is a heading with this text, or else
/// the first one that contains it. Letters and digits are compared, since a heading can have
/// markup.
fn line_of_heading(lines: &[&str], start: usize, heading: &str) -> Option<usize> {
    let wanted = letters(heading);
    if wanted.is_empty() {
        return None;
    }
    let places = || start..lines.len();
    let is_heading = |at: usize| {
        let line = lines[at].trim_start();
        line.starts_with(['#', '=', '*']) || line.starts_with("<h") || is_underlined(lines, at)
    };
    let same = |at: usize| letters(lines[at]) == wanted;
    let within = |at: usize| letters(lines[at]).contains(&wanted);
    places()
        .find(|&at| same(at) && is_heading(at))
        .or_else(|| places().find(|&at| within(at) && is_heading(at)))
        .or_else(|| places().find(|&at| same(at)))
        .or_else(|| places().find(|&at| lines[at].contains(heading)))
}

/// Returns whether a line is a heading with a line of one sign below it, as in reStructuredText.
fn is_underlined(lines: &[&str], at: usize) -> bool {
    let below = lines.get(at + 1).map_or("", |line| line.trim_end());
    let mut signs = below.chars();
    let first = signs.next().filter(|sign| sign.is_ascii_punctuation());
    !lines[at].trim().is_empty()
        && below.len() >= 3
        && first.is_some_and(|first| signs.all(|sign| sign == first))
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
    /// Returns the file, if it exists.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::File { path, .. } => Some(path),
            Self::Url(_) => None,
        }
    }

    /// Returns the target of a link; `None` for an address that is not a link outside its site.
    pub fn href(&self) -> Option<String> {
        match self {
            Self::File { path, at } => {
                let path = std::path::absolute(path).ok()?;
                let page = match at {
                    Some(Place::Page(page)) => format!("#page={page}"),
                    _ => String::new(),
                };
                // Characters with a meaning in addresses.
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
    fn headings_of_every_markup_have_lines() {
        let line = |text: &str, path: &[&str]| {
            let path: Vec<String> = path.iter().map(ToString::to_string).collect();
            line_of_headings(text, &path)
        };
        let rst = "Errors\n======\n\nHandling errors is easy.\n\nHandling *errors*\n----\n\nx\n";
        assert_eq!(line(rst, &["Errors", "Handling errors"]), Some(6));
        assert_eq!(line("= A\n\nb\n\n== B\n", &["A", "B"]), Some(5));
        assert_eq!(line("* A\n** B\n", &["A", "B"]), Some(2));
        assert_eq!(line("<h1>A</h1>\n<p>B\n<h2 id=b>B</h2>", &["A", "B"]), Some(3));
        let twice = "# One\n## Example\n# Two\n\n## Example\n";
        assert_eq!(line(twice, &["Two", "Example"]), Some(5));
        assert_eq!(line(twice, &["not there", "Example"]), Some(2));
        assert_eq!(line(twice, &["nowhere"]), None);
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
