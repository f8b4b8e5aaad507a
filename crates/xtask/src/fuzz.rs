//! `cargo xtask fuzz`: the targets in `tests/fuzz`, driven by libFuzzer.
//!
//! The instrumentation is LLVM's own and needs no nightly compiler, only a C++ compiler for
//! libFuzzer. There is no address sanitizer: the crates under test forbid `unsafe`, and what is
//! looked for are panics (overflows and debug assertions included), hangs, and memory beyond the
//! limit.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::cmd::{Cmd, heading, note, which};
use crate::paths::{self, Paths};

const TARGETS: [&str; 3] = ["shards", "bytes", "requests"];
/// How libFuzzer sees what an input reaches.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";
/// An input that takes longer is a hang: the bundle under test has three pages.
const TIMEOUT_S: u32 = 5;
/// An input that takes more memory is a fault of the limits.
const MEMORY_MB: u32 = 512;

/// The arguments of `cargo xtask fuzz`.
pub struct Options {
    /// One of the targets instead of all.
    pub target: Option<String>,
    /// How long each runs.
    pub seconds: u32,
}

/// Runs the targets, one after another; an input that breaks something is kept and named.
pub fn run(paths: &Paths, options: &Options) -> Result<()> {
    if which("c++").is_none() {
        bail!(
            "libFuzzer is compiled by a C++ compiler, and there is none (Debian: `apt-get install g++`)"
        );
    }
    let targets: Vec<&str> = match &options.target {
        None => TARGETS.to_vec(),
        Some(one) => match TARGETS.iter().find(|target| *target == one) {
            Some(target) => vec![target],
            None => bail!("there is no fuzz target `{one}`; there are: {}", TARGETS.join(", ")),
        },
    };
    let crate_dir = paths.root.join("tests/fuzz");
    let target_dir = paths.target.join("fuzz");
    let host = host_triple(paths)?;
    heading("compiling the fuzz targets");
    // With a target named, the flags are for the crates under test and not for build scripts.
    Cmd::new(paths::cargo())
        .args(["build", "--release", "--target", &host, "--target-dir"])
        .arg(&target_dir)
        .env("RUSTFLAGS", COVERAGE)
        .dir(&crate_dir)
        .run()?;
    for target in targets {
        heading(&format!("fuzzing {target} for {} s", options.seconds));
        let corpus = target_dir.join("corpus").join(target);
        let found = target_dir.join("found").join(target);
        fs::create_dir_all(&corpus)?;
        fs::create_dir_all(&found)?;
        Cmd::new(target_dir.join(&host).join("release").join(target))
            .arg(&corpus)
            .arg(format!("-artifact_prefix={}/", found.display()))
            .args(["-print_final_stats=1", "-print_funcs=0", "-verbosity=0", "-max_len=4096"])
            .arg(format!("-max_total_time={}", options.seconds))
            .arg(format!("-timeout={TIMEOUT_S}"))
            .arg(format!("-rss_limit_mb={MEMORY_MB}"))
            .run()
            .with_context(|| format!("{target}: the input is in {}", found.display()))?;
    }
    note("nothing found");
    Ok(())
}

fn host_triple(paths: &Paths) -> Result<String> {
    let version = Cmd::new(paths::rustc()).arg("-vV").dir(&paths.root).read()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` names no host")?.to_owned())
}
