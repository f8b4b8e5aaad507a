//! Reads a file in the same way as a build.

use std::fmt::Write;

use findling_build::page::Section;
use findling_build::sources::{self, Options, Severity};

/// The title and the sections of a file.
#[derive(Debug, Default)]
pub struct Read {
    pub title: String,
    pub sections: Vec<Section>,
    pub problems: Vec<(Severity, String)>,
}

impl Read {
    /// Writes the title, then a line for each heading and paragraph; lines of code begin with a
    /// bar.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", self.title);
        for section in &self.sections {
            let anchor =
                section.anchor.as_ref().map_or(String::new(), |anchor| format!(" #{anchor}"));
            writeln!(out, "h{} {}{anchor}", section.level, section.heading).unwrap();
            for (name, value) in &section.attributes {
                writeln!(out, "  {name}={value:?}").unwrap();
            }
            for block in &section.blocks {
                for line in block.text.lines() {
                    let bar = if block.is_code_block { "| " } else { "" };
                    writeln!(out, "  {bar}{line}").unwrap();
                }
            }
        }
        out
    }

    /// Returns the text of all blocks.
    pub fn blocks(&self) -> Vec<&str> {
        self.sections.iter().flat_map(|s| &s.blocks).map(|block| block.text.as_str()).collect()
    }
}

/// Reads a file of this name.
pub fn read(name: &str, bytes: &[u8]) -> Read {
    read_with(name, bytes, &Options::default())
}

/// Reads a file of this name with options.
pub fn read_with(name: &str, bytes: &[u8], options: &Options) -> Read {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let mut found = Read::default();
    let pages = sources::read(&[path], options, &mut |problem| {
        found.problems.push((problem.severity, problem.reason));
    });
    assert!(pages.len() <= 1, "{pages:?}");
    if let Some(page) = pages.into_iter().next() {
        found.title = page.title;
        found.sections = page.sections;
    }
    found
}
