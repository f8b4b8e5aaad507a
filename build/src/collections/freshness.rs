//! Whether the sources of a collection have changed since its bundle was made.

use serde::Serialize;

use super::error::Error;
use super::generation::Generation;
use super::home::Home;
use super::name::Name;
use super::settings::Settings;
use super::state::{Scan, State};
use super::sync::{list, paths};

/// A comparison of a bundle with its sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Freshness {
    /// The time of the last sync that looked at the sources, as RFC 3339; `null` if it is unknown.
    pub synced: Option<String>,
    /// Files that are new, changed, moved or gone since.
    pub changed_files: usize,
    /// Whether there are any.
    pub stale: bool,
}

/// Compares the files of the sources with those of a generation: by length and date, and by
/// contents where these differ.
///
/// # Errors
/// [`Error::MissingSource`] where a source cannot be read.
pub(super) fn freshness(
    home: &Home,
    name: &Name,
    settings: &Settings,
    generation: &Generation,
) -> Result<Option<Freshness>, Error> {
    let Some(state) = State::read(&generation.state()).filter(|_| !settings.paths.is_empty())
    else {
        return Ok(None);
    };
    let listing = list(home, name, settings)?.listing;
    let scan = Scan::of(&paths(&listing, settings), Some(&state), false);
    let changes = state.changes_to(&scan, &state.look_at_included(false));
    let lists = [changes.new.len(), changes.changed.len(), changes.deleted.len()];
    let changed_files = lists.iter().sum::<usize>() + changes.moved.len();
    Ok(Some(Freshness { synced: state.synced(), changed_files, stale: changed_files > 0 }))
}
