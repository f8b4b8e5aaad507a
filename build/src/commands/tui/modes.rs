//! The modes of a search at the terminal, and the stages in which each answers.

use std::collections::HashMap;

use clap::ValueEnum;
use findling_engine::Mode as EngineMode;
use serde::{Deserialize, Serialize};

use crate::commands::ask::Encoders;
use crate::host::{EncoderChoice, Host};
use crate::models::STATIC;

/// Mode of search. The values are in the order in which a key cycles through them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// By words.
    Words,
    /// By meaning, with the static encoder.
    Static,
    /// By meaning, with the transformer.
    Transformer,
    /// Search by words and by meaning, with the best available encoder.
    #[default]
    Hybrid,
}

/// One answer to a query. A mode gives its answers one after the other, the quickest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    Words,
    Static,
    Transformer,
    /// Search by words and by meaning, with the static encoder.
    HybridStatic,
    /// Search by words and by meaning, with the best available encoder.
    Hybrid,
}

impl Mode {
    /// Returns the next one.
    pub fn next(self) -> Mode {
        let all = Self::value_variants().iter().cycle();
        all.skip_while(|mode| **mode != self).nth(1).copied().unwrap_or(self)
    }

    /// Returns the name for people.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Words => "words",
            Mode::Static => "static meaning",
            Mode::Transformer => "transformer",
            Mode::Hybrid => "hybrid",
        }
    }

    /// Returns the answers in order. Words come first, because they need no model.
    pub fn stages(self) -> &'static [Stage] {
        match self {
            Mode::Words => &[Stage::Words],
            Mode::Static => &[Stage::Words, Stage::Static],
            Mode::Transformer => &[Stage::Words, Stage::Transformer],
            Mode::Hybrid => &[Stage::Words, Stage::HybridStatic, Stage::Hybrid],
        }
    }
}

impl Stage {
    /// Returns the name for people.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Words => "words",
            Stage::Static => "static meaning",
            Stage::Transformer => "transformer",
            Stage::HybridStatic => "words and static meaning",
            Stage::Hybrid => "words and meaning",
        }
    }

    /// Returns the engine's mode.
    pub fn mode(self) -> EngineMode {
        match self {
            Stage::Words => EngineMode::Lexical,
            Stage::Static | Stage::Transformer => EngineMode::Semantic,
            Stage::HybridStatic | Stage::Hybrid => EngineMode::Hybrid,
        }
    }

    /// Returns the encoder of the query.
    pub fn encoder(self) -> EncoderChoice {
        match self {
            Stage::Words => EncoderChoice::None,
            Stage::Static | Stage::HybridStatic => EncoderChoice::Named(STATIC.into()),
            Stage::Transformer => EncoderChoice::Named("transformer".into()),
            Stage::Hybrid => EncoderChoice::Auto,
        }
    }

    /// Returns whether a bundle can give this answer, and whether it improves on the previous
    /// stage.
    pub fn fits(self, host: &Host) -> bool {
        let dense = host.manifest().dense.as_ref();
        match self {
            Stage::Words | Stage::Transformer => true,
            Stage::Static => dense.is_some(),
            Stage::HybridStatic => dense.is_some_and(|dense| dense.rows.is_some()),
            Stage::Hybrid => dense.is_some_and(|dense| dense.encoder.name != STATIC),
        }
    }
}

/// The encoders of each stage, loaded when a stage first needs them.
#[derive(Default)]
pub struct StageEncoders(HashMap<Stage, Encoders>);

impl StageEncoders {
    /// Returns the encoders of a stage.
    pub fn of(&mut self, stage: Stage) -> &mut Encoders {
        self.0.entry(stage).or_insert_with(|| Encoders::new(stage.encoder()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_cycles_through_every_mode_and_words_answer_first_in_each() {
        let mut mode = Mode::Words;
        for expect in [Mode::Static, Mode::Transformer, Mode::Hybrid, Mode::Words] {
            mode = mode.next();
            assert_eq!(mode, expect);
            assert_eq!(mode.stages()[0], Stage::Words);
        }
    }
}
