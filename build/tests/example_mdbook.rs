//! The example `examples/mdbook.rs` builds the bundle of a book as mdBook hands it over.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::json;

/// Returns the example, which cargo builds with the tests.
fn example() -> PathBuf {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_findling"));
    program.with_file_name("examples").join("mdbook")
}

#[test]
fn a_book_from_mdbook_is_searched() {
    let directory = tempfile::tempdir().unwrap();
    let chapter = |name: &str, path: Option<&str>, text: &str| {
        let chapter = json!({ "name": name, "path": path, "content": text, "sub_items": [] });
        json!({ "Chapter": chapter })
    };
    let mut first = chapter("Kilns", Some("kilns.md"), "# Kilns\n\nA kiln fires clay.");
    first["Chapter"]["sub_items"] =
        json!([chapter("Doors", Some("kilns/doors.md"), "# Doors\n\nThe door closes.")]);
    let book = json!({ "sections": [
        first, "Separator", { "PartTitle": "More" }, chapter("A draft", None, ""),
    ] });
    let context = json!({
        "version": "0.4.40", "root": directory.path(), "destination": directory.path(),
        "config": {}, "book": book,
    });
    let mut backend = Command::new(example()).stdin(Stdio::piped()).spawn().unwrap();
    backend.stdin.take().unwrap().write_all(context.to_string().as_bytes()).unwrap();
    assert!(backend.wait().unwrap().success());

    let search = Command::new(env!("CARGO_BIN_EXE_findling"))
        .args(["search", "--json", "--mode=lexical"])
        .arg(directory.path().join("findling"))
        .arg("door")
        .output()
        .unwrap();
    let response: serde_json::Value = serde_json::from_slice(&search.stdout).unwrap();
    assert_eq!(response["total"]["pages"], 1, "{response}");
    assert_eq!(response["results"][0]["url"], "/kilns/doors.html");
}
