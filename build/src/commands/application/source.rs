//! A file of source code as it is now, line by line.

use std::path::Path;

use findling_text::Analyzer;
use serde::Serialize;
use serde_json::{Map, Value};

use super::marks::Marks;
use super::text::{Piece, code_pieces};
use crate::host::Document;
use crate::regular_file;

/// Largest file that is shown whole, in bytes. If a file is larger, its sections are shown.
const MAX_BYTES: u64 = 512 << 10;

/// A file that is shown with its line numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    /// The pieces of each line.
    pub lines: Vec<Vec<Piece>>,
}

/// Returns whether a page is a file of source code: its sections are lines.
pub fn is_source(document: &Document) -> bool {
    let is_text = |name: &str| document.attributes.get(name).is_some_and(Value::is_string);
    let has_lines = |anchor: &Option<String>| anchor.as_deref().is_some_and(is_lines);
    is_described(&document.attributes)
        && is_text("path")
        && document.sections.iter().any(|section| has_lines(&section.anchor))
}

fn is_described(attributes: &Map<String, Value>) -> bool {
    ["path", "language"].iter().all(|name| attributes.contains_key(*name))
}

/// Returns whether an anchor names lines: `L12` or `L12-L30`.
fn is_lines(anchor: &str) -> bool {
    first_line(anchor).is_some()
}

fn first_line(anchor: &str) -> Option<usize> {
    let first = anchor.split('-').next()?.strip_prefix('L')?;
    first.parse().ok().filter(|&line| line > 0)
}

/// Returns the file, if it can be read and is still as it was indexed.
pub fn read(path: &Path, document: &Document, marks: &mut Marks) -> Option<Source> {
    let bytes = regular_file::read(path, MAX_BYTES).ok()?;
    let text = String::from_utf8(bytes).ok()?.replace("\r\n", "\n");
    is_as_indexed(&text, document).then(|| lines(&text, marks))
}

/// Returns whether each section begins at the line that its anchor names, compared by words.
fn is_as_indexed(text: &str, document: &Document) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let mut analyzer = Analyzer::for_language("");
    let mut words = |text: &str| {
        let mut words = Vec::new();
        analyzer.analyze(text, |token| words.push(token.term.to_owned()));
        words
    };
    document.sections.iter().all(|section| {
        let Some(first) = section.anchor.as_deref().and_then(first_line) else { return true };
        let Some(rest) = lines.get(first - 1..) else { return false };
        // A part of a long item repeats the item's first line.
        let begin = section.text.lines().filter(|line| !line.trim().is_empty()).take(2);
        let indexed: Vec<Vec<String>> = begin.map(&mut words).collect();
        let there: Vec<Vec<String>> = rest.iter().take(3).map(|line| words(line)).collect();
        // The indexed text leaves out the marks of comments, and joins the lines of a comment.
        let fits = |line: &Vec<String>, indexed: &Vec<String>| {
            line.starts_with(indexed) || !line.is_empty() && indexed.starts_with(line)
        };
        indexed.is_empty()
            || indexed.iter().any(|indexed| there.iter().any(|line| fits(line, indexed)))
    })
}

fn lines(text: &str, marks: &mut Marks) -> Source {
    let found = marks.of(text);
    let mut lines = vec![Vec::new()];
    for Piece { text, kind, marked } in code_pieces(text, 0..text.len(), &found) {
        for (at, part) in text.split('\n').enumerate() {
            if at > 0 {
                lines.push(Vec::new());
            }
            if let (Some(line), false) = (lines.last_mut(), part.is_empty()) {
                line.push(Piece { text: part.to_owned(), kind, marked });
            }
        }
    }
    if lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    Source { lines }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::host::DocumentSection;

    fn document(anchor: &str, text: &str) -> Document {
        let section = DocumentSection {
            anchor: Some(anchor.to_owned()),
            text: text.to_owned(),
            ..DocumentSection::default()
        };
        let attributes = serde_json::json!({"path": "a.rs", "language": "rust"});
        let Value::Object(attributes) = attributes else { panic!("an object") };
        Document { sections: vec![section], attributes, ..Document::default() }
    }

    #[test]
    fn a_file_is_shown_by_lines_and_only_as_it_was_indexed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.rs");
        let text = "/* one\n two */\nfn lock() {}\n";
        fs::write(&path, text).unwrap();
        let mut marks = Marks::new("lock", "en");
        let document = document("L3-L3", "fn lock() {}");
        assert!(is_source(&document));
        let Source { lines } = read(&path, &document, &mut marks).unwrap();
        let texts: Vec<String> =
            lines.iter().map(|line| line.iter().map(|piece| &*piece.text).collect()).collect();
        assert_eq!(texts, ["/* one", " two */", "fn lock() {}"]);
        assert!(lines[1][0].kind == Some("comment"));
        assert!(lines[2].iter().any(|piece| piece.marked && piece.text == "lock"));
        let part = self::document("L3-L3", "impl Lock {\nfn lock() {}");
        assert!(read(&path, &part, &mut marks).is_some(), "a part with the line above it");
        fs::write(&path, format!("// new\n// lines\n// above\n// it\n{text}")).unwrap();
        assert_eq!(read(&path, &document, &mut marks), None);
        assert_eq!(read(&dir.path().join("gone.rs"), &document, &mut marks), None);
    }

    #[test]
    fn prose_beside_code_is_no_source() {
        assert!(!is_source(&document("usage", "How to use it")));
        assert!(!is_source(&document("L", "x")) && !is_source(&document("L0", "x")));
    }
}
