//! Judges whether a response shows the answer to the question.

use serde_json::Value;

use super::question::Question;

/// The part of an answer that a text contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visible {
    /// Less than half of the words of any quote.
    #[default]
    No,
    /// At least half of a quote's words in one run.
    Partly,
    /// All words of a quote.
    Yes,
}

/// The results of a question for a reader.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub page_first: bool,
    pub page_in_three: bool,
    pub section_first: bool,
    /// Whether the first snippet, of a right page, shows the answer.
    pub shown: Visible,
    /// Whether the first three pages differ from the first three by words alone.
    pub moved: bool,
    /// The address of the first section.
    pub first: String,
    /// The text of the first snippet.
    pub snippet: String,
}

/// Judges the response to a question. `words`: the response by words alone.
pub fn judge(question: &Question, response: &Value, words: &Value) -> Outcome {
    let pages = ids(response);
    let right = |page: &&str| question.pages.iter().any(|wanted| wanted == page);
    let hit = &response["results"][0]["sections"][0];
    let first = match (pages.first(), hit["anchor"].as_str()) {
        (Some(page), Some(anchor)) => format!("{page}#{anchor}"),
        (Some(page), None) => (*page).to_owned(),
        (None, _) => String::new(),
    };
    let snippet = hit["snippet"]["text"].as_str().unwrap_or_default();
    let page_first = pages.first().is_some_and(right);
    let shown = if page_first { visible(&question.quotes, snippet) } else { Visible::No };
    Outcome {
        page_first,
        page_in_three: pages.iter().take(3).any(right),
        section_first: question.sections.contains(&first),
        shown,
        moved: pages != ids(words),
        first,
        snippet: snippet.to_owned(),
    }
}

fn ids(response: &Value) -> Vec<&str> {
    let results = response["results"].as_array().into_iter().flatten();
    results.filter_map(|page| page["id"].as_str()).take(3).collect()
}

/// Returns the words of a text in lower case. A sign that stands alone counts as a word, because
/// the answer may be about it (`?`, `+`).
fn words(text: &str) -> Vec<String> {
    let is_word = |piece: &str| piece.chars().any(char::is_alphanumeric);
    let mut words = Vec::new();
    for piece in text.split_whitespace() {
        if is_word(piece) {
            let parts = piece.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
            words.extend(parts.map(str::to_lowercase));
        } else {
            words.push(piece.to_owned());
        }
    }
    words
}

/// Returns the length of the longest run of words that both lists have.
fn run(a: &[String], b: &[String]) -> usize {
    let mut longest = 0;
    let mut lengths = vec![0; b.len() + 1];
    for word in a {
        // From right to left, because a place needs the old value to its left.
        for place in (0..b.len()).rev() {
            lengths[place + 1] = if *word == b[place] { lengths[place] + 1 } else { 0 };
            longest = longest.max(lengths[place + 1]);
        }
    }
    longest
}

/// Returns the largest part of any quote that a text shows.
fn visible(quotes: &[String], text: &str) -> Visible {
    let text = words(text);
    let mut best = Visible::No;
    for quote in quotes {
        let quote = words(quote);
        let run = run(&quote, &text);
        if run == quote.len() && run > 0 {
            return Visible::Yes;
        }
        if 2 * run >= quote.len() {
            best = Visible::Partly;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::bench::answers::question::Split;

    fn question() -> Question {
        Question {
            site: "boats".into(),
            split: Split::Dev,
            text: "how do I moor a boat".into(),
            kind: "how".into(),
            pages: vec!["moor.html".into()],
            sections: vec!["moor.html#knots".into()],
            quotes: vec!["Tie a bowline to the ring.".into()],
        }
    }

    fn response(page: &str, anchor: &str, text: &str) -> Value {
        let section = json!({"anchor": anchor, "snippet": {"text": text}});
        json!({"results": [{"id": page, "sections": [section]}]})
    }

    #[test]
    fn the_answer_is_seen_in_the_first_snippet_of_a_right_page() {
        let sees = |page: &str, anchor: &str, text: &str| {
            let response = response(page, anchor, text);
            let got = judge(&question(), &response, &response);
            (got.page_first, got.section_first, got.shown)
        };
        let whole = "First, tie a bowline to the ring. Then";
        assert_eq!(sees("moor.html", "knots", whole), (true, true, Visible::Yes));
        assert_eq!(sees("moor.html", "top", "Tie a bowline."), (true, false, Visible::Partly));
        assert_eq!(sees("moor.html", "top", "The ring to tie."), (true, false, Visible::No));
        assert_eq!(sees("knots.html", "knots", whole), (false, false, Visible::No));
    }

    #[test]
    fn signs_are_words_where_they_stand_alone() {
        assert_eq!(words("the `?` operator, std::fmt"), ["the", "`?`", "operator", "std", "fmt"]);
    }
}
