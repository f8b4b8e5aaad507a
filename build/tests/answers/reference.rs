//! Tests that `docs/cli.md` equals the program's own description of its options.

use std::collections::BTreeMap;
use std::path::Path;

use super::home::Home;

/// Returns the sections of a document by their headings.
fn sections(document: &str) -> BTreeMap<&str, &str> {
    document.split("\n## ").filter_map(|section| section.split_once('\n')).collect()
}

#[test]
fn the_document_has_every_option_as_it_is() {
    let home = Home::new();
    let done = home.run(&["man", "--markdown", "cli.md"]);
    assert_eq!(done.code, 0, "{done:?}");
    let written = std::fs::read_to_string(home.path("cli.md")).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/cli.md");
    let documented = std::fs::read_to_string(path).unwrap();
    let (written, documented) = (sections(&written), sections(&documented));
    for (heading, text) in &written {
        let same = documented.get(heading).is_some_and(|known| known.trim() == text.trim());
        assert!(same, "{heading}: `findling man --markdown docs/cli.md` writes it anew");
    }
    // A program with fewer features has fewer commands.
    let gone = documented.keys().filter(|heading| !written.contains_key(*heading));
    let with_features = [
        "findling distill",
        "findling mcp",
        "findling models fit",
        "findling models prepare",
        "findling repl",
        "findling tui",
    ];
    let gone: Vec<_> = gone.filter(|heading| !with_features.contains(heading)).collect();
    assert!(gone.is_empty(), "{gone:?}");
}
