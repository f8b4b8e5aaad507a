//! Where programs at the terminal keep what they remember between runs.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::collections::Home;
use crate::replace_file::replace_by;

/// Largest file that is read.
const MAX_LEN: u64 = 1 << 20;

/// A file of the [directory for state](Home::state).
///
/// # Errors
/// If there is no directory.
pub fn file(name: &str) -> Result<PathBuf> {
    Ok(Home::state()?.join(name))
}

/// What was kept; `None` where there is nothing that can be read.
pub fn read<T: DeserializeOwned>(name: &str) -> Option<T> {
    let path = file(name).ok()?;
    if std::fs::metadata(&path).ok()?.len() > MAX_LEN {
        return None;
    }
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Keeps something in place of what was kept.
///
/// # Errors
/// If it cannot be written.
pub fn keep(name: &str, value: &impl Serialize) -> Result<()> {
    let path = file(name)?;
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let json = serde_json::to_vec(value)?;
    replace_by(&path, |file| -> Result<()> { Ok(std::io::Write::write_all(file, &json)?) })
}
