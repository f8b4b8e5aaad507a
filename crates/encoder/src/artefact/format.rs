//! The bytes of a model file.
//!
//! | bytes | field |
//! |---|---|
//! | 8 | magic, [`MAGIC`] |
//! | 4 | [`FORMAT_VERSION`], little-endian |
//! | 4 | length of the head |
//! | 8 | length of the payload |
//! | 16 | first half of BLAKE3 over head and payload |
//! | | head: bincode of card, architecture, normaliser flags, vocabulary, storage of each tensor |
//! | | payload: the tensors in the architecture's order, each padded to 4 bytes |

use bincode::{Decode, Encode, config};

use super::{Architecture, Artefact, Entry, Storage};
use crate::{EncoderCard, Error};
use findling_text::wordpiece::Normaliser;

/// The first bytes of an artefact.
pub const MAGIC: [u8; 8] = *b"FNDLENC\0";
/// The version that this crate writes, and the only one it reads.
pub const FORMAT_VERSION: u32 = 1;

const FIXED_LEN: usize = 40;
/// Maximum memory for decoding the head.
const HEAD_LIMIT: usize = 64 << 20;

#[derive(Encode, Decode)]
struct Head {
    card: EncoderCard,
    architecture: Architecture,
    /// clean_text, handle_chinese_chars, lowercase.
    flags: [bool; 3],
    strip_accents: Option<bool>,
    vocabulary: Vec<String>,
}

fn encode(value: impl Encode) -> Vec<u8> {
    // Writing plain data to a Vec cannot fail.
    bincode::encode_to_vec(value, config::standard()).unwrap_or_default()
}

/// Returns the length of a file, as its first bytes state it; `None` if there are too few bytes
/// yet.
pub(super) fn announced(bytes: &[u8]) -> Result<Option<u64>, Error> {
    let known = bytes.len().min(MAGIC.len());
    if bytes[..known] != MAGIC[..known] {
        return Err(Error::Artefact(
            "expected the output of `findling models prepare`, found other bytes".into(),
        ));
    }
    let Some((fixed, _)) = bytes.split_first_chunk::<FIXED_LEN>() else { return Ok(None) };
    let u32_at =
        |at: usize| u32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
    let version = u32_at(8);
    if version != FORMAT_VERSION {
        return Err(Error::Artefact(format!(
            "expected format version {FORMAT_VERSION}, found {version}; build the bundle again \
             with the version of findling that serves it"
        )));
    }
    let payload = u64::from(u32_at(16)) | u64::from(u32_at(20)) << 32;
    let length = payload.checked_add(FIXED_LEN as u64 + u64::from(u32_at(12)));
    length.map(Some).ok_or_else(|| {
        Error::Artefact("its stated length does not fit 64 bits; download it again".into())
    })
}

/// Reads the card from the first bytes of a file. The length that the file states must be at most
/// `most`.
#[cfg(feature = "import")]
pub(super) fn card_of_beginning(bytes: &[u8], most: u64) -> Result<EncoderCard, Error> {
    let bad = |why: String| Error::Artefact(why);
    let Some(length) = announced(bytes)? else {
        return Err(bad(format!("it ends after {} bytes; download it again", bytes.len())));
    };
    if length > most {
        return Err(bad(format!(
            "expected at most {most} bytes, found {length}; use a smaller model"
        )));
    }
    let config = config::standard().with_limit::<HEAD_LIMIT>();
    let decoded = bincode::decode_from_slice::<EncoderCard, _>(&bytes[FIXED_LEN..], config);
    decoded.map(|(card, _)| card).map_err(|error| bad(format!("its head is malformed: {error}")))
}

/// Returns the head, without the storage of tensors.
pub(super) fn head_bytes(
    card: &EncoderCard,
    architecture: &Architecture,
    normaliser: Normaliser,
    vocabulary: &[String],
) -> Vec<u8> {
    encode(Head {
        card: card.clone(),
        architecture: architecture.clone(),
        flags: [normaliser.clean_text, normaliser.handle_chinese_chars, normaliser.lowercase],
        strip_accents: normaliser.strip_accents,
        vocabulary: vocabulary.to_vec(),
    })
}

impl Artefact {
    /// Writes the file. The same artefact gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut head =
            head_bytes(&self.card, &self.architecture, self.normaliser, &self.vocabulary);
        head.extend(encode(self.entries.iter().map(|entry| entry.storage).collect::<Vec<_>>()));
        let payload_len: usize = self.entries.iter().map(|entry| entry.end - entry.start).sum();
        let mut bytes = Vec::with_capacity(FIXED_LEN + head.len() + payload_len);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&(head.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&(payload_len as u64).to_le_bytes());
        bytes.extend_from_slice(&[0; 16]);
        bytes.extend_from_slice(&head);
        for (_, tensor) in self.tensors() {
            bytes.extend_from_slice(tensor.stored());
        }
        let checksum = checksum(&bytes[FIXED_LEN..]);
        bytes[24..FIXED_LEN].copy_from_slice(&checksum);
        bytes
    }

    /// Reads what [`Artefact::to_bytes`] wrote. The buffer becomes the payload, so that there are
    /// never two copies of the weights.
    ///
    /// # Errors
    ///
    /// [`Error::Artefact`] for another magic or version, a length or checksum that does not match,
    /// and numbers out of range.
    pub fn from_bytes(mut bytes: Vec<u8>) -> Result<Self, Error> {
        let bad = |why: String| Err(Error::Artefact(why));
        let Some(length) = announced(&bytes)? else {
            return bad(format!("it ends after {} bytes; download it again", bytes.len()));
        };
        if length != bytes.len() as u64 {
            return bad(format!(
                "expected {length} bytes, found {}; download it again",
                bytes.len()
            ));
        }
        let head_len = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
        let payload_len = length - FIXED_LEN as u64 - head_len as u64;
        if checksum(&bytes[FIXED_LEN..])[..] != bytes[24..FIXED_LEN] {
            return bad("its checksum does not match; download it again".into());
        }
        let config = config::standard().with_limit::<HEAD_LIMIT>();
        let head = &bytes[FIXED_LEN..FIXED_LEN + head_len];
        let malformed =
            |e: bincode::error::DecodeError| Error::Artefact(format!("its head is malformed: {e}"));
        let (fields, used) =
            bincode::decode_from_slice::<Head, _>(head, config).map_err(malformed)?;
        let (storages, rest) = bincode::decode_from_slice::<Vec<Storage>, _>(&head[used..], config)
            .map_err(malformed)?;
        if used + rest != head_len {
            return bad(format!("its head has {} bytes after its end", head_len - used - rest));
        }
        fields.architecture.check(fields.vocabulary.len())?;
        let Head { card, architecture, flags, strip_accents, vocabulary } = fields;
        architecture.check_card(&card)?;
        let specs = architecture.tensors(vocabulary.len());
        if specs.len() != storages.len() {
            return bad(format!(
                "expected {} tensors as in the architecture, found {}",
                specs.len(),
                storages.len()
            ));
        }
        let mut entries = Vec::with_capacity(specs.len());
        let mut start = 0usize;
        for (spec, storage) in specs.into_iter().zip(storages) {
            let end = storage.bytes(&spec).and_then(|len| start.checked_add(len));
            let Some(end) = end.filter(|&end| end as u64 <= payload_len) else {
                return bad(format!("its tensors end before `{}`", spec.name));
            };
            entries.push(Entry { spec, storage, start, end });
            start = end;
        }
        if start as u64 != payload_len {
            return bad(format!("{} bytes follow its last tensor", payload_len - start as u64));
        }
        bytes.drain(..FIXED_LEN + head_len);
        let normaliser = Normaliser {
            clean_text: flags[0],
            handle_chinese_chars: flags[1],
            strip_accents,
            lowercase: flags[2],
        };
        Ok(Self { card, architecture, normaliser, vocabulary, entries, payload: bytes })
    }
}

fn checksum(bytes: &[u8]) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    half
}
