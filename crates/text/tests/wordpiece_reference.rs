//! Compares WordPiece with the `tokenizers` crate, id by id: on a tiny vocabulary made here, and on
//! a real model's vocabulary if `FINDLING_TOKENIZER` is the path of its `tokenizer.json`.

use std::collections::HashMap;

use findling_text::wordpiece::{Normaliser, WordPiece};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tokenizers::Tokenizer;

/// Texts that exercise every rule.
const SAMPLES: &[&str] = &[
    "",
    " ",
    "How do I share data between threads?",
    "don't stop-believing: e-mail, C++ & C#; 3.14159 (approx.) $10 <b>x</b> a_b `c` ~^|",
    "Crème brûlée À LA CARTE, Ångström, naïve façade; Straße; İstanbul ıI; ǅ Ǆ ﬁne",
    "e\u{301}\u{323} a\u{30a} n\u{303}\u{327}",
    "全文検索エンジン Rust言語で書く。 漢字かな交じり文　全角スペース",
    "한국어 형태소 분석 \u{1112}\u{1161}\u{11ab}",
    "Поиск по документации, ёлка й",
    "مُحَمَّد العربية שָׁלוֹם",
    "हिन्दी में खोज ক্ষ தமிழ் ไทยคำ",
    "Ελληνικά ΣΊΣΥΦΟΣ ς",
    "zero\u{200b}width\u{200d}joiner\u{feff} soft\u{ad}hyphen nbsp\u{a0}here\u{2003}em\u{3000}\
     ideographic\u{85}nel",
    "control\u{0}\u{1}\u{7f}\u{fffd}chars \u{e000}private tab\tnewline\ncr\r",
    "emoji 👩‍👩‍👧 🇩🇪 ❤️ ① ½ x² № ™ ≠ ; · “quotes” ‘single’ — … «guillemets»",
    "[CLS] literal [SEP] specials [MASK][PAD] [UNK] [cls] [ SEP ] [[MASK]]",
    "pneumonoultramicroscopicsilicovolcanoconiosis antidisestablishmentarianism zxqjk",
];

struct Pair {
    own: WordPiece,
    reference: Tokenizer,
}

impl Pair {
    fn from_json(mut tokenizer: Value) -> Pair {
        tokenizer["truncation"] = Value::Null;
        tokenizer["padding"] = Value::Null;
        let ids: HashMap<String, u32> =
            serde_json::from_value(tokenizer["model"]["vocab"].clone()).expect("a vocabulary");
        let mut tokens: Vec<(u32, String)> =
            ids.into_iter().map(|(token, id)| (id, token)).collect();
        tokens.sort();
        assert!(
            tokens.iter().enumerate().all(|(place, (id, _))| place == *id as usize),
            "ids without gaps"
        );
        let normalizer = &tokenizer["normalizer"];
        let own = WordPiece::new(
            tokens.iter().map(|(_, token)| token),
            Normaliser {
                clean_text: normalizer["clean_text"] == true,
                handle_chinese_chars: normalizer["handle_chinese_chars"] == true,
                strip_accents: normalizer["strip_accents"].as_bool(),
                lowercase: normalizer["lowercase"] == true,
            },
        )
        .expect("a good vocabulary");
        let reference = Tokenizer::from_bytes(tokenizer.to_string()).expect("a tokenizer");
        Pair { own, reference }
    }

    fn check(&self, text: &str) {
        let expect = self.reference.encode(text, true).expect("encodes");
        let got = self.own.encode(text, usize::MAX);
        assert!(!got.truncated);
        if got.ids != expect.get_ids() {
            let names: Vec<_> = got.ids.iter().filter_map(|&id| self.own.token(id)).collect();
            panic!("{text:?}\n own       {names:?}\n reference {:?}", expect.get_tokens());
        }
        // Truncation keeps the beginning and reports lost tokens.
        for max in [2, 3, 8, 16] {
            let short = self.own.encode(text, max);
            let n = expect.len().min(max) - 1;
            assert_eq!(short.ids[..n], expect.get_ids()[..n], "{text:?} at {max}");
            assert_eq!(short.ids.len(), n + 1, "{text:?} at {max}");
            assert_eq!(short.truncated, expect.len() > max, "{text:?} at {max}");
        }
    }

    /// Returns samples: every character by itself between letters, and generated texts.
    fn check_all(&self, n_cases: u32) {
        SAMPLES.iter().for_each(|text| self.check(text));
        self.check(&SAMPLES.join(" "));
        for first in (0..0x3_1000).step_by(64) {
            let text: String = (first..first + 64)
                .filter_map(char::from_u32)
                .filter(|&c| !is_reordered(c))
                .collect();
            self.check(&text);
            self.check(&text.chars().flat_map(|c| ['a', c, 'b', ' ', c, ' ']).collect::<String>());
        }
        let text = prop_oneof![
            any::<String>(),
            "[ -~]{0,80}",
            "([a-zA-Z]{1,12}[ .,'-]?){0,12}",
            "[\\u{80}-\\u{24f}\\u{300}-\\u{36f}a-e ]{0,40}",
            "[\\u{370}-\\u{52f}\\u{590}-\\u{6ff}\\u{900}-\\u{97f} ]{0,40}",
            "[\\u{1e00}-\\u{206f}\\u{3040}-\\u{30ff}\\u{4e00}-\\u{4e80}\\u{ac00}-\\u{ad00} ]{0,40}",
            "(\\[(CLS|SEP|MASK|PAD|UNK|x)\\]?| |[a-c]){0,20}",
            "[a-f]{90,110}",
        ];
        let mut runner =
            TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(n_cases) });
        runner
            .run(&text, |text| {
                self.check(&text.chars().filter(|&c| !is_reordered(c)).collect::<String>());
                Ok(())
            })
            .expect("equal");
    }
}

/// Returns whether `c` is a spacing mark with a combining class, which Unicode normalisation may
/// put in another order. The module's documentation has the reason.
fn is_reordered(c: char) -> bool {
    matches!(u32::from(c),
        0x302e | 0x302f | 0x16ff0 | 0x16ff1 | 0x1d15e..=0x1d172 | 0x1d1bb..=0x1d1c0)
}

fn tiny(normalizer: Value) -> Value {
    let mut tokens: Vec<String> =
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].iter().map(|s| s.to_string()).collect();
    let characters =
        ('!'..='~').filter(|c| !c.is_ascii_uppercase()).chain("ßαβγσςжйかが水全文ᄒ한é".chars());
    for c in characters {
        tokens.push(c.to_string());
        tokens.push(format!("##{c}"));
    }
    for word in [
        "share", "data", "thread", "##ing", "search", "the", "stop", "##able", "ab", "##bc", "bcd",
        "straße",
    ] {
        tokens.push(word.to_string());
    }
    let vocabulary: HashMap<&str, usize> =
        tokens.iter().enumerate().map(|(id, t)| (t.as_str(), id)).collect();
    let special: Vec<Value> = tokens[..5]
        .iter()
        .enumerate()
        .map(|(id, token)| {
            json!({"id": id, "content": token, "special": true, "single_word": false,
                   "lstrip": false, "rstrip": false, "normalized": false})
        })
        .collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": special,
        "normalizer": normalizer,
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                       {"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}},
                     {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                               "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}
        },
        "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": vocabulary}
    })
}

#[test]
fn a_tiny_vocabulary_gives_the_reference_ids() {
    for (clean, chinese, accents, lower) in [
        (true, true, Value::Null, true),
        (true, true, Value::Null, false),
        (true, false, json!(false), true),
        (false, true, json!(true), false),
    ] {
        let normalizer = json!({"type": "BertNormalizer", "clean_text": clean,
                                "handle_chinese_chars": chinese, "strip_accents": accents,
                                "lowercase": lower});
        Pair::from_json(tiny(normalizer)).check_all(500);
    }
}

#[test]
fn a_real_vocabulary_gives_the_reference_ids() {
    let Some(path) = std::env::var_os("FINDLING_TOKENIZER") else {
        eprintln!("skipped: set FINDLING_TOKENIZER to the tokenizer.json of a BERT-family model");
        return;
    };
    let bytes = std::fs::read(&path).expect("FINDLING_TOKENIZER names a readable file");
    Pair::from_json(serde_json::from_slice(&bytes).expect("JSON")).check_all(20_000);
}
