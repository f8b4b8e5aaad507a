//! A part as a file.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | magic, `FNDLPART` |
//! | | a record: the [`Head`] as JSON |
//! | | a record for each piece of pages |
//! | 4 | `0xffff_ffff`, the end of the pieces |
//! | | the embeddings, if there are any, as a cache ([`findling_index::embedding::cache`]) |
//!
//! A record:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | length of the contents, u32 |
//! | 16 | first 16 bytes of BLAKE3 over the contents |
//! | | contents |
//!
//! The head says how many records of pieces and how many embeddings there are, so that a part that
//! was cut off is noticed.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use findling_base::record_log::CODING;
use findling_base::replace_file::replace_by;
use findling_bundle::hash128;
use findling_read::share::{MAX_SHARES, Piece, Share};
use findling_read::{Options, Problem};
use serde::{Deserialize, Serialize};

use super::error::Error;

const MAGIC: [u8; 8] = *b"FNDLPART";
/// Largest length of the contents of a record.
const MAX_RECORD_LEN: u32 = 256 << 20;
const END: u32 = u32::MAX;
/// Version of this format.
const FORMAT: u32 = 1;

/// The options that decide what a part holds, by name.
pub type Settings = serde_json::Map<String, serde_json::Value>;

/// The head of a part: the versions, the place among the parts, and the options of the build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    /// The versions of the program and of this format.
    pub version: String,
    /// The number of this part.
    pub number: u32,
    /// Number of parts.
    pub of: u32,
    /// The inputs of all parts, as [`inputs`](findling_read::share::ShareReader::inputs).
    pub inputs: [u8; 16],
    /// The options that decide what a part holds, by name.
    pub settings: Settings,
    /// Number of records with pieces.
    pub n_pieces: u64,
    /// Number of embeddings.
    pub n_embeddings: u64,
}

impl Head {
    /// Returns the head of a part that this program writes.
    pub fn new(share: Share, inputs: [u8; 16], settings: Settings) -> Self {
        let Share { number, of } = share;
        let (n_pieces, n_embeddings) = (0, 0);
        Self { version: version(), number, of, inputs, settings, n_pieces, n_embeddings }
    }
}

fn version() -> String {
    format!("{} (parts {FORMAT})", env!("CARGO_PKG_VERSION"))
}

/// Pieces as they are stored, in a temporary file while others are read.
#[derive(Debug)]
pub struct Records {
    file: BufWriter<File>,
    n: u64,
}

impl Records {
    /// Returns the problems of the listing, which are a piece of their own, the first.
    ///
    /// # Errors
    /// If there is no temporary file, or it cannot be written.
    pub fn new(problems: &[Problem]) -> io::Result<Self> {
        let mut records = Self { file: BufWriter::new(tempfile::tempfile()?), n: 0 };
        records.put(problems)?;
        Ok(records)
    }

    /// Adds pieces.
    ///
    /// # Errors
    /// If a page is too large, or the file cannot be written.
    pub fn add(&mut self, pieces: &[Piece]) -> io::Result<()> {
        pieces.iter().try_for_each(|piece| self.put(piece))
    }

    fn put(&mut self, piece: impl bincode::Encode) -> io::Result<()> {
        let contents = bincode::encode_to_vec(piece, CODING)
            .map_err(|error| io::Error::other(error.to_string()))?;
        self.n += 1;
        write_record(&mut self.file, &contents)
    }
}

/// Writes a part. `embeddings` is a file with `head.n_embeddings` cached embeddings.
///
/// # Errors
/// If the system refuses. An existing file then stays unchanged.
pub fn write(
    path: &Path,
    head: &Head,
    records: Records,
    embeddings: Option<&Path>,
) -> io::Result<u64> {
    let Records { file: pieces, n } = records;
    let mut pieces = pieces.into_inner().map_err(io::IntoInnerError::into_error)?;
    pieces.rewind()?;
    replace_by(path, |file| {
        let mut out = BufWriter::new(&mut *file);
        out.write_all(&MAGIC)?;
        let head = Head { n_pieces: n, ..head.clone() };
        let head =
            serde_json::to_vec(&head).map_err(|error| io::Error::other(error.to_string()))?;
        write_record(&mut out, &head)?;
        io::copy(&mut pieces, &mut out)?;
        out.write_all(&END.to_le_bytes())?;
        if let Some(embeddings) = embeddings {
            io::copy(&mut File::open(embeddings)?, &mut out)?;
        }
        out.flush()?;
        drop(out);
        Ok(file.metadata()?.len())
    })
}

fn write_record(out: &mut impl Write, contents: &[u8]) -> io::Result<()> {
    let len = u32::try_from(contents.len()).ok().filter(|&len| len <= MAX_RECORD_LEN);
    let len = len.ok_or_else(|| {
        let mb = contents.len() >> 20;
        io::Error::other(format!("a page has {mb} MB, more than a part can hold"))
    })?;
    out.write_all(&len.to_le_bytes())?;
    out.write_all(&hash128(contents))?;
    out.write_all(contents)
}

/// A part that is open.
#[derive(Debug)]
pub struct Part {
    /// The path of the part.
    pub path: PathBuf,
    /// The head of the part.
    pub head: Head,
    /// Behind the head.
    reader: BufReader<File>,
}

/// The problems and the pieces of a part.
pub struct Contents {
    /// The problems of the listing.
    pub problems: Vec<Problem>,
    /// The pieces, in the order of the files.
    pub pieces: Vec<Piece>,
}

impl Part {
    /// Opens a part and reads its head.
    ///
    /// # Errors
    /// If it cannot be read, is no part, is damaged, or is of another version.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let read = |source| Error::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(read)?;
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let mut magic = [0; MAGIC.len()];
        match reader.read_exact(&mut magic) {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(read(error)),
            Ok(()) if magic == MAGIC => {}
            _ => return Err(Error::NotAPart { path: path.to_owned() }),
        }
        let damaged = || Error::Damaged { path: path.to_owned(), what: "its head" };
        let Record::Contents(head) = record(&mut reader).map_err(read)? else {
            return Err(damaged());
        };
        // Another version may have other fields.
        let head: serde_json::Value = serde_json::from_slice(&head).map_err(|_| damaged())?;
        let found = head.get("version").and_then(|version| version.as_str()).unwrap_or_default();
        if found != version() {
            let found = found.chars().filter(|c| !c.is_control()).take(40).collect();
            return Err(Error::Version { path: path.to_owned(), expected: version(), found });
        }
        let head: Head = serde_json::from_value(head).map_err(|_| damaged())?;
        if head.number == 0 || head.number > head.of || head.of > MAX_SHARES {
            return Err(damaged());
        }
        Ok(Self { path: path.to_owned(), head, reader })
    }

    /// Reads the pieces. Their texts are stored where `options` say.
    ///
    /// # Errors
    /// If the pieces cannot be read or are damaged.
    pub fn contents(&mut self, options: &Options) -> Result<Contents, Error> {
        let damaged = |what| Error::Damaged { path: self.path.clone(), what };
        let mut problems = None;
        let mut pieces = Vec::new();
        loop {
            let read = record(&mut self.reader)
                .map_err(|source| Error::Read { path: self.path.clone(), source })?;
            match read {
                Record::End => break,
                Record::Damaged => return Err(damaged("its pages")),
                Record::Contents(bytes) if problems.is_none() => {
                    problems = Some(decode(&bytes).ok_or_else(|| damaged("its problems"))?);
                }
                Record::Contents(bytes) => {
                    let mut piece: Piece = decode(&bytes).ok_or_else(|| damaged("its pages"))?;
                    piece.stow(options);
                    pieces.push(piece);
                }
            }
        }
        if self.head.n_pieces != pieces.len() as u64 + 1 {
            return Err(damaged("the number of its pages"));
        }
        Ok(Contents { problems: problems.unwrap_or_default(), pieces })
    }

    /// Returns the reader, positioned after the pieces, once these have been read.
    pub fn rest(&mut self) -> &mut impl Read {
        &mut self.reader
    }
}

fn decode<T: bincode::Decode<()>>(bytes: &[u8]) -> Option<T> {
    let (value, len) = bincode::decode_from_slice(bytes, CODING).ok()?;
    (len == bytes.len()).then_some(value)
}

/// A record of the file.
enum Record {
    Contents(Vec<u8>),
    End,
    /// Changed or cut off.
    Damaged,
}

fn record(reader: &mut impl Read) -> io::Result<Record> {
    let mut len = [0; 4];
    let mut checksum = [0; 16];
    if !fill(reader, &mut len)? {
        return Ok(Record::Damaged);
    }
    let len = u32::from_le_bytes(len);
    if len == END {
        return Ok(Record::End);
    }
    if len > MAX_RECORD_LEN || !fill(reader, &mut checksum)? {
        return Ok(Record::Damaged);
    }
    // A wrong length must not allocate memory.
    let mut contents = Vec::new();
    reader.take(len.into()).read_to_end(&mut contents)?;
    let is_whole = contents.len() == len as usize && hash128(&contents) == checksum;
    Ok(if is_whole { Record::Contents(contents) } else { Record::Damaged })
}

/// Fills `into`; returns false if the file ends first.
fn fill(reader: &mut impl Read, into: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(into) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_more_shares_than_there_can_be_is_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("part");
        for (of, is_right) in [(MAX_SHARES, true), (MAX_SHARES + 1, false), (u32::MAX, false)] {
            let head = Head::new(Share { number: 1, of }, [0; 16], Settings::default());
            write(&path, &head, Records::new(&[]).unwrap(), None).unwrap();
            let opened = Part::open(&path);
            assert_eq!(opened.is_ok(), is_right, "{of}");
            assert!(matches!(opened, Ok(_) | Err(Error::Damaged { .. })), "{of}");
        }
    }
}
