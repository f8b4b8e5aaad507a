//! Embeds all units. Vectors come from the cache or, once for each text, from the encoder.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use findling_bundle::projection::Projection;
use findling_encoder::{Embedding, Encoder, Error, Side};
use rayon::prelude::*;

use super::cache::{Cache, Key};
use findling_base::progress::{Counter, Progress};

/// Texts between two updates of the progress bar and two writes to the cache. A killed build loses
/// at most the vectors of this many texts.
const BATCH: usize = 128;
/// Texts given to the encoder at once, on each core.
const CALL: usize = 16;

/// All vectors, with statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// Dimensions.
    pub dim: usize,
    /// The vectors, concatenated.
    pub values: Vec<f32>,
    /// Texts whose vectors were in the cache.
    pub n_cached: usize,
    /// Texts that the encoder embedded. Equal texts are embedded once.
    pub n_encoded: usize,
    /// Texts that were cut to the encoder's limit.
    pub n_truncated: usize,
    /// Time spent in the encoder.
    pub elapsed: Duration,
}

impl Embedded {
    /// Returns an empty list with room for `n` vectors.
    pub fn with_room_for(dim: usize, n: usize) -> Self {
        Self {
            dim,
            values: Vec::with_capacity(n * dim),
            n_cached: 0,
            n_encoded: 0,
            n_truncated: 0,
            elapsed: Duration::ZERO,
        }
    }

    /// Adds further vectors of the same dimensions.
    pub fn append(&mut self, more: Self) {
        let Self { values, n_cached, n_encoded, n_truncated, elapsed, .. } = more;
        if self.values.is_empty() && values.len() >= self.values.capacity() {
            self.values = values;
        } else {
            self.values.extend(values);
        }
        self.n_cached += n_cached;
        self.n_encoded += n_encoded;
        self.n_truncated += n_truncated;
        self.elapsed += elapsed;
    }

    /// Returns the vectors.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f32> {
        self.values.chunks_exact(self.dim.max(1))
    }
}

/// Embeds documents, in order.
///
/// # Errors
/// If the encoder fails, or returns vectors of another length than its card says. If the cache
/// fails, there is a warning and embedding continues without it.
pub fn embed(
    encoder: &(dyn Encoder + Send + Sync),
    texts: &[&str],
    mut cache: Option<&mut Cache>,
    bar: &Counter,
    progress: &dyn Progress,
) -> Result<Embedded, Error> {
    let dim = encoder.card().dim as usize;
    let mut embedded = Embedded {
        dim,
        values: vec![0.0; texts.len() * dim],
        n_cached: 0,
        n_encoded: 0,
        n_truncated: 0,
        elapsed: Duration::ZERO,
    };
    // The indices of each text that is not in the cache, by key, in the order of first occurrence.
    let mut places: HashMap<Key, usize> = HashMap::new();
    let mut missing: Vec<(Key, Vec<usize>)> = Vec::new();
    let keys: Vec<Key> = texts.par_iter().map(|text| Cache::key(encoder.card(), text)).collect();
    for (i, key) in keys.iter().enumerate() {
        if let Some(&place) = places.get(key) {
            missing[place].1.push(i);
            continue;
        }
        let cached = match cache.as_deref_mut().map(|cache| cache.get(key)) {
            Some(Ok(cached)) => cached,
            Some(Err(error)) => {
                progress.warn(format!(
                    "the embedding cache cannot be read, so it is not used: {error}"
                ));
                cache = None;
                None
            }
            None => None,
        };
        match cached {
            Some(found) => {
                embedded.n_cached += 1;
                embedded.place(&[i], &found);
            }
            None => {
                places.insert(*key, missing.len());
                missing.push((*key, vec![i]));
            }
        }
    }
    bar.set_total(missing.len() as u64);
    bar.restart();
    for batch in missing.chunks(BATCH) {
        let started = Instant::now();
        let batch_texts: Vec<&str> = batch.iter().map(|(_, places)| texts[places[0]]).collect();
        let parts: Vec<Vec<Embedding>> = batch_texts
            .par_chunks(CALL)
            .map(|texts| encoder.encode(texts, Side::Document))
            .collect::<Result<_, Error>>()?;
        let vectors = parts.concat();
        if vectors.len() != batch.len() || vectors.iter().any(|vector| vector.values.len() != dim) {
            return Err(Error::Run(format!(
                "expected {} vectors of {dim} dimensions from encoder `{}`, found {} of {:?}",
                batch.len(),
                encoder.card().name,
                vectors.len(),
                vectors.iter().map(|vector| vector.values.len()).find(|len| *len != dim)
            )));
        }
        embedded.elapsed += started.elapsed();
        embedded.n_encoded += batch.len();
        for ((_, places), vector) in batch.iter().zip(&vectors) {
            embedded.place(places, vector);
        }
        let records: Vec<(Key, &Embedding)> =
            batch.iter().map(|(key, _)| *key).zip(&vectors).collect();
        if let Some(Err(error)) = cache.as_deref_mut().map(|cache| cache.put(&records)) {
            progress.warn(format!(
                "the embedding cache cannot be written, so embeddings are not kept: \
                 {error}"
            ));
            cache = None;
        }
        bar.add(batch.len() as u64);
    }
    Ok(embedded)
}

impl Embedded {
    /// Projects the vectors onto fewer dimensions.
    ///
    /// # Errors
    /// If the projection expects another number of dimensions.
    pub fn project(self, projection: &Projection) -> Result<Self, findling_bundle::Error> {
        let rows: Vec<Vec<f32>> = self
            .values
            .par_chunks_exact(self.dim.max(1))
            .map(|row| projection.apply(row))
            .collect::<Result<_, _>>()?;
        Ok(Self { dim: projection.to_dim() as usize, values: rows.concat(), ..self })
    }

    fn place(&mut self, places: &[usize], embedding: &Embedding) {
        for &i in places {
            let row = &mut self.values[i * self.dim..(i + 1) * self.dim];
            if embedding.values.len() == row.len() {
                // NaN or infinity from an encoder must not get into the index.
                for (to, &from) in row.iter_mut().zip(&embedding.values) {
                    *to = if from.is_finite() { from } else { 0.0 };
                }
            }
            self.n_truncated += usize::from(embedding.truncated);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use findling_bundle::EncoderCard;
    use findling_encoder::hash::HashEncoder;

    use super::*;
    use findling_base::progress::Silent;

    /// An encoder that records the texts it embeds.
    struct Noting {
        inner: HashEncoder,
        asked: Mutex<Vec<String>>,
    }

    impl Encoder for Noting {
        fn card(&self) -> &EncoderCard {
            self.inner.card()
        }
        fn encode(&self, texts: &[&str], side: Side) -> Result<Vec<Embedding>, Error> {
            self.asked.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
            self.inner.encode(texts, side)
        }
        fn count_tokens(&self, text: &str, side: Side) -> u32 {
            self.inner.count_tokens(text, side)
        }
    }

    fn run(texts: &[&str], cache: Option<&mut Cache>) -> (Embedded, Vec<String>) {
        let encoder = Noting { inner: HashEncoder::new(16), asked: Mutex::new(Vec::new()) };
        let embedded = embed(&encoder, texts, cache, &Counter::default(), &Silent).unwrap();
        let mut asked = encoder.asked.into_inner().unwrap();
        asked.sort();
        (embedded, asked)
    }

    #[test]
    fn only_what_changed_is_embedded_and_the_vectors_are_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let card = HashEncoder::new(16).card().clone();
        let open = || Cache::open(dir.path(), &card).unwrap();
        let (first, asked) = run(&["one", "two", "three", "two"], Some(&mut open()));
        assert_eq!(asked, ["one", "three", "two"], "equal texts once");
        let (again, asked) = run(&["one", "two", "three", "two"], Some(&mut open()));
        assert!(asked.is_empty());
        assert_eq!(again.values, first.values);
        assert_eq!((again.n_cached, again.n_encoded), (4, 0));
        let (changed, asked) = run(&["one", "changed", "three", "two"], Some(&mut open()));
        assert_eq!(asked, ["changed"]);
        let (plain, _) = run(&["one", "changed", "three", "two"], None);
        assert_eq!(changed.values, plain.values, "a cache changes no bit");
    }

    #[test]
    fn many_batches_keep_their_order() {
        let texts: Vec<String> = (0..1000).map(|i| format!("text number {i}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (embedded, _) = run(&texts, None);
        let expected = HashEncoder::new(16).encode(&texts, Side::Document).unwrap();
        for (row, expected) in embedded.rows().zip(&expected) {
            assert_eq!(row, expected.values);
        }
    }
}
