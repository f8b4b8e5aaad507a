//! Generations: each sync makes a new one beside the last, and one rename makes it current.
//!
//! ```text
//! NAME/
//!   lock              the lock of syncs
//!   current           the number of the current generation
//!   pages             the parsed files of the sources, for the next sync
//!   analyses          the analysed pages
//!   shards            what the shards of the bundle were made from
//!   shards-more       the same of the bundle with the vectors `more`
//!   000007.lock       shared by whoever reads generation 7
//!   000007/state.json what it was made from
//!   000007/bundle/    the bundle
//!   000007/vectors/more/  the bundle with the vectors `more`; files as in `bundle` are links
//! ```
//!
//! A generation is never changed once it is current, except for `state.json`, which is replaced by
//! a rename. A generation that readers still hold is removed by a later sync.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::Error;
use super::files;
use super::lock::Lock;
use super::name::Name;
use crate::file_mode::{make_private_directory, private_file};
use crate::kept::Kept;

/// The directory of a collection.
#[derive(Clone, Debug)]
pub struct Generations {
    directory: PathBuf,
}

/// A generation of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    directory: PathBuf,
    number: u64,
}

impl Generation {
    /// Returns the number, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the bundle's directory.
    pub fn bundle(&self) -> PathBuf {
        self.directory.join("bundle")
    }

    /// Returns the directory of the bundle with further vectors ([`Settings::vectors`]).
    ///
    /// [`Settings::vectors`]: super::settings::Settings::vectors
    pub fn vectors(&self, name: &Name) -> PathBuf {
        self.directory.join("vectors").join(name.as_str())
    }

    /// Returns the state of the sources that it was made from.
    pub fn state(&self) -> PathBuf {
        self.directory.join("state.json")
    }

    /// Returns whether the generation is complete: its state is written last.
    fn is_finished(&self) -> bool {
        self.state().is_file()
    }
}

/// A generation that stays on disk until this value is dropped.
#[derive(Debug)]
pub struct Held {
    generation: Generation,
    _lock: Option<File>,
}

impl Held {
    /// Returns the generation.
    pub fn generation(&self) -> &Generation {
        &self.generation
    }
}

/// Number of attempts of a reader whose generation is replaced while it opens it.
const TRIES: usize = 20;

impl Generations {
    /// Returns the generations in the directory of a collection, which need not exist yet.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// Returns the directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the file of the lock of syncs.
    pub fn lock(&self) -> PathBuf {
        self.directory.join("lock")
    }

    /// Returns the logs of what syncs computed.
    pub fn kept(&self) -> Kept {
        Kept::below(&self.directory)
    }

    /// Returns the logs for the bundle with further vectors. The logs of files and analyses are
    /// shared by all bundles.
    pub fn kept_of_vectors(&self, name: &Name) -> Kept {
        let shards = self.directory.join(format!("shards-{name}"));
        Kept { shards, ..self.kept() }
    }

    /// Returns the current generation; `None` where there is none. If the file that names it is
    /// damaged, that is the last one that was finished.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn current(&self) -> Result<Option<Generation>, Error> {
        let path = self.pointer();
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("read", &path)(error)),
        };
        let named = std::str::from_utf8(&bytes).ok().and_then(|text| text.trim().parse().ok());
        let named = named.map(|number| self.generation(number));
        if let Some(generation) = named.filter(Generation::is_finished) {
            return Ok(Some(generation));
        }
        let mut numbers = self.numbers()?.into_iter().rev().map(|number| self.generation(number));
        Ok(numbers.find(Generation::is_finished))
    }

    /// Returns the current generation, kept from being removed; `None` where there is none.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn hold(&self) -> Result<Option<Held>, Error> {
        for _ in 0..TRIES {
            let Some(generation) = self.current()? else { return Ok(None) };
            // Where the lock cannot be opened (another user's collection), reading continues
            // without it.
            let lock = File::open(self.lock_of(generation.number))
                .ok()
                .filter(|file| file.try_lock_shared().is_ok());
            // A sync can have replaced and removed it before the lock was taken.
            if generation.is_finished() {
                return Ok(Some(Held { generation, _lock: lock }));
            }
        }
        Ok(None)
    }

    /// Begins a generation. Half-made ones are removed first. The caller holds the lock of
    /// [`Generations::lock`].
    ///
    /// # Errors
    /// If the system refuses.
    pub fn begin(&self, _lock: &Lock) -> Result<Staged, Error> {
        let current = self.current()?.map_or(0, |generation| generation.number);
        self.sweep(current)?;
        let last = self.numbers()?.into_iter().max().unwrap_or(0).max(current);
        let generation = self.generation(last + 1);
        // Earlier versions made it readable for everyone.
        make_private_directory(&self.directory)
            .and_then(|()| make_private_directory(&generation.directory))
            .map_err(Error::io("written", &generation.directory))?;
        let lock = self.lock_of(generation.number);
        let made = private_file().write(true).create(true).truncate(true).open(&lock);
        made.map_err(Error::io("written", &lock))?;
        Ok(Staged { generations: self.clone(), generation, is_current: false })
    }

    /// Removes all generations but `keep` and those that are being read. Returns how many remain
    /// besides `keep`.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn sweep(&self, keep: u64) -> Result<usize, Error> {
        files::sweep_replaced(&self.directory);
        let mut n_left = 0;
        for number in self.numbers()? {
            if number != keep && !self.remove(number) {
                n_left += 1;
            }
        }
        Ok(n_left)
    }

    /// Returns whether the generation is gone.
    fn remove(&self, number: u64) -> bool {
        let path = self.lock_of(number);
        let lock = match File::open(&path) {
            Ok(lock) if lock.try_lock().is_err() => return false,
            Ok(lock) => Some(lock),
            Err(_) => None,
        };
        let directory = self.generation(number).directory;
        let gone = match fs::remove_dir_all(&directory) {
            Ok(()) => true,
            Err(error) => error.kind() == ErrorKind::NotFound,
        };
        if gone {
            drop(lock);
            let _ = fs::remove_file(&path);
        }
        gone
    }

    /// Returns the numbers of all generations, half-made ones included, and of locks without one.
    fn numbers(&self) -> Result<Vec<u64>, Error> {
        let entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::io("read", &self.directory)(error)),
        };
        let number = |entry: fs::DirEntry| {
            let name = entry.file_name();
            let name = name.to_str()?;
            name.strip_suffix(".lock").unwrap_or(name).parse().ok()
        };
        let mut numbers: Vec<u64> = entries.flatten().filter_map(number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers)
    }

    fn generation(&self, number: u64) -> Generation {
        Generation { directory: self.directory.join(format!("{number:06}")), number }
    }

    fn lock_of(&self, number: u64) -> PathBuf {
        self.directory.join(format!("{number:06}.lock"))
    }

    fn pointer(&self) -> PathBuf {
        self.directory.join("current")
    }
}

/// A generation in the making. Removed when dropped, unless it became current.
#[derive(Debug)]
pub struct Staged {
    generations: Generations,
    generation: Generation,
    is_current: bool,
}

impl Staged {
    /// Returns the generation.
    pub fn generation(&self) -> &Generation {
        &self.generation
    }

    /// Puts the generation on disk and makes it the current one, then removes the earlier ones.
    ///
    /// # Errors
    /// If the system refuses; then the earlier one stays current.
    pub fn switch(mut self) -> Result<Generation, Error> {
        let directory = &self.generation.directory;
        files::sync_tree(directory).map_err(Error::io("written", directory))?;
        let number = self.generation.number;
        files::replace(&self.generations.pointer(), format!("{number:06}\n").as_bytes())?;
        self.is_current = true;
        // If it cannot be removed now, the next sync removes it.
        let _ = self.generations.sweep(number);
        Ok(self.generation.clone())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.is_current {
            self.generations.remove(self.generation.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generations() -> (tempfile::TempDir, Generations, Lock) {
        let dir = tempfile::tempdir().unwrap();
        let generations = Generations::new(dir.path().join("c"));
        let lock = Lock::take(&generations.lock(), "c").unwrap();
        (dir, generations, lock)
    }

    fn make(generations: &Generations, lock: &Lock, text: &str) -> Generation {
        let staged = generations.begin(lock).unwrap();
        fs::write(staged.generation().bundle(), text).unwrap();
        fs::write(staged.generation().state(), "{}").unwrap();
        staged.switch().unwrap()
    }

    #[test]
    fn one_generation_follows_another() {
        let (_dir, generations, lock) = generations();
        assert_eq!(generations.current().unwrap(), None);
        assert!(generations.hold().unwrap().is_none());
        make(&generations, &lock, "one");
        let two = make(&generations, &lock, "two");
        assert_eq!(generations.current().unwrap(), Some(two.clone()));
        assert_eq!(fs::read_to_string(two.bundle()).unwrap(), "two");
        assert_eq!(generations.numbers().unwrap(), [2], "the first is removed");
    }

    #[test]
    fn a_generation_in_the_making_is_not_current_and_is_swept() {
        let (_dir, generations, lock) = generations();
        let one = make(&generations, &lock, "one");
        let staged = generations.begin(&lock).unwrap();
        fs::write(staged.generation().bundle(), "half").unwrap();
        assert_eq!(generations.current().unwrap(), Some(one.clone()));
        // The state that a killed process leaves.
        std::mem::forget(staged);
        let staged = generations.begin(&lock).unwrap();
        assert!(!staged.generation().bundle().exists());
        drop(staged);
        assert_eq!(generations.numbers().unwrap(), [1]);
        assert_eq!(fs::read_to_string(one.bundle()).unwrap(), "one");
    }

    #[test]
    fn what_is_read_stays_until_it_is_let_go() {
        let (_dir, generations, lock) = generations();
        make(&generations, &lock, "one");
        let held = generations.hold().unwrap().unwrap();
        make(&generations, &lock, "two");
        assert_eq!(fs::read_to_string(held.generation().bundle()).unwrap(), "one");
        drop(held);
        make(&generations, &lock, "three");
        assert_eq!(generations.numbers().unwrap(), [3]);
    }

    #[test]
    fn a_damaged_pointer_leads_to_the_last_finished_generation() {
        let (_dir, generations, lock) = generations();
        let one = make(&generations, &lock, "one");
        let half = generations.begin(&lock).unwrap();
        fs::write(half.generation().bundle(), "half").unwrap();
        for damaged in [&b""[..], b"x", b"-1", b"../../etc", b"77", b"\xff"] {
            fs::write(generations.pointer(), damaged).unwrap();
            assert_eq!(generations.current().unwrap(), Some(one.clone()));
            assert_eq!(generations.hold().unwrap().unwrap().generation(), &one);
        }
        drop(half);
        make(&generations, &lock, "two");
        assert_eq!(fs::read(generations.pointer()).unwrap(), b"000002\n");
    }
}
