//! Writes small archives: Word files, OpenDocument texts, books.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Returns a zip archive of these entries.
pub fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Returns a Word file with this body and these further parts.
pub fn docx(body: &str, parts: &[(&str, &str)]) -> Vec<u8> {
    let document = format!(
        "<?xml version=\"1.0\"?><w:document xmlns:w=\"w\" xmlns:mc=\"mc\"><w:body>{body}</w:body>\
         </w:document>"
    );
    let mut entries: Vec<(&str, &[u8])> = vec![("word/document.xml", document.as_bytes())];
    entries.extend(parts.iter().map(|(name, text)| (*name, text.as_bytes())));
    zip(&entries)
}

/// Returns a paragraph of a Word file in a style.
pub fn paragraph(style: &str, text: &str) -> String {
    format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

/// Returns an OpenDocument text with this body and these further parts.
pub fn odt(body: &str, parts: &[(&str, &str)]) -> Vec<u8> {
    let content = format!(
        "<office:document-content xmlns:office=\"o\" xmlns:text=\"t\" xmlns:table=\"a\">\
         <office:body><office:text>{body}</office:text></office:body></office:document-content>"
    );
    let mut entries: Vec<(&str, &[u8])> = vec![("content.xml", content.as_bytes())];
    entries.extend(parts.iter().map(|(name, text)| (*name, text.as_bytes())));
    zip(&entries)
}

const CONTAINER: &str = "<container><rootfiles><rootfile full-path=\"OPS/book.opf\"/></rootfiles>\
                         </container>";

const PACKAGE: &str = "<package xmlns:dc=\"d\"><metadata><dc:title>Tides</dc:title>\
    <dc:creator>A. Keeper</dc:creator><dc:language>en</dc:language></metadata><manifest>\
    <item id=\"nav\" href=\"nav.xhtml\" media-type=\"application/xhtml+xml\" properties=\"nav\"/>\
    <item id=\"b\" href=\"b.xhtml\" media-type=\"application/xhtml+xml\"/>\
    <item id=\"a\" href=\"text/a%201.xhtml\" media-type=\"application/xhtml+xml\"/>\
    <item id=\"c\" href=\"c.css\" media-type=\"text/css\"/></manifest>\
    <spine><itemref idref=\"nav\"/><itemref idref=\"a\"/><itemref idref=\"b\"/></spine></package>";

/// Returns a book of two chapters with these bodies, and further parts.
pub fn epub(first: &str, second: &str, parts: &[(&str, &str)]) -> Vec<u8> {
    let page =
        |body: &str| format!("<html><head><title>x</title></head><body>{body}</body></html>");
    let (first, second) = (page(first), page(second));
    let mut entries: Vec<(&str, &[u8])> = vec![
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", CONTAINER.as_bytes()),
        ("OPS/book.opf", PACKAGE.as_bytes()),
        ("OPS/nav.xhtml", b"<html><body><nav><a href=\"b.xhtml\">unseen</a></nav></body></html>"),
        ("OPS/text/a 1.xhtml", first.as_bytes()),
        ("OPS/b.xhtml", second.as_bytes()),
    ];
    entries.extend(parts.iter().map(|(name, text)| (*name, text.as_bytes())));
    zip(&entries)
}
