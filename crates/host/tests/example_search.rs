//! The example `examples/search.rs`, which the crate's front page shows, finds a page.

use findling_base::progress::Silent;
use findling_index::write::{BundleWriter, Shape};
use findling_index::{Job, build};
use findling_page::page::{Block, Page, Section};

#[path = "../examples/search.rs"]
#[allow(dead_code, reason = "`main` reads arguments")]
mod example;

#[test]
fn the_example_searches_a_bundle_on_the_disk() {
    let block = Block { text: "A kiln is fired for a day.".into(), ..Block::default() };
    let section = Section { level: 1, blocks: vec![block], ..Section::default() };
    let (title, sections) = ("Kilns".to_owned(), vec![section]);
    let page = Page { url: "/kilns/".into(), title, sections, ..Page::default() };
    let bundle = build(Job { pages: vec![page], ..Job::default() }, &Silent).unwrap().bundle;
    let directory = tempfile::tempdir().unwrap();
    BundleWriter::new(directory.path(), Shape::Directory, &bundle).write().unwrap();

    let found = example::search(directory.path(), "fired kiln").unwrap();
    assert_eq!(found.results[0].title, "Kilns");
    assert_eq!(found.results[0].sections[0].snippet.text, "A kiln is fired for a day.");
    assert!(example::search(directory.path(), "zebra").unwrap().results.is_empty());
    let error = example::search(&directory.path().join("nowhere"), "kiln").unwrap_err();
    assert!(format!("{error:#}").contains("nowhere"), "{error:#}");
}
