//! The stretch of a section's text that answers the query, with the query's words marked.

use std::ops::Range;

use findling_bundle::order;
use findling_text::{Analyzer, TokenKind};

use crate::api::Snippet;

/// Words of a snippet; in scripts written without spaces a token is about half a word.
pub(crate) const WORDS: usize = 40;
/// Words of the first result's snippet, since readers look at the first result before all others.
pub(crate) const FIRST_WORDS: usize = 80;
/// A text only this much longer is shown whole.
const SLACK: usize = 6;
/// Maximum length of a snippet in bytes, whatever its number of words.
const MAX_BYTES: usize = 1_000;
/// Distance in characters by which an end may be moved outwards to white space.
const MAX_REACH_CHARS: usize = 24;

/// The worth of a sentence whose likeness to the query is 1, and the total worth of the query's
/// words.
const ALIKE: i32 = 1 << 12;
/// The score that the first sentence of the first result gets for its place, because sections begin
/// with their subject. The second sentence scores half of it, the third a third.
const FIRST_SENTENCE: i64 = ALIKE as i64 / 5;
/// Score that a sentence of the first result loses if it is code: prose answers more often.
const CODE: i64 = ALIKE as i64 / 5;

/// Maximum length of text without words that is shown at either end of a text.
const MAX_EDGE_BYTES: usize = 100;

/// The words to mark: each term with the number of its word in the query, and the worth of each
/// word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// Words to mark, by term, each once.
    words: Vec<(String, u16)>,
    worth: Vec<u32>,
}

impl Marks {
    /// Adds a word of the query: its terms, and its worth (its idf).
    pub fn push<'t>(&mut self, terms: impl IntoIterator<Item = &'t str>, worth: f32) {
        let Ok(word) = u16::try_from(self.worth.len()) else { return };
        // Whole numbers, so that removing a word from a window subtracts exactly the amount that it
        // added.
        self.worth.push(1 + (worth.clamp(0.0, 1000.0) * 1000.0) as u32);
        for term in terms {
            if let Err(place) = self.find(term) {
                self.words.insert(place, (term.to_string(), word));
            }
        }
    }

    fn find(&self, term: &str) -> Result<usize, usize> {
        self.words.binary_search_by(|(known, _)| known.as_str().cmp(term))
    }
}

/// One token of the text. Identifiers are represented by their parts.
struct Unit {
    start: usize,
    end: usize,
    word: Option<u16>,
    /// The likeness of its sentence to the query, in parts of [`ALIKE`].
    likeness: i32,
}

/// Returns a snippet of about `size` words from `within`, a range of bytes of `text`. If the range
/// is not valid, the snippet comes from the whole text. `likeness` has the end of each stretch of
/// the text, ascending, and the stretch's similarity to the query, -1 to 1; it may be empty.
pub(crate) fn snippet(
    text: &str,
    code: &[Range<u32>],
    within: Range<usize>,
    size: usize,
    likeness: &[(usize, f32)],
    analyzer: &mut Analyzer,
    marks: &Marks,
) -> Snippet {
    let within = if text.get(within.clone()).is_some() { within } else { 0..text.len() };
    let (mut units, marked) = units(text, within.clone(), analyzer, marks);
    let mut stretches = likeness.iter().peekable();
    for unit in &mut units {
        while stretches.next_if(|(end, _)| *end <= unit.start).is_some() {}
        unit.likeness =
            stretches.peek().map_or(0, |(_, likeness)| (likeness * ALIKE as f32) as i32);
    }
    let is_first_result = size == FIRST_WORDS;
    let spaceless =
        units.iter().filter(|unit| text[unit.start..].starts_with(|c| c >= '\u{2e80}')).count();
    let size = if spaceless * 2 > units.len() { 2 * size } else { size };
    let sentences = sentences(text, &units, size);
    let is_code = |at: u32| code.iter().any(|range| range.contains(&at));
    let prior = |place: usize, sentence: &[Unit]| match sentence.first() {
        Some(unit) if is_first_result => {
            FIRST_SENTENCE / (place as i64 + 1) - CODE * i64::from(is_code(unit.start as u32))
        }
        _ => 0,
    };
    let Window { shown: window, best } = window(&units, &sentences, size, marks, prior);
    let bytes = |run: &Range<usize>| match units.get(run.clone()) {
        Some([first, .., last]) => outwards(text, &within, first.start..last.end.max(first.end)),
        Some([only]) => outwards(text, &within, only.start..only.end),
        _ => within.clone(),
    };
    let (span, sentence) = (bytes(&window), bytes(&best));
    // Signs and brackets before the first word and after the last are shown with them.
    let lead = span.start - within.start;
    let start = if window.start == 0 && lead <= MAX_EDGE_BYTES { within.start } else { span.start };
    let end = if window.end == units.len() && within.end - span.end <= MAX_EDGE_BYTES {
        within.end
    } else {
        span.end
    };
    cut(text, start..end, sentence, &marked, code)
}

/// Returns the tokens of a stretch, and the ranges to mark, ascending by start.
fn units(
    text: &str,
    within: Range<usize>,
    analyzer: &mut Analyzer,
    marks: &Marks,
) -> (Vec<Unit>, Vec<Range<usize>>) {
    let mut units: Vec<Unit> = Vec::new();
    let mut marked = Vec::new();
    // An identifier as a whole comes before its parts. Its word is given to the part that follows.
    let mut whole = None;
    analyzer.analyze(&text[within.clone()], |token| {
        let (start, end) = (within.start + token.start as usize, within.start + token.end as usize);
        let word = marks.find(token.term).ok().map(|place| marks.words[place].1);
        if word.is_some() {
            marked.push(start..end);
        }
        if token.kind == TokenKind::Whole {
            whole = word;
        } else if token.kind == TokenKind::Mark && word.is_none() {
            // A mark that is not in the query is not a word.
        } else {
            units.push(Unit { start, end, word: whole.take().or(word), likeness: 0 });
        }
    });
    order::sort_by(&mut marked, |a: &Range<usize>, b| (a.start, a.end) < (b.start, b.end));
    (units, marked)
}

/// The units of a snippet.
struct Window {
    shown: Range<usize>,
    /// The units of the sentence that it was chosen for.
    best: Range<usize>,
}

/// Returns the units to show: the best sentence, and whole neighbouring sentences if there is room.
/// The best sentence covers most of the query or is most like it. The first of equal sentences
/// wins.
///
/// `prior`: the score of a sentence by its place and units, regardless of the query.
fn window(
    units: &[Unit],
    sentences: &[Range<usize>],
    size: usize,
    marks: &Marks,
    prior: impl Fn(usize, &[Unit]) -> i64,
) -> Window {
    let all: u64 = marks.worth.iter().map(|&worth| u64::from(worth)).sum();
    let mut said = vec![false; marks.worth.len()];
    let (mut place_of_best, mut best_score) = (0, i64::MIN);
    for (place, sentence) in sentences.iter().enumerate() {
        let units = &units[sentence.clone()];
        let likeness: i64 = units.iter().map(|unit| i64::from(unit.likeness)).sum();
        let worth = ALIKE as u64 * worth(units, marks, &said) / all.max(1);
        let likeness = likeness / units.len().max(1) as i64;
        let score = worth as i64 + likeness + prior(place, units);
        if score > best_score {
            (place_of_best, best_score) = (place, score);
        }
    }
    let (mut first, mut last) = (place_of_best, place_of_best);
    let best = sentences.get(place_of_best).cloned().unwrap_or(0..0);
    if units.len() <= size + SLACK {
        return Window { shown: 0..units.len(), best };
    }
    let mut shown = best.clone();
    loop {
        for word in units[shown.clone()].iter().filter_map(|unit| unit.word) {
            said[usize::from(word)] = true;
        }
        let room = size + SLACK - shown.len();
        let beside = |place: Option<usize>| {
            let sentence = sentences.get(place?).filter(|sentence| sentence.len() <= room)?;
            Some(worth(&units[sentence.clone()], marks, &said))
        };
        match (beside(first.checked_sub(1)), beside(Some(last + 1))) {
            (None, None) => break,
            // The following sentence explains more often than the previous one.
            (before, behind) if before > behind => first -= 1,
            _ => last += 1,
        }
        shown = sentences[first].start..sentences[last].end;
    }
    // A short sentence between long ones is shown with the beginning of the next.
    let end = if shown.len() < size / 2 { shown.start + size } else { shown.end };
    let end = end.min(units.len()).max(shown.end);
    Window { shown: shown.start..end, best }
}

/// Returns the worth of the query's words among these units, each counted once, without the words
/// in `said`.
fn worth(units: &[Unit], marks: &Marks, said: &[bool]) -> u64 {
    let mut sum = 0;
    for (i, unit) in units.iter().enumerate() {
        let Some(word) = unit.word.filter(|&word| !said[usize::from(word)]) else { continue };
        if !units[..i].iter().any(|before| before.word == Some(word)) {
            sum += u64::from(marks.worth[usize::from(word)]);
        }
    }
    sum
}

/// Returns the sentences of a text. A sentence of more than `most` units is divided into pieces of
/// half as many.
fn sentences(text: &str, units: &[Unit], most: usize) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for end in 1..=units.len() {
        if end < units.len() && !begins_sentence(text, units, end) {
            continue;
        }
        while end - start > most {
            sentences.push(start..start + most / 2);
            start += most / 2;
        }
        sentences.push(start..end);
        start = end;
    }
    sentences
}

fn begins_sentence(text: &str, units: &[Unit], i: usize) -> bool {
    let Some(before) = i.checked_sub(1).map(|before| &units[before]) else { return true };
    let gap = text.get(before.end..units[i].start).unwrap_or("");
    gap.contains(['\n', '。', '！', '？'])
        || gap.contains(['.', '!', '?']) && gap.contains(char::is_whitespace)
}

/// Moves both ends outwards to white space, so that no word is cut and brackets stay with their
/// words.
fn outwards(text: &str, within: &Range<usize>, span: Range<usize>) -> Range<usize> {
    let before = &text[within.start.min(span.start)..span.start];
    let mut start = span.start;
    for (n, (at, c)) in before.char_indices().rev().enumerate() {
        if c.is_whitespace() {
            break;
        }
        if n == MAX_REACH_CHARS {
            start = span.start;
            break;
        }
        start = within.start + at;
    }
    let behind = &text[span.end..within.end.max(span.end)];
    let mut end = span.end;
    for (n, (at, c)) in behind.char_indices().enumerate() {
        if c.is_whitespace() {
            break;
        }
        if n == MAX_REACH_CHARS {
            end = span.end;
            break;
        }
        end = span.end + at + c.len_utf8();
    }
    start..end
}

/// Cuts a span out and counts in UTF-16.
fn cut(
    text: &str,
    span: Range<usize>,
    sentence: Range<usize>,
    marked: &[Range<usize>],
    code: &[Range<u32>],
) -> Snippet {
    let mut end = span.end;
    if end - span.start > MAX_BYTES {
        end = span.start + MAX_BYTES;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
    }
    let shown = &text[span.start..end];
    let start = span.start + (shown.len() - shown.trim_start().len());
    let end = start + shown.trim().len();
    // The indentation of the first line belongs to code.
    let lead = text[..start].trim_end_matches([' ', '\t']);
    let start = if lead.is_empty() || lead.ends_with('\n') { lead.len() } else { start };
    let shown = &text[start..end];
    let span = start..end;

    let clip = |range: Range<usize>| {
        let start = range.start.clamp(span.start, span.end);
        start..range.end.clamp(start, span.end)
    };
    let sentence = clip(sentence);
    let code = code.iter().map(|range| range.start as usize..range.end as usize);
    Snippet {
        text: shown.to_string(),
        ranges: utf16(shown, span.start, joined(marked.iter().cloned().map(clip))),
        code: utf16(shown, span.start, joined(code.map(clip))),
        sentence: utf16(shown, span.start, vec![sentence]).pop().unwrap_or_default(),
        cut_start: !text[..span.start].trim().is_empty(),
        cut_end: !text[span.end..].trim().is_empty(),
    }
}

/// Joins ranges that overlap or touch, and drops empty ones.
fn joined(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges.filter(|range| range.start < range.end) {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// Converts byte ranges of a larger text (ascending and disjoint) to UTF-16 ranges of `text`, which
/// begins at byte `base` of the larger text.
fn utf16(text: &str, base: usize, ranges: Vec<Range<usize>>) -> Vec<(u32, u32)> {
    let (mut at, mut units) = (0, 0);
    let mut to = |byte: usize| {
        units += text[at..byte].encode_utf16().count() as u32;
        at = byte;
        units
    };
    ranges.into_iter().map(|range| (to(range.start - base), to(range.end - base))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn marks(words: &[&str]) -> Marks {
        let mut marks = Marks::default();
        let mut analyzer = Analyzer::for_language("en");
        for word in words {
            let mut terms = Vec::new();
            analyzer.analyze(word, |token| terms.push(token.term.to_string()));
            marks.push(terms.iter().map(String::as_str), 1.0);
        }
        marks
    }

    fn shown(text: &str, words: &[&str]) -> (Snippet, Vec<String>) {
        let mut analyzer = Analyzer::for_language("en");
        let snippet = snippet(text, &[], 0..text.len(), WORDS, &[], &mut analyzer, &marks(words));
        let units: Vec<u16> = snippet.text.encode_utf16().collect();
        let marked = snippet
            .ranges
            .iter()
            .map(|&(start, end)| String::from_utf16(&units[start as usize..end as usize]).unwrap())
            .collect();
        (snippet, marked)
    }

    #[test]
    fn a_short_text_is_shown_whole() {
        let (snippet, marked) = shown("Sharing a Mutex between threads.", &["thread", "share"]);
        assert_eq!(snippet.text, "Sharing a Mutex between threads.");
        assert_eq!(marked, ["Sharing", "threads"]);
        assert!(!snippet.cut_start && !snippet.cut_end);
    }

    #[test]
    fn ranges_count_as_javascript_does() {
        let (snippet, marked) = shown("😀 ünï thread", &["thread"]);
        assert_eq!(marked, ["thread"]);
        assert_eq!(snippet.ranges, [(7, 13)]);
    }

    #[test]
    fn the_window_is_where_the_words_are_and_begins_with_their_sentence() {
        let filler = "lorem ipsum dolor sit amet ".repeat(20);
        let text = format!("{filler}. A mutex guards shared data between threads. {filler}");
        let (snippet, marked) = shown(&text, &["mutex", "thread"]);
        assert!(snippet.text.starts_with("A mutex guards"), "{}", snippet.text);
        assert_eq!(marked, ["mutex", "threads"]);
        assert!(snippet.cut_start && snippet.cut_end);
        let n_words = snippet.text.split_whitespace().count();
        assert!((WORDS / 2..=WORDS + SLACK).contains(&n_words), "{n_words}");
    }

    #[test]
    fn whole_sentences_are_shown_beside_the_best_those_that_say_more_first() {
        let plain = "Here is a sentence of twelve words that is of no use. ";
        let thread = "A thread waits for another one and it says so to everybody.";
        let mutex = "A mutex guards what two of them share while both are running.";
        let text = format!("{plain}{plain}{thread} {mutex} {plain}{plain}");
        let (snippet, marked) = shown(&text, &["mutex", "thread"]);
        assert_eq!(snippet.text, format!("{thread} {mutex} {}", plain.trim_end()));
        assert_eq!(marked, ["thread", "mutex"]);
        let (start, end) = snippet.sentence;
        assert_eq!(&snippet.text[start as usize..end as usize], thread);
        // The sentence before is taken first if it has more words of the query than the one after.
        let text = format!("{plain}{mutex} {thread} threads {thread} {plain}{plain}");
        let (snippet, _) = shown(&text, &["mutex", "thread", "waits"]);
        assert!(snippet.text.starts_with(mutex), "{}", snippet.text);
    }

    #[test]
    fn a_sentence_without_end_is_shown_from_its_best_part() {
        let filler = "lorem ipsum dolor sit amet ".repeat(20);
        let (snippet, marked) = shown(&format!("{filler} mutex {filler}"), &["mutex"]);
        assert_eq!(marked, ["mutex"]);
        assert!(snippet.cut_start && snippet.cut_end);
        assert!(snippet.text.split_whitespace().count() <= WORDS + SLACK);
    }

    #[test]
    fn several_words_beat_one_word_often() {
        let filler = "lorem ipsum dolor sit amet ".repeat(20);
        let text = format!("mutex mutex mutex. {filler}. mutex and thread. {filler}");
        let (snippet, _) = shown(&text, &["mutex", "thread"]);
        assert!(snippet.text.contains("mutex and thread"));
    }

    #[test]
    fn without_words_the_sentences_most_like_the_query_are_shown() {
        let filler = "lorem ipsum dolor sit amet ".repeat(8);
        let text = format!(
            "{filler}. One is like it, {filler}. Two is liker, {filler}. Three, {filler}. \
             Four has a mutex, {filler}."
        );
        let ends: Vec<usize> =
            text.match_indices(". ").map(|(at, _)| at + 2).chain([text.len()]).collect();
        let likeness =
            |of: [f32; 5]| -> Vec<(usize, f32)> { ends.iter().copied().zip(of).collect() };
        let shown = |of: [f32; 5], words: &[&str]| {
            let mut analyzer = Analyzer::for_language("en");
            snippet(&text, &[], 0..text.len(), WORDS, &likeness(of), &mut analyzer, &marks(words))
                .text
        };
        assert!(shown([0.0, 0.1, 0.3, 0.0, 0.0], &[]).starts_with("Two is liker"));
        assert!(shown([-0.4, -0.1, -0.2, -0.3, -0.4], &["absent"]).starts_with("One is like it"));
        // A word is worth more than being a little like.
        assert!(shown([0.0, 0.1, 0.3, 0.0, 0.0], &["mutex"]).starts_with("Four has a mutex"));
        assert!(shown([0.0, 0.1, 0.7, 0.0, 0.0], &["mutex", "thread"]).starts_with("Two is liker"));
    }

    #[test]
    fn of_equal_sentences_the_first_result_shows_the_first_and_prose() {
        let filler = "lorem ipsum dolor sit amet ".repeat(9);
        let text = format!("mutex.lock(), {filler}.\nA mutex and thread, {filler}. mutex.");
        let sentence = |code: &[Range<u32>], size: usize, words: &[&str]| {
            let mut analyzer = Analyzer::for_language("en");
            let marks = marks(words);
            let snippet = snippet(&text, code, 0..text.len(), size, &[], &mut analyzer, &marks);
            snippet.text[snippet.sentence.0 as usize..][..7].to_string()
        };
        let code = std::iter::once(0..12).collect::<Vec<_>>();
        assert_eq!(sentence(&[], FIRST_WORDS, &["mutex"]), "mutex.l");
        assert_eq!(sentence(&code, FIRST_WORDS, &["mutex"]), "A mutex");
        assert_eq!(sentence(&code, WORDS, &["mutex"]), "mutex.l");
        // Words of the query weigh more.
        assert_eq!(sentence(&[], FIRST_WORDS, &["mutex", "thread"]), "A mutex");
    }

    #[test]
    fn a_snippet_has_about_as_many_words_as_it_should() {
        let text = "A thread waits for another one here. ".repeat(40);
        for size in [WORDS, FIRST_WORDS] {
            let mut analyzer = Analyzer::for_language("en");
            let marks = marks(&["thread"]);
            let all = 0..text.len();
            let shown = snippet(&text, &[], all, size, &[], &mut analyzer, &marks).text;
            let n_words = shown.split_whitespace().count();
            assert!((size - SLACK..=size + SLACK).contains(&n_words), "{n_words} of {size}");
        }
    }

    #[test]
    fn without_words_the_beginning_is_shown() {
        let text = "one two three ".repeat(100);
        let (snippet, marked) = shown(&text, &["mutex"]);
        assert!(snippet.text.starts_with("one two three") && snippet.cut_end && !snippet.cut_start);
        assert!(marked.is_empty());
    }

    #[test]
    fn code_is_told_and_stays_within_the_text() {
        let text = "call lock() here";
        let mut analyzer = Analyzer::for_language("en");
        let code = std::iter::once(5..11).collect::<Vec<_>>();
        let snippet =
            snippet(text, &code, 0..text.len(), WORDS, &[], &mut analyzer, &marks(&["lock"]));
        assert_eq!(snippet.code, [(5, 11)]);
        assert_eq!(snippet.ranges, [(5, 9)]);
    }

    proptest! {
        #[test]
        fn any_text_is_safe(
            text in "\\PC{0,60}|([a-c ]{1,8}[.\n😀é東京]){0,60}",
            from in 0usize..80,
            len in 0usize..80,
            size in 2usize..80,
        ) {
            let mut analyzer = Analyzer::for_language("en");
            let marks = marks(&["a", "b", "東京"]);
            let snippet = snippet(&text, &[], from..from + len, size, &[], &mut analyzer, &marks);
            prop_assert!(text.contains(&snippet.text));
            prop_assert!(snippet.text.len() <= MAX_BYTES);
            let n = snippet.text.encode_utf16().count() as u32;
            let mut at = 0;
            for &(start, end) in &snippet.ranges {
                prop_assert!(at <= start && start < end && end <= n);
                at = end;
            }
            let (start, end) = snippet.sentence;
            prop_assert!(start <= end && end <= n);
        }
    }
}
