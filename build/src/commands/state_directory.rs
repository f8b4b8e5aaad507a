//! Directory for the state that programs at the terminal keep between runs.

use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::collections::Home;
use crate::replace_file::keep_private_json;
use crate::small_file;

/// Returns a file of the [directory for state](Home::state).
///
/// # Errors
/// If there is no directory.
pub fn file(name: &str) -> Result<PathBuf> {
    Ok(Home::state()?.join(name))
}

/// Reads the kept state; `None` if there is none that can be read.
pub fn read<T: DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_str(&small_file::text(&file(name).ok()?)?).ok()
}

/// Replaces the kept value.
///
/// # Errors
/// If it cannot be written.
pub fn keep(name: &str, value: &impl Serialize) -> Result<()> {
    Ok(keep_private_json(&file(name)?, value)?)
}
