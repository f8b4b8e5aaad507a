//! `cargo xtask docs`: writes the tables of the documents from measured results, and the picture of
//! [`EXTRACTION`] from the output in that document.
//!
//! A document marks a table with `<!-- table: bench/results/NAME.json#ID -->` and `<!-- /table
//! -->`, on lines of their own. The lines between them are generated. A results file is one JSON
//! object:
//!
//! | field | meaning |
//! |---|---|
//! | `name`, `date`, `machine`, `commit`, `command` | what was measured, when, where and how |
//! | `columns` | names, or `{"name": ..., "decimals": n}` for a column of numbers |
//! | `rows` | lists of cells: strings, numbers, or null for an empty cell |
//! | `tables` | several tables: each has `id`, `columns`, `rows` and may have `command` |
//!
//! A marker without `#ID` shows the table of the file itself. A marker with a path that ends with
//! `/` shows the test sites below that directory: `<!-- table: tests/ranking/ -->`.

use std::path::{Path, PathBuf};
use std::{fs, process::Command};

use anyhow::{Context, Result, bail};
use serde_json::Value;

#[path = "picture.rs"]
mod picture;
#[path = "sites.rs"]
mod sites;

const OPEN: &str = "<!-- table: ";
const CLOSE: &str = "<!-- /table -->";

/// The document that shows the output of a command.
const EXTRACTION: &str = "docs/extraction.md";

/// The command that it shows, and the picture of its output.
const COMMAND: &str = "findling inspect --extraction ferry.html";
pub const PICTURE: &str = "docs/extraction.svg";

/// Rewrites every Markdown file under `root` whose tables differ from their results, and returns
/// those files.
#[allow(dead_code, reason = "the tests compile this module without the command")]
pub fn run(root: &Path) -> Result<Vec<PathBuf>> {
    let mut changed = Vec::new();
    for file in documents(root)? {
        let path = root.join(&file);
        let text =
            fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let written = with_tables(root, &text).with_context(|| file.display().to_string())?;
        if written != text {
            fs::write(&path, written).with_context(|| format!("writing {}", path.display()))?;
            changed.push(file);
        }
    }
    let picture = picture(root)?;
    let path = root.join(PICTURE);
    if fs::read_to_string(&path).ok().as_ref() != Some(&picture) {
        fs::write(&path, picture).with_context(|| format!("writing {}", path.display()))?;
        changed.push(PICTURE.into());
    }
    Ok(changed)
}

/// Returns the picture of the output that [`EXTRACTION`] shows: its first block of plain text.
pub fn picture(root: &Path) -> Result<String> {
    let path = root.join(EXTRACTION);
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let output = text.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
    let output = output.with_context(|| format!("{EXTRACTION}: expected a block ```text"))?;
    Ok(picture::svg(COMMAND, output))
}

/// Returns the Markdown files that git tracks or would track, without test sites.
pub fn documents(root: &Path) -> Result<Vec<PathBuf>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"])
        .current_dir(root)
        .output()
        .context("running git ls-files")?;
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    let fixture = |file: &Path| {
        !file.starts_with("site/pages")
            && file
                .components()
                .any(|part| ["pages", "fixtures"].iter().any(|dir| part.as_os_str() == *dir))
    };
    Ok(names
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
        .filter(|file| !fixture(file) && root.join(file).exists())
        .collect())
}

/// Returns `text` with every marked table generated from its results.
pub fn with_tables(root: &Path, text: &str) -> Result<String> {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let Some(source) = marker(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        for row in table(root, source)? {
            out.push_str(indent);
            out.push_str(&row);
            out.push('\n');
        }
        let Some(close) = lines.by_ref().find(|line| line.trim() == CLOSE) else {
            bail!("`{line}` is not closed: expected a line `{CLOSE}`");
        };
        out.push_str(close);
        out.push('\n');
    }
    Ok(out)
}

/// Returns the source that a marker line names.
pub fn marker(line: &str) -> Option<&str> {
    line.trim().strip_prefix(OPEN)?.strip_suffix("-->").map(str::trim)
}

/// Returns the lines of the Markdown table that `source` (`PATH`, `PATH#ID` or `DIRECTORY/`)
/// describes.
fn table(root: &Path, source: &str) -> Result<Vec<String>> {
    if source.ends_with('/') {
        return render(&sites::table(root, source)?).with_context(|| source.to_owned());
    }
    let (path, id) = source.split_once('#').unwrap_or((source, ""));
    let text = fs::read_to_string(root.join(path))
        .with_context(|| format!("`{path}` cannot be read: expected a results file"))?;
    let results: Value =
        serde_json::from_str(&text).with_context(|| format!("`{path}` is not JSON"))?;
    let table = if id.is_empty() {
        &results
    } else {
        let tables = results["tables"].as_array().map(Vec::as_slice).unwrap_or_default();
        tables
            .iter()
            .find(|table| table["id"] == id)
            .with_context(|| format!("`{path}` has no table `{id}`"))?
    };
    render(table).with_context(|| source.to_owned())
}

fn render(table: &Value) -> Result<Vec<String>> {
    let columns = table["columns"].as_array().context("`columns` is missing")?;
    let rows = table["rows"].as_array().context("`rows` is missing")?;
    let names = columns.iter().map(|column| column["name"].as_str().or(column.as_str()));
    let names: Option<Vec<&str>> = names.collect();
    let names = names.context("a column has no name")?;
    let mut lines = vec![line(names.iter().copied()), format!("|{}", "---|".repeat(names.len()))];
    for row in rows {
        let cells = row.as_array().context("a row is not a list")?;
        if cells.len() != columns.len() {
            bail!("a row has {} cells for {} columns: {row}", cells.len(), columns.len());
        }
        let cells: Vec<String> = cells.iter().zip(columns).map(|(cell, c)| show(cell, c)).collect();
        lines.push(line(cells.iter().map(String::as_str)));
    }
    Ok(lines)
}

fn show(cell: &Value, column: &Value) -> String {
    match (cell, column["decimals"].as_u64()) {
        (Value::Null, _) => String::new(),
        (Value::String(text), _) => text.clone(),
        (Value::Number(number), Some(decimals)) => {
            format!("{:.*}", decimals as usize, number.as_f64().unwrap_or(f64::NAN))
        }
        (other, _) => other.to_string(),
    }
}

fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let mut line = String::from("|");
    for cell in cells {
        if !cell.is_empty() {
            line.push(' ');
            line.push_str(cell);
        }
        line.push_str(" |");
    }
    line
}
