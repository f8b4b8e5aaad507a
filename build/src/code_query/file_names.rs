//! Names of files in queries: "how a JSON writer escapes text" says all of `json_writer.rs`.
//!
//! People describe a part of a program by the words after which its file is called. Words of a path
//! count in the score of every section below it, but so do the same words in text and headings, and
//! further occurrences add little. That a query says the whole name of a file is evidence of its
//! own. `docs/experiments/code-benchmark.md` has the measurements.

use findling_engine::{Fusion, Limit, MAX_LIMIT, Mode, PageHit, Request, Response};
use findling_read::is_program;
use findling_text::{Analyzer, TokenKind};
use serde_json::Value;

/// Number of pages, best first, whose order names can change.
const DEPTH: usize = 20;

/// Largest addition to the factor 1 of a page's score in a search by words alone. It applies if the
/// query consists of the name of the page's file. A name that is a third of the query's words adds
/// a third.
const BY_WORDS: f32 = 0.3;

/// The same in a search by words and by meaning.
const BY_BOTH: f32 = 0.25;

/// Names of files that represent their directory, such as `mod`.
const OF_DIRECTORY: [&str; 5] = ["mod", "index", "__init__", "init", "package-info"];

/// Two stems belong to the same word if they have at least the first number of letters in common,
/// and at most the second number of further letters: `router` and `route`.
const COMMON: usize = 4;
const BESIDES: usize = 3;

/// Returns the request whose response [`raise`] can reorder; `None` if names cannot change the
/// requested pages.
pub(super) fn deepened(request: &Request) -> Option<Request> {
    let is_convex = matches!(request.fusion, Fusion::Convex { .. });
    let has_scores = request.mode == Mode::Lexical || request.mode == Mode::Hybrid && is_convex;
    let end = (request.offset as usize).saturating_add(request.limit.0 as usize);
    let is_asked = has_scores
        && request.spread.is_none()
        && request.limit.0 > 0
        && (request.offset as usize) < DEPTH
        && end <= MAX_LIMIT as usize;
    is_asked.then(|| Request { offset: 0, limit: Limit(end.max(DEPTH) as u32), ..request.clone() })
}

/// Raises pages whose file names occur in the query, then keeps only the requested pages.
/// `response` answers the deepened request.
pub(super) fn raise(request: &Request, response: &mut Response) {
    let mut analyzer = Analyzer::for_language("en");
    let said = Words::of(&mut analyzer, &request.query);
    let most = if response.mode == Mode::Lexical { BY_WORDS } else { BY_BOTH };
    let depth = DEPTH.min(response.results.len());
    let first = &mut response.results[..depth];
    for page in first.iter_mut().filter(|page| !page.pinned) {
        let name = program(page).map(|path| Words::of(&mut analyzer, name_of(path)));
        if let Some(name) = name.filter(|name| said.include(name)) {
            page.score *= 1.0 + most * said.share(&name);
        }
    }
    first.sort_by(|a, b| b.pinned.cmp(&a.pinned).then(b.score.total_cmp(&a.score)));
    response.results.drain(..(request.offset as usize).min(response.results.len()));
    response.results.truncate(request.limit.0 as usize);
}

/// Returns the path of a page that is a program.
fn program(page: &PageHit) -> Option<&str> {
    let text = |name: &str| page.attributes.get(name).and_then(Value::as_str);
    text("path").filter(|_| text("language").is_none_or(is_program))
}

/// Returns the name of a file: `tree` of `src/tree.go`, `handler` of `src/handler/mod.rs`.
fn name_of(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    if OF_DIRECTORY.contains(&stem) { parts.next().unwrap_or(stem) } else { stem }
}

/// The stems of a text.
#[derive(Default)]
struct Words {
    /// Identifiers as wholes.
    wholes: Vec<String>,
    /// Words and parts of identifiers.
    parts: Vec<String>,
    /// The number of parts that are no stop words.
    n_content: usize,
}

impl Words {
    fn of(analyzer: &mut Analyzer, text: &str) -> Self {
        let mut words = Self::default();
        analyzer.analyze(text, |token| match token.kind {
            TokenKind::Whole => words.wholes.push(token.term.to_owned()),
            TokenKind::Mark => {}
            kind => {
                words.parts.push(token.term.to_owned());
                words.n_content += usize::from(kind != TokenKind::Stop);
            }
        });
        words
    }

    /// Returns whether a name is among these words: as a whole, or each part of it somewhere.
    fn include(&self, name: &Self) -> bool {
        let all = || self.parts.iter().chain(&self.wholes);
        let has = |part: &String| all().any(|word| is_same(word, part));
        let whole = |name: &String| all().any(|word| word == name);
        name.n_content > 0 && (name.wholes.iter().any(whole) || name.parts.iter().all(has))
    }

    /// Returns the name's share of these words, from 0 to 1.
    fn share(&self, name: &Self) -> f32 {
        (name.n_content as f32 / self.n_content.max(1) as f32).min(1.0)
    }
}

/// Returns whether two stems are of one word: one is the beginning of the other.
fn is_same(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let rest = long.strip_prefix(short).map(|rest| rest.chars().count());
    rest == Some(0) || rest.is_some_and(|n| n <= BESIDES) && short.chars().count() >= COMMON
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_says_the_name_of_a_file() {
        for (query, path, expect) in [
            ("radix tree path matching", "tree.go", true),
            ("error types", "src/errors.go", true),
            ("how Handler dispatches requests", "src/handler/mod.rs", true),
            ("how routes are registered", "lib/router.ex", true),
            ("JSON object with named fields", "gson/JsonObject.java", true),
            ("JSON with named fields", "gson/JsonObject.java", false),
            ("RouterGroup and its routes", "routergroup.go", true),
            ("from_fn middleware", "middleware/from_fn.rs", true),
            ("content negotiation", "context.go", false),
            ("form of the request", "for.rs", false),
            ("what is on from", "from.rs", false),
            ("web sockets", "ws.rs", false),
            ("", "tree.go", false),
        ] {
            let mut analyzer = Analyzer::for_language("en");
            let said = Words::of(&mut analyzer, query);
            let name = Words::of(&mut analyzer, name_of(path));
            assert_eq!(said.include(&name), expect, "{query}: {path}");
        }
    }

    #[test]
    fn only_pages_near_the_top_are_read_for_it() {
        let request = |offset, limit| Request { offset, limit: Limit(limit), ..Request::default() };
        let asked = |offset, limit| {
            deepened(&request(offset, limit)).map(|deep| (deep.offset, deep.limit.0))
        };
        assert_eq!(asked(0, 10), Some((0, 20)));
        assert_eq!(asked(10, 20), Some((0, 30)));
        assert_eq!(asked(20, 10), None);
        assert_eq!(asked(0, 0), None);
        let semantic = Request { mode: Mode::Semantic, ..request(0, 10) };
        assert_eq!(deepened(&semantic), None);
    }
}
