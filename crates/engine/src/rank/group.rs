//! Grouping of sections by page.

use findling_bundle::{SectionId, Structure, order};

use super::Candidate;
use crate::api::RankParams;

/// A page with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PageScore {
    pub page: u32,
    pub score: f32,
    /// The matching sections.
    pub n_sections: u32,
    /// The number of copies that this page represents.
    pub copies: u32,
    /// Whether the site has pinned it to the query.
    pub pinned: bool,
}

/// All matching pages.
pub(crate) struct Grouped {
    /// Pages with their scores, by id.
    pub pages: Vec<PageScore>,
}

/// Groups candidates by page; [`RankParams`] has the formula of a page's score. `top` is the score
/// of a section that both legs have first; 0 if only one leg scored.
pub(crate) fn group(
    candidates: &[Candidate],
    params: &RankParams,
    top: f32,
    structure: &Structure,
) -> Grouped {
    let mut pages = vec![Best::default(); structure.n_pages() as usize];
    for candidate in candidates {
        if let Some(best) = pages.get_mut(structure.page_of(SectionId(candidate.section)).index()) {
            best.take(candidate);
        }
    }
    let pages = pages
        .iter()
        .enumerate()
        .filter(|(_, best)| best.n_sections > 0)
        .map(|(page, best)| PageScore {
            page: page as u32,
            score: best.score(params, top),
            n_sections: best.n_sections,
            copies: 0,
            pinned: false,
        })
        .collect();
    Grouped { pages }
}

/// The best scores of a page's sections.
#[derive(Clone, Copy, Default)]
struct Best {
    fused: f32,
    second: f32,
    lexical: f32,
    semantic: f32,
    n_sections: u32,
}

impl Best {
    fn take(&mut self, candidate: &Candidate) {
        let Candidate { lexical_share, semantic_share, .. } = *candidate;
        let fused = candidate.score();
        if self.n_sections == 0 {
            *self = Self {
                fused,
                second: 0.0,
                lexical: lexical_share,
                semantic: semantic_share,
                n_sections: 1,
            };
            return;
        }
        // Cosines, which semantic mode ranks by, may be below zero; a second section never takes
        // from a page.
        let lesser = if fused > self.fused { self.fused } else { fused };
        for (best, value) in [
            (&mut self.fused, fused),
            (&mut self.second, lesser),
            (&mut self.lexical, lexical_share),
            (&mut self.semantic, semantic_share),
        ] {
            if value > *best {
                *best = value;
            }
        }
        self.n_sections += 1;
    }

    fn score(&self, params: &RankParams, top: f32) -> f32 {
        // The difference is exactly 0 if one section has both best scores.
        let maxima = self.lexical + self.semantic - self.fused;
        let own = self.fused + params.page_maxima * maxima;
        let more = params.page_second * self.second;
        match top > 0.0 {
            true => own + more * 2.0 * (1.0 - own / top).max(0.0),
            false => own + more,
        }
    }
}

impl Grouped {
    /// Orders the first `n` pages by score, ties by id, and leaves the others after them,
    /// unordered.
    pub fn rank(&mut self, n: usize) {
        order::sort_first(&mut self.pages, n, |a, b| {
            b.score.total_cmp(&a.score).then(a.page.cmp(&b.page)).is_lt()
        });
    }
}

#[cfg(test)]
mod tests {
    use findling_bundle::structure::StructureBuilder;

    use super::*;

    fn candidate(section: u32, lexical_share: f32, semantic_share: f32) -> Candidate {
        Candidate { section, lexical_share, semantic_share, ..Candidate::default() }
    }

    fn check(
        page_maxima: f32,
        page_second: f32,
        candidates: &[Candidate],
        expect: &[(u32, f32, u32)],
    ) {
        check_below(0.0, page_maxima, page_second, candidates, expect);
    }

    /// Checks the grouping where page 0 has sections 0 and 1, page 1 has 2, page 2 has 3.
    fn check_below(
        top: f32,
        page_maxima: f32,
        page_second: f32,
        candidates: &[Candidate],
        expect: &[(u32, f32, u32)],
    ) {
        let params = RankParams { page_maxima, page_second, ..RankParams::default() };
        let mut builder = StructureBuilder::default();
        for n_sections in [2, 1, 1] {
            builder.page();
            for _ in 0..n_sections {
                builder.section(0);
                builder.passage();
            }
        }
        for n in 0..4 {
            let mut grouped = group(candidates, &params, top, &builder.clone().finish());
            grouped.rank(n);
            let got: Vec<_> =
                grouped.pages.iter().map(|p| (p.page, p.score, p.n_sections)).collect();
            assert_eq!(got.len(), expect.len());
            assert_eq!(got[..n.min(got.len())], expect[..n.min(got.len())]);
        }
    }

    #[test]
    fn a_page_scores_by_its_best_section() {
        let candidates =
            [candidate(1, 0.25, 0.25), candidate(3, 0.5, 0.25), candidate(0, 0.0, 0.5)];
        check(0.0, 0.0, &candidates, &[(2, 0.75, 1), (0, 0.5, 2)]);
    }

    #[test]
    fn or_by_the_best_that_each_leg_gave_it() {
        let candidates = [candidate(1, 0.5, 0.0), candidate(3, 0.5, 0.25), candidate(0, 0.0, 0.5)];
        check(1.0, 0.0, &candidates, &[(0, 1.0, 2), (2, 0.75, 1)]);
        // Half way, one section with both is as good as two sections with a little more.
        check(0.5, 0.0, &candidates, &[(0, 0.75, 2), (2, 0.75, 1)]);
    }

    #[test]
    fn a_second_section_is_evidence_and_never_against() {
        let candidates =
            [candidate(0, 0.5, 0.0), candidate(1, 0.25, 0.0), candidate(3, 0.5, 0.125)];
        check(0.0, 0.0, &candidates, &[(2, 0.625, 1), (0, 0.5, 2)]);
        check(0.0, 1.0, &candidates, &[(0, 0.75, 2), (2, 0.625, 1)]);
        // Whichever comes first.
        let candidates =
            [candidate(0, 0.25, 0.0), candidate(1, 0.5, 0.0), candidate(3, 0.5, 0.125)];
        check(0.0, 1.0, &candidates, &[(0, 0.75, 2), (2, 0.625, 1)]);
        let unlike = [candidate(0, 0.0, 0.5), candidate(1, 0.0, -0.5), candidate(2, 0.0, -0.25)];
        check(0.0, 1.0, &unlike, &[(0, 0.5, 2), (1, -0.25, 1)]);
    }

    #[test]
    fn what_both_legs_have_first_is_first_however_many_sections_others_have() {
        let candidates = [candidate(0, 0.5, 0.25), candidate(1, 0.25, 0.5), candidate(3, 0.5, 0.5)];
        // Without it, the two sections of page 0 would score 0.75 + 0.5 * 0.75.
        check(0.0, 0.5, &candidates, &[(0, 1.125, 2), (2, 1.0, 1)]);
        check_below(1.0, 0.0, 0.5, &candidates, &[(2, 1.0, 1), (0, 0.9375, 2)]);
        // Half way to the top, a second section counts as much as if only one leg scored.
        let candidates = [candidate(0, 0.5, 0.0), candidate(1, 0.25, 0.0), candidate(3, 0.5, 0.0)];
        check_below(1.0, 0.0, 0.5, &candidates, &[(0, 0.625, 2), (2, 0.5, 1)]);
    }

    #[test]
    fn ties_go_to_the_page_that_comes_first() {
        let candidates = [candidate(3, 0.5, 0.0), candidate(2, 0.5, 0.0)];
        check(0.0, 0.0, &candidates, &[(1, 0.5, 1), (2, 0.5, 1)]);
    }
}
