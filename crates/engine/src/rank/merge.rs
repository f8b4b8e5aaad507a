//! What several wordings of one query found, as one list.
//!
//! A section keeps the wording that it scores best by, with everything that explains the score; a
//! page keeps its best score. Scores are compared as they are: fused ones are of one scale, those
//! of words alone favour the longer wording.

use findling_bundle::{SectionId, Structure, order};

use super::{Candidate, Found, PageScore};

/// Takes the candidates and the pages (by id) of all wordings, each section and each page once.
/// Ties go to the earlier wording. O(n log n) for several, nothing for one.
pub(crate) fn merge(
    found: &mut [Found],
    structure: &Structure,
) -> (Vec<Candidate>, Vec<PageScore>) {
    if let [only] = found {
        return (std::mem::take(&mut only.candidates), std::mem::take(&mut only.pages));
    }
    several(found, structure)
}

#[doc(alias = "deferred")]
#[inline(never)]
fn several(found: &mut [Found], structure: &Structure) -> (Vec<Candidate>, Vec<PageScore>) {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut pages: Vec<PageScore> = Vec::new();
    for (wording, found) in (0..).zip(found) {
        let of_wording = std::mem::take(&mut found.candidates).into_iter();
        candidates.extend(of_wording.map(|candidate| Candidate { wording, ..candidate }));
        pages.append(&mut found.pages);
    }
    order::sort_by(&mut candidates, |a, b| {
        let by_score = || b.score().total_cmp(&a.score()).then(a.wording.cmp(&b.wording));
        a.section.cmp(&b.section).then_with(by_score).is_lt()
    });
    candidates.dedup_by_key(|candidate| candidate.section);
    order::sort_by(&mut pages, |a, b| {
        a.page.cmp(&b.page).then_with(|| b.score.total_cmp(&a.score)).is_lt()
    });
    pages.dedup_by_key(|page| page.page);
    // Both are in the site's order now.
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
