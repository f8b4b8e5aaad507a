//! Searches a bundle in this process: `cargo run --example search -- BUNDLE "QUERY"`.
//!
//! BUNDLE is the directory that `findling build SITE -o BUNDLE` wrote.

use std::path::Path;

use anyhow::bail;
use findling_host::{Host, Request, Response};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [bundle, query] = arguments.as_slice() else {
        bail!("expected two arguments, BUNDLE QUERY; found {}", arguments.len());
    };
    for page in search(Path::new(bundle), query)?.results {
        println!("{}  {}", page.title, page.url);
        for section in page.sections {
            println!("    {}", section.snippet.text);
        }
    }
    Ok(())
}

/// Answers a query by words and by meaning. A program that answers more than one keeps the `Host`.
pub fn search(bundle: &Path, query: &str) -> anyhow::Result<Response> {
    let mut host = Host::open(bundle)?;
    let request = Request { query: query.to_owned(), ..Request::default() };
    let (response, _cost) = host.search(request)?;
    Ok(response)
}
