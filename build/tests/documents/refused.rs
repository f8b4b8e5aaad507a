//! Bad files: a message names each with the reason, the other files are indexed, and the exit
//! status reports it.

use std::process::Command;

/// Outcome of a build of a directory with a good file and a bad one.
struct Said {
    code: i32,
    messages: String,
    pages: u64,
}

/// Builds a bundle of a good file and the file. Records are not read beside pages.
fn build(name: &str, bytes: &[u8]) -> Said {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    let (good, text) = match name.ends_with(".jsonl") {
        true => ("good.jsonl", "{\"_id\": \"good\", \"text\": \"This record is read.\"}\n"),
        false => ("good.md", "# Good\n\nThis page is read.\n"),
    };
    std::fs::write(docs.join(good), text).unwrap();
    std::fs::write(docs.join(name), bytes).unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_findling"))
        .args([
            "build",
            "docs",
            "-o",
            "out",
            "--encoder=none",
            "--no-client",
            "--json",
            "--verbose",
        ])
        .current_dir(dir.path())
        .env("FINDLING_HOME", dir.path().join("home"))
        .env("FINDLING_CACHE", dir.path().join("cache"))
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap_or_default();
    Said {
        code: done.status.code().unwrap_or(-1),
        messages: String::from_utf8_lossy(&done.stderr).into_owned(),
        pages: report["pages"].as_u64().unwrap_or_default(),
    }
}

/// A bad file of a table: its name, its bytes, the exit status, and words of the message.
pub type Case = (&'static str, Vec<u8>, i32, &'static str);

/// Checks each case. A file that is read in part counts as a page.
pub fn check(cases: Vec<Case>) {
    for (name, bytes, code, words) in cases {
        let said = build(name, &bytes);
        assert_eq!(said.code, code, "{name}: {}", said.messages);
        // A file that is only odd needs no message.
        let is_told = words.is_empty() || said.messages.contains(name);
        assert!(is_told, "{name}: {}", said.messages);
        assert!(said.messages.contains(words), "{words} of {name}: {}", said.messages);
        assert!(!said.messages.contains('\u{1b}'), "{name}: an escape sequence");
        assert!(said.pages >= 1, "{name}: the good page is lost");
    }
}

#[cfg(feature = "pdf")]
#[test]
fn bad_pdfs_are_named_and_the_rest_is_indexed() {
    use std::io::Read;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::pdf_writer::{Page, Pdf, file, stream};

    let text = |text: &str| Page::new().lines(50, 700, &[text]);
    let whole = Pdf::new().page(text("One")).page(text("Two")).bytes();
    let unknown = Page::new().draw("BT /U 10 Tf 50 700 Td <000100020003> Tj ET");
    let half = Pdf::new().page(text("One")).page(Page::new().image());
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    std::io::copy(&mut std::io::repeat(b' ').take(129 << 20), &mut packed).unwrap();
    let packed = stream("/Filter /FlateDecode", &packed.finish().unwrap());
    let bomb = file(
        &[
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_vec(),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>".to_vec(),
            packed,
        ],
        "/Root 1 0 R",
    );
    let encrypted = file(
        &[
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            b"<< /Type /Pages /Count 0 /Kids [] >>".to_vec(),
            format!("<< /Filter /Standard /V 1 /R 2 /P -4 /O <{0}> /U <{0}> >>", "5a".repeat(32))
                .into_bytes(),
        ],
        "/Root 1 0 R /Encrypt 3 0 R /ID [<00> <00>]",
    );
    let loops = file(
        &[
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            b"<< /Type /Pages /Count 1 /Kids [2 0 R] >>".to_vec(),
        ],
        "/Root 1 0 R",
    );
    check(vec![
        ("empty.pdf", Vec::new(), 3, "%PDF"),
        ("other.pdf", b"<html>not a PDF</html>".to_vec(), 3, "%PDF"),
        ("zeros.pdf", vec![0; 4096], 3, "%PDF"),
        ("header-alone.pdf", b"%PDF-1.7\n".to_vec(), 3, "damaged"),
        ("no-pages.pdf", file(&[b"<< /Type /Catalog >>".to_vec()], "/Root 1 0 R"), 3, "damaged"),
        ("pages-in-a-circle.pdf", loops, 0, "no text"),
        ("truncated.pdf", whole[..whole.len() / 2].to_vec(), 3, "cut off"),
        ("scan.pdf", Pdf::new().page(Page::new().image()).bytes(), 3, "scan"),
        ("half-scanned.pdf", half.bytes(), 0, "scan"),
        ("unknown-font.pdf", Pdf::new().page(unknown).bytes(), 3, "characters"),
        ("blank.pdf", Pdf::new().page(Page::new()).bytes(), 0, "no text"),
        ("packed-bomb.pdf", bomb, 3, "unpacks"),
        ("encrypted.pdf", encrypted, 3, "password"),
    ]);
}

#[test]
fn bad_documents_are_named_and_the_rest_is_indexed() {
    use super::archives::{docx, epub, odt, paragraph, zip};

    let good = docx(&paragraph("Heading1", "Tides"), &[]);
    let nested = format!("{}{}", "<w:x>".repeat(2_000), "</w:x>".repeat(2_000));
    let large = vec![b' '; 65 << 20];
    let bomb = zip(&[("word/document.xml", &large)]);
    // The same archive, which now states an unpacked size of ten bytes.
    let mut lying = bomb.clone();
    let real = (large.len() as u32).to_le_bytes();
    while let Some(at) = lying.windows(4).position(|bytes| bytes == real) {
        lying[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
    }
    let manifest = "<manifest:manifest xmlns:manifest=\"m\"><manifest:file-entry>\
        <manifest:encryption-data/></manifest:file-entry></manifest:manifest>";
    let encryption = "<encryption><EncryptedData><CipherData><CipherReference URI=\"OPS/b.xhtml\"/>\
        </CipherData></EncryptedData></encryption>";
    let entity = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>";
    let entities =
        format!("{entity}<w:document xmlns:w=\"w\"><w:p><w:r><w:t>Kept &b;</w:t></w:r></w:p>");
    check(vec![
        ("empty.docx", Vec::new(), 3, "zip"),
        ("text.docx", b"not an archive".to_vec(), 3, "zip"),
        ("truncated.docx", good[..good.len() / 2].to_vec(), 3, "zip"),
        ("no-body.docx", zip(&[("word/styles.xml", b"<w:styles/>")]), 3, "word/document.xml"),
        ("broken-xml.docx", zip(&[("word/document.xml", b"<a><b></a>")]), 3, "XML"),
        ("half-xml.docx", zip(&[("word/document.xml", b"<a><b>")]), 3, "too early"),
        ("deep.docx", docx(&nested, &[]), 3, "deep"),
        ("entities.docx", zip(&[("word/document.xml", entities.as_bytes())]), 3, "too early"),
        ("bomb.docx", bomb, 3, "unpacks"),
        ("lying-bomb.docx", lying, 3, "unpack"),
        ("old.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more".to_vec(), 3, "older"),
        ("empty-page.docx", docx("", &[]), 0, "no text"),
        ("no-content.odt", zip(&[("meta.xml", b"<m/>")]), 3, "content.xml"),
        ("encrypted.odt", odt("", &[("META-INF/manifest.xml", manifest)]), 3, "encrypted"),
        ("no-container.epub", zip(&[("mimetype", b"application/epub+zip")]), 3, "container"),
        (
            "protected.epub",
            epub("a", "b", &[("META-INF/encryption.xml", encryption)]),
            3,
            "protected",
        ),
        ("half.ipynb", b"{\"cells\": [".to_vec(), 3, "JSON"),
        ("other.ipynb", b"{}".to_vec(), 3, "cells"),
    ]);
}

#[test]
fn bad_pages_are_named_and_the_rest_is_indexed() {
    let long = vec![b'x'; 100 << 20];
    let quotes = "> ".repeat(5_000) + "x\n";
    let examples: String = (4..200).map(|n| "=".repeat(n) + "\n").collect();
    let lists: String = (0..500).map(|n| format!("{}- x\n", "  ".repeat(n))).collect();
    let stars: String = (1..500).map(|n| format!("{} x\n", "*".repeat(n))).collect();
    let attributes: String =
        (1..12).map(|n| format!(":a{n}: {}\n", format!("{{a{}}}", n - 1).repeat(10))).collect();
    let bytes = |text: &str| text.as_bytes().to_vec();
    check(vec![
        ("empty.md", Vec::new(), 0, "no text"),
        ("zeros.md", vec![0; 4096], 3, "binary"),
        ("nul.md", b"# A\n\nbeta\0gamma delta epsilon zeta eta theta iota\n".to_vec(), 0, "NUL"),
        ("latin.md", b"# Caf\xe9\n\nText.\n".to_vec(), 0, "UTF-8"),
        ("front.md", b"---\ntitle: [a\n---\n# T\n\ntext\n".to_vec(), 0, "front matter"),
        ("long-line.md", long, 3, "limit"),
        ("deep.md", bytes(&quotes), 0, ""),
        ("zeros.html", vec![0; 4096], 0, "no text"),
        ("latin.html", b"<title>A</title><p>Caf\xe9</p>".to_vec(), 0, "UTF-8"),
        ("deep.html", bytes(&"<div>".repeat(5_000)), 3, "deep"),
        ("zeros.rst", vec![0; 4096], 3, "binary"),
        ("latin.rst", b"Caf\xe9\n====\n\nText.\n".to_vec(), 0, "UTF-8"),
        ("empty.rst", bytes(".. a comment\n"), 0, "no text"),
        ("outside.rst", bytes("A\n=\n\n.. include:: ../../secret.txt\n"), 0, "secret.txt"),
        ("itself.rst", bytes("A\n=\n\n.. include:: itself.rst\n"), 0, "itself"),
        ("deep.rst", bytes(&lists), 0, ""),
        ("zeros.adoc", vec![0; 4096], 3, "binary"),
        ("latin.adoc", b"= Caf\xe9\n\nText.\n".to_vec(), 0, "UTF-8"),
        ("outside.adoc", bytes("= A\n\ninclude::/etc/hostname[]\n\ntext\n"), 0, "hostname"),
        ("itself.adoc", bytes("= A\n\ninclude::itself.adoc[]\n\ntext\n"), 0, ""),
        ("deep.adoc", bytes(&examples), 3, "deep"),
        ("large.adoc", "text \n".repeat(2 << 20).into_bytes(), 3, "limit"),
        ("bomb.adoc", format!(":a0: 0123456789\n{attributes}\n{{a11}}\n").into_bytes(), 0, ""),
        ("zeros.org", vec![0; 4096], 3, "binary"),
        ("latin.org", b"* Caf\xe9\n\nText.\n".to_vec(), 0, "UTF-8"),
        ("outside.org", bytes("* A\n#+INCLUDE: \"../../secret\"\ntext\n"), 0, "secret"),
        ("deep.org", bytes(&stars), 0, ""),
    ]);
}

#[test]
fn bad_records_are_named_and_the_rest_is_indexed() {
    let line = |middle: &str| format!("{{\"_id\": \"a\", \"text\": \"one\"{middle}}}\n");
    let deep = format!(", \"x\": {}{}", "[".repeat(500), "]".repeat(500));
    let mut long = b"{\"_id\": \"a\", \"text\": \"".to_vec();
    long.resize(100 << 20, b'x');
    long.extend_from_slice(b"\"}\n");
    check(vec![
        ("half.jsonl", b"{\"_id\": \"b\", \"te".to_vec(), 3, "half.jsonl:1"),
        ("same-ids.jsonl", (line("") + &line("")).into_bytes(), 3, "same-ids.jsonl:2"),
        ("deep.jsonl", line(&deep).into_bytes(), 3, "deep.jsonl:1"),
        ("long-line.jsonl", long, 3, "long-line.jsonl:1"),
        ("nul.jsonl", (line("").trim_end().to_owned() + "\0\n").into_bytes(), 3, "nul.jsonl:1"),
        ("latin.jsonl", b"{\"_id\": \"a\", \"text\": \"caf\xe9\"}\n".to_vec(), 3, "latin.jsonl:1"),
        ("list.jsonl", b"[1]\n".to_vec(), 3, "list.jsonl:1"),
        ("no-id.jsonl", b"{\"text\": \"one\"}\n".to_vec(), 3, "no-id.jsonl:1"),
    ]);
}
