//! Reads shards from packs on disk.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};
use findling_bundle::packs::{Pack, PackDirectory, Slot, take_slot};
use findling_bundle::{ShardEntry, ShardId, hex};

use super::BundleFiles;
use crate::regular_file;

/// The packs of a bundle, and the place of each shard in them.
#[derive(Debug)]
pub struct Packs {
    directory: PackDirectory,
    /// Bytes of the directory as stored.
    stored_len: u64,
    /// The slots of positions, once they have been read.
    positions: OnceLock<Vec<Option<Slot>>>,
    /// Whether the site sends ranges. This is known once it has sent a range or a whole pack.
    pub(super) sends_ranges: OnceLock<bool>,
}

impl Packs {
    /// Reads the directory of packs.
    ///
    /// # Errors
    /// If the directory is damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, findling_bundle::Error> {
        let directory = PackDirectory::from_bytes(bytes)?;
        let stored_len = bytes.len() as u64;
        let (positions, sends_ranges) = (OnceLock::new(), OnceLock::new());
        Ok(Self { directory, stored_len, positions, sends_ranges })
    }

    /// Returns the bytes of the directory as stored.
    pub fn stored_len(&self) -> u64 {
        self.stored_len
    }

    /// Returns the directory of packs.
    pub fn directory(&self) -> &PackDirectory {
        &self.directory
    }

    /// Returns the place of a shard. `read` reads the bytes of a slot; it is called at most once,
    /// for the slots of positions.
    ///
    /// # Errors
    /// If the slots of positions are damaged, and the errors of `read`.
    pub fn slot(
        &self,
        id: ShardId,
        read: impl FnOnce(Slot) -> Result<Vec<u8>>,
    ) -> Result<Option<Slot>> {
        let Some(place) = id.place_of_positions() else { return Ok(self.directory.slot(id)) };
        let Some(positions) = self.directory.positions else { return Ok(None) };
        if self.positions.get().is_none() {
            let bytes = read(positions.slot)?;
            let slots = self.directory.positions_from_bytes(take_slot(&bytes)?)?;
            let _ = self.positions.set(slots);
        }
        Ok(self.positions.get().and_then(|slots| slots.get(place).copied().flatten()))
    }

    /// Returns the pack of a slot.
    ///
    /// # Errors
    /// If there is no such pack.
    pub fn pack(&self, slot: Slot) -> Result<&Pack> {
        self.directory.pack(slot).context("a pack of the bundle does not exist; build it again")
    }

    /// Compares every pack in a directory with its name, and its length with the listed one.
    /// Returns a message for each that is missing, damaged or longer.
    pub fn damage(&self, directory: &Path) -> Vec<String> {
        let damaged = self.directory.packs.iter().filter_map(|pack| {
            let path = pack.path();
            let contents = regular_file::read(&directory.join(&path), pack.n_bytes());
            let checked = match contents {
                Ok(contents) => pack.check(&contents).map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            checked.err().map(|reason| format!("{path} (pack): {reason}"))
        });
        damaged.collect()
    }

    /// Returns the bytes of a slot, from the pack in a directory. `None` if the pack is not there.
    ///
    /// # Errors
    /// If the pack is too short, or cannot be read.
    pub fn read(&self, directory: &Path, slot: Slot) -> Result<Option<Vec<u8>>> {
        let pack = self.pack(slot)?;
        let path = directory.join(pack.path());
        let mut file = match regular_file::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| unreadable(&path)),
        };
        let range = slot.bytes();
        // The directory gives the length of a slot, and may be wrong.
        let len = file.metadata().with_context(|| unreadable(&path))?.len();
        if len < range.end {
            bail!(
                "{}: expected {} bytes or more, found {len}: deploy or build the bundle again",
                path.display(),
                range.end
            );
        }
        let mut bytes = vec![0; usize::try_from(range.end - range.start)?];
        let read =
            file.seek(SeekFrom::Start(range.start)).and_then(|_| file.read_exact(&mut bytes));
        read.with_context(|| unreadable(&path))?;
        Ok(Some(bytes))
    }

    /// Returns the path of the file with the slots of positions in a copy. `opening`: the hash of
    /// the bundle's file of the manifest.
    pub fn positions_file(opening: &[u8; 16]) -> PathBuf {
        PathBuf::from(format!("shards/{}.slots", hex(opening)))
    }
}

/// Returns the message for a file of a bundle that is missing or cannot be read.
pub fn unreadable(path: &Path) -> String {
    format!("{} cannot be read; the bundle is incomplete: deploy or build it again", path.display())
}

/// The shards of a bundle in packs, by their paths.
#[derive(Debug)]
pub struct PackedShards {
    files: BundleFiles,
    ids: HashMap<String, (ShardId, ShardEntry)>,
}

impl PackedShards {
    /// Opens the bundle in a directory; `None` if there is none in packs that can be read.
    pub fn open(directory: &Path) -> Option<Self> {
        let files = BundleFiles::open(directory).ok().filter(|files| files.packs().is_some())?;
        let path = |(id, entry)| (files.manifest().path(id, &entry), (id, entry));
        let ids = files.listed_shards().into_iter().map(path).collect();
        Some(Self { files, ids })
    }

    /// Returns a shard as stored; `None` if the bundle has none with this path.
    pub fn stored(&self, path: &str) -> Option<Vec<u8>> {
        let (id, entry) = self.ids.get(path)?;
        self.files.stored(*id, entry).ok()
    }

    /// Returns the place of a shard.
    pub fn slot(&self, path: &str) -> Option<Slot> {
        let packs = self.files.packs()?;
        let (id, _) = self.ids.get(path)?;
        packs.slot(*id, |slot| self.read(slot).context("a pack is missing")).ok().flatten()
    }

    /// Returns the bytes of a slot.
    pub fn read(&self, slot: Slot) -> Option<Vec<u8>> {
        self.files.packs()?.read(self.files.path(), slot).ok().flatten()
    }

    /// Returns the directory of packs.
    pub fn directory(&self) -> Option<&PackDirectory> {
        self.files.packs().map(Packs::directory)
    }

    /// Returns the contents of a pack; `None` if it is missing or damaged.
    pub fn pack(&self, pack: &Pack) -> Option<Vec<u8>> {
        let path = self.files.path().join(pack.path());
        let contents = regular_file::read(&path, pack.n_bytes()).ok()?;
        pack.check(&contents).is_ok().then_some(contents)
    }
}
