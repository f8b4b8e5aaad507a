//! A corpus as one bundle, and divided into two bundles that are searched as one. The bundle of the
//! whole corpus is the twin, which needs no statistics of others.

use std::collections::BTreeSet;

use findling_encoder::hash::HashEncoder;
use findling_engine::{Limit, Response, Shared, Step};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::EncoderChoice;
use findling_base::progress::Silent;
use findling_encoder::BoxedEncoder;
use findling_index::write::{BundleWriter, Shape};
use findling_index::{Job, Options, build};
use findling_page::page::{Block, Page, Section};

/// No word begins with another one, so that no word has relatives.
const WORDS: [&str; 25] = [
    "mutex", "thread", "harbour", "violin", "oven", "glacier", "pepper", "ladder", "candle",
    "orbit", "marble", "tunnel", "falcon", "basket", "copper", "lantern", "meadow", "anchor",
    "ribbon", "timber", "walrus", "saddle", "quartz", "button", "batton",
];

/// A page: its title, its heading and its text, as places in [`WORDS`].
type Sketch = (Vec<usize>, Vec<usize>, Vec<usize>);

fn text(words: &[usize]) -> String {
    words.iter().map(|&word| WORDS[word % WORDS.len()]).collect::<Vec<_>>().join(" ")
}

fn page(number: usize, (title, heading, body): &Sketch) -> Page {
    let block = Block { text: text(body), code: vec![], is_code_block: false, weight: 1.0 };
    let section = Section {
        level: 2,
        heading: text(heading),
        anchor: Some("part".into()),
        blocks: vec![block],
        ..Section::default()
    };
    Page {
        id: format!("{number:03}.html"),
        url: format!("/{number:03}"),
        title: text(title),
        language: "en".into(),
        sections: vec![section],
        ..Page::default()
    }
}

struct Opened {
    host: Host,
    _directory: tempfile::TempDir,
}

fn open(pages: Vec<Page>, embeds: bool) -> Opened {
    let encoder: BoxedEncoder = Box::new(HashEncoder::new(32));
    let options = Options { copies: false, ..Options::default() };
    let encoder = embeds.then_some(&encoder);
    let bundle = build(Job { pages, encoder, options, ..Job::default() }, &Silent);
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("bundle");
    BundleWriter::new(&out, Shape::Directory, &bundle.unwrap().bundle).write().unwrap();
    Opened { host: Host::open(&out).unwrap(), _directory: directory }
}

fn request(query: &str, mode: Mode) -> Request {
    Request { query: query.into(), mode, limit: Limit(1_000), ..Request::default() }
}

/// Returns pages with their scores, best first.
fn ranking(responses: &[Response]) -> Vec<(f32, String)> {
    let pages = responses.iter().flat_map(|response| &response.results);
    let mut pages: Vec<_> = pages.map(|page| (page.score, page.url.clone())).collect();
    pages.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    pages
}

/// Searches bundles as one and returns the answer of each.
fn as_one(
    opened: &mut [Opened],
    request: &Request,
    encoder: Option<&QueryEncoder>,
) -> Vec<Response> {
    let mut requests = vec![request.clone(); opened.len()];
    let mut asked: Vec<Asked<'_>> = opened
        .iter_mut()
        .zip(&mut requests)
        .map(|(one, request)| Asked { host: &mut one.host, request, encoder })
        .collect();
    assert!(join(&mut asked, false).iter().all(Option::is_none));
    let hosts = opened.iter_mut().zip(requests);
    hosts.map(|(one, request)| one.host.search(request).unwrap().0).collect()
}

/// Returns the same answers, but passes the data between bundles as JSON, as in a browser.
fn by_json(opened: &mut [Opened], request: &Request) -> Vec<Response> {
    let mut told: Vec<Vec<Value>> = vec![Vec::new(); opened.len()];
    for part in ["terms", "counts", "misspellings", "terms", "counts", "bests"] {
        let shared = json!({"part": part, "told": told.concat()});
        for (one, own) in opened.iter_mut().zip(&mut told) {
            let mut answer: Value = ask_json(&mut one.host, request, &shared).unwrap();
            own.push(answer["told"].take());
        }
    }
    let shared = json!({"told": told.concat()});
    let answers = opened.iter_mut().map(|one| ask_json(&mut one.host, request, &shared).unwrap());
    answers.map(|answer| serde_json::from_value(answer).unwrap()).collect()
}

fn ask_json(host: &mut Host, request: &Request, shared: &Value) -> Result<Value> {
    let mut request: Value = serde_json::from_str(&request.to_json())?;
    request["shared"] = shared.clone();
    let (request, shared) = Request::with_shared(&request.to_string())?;
    let Shared { part, mut statistics } = Shared::read(shared.context("nothing is shared")?)?;
    let mut search = host.index.search(request)?;
    loop {
        host.index.swap_statistics(&mut statistics);
        let step = match part {
            Some(part) => search.tell(&host.index, part),
            None => search.step(&host.index).map(|step| match step {
                Step::Done(response) => Ok(response.to_json()),
                Step::Need(shards) => Err(shards),
            }),
        };
        host.index.swap_statistics(&mut statistics);
        match step? {
            Ok(answer) => return Ok(serde_json::from_str(&answer)?),
            Err(wanted) => host.read(wanted, &mut Cost::default())?,
        }
    }
}

fn cut(sketches: &[Sketch], sides: &[bool], embeds: bool) -> [Opened; 2] {
    [true, false].map(|side| {
        let own = sketches.iter().enumerate().filter(|(i, _)| sides[i % sides.len()] == side);
        open(own.map(|(i, sketch)| page(i, sketch)).collect(), embeds)
    })
}

/// Returns whether both sides contain pages.
fn has_both(sketches: &[Sketch], sides: &[bool]) -> bool {
    let used = || sides.iter().cycle().take(sketches.len());
    used().any(|side| *side) && used().any(|side| !side)
}

fn whole(sketches: &[Sketch], embeds: bool) -> Opened {
    open(sketches.iter().enumerate().map(|(i, sketch)| page(i, sketch)).collect(), embeds)
}

fn sketches() -> impl Strategy<Value = Vec<Sketch>> {
    let words = |n| proptest::collection::vec(0..WORDS.len(), n);
    proptest::collection::vec((words(1..3), words(1..3), words(4..40)), 6..24)
}

fn bits(pages: &[(f32, String)]) -> Vec<(u32, String)> {
    pages.iter().map(|(score, url)| (score.to_bits(), url.clone())).collect()
}

/// The largest difference between scores by words and meaning: a bundle rounds its vectors and
/// their mean.
const CLOSE: f32 = 3e-3;

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn two_bundles_of_a_corpus_score_by_words_as_the_whole_to_the_bit(
        sketches in sketches(),
        sides in proptest::collection::vec(any::<bool>(), 7),
        words in proptest::collection::vec(0..WORDS.len(), 1..5),
    ) {
        prop_assume!(has_both(&sketches, &sides));
        let request = request(&text(&words), Mode::Lexical);
        let expect = ranking(&[whole(&sketches, false).host.search(request.clone()).unwrap().0]);
        let mut parts = cut(&sketches, &sides, false);
        let got = ranking(&as_one(&mut parts, &request, None));
        prop_assert_eq!(bits(&got), bits(&expect));
        for one in &mut parts {
            part(&mut one.host);
        }
        prop_assert_eq!(bits(&ranking(&by_json(&mut parts, &request))), bits(&expect));
        // Alone, each bundle scores as before.
        let [first, _] = &mut parts;
        let alone = |one: &mut Opened| ranking(&[one.host.search(request.clone()).unwrap().0]);
        part(&mut first.host);
        let again = alone(first);
        first.host.forget().unwrap();
        prop_assert_eq!(again, alone(first));
    }

    #[test]
    fn two_bundles_of_a_corpus_have_the_first_ten_by_words_and_meaning_of_the_whole(
        sketches in sketches(),
        sides in proptest::collection::vec(any::<bool>(), 7),
        words in proptest::collection::vec(0..WORDS.len(), 1..5),
    ) {
        prop_assume!(has_both(&sketches, &sides));
        let mut whole = whole(&sketches, true);
        let encoder = QueryEncoder::load(&whole.host, &EncoderChoice::Auto).unwrap().unwrap();
        let mut request = request(&text(&words), Mode::Hybrid);
        encoder.embed(&mut request).unwrap();
        let expect = ranking(&[whole.host.search(request.clone()).unwrap().0]);
        let mut parts = cut(&sketches, &sides, true);
        let by_json = by_json(&mut parts, &request);
        let got = as_one(&mut parts, &request, Some(&encoder));
        prop_assert_eq!(&by_json, &got);
        let got = ranking(&got);
        prop_assert_eq!(got.len(), expect.len());
        for (rank, (got, expect)) in got.iter().zip(&expect).enumerate() {
            prop_assert!((got.0 - expect.0).abs() < CLOSE, "{rank}: {got:?}, {expect:?}");
        }
        // The means of both vectors differ a little from the mean of all, so near pages may change
        // places.
        let least = expect.get(9).map_or(0.0, |(score, _)| *score);
        let first = |pages: &[(f32, String)], least: f32| -> BTreeSet<String> {
            pages.iter().filter(|page| page.0 > least).map(|page| page.1.clone()).collect()
        };
        prop_assert!(first(&expect, least + CLOSE).is_subset(&first(&got, least)));
    }
}

fn two() -> [Opened; 2] {
    let place = |word: &str| WORDS.iter().position(|known| *known == word).unwrap();
    let of = |words: &[&str]| -> Vec<usize> { words.iter().map(|word| place(word)).collect() };
    let threads = (of(&["thread"]), of(&["mutex", "button"]), of(&["mutex", "thread", "mutex"]));
    let baking = (of(&["oven"]), of(&["pepper"]), of(&["pepper", "oven", "batton", "thread"]));
    [open(vec![page(0, &threads)], false), open(vec![page(1, &baking)], false)]
}

#[test]
fn a_word_of_one_bundle_is_not_corrected_in_the_other() {
    let mut parts = two();
    let request = request("batton", Mode::Lexical);
    let alone = parts[0].host.search(request.clone()).unwrap().0;
    assert_eq!(alone.corrections.len(), 1, "{alone:?}");
    let responses = as_one(&mut parts, &request, None);
    assert!(responses.iter().all(|response| response.corrections.is_empty()), "{responses:?}");
    assert_eq!(ranking(&responses).len(), 1);
}

#[test]
fn a_misspelled_word_is_corrected_in_all_bundles_to_the_same_word() {
    let mut parts = two();
    let responses = as_one(&mut parts, &request("mutxe oven", Mode::Lexical), None);
    for response in &responses {
        let replaced: Vec<_> = response.corrections.iter().map(|slip| &*slip.replacement).collect();
        assert_eq!(replaced, ["mutex"], "{response:?}");
    }
    for one in &mut parts {
        part(&mut one.host);
    }
    assert_eq!(by_json(&mut parts, &request("mutxe oven", Mode::Lexical)), responses);
    assert_eq!(ranking(&responses).len(), 2);
}

#[test]
fn a_bundle_that_fails_counts_for_nobody() {
    let request = request("mutex thread oven", Mode::Lexical);
    let expect = ranking(&as_one(&mut two(), &request, None));
    let place = WORDS.iter().position(|known| *known == "oven").unwrap();
    let ovens = |number| page(number, &(vec![place], vec![place], vec![place; 9]));
    let broken = open((2..40).map(ovens).collect(), false);
    std::fs::remove_dir_all(broken.host.files().path().join("shards")).unwrap();
    let mut opened: Vec<Opened> = two().into_iter().chain([broken]).collect();
    let mut requests = vec![request.clone(); 3];
    let asked = opened.iter_mut().zip(&mut requests);
    let asked = asked.map(|(one, request)| Asked { host: &mut one.host, request, encoder: None });
    let errors = join(&mut asked.collect::<Vec<_>>(), false);
    let failed: Vec<bool> = errors.iter().map(Option::is_some).collect();
    assert_eq!(failed, [false, false, true]);
    let able = opened[..2].iter_mut();
    let responses: Vec<Response> =
        able.map(|one| one.host.search(request.clone()).unwrap().0).collect();
    assert_eq!(ranking(&responses), expect);
}

#[test]
fn mean_lengths_are_weighed_by_passages() {
    let stats = |n_passages, len| findling_bundle::Stats {
        n_passages,
        mean_len: [len; 6],
        ..findling_bundle::Stats::default()
    };
    let shared = SharedStatistics::new([&stats(1, 10.0), &stats(3, 2.0)]);
    assert_eq!(shared.mean_lengths(), [4.0; 6]);
}
