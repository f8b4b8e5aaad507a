//! The example `examples/rust-engine` finds a page in a bundle that the tool wrote.

use std::path::Path;
use std::process::Command;

use example_rust_engine::MemorySearch;
use findling_engine::Request;

/// Builds a single-file bundle of a small site and returns its bytes.
fn bundle() -> Vec<u8> {
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ranking/phrases/pages");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("site.findling");
    let output = Command::new(env!("CARGO_BIN_EXE_findling"))
        .args(["build", "--single-file", "--encoder", "none", "-o"])
        .arg(&file)
        .arg(site)
        .output()
        .expect("the tool runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(file).expect("the tool wrote the bundle")
}

#[test]
fn a_bundle_in_memory_answers() {
    let mut search = MemorySearch::open(bundle()).expect("the bundle opens");
    let request = |query: &str| Request { query: query.to_owned(), ..Request::default() };
    let response = search.search(request("\"memory leak\"")).expect("an answer");
    assert!(response.results.iter().any(|page| page.url.contains("memory-leak")), "{response:?}");
    let response = search.search(request("zzyzx")).expect("an answer");
    assert!(response.results.is_empty(), "{response:?}");
}

#[test]
fn a_damaged_bundle_is_refused() {
    let mut bytes = bundle();
    bytes.truncate(bytes.len() / 2);
    assert!(MemorySearch::open(bytes).is_err());
    assert!(MemorySearch::open(b"not a bundle".to_vec()).is_err());
}
