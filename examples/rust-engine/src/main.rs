//! `cargo run -p example-rust-engine -- BUNDLE.findling "QUERY"`
//!
//! Make a bundle first: `findling build SITE -o BUNDLE.findling --single-file`.

use std::env;
use std::fs;

use anyhow::{Context, Result, bail};
use example_rust_engine::MemorySearch;
use findling_engine::Request;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [path, query] = arguments.as_slice() else {
        bail!("expected two arguments: BUNDLE.findling QUERY");
    };
    let bytes = fs::read(path).with_context(|| format!("{path} cannot be read"))?;
    let mut search = MemorySearch::open(bytes)?;
    let response = search.search(Request { query: query.clone(), ..Request::default() })?;
    for page in response.results {
        println!("{}  {}", page.url, page.title);
    }
    Ok(())
}
