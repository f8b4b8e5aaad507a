//! The state of a generation's sources: their files, as a sync compares them.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use findling_bundle::hex;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::error::Error;
use super::files;
use super::name::Name;
use super::package_root::PackageRoot;
use super::settings::Settings;
use crate::file_hash::file_hash;
use crate::progress::Counter;
use crate::sources::Included;

/// Version of the state's file. A file of another version counts as missing: everything is read
/// again.
const VERSION: u32 = 1;

/// Coarsest resolution of file dates. A file that was written less than this before it was examined
/// can be written again with the same date.
const GRANULARITY: Duration = Duration::from_secs(2);

/// The state of a generation's sources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct State {
    version: u32,
    /// The program that built it.
    pub program: String,
    /// The settings it was built with.
    pub settings: Settings,
    /// The time at which its sources were looked at, nanoseconds since 1970.
    pub scanned: u64,
    /// The result of the build.
    pub built: Built,
    /// Every file that was read, by its path.
    pub files: BTreeMap<String, FileState>,
    /// The files that pages include (`.. include::`) and that are not among `files`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub included: BTreeMap<String, FileState>,
    /// The places of packages, by the beginning of the ids of their pages.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub packages: BTreeMap<String, PackageRoot>,
}

/// The result of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Built {
    /// Pages.
    pub pages: u32,
    /// Sections.
    pub sections: u32,
    /// Bytes of the bundle.
    pub bundle_bytes: u64,
    /// Files that could not be read.
    pub unreadable: usize,
    /// The files that pages include. The state stores them separately.
    #[serde(skip)]
    pub included: Vec<Included>,
    /// Packages of lock files that are in it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub packages: usize,
    /// Packages of lock files that are not on this disk.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missing_packages: usize,
    /// The bundles with further vectors, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vectors: BTreeMap<Name, BuiltVectors>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A bundle with further vectors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BuiltVectors {
    /// The encoder of the documents.
    pub encoder: String,
    /// Bytes of the bundle.
    pub bundle_bytes: u64,
    /// Bytes of its files that the collection's first bundle does not have.
    pub own_bytes: u64,
}

/// A file as it was when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// Bytes.
    pub len: u64,
    /// The time of its last change, nanoseconds since 1970; `None` if the system does not know it.
    pub modified: Option<u64>,
    /// BLAKE3 of its contents; `None` where it cannot be read.
    pub hash: Option<String>,
}

impl FileState {
    fn of(file: Included) -> Self {
        Self { len: file.len, modified: file.modified.and_then(nanos), hash: file.hash }
    }
}

/// The differences between two states of the sources: paths, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files that were not there.
    pub new: Vec<String>,
    /// Files with other contents.
    pub changed: Vec<String>,
    /// Files with the contents of one that is gone: (from, to).
    pub moved: Vec<(String, String)>,
    /// Files that are gone.
    pub deleted: Vec<String>,
}

impl Changes {
    /// Returns whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.new.is_empty()
            && self.changed.is_empty()
            && self.moved.is_empty()
            && self.deleted.is_empty()
    }
}

impl State {
    /// Returns the state of a build by this program.
    pub fn new(settings: Settings, scan: Scan, mut built: Built) -> Self {
        let program = env!("CARGO_PKG_VERSION").to_owned();
        let included = std::mem::take(&mut built.included).into_iter();
        let included = included.map(|file| (key(&file.path), FileState::of(file)));
        let included = included.filter(|(path, _)| !scan.files.contains_key(path)).collect();
        let Scan { began: scanned, files } = scan;
        let packages = BTreeMap::new();
        Self { version: VERSION, program, settings, scanned, built, files, included, packages }
    }

    /// Returns the state after another comparison that found only changed dates.
    pub fn seen_again(self, scan: Scan, included: Scan) -> Self {
        Self { scanned: scan.began, files: scan.files, included: included.files, ..self }
    }

    /// Returns the differences from the current sources and from the current included files.
    pub fn changes_to(&self, scan: &Scan, included: &Scan) -> Changes {
        let mut changes = scan.changes_since(&self.files);
        // Included files have the same paths in both states, so each is either the same or changed.
        changes.changed.extend(included.changes_since(&self.included).changed);
        changes.changed.sort_unstable();
        changes
    }

    /// Examines again the files that pages include.
    pub fn look_at_included(&self, rehash: bool) -> Scan {
        // A path that is not Unicode cannot be found by its key; its page is read again.
        let paths: Vec<PathBuf> = self.included.keys().map(PathBuf::from).collect();
        Scan::of(&paths, Some(self), rehash)
    }

    /// Returns whether this program built it.
    pub fn is_of_this_program(&self) -> bool {
        self.program == env!("CARGO_PKG_VERSION")
    }

    /// Reads a state; `None` where there is none that this version reads.
    pub fn read(path: &Path) -> Option<Self> {
        let state: Self = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        (state.version == VERSION).then_some(state)
    }

    /// Writes the state.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let json = serde_json::to_vec(self)
            .map_err(|error| Error::io("written", path)(io::Error::other(error)))?;
        files::replace(path, &json)
    }

    /// Returns the time at which the sources were last looked at, as RFC 3339 in seconds.
    pub fn synced(&self) -> Option<String> {
        let seconds = i64::try_from(self.scanned / 1_000_000_000).ok()?;
        Some(jiff::Timestamp::from_second(seconds).ok()?.to_string())
    }

    /// Returns how many of its files lie below a source.
    pub fn n_below(&self, source: &Path) -> usize {
        self.files.keys().filter(|file| Path::new(file).starts_with(source)).count()
    }
}

/// The sources as they are now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// The time at which the look began, nanoseconds since 1970.
    pub began: u64,
    /// Every file by its path.
    pub files: BTreeMap<String, FileState>,
}

impl Scan {
    /// Creates a state without files, looked at now.
    pub fn nothing() -> Self {
        Self { began: nanos(SystemTime::now()).unwrap_or(0), files: BTreeMap::new() }
    }

    /// Examines files. If a file has the same length and date as in `earlier`, its hash is taken
    /// from there, unless the date is too recent to be trusted, the clock was set back since, or
    /// `rehash` demands that contents are read.
    pub fn of(paths: &[PathBuf], earlier: Option<&State>, rehash: bool) -> Self {
        Self::with_bar(paths, earlier, rehash, &Counter::default())
    }

    /// Returns the same with a bar over the files.
    pub fn with_bar(
        paths: &[PathBuf],
        earlier: Option<&State>,
        rehash: bool,
        bar: &Counter,
    ) -> Self {
        let began = nanos(SystemTime::now()).unwrap_or(0);
        let trusted = earlier.filter(|earlier| !rehash && earlier.scanned <= began);
        let files = paths
            .par_iter()
            .map(|path| {
                let key = key(path);
                let known = trusted.and_then(|state| {
                    let file = state.files.get(&key).or_else(|| state.included.get(&key));
                    Some((file?, state.scanned))
                });
                let state = look(path, known);
                bar.add(1);
                (key, state)
            })
            .collect();
        bar.finish();
        Self { began, files }
    }

    /// Returns the hashes of these files, as far as they could be read.
    pub fn hashes(&self, paths: Vec<PathBuf>) -> HashMap<PathBuf, String> {
        let hash = |path: PathBuf| {
            let hash = self.files.get(&key(&path))?.hash.clone()?;
            Some((path, hash))
        };
        paths.into_iter().filter_map(hash).collect()
    }

    /// Returns the differences from an earlier state.
    pub fn changes_since(&self, earlier: &BTreeMap<String, FileState>) -> Changes {
        let mut changes = Changes::default();
        let mut gone: HashMap<&str, Vec<&String>> = HashMap::new();
        for (path, before) in earlier.iter().rev().filter(|(path, _)| !self.has(path)) {
            match &before.hash {
                Some(hash) => gone.entry(hash).or_default().push(path),
                None => changes.deleted.push(path.clone()),
            }
        }
        for (path, now) in &self.files {
            match earlier.get(path) {
                Some(before) if before.hash == now.hash => {}
                Some(_) => changes.changed.push(path.clone()),
                None => {
                    let from = now.hash.as_deref().and_then(|hash| gone.get_mut(hash)?.pop());
                    match from {
                        Some(from) => changes.moved.push((from.clone(), path.clone())),
                        None => changes.new.push(path.clone()),
                    }
                }
            }
        }
        changes.deleted.extend(gone.into_values().flatten().cloned());
        changes.deleted.sort_unstable();
        changes
    }

    fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }
}

/// Returns a file as it is. Contents are read unless the `known` state, recorded at a given time,
/// still applies.
fn look(path: &Path, known: Option<(&FileState, u64)>) -> FileState {
    let unreadable = FileState { len: 0, modified: None, hash: None };
    let Ok(metadata) = fs::metadata(path) else { return unreadable };
    let modified = metadata.modified().ok().and_then(nanos);
    let (len, granularity) = (metadata.len(), GRANULARITY.as_nanos() as u64);
    if let (Some((known, seen)), Some(modified)) = (known, modified)
        && known.hash.is_some()
        && (known.len, known.modified) == (len, Some(modified))
        && modified.saturating_add(granularity) < seen
    {
        return known.clone();
    }
    FileState { len, modified, hash: file_hash(path).ok() }
}

/// Returns a path as a key of JSON: as it is, or in hex behind a NUL where it is not Unicode.
fn key(path: &Path) -> String {
    match path.to_str() {
        Some(text) => text.to_owned(),
        None => format!("\0{}", hex(path.as_os_str().as_encoded_bytes())),
    }
}

fn nanos(time: SystemTime) -> Option<u64> {
    u64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_nanos()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str, seconds: u64) {
        fs::write(path, text).unwrap();
        let time = UNIX_EPOCH + Duration::from_secs(seconds);
        fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }

    fn state(scan: &Scan) -> State {
        State::new(Settings::default(), scan.clone(), Built::default())
    }

    fn names(paths: &[String]) -> Vec<&str> {
        paths.iter().map(|path| path.rsplit('/').next().unwrap()).collect()
    }

    #[test]
    fn new_changed_moved_and_deleted_files_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        for (name, text) in [("same", "s"), ("edit", "before"), ("from", "m"), ("gone", "g")] {
            write(&path(name), text, 1000);
        }
        let before = Scan::of(&["same", "edit", "from", "gone"].map(path), None, false);
        write(&path("same"), "s", 2000);
        write(&path("edit"), "after it", 1000);
        fs::rename(path("from"), path("to")).unwrap();
        write(&path("new"), "n", 1000);
        let state = state(&before);
        let now = Scan::of(&["same", "edit", "to", "new"].map(path), Some(&state), false);
        let changes = now.changes_since(&state.files);
        assert_eq!(names(&changes.new), ["new"]);
        assert_eq!(names(&changes.changed), ["edit"], "another date alone is no change");
        assert_eq!(names(&changes.deleted), ["gone"]);
        let (from, to) = &changes.moved[0];
        assert!(from.ends_with("from") && to.ends_with("to") && changes.moved.len() == 1);
        assert!(now.changes_since(&now.files).is_empty());
    }

    #[test]
    fn contents_are_read_where_the_date_cannot_be_trusted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let scan = |state: &State, rehash| {
            Scan::of(std::slice::from_ref(&path), Some(state), rehash)
                .changes_since(&state.files)
                .changed
                .len()
        };
        // The same length and date with other contents.
        write(&path, "one", 1000);
        let mut state = state(&Scan::of(std::slice::from_ref(&path), None, false));
        write(&path, "two", 1000);
        assert_eq!(scan(&state, false), 0, "length and date are trusted");
        assert_eq!(scan(&state, true), 1);
        // Looked at a second after it was written.
        state.scanned = 1001 * 1_000_000_000;
        assert_eq!(scan(&state, false), 1);
        // Examined by a clock that was set back later.
        state.scanned = u64::MAX;
        assert_eq!(scan(&state, false), 1);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_a_change_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        write(&path, "one", 1000);
        let readable = state(&Scan::of(std::slice::from_ref(&path), None, false));
        fs::remove_file(&path).unwrap();
        let broken = Scan::of(std::slice::from_ref(&path), Some(&readable), false);
        assert_eq!(broken.changes_since(&readable.files).changed.len(), 1);
        let broken = state(&broken);
        let again = Scan::of(std::slice::from_ref(&path), Some(&broken), false);
        assert!(again.changes_since(&broken.files).is_empty());
    }

    #[test]
    fn a_state_is_read_back_and_a_damaged_one_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.json");
        let state = state(&Scan { began: 7, files: BTreeMap::new() });
        state.write(&path).unwrap();
        assert_eq!(State::read(&path), Some(state));
        for damaged in ["", "{", "{\"version\":1}", "null"] {
            fs::write(&path, damaged).unwrap();
            assert_eq!(State::read(&path), None, "{damaged}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn paths_that_are_not_unicode_have_keys_of_their_own() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let [a, b] =
            [&b"a\xff"[..], b"a\xfe"].map(|bytes| key(Path::new(OsStr::from_bytes(bytes))));
        assert!(a != b && a.starts_with('\0'));
        assert_eq!(key(Path::new("/a/ü")), "/a/ü");
    }
}
