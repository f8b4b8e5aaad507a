use std::collections::HashSet;

use findling_bundle::projection::Projection;
use findling_bundle::rows::Bits;
use findling_encoder::Encoder;

use super::held_out::MAX_SECTIONS;
use super::*;
use crate::random::SplitMix64;
use crate::rows;
use findling_page::chunk::{ChunkedPage, ChunkedSection, EmbeddingUnit};

const WORDS: [&str; 12] = [
    "alpha", "beta", "gamma", "delta", "mutex", "lock", "thread", "share", "bread", "oven",
    "flour", "salt",
];

/// Returns a table with random rows, taught by the hash encoder with eight dimensions. The rows are
/// short, so that a few steps change them.
pub fn table(seed: u64) -> StaticTable {
    table_that_knows(seed, &[])
}

/// Returns the table of [`table`], but the `common` words are too frequent for their rows to
/// change.
fn table_that_knows(seed: u64, common: &[&str]) -> StaticTable {
    let mut vocabulary: Vec<String> =
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].iter().map(|&t| t.to_owned()).collect();
    vocabulary.extend(WORDS.iter().map(|&word| word.to_owned()));
    let eye: Vec<f32> = (0..64).map(|i| f32::from(u8::from(i / 8 == i % 8))).collect();
    let mut random = SplitMix64(seed);
    let rows: Vec<f32> =
        (0..vocabulary.len() * 8).map(|_| random.below(2001) as f32 / 10_000.0 - 0.1).collect();
    let count = |token: &String| if common.contains(&&token[..]) { 256 } else { 255 };
    let counts: Vec<u64> = vocabulary
        .iter()
        .map(|token| if token.starts_with('[') { 0 } else { count(token) })
        .collect();
    let teacher = findling_encoder::hash::HashEncoder::new(8).card().clone();
    StaticTable::new(
        teacher,
        Projection::new(8, &eye).unwrap(),
        vocabulary,
        true,
        &rows,
        &counts,
        Bits::Eight,
    )
    .unwrap()
}

/// Returns a site whose teacher is another table, so that everything can be learned.
fn site(n: usize) -> (Vec<String>, Vec<f32>) {
    let (teacher, mut random) = (table(5), SplitMix64(9));
    let spans: Vec<String> = (0..n)
        .map(|_| {
            let words: Vec<&str> =
                (0..2 + random.below(4)).map(|_| WORDS[random.below(12)]).collect();
            words.join(" ")
        })
        .collect();
    let targets = spans.iter().flat_map(|span| teacher.embed(span).values).collect();
    (spans, targets)
}

/// Returns the rows of a site with these texts.
fn rows(table: &StaticTable, texts: &[String]) -> Rows {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    rows::select(table, &texts, rows::BUDGET)
}

/// Returns each text as the only span of its own section.
fn spans_of(texts: &[String]) -> Vec<Span> {
    (0..).zip(texts).map(|(at, text)| Span { text: text.clone(), own: at..at + 1 }).collect()
}

fn sections<'a>(texts: &'a [String], targets: &'a [f32]) -> Vec<(&'a str, &'a [f32])> {
    texts.iter().map(String::as_str).zip(targets.chunks(8)).collect()
}

/// Fits to all texts, some of them held out, and to further sections. The sections of held-out
/// spans have no text to learn from.
fn fit_to(
    table: &StaticTable,
    texts: &[String],
    targets: &[f32],
    further: &[(&str, &[f32])],
) -> Result<(Option<Rows>, Fitted), Error> {
    let spans = spans_of(texts);
    let (held_out, learned) = hold_out(&spans);
    let of_learned: Vec<f32> = learned
        .iter()
        .filter_map(|span| targets.chunks(8).nth(span.own.start))
        .flatten()
        .copied()
        .collect();
    let mut all = sections(texts, targets);
    held_out.iter().for_each(|span| all[span.own.start].0 = "");
    let sections = [&all, further].concat();
    fit(&rows(table, texts), table, (&learned, &of_learned), &held_out, &sections)
}

#[test]
fn rows_of_a_previous_build_are_kept_while_they_fit() {
    let (texts, targets) = site(3000);
    let (fitted, report) = fit_to(&table(4), &texts, &targets, &[]).unwrap();
    let spans = spans_of(&texts);
    let held_out = hold_out(&spans).0;
    let still = |table: &StaticTable, earlier: &(Rows, f32), targets: &[f32]| {
        still_fits(&rows(table, &texts), earlier, &held_out, &sections(&texts, targets))
    };
    let mut earlier = (fitted.unwrap(), report.after);
    let serves = still(&table(4), &earlier, &targets).unwrap();
    let expected =
        Fitted { verdict: Verdict::KeptFromPreviousBuild, n_spans: 0, n_sections: 0, ..report };
    assert_eq!(serves, expected, "measured as when it was fitted");
    assert_eq!(still(&table(5), &earlier, &targets), None, "no better than unfitted");
    // A site for which the fitted rows are wrong.
    let other: Vec<f32> = targets.iter().map(|value| -value).collect();
    assert_eq!(still(&table(4), &earlier, &other), None, "another site");
    earlier.1 = serves.after + 0.1;
    assert_eq!(still(&table(4), &earlier, &targets), None, "worse than it was");
    earlier.1 = 0.0;
    assert_eq!(
        still_fits(&rows(&table(4), &texts), &earlier, &[], &[]),
        None,
        "nothing to tell by"
    );
}

#[test]
fn rows_that_improve_are_kept() {
    let (texts, targets) = site(3000);
    let (fitted, report) = fit_to(&table(4), &texts, &targets, &[]).unwrap();
    assert!(report.verdict == Verdict::Kept && report.after > report.before + 0.05, "{report:?}");
    assert!(fitted.is_some());
}

#[test]
fn rows_of_frequent_words_do_not_change() {
    let (texts, targets) = site(3000);
    let table = table_that_knows(4, &["alpha", "mutex"]);
    let fitted = fit_to(&table, &texts, &targets, &[]).unwrap().0.unwrap();
    let before = rows(&table, &texts);
    for word in WORDS {
        let stays = ["alpha", "mutex"].contains(&word);
        assert_eq!(fitted.reader().embed(word) == before.reader().embed(word), stays, "{word}");
    }
}

#[test]
fn rows_stay_unchanged_without_a_gain() {
    let (texts, targets) = site(3000);
    let (fitted, report) = fit_to(&table(5), &texts, &targets, &[]).unwrap();
    assert!(
        fitted.is_none() && report.verdict == Verdict::Unchanged && report.before > 0.98,
        "{report:?}"
    );
    let (fitted, report) = fit_to(&table(4), &texts[..50], &targets[..50 * 8], &[]).unwrap();
    assert!(fitted.is_none() && report == Fitted::default(), "too few");
    let all = spans_of(&texts);
    let all: Vec<&Span> = all.iter().collect();
    let with = |targets: &[f32], sections: &Sections<'_>| {
        fit(&rows(&table(4), &texts), &table(4), (&all, targets), &all, sections)
    };
    assert!(with(&targets[1..], &sections(&texts, &targets)).is_err());
    assert!(with(&targets, &[("alpha", &[0.0; 7])]).is_err());
}

#[test]
fn words_that_occur_in_no_span_are_learned_from_sections() {
    // The spans contain half of the words, the sections the other half. Queries use the words of
    // the sections.
    let (teacher, table) = (table(5), table(4));
    let knows = |text: &str, half: &[&str]| text.split(' ').all(|word| half.contains(&word));
    let (texts, vectors) = site(60_000);
    let spans: Vec<String> =
        texts.iter().filter(|text| knows(text, &WORDS[..6])).cloned().collect();
    let targets: Vec<f32> = spans.iter().flat_map(|span| teacher.embed(span).values).collect();
    let (further, queries): (Vec<_>, Vec<_>) = sections(&texts, &vectors)
        .into_iter()
        .filter(|(text, _)| knows(text, &WORDS[6..]))
        .enumerate()
        .partition(|(i, _)| i % 4 > 0);
    let further: Vec<(&str, &[f32])> = further.into_iter().map(|(_, section)| section).collect();
    let cosine = |rows: &Rows| {
        let reader = rows.reader();
        let of = |text: &str, target: &[f32]| {
            let sum = reader.embed(text).unwrap();
            dot(&sum, target) / dot(&sum, &sum).sqrt()
        };
        queries.iter().map(|(_, (text, target))| of(text, target)).sum::<f32>()
            / queries.len() as f32
    };
    let before = cosine(&rows(&table, &texts));
    let fitted = |further: &[(&str, &[f32])]| fit_to(&table, &spans, &targets, further).unwrap();
    let ((without, _), (with, report)) = (fitted(&[]), fitted(&further));
    assert_eq!(report.n_sections, (spans.len() + further.len()).min(MAX_SECTIONS));
    assert!(cosine(&without.unwrap()) < before + 0.01);
    assert!(cosine(&with.unwrap()) > before + 0.05);
}

#[test]
fn fitted_rows_do_not_depend_on_the_number_of_threads() {
    let (texts, targets) = site(1000);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit_to(&table(4), &texts, &targets, &[])).unwrap().0.unwrap()
    };
    assert!(on(1) == on(3));
}

#[test]
fn an_edited_section_changes_no_spans_of_other_sections() {
    let section = |text: &str| ChunkedSection {
        heading: "Heading".into(),
        text: text.repeat(40),
        units: vec![EmbeddingUnit { span: (0, 4), text: String::new() }; 2],
        ..ChunkedSection::default()
    };
    let page = |texts: [&str; 2]| vec![ChunkedPage { sections: texts.map(section).into() }];
    let none = HashSet::new();
    let [a, b] =
        ["four five. ", "six. "].map(|other| spans(&page(["one two three. ", other]), &none));
    let with = |spans: &[Span], word: &str| -> Vec<Span> {
        spans.iter().filter(|span| span.text.contains(word)).cloned().collect()
    };
    assert_eq!(with(&a, "two"), with(&b, "two"));
    assert!(with(&a, "two").iter().all(|span| span.own == (0..2)));
    assert!(!with(&a, "four").is_empty() && with(&a, "four").iter().all(|span| span.own == (2..4)));
    assert_eq!(with(&a, "Heading").len(), 1, "what two sections say");
    let without = HashSet::from(["Heading".to_owned()]);
    let mut rest = a.clone();
    rest.retain(|span| span.text != "Heading");
    assert_eq!(rest, spans(&page(["one two three. ", "four five. "]), &without));
    let mut bare = page(["one two three. ", "four five. "]);
    bare[0].sections[0].units.clear();
    assert!(with(&spans(&bare, &none), "two").is_empty(), "it has no vector to lead to");
}
