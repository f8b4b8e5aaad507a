//! `cargo xtask fuzz`: runs the targets in `tests/fuzz` with libFuzzer.
//!
//! The instrumentation is LLVM's own and needs no nightly compiler, only a C++ compiler for
//! libFuzzer. There is no address sanitizer, because the crates under test forbid `unsafe`. The
//! targets look for panics (including overflows and debug assertions), hangs, and memory above the
//! limit.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::cmd::{Cmd, heading, note, which};
use crate::paths::{self, Paths};

const TARGETS: [&str; 3] = ["shards", "bytes", "requests"];
/// Flags that instrument code, so that libFuzzer sees which code an input reaches.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";
/// An input that takes longer is a hang: the bundle under test has three pages.
const TIMEOUT_S: u32 = 5;
/// An input that needs more memory shows that a limit is missing.
const MEMORY_MB: u32 = 512;

/// The arguments of `cargo xtask fuzz`.
pub struct Options {
    /// Run only this target.
    pub target: Option<String>,
    /// Time for each target.
    pub seconds: u32,
}

/// Runs the targets, one after the other. An input that makes a target fail is kept and its path
/// printed.
pub fn run(paths: &Paths, options: &Options) -> Result<()> {
    if which("c++").is_none() {
        bail!(
            "libFuzzer is compiled by a C++ compiler, and there is none (Debian: `apt-get install \
             g++`)"
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
    // With an explicit target triple, the flags apply to the crates under test and not to build
    // scripts.
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
