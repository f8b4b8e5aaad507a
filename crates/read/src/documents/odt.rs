//! OpenDocument texts (`.odt`): paragraphs, headings by their outline level, tables by rows, notes
//! after the paragraph that refers to them.

use super::archive::Archive;
use super::writer::Writer;
use super::xml::{self, Element, Piece};
use super::{Read, xml::text_of};

/// Maximum number of spaces that one element represents.
const MAX_SPACES: usize = 100;

/// Reads a file.
///
/// # Errors
/// The reason, if it is damaged, encrypted or over the limits.
pub(super) fn read(bytes: &[u8]) -> Result<Read, String> {
    let mut archive = Archive::open(bytes)?;
    let manifest = archive.read("META-INF/manifest.xml")?.unwrap_or_default();
    let mut is_encrypted = false;
    xml::each(&manifest, |piece| {
        is_encrypted |= matches!(piece, Piece::Start(element) if element.name == "encryption-data");
    })?;
    if is_encrypted {
        return Err("is encrypted; save it without a password".to_owned());
    }
    let content = archive.need("content.xml")?;
    let mut body = Body::default();
    xml::each_but(&content, is_left_out, |piece| body.take(piece))?;
    let mut read = body.writer.finish();
    if let Some(meta) = archive.read("meta.xml")? {
        read.title = text_of(&meta, "title").or(read.title);
        read.author = text_of(&meta, "creator").or_else(|| text_of(&meta, "initial-creator"));
        read.language = text_of(&meta, "language");
    }
    Ok(read)
}

/// State of reading the body.
#[derive(Default)]
struct Body {
    writer: Writer,
    /// Open paragraphs and headings: a note's paragraphs are inside another paragraph.
    paragraphs: usize,
    /// The notes of the open paragraph, and whether one is open.
    notes: Vec<String>,
    in_note: bool,
}

impl Body {
    fn take(&mut self, piece: Piece) {
        match piece {
            Piece::Start(element) => self.start(&element),
            Piece::End(name) => self.end(&name),
            Piece::Text(text) if self.paragraphs > 0 => self.text(&text),
            Piece::Text(_) => {}
        }
    }

    fn text(&mut self, text: &str) {
        match self.notes.last_mut().filter(|_| self.in_note) {
            Some(note) => note.push_str(text),
            None => self.writer.text(text),
        }
    }

    fn start(&mut self, element: &Element) {
        match element.name.as_str() {
            "p" | "h" if self.in_note => {
                self.paragraphs += 1;
                self.text(" ");
            }
            "p" | "h" => {
                self.paragraphs += 1;
                self.writer.begin_paragraph();
                if element.name == "h" {
                    let level = element.get("outline-level").and_then(|level| level.parse().ok());
                    self.writer.set_level(level.unwrap_or(1));
                } else if element.get("style-name") == Some("Title") {
                    self.writer.set_level(1);
                }
            }
            "s" => {
                let count = element.get("c").and_then(|count| count.parse().ok()).unwrap_or(1);
                self.text(&" ".repeat(count.min(MAX_SPACES)));
            }
            "tab" | "line-break" => self.text(" "),
            "note-body" => {
                self.in_note = true;
                self.notes.push(String::new());
            }
            "table-row" => self.writer.begin_row(),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "p" | "h" => {
                self.paragraphs = self.paragraphs.saturating_sub(1);
                if self.in_note {
                    return;
                }
                self.writer.end_paragraph();
                if !self.writer.is_in_row() {
                    for note in std::mem::take(&mut self.notes) {
                        self.writer.paragraph(&note);
                    }
                }
            }
            "note-body" => self.in_note = false,
            "table-cell" => self.writer.end_cell(),
            "table-row" => self.writer.end_row(),
            _ => {}
        }
    }
}

/// Returns whether an element is left out: comments, deleted text, the number of a note, tables of
/// contents, forms.
fn is_left_out(name: &str) -> bool {
    matches!(
        name,
        "annotation" | "tracked-changes" | "note-citation" | "table-of-content" | "forms"
    )
}
