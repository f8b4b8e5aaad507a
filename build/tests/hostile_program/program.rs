//! The program, as it runs during a test: its output, and the resources that it takes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use super::home::Home;

/// Returns a home with a site and its bundle, `out`.
pub fn home_with_bundle() -> Home {
    let home = Home::with_site();
    let done = home.run(&["build", "site", "-o", "out", "--encoder=none", "--no-client"]);
    assert_eq!(done.code, 0, "{}", done.err);
    home
}

/// A process of the program, until it is dropped.
pub struct Program {
    child: Child,
    /// The standard input.
    pub input: Option<ChildStdin>,
    /// The standard output.
    pub output: Option<BufReader<ChildStdout>>,
    said: PathBuf,
}

impl Program {
    /// Starts the program.
    pub fn start(home: &Home, args: &[&str]) -> Self {
        let said = home.path(&format!("said-by-{}", args[0]));
        let mut child = home
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&said).unwrap())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Self { child, input, output, said }
    }

    /// Returns the next line of its standard output.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.as_mut().unwrap().read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    /// Returns the program's standard error.
    pub fn said(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.said).unwrap()).into_owned()
    }

    /// Checks that no thread of it has panicked. A task of a server that panics ends no process.
    pub fn check_no_panic(&self, what: &str) {
        let said = self.said();
        assert!(!said.contains("panicked"), "{what}: {said}");
    }

    /// Returns the program's peak memory in MiB; `None` if the system does not report it.
    pub fn most_memory(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1024)
    }

    /// Returns the number of the program's open files and connections; `None` if the system does
    /// not report it.
    pub fn n_open(&self) -> Option<usize> {
        Some(fs::read_dir(format!("/proc/{}/fd", self.child.id())).ok()?.count())
    }

    /// Returns its exit status once it has ended. Fails if it does not end in this time.
    pub fn ended_within(&mut self, time: Duration) -> i32 {
        let started = Instant::now();
        loop {
            match self.child.try_wait().unwrap() {
                Some(status) => return status.code().unwrap_or(-1),
                None => assert!(started.elapsed() < time, "the program does not end"),
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
