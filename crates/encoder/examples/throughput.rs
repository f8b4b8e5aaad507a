//! Benchmark of a model: tokens and texts that it embeds in a second.
//!
//! `cargo run --release -p findling-encoder --features native --example throughput -- MODEL_DIR
//! [SECONDS]`
//!
//! It measures several lengths of text, first with one thread and one text at a time, then with all
//! threads. The texts consist of common words of the model's vocabulary, so their number of tokens
//! is known. On Linux it also prints tokens per second of processor time, which other work on the
//! machine disturbs less than elapsed time.

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
        "| tokens | ms, median | ms, least | texts/s, all threads | tokens/s, all threads | \
         tokens/cpu-s |"
    );
    println!("|---|---|---|---|---|---|");
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
        let (start, cpu) = (Instant::now(), cpu_seconds());
        model.encode(&texts, Side::Document)?;
        let per_second = texts.len() as f64 / start.elapsed().as_secs_f64();
        let spent = cpu_seconds().zip(cpu).map(|(after, before)| after - before);
        let n_all = f64::from(n) * texts.len() as f64;
        println!(
            "| {n} | {:.2} | {:.2} | {per_second:.1} | {:.0} | {} |",
            median * 1e3,
            times[0] * 1e3,
            per_second * f64::from(n),
            spent.map_or("-".into(), |spent| format!("{:.0}", n_all / spent))
        );
    }
    Ok(())
}

/// Returns the processor time of this process so far, if the system reports it in hundredths of a
/// second.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / 100.0)
}
