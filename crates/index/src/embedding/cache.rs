//! The embedding cache: a text that was embedded once is not embedded again, for this site or
//! another.
//!
//! One append-only log for each encoder, named by its fingerprint. Vectors are stored exactly, so
//! that a build with a cache gives the same bytes as one without.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | magic, `FNDLEMBD` |
//! | 8 | 4 | format version, u32 |
//! | 12 | 4 | dimensions, u32 |
//! | 16 | 16 | first 16 bytes of BLAKE3 over the fingerprint |
//! | 32 | | records |
//!
//! A record:
//!
//! | bytes | what |
//! |---|---|
//! | 16 | key: first 16 bytes of BLAKE3 over the document prefix and the text |
//! | 4 | tokens, u32 |
//! | 4 | 1 where the text was cut, else 0, u32 |
//! | 4 * dim | the vector, f32 |
//! | 8 | first 8 bytes of BLAKE3 over the rest of the record |
//!
//! A build that is killed can leave an incomplete record at the end; the next build cuts it off.
//! One build at a time appends; others read.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use findling_bundle::{EncoderCard, hash128, hex};
use findling_encoder::Embedding;

use findling_base::file_mode::{make_directory, private_file};

const MAGIC: [u8; 8] = *b"FNDLEMBD";
const VERSION: u32 = 1;
const HEADER_LEN: u64 = 32;

/// The key of a text, which identifies the record with its vector.
pub type Key = [u8; 16];

/// Embeddings that are held in memory when they are copied.
const TAKEN_AT_ONCE: usize = 1024;

/// The reason why the embeddings of a file cannot be added.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// Embeddings of another encoder.
    #[error("the embeddings are of another encoder")]
    OtherEncoder,
    /// A file that is not a cache, or only a part of one.
    #[error("the embeddings are damaged")]
    Damaged,
    /// The system refuses.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The cache of one encoder.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    file: File,
    writable: bool,
    dim: usize,
    /// The bytes with which a file of this encoder begins.
    header: Vec<u8>,
    /// Offset of each key's record.
    records: HashMap<Key, u64>,
    end: u64,
}

impl Cache {
    /// Returns the default directory of caches: `$FINDLING_CACHE`,
    /// `$XDG_CACHE_HOME/findling/embeddings`, or `~/.cache/findling/embeddings`.
    pub fn default_dir() -> Option<PathBuf> {
        let var = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        var("FINDLING_CACHE").or_else(|| {
            let cache = var("XDG_CACHE_HOME").or_else(|| {
                var("HOME").or_else(|| var("USERPROFILE")).map(|home| home.join(".cache"))
            })?;
            Some(cache.join("findling").join("embeddings"))
        })
    }

    /// Opens the cache of an encoder in `dir`, or creates it.
    ///
    /// # Errors
    /// If the directory or file cannot be created, read or written.
    pub fn open(dir: &Path, card: &EncoderCard) -> io::Result<Self> {
        make_directory(dir)?;
        let path = dir.join(format!("{}.embeddings", hex(&hash128(card.fingerprint.as_bytes()))));
        let file = private_file().read(true).append(true).create(true).open(&path)?;
        let writable = file.try_lock().is_ok();
        let (dim, header) = (card.dim as usize, Self::header(card));
        let mut cache = Self { path, file, writable, dim, header, records: HashMap::new(), end: 0 };
        cache.scan()?;
        Ok(cache)
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of texts in the cache.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns whether embeddings can be added. False while another build has locked the cache.
    pub fn is_writable(&self) -> bool {
        self.writable
    }

    /// Returns the key of a text.
    pub fn key(card: &EncoderCard, text: &str) -> Key {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(card.document_prefix.len() as u64).to_le_bytes());
        hasher.update(card.document_prefix.as_bytes());
        hasher.update(text.as_bytes());
        let mut key = Key::default();
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        key
    }

    /// Returns the embedding of a text, if it is in the cache.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn get(&mut self, key: &Key) -> io::Result<Option<Embedding>> {
        let Some(&at) = self.records.get(key) else { return Ok(None) };
        let mut record = vec![0; self.record_len()];
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(&mut record)?;
        Ok(decode(&record).filter(|(found, _)| found == key).map(|(_, embedding)| embedding))
    }

    /// Adds embeddings in one write, so that a killed build leaves at most one incomplete record.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn put(&mut self, embeddings: &[(Key, &Embedding)]) -> io::Result<()> {
        if !self.writable {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(embeddings.len() * self.record_len());
        let mut at = self.end;
        for (key, embedding) in embeddings {
            if embedding.values.len() != self.dim || self.records.contains_key(key) {
                continue;
            }
            encode(key, embedding, &mut bytes);
            self.records.insert(*key, at);
            at = self.end + bytes.len() as u64;
        }
        self.file.write_all(&bytes)?;
        self.end = at;
        Ok(())
    }

    /// Adds the embeddings that another cache has of these texts.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn take(&mut self, other: &mut Self, keys: &[Key]) -> io::Result<()> {
        for keys in keys.chunks(TAKEN_AT_ONCE) {
            let mut found = Vec::with_capacity(keys.len());
            for key in keys.iter().filter(|key| !self.records.contains_key(*key)) {
                found.extend(other.get(key)?.map(|embedding| (*key, embedding)));
            }
            let records: Vec<(Key, &Embedding)> =
                found.iter().map(|(key, embedding)| (*key, embedding)).collect();
            self.put(&records)?;
        }
        Ok(())
    }

    /// Adds all embeddings of a cache's file. Returns how many it has.
    ///
    /// # Errors
    /// If it is not of the same encoder, is damaged, or cannot be read.
    pub fn add_all(&mut self, log: &mut impl Read) -> Result<u64, AddError> {
        let mut header = self.header.clone();
        if !read_whole(log, &mut header)? {
            return Err(AddError::Damaged);
        }
        if header != self.header {
            return Err(AddError::OtherEncoder);
        }
        let (mut n, mut ended) = (0, false);
        while !ended {
            let mut bytes = Vec::new();
            log.take((self.record_len() * TAKEN_AT_ONCE) as u64).read_to_end(&mut bytes)?;
            ended = bytes.len() < self.record_len() * TAKEN_AT_ONCE;
            let read: Vec<(Key, Embedding)> = bytes
                .chunks(self.record_len())
                .map(decode)
                .collect::<Option<_>>()
                .ok_or(AddError::Damaged)?;
            let records: Vec<_> = read.iter().map(|(key, embedding)| (*key, embedding)).collect();
            self.put(&records)?;
            n += read.len() as u64;
        }
        Ok(n)
    }

    fn record_len(&self) -> usize {
        16 + 4 + 4 + 4 * self.dim + 8
    }

    fn header(card: &EncoderCard) -> Vec<u8> {
        let mut header = Vec::with_capacity(HEADER_LEN as usize);
        header.extend_from_slice(&MAGIC);
        header.extend_from_slice(&VERSION.to_le_bytes());
        header.extend_from_slice(&card.dim.to_le_bytes());
        header.extend_from_slice(&hash128(card.fingerprint.as_bytes()));
        header
    }

    /// Finds the records. The log is cut off at the first incomplete or damaged record.
    fn scan(&mut self) -> io::Result<()> {
        let mut reader = BufReader::with_capacity(1 << 20, &self.file);
        reader.seek(SeekFrom::Start(0))?;
        let mut found = vec![0; self.header.len()];
        let mut records = HashMap::new();
        let mut end = 0;
        if read_whole(&mut reader, &mut found)? && found == self.header {
            end = HEADER_LEN;
            let mut record = vec![0; self.record_len()];
            while read_whole(&mut reader, &mut record)? {
                let Some((key, _)) = decode(&record) else { break };
                records.insert(key, end);
                end += record.len() as u64;
            }
        }
        drop(reader);
        self.records = records;
        self.end = end;
        if self.writable && self.file.metadata()?.len() != end {
            self.file.set_len(end)?;
        }
        if self.writable && end == 0 {
            self.file.write_all(&self.header)?;
            self.end = HEADER_LEN;
        }
        Ok(())
    }
}

/// Fills `into`; returns false if the file ends first.
fn read_whole(reader: &mut impl Read, into: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(into) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn checksum(record: &[u8]) -> [u8; 8] {
    let mut checksum = [0; 8];
    checksum.copy_from_slice(&blake3::hash(record).as_bytes()[..8]);
    checksum
}

fn encode(key: &Key, embedding: &Embedding, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(key);
    out.extend_from_slice(&embedding.n_tokens.to_le_bytes());
    out.extend_from_slice(&u32::from(embedding.truncated).to_le_bytes());
    for value in &embedding.values {
        out.extend_from_slice(&value.to_le_bytes());
    }
    let checksum = checksum(&out[start..]);
    out.extend_from_slice(&checksum);
}

fn decode(record: &[u8]) -> Option<(Key, Embedding)> {
    let (body, found) = record.split_at_checked(record.len().checked_sub(8)?)?;
    if checksum(body) != found {
        return None;
    }
    let word = |at: usize| Some(u32::from_le_bytes(body.get(at..at + 4)?.try_into().ok()?));
    let key: Key = body.get(..16)?.try_into().ok()?;
    let values = body
        .get(24..)?
        .chunks_exact(4)
        .map(|v| f32::from_le_bytes([v[0], v[1], v[2], v[3]]))
        .collect();
    Some((key, Embedding { values, n_tokens: word(16)?, truncated: word(20)? == 1 }))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn card() -> EncoderCard {
        EncoderCard {
            name: "test".into(),
            dim: 3,
            fingerprint: "f".repeat(32),
            max_tokens: 8,
            query_prefix: String::new(),
            document_prefix: "passage: ".into(),
            semantic: true,
        }
    }

    fn embedding(x: f32) -> Embedding {
        Embedding { values: vec![x, -x, 0.1], n_tokens: 5, truncated: x > 1.0 }
    }

    #[test]
    fn what_was_put_is_there_in_the_next_build() {
        let dir = tempfile::tempdir().unwrap();
        let card = card();
        let (a, b) = (Cache::key(&card, "a"), Cache::key(&card, "b"));
        let mut cache = Cache::open(dir.path(), &card).unwrap();
        assert!(cache.is_writable() && cache.is_empty());
        cache.put(&[(a, &embedding(0.5)), (b, &embedding(2.0)), (a, &embedding(9.0))]).unwrap();
        assert_eq!(cache.get(&a).unwrap(), Some(embedding(0.5)));
        drop(cache);
        let mut cache = Cache::open(dir.path(), &card).unwrap();
        assert_eq!(cache.len(), 2);
        assert_eq!(cache.get(&b).unwrap(), Some(embedding(2.0)));
        assert_eq!(cache.get(&Cache::key(&card, "c")).unwrap(), None);
    }

    #[test]
    fn a_torn_or_spoilt_tail_is_cut_off_and_written_anew() {
        let dir = tempfile::tempdir().unwrap();
        let card = card();
        let keys: Vec<Key> = (0..3).map(|i| Cache::key(&card, &i.to_string())).collect();
        let mut cache = Cache::open(dir.path(), &card).unwrap();
        let path = cache.path().to_owned();
        let len = cache.record_len() as u64;
        for key in &keys {
            cache.put(&[(*key, &embedding(0.25))]).unwrap();
        }
        drop(cache);
        let whole = fs::read(&path).unwrap();
        assert_eq!(whole.len() as u64, HEADER_LEN + 3 * len);
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let mut cache = Cache::open(dir.path(), &card).unwrap();
            let sound = (cut as u64).saturating_sub(HEADER_LEN) / len;
            assert_eq!(cache.len() as u64, sound, "cut at {cut}");
            cache.put(&[(keys[2], &embedding(0.25))]).unwrap();
            drop(cache);
            assert_eq!(
                Cache::open(dir.path(), &card).unwrap().get(&keys[2]).unwrap(),
                Some(embedding(0.25))
            );
        }
        let mut spoilt = whole.clone();
        let at = (HEADER_LEN + len) as usize + 30;
        spoilt[at] ^= 1;
        fs::write(&path, &spoilt).unwrap();
        assert_eq!(Cache::open(dir.path(), &card).unwrap().len(), 1);
    }

    #[test]
    fn a_second_build_reads_while_the_first_one_writes() {
        let dir = tempfile::tempdir().unwrap();
        let card = card();
        let key = Cache::key(&card, "a");
        let mut first = Cache::open(dir.path(), &card).unwrap();
        first.put(&[(key, &embedding(0.5))]).unwrap();
        let mut second = Cache::open(dir.path(), &card).unwrap();
        assert!(!second.is_writable());
        assert_eq!(second.get(&key).unwrap(), Some(embedding(0.5)));
        second.put(&[(Cache::key(&card, "b"), &embedding(0.5))]).unwrap();
        assert_eq!(second.len(), 1);
    }

    #[test]
    fn encoders_do_not_share_vectors() {
        let dir = tempfile::tempdir().unwrap();
        let (card, mut other) = (card(), card());
        other.fingerprint = "0".repeat(32);
        Cache::open(dir.path(), &card)
            .unwrap()
            .put(&[(Cache::key(&card, "a"), &embedding(0.5))])
            .unwrap();
        assert!(Cache::open(dir.path(), &other).unwrap().is_empty());
    }
}
