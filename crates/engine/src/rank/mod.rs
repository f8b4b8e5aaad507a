//! Ranking: two ranked lists of sections become one list of pages.

mod allowed_sections;
mod dense_leg;
mod every_word;
mod evidence;
mod explain;
mod facets;
mod fuse;
mod group;
mod lexical_leg;
mod matches;
mod merge;
mod order;
mod ranked;
mod settle;
mod shown_pages;
mod sort;
mod why_not;

pub(crate) use allowed_sections::AllowedSections;
use dense_leg::DenseLeg;
pub(crate) use fuse::{Bests, Candidate, Fused, Legs, Similarity, fuse};
pub(crate) use group::{PageScore, group};
pub(crate) use lexical_leg::LexicalLeg;
pub(crate) use matches::{Matches, Trace};
pub(crate) use ranked::{Ranked, n_pages_of, sections_of};
pub(crate) use shown_pages::{RankedPage, RankedSection};
pub(crate) use why_not::Standing;
