//! `findling repl`.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use super::home::{Done, Home};
use super::pty::*;
use super::{build, program, record};

const SIZE: (u16, u16) = (60, 100);

/// Returns a home with a bundle of three records with years and topics. One value has a space.
fn home() -> Home {
    let home = Home::new();
    let records = [
        record("old", 2001, "locks"),
        record("mid", 2015, "locks"),
        record("new", 2024, "two words"),
    ];
    build(&home, &records);
    home
}

fn start(home: &Home) -> Pty {
    let mut pty = Pty::start(home, &["repl", "bundle"], SIZE, &[]);
    pty.wait_for("bundle> ");
    pty
}

/// Waits until the prompt has come so many times. Keys that are typed before it appears are lost.
fn prompts(pty: &mut Pty, number: usize) {
    pty.wait("another prompt", |pty| {
        let lines = pty.lines();
        let prompts: Vec<&String> =
            lines.iter().filter(|line| line.starts_with("bundle") && line.contains('>')).collect();
        prompts.len() == number && prompts.last().is_some_and(|line| line.trim_end().ends_with('>'))
    });
}

/// Runs lines from a pipe.
fn script(home: &Home, lines: &str) -> Done {
    script_with(home, &["bundle"], lines)
}

fn script_with(home: &Home, args: &[&str], lines: &str) -> Done {
    let mut command = home.command(&[&["repl"], args].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    Done::of(child.wait_with_output().unwrap())
}

#[test]
fn filters_are_kept_and_shown_in_the_prompt() {
    let home = home();
    let mut pty = start(&home);
    let mut n_prompts = 1;
    let mut enter = |pty: &mut Pty, line: &str, expect: &str| {
        pty.press(line);
        pty.press(ENTER);
        n_prompts += 1;
        prompts(pty, n_prompts);
        pty.wait_for(expect);
    };
    enter(&mut pty, "mutex", "3 pages in 3 sections");
    enter(&mut pty, ":filter year>=2010", "2 pages pass");
    pty.wait_for("bundle [year>=2010]> ");
    enter(&mut pty, "mutex", "2 pages in 2 sections");
    enter(&mut pty, ":filter topic=locks", "bundle [year>=2010, topic=locks]> ");
    enter(&mut pty, "mutex", "1 page in 1 section");
    enter(&mut pty, ":unfilter 1", "bundle [topic=locks]> ");
    enter(&mut pty, ":filter nosuch=1", "error:");
    enter(&mut pty, ":unfilter", ":unfilter");
    assert_eq!(pty.lines().iter().rfind(|line| line.starts_with("bundle")).unwrap(), "bundle> ");
    pty.press(CTRL_D);
    assert_eq!(pty.end().exit_code(), 0);
}

#[test]
fn vectors_are_chosen_by_name() {
    let home = Home::new();
    home.write("notes/locks.md", "# Locks\n\nA mutex guards data.\n");
    let args = ["collection", "add", "notes", "notes", "--encoder=none", "--vectors=table=static"];
    assert_eq!(home.run(&args).code, 0);
    let encoder = |args: &[&str]| {
        let done = script_with(&home, args, ":format json\nmutex\n");
        let answer: Value = serde_json::from_str(&done.out).unwrap();
        answer["_meta"]["encoder"].clone()
    };
    assert_eq!(encoder(&["notes"]), Value::Null);
    assert!(encoder(&["notes", "--vector-name=table"]).is_string());
    assert_eq!(script_with(&home, &["notes", "--vector-name=other"], "mutex\n").code, 2);
    let mut pty = Pty::start(&home, &["tui", "notes", "--vector-name=other"], SIZE, &[]);
    assert_eq!(pty.end().exit_code(), 2);
    let mut pty = Pty::start(&home, &["tui", "notes", "--vector-name=table"], SIZE, &[]);
    pty.wait_for("F1 keys");
    pty.press("mutex");
    pty.wait_for("words and static meaning");
}

#[test]
fn names_and_values_of_attributes_are_completed() {
    let home = home();
    let mut pty = start(&home);
    pty.press(":fil\t to\t");
    pty.wait_for(":filter topic");
    pty.press("=tw\t");
    pty.wait_for(":filter topic=\"two words\"");
    pty.press(ENTER);
    pty.wait_for("1 page pass");
    prompts(&mut pty, 2);
    pty.press("mutex to\tloc\t");
    pty.wait_for("mutex topic:locks");
    pty.press("\x15:mode w\t");
    pty.wait_for(":mode words");
    pty.press(ENTER);
    prompts(&mut pty, 3);
    pty.press(":nosuch\r");
    pty.wait_for("error:");
}

#[test]
fn the_history_is_kept_and_control_c_clears_the_line() {
    let home = home();
    let mut pty = start(&home);
    pty.press("mutex\r");
    pty.wait_for("3 pages in 3 sections");
    prompts(&mut pty, 2);
    pty.press("half a line\x03");
    prompts(&mut pty, 3);
    pty.press("\x03");
    assert_eq!(pty.end().exit_code(), 0, "a second one ends");
    let mut pty = start(&home);
    pty.press(UP);
    pty.wait_for("bundle> mutex");
    pty.press(ENTER);
    pty.wait_for("3 pages in 3 sections");
}

#[test]
fn hits_are_explained_opened_and_saved() {
    let home = home();
    let browser = program(&home, "browser", "#!/bin/sh\necho \"$1\" > opened\n");
    let env = [("BROWSER", &*browser)];
    let mut pty = Pty::start(&home, &["repl", "bundle"], SIZE, &env);
    pty.wait_for("bundle> ");
    pty.press("new\r");
    pty.wait_for("The new page");
    prompts(&mut pty, 2);
    pty.press(":explain 1\r");
    pty.wait_for("BM25F");
    prompts(&mut pty, 3);
    pty.press(":open 1 browser\r");
    prompts(&mut pty, 4);
    pty.press(":save hits.md\r");
    pty.wait_for("1 page in hits.md");
    let opened = std::fs::read_to_string(home.path("opened")).unwrap();
    assert!(opened.starts_with("https://example.org/new"), "{opened}");
    let saved = std::fs::read_to_string(home.path("hits.md")).unwrap();
    assert!(saved.contains("The new page") && !saved.contains('\u{1b}'), "{saved}");
    prompts(&mut pty, 5);
    pty.press(":open 9\r");
    pty.wait_for("error:");
}

#[test]
fn a_script_is_read_from_a_pipe_and_ends_with_the_status_of_its_last_error() {
    let home = home();
    let done = script(&home, ":mode words\n:format json\nmutex\n");
    assert_eq!(done.code, 0, "{done:?}");
    let response: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(response["results"].as_array().unwrap().len(), 3);
    assert_eq!(response["_meta"]["bundle"]["pages"], 3);
    let done = script(&home, ":format paths\n:limit 2\nmutex\n:more\n:facets topic\n");
    let lines: Vec<&str> = done.out.lines().collect();
    assert_eq!(lines.len(), 4, "{done:?}");
    assert!(lines[..3].iter().all(|line| line.starts_with("https://example.org/")), "{done:?}");
    assert_eq!(lines[3], "topic: locks 2, two words 1");
    assert_eq!(script(&home, ":filter (\nmutex\n").code, 2);
    assert_eq!(script(&home, ":open 1\n").code, 2, "there was no query");
}

#[test]
fn what_follows_an_answer_asks_as_the_query_did() {
    let home = home();
    let asked = ":format paths\n:filter topic=locks\n:limit 1\nmutex\n";
    // Later settings apply to the next query.
    let done = script(&home, &format!("{asked}:unfilter\n:limit 5\n:more\n:more\n"));
    let mut pages: Vec<&str> = done.out.lines().collect();
    pages.sort_unstable();
    assert_eq!(pages, ["https://example.org/mid", "https://example.org/old"], "{done:?}");
    let changed = ":filter year>=2024\n:limit 5\n:more\n:filter\n:explain 2\n:facets topic\n";
    let done = script(&home, &format!("{asked}{changed}"));
    assert!(done.out.contains("BM25F") && done.out.contains("topic: locks 2\n"), "{done:?}");
    assert_eq!(done.code, 0, "{done:?}");
    // The numbers go on.
    let done = script(&home, &format!("{asked}:more\n:open 1\n"));
    assert_eq!(done.code, 2, "{done:?}");
}

#[test]
fn values_that_could_control_the_terminal_are_not_offered() {
    let home = Home::new();
    build(
        &home,
        &[serde_json::json!({
            "_id": "a",
            "title": "\u{1b}]0;owned\u{7}",
            "text": "mutex",
            "topic": ["good", "evil\u{1b}[31m\u{202e}"],
        })],
    );
    let mut pty = start(&home);
    pty.press("topic:\t\t");
    pty.wait_for("good");
    pty.press("\x15mutex\r");
    // The list of candidates has printed the prompt again.
    let answered = |pty: &mut Pty, text: &str| {
        pty.wait("an answer and the prompt", |pty| {
            let lines = pty.lines();
            let last = lines.iter().rfind(|line| !line.trim().is_empty());
            lines.iter().any(|line| line.starts_with(text))
                && last.is_some_and(|line| line.trim_end() == "bundle>")
        });
    };
    answered(&mut pty, "1 page in 1 section");
    pty.press(":facets topic\r");
    answered(&mut pty, "topic: ");
    pty.press(CTRL_D);
    pty.end();
    let written = String::from_utf8_lossy(&pty.written).into_owned();
    for live in ["\u{1b}]0;", "evil\u{1b}[31m", "\u{202e}"] {
        assert!(!written.contains(live), "{live:?} reached the terminal");
    }
}
