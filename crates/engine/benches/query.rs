//! Question: how long does a warm query over 50,000 sections take, by kind of query?
//!
//! Corpus: 10,000 generated pages of five sections of two passages, words drawn by Zipf's law from
//! 30,000; no vectors (`ann.rs` measures these). Command: `cargo bench -p findling-engine --bench
//! query`. The budget is 10 ms at the 95th percentile, in wasm.

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use findling_engine::Request;
use support::{Cut, Page, Section, build};

/// Returns the running time of this thread if the system reports it (Linux), so that a busy machine
/// does not count; otherwise the time of day.
fn time(start: Instant) -> Duration {
    let ran = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = ran.and_then(|stat| stat.split(' ').next()?.parse().ok());
    ran.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// xorshift64*, so that every run has the same corpus.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a rank from 0, by Zipf's law over `n` ranks.
    fn zipf(&mut self, n: usize) -> usize {
        ((n as f64).powf(self.unit()) - 1.0) as usize
    }
}

const N_WORDS: usize = 30_000;

/// Returns the word of a rank: letters alone, so that it is one term.
fn word(rank: usize) -> String {
    let mut rest = rank;
    let mut word = String::from("q");
    for _ in 0..4 {
        word.push((b'a' + (rest % 20) as u8) as char);
        rest /= 20;
    }
    word
}

fn text(random: &mut Random, n: usize) -> String {
    (0..n).map(|_| word(random.zipf(N_WORDS))).collect::<Vec<_>>().join(" ")
}

fn main() {
    let n_pages = std::env::var("PAGES").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let mut random = Random(42);
    let pages: Vec<Page> = (0..n_pages)
        .map(|i| Page {
            title: text(&mut random, 4),
            url: format!("/p{i}/"),
            language: "en".into(),
            sections: (0..5)
                .map(|j| Section {
                    codes: Vec::new(),
                    heading: text(&mut random, 3),
                    anchor: Some(format!("s{j}")),
                    parent: None,
                    text: format!("{}\n{}", text(&mut random, 110), text(&mut random, 110)),
                    continues: false,
                    vectors: Vec::new(),
                    attributes: Vec::new(),
                })
                .collect(),
            attributes: Vec::new(),
        })
        .collect();
    let start = Instant::now();
    let bundle = build(
        &pages,
        &[],
        Cut { terms_per_range: 500, pages_per_text: 50, vectors_per_shard: 1, ..Cut::default() },
    );
    println!(
        "{} sections, built in {:.1} s",
        bundle.manifest.stats.n_sections,
        start.elapsed().as_secs_f32()
    );

    let mut index = bundle.open();
    let pick = |random: &mut Random, from: usize, to: usize| {
        word(from + random.next() as usize % (to - from))
    };
    let kinds: [(&str, usize, usize, usize); 5] = [
        ("2 rare words", 2, 3_000, 10_000),
        ("3 words", 3, 100, 3_000),
        ("8 words", 8, 100, 3_000),
        ("4 of the 100 most frequent words", 4, 0, 100),
        ("20 of the 100 most frequent words", 20, 0, 100),
    ];
    let measure = |name: &str, requests: Vec<Request>, index: &mut findling_engine::Index| {
        let mut times = Vec::new();
        let mut matches = 0;
        let began = Instant::now();
        for request in requests {
            bundle.answer(index, request.clone()).expect("an answer");
            let start = time(began);
            let (response, rounds) = bundle.answer(index, request).expect("an answer");
            times.push((time(began) - start).as_secs_f64() * 1000.0);
            assert!(rounds.is_empty(), "warm");
            matches += response.total.sections;
        }
        times.sort_by(f64::total_cmp);
        println!(
            "{name}: mean {:.2} ms, median {:.2} ms, p95 {:.2} ms, {} sections match",
            times.iter().sum::<f64>() / times.len() as f64,
            times[times.len() / 2],
            times[times.len() * 95 / 100],
            matches as usize / times.len()
        );
    };
    for (name, n, from, to) in kinds {
        let requests = (0..100).map(|_| {
            let words: Vec<String> = (0..n).map(|_| pick(&mut random, from, to)).collect();
            Request { query: words.join(" "), ..Request::default() }
        });
        let requests = requests.collect();
        measure(name, requests, &mut index);
    }
    let requests = (0..100).map(|_| Request {
        query: format!("{} {}", pick(&mut random, 100, 3_000), &pick(&mut random, 100, 3_000)[..3]),
        prefix: true,
        ..Request::default()
    });
    let requests = requests.collect();
    measure("2 words, the last one of 3 letters", requests, &mut index);
    let requests = (0..100).map(|_| Request {
        query: format!("\"{} {}\"", pick(&mut random, 0, 100), pick(&mut random, 0, 100)),
        ..Request::default()
    });
    let requests = requests.collect();
    measure("a phrase of 2 frequent words", requests, &mut index);
    println!("resident: {:.1} MB", index.resident_bytes() as f64 / 1e6);
}
