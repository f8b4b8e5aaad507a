//! Runs the tables of searches in `docs/queries.md`, each over a bundle of one page.

use std::path::Path;
use std::process::Command;

use findling_build::host::Host;
use findling_engine::Request;
use serde_json::json;

/// Returns whether `query` finds a page with this text, by words alone.
fn finds(query: &str, text: &str) -> bool {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (pages, bundle) = (directory.path().join("pages"), directory.path().join("bundle"));
    std::fs::create_dir(&pages).expect("a directory");
    std::fs::write(pages.join("page.md"), format!("# Page\n\n{text}\n")).expect("a page");
    let output = Command::new(env!("CARGO_BIN_EXE_findling"))
        .args(["build", "--no-client", "--quiet", "--encoder", "none", "--output"])
        .args([&bundle, &pages])
        .output()
        .expect("findling runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut host = Host::open(&bundle).expect("a bundle");
    let request = Request::from_json(&json!({"query": query}).to_string()).expect("a request");
    let (response, _) = host.search(request).expect("an answer");
    !response.results.is_empty()
}

#[test]
fn every_example_of_a_search_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/queries.md");
    let page = std::fs::read_to_string(path).expect("docs/queries.md can be read");
    let (mut in_table, mut n_rows, mut wrong) = (false, 0, Vec::new());
    for line in page.lines() {
        if line == "| query | page | found |" {
            in_table = true;
        } else if !line.starts_with('|') {
            in_table = false;
        } else if in_table && !line.starts_with("|--") {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [query, text, found] = cells[..] else {
                panic!("expected three cells, found {line}")
            };
            n_rows += 1;
            if finds(query.trim_matches('`'), text) != (found == "yes") {
                wrong.push(line);
            }
        }
    }
    assert!(n_rows > 30, "found {n_rows} rows");
    assert!(wrong.is_empty(), "these rows are wrong:\n{}", wrong.join("\n"));
}
