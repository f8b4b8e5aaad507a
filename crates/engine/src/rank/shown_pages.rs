//! The pages that are shown, with their best sections and the rank of these in each leg.

use findling_bundle::{PageId, SectionId, Structure, order};

use super::dense_leg::part;
use super::why_not::keep_section;
use super::{Candidate, PageScore, Trace};
use crate::api::Explanation;
use crate::bitset::Bitset;
use crate::index::Index;

/// A page to show.
pub(crate) struct RankedPage {
    pub score: PageScore,
    /// Best first.
    pub sections: Vec<RankedSection>,
}

impl RankedPage {
    /// Returns a page whose sections are added later.
    pub fn new(score: PageScore) -> Self {
        Self { score, sections: Vec::new() }
    }

    /// Returns the indices in the page of the sections that are shown, or 0 if no section is shown.
    /// Their texts are needed to show the page.
    pub fn places<'a>(&'a self, structure: &Structure) -> impl Iterator<Item = u32> + use<'a> {
        let start = structure.sections(PageId(self.score.page)).start;
        let none = self.sections.is_empty().then_some(0);
        none.into_iter().chain(
            self.sections.iter().map(move |section| section.candidate.section.wrapping_sub(start)),
        )
    }
}

/// A section to show.
pub(crate) struct RankedSection {
    pub candidate: Candidate,
    pub lexical_rank: Option<u32>,
    pub semantic_rank: Option<u32>,
    pub explanation: Option<Explanation>,
}

impl RankedSection {
    /// Returns whether only meaning found it.
    pub fn only_means(&self) -> bool {
        self.candidate.passage.is_none() && self.candidate.similarity.is_some()
    }
}

/// Gives pages their sections, in the order of `candidates`. A page may occur among them twice.
pub(super) fn add_sections(
    pages: &mut [&mut RankedPage],
    candidates: &[Candidate],
    structure: &Structure,
) {
    let places = Places::of(pages.iter().map(|page| page.score.page));
    let mut is_shown = Bitset::none(structure.n_pages());
    for page in pages.iter() {
        is_shown.insert(page.score.page);
    }
    for candidate in candidates {
        let page = structure.page_of(SectionId(candidate.section)).0;
        if !is_shown.contains(page) {
            continue;
        }
        for place in places.all(page) {
            pages[place as usize].sections.push(RankedSection {
                candidate: *candidate,
                lexical_rank: None,
                semantic_rank: None,
                explanation: None,
            });
        }
    }
}

/// Orders the sections of each page, best first, and keeps the first `most` of them. `keep`: the
/// index of a page and a section of it that is always kept.
pub(super) fn keep_best(
    pages: &mut [&mut RankedPage],
    most: usize,
    keep: Option<(usize, SectionId)>,
    structure: &Structure,
) {
    for (place, page) in pages.iter_mut().enumerate() {
        let n = page.sections.len();
        order::sort_first(&mut page.sections, n, |a, b| {
            let (a, b) = (&a.candidate, &b.candidate);
            b.score().total_cmp(&a.score()).then(a.section.cmp(&b.section)).is_lt()
        });
        match keep.filter(|(of, _)| *of == place) {
            // The address of a long section does not say which of its parts is meant.
            Some((_, section)) => keep_section(page, section, most),
            None => best_of_each(&mut page.sections, most, structure),
        }
    }
}

/// Keeps the first `most` sections of a page. Of the parts of a long section, only the best is
/// kept.
fn best_of_each(sections: &mut Vec<RankedSection>, most: usize, structure: &Structure) {
    let mut heads = Vec::new();
    sections.retain(|ranked| {
        let head = structure.head(SectionId(ranked.candidate.section));
        let stays = heads.len() < most && !heads.contains(&head);
        if stays {
            heads.push(head);
        }
        stays
    });
}

/// Sets the ranks of each section in the legs of its phrasing. If no word found the section, also
/// sets its part that is nearest to the query.
pub(super) fn rank_sections(
    index: &Index,
    structure: &Structure,
    pages: &mut [&mut RankedPage],
    traces: &[Trace],
) {
    let ranks: Vec<(Places, Places)> = traces
        .iter()
        .map(|trace| {
            let semantic = trace.neighbours.sections.iter().map(|(section, _)| section.0);
            (Places::of(trace.lexical.iter().copied()), Places::of(semantic))
        })
        .collect();
    for section in pages.iter_mut().flat_map(|page| &mut page.sections) {
        let Candidate { section: id, lexical, phrasing, .. } = section.candidate;
        let (trace, (lexical_ranks, semantic_ranks)) =
            (&traces[usize::from(phrasing)], &ranks[usize::from(phrasing)]);
        if let (None, Some(point)) = (section.candidate.passage, &trace.point) {
            let cells = trace.cells.as_deref();
            section.candidate.part = part(index, structure, point, cells, SectionId(id));
        }
        section.semantic_rank = semantic_ranks.get(id).map(|place| place + 1);
        section.lexical_rank = lexical.map(|score| {
            lexical_ranks.get(id).map(|place| place + 1).unwrap_or_else(|| {
                let better = trace
                    .hits
                    .iter()
                    .filter(|hit| hit.score > score || hit.score == score && hit.section < id);
                better.count() as u32 + 1
            })
        });
    }
}

/// The positions of ids in a list, from 0.
struct Places(Vec<(u32, u32)>);

impl Places {
    fn of(ids: impl Iterator<Item = u32>) -> Self {
        let mut places: Vec<(u32, u32)> = ids.zip(0..).collect();
        order::sort(&mut places);
        Self(places)
    }

    fn get(&self, id: u32) -> Option<u32> {
        self.all(id).next()
    }

    /// Finds all positions of an id that occurs several times.
    fn all(&self, id: u32) -> impl Iterator<Item = u32> {
        let from = self.0.partition_point(|(other, _)| *other < id);
        self.0[from..].iter().take_while(move |(other, _)| *other == id).map(|(_, place)| *place)
    }
}
