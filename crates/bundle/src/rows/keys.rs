//! The choice of the key of the static encoder's table that represents a word.

/// Minimum number of characters of a key that can represent a longer word. A single letter says
/// nothing about the word, and every shard would have to repeat it.
pub const MIN_PREFIX_CHARS: usize = 2;

/// The prefix of the key of a token that continues a word.
pub const CONTINUATION: &str = "##";

/// Returns the longest prefix of `key`, of more than `least` bytes, that `get` knows, as the value
/// that `get` returns and the prefix's length in bytes.
pub fn longest_prefix<T>(
    key: &str,
    least: usize,
    mut get: impl FnMut(&str) -> Option<T>,
) -> Option<(T, usize)> {
    let ends = (least + 1..=key.len()).rev().filter(|&end| key.is_char_boundary(end));
    ends.into_iter().find_map(|end| Some((get(&key[..end])?, end)))
}

/// Returns the key that represents a word: the word itself, or else the longest prefix of at least
/// [`MIN_PREFIX_CHARS`] characters that `get` knows. Returns the value that `get` returns, and the
/// key's length in bytes.
pub fn standing_for<T>(word: &str, get: impl FnMut(&str) -> Option<T>) -> Option<(T, usize)> {
    let least = word.char_indices().nth(MIN_PREFIX_CHARS).map_or(word.len(), |(end, _)| end);
    longest_prefix(word, least.saturating_sub(1), get)
}

/// Splits a word into pieces like WordPiece: the longest key that is a prefix of it, then the
/// longest [`CONTINUATION`] key that continues it, and so on. Empty if the keys do not cover the
/// word.
///
/// `longest(key, least)` finds the longest known prefix of `key`, of more than `least` bytes, as
/// [`longest_prefix`] does.
///
/// # Errors
/// The errors of `longest`.
pub fn pieces<T, E>(
    word: &str,
    mut longest: impl FnMut(&str, usize) -> Result<Option<(T, usize)>, E>,
) -> Result<Vec<T>, E> {
    let mut pieces = Vec::new();
    let mut key = word.to_owned();
    // Number of bytes of the key that belong to the continuation mark, not to the word.
    let mut mark = 0;
    while key.len() > mark {
        let Some((piece, end)) = longest(&key, mark)? else { return Ok(Vec::new()) };
        pieces.push(piece);
        key.replace_range(..end, CONTINUATION);
        mark = CONTINUATION.len();
    }
    Ok(pieces)
}

/// Returns the keys that a shard whose first key is `first` repeats in front: the sorted `keys`
/// that are proper prefixes of `first` and can represent a word.
pub fn prefixes<'k>(keys: &'k [String], first: &str) -> Vec<&'k str> {
    let mut found = Vec::new();
    for (end, _) in first.char_indices().skip(MIN_PREFIX_CHARS) {
        if let Ok(at) = keys.binary_search_by(|key| key.as_str().cmp(&first[..end])) {
            found.push(keys[at].as_str());
        }
    }
    found
}
