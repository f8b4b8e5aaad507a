//! Bad files: each is named with its reason, the others are indexed, and the exit status says so.

use std::process::Command;

/// What a build of a directory with a good file and a bad one says.
struct Said {
    code: i32,
    messages: String,
    pages: u64,
}

/// Builds a bundle of `good.md` and the file.
fn build(name: &str, bytes: &[u8]) -> Said {
    let dir = tempfile::tempdir().unwrap();
    let docs = dir.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    std::fs::write(docs.join("good.md"), "# Good\n\nThis page is read.\n").unwrap();
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
        assert!(said.messages.contains(name), "{name}: {}", said.messages);
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
    ]);
}

#[test]
fn bad_documents_are_named_and_the_rest_is_indexed() {
    use super::archives::{docx, epub, odt, paragraph, zip};

    let good = docx(&paragraph("Heading1", "Tides"), &[]);
    let nested = format!("{}{}", "<w:x>".repeat(2_000), "</w:x>".repeat(2_000));
    let large = vec![b' '; 65 << 20];
    let bomb = zip(&[("word/document.xml", &large)]);
    // The same archive, which says that it unpacks to ten bytes.
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
