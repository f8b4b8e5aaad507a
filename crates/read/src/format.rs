//! The formats of files, and how they are found from file names.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use bincode::{Decode, Encode};
use serde::{Deserialize, Serialize};

/// The kinds of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode, Serialize, Deserialize)]
pub enum Format {
    /// Rendered HTML.
    Html,
    /// Markdown, MDX.
    Markdown,
    /// reStructuredText, as Sphinx reads it.
    Rst,
    /// AsciiDoc.
    Asciidoc,
    /// Org.
    Org,
    /// JSON lines: one JSON object on each line.
    Jsonl,
    /// Source code in any language.
    Code,
    /// Conversations: session logs, exported chats, mailboxes.
    Chats,
    /// PDF.
    Pdf,
    /// Papers: bibliographies, and texts beside them.
    Papers,
    /// Word files, OpenDocument texts, books, notebooks, manual pages, descriptions of
    /// interfaces, plain text.
    Documents,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 11] = [
        Format::Html,
        Format::Markdown,
        Format::Rst,
        Format::Asciidoc,
        Format::Org,
        Format::Jsonl,
        Format::Code,
        Format::Chats,
        Format::Pdf,
        Format::Papers,
        Format::Documents,
    ];

    /// Returns the name in settings: `html`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Html => "html",
            Format::Markdown => "markdown",
            Format::Rst => "rst",
            Format::Asciidoc => "asciidoc",
            Format::Org => "org",
            Format::Jsonl => "jsonl",
            Format::Code => "code",
            Format::Chats => "chats",
            Format::Pdf => "pdf",
            Format::Papers => "papers",
            Format::Documents => "documents",
        }
    }

    /// Returns the name in messages: `HTML`.
    pub fn title(self) -> &'static str {
        match self {
            Format::Html => "HTML",
            Format::Markdown => "Markdown",
            Format::Rst => "reStructuredText",
            Format::Asciidoc => "AsciiDoc",
            Format::Org => "Org",
            Format::Jsonl => "JSONL",
            Format::Code => "source code",
            Format::Chats => "conversations",
            Format::Pdf => "PDF",
            Format::Papers => "papers",
            Format::Documents => "documents",
        }
    }

    /// Returns the format of a file whose name alone determines it, by the extension.
    pub fn of_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "html" | "htm" | "xhtml" | "xht" => Some(Format::Html),
            "md" | "mdx" | "markdown" | "mdown" | "qmd" | "rmd" | "rmarkdown" | "mdoc" | "mkd" => {
                Some(Format::Markdown)
            }
            "rst" | "rest" => Some(Format::Rst),
            "adoc" | "asciidoc" | "asc" => Some(Format::Asciidoc),
            "org" => Some(Format::Org),
            "jsonl" | "ndjson" => Some(Format::Jsonl),
            "pdf" => Some(Format::Pdf),
            "docx" | "docm" | "odt" | "ott" | "epub" | "ipynb" | "txt" | "text" => {
                Some(Format::Documents)
            }
            _ => None,
        }
    }

    /// Returns whether authors write the pages of a site in this format.
    pub fn is_markup(self) -> bool {
        matches!(self, Format::Markdown | Format::Rst | Format::Asciidoc | Format::Org)
    }
}

/// The URL that a site generator gives to `guide/start.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MarkdownUrls {
    /// `guide/start/`, as Hugo, MkDocs, Docusaurus and Astro do.
    #[default]
    Directory,
    /// `guide/start.html`, as mdBook and VitePress do.
    Html,
    /// `guide/start`.
    Bare,
}

impl MarkdownUrls {
    /// All kinds.
    pub const ALL: [MarkdownUrls; 3] =
        [MarkdownUrls::Directory, MarkdownUrls::Html, MarkdownUrls::Bare];

    /// Returns the name in settings: `directory`.
    pub fn name(self) -> &'static str {
        match self {
            MarkdownUrls::Directory => "directory",
            MarkdownUrls::Html => "html",
            MarkdownUrls::Bare => "bare",
        }
    }
}

/// A name that is not the name of a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {}, found `{}`", Format::ALL.map(Format::name).join(", "), .0)]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let mut all = Self::ALL.into_iter();
        all.find(|format| format.name() == name).ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert!("HTML".parse::<Format>().is_err());
    }
}
