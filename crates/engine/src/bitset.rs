//! A set of small numbers, one bit each.
//!
//! A filter compiles to a bitset. [`Bitset::contains`] costs one shift for each candidate of either
//! leg, and 50,000 sections take 6 KB. The words are not compressed: for collections of up to some
//! hundred thousand sections, a roaring bitmap would save kilobytes and cost branches. A bitset is
//! not useful for sparse sets over large universes.

/// A set of numbers from 0 up to a length that is fixed at its creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitset {
    /// Bit `i % 64` of word `i / 64` says whether `i` is in the set. Bits from `len` on are always
    /// 0.
    words: Vec<u64>,
    len: u32,
}

impl Bitset {
    /// Returns the empty set over `0..len`.
    pub fn none(len: u32) -> Self {
        Self { words: vec![0; len.div_ceil(64) as usize], len }
    }

    /// Returns the set of all numbers of `0..len`.
    pub fn all(len: u32) -> Self {
        let mut set = Self { words: vec![u64::MAX; len.div_ceil(64) as usize], len };
        set.clear_tail();
        set
    }

    /// Returns one more than the largest number that can be in the set.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Returns whether no number is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Returns how many numbers are in the set.
    pub fn count(&self) -> u32 {
        // Skipping empty words makes small sets fast if there is no popcount instruction, as on
        // baseline x86-64.
        self.words.iter().filter(|&&word| word != 0).map(|word| word.count_ones()).sum()
    }

    /// Returns whether a number is in the set; a number out of range never is.
    #[inline]
    pub fn contains(&self, i: u32) -> bool {
        self.words.get((i / 64) as usize).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    /// Inserts a number and returns whether it is new. A number out of range is ignored.
    #[inline]
    pub fn insert(&mut self, i: u32) -> bool {
        if i >= self.len {
            return false;
        }
        let word = &mut self.words[(i / 64) as usize];
        let new = *word >> (i % 64) & 1 == 0;
        *word |= 1 << (i % 64);
        new
    }

    /// Inserts every number of `start..end` that is in range.
    pub fn insert_range(&mut self, start: u32, end: u32) {
        let end = end.min(self.len);
        if start >= end {
            return;
        }
        let (first, last) = ((start / 64) as usize, ((end - 1) / 64) as usize);
        let head = u64::MAX << (start % 64);
        let tail = u64::MAX >> (63 - (end - 1) % 64);
        if first == last {
            self.words[first] |= head & tail;
        } else {
            self.words[first] |= head;
            self.words[first + 1..last].fill(u64::MAX);
            self.words[last] |= tail;
        }
    }

    /// Keeps the numbers that are in both sets.
    pub fn and(&mut self, other: &Self) {
        self.zip(other, |a, b| a & b);
    }

    /// Adds the numbers of the other set that are in range.
    pub fn or(&mut self, other: &Self) {
        self.zip(other, |a, b| a | b);
    }

    /// Removes the numbers of the other set.
    pub fn and_not(&mut self, other: &Self) {
        self.zip(other, |a, b| a & !b);
    }

    /// Replaces the set by its complement.
    pub fn negate(&mut self) {
        for word in &mut self.words {
            *word = !*word;
        }
        self.clear_tail();
    }

    /// Returns the numbers in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(i as u32 * 64 + bit)
            })
        })
    }

    /// Returns the bytes of its heap memory.
    pub fn heap_bytes(&self) -> usize {
        self.words.len() * 8
    }

    /// Combines two sets word by word; the words that a shorter `other` lacks count as 0.
    fn zip(&mut self, other: &Self, f: impl Fn(u64, u64) -> u64) {
        for (i, word) in self.words.iter_mut().enumerate() {
            *word = f(*word, other.words.get(i).copied().unwrap_or(0));
        }
        self.clear_tail();
    }

    fn clear_tail(&mut self) {
        if !self.len.is_multiple_of(64)
            && let Some(last) = self.words.last_mut()
        {
            *last &= u64::MAX >> (64 - self.len % 64);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn set(len: u32, members: &BTreeSet<u32>) -> Bitset {
        let mut set = Bitset::none(len);
        for &i in members {
            assert!(set.insert(i));
            assert!(!set.insert(i));
        }
        set
    }

    fn members(set: &Bitset) -> BTreeSet<u32> {
        set.iter().collect()
    }

    proptest! {
        #[test]
        fn does_what_a_tree_of_numbers_does(
            len in 0u32..300,
            a in prop::collection::btree_set(0u32..300, 0..200),
            b in prop::collection::btree_set(0u32..300, 0..200),
            range in (0u32..320, 0u32..320),
        ) {
            let cut = |s: &BTreeSet<u32>| -> BTreeSet<u32> {
                s.iter().copied().filter(|&i| i < len).collect()
            };
            let (a, b) = (cut(&a), cut(&b));
            let (x, y) = (set(len, &a), set(len, &b));
            prop_assert_eq!(members(&x), a.clone());
            prop_assert_eq!(x.count() as usize, a.len());
            prop_assert_eq!(x.is_empty(), a.is_empty());
            prop_assert!((0..400).all(|i| x.contains(i) == a.contains(&i)));

            let mut and = x.clone();
            and.and(&y);
            prop_assert_eq!(members(&and), a.intersection(&b).copied().collect::<BTreeSet<_>>());
            let mut or = x.clone();
            or.or(&y);
            prop_assert_eq!(members(&or), a.union(&b).copied().collect::<BTreeSet<_>>());
            let mut and_not = x.clone();
            and_not.and_not(&y);
            prop_assert_eq!(members(&and_not), a.difference(&b).copied().collect::<BTreeSet<_>>());
            let mut not = x.clone();
            not.negate();
            let expect: BTreeSet<u32> = (0..len).filter(|i| !a.contains(i)).collect();
            prop_assert_eq!(members(&not), expect);
            let mut ranged = x;
            ranged.insert_range(range.0, range.1);
            let expect: BTreeSet<u32> = (0..len)
                .filter(|i| a.contains(i) || (range.0..range.1).contains(i))
                .collect();
            prop_assert_eq!(members(&ranged), expect);
            prop_assert_eq!(members(&Bitset::all(len)), (0..len).collect::<BTreeSet<_>>());
        }

        #[test]
        fn sets_of_different_lengths_meet_in_the_first_ones_range(
            (n, m) in (0u32..200, 0u32..200),
        ) {
            let mut or = Bitset::none(n);
            or.or(&Bitset::all(m));
            prop_assert_eq!(or.count(), n.min(m));
            let mut and = Bitset::all(n);
            and.and(&Bitset::all(m));
            prop_assert_eq!(and.count(), n.min(m));
        }
    }
}
