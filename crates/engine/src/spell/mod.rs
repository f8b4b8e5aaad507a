//! Corrections: words of a query that the bundle does not have become words that it has.
//!
//! Only where the lexicon knows no term of a word, in no language of the bundle, and nothing that it could be the beginning
//! of while it is typed. Phrases, exclusions, words with digits and names that are known as a whole stay as they are, except
//! that a name and its number are parted (`rfc9110`). The corrected query is planned and embedded anew, so that both legs see it.

mod nearest;

use std::ops::Range;

use findling_bundle::ShardId;
use findling_text::normalise::fold_into;

use crate::lexical::Dictionary;
use crate::query::{ClauseKind, Query, analyzers, unknown};
use crate::{Correction, Index};
use nearest::{MAX_CHARS, Mistyped, Near};

/// Most words of a query that are corrected.
const MAX_WORDS: usize = 8;
/// Fewest characters of one.
const MIN_CHARS: usize = 4;
/// Where no word with the same beginning is near, all others are looked through, if they are no more bytes than this as stored.
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

/// What is to be done about the spelling of a query.
pub(crate) enum Spelling {
    /// These shards are needed to say.
    Need(Vec<ShardId>),
    /// The query has the words instead that were found, if it `changed`. Completing a beginning is no correction.
    Done { changed: bool, corrections: Vec<Correction> },
}

/// Corrects a query in place. The terms it looks up must be here.
pub(crate) fn correct(index: &Index, query: &mut Query, prefix: bool) -> Spelling {
    let unknown = unknown_words(index, query, prefix);
    let mut needed = Vec::new();
    let mut found = Vec::new();
    for word in unknown {
        match nearest(index, &word) {
            Ok(Some(near)) => found.push((word, near)),
            Ok(None) => {}
            Err(shards) => needed.extend(shards),
        }
    }
    if !needed.is_empty() {
        return Spelling::Need(needed);
    }
    let (mut changed, mut corrections) = (false, Vec::new());
    // From the end, so that places in front stay where they are.
    for (Unknown { clause, range, .. }, near) in found.into_iter().rev() {
        let Some(clause) = query.clauses.get_mut(clause) else { continue };
        let Some(word) = clause.text.get(range.clone()) else { continue };
        if near.cost > 0 {
            corrections.push(Correction { word: word.into(), replacement: near.word.clone() });
        }
        clause.text.replace_range(range, &near.word);
        changed = true;
    }
    corrections.reverse();
    Spelling::Done { changed, corrections }
}

fn unknown_words(index: &Index, query: &Query, prefix: bool) -> Vec<Unknown> {
    let manifest = index.manifest();
    let mut words = Vec::new();
    if manifest.spelling.is_empty() {
        return words;
    }
    let dictionary = Dictionary::new(index);
    let mut analyzers = analyzers(&manifest.languages);
    let last = query.clauses.len().saturating_sub(1);
    for (i, clause) in query.clauses.iter().enumerate() {
        if clause.excluded || clause.kind == ClauseKind::Phrase {
            continue;
        }
        let known = |term: &str| dictionary.find(term).is_some();
        for range in unknown(&mut analyzers, &clause.text, known) {
            let Some(text) = clause.text.get(range.clone()) else { continue };
            let mut folded = String::new();
            fold_into(text, &mut folded);
            // Another word for what the site does have is no slip.
            let is_synonym = manifest
                .synonyms
                .iter()
                .any(|synonym| synonym.from.split_whitespace().any(|word| word.eq_ignore_ascii_case(text)));
            let fits = !is_synonym && (MIN_CHARS..=MAX_CHARS).contains(&folded.chars().count());
            let open = prefix && query.open_end && i == last && range.end == clause.text.len();
            let begins = open && dictionary.begins(&folded);
            let spelt = folded.chars().all(char::is_alphabetic) || divided(&folded).is_some();
            if fits && !begins && spelt && words.len() < MAX_WORDS {
                words.push(Unknown { clause: i, range, folded, open });
            }
        }
    }
    words
}

/// A name and its number, written together: `rfc9110`. Codes of few letters (`E0382`) and versions are no such.
fn divided(word: &str) -> Option<String> {
    let at = word.find(|c: char| c.is_ascii_digit())?;
    let (name, number) = word.split_at(at);
    let is_name = name.chars().count() >= 3 && name.chars().all(char::is_alphabetic);
    let is_number = number.len() >= 2 && number.bytes().all(|b| b.is_ascii_digit());
    (is_name && is_number).then(|| format!("{name} {number}"))
}

/// The nearest word: among those that begin with the word's first or second letter, and only where there is none among all
/// others. The shards that are missing for it otherwise.
fn nearest(index: &Index, word: &Unknown) -> Result<Option<Near>, Vec<ShardId>> {
    let manifest = index.manifest();
    if let Some(divided) = divided(&word.folded) {
        return Ok((!word.open).then(|| Near::joined(divided)));
    }
    let mistyped = Mistyped::new(&word.folded, word.open);
    // Whoever swaps the first two letters, or slips one in, has the right first letter in the second place.
    let mut ranges = vec![false; manifest.spelling.len()];
    for letter in word.folded.chars().take(2) {
        ranges[manifest.spelling_with_prefix(letter.encode_utf8(&mut [0; 4]))].fill(true);
    }
    let search = |wanted: bool, best: Option<Near>| {
        let shards = || {
            let chosen = manifest.spelling.iter().zip(&ranges).filter(|(_, near)| **near == wanted);
            chosen.map(|(range, _)| range.shard)
        };
        let missing: Vec<ShardId> = shards().filter(|&shard| !index.has(shard)).collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        let here = shards().filter_map(|shard| index.spelling(shard));
        Ok(here.fold(best, |best, shard| mistyped.nearest(shard, best)))
    };
    let near = search(true, None)?;
    let stored = manifest.spelling.iter().filter_map(|range| manifest.shard(range.shard));
    let bytes: u64 = stored.map(|shard| u64::from(shard.stored_len)).sum();
    if near.is_some() || bytes > MAX_WIDE_BYTES {
        return Ok(near);
    }
    search(false, near)
}
