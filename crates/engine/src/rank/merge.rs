//! Merges the matches of several phrasings into one list.
//!
//! A section keeps the phrasing that gives it the best score, with everything that explains the
//! score; a page keeps its best score. Scores are compared as they are: fused scores are on one
//! scale, scores by words alone favour longer phrasings.

use findling_bundle::{SectionId, Structure, order};

use super::{Candidate, Matches, PageScore, Trace};

/// The matches of all phrasings.
pub(super) struct Merged {
    /// Each section once, with the phrasing that gives it the best score.
    pub candidates: Vec<Candidate>,
    /// Each page once, by id.
    pub pages: Vec<PageScore>,
    /// The highest score, over the phrasings, of a section that both legs rank first.
    pub top: f32,
    /// Traces of the legs, by phrasing.
    pub traces: Vec<Trace>,
}

/// Merges the matches of phrasings. Ties go to the earlier one. Takes O(n log n) for several
/// phrasings, nothing for one.
pub(super) fn merge(found: Vec<Matches>, structure: &Structure) -> Merged {
    let (mut lists, mut traces) = (Vec::new(), Vec::new());
    let mut most = 0.0_f32;
    for Matches { candidates, pages, trace, top, .. } in found {
        most = most.max(top);
        lists.push((candidates, pages));
        traces.push(trace);
    }
    let (candidates, pages) = match lists.pop() {
        Some(only) if lists.is_empty() => only,
        last => {
            lists.extend(last);
            several(lists, structure)
        }
    };
    Merged { candidates, pages, top: most, traces }
}

#[doc(alias = "deferred")]
#[inline(never)]
fn several(
    lists: Vec<(Vec<Candidate>, Vec<PageScore>)>,
    structure: &Structure,
) -> (Vec<Candidate>, Vec<PageScore>) {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut pages: Vec<PageScore> = Vec::new();
    for (phrasing, (sections_found, pages_found)) in (0..).zip(lists) {
        let of_phrasing = sections_found.into_iter();
        candidates.extend(of_phrasing.map(|candidate| Candidate { phrasing, ..candidate }));
        pages.extend(pages_found);
    }
    order::sort_by(&mut candidates, |a, b| {
        let by_score = || b.score().total_cmp(&a.score()).then(a.phrasing.cmp(&b.phrasing));
        a.section.cmp(&b.section).then_with(by_score).is_lt()
    });
    candidates.dedup_by_key(|candidate| candidate.section);
    order::sort_by(&mut pages, |a, b| {
        a.page.cmp(&b.page).then_with(|| b.score.total_cmp(&a.score)).is_lt()
    });
    pages.dedup_by_key(|page| page.page);
    // Both lists are now in the site's order.
    let mut sections =
        candidates.iter().map(|c| structure.page_of(SectionId(c.section)).0).peekable();
    for page in &mut pages {
        page.n_sections = 0;
        while sections.next_if_eq(&page.page).is_some() {
            page.n_sections += 1;
        }
    }
    (candidates, pages)
}
