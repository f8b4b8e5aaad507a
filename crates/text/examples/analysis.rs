//! Measures the speed of analysis and of WordPiece on any UTF-8 text:
//!
//! ```text
//! cargo run --release -p findling-text --example analysis -- TEXT [VOCAB]
//! ```
//!
//! VOCAB is a `vocab.txt`, one token a line.

use std::hint::black_box;
use std::time::Instant;

use findling_text::Analyzer;
use findling_text::wordpiece::{Encoding, Normaliser, WordPiece};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let text = std::fs::read_to_string(args.next().ok_or("expected the path of a text")?)?;
    for language in ["en", "de", "xx"] {
        let mut analyzer = Analyzer::for_language(language);
        measure(&format!("analysis, {language}"), &text, |text| {
            let mut n = 0;
            analyzer.analyze(text, |token| n += black_box(token).term.len().min(1));
            n
        });
    }
    if let Some(vocabulary) = args.next() {
        let wordpiece =
            WordPiece::new(std::fs::read_to_string(vocabulary)?.lines(), Normaliser::default())?;
        let mut encoding = Encoding::default();
        measure("WordPiece", &text, |text| {
            wordpiece.encode_into(text, usize::MAX, &mut encoding);
            encoding.ids.len()
        });
    }
    Ok(())
}

/// Prints the best of five passes over `text`, one paragraph at a time.
fn measure(what: &str, text: &str, mut pass: impl FnMut(&str) -> usize) {
    let (mut best, mut n_tokens) = (f64::INFINITY, 0);
    for _ in 0..5 {
        let start = Instant::now();
        n_tokens = text.split("\n\n").map(&mut pass).sum();
        best = best.min(start.elapsed().as_secs_f64());
    }
    let (megabytes, million) = (text.len() as f64 / 1e6, n_tokens as f64 / 1e6);
    println!("{what:>14}: {:6.1} MB/s, {:5.1} million tokens/s", megabytes / best, million / best);
}
