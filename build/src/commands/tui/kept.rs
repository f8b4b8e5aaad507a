//! State that is kept between runs: the mode for all targets, and the query of each.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::facets::Chosen;
use super::modes::Mode;
use crate::commands::state_directory;

/// The file's name.
const FILE: &str = "tui.json";

/// Version of the file. One of another version counts as missing.
const VERSION: u32 = 1;

/// Maximum number of targets that are remembered.
const MAX_TARGETS: usize = 100;

/// The file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    version: u32,
    mode: Mode,
    explains: bool,
    /// Models that are not to be offered.
    refused: Vec<String>,
    targets: BTreeMap<String, Search>,
}

/// A search as it was left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Search {
    pub query: String,
    pub filter: String,
    pub chosen: Chosen,
    pub facets: bool,
    /// The time at which it was left, seconds since 1970.
    pub left: i64,
}

/// The state that a run begins with and saves at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    pub mode: Mode,
    pub explains: bool,
    /// Models that are not to be offered.
    pub refused: Vec<String>,
    pub search: Search,
}

/// Returns the state that the last run over a target saved.
pub fn read(target: &str) -> Session {
    let kept: Kept = state_directory::read(FILE).unwrap_or_default();
    if kept.version != VERSION {
        return Session::default();
    }
    let search = kept.targets.get(target).cloned().unwrap_or_default();
    Session { mode: kept.mode, explains: kept.explains, refused: kept.refused, search }
}

/// Keeps a session for the next run.
///
/// # Errors
/// If it cannot be written.
pub fn keep(target: &str, session: Session) -> Result<()> {
    let kept: Option<Kept> = state_directory::read(FILE);
    let mut kept = kept.filter(|kept| kept.version == VERSION).unwrap_or_default();
    kept.version = VERSION;
    (kept.mode, kept.explains) = (session.mode, session.explains);
    kept.refused = session.refused;
    let left = jiff::Timestamp::now().as_second();
    kept.targets.insert(target.to_owned(), Search { left, ..session.search });
    while kept.targets.len() > MAX_TARGETS {
        let oldest = kept.targets.iter().min_by_key(|(_, search)| search.left);
        let Some(oldest) = oldest.map(|(name, _)| name.clone()) else { break };
        kept.targets.remove(&oldest);
    }
    state_directory::keep(FILE, &kept)
}
