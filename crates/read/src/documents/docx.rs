//! Word files (`.docx`): paragraphs, headings by their styles, tables by rows, notes after the
//! paragraph that refers to them.

use std::collections::HashMap;

use super::archive::Archive;
use super::writer::Writer;
use super::xml::{self, Element, Piece};
use super::{Read, xml::text_of};

/// Longest chain of styles that are based on each other.
const MAX_STYLE_DEPTH: usize = 16;

/// Reads a file.
///
/// # Errors
/// The reason, if it is damaged or over the limits.
pub(super) fn read(bytes: &[u8]) -> Result<Read, String> {
    let mut archive = Archive::open(bytes)?;
    let styles = match archive.read("word/styles.xml")? {
        Some(styles) => Styles::of(&styles)?,
        None => Styles::default(),
    };
    let mut notes = HashMap::new();
    for (part, element) in [("word/footnotes.xml", "footnote"), ("word/endnotes.xml", "endnote")] {
        if let Some(part) = archive.read(part)? {
            notes_of(&part, element, &mut notes)?;
        }
    }
    let body = archive.need("word/document.xml")?;
    let mut reader = Body {
        styles: &styles,
        notes: &notes,
        writer: Writer::default(),
        in_text: false,
        hidden: false,
        pending_notes: Vec::new(),
    };
    xml::each_but(&body, is_left_out, |piece| reader.take(piece))?;
    let mut read = reader.writer.finish();
    if let Some(core) = archive.read("docProps/core.xml")? {
        read.title = text_of(&core, "title").or(read.title);
        read.author = text_of(&core, "creator");
        read.language = text_of(&core, "language");
    }
    Ok(read)
}

/// The level of headings by the id of their style.
#[derive(Debug, Default)]
struct Styles {
    levels: HashMap<String, u8>,
}

/// A style under construction.
#[derive(Default)]
struct Style {
    id: String,
    level: Option<u8>,
    based_on: Option<String>,
}

impl Styles {
    fn of(bytes: &[u8]) -> Result<Self, String> {
        let mut styles: HashMap<String, Style> = HashMap::new();
        let mut open: Option<Style> = None;
        xml::each(bytes, |piece| match piece {
            Piece::Start(element) => match (element.name.as_str(), &mut open) {
                ("style", _) => {
                    let id = element.get("styleId").unwrap_or_default().to_owned();
                    open = Some(Style { id, ..Style::default() });
                }
                ("name", Some(style)) => {
                    style.level = element.get("val").and_then(level_of_name).or(style.level);
                }
                ("outlineLvl", Some(style)) => {
                    style.level = style.level.or_else(|| outline_level(&element));
                }
                ("basedOn", Some(style)) => {
                    style.based_on = element.get("val").map(str::to_owned);
                }
                _ => {}
            },
            Piece::End(name) if name == "style" => {
                if let Some(style) = open.take() {
                    styles.insert(style.id.clone(), style);
                }
            }
            _ => {}
        })?;
        let level = |id: &String| {
            let mut style = styles.get(id)?;
            for _ in 0..MAX_STYLE_DEPTH {
                if style.level.is_some() {
                    return style.level;
                }
                style = styles.get(style.based_on.as_ref()?)?;
            }
            None
        };
        let levels = styles.keys().filter_map(|id| Some((id.clone(), level(id)?))).collect();
        Ok(Self { levels })
    }

    /// Returns the level of a style. A file without styles has the ids of the English program.
    fn level(&self, id: &str) -> Option<u8> {
        self.levels.get(id).copied().or_else(|| level_of_name(id))
    }
}

/// Returns the level of a style by its name: `heading 2`, `Heading2`, `Title`.
fn level_of_name(name: &str) -> Option<u8> {
    let lower = name.to_ascii_lowercase();
    if lower == "title" {
        return Some(1);
    }
    let level: u8 = lower.strip_prefix("heading")?.trim().parse().ok()?;
    (1..=9).contains(&level).then_some(level)
}

fn outline_level(element: &Element) -> Option<u8> {
    let level: u8 = element.get("val")?.parse().ok()?;
    // Level 9 is text.
    (level < 9).then_some(level + 1)
}

/// Returns the text of each note by its id.
fn notes_of(bytes: &[u8], name: &str, notes: &mut HashMap<String, String>) -> Result<(), String> {
    let mut open: Option<(String, String)> = None;
    let mut in_text = false;
    xml::each(bytes, |piece| match piece {
        Piece::Start(element) if element.name == name => {
            // Separators are notes with a type.
            let id = element.get("id").filter(|_| element.get("type").is_none());
            open = id.map(|id| (format!("{name} {id}"), String::new()));
        }
        Piece::Start(element) => in_text = element.name == "t",
        Piece::End(ended) => {
            in_text = false;
            if let Some((_, text)) = open.as_mut().filter(|_| ended == "p") {
                text.push(' ');
            }
            if ended == name
                && let Some((id, text)) = open.take()
            {
                notes.insert(id, text);
            }
        }
        Piece::Text(text) if in_text => {
            if let Some((_, note)) = &mut open {
                note.push_str(&text);
            }
        }
        Piece::Text(_) => {}
    })
}

/// State of reading the body.
struct Body<'a> {
    styles: &'a Styles,
    notes: &'a HashMap<String, String>,
    writer: Writer,
    in_text: bool,
    /// Whether the run is hidden.
    hidden: bool,
    pending_notes: Vec<String>,
}

impl Body<'_> {
    fn take(&mut self, piece: Piece) {
        match piece {
            Piece::Start(element) => self.start(&element),
            Piece::End(name) => self.end(&name),
            Piece::Text(text) if self.in_text && !self.hidden => self.writer.text(&text),
            Piece::Text(_) => {}
        }
    }

    fn start(&mut self, element: &Element) {
        match element.name.as_str() {
            "p" => self.writer.begin_paragraph(),
            "pStyle" => {
                let level = element.get("val").and_then(|style| self.styles.level(style));
                if let Some(level) = level {
                    self.writer.set_level(level);
                }
            }
            "outlineLvl" => {
                if let Some(level) = outline_level(element) {
                    self.writer.set_level(level);
                }
            }
            "r" => self.hidden = false,
            "vanish" => self.hidden = element.get("val").is_none_or(|val| val != "0"),
            "t" => self.in_text = true,
            "tab" | "br" | "cr" => self.writer.text(" "),
            "noBreakHyphen" => self.writer.text("-"),
            "tr" => self.writer.begin_row(),
            "footnoteReference" | "endnoteReference" => {
                let kind = element.name.trim_end_matches("Reference");
                let id = format!("{kind} {}", element.get("id").unwrap_or_default());
                self.pending_notes.extend(self.notes.get(&id).cloned());
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "t" => self.in_text = false,
            "r" => self.hidden = false,
            "p" => {
                self.writer.end_paragraph();
                if !self.writer.is_in_row() {
                    for note in std::mem::take(&mut self.pending_notes) {
                        self.writer.paragraph(&note);
                    }
                }
            }
            "tc" => self.writer.end_cell(),
            "tr" => self.writer.end_row(),
            _ => {}
        }
    }
}

/// Returns whether an element is left out: deleted text, codes of fields, and content that is there
/// only for older programs.
fn is_left_out(name: &str) -> bool {
    matches!(name, "del" | "moveFrom" | "instrText" | "Fallback" | "tabs")
}
