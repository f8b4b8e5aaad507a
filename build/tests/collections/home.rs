//! A directory with sources and data of its own, and the program run in it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// The directory and the environment of a test.
pub struct Home {
    dir: tempfile::TempDir,
}

/// The outcome of a run: exit status and output.
#[derive(Debug)]
pub struct Done {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Home {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// Returns a home with two pages of Markdown in `site`.
    pub fn with_site() -> Self {
        let home = Self::new();
        let more = "One thread at a time may hold it, and all others wait until it is let go. ";
        for (file, title) in [("a", "Threads that share a mutex"), ("b", "Locks that threads take")]
        {
            let text = format!("# {title}\n\nA mutex guards data of threads. {}\n", more.repeat(4));
            home.write(&format!("site/{file}.md"), &text);
        }
        home
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Returns the directory of the program's data.
    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    pub fn registry(&self) -> PathBuf {
        self.data().join("collections.toml")
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_findling"));
        command
            .args(args)
            .current_dir(self.dir.path())
            .env("FINDLING_HOME", self.data())
            .env("FINDLING_CACHE", self.path("cache"))
            .env("NO_COLOR", "1")
            .env_remove("COLUMNS");
        command
    }

    /// Returns a command line of a shell with the environment of the program.
    pub fn shell(&self, line: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(self.dir.path());
        for (name, value) in self.command(&[]).get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        shell
    }

    pub fn run(&self, args: &[&str]) -> Done {
        Done::of(self.command(args).output().unwrap())
    }

    /// Serves a bundle.
    pub fn serve(&self, target: &str) -> Server {
        let mut program = self
            .command(&["serve", target, "--port=0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Server { program, address: address.trim().to_owned() }
    }

    /// Returns the JSON that the program prints, which must succeed.
    pub fn json(&self, args: &[&str]) -> Value {
        let done = self.run(args);
        // A search that finds nothing ends with 1.
        let nothing = i32::from(args[0] == "search" && done.out.contains("\"results\": []"));
        assert_eq!(done.code, nothing, "{args:?}: {}", done.err);
        serde_json::from_str(&done.out).unwrap()
    }

    /// Adds a directory as a collection of the same name, searched by words.
    pub fn add(&self, name: &str) {
        self.json(&["collection", "add", name, name, "--encoder=none", "--json"]);
    }

    /// Returns the report of a sync of one collection.
    pub fn sync(&self, name: &str) -> Value {
        self.json(&["sync", name, "--json"])["collections"][0].clone()
    }

    /// Returns the addresses that a query finds, in order.
    pub fn found(&self, target: &str, query: &str) -> Vec<String> {
        let response = self.json(&[
            "search",
            target,
            query,
            "--json",
            "--mode=lexical",
            "--verbatim",
            "-k100",
        ]);
        let pages = response["results"].as_array().unwrap();
        pages.iter().map(|page| page["url"].as_str().unwrap().to_owned()).collect()
    }

    /// Removes from results the places of their sections on this disk, which a bundle alone does
    /// not know.
    pub fn without_places(results: &mut Value) {
        let pages = results.as_array_mut().into_iter().flatten();
        for section in pages.filter_map(|page| page["sections"].as_array_mut()).flatten() {
            let section = section.as_object_mut().unwrap();
            for place in ["file", "line", "endLine", "column"] {
                section.remove(place);
            }
        }
    }

    /// Returns the directory of a collection.
    pub fn collection(&self, name: &str) -> PathBuf {
        self.data().join("collections").join(name)
    }

    /// Returns the generations of a collection on disk.
    pub fn generations(&self, name: &str) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.collection(name))
            .unwrap()
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

/// The program as it serves a bundle, until it is dropped.
pub struct Server {
    program: Child,
    /// `http://127.0.0.1:PORT/`
    pub address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.program.kill().unwrap();
        self.program.wait().unwrap();
    }
}

impl Done {
    pub fn of(output: Output) -> Self {
        Self {
            // Killed by a signal: no code.
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Returns every file below a directory with its contents, for comparison.
pub fn tree(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = walkdir::WalkDir::new(dir)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(dir).unwrap().to_owned();
            (path, fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// Removes the fields that contain times, also from each collection.
pub fn without_meta(answer: &mut Value) {
    match answer {
        Value::Object(fields) => {
            fields.remove("_meta");
            fields.values_mut().for_each(without_meta);
        }
        Value::Array(values) => values.iter_mut().for_each(without_meta),
        _ => {}
    }
}
