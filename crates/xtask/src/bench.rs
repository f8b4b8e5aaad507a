//! `cargo xtask bench NAME`: the benchmarks, each an example of the crate it measures.

use anyhow::{Result, bail};

use crate::cmd::{Cmd, heading};
use crate::paths::{self, Paths};

/// A benchmark.
struct Bench {
    name: &'static str,
    /// The question it answers.
    question: &'static str,
    package: &'static str,
    /// Cargo's name of the example.
    example: &'static str,
}

const BENCHES: &[Bench] = &[];

/// Runs the benchmark called `name` with `args`; without a name, lists them.
pub fn run(paths: &Paths, name: Option<&str>, args: &[String]) -> Result<()> {
    let Some(name) = name else {
        for bench in BENCHES {
            println!("{:<12} {}", bench.name, bench.question);
        }
        return Ok(());
    };
    let Some(bench) = BENCHES.iter().find(|bench| bench.name == name) else {
        let names: Vec<_> = BENCHES.iter().map(|bench| bench.name).collect();
        bail!("there is no benchmark `{name}`; there are: {}", names.join(", "));
    };
    heading(bench.question);
    Cmd::new(paths::cargo())
        .args(["run", "--release", "--package", bench.package, "--example", bench.example, "--"])
        .args(args)
        .dir(&paths.root)
        .run()
}
