//! The engine's host on this machine: opens a bundle on disk, in either of its shapes, and feeds the engine's state machine.

mod encoder;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use findling_bundle::single_file::{HEADER_LEN, is_single_file, read_header, shard_ranges};
use findling_bundle::{Entry, Manifest, ShardId, entry, limits::MAX_MANIFEST_LEN};
use findling_engine::{Index, Request, Response, Step};

pub use encoder::{EncoderChoice, QueryEncoder};

/// An open bundle, ready to be searched. What has been read stays in memory.
pub struct Host {
    index: Index,
    source: Source,
}

/// Where shards come from.
enum Source {
    Directory(PathBuf),
    SingleFile { file: File, path: PathBuf, ranges: Vec<Range<u64>> },
}

/// What a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// In the engine, decoding of shards included.
    pub engine: Duration,
    /// Reading shards.
    pub read: Duration,
    /// Bytes read.
    pub bytes: u64,
    /// Shards read.
    pub n_shards: u32,
    /// Times the engine asked for shards.
    pub n_rounds: u32,
}

impl Host {
    /// Opens a bundle: its directory, a single file, or the entry file in a directory.
    ///
    /// # Errors
    /// Where nothing is there, or it is no bundle, or one this version does not read; with the remedy.
    pub fn open(path: &Path) -> anyhow::Result<Host> {
        if path.is_dir() {
            return Self::open_directory(path);
        }
        if path.file_name().is_some_and(|name| name == entry::FILE_NAME) {
            return Self::open_directory(path.parent().unwrap_or(Path::new("")));
        }
        Self::open_file(path)
    }

    fn open_directory(directory: &Path) -> anyhow::Result<Host> {
        let path = directory.join(entry::FILE_NAME);
        let bytes = read_at_most(&path, Entry::LEN as u64).with_context(|| {
            format!("{} is no bundle; `findling build INPUT -o {0}` makes one", directory.display())
        })?;
        let wrong = || format!("cannot read the bundle's entry {}", path.display());
        let entry = Entry::from_bytes(&bytes).with_context(wrong)?;
        let manifest_path = directory.join(entry.manifest_path());
        let stored = read_at_most(&manifest_path, u64::from(entry.manifest_len))?;
        let wrong = || format!("cannot read the bundle's manifest {}", manifest_path.display());
        entry.check_manifest(&stored).with_context(wrong)?;
        let index = Index::open(&stored).with_context(wrong)?;
        Ok(Host { index, source: Source::Directory(directory.to_owned()) })
    }

    fn open_file(path: &Path) -> anyhow::Result<Host> {
        let wrong = || format!("cannot read the bundle {}", path.display());
        let mut file = File::open(path).with_context(wrong)?;
        let mut header = [0; HEADER_LEN];
        let read = read_up_to(&mut file, &mut header).with_context(wrong)?;
        if !is_single_file(&header[..read]) {
            bail!(
                "{} is no bundle: expected a directory with {} or a file made by `findling build --single-file`",
                path.display(),
                entry::FILE_NAME
            );
        }
        let entry = read_header(&header[..read]).with_context(wrong)?;
        let len = file.metadata().with_context(wrong)?.len();
        let mut stored = Vec::new();
        // The entry's length is bounded by the format.
        (&mut file).take(u64::from(entry.manifest_len)).read_to_end(&mut stored).with_context(wrong)?;
        entry.check_manifest(&stored).with_context(wrong)?;
        let index = Index::open(&stored).with_context(wrong)?;
        let ranges = shard_ranges(&entry, index.manifest());
        let end = ranges.last().map_or(HEADER_LEN as u64 + u64::from(entry.manifest_len), |last| last.end);
        if end != len {
            bail!(
                "the bundle {} is damaged: expected {end} bytes, found {len}; copy or build it again",
                path.display()
            );
        }
        Ok(Host { index, source: Source::SingleFile { file, path: path.to_owned(), ranges } })
    }

    /// The engine's index.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The engine's index, for tuning.
    pub fn index_mut(&mut self) -> &mut Index {
        &mut self.index
    }

    /// What the bundle says of itself.
    pub fn manifest(&self) -> &Manifest {
        self.index.manifest()
    }

    /// The bundle's directory; `None` for a single file.
    pub fn directory(&self) -> Option<&Path> {
        match &self.source {
            Source::Directory(directory) => Some(directory),
            Source::SingleFile { .. } => None,
        }
    }

    /// Answers a request, reading what is missing.
    ///
    /// # Errors
    /// The engine's, and those of reading, which name the file.
    pub fn search(&mut self, request: Request) -> anyhow::Result<(Response, Cost)> {
        let mut cost = Cost::default();
        let start = Instant::now();
        let mut search = self.index.search(request)?;
        loop {
            let wanted = match search.step(&self.index)? {
                Step::Done(response) => {
                    cost.engine = start.elapsed().saturating_sub(cost.read);
                    return Ok((*response, cost));
                }
                Step::Need(wanted) => wanted,
            };
            cost.n_rounds += 1;
            for shard in wanted {
                let reading = Instant::now();
                let stored = self.source.read(self.index.manifest(), shard)?;
                cost.read += reading.elapsed();
                cost.bytes += stored.len() as u64;
                cost.n_shards += 1;
                let taken = self.index.provide(shard, &stored);
                taken.with_context(|| {
                    format!("cannot use {}", self.source.name(self.index.manifest(), shard))
                })?;
            }
        }
    }
}

impl Source {
    fn read(&mut self, manifest: &Manifest, shard: ShardId) -> anyhow::Result<Vec<u8>> {
        let entry = manifest
            .shards
            .get(shard.index())
            .with_context(|| format!("the bundle's manifest lists no shard {}", shard.0))?;
        match self {
            Source::Directory(directory) => {
                read_at_most(&directory.join(entry::shard_path(&entry.hash)), u64::from(entry.stored_len))
            }
            Source::SingleFile { file, path, ranges } => {
                let wrong = || format!("cannot read {}", path.display());
                let mut stored = vec![0; entry.stored_len as usize];
                file.seek(SeekFrom::Start(ranges[shard.index()].start)).with_context(wrong)?;
                file.read_exact(&mut stored).with_context(wrong)?;
                Ok(stored)
            }
        }
    }

    fn name(&self, manifest: &Manifest, shard: ShardId) -> String {
        match (self, manifest.shards.get(shard.index())) {
            (Source::Directory(directory), Some(entry)) => {
                directory.join(entry::shard_path(&entry.hash)).display().to_string()
            }
            (Source::Directory(directory), None) => directory.display().to_string(),
            (Source::SingleFile { path, .. }, _) => format!("shard {} of {}", shard.0, path.display()),
        }
    }
}

/// Reads a file; of one longer than `limit`, a byte more than that, which readers of the format refuse by its length.
fn read_at_most(path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
    let wrong = || format!("cannot read {}", path.display());
    let mut bytes = Vec::with_capacity(limit.min(MAX_MANIFEST_LEN as u64) as usize + 1);
    File::open(path).with_context(wrong)?.take(limit + 1).read_to_end(&mut bytes).with_context(wrong)?;
    Ok(bytes)
}

fn read_up_to(file: &mut File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..])? {
            0 => break,
            n => filled += n,
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("findling-host-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary directory");
        path
    }

    fn refusal(path: &Path) -> String {
        format!("{:#}", Host::open(path).err().expect("refused"))
    }

    #[test]
    fn what_is_no_bundle_is_named_with_the_remedy() {
        let directory = scratch("none");
        assert!(refusal(&directory).contains("findling build"), "{}", refusal(&directory));
        let file = directory.join("x.findling");
        std::fs::write(&file, b"<html>").expect("written");
        assert!(refusal(&file).contains("--single-file"), "{}", refusal(&file));
        std::fs::write(directory.join(entry::FILE_NAME), [0; 200]).expect("written");
        assert!(refusal(&directory).contains(entry::FILE_NAME), "{}", refusal(&directory));
        assert!(refusal(&directory.join("missing")).contains("missing"));
        std::fs::remove_dir_all(directory).expect("removed");
    }
}
