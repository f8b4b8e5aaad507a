//! The evidence that the site answers a query.

use super::{DenseLeg, LexicalLeg};
use crate::api::Evidence;

/// The chance of an answer, as a logistic function of the evidence (docs/design/answers.md).
struct Chance {
    constant: f32,
    words: f32,
    meaning: f32,
}

const BOTH: Chance = Chance { constant: -9.15, words: 8.85, meaning: 8.11 };
const WORDS_ALONE: Chance = Chance { constant: -6.27, words: 9.35, meaning: 0.0 };
const MEANING_ALONE: Chance = Chance { constant: -4.82, words: 0.0, meaning: 12.69 };

impl Evidence {
    /// Returns the evidence of both legs of a search.
    pub(super) fn of(words: &LexicalLeg, dense: Option<&DenseLeg<'_>>) -> Self {
        let best = words.hits.iter().map(|hit| hit.score).fold(0.0, f32::max);
        let words = (words.ideal > 0.0).then(|| best / words.ideal);
        let meaning = dense.and_then(|leg| {
            let (_, nearest) = leg.neighbours.sections.first()?;
            Some(nearest - leg.point.zero)
        });
        Self { words, meaning }
    }

    /// Returns how likely it is that the site answers, 0 to 1; `None` without evidence.
    pub(crate) fn answerable(&self) -> Option<f32> {
        let Chance { constant, words, meaning } = match (self.words, self.meaning) {
            (Some(_), Some(_)) => BOTH,
            (Some(_), None) => WORDS_ALONE,
            (None, Some(_)) => MEANING_ALONE,
            (None, None) => return None,
        };
        let sum = constant
            + words * self.words.unwrap_or(0.0).min(1.0)
            + meaning * self.meaning.unwrap_or(0.0);
        Some(1.0 / (1.0 + libm::expf(-sum)))
    }
}
