//! Buffers that searches reuse: the accumulators of lexical scoring, and the stems of common words.

use findling_bundle::Stats;
use findling_text::Analyzer;

/// Most analyzers that are kept.
const MAX_ANALYZERS: usize = 4;

/// Buffers that are kept from query to query.
#[derive(Default)]
pub(crate) struct Scratch {
    /// By passage: weighted frequency of the term at hand.
    pub tf: Vec<f32>,
    pub tf_touched: Vec<u32>,
    /// By passage: best contribution of the group at hand.
    pub best: Vec<f32>,
    pub best_touched: Vec<u32>,
    /// By passage.
    pub score: Vec<f32>,
    pub score_touched: Vec<u32>,
    /// By page and by section: the groups that the title, the heading has.
    pub titles: Vec<u8>,
    pub titles_touched: Vec<u32>,
    pub headings: Vec<u8>,
    pub headings_touched: Vec<u32>,
    /// By section: its place among the hits.
    pub slots: Vec<u32>,
    /// By language. An analyzer remembers the terms of the words that it has seen, which are half
    /// of the work of a snippet.
    analyzers: Vec<(String, Analyzer)>,
}

impl Scratch {
    /// Makes room for a bundle's counts. All places are 0 afterwards, as they are between queries.
    pub fn fit(&mut self, stats: &Stats) {
        let (pages, sections, passages) =
            (stats.n_pages as usize, stats.n_sections as usize, stats.n_passages as usize);
        self.tf.resize(passages, 0.0);
        self.best.resize(passages, 0.0);
        self.score.resize(passages, 0.0);
        self.titles.resize(pages, 0);
        self.headings.resize(sections, 0);
        self.slots.resize(sections, 0);
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

    /// Bytes of memory held. Analyzers are left out: a search needs one of at most a quarter of a
    /// megabyte for each language anyway, and WebAssembly's memory does not become less.
    pub fn resident_bytes(&self) -> usize {
        let words =
            [&self.tf_touched, &self.best_touched, &self.score_touched, &self.titles_touched]
                .into_iter()
                .chain([&self.headings_touched, &self.slots])
                .map(Vec::capacity)
                .sum::<usize>();
        let floats = self.tf.capacity() + self.best.capacity() + self.score.capacity();
        4 * (words + floats) + self.titles.capacity() + self.headings.capacity()
    }
}
