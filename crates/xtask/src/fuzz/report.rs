//! The figures of a run of fuzz targets: executions, coverage, memory.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// The figures of one target.
pub struct Row {
    pub target: String,
    pub seconds: u32,
    /// Inputs that were run.
    pub executions: u64,
    /// Places in the code that an input of the corpus reaches, and all places of the program.
    pub covered: u64,
    pub places: u64,
    /// Inputs of the corpus.
    pub corpus: u64,
    /// Largest memory in megabytes.
    pub megabytes: u64,
}

/// Returns the number after the last occurrence of `name` in libFuzzer's output.
pub fn number(lines: &[String], name: &str) -> Option<u64> {
    let of = |line: &String| {
        let rest = line.split_once(name)?.1.trim_start();
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    };
    lines.iter().rev().find_map(of)
}

/// Returns the number of places in the program, from a line such as `INFO: Loaded 1 modules (4711
/// inline 8-bit counters)`.
pub fn places(lines: &[String]) -> Option<u64> {
    let line = lines.iter().find(|line| line.contains("inline 8-bit counters"))?;
    line.split_once('(')?.1.split(' ').next()?.parse().ok()
}

/// Prints the table.
pub fn print(rows: &[Row]) {
    println!("\n    target         seconds  executions  a second  places reached       MB");
    for row in rows {
        println!(
            "    {:<14} {:>7}  {:>10}  {:>8}  {:>6} of {:>6}  {:>5}",
            row.target,
            row.seconds,
            row.executions,
            row.executions / u64::from(row.seconds.max(1)),
            row.covered,
            row.places,
            row.megabytes,
        );
    }
}

/// Writes the table in the form of `bench/results`.
pub fn write(rows: &[Row], to: &Path, commit: &str, command: &str) -> Result<()> {
    let date = to.file_name().and_then(|name| name.to_str()).and_then(|name| name.get(..10));
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!([
                row.target,
                row.seconds,
                row.executions,
                row.executions / u64::from(row.seconds.max(1)),
                row.corpus,
                row.covered,
                row.places,
                row.megabytes
            ])
        })
        .collect();
    let columns = json!([
        "target",
        "seconds",
        "executions",
        "a second",
        "inputs kept",
        "places reached",
        "places in the program",
        "memory (MB)"
    ]);
    let result = json!({
        "name": "fuzz",
        "date": date,
        "machine": machine(),
        "commit": commit,
        "command": command,
        "note": "Places are the counters that the compiler puts into the code; a target of a file \
            counts those of all parsers. A finding ends the run of its target: no row has one.",
        "tables": [{ "id": "fuzz", "columns": columns, "rows": rows }],
    });
    let text = serde_json::to_string_pretty(&result)? + "\n";
    std::fs::write(to, text).with_context(|| format!("cannot write {}", to.display()))
}

/// Returns the processors of this machine, for people.
fn machine() -> String {
    let n_cores = std::thread::available_parallelism().map_or(0, |n| n.get());
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("an unknown processor", |(_, model)| model);
    format!("{n_cores} cores, {model}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn figures_are_read_from_the_fuzzers_output() {
        let output = lines(
            "INFO: Loaded 1 modules   (4711 inline 8-bit counters): 4711 [0x1, 0x2)\n\
             #2\tINITED cov: 12 ft: 13 corp: 1/1b exec/s: 0 rss: 30Mb\n\
             #9\tDONE   cov: 345 ft: 400 corp: 7/9b\n\
             stat::number_of_executed_units: 1234\n\
             stat::peak_rss_mb:              66",
        );
        assert_eq!(places(&output), Some(4711));
        assert_eq!(number(&output, "cov:"), Some(345));
        assert_eq!(number(&output, "corp:"), Some(7));
        assert_eq!(number(&output, "stat::number_of_executed_units:"), Some(1234));
        assert_eq!(number(&output, "stat::peak_rss_mb:"), Some(66));
        assert_eq!(number(&output, "stat::other:"), None);
    }
}
