//! Where programs at the terminal keep what they remember between runs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::collections::Home;
use crate::replace_file::replace_by;

/// Largest file that is read.
const MAX_LEN: u64 = 1 << 20;

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
        None => {
            let registry = Home::default_location()?.registry();
            registry.parent().context("no directory for data")?.join("state")
        }
    };
    Ok(directory.join(name))
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
