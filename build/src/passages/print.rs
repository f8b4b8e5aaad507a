//! Passages as Markdown.

use std::fmt::Write;

use super::{Passage, Passages};
use crate::output::below_title;
use crate::safe_text;

/// Returns a heading, the address and the text of each passage. The text is in a block of its own,
/// so that nothing in it can look like a heading or an instruction of this list.
pub fn markdown(passages: &Passages) -> String {
    let mut out = String::new();
    for passage in &passages.passages {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&one(passage));
    }
    out
}

fn one(passage: &Passage) -> String {
    let Passage { collection, rank, title, heading_path, url, location, text, .. } = passage;
    let names = std::iter::once(title.as_str()).chain(below_title(title, heading_path));
    let names = names.map(safe_text::markdown);
    let names = names.collect::<Vec<_>>().join(" › ");
    let mut out = format!("## {rank}. {names}\n\n");
    // Writing to a string cannot fail.
    if let Some(collection) = collection {
        let _ = writeln!(out, "Collection: {}  ", safe_text::markdown(collection));
    }
    let _ = writeln!(out, "Source: <{}>", safe_text::url(url));
    if location.path().is_some() {
        let _ = writeln!(out, "File: {}", safe_text::markdown(&location.to_string()));
    }
    let front = if passage.cut_start { "…\n" } else { "" };
    let back = if passage.cut_end { "\n…" } else { "" };
    let _ = writeln!(out, "\n{}", safe_text::markdown_code(&format!("{front}{text}{back}")));
    out
}
