//! A backend of mdBook that writes a search bundle of the book:
//!
//! ```toml
//! [output.findling]
//! command = "findling-mdbook"
//! ```
//!
//! mdBook writes the book as JSON to standard input
//! (<https://rust-lang.github.io/mdBook/for_developers/backends.html>). No file is read again: the
//! chapters are pages in memory.

use std::io::Read;
use std::path::PathBuf;

use findling_build::progress::Silent;
use findling_build::site::{self, Options, Reading};
use findling_build::sources::{MarkdownUrls, Tree};
use serde_json::Value;

fn main() -> anyhow::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let context: Value = serde_json::from_str(&text)?;
    let mut chapters = Vec::new();
    // The list is called `sections` up to mdBook 0.4, `items` from 0.5 on.
    let book = &context["book"];
    collect(book.get("items").unwrap_or(&book["sections"]), &mut chapters);

    let destination = context["destination"].as_str().unwrap_or("book");
    let options = Options {
        tree: Tree::of_files(chapters),
        output: PathBuf::from(destination).join("findling"),
        reading: Reading { markdown_urls: MarkdownUrls::Html, ..Reading::default() },
        ..Options::default()
    };
    let built = site::build(&options, &Silent)?;
    eprintln!("{}: {} pages", built.output.display(), built.stats.n_pages);
    Ok(())
}

/// Adds the chapters of a list and their subchapters, with their paths.
fn collect(items: &Value, chapters: &mut Vec<(String, Vec<u8>)>) {
    for item in items.as_array().into_iter().flatten() {
        // Separators and titles of parts are no chapters; drafts have no path.
        let chapter = &item["Chapter"];
        if let (Some(path), Some(text)) = (chapter["path"].as_str(), chapter["content"].as_str()) {
            chapters.push((path.to_owned(), text.as_bytes().to_vec()));
        }
        collect(&chapter["sub_items"], chapters);
    }
}
