//! A small bundle for tests: pages about kilns, which are found by words and by hashed vectors.

use std::path::{Path, PathBuf};

use findling_encoder::hash::HashEncoder;

use findling_base::progress::Silent;
use findling_encoder::BoxedEncoder;
use findling_index::write::{BundleWriter, Shape};
use findling_index::{Job, Options, build};
use findling_page::page::{Block, Page, Section};

/// Titles, and the headings and texts of their sections.
const PAGES: [(&str, &[(&str, &str)]); 4] = [
    ("Kiln", &[("Firing", "A kiln is fired slowly."), ("Cooling", "A kiln cools for a day.")]),
    ("Glaze", &[("Crawling", "Glaze crawls on a dusty pot."), ("Pinholes", "Fire it slowly.")]),
    ("Cone", &[("Numbers", "A cone bends at a temperature of the kiln.")]),
    ("Clay", &[("Drying", "Clay dries slowly under a cloth.")]),
];

/// Writes the bundle below a directory; returns its own.
pub fn bundle(below: &Path) -> PathBuf {
    let page = |(title, sections): &(&str, &[(&str, &str)])| {
        let name = title.to_lowercase();
        let section = |(heading, text): &(&str, &str)| Section {
            level: 2,
            heading: (*heading).into(),
            anchor: Some(heading.to_lowercase()),
            blocks: vec![Block {
                text: (*text).into(),
                code: vec![],
                is_code_block: false,
                weight: 1.0,
            }],
            ..Section::default()
        };
        Page {
            id: format!("guide/{name}.html"),
            url: format!("guide/{name}.html"),
            title: (*title).into(),
            language: "en".into(),
            sections: sections.iter().map(section).collect(),
            ..Page::default()
        }
    };
    let pages = PAGES.iter().map(page).collect();
    let encoder: BoxedEncoder = Box::new(HashEncoder::new(32));
    let options = Options { copies: false, ..Options::default() };
    let job = Job { pages, encoder: Some(&encoder), options, ..Job::default() };
    let built = build(job, &Silent).expect("the sample can be built");
    let out = below.join("findling");
    let writer = BundleWriter::new(&out, Shape::Directory, &built.bundle);
    writer.write().expect("the sample can be written");
    out
}
