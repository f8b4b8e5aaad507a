//! Collects shards and chooses their names.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;

use findling_bundle::entry::shard_path;
use findling_bundle::{
    Error, RangeStart, ShardEntry, ShardHash, ShardId, ShardKind, hash128, rename_shard, shard_hash,
};
use rayon::prelude::*;

use super::earlier_shards::EarlierShards;
use super::stored::{ShardBytes, Stored};
use findling_base::bundle_files::PackedShards;
use findling_base::replace_file::same;

/// The files of the bundle that is replaced. Readers have them in caches, so their names must not
/// be used for other contents.
#[derive(Clone, Debug, Default)]
pub struct ReplacedFiles {
    directory: Option<PathBuf>,
    /// The shards, if they are in packs.
    packed: Option<Arc<PackedShards>>,
    /// Shards that need not be compressed again.
    earlier: Arc<EarlierShards>,
}

impl ReplacedFiles {
    /// Returns the files in a directory, which need not exist.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        let directory = directory.into();
        let packed = PackedShards::open(&directory).map(Arc::new);
        Self { directory: Some(directory), packed, ..Self::default() }
    }

    /// Adds the shards of the earlier bundle.
    pub fn with_shards(self, earlier: EarlierShards) -> Self {
        Self { earlier: Arc::new(earlier), ..self }
    }

    /// Returns the shards of the earlier bundle.
    pub fn earlier(&self) -> &EarlierShards {
        &self.earlier
    }

    /// Compresses a shard, as [`encode_shard`](findling_bundle::encode_shard) does.
    ///
    /// # Errors
    /// If the contents are too long.
    pub fn encode(&self, kind: ShardKind, raw: &[u8]) -> Result<Stored, Error> {
        self.earlier.encode(kind, raw)
    }

    /// Returns whether a file with this path has other contents.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub fn has_other(&self, path: &str, contents: &ShardBytes) -> io::Result<bool> {
        let Some(directory) = &self.directory else { return Ok(false) };
        if let Some(stored) = self.packed.as_ref().and_then(|packed| packed.stored(path)) {
            return Ok(stored != *contents.read()?);
        }
        if let Some(hash) = self.earlier.hash_of(directory, path) {
            return Ok(hash != hash128(&contents.read()?));
        }
        let file = directory.join(path);
        Ok(file.is_file() && same(&file, &contents.read()?).is_ok_and(|same| !same))
    }

    /// Gives the shard of a range the first of its possible names that no other file has.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub fn rename(&self, shard: Stored, start: RangeStart<'_>) -> io::Result<Stored> {
        rename_while(shard, |(entry, stored)| self.has_other(&start.path(entry), stored))
    }

    /// Renames the shards of a group, which share a hash: changes the salt of one shard until all
    /// names are free. If no names are free, the last ones are used, and the files with these names
    /// are replaced.
    fn rename_group(&self, group: &mut [Stored], starts: &[RangeStart<'_>]) -> io::Result<()> {
        for _ in 0..=u8::MAX {
            let mut all = Vec::new();
            for (_, stored) in &*group {
                all.extend_from_slice(&stored.read()?);
            }
            for (entry, _) in &mut *group {
                entry.hash = shard_hash(entry.kind, &all);
            }
            let mut is_taken = false;
            for ((entry, stored), start) in group.iter().zip(starts) {
                is_taken |= self.has_other(&start.path(entry), stored)?;
            }
            if !is_taken {
                break;
            }
            if let Some((entry, stored)) = group.first_mut() {
                *stored = rename_shard(entry, stored.read()?.into_owned()).1.into();
            }
        }
        Ok(())
    }
}

/// Gives a shard the first of its possible names that is not `taken`. Names are a part of the hash,
/// so two can be equal.
fn rename_while(
    mut shard: Stored,
    mut taken: impl FnMut(&Stored) -> io::Result<bool>,
) -> io::Result<Stored> {
    while taken(&shard)? {
        let (entry, stored) = shard;
        let (entry, stored) = rename_shard(&entry, stored.read()?.into_owned());
        shard = (entry, stored.into());
    }
    Ok(shard)
}

/// The shard directory and the stored shards. Equal shards that belong to no range are stored once.
#[derive(Debug, Default)]
pub struct ShardSet {
    replaced: ReplacedFiles,
    entries: Vec<ShardEntry>,
    stored: Vec<ShardBytes>,
    /// The shards whose names are only their hashes.
    ids: HashMap<ShardHash, ShardId>,
    /// Names of shards that are in another directory.
    reserved: HashSet<ShardHash>,
}

impl ShardSet {
    /// Returns an empty set. Its shards get names that no file of `replaced` has for other
    /// contents.
    pub fn new(replaced: ReplacedFiles) -> Self {
        Self { replaced, ..Self::default() }
    }

    /// Compresses and adds one shard that belongs to no range.
    pub fn add(&mut self, kind: ShardKind, raw: &[u8]) -> Result<ShardId> {
        let (entry, stored) = self.replaced.encode(kind, raw)?;
        Ok(self.insert(entry, stored)?)
    }

    /// Compresses shards that belong to no range, on all cores, and adds them in order.
    pub fn add_all(&mut self, kind: ShardKind, raws: &[Vec<u8>]) -> Result<Vec<ShardId>> {
        let encode = |raw: &Vec<u8>| self.replaced.encode(kind, raw);
        let encoded: Vec<_> = raws.par_iter().map(encode).collect::<Result<_, Error>>()?;
        Ok(self.add_encoded(encoded)?)
    }

    /// Adds compressed shards in order.
    ///
    /// # Errors
    /// If the temporary file cannot be read; the same holds for all following functions.
    pub fn add_encoded(&mut self, encoded: Vec<Stored>) -> io::Result<Vec<ShardId>> {
        encoded.into_iter().map(|(entry, stored)| self.insert(entry, stored)).collect()
    }

    /// Compresses the shards of ranges, on all cores, and adds them in order.
    pub fn add_ranges<'a>(
        &mut self,
        kind: ShardKind,
        ranges: impl IntoParallelIterator<
            Item = (RangeStart<'a>, &'a [u8]),
            Iter: IndexedParallelIterator,
        >,
    ) -> Result<Vec<ShardId>> {
        let encode = |(start, raw)| Ok((start, self.replaced.encode(kind, raw)?));
        let encoded: Vec<(RangeStart<'_>, Stored)> =
            ranges.into_par_iter().map(encode).collect::<Result<_, Error>>()?;
        Ok(match kind.is_grouped() {
            true => self.add_encoded_groups(encoded)?,
            false => self.add_encoded_ranges(encoded)?,
        })
    }

    /// Adds the shards of ranges that do not form groups, in order.
    pub fn add_encoded_ranges(
        &mut self,
        ranges: Vec<(RangeStart<'_>, Stored)>,
    ) -> io::Result<Vec<ShardId>> {
        let replaced = &self.replaced;
        let named = ranges.into_par_iter().map(|(start, shard)| replaced.rename(shard, start));
        let named = named.collect::<io::Result<Vec<Stored>>>()?;
        Ok(named.into_iter().map(|(entry, stored)| self.push(entry, stored)).collect())
    }

    /// Adds the shards of ranges that form groups, in order.
    pub fn add_encoded_groups(
        &mut self,
        ranges: Vec<(RangeStart<'_>, Stored)>,
    ) -> io::Result<Vec<ShardId>> {
        let (starts, mut encoded): (Vec<_>, Vec<_>) = ranges.into_iter().unzip();
        let mut rest = &mut encoded[..];
        let mut groups = Vec::new();
        for group in starts.chunk_by(|_, next| !next.begins_group()) {
            let (own, others) = rest.split_at_mut(group.len());
            groups.push((own, group));
            rest = others;
        }
        let replaced = &self.replaced;
        groups.into_par_iter().try_for_each(|(own, group)| replaced.rename_group(own, group))?;
        Ok(encoded.into_iter().map(|(entry, stored)| self.push(entry, stored)).collect())
    }

    /// Adds shards of another directory. Returns an entry for each, `None` if there is no shard,
    /// and the existing shards. Their names are reserved.
    pub fn add_apart(
        &mut self,
        shards: Vec<Option<Stored>>,
    ) -> io::Result<(Vec<Option<ShardEntry>>, Vec<Stored>)> {
        let (mut lines, mut all) = (Vec::with_capacity(shards.len()), Vec::<Stored>::new());
        let mut named: HashMap<ShardHash, usize> = HashMap::new();
        for shard in shards {
            let Some(shard) = shard else {
                lines.push(None);
                continue;
            };
            let (entry, stored) =
                rename_while(shard, |(entry, stored)| match named.get(&entry.hash) {
                    Some(&same) => Ok(all[same].1 != *stored),
                    None if self.ids.contains_key(&entry.hash) => Ok(true),
                    None => self.is_taken(entry, stored),
                })?;
            named.insert(entry.hash, all.len());
            all.push((entry, stored));
            lines.push(Some(entry));
        }
        self.reserved.extend(named.into_keys());
        Ok((lines, all))
    }

    fn insert(&mut self, entry: ShardEntry, stored: ShardBytes) -> io::Result<ShardId> {
        let (entry, stored) =
            rename_while((entry, stored), |(entry, stored)| match self.ids.get(&entry.hash) {
                Some(same) => Ok(self.stored[same.index()] != *stored),
                None => self.is_taken(entry, stored),
            })?;
        if let Some(&same) = self.ids.get(&entry.hash) {
            return Ok(same);
        }
        let id = self.push(entry, stored);
        self.ids.insert(entry.hash, id);
        Ok(id)
    }

    /// Returns whether another shard has the name that the hash gives this one.
    fn is_taken(&self, entry: &ShardEntry, stored: &ShardBytes) -> io::Result<bool> {
        match self.reserved.contains(&entry.hash) {
            true => Ok(true),
            false => self.replaced.has_other(&shard_path(&entry.hash), stored),
        }
    }

    fn push(&mut self, entry: ShardEntry, stored: ShardBytes) -> ShardId {
        let id = ShardId(self.entries.len() as u32);
        self.entries.push(entry);
        self.stored.push(stored);
        id
    }

    /// Returns the directory, and the stored shards in its order.
    pub fn finish(self) -> (Vec<ShardEntry>, Vec<ShardBytes>) {
        (self.entries, self.stored)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use findling_bundle::{PageId, decode_shard, encode_shard};

    use super::*;

    #[test]
    fn equal_shards_are_kept_once_but_those_of_ranges() {
        let mut shards = ShardSet::default();
        let a = shards.add(ShardKind::Column, b"same").unwrap();
        let b = shards.add(ShardKind::Column, b"same").unwrap();
        let c = shards.add(ShardKind::Graph, b"same").unwrap();
        assert_eq!(a, b);
        assert_ne!(a, c);
        let of = |page| (RangeStart::Page(PageId(page), 0), &b"same"[..]);
        let ranges = shards.add_ranges(ShardKind::Texts, vec![of(0), of(7)]).unwrap();
        assert_ne!(ranges[0], ranges[1]);
        assert_eq!(shards.finish().0.len(), 4);
    }

    #[test]
    fn shards_whose_hashes_begin_alike_get_names_of_their_own() {
        let mut shards = ShardSet::default();
        let first = shards.add(ShardKind::Column, b"one").unwrap();
        let (mut entry, stored) = encode_shard(ShardKind::Column, b"other").unwrap();
        let stored = ShardBytes::from(stored);
        entry.hash = shards.entries[first.index()].hash;
        let other = shards.insert(entry, stored.clone()).unwrap();
        assert_ne!(first, other);
        assert_eq!(shards.insert(entry, stored).unwrap(), other, "and again");
        let (entry, _) = encode_shard(ShardKind::Column, b"third").unwrap();
        shards.reserved.insert(entry.hash);
        let third = shards.add(ShardKind::Column, b"third").unwrap();
        assert_ne!(shards.entries[third.index()].hash, entry.hash);
        assert_eq!(shards.add(ShardKind::Column, b"third").unwrap(), third);
        let (entries, stored) = shards.finish();
        assert_ne!(entries[0].hash, entries[1].hash);
        assert_eq!(decode_shard(&entries[1], &stored[1].read().unwrap()).unwrap(), b"other");
    }

    #[test]
    fn an_edit_renames_the_shards_of_its_group_alone() {
        let build = |replaced: ReplacedFiles, edited: Option<u32>| {
            let texts: Vec<Vec<u8>> = (0..200u32)
                .map(|page| [page, u32::from(edited == Some(page))].map(u32::to_le_bytes).concat())
                .collect();
            let starts = || (0..200).map(|page| RangeStart::Page(PageId(page), 0));
            let mut shards = ShardSet::new(replaced);
            let ranges: Vec<_> = starts().zip(texts.iter().map(Vec::as_slice)).collect();
            shards.add_ranges(ShardKind::Texts, ranges).unwrap();
            let (entries, stored) = shards.finish();
            for ((entry, stored), text) in entries.iter().zip(&stored).zip(&texts) {
                assert_eq!(&decode_shard(entry, &stored.read().unwrap()).unwrap(), text);
            }
            let paths: Vec<String> =
                starts().zip(&entries).map(|(start, entry)| start.path(entry)).collect();
            (paths, stored)
        };
        let (before, stored) = build(ReplacedFiles::default(), None);
        let (after, _) = build(ReplacedFiles::default(), Some(100));
        let renamed: Vec<u32> =
            (0..200).filter(|&page| before[page as usize] != after[page as usize]).collect();
        let begins = |page: u32| page == 0 || RangeStart::Page(PageId(page), 0).begins_group();
        let first = (0..=100).rev().find(|&page| begins(page)).unwrap();
        let end = (101..200).find(|&page| begins(page)).unwrap();
        assert_eq!(renamed, (first..end).collect::<Vec<_>>());

        // If a file has the name of one of these shards, all of them get other names. The result is
        // still deterministic.
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("shards")).unwrap();
        fs::write(dir.path().join(&before[100]), b"of an earlier build").unwrap();
        let (other, other_stored) = build(ReplacedFiles::at(dir.path()), None);
        assert!(
            (0..200).all(|page| (other[page] != before[page]) == renamed.contains(&(page as u32)))
        );
        let differ = |&page: &usize| stored[page] != other_stored[page];
        assert_eq!(
            (0..200).filter(differ).collect::<Vec<_>>(),
            [first as usize],
            "a byte of the first says so"
        );
        for (path, stored) in other.iter().zip(&other_stored) {
            fs::write(dir.path().join(path), stored.read().unwrap()).unwrap();
        }
        assert_eq!(build(ReplacedFiles::at(dir.path()), None).0, other);
    }

    #[test]
    fn no_shard_has_the_name_of_another_that_readers_may_have() {
        let dir = tempfile::tempdir().unwrap();
        let start = RangeStart::Key("term");
        let (range, stored) = encode_shard(ShardKind::Terms, b"new").unwrap();
        let (column, _) = encode_shard(ShardKind::Column, b"new").unwrap();
        let put = |path: &str, contents: &[u8]| {
            fs::create_dir_all(dir.path().join("shards")).unwrap();
            fs::write(dir.path().join(path), contents).unwrap();
        };
        put(&start.path(&range), b"of an earlier build");
        put(&shard_path(&column.hash), b"of an earlier build");
        let mut shards = ShardSet::new(ReplacedFiles::at(dir.path()));
        shards.add_ranges(ShardKind::Terms, vec![(start, &b"new"[..])]).unwrap();
        shards.add(ShardKind::Column, b"new").unwrap();
        let (entries, renamed) = shards.finish();
        assert!(entries[0].hash != range.hash && entries[1].hash != column.hash);
        assert_eq!(decode_shard(&entries[0], &renamed[0].read().unwrap()).unwrap(), b"new");

        // The same contents keep their name.
        put(&start.path(&range), &stored);
        let mut shards = ShardSet::new(ReplacedFiles::at(dir.path()));
        shards.add_ranges(ShardKind::Terms, vec![(start, &b"new"[..])]).unwrap();
        assert_eq!(shards.finish().0[0].hash, range.hash);
    }
}
