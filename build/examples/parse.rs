//! Benchmark of parsing and chunking pages, with counts of the results.
//!
//! `cargo run --release -p findling --no-default-features --example parse -- INPUT... [--show
//! PART-OF-ID] [--verbose]`
//!
//! Prints counts, times and problems; with `--show`, the outline of the pages whose id contains the
//! text.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use findling_build::chunk::{self, ChunkOptions};
use findling_build::sources::{self, Options, Severity};
use rayon::prelude::*;

fn main() {
    let mut inputs = Vec::new();
    let mut show = None;
    let mut verbose = false;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--show" => show = args.next(),
            "--verbose" => verbose = true,
            _ => inputs.push(PathBuf::from(arg)),
        }
    }
    let mut problems: BTreeMap<Severity, Vec<String>> = BTreeMap::new();
    let start = Instant::now();
    let pages = sources::read(&inputs, &Options::default(), &mut |problem| {
        let line = problem.line.map_or(String::new(), |line| format!(":{line}"));
        problems.entry(problem.severity).or_default().push(format!(
            "{}{line}: {}",
            problem.path.display(),
            problem.reason
        ));
    });
    let parsed = start.elapsed();
    let start = Instant::now();
    // About the number of tokens that WordPiece counts, at no cost, so that only chunking takes
    // time.
    let tokens = |text: &str| text.len().div_ceil(4);
    let chunked: Vec<_> =
        pages.par_iter().map(|page| chunk::chunk(page, &ChunkOptions::default(), tokens)).collect();
    let cut = start.elapsed();

    let sections: usize = chunked.iter().map(|page| page.sections.len()).sum();
    let all = || chunked.iter().flat_map(|page| &page.sections);
    let passages: usize = all().map(|section| section.passages.len()).sum();
    let units: usize = all().map(|section| section.units.len()).sum();
    let bytes: usize = all().map(|section| section.text.len()).sum();
    let empty = all().filter(|section| section.text.is_empty()).count();
    let anchored = all().filter(|section| section.anchor.is_some()).count();
    println!(
        "{} pages, {sections} sections ({anchored} with an anchor, {empty} without text), \
         {passages} passages, {units} units, {bytes} bytes of text",
        pages.len()
    );
    println!(
        "parsed in {parsed:.2?} ({:.0} pages/s), chunked in {cut:.2?} ({:.0} pages/s)",
        pages.len() as f64 / parsed.as_secs_f64(),
        pages.len() as f64 / cut.as_secs_f64()
    );
    let mut languages: BTreeMap<&str, usize> = BTreeMap::new();
    let mut attributes: BTreeMap<&str, usize> = BTreeMap::new();
    for page in &pages {
        *languages.entry(&page.language).or_default() += 1;
        page.attributes.keys().for_each(|name| *attributes.entry(name).or_default() += 1);
    }
    println!("languages {languages:?}\nattributes {attributes:?}");
    for (severity, problems) in &problems {
        println!("{severity:?}: {}", problems.len());
        for problem in problems.iter().take(if verbose { usize::MAX } else { 5 }) {
            println!("  {problem}");
        }
    }
    let Some(part) = show else { return };
    for (page, chunked) in pages.iter().zip(&chunked).filter(|(page, _)| page.id.contains(&part)) {
        println!("\n=== {} | {} | {} | {}", page.id, page.url, page.title, page.language);
        println!("    {:?} {:?} {:?}", page.attributes, page.meta, page.sort_only);
        for section in &chunked.sections {
            println!(
                "{:indent$}h{} {:?} #{:?}",
                "",
                section.level,
                section.heading,
                section.anchor,
                indent = section.level as usize * 2
            );
            for (start, end) in &section.passages {
                println!(
                    "{:indent$}  | {}",
                    "",
                    section.text[*start as usize..*end as usize].replace('\n', " ⏎ "),
                    indent = section.level as usize * 2
                );
            }
        }
    }
}
