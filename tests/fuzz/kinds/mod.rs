//! The kinds of files that people index, and any bytes as a file of each. The fuzz targets use
//! them, and the test of inputs that once made a parser fail.

use std::io::{Cursor, Write};

use findling_read::{Document, Format, Options, extract_document};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The way in which the bytes of the fuzzer become a file.
pub enum Wrapping {
    /// The bytes are the file.
    Plain,
    /// The bytes are the entry of this name in a zip archive that has the other entries already.
    Entry(&'static str, &'static [(&'static str, &'static str)]),
}

/// A kind of file.
pub struct Kind {
    /// The name of the target.
    pub name: &'static str,
    /// The name of the file, from which readers see the kind.
    file: &'static str,
    format: Format,
    wrapping: Wrapping,
}

const CONTAINER: &str = r#"<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book.opf"/></rootfiles></container>"#;
const BOOK: &str = r#"<package xmlns="http://www.idpf.org/2007/opf">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Kilns</dc:title></metadata>
<manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="a"/></spine></package>"#;

const fn plain(name: &'static str, file: &'static str, format: Format) -> Kind {
    Kind { name, file, format, wrapping: Wrapping::Plain }
}

const fn entry(
    name: &'static str,
    file: &'static str,
    entry: &'static str,
    others: &'static [(&'static str, &'static str)],
) -> Kind {
    Kind { name, file, format: Format::Documents, wrapping: Wrapping::Entry(entry, others) }
}

/// The kinds, each with a fuzz target of its name.
pub const KINDS: &[Kind] = &[
    plain("html", "page.html", Format::Html),
    plain("markdown", "page.md", Format::Markdown),
    plain("mdx", "page.mdx", Format::Markdown),
    plain("rst", "page.rst", Format::Rst),
    plain("asciidoc", "page.adoc", Format::Asciidoc),
    plain("org", "page.org", Format::Org),
    plain("records", "records.jsonl", Format::Jsonl),
    plain("bibtex", "papers.bib", Format::Papers),
    plain("ris", "papers.ris", Format::Papers),
    plain("nbib", "papers.nbib", Format::Papers),
    plain("enw", "papers.enw", Format::Papers),
    plain("endnote", "papers.xml", Format::Papers),
    plain("pubmed", "papers.xml", Format::Papers),
    plain("csl", "papers.json", Format::Papers),
    plain("sessions", "session.jsonl", Format::Chats),
    plain("chats", "conversations.json", Format::Chats),
    plain("mbox", "mail.mbox", Format::Chats),
    plain("notebook", "notebook.ipynb", Format::Documents),
    plain("archive", "book.epub", Format::Documents),
    plain("man", "page.1", Format::Documents),
    plain("openapi", "api.yaml", Format::Documents),
    entry("docx", "text.docx", "word/document.xml", &[]),
    entry("odt", "text.odt", "content.xml", &[]),
    entry(
        "epub",
        "book.epub",
        "a.xhtml",
        &[("META-INF/container.xml", CONTAINER), ("book.opf", BOOK)],
    ),
    entry(
        "opf",
        "book.epub",
        "book.opf",
        &[("META-INF/container.xml", CONTAINER), ("a.xhtml", "<p>a</p>")],
    ),
    plain("pdf", "paper.pdf", Format::Pdf),
    plain("rust", "code.rs", Format::Code),
    plain("python", "code.py", Format::Code),
    plain("typescript", "code.ts", Format::Code),
    plain("cpp", "code.cpp", Format::Code),
];

/// Reads bytes as a file of this kind.
///
/// # Panics
/// If a parser panics, or takes longer than a build waits.
pub fn read(kind: &Kind, bytes: &[u8]) {
    let bytes = match kind.wrapping {
        Wrapping::Plain => bytes.to_vec(),
        Wrapping::Entry(name, others) => archive(name, bytes, others),
    };
    let document = Document {
        url: kind.file.to_owned(),
        id: kind.file.to_owned(),
        format: kind.format,
        charset: None,
        bytes: &bytes,
    };
    extract_document(&document, &Options::default(), &mut |problem| {
        assert!(!problem.reason.contains("please report it"), "{}", problem.reason);
        assert!(!problem.reason.contains("takes longer than"), "{}", problem.reason);
    });
}

/// Returns a zip archive of the other entries and of one with these bytes.
fn archive(name: &str, bytes: &[u8], others: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let others = others.iter().map(|(name, text)| (*name, text.as_bytes()));
    for (name, bytes) in others.chain([(name, bytes)]) {
        zip.start_file(name, stored).expect("an entry can be added in memory");
        zip.write_all(bytes).expect("memory can be written");
    }
    zip.finish().expect("an archive can be ended in memory").into_inner()
}
