//! Runs other programs: prints their command lines, limits their time, and collects their output.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// A command line.
pub struct Cmd {
    inner: Command,
    line: String,
    limit: Option<Duration>,
}

/// The result of [`Cmd::listen`].
pub struct Heard {
    pub ok: bool,
    pub timed_out: bool,
    /// Lines of both output streams, in the order of arrival.
    pub lines: Vec<String>,
}

impl Cmd {
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let program = program.as_ref();
        let line = Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned();
        Self { inner: Command::new(program), line, limit: None }
    }

    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.line.push(' ');
        self.line.push_str(&arg.as_ref().to_string_lossy());
        self.inner.arg(arg);
        self
    }

    pub fn args<S: AsRef<OsStr>>(self, args: impl IntoIterator<Item = S>) -> Self {
        args.into_iter().fold(self, Self::arg)
    }

    pub fn env(mut self, key: &str, value: impl AsRef<OsStr>) -> Self {
        self.inner.env(key, value);
        self
    }

    pub fn dir(mut self, dir: &Path) -> Self {
        self.inner.current_dir(dir);
        self
    }

    /// Adds directories at the beginning of PATH.
    pub fn path_first(self, dirs: &[PathBuf]) -> Self {
        if dirs.is_empty() {
            return self;
        }
        let old = std::env::var_os("PATH").unwrap_or_default();
        let all = dirs.iter().cloned().chain(std::env::split_paths(&old));
        match std::env::join_paths(all) {
            Ok(path) => self.env("PATH", path),
            Err(_) => self,
        }
    }

    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Runs the program with its output on the terminal; an error if it fails.
    pub fn run(mut self) -> Result<()> {
        println!("    $ {}", self.line);
        let mut child =
            self.inner.stdin(Stdio::null()).spawn().with_context(|| self.cannot_start())?;
        match wait(&mut child, self.limit)? {
            Some(status) if status.success() => Ok(()),
            Some(status) => bail!("`{}` failed ({status})", self.line),
            None => {
                bail!("`{}` was stopped: it took longer than {} s", self.line, self.limit_secs())
            }
        }
    }

    /// Runs the program with this program's standard input and output, without a time limit.
    pub fn run_interactive(mut self) -> Result<ExitStatus> {
        println!("    $ {}", self.line);
        self.inner.status().with_context(|| self.cannot_start())
    }

    /// Runs the program and returns its standard output; an error with its standard error if it
    /// fails.
    pub fn read(mut self) -> Result<String> {
        let output =
            self.inner.stdin(Stdio::null()).output().with_context(|| self.cannot_start())?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            bail!("`{}` failed ({}): {said}", self.line, output.status);
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Runs the program, prints every line of its output and collects the lines.
    pub fn listen(mut self) -> Result<Heard> {
        println!("    $ {}", self.line);
        self.inner.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.inner.spawn().with_context(|| self.cannot_start())?;
        let (send, receive) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            forward(stdout, send.clone());
        }
        if let Some(stderr) = child.stderr.take() {
            forward(stderr, send);
        }
        let deadline = self.limit.map(|limit| Instant::now() + limit);
        let mut heard = Heard { ok: false, timed_out: false, lines: Vec::new() };
        let mut exited: Option<(ExitStatus, Instant)> = None;
        loop {
            match receive.recv_timeout(Duration::from_millis(200)) {
                Ok(line) => {
                    println!("{line}");
                    heard.lines.push(line);
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    // A server that a test left running keeps the pipe open; do not wait for it.
                    if exited.is_some_and(|(_, since)| since.elapsed() > Duration::from_secs(2)) {
                        break;
                    }
                }
            }
            if exited.is_none() {
                exited = child.try_wait()?.map(|status| (status, Instant::now()));
            }
            if exited.is_none() && deadline.is_some_and(|deadline| Instant::now() > deadline) {
                stop_tree(&mut child);
                heard.timed_out = true;
                break;
            }
        }
        let status = match exited {
            Some((status, _)) => status,
            None => child.wait()?,
        };
        heard.ok = status.success() && !heard.timed_out;
        Ok(heard)
    }

    /// Starts a server that prints one line when it listens. Returns it with that line.
    pub fn serve(mut self) -> Result<(Child, String)> {
        println!("    $ {}", self.line);
        self.inner.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = self.inner.spawn().with_context(|| self.cannot_start())?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        Ok((child, line.trim().to_owned()))
    }

    fn cannot_start(&self) -> String {
        format!("`{}` cannot be started", self.line)
    }

    fn limit_secs(&self) -> u64 {
        self.limit.unwrap_or_default().as_secs()
    }
}

/// Sends the lines of a stream to a channel, in a thread.
fn forward(stream: impl Read + Send + 'static, to: mpsc::Sender<String>) {
    std::thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        while let Ok(1..) = reader.read_until(b'\n', &mut line) {
            let text = String::from_utf8_lossy(&line);
            if to.send(text.trim_end_matches(['\n', '\r']).to_owned()).is_err() {
                return;
            }
            line.clear();
        }
    });
}

/// Waits for at most `limit`; `None` if the program took longer and was stopped.
fn wait(child: &mut Child, limit: Option<Duration>) -> Result<Option<ExitStatus>> {
    let Some(limit) = limit else { return Ok(Some(child.wait()?)) };
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > deadline {
            stop_tree(child);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Stops a program and its descendants, such as the browser of a test runner.
fn stop_tree(child: &mut Child) {
    let mut tree = vec![child.id()];
    let mut next = 0;
    while next < tree.len() {
        tree.extend(children_of(tree[next]));
        next += 1;
    }
    let _ = child.kill();
    for pid in &tree[1..] {
        let _ =
            Command::new("kill").arg("-KILL").arg(pid.to_string()).stderr(Stdio::null()).status();
    }
}

/// Returns the children of a process. Only on Linux; elsewhere only the program itself is stopped.
fn children_of(parent: u32) -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            // `pid (name) state ppid ...`; the name may contain any character.
            let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
            fields.split_whitespace().nth(1).and_then(|ppid| ppid.parse().ok()) == Some(parent)
        })
        .collect()
}

/// Looks a program up in PATH.
pub fn which(program: &str) -> Option<PathBuf> {
    let path: OsString = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|file| file.is_file())
}

/// Returns a command that runs `program` as root: directly, or through sudo, which may ask for the
/// password.
pub fn as_root(program: &str) -> Option<Cmd> {
    let uid = Command::new("id").arg("-u").output().ok()?;
    if String::from_utf8_lossy(&uid.stdout).trim() == "0" {
        return Some(Cmd::new(program));
    }
    which("sudo").map(|sudo| Cmd::new(sudo).arg(program))
}

/// Prints the heading of a stage.
pub fn heading(what: &str) {
    println!("\n==> {what}");
}

/// Prints a note.
pub fn note(what: impl std::fmt::Display) {
    println!("    {what}");
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_stopped_with_its_children() {
        let heard = Cmd::new("sh").args(["-c", "sleep 600 & echo $!; wait"]);
        let heard = heard.limit(Duration::from_millis(400)).listen().unwrap();
        assert!(heard.timed_out && !heard.ok);
        // A process that has ended has no command line, even if no parent has read its status.
        let path = format!("/proc/{}/cmdline", heard.lines[0]);
        let ended = || std::fs::read(&path).map_or(true, |line| line.is_empty());
        let limit = Instant::now() + Duration::from_secs(60);
        while !ended() && Instant::now() < limit {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(ended(), "`sleep` runs on");
    }

    #[test]
    fn both_streams_are_heard_and_the_status_counts() {
        let heard = Cmd::new("sh").args(["-c", "echo one; echo two >&2; exit 3"]).listen().unwrap();
        let mut lines = heard.lines;
        lines.sort();
        assert_eq!(lines, ["one", "two"]);
        assert!(!heard.ok);
    }
}
