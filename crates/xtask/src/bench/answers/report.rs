//! The table of a run, printed and archived.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::judge::{Outcome, Visible};
use super::question::Question;
use crate::cmd::Cmd;
use crate::paths::Paths;

/// The columns after the name.
const COLUMNS: [&str; 7] = [
    "questions",
    "page first",
    "page in three",
    "section first",
    "answer shown",
    "partly",
    "moved",
];

/// Counts of questions.
#[derive(Default)]
struct Sum {
    all: u32,
    page_first: u32,
    page_in_three: u32,
    section_first: u32,
    shown: u32,
    partly: u32,
    moved: u32,
}

impl Sum {
    fn add(&mut self, outcome: &Outcome) {
        self.all += 1;
        for (count, is_so) in [
            (&mut self.page_first, outcome.page_first),
            (&mut self.page_in_three, outcome.page_in_three),
            (&mut self.section_first, outcome.section_first),
            (&mut self.shown, outcome.shown == Visible::Yes),
            (&mut self.partly, outcome.shown == Visible::Partly),
            (&mut self.moved, outcome.moved),
        ] {
            *count += u32::from(is_so);
        }
    }

    fn row(&self, name: &str) -> Vec<Value> {
        let share = |count: u32, of: u32| match of {
            0 => Value::Null,
            of => json!((f64::from(count) / f64::from(of) * 1000.0).round() / 1000.0),
        };
        vec![
            json!(name),
            json!(self.all),
            share(self.page_first, self.all),
            share(self.page_in_three, self.all),
            share(self.section_first, self.all),
            share(self.shown, self.all),
            share(self.partly, self.all),
            share(self.moved, self.all),
        ]
    }
}

/// Returns the rows: each site, each kind of question, and the total, by half.
pub fn table(outcomes: &[(&Question, Outcome)]) -> Vec<Vec<Value>> {
    // Sorted by half, then sites, kinds and the total.
    let mut sums: BTreeMap<(&str, u8, String), Sum> = BTreeMap::new();
    for (question, outcome) in outcomes {
        let half = question.split.name();
        for key in [
            (half, 0, format!("{}, {half}", question.site)),
            (half, 1, format!("questions of kind `{}`, {half}", question.kind)),
            (half, 2, format!("**all, {half}**")),
        ] {
            sums.entry(key).or_default().add(outcome);
        }
    }
    sums.iter().map(|((_, _, name), sum)| sum.row(name)).collect()
}

/// Prints the table.
pub fn print(rows: &[Vec<Value>]) {
    let columns = COLUMNS.join(" | ");
    println!("\n{:<36} | {columns}", "");
    for row in rows {
        let cells = row.iter().skip(1).zip(COLUMNS).map(|(cell, column)| {
            let cell = match cell {
                Value::Null => "-".to_owned(),
                Value::Number(share) if share.is_f64() => {
                    format!("{:.3}", share.as_f64().unwrap_or_default())
                }
                other => other.to_string(),
            };
            format!("{cell:>width$}", width = column.len())
        });
        let name = row.first().and_then(Value::as_str).unwrap_or_default();
        println!("{name:<36} | {}", cells.collect::<Vec<_>>().join(" | "));
    }
}

/// Prints the questions whose answer the first snippet does not show whole.
pub fn print_missed(outcomes: &[(&Question, Outcome)]) {
    for (question, outcome) in outcomes.iter().filter(|(_, o)| o.shown != Visible::Yes) {
        let right = |is_right: bool, what: &str| match is_right {
            true => format!("right {what}"),
            false => format!("WRONG {what}"),
        };
        println!("\n{} ({}, {})", question.text, question.site, question.kind);
        println!(
            "  {}, {}, shown: {:?}",
            right(outcome.page_first, "page"),
            right(outcome.section_first, "section"),
            outcome.shown
        );
        println!("  wanted {}\n         {}", question.sections.join(" "), question.quotes[0]);
        println!("  found  {}\n         {}", outcome.first, outcome.snippet.replace('\n', " / "));
    }
}

/// Writes the table to `bench/results` and returns the file.
pub fn archive(paths: &Paths, rows: Vec<Vec<Value>>) -> Result<PathBuf> {
    let read = |program: &str, args: &[&str]| Cmd::new(program).args(args).dir(&paths.root).read();
    let date = read("date", &["-u", "+%F"])?;
    let names = COLUMNS.iter().map(|name| match *name {
        "questions" => json!(name),
        name => json!({"name": name, "decimals": 3}),
    });
    let columns: Vec<Value> = std::iter::once(json!("site")).chain(names).collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let result = json!({
        "name": "answers to natural questions",
        "date": date,
        "machine": format!("{cores} cores"),
        "commit": read("git", &["rev-parse", "--short=8", "HEAD"])?,
        "command": "cargo xtask bench answers --archive",
        "note": "Documents and queries by the static table, streamed.",
        "columns": columns,
        "rows": rows,
    });
    let file = paths.root.join(format!("bench/results/{date}-natural-questions.json"));
    let text = serde_json::to_string_pretty(&result)? + "\n";
    fs::write(&file, text).with_context(|| file.display().to_string())?;
    Ok(file)
}
