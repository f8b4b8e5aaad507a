//! `--require-fresh`.

use std::time::{Duration, SystemTime};

use super::home::{Done, Home};

fn home() -> Home {
    let home = Home::new();
    home.write("notes/a.md", "# Threads\n\nA mutex guards data.\n");
    home.add("notes");
    home
}

fn search(home: &Home, target: &str, most: &str) -> Done {
    home.run(&["search", target, "mutex", "--json", "--require-fresh", most])
}

/// Returns the code and the message of an error.
fn error(done: &Done) -> (String, String) {
    let json: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    let text = |name: &str| json["error"][name].as_str().unwrap_or_default().to_owned();
    (text("code"), text("message"))
}

#[test]
fn a_collection_is_stale_once_its_sources_have_changed_and_a_sync_helps() {
    let home = home();
    assert_eq!(search(&home, "notes", "0d").code, 0, "nothing has changed");
    home.write("notes/b.md", "# More\n");
    let done = search(&home, "notes", "0d");
    assert_eq!(done.code, 3, "{done:?}");
    let (code, message) = error(&done);
    assert_eq!(code, "stale");
    assert!(message.contains("1 file") && message.contains("`findling sync notes`"));
    assert_eq!(search(&home, "notes", "1d").code, 0, "so much may have changed");
    for args in [
        &["similar", "notes", "/a/", "--require-fresh=0s"][..],
        &["context", "mutex", "notes", "--require-fresh=0s"],
    ] {
        assert_eq!(home.run(args).code, 3, "{args:?}");
    }
    let done = home.run(&["find", "mutex", "--json", "--require-fresh=0d"]);
    assert_eq!(done.code, 4, "{done:?}");
    assert!(done.out.contains("\"stale\""), "{done:?}");
    home.sync("notes");
    assert_eq!(search(&home, "notes", "0d").code, 0);
    assert_eq!(search(&home, "notes", "soon").code, 2);
}

#[test]
fn a_bundle_at_a_path_is_as_old_as_its_entry_file() {
    let home = home();
    let exported = home.run(&["collection", "export", "notes", "notes.findling"]);
    assert_eq!(exported.code, 0, "{exported:?}");
    assert_eq!(search(&home, "notes.findling", "1h").code, 0);
    let file = std::fs::File::options().write(true).open(home.path("notes.findling")).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3 * 86_400)).unwrap();
    let done = search(&home, "notes.findling", "2d");
    assert_eq!((done.code, error(&done).0.as_str()), (3, "stale"), "{done:?}");
    assert!(error(&done).1.contains("3 days"), "{done:?}");
    assert_eq!(search(&home, "notes.findling", "1w").code, 0);
    // The directory that contains only the file is newer than the bundle.
    std::fs::create_dir(home.path("alone")).unwrap();
    std::fs::rename(home.path("notes.findling"), home.path("alone/bundle.findling")).unwrap();
    assert_eq!(search(&home, "alone", "2d").code, 3);
    assert_eq!(search(&home, "alone", "1w").code, 0);
}

#[test]
fn a_collection_that_was_imported_cannot_be_compared() {
    let home = home();
    home.run(&["collection", "export", "notes", "notes.findling"]);
    let imported = home.run(&["collection", "import", "notes.findling", "copy"]);
    assert_eq!(imported.code, 0, "{imported:?}");
    assert_eq!(search(&home, "copy", "1d").code, 0);
    let done = search(&home, "copy", "0s");
    assert_eq!((done.code, error(&done).0.as_str()), (3, "stale"), "{done:?}");
    assert!(error(&done).1.contains("collection import"), "{done:?}");
}
