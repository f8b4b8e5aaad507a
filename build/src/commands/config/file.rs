//! `findling.toml`: options of commands for a directory and its subdirectories.
//!
//! ```toml
//! [build]
//! inputs = ["public"]
//! output = "public/findling"
//! exclude = ["print.html"]
//!
//! [search]
//! mode = "lexical"
//! ```
//!
//! A project's file may come from somebody else, so [`super::classes`] defines what it may set. A
//! table is named after a command. A key is the long name of an option, or the name of an argument.
//! What is given on the command line takes precedence.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use toml_edit::{Document, Item, Table, Value};

use crate::output::UsageError;
use crate::safe_text::excerpt;
use crate::small_file::MAX_LEN;

/// The file's name.
pub const NAME: &str = "findling.toml";

/// Maximum number of directories upwards in which the file is looked for.
const MAX_LEVELS: usize = 32;

/// A file of settings.
pub struct SettingsFile {
    /// The path of the file.
    pub path: PathBuf,
    document: Document<String>,
    /// The byte after each line. A file may have as many keys as lines.
    ends: Vec<usize>,
}

/// A key with its values.
pub struct Setting<'a> {
    pub key: &'a str,
    /// From 1.
    pub line: usize,
    /// The values as typed on a command line; `None` for a switch.
    pub values: Option<Vec<String>>,
    /// A switch that is off.
    pub is_off: bool,
}

impl SettingsFile {
    /// Returns the nearest file in a directory or one above it, up to the root of a repository.
    pub fn nearest(directory: &Path) -> Option<PathBuf> {
        for level in directory.ancestors().take(MAX_LEVELS) {
            let path = level.join(NAME);
            if path.is_file() {
                return Some(path);
            }
            if level.join(".git").exists() {
                break;
            }
        }
        None
    }

    /// Reads the file of a directory.
    ///
    /// # Errors
    /// If there is one that cannot be read.
    #[cfg(feature = "history")]
    pub fn in_directory(directory: &Path) -> Result<Option<Self>> {
        let path = directory.join(NAME);
        path.is_file().then(|| Self::read(path)).transpose()
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is no TOML.
    pub fn read(path: PathBuf) -> Result<Self> {
        let name = || path.display().to_string();
        let wrong = |message: String| UsageError { code: "settings", message };
        let len = std::fs::metadata(&path).with_context(name)?.len();
        if len > MAX_LEN {
            let message =
                format!("{}: expected at most {MAX_LEN} bytes of settings, found {len}", name());
            return Err(wrong(message).into());
        }
        let text = String::from_utf8(std::fs::read(&path).with_context(name)?)
            .map_err(|_| wrong(format!("{}: expected text in UTF-8, found other bytes", name())))?;
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        let line = |span: Option<Range<usize>>| span.map_or(1, |span| line_of(&ends, span.start));
        let document = Document::parse(text).map_err(|error| {
            let (line, found) = (line(error.span()), excerpt(error.message()));
            wrong(format!("{}:{line}: expected TOML, found: {found}", name()))
        })?;
        Ok(Self { path, document, ends })
    }

    /// Returns its text.
    pub fn text(&self) -> &str {
        self.document.raw()
    }

    /// Returns a switch that belongs to no command and is above all tables.
    ///
    /// # Errors
    /// If it is not a truth value.
    #[cfg(feature = "history")]
    pub fn switch(&self, key: &str) -> Result<Option<bool>, UsageError> {
        let Some(item) = self.document.as_table().get(key) else { return Ok(None) };
        let line = item.span().map_or(1, |span| self.line(span.start));
        let truth = item.as_bool();
        truth.map(Some).ok_or_else(|| self.wrong(line, "true or false", item.type_name()))
    }

    /// Returns the settings of a command, in the order of the file.
    ///
    /// # Errors
    /// If they are not a table of strings, numbers, truth values and lists of these.
    pub fn settings(&self, command: &str) -> Result<Vec<Setting<'_>>, UsageError> {
        let table = match self.document.as_table().get(command) {
            None => return Ok(Vec::new()),
            Some(Item::Table(table)) => table,
            Some(other) => {
                let found = other.type_name();
                let line = other.span().map_or(1, |span| self.line(span.start));
                return Err(self.wrong(line, &format!("a table [{command}]"), found));
            }
        };
        table.iter().map(|(key, item)| self.setting(table, key, item)).collect()
    }

    fn setting<'a>(
        &self,
        table: &Table,
        key: &'a str,
        item: &Item,
    ) -> Result<Setting<'a>, UsageError> {
        let span = table.key(key).and_then(|key| key.span());
        let line = span.map_or(1, |span| self.line(span.start));
        let expected = "a string, a number, true, false, or a list of strings and numbers";
        let wrong = || self.wrong(line, expected, item.type_name());
        let values = match item.as_value().ok_or_else(wrong)? {
            Value::Boolean(truth) => {
                return Ok(Setting { key, line, values: None, is_off: !truth.value() });
            }
            Value::Array(values) => values.iter().map(scalar).collect::<Option<_>>(),
            value => scalar(value).map(|value| vec![value]),
        };
        Ok(Setting { key, line, values: Some(values.ok_or_else(wrong)?), is_off: false })
    }

    fn line(&self, byte: usize) -> usize {
        line_of(&self.ends, byte)
    }

    /// Returns an error about a line.
    pub fn wrong(&self, line: usize, expected: &str, found: &str) -> UsageError {
        let path = self.path.display();
        UsageError {
            code: "settings",
            message: format!("{path}:{line}: expected {expected}, found {}", excerpt(found)),
        }
    }
}

/// Returns the line of a byte, from 1. `ends` are the bytes after each line.
fn line_of(ends: &[usize], byte: usize) -> usize {
    1 + ends.partition_point(|&end| end <= byte)
}

fn scalar(value: &Value) -> Option<String> {
    Some(match value {
        Value::String(text) => text.value().clone(),
        Value::Integer(number) => number.value().to_string(),
        Value::Float(number) => number.value().to_string(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_file(text: &str) -> (tempfile::TempDir, Result<SettingsFile>) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(NAME), text).unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        let found = SettingsFile::nearest(&dir.path().join("a/b")).unwrap();
        (dir, SettingsFile::read(found))
    }

    #[test]
    fn the_nearest_file_is_found_and_its_values_are_as_typed() {
        let text = "# x\n[build]\ninputs = [\"public\", \"docs\"]\nprune = 3\n\nwatch = true\n";
        let (_dir, file) = in_file(text);
        let file = file.unwrap();
        let settings = file.settings("build").unwrap();
        let lines: Vec<(&str, usize)> = settings.iter().map(|one| (one.key, one.line)).collect();
        assert_eq!(lines, [("inputs", 3), ("prune", 4), ("watch", 6)]);
        assert_eq!(settings[0].values, Some(vec!["public".into(), "docs".into()]));
        assert_eq!(settings[1].values, Some(vec!["3".into()]));
        assert_eq!(settings[2].values, None);
        assert!(file.settings("search").unwrap().is_empty());
    }

    #[test]
    fn a_repository_ends_the_search() {
        let (dir, file) = in_file("");
        assert!(file.is_ok());
        std::fs::create_dir(dir.path().join("a/.git")).unwrap();
        assert!(SettingsFile::nearest(&dir.path().join("a/b")).is_none());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let (_dir, file) = in_file("\n[build\n");
        let error = file.err().unwrap();
        assert!(error.to_string().contains("findling.toml:2: expected TOML"), "{error}");
        assert!(error.downcast_ref::<UsageError>().is_some());
        for text in ["[build]\n\nx = {a = 1}\n", "[build]\n\nx = [[1]]\n", "build = 1\n"] {
            let (_dir, file) = in_file(text);
            let error = file.unwrap().settings("build").err().unwrap();
            assert_eq!(error.code, "settings", "{text}");
        }
    }

    #[test]
    fn an_error_repeats_a_part_of_the_file_and_no_more() {
        let long = "k".repeat(1 << 19);
        for text in [format!("[build]\n{long}\n"), format!("{long}=1\n{long}=1\n")] {
            let (_dir, file) = in_file(&text);
            assert!(file.err().unwrap().to_string().len() < 500);
        }
        let (_dir, file) = in_file("[build]\n");
        let error = file.unwrap().wrong(1, "an option", &long);
        assert!(error.message.len() < 500 && error.message.ends_with('…'));
    }

    // When each key counted the lines before it, this took two minutes.
    #[test]
    fn each_of_many_keys_has_its_line() {
        let keys: String = (0..60_000).map(|key| format!("k{key}=1\n")).collect();
        let (_dir, file) = in_file(&format!("[build]\n{keys}"));
        let file = file.unwrap();
        let lines = file.settings("build").unwrap();
        assert!(lines.iter().map(|setting| setting.line).eq(2..60_002));
    }
}
