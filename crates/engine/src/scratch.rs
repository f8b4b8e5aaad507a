//! Buffers that searches reuse: the accumulators of lexical scoring.

use findling_bundle::Stats;

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

    /// Bytes of memory held.
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
