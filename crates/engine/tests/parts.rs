//! Long pages whose texts come in parts: every answer is as with whole pages, and takes the parts that are shown alone.

mod support;

use findling_bundle::{PageId, ShardKind};
use findling_engine::{Request, SectionsPerPage};
use support::{Bundle, Cut, Page, build, page};

const WORDS: [&str; 9] =
    ["anchor", "ballast", "capstan", "davit", "ensign", "fender", "gangway", "halyard", "jib"];

/// A page of nine sections, each below the one before it in threes, and a short page.
fn pages() -> Vec<Page> {
    let texts: Vec<(String, String)> = WORDS
        .iter()
        .map(|word| (format!("About the {word}"), format!("The {word} of a ship, and how to use it.")))
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
    let why = ["/ships/", "/ships/#about-the-gangway", "/ships/#nothing", "doc-0"].map(|address| Request {
        query: "jib".into(),
        why: Some(address.into()),
        ..Request::default()
    });
    let similar = Request { similar_to: Some("/ships/".into()), ..Request::default() };
    words.into_iter().chain(several).chain(why).chain([similar])
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
