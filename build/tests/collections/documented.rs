//! Tests that the commands in `docs/collections.md` print the documented output.

use std::path::Path;

use super::home::{Done, Home};

/// Returns whether a line is the documented one, in which `…` stands for anything.
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

#[test]
#[cfg(unix)]
fn commands_print_what_the_document_says() {
    let document = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/collections.md"),
    )
    .unwrap();
    let home = Home::new();
    let program = Path::new(env!("CARGO_BIN_EXE_findling")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut n_commands = 0;
    for block in document.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for session in block.split("$ ").skip(1) {
            let (command, expected) = session.split_once('\n').unwrap();
            let done = Done::of(home.shell(command).env("PATH", &path).output().unwrap());
            assert_eq!(done.code, 0, "{command}: {done:?}");
            let (expected, printed): (Vec<&str>, Vec<&str>) =
                (expected.lines().collect(), done.out.lines().map(str::trim_end).collect());
            let same = expected.len() == printed.len()
                && expected.iter().zip(&printed).all(|(expected, line)| matches(expected, line));
            assert!(same, "{command}\nexpected {expected:#?}\nfound {printed:#?}");
            n_commands += 1;
        }
    }
    assert!(n_commands > 10, "{n_commands}");
}
