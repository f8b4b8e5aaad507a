//! Where programs at the terminal keep what they remember between runs.

use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::collections::Home;
use crate::replace_file::keep_json;
use crate::small_file;

/// A file in the platform's directory for state, or beside the collections where there is none or
/// `$FINDLING_HOME` says where everything is.
///
/// # Errors
/// If there is no directory.
pub fn file(name: &str) -> Result<PathBuf> {
    let own = std::env::var_os("FINDLING_HOME").is_some_and(|home| !home.is_empty());
    let platform = directories::ProjectDirs::from("", "", "findling");
    let platform = platform.as_ref().and_then(directories::ProjectDirs::state_dir);
    let directory = match platform.filter(|_| !own) {
        Some(directory) => directory.to_owned(),
        None => Home::default_location()?.root().join("state"),
    };
    Ok(directory.join(name))
}

/// What was kept; `None` where there is nothing that can be read.
pub fn read<T: DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_str(&small_file::text(&file(name).ok()?)?).ok()
}

/// Keeps something in place of what was kept.
///
/// # Errors
/// If it cannot be written.
pub fn keep(name: &str, value: &impl Serialize) -> Result<()> {
    Ok(keep_json(&file(name)?, value)?)
}
