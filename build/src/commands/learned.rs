//! Rankings that `findling learn` has fitted on this machine, one file for each bundle.

use std::path::PathBuf;

use anyhow::Result;

use crate::collections::{Home, Target};
use crate::host::Host;
use crate::ranking;

/// Opens a bundle for searches, with the ranking that was learned for it. Without a directory for
/// data there is no learned ranking.
///
/// # Errors
/// The errors of [`Host::open`]; if what was learned cannot be read.
pub fn open(target: &Target) -> Result<Host> {
    let mut host = Host::open(target.location())?;
    // A learned ranking only applies to the vectors that it was learned with.
    if target.vectors().is_some() {
        return Ok(host);
    }
    let Ok(home) = Home::default_location() else { return Ok(host) };
    let path = path(&home, &target.lasting_name());
    if path.is_file() {
        host.index_mut().set_rank_params(ranking::params(&ranking::read(&path)?));
    }
    Ok(host)
}

/// Keeps a ranking for a bundle.
///
/// # Errors
/// If it cannot be written.
#[cfg(feature = "history")]
pub fn keep(home: &Home, name: &str, setting: &ranking::Setting) -> Result<()> {
    ranking::write(&path(home, name), setting)
}

/// Removes what was learned for a bundle.
///
/// # Errors
/// If it cannot be removed.
#[cfg(feature = "history")]
pub fn forget(home: &Home, name: &str) -> Result<()> {
    use anyhow::Context;

    let path = path(home, name);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", path.display()))
        }
        _ => Ok(()),
    }
}

/// Returns the file for a bundle, by its permanent name.
fn path(home: &Home, name: &str) -> PathBuf {
    let name = blake3::hash(name.as_bytes()).to_hex();
    home.root().join("learned").join(format!("{}.json", &name[..32]))
}
