//! Fitting the static query encoder to a site: the rows of the site's own tokens go on being trained, on what the teacher
//! made of the site's sections and on spans of its text, so that its vocabulary lands nearer to where the teacher puts it.
//!
//! The sections' vectors are there anyhow and cost nothing; they say what the site's words mean in company. Spans are as
//! short as queries, and have to be embedded, so they are few. First both are learned from together, then the spans alone,
//! since queries are what the rows are for. A part of the spans is held out; what was learned is kept only where it brings
//! those nearer to the teacher.
//!
//! Only tokens that were rare where the table was taught learn. Of the others it knows more than a site can tell: what
//! "get" and "list" mean between a site's sentences or in its code is not what they mean in a question.
//!
//! Spans and sections are chosen by a hash of their own text, so that an edited page changes only its own and the others'
//! embeddings stay in the cache. The same site and table give the same rows on any number of cores.

use std::collections::HashSet;
use std::fmt;

use findling_bundle::hash128;
use findling_encoder::Error;
use findling_encoder::static_table::StaticTable;
use rayon::prelude::*;

use crate::chunk::{ChunkedPage, ChunkedSection};
use crate::distill::train::{self, Examples, SplitMix, mean_cosine, train_some};
use crate::ui::thousands;

/// Most spans of a site: what their embeddings cost is bounded, whatever the site's size.
const MAX_SPANS: usize = 3_300;
/// Most sections learned from: so is the training.
const MAX_SECTIONS: usize = 10_000;
/// One span of a section for so many of its words, besides its heading and its beginning.
const WORDS_PER_SPAN: usize = 40;
/// Words of the longest span.
const MAX_WORDS: usize = 25;
/// One of so many spans is held out.
const HELD_OUT: u64 = 10;
/// Fewer spans than this teach nothing that can be told from chance.
const LEAST: usize = 200;
/// What the held-out cosine must gain for other rows to be worth having.
const LEAST_GAIN: f32 = 0.002;
/// What rows fitted by an earlier build may lose, as the site changes, before they are fitted anew.
const LEAST_LOSS: f32 = 0.004;

/// Tokens that occurred more often in the table's own training keep their rows; as [`StaticTable::frequency`] counts, so 255
/// times.
const RARE: u8 = 8;

/// How rows are tuned, in each of the two rounds: smaller steps than from the start, since the start is good.
const TRAINING: train::Options =
    train::Options { epochs: 8, batch: 256, learning_rate: 1e-3, seed: 1, patience: 2 };

/// What fitting did, on spans held out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fitted {
    /// Spans trained on.
    pub n_spans: usize,
    /// Sections trained on.
    pub n_sections: usize,
    /// Spans held out.
    pub n_held_out: usize,
    /// Their mean cosine with the teacher by the table as it was, quantised.
    pub before: f32,
    /// The same by the table as it is now, quantised.
    pub after: f32,
    /// What became of them.
    pub verdict: Verdict,
}

/// What became of fitted rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// They gain too little.
    #[default]
    NotWorthKeeping,
    /// They go into the bundle.
    Kept,
    /// Those of an earlier build go on serving.
    KeptFromBefore,
}

impl fmt::Display for Fitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.n_held_out == 0 {
            return write!(f, "too little text to fit the static encoder to");
        }
        let verdict = match self.verdict {
            Verdict::NotWorthKeeping => "not worth keeping",
            Verdict::Kept => "kept",
            Verdict::KeptFromBefore => {
                return write!(
                    f,
                    "by an earlier build: cosine {:.3}, unfitted {:.3}, on {} spans held out, kept",
                    self.after,
                    self.before,
                    thousands(self.n_held_out as u64)
                );
            }
        };
        write!(
            f,
            "to {} sections and {} spans of the site: cosine {:.3} -> {:.3} on {} spans held out, {verdict}",
            thousands(self.n_sections as u64),
            thousands(self.n_spans as u64),
            self.before,
            self.after,
            thousands(self.n_held_out as u64),
        )
    }
}

/// The spans to fit to, in an order that their own words decide. What is in `without` is left to be measured on.
pub fn spans(chunks: &[ChunkedPage], without: &HashSet<String>) -> Vec<String> {
    let mut spans: Vec<([u8; 16], String)> = Vec::new();
    let mut seen = HashSet::new();
    for section in chunks.iter().flat_map(|page| &page.sections) {
        for span in of_section(section) {
            let hash = hash128(span.as_bytes());
            if span.chars().any(char::is_alphabetic) && !without.contains(&span) && seen.insert(hash) {
                spans.push((hash, span));
            }
        }
    }
    spans.sort_unstable();
    spans.truncate(MAX_SPANS);
    spans.into_iter().map(|(_, span)| span).collect()
}

fn of_section(section: &ChunkedSection) -> Vec<String> {
    let words: Vec<&str> = section.text.split_whitespace().collect();
    let mut spans = Vec::new();
    if !section.heading.is_empty() {
        spans.push(section.heading.clone());
    }
    if let Some(end) = section.text.find(". ") {
        spans.push(section.text[..end].split_whitespace().take(MAX_WORDS).collect::<Vec<_>>().join(" "));
    }
    let mut random = SplitMix(number(&hash128(section.text.as_bytes())));
    for _ in 0..words.len() / WORDS_PER_SPAN {
        let n = 2 + random.below(MAX_WORDS - 1);
        let start = random.below(words.len());
        spans.push(words[start..(start + n).min(words.len())].join(" "));
    }
    spans
}

fn number(hash: &[u8; 16]) -> u64 {
    hash.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The spans held out, and those to learn from: a span's own words decide.
pub fn hold_out(spans: &[String]) -> (Vec<&str>, Vec<&str>) {
    spans
        .iter()
        .map(String::as_str)
        .partition(|span| number(&hash128(span.as_bytes())).is_multiple_of(HELD_OUT))
}

/// Whether rows fitted by an earlier build still serve the site as it is, as what is held out shows. `earlier` comes with the
/// cosine that it reached when it was fitted; `None` where there should be a new fit.
pub fn still_serves(
    table: &StaticTable,
    earlier: &(StaticTable, f32),
    held_out: &[&str],
    targets: &[f32],
) -> Option<Fitted> {
    let held_out = examples(table, held_out, targets);
    let (before, after) =
        (mean_cosine(&table.dense_rows(), &held_out), mean_cosine(&earlier.0.dense_rows(), &held_out));
    let serves = !held_out.is_empty() && after >= before + LEAST_GAIN && after >= earlier.1 - LEAST_LOSS;
    let n_held_out = held_out.len();
    serves.then_some(Fitted {
        n_held_out,
        before,
        after,
        verdict: Verdict::KeptFromBefore,
        ..Fitted::default()
    })
}

/// Texts with their targets.
fn examples(table: &StaticTable, texts: &[&str], targets: &[f32]) -> Examples {
    let dim = table.projection().to_dim() as usize;
    let mut examples = Examples::new(dim);
    for (text, target) in texts.iter().zip(targets.chunks_exact(dim)) {
        examples.push(&table.tokens(text), target);
    }
    examples
}

/// Texts, and their embeddings by the teacher, projected.
pub type Targets<'a> = (&'a [&'a str], &'a [f32]);

/// Fits `table` to `spans` and to `sections`: their texts as embedded, and their vectors. What comes of it is measured on
/// `held_out`. `None` where that is not worth it.
///
/// # Errors
/// Where the targets are not of the table's dimensions.
pub fn fit(
    table: &StaticTable,
    spans: Targets<'_>,
    held_out: Targets<'_>,
    sections: &[(&str, &[f32])],
) -> Result<(Option<StaticTable>, Fitted), Error> {
    let dim = table.projection().to_dim() as usize;
    let of_sections: usize = sections.iter().map(|(_, target)| target.len()).sum();
    let n_found = spans.1.len() + held_out.1.len() + of_sections;
    let n_expected = (spans.0.len() + held_out.0.len() + sections.len()) * dim;
    if n_found != n_expected {
        return Err(Error::Run(format!("expected {n_expected} numbers to fit to, found {n_found}")));
    }
    let queries = examples(table, spans.0, spans.1);
    let held_out = examples(table, held_out.0, held_out.1);
    if queries.len() < LEAST || held_out.is_empty() {
        return Ok((None, Fitted::default()));
    }
    let mut all = queries.clone();
    for (tokens, target) in tokens_of(table, sections) {
        all.push(&tokens, target);
    }
    let learns = |token| table.frequency(token) <= RARE;
    let first = train_some(table.dense_rows(), &learns, &all, &held_out, TRAINING, |_, _| ());
    // What training measured at its start: the table as it was.
    let before = first.held_out[0];
    let trained = train_some(first.rows, &learns, &queries, &held_out, TRAINING, |_, _| ());
    let fitted = table.with_rows(&trained.rows)?;
    let after = mean_cosine(&fitted.dense_rows(), &held_out);
    let kept = after >= before + LEAST_GAIN;
    let report = Fitted {
        n_spans: queries.len(),
        n_sections: all.len() - queries.len(),
        n_held_out: held_out.len(),
        before,
        after,
        verdict: if kept { Verdict::Kept } else { Verdict::NotWorthKeeping },
    };
    Ok((kept.then_some(fitted), report))
}

/// The sections to learn from, in an order that their own words decide.
fn tokens_of<'a>(table: &StaticTable, sections: &[(&str, &'a [f32])]) -> Vec<(Vec<u32>, &'a [f32])> {
    let mut order: Vec<([u8; 16], usize)> =
        sections.par_iter().enumerate().map(|(i, (text, _))| (hash128(text.as_bytes()), i)).collect();
    order.sort_unstable();
    order.truncate(MAX_SECTIONS);
    order.par_iter().map(|&(_, i)| (table.tokens(sections[i].0), sections[i].1)).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use findling_bundle::projection::Projection;
    use findling_bundle::rows::Bits;
    use findling_encoder::Encoder;

    use super::*;

    const WORDS: [&str; 12] = [
        "alpha", "beta", "gamma", "delta", "mutex", "lock", "thread", "share", "bread", "oven", "flour",
        "salt",
    ];

    /// A table with random rows, taught by the hash encoder of eight dimensions.
    pub fn table(seed: u64) -> StaticTable {
        table_that_knows(seed, &[])
    }

    /// The same, where `common` words were so frequent in its training that they keep their rows.
    fn table_that_knows(seed: u64, common: &[&str]) -> StaticTable {
        let mut vocabulary: Vec<String> =
            ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].iter().map(|&t| t.to_owned()).collect();
        vocabulary.extend(WORDS.iter().map(|&word| word.to_owned()));
        let eye: Vec<f32> = (0..64).map(|i| f32::from(u8::from(i / 8 == i % 8))).collect();
        let mut random = SplitMix(seed);
        let rows: Vec<f32> =
            (0..vocabulary.len() * 8).map(|_| random.below(2001) as f32 / 1000.0 - 1.0).collect();
        let count = |token: &String| if common.contains(&&token[..]) { 256 } else { 255 };
        let counts: Vec<u64> =
            vocabulary.iter().map(|token| if token.starts_with('[') { 0 } else { count(token) }).collect();
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

    /// A site whose teacher is another table: all of it can be learned.
    fn site(n: usize) -> (Vec<String>, Vec<f32>) {
        let (teacher, mut random) = (table(5), SplitMix(9));
        let spans: Vec<String> = (0..n)
            .map(|_| {
                let words: Vec<&str> = (0..2 + random.below(4)).map(|_| WORDS[random.below(12)]).collect();
                words.join(" ")
            })
            .collect();
        let targets = spans.iter().flat_map(|span| teacher.embed(span).values).collect();
        (spans, targets)
    }

    /// Fits to all spans, some of them held out.
    fn fit_to(
        table: &StaticTable,
        spans: &[String],
        targets: &[f32],
        sections: &[(&str, &[f32])],
    ) -> Result<(Option<StaticTable>, Fitted), Error> {
        let (mut held_out, mut of_held_out, mut learned, mut of_learned) = (vec![], vec![], vec![], vec![]);
        let chosen: HashSet<&str> = hold_out(spans).0.into_iter().collect();
        for (span, target) in spans.iter().zip(targets.chunks(8)) {
            let (texts, targets) = match chosen.contains(&span[..]) {
                true => (&mut held_out, &mut of_held_out),
                false => (&mut learned, &mut of_learned),
            };
            texts.push(&span[..]);
            targets.extend_from_slice(target);
        }
        fit(table, (&learned, &of_learned), (&held_out, &of_held_out), sections)
    }

    #[test]
    fn what_was_fitted_goes_on_as_long_as_it_serves() {
        let (spans, targets) = site(3000);
        let (fitted, report) = fit_to(&table(4), &spans, &targets, &[]).unwrap();
        let held_out: Vec<&str> = spans[..300].iter().map(String::as_str).collect();
        let still = |table: &StaticTable, earlier: &(StaticTable, f32), targets: &[f32]| {
            still_serves(table, earlier, &held_out, targets)
        };
        // These are not the spans it was measured on.
        let mut earlier = (fitted.unwrap(), report.after - 0.05);
        let serves = still(&table(4), &earlier, &targets[..300 * 8]).unwrap();
        assert_eq!((serves.verdict, serves.n_held_out), (Verdict::KeptFromBefore, 300));
        assert!(serves.to_string().contains("by an earlier build") && serves.after > serves.before + 0.05);
        assert_eq!(still(&table(5), &earlier, &targets[..300 * 8]), None, "no better than unfitted");
        // A site on which the rows as fitted are farther off than they were.
        let other: Vec<f32> = targets[..300 * 8].iter().map(|value| -value).collect();
        assert_eq!(still(&table(4), &earlier, &other), None, "another site");
        earlier.1 = serves.after + 0.1;
        assert_eq!(still(&table(4), &earlier, &targets[..300 * 8]), None, "worse than it was");
        assert_eq!(still_serves(&table(4), &earlier, &[], &[]), None);
    }

    #[test]
    fn what_can_be_learned_is_learned_and_kept() {
        let (spans, targets) = site(3000);
        let (fitted, report) = fit_to(&table(4), &spans, &targets, &[]).unwrap();
        assert!(report.verdict == Verdict::Kept && report.after > report.before + 0.05, "{report:?}");
        assert!(fitted.is_some());
        assert!(report.to_string().ends_with("kept"));
    }

    #[test]
    fn words_that_the_table_knows_well_keep_their_rows() {
        let (spans, targets) = site(3000);
        let table = table_that_knows(4, &["alpha", "mutex"]);
        let (fitted, _) = fit_to(&table, &spans, &targets, &[]).unwrap();
        let fitted = fitted.unwrap();
        for word in WORDS {
            let id = table.vocabulary().iter().position(|token| token == word).unwrap() as u32;
            let stays = ["alpha", "mutex"].contains(&word);
            assert_eq!(fitted.row(id) == table.row(id), stays, "{word}");
        }
    }

    #[test]
    fn where_nothing_is_gained_the_table_stays() {
        let (spans, targets) = site(3000);
        let (fitted, report) = fit_to(&table(5), &spans, &targets, &[]).unwrap();
        assert!(
            fitted.is_none() && report.verdict == Verdict::NotWorthKeeping && report.before > 0.999,
            "{report:?}"
        );
        let (fitted, report) = fit_to(&table(4), &spans[..50], &targets[..50 * 8], &[]).unwrap();
        assert!(fitted.is_none() && report == Fitted::default(), "too few");
        assert!(fit_to(&table(4), &spans, &targets[1..], &[]).is_err());
        assert!(fit_to(&table(4), &spans, &targets, &[("alpha", &[0.0; 7])]).is_err());
    }

    #[test]
    fn words_that_no_span_has_are_learned_from_sections() {
        // The spans know half of the words, the sections the other half; queries ask by those.
        let (teacher, before) = (table(5), table(4));
        let knows = |text: &str, half: &[&str]| text.split(' ').all(|word| half.contains(&word));
        let (spans, _) = site(60_000);
        let spans: Vec<String> = spans.into_iter().filter(|span| knows(span, &WORDS[..6])).collect();
        let targets: Vec<f32> = spans.iter().flat_map(|span| teacher.embed(span).values).collect();
        let (texts, vectors) = site(60_000);
        let (texts, queries): (Vec<_>, Vec<_>) = texts
            .iter()
            .zip(vectors.chunks_exact(8))
            .filter(|(text, _)| knows(text, &WORDS[6..]))
            .map(|(text, vector)| (text.as_str(), vector))
            .enumerate()
            .partition(|(i, _)| i % 4 > 0);
        let sections: Vec<(&str, &[f32])> = texts.into_iter().map(|(_, section)| section).collect();
        let mut asked = Examples::new(8);
        queries.iter().for_each(|(_, (text, vector))| asked.push(&before.tokens(text), vector));
        let cosine = |table: &StaticTable| mean_cosine(&table.dense_rows(), &asked);
        let fitted = |sections: &[(&str, &[f32])]| fit_to(&before, &spans, &targets, sections).unwrap();
        let ((without, _), (with, report)) = (fitted(&[]), fitted(&sections));
        assert_eq!(report.n_sections, sections.len());
        assert!(cosine(&without.unwrap()) < cosine(&before) + 0.01);
        assert!(cosine(&with.unwrap()) > cosine(&before) + 0.05);
    }

    #[test]
    fn the_number_of_cores_does_not_show() {
        let (spans, targets) = site(1000);
        let sections: Vec<(&str, &[f32])> =
            spans.iter().map(String::as_str).zip(targets.chunks_exact(8)).collect();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit_to(&table(4), &spans, &targets, &sections))
                .unwrap()
                .0
                .unwrap()
                .to_bytes()
                .unwrap()
        };
        assert!(on(1) == on(3));
    }

    #[test]
    fn an_edited_section_leaves_the_spans_of_others() {
        let section = |text: &str| ChunkedSection {
            heading: "Heading".into(),
            text: text.repeat(40),
            ..ChunkedSection::default()
        };
        let page = |texts: [&str; 2]| vec![ChunkedPage { sections: texts.map(section).into() }];
        let none = HashSet::new();
        let [a, b] = ["four five. ", "six. "].map(|other| spans(&page(["one two three. ", other]), &none));
        assert!(
            a.iter().filter(|span| span.contains("two")).eq(b.iter().filter(|span| span.contains("two")))
        );
        assert!(
            a.iter().any(|span| span.contains("four"))
                && a.iter().filter(|span| *span == "Heading").count() == 1
        );
        let without = HashSet::from(["Heading".to_owned()]);
        assert!(
            a.iter()
                .filter(|span| *span != "Heading")
                .eq(&spans(&page(["one two three. ", "four five. "]), &without))
        );
    }
}
