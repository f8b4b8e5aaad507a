//! The projects' files that a person trusts: `findling config trust`.
//!
//! A file is trusted by its path and its contents, so one that has changed is not trusted until a
//! person says so again. The list is `trusted.json` in the directory of findling's data, where no
//! project can write.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::file::SettingsFile;
use crate::collections::Home;
use crate::replace_file::keep_json;
use crate::small_file;

/// The list of trusted files.
const LIST: &str = "trusted.json";

/// The extent to which a file is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// A person trusts it, or wrote it: the file in the directory of findling's data.
    Whole,
    /// The trust that any file has: its harmless settings take effect.
    Harmless,
    /// The same trust as [`Self::Harmless`], after the file was trusted with other contents.
    Changed,
    /// Not at all: another user of the machine owns it.
    None,
}

/// The files that are trusted: the hash of the contents by the path.
type List = BTreeMap<PathBuf, String>;

/// Returns how far a file is trusted.
pub fn of(file: &SettingsFile) -> Trust {
    let Ok(path) = file.path.canonicalize() else { return Trust::None };
    let home = Home::default_location().ok();
    let root = home.as_ref().and_then(|home| home.root().canonicalize().ok());
    let known = home.as_ref().and_then(|home| list(home).remove(&path));
    let is_known = known.as_ref() == Some(&hash(file));
    match () {
        () if is_known => Trust::Whole,
        () if is_of_another_user(&file.path) => Trust::None,
        () if root.is_some() && path.parent() == root.as_deref() => Trust::Whole,
        () if known.is_some() => Trust::Changed,
        () => Trust::Harmless,
    }
}

/// Trusts a file as it is now, or no longer.
///
/// # Errors
/// If there is no directory for data, or the list cannot be written.
pub fn set(file: &SettingsFile, is_trusted: bool) -> Result<()> {
    let home = Home::default_location()?;
    let path = file.path.canonicalize().with_context(|| file.path.display().to_string())?;
    let mut trusted = list(&home);
    match is_trusted {
        true => trusted.insert(path, hash(file)),
        false => trusted.remove(&path),
    };
    // Otherwise files that are gone would stay in the list for ever.
    trusted.retain(|path, _| path.is_file());
    let path = home.root().join(LIST);
    keep_json(&path, &trusted).with_context(|| format!("{} cannot be written", path.display()))
}

fn list(home: &Home) -> List {
    let text = small_file::text(&home.root().join(LIST));
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn hash(file: &SettingsFile) -> String {
    blake3::hash(file.text().as_bytes()).to_hex().to_string()
}

/// Returns whether a file, or a link that leads to it, belongs to another user. Under `sudo`, files
/// of the user who called it do not count as another user's.
#[cfg(unix)]
pub fn is_of_another_user(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let own = rustix::process::geteuid().as_raw();
    let caller = || std::env::var("SUDO_UID").ok()?.parse::<u32>().ok();
    let caller = if own == 0 { caller() } else { None };
    let is_own = |owner: u32| owner == own || Some(owner) == caller;
    let metadata = [path.symlink_metadata(), path.metadata()];
    !metadata.into_iter().all(|metadata| metadata.is_ok_and(|found| is_own(found.uid())))
}

/// Returns `false`: this system does not tell whether a file belongs to another user.
#[cfg(not(unix))]
pub fn is_of_another_user(_path: &Path) -> bool {
    false
}
