//! Feature hashing: a vector without a model.
//!
//! Words and character trigrams are hashed into signed buckets (Weinberger et al., "Feature Hashing
//! for Large Scale Multitask Learning", ICML 2009, section 2). Texts that share words or word parts
//! come out close; texts that mean the same in other words do not. For tests, and for builds that
//! cannot have a model.
//!
//! The same text gives the same bits on every machine: integer counts, and one division by a square
//! root.

use findling_text::normalise::for_each_lower;

use crate::encoder::normalise;
use crate::{Embedding, Encoder, EncoderCard, Error, Side};

/// To be raised if the features or the hash change: another version is another space.
const VERSION: u32 = 1;
/// The weight of a word, in trigrams.
const WORD_WEIGHT: i32 = 2;
/// Hashed before a word, so that it does not share a bucket with a trigram of the same letters.
const WORD_SEED: u8 = b'w';
const TRIGRAM_SEED: u8 = b't';

/// Embeds by feature hashing. See the [module](self).
#[derive(Clone, Debug)]
pub struct HashEncoder {
    card: EncoderCard,
}

impl HashEncoder {
    /// The default number of dimensions.
    pub const DEFAULT_DIM: u32 = 256;

    /// Returns an encoder of `dim` dimensions; 0 counts as 1.
    pub fn new(dim: u32) -> Self {
        let dim = dim.max(1);
        Self {
            card: EncoderCard {
                name: "hash".into(),
                dim,
                fingerprint: format!(
                    "{:016x}{VERSION:08x}{dim:08x}",
                    fnv1a(b"findling feature hashing".iter().copied())
                ),
                max_tokens: u32::MAX,
                query_prefix: String::new(),
                document_prefix: String::new(),
                semantic: false,
            },
        }
    }

    fn embed(&self, text: &str) -> Embedding {
        let mut buckets = vec![0i32; self.card.dim as usize];
        let mut n_tokens = 0u32;
        words(text, |word| {
            n_tokens = n_tokens.saturating_add(1);
            let mut buffer = [0u8; 4];
            add(&mut buckets, fnv1a(std::iter::once(WORD_SEED).chain(utf8(word))), WORD_WEIGHT);
            // The word's borders are marked, so that its first and last letters are features too.
            let bordered: Vec<char> = std::iter::once('^')
                .chain(word.iter().copied())
                .chain(std::iter::once('$'))
                .collect();
            for trigram in bordered.windows(3) {
                let mut bytes = Vec::with_capacity(13);
                bytes.push(TRIGRAM_SEED);
                for &c in trigram {
                    bytes.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
                }
                add(&mut buckets, fnv1a(bytes.into_iter()), 1);
            }
        });
        let mut values: Vec<f32> = buckets.into_iter().map(|count| count as f32).collect();
        normalise(&mut values);
        Embedding { values, n_tokens, truncated: false }
    }
}

impl Default for HashEncoder {
    fn default() -> Self {
        Self::new(Self::DEFAULT_DIM)
    }
}

impl Encoder for HashEncoder {
    fn card(&self) -> &EncoderCard {
        &self.card
    }

    fn encode(&self, texts: &[&str], _side: Side) -> Result<Vec<Embedding>, Error> {
        Ok(texts.iter().map(|text| self.embed(text)).collect())
    }

    fn count_tokens(&self, text: &str, _side: Side) -> u32 {
        let mut n = 0u32;
        words(text, |_| n = n.saturating_add(1));
        n
    }
}

/// Calls `each` with each run of letters and digits, lower-cased.
fn words(text: &str, mut each: impl FnMut(&[char])) {
    let mut word: Vec<char> = Vec::new();
    for c in text.chars() {
        if c.is_alphanumeric() {
            for_each_lower(c, |c| word.push(c));
        } else if !word.is_empty() {
            each(&word);
            word.clear();
        }
    }
    if !word.is_empty() {
        each(&word);
    }
}

fn utf8(word: &[char]) -> impl Iterator<Item = u8> {
    word.iter().flat_map(|c| {
        let mut buffer = [0u8; 4];
        let len = c.encode_utf8(&mut buffer).len();
        buffer.into_iter().take(len)
    })
}

/// Adds a feature. The highest bit of the hash chooses the sign, its lower half the bucket.
fn add(buckets: &mut [i32], hash: u64, weight: i32) {
    let bucket = (hash & 0xffff_ffff) as usize % buckets.len();
    let signed = if hash >> 63 == 0 { weight } else { -weight };
    buckets[bucket] = buckets[bucket].saturating_add(signed);
}

/// Hashes bytes by FNV-1a with 64 bits.
fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn embed(text: &str) -> Embedding {
        HashEncoder::default().embed(text)
    }

    fn cosine(a: &str, b: &str) -> f32 {
        embed(a).values.iter().zip(&embed(b).values).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn fnv1a_is_the_published_one() {
        assert_eq!(fnv1a(b"".iter().copied()), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a".iter().copied()), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar".iter().copied()), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn case_and_punctuation_do_not_matter() {
        assert_eq!(embed("Borrow, checker!").values, embed("borrow checker").values);
    }

    #[test]
    fn shared_words_and_word_parts_bring_texts_closer() {
        let unrelated = cosine("borrow checker", "sqlite window function");
        assert!(cosine("borrow checker", "the borrow checker explained") > unrelated + 0.3);
        // No word in common, but their trigrams.
        assert!(cosine("borrowing", "borrowed") > unrelated + 0.1);
    }

    #[test]
    fn nothing_to_embed_gives_zeros() {
        let embedding = embed(" -- ");
        assert_eq!(embedding.n_tokens, 0);
        assert!(embedding.values.iter().all(|&v| v == 0.0));
    }

    /// Pins the space, which must not change by accident: every build so far has computed these
    /// bits.
    #[test]
    fn the_space_is_fixed() {
        let encoder = HashEncoder::new(8);
        let bits: Vec<u32> =
            encoder.embed("Größe 東京 x1").values.iter().map(|v| v.to_bits()).collect();
        assert_eq!(bits, FIXED, "{bits:#010x?}");
    }

    const FIXED: [u32; 8] = [
        0x0000_0000,
        0x3f46_4bf7,
        0x0000_0000,
        0x3f04_32a5,
        0x0000_0000,
        0x0000_0000,
        0xbe84_32a5,
        0xbe84_32a5,
    ];

    proptest! {
        #[test]
        fn any_text_gives_a_unit_vector_or_zeros(text in "\\PC*", dim in 0u32..600) {
            let encoder = HashEncoder::new(dim);
            let embedding = &encoder.encode(&[&text], Side::Query).unwrap()[0];
            prop_assert_eq!(embedding.values.len(), encoder.card().dim as usize);
            let norm: f32 = embedding.values.iter().map(|v| v * v).sum();
            prop_assert!(norm == 0.0 || (norm - 1.0).abs() < 1e-5);
            prop_assert_eq!(embedding.n_tokens, encoder.count_tokens(&text, Side::Query));
        }
    }
}
