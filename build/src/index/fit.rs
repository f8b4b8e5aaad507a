//! Fitting the static query encoder to a site: the rows of the site's own words go on being
//! trained, on what the teacher made of the site's sections and on spans of its text, so that its
//! vocabulary lands nearer to where the teacher puts it.
//!
//! The sections' vectors are there anyhow and cost nothing; they say what the site's words mean in
//! company. Spans are as short as queries, and have to be embedded, so they are few. Both are to
//! land where the teacher puts them, and nearer to their own section than to others: what is asked
//! of a query is no place but an order. A part of the spans is held out; what was learned is
//! kept only where those lead better to their section. Their sections are learned from, as all are:
//! what readers will ask is new to rows, what they will find is not.
//!
//! Rows learn as they are asked: a word by its own row, if it is of several tokens too, or by that
//! of the longest key that begins it. Only words learn that were rare where the table was taught,
//! or that it has in pieces. Of the others it knows more than a site can tell: what "get" and
//! "list" mean between a site's sentences or in its code is not what they mean in a question.
//!
//! Spans and sections are chosen by a hash of their own text, so that an edited page changes only
//! its own and the others' embeddings stay in the cache. The same site and table give the same rows
//! on any number of cores.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use findling_bundle::hash128;
use findling_encoder::Error;
use findling_encoder::static_table::StaticTable;
use rayon::prelude::*;

use super::dot::dot;
use super::rows::{Reader, Rows};
use crate::chunk::{ChunkedPage, ChunkedSection};
use crate::distill::train::{self, Contrast, Examples, SplitMix, add_up, train_some};
use crate::ui::thousands;

/// Most spans of a site: what their embeddings cost is bounded, whatever the site's size.
const MAX_SPANS: usize = 12_000;
/// Most vectors of sections learned from, and told from each other: so is the training.
const MAX_SECTIONS: usize = 10_000;
/// One span of a section for so many of its words, besides its heading and its beginning.
const WORDS_PER_SPAN: usize = 40;
/// Words of the longest span.
const MAX_WORDS: usize = 25;
/// One of so many spans is held out.
const HELD_OUT: u64 = 10;
/// Fewer spans than this teach nothing that can be told from chance.
const LEAST: usize = 200;
/// What the mean reciprocal rank of what is held out must gain for other rows to be worth having:
/// so much, and more than two spans can make of it that are first instead of second.
const LEAST_GAIN: f32 = 0.01;
/// What rows fitted by an earlier build may lose of it, as the site changes, before they are fitted
/// anew: so much, or what four such spans make.
const LEAST_LOSS: f32 = 0.02;

/// Tokens that occurred more often in the table's own training keep their rows; as
/// [`StaticTable::frequency`] counts, so 255 times.
const RARE: u8 = 8;

/// How rows are tuned: by smaller steps than from the start, since the start is good; the best of
/// all epochs stays.
const TRAINING: train::Options =
    train::Options { epochs: 12, batch: 256, learning_rate: 1e-3, seed: 1, patience: 12 };

/// What fitting did, on spans held out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fitted {
    /// Spans trained on.
    pub n_spans: usize,
    /// Vectors of sections trained on.
    pub n_sections: usize,
    /// Spans held out.
    pub n_held_out: usize,
    /// The mean reciprocal rank of their own sections by the rows as they were.
    pub before: f32,
    /// The same by the rows as they are now.
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
        let Self { before, after, .. } = self;
        let held_out = thousands(self.n_held_out as u64);
        let verdict = match self.verdict {
            Verdict::NotWorthKeeping => "not worth keeping",
            Verdict::Kept => "kept",
            Verdict::KeptFromBefore => {
                return write!(
                    f,
                    "by an earlier build: mean reciprocal rank of its section {after:.3}, unfitted {before:.3}, for {held_out} spans held \
                     out, kept"
                );
            }
        };
        write!(
            f,
            "to {} sections and {} spans of the site: mean reciprocal rank of its section {before:.3} -> {after:.3} for {held_out} spans \
             held out, {verdict}",
            thousands(self.n_sections as u64),
            thousands(self.n_spans as u64),
        )
    }
}

/// A stretch of a section's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its words.
    pub text: String,
    /// The section's vectors, counted over the site.
    pub own: Range<usize>,
}

/// The spans to fit to, in an order that their own words decide. What is in `without` is left to be
/// measured on.
pub fn spans(chunks: &[ChunkedPage], without: &HashSet<String>) -> Vec<Span> {
    let mut spans: Vec<([u8; 16], Span)> = Vec::new();
    let mut seen = HashSet::new();
    let mut at = 0;
    for section in chunks.iter().flat_map(|page| &page.sections) {
        let own = at..at + section.units.len();
        at = own.end;
        // Without a vector there is nothing to lead to.
        for text in of_section(section).into_iter().filter(|_| !own.is_empty()) {
            let hash = hash128(text.as_bytes());
            if text.chars().any(char::is_alphabetic)
                && !without.contains(&text)
                && seen.insert(hash)
            {
                spans.push((hash, Span { text, own: own.clone() }));
            }
        }
    }
    spans.sort_unstable_by_key(|&(hash, _)| hash);
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
        spans.push(
            section.text[..end].split_whitespace().take(MAX_WORDS).collect::<Vec<_>>().join(" "),
        );
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
pub fn hold_out(spans: &[Span]) -> (Vec<&Span>, Vec<&Span>) {
    spans.iter().partition(|span| number(&hash128(span.text.as_bytes())).is_multiple_of(HELD_OUT))
}

/// The text of each vector, and the vector.
pub type Sections<'a> = [(&'a str, &'a [f32])];

/// What is held out: how well rows lead to its sections.
struct HeldOut<'a> {
    /// Which rows each text adds up, and the vectors of its own section.
    texts: Vec<(Vec<u32>, Range<usize>)>,
    /// Of all sections.
    all: &'a Sections<'a>,
    /// The vectors among which its own is looked for.
    among: &'a [usize],
}

impl<'a> HeldOut<'a> {
    fn new(
        reader: &Reader<'_>,
        spans: &[&Span],
        all: &'a Sections<'a>,
        among: &'a [usize],
    ) -> Self {
        let texts =
            spans.iter().map(|span| (reader.places(&span.text), span.own.clone())).collect();
        Self { texts, all, among }
    }

    /// The mean reciprocal rank of a text's own section; what has no rows counts 0.
    fn reciprocal_rank(&self, rows: &[f32], dim: usize) -> f32 {
        let of = |(places, own): &(Vec<u32>, Range<usize>)| {
            let sum = add_up(rows, places, dim);
            if sum.iter().all(|v| *v == 0.0) {
                return 0.0;
            }
            let score =
                |at: usize| self.all.get(at).map_or(f32::MIN, |(_, vector)| dot(&sum, vector));
            let best = own.clone().map(score).fold(f32::MIN, f32::max);
            let others = self.among.iter().filter(|at| !own.contains(at));
            1.0 / (1 + others.filter(|&&at| score(at) > best).count()) as f32
        };
        let each: Vec<f32> = self.texts.par_iter().map(of).collect();
        each.iter().sum::<f32>() / each.len().max(1) as f32
    }

    fn least_gain(&self) -> f32 {
        LEAST_GAIN.max(1.0 / self.texts.len().max(1) as f32)
    }

    fn least_loss(&self) -> f32 {
        LEAST_LOSS.max(2.0 / self.texts.len().max(1) as f32)
    }
}

/// Whether rows fitted by an earlier build still serve the site as it is, as what is held out
/// shows. `earlier` comes with what it reached when it was fitted; `None` where there should be a
/// new fit.
pub fn still_serves(
    rows: &Rows,
    earlier: &(Rows, f32),
    held_out: &[&Span],
    sections: &Sections<'_>,
) -> Option<Fitted> {
    let among = chosen(sections);
    let held_out = HeldOut::new(&rows.reader(), held_out, sections, &among);
    let measure = |rows: &Rows| held_out.reciprocal_rank(&rows.dense(), rows.dim());
    let (before, after) = (measure(rows), measure(&earlier.0));
    let n_held_out = held_out.texts.len();
    let serves = n_held_out > 0
        && after >= before + held_out.least_gain()
        && after >= earlier.1 - held_out.least_loss();
    serves.then_some(Fitted {
        n_held_out,
        before,
        after,
        verdict: Verdict::KeptFromBefore,
        ..Fitted::default()
    })
}

/// Fits `rows`, which `table` gave, to `spans` (`targets`: their embeddings by the teacher,
/// projected) and to `sections`. What comes of it is measured on `held_out`. `None` where that is
/// not worth it.
///
/// # Errors
/// Where vectors are not of the rows' dimensions.
pub fn fit(
    rows: &Rows,
    table: &StaticTable,
    (spans, targets): (&[&Span], &[f32]),
    held_out: &[&Span],
    sections: &Sections<'_>,
) -> Result<(Option<Rows>, Fitted), Error> {
    let dim = rows.dim();
    if targets.len() != spans.len() * dim || sections.iter().any(|(_, vector)| vector.len() != dim)
    {
        return Err(Error::Run(format!(
            "expected {} spans and {} sections of {dim} numbers each to fit to, found {} numbers and {}",
            spans.len(),
            sections.len(),
            targets.len(),
            sections.iter().map(|(_, vector)| vector.len()).sum::<usize>()
        )));
    }
    if spans.len() < LEAST || held_out.is_empty() {
        return Ok((None, Fitted::default()));
    }
    let reader = rows.reader();
    let (mut examples, mut contrast) = (Examples::new(dim), Contrast::default());
    let mut learn_from = |places: Vec<u32>, target: &[f32], own: usize| {
        if let Some(&(_, vector)) = sections.get(own).filter(|_| !places.is_empty()) {
            examples.push(&places, target);
            contrast.own.push((own as u32, vector));
        }
    };
    for (span, target) in spans.iter().zip(targets.chunks_exact(dim)) {
        // Of a section of several vectors, that of the part which the span is about.
        let nearness =
            |&at: &usize| sections.get(at).map_or(f32::MIN, |(_, vector)| dot(vector, target));
        if let Some(own) = span.own.clone().max_by(|a, b| nearness(a).total_cmp(&nearness(b))) {
            learn_from(reader.places(&span.text), target, own);
        }
    }
    let chosen = chosen(sections);
    let places: Vec<Vec<u32>> =
        chosen.par_iter().map(|&at| reader.places(sections[at].0)).collect();
    for (places, &at) in places.into_iter().zip(&chosen) {
        learn_from(places, sections[at].1, at);
    }
    let held_out = HeldOut::new(&reader, held_out, sections, &chosen);

    let common: HashSet<&str> = (0..)
        .zip(table.vocabulary())
        .filter(|&(id, _)| table.frequency(id) > RARE)
        .map(|(_, token)| token.as_str())
        .collect();
    let learns: Vec<bool> = rows.keys().map(|key| !common.contains(key)).collect();
    let learns = |place: u32| learns[place as usize];
    let measure = |rows: &[f32]| held_out.reciprocal_rank(rows, dim);
    let trained = train_some(rows.dense(), &learns, &examples, Some(&contrast), TRAINING, measure);
    // What training measured at its start: the rows as they were.
    let before = trained.held_out[0];
    let fitted = rows.with(&trained.rows);
    let after = measure(&fitted.dense());
    let kept = after >= before + held_out.least_gain();
    let report = Fitted {
        n_spans: spans.len(),
        n_sections: chosen.len(),
        n_held_out: held_out.texts.len(),
        before,
        after,
        verdict: if kept { Verdict::Kept } else { Verdict::NotWorthKeeping },
    };
    Ok((kept.then(|| fitted.reached(table, after)), report))
}

/// The sections to learn from, by their places, in an order that their own words decide.
fn chosen(sections: &Sections<'_>) -> Vec<usize> {
    let mut order: Vec<([u8; 16], usize)> = sections
        .par_iter()
        .enumerate()
        .map(|(at, (text, _))| (hash128(text.as_bytes()), at))
        .collect();
    order.sort_unstable();
    order.truncate(MAX_SECTIONS);
    order.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use findling_bundle::projection::Projection;
    use findling_bundle::rows::Bits;
    use findling_encoder::Encoder;

    use super::super::rows;
    use super::*;
    use crate::chunk::EmbeddingUnit;

    const WORDS: [&str; 12] = [
        "alpha", "beta", "gamma", "delta", "mutex", "lock", "thread", "share", "bread", "oven",
        "flour", "salt",
    ];

    /// A table with random rows, which are short so that a few steps change them; taught by the
    /// hash encoder of eight dimensions.
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

    /// A site whose teacher is another table: all of it can be learned.
    fn site(n: usize) -> (Vec<String>, Vec<f32>) {
        let (teacher, mut random) = (table(5), SplitMix(9));
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

    /// The rows that a site of these texts has.
    fn rows(table: &StaticTable, texts: &[String]) -> Rows {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        rows::select(table, &texts, rows::BUDGET)
    }

    /// Every text as a span of a section of its own that says no more.
    fn spans_of(texts: &[String]) -> Vec<Span> {
        (0..).zip(texts).map(|(at, text)| Span { text: text.clone(), own: at..at + 1 }).collect()
    }

    fn sections<'a>(texts: &'a [String], targets: &'a [f32]) -> Vec<(&'a str, &'a [f32])> {
        texts.iter().map(String::as_str).zip(targets.chunks(8)).collect()
    }

    /// Fits to all texts, some of them held out, and to further sections. What is held out is of
    /// sections that say nothing to learn from.
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
    fn what_was_fitted_goes_on_as_long_as_it_serves() {
        let (texts, targets) = site(3000);
        let (fitted, report) = fit_to(&table(4), &texts, &targets, &[]).unwrap();
        let spans = spans_of(&texts);
        let held_out = hold_out(&spans).0;
        let still = |table: &StaticTable, earlier: &(Rows, f32), targets: &[f32]| {
            still_serves(&rows(table, &texts), earlier, &held_out, &sections(&texts, targets))
        };
        let mut earlier = (fitted.unwrap(), report.after);
        let serves = still(&table(4), &earlier, &targets).unwrap();
        let expected =
            Fitted { verdict: Verdict::KeptFromBefore, n_spans: 0, n_sections: 0, ..report };
        assert_eq!(serves, expected, "measured as when it was fitted");
        assert!(serves.to_string().contains("by an earlier build"));
        assert_eq!(still(&table(5), &earlier, &targets), None, "no better than unfitted");
        // A site on which the rows as fitted lead elsewhere.
        let other: Vec<f32> = targets.iter().map(|value| -value).collect();
        assert_eq!(still(&table(4), &earlier, &other), None, "another site");
        earlier.1 = serves.after + 0.1;
        assert_eq!(still(&table(4), &earlier, &targets), None, "worse than it was");
        earlier.1 = 0.0;
        assert_eq!(
            still_serves(&rows(&table(4), &texts), &earlier, &[], &[]),
            None,
            "nothing to tell by"
        );
    }

    #[test]
    fn what_can_be_learned_is_learned_and_kept() {
        let (texts, targets) = site(3000);
        let (fitted, report) = fit_to(&table(4), &texts, &targets, &[]).unwrap();
        assert!(
            report.verdict == Verdict::Kept && report.after > report.before + 0.05,
            "{report:?}"
        );
        assert!(fitted.is_some());
        assert!(report.to_string().ends_with("kept"));
    }

    #[test]
    fn words_that_the_table_knows_well_keep_their_rows() {
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
    fn where_nothing_is_gained_the_rows_stay() {
        let (texts, targets) = site(3000);
        let (fitted, report) = fit_to(&table(5), &texts, &targets, &[]).unwrap();
        assert!(
            fitted.is_none() && report.verdict == Verdict::NotWorthKeeping && report.before > 0.98,
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
    fn words_that_no_span_has_are_learned_from_sections() {
        // The spans know half of the words, the sections the other half; queries ask by those.
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
        let further: Vec<(&str, &[f32])> =
            further.into_iter().map(|(_, section)| section).collect();
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
        let fitted =
            |further: &[(&str, &[f32])]| fit_to(&table, &spans, &targets, further).unwrap();
        let ((without, _), (with, report)) = (fitted(&[]), fitted(&further));
        assert_eq!(report.n_sections, (spans.len() + further.len()).min(MAX_SECTIONS));
        assert!(cosine(&without.unwrap()) < before + 0.01);
        assert!(cosine(&with.unwrap()) > before + 0.05);
    }

    #[test]
    fn the_number_of_cores_does_not_show() {
        let (texts, targets) = site(1000);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit_to(&table(4), &texts, &targets, &[])).unwrap().0.unwrap()
        };
        assert!(on(1) == on(3));
    }

    #[test]
    fn an_edited_section_leaves_the_spans_of_others() {
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
        assert!(
            !with(&a, "four").is_empty() && with(&a, "four").iter().all(|span| span.own == (2..4))
        );
        assert_eq!(with(&a, "Heading").len(), 1, "what two sections say");
        let without = HashSet::from(["Heading".to_owned()]);
        let mut rest = a.clone();
        rest.retain(|span| span.text != "Heading");
        assert_eq!(rest, spans(&page(["one two three. ", "four five. "]), &without));
        let mut bare = page(["one two three. ", "four five. "]);
        bare[0].sections[0].units.clear();
        assert!(with(&spans(&bare, &none), "two").is_empty(), "it has no vector to lead to");
    }
}
