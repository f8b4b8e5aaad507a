//! The settings of a collection, as the registry has them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toml_edit::{Array, InlineTable, Table, value};

use super::error::Error;
use super::kind::Kind;
use super::name::Name;
use crate::models;

/// The settings of a collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// The kind of all sources.
    pub kind: Kind,
    /// Directories and files, absolute. None for a collection that was imported.
    pub paths: Vec<PathBuf>,
    /// The encoder of documents, as in `findling build --encoder`.
    pub encoder: String,
    /// Further vectors of the same pages, by name, each with its encoder.
    pub vectors: BTreeMap<Name, String>,
    /// Paths below the source to leave out.
    pub exclude: Vec<String>,
    /// Follow links that lead out of the sources.
    pub follow_links: bool,
    /// Prefix of every page's address.
    pub base_url: String,
    /// Language of pages that declare none.
    pub language: Option<String>,
    /// Index what tools returned in conversations.
    pub tool_output: bool,
    /// The file that names the fields of messages in conversations, absolute.
    pub chat_fields: Option<PathBuf>,
    /// Index the lists of references of papers.
    pub references: bool,
    /// Recognise the text of scans, in these languages of `tesseract`, joined by `+`.
    pub ocr: Option<String>,
    /// Environments of Python in which packages of lock files are looked for, absolute.
    pub environments: Vec<PathBuf>,
    /// The directory of its bundle, if that differs from its name.
    pub directory: Option<Name>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            kind: Kind::Auto,
            paths: Vec::new(),
            encoder: models::STATIC.to_owned(),
            vectors: BTreeMap::new(),
            exclude: Vec::new(),
            follow_links: false,
            base_url: String::new(),
            language: None,
            tool_output: false,
            chat_fields: None,
            references: false,
            ocr: None,
            environments: Vec::new(),
            directory: None,
        }
    }
}

impl Settings {
    /// Returns the table in the registry, without settings that have their default values.
    pub(super) fn to_table(&self) -> Result<Table, Error> {
        let default = Self::default();
        let mut table = Table::new();
        table["kind"] = value(self.kind.to_string());
        let text = |path: &Path| {
            path.to_str().map(str::to_owned).ok_or_else(|| Error::NotUtf8 { path: path.into() })
        };
        let mut paths = Array::new();
        for path in &self.paths {
            paths.push(text(path)?);
        }
        table["paths"] = value(paths);
        table["encoder"] = value(&self.encoder);
        if !self.vectors.is_empty() {
            let pairs = self.vectors.iter().map(|(name, encoder)| (name.as_str(), encoder));
            table["vectors"] = value(pairs.collect::<InlineTable>());
        }
        if self.exclude != default.exclude {
            table["exclude"] = value(self.exclude.iter().collect::<Array>());
        }
        if self.follow_links {
            table["follow-links"] = value(true);
        }
        if self.base_url != default.base_url {
            table["base-url"] = value(&self.base_url);
        }
        if let Some(language) = &self.language {
            table["language"] = value(language);
        }
        if self.tool_output {
            table["tool-output"] = value(true);
        }
        if self.references {
            table["references"] = value(true);
        }
        if let Some(languages) = &self.ocr {
            table["ocr"] = value(languages);
        }
        if let Some(path) = &self.chat_fields {
            table["chat-fields"] = value(text(path)?);
        }
        if !self.environments.is_empty() {
            let mut environments = Array::new();
            for path in &self.environments {
                environments.push(text(path)?);
            }
            table["environments"] = value(environments);
        }
        if let Some(directory) = &self.directory {
            table["directory"] = value(directory.as_str());
        }
        Ok(table)
    }
}
