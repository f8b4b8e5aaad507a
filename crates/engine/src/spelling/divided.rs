//! Division of words. A word that is on no page is read as two words that are next to each other on
//! the site: `timezone` as `time zone`.

use findling_bundle::ShardId;
use findling_text::Analyzer;

use crate::index::Index;
use crate::lexical::{Dictionary, Phrases};
use crate::query::{Phrase, Slot, analyzers};

/// The fewest characters of a word that is divided, and of each of the two words.
const MIN_CHARS: usize = 5;
const MIN_HALF_CHARS: usize = 2;

/// Returns the two words that `word` is divided into, or the shards that are missing.
pub(super) fn divide(index: &Index, word: &str) -> Result<Option<String>, Vec<ShardId>> {
    let Some(structure) = index.structure() else { return Ok(None) };
    let dictionary = Dictionary::new(index);
    let places: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
    if places.len() < MIN_CHARS || !word.chars().all(char::is_alphabetic) {
        return Ok(None);
    }
    let mut analyzers = analyzers(&index.manifest().languages);
    let mut divisions = Vec::new();
    for &at in &places[MIN_HALF_CHARS..=places.len() - MIN_HALF_CHARS] {
        let (first, second) = word.split_at(at);
        divisions.push((at, terms(&mut analyzers, first), terms(&mut analyzers, second)));
    }
    let shards = |terms: &[String]| -> Vec<ShardId> {
        terms.iter().filter_map(|term| dictionary.shard_of(term)).collect()
    };
    let known = |terms: &[String]| terms.iter().any(|term| dictionary.find(term).is_some());
    here(index, divisions.iter().flat_map(|(_, first, _)| shards(first)).collect())?;
    divisions.retain(|(_, first, _)| known(first));
    here(index, divisions.iter().flat_map(|(.., second)| shards(second)).collect())?;
    divisions.retain(|(.., second)| known(second));
    if divisions.is_empty() {
        return Ok(None);
    }
    here(index, index.manifest().positions().into_iter().collect())?;
    let phrases = Phrases { dictionary, structure };
    for (at, first, second) in divisions {
        let slots = vec![Slot { offset: 0, terms: first }, Slot { offset: 1, terms: second }];
        let phrase = Phrase { text: String::new(), slots };
        here(index, phrases.shards(&phrase))?;
        if !phrases.sections(&phrase).is_empty() {
            return Ok(Some(format!("{} {}", &word[..at], &word[at..])));
        }
    }
    Ok(None)
}

/// Returns the terms of a word in each language.
fn terms(analyzers: &mut [Analyzer], word: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for analyzer in analyzers {
        analyzer.analyze(word, |token| terms.push(token.term.to_string()));
    }
    terms
}

/// Fails with the missing shards, unless all are in memory.
fn here(index: &Index, shards: Vec<ShardId>) -> Result<(), Vec<ShardId>> {
    let missing = index.missing(&shards);
    if missing.is_empty() { Ok(()) } else { Err(missing) }
}
