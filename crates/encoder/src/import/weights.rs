//! The weights of a published model, `model.safetensors`.
//!
//! Weights in single precision stay where they are: the file in memory becomes the payload of the
//! artefact. Half precision is converted, tensor by tensor. The table of words is half of a small
//! model, and a query needs a few of its rows: it can be left in the file ([`WordRows`]).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;

use findling_text::wordpiece::Normaliser;
use half::{bf16, f16};
use safetensors::tensor::{Metadata, TensorInfo};
use safetensors::{Dtype, SafeTensors};

use super::file_error;
use crate::artefact::{Architecture, Artefact, TensorSpec, names};
use crate::{EncoderCard, Error};

/// The bytes that one core reads or checks at a time, whole numbers of f32.
const CHUNK: usize = 4 << 20;

/// BERT's tables of positions and of token types.
const POSITIONS: &str = "embeddings.position_embeddings.weight";
const TOKEN_TYPES: &str = "embeddings.token_type_embeddings.weight";

/// BERT's name of the table of words.
const WORDS: &str = "embeddings.word_embeddings.weight";

/// Largest length of the header of a file of weights.
const MAX_HEADER: u64 = 16 << 20;

/// A file of weights in memory.
pub(super) struct Weights {
    bytes: Vec<u8>,
    metadata: Metadata,
    /// The beginning of the tensors.
    data: usize,
    /// The bytes of the file that were not read, as a range of the file.
    left_out: Range<usize>,
}

impl Weights {
    /// Reads `model.safetensors` in `dir`.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if it cannot be read, [`Error::Import`] if it has another format.
    pub fn read(dir: &Path) -> Result<Self, Error> {
        let path = dir.join("model.safetensors");
        let bytes = read_file(&path).map_err(|e| file_error(&path, &e))?;
        let (header, metadata) = SafeTensors::read_metadata(&bytes).map_err(|e| {
            Error::Import(format!("{}: expected a safetensors file: {e}", path.display()))
        })?;
        // The length of the header comes first.
        Ok(Self { bytes, metadata, data: size_of::<u64>() + header, left_out: 0..0 })
    }

    /// Reads `model.safetensors` in `dir` without the table of words. `None` if the table is not
    /// in single precision.
    ///
    /// # Errors
    ///
    /// The errors of [`Weights::read`].
    pub fn read_without_words(dir: &Path) -> Result<Option<(Self, WordRows)>, Error> {
        let path = dir.join("model.safetensors");
        let failed = |e| file_error(&path, &e);
        let wrong = |e: String| {
            Error::Import(format!("{}: expected a safetensors file: {e}", path.display()))
        };
        let mut file = File::open(&path).map_err(failed)?;
        let len = file.metadata().map_err(failed)?.len();
        let mut header_len = [0; size_of::<u64>()];
        file.read_exact(&mut header_len).map_err(failed)?;
        let header_len = u64::from_le_bytes(header_len);
        if header_len > MAX_HEADER.min(len) {
            return Err(wrong(format!("its header has {header_len} bytes")));
        }
        let mut header = vec![0; header_len as usize];
        file.read_exact(&mut header).map_err(failed)?;
        let metadata: Metadata =
            serde_json::from_slice(&header).map_err(|e| wrong(e.to_string()))?;
        let data = size_of::<u64>() + header.len();
        if (data + metadata.data_len()) as u64 != len {
            return Err(wrong(format!(
                "{} bytes of tensors are missing or too many",
                (data + metadata.data_len()) as i128 - i128::from(len)
            )));
        }
        let mut weights = Self { bytes: Vec::new(), metadata, data, left_out: 0..0 };
        let Some(words) = weights.find(WORDS) else { return Ok(None) };
        let (Dtype::F32, &[rows, cols]) = (words.dtype, &words.shape[..]) else { return Ok(None) };
        weights.left_out = weights.place(words);
        let words = weights.left_out.clone();
        let mut bytes = vec![0; len as usize - words.len()];
        let (before, behind) = bytes.split_at_mut(words.start);
        read_into(&path, 0, before).map_err(failed)?;
        read_into(&path, words.end as u64, behind).map_err(failed)?;
        weights.bytes = bytes;
        let rows = WordRows { file: Mutex::new(file), start: words.start as u64, rows, cols };
        Ok(Some((weights, rows)))
    }

    /// Makes an artefact of the weights.
    ///
    /// # Errors
    ///
    /// [`Error::Tensor`] for a tensor that is missing or has another shape, [`Error::Import`] for
    /// values that are not finite or of another type, [`Error::Artefact`] if the architecture
    /// cannot be run.
    pub fn into_artefact(
        mut self,
        card: EncoderCard,
        architecture: Architecture,
        normaliser: Normaliser,
        vocabulary: Vec<String>,
    ) -> Result<Artefact, Error> {
        architecture.check(vocabulary.len())?;
        let specs = architecture.tensors(vocabulary.len());
        let Some(places) = self.places(&specs)? else {
            let values = |spec: &TensorSpec| self.values(spec);
            return Artefact::new(card, architecture, normaliser, vocabulary, values);
        };
        self.finish(&specs, &places)?;
        Artefact::of_payload(card, architecture, normaliser, vocabulary, self.bytes, places)
    }

    /// Makes an artefact without the table of words. `None` if a tensor is not in single
    /// precision.
    ///
    /// # Errors
    ///
    /// The errors of [`Weights::into_artefact`].
    pub fn into_layers(
        mut self,
        card: EncoderCard,
        architecture: Architecture,
        normaliser: Normaliser,
        vocabulary: Vec<String>,
    ) -> Result<Option<Artefact>, Error> {
        architecture.check(vocabulary.len())?;
        let mut specs = architecture.tensors(vocabulary.len());
        specs.retain(|spec| spec.name != names::WORDS);
        let Some(places) = self.places(&specs)? else { return Ok(None) };
        self.finish(&specs, &places)?;
        Artefact::of_layers(card, architecture, normaliser, vocabulary, self.bytes, places)
            .map(Some)
    }

    /// Returns the places of the tensors in memory. `None` if one is not in single precision.
    fn places(&self, specs: &[TensorSpec]) -> Result<Option<Vec<Range<usize>>>, Error> {
        let mut places = Vec::with_capacity(specs.len());
        let mut single = true;
        for spec in specs {
            let info = self.info(&bert_name(&spec.name), &shape(spec))?;
            single &= info.dtype == Dtype::F32;
            places.push(self.place(info));
        }
        Ok(single.then_some(places))
    }

    /// Adds the vector of the first token type to the positions, and checks all values.
    fn finish(&mut self, specs: &[TensorSpec], places: &[Range<usize>]) -> Result<(), Error> {
        if let Some(at) = specs.iter().position(|spec| spec.name == names::POSITIONS)
            && let Some(first) = self.first_token_type(specs[at].cols)?
        {
            for row in self.bytes[places[at].clone()].chunks_exact_mut(4 * first.len()) {
                for (value, kind) in row.as_chunks_mut().0.iter_mut().zip(&first) {
                    *value = (f32::from_le_bytes(*value) + kind).to_le_bytes();
                }
            }
        }
        if !are_finite(places.iter().map(|place| &self.bytes[place.clone()])) {
            for (spec, place) in specs.iter().zip(places) {
                check_finite(&bert_name(&spec.name), &f32s(&self.bytes[place.clone()]))?;
            }
        }
        Ok(())
    }

    /// Returns the values of one of the artefact's tensors, from BERT's.
    fn values(&self, spec: &TensorSpec) -> Result<Vec<f32>, Error> {
        let mut values = self.decode(&bert_name(&spec.name), &shape(spec))?;
        if spec.name == names::POSITIONS
            && let Some(first) = self.first_token_type(spec.cols)?
        {
            for row in values.chunks_exact_mut(spec.cols) {
                row.iter_mut().zip(&first).for_each(|(position, kind)| *position += kind);
            }
        }
        Ok(values)
    }

    /// Returns the vector of the first token type, which is added to every position's: all tokens
    /// have this type. `None` in models without types.
    fn first_token_type(&self, cols: usize) -> Result<Option<Vec<f32>>, Error> {
        let Some(info) = self.find(TOKEN_TYPES) else { return Ok(None) };
        let types = info.shape.first().copied().unwrap_or(1).max(1);
        let mut first = self.decode(TOKEN_TYPES, &[types, cols])?;
        first.truncate(cols);
        Ok(Some(first))
    }

    fn find(&self, name: &str) -> Option<&TensorInfo> {
        // Some files contain all of BERT, others its encoder only. The oldest files call the
        // parameters of norms gamma and beta.
        let old = name
            .replace("LayerNorm.weight", "LayerNorm.gamma")
            .replace("LayerNorm.bias", "LayerNorm.beta");
        [name.to_string(), format!("bert.{name}"), old.clone(), format!("bert.{old}")]
            .into_iter()
            .find_map(|name| self.metadata.info(&name))
    }

    fn info(&self, name: &str, expected: &[usize]) -> Result<&TensorInfo, Error> {
        let wrong = |found| Error::Tensor { name: name.into(), expected: expected.to_vec(), found };
        let info = self.find(name).ok_or_else(|| wrong(None))?;
        if info.shape != expected {
            return Err(wrong(Some(info.shape.clone())));
        }
        Ok(info)
    }

    /// Returns the bytes in memory that are a tensor's. The metadata was compared with the file's
    /// length.
    fn place(&self, info: &TensorInfo) -> Range<usize> {
        let (start, end) = info.data_offsets;
        let skipped = match self.data + start >= self.left_out.end {
            true => self.left_out.len(),
            false => 0,
        };
        self.data + start - skipped..self.data + end - skipped
    }

    /// Returns the values of a tensor of the file.
    fn decode(&self, name: &str, expected: &[usize]) -> Result<Vec<f32>, Error> {
        let info = self.info(name, expected)?;
        let bytes = &self.bytes[self.place(info)];
        let halves = || bytes.as_chunks::<2>().0.iter();
        let values: Vec<f32> = match info.dtype {
            Dtype::F32 => f32s(bytes),
            Dtype::F16 => halves().map(|&half| f16::from_le_bytes(half).to_f32()).collect(),
            Dtype::BF16 => halves().map(|&half| bf16::from_le_bytes(half).to_f32()).collect(),
            other => {
                return Err(Error::Import(format!(
                    "tensor `{name}`: expected F32, F16 or BF16, found {other:?}; take the \
                     unquantised weights"
                )));
            }
        };
        check_finite(name, &values)?;
        Ok(values)
    }
}

/// The table of words, of which rows are read when they are needed.
#[derive(Debug)]
pub(crate) struct WordRows {
    file: Mutex<File>,
    start: u64,
    rows: usize,
    cols: usize,
}

impl WordRows {
    /// Adds a row to `sum`.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if it cannot be read, [`Error::Import`] if it is not finite.
    pub fn add_row(&self, row: usize, sum: &mut [f32]) -> Result<(), Error> {
        let mut bytes = vec![0; 4 * self.cols];
        let mut read = || -> io::Result<()> {
            if row >= self.rows {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let mut file = self.file.lock().map_err(|_| io::Error::other("a reader failed"))?;
            file.seek(SeekFrom::Start(self.start + (row * bytes.len()) as u64))?;
            file.read_exact(&mut bytes)
        };
        read().map_err(|e| file_error(Path::new("model.safetensors"), &e))?;
        let values = f32s(&bytes);
        check_finite(WORDS, &values)?;
        sum.iter_mut().zip(&values).for_each(|(sum, value)| *sum += value);
        Ok(())
    }
}

/// Returns the bytes of a file.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let len = usize::try_from(std::fs::metadata(path)?.len()).map_err(io::Error::other)?;
    let mut bytes = vec![0; len];
    read_into(path, 0, &mut bytes)?;
    Ok(bytes)
}

/// Reads bytes of a file from `start`, on all cores with feature `parallel`: a core takes longer to
/// copy them into fresh memory than to hash them.
fn read_into(path: &Path, start: u64, bytes: &mut [u8]) -> io::Result<()> {
    let fill = |(number, chunk): (usize, &mut [u8])| {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(start + (number * CHUNK) as u64))?;
        file.read_exact(chunk)
    };
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        bytes.par_chunks_mut(CHUNK).enumerate().try_for_each(fill)
    }
    #[cfg(not(feature = "parallel"))]
    bytes.chunks_mut(CHUNK).enumerate().try_for_each(fill)
}

/// Returns whether all tensors consist of finite f32, on all cores with feature `parallel`.
fn are_finite<'a>(tensors: impl Iterator<Item = &'a [u8]>) -> bool {
    let chunks: Vec<&[u8]> = tensors.flat_map(|bytes| bytes.chunks(CHUNK)).collect();
    // The exponent of an infinity or a NaN is all ones. Every value is looked at: a loop without
    // an exit is vectorised.
    let are_finite = |chunk: &&[u8]| {
        const EXPONENT: u32 = 0x7f80_0000;
        let exponents = chunk.as_chunks().0.iter().map(|&v| u32::from_le_bytes(v) & EXPONENT);
        !exponents.fold(false, |found, exponent| found | (exponent == EXPONENT))
    };
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        chunks.par_iter().all(are_finite)
    }
    #[cfg(not(feature = "parallel"))]
    chunks.iter().all(are_finite)
}

fn check_finite(name: &str, values: &[f32]) -> Result<(), Error> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(at) => Err(Error::Import(format!(
            "tensor `{name}`: expected finite values, found another at {at}; download it again"
        ))),
        None => Ok(()),
    }
}

fn f32s(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&value| f32::from_le_bytes(value)).collect()
}

/// Returns the shape of one of the artefact's tensors in the file.
fn shape(spec: &TensorSpec) -> Vec<usize> {
    if spec.is_vector() { vec![spec.cols] } else { vec![spec.rows, spec.cols] }
}

/// Returns BERT's name of one of the artefact's tensors.
fn bert_name(name: &str) -> String {
    if name == names::WORDS {
        return WORDS.into();
    }
    if name == names::POSITIONS {
        return POSITIONS.into();
    }
    let Some((layer, part, kind)) = name.strip_prefix("layer.").and_then(|rest| {
        let (layer, rest) = rest.split_once('.')?;
        let (part, kind) = rest.split_once('.')?;
        Some((layer, part, kind))
    }) else {
        return format!("embeddings.LayerNorm.{}", name.rsplit('.').next().unwrap_or_default());
    };
    let part = match part {
        names::QUERY => "attention.self.query",
        names::KEY => "attention.self.key",
        names::VALUE => "attention.self.value",
        names::ATTENTION => "attention.output.dense",
        names::ATTENTION_NORM => "attention.output.LayerNorm",
        names::UP => "intermediate.dense",
        names::DOWN => "output.dense",
        _ => "output.LayerNorm",
    };
    format!("encoder.layer.{layer}.{part}.{kind}")
}
