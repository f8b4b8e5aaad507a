//! The artefact's bytes.
//!
//! | bytes | what |
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
/// The version this crate writes, and the only one it reads.
pub const FORMAT_VERSION: u32 = 1;

const FIXED_LEN: usize = 40;
/// Most memory the head may ask for while it is decoded.
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
    // Writing plain data to a Vec has no way to fail.
    bincode::encode_to_vec(value, config::standard()).unwrap_or_default()
}

/// How long an artefact says it is; `None` as long as too few of its bytes are there to know.
pub(super) fn announced(bytes: &[u8]) -> Result<Option<u64>, Error> {
    let known = bytes.len().min(MAGIC.len());
    if bytes[..known] != MAGIC[..known] {
        return Err(Error::Artefact(
            "it does not begin as one; expected the output of `findling models prepare`".into(),
        ));
    }
    let Some((fixed, _)) = bytes.split_first_chunk::<FIXED_LEN>() else { return Ok(None) };
    let u32_at =
        |at: usize| u32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
    let version = u32_at(8);
    if version != FORMAT_VERSION {
        return Err(Error::Artefact(format!(
            "it has format version {version}, this reader knows {FORMAT_VERSION}; rebuild the bundle with the version \
             of findling that serves it"
        )));
    }
    let payload = u64::from(u32_at(16)) | u64::from(u32_at(20)) << 32;
    let length = payload.checked_add(FIXED_LEN as u64 + u64::from(u32_at(12)));
    length
        .map(Some)
        .ok_or_else(|| Error::Artefact("it announces more bytes than there can be".into()))
}

/// What the head says apart from how tensors are stored.
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
    /// The artefact as bytes. The same artefact gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut head =
            head_bytes(&self.card, &self.architecture, self.normaliser, &self.vocabulary);
        head.extend(encode(self.entries.iter().map(|entry| entry.storage).collect::<Vec<_>>()));
        let mut bytes = Vec::with_capacity(FIXED_LEN + head.len() + self.payload.len());
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&(head.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&(self.payload.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&[0; 16]);
        bytes.extend_from_slice(&head);
        bytes.extend_from_slice(&self.payload);
        let checksum = checksum(&bytes[FIXED_LEN..]);
        bytes[24..FIXED_LEN].copy_from_slice(&checksum);
        bytes
    }

    /// Reads what [`Artefact::to_bytes`] wrote. The buffer is taken over and becomes the payload:
    /// at no time are there two copies of the weights.
    ///
    /// # Errors
    ///
    /// [`Error::Artefact`] for anything else: other magic, another version, a length or checksum
    /// that does not match, numbers out of range.
    pub fn from_bytes(mut bytes: Vec<u8>) -> Result<Self, Error> {
        let bad = |why: String| Err(Error::Artefact(why));
        let Some(length) = announced(&bytes)? else {
            return bad(format!("it ends after {} bytes; the download is incomplete", bytes.len()));
        };
        if length != bytes.len() as u64 {
            return bad(format!(
                "it announces {length} bytes, {} were found; the download is incomplete",
                bytes.len()
            ));
        }
        let head_len = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
        let payload_len = length - FIXED_LEN as u64 - head_len as u64;
        if checksum(&bytes[FIXED_LEN..])[..] != bytes[24..FIXED_LEN] {
            return bad("its checksum does not match; the download is damaged".into());
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
                "it has {} tensors, its architecture {}",
                storages.len(),
                specs.len()
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
