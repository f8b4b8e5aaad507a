//! From two ranked lists of sections to one list of pages.

mod fuse;
mod group;
mod merge;
mod order;
mod run;
mod standing;

pub(crate) use fuse::{Candidate, Fused, Legs, Similarity, fuse};
pub(crate) use group::{PageScore, group};
pub(crate) use order::columns as columns_of_order;
pub(crate) use run::{Allowed, Found, Ranked, RankedPage, RankedSection, Words, pages_of};
pub(crate) use standing::Standing;

use findling_bundle::RANKING_MOST;

use crate::Bm25fParams;
use crate::query::QueryPlan;

/// Everything about ranking that a host may set, for tuning; the defaults are those that
/// development data chose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankParams {
    /// Scoring by words.
    pub bm25f: Bm25fParams,
    /// Sections taken from the dense leg, and sections of the lexical leg whose similarity is
    /// computed. 200 unless told.
    pub depth: u32,
    /// The dense leg's share in convex fusion, where the request does not say. 0.35 unless told.
    pub alpha: f32,
    /// The same where the query is a sentence, with a stop word and three others at least: who
    /// writes whole sentences describes rather than names. 0.45 unless told.
    pub sentence_alpha: f32,
    /// How much convex fusion minds that even the best section by words lacks some of them. 0: the
    /// best has the whole share of the words, however little of the query it says. 1: scores
    /// by words are divided by what a section would score that says every word of the query,
    /// unless the best scores more. 1 unless told.
    pub coverage: f32,
    /// What a page scores, between two views of its sections. 0: the fused score of its best
    /// section, so that words and meaning must meet in one place. 1: the best that words gave
    /// to any section plus the best that meaning gave to any, since one section may name the
    /// thing and another describe it. 0.75 unless told.
    pub page_maxima: f32,
    /// How much of its second-best section's fused score a page gets besides: what several
    /// sections treat, the page is about. 0.3 unless told.
    pub page_second: f32,
    /// Bytes of cells that a query looks into at most, where vectors are streamed. 32 kB unless
    /// told.
    pub probe_bytes: u32,
    /// The same where the query is a sentence, of which meaning decides more. 64 kB unless told.
    pub sentence_probe_bytes: u32,
    /// Sections found by words whose cells are looked into, where vectors are streamed and the
    /// bundle says which they are; for half of the bytes at most. 10 unless told.
    pub probe_best: u32,
    /// Vectors that pass the filter which are enough to choose from, where vectors are streamed.
    /// 100 unless told.
    pub probe_enough: u32,
    /// Bytes of cells at most, where a filter lets too little of them through. 256 kB unless told.
    pub most_probe_bytes: u32,
    /// Where vectors are streamed, the similarity that a section found by words is taken to have
    /// if its cell was not looked into: from that of nothing in particular (0)
    /// to that of the least near section ranked (1), and beyond, if as many were ranked as can be.
    /// 1.15 unless told.
    pub unseen: f32,
}

impl Default for RankParams {
    fn default() -> Self {
        Self {
            bm25f: Bm25fParams::default(),
            depth: 200,
            alpha: 0.35,
            sentence_alpha: 0.45,
            coverage: 1.0,
            page_maxima: 0.75,
            page_second: 0.3,
            probe_bytes: 32_000,
            sentence_probe_bytes: 64_000,
            probe_best: 10,
            probe_enough: 100,
            most_probe_bytes: 256_000,
            unseen: 1.15,
        }
    }
}

impl RankParams {
    /// Every number that a bundle may set, in the order of [`findling_bundle::RANKING_MOST`].
    pub fn knobs(&mut self) -> [&mut f32; RANKING_MOST.len()] {
        let Self { bm25f, alpha, sentence_alpha, coverage, page_maxima, page_second, .. } = self;
        let [title, path, heading, ancestors, body, code] = &mut bm25f.fields;
        [
            &mut title.b,
            &mut heading.b,
            &mut body.b,
            &mut code.b,
            &mut bm25f.part_weight,
            &mut bm25f.stop_weight,
            &mut bm25f.completion_weight,
            &mut bm25f.synonym_weight,
            &mut bm25f.relative_weight,
            &mut bm25f.form_weight,
            alpha,
            sentence_alpha,
            coverage,
            page_maxima,
            page_second,
            &mut bm25f.k1,
            &mut title.weight,
            &mut path.weight,
            &mut heading.weight,
            &mut ancestors.weight,
            &mut code.weight,
            &mut bm25f.title_boost,
            &mut bm25f.heading_boost,
        ]
    }

    /// The defaults, but for what a bundle sets.
    pub(crate) fn of(ranking: &[f32]) -> Self {
        let mut params = Self::default();
        for (knob, &value) in params.knobs().into_iter().zip(ranking) {
            *knob = value;
        }
        params
    }

    /// The dense leg's share for a query.
    pub(crate) fn alpha(&self, plan: &QueryPlan) -> f32 {
        if plan.is_sentence() { self.sentence_alpha } else { self.alpha }
    }

    /// The budget of cells for a query.
    pub(crate) fn probe_bytes(&self, plan: &QueryPlan) -> u64 {
        u64::from(if plan.is_sentence() { self.sentence_probe_bytes } else { self.probe_bytes })
    }
}
