//! Judges whether a response shows the answer to the question.

use serde_json::Value;

use super::question::Question;

/// The part of an answer that a text has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visible {
    /// Less than half of the words of any quote.
    #[default]
    No,
    /// At least half of a quote's words in one run.
    Partly,
    /// All of them.
    Yes,
}

/// The parts of an answer that a reader got.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub page_first: bool,
    pub page_in_three: bool,
    pub section_first: bool,
    /// Whether the first snippet, of a right page, shows the answer.
    pub shown: Visible,
    /// If there is a row "Answer": whether its sentence answers.
    pub row: Option<bool>,
    /// Whether the first three pages are others than by words alone.
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
        row: row(response).map(|sentence| page_first && answers(&question.quotes, &sentence)),
        moved: pages != ids(words),
        first,
        snippet: snippet.to_owned(),
    }
}

fn ids(response: &Value) -> Vec<&str> {
    let results = response["results"].as_array().into_iter().flatten();
    results.filter_map(|page| page["id"].as_str()).take(3).collect()
}

/// Returns the words of a text in lower case; a sign that stands alone is one, since it may be what
/// the answer is about (`?`, `+`).
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
        // From the right, since a place needs what was left of it before.
        for place in (0..b.len()).rev() {
            lengths[place + 1] = if *word == b[place] { lengths[place] + 1 } else { 0 };
            longest = longest.max(lengths[place + 1]);
        }
    }
    longest
}

/// Returns how much a text shows of the quote of which it shows most.
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

/// Returns whether a sentence has all of a quote, or is at least half of one.
fn answers(quotes: &[String], sentence: &str) -> bool {
    let sentence = words(sentence);
    quotes.iter().map(|quote| words(quote)).any(|quote| {
        let run = run(&quote, &sentence);
        run > 0 && (run == quote.len() || run == sentence.len() && 2 * run >= quote.len())
    })
}

/// The limits of the row, as in `www/src/ui/verdict.ts`.
const ANSWERS_FROM: f64 = 0.9;
const MIN_LEAD: f64 = 0.2;
const MIN_MARKS: usize = 2;
const MIN_WORDS: usize = 3;

/// Returns the sentence of the row "Answer", if the dialog shows one: the rule of
/// `www/src/ui/verdict.ts`.
fn row(response: &Value) -> Option<String> {
    let results = response["results"].as_array()?;
    let snippet = &results.first()?["sections"][0]["snippet"];
    let range = |value: &Value| -> Option<(usize, usize)> {
        Some((value[0].as_u64()? as usize, value[1].as_u64()? as usize))
    };
    let ranges = |key: &str| -> Vec<(usize, usize)> {
        snippet[key].as_array().into_iter().flatten().filter_map(range).collect()
    };
    let (start, end) = range(&snippet["sentence"])?;
    let text: Vec<u16> = snippet["text"].as_str()?.encode_utf16().collect();
    let sentence = String::from_utf16_lossy(text.get(start..end)?).trim().to_owned();
    let ends = ['.', '!', '?', '\u{3002}', '\u{ff01}', '\u{ff1f}'];
    let closing = [')', '"', '\'', '\u{2019}', '\u{201d}'];
    let is_whole = sentence.trim_end_matches(closing).ends_with(ends);
    let marks = ranges("ranges").iter().filter(|(a, b)| start <= *a && *b <= end).count();
    let is_code = ranges("code").iter().any(|(a, b)| *a <= start && end <= *b);
    let score = |place: usize| results.get(place)?["score"].as_f64();
    let (best, next) = (score(0)?, score(1).unwrap_or(0.0));
    let shown = response["answerable"].as_f64()? >= ANSWERS_FROM
        && best - next >= MIN_LEAD * best
        && response["query"].as_str()?.split_whitespace().count() >= MIN_WORDS
        && marks >= MIN_MARKS
        && is_whole
        && !is_code;
    shown.then_some(sentence)
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
        let end = text.encode_utf16().count();
        json!({"query": "how do I moor a boat", "answerable": 0.95, "results": [{
            "id": page, "score": 1.0, "sections": [{"anchor": anchor, "snippet": {
                "text": text, "ranges": [[0, 3], [4, 5]], "code": [], "sentence": [0, end]}}]}]})
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
    fn a_row_is_right_if_its_sentence_answers() {
        let row = |text: &str| {
            let response = response("moor.html", "knots", text);
            judge(&question(), &response, &response).row
        };
        assert_eq!(row("Tie a bowline to the ring."), Some(true));
        assert_eq!(row("Tie the boat to the ring."), Some(false));
        assert_eq!(row("Tie a bowline to the ring"), None);
    }

    #[test]
    fn signs_are_words_where_they_stand_alone() {
        assert_eq!(words("the `?` operator, std::fmt"), ["the", "`?`", "operator", "std", "fmt"]);
    }
}
