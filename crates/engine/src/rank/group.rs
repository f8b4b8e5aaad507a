//! Sections regrouped by page.

use findling_bundle::{SectionId, Structure};

use super::Candidate;

/// A page with what it scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PageScore {
    pub page: u32,
    pub score: f32,
    /// Its matching sections.
    pub n_sections: u32,
}

/// All matching pages.
pub(crate) struct Grouped {
    /// By page id.
    pub pages: Vec<PageScore>,
}

/// Groups candidates by page. `maxima`: see [`super::RankParams::page_maxima`].
pub(crate) fn group(candidates: &[Candidate], maxima: f32, structure: &Structure) -> Grouped {
    #[derive(Clone, Copy)]
    struct Best {
        score: f32,
        lexical: f32,
        semantic: f32,
        n_sections: u32,
    }
    let none = Best { score: 0.0, lexical: 0.0, semantic: 0.0, n_sections: 0 };
    let mut pages = vec![none; structure.n_pages() as usize];
    for candidate in candidates {
        let Some(best) = pages.get_mut(structure.page_of(SectionId(candidate.section)).index()) else {
            continue;
        };
        let first = best.n_sections == 0;
        best.n_sections += 1;
        for (best, value) in [
            (&mut best.score, candidate.score()),
            (&mut best.lexical, candidate.lexical_share),
            (&mut best.semantic, candidate.semantic_share),
        ] {
            if first || value > *best {
                *best = value;
            }
        }
    }
    let pages = pages
        .iter()
        .enumerate()
        .filter(|(_, best)| best.n_sections > 0)
        .map(|(page, best)| PageScore {
            page: page as u32,
            // The difference is 0, to the bit, where one section has the best of both.
            score: best.score + maxima * (best.lexical + best.semantic - best.score),
            n_sections: best.n_sections,
        })
        .collect();
    Grouped { pages }
}

impl Grouped {
    /// Orders the first `n` pages by score, ties by id, and leaves the others behind them in no order.
    pub fn rank(&mut self, n: usize) {
        let order = |a: &PageScore, b: &PageScore| b.score.total_cmp(&a.score).then(a.page.cmp(&b.page));
        if n == 0 {
            return;
        }
        if n < self.pages.len() {
            self.pages.select_nth_unstable_by(n - 1, order);
            self.pages[..n].sort_unstable_by(order);
        } else {
            self.pages.sort_unstable_by(order);
        }
    }
}

#[cfg(test)]
mod tests {
    use findling_bundle::structure::StructureBuilder;

    use super::*;

    fn candidate(section: u32, lexical_share: f32, semantic_share: f32) -> Candidate {
        Candidate { section, lexical_share, semantic_share, ..Candidate::default() }
    }

    /// Page 0 has sections 0 and 1, page 1 has 2, page 2 has 3.
    fn check(maxima: f32, candidates: &[Candidate], expect: &[(u32, f32, u32)]) {
        let mut builder = StructureBuilder::default();
        for n_sections in [2, 1, 1] {
            builder.page([1, 1]);
            for _ in 0..n_sections {
                builder.section([1, 1], 0);
                builder.passage([1, 1]);
            }
        }
        for n in 0..4 {
            let mut grouped = group(candidates, maxima, &builder.clone().finish());
            grouped.rank(n);
            let got: Vec<_> = grouped.pages.iter().map(|p| (p.page, p.score, p.n_sections)).collect();
            assert_eq!(got.len(), expect.len());
            assert_eq!(got[..n.min(got.len())], expect[..n.min(got.len())]);
        }
    }

    #[test]
    fn a_page_scores_by_its_best_section() {
        let candidates = [candidate(1, 0.25, 0.25), candidate(3, 0.5, 0.25), candidate(0, 0.0, 0.5)];
        check(0.0, &candidates, &[(2, 0.75, 1), (0, 0.5, 2)]);
    }

    #[test]
    fn or_by_the_best_that_each_leg_gave_it() {
        let candidates = [candidate(1, 0.5, 0.0), candidate(3, 0.5, 0.25), candidate(0, 0.0, 0.5)];
        check(1.0, &candidates, &[(0, 1.0, 2), (2, 0.75, 1)]);
        // Half way, what one section has of both is as good as a little more in two.
        check(0.5, &candidates, &[(0, 0.75, 2), (2, 0.75, 1)]);
    }

    #[test]
    fn ties_go_to_the_page_that_comes_first() {
        let candidates = [candidate(3, 0.5, 0.0), candidate(2, 0.5, 0.0)];
        check(0.0, &candidates, &[(1, 0.5, 1), (2, 0.5, 1)]);
    }
}
