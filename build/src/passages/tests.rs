//! Budgets, and what they are spent on.

use findling_engine::{Mode, Snippet, Total};
use proptest::prelude::*;

use super::*;
use crate::host::DocumentSection;

/// Returns a section of passages that are one paragraph each.
fn section(heading: &str, paragraphs: &[&str]) -> DocumentSection {
    let (mut text, mut passages) = (String::new(), Vec::new());
    for paragraph in paragraphs {
        if !text.is_empty() {
            text.push('\n');
        }
        passages.push((text.len(), text.len() + paragraph.len()));
        text.push_str(paragraph);
    }
    let heading_path = vec![heading.to_owned()];
    DocumentSection {
        level: 2,
        heading_path,
        anchor: Some(heading.into()),
        text,
        code: vec![],
        passages,
    }
}

fn hit(heading: &str, snippet: &str) -> SectionHit {
    SectionHit {
        url: format!("/page#{heading}"),
        anchor: Some(heading.into()),
        heading_path: vec![heading.into()],
        attributes: Default::default(),
        score: 0.5,
        snippet: Snippet { text: snippet.into(), ..Snippet::default() },
        legs: Default::default(),
        explain: None,
    }
}

fn page(sections: Vec<SectionHit>) -> PageHit {
    PageHit {
        id: "page".into(),
        url: "/page".into(),
        title: "Page".into(),
        language: "en".into(),
        score: 1.0,
        attributes: Default::default(),
        meta: vec![],
        n_sections: sections.len() as u32,
        sections,
        copies: 0,
        pinned: false,
    }
}

fn found(page: &PageHit, sections: &[DocumentSection]) -> Vec<Candidate> {
    let each = (1..).zip(page.sections.iter().zip(sections));
    each.map(|(rank, (hit, section))| {
        let location = Location::Url(hit.url.clone());
        Candidate {
            collection: None,
            rank,
            place: 0,
            page_score: 1.0,
            title: page.title.clone(),
            frame: frame(&page.title, hit, &location),
            excerpt: Excerpt::new(section.clone(), &hit.snippet.text),
            hit: hit.clone(),
            location,
        }
    })
    .collect()
}

const PARAGRAPHS: [&str; 5] = [
    "The first paragraph opens the section with a few words.",
    "The second paragraph goes on about other things.",
    "A mutex guards data. Only one thread at a time may lock it, and all others wait.",
    "The fourth paragraph tells what happens when a thread panics.",
    "The last paragraph sums up.",
];

fn taken(budget: usize) -> Passages {
    let sections = [section("a", &PARAGRAPHS), section("b", &["Short text on a mutex."])];
    let page = page(vec![hit("a", "A mutex guards data."), hit("b", "mutex")]);
    fill(found(&page, &sections), budget)
}

#[test]
fn a_snippet_widens_to_its_passage_its_neighbours_and_its_section() {
    let taken_at = |budget| taken(budget).passages;
    let whole = taken_at(1000);
    assert!(whole.iter().all(|passage| passage.whole && !passage.cut_start && !passage.cut_end));
    assert!(whole[0].text.starts_with(PARAGRAPHS[0]) && whole[0].text.ends_with(PARAGRAPHS[4]));
    let all: usize = whole.iter().map(|passage| passage.tokens).sum();
    // The longer section does not fit whole, so that it has the snippet's neighbours.
    let partly = taken_at(all - 3);
    assert_eq!(partly[1].text, "Short text on a mutex.");
    let widened = &partly[0];
    assert!(widened.text.contains(PARAGRAPHS[2]) && widened.text.contains(PARAGRAPHS[3]));
    assert!(!widened.whole && (widened.cut_start || widened.cut_end));
}

/// Returns two pages with a section each, and the number of tokens of their snippets.
fn two_pages() -> (Vec<Candidate>, usize) {
    let sections = [section("a", &PARAGRAPHS), section("b", &["Short text on a mutex."])];
    let page = page(vec![hit("a", "A mutex guards data."), hit("b", "mutex")]);
    let pages = found(&page, &sections);
    let snippets = pages.iter().map(Candidate::tokens).sum();
    (pages, snippets)
}

#[test]
fn a_late_page_has_its_snippet_before_an_early_one_is_widened_if_half_of_the_budget_is_left() {
    let (pages, snippets) = two_pages();
    let both = fill(pages.clone(), 2 * snippets).passages;
    assert_eq!(both.len(), 2, "{both:?}");
    assert!(both[0].text.len() > "A mutex guards data.".len() && !both[0].whole);
    let one = fill(pages, 2 * snippets - 2).passages;
    assert_eq!(one.len(), 1, "the rest widens the first: {one:?}");
    assert!(one[0].text.len() > both[0].text.len());
}

#[test]
fn a_further_section_of_a_page_waits_until_the_best_one_is_widened() {
    let (mut sections, snippets) = two_pages();
    (sections[1].rank, sections[1].place) = (1, 1);
    let narrow = fill(sections.clone(), 2 * snippets).passages;
    assert_eq!(narrow.len(), 1, "{narrow:?}");
    assert!(narrow[0].text.contains(PARAGRAPHS[3]) && narrow[0].text.contains(PARAGRAPHS[4]));
    assert_eq!(fill(sections, 1000).passages.len(), 2);
}

#[test]
fn pages_of_several_bundles_are_ranked_by_their_scores() {
    let (pages, _) = two_pages();
    let of = |name: &str, scores: [f32; 2]| -> Vec<Candidate> {
        let named = pages.iter().zip(scores).map(|(candidate, page_score)| {
            let mut own = candidate.clone();
            own.excerpt = Excerpt::new(section(name, &[&page_score.to_string()]), "");
            Candidate { collection: Some(name.to_owned()), page_score, ..own }
        });
        named.collect()
    };
    let mut first = of("first", [0.9, 0.4]);
    // The second section of the best page.
    let further = Candidate { place: 1, page_score: 0.9, ..first[1].clone() };
    first.push(Candidate { rank: 1, excerpt: two_pages().0[0].excerpt.clone(), ..further });
    let all = merged(vec![first, of("second", [0.7, 0.2])]);
    let order: Vec<_> = all.iter().map(|one| (one.rank, one.place, one.page_score)).collect();
    assert_eq!(order, [(1, 0, 0.9), (2, 0, 0.7), (3, 0, 0.4), (4, 0, 0.2), (1, 1, 0.9)]);
}

#[test]
fn what_does_not_fit_is_counted() {
    let nothing = taken(0);
    assert_eq!((nothing.passages.len(), nothing.left_out, nothing.tokens), (0, 2, 0));
}

#[test]
fn the_best_section_of_each_page_comes_first() {
    let response = Response {
        query: String::new(),
        mode: Mode::Lexical,
        encoder: None,
        notices: vec![],
        corrections: vec![],
        suggestions: vec![],
        answerable: None,
        total: Total::default(),
        results: vec![page(vec![hit("a", ""), hit("b", "")]), page(vec![hit("c", "")])],
        facets: vec![],
        plan: None,
        why: None,
        document: None,
    };
    let order: Vec<_> = in_order(&response, 10)
        .map(|(rank, _, _, hit)| (rank, hit.anchor.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(order, [(11, "a"), (12, "c"), (11, "b")]);
}

proptest! {
    /// Whatever the texts, the budget is kept, and each passage is a stretch of its section.
    #[test]
    fn a_budget_is_kept(
        texts in prop::collection::vec(prop::collection::vec("[a-zé漢 .]{0,60}", 1..6), 1..6),
        snippets in prop::collection::vec((0usize..60, 0usize..60), 6),
        budget in 0usize..600,
    ) {
        let sections: Vec<_> = texts
            .iter()
            .enumerate()
            .map(|(i, texts)| {
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                section(&i.to_string(), &texts)
            })
            .collect();
        let hits = sections.iter().enumerate().zip(&snippets).map(|((i, section), &(from, len))| {
            let snippet: String = section.text.chars().skip(from).take(len).collect();
            hit(&i.to_string(), &snippet)
        });
        let page = page(hits.collect());
        let taken = fill(found(&page, &sections), budget);
        prop_assert!(taken.tokens <= budget);
        prop_assert_eq!(taken.passages.len() + taken.left_out, sections.len());
        for passage in &taken.passages {
            let section = &sections[passage.heading_path[0].parse::<usize>().unwrap()];
            prop_assert!(section.text.contains(&passage.text));
            prop_assert_eq!(passage.whole, section.text.trim() == passage.text.trim());
        }
    }
}
