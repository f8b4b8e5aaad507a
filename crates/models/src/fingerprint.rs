//! The fingerprint of an installed model, noted when all of it was read. Reading and hashing a
//! model takes longer than answering a query.
//!
//! The note holds for files with the same lengths and dates. `findling models verify` reads every
//! byte.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::ModelDir;
use findling_base::replace_file::keep_json;

/// The note, in the model's directory.
const FILE: &str = "fingerprint.json";

/// Version of the note, and of how fingerprints are computed.
const VERSION: u32 = 1;

/// Dates of files are this coarse at most. A file that was written so shortly before can be written
/// again with the same date.
const GRANULARITY: Duration = Duration::from_secs(2);

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    version: u32,
    fingerprint: String,
    files: Vec<Seen>,
}

/// A file as it was.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    name: String,
    bytes: u64,
    /// The time when it was written, in nanoseconds since 1970.
    modified: u64,
}

/// Returns the fingerprint that was noted, if the files are the same.
pub(super) fn noted(model: &ModelDir) -> Option<String> {
    let note: Note = serde_json::from_slice(&fs::read(path(model)).ok()?).ok()?;
    (note.version == VERSION && note.files == files(model)?).then_some(note.fingerprint)
}

/// Notes the fingerprint of files that were looked at before they were read. A note that cannot be
/// written only costs time.
pub(super) fn note(model: &ModelDir, before: Option<Files>, fingerprint: &str) {
    let Some(Files(files)) = before.filter(|before| self::files(model).as_ref() == Some(&before.0))
    else {
        return;
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let settled = now.saturating_sub(GRANULARITY).as_nanos();
    if files.iter().any(|file| u128::from(file.modified) > settled) {
        return;
    }
    let note = Note { version: VERSION, fingerprint: fingerprint.to_owned(), files };
    let _ = keep_json(&path(model), &note);
}

/// The files of a model, as they are now.
pub(super) struct Files(Vec<Seen>);

impl Files {
    /// Returns the files of a model; `None` if the system does not tell their dates.
    pub fn of(model: &ModelDir) -> Option<Self> {
        files(model).map(Self)
    }
}

fn path(model: &ModelDir) -> PathBuf {
    model.path.join(FILE)
}

fn files(model: &ModelDir) -> Option<Vec<Seen>> {
    let seen = |name: &String| {
        let metadata = fs::metadata(model.path.join(name)).ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let modified = u64::try_from(modified.as_nanos()).ok()?;
        Some(Seen { name: name.clone(), bytes: metadata.len(), modified })
    };
    model.record.files.iter().map(|file| seen(&file.name)).collect()
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::super::{FileRecord, Kind, Record};
    use super::*;

    fn model(directory: &std::path::Path) -> ModelDir {
        let path = directory.join("weights");
        fs::write(&path, "abc").unwrap();
        set_age(&path, 60);
        let file = FileRecord { name: "weights".into(), bytes: 3, sha256: String::new() };
        let record = Record {
            name: "m".into(),
            kind: Kind::BertSafetensors,
            licence: None,
            source: String::new(),
            files: vec![file],
        };
        ModelDir { name: "m".into(), path: directory.to_owned(), record }
    }

    fn set_age(path: &std::path::Path, seconds: u64) {
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
    }

    #[test]
    fn a_note_holds_as_long_as_the_files_are_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let model = model(dir.path());
        assert_eq!(noted(&model), None);
        note(&model, Files::of(&model), "f");
        assert_eq!(noted(&model).as_deref(), Some("f"));
        set_age(&dir.path().join("weights"), 30);
        assert_eq!(noted(&model), None, "another date");
        note(&model, Files::of(&model), "g");
        assert_eq!(noted(&model).as_deref(), Some("g"));
        fs::write(path(&model), "{").unwrap();
        assert_eq!(noted(&model), None, "a damaged note");
    }

    #[test]
    fn nothing_is_noted_of_files_that_changed_or_may_change_unseen() {
        let dir = tempfile::tempdir().unwrap();
        let model = model(dir.path());
        let before = Files::of(&model);
        set_age(&dir.path().join("weights"), 50);
        note(&model, before, "f");
        assert_eq!(noted(&model), None, "written while it was read");
        set_age(&dir.path().join("weights"), 0);
        note(&model, Files::of(&model), "f");
        assert_eq!(noted(&model), None, "written just before");
    }
}
