//! Conversations as a collection: added, searched by role and time, and synced while they continue.

use std::fs;

use serde_json::{Value, json};

use crate::home::Home;

fn line(session: &str, id: &str, time: &str, role: &str, text: &str) -> String {
    let line = json!({
        "type": role, "uuid": id, "sessionId": session, "cwd": "/src/pool", "timestamp": time,
        "message": {"role": role, "content": [{"type": "text", "text": text}]},
    });
    format!("{line}\n")
}

fn session(home: &Home) {
    let turns = [
        line("s1", "1", "2025-03-03T09:00:00Z", "user", "Why do workers starve at noon?"),
        line("s1", "2", "2025-03-03T09:01:00Z", "assistant", "The lock is held while they wait."),
        line("s1", "3", "2025-06-01T09:00:00Z", "user", "Do workers starve again?"),
        line("s1", "4", "2025-06-01T09:02:00Z", "assistant", "No, the lock is released now."),
    ];
    home.write("logs/-src-pool/s1.jsonl", &turns.concat());
}

/// Returns the addresses of the sections that a search finds.
fn sections(home: &Home, args: &[&str]) -> Vec<String> {
    let base = ["search", "logs", "--json", "--mode=lexical", "--verbatim"];
    let response = home.json(&[&base[..], args].concat());
    let pages = response["results"].as_array().unwrap().iter();
    let sections = pages.flat_map(|page| page["sections"].as_array().unwrap());
    sections.map(|section| section["url"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_session_that_goes_on_is_synced_and_its_turns_are_found_by_their_address() {
    let home = Home::new();
    session(&home);
    let added = home.json(&[
        "collection",
        "add",
        "logs",
        "logs",
        "--kind=chats",
        "--encoder=none",
        "--json",
    ]);
    assert_eq!((&added["pages"], &added["unreadable"]), (&json!(1), &json!(0)));
    assert_eq!(sections(&home, &["released"]), ["/-src-pool/s1.jsonl#turn-4"]);

    let path = home.path("logs/-src-pool/s1.jsonl");
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str(&line("s1", "5", "2025-06-02T09:00:00Z", "user", "Thank you, and the mutex?"));
    text.push_str("{\"type\":\"assistant\",\"message\":{\"ro");
    fs::write(&path, text).unwrap();
    let synced = home.sync("logs");
    assert_eq!(
        (&synced["changed"], &synced["pages"], &synced["unreadable"]),
        (&json!(1), &json!(1), &json!(0)),
        "half of the last line is no fault"
    );
    assert_eq!(sections(&home, &["mutex"]), ["/-src-pool/s1.jsonl#turn-5"]);
    assert_eq!(home.sync("logs")["status"], "unchanged");
}

#[test]
fn pages_are_filtered_by_project_session_and_time() {
    let home = Home::new();
    session(&home);
    let other = line("s2", "1", "2024-01-01T00:00:00Z", "user", "How do workers stop?");
    home.write("logs/-src-mail/s2.jsonl", &other.replace("/src/pool", "/src/mail"));
    home.json(&["collection", "add", "logs", "logs", "--encoder=none", "--json"]);
    let first = |filter: &str| sections(&home, &["workers", &format!("--filter={filter}")]);
    assert!(first("project=mail").iter().all(|url| url.contains("s2.jsonl")));
    assert!(!first("project=mail").is_empty(), "a directory of sessions is recognised");
    assert!(first("session=s1").iter().all(|url| url.contains("s1.jsonl")));
    assert!(first("updated:gte:2025-06-01").iter().all(|url| url.contains("s1.jsonl")));
    assert_eq!(first("roles=tool"), [""; 0]);
}

#[test]
fn a_turn_is_found_by_who_said_it_and_when() {
    let home = Home::new();
    session(&home);
    home.json(&["collection", "add", "logs", "logs", "--encoder=none", "--json"]);
    let found = |filter: &str| sections(&home, &["workers lock", &format!("--filter={filter}")]);
    let turn = |n: u32| format!("/-src-pool/s1.jsonl#turn-{n}");
    let mut by_user = found("role=user");
    by_user.sort();
    assert_eq!(by_user, [turn(1), turn(3)]);
    assert_eq!(found("role=user,time>=2025-06-01"), [turn(3)]);
    assert_eq!(found("role=assistant,time<2025-06-01"), [turn(2)]);
    assert_eq!(found("role=assistant,time>=2025-06-01"), [turn(4)]);
}

#[test]
fn tool_output_and_names_of_fields_are_settings_of_a_collection() {
    let home = Home::new();
    home.write(
        "logs/a.jsonl",
        "{\"who\": \"user\", \"say\": \"Which port is it?\"}\n\
         {\"who\": \"tool\", \"say\": \"listening on zanzibar\"}\n",
    );
    home.write("fields.toml", "role = \"who\"\ntext = \"say\"\n");
    let add = ["collection", "add", "logs", "logs", "--kind=chats", "--encoder=none", "--json"];
    let done = home.run(&add);
    assert_eq!(done.code, 1, "without the names there is no message: {done:?}");
    home.run(&["collection", "remove", "logs", "--yes"]);
    home.json(&[&add[..], &["--chat-fields=fields.toml"]].concat());
    assert_eq!(home.found("logs", "zanzibar"), [""; 0]);
    assert_eq!(home.found("logs", "port"), ["/a.jsonl"]);
    home.json(&["collection", "remove", "logs", "--yes", "--json"]);
    home.json(&[&add[..], &["--chat-fields=fields.toml", "--tool-output"]].concat());
    assert_eq!(home.found("logs", "zanzibar"), ["/a.jsonl"]);
    home.write("fields.toml", "role = \"who\"\ntext = \"nothing\"\n");
    let failed = home.run(&["sync", "logs", "--json"]);
    let report: Value = serde_json::from_str(&failed.out).unwrap();
    assert_eq!(report["collections"][0]["status"], "failed", "a change of the names is seen");
    assert_eq!(home.found("logs", "port"), ["/a.jsonl"], "the last bundle stays in use");
}

#[test]
fn damaged_files_are_named_and_have_the_exit_codes_that_are_documented() {
    let good = "{\"role\": \"user\", \"content\": \"Is it read?\"}\n";
    let long = format!("{{\"role\": \"user\", \"content\": \"{}\"}}\n", "x".repeat(100 << 20));
    let deep = format!("{{\"a\": {}{}}}\n", "[".repeat(1000), "]".repeat(1000));
    let cases: &[(&str, &str, &[u8], i32, bool)] = &[
        ("half.jsonl", "the last line by half", b"{\"role\": \"us", 0, false),
        ("inside.jsonl", "half a line inside", b"{\"role\": \"us\n\n", 0, true),
        ("nul.jsonl", "NUL bytes", &[0; 512], 0, false),
        ("utf8.jsonl", "bytes", b"{\"role\": \"user\", \"content\": \"\xff\xfe\"}\n", 0, true),
        ("long.jsonl", "100 MB in a line", long.as_bytes(), 0, true),
        ("deep.jsonl", "deep nesting", deep.as_bytes(), 0, true),
        ("types.jsonl", "wrong types", b"{\"role\": 1, \"content\": {\"a\": 1}}\n", 0, true),
        ("list.jsonl", "a list", b"[]\n", 0, true),
        ("cut.json", "an export that ends early", b"[{\"mapping\": {\"a\":", 3, true),
        ("empty.jsonl", "an empty file", b"", 0, false),
        ("none.json", "no conversation", b"{}", 0, false),
        ("empty.mbox", "an empty mailbox", b"", 0, false),
        ("bare.mbox", "a mail without headers", b"From a b\n\nText.\n", 0, true),
    ];
    for (name, what, bytes, code, is_named) in cases {
        let home = Home::new();
        home.write("logs/good.jsonl", good);
        let mut text = if name.ends_with(".jsonl") && !bytes.is_empty() {
            good.as_bytes().to_vec()
        } else {
            Vec::new()
        };
        text.extend(*bytes);
        fs::write(home.path(&format!("logs/{name}")), text).unwrap();
        let done = home.run(&[
            "build",
            "logs",
            "--format=chats",
            "--encoder=none",
            "--no-client",
            "-o",
            "out",
        ]);
        assert_eq!(done.code, *code, "{what}: {done:?}");
        assert_eq!(done.err.contains(name), *is_named, "{what}: {}", done.err);
        assert!(!home.found("out", "read").is_empty(), "{what}: the rest is indexed");
    }
}

#[test]
fn a_mailbox_is_read_by_threads_and_shown_by_inspect() {
    let home = Home::new();
    home.write(
        "mail/list.mbox",
        "From ana@example.org Mon Mar  3 10:00:00 2025\n\
         From: Ana <ana@example.org>\nSubject: Lost frames\nMessage-ID: <1@example.org>\n\
         Date: Mon, 3 Mar 2025 10:00:00 +0000\n\nFrames are lost \u{1b}[31mat night.\n\n\
         From ben@example.org Mon Mar  3 11:00:00 2025\n\
         From: Ben <ben@example.org>\nSubject: Re: Lost frames\nIn-Reply-To: <1@example.org>\n\
         Date: Mon, 3 Mar 2025 11:00:00 +0000\n\n> Frames are lost\nRaise the buffer.\n",
    );
    let report = home.json(&["inspect", "--extraction", "mail/list.mbox", "--json"]);
    let page = &report["pages"][0];
    assert_eq!(page["title"], "Lost frames");
    let headings: Vec<&str> = page["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|section| section["heading"].as_str().unwrap())
        .collect();
    assert_eq!(headings, ["Ana", "Ben"]);
    assert_eq!(page["leftOut"][0]["rule"], "quoted-mail");
    assert!(!report.to_string().contains("\\u001b"));
    home.json(&["collection", "add", "mail", "mail", "--encoder=none", "--json"]);
    assert_eq!(home.found("mail", "buffer"), ["/list.mbox/1@example.org"]);
}
