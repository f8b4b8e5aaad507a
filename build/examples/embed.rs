//! Embeds the chunks of a site on demand: this project's side of the native part of `cargo xtask
//! bench encoder`.
//!
//! `cargo run --release --workspace --example embed -- MODEL MOST INPUT...`
//!
//! MODEL is an installed model. INPUT is read and chunked as `findling build` would; of the chunks,
//! MOST are taken, evenly spread. The first line printed is JSON, `{"model": DIRECTORY,
//! "maxTokens": N, "texts": [...]}`. Then for each line read, the number of times to embed all
//! texts, one of `{"seconds", "cpu", "tokens", "vectors"}`: of the wall and of processors (0 where
//! the system does not tell), the tokens of one time, and the first vectors.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, ensure};
use findling_build::chunk::{self, ChunkOptions};
use findling_build::{models, sources};
use findling_encoder::Side;

/// Vectors printed.
const SHOWN: usize = 50;

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let name = args.next().context("expected the name of an installed model")?;
    let most: usize = args.next().context("expected a number of texts")?.parse()?;
    let inputs: Vec<PathBuf> = args.map(PathBuf::from).collect();
    let directory = models::locate(&name)?;
    let encoder = models::load_from(&directory)?;

    let pages = sources::read(&inputs, &sources::Options::default(), &mut |_| {});
    let special = encoder.count_tokens("", Side::Document) as usize;
    let max_tokens = encoder.card().max_tokens as usize;
    let options = ChunkOptions {
        special_tokens: special,
        max_tokens: max_tokens.min(256),
        ..ChunkOptions::default()
    };
    let tokens = |text: &str| encoder.count_tokens(text, Side::Document) as usize - special;
    let units: Vec<String> = pages
        .iter()
        .flat_map(|page| chunk::chunk(page, &options, tokens).sections)
        .flat_map(|section| section.units)
        .map(|unit| unit.text)
        .collect();
    ensure!(!units.is_empty() && most > 0, "there is nothing to embed in what was given");
    let taken = most.min(units.len());
    let texts: Vec<&str> = (0..taken).map(|i| units[i * units.len() / taken].as_str()).collect();

    let mut out = std::io::stdout().lock();
    let head =
        serde_json::json!({ "model": directory.path, "maxTokens": max_tokens, "texts": texts });
    writeln!(out, "{head}")?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        let times: usize = line?.trim().parse().context("expected how often")?;
        let (start, cpu) = (Instant::now(), cpu_seconds());
        let mut embeddings = Vec::new();
        for _ in 0..times {
            embeddings = encoder.encode(&texts, Side::Document)?;
        }
        let seconds = start.elapsed().as_secs_f64();
        let cpu = cpu_seconds().zip(cpu).map_or(0.0, |(after, before)| after - before);
        let n: u32 = embeddings.iter().map(|embedding| embedding.n_tokens).sum();
        let vectors: Vec<&[f32]> =
            embeddings.iter().take(SHOWN).map(|e| e.values.as_slice()).collect();
        let answer =
            serde_json::json!({ "seconds": seconds, "cpu": cpu, "tokens": n, "vectors": vectors });
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// Returns the processor time of this process so far; `None` if the system does not report it in
/// hundredths of a second.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / 100.0)
}
