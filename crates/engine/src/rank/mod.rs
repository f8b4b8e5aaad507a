//! From two ranked lists of sections to one list of pages.

mod explain;
mod facets;
mod fuse;
mod group;
mod merge;
mod order;
mod run;
mod sort;
mod why_not;

pub(crate) use fuse::{Candidate, Fused, Legs, Similarity, fuse};
pub(crate) use group::{PageScore, group};
pub(crate) use run::{Allowed, Found, Ranked, RankedPage, RankedSection, Words, pages_of};
pub(crate) use why_not::Standing;
