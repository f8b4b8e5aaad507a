//! The texts of pages that are embedded.

use std::io;

use findling_encoder::BoxedEncoder;
use findling_encoder::Side;
use findling_page::chunk::{ChunkOptions, chunk};
use findling_page::page::Page;
use rayon::prelude::*;

/// A text to embed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The number of its section in the page.
    pub section: u32,
    /// The text.
    pub text: String,
}

/// Returns the texts of each page that a build embeds, in order.
///
/// # Errors
/// If texts that are not in memory cannot be read.
pub fn units(
    pages: &[Page],
    encoder: &BoxedEncoder,
    options: &ChunkOptions,
) -> io::Result<Vec<Vec<Unit>>> {
    // The tokens of an empty text are the special tokens that the model adds.
    let special = encoder.count_tokens("", Side::Document);
    let options = ChunkOptions {
        units: true,
        special_tokens: special as usize,
        max_tokens: options.max_tokens.min(encoder.card().max_tokens as usize),
        ..options.clone()
    };
    let tokens =
        |text: &str| encoder.count_tokens(text, Side::Document).saturating_sub(special) as usize;
    let of_page = |page: &Page| {
        let chunked = chunk(&*page.whole()?, &options, tokens);
        let mut units = Vec::new();
        let mut n_sections = 0u32;
        for section in chunked.sections {
            n_sections += u32::from(!section.continues);
            let number = n_sections.saturating_sub(1);
            let texts = section.units.into_iter();
            units.extend(texts.map(|unit| Unit { section: number, text: unit.text }));
        }
        Ok(units)
    };
    pages.par_iter().map(of_page).collect()
}
