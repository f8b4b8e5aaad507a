//! Reads the results of test runners from their output.

/// Numbers of tests by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

/// The results in a runner's output.
#[derive(Debug, Default)]
pub struct Reading {
    pub tally: Tally,
    /// The runner's closing lines.
    pub closing: Vec<String>,
    /// The skipped tests, without repetitions.
    pub skips: Vec<Skip>,
}

/// A test that did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// The test's name; empty if the output does not have it.
    pub test: String,
    pub reason: String,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// Reads the output of any of the runners.
pub fn read(lines: &[String]) -> Reading {
    let mut reading = Reading::default();
    // The test whose output cargo prints.
    let mut shown = String::new();
    for line in lines {
        let line = plain(line);
        let trimmed = line.trim();
        if let Some(tests) = passed_again(trimmed) {
            reading.tally.failed = reading.tally.failed.saturating_sub(tests);
            reading.tally.passed += tests;
            reading.closing.push(trimmed.to_owned());
        } else if let Some(tally) = cargo_line(trimmed).or_else(|| node_line(trimmed)) {
            shown.clear();
            // Binaries without tests are left out.
            if tally != Tally::default() {
                reading.tally += tally;
                reading.closing.push(trimmed.to_owned());
            }
        } else if let Some(test) = cargo_output(trimmed) {
            test.clone_into(&mut shown);
        } else if let Some(skip) =
            node_skip(trimmed).or_else(|| cargo_skip(trimmed)).or_else(|| {
                let reason = skip_line(trimmed)?.to_owned();
                Some(Skip { test: shown.clone(), reason })
            })
            && !reading.skips.contains(&skip)
        {
            reading.skips.push(skip);
        }
    }
    reading
}

/// Reads `test result: ok. 12 passed; 0 failed; 1 ignored; ...`, and any `N passed, N failed, N
/// skipped`.
fn cargo_line(line: &str) -> Option<Tally> {
    let rest = match line.strip_prefix("test result: ") {
        Some(rest) => rest.split_once(". ")?.1,
        None => line,
    };
    let words: Vec<&str> = rest.split([' ', ',', ';']).filter(|word| !word.is_empty()).collect();
    let starts = words.first()?.parse::<u64>().is_ok() && words.get(1) == Some(&"passed");
    if !starts {
        return None;
    }
    let mut tally = Tally::default();
    for pair in words.windows(2) {
        let Ok(n) = pair[0].parse() else { continue };
        match pair[1] {
            "passed" => tally.passed = n,
            "failed" => tally.failed = n,
            "ignored" | "skipped" => tally.skipped = n,
            _ => {}
        }
    }
    Some(tally)
}

/// Reads `# pass 12`, `# fail 0`, `# skipped 1` of node's own runner, or the same after an
/// information sign.
fn node_line(line: &str) -> Option<Tally> {
    let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("\u{2139} "))?;
    let (what, n) = rest.split_once(' ')?;
    let n = n.parse().ok()?;
    let none = Tally::default();
    match what {
        "pass" => Some(Tally { passed: n, ..none }),
        "fail" => Some(Tally { failed: n, ..none }),
        "skipped" => Some(Tally { skipped: n, ..none }),
        _ => None,
    }
}

/// Reads `2 failed tests passed when run again: a; b`, which follows the totals of the first run.
fn passed_again(line: &str) -> Option<u64> {
    line.split_once(" failed tests passed when run again: ")?.0.parse().ok()
}

/// Reads `test name ... ignored, reason`, an ignored test of cargo's runner.
fn cargo_skip(line: &str) -> Option<Skip> {
    let (test, reason) = line.strip_prefix("test ")?.split_once(" ... ignored")?;
    let reason = reason.strip_prefix(", ").unwrap_or("it is ignored");
    Some(Skip { test: test.to_owned(), reason: reason.to_owned() })
}

/// Reads `\u{fe63} name (0.1ms) # reason`, a skipped test or suite of Node's own runner.
fn node_skip(line: &str) -> Option<Skip> {
    let rest = line.strip_prefix("\u{fe63} ")?;
    let (name, reason) = rest.rsplit_once(" # ")?;
    Some(Skip { test: without_time(name).to_owned(), reason: reason.to_owned() })
}

/// Returns the name of a test of Node's own runner without the time that it took: `opens (3.1ms)`.
pub fn without_time(test: &str) -> &str {
    test.rsplit_once(" (").map_or(test, |(name, _)| name)
}

/// Returns the test whose output cargo's runner prints below a line `---- name stdout ----`.
pub fn cargo_output(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

/// Reads `skipped: why` and `SKIP why`, which tests print that need something the machine lacks.
fn skip_line(line: &str) -> Option<&str> {
    let (word, reason) = line.split_once([':', ' '])?;
    let reason = reason.trim_start_matches([':', ' ']);
    let is_skip = word.eq_ignore_ascii_case("skipped") || word.eq_ignore_ascii_case("skip");
    // `skipped 3` is a count.
    (is_skip && reason.contains(' ')).then_some(reason)
}

/// Removes terminal colours.
pub fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            chars.by_ref().find(|c| c.is_ascii_alphabetic());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], passed: u64, failed: u64, skipped: u64) {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!(read(&lines).tally, Tally { passed, failed, skipped }, "{lines:?}");
    }

    #[test]
    fn closing_lines_of_every_runner_are_counted() {
        check(
            &["test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; \
                 finished in 0.1s"],
            12,
            0,
            1,
        );
        check(&["test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured"], 2, 3, 0);
        check(&["# tests 5", "# pass 4", "# fail 1", "# skipped 0"], 4, 1, 0);
        check(&["\u{2139} pass 7", "\u{2139} skipped 2"], 7, 0, 2);
        check(&["\u{1b}[32m31 passed, 1 failed, 2 skipped\u{1b}[0m"], 31, 1, 2);
        check(&["# pass 4", "# fail 1", "1 failed tests passed when run again: opens"], 5, 0, 0);
        check(&["# pass 4", "# fail 1", "again | # pass 1", "again | # fail 1"], 4, 1, 0);
        check(&["we passed 3 of them", "3 people passed", "passed 3"], 0, 0, 0);
    }

    #[test]
    fn skipped_tests_are_kept_once_with_their_names() {
        let lines = [
            "skipped: there is no model",
            "SKIP  there is no model",
            "skipped 3",
            "test tests::slow ... ignored, takes an hour",
            "test tests::quick ... ok",
            "---- tests::one stdout ----",
            "skipped: there is no site",
            "test result: ok. 1 passed; 0 failed; 0 ignored",
            "\u{fe63} finds by meaning (0.18ms) # the model is not installed",
        ];
        let skip = |test: &str, reason: &str| Skip { test: test.into(), reason: reason.into() };
        assert_eq!(
            read(&lines.map(str::to_owned)).skips,
            [
                skip("", "there is no model"),
                skip("tests::slow", "takes an hour"),
                skip("tests::one", "there is no site"),
                skip("finds by meaning", "the model is not installed"),
            ]
        );
    }
}
