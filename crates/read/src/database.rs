//! Copies of SQLite databases that another program writes.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

/// Files beside a database that contain changes which are not yet in it.
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// Most bytes of a file beside a database.
const MAX_BESIDE_BYTES: u64 = 1 << 30;

/// Most bytes of a database.
pub(super) const MAX_BYTES: u64 = 1 << 30;

/// A copy of a database, which is removed with the value.
pub(super) struct Copy {
    pub connection: Connection,
    /// Whether changes that are not in the database were beside it.
    pub has_changes_beside: bool,
    _directory: TempDir,
}

/// Opens a copy of the database at `path`, whose content is `bytes`. The program that writes the
/// database is not disturbed, and its last changes are seen.
///
/// # Errors
/// If the content is no database, or the copy cannot be written.
pub(super) fn open(bytes: &[u8], path: &Path) -> Result<Copy> {
    let directory = tempfile::tempdir()?;
    let copy = directory.path().join("copy");
    fs::write(&copy, bytes)?;
    let mut has_changes_beside = false;
    for end in BESIDE {
        let with_end = |path: &Path| {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            name
        };
        let beside = with_end(path);
        // If it does not exist, the database contains everything.
        let Ok(found) = fs::symlink_metadata(&beside) else { continue };
        ensure!(
            found.is_file() && found.len() <= MAX_BESIDE_BYTES,
            "expected a file of at most {MAX_BESIDE_BYTES} bytes beside it, found {}",
            Path::new(&beside).display()
        );
        has_changes_beside |= found.len() > 0;
        fs::copy(&beside, with_end(&copy))
            .with_context(|| Path::new(&beside).display().to_string())?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&copy, flags)?;
    // The schema is as untrusted as the content: it may not call functions.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    Ok(Copy { connection, has_changes_beside, _directory: directory })
}
