//! Tables of the small sites that the tests read, one row for each folder. Extraction has a folder
//! for each kind of markup, ranking one for each topic.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// The file that describes a topic of ranking.
const CASES: &str = "cases.json";

/// The file that has what must come out of a folder of extraction.
const EXPECTED: &str = "expected.txt";

/// Returns the table of the sites below `directory`, as a results file would hold it.
pub fn table(root: &Path, directory: &str) -> Result<Value> {
    let mut topics = Vec::new();
    let mut kinds = Vec::new();
    for folder in entries(&root.join(directory))?.into_iter().filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let cases = folder.join(CASES);
        if cases.is_file() {
            topics.push(topic(&name, &cases)?);
        } else {
            let pages: Vec<String> = files(&folder, "")?
                .into_iter()
                .filter(|page| page != EXPECTED)
                .map(|page| page.strip_suffix(".html").unwrap_or(&page).to_owned())
                .collect();
            kinds.push(json!([name, pages.join(", ")]));
        }
    }
    Ok(if topics.is_empty() {
        json!({"columns": ["kind", "pages"], "rows": kinds})
    } else {
        json!({"columns": ["topic", "its cases", "queries", "pages"], "rows": topics})
    })
}

/// Returns the row of a topic: its name, what its cases have in common, how many queries they ask,
/// and how many pages of each format it has.
fn topic(name: &str, cases: &Path) -> Result<Value> {
    let text = fs::read_to_string(cases).with_context(|| cases.display().to_string())?;
    let topic: Value = serde_json::from_str(&text).with_context(|| cases.display().to_string())?;
    let list = topic["cases"].as_array().map(Vec::as_slice).unwrap_or_default();
    let same = |case: &Value| case["same"].as_array().map_or(0, Vec::len);
    let n_queries: usize = list.iter().map(|case| 1 + same(case)).sum();
    let mut formats: BTreeMap<String, usize> = BTreeMap::new();
    for page in files(&cases.with_file_name("pages"), "")? {
        let format = Path::new(&page).extension().unwrap_or_default().to_string_lossy();
        *formats.entry(format.into_owned()).or_default() += 1;
    }
    let pages: Vec<String> = formats.iter().map(|(format, n)| format!("{n} {format}")).collect();
    Ok(json!([name, topic["about"], n_queries, pages.join(", ")]))
}

/// Returns the files below a directory by their paths in it, in the order of their names.
fn files(directory: &Path, below: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for path in entries(directory)? {
        let name = format!("{below}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            found.extend(files(&path, &format!("{name}/"))?);
        } else {
            found.push(name);
        }
    }
    Ok(found)
}

/// Returns the entries of a directory, in the order of their names.
fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let found = fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    let mut paths = Vec::new();
    for entry in found {
        paths.push(entry.with_context(|| directory.display().to_string())?.path());
    }
    paths.sort();
    Ok(paths)
}
