//! Ranks pages by the terms of a tokeniser, so that tokenisers can be compared with each other.
//!
//!     charabia-peer charabia|findling LANGUAGE PAGES.jsonl QUERIES.jsonl
//!
//! `charabia` is Meilisearch's tokeniser, which gets the language; `findling` is Findling's
//! analysis of text. The ranking is the same for both: BM25 (k1 1.2, b 0.75) over whole pages, in
//! which title and headings count three times. Meilisearch itself ranks by other rules.
//!
//! Pages have `path`, `headings` and `text`, queries `_id` and `text`. Prints an object: the paths
//! of the first ten pages by the identity of the query.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use charabia::{Language, TokenizerBuilder};
use findling_text::Analyzer;
use serde_json::{Map, Value};

const K1: f32 = 1.2;
const B: f32 = 0.75;
const HEADINGS: f32 = 3.0;
const LIMIT: usize = 10;

type Terms = Box<dyn FnMut(&str) -> Vec<String>>;

fn terms_of(tool: &str, language: &str) -> Result<Terms> {
    match tool {
        "findling" => {
            let mut analyzer = Analyzer::for_language(language);
            Ok(Box::new(move |text| {
                let mut terms = Vec::new();
                analyzer.analyze(text, |token| terms.push(token.term.to_string()));
                terms
            }))
        }
        "charabia" => {
            let language = known(language).with_context(|| {
                format!("expected a language that charabia knows, found {language}")
            })?;
            Ok(Box::new(move |text| {
                TokenizerBuilder::<Vec<u8>>::new()
                    .allow_list(&[language])
                    .build()
                    .tokenize(text)
                    .filter(|token| token.is_word())
                    .map(|token| token.lemma().to_owned())
                    .collect()
            }))
        }
        other => bail!("expected charabia or findling, found {other}"),
    }
}

/// Returns charabia's language for a code of ISO 639-1.
fn known(language: &str) -> Option<Language> {
    const CODES: &[(&str, &str)] = &[
        ("ar", "ara"), ("cs", "ces"), ("de", "deu"), ("el", "ell"), ("en", "eng"), ("es", "spa"),
        ("fi", "fin"), ("fr", "fra"), ("he", "heb"), ("hi", "hin"), ("hu", "hun"), ("it", "ita"),
        ("nl", "nld"), ("pl", "pol"), ("pt", "por"), ("ro", "ron"), ("ru", "rus"), ("sv", "swe"),
        ("th", "tha"), ("tr", "tur"), ("uk", "ukr"), ("vi", "vie"), ("zh", "zho"),
    ];
    let (_, code) = CODES.iter().find(|(known, _)| *known == language)?;
    Language::from_code(code)
}

/// Pages with the weights of their terms.
struct Index {
    paths: Vec<String>,
    lengths: Vec<f32>,
    postings: HashMap<String, HashMap<usize, f32>>,
}

impl Index {
    fn new(pages: &[Value], terms: &mut Terms) -> Result<Self> {
        let mut index = Self { paths: Vec::new(), lengths: Vec::new(), postings: HashMap::new() };
        for (i, page) in pages.iter().enumerate() {
            index.paths.push(text_of(page, "path")?.to_owned());
            index.lengths.push(0.0);
            for (field, weight) in [("text", 1.0), ("headings", HEADINGS)] {
                for term in terms(text_of(page, field)?) {
                    *index.postings.entry(term).or_default().entry(i).or_default() += weight;
                    index.lengths[i] += weight;
                }
            }
        }
        Ok(index)
    }

    fn search(&self, terms: &[String]) -> Vec<&str> {
        let n_pages = self.paths.len() as f32;
        let mean = self.lengths.iter().sum::<f32>() / n_pages;
        let mut scores = vec![0.0; self.paths.len()];
        for postings in terms.iter().filter_map(|term| self.postings.get(term)) {
            let df = postings.len() as f32;
            let idf = (1.0 + (n_pages - df + 0.5) / (df + 0.5)).ln();
            for (&page, &tf) in postings {
                let length = 1.0 - B + B * self.lengths[page] / mean;
                scores[page] += idf * tf * (K1 + 1.0) / (tf + K1 * length);
            }
        }
        let mut pages: Vec<usize> = (0..scores.len()).filter(|&page| scores[page] > 0.0).collect();
        pages.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        pages.iter().take(LIMIT).map(|&page| self.paths[page].as_str()).collect()
    }
}

fn text_of<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    value[key].as_str().with_context(|| format!("expected a text `{key}`, found {value}"))
}

fn lines(path: &str) -> Result<Vec<Value>> {
    let text = std::fs::read_to_string(path).with_context(|| path.to_owned())?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [tool, language, pages, queries] = &arguments[..] else {
        bail!("expected TOOL LANGUAGE PAGES QUERIES, found {arguments:?}");
    };
    let mut terms = terms_of(tool, language)?;
    let index = Index::new(&lines(pages)?, &mut terms)?;
    let mut answers = Map::new();
    for query in lines(queries)? {
        let found = index.search(&terms(text_of(&query, "text")?));
        answers.insert(text_of(&query, "_id")?.to_owned(), found.into());
    }
    println!("{}", Value::Object(answers));
    Ok(())
}
