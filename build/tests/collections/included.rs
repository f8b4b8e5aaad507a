//! Tests that a change in a file that a page includes counts as a change in the page.

use std::fs;

use serde_json::json;

use super::home::Home;

#[test]
fn a_file_that_a_page_takes_in_is_synced_when_it_changes() {
    let home = Home::new();
    home.write("site/index.rst", "Tides\n=====\n\n.. include:: part.inc\n\nEnd.\n");
    home.write("site/other.adoc", "= Other\n\ninclude::shared/text.inc[]\n");
    home.write("site/part.inc", "Low water.\n");
    home.add("site");
    assert_eq!(home.found("site", "water").len(), 1);
    assert_eq!(home.sync("site")["status"], "unchanged");
    assert_eq!(home.found("site", "xylophone").len(), 0);

    home.write("site/part.inc", "High xylophone.\n");
    let fresh = home.json(&["search", "site", "tides", "--json"])["_meta"]["freshness"].clone();
    assert_eq!((&fresh["stale"], &fresh["changedFiles"]), (&json!(true), &json!(1)));
    let report = home.sync("site");
    assert_eq!((&report["status"], &report["changed"]), (&json!("built"), &json!(1)), "{report}");
    assert_eq!(home.found("site", "xylophone").len(), 1);
    assert_eq!(home.found("site", "water").len(), 0);
    assert_eq!(home.sync("site")["status"], "unchanged");

    // A missing file is added, and an existing file is removed.
    home.write("site/shared/text.inc", "A glockenspiel.\n");
    assert_eq!(home.sync("site")["status"], "built");
    assert_eq!(home.found("site", "glockenspiel").len(), 1);
    fs::remove_file(home.path("site/part.inc")).unwrap();
    assert_eq!(home.sync("site")["status"], "built");
    assert_eq!(home.found("site", "xylophone").len(), 0);
    assert_eq!(home.sync("site")["status"], "unchanged");

    // A change in an included page counts as one change.
    home.write("site/page.rst", "Page\n====\n\nA celesta.\n");
    home.write("site/index.rst", "Tides\n=====\n\n.. include:: page.rst\n");
    home.sync("site");
    home.write("site/page.rst", "Page\n====\n\nA marimba.\n");
    let report = home.sync("site");
    assert_eq!(report["changed"], 1, "{report}");
    assert_eq!(home.found("site", "marimba").len(), 2);
}
