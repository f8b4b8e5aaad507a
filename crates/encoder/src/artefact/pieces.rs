//! An artefact as it travels: compressed, and read piece by piece as it arrives.
//!
//! What travels is the bytes of [`Artefact::to_bytes`] in the zlib format (RFC 1950), without
//! matches: quantised weights repeat nothing, and coding each byte by how often it occurs is within
//! a hundredth of their entropy, where searching for matches makes them a tenth larger. Browsers,
//! Workers and Node inflate that themselves (`DecompressionStream`, "deflate") while it arrives, so
//! the module needs no code for it and nothing is held twice.

use super::format::announced;
use super::{Artefact, Error};

/// What is reserved at once for what a file says of its length; beyond, memory grows as bytes
/// arrive.
const RESERVED: usize = 64 << 20;

/// Collects the bytes of an artefact.
#[derive(Debug, Default)]
pub struct Pieces {
    bytes: Vec<u8>,
    announced: Option<u64>,
}

impl Pieces {
    /// Takes the next bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Artefact`] as soon as it is clear that no artefact will come of them: another magic
    /// or version, more bytes than were announced, or no memory for them.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), Error> {
        let no_memory = |_| Error::Artefact("there is not enough memory for it".into());
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
                "it announces {length} bytes, but has more; the download is damaged"
            ))),
            _ => Ok(()),
        }
    }

    /// The artefact.
    ///
    /// # Errors
    ///
    /// As [`Artefact::from_bytes`].
    pub fn finish(self) -> Result<Artefact, Error> {
        Artefact::from_bytes(self.bytes)
    }
}

#[cfg(feature = "import")]
impl Artefact {
    /// The artefact as it travels.
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

    /// Reads what [`Artefact::to_packed_bytes`] wrote, and what [`Artefact::to_bytes`] did.
    ///
    /// # Errors
    ///
    /// As [`Artefact::from_bytes`]; and where the bytes do not inflate to what they announce.
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
