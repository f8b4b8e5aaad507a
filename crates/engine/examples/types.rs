//! Writes the TypeScript types of requests and responses, derived from the Rust ones, to the file
//! named, or to standard output: `cargo run -p findling-engine --features ts --example types --
//! www/src/engine-types.ts`.

use std::io::Write as _;

use findling_engine as engine;
use ts_rs::{Config, TS};

fn declare<T: TS + 'static>(out: &mut String) {
    let config = Config::new();
    out.push('\n');
    if let Some(docs) = T::docs() {
        out.push_str(docs.trim_end());
        out.push('\n');
    }
    out.push_str("export ");
    out.push_str(&T::decl(&config));
    out.push('\n');
}

fn main() -> std::io::Result<()> {
    let mut out = String::from(
        "// Derived from crates/engine/src/{request,response}.rs; do not edit. To write it anew:\n\
         // cargo run -p findling-engine --features ts --example types -- \
         www/src/engine-types.ts\n",
    );
    declare::<engine::Request>(&mut out);
    declare::<engine::Limit>(&mut out);
    declare::<engine::SectionsPerPage>(&mut out);
    declare::<engine::Suggest>(&mut out);
    declare::<engine::Mode>(&mut out);
    declare::<engine::QueryVector>(&mut out);
    declare::<engine::EncoderChoice>(&mut out);
    declare::<engine::FacetsOf>(&mut out);
    declare::<engine::Fusion>(&mut out);
    declare::<engine::Sort>(&mut out);
    declare::<engine::Prefer>(&mut out);
    declare::<engine::Order>(&mut out);
    declare::<engine::Response>(&mut out);
    declare::<engine::Notice>(&mut out);
    declare::<engine::Correction>(&mut out);
    declare::<engine::Suggestion>(&mut out);
    declare::<engine::SuggestionKind>(&mut out);
    declare::<engine::Total>(&mut out);
    declare::<engine::PageHit>(&mut out);
    declare::<engine::SectionHit>(&mut out);
    declare::<engine::Snippet>(&mut out);
    declare::<engine::Legs>(&mut out);
    declare::<engine::Explanation>(&mut out);
    declare::<engine::TermExplanation>(&mut out);
    declare::<engine::Boost>(&mut out);
    declare::<engine::Evidence>(&mut out);
    declare::<engine::Plan>(&mut out);
    declare::<engine::Why>(&mut out);
    declare::<engine::PageName>(&mut out);
    declare::<engine::WordOnPage>(&mut out);
    declare::<engine::Removal>(&mut out);
    declare::<engine::Facet>(&mut out);
    declare::<engine::Document>(&mut out);
    declare::<engine::DocumentSection>(&mut out);
    match std::env::args_os().nth(1) {
        Some(path) => std::fs::write(path, out),
        None => std::io::stdout().write_all(out.as_bytes()),
    }
}
