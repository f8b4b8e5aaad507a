//! The nearest word in a sorted list, by edit distance.
//!
//! Optimal string alignment (Damerau, CACM 1964, restricted): inserting, deleting or replacing a
//! letter and swapping two neighbours cost one edit each, and half an edit more at the first
//! letter, which people seldom mistype. Words come in order, with the number of bytes that each
//! shares with the previous one. So the rows of the table for a shared beginning are computed once,
//! as in a trie. If no ending can bring a beginning within the budget, all its words are skipped.

#![doc(alias = "deferred")]

use findling_bundle::SpellingShard;

/// All costs are in half edits.
const EDIT: u8 = 2;
const FIRST_EDIT: u8 = 3;

/// Half an edit weighs as much as this many steps of [`findling_bundle::spelling::commonness`],
/// three octaves.
const STEPS_PER_HALF: i32 = 24;

/// Longest word that is compared, in characters.
pub(super) const MAX_CHARS: usize = 32;

/// A word to be corrected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistyped {
    letters: Vec<char>,
    /// Whether it may be only the beginning of a word.
    open: bool,
}

/// Maximum number of similar words of a word.
pub(super) const MAX_LIKE: usize = 3;

/// A word of the site, and how near it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Near {
    pub word: String,
    /// In half edits.
    pub cost: u8,
    common: u8,
}

impl Near {
    /// Returns the replacement of this word by two words with a space between them.
    pub fn joined(word: String) -> Self {
        Self { word, cost: EDIT, common: 0 }
    }

    /// Returns a word that was chosen for several bundles.
    pub fn chosen(word: String, cost: u8) -> Self {
        Self { word, cost, common: 0 }
    }

    /// Returns a rank, lowest first. Candidates of equal rank keep their order in the list.
    pub fn rank(&self) -> i32 {
        i32::from(self.cost) * STEPS_PER_HALF - i32::from(self.common)
    }
}

impl Mistyped {
    pub fn new(word: &str, open: bool) -> Self {
        Self { letters: word.chars().collect(), open }
    }

    /// Returns the half edits allowed: one edit, at the first letter only for words of five or more
    /// letters; two edits for eight or more letters.
    fn budget(&self) -> u8 {
        match (self.letters.len(), self.open) {
            (0..4, _) => 0,
            (4, _) | (5..8, true) => EDIT,
            (5..8, false) => FIRST_EDIT,
            (_, true) => 2 * EDIT,
            (_, false) => EDIT + FIRST_EDIT,
        }
    }

    /// Returns the nearest of `best` and the words of a shard. O(words of the shard that share a
    /// beginning with this one · letters).
    pub fn nearest(&self, shard: &SpellingShard, best: Option<Near>) -> Option<Near> {
        let budget = self.budget();
        let mut best = best;
        let mut table = Table::new(&self.letters, budget);
        let mut words = shard.words();
        while let Some(word) = words.advance() {
            let Some(cost) = table.cost(word.text, word.shared, self.open) else { continue };
            let near = Near { word: String::new(), cost, common: word.common };
            // The word itself is not a correction. But the beginning of a word (`installatio`) is
            // completed, which stems in the lexicon do not show.
            if (cost > 0 || self.open) && best.as_ref().is_none_or(|best| near.rank() < best.rank())
            {
                best = Some(Near { word: word.text.to_string(), ..near });
            }
        }
        best
    }
}

impl Mistyped {
    /// Returns the half edits within which a word may be suggested although it is not a correction:
    /// one edit for three letters, four for eleven.
    fn wide_budget(&self) -> u8 {
        match self.letters.len() {
            0..3 => 0,
            3 => EDIT,
            4 => FIRST_EDIT,
            5 => 2 * EDIT,
            6..8 => EDIT + FIRST_EDIT,
            8..11 => 2 * EDIT + FIRST_EDIT,
            _ => 3 * EDIT + FIRST_EDIT,
        }
    }

    /// Adds the words of a shard that are similar to this one or begin with it, keeping the
    /// [`MAX_LIKE`] best, best first.
    pub fn like(&self, shard: &SpellingShard, best: &mut Vec<Near>) {
        let budget = self.wide_budget();
        let typed: String = self.letters.iter().collect();
        let mut table = Table::new(&self.letters, budget);
        let mut words = shard.words();
        while let Some(word) = words.advance() {
            let begun = word.text.starts_with(&typed).then_some(FIRST_EDIT.min(budget));
            let Some(cost) =
                table.cost(word.text, word.shared, false).into_iter().chain(begun).min()
            else {
                continue;
            };
            let near = Near { word: String::new(), cost, common: word.common };
            let place = best.partition_point(|other| other.rank() <= near.rank());
            if cost > 0 && place < MAX_LIKE {
                best.truncate(MAX_LIKE - 1);
                best.insert(place, Near { word: word.text.to_string(), ..near });
            }
        }
    }
}

/// The table of edit distances between a mistyped word and the current word of the list.
struct Table<'a> {
    typed: &'a [char],
    budget: u8,
    /// A first row, then a row for each letter of the current word. There are no rows beyond
    /// `dead`.
    rows: Vec<[u8; MAX_CHARS + 1]>,
    letters: Vec<char>,
    /// The end of each letter, in bytes.
    ends: Vec<usize>,
    /// The number of letters after which no ending can be within the budget any more.
    dead: Option<usize>,
}

impl<'a> Table<'a> {
    fn new(typed: &'a [char], budget: u8) -> Self {
        let typed = &typed[..typed.len().min(MAX_CHARS)];
        let mut first = [0; MAX_CHARS + 1];
        for (i, cell) in first.iter_mut().enumerate().skip(1) {
            *cell = (FIRST_EDIT as usize + (i - 1) * EDIT as usize).min(u8::MAX as usize / 2) as u8;
        }
        Self { typed, budget, rows: vec![first], letters: Vec::new(), ends: Vec::new(), dead: None }
    }

    /// Returns the half edits between the typed word and `word`, or with `open` the best beginning
    /// of `word`; `None` beyond the budget. `shared`: bytes that `word` has in common with the word
    /// before.
    fn cost(&mut self, word: &str, shared: usize, open: bool) -> Option<u8> {
        while self.ends.last().is_some_and(|end| *end > shared) {
            self.ends.pop();
            self.letters.pop();
            if self.rows.len() > self.letters.len() + 1 {
                self.rows.pop();
            }
        }
        let kept = self.letters.len();
        if self.dead.is_some_and(|dead| dead > kept) {
            self.dead = None;
        }
        let from = self.ends.last().copied().unwrap_or(0);
        for (at, letter) in word.get(from..)?.char_indices() {
            self.letters.push(letter);
            self.ends.push(from + at + letter.len_utf8());
            if self.dead.is_none() {
                self.row();
            }
        }
        let n = self.typed.len();
        let end = if self.dead.is_some() { None } else { self.rows.last() };
        let cost = match open {
            true => self.rows.iter().map(|row| row[n]).min(),
            false => end.map(|row| row[n]),
        }?;
        (cost <= self.budget).then_some(cost)
    }

    /// Computes the row of the last letter.
    fn row(&mut self) {
        let j = self.rows.len();
        let letter = self.letters[j - 1];
        let above = &self.rows[j - 1];
        let edit = |i: usize, j: usize| if i <= 1 && j <= 1 { FIRST_EDIT } else { EDIT };
        let mut row = [0; MAX_CHARS + 1];
        row[0] = above[0].saturating_add(if j == 1 { FIRST_EDIT } else { EDIT });
        let mut least = row[0];
        for i in 1..=self.typed.len() {
            let typed = self.typed[i - 1];
            let replaced = if typed == letter {
                above[i - 1]
            } else {
                above[i - 1].saturating_add(edit(i, j))
            };
            let left_out = above[i].saturating_add(EDIT);
            let inserted = row[i - 1].saturating_add(EDIT);
            let mut cost = replaced.min(left_out).min(inserted);
            if i > 1 && j > 1 && typed == self.letters[j - 2] && self.typed[i - 2] == letter {
                cost = cost.min(self.rows[j - 2][i - 2].saturating_add(EDIT));
            }
            row[i] = cost;
            least = least.min(cost);
        }
        self.rows.push(row);
        // A transposition uses the row before the last, at the cost of one edit.
        let before = above_least(&self.rows[j - 1], self.typed.len()).saturating_add(EDIT);
        if least > self.budget && before > self.budget {
            self.dead = Some(j);
        }
    }
}

fn above_least(row: &[u8; MAX_CHARS + 1], n: usize) -> u8 {
    row.iter().take(n + 1).copied().min().unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use findling_bundle::spelling::SpellingBuilder;
    use proptest::prelude::*;

    use super::*;

    fn shard(words: &std::collections::BTreeMap<String, u8>) -> SpellingShard {
        let mut builder = SpellingBuilder::new();
        for (word, common) in words {
            builder.push(word, *common).unwrap();
        }
        SpellingShard::from_bytes(builder.finish()).unwrap()
    }

    fn nearest(typed: &str, open: bool, words: &[&str]) -> Option<String> {
        let words = words.iter().map(|word| (word.to_string(), 10)).collect();
        Mistyped::new(typed, open).nearest(&shard(&words), None).map(|near| near.word)
    }

    #[test]
    fn one_slip_is_put_right() {
        let words = ["concurrency", "constraint", "mutex", "receive", "thread", "vite"];
        for (typed, expect) in [
            ("recieve", Some("receive")),
            ("mutx", Some("mutex")),
            ("mutexx", Some("mutex")),
            ("motex", Some("mutex")),
            ("htread", Some("thread")),
            ("hread", Some("thread")),
            ("concurency", Some("concurrency")),
            ("concurancy", Some("concurrency")),
            ("contraint", Some("constraint")),
            // A word of four letters keeps its first letter; two edits need eight letters.
            ("bite", None),
            ("mtx", None),
            ("moteks", None),
            ("receive", None),
        ] {
            assert_eq!(nearest(typed, false, &words).as_deref(), expect, "{typed}");
        }
    }

    #[test]
    fn words_like_another_are_named_the_likeliest_first() {
        let like = |typed: &str, words: &[(&str, u8)]| {
            let words = words.iter().map(|&(word, common)| (word.to_string(), common)).collect();
            let mut best = Vec::new();
            Mistyped::new(typed, false).like(&shard(&words), &mut best);
            best.into_iter().map(|near| near.word).collect::<Vec<_>>()
        };
        let words = [("mutex", 10), ("mute", 10), ("mutable", 20), ("motor", 10), ("receive", 10)];
        // Further away than a correction may be.
        assert_eq!(like("motekx", &words), ["mutex"]);
        assert_eq!(like("mut", &words), ["mutable", "mute", "mutex"]);
        assert_eq!(like("rxcxivx", &words), [""; 0]);
        // The word itself is not like itself.
        assert_eq!(like("mutex", &[("mutex", 10), ("mutexes", 10)]), ["mutexes"]);
        // A word with one more edit must be more common.
        assert_eq!(like("mutx", &[("mutt", 10), ("mutex", 60)]), ["mutex", "mutt"]);
    }

    #[test]
    fn a_beginning_is_put_right_while_typing() {
        let words = ["concurrency", "mutex"];
        for (typed, expect) in
            [("mtue", Some("mutex")), ("conucr", Some("concurrency")), ("xyzt", None)]
        {
            assert_eq!(nearest(typed, true, &words).as_deref(), expect, "{typed}");
        }
        assert_eq!(nearest("conucr", false, &words), None);
    }

    #[test]
    fn the_more_common_of_equally_near_words_is_taken() {
        let words =
            [("form".to_string(), 30), ("from".to_string(), 90), ("farm".to_string(), 10)].into();
        assert_eq!(
            Mistyped::new("frmo", false).nearest(&shard(&words), None).unwrap().word,
            "from"
        );
    }

    /// Returns the same result, computed with the whole table.
    fn twin(typed: &[char], word: &[char]) -> u32 {
        let (n, m) = (typed.len(), word.len());
        let mut table = vec![vec![0u32; n + 1]; m + 1];
        for j in 0..=m {
            for i in 0..=n {
                let edit = |i: usize, j: usize| if i <= 1 && j <= 1 { 3 } else { 2 };
                table[j][i] = match (i, j) {
                    (0, 0) => 0,
                    (i, 0) => 3 + 2 * (i as u32 - 1),
                    (0, j) => 3 + 2 * (j as u32 - 1),
                    _ => {
                        let same = typed[i - 1] == word[j - 1];
                        let mut cost = (table[j - 1][i - 1] + if same { 0 } else { edit(i, j) })
                            .min(table[j - 1][i] + 2)
                            .min(table[j][i - 1] + 2);
                        if i > 1
                            && j > 1
                            && typed[i - 1] == word[j - 2]
                            && typed[i - 2] == word[j - 1]
                        {
                            cost = cost.min(table[j - 2][i - 2] + 2);
                        }
                        cost
                    }
                };
            }
        }
        table[m][n]
    }

    proptest! {
        #[test]
        fn shared_rows_change_nothing(
            typed in "[abcä]{4,10}",
            words in proptest::collection::btree_map("[abcä]{1,11}", 0u8..80, 1..40),
        ) {
            let mistyped = Mistyped::new(&typed, false);
            let letters: Vec<char> = typed.chars().collect();
            let expect = words
                .iter()
                .map(|(word, common)| {
                    let other: Vec<char> = word.chars().collect();
                    (twin(&letters, &other), *common, word)
                })
                .filter(|(cost, ..)| *cost > 0 && *cost <= u32::from(mistyped.budget()))
                .min_by_key(|(cost, common, word)| {
                    (*cost as i32 * STEPS_PER_HALF - i32::from(*common), *word)
                });
            let found = mistyped.nearest(&shard(&words), None);
            prop_assert_eq!(found.map(|near| near.word), expect.map(|(.., word)| word.clone()));
        }
    }
}
