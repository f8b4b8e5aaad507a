//! The query syntax: words, `"phrases"`, `-exclusions`, `attribute:value`.
//!
//! Every text is a query. Incomplete syntax is read as words: a quotation mark that is never
//! closed, a minus before a space, before another minus (`--release`) or before a single letter
//! (`-v`), a colon that does not follow an attribute (`std::mem`). A query that has only exclusions
//! (`-Wall`) searches for these words.

use findling_text::normalise::visible;
use findling_text::{is_unit, spaced_number_len};

use super::{Clause, ClauseKind, Condition, Query};

/// Maximum number of characters of a query that are read.
pub(crate) const MAX_CHARS: usize = 10_000;

/// Maximum number of characters of a phrase. It bounds the search for the closing mark, and so the
/// time for any text.
const MAX_PHRASE_CHARS: usize = 1_000;

/// Queries that call deferred functions, as regular expressions. The client prefetches the deferred
/// part for them. A query that calls a deferred function but matches no expression is searched
/// twice.
#[cfg(test)]
#[doc(alias = "deferred")]
const DEFERRED_SYNTAX: &[&str] = &[
    // Empty queries, which list pages.
    r"^\s*$",
    // Phrases, also empty ones: a minus behind them can exclude a word.
    r#""[^"]*""#,
    r#"[“”„][^“”"]*[“”"]"#,
    r"«[^»]*»",
    r"「[^」]*」",
    // Exclusions.
    r"(^|\s)-([^\s-]\S|[^\s0-9A-Za-z-])",
    // Conditions. `std::mem`, `https://` and `error: 12` are not conditions.
    r"(^|\s)[^\s:]+:([^\s:/]|/([^/]|$))",
];

/// Splits a query. `is_attribute` returns whether a name may precede a colon.
pub(crate) fn parse(text: &str, is_attribute: impl Fn(&str) -> bool) -> Query {
    let mut query = Query::default();
    let text = &*visible(text);
    let text = match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => {
            query.truncated = true;
            &text[..end]
        }
        None => text,
    };
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { break };
        let (excluded, body) = match rest.strip_prefix('-') {
            Some(body) if excludes(body) => (true, body),
            _ => (false, rest),
        };
        let opening = if excluded { body.chars().next() } else { Some(first) };
        if let Some((phrase, behind)) = opening.and_then(|c| quoted(body, c)) {
            push(&mut query, ClauseKind::Phrase, phrase, excluded);
            rest = behind;
            continue;
        }
        if let Some((condition, behind)) = condition(body, excluded, &is_attribute) {
            query.conditions.push(condition);
            query.open_end = false;
            rest = behind;
            continue;
        }
        let number = spaced_number_len(body);
        let end = number + word_end(&body[number..]);
        push(&mut query, ClauseKind::Word, &body[..end], excluded);
        if let (Some(minus), Some(clause)) = (minus_of(body), query.clauses.last_mut()) {
            clause.text.replace_range(..first.len_utf8(), minus);
        }
        rest = &body[end..];
        query.open_end = rest.is_empty() && !excluded && !query.truncated;
    }
    if query.clauses.is_empty() && query.conditions.is_empty() && !text.trim().is_empty() {
        // A query that consists only of marks (`""`) finds nothing, rather than listing all pages.
        push(&mut query, ClauseKind::Word, text.trim(), false);
    }
    let nothing_wanted =
        query.conditions.is_empty() && query.clauses.iter().all(|clause| clause.excluded);
    if nothing_wanted {
        for clause in &mut query.clauses {
            clause.excluded = false;
            if clause.kind == ClauseKind::Word {
                clause.text.insert(0, '-');
            }
        }
    }
    query
}

/// Restores a minus that a word processor turned into a dash: `–xzf` becomes `-xzf`. Exclusions
/// only have a typed minus.
fn minus_of(word: &str) -> Option<&'static str> {
    let mut chars = word.chars();
    let minus = match chars.next()? {
        '–' | '−' => "-",
        '—' => "--",
        _ => return None,
    };
    chars.next().filter(char::is_ascii_alphanumeric).map(|_| minus)
}

/// Returns whether a minus before this text excludes it. One letter is an option (`-v`), not an
/// exclusion. One character of a script without letters is a word (`-馬`).
fn excludes(body: &str) -> bool {
    let mut chars = body.chars();
    match (chars.next(), chars.next()) {
        (Some('-'), _) | (None, _) => false,
        (Some('0'..='9'), _) => !is_number(body),
        (Some(first), second) if first.is_ascii_alphanumeric() => {
            second.is_some_and(|c| !c.is_whitespace())
        }
        (Some(first), _) => !first.is_whitespace(),
    }
}

/// Returns whether the word at the beginning of a text is a number: decimal, perhaps with an
/// exponent or a unit (`1e-5`, `12px`, `25°C`), or hexadecimal as `0x1f`. A single letter does not
/// count as a unit here: `-4k`.
fn is_number(text: &str) -> bool {
    let word = text.split(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
    let hexadecimal = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => digits.bytes().all(|b| b.is_ascii_hexdigit()),
        None => {
            let is_digit = |c: char| c.is_ascii_digit() || !c.is_alphanumeric();
            let behind = word.trim_start_matches(is_digit);
            let exponent = behind.strip_prefix(['e', 'E']);
            let is_degree = || word[..word.len() - behind.len()].ends_with('°');
            behind.is_empty()
                || exponent.is_some_and(|digits| !digits.is_empty() && digits.chars().all(is_digit))
                || is_unit(behind) && (behind.chars().count() > 1 || is_degree())
        }
    }
}

fn push(query: &mut Query, kind: ClauseKind, text: &str, excluded: bool) {
    query.open_end = false;
    if text.chars().any(char::is_alphanumeric) || kind == ClauseKind::Word {
        query.clauses.push(Clause { kind, text: text.to_string(), excluded });
    }
}

/// Returns the marks that close a quotation opened by `opening`; empty if it opens none.
fn closing(opening: char) -> &'static [char] {
    match opening {
        '"' => &['"'],
        '“' | '”' => &['”', '“', '"'],
        '„' => &['“', '”', '"'],
        '«' => &['»'],
        '「' => &['」'],
        _ => &[],
    }
}

/// Returns the text between quotation marks at the beginning of `text`, and what follows them.
fn quoted(text: &str, opening: char) -> Option<(&str, &str)> {
    let marks = closing(opening);
    if marks.is_empty() {
        return None;
    }
    let body = text.strip_prefix(opening)?;
    let (end, mark) =
        body.char_indices().take(MAX_PHRASE_CHARS).find(|(_, c)| marks.contains(c))?;
    Some((&body[..end], &body[end + mark.len_utf8()..]))
}

/// Reads `attribute:value` or `attribute:"value"` at the beginning of `text`, and returns what
/// follows it.
fn condition(
    text: &str,
    excluded: bool,
    is_attribute: impl Fn(&str) -> bool,
) -> Option<(Condition, &str)> {
    let colon = text.find(|c: char| c == ':' || c.is_whitespace())?;
    let (attribute, behind) = (&text[..colon], text[colon..].strip_prefix(':')?);
    if behind.chars().next().is_none_or(char::is_whitespace) || !is_attribute(attribute) {
        return None;
    }
    condition_on(attribute, behind, excluded)
}

/// Returns the condition on an attribute, given the text `behind` its colon.
#[doc(alias = "deferred")]
#[inline(never)]
fn condition_on<'a>(
    attribute: &str,
    behind: &'a str,
    excluded: bool,
) -> Option<(Condition, &'a str)> {
    let (value, rest) = match behind.chars().next().and_then(|c| quoted(behind, c)) {
        Some(found) => found,
        None => behind.split_at(behind.find(char::is_whitespace).unwrap_or(behind.len())),
    };
    if value.is_empty() {
        return None;
    }
    Some((Condition { attribute: attribute.to_string(), value: value.to_string(), excluded }, rest))
}

/// Returns the end of a word: before white space, or before a quotation mark that begins a phrase.
fn word_end(text: &str) -> usize {
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            return at;
        }
        // `say"so"` is a word and a phrase; `5"` is a word.
        if at > 0 && c == '"' && quoted(&text[at..], c).is_some() {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks clauses: `w:` word, `p:` phrase, `c:` condition, `-` before an excluded part.
    fn check(text: &str, expect: &[&str]) {
        let query = parse(text, |name| name == "book" || name == "year");
        let minus = |excluded| if excluded { "-" } else { "" };
        let mut got = Vec::new();
        for clause in &query.clauses {
            let kind = if clause.kind == ClauseKind::Word { "w" } else { "p" };
            got.push(format!("{}{kind}:{}", minus(clause.excluded), clause.text));
        }
        for condition in &query.conditions {
            got.push(format!(
                "{}c:{}={}",
                minus(condition.excluded),
                condition.attribute,
                condition.value
            ));
        }
        assert_eq!(got, expect, "{text}");
    }

    #[test]
    fn words_and_phrases() {
        check("", &[]);
        check(" \t ", &[]);
        check("share  data", &["w:share", "w:data"]);
        check("\"share data\" now", &["p:share data", "w:now"]);
        check("say\"share data\"now", &["w:say", "p:share data", "w:now"]);
        check("“share data” „so“ «là»", &["p:share data", "p:so", "p:là"]);
        check("\"\" \"…\"", &["w:\"\" \"…\""]);
        check("\"\" share", &["w:share"]);
    }

    #[test]
    fn exclusions() {
        check("share -data", &["w:share", "-w:data"]);
        check("share -\"of data\"", &["w:share", "-p:of data"]);
        check("share - data", &["w:share", "w:-", "w:data"]);
        check("status -113) -0x1f -2fa", &["w:status", "w:-113)", "w:-0x1f", "-w:2fa"]);
        check("cold -25°C -1e-5 -4k", &["w:cold", "w:-25°C", "w:-1e-5", "-w:4k"]);
        check("depth -12px, -3.5dB", &["w:depth", "w:-12px,", "w:-3.5dB"]);
        check("cargo --release", &["w:cargo", "w:--release"]);
        check("well-known", &["w:well-known"]);
        check("tar –xzf −v —all – a", &["w:tar", "w:-xzf", "w:-v", "w:--all", "w:–", "w:a"]);
        // Only exclusions: they are read as words.
        check("-Wall", &["w:-Wall"]);
        check("-v volume -l", &["w:-v", "w:volume", "w:-l"]);
        check("東京 -馬", &["w:東京", "-w:馬"]);
        check("-Wall book:rust", &["-w:Wall", "c:book=rust"]);
    }

    #[test]
    fn conditions() {
        check("book:rust traits", &["w:traits", "c:book=rust"]);
        check("-book:\"rust by example\" traits", &["w:traits", "-c:book=rust by example"]);
        check("std::mem key:value", &["w:std::mem", "w:key:value"]);
        check("book: rust", &["w:book:", "w:rust"]);
        check("year:2020", &["c:year=2020"]);
    }

    #[test]
    fn words_do_not_match_the_deferred_syntax() {
        let any = regex::Regex::new(&DEFERRED_SYNTAX.join("|")).unwrap();
        for words in [
            "share data",
            "cargo --release",
            "grep -v pattern",
            "well-known",
            "std::mem",
            "https://example.org/",
            "error: 12",
            "5\" disk",
            "what is C++?",
            "- a list",
        ] {
            assert!(!any.is_match(words), "{words}");
        }
        for more in ["", " ", "\"a b\"", "«a»", "a -data", "東京 -馬", "kind:guide", "-kind:guide"]
        {
            assert!(any.is_match(more), "{more}");
        }
    }

    #[test]
    fn what_is_not_whole_is_words() {
        check("\"share data", &["w:\"share", "w:data"]);
        check("-\"share", &["w:-\"share"]);
        check("5\" disk", &["w:5\"", "w:disk"]);
    }

    #[test]
    fn the_end_is_open_after_a_word_alone() {
        for (text, open) in [
            ("sha", true),
            ("sha ", false),
            ("\"sha\"", false),
            ("a -sha", false),
            ("book:ru", false),
            ("", false),
        ] {
            assert_eq!(parse(text, |name| name == "book").open_end, open, "{text}");
        }
    }

    #[test]
    fn long_queries_are_cut() {
        let query = parse(&"ö ".repeat(MAX_CHARS), |_| false);
        assert!(query.truncated);
        assert_eq!(query.clauses.len(), MAX_CHARS / 2);
    }

    #[test]
    fn parts_become_text_again() {
        for text in [
            "share data",
            "\"share data\" now",
            "share -data -\"of data\"",
            "book:rust traits",
            "-book:\"rust by example\" traits",
            "«5\" disk» so",
            "-Wall",
            "cargo --release 5\"",
        ] {
            let parsed = |text: &str| parse(text, |name| name == "book");
            let query = parsed(text);
            assert_eq!(query.to_text(), text);
            assert_eq!(parsed(&query.to_text()).clauses, query.clauses);
        }
    }

    proptest! {
        /// Checks that a condition's colon must not be followed by a colon or two slashes. Such
        /// text is mostly a path or an address (`std::mem`).
        #[test]
        fn queries_that_are_more_than_words_match_the_deferred_syntax(
            text in r#"([-":/a0“”„«»「」 東(]|[ (]-[a0東(]|a:){0,12}"#,
        ) {
            let query = parse(&text, |name| name == "a");
            let is_path = |value: &str| value.starts_with(':') || value.starts_with("//");
            let more = query.clauses.iter().any(|c| c.excluded || c.kind == ClauseKind::Phrase)
                || query.conditions.iter().any(|c| !is_path(&c.value));
            let any = DEFERRED_SYNTAX.join("|");
            let matches = regex::Regex::new(&any).unwrap().is_match(&text);
            prop_assert!(matches || !more, "{text:?} is {query:?}");
        }

        #[test]
        fn every_text_is_a_query(text in "[-\":a“”« \u{301}東\\p{L}]{0,40}") {
            let query = parse(&text, |name| name == "a");
            let wanted = query.clauses.iter().any(|clause| !clause.excluded)
                || !query.conditions.is_empty();
            prop_assert!(wanted || query.clauses.is_empty());
            for clause in &query.clauses {
                prop_assert!(text.contains(&clause.text));
            }
        }
    }
}
