//! Books (`.epub`): the chapters in the order of the book's spine, read as HTML.
//!
//! A section's anchor is the standard's address of its chapter, `#epubcfi(/6/4)`: step 6 is the
//! spine, and its items have even numbers.

use std::collections::{HashMap, HashSet};

use super::super::file::resolve;
use super::super::{Options, html};
use super::archive::Archive;
use super::xml::{self, Piece};
use super::{Read, xml::text_of};

/// Reads a file. Chapters that cannot be read are added to `broken` with their reason.
///
/// # Errors
/// If the file is damaged, protected or over the limits.
pub(super) fn read(
    bytes: &[u8],
    options: &Options,
    broken: &mut Vec<String>,
) -> Result<Read, String> {
    let mut archive = Archive::open(bytes)?;
    let protected = protected(&mut archive)?;
    let container = archive.need("META-INF/container.xml")?;
    let mut package_path = None;
    xml::each(&container, |piece| {
        if let Piece::Start(element) = piece
            && element.name == "rootfile"
            && package_path.is_none()
        {
            package_path = element.get("full-path").map(str::to_owned);
        }
    })?;
    let package_path = package_path.ok_or("is damaged: its container names no package")?;
    let package_bytes = archive.need(&package_path)?;
    let package = Package::of(&package_bytes)?;
    let mut read = Read {
        title: text_of(&package_bytes, "title"),
        author: text_of(&package_bytes, "creator"),
        language: text_of(&package_bytes, "language"),
        ..Read::default()
    };
    // A chapter may occur only once in the reading order.
    let mut known = HashSet::new();
    let mut n_repeated = 0_usize;
    for (at, item) in package.spine.iter().enumerate() {
        let Some(href) = package.chapters.get(item) else { continue };
        let path = resolve(&package_path, href);
        if !known.insert(path.clone()) {
            n_repeated += 1;
            continue;
        }
        if protected.contains(&path) {
            return Err("is protected against copying, so its text cannot be read".to_owned());
        }
        let Some(chapter) = archive.read(&path)? else {
            broken.push(format!("the chapter `{path}` is missing"));
            continue;
        };
        let text = super::super::decode::html(&chapter, None).text;
        // Chapters are XML, regardless of the names of their files.
        let name = if package.html.contains(item) { "chapter.html" } else { "chapter.xhtml" };
        if let Some(reason) = html::refused(&text) {
            broken.push(format!("the chapter `{path}` {reason}"));
            continue;
        }
        match html::read(&text, name, options) {
            Ok(raw) => {
                let anchor = format!("epubcfi(/6/{})", 2 * (at + 1));
                read.sections.extend(raw.page.sections.into_iter().map(|mut section| {
                    section.anchor = Some(anchor.clone());
                    section
                }));
                read.left_out.extend(raw.left_out);
            }
            Err(reason) => broken.push(format!("the chapter `{path}` is left out: {reason}")),
        }
    }
    if n_repeated > 0 {
        broken.push(format!("its reading order repeats chapters {n_repeated} times"));
    }
    Ok(read)
}

/// Returns the files of a book that are encrypted.
fn protected(archive: &mut Archive) -> Result<HashSet<String>, String> {
    let mut protected = HashSet::new();
    if let Some(encryption) = archive.read("META-INF/encryption.xml")? {
        xml::each(&encryption, |piece| {
            if let Piece::Start(element) = piece
                && element.name == "CipherReference"
                && let Some(path) = element.get("URI")
            {
                protected.insert(path.to_owned());
            }
        })?;
    }
    Ok(protected)
}

/// The contents of a book.
#[derive(Default)]
struct Package {
    /// The paths of chapters by their id.
    chapters: HashMap<String, String>,
    /// Ids of chapters that are HTML.
    html: HashSet<String>,
    /// Ids in reading order.
    spine: Vec<String>,
}

impl Package {
    fn of(bytes: &[u8]) -> Result<Self, String> {
        let mut package = Self::default();
        xml::each(bytes, |piece| {
            let Piece::Start(element) = piece else { return };
            match element.name.as_str() {
                "item" => {
                    let is_text = element
                        .get("media-type")
                        .is_some_and(|kind| kind == "application/xhtml+xml" || kind == "text/html");
                    // The table of contents repeats the headings.
                    let is_contents = element
                        .get("properties")
                        .is_some_and(|properties| properties.split(' ').any(|p| p == "nav"));
                    if let (Some(id), Some(href)) = (element.get("id"), element.get("href"))
                        && is_text
                        && !is_contents
                    {
                        if element.get("media-type") == Some("text/html") {
                            package.html.insert(id.to_owned());
                        }
                        package.chapters.insert(id.to_owned(), href.to_owned());
                    }
                }
                "itemref" => {
                    package.spine.push(element.get("idref").unwrap_or_default().to_owned());
                }
                _ => {}
            }
        })?;
        Ok(package)
    }
}
