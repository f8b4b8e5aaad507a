//! Parts of compounds: in languages that write a compound as one word, a title with
//! `Tabellendokument` is found by `Dokument` too.
//!
//! The site is its own dictionary: a part counts as a word if some page has it as a separate word.
//! A batch of pages does not know the words of other batches, so it keeps every piece that may be a
//! word as a candidate: a separate term, with a mark that sorts it directly after the word. When
//! the terms of all batches are merged, candidates are joined with their words, and candidates
//! without a word are dropped. An edit that adds a word to the site, or removes its last
//! occurrence, changes only the postings of that word.
//!
//! The compared terms are stems: the last part of a compound has the same inflections as the word
//! alone.

use findling_text::COMPOUNDING;

use super::page_batch::{LevelPostings, TermPostings};

/// The character after a candidate. No term contains it.
const MARK: char = '\0';

/// The fewest characters of a part, and of the text before or after it.
const MIN_PART: usize = 4;

/// Returns whether a language writes compounds as one word.
pub fn joins_words(language: &str) -> bool {
    COMPOUNDING.contains(&language)
}

/// Passes the pieces of a term that may be words to `sink`: its beginnings and its endings. If a
/// first part is joined by a link (`Tabelle-n-dokument`), it is a beginning too.
pub fn candidates(term: &str, mut sink: impl FnMut(&str)) {
    if !term.chars().all(char::is_alphabetic) {
        return;
    }
    for (first, last) in cuts(term) {
        for piece in [first, last] {
            sink(&format!("{piece}{MARK}"));
        }
    }
}

/// Returns the word that a candidate would be; `None` for a term.
pub fn word_of(term: &str) -> Option<&str> {
    term.strip_suffix(MARK)
}

/// Returns where to cut sorted terms so that a word and its candidate stay together.
pub fn with_word(start: &str) -> &str {
    word_of(start).unwrap_or(start)
}

/// Joins candidates with their words, if a batch has both. `terms` must be sorted.
pub fn join(terms: &mut Vec<(Box<str>, u32)>, lists: &mut [TermPostings]) {
    let mut word: Option<(Box<str>, u32)> = None;
    terms.retain(|(term, at)| {
        match (word_of(term), &word) {
            (Some(of), Some((word, into))) if of == &**word => {
                let candidate = std::mem::take(&mut lists[*at as usize]);
                let lists = &mut lists[*into as usize].levels;
                for (list, other) in lists.iter_mut().zip(candidate.levels) {
                    list.join(&other);
                }
                return false;
            }
            (Some(_), _) => {}
            (None, _) => word = Some((term.clone(), *at)),
        }
        true
    });
}

impl LevelPostings {
    /// Adds postings that have no positions.
    fn join(&mut self, other: &Self) {
        if other.postings.is_empty() {
            return;
        }
        let own =
            std::mem::take(&mut self.postings).into_iter().zip(std::mem::take(&mut self.counts));
        let (mut own, mut other) = (own.peekable(), other.postings.iter().peekable());
        loop {
            let (mine, theirs) = (own.peek().map(|(p, _)| p.id), other.peek().map(|p| p.id));
            let Some(id) = mine.into_iter().chain(theirs).min() else { return };
            let mine = own.next_if(|(posting, _)| posting.id == id);
            let theirs = other.next_if(|posting| posting.id == id);
            let (posting, count) = match (mine, theirs) {
                (Some((mut posting, count)), Some(theirs)) => {
                    posting.tf = [0, 1].map(|field| posting.tf[field] + theirs.tf[field]);
                    (posting, count)
                }
                (Some(mine), None) => mine,
                (None, Some(&theirs)) => (theirs, 0),
                (None, None) => return,
            };
            self.postings.push(posting);
            self.counts.push(count);
        }
    }
}

/// Returns all ways to cut a term into two parts of sufficient length.
fn cuts(term: &str) -> impl Iterator<Item = (&str, &str)> {
    let all = term.char_indices().map(move |(at, _)| term.split_at(at));
    all.filter(|(first, last)| is_long_enough(first) && is_long_enough(last))
}

fn is_long_enough(part: &str) -> bool {
    part.chars().nth(MIN_PART - 1).is_some()
}

#[cfg(test)]
mod tests {
    use findling_bundle::{Level, Posting};

    use super::*;

    fn pieces(term: &str) -> Vec<String> {
        let mut found = Vec::new();
        candidates(term, |piece| found.extend(word_of(piece).map(str::to_owned)));
        found
    }

    #[test]
    fn pieces_leave_enough_on_both_sides() {
        assert_eq!(
            pieces("größenmaß"),
            ["größ", "enmaß", "größe", "nmaß"],
            "characters are counted, not bytes"
        );
        assert_eq!(pieces("dokument"), ["doku", "ment"]);
        assert_eq!(pieces("bericht"), [""; 0]);
        assert_eq!(pieces("e0382abcdef"), [""; 0], "codes are no compounds");
    }

    fn list(postings: &[(u32, [u32; 2])], counts: &[u32]) -> LevelPostings {
        let posting = |&(id, tf): &(u32, [u32; 2])| Posting::new(Level::Page, id, tf, [9, 0]);
        LevelPostings {
            postings: postings.iter().map(posting).collect(),
            counts: counts.to_vec(),
            positions: (0..counts.iter().sum()).collect(),
        }
    }

    #[test]
    fn candidates_join_the_word_of_their_batch() {
        let of = |lists: LevelPostings| TermPostings {
            levels: [lists, LevelPostings::default(), LevelPostings::default()],
            is_searched_for: false,
        };
        let mut terms: Vec<(Box<str>, u32)> = vec![
            ("rand".into(), 0),
            ("rand\0".into(), 1),
            ("rand\u{1}x".into(), 3),
            ("zahl\0".into(), 2),
        ];
        let mut lists = [
            of(list(&[(1, [1, 0]), (4, [2, 0])], &[1, 2])),
            of(list(&[(0, [0, 1]), (4, [0, 2]), (6, [0, 1])], &[0, 0, 0])),
            of(list(&[(2, [0, 1])], &[0])),
            of(list(&[(5, [1, 0])], &[0])),
        ];
        join(&mut terms, &mut lists);
        let left: Vec<&str> = terms.iter().map(|(term, _)| &**term).collect();
        assert_eq!(left, ["rand", "rand\u{1}x", "zahl\0"]);
        let joined = &lists[0].levels[0];
        let found: Vec<_> = joined.postings.iter().map(|p| (p.id, p.tf, p.len)).collect();
        let expect =
            [(0, [0, 1], [0, 0]), (1, [1, 0], [9, 0]), (4, [2, 2], [9, 0]), (6, [0, 1], [0, 0])];
        assert_eq!(found, expect);
        assert_eq!(joined.counts, [0, 1, 2, 0]);
        assert_eq!(joined.positions.len(), 3);
    }
}
