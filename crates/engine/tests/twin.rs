//! The engine against a slow, obvious twin that reads the pages themselves.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use findling_bundle::lexicon::round_len;
use findling_bundle::{AttributeKind, AttributeValue};
use findling_engine::{
    Bm25fParams, FacetsOf, Fusion, Limit, Mode, QueryVector, RankParams, Request, Response,
    SectionsPerPage,
};
use findling_text::Analyzer;
use proptest::prelude::*;
use serde_json::json;
use support::{
    Attributes, Bundle, Cut, Field, Page, Section, analyse, ancestors, blocks, build, value,
};

/// Words without stop words, identifiers or common stems, which the twin does not support.
const WORDS: [&str; 8] = ["apple", "birch", "cedar", "delta", "ember", "fjord", "grape", "heron"];

fn words(n: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&WORDS[..]), n).prop_map(|words| words.join(" "))
}

fn vector() -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec(-8i32..9, 4).prop_map(|v| {
        let mut v: Vec<f32> = v.into_iter().map(|v| v as f32).collect();
        v[0] += 0.5;
        v
    })
}

/// Returns the role of a section or of a page.
fn role() -> impl Strategy<Value = Option<(&'static str, AttributeValue)>> {
    prop::option::of((0..3u32).prop_map(|role| ("role", AttributeValue::String(role.to_string()))))
}

fn section() -> impl Strategy<Value = Section> {
    let text = prop::collection::vec(words(0..9), 1..4).prop_map(|blocks| blocks.join("\n"));
    (words(0..3), text, prop::collection::vec(vector(), 1..3), any::<bool>(), role()).prop_map(
        |(heading, text, vectors, nested, role)| Section {
            heading,
            text,
            vectors,
            parent: nested.then_some(0),
            anchor: None,
            continues: false,
            codes: Vec::new(),
            attributes: role.into_iter().collect(),
        },
    )
}

fn pages() -> impl Strategy<Value = Vec<Page>> {
    let page = (words(0..4), words(0..2), prop::collection::vec(section(), 1..4), 0..3u32, role())
        .prop_map(|(title, path, mut sections, group, role)| {
            // A section's parent comes before it.
            sections[0].parent = None;
            Page {
                title,
                url: format!("/{}/", path.replace(' ', "-")),
                language: "en".into(),
                sections,
                attributes: [("group", AttributeValue::String(group.to_string()))]
                    .into_iter()
                    .chain(role)
                    .collect(),
            }
        });
    prop::collection::vec(page, 1..6)
}

/// A passage in the twin: six fields, and its place.
struct Passage {
    fields: [Field; 6],
    len: [u32; 6],
    section: usize,
}

struct Twin {
    passages: Vec<Passage>,
    /// Page of each section.
    sections: Vec<usize>,
}

impl Twin {
    fn new(pages: &[Page]) -> Self {
        let mut twin = Self { passages: Vec::new(), sections: Vec::new() };
        let mut analyzer = Analyzer::for_language("en");
        for (i, page) in pages.iter().enumerate() {
            for section in &page.sections {
                for block in blocks(&section.text) {
                    let texts = [
                        page.title.clone(),
                        page.url.replace(['/', '-'], " "),
                        section.heading.clone(),
                        ancestors(page, section),
                        section.text[block].to_string(),
                        String::new(),
                    ];
                    let analysed = texts.map(|text| analyse(&mut analyzer, &text));
                    let len = [0, 1, 2, 3, 4, 5].map(|f: usize| analysed[f].1);
                    let fields = analysed.map(|(field, _)| field);
                    twin.passages.push(Passage { fields, len, section: twin.sections.len() });
                }
                twin.sections.push(i);
            }
        }
        twin
    }

    /// Returns BM25F of every section, by its best passage.
    fn scores(&self, query: &str, params: &Bm25fParams) -> BTreeMap<usize, f64> {
        let mut terms: Vec<String> = Vec::new();
        Analyzer::for_language("en").analyze(query, |token| terms.push(token.term.to_string()));
        let n = self.passages.len() as f64;
        let mean = |f: usize| self.passages.iter().map(|p| f64::from(p.len[f])).sum::<f64>() / n;
        let means = [0, 1, 2, 3, 4, 5].map(mean);
        let has = |p: &Passage, term: &str| p.fields.iter().any(|field| field.contains_key(term));
        let df = |term: &String| self.passages.iter().filter(|p| has(p, term)).count() as f64;
        let dfs: Vec<f64> = terms.iter().map(df).collect();
        let mut scores = BTreeMap::new();
        for passage in &self.passages {
            let mut score = 0.0;
            for (term, df) in terms.iter().zip(&dfs) {
                let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
                let mut tf = 0.0;
                #[expect(
                    clippy::needless_range_loop,
                    reason = "f is a field of several arrays at once"
                )]
                for f in 0..6 {
                    let count = passage.fields[f].get(term).map_or(0, Vec::len) as f64;
                    let (w, b) =
                        (f64::from(params.fields[f].weight), f64::from(params.fields[f].b));
                    if count > 0.0 {
                        // The lengths of passages are stored in few steps; the lengths of paths and
                        // of headings above are not stored.
                        let relative = match f {
                            0 | 2 => f64::from(passage.len[f]) / means[f],
                            1 | 3 => 1.0,
                            _ => f64::from(round_len(passage.len[f])) / means[f],
                        };
                        tf += w * count / (1.0 - b + b * relative);
                    }
                }
                score += idf * tf / (f64::from(params.k1) + tf);
            }
            if score > 0.0 {
                let best = scores.entry(passage.section).or_insert(0.0f64);
                *best = best.max(score);
            }
        }
        scores
    }

    /// Returns the sections that have the words in a row in a title, a heading or a passage. A
    /// single word may be in any field.
    fn with_phrase(&self, phrase: &str) -> BTreeSet<usize> {
        let words: Vec<&str> = phrase.split(' ').collect();
        let mut analyzer = Analyzer::for_language("en");
        let terms: Vec<String> =
            words.iter().map(|w| analyse(&mut analyzer, w).0.into_keys().next().unwrap()).collect();
        let mut found = BTreeSet::new();
        for passage in &self.passages {
            let in_field = |f: &usize| {
                let at = |i: usize| passage.fields[*f].get(&terms[i]);
                at(0).is_some_and(|starts| {
                    starts.iter().any(|start| {
                        (1..terms.len())
                            .all(|i| at(i).is_some_and(|p| p.contains(&(start + i as u32))))
                    })
                })
            };
            let fields: &[usize] = if terms.len() == 1 { &[0, 1, 2, 3, 4] } else { &[0, 2, 4] };
            if fields.iter().any(in_field) {
                found.insert(passage.section);
            }
        }
        found
    }

    fn all(&self) -> BTreeSet<usize> {
        (0..self.sections.len()).collect()
    }
}

fn plain() -> RankParams {
    let mut params = RankParams::default();
    params.bm25f.title_boost = 0.0;
    params.bm25f.heading_boost = 0.0;
    params
}

fn everything(query: &str) -> Request {
    Request {
        query: query.into(),
        limit: Limit(1000),
        sections_per_page: SectionsPerPage(1000),
        ..Request::default()
    }
}

fn open(pages: &[Page], terms_per_range: usize) -> (Bundle, findling_engine::Index) {
    // A search with all shards in memory reads both tiers.
    let cut = Cut {
        terms_per_range,
        first_tier: [1, 2, 3].map(|level: usize| (level * terms_per_range).div_ceil(2)),
        ..Cut::default()
    };
    let attributes = [("group", AttributeKind::String), ("role", AttributeKind::String)];
    let bundle = build(pages, &attributes, cut);
    let mut index = bundle.open();
    index.set_rank_params(plain());
    (bundle, index)
}

/// Returns the sections of a response by number, with their legs.
fn sections(pages: &[Page], response: &Response) -> BTreeMap<usize, findling_engine::Legs> {
    let mut firsts = vec![0];
    for page in pages {
        firsts.push(firsts.last().unwrap() + page.sections.len());
    }
    let mut found = BTreeMap::new();
    for hit in &response.results {
        let page: usize = hit.id.strip_prefix("doc-").unwrap().parse().unwrap();
        for section in &hit.sections {
            // Sections are identified by their place, because headings repeat.
            let candidates = (0..pages[page].sections.len()).filter(|i| {
                !found.contains_key(&(firsts[page] + i)) && matches(&pages[page], *i, section)
            });
            let place = candidates.min().expect("a section of the page");
            found.insert(firsts[page] + place, section.legs);
        }
    }
    found
}

fn matches(page: &Page, i: usize, hit: &findling_engine::SectionHit) -> bool {
    page.sections[i].anchor == hit.anchor
}

/// Gives every section an anchor of its own, so that hits can be distinguished.
fn anchored(mut pages: Vec<Page>) -> Vec<Page> {
    for page in &mut pages {
        for (i, section) in page.sections.iter_mut().enumerate() {
            section.anchor = Some(format!("s{i}"));
        }
    }
    pages
}

/// A condition on roles of sections and groups of pages.
#[derive(Clone, Debug)]
enum Filter {
    Role(u32),
    Group(u32),
    Not(Box<Filter>),
    All(Vec<Filter>),
    Any(Vec<Filter>),
}

impl Filter {
    fn json(&self) -> serde_json::Value {
        let all = |parts: &[Filter]| parts.iter().map(Self::json).collect::<Vec<_>>();
        match self {
            Self::Role(role) => json!({"match": {"role": role.to_string()}}),
            Self::Group(group) => json!({"match": {"group": group.to_string()}}),
            Self::Not(inner) => json!({"must_not": [inner.json()]}),
            Self::All(parts) => json!({"must": all(parts)}),
            Self::Any(parts) => json!({"should": all(parts)}),
        }
    }

    /// Returns whether a section meets the condition: by its own role, or otherwise by its page's.
    fn allows(&self, page: &Page, section: &Section) -> bool {
        let is = |value: Option<String>, wanted: &u32| value == Some(wanted.to_string());
        match self {
            Self::Role(wanted) => is(role_of(page, section), wanted),
            Self::Group(wanted) => is(text_of(&page.attributes, "group"), wanted),
            Self::Not(inner) => !inner.allows(page, section),
            Self::All(parts) => parts.iter().all(|part| part.allows(page, section)),
            Self::Any(parts) => parts.iter().any(|part| part.allows(page, section)),
        }
    }
}

fn text_of(attributes: &Attributes, name: &str) -> Option<String> {
    match value(attributes, name) {
        Some(AttributeValue::String(text)) => Some(text.clone()),
        _ => None,
    }
}

fn role_of(page: &Page, section: &Section) -> Option<String> {
    text_of(&section.attributes, "role").or_else(|| text_of(&page.attributes, "role"))
}

fn filters() -> impl Strategy<Value = Filter> {
    let leaf = prop_oneof![(0..4u32).prop_map(Filter::Role), (0..3u32).prop_map(Filter::Group)];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Filter::Not(Box::new(inner))),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Filter::All),
            prop::collection::vec(inner, 1..4).prop_map(Filter::Any),
        ]
    })
}

/// Counts an attribute's values among these sections: once for each page or for each section.
fn counts(
    pages: &[Page],
    twin: &Twin,
    found: &BTreeSet<usize>,
    of: FacetsOf,
    value: impl Fn(&Page, &Section) -> Option<String>,
) -> BTreeMap<String, u32> {
    let all: Vec<&Section> = pages.iter().flat_map(|page| &page.sections).collect();
    let stands_for = |section: usize| match of {
        FacetsOf::Pages => twin.sections[section],
        FacetsOf::Sections => section,
    };
    let values: BTreeSet<(String, usize)> = found
        .iter()
        .filter_map(|&s| Some((value(&pages[twin.sections[s]], all[s])?, stands_for(s))))
        .collect();
    let mut counts = BTreeMap::new();
    values.into_iter().for_each(|(value, _)| *counts.entry(value).or_default() += 1);
    counts
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-4 * (1.0 + a.abs())
}

/// Compares scores over several blocks of passages, and over a page that is larger than a block.
#[test]
fn many_passages_score_as_the_formula_says() {
    let word = |n: u32| WORDS[(n.wrapping_mul(0x9e37_79b9) >> 13) as usize % WORDS.len()];
    let section = |n: u32| Section {
        heading: format!("{} {}", word(n), word(n + 1)),
        text: (2..3 + n % 5).map(|i| word(n + i)).collect::<Vec<_>>().join(" "),
        vectors: vec![vec![1.0, 0.0, 0.0, 0.0]],
        parent: None,
        anchor: None,
        continues: false,
        codes: Vec::new(),
        attributes: Vec::new(),
    };
    let page = |(i, n_sections): (u32, u32)| Page {
        title: format!("{} {}", word(i * 5), word(i * 7)),
        url: format!("/{}/", word(i * 3)),
        language: "en".into(),
        sections: (0..n_sections).map(|n| section(i * 11 + n)).collect(),
        attributes: [("group", AttributeValue::String((i % 3).to_string()))].into(),
    };
    let sizes = (0..9_000).map(|i| (i, if i == 5_000 { 20_000 } else { 1 + i % 7 }));
    let pages = anchored(sizes.map(page).collect());
    let (bundle, mut index) = open(&pages, 3);
    let twin = Twin::new(&pages);
    for query in ["apple fjord", "heron", "cedar delta ember"] {
        let (response, _) = bundle.answer(&mut index, everything(query)).unwrap();
        let expect = twin.scores(query, &plain().bm25f);
        assert_eq!(response.total.sections as usize, expect.len());
        let found = sections(&pages, &response);
        assert!(found.len() >= 1000);
        for (section, legs) in &found {
            let (score, expect) = (legs.lexical_score.unwrap(), expect[section]);
            assert!(close(f64::from(score), expect), "{section} {legs:?} {expect}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn words_score_as_the_formula_says(
        pages in pages().prop_map(anchored),
        query in words(1..4),
        range in 1usize..9,
    ) {
        let (bundle, mut index) = open(&pages, range);
        let (response, _) = bundle.answer(&mut index, everything(&query)).unwrap();
        let expect = Twin::new(&pages).scores(&query, &plain().bm25f);
        let found = sections(&pages, &response);
        prop_assert_eq!(found.keys().collect::<Vec<_>>(), expect.keys().collect::<Vec<_>>());
        prop_assert_eq!(response.total.sections as usize, expect.len());
        for (section, legs) in &found {
            let (score, expect) = (legs.lexical_score.unwrap(), expect[section]);
            prop_assert!(close(f64::from(score), expect), "{} {:?} {}", section, legs, expect);
        }
        // Pages and their sections are in the order of their scores.
        let scores: Vec<f32> = response.results.iter().map(|page| page.score).collect();
        prop_assert!(scores.is_sorted_by(|a, b| a >= b));
        for page in &response.results {
            // All of its sections are shown.
            let second = page.sections.get(1).map_or(0.0, |section| section.score);
            prop_assert_eq!(page.score, page.sections[0].score + plain().page_second * second);
            prop_assert!(page.sections.is_sorted_by(|a, b| a.score >= b.score));
        }
    }

    #[test]
    fn phrases_and_exclusions_are_sets(
        pages in pages().prop_map(anchored),
        query in words(1..3),
        wanted in words(1..4),
        not in words(1..3),
    ) {
        let (bundle, mut index) = open(&pages, 3);
        let twin = Twin::new(&pages);
        let scores = twin.scores(&format!("{query} {wanted}"), &plain().bm25f);
        let scored: BTreeSet<usize> = scores.into_keys().collect();
        let (has, lacks) = (twin.with_phrase(&wanted), twin.with_phrase(&not));
        let expect: Vec<usize> =
            scored.intersection(&has).filter(|s| !lacks.contains(s)).copied().collect();
        let text = format!("{query} \"{wanted}\" -\"{not}\"");
        // Otherwise phrases and exclusions without a result would be treated as words.
        let request = Request { verbatim: true, ..everything(&text) };
        let (response, _) = bundle.answer(&mut index, request).unwrap();
        prop_assert_eq!(sections(&pages, &response).into_keys().collect::<Vec<_>>(), expect);
    }

    #[test]
    fn both_legs_obey_one_filter(
        pages in pages().prop_map(anchored),
        query in words(1..3),
        not in words(1..2),
        values in vector(),
        group in 0..3u32,
        mode in prop::sample::select(&[Mode::Hybrid, Mode::Semantic, Mode::Lexical][..]),
        rrf: bool, page_maxima in prop::sample::select(&[0.0f32, 0.5, 1.0][..]),
    ) {
        let (bundle, mut index) = open(&pages, 3);
        index.set_rank_params(RankParams { page_maxima, ..plain() });
        let request = Request {
            mode,
            fusion: if rrf { Fusion::Rrf { k: 5.0, dense_weight: 0.7 } } else { Fusion::default() },
            filter: Some(format!("group={group}").into()),
            vector: Some(QueryVector {
                values: values.clone(),
                encoder: "supplied".into(),
                truncated: false,
            }),
            ..everything(&format!("{query} -{not}"))
        };
        let (response, _) = bundle.answer(&mut index, request.clone()).unwrap();
        prop_assert_eq!(response.mode, mode);
        let twin = Twin::new(&pages);
        let lacks = twin.with_phrase(&not);
        let in_group = |s: &usize| {
            pages[twin.sections[*s]].attributes[0].1 == AttributeValue::String(group.to_string())
        };
        let allowed: BTreeSet<usize> =
            twin.all().into_iter().filter(in_group).filter(|s| !lacks.contains(s)).collect();
        let found = sections(&pages, &response);
        let all_texts: Vec<&Section> = pages.iter().flat_map(|page| &page.sections).collect();
        let norm = |v: &[f32]| v.iter().map(|v| f64::from(v * v)).sum::<f64>().sqrt();
        for (section, legs) in &found {
            prop_assert!(allowed.contains(section));
            let cosine = |v: &Vec<f32>| {
                let dot: f64 = v.iter().zip(&values).map(|(a, b)| f64::from(a * b)).sum();
                dot / norm(v) / norm(&values)
            };
            let cosines = all_texts[*section].vectors.iter().map(cosine);
            let best = cosines.fold(f64::NEG_INFINITY, f64::max);
            if let Some(similarity) = legs.similarity {
                let error = (f64::from(similarity) - best).abs();
                prop_assert!(error < 0.02, "{} {}", similarity, best);
            }
        }
        let scored = twin.scores(&query, &plain().bm25f);
        match mode {
            // Every permitted value has a nearest place.
            Mode::Semantic => {
                prop_assert_eq!(found.keys().copied().collect::<BTreeSet<_>>(), allowed);
            }
            _ => {
                let mut with_words = allowed.iter().filter(|s| scored.contains_key(s));
                prop_assert!(with_words.all(|s| found.contains_key(s)));
            }
        }
        // The same request gives the same answer, from a fresh index too.
        let (again, _) = bundle.answer(&mut index, request.clone()).unwrap();
        prop_assert_eq!(&again, &response);
        let mut fresh = bundle.open();
        fresh.set_rank_params(*index.rank_params());
        prop_assert_eq!(&bundle.answer(&mut fresh, request.clone()).unwrap().0, &response);
        // Parts of the list are the same as in the whole list.
        for offset in 0..=response.results.len() {
            let part = Request { offset: offset as u32, limit: Limit(2), ..request.clone() };
            let (part, _) = bundle.answer(&mut index, part).unwrap();
            let end = (offset + 2).min(response.results.len());
            prop_assert_eq!(&part.results[..], &response.results[offset..end]);
            prop_assert_eq!(part.total, response.total);
        }
    }

    #[test]
    fn both_legs_obey_a_filter_on_sections(
        pages in pages().prop_map(anchored),
        query in words(1..3),
        values in vector(),
        filter in filters(),
        mode in prop::sample::select(&[Mode::Hybrid, Mode::Semantic, Mode::Lexical][..]),
        of in prop::sample::select(&[FacetsOf::Pages, FacetsOf::Sections][..]),
    ) {
        let (bundle, mut index) = open(&pages, 3);
        let request = Request {
            mode,
            filter: Some(filter.json()),
            vector: Some(QueryVector { values, encoder: "supplied".into(), truncated: false }),
            facets: vec!["group".into(), "role".into()],
            facets_of: of,
            ..everything(&query)
        };
        let (response, _) = bundle.answer(&mut index, request).unwrap();
        let twin = Twin::new(&pages);
        let all: Vec<&Section> = pages.iter().flat_map(|page| &page.sections).collect();
        let is_allowed = |s: &usize| filter.allows(&pages[twin.sections[*s]], all[*s]);
        let allowed: BTreeSet<usize> = twin.all().into_iter().filter(is_allowed).collect();
        let scored: BTreeSet<usize> = twin.scores(&query, &plain().bm25f).into_keys().collect();
        let with_words: BTreeSet<usize> = scored.intersection(&allowed).copied().collect();
        let found: BTreeSet<usize> = sections(&pages, &response).into_keys().collect();
        match mode {
            Mode::Lexical => prop_assert_eq!(&found, &with_words),
            Mode::Semantic => prop_assert_eq!(&found, &allowed),
            Mode::Hybrid => {
                prop_assert!(found.is_subset(&allowed) && found.is_superset(&with_words));
            }
        }
        let counted: Vec<BTreeMap<String, u32>> =
            response.facets.iter().map(|facet| facet.values.iter().cloned().collect()).collect();
        let group = |page: &Page, _: &Section| text_of(&page.attributes, "group");
        prop_assert_eq!(&counted[0], &counts(&pages, &twin, &found, of, group));
        prop_assert_eq!(&counted[1], &counts(&pages, &twin, &found, of, role_of));
        // The shown text of a section is its own text.
        for hit in &response.results {
            let page: usize = hit.id.strip_prefix("doc-").unwrap().parse().unwrap();
            for shown in &hit.sections {
                let place: usize = shown.anchor.as_ref().unwrap()[1..].parse().unwrap();
                let own = text_of(&pages[page].sections[place].attributes, "role");
                let role = shown.attributes.get("role").and_then(|role| role.as_str());
                prop_assert_eq!(role, own.as_deref());
            }
        }
    }
}
