//! A published model's tokenizer: vocabulary and normalisation.

use std::fmt;
use std::path::Path;

use findling_text::wordpiece::Normaliser;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::config::read_json;
use super::file_error;
use crate::Error;

#[derive(Deserialize)]
struct TokenizerFile {
    model: Model,
    normalizer: Option<NormalizerConfig>,
    pre_tokenizer: Option<Named>,
}

#[derive(Deserialize)]
struct Model {
    #[serde(rename = "type")]
    kind: Option<String>,
    continuing_subword_prefix: Option<String>,
    max_input_chars_per_word: Option<u32>,
    unk_token: Option<String>,
    #[serde(default)]
    vocab: Vocabulary,
}

/// Tokens with their ids, in the order of the file. Empty if a model of another type has a list
/// here. Such a model is refused by its type.
#[derive(Default)]
struct Vocabulary(Vec<(String, u32)>);

impl<'de> Deserialize<'de> for Vocabulary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Tokens;
        impl<'de> Visitor<'de> for Tokens {
            type Value = Vocabulary;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of tokens to ids")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vocabulary, A::Error> {
                let mut tokens = Vec::new();
                while let Some(token) = map.next_entry()? {
                    tokens.push(token);
                }
                Ok(Vocabulary(tokens))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vocabulary, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Vocabulary::default())
            }
        }
        deserializer.deserialize_any(Tokens)
    }
}

#[derive(Deserialize)]
struct Named {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct NormalizerConfig {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default = "yes")]
    clean_text: bool,
    #[serde(default = "yes")]
    handle_chinese_chars: bool,
    strip_accents: Option<bool>,
    #[serde(default = "yes")]
    lowercase: bool,
}

/// The contents of `tokenizer_config.json` beside a `vocab.txt`.
#[derive(Deserialize)]
struct TokenizerConfig {
    #[serde(default = "yes")]
    do_lower_case: bool,
    #[serde(default = "yes")]
    tokenize_chinese_chars: bool,
    strip_accents: Option<bool>,
}

fn yes() -> bool {
    true
}

/// Returns normalisation and vocabulary of the model in `dir`.
pub(crate) fn read(dir: &Path) -> Result<(Normaliser, Vec<String>), Error> {
    let path = dir.join("tokenizer.json");
    match read_json::<TokenizerFile>(&path)? {
        Some(file) => {
            from_file(file).map_err(|why| Error::Import(format!("{}: {why}", path.display())))
        }
        None => from_vocabulary(dir),
    }
}

fn from_file(file: TokenizerFile) -> Result<(Normaliser, Vec<String>), String> {
    let expect = |what: &str, found: Option<&str>, expected: &str| match found {
        Some(found) if found != expected => {
            Err(format!("{what}: expected `{expected}`, found `{found}`"))
        }
        _ => Ok(()),
    };
    let model = file.model;
    expect("the model's type", model.kind.as_deref(), "WordPiece")?;
    expect("the prefix of continued words", model.continuing_subword_prefix.as_deref(), "##")?;
    expect("the unknown token", model.unk_token.as_deref(), "[UNK]")?;
    expect(
        "the pre-tokenizer",
        file.pre_tokenizer.as_ref().map(|named| named.kind.as_str()),
        "BertPreTokenizer",
    )?;
    if let Some(max) = model.max_input_chars_per_word.filter(|&max| max != 100) {
        return Err(format!("the longest word: expected 100 characters, found {max}"));
    }
    let normaliser = match file.normalizer {
        Some(n) => {
            expect("the normalizer", Some(&n.kind), "BertNormalizer")?;
            Normaliser {
                clean_text: n.clean_text,
                handle_chinese_chars: n.handle_chinese_chars,
                strip_accents: n.strip_accents,
                lowercase: n.lowercase,
            }
        }
        None => return Err("the normalizer: expected `BertNormalizer`, found none".into()),
    };
    let n_tokens = model.vocab.0.len();
    let mut tokens: Vec<Option<String>> = vec![None; n_tokens];
    for (token, id) in model.vocab.0 {
        match tokens.get_mut(id as usize) {
            Some(place @ None) => *place = Some(token),
            Some(Some(other)) => return Err(format!("`{token}` and `{other}` share the id {id}")),
            None => return Err(format!("`{token}` has the id {id} in a vocabulary of {n_tokens}")),
        }
    }
    Ok((normaliser, tokens.into_iter().flatten().collect()))
}

fn from_vocabulary(dir: &Path) -> Result<(Normaliser, Vec<String>), Error> {
    let path = dir.join("vocab.txt");
    let text = std::fs::read_to_string(&path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Error::File {
            path: dir.display().to_string(),
            reason:
                "expected tokenizer.json or vocab.txt, found neither; add the model's tokenizer"
                    .into(),
        },
        _ => file_error(&path, &e),
    })?;
    let config: Option<TokenizerConfig> = read_json(&dir.join("tokenizer_config.json"))?;
    let config = config.unwrap_or(TokenizerConfig {
        do_lower_case: true,
        tokenize_chinese_chars: true,
        strip_accents: None,
    });
    let normaliser = Normaliser {
        clean_text: true,
        handle_chinese_chars: config.tokenize_chinese_chars,
        strip_accents: config.strip_accents,
        lowercase: config.do_lower_case,
    };
    Ok((normaliser, text.lines().map(str::to_string).collect()))
}
