//! Corrects words of a query that the bundle does not have.
//!
//! A word is corrected only if the lexicon has none of its terms in any language and, while it is
//! being typed, no word that it may be the beginning of. Phrases, exclusions, words with digits and
//! names that are known as a whole stay as they are, except that a name and its number are parted
//! (`rfc9110`). The corrected query is planned and embedded anew, so that both legs see it.

mod divided;
mod nearest;
mod similar_words;

use std::ops::Range;

use findling_bundle::{ShardId, SpellingShard};
use findling_text::normalise::{fold_into, lower_case};

use crate::api::{Correction, Misspelling};
use crate::index::Index;
use crate::lexical::Dictionary;
use crate::query::{Clause, ClauseKind, Query, analyzers, unknown};
use nearest::{MAX_CHARS, Mistyped, Near};
pub(crate) use similar_words::{SimilarWords, like};

/// Maximum number of words of a query that are corrected.
const MAX_WORDS: usize = 8;
/// Minimum number of characters of a word that is corrected.
const MIN_CHARS: usize = 4;
/// Minimum number of characters of a word that gets similar words. Nearly every short word is one
/// edit away from a word of two letters. A code like `C4` has few neighbours.
const MIN_LIKE_CHARS: usize = 3;
const MIN_LIKE_CODE_CHARS: usize = 2;
/// Largest size of the stored words at which all words are compared, if no word with the same
/// beginning is near.
const MAX_WIDE_BYTES: u64 = 256_000;

/// A word that the bundle does not have.
struct Unknown {
    clause: usize,
    range: Range<usize>,
    /// In lower case, without diacritics.
    folded: String,
    /// Whether it may be only the beginning of a word.
    open: bool,
}

/// The result of checking the spelling of a query.
pub(crate) enum Spelling {
    /// Shards that are needed.
    Need(Vec<ShardId>),
    /// No word is corrected.
    Right,
    /// The query with its words replaced. A completed beginning is not listed as a correction.
    Changed { query: Query, corrections: Vec<Correction> },
}

/// Corrects a query. The terms it looks up must be in memory.
pub(crate) fn correct(index: &Index, query: &Query, prefix: bool) -> Spelling {
    let mut query = query.clone();
    let joined = join(index, &mut query);
    let unknown = unknown_words(index, &query, prefix, false);
    // The client fetches the deferred part of the engine when it sees these shards.
    let shards: Vec<ShardId> = unknown.iter().flat_map(|word| near_shards(index, word)).collect();
    let mut needed = index.missing(&shards);
    if !needed.is_empty() {
        return Spelling::Need(needed);
    }
    let mut found = Vec::new();
    for word in unknown {
        match replacement(index, &word) {
            Ok(Some(near)) => found.push((word, near)),
            Ok(None) => {}
            Err(shards) => needed.extend(shards),
        }
    }
    if !needed.is_empty() {
        return Spelling::Need(needed);
    }
    let (mut changed, mut corrections) = (!joined.is_empty(), Vec::new());
    // Replace from the end, so that earlier positions stay valid.
    for (Unknown { clause, range, .. }, near) in found.into_iter().rev() {
        let Some(clause) = query.clauses.get_mut(clause) else { continue };
        let Some(word) = clause.text.get(range.clone()) else { continue };
        if near.cost > 0 {
            corrections.push(Correction { word: word.into(), replacement: near.word.clone() });
        }
        clause.text.replace_range(range, &near.word);
        changed = true;
    }
    if !changed {
        return Spelling::Right;
    }
    corrections.extend(joined);
    corrections.reverse();
    Spelling::Changed { query, corrections }
}

/// Returns the replacement of a word, which is one word or two; or the missing shards.
#[doc(alias = "deferred")]
#[inline(never)]
fn replacement(index: &Index, word: &Unknown) -> Result<Option<Near>, Vec<ShardId>> {
    if let Some(chosen) = index.shared().and_then(|shared| shared.correction(&word.folded)) {
        return Ok(chosen.map(|near| Near::chosen(near.replacement.clone(), near.cost)));
    }
    match divided::divide(index, &word.folded)? {
        Some(words) => Ok(Some(Near::joined(words))),
        None => nearest_word(index, word),
    }
}

/// Returns the words of a query that would be corrected, with the nearest words of this bundle; or
/// the shards that are missing.
pub(crate) fn misspellings(
    index: &Index,
    query: &Query,
    prefix: bool,
) -> Result<Vec<Misspelling>, Vec<ShardId>> {
    let mut query = query.clone();
    join(index, &mut query);
    let (mut found, mut needed) = (Vec::new(), Vec::new());
    for word in unknown_words(index, &query, prefix, false) {
        match replacement(index, &word) {
            Ok(Some(near)) => {
                // Two adjacent words of the site take precedence over similar words.
                let rank = if near.word.contains(' ') { i32::MIN } else { near.rank() };
                let Near { word: replacement, cost, .. } = near;
                found.push(Misspelling { word: word.folded, replacement, cost, rank });
            }
            Ok(None) => {}
            Err(shards) => needed.extend(shards),
        }
    }
    if needed.is_empty() { Ok(found) } else { Err(needed) }
}

/// Joins neighbours that are one word on the site, if one of them is on no page: `data base`.
fn join(index: &Index, query: &mut Query) -> Vec<Correction> {
    let dictionary = Dictionary::new(index);
    let mut analyzers = analyzers(&index.manifest().languages);
    let known = |term: &str| dictionary.find(term).is_some();
    let (mut corrections, mut i) = (Vec::new(), 0);
    while let [first, second, ..] = query.clauses.get(i..).unwrap_or_default() {
        let is_word = |clause: &Clause| {
            let letters = clause.text.chars().all(char::is_alphabetic);
            clause.kind == ClauseKind::Word && !clause.excluded && letters
        };
        let text = [first.text.as_str(), &lower_case(&second.text)].concat();
        let joins = is_word(first)
            && is_word(second)
            && [first, second]
                .iter()
                .any(|clause| !unknown(&mut analyzers, &clause.text, known).is_empty())
            && unknown(&mut analyzers, &text, known).is_empty();
        if joins {
            let word = [first.text.as_str(), &second.text].join(" ");
            corrections.push(Correction { word, replacement: text.clone() });
            query.clauses.remove(i + 1);
            query.clauses[i].text = text;
        }
        i += 1;
    }
    corrections
}

/// Returns the shards of spellings that are needed first to correct a word; if no shard has its
/// letters, any shard, because it makes the client fetch the deferred code.
fn near_shards(index: &Index, word: &Unknown) -> Vec<ShardId> {
    let manifest = index.manifest();
    let letters = word.folded.chars().take(2);
    let ranges = letters
        .flat_map(|letter| manifest.spelling_with_prefix(letter.encode_utf8(&mut [0; 4])))
        .chain([0]);
    let mut shards: Vec<ShardId> =
        ranges.filter_map(|range| Some(manifest.spelling.get(range)?.shard)).collect();
    if shards.len() > 1 {
        shards.pop();
    }
    shards
}

/// Returns the first shard of spellings needed to find words similar to a query's words.
pub(crate) fn first_shard<'a>(
    index: &Index,
    queries: impl Iterator<Item = &'a str>,
) -> Vec<ShardId> {
    let letter = queries.flat_map(str::chars).find(|c| c.is_alphabetic());
    let letter =
        letter.and_then(|c| lower_case(c.encode_utf8(&mut [0; 4])).chars().next()).unwrap_or('a');
    let manifest = index.manifest();
    let mut ranges = manifest.spelling_with_prefix(letter.encode_utf8(&mut [0; 4]));
    // If no shard has the letter, any other: it makes the client fetch the deferred code for
    // suggestions.
    let range = ranges.next().unwrap_or(0);
    manifest.spelling.get(range).map(|range| range.shard).into_iter().collect()
}

/// Returns the words that the bundle does not have and that may be corrected or, with `like`, have
/// similar words.
fn unknown_words(index: &Index, query: &Query, prefix: bool, like: bool) -> Vec<Unknown> {
    let manifest = index.manifest();
    let mut words = Vec::new();
    if manifest.spelling.is_empty() {
        return words;
    }
    let dictionary = Dictionary::new(index);
    let mut analyzers = analyzers(&manifest.languages);
    let last = query.clauses.len().saturating_sub(1);
    for (i, clause) in query.clauses.iter().enumerate() {
        if clause.excluded || clause.kind == ClauseKind::Phrase && !like {
            continue;
        }
        let known = |term: &str| dictionary.find(term).is_some();
        for range in unknown(&mut analyzers, &clause.text, known) {
            let Some(text) = clause.text.get(range.clone()) else { continue };
            let mut folded = String::new();
            fold_into(text, &mut folded);
            // A word with a synonym on the site is not misspelled.
            let is_synonym = manifest.synonyms.iter().any(|synonym| {
                synonym.from.split_whitespace().any(|word| word.eq_ignore_ascii_case(text))
            });
            let least = match like {
                true if is_code(&folded) => MIN_LIKE_CODE_CHARS,
                true => MIN_LIKE_CHARS,
                false => MIN_CHARS,
            };
            let fits = !is_synonym && (least..=MAX_CHARS).contains(&folded.chars().count());
            let open = prefix && query.open_end && i == last && range.end == clause.text.len();
            let begins = open && dictionary.begins(&folded);
            let spelt =
                like || folded.chars().all(char::is_alphabetic) || divided(&folded).is_some();
            if fits && !begins && spelt && words.len() < MAX_WORDS {
                words.push(Unknown { clause: i, range, folded, open });
            }
        }
    }
    words
}

/// Returns a letter and a digit: `C4`.
fn is_code(word: &str) -> bool {
    let mut chars = word.chars();
    let (letter, digit, end) = (chars.next(), chars.next(), chars.next());
    letter.is_some_and(char::is_alphabetic)
        && digit.is_some_and(|c| c.is_ascii_digit())
        && end.is_none()
}

/// Returns a name and its number, written together: `rfc9110`. Not for codes of few letters
/// (`E0382`) and versions.
fn divided(word: &str) -> Option<String> {
    let at = word.find(|c: char| c.is_ascii_digit())?;
    let (name, number) = word.split_at(at);
    let is_name = name.chars().count() >= 3 && name.chars().all(char::is_alphabetic);
    let is_number = number.len() >= 2 && number.bytes().all(|b| b.is_ascii_digit());
    (is_name && is_number).then(|| format!("{name} {number}"))
}

/// Returns the nearest word among those that begin with the word's first or second letter, or else
/// among all others; or the shards that are missing.
fn nearest_word(index: &Index, word: &Unknown) -> Result<Option<Near>, Vec<ShardId>> {
    if let Some(divided) = divided(&word.folded) {
        return Ok((!word.open).then(|| Near::joined(divided)));
    }
    let mistyped = Mistyped::new(&word.folded, word.open);
    let near = near_ranges(index, &word.folded);
    let search = |wanted: bool, best: Option<Near>| -> Result<Option<Near>, Vec<ShardId>> {
        let here = spellings(index, &near, wanted)?;
        Ok(here.into_iter().fold(best, |best, shard| mistyped.nearest(shard, best)))
    };
    let best = search(true, None)?;
    if best.is_some() || !is_small(index) {
        return Ok(best);
    }
    search(false, best)
}

/// Returns the ranges of spellings with the words that begin with a word's first or second letter:
/// if the first two letters were swapped, or one was inserted before them, the right first letter
/// is the second.
fn near_ranges(index: &Index, word: &str) -> Vec<bool> {
    let manifest = index.manifest();
    let mut ranges = vec![false; manifest.spelling.len()];
    for letter in word.chars().take(2) {
        ranges[manifest.spelling_with_prefix(letter.encode_utf8(&mut [0; 4]))].fill(true);
    }
    ranges
}

/// Returns the spellings in the `near` ranges or in all other ranges, or the missing shards.
fn spellings<'a>(
    index: &'a Index,
    near: &[bool],
    wanted: bool,
) -> Result<Vec<&'a SpellingShard>, Vec<ShardId>> {
    let chosen = index.manifest().spelling.iter().zip(near).filter(|(_, near)| **near == wanted);
    let shards: Vec<ShardId> = chosen.map(|(range, _)| range.shard).collect();
    let missing: Vec<ShardId> = shards.iter().copied().filter(|&shard| !index.has(shard)).collect();
    if !missing.is_empty() {
        return Err(missing);
    }
    Ok(shards.into_iter().filter_map(|shard| index.spelling(shard)).collect())
}

/// Returns whether all spellings may be compared.
fn is_small(index: &Index) -> bool {
    let manifest = index.manifest();
    let stored = manifest.spelling.iter().filter_map(|range| manifest.shard(range.shard));
    stored.map(|shard| u64::from(shard.stored_len)).sum::<u64>() <= MAX_WIDE_BYTES
}
