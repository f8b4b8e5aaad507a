//! `findling collection add`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use findling_dependencies::{Kind as LockKind, Lock, lock_files};

use crate::collections::{Error, Home, Kind, Name, Registry, Settings, Target, kinds};
use crate::commands::ocr::OcrArgs;
use crate::commands::sync::{self, How};
use crate::models;
use crate::output::UsageError;
use crate::site::transformer_gain;
use crate::sources::Format;
use crate::ui::{Ui, count, print_json};

use super::agent_logs::Directories;

/// Add a collection and build its bundle
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Name: lower-case letters, digits, `-`, `_` and `.`. With --agents it is `agents` unless
    /// given
    #[arg(required_unless_present = "agents")]
    name: Option<Name>,
    /// Directories and files to read
    #[arg(required_unless_present_any = ["agents", "lock"])]
    paths: Vec<PathBuf>,
    /// Add the packages that a lock file pins, as they are on this disk: Cargo.lock,
    /// package-lock.json, pnpm-lock.yaml, yarn.lock, poetry.lock, uv.lock, requirements.txt or
    /// go.sum; or a directory with such files. Repeatable
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "agents", "kind"])]
    lock: Vec<PathBuf>,
    /// Environment of Python in which the packages of --lock are looked for first, such as .venv.
    /// Repeatable
    #[arg(long, value_name = "DIRECTORY", requires = "lock")]
    environment: Vec<PathBuf>,
    /// Add the sessions of the coding assistants on this machine, which are looked for at their
    /// usual places: Claude Code, Codex, Cursor, Gemini CLI, Copilot, OpenCode, Cline, Roo Code,
    /// Aider, SpecStory
    #[arg(long)]
    agents: bool,
    /// Kind of all sources; auto finds out
    #[arg(long, value_name = "KIND", default_value = "auto", long_help = kind_help())]
    kind: Kind,
    /// Encoder of the documents: static (the table in this program, needs no model); an installed
    /// model (better results); hash (feature hashing, not semantic); or none (search by words only)
    /// [default: static]
    #[arg(long, value_name = "NAME")]
    encoder: Option<String>,
    /// Further vectors of the same pages with another encoder, which --vector-name NAME searches.
    /// Repeatable
    #[arg(long, value_name = "NAME=ENCODER", value_parser = Settings::vectors_of)]
    vectors: Vec<(Name, String)>,
    /// Skip paths below the source that match, such as drafts or print*.html; * matches any part
    /// of a name. Repeatable
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Follow links that lead out of the sources, but never into /proc, /sys or /dev. Links within
    /// the sources are always followed
    #[arg(long)]
    follow_links: bool,
    /// Prefix of every page's address, such as /docs/ or https://example.org/
    #[arg(long, value_name = "URL", default_value = "")]
    base_url: String,
    /// Language of pages that declare none, such as en or pt-BR
    #[arg(long, value_name = "TAG")]
    language: Option<String>,
    /// Index what tools returned in conversations, not only what people and assistants say
    #[arg(long)]
    tool_output: bool,
    /// TOML file that names the fields of messages in conversations of other programs
    #[arg(long, value_name = "FILE")]
    chat_fields: Option<PathBuf>,
    /// Index the lists of references of papers, too
    #[arg(long)]
    references: bool,
    #[command(flatten)]
    ocr: OcrArgs,
    /// Only register the collection. `findling sync NAME` builds its bundle
    #[arg(long)]
    no_sync: bool,
    /// Install a missing model without asking
    #[arg(short, long)]
    yes: bool,
    /// Print a report as JSON
    #[arg(long)]
    json: bool,
}

fn kind_help() -> String {
    format!("Kind of all sources: {}. auto finds out from the files; site is html", kinds())
}

/// Runs the command.
pub fn run(home: &Home, args: &Args, ui: &Ui) -> Result<ExitCode> {
    let mut paths = args.paths.iter().map(|path| absolute(path)).collect::<Result<Vec<_>>>()?;
    let mut kind = args.kind;
    if args.agents {
        kind = Kind::Of(Format::Chats);
        paths.extend(paths_of_agents(ui)?);
    }
    if !args.lock.is_empty() {
        kind = Kind::Dependencies;
        paths = locks(&args.lock)?;
    }
    let environments = args.environment.iter().map(|path| absolute(path));
    let name = match &args.name {
        Some(name) => name.clone(),
        None => AGENTS.parse()?,
    };
    let settings = Settings {
        kind,
        paths,
        encoder: args.encoder.clone().unwrap_or_else(|| models::STATIC.to_owned()),
        vectors: args.vectors.iter().cloned().collect(),
        exclude: args.exclude.clone(),
        follow_links: args.follow_links,
        base_url: args.base_url.clone(),
        language: args.language.clone(),
        tool_output: args.tool_output,
        references: args.references,
        ocr: args.ocr.languages()?,
        chat_fields: args.chat_fields.as_deref().map(absolute).transpose()?,
        environments: environments.collect::<Result<_>>()?,
        directory: None,
    };
    if kind == Kind::Dependencies {
        for path in &settings.paths {
            Lock::read(path)?;
        }
    }
    let is_unbuilt = matches!(Target::of_collection(home, &name), Err(Error::NotBuilt { .. }));
    Registry::change(home, |registry| match registry.collections().contains_key(&name) {
        // The first sync of the collection failed, or was put off.
        true if is_unbuilt => registry.replace(&name, settings),
        _ => registry.add(&name, settings),
    })?;
    if args.encoder.is_none() {
        ui.status("Meaning", transformer_gain());
    }
    ui.status("Added", format!("{name} to {}", home.registry().display()));
    if args.no_sync {
        if args.json {
            print_json(&serde_json::json!({
                "name": name, "status": "added",
            }))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let how = How { yes: args.yes, ..How::default() };
    let report = sync::sync(home, &name, &how, ui).with_context(|| {
        format!("{name} was added without a bundle; `findling sync {name}` builds it")
    })?;
    if args.json {
        print_json(&report)?;
    }
    Ok(sync::exit_code_of(&report))
}

/// Returns the lock files that are named, and those in directories that are named.
///
/// # Errors
/// If a directory has none, or there is nothing at a path.
fn locks(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut locks = Vec::new();
    for path in paths {
        let path = absolute(path)?;
        if !path.is_dir() {
            locks.push(path);
            continue;
        }
        let found = lock_files(&path);
        if found.is_empty() {
            let names = LockKind::ALL.map(LockKind::file_name).join(", ");
            let message =
                format!("expected a lock file in {}, found none of {names}", path.display());
            return Err(UsageError { code: "unknown-lock", message }.into());
        }
        locks.extend(found);
    }
    Ok(locks)
}

/// The name of the collection that `--agents` adds.
const AGENTS: &str = "agents";

/// Returns the places with sessions of coding assistants, and prints what was found.
///
/// # Errors
/// If there are none.
fn paths_of_agents(ui: &Ui) -> Result<Vec<PathBuf>> {
    let found = Directories::of_person().map(|directories| directories.find()).unwrap_or_default();
    if found.is_empty() {
        let message = "expected sessions of coding assistants at their usual places, found none; \
                       name their directory: findling collection add NAME DIRECTORY --kind chats";
        return Err(UsageError { code: "no-agents", message: message.to_owned() }.into());
    }
    for logs in &found {
        let n_files = count(logs.n_files as u64, "files");
        ui.status("Found", format!("{}: {n_files} in {}", logs.agent, logs.path.display()));
    }
    Ok(found.into_iter().map(|logs| logs.path).collect())
}

/// Returns a source in the form that the registry stores, because syncs may run in any directory.
fn absolute(path: &Path) -> Result<PathBuf> {
    fs::metadata(path)
        .with_context(|| format!("found no source {}; check the path", path.display()))?;
    // A symbolic link stays one: what it leads to may change.
    std::path::absolute(path).with_context(|| path.display().to_string())
}
