//! Sessions of coding assistants: requests and answers, and the files that belong together.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::RawPage;

fn read_file(path: &Path, id: &str) -> Vec<RawPage> {
    let file = File { id: id.into(), path: path.to_owned(), format: Format::Chats, package: None };
    let mut outcome = Outcome::default();
    read(&fs::read(path).unwrap(), &file, &Options::default(), &mut outcome);
    outcome.pages
}

fn pages(name: &str, text: &str) -> Vec<RawPage> {
    let file =
        File { id: name.into(), path: PathBuf::from(name), format: Format::Chats, package: None };
    let mut outcome = Outcome::default();
    read(text.as_bytes(), &file, &Options::default(), &mut outcome);
    outcome.pages
}

/// Returns the title, then each section as `role: text`.
fn said(raw: &RawPage) -> Vec<String> {
    let sections = raw.page.sections.iter().map(|section| {
        let texts: Vec<&str> = section.blocks.iter().map(|block| block.text.as_str()).collect();
        let role = match section.attributes.get("role") {
            Some(findling_bundle::AttributeValue::String(role)) => role.as_str(),
            other => panic!("{other:?}"),
        };
        format!("{role}: {}", texts.join(" / "))
    });
    std::iter::once(raw.page.title.clone()).chain(sections).collect()
}

fn attribute(raw: &RawPage, name: &str) -> String {
    match raw.attributes.get(name) {
        Some(crate::attributes::Raw::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

fn meta<'a>(raw: &'a RawPage, name: &str) -> &'a str {
    raw.page.meta.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
}

/// Returns a line of a log of Claude Code.
fn line(kind: &str, id: &str, parent: &str, more: &str, content: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    let second = id.bytes().map(u32::from).sum::<u32>() % 60;
    format!(
        "{{\"type\":\"{kind}\",\"uuid\":\"{id}\",\"parentUuid\":{parent},\"sessionId\":\"s\",\
         \"cwd\":\"/srv/api\",\"timestamp\":\"2025-07-18T10:00:{second:02}Z\",{more}\
         \"message\":{{\"role\":\"{kind}\",\"content\":{content}}}}}\n"
    )
}

#[test]
fn a_typed_command_is_found_by_its_arguments_and_gives_the_title() {
    let command =
        "\"<command-name>/plan</command-name><command-args>move the queue</command-args>\"";
    let text = [
        line("user", "a", "", "", "\"[Request interrupted by user]\""),
        line("user", "b", "a", "", "\"<command-name>/clear</command-name>\""),
        line("user", "c", "b", "\"isCompactSummary\":true,", "\"This session is being continued\""),
        line("user", "d", "c", "", command),
        line("assistant", "e", "d", "", "\"Here it is.\""),
    ];
    let found = pages("s.jsonl", &text.concat());
    assert_eq!(
        said(&found[0]),
        ["/plan move the queue", "user: /plan move the queue", "assistant: Here it is."]
    );
}

#[test]
fn subagents_whose_turns_are_mixed_are_conversations_linked_with_their_parent() {
    let aside = "\"isSidechain\":true,";
    let text = [
        line("user", "u1", "", "", "\"Run both agents\""),
        line("user", "a1", "", aside, "\"Find the counter\""),
        line("user", "b1", "", aside, "\"Profile the search\""),
        line("assistant", "b2", "b1", aside, "\"One query for each facet.\""),
        line("assistant", "a2", "a1", aside, "\"It is decremented twice.\""),
        line("assistant", "u2", "u1", "", "\"Both are done.\""),
    ];
    let mut found = pages("s.jsonl", &text.concat());
    join(&mut found);
    let ids: Vec<&str> = found.iter().map(|raw| raw.page.id.as_str()).collect();
    assert_eq!(ids, ["s.jsonl", "s.jsonl/agents", "s.jsonl/agents-2"]);
    assert_eq!(
        said(&found[1])[1..],
        ["user: Find the counter", "assistant: It is decremented twice."]
    );
    assert_eq!(
        said(&found[2])[1..],
        ["user: Profile the search", "assistant: One query for each facet."]
    );
    assert_eq!(meta(&found[0], "children"), "s.jsonl/agents\ns.jsonl/agents-2");
    assert_eq!(meta(&found[2], "parent"), "s.jsonl");

    // Logs without links between turns: the first waiting call is answered first.
    let without: Vec<String> =
        text.iter().map(|line| line.replace("\"parentUuid\":\"", "\"x\":\"")).collect();
    let found = pages("s.jsonl", &without.concat());
    assert_eq!(found.len(), 3);

    // Each is in a separate file.
    let mut found = pages("s.jsonl", &text[0]);
    let agent = text[1].replace("\"isSidechain\"", "\"agentId\":\"x\",\"isSidechain\"");
    found.extend(pages("agent-x.jsonl", &agent));
    join(&mut found);
    assert_eq!(meta(&found[1], "parent"), "s.jsonl");
    assert_eq!(meta(&found[0], "children"), "agent-x.jsonl");
}

#[test]
fn a_turn_that_stands_in_several_files_is_read_once() {
    let first = [
        line("user", "a", "", "", "\"Fix the stock\""),
        line("assistant", "b", "a", "", "\"Fixed.\""),
    ];
    let more = [
        line("user", "x", "b", "", "\"Add a test too\""),
        line("assistant", "y", "x", "", "\"Added.\""),
    ];
    let mut found = pages("resumed.jsonl", &[first.concat(), more.concat()].concat());
    found.extend(pages("first.jsonl", &first.concat()));
    found.extend(pages("copy.jsonl", &first.concat()));
    join(&mut found);
    let all: Vec<Vec<String>> = found.iter().map(said).collect();
    assert_eq!(
        all,
        [
            ["Add a test too", "user: Add a test too", "assistant: Added."],
            ["Fix the stock", "user: Fix the stock", "assistant: Fixed."],
        ],
        "a file with nothing of its own is no page"
    );
    assert_eq!(meta(&found[0], "continues"), "copy.jsonl");
}

#[test]
fn gemini_cli() {
    let text = include_str!("fixtures/gemini-cli.json");
    let directory = tempfile::tempdir().unwrap();
    let chats = directory.path().join("hash/chats");
    fs::create_dir_all(&chats).unwrap();
    fs::write(chats.parent().unwrap().join(".project_root"), "/home/ana/clips\n").unwrap();
    fs::write(chats.join("session-1.json"), text).unwrap();
    let found = read_file(&chats.join("session-1.json"), "session-1.json");
    assert_eq!(
        said(&found[0]),
        [
            "Why is audio lost?",
            "user: Why is audio lost?",
            "assistant: run_shell_command / ffprobe clip.mp4 / Sample rates differ.",
        ]
    );
    assert_eq!(attribute(&found[0], "agent"), "Gemini CLI");
    assert_eq!(attribute(&found[0], "project"), "/home/ana/clips");
    assert_eq!(attribute(&found[0], "model"), "gemini-2.5-pro");
    let prompts = include_str!("fixtures/gemini-logs.json");
    assert_eq!(said(&pages("logs.json", prompts)[0])[1..], ["user: Only this"]);
}

#[test]
fn copilot_in_an_editor_and_on_the_command_line() {
    let chat = include_str!("fixtures/copilot-chat.json");
    let directory = tempfile::tempdir().unwrap();
    let chats = directory.path().join("abc/chatSessions");
    fs::create_dir_all(&chats).unwrap();
    fs::write(
        directory.path().join("abc/workspace.json"),
        r#"{"folder": "file:///home/ana/my%20app"}"#,
    )
    .unwrap();
    fs::write(chats.join("v1.json"), chat).unwrap();
    let found = read_file(&chats.join("v1.json"), "v1.json");
    let expect = [
        "How do I mock fetch?",
        "user: How do I mock fetch?",
        "assistant: Use vi.stubGlobal. / run / Ran tests",
    ];
    assert_eq!(said(&found[0]), expect);
    assert_eq!(attribute(&found[0], "project"), "/home/ana/my app");

    let flat = chat.replace('\n', " ");
    let begun = flat.replace("\"Global`.\"", "\"\"");
    let changes = format!(
        "{{\"kind\":0,\"v\":{begun}}}\n\
         {{\"kind\":1,\"k\":[\"requests\",0,\"response\",1,\"value\"],\"v\":\"Global`.\"}}\n\
         {{\"kind\":1,\"k\":[\"requests\",9,\"nowhere\"],\"v\":1}}\n\
         {{\"kind\":2,\"k\":[\"requests\"],\"v\":[{{\"message\":\"And then?\",\
         \"response\":[]}}]}}\n"
    );
    let found = pages("v1.jsonl", &changes);
    assert_eq!(said(&found[0])[..3], expect);
    assert_eq!(said(&found[0])[3], "user: And then?");

    let events = include_str!("fixtures/copilot-events.jsonl");
    let found = pages("events.jsonl", events);
    assert_eq!(
        said(&found[0])[1..],
        ["user: Rename the module", "assistant: Renamed. / edit / a.rs"]
    );
    assert_eq!(attribute(&found[0], "branch"), "main");
}

#[test]
fn opencode_keeps_messages_and_parts_in_files() {
    let directory = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "storage/session/p1/ses_1.json",
        r#"{"id": "ses_1", "projectID": "p1", "directory": "/src/shop", 
           "title": "New session - 2025",
           "time": {"created": 1750000000000}}"#,
    );
    write(
        "storage/message/ses_1/msg_2.json",
        r#"{"id": "msg_2", "sessionID": "ses_1", "role": "assistant", "modelID": "gpt-5",
           "time": {"created": 1750000002000}}"#,
    );
    write(
        "storage/message/ses_1/msg_1.json",
        r#"{"id": "msg_1", "sessionID": "ses_1", "role": "user",
           "time": {"created": 1750000001000}}"#,
    );
    write("storage/part/msg_1/prt_1.json", r#"{"type": "text", "text": "Round the prices"}"#);
    write("storage/part/msg_2/prt_2.json", r#"{"type": "text", "text": "Half to even."}"#);
    let path = directory.path().join("storage/session/p1/ses_1.json");
    let found = read_file(&path, "ses_1.json");
    assert_eq!(
        said(&found[0]),
        ["Round the prices", "user: Round the prices", "assistant: Half to even."]
    );
    assert_eq!(attribute(&found[0], "project"), "/src/shop");
    let part = directory.path().join("storage/part/msg_1/prt_1.json");
    assert!(!has_name(&part, &Tree::default()), "a part is read with its session");
}

#[test]
fn extensions_of_editors_tell_the_project_in_their_first_message() {
    let text = include_str!("fixtures/roo-code.json");
    let path = "globalStorage/rooveterinaryinc.roo-cline/tasks/1/api_conversation_history.json";
    let found = pages(path, text);
    assert_eq!(said(&found[0]), ["Add a test", "user: Add a test", "assistant: Added."]);
    assert_eq!(attribute(&found[0], "agent"), "Roo Code");
    assert_eq!(attribute(&found[0], "project"), "/src/shop");
}

/// Returns the ids of the pages of a directory that is read without a format.
fn ids_of(directory: &Path) -> Vec<String> {
    let pages = crate::read(&[directory.to_owned()], &Options::default(), &mut |_| {});
    pages.into_iter().map(|page| page.id).collect()
}

#[test]
fn exports_are_recognised_as_they_are_unpacked() {
    let chat = r#"[{"id": "c1", "title": "Bread", "current_node": "a", "mapping": {"a": {
        "parent": null, "children": [], "message": {"author": {"role": "user"},
        "content": {"parts": ["How long?"]}}}}}]"#;
    let claude = r#"[{"uuid": "c1", "name": "Tax",
        "chat_messages": [{"sender": "human", "text": "Which line?"}]}]"#;
    let slack =
        r#"[{"type": "message", "user": "U01", "text": "It fails", "ts": "1738571000.000200"}]"#;
    let people = r#"[{"id": "U01", "name": "ana"}]"#;
    for (files, expect) in [
        (
            vec![
                ("chat.html", "<p>How long?</p>"),
                ("conversations.json", chat),
                ("user.json", "{}"),
                ("message_feedback.json", "[]"),
                ("shared_conversations.json", "[]"),
            ],
            vec!["conversations.json/c1"],
        ),
        (
            vec![("conversations.json", claude), ("projects.json", "[]"), ("users.json", "[]")],
            vec!["conversations.json/c1"],
        ),
        (
            vec![
                ("channels.json", "[]"),
                ("users.json", people),
                ("integration_logs.json", "[]"),
                ("incidents/2025-02-03.json", slack),
            ],
            vec!["incidents/2025-02-03.json"],
        ),
        (
            vec![(
                "chat.md",
                "# T\n_Exported on 3/14/2025 at 1:2 from Cursor_\n\n---\n\n**User**\n\nWhy?\n",
            )],
            vec!["chat.md"],
        ),
    ] {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        assert_eq!(ids_of(directory.path()), expect);
    }
}
