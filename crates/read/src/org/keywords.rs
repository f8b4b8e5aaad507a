//! Keywords of a file: `#+TITLE: Tides`.

use std::cell::Cell;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::super::outline::fold;
use super::inline;

/// The statements of a file about itself.
#[derive(Debug, Default)]
pub(super) struct Keywords {
    title: Vec<String>,
    subtitle: Vec<String>,
    fields: Vec<(String, String)>,
    /// States of headlines, if the file names them.
    pub states: Vec<String>,
    /// Tags of headlines that are left out.
    pub exclude_tags: Vec<String>,
    pub macros: Macros,
}

/// Largest sum of the texts of all macros that a page expands: they may contain each other many
/// times.
const MAX_EXPANDED_BYTES: usize = 4 << 20;

/// The macros of a page.
#[derive(Debug, Default)]
pub(super) struct Macros {
    definitions: HashMap<String, String>,
    /// Bytes that were expanded.
    expanded: Cell<usize>,
}

impl Macros {
    pub fn define(&mut self, name: &str, text: &str) {
        self.definitions.insert(name.to_lowercase(), text.to_owned());
    }

    /// Returns the text of a macro; empty if the page has expanded too much.
    pub fn get(&self, name: &str) -> Option<&str> {
        let text = self.definitions.get(&name.to_lowercase())?;
        let expanded = self.expanded.get() + text.len();
        if expanded > MAX_EXPANDED_BYTES {
            return Some("");
        }
        self.expanded.set(expanded + 1);
        Some(text)
    }
}

/// Returns the name in lower case and the text of a keyword's line.
pub(super) fn keyword(line: &str) -> Option<(String, &str)> {
    let rest = line.trim_start().strip_prefix("#+")?;
    let (name, text) = rest.split_once(':')?;
    let name = name.split('[').next().unwrap_or(name);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    (!name.is_empty() && name.chars().all(is_name)).then(|| (name.to_lowercase(), text.trim()))
}

impl Keywords {
    /// Finds the keywords that apply to the whole file, in any place.
    pub fn define(&mut self, lines: &[&str]) {
        self.define_macros(lines);
        for line in lines.iter().filter(|line| line.trim_start().starts_with("#+")) {
            let Some((name, text)) = keyword(line) else { continue };
            match name.as_str() {
                "title" => self.title.push(text.to_owned()),
                "subtitle" => self.subtitle.push(text.to_owned()),
                "todo" | "seq_todo" | "typ_todo" => {
                    let states = text.split_whitespace().filter(|state| *state != "|");
                    let name = |state: &str| state.split('(').next().unwrap_or(state).to_owned();
                    self.states.extend(states.map(name));
                }
                "exclude_tags" => {
                    self.exclude_tags.extend(text.split_whitespace().map(str::to_owned));
                }
                "author" | "date" | "email" | "language" | "description" | "keywords"
                | "filetags" | "category" | "hugo_tags" | "hugo_categories" | "hugo_draft"
                | "draft" | "slug" | "hugo_slug" => {
                    self.fields.push((name, text.to_owned()));
                }
                _ => {}
            }
        }
    }

    /// Finds the macros of an included file.
    pub fn define_macros(&mut self, lines: &[&str]) {
        for line in lines.iter().filter(|line| line.trim_start().starts_with("#+")) {
            if let Some((name, text)) = keyword(line)
                && name == "macro"
                && let Some((name, text)) = text.split_once(char::is_whitespace)
            {
                self.macros.define(name, text.trim());
            }
        }
    }

    /// Returns whether a headline with these tags is left out.
    pub fn excludes(&self, tags: &[&str]) -> bool {
        if self.exclude_tags.is_empty() {
            return tags.contains(&"noexport");
        }
        tags.iter().any(|tag| self.exclude_tags.iter().any(|excluded| excluded == tag))
    }

    /// Returns the keywords as fields of front matter.
    pub fn of_page(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        let plain = |text: &str| fold(&inline::plain(text, &self.macros));
        let title = plain(&self.title.join(" "));
        if !title.is_empty() {
            fields.insert("title".to_owned(), Value::String(title));
        }
        let subtitle = plain(&self.subtitle.join(" "));
        if !subtitle.is_empty() {
            fields.insert("description".to_owned(), Value::String(subtitle));
        }
        let mut tags: Vec<String> = Vec::new();
        for (name, text) in &self.fields {
            match name.as_str() {
                "keywords" => {
                    tags.extend(text.split(',').map(fold).filter(|tag| !tag.is_empty()));
                }
                "filetags" | "hugo_tags" => {
                    let parts = text.split(|c: char| c == ':' || c.is_whitespace());
                    tags.extend(parts.filter(|tag| !tag.is_empty()).map(str::to_owned));
                }
                "date" => {
                    let date = text.trim_matches(['<', '>', '[', ']']);
                    let date = date.split_whitespace().next().unwrap_or(date);
                    if !date.contains("{{{") && !date.is_empty() {
                        fields.insert("date".to_owned(), Value::String(date.to_owned()));
                    }
                }
                "hugo_draft" | "draft" => {
                    fields.insert("draft".to_owned(), Value::Bool(text == "true" || text == "t"));
                }
                "email" => {}
                _ => {
                    let name = name.trim_start_matches("hugo_").to_owned();
                    let text = plain(text);
                    if !text.is_empty() {
                        fields.insert(name, Value::String(text));
                    }
                }
            }
        }
        let mut seen = std::collections::HashSet::new();
        tags.retain(|tag| seen.insert(tag.clone()));
        if !tags.is_empty() {
            fields.insert("tags".to_owned(), tags.into());
        }
        fields
    }
}
