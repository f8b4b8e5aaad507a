//! Answers at a terminal: their width, and the pager for answers longer than the screen.

use super::home::{Done, Home};
use super::pty::*;
use super::{build, program, record};

const TALL: (u16, u16) = (60, 100);
const LOW: (u16, u16) = (8, 100);
const ASK: [&str; 4] = ["search", "bundle", "mutex", "--mode=lexical"];

/// Returns a home with a bundle of three records, and a pager that keeps what it reads in `paged`.
fn home() -> (Home, String) {
    let home = Home::new();
    build(&home, &[record("a", 2001, "locks"), record("b", 2015, "locks"), record("c", 2024, "x")]);
    let pager = program(&home, "pager", "#!/bin/sh\ncat > paged\necho \"paged by $1\"\n");
    (home, pager)
}

/// Runs a search at a terminal to its end; returns the text of the screen and the text in the
/// pager.
fn ask(home: &Home, size: (u16, u16), more: &[&str], pager: &str) -> (String, Option<String>) {
    let mut pty = Pty::start(home, &[&ASK[..], more].concat(), size, &[("PAGER", pager)]);
    assert_eq!(pty.end().exit_code(), 0);
    (pty.lines().join("\n"), std::fs::read_to_string(home.path("paged")).ok())
}

#[test]
fn an_answer_longer_than_the_screen_is_shown_in_the_pager() {
    let (home, pager) = home();
    let (screen, paged) = ask(&home, LOW, &[], &format!("{pager} me"));
    let paged = paged.expect("the pager has run");
    assert!(screen.contains("paged by me"), "{screen}");
    assert!(paged.contains("The a page") && paged.contains("3 pages in 3 sections"), "{paged}");
    assert!(paged.contains("\x1b[1m") && !paged.contains("\x1b]8"), "{paged:?}");
}

#[test]
fn other_answers_are_not_paged() {
    let (home, pager) = home();
    let not_paged = |size, more: &[&str], pager: &str| {
        let (screen, paged) = ask(&home, size, more, pager);
        assert_eq!(paged, None, "{more:?} {pager}");
        screen
    };
    assert!(not_paged(TALL, &[], &pager).contains("The a page"), "it fits the screen");
    for (more, pager) in [(&["--no-pager"][..], &*pager), (&[], ""), (&[], "cat")] {
        let screen = not_paged(LOW, more, pager);
        assert!(screen.contains("3 pages in 3 sections"), "{screen}");
    }
    not_paged(LOW, &["-o", "answer.txt"], &pager);
    let screen = not_paged(TALL, &["--limit=2"], "/nosuch/pager");
    assert!(!screen.contains("nosuch"), "a pager that is not needed is not started: {screen}");
    let mut pty = Pty::start(&home, &ASK, LOW, &[("PAGER", "/nosuch/pager")]);
    assert_eq!(pty.end().exit_code(), 0);
    let written = String::from_utf8_lossy(&pty.written).into_owned();
    assert!(written.contains("$PAGER") && written.contains("The a page"), "{written}");
    let mut piped = home.command(&ASK);
    let piped = Done::of(piped.env("PAGER", &pager).env("TERM", "xterm").output().unwrap());
    assert!(piped.out.contains("The a page"), "{piped:?}");
    assert!(!home.path("paged").exists());
}

#[test]
fn text_is_as_wide_as_the_terminal_within_limits() {
    let home = Home::new();
    let text = format!("A mutex guards {}.", "data of threads that wait for it ".repeat(12));
    build(&home, &[serde_json::json!({"_id": "a", "title": "A", "text": text})]);
    let widest =
        |text: &str| text.lines().map(|line| line.trim_end().chars().count()).max().unwrap();
    for (columns, from, to) in [(60, 50, 60), (90, 80, 90), (200, 110, 120)] {
        let (screen, _) = ask(&home, (60, columns), &["--no-pager"], "");
        assert!((from..=to).contains(&widest(&screen)), "{columns}: {screen}");
    }
    for (columns, from, to) in [("50", 40, 50), ("10", 30, 40), ("999", 110, 120), ("", 90, 100)] {
        let done = Done::of(home.command(&ASK).env("COLUMNS", columns).output().unwrap());
        // Marks of words count for nothing.
        let text = done.out.replace("**", "");
        assert!((from..=to).contains(&widest(&text)), "{columns}: {text}");
    }
}
