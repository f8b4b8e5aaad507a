//! Tests that the commands in `docs/collections.md` and in the tutorials print the documented
//! output.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::home::{Done, Home};

/// Returns whether a line is the documented one, in which `…` matches anything.
fn matches(documented: &str, line: &str) -> bool {
    let mut parts = documented.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Returns whether lines are the documented ones, in which a line `…` stands for any lines.
fn all_match(documented: &[&str], lines: &[&str]) -> bool {
    match documented {
        [] => lines.is_empty(),
        ["…", rest @ ..] => (0..=lines.len()).any(|at| all_match(rest, &lines[at..])),
        [first, rest @ ..] => match lines {
            [line, lines @ ..] => matches(first, line) && all_match(rest, lines),
            [] => false,
        },
    }
}

/// A documented command with the lines that it prints.
#[derive(Debug, Default, PartialEq)]
struct Session<'a> {
    command: String,
    printed: Vec<&'a str>,
}

/// Returns the commands in the blocks `console` of a document. A command with `<<'END'` goes on to
/// the line `END`.
fn sessions(document: &str) -> Vec<Session<'_>> {
    let mut sessions: Vec<Session<'_>> = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        let Some(fence) = line.strip_suffix("console").filter(|fence| fence.starts_with("```"))
        else {
            continue;
        };
        while let Some(line) = lines.next().filter(|line| *line != fence) {
            if let Some(command) = line.strip_prefix("$ ") {
                let mut command = command.to_owned();
                if command.ends_with("<<'END'") {
                    for line in lines.by_ref() {
                        command.push('\n');
                        command.push_str(line);
                        if line == "END" {
                            break;
                        }
                    }
                }
                sessions.push(Session { command, printed: Vec::new() });
            } else if let Some(session) = sessions.last_mut() {
                session.printed.push(line);
            }
        }
    }
    sessions
}

/// Runs the commands of a document in an empty home. Returns their number.
fn follow(document: &str) -> usize {
    let home = Home::new();
    let program = Path::new(env!("CARGO_BIN_EXE_findling"));
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let mut directory = home.path(".");
    let sessions = sessions(document);
    for Session { command, printed } in &sessions {
        if let Some(into) = command.strip_prefix("cd ") {
            directory.push(into);
            continue;
        }
        if command.starts_with("python3 ") && !has_python() {
            println!("skipped: there is no python3");
            continue;
        }
        let mut shell = home.shell(command);
        shell.current_dir(&directory).env("PATH", &path);
        shell.env("PYTHONPATH", docs().join("../python/src"));
        shell.env("FINDLING_BINARY_PATH", program);
        let done = Done::of(shell.output().unwrap());
        assert_eq!(done.code, 0, "{command}: {done:?}");
        let found: Vec<&str> = done.out.lines().map(str::trim_end).collect();
        assert!(all_match(printed, &found), "{command}\nexpected {printed:#?}\nfound {found:#?}");
    }
    sessions.len()
}

fn has_python() -> bool {
    Command::new("python3").arg("--version").output().is_ok_and(|run| run.status.success())
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

#[test]
#[cfg(unix)]
fn commands_print_what_the_document_says() {
    let document = std::fs::read_to_string(docs().join("collections.md")).unwrap();
    let n_commands = follow(&document);
    assert!(n_commands > 10, "{n_commands}");
}

#[test]
#[cfg(unix)]
fn commands_of_the_tutorials_print_what_they_say() {
    let mut n_tutorials = 0;
    for entry in std::fs::read_dir(docs().join("tutorials")).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("README.md") {
            continue;
        }
        n_tutorials += 1;
        // Without grammars, code is cut at blank lines and has no names.
        if path.ends_with("repository.md") && !cfg!(feature = "code") {
            continue;
        }
        let document = std::fs::read_to_string(&path).unwrap();
        let n_commands = follow(&document);
        assert!(n_commands > 3, "{}: {n_commands}", path.display());
    }
    assert_eq!(n_tutorials, 5);
}

#[test]
fn a_tutorial_shows_the_example_of_the_library() {
    let tutorial = std::fs::read_to_string(docs().join("tutorials/embedding.md")).unwrap();
    let example = docs().join("../crates/host/examples/search.rs");
    let example = std::fs::read_to_string(example).unwrap();
    let code = example.split_once("\n\n").unwrap().1;
    assert!(tutorial.contains(&format!("```rust\n{code}```")), "expected\n{code}");
}

#[test]
fn lines_that_are_left_out_are_any_lines() {
    let document = "text\n```console\n$ a <<'END'\nb\nEND\nc\n```\n````console\n$ d\n```\n````\n";
    let session = |command: &str, printed: &[&'static str]| Session {
        command: command.to_owned(),
        printed: printed.to_vec(),
    };
    assert_eq!(sessions(document), [session("a <<'END'\nb\nEND", &["c"]), session("d", &["```"])]);
    assert!(all_match(&["a", "…", "z"], &["a", "z"]));
    assert!(all_match(&["a", "…", "z"], &["a", "b", "c", "z"]));
    assert!(all_match(&["…", "b…d"], &["a", "b c d"]));
    for (documented, lines) in
        [(["a", "…"], ["b", "c"]), (["a", "b"], ["a", "c"]), (["…", "a"], ["a", "b"])]
    {
        assert!(!all_match(&documented, &lines), "{documented:?} {lines:?}");
    }
}
