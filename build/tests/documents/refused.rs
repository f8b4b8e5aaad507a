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
