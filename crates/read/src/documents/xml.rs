//! XML without namespace prefixes: names are local, such as `p` for `w:p`.

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::super::decode;
use super::super::outline::fold;

/// Deepest nesting of elements.
const MAX_DEPTH: usize = 1_000;

/// Largest number of attributes of an element that are read.
const MAX_ATTRIBUTES: usize = 1_000;

/// A piece of a document.
#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    Start(Element),
    End(String),
    Text(String),
}

/// The start of an element.
#[derive(Debug, PartialEq)]
pub(super) struct Element {
    pub name: String,
    attributes: Vec<(String, String)>,
}

impl Element {
    /// Returns the value of an attribute, by its local name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Gives the pieces of a document to `take`, in order. An empty element has a start and an end.
///
/// # Errors
/// The reason, if the document is not well-formed.
pub(super) fn each(bytes: &[u8], mut take: impl FnMut(Piece)) -> Result<(), String> {
    let decoded = decode::plain(bytes, None);
    let mut reader = Reader::from_str(&decoded.text);
    reader.config_mut().check_end_names = true;
    let mut depth = 0_usize;
    loop {
        let at = reader.buffer_position();
        let broken = |what: String| format!("is damaged: its XML is broken at byte {at}: {what}");
        match reader.read_event().map_err(|error| broken(error.to_string()))? {
            Event::Start(start) => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(broken(format!("elements nest more than {MAX_DEPTH} deep")));
                }
                take(Piece::Start(element(&start)));
            }
            Event::Empty(start) => {
                let element = element(&start);
                let name = element.name.clone();
                take(Piece::Start(element));
                take(Piece::End(name));
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                take(Piece::End(end.local_name().as_ref().to_owned()));
            }
            Event::Text(text) => take(Piece::Text(text.xml10_content().into_owned())),
            Event::CData(text) => take(Piece::Text(text.xml10_content().into_owned())),
            Event::GeneralRef(name) => {
                let known = match name.resolve_char_ref() {
                    Ok(Some(c)) => Some(c.to_string()),
                    _ => resolve_predefined_entity(&name).map(str::to_owned),
                };
                // Other entities would have to be declared; nothing is expanded.
                take(Piece::Text(known.unwrap_or_default()));
            }
            Event::Eof if depth > 0 => return Err(broken("it ends too early".to_owned())),
            Event::Eof => return Ok(()),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

/// Hands the pieces of a document to `take`, like [`each`], but leaves out some elements and their
/// contents.
pub(super) fn each_but(
    bytes: &[u8],
    is_left_out: impl Fn(&str) -> bool,
    mut take: impl FnMut(Piece),
) -> Result<(), String> {
    // Number of open elements that are left out or inside such an element.
    let mut skipped = 0_usize;
    each(bytes, |piece| match piece {
        Piece::Start(element) if skipped > 0 || is_left_out(&element.name) => skipped += 1,
        Piece::End(_) if skipped > 0 => skipped -= 1,
        Piece::Text(_) if skipped > 0 => {}
        piece => take(piece),
    })
}

fn element(start: &BytesStart<'_>) -> Element {
    let attributes = start
        .attributes()
        // Its check for repeated names takes quadratic time.
        .with_checks(false)
        .flatten()
        .take(MAX_ATTRIBUTES)
        .map(|attribute| {
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_or_else(|_| attribute.value.to_string(), |value| value.into_owned());
            (attribute.key.local_name().as_ref().to_owned(), value)
        })
        .collect();
    Element { name: start.local_name().as_ref().to_owned(), attributes }
}

/// Returns the text of the first element of this name, such as a title.
pub(super) fn text_of(bytes: &[u8], name: &str) -> Option<String> {
    let mut found: Option<String> = None;
    let mut is_open = false;
    // The text before a broken place is good enough for a title.
    let _ = each(bytes, |piece| match piece {
        Piece::Start(element) if found.is_none() && element.name == name => {
            is_open = true;
            found = Some(String::new());
        }
        Piece::End(ended) if ended == name => is_open = false,
        Piece::Text(text) if is_open => found.get_or_insert_default().push_str(&text),
        _ => {}
    });
    found.map(|text| fold(&text)).filter(|text| !text.is_empty())
}
