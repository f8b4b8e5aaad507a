//! The hits of the last search, so that one can be opened by its number.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use findling_engine::PageHit;
use serde::{Deserialize, Serialize};

use super::{Answer, Asked, Location, Sources, address, names};
use crate::collections::Home;
use crate::replace_file::replace_by;

/// Version of the file. One of another version counts as missing.
const VERSION: u32 = 1;

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Last {
    version: u32,
    /// The query.
    pub query: String,
    /// What was found, by rank.
    pub hits: Vec<LastHit>,
}

/// A hit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastHit {
    /// Its rank.
    pub rank: usize,
    /// The collection, where several were asked.
    pub collection: Option<String>,
    /// Title and headings.
    pub names: Vec<String>,
    /// Its address.
    pub url: String,
    /// Words of the snippet that matched or begin it, for a link into the page.
    pub fragment: String,
    /// Its source on this machine.
    pub path: Option<PathBuf>,
    /// The line in the source, from 1.
    pub line: Option<usize>,
}

impl Last {
    /// The hits of answers to a query, in their order.
    pub fn of(query: &str, answers: &[Answer<'_>]) -> Self {
        let mut hits: Vec<LastHit> = Vec::new();
        for answer in answers {
            let hit = |(rank, page)| LastHit::of(rank, page, answer.sources, answer.collection);
            hits.extend(answer.pages().map(hit));
        }
        Self::new(query, hits)
    }

    /// Hits of a query, by rank.
    pub fn new(query: &str, hits: Vec<LastHit>) -> Self {
        Self { version: VERSION, query: query.to_owned(), hits }
    }

    /// Keeps the hits in place of those of the search before.
    ///
    /// # Errors
    /// If there is no place for them.
    pub fn keep(&self) -> Result<()> {
        let path = file()?;
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        let json = serde_json::to_vec(self)?;
        replace_by(&path, |file| -> Result<()> { Ok(std::io::Write::write_all(file, &json)?) })
    }

    /// The hits of the last search.
    ///
    /// # Errors
    /// If there are none.
    pub fn read() -> Result<Self> {
        let path = file()?;
        let kept = std::fs::read(&path).ok();
        let last = kept.and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        last.filter(|last| last.version == VERSION).ok_or_else(|| {
            let message = "expected a search before this command, found none: run `findling \
                           search` or `findling find` first";
            Asked { code: "no-last", message: message.into() }.into()
        })
    }

    /// The hit of a rank.
    ///
    /// # Errors
    /// If there is none.
    pub fn hit(&self, rank: usize) -> Result<&LastHit> {
        self.hits.iter().find(|hit| hit.rank == rank).ok_or_else(|| {
            let message = format!(
                "expected a number of the last search, {} to {}, found {rank}",
                self.hits.first().map_or(0, |hit| hit.rank),
                self.hits.last().map_or(0, |hit| hit.rank)
            );
            Asked { code: "no-last", message }.into()
        })
    }
}

impl LastHit {
    /// The best section of a page, or the page.
    pub fn of(rank: usize, page: &PageHit, sources: &Sources, collection: Option<&str>) -> Self {
        let section = page.sections.first();
        let (path, line) = match sources.locate(page, section) {
            Location::File { path, line } => (std::path::absolute(path).ok(), line),
            Location::Url(_) => (None, None),
        };
        Self {
            rank,
            collection: collection.map(ToOwned::to_owned),
            names: names(page, section).map(ToOwned::to_owned).collect(),
            url: address(page).to_owned(),
            fragment: section.map(|one| fragment(&one.snippet.text)).unwrap_or_default(),
            path,
            line,
        }
    }
}

/// The first words of a snippet, which a browser looks for.
fn fragment(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.split_whitespace().take(8).collect::<Vec<_>>().join(" ")
}

fn file() -> Result<PathBuf> {
    let registry = Home::default_location()?.registry();
    let home = registry.parent().context("no directory for data")?;
    Ok(home.join("last-search.json"))
}
