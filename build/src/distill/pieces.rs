//! The vocabulary of a table whose teacher has another tokenizer than WordPiece.
//!
//! Queries are divided by WordPiece, in a browser too. So the tokens of a teacher with
//! SentencePiece's marks become WordPiece's: `▁word` begins a word, and a token without a mark
//! continues a word. The rows are fitted to texts that are divided in this way; it does not matter
//! that the teacher divides them differently. A multilingual vocabulary has 250,000 tokens. Only
//! the tokens that occur in the texts are kept, and the most frequent others that are written in
//! the texts' letters.

use std::collections::HashSet;

use findling_encoder::static_table::{normaliser, tokens};
use findling_text::wordpiece::{VocabularyError, WordPiece, for_each_word};
use rayon::prelude::*;

/// Maximum number of tokens of a table, if the texts have no more. The teacher embeds each token.
const MAX_TOKENS: usize = 20_000;
/// The mark of tokens that begin a word.
const WORD_BEGINS: char = '▁';
/// The mark of WordPiece's tokens that continue a word.
const WORD_GOES_ON: &str = "##";
/// Tokens that begin every vocabulary of WordPiece.
pub const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/// Returns whether tokens have SentencePiece's marks.
pub fn are_sentence_pieces(tokens: &[String]) -> bool {
    tokens.iter().any(|token| token.starts_with(WORD_BEGINS) && token.len() > 3)
}

/// Returns the vocabulary of WordPiece for `texts`, of a teacher's `tokens` in the order of their
/// frequency.
///
/// # Errors
/// If a text's characters make no vocabulary, which is not expected.
pub fn word_pieces(
    tokens_of_teacher: &[String],
    texts: &[&str],
    lowercase: bool,
) -> Result<Vec<String>, VocabularyError> {
    let mut all: Vec<String> = SPECIAL.map(str::to_owned).to_vec();
    let mut seen: HashSet<String> = all.iter().cloned().collect();
    let mut add = |token: String| {
        if seen.insert(token.clone()) {
            all.push(token);
        }
    };
    for token in tokens_of_teacher {
        let begins = token.starts_with(WORD_BEGINS);
        let Some(word) = one_word(token.trim_start_matches(WORD_BEGINS), lowercase) else {
            continue;
        };
        // Characters that are words have no mark in a text without spaces.
        if begins || one_word(&format!("a{word}"), lowercase).is_none_or(|w| w.len() <= 1) {
            add(word);
        } else {
            add(format!("{WORD_GOES_ON}{word}"));
        }
    }
    // All characters of the texts are tokens, so that each word can be divided into tokens.
    let mut characters: Vec<char> = Vec::new();
    let mut known = HashSet::new();
    for text in texts {
        for_each_word(text, normaliser(lowercase), |word| {
            characters.extend(word.chars().filter(|&c| known.insert(c)));
        });
    }
    characters.sort_unstable();
    for c in characters {
        add(c.to_string());
        add(format!("{WORD_GOES_ON}{c}"));
    }

    let wordpiece = WordPiece::new(&all, normaliser(lowercase))?;
    let used: HashSet<u32> = texts
        .par_iter()
        .flat_map_iter(|text| tokens(&wordpiece, normaliser(lowercase), text))
        .collect();
    let mut room = MAX_TOKENS.saturating_sub(used.len());
    let kept = (0u32..).zip(all).filter(|(id, token)| {
        let stays = (*id as usize) < SPECIAL.len() || used.contains(id);
        let letters = token.trim_start_matches(WORD_GOES_ON);
        let in_its_letters = || letters.chars().all(|c| known.contains(&c));
        if !stays && room > 0 && in_its_letters() {
            room -= 1;
            return true;
        }
        stays
    });
    Ok(kept.map(|(_, token)| token).collect())
}

/// Returns the word that a token represents in a text, if it is a whole word.
fn one_word(token: &str, lowercase: bool) -> Option<String> {
    let mut words = Vec::new();
    for_each_word(token, normaliser(lowercase), |word| words.push(word.to_owned()));
    match &mut words[..] {
        [word] => Some(std::mem::take(word)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(tokens: &[&str], texts: &[&str]) -> Vec<String> {
        let tokens: Vec<String> = tokens.iter().map(|&token| token.to_owned()).collect();
        assert!(are_sentence_pieces(&tokens));
        word_pieces(&tokens, texts, true).unwrap()[SPECIAL.len()..].to_vec()
    }

    #[test]
    fn tokens_that_begin_a_word_lose_their_mark_and_others_get_one() {
        let tokens = ["<s>", "▁", "▁Haus", "tür", "en", "▁слово", "。", "字"];
        let texts = ["Die Haustüren, слово 字。"];
        let found = pieces(&tokens, &texts);
        for token in ["haus", "##tur", "##en", "слово", "。", "字"] {
            assert!(found.iter().any(|found| found == token), "{token}: {found:?}");
        }
        assert!(!found.iter().any(|token| token.contains('▁') || token.contains('ü')));
    }

    #[test]
    fn every_word_of_the_texts_has_tokens_and_other_letters_are_left_out() {
        let texts = ["Grüße aus Köln"];
        let found = pieces(&["▁aus", "▁ли", "▁koln", "▁nag"], &texts);
        assert!(!found.iter().any(|token| token == "ли"), "{found:?}");
        let all = [SPECIAL.map(str::to_owned).to_vec(), found].concat();
        let wordpiece = WordPiece::new(&all, normaliser(true)).unwrap();
        for word in ["Grüße", "Köln", "nag"] {
            assert!(!tokens(&wordpiece, normaliser(true), word).is_empty(), "{word}");
        }
    }

    #[test]
    fn a_vocabulary_without_marks_is_another() {
        assert!(!are_sentence_pieces(&["[CLS]".to_owned(), "haus".to_owned()]));
    }
}
