//! The text of a file of code, line by line as the file has it.

use crate::host::Document;
use crate::output::lines_of_anchor;

/// Maximum number of lines of a file of code; a file of one megabyte has fewer.
const MAX_LINES: usize = 2 << 20;

/// Returns the lines of a file of code between two, from 1, both included; `None` if the document
/// is not code. Lines that no section has are blank.
pub fn lines_between(document: &Document, first: usize, last: usize) -> Option<String> {
    let mut lines: Vec<&str> = Vec::new();
    for section in &document.sections {
        let (start, end) = lines_of_anchor(section.anchor.as_deref()?)?;
        let own: Vec<&str> = section.text.split('\n').collect();
        if start <= lines.len() || own.len() <= end - start || end > MAX_LINES {
            return None;
        }
        // A later part of a long function repeats the declaration first.
        let own = &own[own.len() - (end - start + 1)..];
        lines.resize(start - 1, "");
        lines.extend(own);
    }
    let last = last.min(lines.len());
    let shown = lines.get(first.checked_sub(1)?.min(last)..last)?;
    Some(shown.join("\n"))
}

/// Returns the lines that a fragment names: `L12`, `L10-L24`.
pub fn of_fragment(document: &Document, fragment: &str) -> Option<String> {
    let (first, last) = lines_of_anchor(fragment)?;
    lines_between(document, first, last)
}

/// Returns the whole file.
pub fn whole(document: &Document) -> Option<String> {
    if document.sections.is_empty() {
        return None;
    }
    lines_between(document, 1, usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::DocumentSection;

    fn document(sections: &[(&str, &str)]) -> Document {
        let section = |(anchor, text): &(&str, &str)| DocumentSection {
            level: 1,
            heading_path: vec!["name".into()],
            anchor: Some((*anchor).into()),
            text: (*text).into(),
            code: vec![],
            passages: vec![],
        };
        Document { sections: sections.iter().map(section).collect(), ..Document::default() }
    }

    #[test]
    fn the_lines_of_a_file_are_where_they_stand() {
        let file = document(&[
            ("L2-L3", "def f(x):\n    \"\"\"Doc.\"\"\""),
            ("L5", "    return 1"),
            ("L6-L7", "def f(x):\n    # more\n    end"),
        ]);
        let text = "\ndef f(x):\n    \"\"\"Doc.\"\"\"\n\n    return 1\n    # more\n    end";
        assert_eq!(whole(&file).as_deref(), Some(text));
        assert_eq!(of_fragment(&file, "L5-L6").as_deref(), Some("    return 1\n    # more"));
        assert_eq!(of_fragment(&file, "L3").as_deref(), Some("    \"\"\"Doc.\"\"\""));
        assert_eq!(of_fragment(&file, "L70").as_deref(), Some(""));
    }

    #[test]
    fn what_is_not_code_has_no_lines() {
        assert_eq!(whole(&document(&[("intro", "Text.")])), None);
        assert_eq!(whole(&document(&[])), None);
        assert_eq!(whole(&document(&[("L2", "a"), ("L1", "b")])), None, "damaged");
        for anchor in ["L1-L900000000000", "L900000000000", "L1-L18446744073709551615"] {
            assert_eq!(whole(&document(&[(anchor, "a")])), None, "damaged");
        }
        assert_eq!(of_fragment(&document(&[("L1", "a")]), "L0"), None);
    }
}
