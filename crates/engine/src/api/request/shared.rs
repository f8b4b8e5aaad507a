//! The shared statistics in a request, for several bundles that are searched as one, each in its
//! own worker: the statistics of all bundles, which each worker adds up.

use serde_json::Value;

use super::json::{Fields, Read, expected, float, text};
use crate::api::{Error, LegBests, Misspelling, QueryTerms, SharedPart};
use crate::api::{SharedStatistics, Statistics};
use findling_bundle::Stats;

/// The statistics that a request carries, and the part that it requests.
#[derive(Default)]
pub struct Shared {
    /// The part that is requested instead of results.
    pub part: Option<SharedPart>,
    /// The statistics of the bundles.
    pub statistics: Statistics,
}

const PARTS: (&[&str], &[SharedPart]) = (
    &["terms", "counts", "misspellings", "bests"],
    &[SharedPart::Terms, SharedPart::Counts, SharedPart::Misspellings, SharedPart::Bests],
);

impl Shared {
    /// Reads the field `shared` of a request. It has `part` (one of the parts, or absent),
    /// `relaxes` (see [`SharedStatistics::relaxes`]), and `told`: the answers of all bundles to
    /// such requests, in the order of the bundles ([`crate::Search::tell`]).
    ///
    /// # Errors
    /// [`Error::Request`] if a field is unknown or has the wrong type.
    #[doc(alias = "deferred")]
    #[inline(never)]
    pub fn read(value: Value) -> Result<Self, Error> {
        let mut fields = Fields::of("shared", value)?;
        let part = fields.word("part", PARTS.0, PARTS.1)?;
        let relaxes = fields.truth("relaxes")?;
        let told = fields.list("told", told)?;
        fields.end()?;
        if told.is_empty() {
            return Ok(Self { part, statistics: Statistics::default() });
        }
        let stats: Vec<Stats> = told.iter().filter_map(|one| one.stats).collect();
        let mut shared = SharedStatistics::new(&stats);
        shared.relaxes = relaxes;
        let (mut misspellings, mut is_corrected) = (Vec::new(), false);
        for one in told {
            shared.add_terms(one.terms);
            shared.add_frequencies(&one.counted, &one.counts);
            is_corrected |= one.misspellings.is_some();
            misspellings.extend(one.misspellings.into_iter().flatten());
            shared.add_bests(one.bests);
        }
        shared.arrange();
        if is_corrected {
            shared.correct(misspellings);
        }
        Ok(Self { part, statistics: shared.into() })
    }
}

/// The statistics of one bundle.
struct Told {
    stats: Option<Stats>,
    terms: QueryTerms,
    counted: Vec<String>,
    counts: Vec<u32>,
    misspellings: Option<Vec<Misspelling>>,
    bests: Vec<LegBests>,
}

fn told(at: &str, value: Value) -> Read<Told> {
    let mut fields = Fields::of(at, value)?;
    let passages = fields.number("passages")?;
    let lengths = fields.list("meanLengths", float)?;
    let stats = match (passages, <[f32; 6]>::try_from(lengths)) {
        (Some(n_passages), Ok(mean_len)) => {
            Some(Stats { n_passages, mean_len, ..Stats::default() })
        }
        (None, _) => None,
        _ => return Err(expected(&format!("{at}.meanLengths"), "six numbers", "others")),
    };
    let terms = QueryTerms {
        terms: fields.list("terms", text)?,
        completions: fields.list("completions", terms_of_word)?,
        relatives: fields.list("relatives", terms_of_word)?,
    };
    let misspellings = fields.take("misspellings");
    let misspellings =
        misspellings.map(|list| super::json::items(at, list, misspelling)).transpose()?;
    let told = Told {
        stats,
        terms,
        counted: fields.list("counted", text)?,
        counts: fields.list("counts", whole)?,
        misspellings,
        bests: fields.list("bests", bests)?,
    };
    fields.end()?;
    Ok(told)
}

fn whole(at: &str, value: Value) -> Read<u32> {
    let number = value.as_u64().ok_or_else(|| expected(at, "a number", &value.to_string()))?;
    Ok(number.min(u32::MAX.into()) as u32)
}

fn terms_of_word(at: &str, value: Value) -> Read<(String, Vec<String>)> {
    let mut fields = Fields::of(at, value)?;
    let word = fields.text("word")?.unwrap_or_default();
    let terms = fields.list("terms", text)?;
    fields.end()?;
    Ok((word, terms))
}

fn misspelling(at: &str, value: Value) -> Read<Misspelling> {
    let mut fields = Fields::of(at, value)?;
    let misspelling = Misspelling {
        word: fields.text("word")?.unwrap_or_default(),
        replacement: fields.text("replacement")?.unwrap_or_default(),
        cost: fields.number("cost")?.unwrap_or_default().min(u8::MAX.into()) as u8,
        rank: fields.float("rank")?.unwrap_or_default() as i32,
    };
    fields.end()?;
    Ok(misspelling)
}

fn bests(at: &str, value: Value) -> Read<LegBests> {
    let mut fields = Fields::of(at, value)?;
    let zero = fields.float("zero")?;
    let vectors = fields.number("vectors")?.unwrap_or_default();
    let bests = LegBests {
        query: fields.text("query")?.unwrap_or_default(),
        lexical: fields.float("lexical")?.unwrap_or_default(),
        nearest: fields.float("nearest")?,
        zero: zero.map(|zero| (zero, vectors)),
    };
    fields.end()?;
    Ok(bests)
}
