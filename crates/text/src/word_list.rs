//! Sorted lists of words.

use std::cmp::Ordering;

/// A list of words: lower case, sorted by their bytes, one space between two.
///
/// One string takes half the space of a slice of strings, each of which has an address and a
/// length.
#[derive(Clone, Copy, Default)]
pub(crate) struct WordList(pub(crate) &'static str);

impl WordList {
    /// Returns all words, in order.
    #[cfg(test)]
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.split(' ').filter(|word| !word.is_empty())
    }

    /// Returns whether `word` is in the list.
    pub fn contains(self, word: &str) -> bool {
        self.find(word).is_some()
    }

    /// Returns the word of the list that equals `word`. Binary search.
    pub fn find(self, word: &str) -> Option<&'static str> {
        let (list, word) = (self.0.as_bytes(), word.as_bytes());
        let (mut from, mut to) = (0, list.len());
        // The word lies in `from..to`, which begins and ends where words do.
        while from < to {
            let middle = from + (to - from) / 2;
            let start = from
                + list[from..middle].iter().rposition(|&b| b == b' ').map_or(0, |space| space + 1);
            let end =
                list[middle..to].iter().position(|&b| b == b' ').map_or(to, |space| middle + space);
            match word.cmp(&list[start..end]) {
                Ordering::Equal => return self.0.get(start..end),
                Ordering::Less => to = start.saturating_sub(1).max(from),
                Ordering::Greater => from = (end + 1).min(to),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_of_the_list_are_contained() {
        let list = WordList("a about an and ça über");
        for word in list.iter() {
            assert!(list.contains(word), "{word}");
            let rest: String = word.chars().skip(1).collect();
            for other in [format!("{word}x"), format!("{word} "), rest, format!(" {word}")] {
                let expect = list.iter().any(|word| word == other);
                assert_eq!(list.contains(&other), expect, "{other}");
            }
        }
        assert!(!WordList::default().contains("") && !WordList::default().contains("the"));
    }
}
