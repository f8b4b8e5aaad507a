//! Storage for values that a build does not need for the time being. They stay in memory up to a
//! budget. Beyond it, they are in a temporary file, which is removed when the build ends. The build
//! of a small site needs no such file.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use bincode::{Decode, Encode};

use crate::record_log::{CODING, read_at};

/// Bytes of one kind of value, such as the texts of pages, that stay in memory.
pub const BUDGET: u64 = 128 << 20;

/// Keeps values of one kind.
pub struct Scratch {
    budget: u64,
    held: AtomicU64,
    /// The file, once it is needed. It contains `None` if the system gives no file. Values then
    /// stay in memory.
    file: OnceLock<Option<Arc<Pile>>>,
}

/// The temporary file.
#[derive(Debug)]
struct Pile {
    file: File,
    end: AtomicU64,
}

/// A place in the temporary file.
#[derive(Clone, Debug)]
pub struct Record {
    pile: Arc<Pile>,
    at: u64,
    len: u32,
}

/// A value that a [`Scratch`] keeps.
#[derive(Debug)]
pub enum Stowed<T> {
    /// A value in memory.
    Held(T),
    /// A value in the temporary file.
    Away(Record),
}

/// Shows nothing of the state, because this text is part of the keys of pages in the cache: the key
/// of a file must not depend on the files before it.
impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scratch")
    }
}

impl Scratch {
    /// Returns an empty store that keeps up to `budget` bytes in memory.
    pub fn new(budget: u64) -> Self {
        Self { budget, held: AtomicU64::new(0), file: OnceLock::new() }
    }

    /// Keeps a value that takes about `len` bytes of memory.
    pub fn keep<T: Encode>(&self, value: T, len: usize) -> Stowed<T> {
        match self.put(len, || coded(&value)) {
            Some(record) => Stowed::Away(record),
            None => Stowed::Held(value),
        }
    }

    /// Writes bytes to the file; `None` if they can or must stay in memory.
    pub fn place(&self, bytes: &[u8]) -> Option<Record> {
        self.put_with(bytes.len(), |pile| Pile::add(pile, bytes).ok())
    }

    /// Writes bytes to the file. Returns `None` if the value that they encode, which takes `len`
    /// bytes, can stay in memory, or must stay there because the file cannot be written.
    pub fn put(&self, len: usize, bytes: impl FnOnce() -> Option<Vec<u8>>) -> Option<Record> {
        self.put_with(len, |pile| Pile::add(pile, &bytes()?).ok())
    }

    fn put_with(
        &self,
        len: usize,
        add: impl FnOnce(&Arc<Pile>) -> Option<Record>,
    ) -> Option<Record> {
        let len = len as u64;
        if self.held.fetch_add(len, Ordering::Relaxed).saturating_add(len) <= self.budget {
            return None;
        }
        let record = self.file.get_or_init(Pile::new).as_ref().and_then(add);
        if record.is_some() {
            self.held.fetch_sub(len, Ordering::Relaxed);
        }
        record
    }
}

/// Returns a file without a name. `/tmp` is in memory on many systems, `/var/tmp` is not.
#[cfg(not(target_family = "wasm"))]
fn temporary_file() -> Option<File> {
    let on_disk = cfg!(unix) && std::env::var_os("TMPDIR").is_none();
    let on_disk = on_disk.then(|| tempfile::tempfile_in("/var/tmp").ok()).flatten();
    on_disk.or_else(|| tempfile::tempfile().ok())
}

impl Pile {
    fn new() -> Option<Arc<Self>> {
        #[cfg(not(target_family = "wasm"))]
        return Some(Arc::new(Self { file: temporary_file()?, end: AtomicU64::new(0) }));
        #[cfg(target_family = "wasm")]
        None
    }

    fn add(pile: &Arc<Self>, bytes: &[u8]) -> io::Result<Record> {
        let len = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        let at = pile.end.fetch_add(len.into(), Ordering::Relaxed);
        write_at(&pile.file, at, bytes)?;
        Ok(Record { pile: Arc::clone(pile), at, len })
    }
}

impl Record {
    /// Returns the number of bytes.
    pub fn n_bytes(&self) -> usize {
        self.len as usize
    }

    /// Returns the bytes of a range, which ends before the record does.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn part(&self, range: Range<usize>) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; range.len()];
        read_at(&self.pile.file, self.at + range.start as u64, &mut bytes)?;
        Ok(bytes)
    }

    /// Returns all bytes.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn bytes(&self) -> io::Result<Vec<u8>> {
        self.part(0..self.n_bytes())
    }

    /// Returns the value that the bytes encode.
    ///
    /// # Errors
    /// If the file cannot be read, or was changed.
    pub fn value<T: Decode<()>>(&self) -> io::Result<T> {
        match bincode::decode_from_slice(&self.bytes()?, CODING) {
            Ok((value, _)) => Ok(value),
            Err(_) => Err(changed()),
        }
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.pile, &other.pile) && (self.at, self.len) == (other.at, other.len)
    }
}

impl<T: Clone + Decode<()>> Stowed<T> {
    /// Returns the value, from memory or from the file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn get(&self) -> io::Result<Cow<'_, T>> {
        match self {
            Self::Held(value) => Ok(Cow::Borrowed(value)),
            Self::Away(record) => record.value().map(Cow::Owned),
        }
    }
}

impl<T> Stowed<T> {
    /// Returns the value, if it is in memory.
    pub fn held(&self) -> Option<&T> {
        match self {
            Self::Held(value) => Some(value),
            Self::Away(_) => None,
        }
    }
}

/// Returns a value as it is encoded in the file.
pub fn coded(value: impl Encode) -> Option<Vec<u8>> {
    bincode::encode_to_vec(value, CODING).ok()
}

/// Returns the error for a file that no longer contains the written bytes.
pub fn changed() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "the temporary file of this build was changed by another program; build again",
    )
}

#[cfg(unix)]
fn write_at(file: &File, at: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, mut at: u64, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, at)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            n => {
                bytes = &bytes[n..];
                at += n as u64;
            }
        }
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn write_at(_: &File, _: u64, _: &[u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    #[test]
    fn what_is_beyond_the_budget_comes_back_as_it_was() {
        let scratch = Scratch::new(1_000);
        let text = |n: usize| format!("value {n} ").repeat(n % 40);
        let kept: Vec<(usize, Stowed<String>)> =
            (0..500).into_par_iter().map(|n| (n, scratch.keep(text(n), text(n).len()))).collect();
        let in_memory: usize =
            kept.iter().filter_map(|(_, kept)| kept.held()).map(String::len).sum();
        assert!((1..=1_000).contains(&in_memory), "{in_memory} bytes");
        for (n, kept) in kept {
            assert_eq!(*kept.get().unwrap(), text(n));
        }
    }

    #[test]
    fn its_text_does_not_depend_on_what_is_kept() {
        let scratch = Scratch::new(100);
        let before = format!("{scratch:?}");
        let _held = scratch.keep(vec![1u8; 60], 60);
        let _away = scratch.keep(vec![2u8; 60], 60);
        assert!(scratch.file.get().is_some());
        assert_eq!(format!("{scratch:?}"), before);
        assert_eq!(format!("{:?}", Scratch::new(1)), before);
    }

    #[test]
    fn what_fits_makes_no_file() {
        let scratch = Scratch::new(100);
        assert!(scratch.keep(vec![1u8; 100], 100).held().is_some());
        assert!(scratch.file.get().is_none());
        assert!(scratch.keep(1u8, 1).held().is_none());
    }
}
