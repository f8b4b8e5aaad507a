//! Locks that a killed owner never leaves behind.
//!
//! The lock is the operating system's, on an open file, and ends with the process. The file's
//! contents say who holds the lock, for messages. An owner that ends normally empties the file, so
//! a note that the next owner finds there was left by a killed process.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::error::Error;
use crate::file_mode::{make_directory, private_file};

/// Most bytes of a note that are read.
const MAX_NOTE: u64 = 4 << 10;

/// The process that holds a lock, or was killed while it held it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The process; 0 where the note cannot be read.
    pub pid: u32,
    /// When the process started, in the system's own unit. Together with the number it identifies a
    /// process for good, because numbers are reused.
    pub started: Option<u64>,
    /// The time at which it took the lock, seconds since 1970.
    pub since: u64,
}

impl Owner {
    fn this_process() -> Self {
        let pid = std::process::id();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Self { pid, started: start_time(pid), since }
    }

    /// Returns whether the process that wrote the note still runs; `None` where the system does not
    /// tell.
    pub fn is_running(&self) -> Option<bool> {
        self.started?;
        Some(start_time(self.pid) == self.started)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            0 => f.write_str("another process"),
            pid => {
                write!(f, "process {pid}")?;
                match jiff::Timestamp::from_second(self.since as i64) {
                    Ok(since) => write!(f, " since {since}"),
                    Err(_) => Ok(()),
                }
            }
        }
    }
}

/// Returns the time a process started, in clock ticks since the system did.
#[cfg(target_os = "linux")]
fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the command in parentheses, which can contain spaces and parentheses.
    let fields = &stat[stat.rfind(')')? + 1..];
    fields.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
fn start_time(_pid: u32) -> Option<u64> {
    None
}

/// A lock held by this process until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    abandoned: Option<Owner>,
}

impl Lock {
    /// Takes the lock of `what` on a file, which is made where there is none.
    ///
    /// # Errors
    /// [`Error::Busy`] where another process holds it.
    pub fn take(path: &Path, what: &str) -> Result<Self, Error> {
        if let Some(parent) = path.parent() {
            make_directory(parent).map_err(Error::io("written", parent))?;
        }
        let mut options = private_file();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(Error::io("locked", path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let owner = read_note(&mut file).unwrap_or_default();
                return Err(Error::Busy { what: what.to_owned(), owner });
            }
            Err(TryLockError::Error(source)) => {
                return Err(Error::Io { action: "locked", path: path.to_owned(), source });
            }
        }
        let abandoned = read_note(&mut file);
        let mut lock = Self { file, abandoned };
        // The note is only for messages: on a full disk the lock is held without a note.
        let _ = lock.write_note(&Owner::this_process());
        Ok(lock)
    }

    /// Returns the process that holds the lock now, as far as this is known without taking it.
    pub fn holder(path: &Path) -> Option<Owner> {
        let owner = read_note(&mut File::open(path).ok()?)?;
        (owner.is_running() == Some(true)).then_some(owner)
    }

    /// Returns the process that held the lock last, if it was killed.
    pub fn abandoned(&self) -> Option<&Owner> {
        self.abandoned.as_ref()
    }

    fn write_note(&mut self, owner: &Owner) -> std::io::Result<()> {
        let note = serde_json::to_vec(owner).map_err(std::io::Error::other)?;
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&note)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file stays: a process that has just opened it would lock a file without a name.
        let _ = self.file.set_len(0);
    }
}

/// Returns the note, unless the file is empty or holds something else.
fn read_note(file: &mut File) -> Option<Owner> {
    let mut note = Vec::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.take(MAX_NOTE).read_to_end(&mut note).ok()?;
    serde_json::from_slice(&note).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_once_and_names_its_owner() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("below/lock");
        let lock = Lock::take(&path, "x").unwrap();
        assert_eq!(lock.abandoned(), None);
        // Another open file counts as another owner, even in the same process.
        match Lock::take(&path, "x").unwrap_err() {
            Error::Busy { owner, .. } => {
                assert_eq!(owner.pid, std::process::id());
                assert_ne!(owner.is_running(), Some(false));
            }
            other => panic!("{other}"),
        }
        if cfg!(target_os = "linux") {
            assert_eq!(Lock::holder(&path).unwrap().pid, std::process::id());
        }
        drop(lock);
        assert_eq!(Lock::holder(&path), None);
        assert_eq!(Lock::take(&path, "x").unwrap().abandoned(), None);
    }

    #[test]
    fn the_note_of_a_killed_owner_is_found_and_blocks_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        // No process has this number: it is above what Linux gives out.
        let killed = Owner { pid: 4_194_999, started: Some(7), since: 0 };
        fs::write(&path, serde_json::to_vec(&killed).unwrap()).unwrap();
        let lock = Lock::take(&path, "x").unwrap();
        assert_eq!(lock.abandoned(), Some(&killed));
        assert_eq!(killed.is_running(), Some(false));
        // A reused number is another process: its start time differs.
        let reused = Owner { pid: std::process::id(), started: Some(1), since: 0 };
        if cfg!(target_os = "linux") {
            assert_eq!(reused.is_running(), Some(false));
        }
        drop(lock);
        for damaged in ["", "{", "\0\0\0", "[]"] {
            fs::write(&path, damaged).unwrap();
            assert_eq!(Lock::take(&path, "x").unwrap().abandoned(), None);
        }
    }
}
