//! `cargo xtask bench answers`: how often a reader gets the right page, the right section, and the
//! sentence that answers.
//!
//! The questions, with the sections and the words that answer them, are the files
//! `tests/quality/answers/*.jsonl`. Each site is built with the static table. The searches are as
//! in a browser: streamed, with the static encoder, by words and by meaning.
//!
//! | column | meaning |
//! |---|---|
//! | page | share of questions whose first page is a right one; and one of the first three |
//! | section | share whose first section, of the first page, is a right one |
//! | shown | share whose first snippet has all words of a quote in one run; at least half of them |
//! | moved | share whose first three pages are not those that words alone give |

mod judge;
mod question;
mod report;
mod site;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::cmd::{Cmd, note};
use crate::demo;
use crate::paths::Paths;
use judge::Outcome;
use question::{Question, Split};
use site::Site;

/// The arguments, for the help text.
pub const ARGS: &str = "[--program FILE] [--questions DIR] [--site NAME=DIR]... [--split dev|test] \
                        [--missed] [--keep] [--archive]";

/// The number of pages of a response.
const LIMIT: &str = "3";

/// The arguments of the benchmark.
struct Options {
    /// The tool; it is built if none is given.
    program: Option<PathBuf>,
    /// The directory of the questions.
    questions: PathBuf,
    /// Directories of sites, by name; only these are searched if there are any.
    sites: BTreeMap<String, PathBuf>,
    /// Only this half.
    split: Option<Split>,
    /// Whether to print the questions that are not answered in the first snippet.
    missed: bool,
    /// Whether bundles of an earlier run are used again.
    keep: bool,
    /// Whether to write the tables to `bench/results`.
    archive: bool,
}

/// Runs the benchmark.
pub fn run(paths: &Paths, args: &[String]) -> Result<()> {
    let options = options(paths, args)?;
    let program = match &options.program {
        Some(program) => program.clone(),
        None => {
            demo::build_cli(paths)?;
            paths.findling()
        }
    };
    let mut by_site: BTreeMap<String, Vec<Question>> = BTreeMap::new();
    for question in question::read(&options.questions)? {
        if options.split.is_none_or(|split| split == question.split)
            && (options.sites.is_empty() || options.sites.contains_key(&question.site))
        {
            by_site.entry(question.site.clone()).or_default().push(question);
        }
    }
    ensure!(
        !by_site.is_empty(),
        "{}: expected questions of the sites and the half asked for, found none",
        options.questions.display()
    );
    let mut outcomes = Vec::new();
    for (name, questions) in &by_site {
        let directory = match options.sites.get(name) {
            Some(directory) => Ok(Site::at(directory)),
            None => site::find(paths, &options.questions, name),
        };
        match directory {
            Ok(site) => outcomes.extend(ask(paths, &program, name, &site, questions, &options)?),
            // A site that cannot be fetched must not hide the results of the others.
            Err(error) => note(format!("{name}: left out: {error:#}")),
        }
    }
    if options.missed {
        report::print_missed(&outcomes);
    }
    let table = report::table(&outcomes);
    report::print(&table);
    if options.archive {
        note(format!("wrote {}", report::archive(paths, table)?.display()));
    }
    Ok(())
}

/// Builds a site, searches for its questions and judges the responses.
fn ask<'q>(
    paths: &Paths,
    program: &Path,
    name: &str,
    site: &Site,
    questions: &'q [Question],
    options: &Options,
) -> Result<Vec<(&'q Question, Outcome)>> {
    let scratch = paths.target.join("answers").join(name);
    fs::create_dir_all(&scratch).with_context(|| scratch.display().to_string())?;
    let bundle = scratch.join("bundle");
    if !options.keep || !bundle.join("findling.idx").is_file() {
        Cmd::new(program)
            .arg("build")
            .arg(&site.directory)
            .arg("-o")
            .arg(&bundle)
            .args(["--no-client", "--encoder", "static", "--fresh", "--quiet"])
            .args(site.build_options)
            .run()?;
    }
    let lines = questions.iter().enumerate().map(|(number, question)| {
        format!("{}\n", json!({"_id": number.to_string(), "text": question.text}))
    });
    let batch = scratch.join("questions.jsonl");
    fs::write(&batch, lines.collect::<String>()).with_context(|| batch.display().to_string())?;
    let search = |mode: &str| -> Result<Vec<Value>> {
        let said = Cmd::new(program)
            .arg("search")
            .arg(&bundle)
            .arg("--batch")
            .arg(&batch)
            .args(["--json", "--streamed", "--query-encoder", "static", "--limit", LIMIT])
            .args(["--mode", mode])
            .read()?;
        said.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    };
    let (both, words) = (search("hybrid")?, search("lexical")?);
    ensure!(
        both.len() == questions.len() && words.len() == questions.len(),
        "{name}: expected a response to each of {} questions, found {} and {}",
        questions.len(),
        both.len(),
        words.len()
    );
    let answers = both.iter().zip(&words);
    Ok(questions
        .iter()
        .zip(answers)
        .map(|(question, (both, words))| (question, judge::judge(question, both, words)))
        .collect())
}

fn options(paths: &Paths, args: &[String]) -> Result<Options> {
    let mut options = Options {
        program: None,
        questions: paths.root.join("tests/quality/answers"),
        sites: BTreeMap::new(),
        split: None,
        missed: false,
        keep: false,
        archive: false,
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--program" => options.program = Some(PathBuf::from(value()?).canonicalize()?),
            "--questions" => options.questions = PathBuf::from(value()?),
            "--site" => {
                let value = value()?;
                let (name, directory) = value
                    .split_once('=')
                    .with_context(|| format!("--site {value}: expected NAME=DIR"))?;
                options.sites.insert(name.to_owned(), PathBuf::from(directory));
            }
            "--split" => options.split = Some(Split::of(value()?)?),
            "--missed" => options.missed = true,
            "--keep" => options.keep = true,
            "--archive" => options.archive = true,
            unknown => bail!("`cargo xtask bench answers` knows no `{unknown}`: {ARGS}"),
        }
    }
    Ok(options)
}
