//! Writes a model's artefact, and next to it the vectors that the model computes natively for a few
//! texts.
//!
//! `cargo run --release -p findling-encoder --features native --example artefact -- MODEL_DIR OUT
//! [f32|f16|int8|queries]`
//!
//! `queries` is what `findling models prepare` makes, compressed.
//!
//! `OUT` is what a browser loads; `OUT.json` is what its vectors are compared with
//! (`crates/wasm-encoder/tests/parity.mjs`).

use findling_encoder::artefact::{Bits, Storage};
use findling_encoder::import::{Options, import_dir};
use findling_encoder::transformer::Transformer;
use findling_encoder::{Encoder, Side};

const TEXTS: [&str; 10] = [
    "ownership",
    "alpha beta gammas",
    "how do I share state between threads",
    "Größe über München: naïve café, Straße",
    "東京の天気 поиск по сайту",
    "fn main() { println!(\"{:?}\", HashMap::<String, Vec<u8>>::new()); }",
    "",
    "What is the difference between a borrowed and an owned string, and when should a function \
     take which of the two?",
    "e-mail@example.org, 3.14159, http://example.org/a?b=c&d=e #42",
    "a b c d e f g h",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (Some(dir), Some(out)) = (args.first(), args.get(1)) else {
        return Err("expected MODEL_DIR OUT [f32|f16|int8|queries]".into());
    };
    let full = import_dir(dir.as_ref(), &Options::default())?;
    let artefact = match args.get(2).map_or("queries", String::as_str) {
        "f32" => full,
        "f16" => full.quantised(Storage::F16),
        "int8" => full.quantised(Storage::Int8),
        "queries" => full.for_queries(Bits::WORDS, Bits::MATRICES),
        other => {
            return Err(format!("{other} is no storage, expected f32, f16, int8 or queries").into());
        }
    };
    let bytes = match args.get(2).map_or("queries", String::as_str) {
        "queries" => artefact.to_packed_bytes(),
        _ => artefact.to_bytes(),
    };
    std::fs::write(out, &bytes)?;
    let model = Transformer::new(artefact)?;
    let long = TEXTS[7].repeat(20);
    let texts: Vec<&str> = TEXTS.into_iter().chain([long.as_str()]).collect();
    let cases: Vec<serde_json::Value> = texts
        .iter()
        .zip(model.encode(&texts, Side::Query)?)
        .map(|(text, embedding)| {
            serde_json::json!({
                "text": text,
                "nTokens": embedding.n_tokens,
                "truncated": embedding.truncated,
                "values": embedding.values,
            })
        })
        .collect();
    let card = model.card();
    let json =
        serde_json::json!({ "name": card.name, "fingerprint": card.fingerprint, "cases": cases });
    std::fs::write(format!("{out}.json"), json.to_string())?;
    println!("{out}: {} bytes; {out}.json: {} vectors", bytes.len(), texts.len());
    Ok(())
}
