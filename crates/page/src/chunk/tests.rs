use proptest::prelude::*;

use super::*;
use crate::page::Block;

fn prose(text: &str) -> Block {
    Block { text: text.into(), code: Vec::new(), is_code_block: false, weight: 1.0 }
}

fn code(text: &str) -> Block {
    Block {
        text: text.into(),
        code: vec![(0, text.len() as u32)],
        is_code_block: true,
        weight: 1.0,
    }
}

fn section(level: u8, heading: &str, blocks: Vec<Block>) -> Section {
    Section { level, heading: heading.into(), blocks, ..Section::default() }
}

fn page(title: &str, sections: Vec<Section>) -> Page {
    Page { title: title.into(), sections, ..Page::default() }
}

fn sentence(n: usize) -> String {
    format!("Sentence {n} has exactly seven words here.")
}

fn prose_of(n_sentences: usize) -> Block {
    prose(&(0..n_sentences).map(sentence).collect::<Vec<_>>().join(" "))
}

fn chunked(page: &Page, options: &ChunkOptions) -> ChunkedPage {
    chunk(page, options, atoms::words)
}

#[test]
fn units_are_in_the_composed_form_and_spans_fit_the_text_as_it_is() {
    let sections = vec![section(1, "Cafe\u{301}", vec![prose("Re\u{301}sume\u{301}")])];
    let chunked = chunked(&page("", sections), &ChunkOptions::default());
    let section = &chunked.sections[0];
    assert_eq!(section.units[0].text, "Caf\u{e9}\nR\u{e9}sum\u{e9}");
    assert_eq!(section.units[0].span, (0, section.text.len() as u32));
    assert_eq!(section.text, "Re\u{301}sume\u{301}", "the text is shown as it was written");
}

#[test]
fn a_list_of_links_has_no_vector() {
    let link = |text: &str| Block { weight: LINKS_WEIGHT, ..prose(text) };
    let of = |blocks: Vec<Block>| {
        let sections = vec![section(1, "See also", blocks)];
        chunked(&page("", sections), &ChunkOptions::default()).sections[0].units.len()
    };
    assert_eq!(of(vec![link("Kiln"), link("Clay")]), 0);
    assert_eq!(of(vec![link("Kiln"), prose("Clay is burnt.")]), 1);
}

#[test]
fn a_short_section_is_one_passage_and_one_unit() {
    let page = page(
        "Book",
        vec![section(1, "Chapter", vec![prose("One."), code("let x;"), prose("Two.")])],
    );
    let found = chunked(&page, &ChunkOptions::default());
    let section = &found.sections[0];
    assert_eq!(section.text, "One.\nlet x;\nTwo.");
    assert_eq!(section.code, [(5, 11)]);
    assert_eq!(section.passages, [(0, 16)]);
    assert_eq!(section.units[0].text, "Book > Chapter\nOne.\nlet x;\nTwo.");
}

#[test]
fn a_long_section_becomes_passages_of_about_the_size_asked_for() {
    let page = page("Book", vec![section(1, "Chapter", vec![prose_of(40), prose_of(40)])]);
    let found = chunked(&page, &ChunkOptions::default());
    let section = &found.sections[0];
    assert_eq!(section.passages.len(), 5, "560 words at 110");
    for (start, end) in &section.passages {
        let text = &section.text[*start as usize..*end as usize];
        assert!(
            text.starts_with("Sentence") && text.ends_with("here."),
            "cut at sentences: {text}"
        );
        assert!((80..=150).contains(&atoms::words(text)), "{}", atoms::words(text));
    }
}

#[test]
fn a_section_that_would_come_in_two_is_left_whole() {
    for (sentences, passages) in [(39, 1), (40, 3)] {
        let page = page("Book", vec![section(1, "Chapter", vec![prose_of(sentences)])]);
        let section = &chunked(&page, &ChunkOptions::default()).sections[0];
        assert_eq!(section.passages.len(), passages, "{} words", 7 * sentences);
        assert_eq!(section.passages.last().map(|last| last.1 as usize), Some(section.text.len()));
    }
}

#[test]
fn a_code_block_stays_whole_while_it_fits() {
    let listing = (0..30).map(|n| format!("let a{n} = {n};")).collect::<Vec<_>>().join("\n");
    let page =
        page("Book", vec![section(1, "Chapter", vec![prose_of(12), code(&listing), prose_of(12)])]);
    let found = chunked(&page, &ChunkOptions::default());
    let section = &found.sections[0];
    let start = section.text.find("let a0").expect("the listing") as u32;
    let end = start + listing.len() as u32;
    assert!(
        section.passages.iter().any(|passage| passage.0 <= start && end <= passage.1),
        "{:?}",
        section.passages
    );
}

#[test]
fn a_unit_never_exceeds_the_model_and_carries_its_path() {
    let page =
        page("Book", vec![section(1, "Chapter", vec![]), section(2, "Part", vec![prose_of(100)])]);
    let found = chunked(&page, &ChunkOptions::default());
    let units = &found.sections[1].units;
    assert_eq!(units.len(), 3, "700 words at 251");
    for unit in units {
        assert!(unit.text.starts_with("Book > Chapter > Part\nSentence"));
        assert!(atoms::words(&unit.text) <= 254);
    }
}

#[test]
fn a_heading_without_text_is_found_by_words_and_embedded_only_where_nothing_is_below_it() {
    let page = page("Book", vec![section(1, "Chapter", vec![]), section(2, "Part", vec![])]);
    let found = chunked(&page, &ChunkOptions::default());
    assert_eq!(found.sections[0].passages, [(0, 0)]);
    assert!(found.sections[0].units.is_empty());
    assert_eq!(found.sections[1].units[0].text, "Book > Chapter > Part");
    assert_eq!(found.sections[1].parent, Some(0));
}

#[test]
fn a_page_without_sections_is_its_title() {
    let found = chunked(&page("Only a title", vec![]), &ChunkOptions::default());
    assert_eq!(found.sections.len(), 1);
    assert_eq!(found.sections[0].units[0].text, "Only a title");
}

#[test]
fn the_title_is_not_said_twice() {
    let found = chunked(
        &page("Chapter", vec![section(1, "Chapter", vec![prose("x")])]),
        &ChunkOptions::default(),
    );
    assert_eq!(found.sections[0].units[0].text, "Chapter\nx");
}

#[test]
fn a_path_that_leaves_no_room_is_cut_in_front() {
    let long = (0..300).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
    let found = chunked(
        &page(&long, vec![section(1, "Chapter", vec![prose("text")])]),
        &ChunkOptions::default(),
    );
    let text = &found.sections[0].units[0].text;
    assert!(text.ends_with("> Chapter\ntext") && atoms::words(text) <= 254, "{text}");
}

#[test]
fn weights_keep_to_their_blocks() {
    let mut heavy = prose("heavy");
    heavy.weight = 3.0;
    let found = chunked(
        &page("T", vec![section(1, "H", vec![prose("light"), heavy])]),
        &ChunkOptions::default(),
    );
    assert_eq!(found.sections[0].weights, [(6, 11, 3.0)]);
}

#[test]
fn passages_can_overlap() {
    let page = page("T", vec![section(1, "H", vec![prose_of(60)])]);
    let found = chunked(&page, &ChunkOptions { passage_overlap: 20, ..ChunkOptions::default() });
    for pair in found.sections[0].passages.windows(2) {
        let shared = &found.sections[0].text[pair[1].0 as usize..pair[0].1 as usize];
        assert!((7..=20).contains(&atoms::words(shared)), "{shared:?}");
    }
}

fn any_block() -> impl Strategy<Value = Block> {
    ("([a-z]{1,9}[.!?]? ){0,80}|[日本語。x ]{0,60}|.{0,80}", any::<bool>(), 0u8..4).prop_map(
        |(text, is_code_block, weight)| {
            let code = if is_code_block { vec![(0, text.len() as u32)] } else { Vec::new() };
            Block { text, code, is_code_block, weight: f32::from(weight) }
        },
    )
}

proptest! {
    #[test]
    fn spans_are_in_order_on_characters_and_leave_out_nothing_but_white_space(
        sections in prop::collection::vec(
            (0u8..7, "[a-zA-Z ]{0,20}", prop::collection::vec(any_block(), 0..6)),
            0..6,
        ),
        passage_words in 1usize..60, max_tokens in 4usize..80, overlap in 0usize..20,
    ) {
        let sections: Vec<_> = sections
            .into_iter()
            .map(|(level, heading, blocks)| section(level, &heading, blocks))
            .collect();
        let page = page("Title", sections);
        let options = ChunkOptions {
            passage_words,
            max_tokens,
            passage_overlap: overlap,
            unit_overlap: overlap,
            ..ChunkOptions::default()
        };
        let found = chunked(&page, &options);
        prop_assert!(!found.sections.is_empty());
        for (at, section) in found.sections.iter().enumerate() {
            prop_assert!(section.parent.is_none_or(|parent| (parent as usize) < at));
            prop_assert!(!section.passages.is_empty());
            let units: Vec<_> = section.units.iter().map(|unit| unit.span).collect();
            for spans in [&section.passages, &units] {
                let mut reached = 0;
                for &(start, end) in spans {
                    let (start, end) = (start as usize, end as usize);
                    prop_assert!(section.text.get(start..end).is_some(), "within a character");
                    prop_assert!(start <= end && end >= reached);
                    let between = &section.text[reached.min(start)..start];
                    prop_assert!(between.trim().is_empty(), "left out: {between:?}");
                    prop_assert!(start < end || section.text.trim().is_empty());
                    reached = end;
                }
                if !spans.is_empty() {
                    let end = &section.text[reached..];
                    prop_assert!(end.trim().is_empty(), "left out at the end: {end:?}");
                }
            }
            for &(start, end) in &section.code {
                let code = section.text.get(start as usize..end as usize);
                prop_assert!(code.is_some_and(|code| !code.is_empty()));
            }
            for unit in &section.units {
                let (start, end) = unit.span;
                let text = section.text[start as usize..end as usize].to_owned();
                prop_assert!(unit.text.ends_with(&composed(text)));
            }
        }
    }
}
