//! Long pages whose texts are in parts: every answer is the same as with whole pages, and fetches
//! only the parts that are shown.

mod support;

use findling_bundle::{PageId, ShardKind};
use findling_engine::{Request, SectionsPerPage};
use support::{Bundle, Cut, Page, build, page};

const WORDS: [&str; 9] =
    ["anchor", "ballast", "capstan", "davit", "ensign", "fender", "gangway", "halyard", "jib"];

/// Returns a page of nine sections, each below the previous one in threes, and a short page.
fn pages() -> Vec<Page> {
    let texts: Vec<(String, String)> = WORDS
        .iter()
        .map(|word| {
            (format!("About the {word}"), format!("The {word} of a ship, and how to use it."))
        })
        .collect();
    let sections: Vec<(&str, &str)> = texts.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let mut long = page("Ships", &sections);
    for (i, section) in long.sections.iter_mut().enumerate() {
        section.parent = (i % 3 > 0).then(|| i as u32 - 1);
    }
    vec![page("Boats", &[("Oars", "A boat has oars, and no capstan.")]), long]
}

fn bundle(sections_per_text: usize) -> Bundle {
    build(&pages(), &[], Cut { sections_per_text, ..Cut::default() })
}

fn requests() -> impl Iterator<Item = Request> {
    let words = WORDS.map(|word| Request { query: word.into(), ..Request::default() });
    let several = ["anchor jib", "ship", "\"capstan of a ship\"", "boat"].map(|query| Request {
        query: query.into(),
        sections_per_page: SectionsPerPage(20),
        ..Request::default()
    });
    let why = ["/ships/", "/ships/#about-the-gangway", "/ships/#nothing", "doc-0"].map(|address| {
        Request { query: "jib".into(), why: Some(address.into()), ..Request::default() }
    });
    let similar = Request { similar_to: Some("/ships/".into()), ..Request::default() };
    let read = Request { read: Some("/ships/".into()), ..Request::default() };
    words.into_iter().chain(several).chain(why).chain([similar, read])
}

#[test]
fn answers_are_those_of_whole_pages() {
    let whole = bundle(0);
    for sections_per_text in [1, 2, 4, 9] {
        let parts = bundle(sections_per_text);
        assert_eq!(parts.manifest.texts.len(), 1 + 9usize.div_ceil(sections_per_text));
        for request in requests() {
            let told = format!("{request:?}, {sections_per_text} sections a part");
            assert_eq!(parts.search(request.clone()), whole.search(request), "{told}");
        }
    }
}

#[test]
fn a_hit_takes_its_part_alone() {
    let parts = bundle(2);
    for (place, word) in (0..).zip(WORDS) {
        let request = Request { query: format!("about {word} -oars"), ..Request::default() };
        let (response, rounds) = parts.answer(&mut parts.open(), request).unwrap();
        let hit = &response.results[0].sections[0];
        assert_eq!(hit.heading_path.len(), place as usize % 3 + 1, "{:?}", hit.heading_path);
        let texts: Vec<_> = rounds
            .concat()
            .into_iter()
            .filter(|shard| parts.manifest.shards[shard.index()].kind == ShardKind::Texts)
            .collect();
        let (expect, at) = parts.manifest.text_of(PageId(1), place).unwrap();
        assert!(texts.contains(&expect) && at == 0, "{word}");
        assert!(texts.len() <= response.results[0].sections.len(), "{word}: {texts:?}");
    }
}

#[test]
fn a_long_section_is_shown_once_by_its_best_part() {
    let mut book = page(
        "Book",
        &[
            ("Knots", "A bowline holds. Loops of rope."),
            ("Knots", "The bowline, the bowline and the bowline."),
            ("Knots", "Ropes."),
            (
                "Sails",
                "No bowline here, but many words about other things, of which there are many.",
            ),
        ],
    );
    for part in &mut book.sections[1..3] {
        part.continues = true;
    }
    let bundle = build(&[book], &[], Cut { sections_per_text: 1, ..Cut::default() });
    let request = Request { query: "bowline".into(), ..Request::default() };
    let (response, rounds) = bundle.answer(&mut bundle.open(), request.clone()).unwrap();
    let hit = &response.results[0];
    let shown: Vec<_> = hit.sections.iter().map(|section| section.snippet.text.as_str()).collect();
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert!(
        shown[0].starts_with("The bowline, the bowline") && shown[1].starts_with("No bowline"),
        "{shown:?}"
    );
    assert_eq!(hit.n_sections, 3, "parts are counted as sections are");
    let is_text = |shard: &&findling_bundle::ShardId| {
        bundle.manifest.shards[shard.index()].kind == ShardKind::Texts
    };
    assert_eq!(
        rounds.concat().iter().filter(is_text).count(),
        2,
        "no part is fetched that is not shown"
    );
    // All parts have the same address; the first is explained.
    let why = Request { why: Some("/book/#knots".into()), ..request };
    let why = bundle.search(why).why.unwrap();
    assert!(why.section.unwrap().snippet.text.starts_with("A bowline holds"));
}
