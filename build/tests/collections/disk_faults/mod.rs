//! Tests that at any call that writes, the disk may fail or the program may be killed. The previous
//! data still answers, complete, and the same command succeeds afterwards.
//!
//! The faults come from a library that is loaded before the C library
//! ([`faulty_disk.c`](faulty_disk.c)). The method is from
//! [SQLite](https://sqlite.org/testing.html), sections 3.2 and 3.3.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::home::{Done, Home};

mod scenarios;

use scenarios::{SCENARIOS, Scenario};

/// Faults of the disk, by their names in the library.
const FAULTS: [&str; 4] = ["kill", "enospc", "eio", "short"];

/// The state of the data that a command changes.
#[derive(Debug, PartialEq, Eq)]
enum State {
    /// The data as before the command.
    Old,
    /// The data as after the command.
    New,
}

/// Compiles the library. `None` without a C compiler.
fn library(home: &Home) -> Option<PathBuf> {
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/collections/disk_faults/faulty_disk.c");
    let library = home.path("faulty_disk.so");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .status();
    match compiled {
        Ok(status) => {
            assert!(status.success(), "{} does not compile", source.display());
            Some(library)
        }
        Err(_) => {
            println!("skipped: disks that fail: there is no C compiler");
            None
        }
    }
}

/// A scenario that is repeated from the same files, at the same path, by which collections know
/// their sources.
struct Bench<'a> {
    home: &'a Home,
    library: &'a Path,
    scenario: &'a Scenario,
    /// The home's files before the command.
    files: tempfile::TempDir,
}

/// Copies a directory with everything in it.
fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").args(["-a", "-T"]).args([from, to]).status().unwrap();
    assert!(done.success(), "{} cannot be copied", from.display());
}

impl<'a> Bench<'a> {
    fn new(home: &'a Home, library: &'a Path, scenario: &'a Scenario) -> Self {
        (scenario.prepare)(home);
        let files = tempfile::tempdir().unwrap();
        copy(&home.path("."), files.path());
        Self { home, library, scenario, files }
    }

    fn restore(&self) {
        for entry in fs::read_dir(self.home.path(".")).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
        copy(self.files.path(), &self.home.path("."));
    }

    /// Runs the command with a fault at a call, counted from 1.
    fn run(&self, fault: &str, at: u64) -> Done {
        let count = self.files.path().with_extension("count");
        let mut command = self.home.command(self.scenario.command);
        command
            .env("LD_PRELOAD", self.library)
            .env("FAULT", fault)
            .env("FAULT_AT", at.to_string())
            .env("FAULT_BELOW", fs::canonicalize(self.home.path(".")).unwrap())
            .env("FAULT_COUNT", count)
            // The order of the calls is the same each time, as far as threads allow.
            .env("RAYON_NUM_THREADS", "1");
        Done::of(command.output().unwrap())
    }

    /// Returns the number of calls that change the disk.
    fn n_calls(&self) -> u64 {
        let done = self.run("none", 0);
        assert_eq!(done.code, 0, "{}: {}", self.scenario.name, done.err);
        let count = self.files.path().with_extension("count");
        let text = fs::read_to_string(&count).unwrap();
        fs::remove_file(count).unwrap();
        text.trim().parse().unwrap()
    }

    /// Checks the state after the command with a fault: nothing is lost or incomplete, and the exit
    /// status is true.
    fn check(&self, fault: &str, at: u64) {
        self.restore();
        let done = self.run(fault, at);
        let what = format!("{}, {fault} at call {at}: {done:?}", self.scenario.name);
        let state = (self.scenario.state)(self.home)
            .unwrap_or_else(|wrong| panic!("{wrong}\nafter {what}"));
        if done.code == 0 {
            assert_eq!(state, State::New, "the command said that it was done: {what}");
        }
        if fault == "short" {
            assert_eq!(done.code, 0, "a short write is no error: {what}");
        }
        // A command that was killed before its first result prints nothing; other commands print
        // the reason.
        assert!(fault == "kill" || done.code == 0 || !done.err.trim().is_empty(), "{what}");
        let again = self.home.command(self.scenario.command).output().unwrap();
        let again = Done::of(again);
        assert_eq!(again.code, 0, "again: {again:?}\nafter {what}");
        assert_eq!((self.scenario.state)(self.home), Ok(State::New), "again after {what}");
    }
}

/// Tries each fault at up to `n` calls of a command, spread over all of them. Returns the number of
/// faults.
fn try_scenario(scenario: &Scenario, n: u64) -> Option<u64> {
    let home = Home::new();
    let elsewhere = Home::new();
    let library = library(&elsewhere)?;
    let bench = Bench::new(&home, &library, scenario);
    let n_calls = bench.n_calls();
    assert!(n_calls > 3, "{}: the library counts {n_calls} calls", scenario.name);
    let n = n.min(n_calls);
    for (i, fault) in (0..).zip(FAULTS) {
        for point in 0..n {
            // Each fault has calls of its own, if there are enough.
            let at = (point * n_calls + i * n_calls / FAULTS.len() as u64) / n % n_calls + 1;
            bench.check(fault, at);
        }
    }
    let tried = n * FAULTS.len() as u64;
    println!("{}: {tried} faults, {n_calls} calls that change the disk", scenario.name);
    Some(tried)
}

/// Tries each fault at up to `n` calls of each command, all commands at once. Returns the number of
/// faults.
fn try_faults(n: u64) -> Option<u64> {
    std::thread::scope(|scope| {
        let each = SCENARIOS.iter().map(|scenario| scope.spawn(move || try_scenario(scenario, n)));
        let each: Vec<_> = each.collect();
        each.into_iter().map(|one| one.join().expect("a fault does no harm")).sum()
    })
}

#[test]
#[cfg(target_os = "linux")]
fn a_fault_of_the_disk_at_any_write_loses_nothing() {
    try_faults(1);
}

/// Runs as `cargo test --release -p findling --test collections -- --ignored at_a_thousand_writes`.
#[test]
#[cfg(target_os = "linux")]
#[ignore = "a thousand commands take minutes"]
fn faults_of_the_disk_at_a_thousand_writes_lose_nothing() {
    // Most commands have fewer calls than this; the faults are tried at each of them.
    let Some(tried) = try_faults(60) else { return };
    println!("{tried} faults");
    assert!(tried >= 1_000, "{tried} faults");
}
