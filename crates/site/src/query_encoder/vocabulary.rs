//! The vocabulary of a deployed transformer, cut to the words of a site and to general ones.

use std::collections::{HashMap, HashSet};

use anyhow::Context as _;
use findling_encoder::artefact::{Artefact, Bits};
use findling_index::vocabulary::{by_use, count_words};
use findling_models::static_table;
use findling_text::wordpiece::WordPiece;

use crate::error::{Error, Result};

/// Largest share of a site's tokens that a vocabulary of an earlier build may lack and still be
/// kept.
const NEW: f64 = 0.002;

/// Tokens of a model's vocabulary, in the order of their use to a site.
pub struct Choice<'a> {
    model: &'a Artefact,
    bits: Bits,
    counts: Vec<u64>,
    by_use: Vec<u32>,
    stays: Vec<bool>,
}

/// The tokens that are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    ids: HashSet<u32>,
    /// Number of tokens of the model.
    pub of: usize,
    /// The share of the texts' tokens that are kept, if there are texts. Other words are split
    /// into smaller tokens.
    pub covered: Option<f64>,
}

impl<'a> Choice<'a> {
    /// Orders the tokens for a site's texts. `bits` is the precision of the values in the table
    /// of words.
    ///
    /// # Errors
    /// If the model's vocabulary is not valid.
    pub fn new(model: &'a Artefact, bits: Bits, texts: &[&str]) -> Result<Self> {
        let vocabulary = model.vocabulary();
        let wordpiece =
            WordPiece::new(vocabulary, model.normaliser()).context("the model's vocabulary")?;
        let mut counts = vec![0u64; vocabulary.len()];
        for (word, n) in count_words(texts, model.normaliser(), false) {
            // Without the special tokens at the beginning and end.
            let ids = wordpiece.encode(&word, usize::MAX).ids;
            for &id in &ids[1..ids.len() - 1] {
                counts[id as usize] += n;
            }
        }
        let general = static_table::general()?;
        let frequency: HashMap<&str, u8> = (0..)
            .zip(general.vocabulary())
            .map(|(id, token)| (token.as_str(), general.frequency(id)))
            .collect();
        let frequent =
            |id: u32| frequency.get(vocabulary[id as usize].as_str()).copied().unwrap_or(0);
        let by_use = by_use(&counts, frequent);
        Ok(Self { model, bits, counts, by_use, stays: model.indispensable() })
    }

    /// Returns the approximate bytes of a token in the download.
    fn cost(&self, id: u32) -> usize {
        let row = self.model.architecture().hidden as f32 * self.bits.bits() / 8.0;
        row.ceil() as usize + 4 + self.model.vocabulary()[id as usize].len()
    }

    /// Returns the most useful tokens within `budget` bytes; without a budget, all useful tokens.
    ///
    /// # Errors
    /// If the budget is too small for the tokens that every vocabulary needs.
    pub fn within(&self, budget: Option<usize>) -> Result<Kept> {
        let mut ids: HashSet<u32> =
            (0u32..).zip(&self.stays).filter(|(_, stays)| **stays).map(|(id, _)| id).collect();
        let least: usize = ids.iter().map(|&id| self.cost(id)).sum();
        let budget = budget.unwrap_or(usize::MAX);
        if budget < least {
            let (expected, found) = (least.div_ceil(1 << 10), budget >> 10);
            return Err(Error::VocabularyBudget { expected, found });
        }
        let mut left = budget - least;
        for &id in &self.by_use {
            if ids.contains(&id) {
                continue;
            }
            let cost = self.cost(id);
            if cost > left {
                break;
            }
            left -= cost;
            ids.insert(id);
        }
        Ok(self.kept(ids))
    }

    /// Returns the vocabulary of an earlier build, if it is within the budget and lacks almost no
    /// token of the texts that would be kept now. Readers who have that model then need no other.
    pub fn as_before(&self, now: &Kept, before: &[String], budget: usize) -> Option<Kept> {
        let before: HashSet<&str> = before.iter().map(String::as_str).collect();
        let is_there = |id: &u32| before.contains(self.model.vocabulary()[*id as usize].as_str());
        let ids: HashSet<u32> = (0..self.counts.len() as u32).filter(is_there).collect();
        let indispensable =
            (0u32..).zip(&self.stays).all(|(id, stays)| !stays || ids.contains(&id));
        let bytes: usize = ids.iter().map(|&id| self.cost(id)).sum();
        let kept = self.kept(ids);
        let covers = kept.covered.zip(now.covered).is_none_or(|(before, now)| before >= now - NEW);
        let serves = covers && kept.len() == before.len();
        (indispensable && bytes <= budget && serves).then_some(kept)
    }

    fn kept(&self, ids: HashSet<u32>) -> Kept {
        let all: u64 = self.counts.iter().sum();
        let kept: u64 = ids.iter().map(|&id| self.counts[id as usize]).sum();
        let covered = (all > 0).then(|| kept as f64 / all as f64);
        Kept { ids, of: self.counts.len(), covered }
    }
}

impl Kept {
    /// Returns the number of tokens.
    #[expect(clippy::len_without_is_empty, reason = "special tokens stay at least")]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns the model with only these tokens.
    pub fn apply(&self, model: &Artefact) -> Artefact {
        model.pruned(|id| self.ids.contains(&id))
    }
}

impl std::fmt::Display for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} tokens kept", self.len(), self.of)?;
        match self.covered {
            Some(covered) => {
                write!(f, ", {:.2}% of the tokens of the texts", 100.0 * covered)
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use findling_encoder::EncoderCard;
    use findling_encoder::artefact::{
        Activation, Architecture, Artefact, Bits, Pooling, TensorSpec,
    };

    use findling_text::wordpiece::Normaliser;

    use super::*;

    const TOKENS: [&str; 13] = [
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "k", "##k", "i", "##i", "kiki", "kii", "##ikk", "the",
        "zzzz",
    ];

    fn model() -> Artefact {
        let card = EncoderCard {
            name: "kiki".into(),
            dim: 8,
            fingerprint: String::new(),
            max_tokens: 8,
            query_prefix: String::new(),
            document_prefix: String::new(),
            semantic: true,
        };
        let architecture = Architecture {
            layers: 1,
            hidden: 8,
            heads: 1,
            intermediate: 8,
            max_positions: 8,
            pooling: Pooling::Mean,
            activation: Activation::Gelu,
            layer_norm_eps: 1e-6,
        };
        let weights = |spec: &TensorSpec| Ok((0..spec.len()).map(|i| i as f32).collect());
        let vocabulary = TOKENS.map(str::to_owned).to_vec();
        Artefact::new(card, architecture, Normaliser::default(), vocabulary, weights).unwrap()
    }

    /// Estimates the bytes of tokens. A token costs a row of eight values of eight bits, four more
    /// bytes, and its text.
    fn bytes_of(tokens: &[&str]) -> usize {
        tokens.iter().map(|token| 12 + token.len()).sum()
    }

    /// Tokens that a model needs: "the" and "zzzz" have letters that occur nowhere else.
    const STAY: [&str; 10] =
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "k", "##k", "i", "##i", "the", "zzzz"];

    fn choose<T>(texts: &[&str], with: impl FnOnce(&Choice<'_>, &Artefact) -> T) -> T {
        let model = model();
        with(&Choice::new(&model, Bits::MAX, texts).unwrap(), &model)
    }

    #[test]
    fn the_most_used_tokens_stay_within_the_budget() {
        let texts = ["kii kiki kiki kikk", "Kiki!"];
        choose(&texts, |choice, model| {
            let all = choice.within(None).unwrap();
            assert_eq!((all.len(), all.of, all.covered), (13, 13, Some(1.0)));
            let kept = choice.within(Some(bytes_of(&STAY) + bytes_of(&["kiki"]))).unwrap();
            let vocabulary = kept.apply(model).vocabulary().to_vec();
            assert_eq!(
                vocabulary,
                ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "k", "##k", "i", "##i", "kiki", "the", "zzzz"]
            );
            // Three times kiki, once kii, k and ##ikk, and the token for `!`.
            assert_eq!(kept.covered, Some(5.0 / 7.0));
            let error = choice.within(Some(bytes_of(&STAY) - 1)).unwrap_err();
            assert_eq!(error.code(), Some("vocabulary-budget"));
        });
    }

    #[test]
    fn an_earlier_choice_goes_on_as_long_as_it_serves() {
        let strings =
            |tokens: &[&str]| tokens.iter().map(|&token| token.to_owned()).collect::<Vec<_>>();
        let with = |more: &[&str]| strings(&[&STAY[..], more].concat());
        let budget = bytes_of(&STAY) + bytes_of(&["kiki", "kii"]);
        choose(&["kiki kiki"], |choice, _| {
            let now = choice.within(Some(budget)).unwrap();
            let serves = |before: &[String]| choice.as_before(&now, before, budget).is_some();
            assert!(serves(&with(&["kiki", "kii"])), "it has more than is wanted");
            assert!(!serves(&with(&["kii"])), "what the site says most is missing");
            assert!(!serves(&with(&["kiki", "kii", "##ikk"])), "it is beyond the budget");
            assert!(!serves(&with(&["kiki", "other"])), "it is another model's");
            assert!(!serves(&strings(&["kiki", "kii"])), "characters are missing");
        });
    }
}
