//! From two ranked lists of sections to one list of pages.

mod fuse;
mod group;
mod run;

pub(crate) use fuse::{Candidate, Fused, Legs, fuse};
pub(crate) use group::{PageScore, group};
pub(crate) use run::{Ranked, RankedPage, RankedSection};

use crate::Bm25fParams;

/// Everything about ranking that a host may set, for tuning; the defaults are those that development data chose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankParams {
    /// Scoring by words.
    pub bm25f: Bm25fParams,
    /// Sections taken from the dense leg, and sections of the lexical leg whose similarity is computed. 200 unless told.
    pub depth: u32,
    /// What a page scores.
    pub page: PageScoring,
}

impl Default for RankParams {
    fn default() -> Self {
        Self { bm25f: Bm25fParams::default(), depth: 200, page: PageScoring::default() }
    }
}

/// What a page scores, given what its sections score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageScoring {
    /// The fused score of its best section: words and meaning must meet in one place.
    #[default]
    BestSection,
    /// The best that words gave to any of its sections plus the best that meaning gave to any: one section may name
    /// the thing and another describe it.
    PageMaxima,
}
