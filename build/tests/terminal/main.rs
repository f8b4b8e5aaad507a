//! The programs at a terminal, `findling tui` and `findling repl`, through a real terminal with
//! real keys; and answers at a terminal.
#![cfg(all(unix, feature = "tui"))]

// The tests of collections use the rest of it.
#[allow(dead_code)]
#[path = "../collections/home.rs"]
mod home;
mod pager;
mod pty;
mod repl;
mod tui;

use home::Home;

/// Builds `bundle` from records, searched by words.
fn build(home: &Home, records: &[serde_json::Value]) {
    let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
    home.write("records.jsonl", &lines.join("\n"));
    let built = home.run(&["build", "records.jsonl", "-o", "bundle", "--encoder=none"]);
    assert_eq!(built.code, 0, "{}", built.err);
}

/// Returns a record with a year and a topic.
fn record(id: &str, year: u32, topic: &str) -> serde_json::Value {
    serde_json::json!({
        "_id": id,
        "title": format!("The {id} page"),
        "text": format!("A mutex, {topic}."),
        "url": format!("https://example.org/{id}"),
        "year": year,
        "topic": topic,
    })
}

/// Writes a script in place of a program of the user; returns its path.
fn program(home: &Home, name: &str, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt;

    home.write(name, script);
    let path = home.path(name);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}
