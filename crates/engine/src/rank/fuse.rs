//! Fusion of two legs to one list of sections.
//!
//! All sections found by words take part, and the nearest sections by meaning up to the depth. The
//! best sections by words get their similarity computed even if the dense leg did not rank them.
//! The others keep their lexical share only, so the order does not depend on how far a reader
//! pages.

use findling_bundle::{SectionId, order};

use crate::api::RankParams;
use crate::api::{Fusion, Mode};
use crate::lexical::LexicalHit;

/// A section in the fused list.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Candidate {
    pub section: u32,
    /// The phrasing of the query that found it, from 0.
    pub phrasing: u8,
    /// The best passage by words, if words found the section.
    pub passage: Option<u32>,
    /// If no word matched: the start of the nearest vector's text, in 256ths of the section.
    pub part: u8,
    /// See [`LexicalHit::boosts`].
    pub boosts: u8,
    pub lexical: Option<f32>,
    pub similarity: Option<f32>,
    /// The similarity assumed if it is not known.
    pub guess: Option<f32>,
    pub lexical_share: f32,
    pub semantic_share: f32,
}

impl Candidate {
    /// Returns the fused score.
    #[inline]
    pub fn score(&self) -> f32 {
        self.lexical_share + self.semantic_share
    }
}

/// A section's cosine with the query, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Similarity {
    /// The cosine.
    Known(f32),
    /// An assumed similarity, because the real one is not known.
    Guessed(f32),
    /// The section has no vector.
    None,
}

/// The matches of both legs.
pub(crate) struct Legs<'a> {
    /// All sections found by words, each once, in any order.
    pub lexical: &'a [LexicalHit],
    /// The nearest sections with their cosines, nearest first, ties by id.
    pub dense: &'a [(SectionId, f32)],
    /// `q · mu`: the similarity that a document about nothing in particular has.
    pub zero: f32,
    /// The lexical score of a section that has every word of the query.
    pub ideal: f32,
    /// The best scores of other bundles that are searched together with this bundle. Shares are
    /// relative to the best score of all bundles.
    pub elsewhere: Bests,
}

/// The best scores of both legs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bests {
    pub lexical: f32,
    pub similarity: f32,
}

impl Bests {
    pub const NONE: Self = Self { lexical: 0.0, similarity: f32::NEG_INFINITY };
}

/// The fused list and how it came about.
pub(crate) struct Fused {
    /// In no particular order.
    pub candidates: Vec<Candidate>,
    /// Sections by words, best first, ties by id, as far as they were ranked: at least up to the
    /// depth.
    pub ranked: Vec<u32>,
    /// Score of a section that both legs rank first; 0 if scores are not shares of both.
    pub top: f32,
}

/// Fuses both legs. `similarity` gives a section's cosine with the query, as far as it is known.
/// `slots` is scratch with one place for each section, all 0 before and after.
pub(crate) fn fuse(
    mode: Mode,
    fusion: Fusion,
    params: &RankParams,
    legs: &Legs<'_>,
    similarity: impl FnMut(u32) -> Similarity,
    slots: &mut [u32],
) -> Fused {
    let depth = params.depth as usize;
    let rank_all = mode == Mode::Hybrid && matches!(fusion, Fusion::Rrf { .. });
    let ranked =
        best_by_words(legs.lexical, if rank_all || depth == 0 { usize::MAX } else { depth });
    let similar = if mode == Mode::Hybrid { depth } else { 0 };
    let Joined { mut candidates, lexical_places, dense_places } =
        join(legs, &ranked, similar, similarity, slots);
    let mut top = 0.0;
    match (mode, fusion) {
        (Mode::Lexical, _) => {
            candidates.iter_mut().for_each(|c| c.lexical_share = c.lexical.unwrap_or(0.0))
        }
        (Mode::Semantic, _) => {
            candidates.iter_mut().for_each(|c| c.semantic_share = c.similarity.unwrap_or(0.0))
        }
        (Mode::Hybrid, Fusion::Rrf { k, dense_weight }) => {
            for (rank, &place) in lexical_places.iter().enumerate() {
                candidates[place as usize].lexical_share = 1.0 / (k + (rank + 1) as f32);
            }
            for (rank, &place) in dense_places.iter().enumerate() {
                candidates[place].semantic_share = dense_weight / (k + (rank + 1) as f32);
            }
        }
        (Mode::Hybrid, Fusion::Convex { alpha }) => {
            let best_lexical =
                lexical_places.first().map_or(0.0, |&place| legs.lexical[place as usize].score);
            let alpha = alpha.unwrap_or(params.alpha);
            top = share_by_scores(&mut candidates, legs, best_lexical, alpha, params.coverage);
        }
    }
    // A section without a share of either leg does not match. In semantic mode the nearest sections
    // are the answer, even if they are far.
    if mode != Mode::Semantic {
        candidates.retain(|candidate| candidate.lexical.is_some() || candidate.score() > 0.0);
    }
    Fused { candidates, ranked, top }
}

/// Returns the `n` best sections by words, best first, ties by id.
fn best_by_words(hits: &[LexicalHit], n: usize) -> Vec<u32> {
    let mut keys: Vec<u64> = hits.iter().map(|hit| key(hit.score, hit.section)).collect();
    let n = n.min(keys.len());
    order::sort_first(&mut keys, n, |a, b| a < b);
    keys.truncate(n);
    keys.into_iter().map(|key| key as u32).collect()
}

/// The sections of both legs, which have no shares yet.
struct Joined {
    /// The lexical hits in their order, then the sections found by meaning alone.
    candidates: Vec<Candidate>,
    /// The indices in `candidates` of the best sections by words, best first.
    lexical_places: Vec<u32>,
    /// The indices in `candidates` of the dense leg's sections, nearest first.
    dense_places: Vec<usize>,
}

/// Joins the legs by section. The first `similar` of `ranked`, the best by words, get their
/// similarity even if the dense leg did not rank them.
fn join(
    legs: &Legs<'_>,
    ranked: &[u32],
    similar: usize,
    mut similarity: impl FnMut(u32) -> Similarity,
    slots: &mut [u32],
) -> Joined {
    for (i, hit) in legs.lexical.iter().enumerate() {
        if let Some(slot) = slots.get_mut(hit.section as usize) {
            *slot = i as u32 + 1;
        }
    }
    let lexical_places: Vec<u32> =
        ranked.iter().map(|&section| slots[section as usize] - 1).collect();
    let mut candidates: Vec<Candidate> = legs
        .lexical
        .iter()
        .map(|hit| Candidate {
            section: hit.section,
            passage: Some(hit.passage),
            boosts: hit.boosts,
            lexical: Some(hit.score),
            ..Candidate::default()
        })
        .collect();
    for &place in lexical_places.iter().take(similar) {
        let candidate = &mut candidates[place as usize];
        match similarity(candidate.section) {
            Similarity::Known(cosine) => candidate.similarity = Some(cosine),
            Similarity::Guessed(cosine) => candidate.guess = Some(cosine),
            Similarity::None => {}
        }
    }
    let mut dense_places = Vec::with_capacity(legs.dense.len());
    for &(SectionId(section), cosine) in legs.dense {
        let place = match slots.get(section as usize).copied().unwrap_or(0) {
            0 => {
                candidates.push(Candidate { section, ..Candidate::default() });
                candidates.len() - 1
            }
            slot => slot as usize - 1,
        };
        candidates[place].similarity = Some(cosine);
        dense_places.push(place);
    }
    for hit in legs.lexical {
        if let Some(slot) = slots.get_mut(hit.section as usize) {
            *slot = 0;
        }
    }
    Joined { candidates, lexical_places, dense_places }
}

/// Sets the shares of the convex combination: each leg's scores, scaled from nothing to its best.
/// Returns [`Fused::top`].
fn share_by_scores(
    candidates: &mut [Candidate],
    legs: &Legs<'_>,
    best_lexical: f32,
    alpha: f32,
    coverage: f32,
) -> f32 {
    let best_lexical = best_lexical.max(legs.elsewhere.lexical);
    // If the best section has few of the query's words, the lexical leg counts less.
    let short = legs.ideal - best_lexical;
    let whole_lexical = best_lexical + if short > 0.0 { coverage * short } else { 0.0 };
    for candidate in candidates.iter_mut() {
        if let Some(score) = candidate.lexical
            && best_lexical > 0.0
        {
            candidate.lexical_share = (1.0 - alpha) * (score / whole_lexical);
        }
    }
    share_by_meaning(candidates, legs.zero, legs.elsewhere.similarity, alpha);
    match best_lexical > 0.0 && !legs.dense.is_empty() {
        true => (1.0 - alpha) * (best_lexical / whole_lexical) + alpha,
        false => 0.0,
    }
}

/// Sets the candidates' shares of meaning in the convex combination. The nearest section gets all
/// of `alpha`; a section with a similarity of `zero` or less gets nothing. `elsewhere`: the
/// similarity of the nearest section of other bundles.
pub(super) fn share_by_meaning(
    candidates: &mut [Candidate],
    zero: f32,
    elsewhere: f32,
    alpha: f32,
) {
    let similarities = candidates.iter().filter_map(|c| c.similarity);
    let nearest = similarities.fold(zero.max(elsewhere), |a, b| if b > a { b } else { a });
    let span = nearest - zero;
    for candidate in candidates {
        let above = candidate.similarity.or(candidate.guess).map_or(0.0, |cosine| cosine - zero);
        let is_near = span > 0.0 && above > 0.0;
        candidate.semantic_share = if is_near { alpha * (above / span) } else { 0.0 };
    }
}

/// Returns a key that sorts by score, best first, then by section: one comparison of integers, for
/// long lists.
fn key(score: f32, section: u32) -> u64 {
    let bits = score.to_bits();
    // The order of `f32::total_cmp`, reversed.
    let ascending = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    u64::from(!ascending) << 32 | u64::from(section)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(section: u32, score: f32) -> LexicalHit {
        LexicalHit { section, score, passage: section, boosts: 0 }
    }

    /// Checks sections with their fused scores, best first.
    fn check(
        mode: Mode,
        fusion: Fusion,
        depth: u32,
        lexical: &[LexicalHit],
        dense: &[(u32, f32)],
        expect: &[(u32, f32)],
    ) {
        check_with_ideal(0.0, mode, fusion, depth, lexical, dense, expect);
    }

    fn check_with_ideal(
        ideal: f32,
        mode: Mode,
        fusion: Fusion,
        depth: u32,
        lexical: &[LexicalHit],
        dense: &[(u32, f32)],
        expect: &[(u32, f32)],
    ) {
        let params = RankParams { depth, ..RankParams::default() };
        let near: Vec<_> =
            dense.iter().map(|&(section, cosine)| (SectionId(section), cosine)).collect();
        let legs = Legs { lexical, dense: &near, zero: 0.1, ideal, elsewhere: Bests::NONE };
        let mut slots = vec![0; 10];
        let cosine = |section| {
            let found = dense.iter().find(|d| d.0 == section);
            Similarity::Known(found.map_or(0.0, |d| d.1))
        };
        let mut fused = fuse(mode, fusion, &params, &legs, cosine, &mut slots).candidates;
        assert!(slots.iter().all(|&slot| slot == 0));
        fused.sort_by(|a, b| b.score().total_cmp(&a.score()).then(a.section.cmp(&b.section)));
        let got: Vec<_> =
            fused.iter().map(|c| (c.section, (c.score() * 1000.0).round() / 1000.0)).collect();
        assert_eq!(got, expect);
    }

    #[test]
    fn keys_sort_as_scores_do() {
        let ordered =
            [(f32::INFINITY, 0), (2.0, 1), (2.0, 7), (1.5, 0), (0.0, 0), (-0.0, 0), (-1.0, 3)];
        assert!(ordered.is_sorted_by(|a, b| key(a.0, a.1) < key(b.0, b.1)));
    }

    #[test]
    fn rrf_adds_what_ranks_give() {
        let fusion = Fusion::Rrf { k: 5.0, dense_weight: 0.5 };
        // 1: 1/6 + .5/7, 2: 1/7, 3: .5/6.
        check(
            Mode::Hybrid,
            fusion,
            9,
            &[hit(2, 1.0), hit(1, 2.0)],
            &[(3, 0.9), (1, 0.8)],
            &[(1, 0.238), (2, 0.143), (3, 0.083)],
        );
    }

    #[test]
    fn rrf_breaks_ties_by_id() {
        let fusion = Fusion::Rrf { k: 5.0, dense_weight: 1.0 };
        check(Mode::Hybrid, fusion, 9, &[hit(4, 1.0), hit(1, 1.0)], &[], &[(1, 0.167), (4, 0.143)]);
    }

    #[test]
    fn convex_normalises_each_leg_by_its_best() {
        let fusion = Fusion::Convex { alpha: Some(0.4) };
        // Zero is .1, the best cosine .9: section 1 gets .6 * 1 + .4 * .5, section 3 .4 * 1,
        // section 2 words alone.
        check(
            Mode::Hybrid,
            fusion,
            9,
            &[hit(2, 1.0), hit(1, 2.0)],
            &[(3, 0.9), (1, 0.5)],
            &[(1, 0.8), (3, 0.4), (2, 0.3)],
        );
    }

    #[test]
    fn words_that_say_little_of_the_query_count_little() {
        let fusion = Fusion::Convex { alpha: Some(0.4) };
        let (lexical, dense) = ([hit(1, 1.5), hit(2, 3.0)], [(3, 0.9), (2, 0.1)]);
        // Section 2 has every word and is first by words.
        check_with_ideal(
            3.0,
            Mode::Hybrid,
            fusion,
            9,
            &lexical,
            &dense,
            &[(2, 0.6), (3, 0.4), (1, 0.3)],
        );
        // More than the full share gives no advantage.
        check_with_ideal(
            2.0,
            Mode::Hybrid,
            fusion,
            9,
            &lexical,
            &dense,
            &[(2, 0.6), (3, 0.4), (1, 0.3)],
        );
        // It has half of the words of a query that is twice as long, so the section nearest by
        // meaning is first.
        check_with_ideal(
            6.0,
            Mode::Hybrid,
            fusion,
            9,
            &lexical,
            &dense,
            &[(3, 0.4), (2, 0.3), (1, 0.15)],
        );
        // If only words are searched, no vectors are compared.
        check_with_ideal(6.0, Mode::Lexical, fusion, 9, &lexical, &[], &[(2, 3.0), (1, 1.5)]);
    }

    #[test]
    fn what_means_no_more_than_the_mean_is_no_match() {
        check(Mode::Hybrid, Fusion::default(), 9, &[], &[(3, 0.9), (1, 0.1)], &[(3, 0.35)]);
    }

    #[test]
    fn an_assumed_similarity_is_scored_but_not_reported() {
        let params = RankParams::default();
        let dense = [(SectionId(3), 0.9)];
        let lexical = [hit(1, 2.0), hit(2, 2.0), hit(4, 2.0)];
        let elsewhere = Bests::NONE;
        let legs = Legs { lexical: &lexical, dense: &dense, zero: 0.1, ideal: 0.0, elsewhere };
        let similarity = |section| match section {
            1 => Similarity::Guessed(0.5),
            2 => Similarity::Known(0.5),
            _ => Similarity::None,
        };
        let fusion = Fusion::Convex { alpha: Some(0.4) };
        let fused = fuse(Mode::Hybrid, fusion, &params, &legs, similarity, &mut [0; 10]).candidates;
        let of = |section| fused.iter().find(|candidate| candidate.section == section).unwrap();
        assert_eq!(of(1).semantic_share, of(2).semantic_share);
        assert_eq!((of(1).similarity, of(2).similarity), (None, Some(0.5)));
        assert_eq!(of(4).semantic_share, 0.0);
    }

    #[test]
    fn beyond_the_depth_words_still_count() {
        let fusion = Fusion::Convex { alpha: Some(0.5) };
        check(
            Mode::Hybrid,
            fusion,
            1,
            &[hit(2, 1.0), hit(1, 2.0), hit(5, 1.5)],
            &[],
            &[(1, 0.5), (5, 0.375), (2, 0.25)],
        );
    }

    #[test]
    fn one_leg_alone_keeps_its_own_scores() {
        check(
            Mode::Lexical,
            Fusion::default(),
            9,
            &[hit(2, 1.0), hit(1, 2.0)],
            &[],
            &[(1, 2.0), (2, 1.0)],
        );
        check(
            Mode::Semantic,
            Fusion::default(),
            9,
            &[],
            &[(3, 0.5), (4, -0.5)],
            &[(3, 0.5), (4, -0.5)],
        );
    }
}
