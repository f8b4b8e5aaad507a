//! The model file: card, architecture, tokenizer and weights of a sentence encoder.
//!
//! `transformer` runs an [`Artefact`], in a browser and on a build machine. `import` makes it from
//! a published model; [`Artefact::quantised`] makes it smaller; [`Artefact::to_bytes`] writes it.
//! The [`Architecture`] alone determines which tensors there are, and their shapes
//! ([`Architecture::tensors`]). So the file has no names and cannot contradict itself.
//!
//! # Size
//!
//! all-MiniLM-L6-v2 (30,522 tokens, 6 layers of 384) is 91 MB in [`Storage::F32`] and 23 MB in
//! [`Storage::Int8`]. In memory an artefact is as large as its file. For a reader's device it is
//! rounded ([`Artefact::for_queries`]) and compressed ([`Artefact::to_packed_bytes`], [`Pieces`]):
//! 15 MB, and less with the words of one site alone (`Artefact::pruned`).

mod architecture;
mod format;
mod pieces;
#[cfg(feature = "import")]
mod pruned;
mod tensor;

#[cfg(feature = "import")]
pub(crate) use architecture::MAX_VOCABULARY;
pub use architecture::{Activation, Architecture, Pooling, TensorSpec, names};
pub use format::{FORMAT_VERSION, MAGIC};
pub use pieces::Pieces;
pub use tensor::{Bits, Storage, Tensor};

use findling_text::wordpiece::Normaliser;

use crate::{EncoderCard, Error};

/// A sentence encoder, with everything that determines its vectors.
///
/// Two artefacts are equal if their tensors are equal, regardless of the tensors' places in memory.
#[derive(Clone, Debug)]
pub struct Artefact {
    card: EncoderCard,
    architecture: Architecture,
    normaliser: Normaliser,
    vocabulary: Vec<String>,
    /// The entry of each of the architecture's tensors, in its order.
    entries: Vec<Entry>,
    /// The bytes of all tensors, little-endian. Other bytes may lie between them: the payload of a
    /// published model is its file.
    payload: Vec<u8>,
}

/// The place of a tensor in the payload.
#[derive(Clone, Debug)]
struct Entry {
    spec: TensorSpec,
    storage: Storage,
    start: usize,
    end: usize,
}

impl Artefact {
    /// Makes an artefact. `weights` returns the values of each tensor of the architecture, row by
    /// row.
    ///
    /// Computes the card's fingerprint from the given weights, the vocabulary, the architecture,
    /// the length limit and the prefixes.
    ///
    /// # Errors
    ///
    /// The errors of `weights`; [`Error::Tensor`] if it returns another number of values than the
    /// shape has; [`Error::Artefact`] if the architecture cannot be run.
    pub fn new(
        mut card: EncoderCard,
        architecture: Architecture,
        normaliser: Normaliser,
        vocabulary: Vec<String>,
        mut weights: impl FnMut(&TensorSpec) -> Result<Vec<f32>, Error>,
    ) -> Result<Self, Error> {
        let specs = specs(&mut card, &architecture, &vocabulary)?;
        let mut entries = Vec::with_capacity(specs.len());
        let mut payload = Vec::new();
        for spec in specs {
            let values = weights(&spec)?;
            if values.len() != spec.len() {
                return Err(Error::Tensor {
                    name: spec.name,
                    expected: vec![spec.rows, spec.cols],
                    found: Some(vec![values.len()]),
                });
            }
            let start = payload.len();
            tensor::store(&values, &spec, Storage::F32, &mut payload);
            entries.push(Entry { spec, storage: Storage::F32, start, end: payload.len() });
        }
        let artefact = Self { card, architecture, normaliser, vocabulary, entries, payload };
        Ok(artefact.with_fingerprint())
    }

    /// Makes an artefact of tensors that lie in `payload` already, in [`Storage::F32`]. `places`
    /// are their ranges, in the architecture's order.
    ///
    /// # Errors
    ///
    /// [`Error::Artefact`] if the architecture cannot be run, or a range is not a tensor's.
    #[cfg(feature = "import")]
    pub(crate) fn of_payload(
        mut card: EncoderCard,
        architecture: Architecture,
        normaliser: Normaliser,
        vocabulary: Vec<String>,
        payload: Vec<u8>,
        places: Vec<std::ops::Range<usize>>,
    ) -> Result<Self, Error> {
        let specs = specs(&mut card, &architecture, &vocabulary)?;
        let artefact =
            Self::at_places(card, architecture, normaliser, vocabulary, payload, specs, places)?;
        Ok(artefact.with_fingerprint())
    }

    /// Creates an artefact as [`Artefact::of_payload`] does, without the table of words. The card
    /// has the fingerprint of the whole model already.
    #[cfg(feature = "import")]
    pub(crate) fn of_layers(
        mut card: EncoderCard,
        architecture: Architecture,
        normaliser: Normaliser,
        vocabulary: Vec<String>,
        payload: Vec<u8>,
        places: Vec<std::ops::Range<usize>>,
    ) -> Result<Self, Error> {
        let mut specs = specs(&mut card, &architecture, &vocabulary)?;
        specs.retain(|spec| spec.name != names::WORDS);
        Self::at_places(card, architecture, normaliser, vocabulary, payload, specs, places)
    }

    #[cfg(feature = "import")]
    fn at_places(
        card: EncoderCard,
        architecture: Architecture,
        normaliser: Normaliser,
        vocabulary: Vec<String>,
        payload: Vec<u8>,
        specs: Vec<TensorSpec>,
        places: Vec<std::ops::Range<usize>>,
    ) -> Result<Self, Error> {
        let is_of = |(spec, place): (&TensorSpec, &std::ops::Range<usize>)| {
            payload.get(place.clone()).map(<[u8]>::len) == Storage::F32.bytes(spec)
        };
        if specs.len() != places.len() || !specs.iter().zip(&places).all(is_of) {
            return Err(Error::Artefact("expected one range of bytes for each tensor".into()));
        }
        let entry = |(spec, place): (_, std::ops::Range<usize>)| Entry {
            spec,
            storage: Storage::F32,
            start: place.start,
            end: place.end,
        };
        let entries = specs.into_iter().zip(places).map(entry).collect();
        Ok(Self { card, architecture, normaliser, vocabulary, entries, payload })
    }

    /// Returns the identity of its space. A quantised artefact has the card of its model: it
    /// approximates the same space.
    pub fn card(&self) -> &EncoderCard {
        &self.card
    }

    /// Returns the shape.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Returns how the tokenizer normalises text.
    pub fn normaliser(&self) -> Normaliser {
        self.normaliser
    }

    /// Returns the tokens, by id.
    pub fn vocabulary(&self) -> &[String] {
        &self.vocabulary
    }

    /// Returns a tensor by name ([`names`]); `None` if the architecture has no such tensor.
    pub fn tensor(&self, name: &str) -> Option<Tensor<'_>> {
        self.entries.iter().find(|entry| entry.spec.name == name).map(|entry| self.at(entry))
    }

    /// Returns all tensors, in the architecture's order.
    pub fn tensors(&self) -> impl Iterator<Item = (&TensorSpec, Tensor<'_>)> {
        self.entries.iter().map(|entry| (&entry.spec, self.at(entry)))
    }

    fn at(&self, entry: &Entry) -> Tensor<'_> {
        Tensor::new(&entry.spec, entry.storage, &self.payload[entry.start..entry.end])
    }

    /// Returns the same model with its matrices stored as `storage`. Biases and norms stay f32:
    /// they are a thousandth of the bytes. Vocabulary and card do not change.
    pub fn quantised(&self, storage: Storage) -> Self {
        self.stored(|spec, values, payload| {
            let kept = if spec.is_vector() { Storage::F32 } else { storage };
            tensor::store(values, spec, kept, payload);
            kept
        })
    }

    /// Returns the same model for queries, small enough to download: its table of words and its
    /// matrices as [`Storage::Int8`] with steps for so many bits, and only the positions that it
    /// reads.
    pub fn for_queries(&self, words: Bits, matrices: Bits) -> Self {
        let read = self.card.max_tokens.min(self.architecture.max_positions);
        let mut artefact = self.stored(|spec, values, payload| {
            match spec.name.as_str() {
                _ if spec.is_vector() => {
                    tensor::store(values, spec, Storage::F32, payload);
                    return Storage::F32;
                }
                names::WORDS => tensor::store_int8(values, spec, words, payload),
                names::POSITIONS => {
                    let cut = TensorSpec { rows: read as usize, ..spec.clone() };
                    tensor::store(&values[..cut.len()], &cut, Storage::Int8, payload);
                }
                _ => tensor::store_int8(values, spec, matrices, payload),
            }
            Storage::Int8
        });
        artefact.architecture.max_positions = read;
        if let Some(entry) =
            artefact.entries.iter_mut().find(|entry| entry.spec.name == names::POSITIONS)
        {
            entry.spec.rows = read as usize;
        }
        artefact
    }

    /// Returns the same model with another payload: `store` gets the bytes of a tensor, appends its
    /// new bytes, and returns their storage.
    #[cfg(feature = "import")]
    fn stored_as(&self, mut store: impl FnMut(&Entry, &[u8], &mut Vec<u8>) -> Storage) -> Self {
        let mut entries = Vec::with_capacity(self.entries.len());
        let mut payload = Vec::with_capacity(self.payload.len());
        for entry in &self.entries {
            let start = payload.len();
            let storage = store(entry, &self.payload[entry.start..entry.end], &mut payload);
            entries.push(Entry { spec: entry.spec.clone(), storage, start, end: payload.len() });
        }
        let (card, architecture) = (self.card.clone(), self.architecture.clone());
        let (normaliser, vocabulary) = (self.normaliser, self.vocabulary.clone());
        Self { card, architecture, normaliser, vocabulary, entries, payload }
    }

    /// Returns the same model with another payload: `store` appends the values of a tensor, and
    /// returns their storage.
    fn stored(&self, mut store: impl FnMut(&TensorSpec, &[f32], &mut Vec<u8>) -> Storage) -> Self {
        let mut entries = Vec::with_capacity(self.entries.len());
        let mut payload = Vec::new();
        for entry in &self.entries {
            let start = payload.len();
            let storage = store(&entry.spec, &self.at(entry).to_f32(), &mut payload);
            entries.push(Entry { spec: entry.spec.clone(), storage, start, end: payload.len() });
        }
        Self {
            card: self.card.clone(),
            architecture: self.architecture.clone(),
            normaliser: self.normaliser,
            vocabulary: self.vocabulary.clone(),
            entries,
            payload,
        }
    }

    fn with_fingerprint(mut self) -> Self {
        self.card.fingerprint = self.fingerprint();
        self
    }

    /// Returns the hash of the head without name and fingerprint, and of the tensors in the
    /// architecture's order.
    fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        // Name and stored fingerprint do not change the vectors.
        let card =
            EncoderCard { name: String::new(), fingerprint: String::new(), ..self.card.clone() };
        hasher.update(&format::head_bytes(
            &card,
            &self.architecture,
            self.normaliser,
            &self.vocabulary,
        ));
        for (_, tensor) in self.tensors() {
            hash(&mut hasher, tensor.stored());
        }
        hasher.finalize().to_hex()[..32].to_string()
    }

    /// Frees the memory of the last layer, once the plan contains it.
    #[cfg(not(feature = "parallel"))]
    pub(crate) fn drop_layer(&mut self, layer: u32) {
        let prefix = format!("layer.{layer}.");
        self.entries.retain(|entry| !entry.spec.name.starts_with(&prefix));
        let end = self.entries.iter().map(|entry| entry.end).max().unwrap_or(0);
        self.payload.truncate(end);
        self.payload.shrink_to_fit();
    }

    /// Keeps only the embedding tables. Frees the memory of the rest, once the plan contains it.
    pub(crate) fn into_tables(mut self) -> Self {
        self.entries
            .retain(|entry| entry.spec.name == names::WORDS || entry.spec.name == names::POSITIONS);
        // The tables come first, in the architecture's order and usually in a published file.
        let end = self.entries.iter().map(|entry| entry.end).max().unwrap_or(0);
        self.payload.truncate(end);
        self.payload.shrink_to_fit();
        self.vocabulary = Vec::new();
        self
    }
}

impl PartialEq for Artefact {
    fn eq(&self, other: &Self) -> bool {
        fn stored<'a>((_, tensor): (&TensorSpec, Tensor<'a>)) -> (Storage, &'a [u8]) {
            (tensor.storage(), tensor.stored())
        }
        // The architecture and the vocabulary determine the shapes.
        self.card == other.card
            && self.architecture == other.architecture
            && self.normaliser == other.normaliser
            && self.vocabulary == other.vocabulary
            && self.tensors().map(stored).eq(other.tensors().map(stored))
    }
}

/// Returns the tensors of an architecture that can be run. Sets the card's dimensions.
fn specs(
    card: &mut EncoderCard,
    architecture: &Architecture,
    vocabulary: &[String],
) -> Result<Vec<TensorSpec>, Error> {
    architecture.check(vocabulary.len())?;
    card.dim = architecture.hidden;
    architecture.check_card(card)?;
    Ok(architecture.tensors(vocabulary.len()))
}

/// Hashes a tensor's bytes. Native code hashes a matrix on all cores.
fn hash(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    /// BLAKE3's own advice for when threads pay.
    #[cfg(feature = "parallel")]
    const WORTH_THREADS: usize = 128 << 10;
    #[cfg(feature = "parallel")]
    if bytes.len() >= WORTH_THREADS {
        hasher.update_rayon(bytes);
        return;
    }
    hasher.update(bytes);
}
