//! The hits of the last search, so that a hit can be opened by its number, and the hits of searches
//! that were saved under a name.

use std::path::PathBuf;

use anyhow::Result;
use findling_engine::PageHit;
use serde::{Deserialize, Serialize};

use super::{Answer, Location, Place, Sources, UsageError, address, names};
use crate::collections::{Home, Name};
use crate::replace_file::keep_private_json;

/// Version of the file. One of another version counts as missing.
const VERSION: u32 = 2;

/// The directory of the searches that were saved.
const SAVED: &str = "saved-searches";

/// The results of the last search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Last {
    version: u32,
    /// The query.
    pub query: String,
    /// The results, by rank.
    pub hits: Vec<LastHit>,
}

/// A hit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastHit {
    /// The rank.
    pub rank: usize,
    /// The collection, if several were searched.
    pub collection: Option<String>,
    /// Name or address of the bundle that is valid in any directory; empty if there is none.
    pub bundle: String,
    /// The page's id.
    pub id: String,
    /// Title and headings.
    pub names: Vec<String>,
    /// The address.
    pub url: String,
    /// Matched words of the snippet, or its first words, for a link into the page.
    pub fragment: String,
    /// The source on this machine.
    pub path: Option<PathBuf>,
    /// The line in the source, from 1.
    pub line: Option<usize>,
    /// The page of a PDF, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<usize>,
}

impl Last {
    /// Returns the hits of answers to a query, in their order.
    pub fn of(query: &str, answers: &[Answer<'_>]) -> Self {
        let mut hits: Vec<LastHit> = Vec::new();
        for answer in answers {
            let bundle = &answer.meta.bundle.lasting_name;
            let hit =
                |(rank, page)| LastHit::of(rank, page, answer.sources, answer.collection, bundle);
            hits.extend(answer.pages().map(hit));
        }
        Self::new(query, hits)
    }

    /// Records the results of a query, by rank.
    pub fn new(query: &str, hits: Vec<LastHit>) -> Self {
        Self { version: VERSION, query: query.to_owned(), hits }
    }

    /// Keeps the hits. They replace the hits of the previous search, or of the search that was
    /// saved under this name.
    ///
    /// # Errors
    /// If there is no place for them.
    pub fn keep(&self, name: Option<&Name>) -> Result<()> {
        Ok(keep_private_json(&file(name)?, self)?)
    }

    /// Returns the hits of the last search, or of the one saved under a name.
    ///
    /// # Errors
    /// If there are none.
    pub fn read(name: Option<&Name>) -> Result<Self> {
        let kept = std::fs::read(file(name)?).ok();
        let last = kept.and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        last.filter(|last| last.version == VERSION).ok_or_else(|| {
            let message = match name {
                Some(name) => format!(
                    "expected a search saved as {name}, found none: `findling last --list` lists \
                     all, `findling search --save {name}` saves one"
                ),
                None => "expected a search before this command, found none: run `findling search` \
                         or `findling find` first"
                    .to_owned(),
            };
            UsageError { code: "no-last", message }.into()
        })
    }

    /// Returns the names of the searches that were saved, in order.
    ///
    /// # Errors
    /// If there is no directory for data.
    pub fn saved() -> Result<Vec<Name>> {
        let directory = Home::default_location()?.root().join(SAVED);
        // Until one is saved there is no directory.
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let name = |entry: std::fs::DirEntry| {
            entry.file_name().to_str()?.strip_suffix(".json")?.parse::<Name>().ok()
        };
        let mut names: Vec<Name> = entries.filter_map(name).collect();
        names.sort();
        Ok(names)
    }

    /// Returns the hit of a rank.
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
            UsageError { code: "no-last", message }.into()
        })
    }
}

impl LastHit {
    /// Returns the best section of a page, or the page.
    pub fn of(
        rank: usize,
        page: &PageHit,
        sources: &Sources,
        collection: Option<&str>,
        bundle: &str,
    ) -> Self {
        let section = page.sections.first();
        let (path, at) = match sources.locate(page, section) {
            Location::File { path, at } => (std::path::absolute(path).ok(), at),
            Location::Url(_) => (None, None),
        };
        let (line, page_of_file) = match at {
            Some(Place::Line(line)) => (Some(line), None),
            Some(Place::Page(page)) => (None, Some(page)),
            None => (None, None),
        };
        Self {
            rank,
            collection: collection.map(ToOwned::to_owned),
            bundle: bundle.to_owned(),
            id: page.id.clone(),
            names: names(page, section).map(ToOwned::to_owned).collect(),
            url: address(page).to_owned(),
            fragment: section.map(|one| fragment(&one.snippet.text)).unwrap_or_default(),
            path,
            line,
            page: page_of_file,
        }
    }
}

/// Returns the first words of a snippet, which a browser looks for.
fn fragment(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.split_whitespace().take(8).collect::<Vec<_>>().join(" ")
}

fn file(name: Option<&Name>) -> Result<PathBuf> {
    let home = Home::default_location()?;
    Ok(match name {
        Some(name) => home.root().join(SAVED).join(format!("{name}.json")),
        None => home.root().join("last-search.json"),
    })
}
