//! The lexical leg: all sections that have the query's words, scored.

use findling_bundle::{SectionId, Structure, order};

use super::AllowedSections;
use crate::api::{Error, Fusion, Mode};
use crate::index::Index;
use crate::lexical::{Dictionary, LexicalHit, Names, ScoredGroup, Scorer, all_bits};
use crate::resolve::ResolvedQuery;

/// The matches by words.
pub(crate) struct LexicalLeg {
    /// The words that score, with their terms.
    pub(super) groups: Vec<ScoredGroup>,
    /// In any order.
    pub(super) hits: Vec<LexicalHit>,
    /// The score of a section that has every word of the query.
    pub(super) ideal: f32,
    /// See [`Scorer::unique_share`].
    unique: f32,
}

impl LexicalLeg {
    /// Scores all sections that words find. Everything that the query asks for
    /// ([`ResolvedQuery::shards`]) must be in memory.
    pub fn new(
        index: &Index,
        asked: &ResolvedQuery,
        allowed: &AllowedSections,
    ) -> Result<Self, Error> {
        let structure =
            index.structure().ok_or_else(|| Error::inconsistent("the structure is missing"))?;
        let scorer = scorer(index, asked, structure);
        let names = scorer.names(&asked.plan);
        // "What is a mutex" asks for the page "Mutex", unless a page has the whole question as its
        // title.
        let leading = if names.is_empty() { asked.plan.leading_stops() } else { 0 };
        let groups = if asked.mode == Mode::Semantic {
            Vec::new()
        } else {
            scorer.resolve(&asked.plan, leading)
        };
        let mut hits = Vec::new();
        if !asked.browse() {
            let bits = all_bits(&asked.plan, &groups);
            let n_tokens = asked.plan.n_tokens - leading;
            let names = Names { titles: names, symbols: scorer.symbols(&asked.plan) };
            hits = index.with_scratch(|scratch| {
                scorer.score(&groups, n_tokens, bits, &names, allowed.sections.as_ref(), scratch)
            });
        }
        let ideal = scorer.ideal(&groups);
        let unique = Scorer::unique_share(&groups);
        Ok(Self { groups, hits, ideal, unique })
    }

    /// Returns how the legs are fused. Meaning counts less if more of the query consists of names
    /// that hardly any page has, because vectors do not represent such names.
    pub fn fusion(&self, asked: &ResolvedQuery) -> Fusion {
        match (asked.request.fusion, asked.fusion) {
            (Fusion::Convex { alpha: None }, Fusion::Convex { alpha: Some(alpha) }) => {
                let others = 1.0 - self.unique;
                Fusion::Convex { alpha: Some(alpha * others * others) }
            }
            (_, fusion) => fusion,
        }
    }

    /// Returns whether words of the query occur, but only on pages that the filter excludes.
    pub fn is_left_out(&self) -> bool {
        self.hits.is_empty() && self.groups.iter().any(|group| !group.terms.is_empty())
    }

    /// Returns the `n` best sections, best first.
    pub fn best(&self, n: usize) -> Vec<SectionId> {
        let mut hits: Vec<&LexicalHit> = self.hits.iter().collect();
        order::sort_first(&mut hits, n, |a, b| {
            b.score.total_cmp(&a.score).then(a.section.cmp(&b.section)).is_lt()
        });
        hits.into_iter().take(n).map(|hit| SectionId(hit.section)).collect()
    }
}

/// Returns the scorer over the tiers of postings that the query looks into.
pub(super) fn scorer<'a>(
    index: &'a Index,
    asked: &ResolvedQuery,
    structure: &'a Structure,
) -> Scorer<'a> {
    let params = &index.rank_params().bm25f;
    let dictionary = Dictionary::of_tiers(index, asked.needs_all_matches(index));
    Scorer::new(params, structure, index.scoring_stats(), dictionary)
}
