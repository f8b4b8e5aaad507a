//! The tokens that queries of a site are likely to contain: the tokens of its pages, and the tokens
//! of general vocabulary. They decide the rows of the static encoder and the vocabulary of a
//! deployed transformer.

use std::cmp::Reverse;
use std::collections::HashMap;

use findling_text::wordpiece::{Normaliser, for_each_name, parts};
use rayon::prelude::*;

/// Smallest frequency in training, as a binary logarithm plus one, for which a token that the site
/// does not have is kept.
const GENERAL: u8 = 5;

/// Counts the words of texts as an encoder reads them. With `with_parts`, also the parts of names.
pub fn count_words(
    texts: &[&str],
    normaliser: Normaliser,
    with_parts: bool,
) -> HashMap<String, u64> {
    texts
        .par_chunks(256)
        .map(|texts| {
            let mut counts: HashMap<String, u64> = HashMap::new();
            for text in texts {
                let mut count = |word: &str| match counts.get_mut(word) {
                    Some(n) => *n += 1,
                    None => drop(counts.insert(word.to_owned(), 1)),
                };
                for_each_name(text, normaliser, |word, cuts| {
                    count(word);
                    parts(word, cuts).filter(|_| with_parts).for_each(&mut count);
                });
            }
            counts
        })
        .reduce(HashMap::new, |mut a, b| {
            for (word, n) in b {
                *a.entry(word).or_default() += n;
            }
            a
        })
}

/// Returns the tokens to keep, the most useful first. Tokens that occur in the texts come first,
/// ordered by `counts`. Tokens of general vocabulary follow, ordered by how `frequent` they were
/// when a table was trained.
pub fn by_use(counts: &[u64], frequent: impl Fn(u32) -> u8) -> Vec<u32> {
    let mut tokens: Vec<u32> = (0u32..)
        .zip(counts)
        .filter(|&(id, &n)| n > 0 || frequent(id) >= GENERAL)
        .map(|(id, _)| id)
        .collect();
    tokens.sort_by_key(|&id| (Reverse(counts[id as usize]), Reverse(frequent(id)), id));
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_texts_are_written_in_comes_before_what_is_common_elsewhere() {
        let frequencies = [9, 9, 3, 0, 12, 4];
        assert_eq!(by_use(&[0, 2, 0, 5, 0, 0], |id| frequencies[id as usize]), [3, 1, 4, 0]);
        assert!(by_use(&[], |_| 9).is_empty());
    }

    #[test]
    fn words_are_counted_as_the_encoder_reads_them() {
        let counts =
            count_words(&["Two threads, two", "Café threads"], Normaliser::default(), false);
        let of = |word: &str| counts.get(word).copied();
        assert_eq!(
            (of("two"), of("threads"), of(","), of("cafe"), of("Two")),
            (Some(2), Some(2), Some(1), Some(1), None)
        );
    }
}
