//! `findling note`: an assistant's own memory. Each note is a Markdown file, and all of them are a
//! collection that is synced with each new note.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Subcommand;
use jiff::Timestamp;
use serde::Serialize;

use super::search::{self, Output, SearchOptions, finish};
use super::sync::{How, sync};
use crate::collections::{Error, Home, Kind, Name, Registry, Settings};
use crate::output::{Exit, UsageError};
use crate::safe_text::json;
use crate::sources::Format;
use crate::ui::{Ui, print_json};

/// The collection unless another one is named.
const COLLECTION: &str = "assistant-notes";

/// Maximum number of bytes of a note.
const MAX_LEN: usize = 1 << 20;

/// Maximum number of characters of a title that is taken from the text, and of a file's name.
const TITLE_CHARS: usize = 80;
const NAME_CHARS: usize = 40;

/// Number of attempts, and the pause between them, while another sync is at work.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(100);

/// Keep notes and find them again: an assistant's own memory, as a collection
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
    /// Collection of the notes
    #[arg(long, global = true, value_name = "NAME", default_value = COLLECTION)]
    collection: Name,
}

#[derive(Debug, Subcommand)]
enum Action {
    Add(Add),
    List(List),
    Search(Search),
}

/// Keep a note
#[derive(Debug, clap::Args)]
struct Add {
    /// The text, as Markdown; - reads standard input
    text: String,
    /// Title [default: the first line of the text]
    #[arg(long)]
    title: Option<String>,
    /// A word to filter by, as in --filter tags=WORD. Repeatable
    #[arg(long = "tag", value_name = "WORD")]
    tags: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// List notes, the newest first
#[derive(Debug, clap::Args)]
struct List {
    /// Number of notes to show
    #[arg(short = 'k', long = "limit", value_name = "N", default_value_t = 20)]
    limit: u32,
    /// Which notes.
    #[command(flatten)]
    options: SearchOptions,
    /// What is printed.
    #[command(flatten)]
    output: Output,
}

/// Search notes
#[derive(Debug, clap::Args)]
struct Search {
    /// The query
    query: String,
    /// Number of notes to show
    #[arg(short = 'k', long = "limit", value_name = "N", default_value_t = 5)]
    limit: u32,
    /// How the query is searched.
    #[command(flatten)]
    options: SearchOptions,
    /// What is printed.
    #[command(flatten)]
    output: Output,
}

/// The output of `note add --json`.
#[derive(Serialize)]
struct Added<'a> {
    collection: &'a Name,
    path: PathBuf,
    title: String,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    let name = args.collection;
    match args.action {
        Action::Add(args) => {
            let output = Output { json: args.json, ..Output::default() };
            finish(&output, ui, || add(&args, &name, ui))
        }
        Action::List(List { limit, options, output }) => {
            search::run(search::Args::of(&name, String::new(), limit, options, output), ui)
        }
        Action::Search(Search { query, limit, options, output }) => {
            search::run(search::Args::of(&name, query, limit, options, output), ui)
        }
    }
}

fn add(args: &Add, name: &Name, ui: &Ui) -> Result<Exit> {
    let text = match args.text.as_str() {
        "-" => typed()?,
        text => text.to_owned(),
    };
    if text.trim().is_empty() || text.len() > MAX_LEN {
        let found = if text.len() > MAX_LEN { "a longer one" } else { "an empty one" };
        let message = format!("expected a text of at most {MAX_LEN} bytes, found {found}");
        return Err(UsageError { code: "usage", message }.into());
    }
    let home = Home::default_location()?;
    let directory = home.root().join("notes").join(name.as_str());
    register(&home, name, &directory)?;
    let title = args.title.clone().unwrap_or_else(|| first_line(&text));
    let path = keep(&directory, &title, &args.tags, &text)?;
    // The note is already stored; if this sync fails, the next one indexes it.
    if let Err(error) = sync_patiently(&home, name) {
        ui.warn(format!("the note is not searched until `findling sync {name}`: {error:#}"));
    }
    if args.json {
        print_json(&Added { collection: name, path, title })?;
    } else {
        ui.status("Kept", path.display());
    }
    Ok(Exit::Found)
}

/// Returns the text on standard input, at most as long as a note may be.
fn typed() -> Result<String> {
    let mut text = String::new();
    let input = std::io::stdin().lock().take(MAX_LEN as u64 + 1);
    std::io::BufReader::new(input)
        .read_to_string(&mut text)
        .context("expected text in UTF-8 on standard input")?;
    Ok(text)
}

/// Adds the collection if there is none.
///
/// # Errors
/// If the collection exists but `directory` is not one of its sources.
fn register(home: &Home, name: &Name, directory: &Path) -> Result<()> {
    fs::create_dir_all(directory)
        .with_context(|| format!("{} cannot be written", directory.display()))?;
    let settings = Settings {
        kind: Kind::Of(Format::Markdown),
        paths: vec![directory.to_owned()],
        encoder: crate::models::STATIC.to_owned(),
        ..Settings::default()
    };
    let known = Registry::read(home)?.collections().get(name).map(|known| known.paths.clone());
    match known {
        Some(paths) if paths.iter().any(|path| path == directory) => Ok(()),
        Some(_) => {
            let message = format!(
                "expected a collection of notes, found that {name} is made from other files: name \
                 another one with --collection"
            );
            Err(UsageError { code: "usage", message }.into())
        }
        None => match Registry::change(home, |registry| registry.add(name, settings)) {
            // Another process was faster.
            Err(Error::Exists { .. }) => Ok(()),
            added => Ok(added?),
        },
    }
}

/// Writes a note into a file of its own and returns its path.
fn keep(directory: &Path, title: &str, tags: &[String], text: &str) -> Result<PathBuf> {
    let now = Timestamp::from_second(Timestamp::now().as_second())?;
    let mut front = format!("---\ntitle: {}\ndate: {now}\n", json(&title)?);
    if !tags.is_empty() {
        front += &format!("tags: {}\n", json(&tags)?);
    }
    let when: String = now.to_string().chars().filter(char::is_ascii_alphanumeric).collect();
    let words = title.to_lowercase();
    let words = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug: String = words.collect::<Vec<_>>().join("-").chars().take(NAME_CHARS).collect();
    let mut number = 1;
    loop {
        let again = if number == 1 { String::new() } else { format!("-{number}") };
        let path = directory.join(format!("{when}-{slug}{again}.md"));
        let mut file = match File::create_new(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                number += 1;
                continue;
            }
            Err(error) => {
                return Err(error).with_context(|| format!("{} cannot be written", path.display()));
            }
        };
        file.write_all(format!("{front}---\n\n{}\n", text.trim_end()).as_bytes())
            .and_then(|()| file.sync_all())
            .with_context(|| format!("{} cannot be written", path.display()))?;
        return Ok(path);
    }
}

fn first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.trim_start_matches('#').trim().chars().take(TITLE_CHARS).collect()
}

/// Syncs without output, and waits for another sync that is running.
fn sync_patiently(home: &Home, name: &Name) -> Result<()> {
    let mut tries = 1..=TRIES;
    loop {
        match sync(home, name, &How::default(), &Ui::silent()) {
            Err(error)
                if tries.next().is_some()
                    && matches!(error.downcast_ref(), Some(Error::Busy { .. })) =>
            {
                std::thread::sleep(PAUSE);
            }
            done => return done.map(drop),
        }
    }
}
