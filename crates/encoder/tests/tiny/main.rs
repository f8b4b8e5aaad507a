//! A tiny BERT of random weights, written as a published model is, imported and run, against a slow
//! obvious twin. So the whole way from files to vectors is tested without any model at hand.
#![cfg(feature = "import")]

mod model;
mod twin;
#[cfg(feature = "tokenizers")]
mod unigram;

use findling_encoder::artefact::{
    Activation, Architecture, Artefact, Bits, Pieces, Pooling, Storage, TensorSpec,
};
use findling_encoder::import::{Options, import_dir};
use findling_encoder::transformer::Transformer;
use findling_encoder::{Encoder, EncoderCard, Error, Side};
use findling_text::wordpiece::Normaliser;
use model::{Files, Tiny};
use proptest::prelude::*;

const TEXTS: [&str; 7] = [
    "alpha",
    "",
    "alpha beta gamma",
    "gammas gammas beta alpha delta",
    "something unknown",
    "Delta, BETA!",
    "alpha beta gamma delta alpha beta gamma delta alpha beta gamma delta alpha beta gamma delta \
     alpha",
];

/// Asserts that numbers differ at most by the loss of rounding weights and activations to at least
/// 12 bits, in such a narrow model.
fn assert_close(found: &[f32], expected: &[f64], text: &str) {
    assert_within(1e-3, found, expected, text);
}

fn assert_within(bound: f64, found: &[f32], expected: &[f64], text: &str) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (f64::from(*found) - expected).abs() < bound,
            "{text:?}: {found} instead of {expected}"
        );
    }
}

fn check(tiny: &Tiny) {
    let files = Files::write(tiny);
    let model = Transformer::load_dir(files.path()).unwrap();
    let embeddings = model.encode(&TEXTS, Side::Document).unwrap();
    for (text, embedding) in TEXTS.iter().zip(embeddings) {
        let ids = tiny.ids(&format!("{}{text}", tiny.document_prefix));
        let read = &ids[..ids.len().min(tiny.max_tokens)];
        let read = if read.len() < ids.len() {
            [&read[..read.len() - 1], &[model::SEP]].concat()
        } else {
            ids.clone()
        };
        assert_close(&embedding.values, &twin::embed(tiny, &read), text);
        assert_eq!(embedding.n_tokens as usize, read.len());
        assert_eq!(embedding.truncated, read.len() < ids.len(), "{text:?}");
        assert_eq!(model.count_tokens(text, Side::Document) as usize, ids.len());
    }
}

#[test]
fn vectors_equal_those_of_the_twin() {
    check(&Tiny::new(1));
}

#[test]
fn vectors_with_cls_pooling_relu_and_prefixes_equal_those_of_the_twin() {
    check(&Tiny {
        pooling: Pooling::Cls,
        activation: Activation::Relu,
        document_prefix: "delta: ".into(),
        max_tokens: 9,
        ..Tiny::new(2)
    });
}

#[test]
fn tensor_names_with_the_prefix_bert_and_half_precision_are_read() {
    let tiny = Tiny::new(3);
    let plain = Files::write(&tiny);
    let prefixed = Files::write(&Tiny { name_prefix: "bert.", ..Tiny::new(3) });
    let (a, b) = (
        Transformer::load_dir(plain.path()).unwrap(),
        Transformer::load_dir(prefixed.path()).unwrap(),
    );
    assert_eq!(a.fingerprint(), b.fingerprint());
    let half = Files::write(&Tiny { half: true, ..Tiny::new(3) });
    let half = Transformer::load_dir(half.path()).unwrap();
    assert_ne!(a.fingerprint(), half.fingerprint());
    let cosine = cosine_of(&a, &half, "alpha beta");
    assert!(cosine > 0.9999, "{cosine}");
}

#[test]
fn weights_are_the_same_in_place_and_converted() {
    let rounded = |half: bool| {
        let mut tiny = Tiny { half, ..Tiny::new(3) };
        for (_, values) in tiny.weights.values_mut() {
            values.iter_mut().for_each(|v| *v = half::f16::from_f32(*v).to_f32());
        }
        let files = Files::write(&tiny);
        let options = Options { name: Some("tiny".into()), ..Options::default() };
        import_dir(files.path(), &options).unwrap()
    };
    let (in_place, converted) = (rounded(false), rounded(true));
    assert_eq!(in_place.card().fingerprint, converted.card().fingerprint);
    assert_eq!(in_place, converted);
    assert_eq!(in_place.to_bytes(), converted.to_bytes());
}

#[test]
fn a_model_read_for_queries_gives_the_same_vectors() {
    let options = Options { name: Some("tiny".into()), ..Options::default() };
    for seed in 1..4 {
        let files = Files::write(&Tiny::new(seed));
        let whole = Transformer::load_dir_with(files.path(), &options).unwrap();
        let lazy =
            Transformer::load_for_queries(files.path(), &options, whole.fingerprint()).unwrap();
        let lazy = lazy.expect("weights in single precision");
        assert_eq!(lazy.card(), whole.card());
        for text in TEXTS {
            assert_eq!(
                lazy.encode_one(text, Side::Query).unwrap(),
                whole.encode_one(text, Side::Query).unwrap(),
                "{text:?}"
            );
        }
    }
}

#[test]
fn a_model_read_for_queries_is_checked_as_far_as_it_is_read() {
    let lazy = |tiny: &Tiny| {
        let files = Files::write(tiny);
        Transformer::load_for_queries(files.path(), &Options::default(), "f")
    };
    let half = Tiny { half: true, ..Tiny::new(1) };
    assert!(lazy(&half).unwrap().is_none(), "half precision is converted as a whole");
    let mut words = Tiny::new(1);
    words.weights.get_mut("embeddings.word_embeddings.weight").unwrap().1.fill(f32::NAN);
    let encoder = lazy(&words).unwrap().unwrap();
    assert!(matches!(encoder.encode_one("alpha", Side::Query), Err(Error::Import(_))));
    let mut layer = Tiny::new(1);
    layer.weights.get_mut("encoder.layer.1.output.dense.weight").unwrap().1[100] = f32::NAN;
    assert!(matches!(lazy(&layer), Err(Error::Import(_))));
    let files = Files::write(&Tiny::new(1));
    let path = files.path().join("model.safetensors");
    let bytes = std::fs::read(&path).unwrap();
    for wrong in [&bytes[..bytes.len() - 4], &bytes[..9], &[0xff; 64], b""] {
        std::fs::write(&path, wrong).unwrap();
        assert!(Transformer::load_for_queries(files.path(), &Options::default(), "f").is_err());
    }
}

#[test]
fn weights_that_are_not_finite_are_refused_by_name() {
    let name = "encoder.layer.1.output.dense.weight";
    for (half, wrong) in [(false, f32::NAN), (false, f32::NEG_INFINITY), (true, f32::NAN)] {
        let mut tiny = Tiny { half, ..Tiny::new(1) };
        tiny.weights.get_mut(name).unwrap().1[100] = wrong;
        match import_error(&Files::write(&tiny)) {
            Error::Import(why) => assert!(why.contains(name) && why.contains("100"), "{why}"),
            other => panic!("{other:?}"),
        }
    }
}

fn cosine_of(a: &Transformer, b: &Transformer, text: &str) -> f32 {
    let embed = |model: &Transformer| model.encode_one(text, Side::Query).unwrap().values;
    embed(a).iter().zip(embed(b)).map(|(a, b)| a * b).sum()
}

#[test]
fn the_fingerprint_depends_on_what_changes_vectors_and_nothing_else() {
    let of = |tiny: &Tiny, options: &Options| {
        import_dir(Files::write(tiny).path(), options).unwrap().card().fingerprint.clone()
    };
    let plain = of(&Tiny::new(1), &Options::default());
    assert_eq!(plain.len(), 32);
    assert_eq!(
        of(&Tiny::new(1), &Options { name: Some("other".into()), ..Options::default() }),
        plain
    );
    assert_ne!(of(&Tiny::new(2), &Options::default()), plain);
    assert_ne!(of(&Tiny::new(1), &Options { max_tokens: Some(8), ..Options::default() }), plain);
    assert_ne!(
        of(&Tiny::new(1), &Options { pooling: Some(Pooling::Cls), ..Options::default() }),
        plain
    );
    assert_ne!(
        of(&Tiny::new(1), &Options { query_prefix: Some("query: ".into()), ..Options::default() }),
        plain
    );
}

#[test]
fn quantised_models_stay_close_and_keep_their_card() {
    stay_close(&Tiny::new(4));
}

#[test]
fn quantised_cls_models_with_prefixes_stay_close_and_keep_their_card() {
    stay_close(&Tiny {
        pooling: Pooling::Cls,
        activation: Activation::Relu,
        document_prefix: "delta: ".into(),
        max_tokens: 9,
        ..Tiny::new(2)
    });
}

fn stay_close(tiny: &Tiny) {
    let files = Files::write(tiny);
    let full = import_dir(files.path(), &Options::default()).unwrap();
    let model = Transformer::new(full.clone()).unwrap();
    for (storage, least) in [(Storage::F16, 0.99999), (Storage::Int8, 0.99)] {
        let quantised = full.quantised(storage);
        assert_eq!(quantised.card(), full.card());
        assert!(quantised.to_bytes().len() < full.to_bytes().len());
        let quantised = Transformer::new(quantised).unwrap();
        for text in TEXTS {
            let cosine = cosine_of(&model, &quantised, text);
            assert!(cosine > least, "{storage:?} {text:?}: {cosine}");
        }
    }
}

fn import_error(files: &Files) -> Error {
    import_dir(files.path(), &Options::default()).unwrap_err()
}

#[test]
fn a_missing_tensor_is_named() {
    let name = "encoder.layer.1.output.dense.weight";
    let files = Files::write(&Tiny { leave_out: Some(name), ..Tiny::new(1) });
    assert_eq!(
        import_error(&files),
        Error::Tensor { name: name.into(), expected: vec![16, 24], found: None }
    );
}

#[test]
fn a_misshapen_tensor_is_named_with_both_shapes() {
    let files = Files::write(&Tiny::new(1));
    files.replace("config.json", "\"intermediate_size\":24", "\"intermediate_size\":32");
    let error = import_error(&files);
    assert_eq!(
        error,
        Error::Tensor {
            name: "encoder.layer.0.intermediate.dense.weight".into(),
            expected: vec![32, 16],
            found: Some(vec![24, 16]),
        }
    );
    assert!(error.to_string().contains("[24, 16]"), "{error}");
}

#[test]
fn models_of_other_families_are_refused_by_name() {
    for (file, from, to, word) in [
        ("config.json", "\"bert\"", "\"mpnet\"", "mpnet"),
        ("config.json", "\"gelu\"", "\"swish\"", "swish"),
        ("config.json", "\"num_attention_heads\":4", "\"num_attention_heads\":5", "5 heads"),
        ("tokenizer.json", "\"WordPiece\"", "\"Unigram\"", "Unigram"),
        ("tokenizer.json", "\"beta\":6", "\"beta\":60", "60"),
        ("tokenizer.json", "\"beta\":6", "\"beta\":5", "share the id 5"),
        (
            "1_Pooling/config.json",
            "\"pooling_mode_mean_tokens\":true",
            "\"pooling_mode_max_tokens\":true",
            "pooling",
        ),
        ("tokenizer.json", "{", "[", "tokenizer.json"),
    ] {
        let files = Files::write(&Tiny::new(1));
        files.replace(file, from, to);
        let error = import_error(&files).to_string();
        assert!(error.contains(word), "{to}: {error}");
    }
}

#[test]
fn missing_files_are_named() {
    for name in ["model.safetensors", "config.json", "tokenizer.json"] {
        let files = Files::write(&Tiny::new(1));
        std::fs::remove_file(files.path().join(name)).unwrap();
        let error = import_error(&files).to_string();
        assert!(error.contains(name), "{error}");
    }
}

#[test]
fn vocab_txt_replaces_a_missing_tokenizer_json() {
    let files = Files::write(&Tiny::new(1));
    let with = import_dir(files.path(), &Options::default()).unwrap();
    std::fs::remove_file(files.path().join("tokenizer.json")).unwrap();
    std::fs::write(files.path().join("vocab.txt"), model::VOCABULARY.join("\n")).unwrap();
    assert_eq!(import_dir(files.path(), &Options::default()).unwrap(), with);
}

/// Makes the checksum right, so that changed bytes reach the code behind the check.
fn seal(bytes: &mut [u8]) {
    let hash = blake3::hash(&bytes[40..]);
    bytes[24..40].copy_from_slice(&hash.as_bytes()[..16]);
}

fn artefact_bytes(storage: Storage) -> Vec<u8> {
    let files = Files::write(&Tiny::new(5));
    import_dir(files.path(), &Options::default()).unwrap().quantised(storage).to_bytes()
}

#[test]
fn written_artefacts_are_read_back() {
    let files = Files::write(&Tiny::new(5));
    let full = import_dir(files.path(), &Options::default()).unwrap();
    for artefact in [full.quantised(Storage::Int8), full.quantised(Storage::F16), full] {
        assert_eq!(Artefact::from_bytes(artefact.to_bytes()).unwrap(), artefact);
    }
}

#[test]
fn truncated_artefacts_are_refused() {
    let bytes = artefact_bytes(Storage::Int8);
    for len in (0..200).chain((200..bytes.len()).step_by(97)) {
        assert!(
            matches!(Artefact::from_bytes(bytes[..len].to_vec()), Err(Error::Artefact(_))),
            "{len}"
        );
    }
}

fn bits(bits: f32) -> Bits {
    Bits::new(bits).unwrap()
}

#[test]
fn compressed_artefacts_are_read_back_whole_or_in_pieces() {
    let files = Files::write(&Tiny::new(5));
    let full = import_dir(files.path(), &Options::default()).unwrap();
    let artefact = full.for_queries(bits(4.0), bits(6.0));
    let packed = artefact.to_packed_bytes();
    assert_eq!(Artefact::from_packed_bytes(packed.clone()).unwrap(), artefact);
    assert_eq!(Artefact::from_packed_bytes(artefact.to_bytes()).unwrap(), artefact);
    for bytes in [&packed, &artefact.to_bytes()] {
        let beginning = &bytes[..bytes.len().min(4_096)];
        assert_eq!(&Artefact::card_of_beginning(beginning, 1 << 30).unwrap(), artefact.card());
        assert!(Artefact::card_of_beginning(beginning, 100).is_err(), "longer than it may be");
        assert!(Artefact::card_of_beginning(&bytes[..10], 1 << 30).is_err());
    }
    assert!(Artefact::card_of_beginning(&[0; 4_096], 1 << 30).is_err());
    for size in [1, 7, 39, 40, 41, 1 << 20] {
        let mut pieces = Pieces::default();
        artefact.to_bytes().chunks(size).for_each(|piece| pieces.push(piece).unwrap());
        assert_eq!(pieces.finish().unwrap(), artefact);
    }
    for len in 0..packed.len() {
        assert!(Artefact::from_packed_bytes(packed[..len].to_vec()).is_err(), "{len}");
    }
    assert!(Artefact::from_packed_bytes([&packed[..], b"more"].concat()).is_err());
}

#[test]
fn pieces_refuse_the_first_wrong_piece() {
    let bytes = artefact_bytes(Storage::Int8);
    let mut pieces = Pieces::default();
    assert!(matches!(pieces.push(b"<!doctype html>"), Err(Error::Artefact(_))));
    let mut pieces = Pieces::default();
    pieces.push(&bytes).unwrap();
    assert!(matches!(pieces.push(b"x"), Err(Error::Artefact(_))), "more bytes than stated");
    // A stated length beyond all memory is not allocated.
    let mut lying = bytes.clone();
    lying[16..24].copy_from_slice(&(u64::MAX / 2).to_le_bytes());
    let mut pieces = Pieces::default();
    pieces.push(&lying).unwrap();
    assert!(pieces.finish().is_err());
}

#[test]
fn a_model_for_queries_reads_the_same_tokens_in_the_same_space() {
    let files = Files::write(&Tiny::new(5));
    let full = import_dir(files.path(), &Options::default()).unwrap();
    let small = full.for_queries(bits(6.0), bits(8.0));
    assert_eq!(small.card(), full.card());
    assert_eq!(small.architecture().max_positions, full.card().max_tokens);
    let (small, full) = (Transformer::new(small).unwrap(), Transformer::new(full).unwrap());
    for text in TEXTS {
        let cosine = cosine_of(&full, &small, text);
        assert!(cosine > 0.98, "{text:?}: {cosine}");
        let tokens = |model: &Transformer| {
            model.encode_one(text, Side::Query).map(|e| (e.n_tokens, e.truncated)).unwrap()
        };
        assert_eq!(tokens(&small), tokens(&full));
    }
}

const LETTERED: [&str; 17] = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[unused1]",
    "a",
    "b",
    "##a",
    "##b",
    "ab",
    "ba",
    "##ab",
    "##ba",
    "abba",
    "c",
    "##ac",
    "!",
];

/// Returns a model with letters among its tokens, and rows that are no whole number of words long.
fn lettered() -> Artefact {
    let card = EncoderCard {
        name: "lettered".into(),
        dim: 6,
        fingerprint: String::new(),
        max_tokens: 16,
        query_prefix: String::new(),
        document_prefix: String::new(),
        semantic: true,
    };
    let architecture = Architecture {
        layers: 1,
        hidden: 6,
        heads: 2,
        intermediate: 10,
        max_positions: 16,
        pooling: Pooling::Mean,
        activation: Activation::Gelu,
        layer_norm_eps: 1e-6,
    };
    let mut state = 7u32;
    let mut weight = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let vocabulary = LETTERED.map(str::to_owned).to_vec();
    let weights = |spec: &TensorSpec| Ok((0..spec.len()).map(|_| weight()).collect());
    Artefact::new(card, architecture, Normaliser::default(), vocabulary, weights).unwrap()
}

#[test]
fn words_of_removed_tokens_are_read_in_smaller_pieces() {
    let full = lettered();
    let wanted = |id: u32| LETTERED[id as usize] == "ab";
    let cut = full.pruned(wanted);
    // Only `##ac` shows how to read a c within a word.
    let left = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "##a", "##b", "ab", "c", "##ac", "!"];
    assert_eq!(cut.vocabulary(), left);
    assert_eq!(cut.card(), full.card());
    assert_eq!(cut.tensor("words").unwrap().shape(), (left.len(), 6));

    let (model, cut_model) =
        (Transformer::new(full.clone()).unwrap(), Transformer::new(cut.clone()).unwrap());
    let embed = |model: &Transformer, text: &str| model.encode_one(text, Side::Query).unwrap();
    for text in ["ab a b!", "aac", "", "zoo ab"] {
        assert_eq!(embed(&cut_model, text), embed(&model, text), "{text:?}");
    }
    // `abba` was one token, and `ba` was two: `ab ##b ##a`, `b ##a`.
    assert_eq!((embed(&model, "abba ba").n_tokens, embed(&cut_model, "abba ba").n_tokens), (4, 7));
    assert_ne!(embed(&cut_model, "abba"), embed(&cut_model, "zoo"), "an unknown token");
}

#[test]
fn pruned_models_can_be_compressed_and_rounded() {
    let full = lettered();
    let wanted = |id: u32| id.is_multiple_of(3);
    for storage in [Storage::F32, Storage::F16, Storage::Int8] {
        let cut = full.quantised(storage).pruned(wanted);
        assert_eq!(cut, full.pruned(wanted).quantised(storage));
        assert_eq!(Artefact::from_packed_bytes(cut.to_packed_bytes()).unwrap(), cut);
    }
    let cut = full.for_queries(bits(4.0), bits(6.0)).pruned(wanted);
    assert_eq!(cut, full.pruned(wanted).for_queries(bits(4.0), bits(6.0)));
    assert_eq!(cut.pruned(|_| true), cut);
    assert_eq!(full.pruned(|_| true), full);
    // A table with fewer rows than there are tokens is none.
    let mut short = full.to_bytes();
    let payload = u64::from_le_bytes(short[16..24].try_into().unwrap()) - 6 * 4;
    short[16..24].copy_from_slice(&payload.to_le_bytes());
    short.truncate(short.len() - 6 * 4);
    seal(&mut short);
    assert!(matches!(Artefact::from_bytes(short), Err(Error::Artefact(_))));
}

#[test]
fn another_version_and_a_wrong_checksum_are_different_errors() {
    let mut bytes = artefact_bytes(Storage::Int8);
    bytes[8] = 9;
    let error = Artefact::from_bytes(bytes).unwrap_err().to_string();
    assert!(error.contains('9'), "{error}");
    let mut bytes = artefact_bytes(Storage::Int8);
    *bytes.last_mut().unwrap() ^= 1;
    let error = Artefact::from_bytes(bytes).unwrap_err().to_string();
    assert!(error.contains("checksum"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn changed_artefacts_with_a_right_checksum_are_refused_or_give_unit_vectors(
        at in 40usize..400,
        value: u8,
        cut in 0usize..40,
    ) {
        let mut bytes = artefact_bytes(Storage::Int8);
        bytes[at] = value;
        bytes.truncate(bytes.len() - cut);
        seal(&mut bytes);
        if let Ok(artefact) = Artefact::from_bytes(bytes)
            && let Ok(model) = Transformer::new(artefact)
        {
            for text in TEXTS {
                let vector = model.encode_one(text, Side::Query).unwrap().values;
                let norm: f32 = vector.iter().map(|v| v * v).sum();
                // Changed weights can be huge or NaN, and so can vectors.
                let plain = norm == 0.0 || (norm - 1.0).abs() < 1e-3;
                prop_assert!(plain || !norm.is_finite(), "{norm}");
            }
        }
    }

    #[test]
    fn random_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Artefact::from_bytes(bytes).is_err());
    }
}

/// Reads the artefacts of released formats, which must compute the same vectors for good.
/// `FINDLING_WRITE_FIXTURES=1` writes the fixture of the current format; older ones stay as they
/// are. The WebAssembly module is compared with the same files
/// (`crates/wasm-encoder/tests/parity.mjs`).
#[test]
fn artefacts_of_released_formats_are_readable() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tiny-v1.artefact");
    let json_path = path.with_extension("artefact.json");
    if std::env::var_os("FINDLING_WRITE_FIXTURES").is_some() {
        let files = Files::write(&Tiny { document_prefix: "delta: ".into(), ..Tiny::new(6) });
        let options = Options {
            name: Some("tiny".into()),
            query_prefix: Some("gammas: ".into()),
            ..Options::default()
        };
        let artefact = import_dir(files.path(), &options).unwrap().quantised(Storage::Int8);
        std::fs::write(&path, artefact.to_bytes()).unwrap();
        let model = Transformer::new(artefact).unwrap();
        let cases: Vec<_> = TEXTS
            .iter()
            .map(|text| {
                let embedding = model.encode_one(text, Side::Query).unwrap();
                serde_json::json!({
                    "text": text, "nTokens": embedding.n_tokens, "truncated": embedding.truncated,
                    "values": embedding.values,
                })
            })
            .collect();
        let json = serde_json::json!({ "fingerprint": model.fingerprint(), "cases": cases });
        std::fs::write(&json_path, format!("{json:#}\n")).unwrap();
    }
    let model =
        Transformer::new(Artefact::from_bytes(std::fs::read(&path).unwrap()).unwrap()).unwrap();
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&json_path).unwrap()).unwrap();
    assert_eq!(json["fingerprint"], model.fingerprint());
    let cases = json["cases"].as_array().unwrap();
    assert_eq!(cases.len(), TEXTS.len());
    for case in cases {
        let text = case["text"].as_str().unwrap();
        let embedding = model.encode_one(text, Side::Query).unwrap();
        assert_eq!(case["nTokens"], embedding.n_tokens);
        assert_eq!(case["truncated"], embedding.truncated);
        let values: Vec<f64> =
            case["values"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        // The fixture was written when weights of 8 bits were widened and multiplied in f32.
        assert_within(1e-4, &embedding.values, &values, text);
    }
}
