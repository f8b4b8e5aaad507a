//! The database of searches and feedback: one SQLite file beside the registry of collections.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, params};
use serde::Serialize;

use crate::collections::Home;
use crate::eval::metrics::Judgements;
use crate::file_mode::make_directory;
use crate::output::{Last, LastHit, UsageError};

/// The file's name.
const FILE: &str = "history.sqlite";

/// Version of the tables.
const VERSION: i64 = 1;

/// Maximum number of searches that are remembered; the oldest are forgotten.
const MAX_SEARCHES: i64 = 10_000;

/// Time to wait for another process.
const PATIENCE: Duration = Duration::from_secs(5);

const TABLES: &str = "
CREATE TABLE search (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,          -- seconds since 1970
    query TEXT NOT NULL,
    hits INTEGER NOT NULL
);
CREATE TABLE feedback (
    bundle TEXT NOT NULL,         -- by what the bundle is found again
    query TEXT NOT NULL,
    page TEXT NOT NULL,           -- the document's id
    good INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (bundle, query, page)
) WITHOUT ROWID;
";

/// The history.
pub struct History {
    db: Connection,
}

/// A search.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Search {
    /// RFC 3339.
    pub at: String,
    pub query: String,
    /// Number of hits that were shown.
    pub hits: u32,
}

impl History {
    /// Returns the history so far; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(home: &Home) -> Result<Option<Self>> {
        let path = path(home);
        path.is_file().then(|| Self::at(&path)).transpose()
    }

    /// Returns the history; an empty one is created if there is none.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(home: &Home) -> Result<Self> {
        make_directory(home.root())
            .with_context(|| format!("{} cannot be written", home.root().display()))?;
        Self::at(&path(home))
    }

    fn at(path: &Path) -> Result<Self> {
        let open = || -> rusqlite::Result<Connection> {
            let db = Connection::open_with_flags(
                path,
                OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
            )?;
            db.busy_timeout(PATIENCE)?;
            // Removed rows are overwritten, so nothing of them remains in the file.
            db.pragma_update(None, "secure_delete", true)?;
            Ok(db)
        };
        let mut db = open().with_context(|| format!("{} cannot be opened", path.display()))?;
        only_for_the_user(path);
        let found = tables(&mut db).with_context(|| path.display().to_string())?;
        if found != VERSION {
            let message = format!(
                "{}: expected version {VERSION} of the history, found {found}: use the program \
                 that wrote it, or `findling history clear`",
                path.display()
            );
            return Err(UsageError { code: "history", message }.into());
        }
        Ok(Self { db })
    }

    /// Remembers a search.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add_search(&mut self, last: &Last) -> Result<()> {
        let writing = self.db.transaction()?;
        writing.execute(
            "INSERT INTO search (at, query, hits) VALUES (?1, ?2, ?3)",
            params![Timestamp::now().as_second(), last.query, last.hits.len() as i64],
        )?;
        writing.execute(
            "DELETE FROM search WHERE id <= (SELECT max(id) FROM search) - ?1",
            params![MAX_SEARCHES],
        )?;
        Ok(writing.commit()?)
    }

    /// Returns the newest searches.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn searches(&self, limit: u32) -> Result<Vec<Search>> {
        let mut found =
            self.db.prepare("SELECT at, query, hits FROM search ORDER BY id DESC LIMIT ?1")?;
        let search = |row: &rusqlite::Row<'_>| {
            let at = Timestamp::from_second(row.get(0)?).unwrap_or(Timestamp::UNIX_EPOCH);
            Ok(Search { at: at.to_string(), query: row.get(1)?, hits: row.get(2)? })
        };
        Ok(found.query_map([limit], search)?.collect::<rusqlite::Result<_>>()?)
    }

    /// Remembers how a hit of a query was judged, in place of an earlier judgement.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn judge(&self, query: &str, hit: &LastHit, good: bool) -> Result<()> {
        self.db.execute(
            "INSERT OR REPLACE INTO feedback (bundle, query, page, good, at)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![hit.bundle, query, hit.id, good, Timestamp::now().as_second()],
        )?;
        Ok(())
    }

    /// Returns the judgements of a bundle's pages by query, in the order of the queries.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn judgements(&self, bundle: &str) -> Result<BTreeMap<String, Judgements>> {
        let mut found =
            self.db.prepare("SELECT query, page, good FROM feedback WHERE bundle = ?1")?;
        let mut all: BTreeMap<String, Judgements> = BTreeMap::new();
        let rows = found.query_map([bundle], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, bool>(2)?))
        })?;
        for row in rows {
            let (query, page, good) = row?;
            all.entry(query).or_default().insert(page, i32::from(good));
        }
        Ok(all)
    }
}

fn path(home: &Home) -> PathBuf {
    home.root().join(FILE)
}

/// Returns the version of the tables; 0 if there are none.
fn version(db: &Connection) -> rusqlite::Result<i64> {
    db.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Makes the tables if there are none; returns their version.
fn tables(db: &mut Connection) -> rusqlite::Result<i64> {
    let found = version(db)?;
    if found != 0 {
        // Readers do not wait for each other.
        return Ok(found);
    }
    let making = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    // Another process may have made them meanwhile.
    if version(&making)? == 0 {
        making.execute_batch(TABLES)?;
        making.pragma_update(None, "user_version", VERSION)?;
    }
    let made = version(&making)?;
    making.commit()?;
    Ok(made)
}

/// Forgets everything.
///
/// # Errors
/// If the file cannot be removed.
pub fn remove(home: &Home) -> Result<()> {
    let path = path(home);
    for suffix in ["", "-journal", "-wal", "-shm"] {
        let mut name = path.clone().into_os_string();
        name.push(suffix);
        match std::fs::remove_file(&name) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("{} cannot be removed", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Makes the history readable for the user only.
fn only_for_the_user(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        // A file system without owners has no other users.
        let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600));
    }
    #[cfg(not(unix))]
    let _ = path;
}
