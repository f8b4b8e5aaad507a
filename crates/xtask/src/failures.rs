//! Reads what failed tests say from the output of their runners, to print it once more at the end:
//! the output of all runners is long, and some services show only its last lines.

use crate::tally::{cargo_output, plain, without_time};

/// A failed test.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    pub test: String,
    /// The first lines that it printed, without empty ones.
    pub said: Vec<String>,
}

/// Limit on the lines that are kept of a test.
const MAX_LINES: usize = 16;

/// The line of Node's runner before the failed tests.
const NODE_HEADING: &str = "\u{2716} failing tests:";

/// Returns the failed tests in the output of cargo's or Node's runner.
pub fn read(lines: &[String]) -> Vec<Failure> {
    let mut failures: Vec<Failure> = Vec::new();
    let mut place = Place::Elsewhere;
    for line in lines {
        let line = plain(line);
        let text = line.trim_end();
        let (next, test) = place.after(text);
        place = next;
        if let Some(test) = test {
            failures.push(Failure { test, said: Vec::new() });
        } else if place.has_failures()
            && let Some(failure) = failures.last_mut()
            && !text.trim().is_empty()
            && failure.said.len() < MAX_LINES
        {
            failure.said.push(text.to_owned());
        }
    }
    failures
}

/// The place of a line in the output of a runner.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Elsewhere,
    /// Below `failures:` of cargo's runner, before the first test.
    CargoFailures,
    /// In the output of a failed test of cargo's runner.
    CargoOutput,
    /// Below the heading of Node's runner.
    NodeFailures,
}

impl Place {
    fn has_failures(self) -> bool {
        matches!(self, Self::CargoOutput | Self::NodeFailures)
    }

    /// Returns the place of a line, and the failed test that it names.
    fn after(self, line: &str) -> (Self, Option<String>) {
        match (self, cargo_output(line)) {
            (Self::CargoFailures | Self::CargoOutput, Some(test)) => {
                (Self::CargoOutput, Some(test.to_owned()))
            }
            // The second `failures:` lists the names again.
            (Self::CargoOutput, None) if line == "failures:" => (Self::Elsewhere, None),
            (Self::CargoFailures | Self::CargoOutput, None) if line.starts_with("test result:") => {
                (Self::Elsewhere, None)
            }
            (Self::Elsewhere, None) if line == "failures:" => (Self::CargoFailures, None),
            (_, None) if line == NODE_HEADING => (Self::NodeFailures, None),
            (Self::NodeFailures, None) => {
                let test = line.strip_prefix("\u{2716} ");
                (self, test.map(|test| without_time(test).to_owned()))
            }
            _ => (self, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failures(text: &str) -> Vec<(String, String)> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        read(&lines).into_iter().map(|failure| (failure.test, failure.said.join("\n"))).collect()
    }

    #[test]
    fn failed_tests_of_cargo_are_told_from_those_that_print() {
        let text = "running 3 tests\ntest a ... ok\ntest b ... FAILED\n\nsuccesses:\n\n\
            ---- a stdout ----\nfailures are fine\n\n\nsuccesses:\n    a\n\nfailures:\n\n\
            ---- b stdout ----\n\nthread 'b' panicked at src/lib.rs:1:2:\nfound 3\n\n\
            ---- c::d stdout ----\nfound 4\n\n\nfailures:\n    b\n    c::d\n\n\
            test result: FAILED. 1 passed; 2 failed; 0 ignored\n\nrunning 1 test\n";
        let b = "thread 'b' panicked at src/lib.rs:1:2:\nfound 3";
        assert_eq!(
            failures(text),
            [("b".to_owned(), b.to_owned()), ("c::d".to_owned(), "found 4".to_owned())]
        );
    }

    #[test]
    fn failed_tests_of_node_are_those_below_its_heading() {
        let text = "\u{2714} opens (3.1ms)\n\u{2716} searches (2.5ms)\n\u{2139} pass 1\n\n\
            \u{2716} failing tests:\n\ntest at search.test.mjs:3:1\n\
            \u{1b}[31m\u{2716} searches (2.5ms)\u{1b}[39m\n  Error: 2 results, not 3\n";
        assert_eq!(
            failures(text),
            [("searches".to_owned(), "  Error: 2 results, not 3".to_owned())]
        );
    }

    #[test]
    fn a_long_output_is_cut() {
        let text = format!("failures:\n\n---- a stdout ----\n{}", "more\n".repeat(100));
        assert_eq!(read(&text.lines().map(str::to_owned).collect::<Vec<_>>())[0].said.len(), 16);
    }

    #[test]
    fn where_all_pass_nothing_failed() {
        assert_eq!(failures("test a ... ok\n\ntest result: ok. 1 passed; 0 failed"), []);
    }
}
