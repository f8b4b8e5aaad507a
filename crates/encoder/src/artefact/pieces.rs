//! A compressed model file, read piece by piece while it is downloaded.
//!
//! The bytes of [`Artefact::to_bytes`] are compressed in the zlib format (RFC 1950), with Huffman
//! codes but without matches. Quantised weights have no repetitions: Huffman codes come within a
//! hundredth of their entropy, and searching for matches makes them a tenth larger. Browsers,
//! Workers and Node inflate this format during the download (`DecompressionStream`, "deflate"). So
//! the module needs no code for it, and nothing is in memory twice.

use super::format::announced;
#[cfg(feature = "import")]
use super::format::card_of_beginning;
use super::{Artefact, Error};

/// Maximum memory that is reserved for a stated length. Beyond it, memory grows as bytes arrive.
const RESERVED: usize = 64 << 20;

/// Maximum number of bytes of a file that are inflated for its card.
#[cfg(feature = "import")]
const BEGINNING: usize = 64 << 10;

/// Collects the bytes of a model file.
#[derive(Debug, Default)]
pub struct Pieces {
    bytes: Vec<u8>,
    announced: Option<u64>,
}

impl Pieces {
    /// Adds the next bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Artefact`] as early as possible: for another magic or version, for more bytes than
    /// stated, and if there is not enough memory.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), Error> {
        let no_memory =
            |_| Error::Artefact("there is not enough memory for it; use a smaller model".into());
        self.bytes.try_reserve(piece.len()).map_err(no_memory)?;
        self.bytes.extend_from_slice(piece);
        if self.announced.is_none()
            && let Some(length) = announced(&self.bytes)?
        {
            self.announced = Some(length);
            let reserved = usize::try_from(length).unwrap_or(RESERVED).min(RESERVED);
            self.bytes
                .try_reserve_exact(reserved.saturating_sub(self.bytes.len()))
                .map_err(no_memory)?;
        }
        match self.announced {
            Some(length) if self.bytes.len() as u64 > length => Err(Error::Artefact(format!(
                "expected {length} bytes, found more; download it again"
            ))),
            _ => Ok(()),
        }
    }

    /// Returns the artefact.
    ///
    /// # Errors
    ///
    /// The errors of [`Artefact::from_bytes`].
    pub fn finish(self) -> Result<Artefact, Error> {
        Artefact::from_bytes(self.bytes)
    }
}

#[cfg(feature = "import")]
impl Artefact {
    /// Writes the compressed file.
    pub fn to_packed_bytes(&self) -> Vec<u8> {
        use miniz_oxide::DataFormat;
        use miniz_oxide::deflate::core::{
            CompressionStrategy, CompressorOxide, TDEFLFlush, compress_to_output,
        };

        let mut compressor =
            CompressorOxide::with_params(DataFormat::Zlib, 9, CompressionStrategy::HuffmanOnly, 15);
        let mut packed = Vec::new();
        compress_to_output(&mut compressor, &self.to_bytes(), TDEFLFlush::Finish, |piece| {
            packed.extend_from_slice(piece);
            true
        });
        packed
    }

    /// Reads the card from the first bytes of what [`Artefact::to_packed_bytes`] or
    /// [`Artefact::to_bytes`] wrote, so that a host can refuse the rest before it is fetched.
    ///
    /// # Errors
    ///
    /// [`Error::Artefact`] for another format, and if the file states more than `most` bytes.
    pub fn card_of_beginning(bytes: &[u8], most: u64) -> Result<crate::EncoderCard, Error> {
        use miniz_oxide::inflate::stream::{InflateState, inflate};
        use miniz_oxide::{DataFormat, MZFlush};

        if bytes.starts_with(&super::MAGIC) {
            return card_of_beginning(bytes, most);
        }
        let mut state = InflateState::new_boxed(DataFormat::Zlib);
        let mut raw = vec![0; BEGINNING];
        let step = inflate(&mut state, bytes, &mut raw, MZFlush::None);
        card_of_beginning(&raw[..step.bytes_written], most)
    }

    /// Reads what [`Artefact::to_packed_bytes`] or [`Artefact::to_bytes`] wrote.
    ///
    /// # Errors
    ///
    /// The errors of [`Artefact::from_bytes`]; also if the bytes do not inflate to the stated
    /// length.
    pub fn from_packed_bytes(bytes: Vec<u8>) -> Result<Self, Error> {
        use miniz_oxide::inflate::stream::{InflateState, inflate};
        use miniz_oxide::{DataFormat, MZFlush, MZStatus};

        if bytes.starts_with(&super::MAGIC) {
            return Self::from_bytes(bytes);
        }
        let mut state = InflateState::new_boxed(DataFormat::Zlib);
        let (mut pieces, mut rest, mut room) = (Pieces::default(), &bytes[..], vec![0; 1 << 16]);
        loop {
            let step = inflate(&mut state, rest, &mut room, MZFlush::None);
            pieces.push(&room[..step.bytes_written])?;
            rest = &rest[step.bytes_consumed..];
            match step.status {
                Ok(MZStatus::StreamEnd) if rest.is_empty() => return pieces.finish(),
                Ok(MZStatus::Ok) if step.bytes_written + step.bytes_consumed > 0 => {}
                Ok(MZStatus::StreamEnd) => {
                    return Err(Error::Artefact(format!("{} bytes follow its end", rest.len())));
                }
                _ => {
                    return Err(Error::Artefact(
                        "it does not inflate; expected the output of `findling models prepare`"
                            .into(),
                    ));
                }
            }
        }
    }
}
