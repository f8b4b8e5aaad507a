//! How many tokens and texts a second does a model embed?
//!
//! `cargo run --release -p findling-encoder --features native --example throughput -- MODEL_DIR [SECONDS]`
//!
//! For several lengths of text: one thread, one text at a time, then all threads. Texts are made of a model's own
//! common words, so that their number of tokens is known.

use std::time::{Duration, Instant};

use findling_encoder::transformer::Transformer;
use findling_encoder::{Encoder, Side};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let dir = args.next().ok_or("expected the directory of a model")?;
    let seconds: f64 = args.next().map_or(Ok(2.0), |s| s.parse())?;
    let start = Instant::now();
    let model = Transformer::load_dir(dir.as_ref())?;
    println!(
        "{} loaded in {:.2} s, {}",
        model.card().name,
        start.elapsed().as_secs_f64(),
        model.fingerprint()
    );
    println!(
        "| tokens | ms, one text | tokens/s, one thread | texts/s, all threads | tokens/s, all threads |"
    );
    println!("|---|---|---|---|---|");
    for n in [3, 4, 8, 9, 16, 24, 34, 64, 128, 240, 256] {
        let text = "water ".repeat(n - 2);
        let n = model.count_tokens(&text, Side::Document);
        let budget = Duration::from_secs_f64(seconds);
        model.encode_one(&text, Side::Document)?;
        let mut times = Vec::new();
        let start = Instant::now();
        while start.elapsed() < budget {
            let start = Instant::now();
            model.encode_one(&text, Side::Document)?;
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        let texts = vec![text.as_str(); ((2.0 * seconds / median) as usize).max(4)];
        let start = Instant::now();
        model.encode(&texts, Side::Document)?;
        let per_second = texts.len() as f64 / start.elapsed().as_secs_f64();
        println!(
            "| {n} | {:.2} | {:.0} | {per_second:.1} | {:.0} |",
            median * 1e3,
            f64::from(n) / median,
            per_second * f64::from(n)
        );
    }
    Ok(())
}
