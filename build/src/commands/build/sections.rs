//! `findling sections`: splits a site into sections, for data engines.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use clap::builder::RangedU64ValueParser;
use serde_json::{Value, json};

use super::args::ReadingArgs;
use super::exit_status;
use super::pipe::{self, Fields, wrong};
use crate::chunk::ChunkOptions;
use crate::commands::run_args::RunArgs;
use crate::exchange;
use crate::models;
use crate::output::UsageError;
use crate::site::{
    self, Meaning, Sizes, check_inputs, chunk_options, in_threads, load_encoder, open_tables,
    pieces_of_tables, reading_options, tell, told_options,
};
use crate::sources::boosts_and_pins::Pins;
use crate::sources::rows::{Finished, Row, Split, Splitter, Wanted};
use crate::sources::share::Share;
use crate::sources::{Format, Options, Problem, Severity};
use crate::standard_streams::{is_closed, stdout};
use crate::ui::{Ui, bytes, count};
use findling_encoder::BoxedEncoder;

/// Split a site into sections, as rows for data engines
///
/// Reads what `findling build` reads, and writes one row for each section: as a table (Parquet) to
/// OUT, otherwise as JSON lines to standard output. `findling build` builds the bundle of such
/// tables, with the same bytes as that of the site. INPUTs can be tables, whose rows are joined.
#[derive(Debug, clap::Args)]
pub struct SectionsArgs {
    /// Inputs of `findling build`, or tables of sections
    #[arg(required_unless_present = "pipe")]
    inputs: Vec<PathBuf>,
    /// Table to write; its name ends in .parquet. Without it, JSON lines are printed
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Read only share I of N of the inputs' files
    #[arg(long, value_name = "I/N")]
    part: Option<Share>,
    /// Answer requests on standard input, a JSON object a line, for programs
    #[arg(long, conflicts_with_all = ["output", "part"])]
    pipe: bool,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    units: UnitsArgs,
    #[command(flatten)]
    running: RunArgs,
}

/// What the texts to embed depend on.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Meaning")]
pub struct UnitsArgs {
    /// Encoder that the texts are for, as of `findling build`; none lists no texts
    #[arg(long, value_name = "NAME", default_value = models::STATIC)]
    pub encoder: String,
    /// Table of the static encoder, written by `findling distill` [default: the table in this
    /// program]
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Largest number of tokens per text; the model's own limit also applies
    #[arg(
        long,
        value_name = "N",
        default_value_t = 256,
        value_parser = RangedU64ValueParser::<usize>::new().range(16..=32_768)
    )]
    pub max_tokens: usize,
    /// Tokens that a text of a long section repeats from the one before it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub token_overlap: usize,
}

impl UnitsArgs {
    /// Returns the options of a build with these.
    pub fn of_build(
        self,
        inputs: Vec<PathBuf>,
        reading: ReadingArgs,
        running: RunArgs,
    ) -> site::Options {
        let Self { encoder, table, max_tokens, token_overlap } = self;
        site::Options {
            inputs,
            reading: reading.into(),
            sizes: Sizes { max_tokens, token_overlap, ..Sizes::default() },
            meaning: Meaning { encoder: Some(encoder), table, ..Meaning::default() },
            threads: running.jobs,
            install: running.yes,
            ..site::Options::default()
        }
    }
}

/// Runs the command.
///
/// # Errors
/// If an input cannot be read, a model is missing, or the output cannot be written.
pub fn run_sections(args: SectionsArgs, ui: &Ui) -> Result<ExitCode> {
    let SectionsArgs { inputs, output, part, pipe, reading, units, running } = args;
    let mut options = units.of_build(inputs, reading, running);
    check_inputs(&options)?;
    let tables = exchange::find(&options.inputs)?;
    if pipe {
        return serve(&options, tables.is_some(), ui);
    }
    let mut n_unreadable = 0;
    let rows = match tables {
        Some(_) if part.is_some() => {
            let message = "expected sources with --part, found tables: leave it out";
            return Err(UsageError::new("inputs", message).into());
        }
        Some(paths) => joined(&mut options, paths, &mut n_unreadable, ui)?,
        None => read(&options, part, &mut n_unreadable, ui)?,
    };
    match output {
        Some(path) => {
            check_name(&path)?;
            let len = exchange::write_sections(&path, &rows).with_context(|| {
                format!("--output {}: the table cannot be written", path.display())
            })?;
            let n_rows = count(rows.len() as u64, "sections");
            ui.status("Split", format!("{}: {n_rows}, {}", path.display(), bytes(len)));
        }
        None => {
            let mut out = stdout();
            for row in rows.iter().take_while(|_| !is_closed()) {
                writeln!(out, "{}", serde_json::to_string(row)?)?;
            }
        }
    }
    Ok(exit_status(n_unreadable))
}

/// Fails unless a table would be found by its name.
///
/// # Errors
/// If the name does not end in `.parquet`.
pub fn check_name(path: &Path) -> Result<()> {
    if exchange::is_table(path) {
        return Ok(());
    }
    let message = format!(
        "--output: expected a name that ends in .parquet, found {}: add it",
        path.display()
    );
    Err(UsageError::new("output", message).into())
}

/// Reads files.
fn read(
    build: &site::Options,
    part: Option<Share>,
    n_unreadable: &mut usize,
    ui: &Ui,
) -> Result<Vec<Row>> {
    let options = options(build)?;
    in_threads(build, || {
        let encoder = load_encoder(&build.meaning, build.install, ui)?;
        let told = told_options(&build.reading)?;
        let splitter = Splitter::new(&build.inputs, options, told);
        let split = splitter.all(part, &ui.bar("Reading", 0, "files"));
        let mut on_problem = |problem: Problem| *n_unreadable += usize::from(tell(&problem, ui));
        let finished = split.finish(splitter.options(), &mut on_problem);
        rows(finished, encoder.as_ref(), &chunk_options(build))
    })
}

/// Joins tables.
fn joined(
    build: &mut site::Options,
    paths: Vec<PathBuf>,
    n_unreadable: &mut usize,
    ui: &Ui,
) -> Result<Vec<Row>> {
    let found = open_tables(build, paths)?;
    let (build, options) = (&*build, options(build)?);
    in_threads(build, || {
        let encoder = load_encoder(&build.meaning, build.install, ui)?;
        let mut rows = Vec::new();
        let pieces = pieces_of_tables(&found.sections, &options, |row| rows.push(row.clone()))?;
        let mut on_problem = |problem: Problem| *n_unreadable += usize::from(tell(&problem, ui));
        let finished = Finished::join(rows, pieces, &options, &mut on_problem);
        self::rows(finished, encoder.as_ref(), &chunk_options(build))
    })
}

/// Returns the options of reading. Texts stay in memory, because the rows contain them too.
fn options(build: &site::Options) -> Result<Options> {
    Ok(Options { scratch: None, ..reading_options(build, Pins::default())? })
}

/// Returns the rows with the texts to embed.
fn rows(
    finished: Finished,
    encoder: Option<&BoxedEncoder>,
    options: &ChunkOptions,
) -> Result<Vec<Row>> {
    let Finished { mut rows, pages, places } = finished;
    rows.iter_mut().for_each(|row| row.units = None);
    let Some(encoder) = encoder else { return Ok(rows) };
    let units = exchange::units(&pages, encoder, options)?;
    for (units, place) in units.into_iter().zip(places) {
        let rows = &mut rows[place];
        rows.iter_mut().for_each(|row| row.units = Some(Vec::new()));
        let last = rows.len().saturating_sub(1);
        for unit in units {
            if let Some(row) = rows.get_mut(last.min(unit.section as usize)) {
                row.units.get_or_insert_default().push(unit.text);
            }
        }
    }
    Ok(rows)
}

/// Answers requests to split files.
fn serve(build: &site::Options, has_tables: bool, ui: &Ui) -> Result<ExitCode> {
    let start = || {
        if has_tables {
            let message = "expected sources with --pipe, found tables: leave it out";
            return Err(UsageError::new("inputs", message).into());
        }
        let encoder = load_encoder(&build.meaning, build.install, ui)?;
        let told = told_options(&build.reading)?;
        let splitter = Splitter::new(&build.inputs, options(build)?, told);
        let problems = problems(splitter.problems());
        let mut greeting = Fields::new();
        greeting.insert("problems".into(), problems);
        Ok((greeting, (encoder, splitter)))
    };
    in_threads(build, || {
        pipe::serve(start, |(encoder, splitter), mut request| {
            if request.remove("list") == Some(Value::Bool(true)) {
                let files: Vec<&str> = splitter.files().collect();
                return Ok(answer([("files", json!(files))]));
            }
            let split = split(splitter, &mut request)?;
            let mut told = Vec::new();
            let finished = split.finish(splitter.options(), &mut |problem| told.push(problem));
            let rows = rows(finished, encoder.as_ref(), &chunk_options(build))?;
            Ok(answer([("sections", json!(rows)), ("problems", problems(&told))]))
        })
    })
}

fn answer<const N: usize>(fields: [(&str, Value); N]) -> Fields {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Describes problems of files, for programs.
fn problems(problems: &[Problem]) -> Value {
    let value = |problem: &Problem| {
        let severity = match problem.severity {
            Severity::Skipped => "skipped",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let Problem { path, line, reason, .. } = problem;
        json!({ "severity": severity, "path": path, "line": line, "reason": reason })
    };
    problems.iter().map(value).collect()
}

/// Splits the files of a request.
fn split(splitter: &Splitter, request: &mut Fields) -> Result<Split> {
    const EXPECTED: &str = "`list`, or `files`: a list of paths below the root, or of objects with \
                            `file`, `text` or `base64`, and `format`";
    let Some(Value::Array(files)) = request.remove("files") else {
        return Err(wrong(EXPECTED, "neither"));
    };
    let wanted = files.into_iter().map(|file| match file {
        Value::String(file) => Ok(Wanted::Listed(file)),
        Value::Object(mut given) => {
            let mut text = |name: &str| match given.remove(name) {
                None | Some(Value::Null) => Ok(None),
                Some(Value::String(text)) => Ok(Some(text)),
                Some(other) => Err(wrong(&format!("a text in `{name}`"), &other.to_string())),
            };
            let file = text("file")?.ok_or_else(|| wrong(EXPECTED, "no `file`"))?;
            let format = text("format")?.map(|name| {
                let found = name.parse::<Format>();
                found.map_err(|_| wrong("a format of `findling build --format`", &name))
            });
            let bytes = match (text("text")?, text("base64")?) {
                (Some(text), None) => text.into_bytes(),
                (None, Some(text)) => BASE64_STANDARD
                    .decode(text)
                    .map_err(|error| wrong("base64", &error.to_string()))?,
                _ => return Err(wrong("`text` or `base64`", "neither or both")),
            };
            Ok(Wanted::Given { file, format: format.transpose()?, bytes })
        }
        other => Err(wrong(EXPECTED, &other.to_string())),
    });
    Ok(splitter.some(wanted.collect::<Result<_>>()?)?)
}
