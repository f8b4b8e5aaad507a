//! The results of the steps of `cargo xtask test`, and the table at the end.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::cmd::{Cmd, heading};
use crate::failures::{self, Failure};
use crate::tally::{self, Skip, Tally};

/// Time limit of a step; enough for a first build on two cores.
const STEP_LIMIT: Duration = Duration::from_secs(40 * 60);

/// Limit on the failed tests whose output is printed again at the end.
const MAX_FAILURES: usize = 10;

/// The list of tests that may be skipped: lines `name: reason` with the name of a test or a step.
pub const ALLOWED_SKIPS: &str = "tests/allowed-skips.txt";

/// The step that fails for skipped tests.
pub const SKIPS: &str = "skipped tests";

/// The result of a step.
pub enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
}

struct Row {
    name: &'static str,
    outcome: Outcome,
    tally: Tally,
    closing: Vec<String>,
    skips: Vec<Skip>,
    failures: Vec<Failure>,
    took: Duration,
}

/// The steps so far.
#[derive(Default)]
pub struct Report {
    rows: Vec<Row>,
}

impl Report {
    /// Runs a program and reads the results in its output.
    pub fn step(&mut self, name: &'static str, command: Cmd) -> bool {
        heading(name);
        let started = Instant::now();
        let heard = match command.limit(STEP_LIMIT).listen() {
            Ok(heard) => heard,
            Err(error) => return self.failed(name, started, format!("{error:#}")),
        };
        let reading = tally::read(&heard.lines);
        let outcome = match (heard.ok && reading.tally.failed == 0, heard.timed_out) {
            (true, _) => Outcome::Passed,
            (_, true) => Outcome::Failed(format!("stopped after {} s", STEP_LIMIT.as_secs())),
            _ => Outcome::Failed("see above".to_owned()),
        };
        let ok = matches!(outcome, Outcome::Passed);
        let took = started.elapsed();
        let (tally, closing, skips) = (reading.tally, reading.closing, reading.skips);
        let failures = if ok { Vec::new() } else { failures::read(&heard.lines) };
        self.rows.push(Row { name, outcome, tally, closing, skips, failures, took });
        ok
    }

    /// Runs a step that is not a test runner. Returns its result, and records a failure.
    pub fn work<T>(&mut self, name: &'static str, work: impl FnOnce() -> Result<T>) -> Option<T> {
        let started = Instant::now();
        match work() {
            Ok(value) => {
                self.push(name, Outcome::Passed, started.elapsed());
                Some(value)
            }
            Err(error) => {
                println!("    failed: {error:#}");
                self.failed(name, started, format!("{error:#}"));
                None
            }
        }
    }

    pub fn failed(&mut self, name: &'static str, started: Instant, why: String) -> bool {
        self.push(name, Outcome::Failed(why), started.elapsed());
        false
    }

    pub fn skip(&mut self, name: &'static str, why: impl Into<String>) {
        self.push(name, Outcome::Skipped(why.into()), Duration::ZERO);
    }

    fn push(&mut self, name: &'static str, outcome: Outcome, took: Duration) {
        let (tally, closing, skips, failures) = Default::default();
        self.rows.push(Row { name, outcome, tally, closing, skips, failures, took });
    }

    /// Returns the steps that were skipped, and the tests that other steps skipped, each with its
    /// step.
    fn skips(&self) -> Vec<(&'static str, Skip)> {
        let own = |row: &Row| match &row.outcome {
            Outcome::Skipped(why) => Some(Skip { test: String::new(), reason: why.clone() }),
            _ => None,
        };
        let of = |row: &Row| -> Vec<_> {
            own(row)
                .into_iter()
                .chain(row.skips.iter().cloned())
                .map(|skip| (row.name, skip))
                .collect()
        };
        self.rows.iter().flat_map(of).collect()
    }

    /// Adds a failure for each skipped test that the list does not allow.
    pub fn check_skips(&mut self, list: &str) {
        let allowed = match allowed_skips(list) {
            Ok(allowed) => allowed,
            Err(error) => {
                self.failed(SKIPS, Instant::now(), format!("{error:#}"));
                return;
            }
        };
        for (step, Skip { test, reason }) in self.skips() {
            let name = if test.is_empty() { step } else { &test };
            // Cargo prints the modules of a test before its name.
            let last = name.rsplit("::").next().unwrap_or(name);
            if !allowed.contains(&name) && !allowed.contains(&last) {
                let why = format!(
                    "`{name}` was skipped: {reason}. Provide what the test needs, \
                     or name it in {ALLOWED_SKIPS}"
                );
                self.failed(SKIPS, Instant::now(), why);
            }
        }
    }

    /// Prints the table. Returns whether everything passed.
    pub fn print(&self) -> bool {
        println!("\n==> what the runners said");
        for row in &self.rows {
            for line in &row.closing {
                println!("    {:<22} {line}", row.name);
            }
        }
        println!("\n==> what was skipped");
        let skips = self.skips();
        for (step, skip) in &skips {
            println!(
                "    {step:<22} {}",
                [skip.test.as_str(), &skip.reason].join(" ").trim_start()
            );
        }
        if skips.is_empty() {
            println!("    nothing");
        }
        println!("\n==> summary");
        println!(
            "    {:<22} {:>7} {:>7} {:>7} {:>8}",
            "step", "passed", "failed", "skipped", "time"
        );
        let mut all = Tally::default();
        for row in &self.rows {
            let mut tally = row.tally;
            // A step without tests counts as one test.
            match row.outcome {
                Outcome::Passed if tally == Tally::default() => tally.passed = 1,
                Outcome::Failed(_) if tally.failed == 0 => tally.failed = 1,
                Outcome::Skipped(_) => tally.skipped = 1,
                _ => {}
            }
            // Cargo counts tests that skip themselves as passed, so they are counted by the reasons
            // they print.
            let secs = row.took.as_secs();
            let took = format!("{}:{:02}", secs / 60, secs % 60);
            let why = if let Outcome::Failed(why) = &row.outcome {
                format!("  FAILED: {why}")
            } else {
                String::new()
            };
            println!(
                "    {:<22} {:>7} {:>7} {:>7} {took:>8}{why}",
                row.name, tally.passed, tally.failed, tally.skipped
            );
            all += tally;
        }
        self.print_failures();
        println!("\n{} passed, {} failed, {} skipped", all.passed, all.failed, all.skipped);
        all.failed == 0
    }

    /// Prints the first lines of what failed tests said.
    fn print_failures(&self) {
        let failures: Vec<_> = self
            .rows
            .iter()
            .flat_map(|row| row.failures.iter().map(move |failure| (row.name, failure)))
            .collect();
        if failures.is_empty() {
            return;
        }
        println!("\n==> what failed");
        for (step, failure) in failures.iter().take(MAX_FAILURES) {
            println!("    {step:<22} {}", failure.test);
            for line in &failure.said {
                println!("        {line}");
            }
        }
        if let Some(more @ 1..) = failures.len().checked_sub(MAX_FAILURES) {
            println!("    and {more} more");
        }
    }
}

/// Returns the names on the list of tests that may be skipped.
fn allowed_skips(list: &str) -> Result<Vec<&str>> {
    list.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| match line.split_once(": ") {
            Some((name, _)) => Ok(name),
            None => anyhow::bail!("{ALLOWED_SKIPS}: expected `name: reason`, found `{line}`"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the failures of a report whose native tests skipped `test`, with a list of allowed
    /// skips.
    fn failures(test: &str, list: &str) -> usize {
        let mut report = Report::default();
        report.push("native tests", Outcome::Passed, Duration::ZERO);
        report.rows[0].skips.push(Skip { test: test.into(), reason: "no model".into() });
        report.check_skips(list);
        report.rows.iter().filter(|row| matches!(row.outcome, Outcome::Failed(_))).count()
    }

    #[test]
    fn a_skipped_test_fails_unless_it_is_listed() {
        assert_eq!(failures("encoder::tests::reads", "# a comment\n\nreads: no model"), 0);
        assert_eq!(failures("encoder::tests::reads", "encoder::tests::reads: no model"), 0);
        assert_eq!(failures("encoder::tests::reads", "tests::writes: no model"), 1);
        assert_eq!(failures("", "native tests: no model"), 0);
        assert_eq!(failures("", ""), 1);
    }

    #[test]
    fn a_skipped_step_fails_unless_it_is_listed() {
        let mut report = Report::default();
        report.skip("browser", "no Chromium");
        report.check_skips("worker: no Node");
        assert_eq!(report.rows.len(), 2);
    }

    #[test]
    fn an_allowed_skip_has_a_reason() {
        assert_eq!(failures("reads", "reads: no model\nwrites"), 1);
    }
}
