//! The site's list of synonyms: `js, javascript` for equivalent words, `k8s => kubernetes` for one
//! direction, `#` for comments.
//!
//! The list becomes part of the manifest, and a query also searches for the synonyms of its words.
//! A synonym of several words is found by a key that is indexed wherever the words are adjacent
//! (see [`findling_text::keys`]).

use std::collections::HashMap;

use anyhow::{Context, bail};
use findling_bundle::Synonym;
use findling_bundle::limits::{MAX_NAME_LEN, MAX_SYNONYMS};
use findling_text::keys::SynonymTerms;
use findling_text::{Analyzer, Token, TokenKind};

/// Reads a list.
///
/// # Errors
/// If a line is malformed or repeats a word, or there are too many lines; the error has the number
/// of the line.
pub fn parse(text: &str) -> anyhow::Result<Vec<Synonym>> {
    let mut synonyms: Vec<Synonym> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        add(line, &mut synonyms).with_context(|| format!("line {number}: {line}"))?;
    }
    if synonyms.len() > MAX_SYNONYMS {
        bail!("expected at most {MAX_SYNONYMS} words with synonyms, found {}", synonyms.len());
    }
    synonyms.sort_by(|a, b| a.from.cmp(&b.from));
    Ok(synonyms)
}

fn add(line: &str, synonyms: &mut Vec<Synonym>) -> anyhow::Result<()> {
    let words = |list: &str| -> anyhow::Result<Vec<String>> {
        let words: Vec<String> = list.split(',').map(|word| word.trim().to_owned()).collect();
        if let Some(word) = words.iter().find(|word| !word.contains(char::is_alphanumeric)) {
            bail!("expected words between commas, found `{word}`");
        }
        if let Some(word) = words.iter().find(|word| word.len() > MAX_NAME_LEN) {
            bail!("expected at most {MAX_NAME_LEN} bytes, found {}", word.len());
        }
        Ok(words)
    };
    let pairs: Vec<(String, Vec<String>)> = match line.split_once("=>") {
        Some((from, to)) => {
            let to = words(to)?;
            words(from)?.into_iter().map(|from| (from, to.clone())).collect()
        }
        None => {
            let all = words(line)?;
            if all.len() < 2 {
                bail!("expected `word, word` or `word => word`, found one word");
            }
            let others =
                |word: &String| all.iter().filter(|other| *other != word).cloned().collect();
            all.iter().map(|word| (word.clone(), others(word))).collect()
        }
    };
    for (from, to) in pairs {
        match synonyms.iter_mut().find(|synonym| synonym.from.eq_ignore_ascii_case(&from)) {
            Some(known) => known
                .to
                .extend(to.into_iter().filter(|word| !known.to.contains(word)).collect::<Vec<_>>()),
            None => synonyms.push(Synonym { from, to }),
        }
    }
    Ok(())
}

/// The synonyms of several words, as one language analyses them.
#[derive(Debug, Default)]
pub struct Rows {
    /// All terms of each synonym and its key, by its first term.
    by_first: HashMap<String, Vec<(Vec<String>, String)>>,
    /// Terms of the current text, with their fields.
    seen: Vec<(String, u8)>,
}

impl Rows {
    /// Analyses the synonyms that pages can contain.
    pub fn new(synonyms: &[Synonym], analyzer: &mut Analyzer) -> Self {
        let mut rows = Self::default();
        for text in synonyms.iter().flat_map(|synonym| &synonym.to) {
            let Some(SynonymTerms { terms, key }) = SynonymTerms::of(analyzer, text) else {
                continue;
            };
            if let [first, _, ..] = terms.as_slice() {
                let of_first = rows.by_first.entry(first.clone()).or_default();
                if of_first.iter().all(|(_, known)| *known != key) {
                    of_first.push((terms, key));
                }
            }
        }
        rows
    }

    /// Takes the next token of a text.
    pub fn push(&mut self, token: &Token<'_>, field: u8) {
        if !self.by_first.is_empty() && !matches!(token.kind, TokenKind::Part | TokenKind::Mark) {
            self.seen.push((token.term.to_owned(), field));
        }
    }

    /// Takes the keys of the synonyms that occur in the text, each with the field of its first
    /// word. A new text begins.
    pub fn take(&mut self) -> Vec<(String, u8)> {
        let mut keys = Vec::new();
        for (i, (term, field)) in self.seen.iter().enumerate() {
            for (terms, key) in self.by_first.get(term).into_iter().flatten() {
                let here = self.seen[i..].iter().map(|(term, _)| term).take(terms.len());
                if here.eq(terms.iter()) {
                    keys.push((key.clone(), *field));
                }
            }
        }
        self.seen.clear();
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let list = parse(
            "# names\njs, javascript\n\nk8s => kubernetes # one way\na b, c\njs => ecmascript\n",
        )
        .unwrap();
        let lines: Vec<String> =
            list.iter().map(|s| format!("{} = {}", s.from, s.to.join("|"))).collect();
        assert_eq!(
            lines,
            [
                "a b = c",
                "c = a b",
                "javascript = js",
                "js = javascript|ecmascript",
                "k8s = kubernetes"
            ]
        );
    }

    #[test]
    fn what_is_no_line_is_refused_by_its_number() {
        for (text, expect) in [
            (
                "a, b\nalone",
                "line 2: alone: expected `word, word` or `word => word`, found one word",
            ),
            ("a,, b", "line 1: a,, b: expected words between commas, found ``"),
            ("=> b", "line 1: => b: expected words between commas, found ``"),
        ] {
            assert_eq!(format!("{:#}", parse(text).unwrap_err()), expect);
        }
    }

    #[test]
    fn several_words_are_found_in_a_row() {
        let synonyms = parse("single page application, spa").unwrap();
        let mut analyzer = Analyzer::for_language("en");
        let mut rows = Rows::new(&synonyms, &mut analyzer);
        let mut found = |text: &str| {
            analyzer.analyze(text, |token| rows.push(&token, 0));
            rows.take().len()
        };
        assert_eq!(found("Two single-page applications; single page applications."), 1);
        assert_eq!(found("a page, a single application"), 0);
        assert_eq!(found("single page"), 0);
        assert_eq!(found("application"), 0);
    }
}
