//! `cargo xtask fuzz`: runs the targets in `tests/fuzz` with libFuzzer.
//!
//! The instrumentation is LLVM's own and needs no nightly compiler, only a C++ compiler for
//! libFuzzer. There is no address sanitizer, because the crates under test forbid `unsafe`. The
//! targets look for panics (including overflows and debug assertions), hangs, and memory above the
//! limit.
//!
//! A target begins with the inputs in `tests/fuzz/seeds` and `tests/fuzz/regressions`. New inputs
//! are kept in `target/fuzz/corpus`, and the next run continues with them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::cmd::{Cmd, heading, note, which};
use crate::paths::{self, Paths};
use report::Row;
use targets::Target;

mod report;
mod targets;

/// Flags that instrument code, so that libFuzzer sees which code an input reaches.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// The arguments of `cargo xtask fuzz`.
pub struct Options {
    /// The targets to run; all of them if it is empty.
    pub targets: Vec<String>,
    /// Time for each target.
    pub seconds: u32,
    /// The file to which the table is written, in the form of `bench/results`.
    pub json: Option<PathBuf>,
}

/// The directories of a run.
struct Places<'a> {
    /// `tests/fuzz`.
    fuzz: PathBuf,
    /// `target/fuzz`.
    target: PathBuf,
    /// The compiled programs.
    programs: PathBuf,
    paths: &'a Paths,
}

/// Runs the targets, one after the other, and prints a table. An input that makes a target fail is
/// kept and its path printed.
pub fn run(paths: &Paths, options: &Options) -> Result<()> {
    if which("c++").is_none() {
        bail!(
            "libFuzzer is compiled by a C++ compiler, and there is none (Debian: `apt-get install \
             g++`)"
        );
    }
    let known = targets::all(&paths.root.join("tests/fuzz/seeds"))?;
    let targets = chosen(&options.targets, &known)?;
    let places = compile(paths)?;
    let mut rows = Vec::new();
    let mut failures = Vec::new();
    for target in targets {
        heading(&format!("fuzzing {} for {} s", target.name, options.seconds));
        // A finding must not hide the findings of the other targets.
        match fuzz(target, options.seconds, &places) {
            Ok(row) => rows.push(row),
            Err(error) => {
                println!("    {error:#}");
                failures.push(target.name.as_str());
            }
        }
    }
    report::print(&rows);
    if let Some(json) = &options.json {
        let commit = Cmd::new("git").args(["rev-parse", "HEAD"]).dir(&paths.root).read()?;
        let command = format!("cargo xtask fuzz --seconds {}", options.seconds);
        report::write(&rows, json, &commit, &command)?;
    }
    if !failures.is_empty() {
        bail!(
            "{} made their target fail. Mend the parser, and add the input to \
             tests/fuzz/regressions",
            failures.join(", ")
        );
    }
    note("nothing found");
    Ok(())
}

fn chosen<'a>(names: &[String], known: &'a [Target]) -> Result<Vec<&'a Target>> {
    if names.is_empty() {
        return Ok(known.iter().collect());
    }
    let find = |name: &String| {
        known.iter().find(|target| target.name == *name).with_context(|| {
            let known: Vec<_> = known.iter().map(|target| target.name.as_str()).collect();
            format!("there is no fuzz target `{name}`; there are: {}", known.join(", "))
        })
    };
    names.iter().map(find).collect()
}

fn compile(paths: &Paths) -> Result<Places<'_>> {
    let fuzz = paths.root.join("tests/fuzz");
    let target = paths.target.join("fuzz");
    let host = host_triple(paths)?;
    heading("compiling the fuzz targets");
    // With an explicit target triple, the flags apply to the crates under test and not to build
    // scripts.
    Cmd::new(paths::cargo())
        .args(["build", "--release", "--target", &host, "--target-dir"])
        .arg(&target)
        .env("RUSTFLAGS", COVERAGE)
        .dir(&fuzz)
        .run()?;
    let programs = target.join(&host).join("release");
    Ok(Places { fuzz, target, programs, paths })
}

fn fuzz(target: &Target, seconds: u32, places: &Places<'_>) -> Result<Row> {
    let program = named(target, places)?;
    let corpus = places.target.join("corpus").join(&target.name);
    let found = places.target.join("found").join(&target.name);
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&found)?;
    let given = ["seeds", "regressions"].map(|kind| places.fuzz.join(kind).join(&target.name));
    let start = || {
        let inputs = given.iter().filter(|directory| directory.is_dir());
        let command = Cmd::new(&program).arg(&corpus);
        inputs.fold(command, |command, directory| command.arg(directory)).dir(&places.paths.root)
    };
    let limits = target.limits;
    let heard = start()
        .arg(format!("-artifact_prefix={}/", found.display()))
        .args(["-print_final_stats=1", "-print_funcs=0", "-verbosity=0"])
        .arg(format!("-max_len={}", limits.bytes))
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-timeout={}", limits.seconds))
        .arg(format!("-rss_limit_mb={}", limits.megabytes))
        .listen()?;
    if !heard.ok {
        bail!("{}: the input is in {}", target.name, found.display());
    }
    // Without new inputs, libFuzzer reports the coverage of the corpus.
    let reached = start().args(["-runs=0", "-print_funcs=0"]).listen()?;
    let of = |name| report::number(&heard.lines, name).unwrap_or_default();
    Ok(Row {
        target: target.name.clone(),
        seconds,
        executions: of("stat::number_of_executed_units:"),
        covered: report::number(&reached.lines, "cov:").unwrap_or_default(),
        places: report::places(&reached.lines).unwrap_or_default(),
        corpus: report::number(&reached.lines, "corp:").unwrap_or_default(),
        megabytes: of("stat::peak_rss_mb:"),
    })
}

/// Returns the path of the program under the target's name.
fn named(target: &Target, places: &Places<'_>) -> Result<PathBuf> {
    let program = places.programs.join(target.program);
    if target.program == target.name {
        return Ok(program);
    }
    let directory = places.target.join("named");
    fs::create_dir_all(&directory)?;
    let named = directory.join(&target.name);
    replace(&program, &named)
        .with_context(|| format!("cannot copy {} to {}", program.display(), named.display()))?;
    Ok(named)
}

/// Makes `to` another name of the file `from`, or a copy if the file system does not allow two
/// names.
fn replace(from: &Path, to: &Path) -> std::io::Result<()> {
    match fs::remove_file(to) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(drop))
}

fn host_triple(paths: &Paths) -> Result<String> {
    let version = Cmd::new(paths::rustc()).arg("-vV").dir(&paths.root).read()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` names no host")?.to_owned())
}
