//! Buffers that searches reuse: the accumulators of lexical scoring, and the stems of common words.

use findling_bundle::Stats;
use findling_text::Analyzer;

/// Maximum number of analyzers that are kept.
const MAX_ANALYZERS: usize = 4;

/// A sparse array: nearly all of its values are 0.
#[derive(Default)]
pub(crate) struct Places<T> {
    values: Vec<T>,
    /// The indices whose values were changed.
    touched: Vec<u32>,
}

/// Buffers that are kept from query to query.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Weighted frequency of the current term, by passage of the block.
    pub tf: Places<f32>,
    /// Best contribution of the current group, by passage of the block.
    pub best: Places<f32>,
    /// Score, by passage of the block.
    pub score: Places<f32>,
    /// Groups that the title of a page has, and groups that the heading of a section has.
    pub titles: Places<u8>,
    pub headings: Places<u8>,
    /// Index among the hits, by section.
    pub slots: Vec<u32>,
    /// Analyzers by language. An analyzer remembers the terms of the words that it has seen, which
    /// saves half of the work of a snippet.
    analyzers: Vec<(String, Analyzer)>,
}

impl<T: Copy + Default + PartialEq> Places<T> {
    /// Makes room for `n` values. All are 0, as always between uses.
    pub fn fit(&mut self, n: usize) {
        self.values.resize(n, T::default());
    }

    /// Sets the value at an index, which must not be 0. An index out of range is ignored.
    #[inline]
    pub fn change(&mut self, place: u32, change: impl FnOnce(&mut T)) {
        if let Some(value) = self.values.get_mut(place as usize) {
            if *value == T::default() {
                self.touched.push(place);
            }
            change(value);
        }
    }

    /// Returns the value at an index.
    pub fn get(&self, place: u32) -> T {
        self.values.get(place as usize).copied().unwrap_or_default()
    }

    /// Returns the values that are not 0.
    pub fn values(&self) -> impl Iterator<Item = T> {
        self.touched.iter().map(|&place| self.get(place))
    }

    /// Sets the value at an index to 0, and returns the earlier value.
    #[inline]
    pub fn take_at(&mut self, place: u32) -> T {
        self.values.get_mut(place as usize).map(std::mem::take).unwrap_or_default()
    }

    /// Takes one of the changed values, with its index, and sets it to 0. The value is 0 if it was
    /// taken before.
    #[inline]
    pub fn take(&mut self) -> Option<(u32, T)> {
        let place = self.touched.pop()?;
        Some((place, self.take_at(place)))
    }

    fn resident_bytes(&self) -> usize {
        size_of::<T>() * self.values.capacity() + 4 * self.touched.capacity()
    }
}

impl Places<u8> {
    /// Sets bits of the value at an index. Not inlined: readers download each copy.
    #[inline(never)]
    pub fn mark(&mut self, place: u32, bits: u8) {
        self.change(place, |value| *value |= bits);
    }

    /// Sets all values to 0.
    #[inline(never)]
    pub fn clear(&mut self) {
        while self.take().is_some() {}
    }
}

impl Scratch {
    /// Makes room for a bundle's counts.
    pub fn fit(&mut self, stats: &Stats) {
        self.titles.fit(stats.n_pages as usize);
        self.headings.fit(stats.n_sections as usize);
        self.slots.resize(stats.n_sections as usize, 0);
    }

    /// Makes room for a block with this many passages.
    pub fn fit_block(&mut self, passages: usize) {
        for places in [&mut self.tf, &mut self.best, &mut self.score] {
            places.fit(passages);
        }
    }

    /// Takes the analyzers out, to be given back.
    pub fn take_analyzers(&mut self) -> Vec<(String, Analyzer)> {
        std::mem::take(&mut self.analyzers)
    }

    /// Keeps analyzers for later searches.
    pub fn keep_analyzers(&mut self, mut analyzers: Vec<(String, Analyzer)>) {
        analyzers.truncate(MAX_ANALYZERS);
        self.analyzers = analyzers;
    }

    /// Returns the bytes of memory held. Analyzers are left out: a search needs one of at most a
    /// quarter of a megabyte for each language anyway, and WebAssembly's memory never shrinks.
    pub fn resident_bytes(&self) -> usize {
        let of_passages = [&self.tf, &self.best, &self.score].map(Places::resident_bytes);
        let names = [&self.titles, &self.headings].map(Places::resident_bytes);
        of_passages.iter().chain(&names).sum::<usize>() + 4 * self.slots.capacity()
    }
}
