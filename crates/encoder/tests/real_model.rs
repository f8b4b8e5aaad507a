//! The published model, if it is available: `FINDLING_MODEL_DIR` names the directory with
//! `model.safetensors`.
#![cfg(feature = "import")]

use std::path::PathBuf;

use findling_encoder::artefact::{Artefact, Storage};
use findling_encoder::import::{Options, import_dir};
use findling_encoder::transformer::{Transformer, reference};
use findling_encoder::{Encoder, Side};

fn model_dir() -> Option<PathBuf> {
    let dir = std::env::var_os("FINDLING_MODEL_DIR").map(PathBuf::from);
    if dir.is_none() {
        println!("skipped: FINDLING_MODEL_DIR does not name the directory of all-MiniLM-L6-v2");
    }
    dir
}

fn options() -> Options {
    Options { name: Some("all-minilm-l6-v2".into()), ..Options::default() }
}

#[test]
fn the_import_computes_the_reference_vectors() {
    let Some(dir) = model_dir() else { return };
    let model = Transformer::load_dir_with(&dir, &options()).unwrap();
    assert_eq!(model.card().dim, 384);
    assert_eq!(model.card().max_tokens, 256);
    let verified = reference::verify(&model).unwrap().expect("the name has a reference");
    println!("{verified:?}");
    assert!(verified.n_texts >= 8);
}

#[test]
fn eight_bits_stay_close_and_name_the_same_space() {
    let Some(dir) = model_dir() else { return };
    let full = import_dir(&dir, &options()).unwrap();
    for (storage, least, most_bytes) in
        [(Storage::F16, 0.9999, 46_000_000), (Storage::Int8, 0.99, 23_500_000)]
    {
        let bytes = full.quantised(storage).to_bytes();
        println!("{storage:?}: {} bytes", bytes.len());
        assert!(bytes.len() < most_bytes);
        let artefact = Artefact::from_bytes(bytes).unwrap();
        assert_eq!(artefact.card(), full.card());
        let model = Transformer::new(artefact).unwrap();
        println!("{storage:?}: {:?}", reference::compare(&model, least).unwrap());
    }
}

#[test]
fn a_vector_does_not_depend_on_its_neighbours() {
    let Some(dir) = model_dir() else { return };
    let model = Transformer::load_dir_with(&dir, &options()).unwrap();
    let texts = [
        "water",
        "How do I share state between threads?",
        "",
        "a b c d e f g h i j k l m n o p q r s t",
    ];
    let together = model.encode(&texts, Side::Document).unwrap();
    for (text, embedding) in texts.iter().zip(&together) {
        assert_eq!(&model.encode(&[text], Side::Query).unwrap()[0], embedding);
    }
}
