//! Suggestions for a query that finds nothing: other queries. Each one is run first, and only those
//! that find something are suggested.

#![doc(alias = "deferred")]

use std::ops::Range;

use findling_bundle::ShardId;
use findling_text::TokenKind;
use findling_text::normalise::lower_case;

use crate::api::{Error, Mode, Notice, Order, Request, Suggestion, SuggestionKind};
use crate::filter::{self, Condition, Predicate, Test};
use crate::index::Index;
use crate::messages::{quote, resembles};
use crate::query::{self, Clause, ClauseKind, Query, parse};
use crate::query_run::{QueryRun, step_all};
use crate::rank::{Matches, n_pages_of};
use crate::resolve::{ParsedRequest, Purpose, ResolvedQuery};
use crate::spelling::{self, SimilarWords};

/// Maximum number of values that are tried instead of unknown ones.
const MAX_VALUES: usize = 8;

/// The running queries that could be suggested.
pub(crate) struct Tries {
    tries: Vec<Try>,
    /// Words of the query that no page has.
    unknown: Vec<String>,
}

/// A running query that could be suggested.
struct Try {
    suggestion: Suggestion,
    phrasings: Vec<QueryRun>,
    /// The name of the part that is left out, for a notice.
    without: Option<String>,
}

/// The queries that find something, with notices.
#[derive(Default)]
pub(crate) struct Suggested {
    pub suggestions: Vec<Suggestion>,
    pub notices: Vec<Notice>,
}

/// Makes the queries that could be suggested in place of a request's `phrasings`, or returns the
/// shards that are missing for it. The shards of the search itself must be in memory.
#[inline(never)]
pub(crate) fn tries(
    index: &Index,
    phrasings: &[ResolvedQuery],
) -> Result<Result<Tries, Vec<ShardId>>, Error> {
    let mut drafts = Vec::with_capacity(phrasings.len());
    for phrasing in phrasings {
        drafts.push(Draft::new(index, &phrasing.request)?);
    }
    let (Some(first), Some(Draft { query, .. })) = (phrasings.first(), drafts.first()) else {
        return Ok(Ok(Tries { tries: Vec::new(), unknown: Vec::new() }));
    };
    let like = match first.mode {
        Mode::Hybrid | Mode::Lexical => match spelling::like(index, query) {
            Ok(like) => like,
            Err(shards) => return Ok(Err(shards)),
        },
        Mode::Semantic => Vec::new(),
    };
    let word = |like: &SimilarWords| {
        Some(query.clauses.get(like.clause)?.text.get(like.range.clone())?.into())
    };
    let unknown = like.iter().filter_map(word).collect();
    Ok(Ok(Tries { tries: all_tries(index, first, &drafts, &like)?, unknown }))
}

impl Tries {
    /// Runs the queries as far as the available shards allow; adds the shards that are `missing`.
    #[inline(never)]
    pub fn step(self, index: &Index, missing: &mut Vec<ShardId>) -> Result<Self, Error> {
        let mut tries = Vec::with_capacity(self.tries.len());
        for Try { suggestion, phrasings, without } in self.tries {
            let phrasings = step_all(index, phrasings, missing)?;
            tries.push(Try { suggestion, phrasings, without });
        }
        Ok(Self { tries, ..self })
    }

    /// Returns the queries that found something, after all were run instead of `phrasings`.
    #[inline(never)]
    pub fn finish(self, index: &Index, phrasings: &[ResolvedQuery]) -> Result<Suggested, Error> {
        let (mut suggestions, mut notices) = (Vec::new(), Vec::new());
        if !self.unknown.is_empty() {
            let words: Vec<String> = self.unknown.iter().map(|word| quote(word)).collect();
            let message = format!("no page has the word {}", words.join(" or "));
            notices.push(Notice { code: "unknown-words".into(), message });
        }
        if phrasings.iter().all(is_of_marks) {
            let message = "the query has no letter or digit; no page has its marks, or they are \
                           punctuation, which is not indexed"
                .into();
            notices.push(Notice { code: "no-words".into(), message });
        }
        for Try { mut suggestion, phrasings, without } in self.tries {
            let retrieved = phrasings.into_iter().filter_map(QueryRun::into_retrieved);
            let found: Vec<Matches> = retrieved.map(|retrieved| retrieved.found).collect();
            let pages = n_pages_of(index, &found);
            // Leaving out everything is suggested only if no smaller change helps.
            let last = suggestion.kind == SuggestionKind::Everything;
            if pages == 0 || last && !suggestions.is_empty() {
                continue;
            }
            suggestion.pages = pages;
            suggestions.push(suggestion);
            if let Some(what) = without {
                let pages = if pages == 1 {
                    "1 page matches".into()
                } else {
                    format!("{pages} pages match")
                };
                let message = format!("nothing is found; without {what}, {pages}");
                notices.push(Notice { code: "removed-all".into(), message });
            }
        }
        Ok(Suggested { suggestions, notices })
    }
}

/// Returns whether a query has marks but no letter and no digit.
fn is_of_marks(asked: &ResolvedQuery) -> bool {
    let ResolvedQuery { plan, request, .. } = asked;
    let has_marks = !request.query.trim().is_empty() && !asked.browse();
    let is_mark = |group: &query::Group| group.kind == TokenKind::Mark;
    plan.groups.iter().all(is_mark) && plan.excluded.is_empty() && has_marks
}

/// A request by its parts, to be changed.
#[derive(Clone)]
struct Draft {
    request: Request,
    query: Query,
    filter: Option<Condition>,
}

impl Draft {
    fn new(index: &Index, request: &Request) -> Result<Self, Error> {
        let query = parse(&request.query, |name| index.manifest().attribute(name).is_some());
        // Order and counts do not change which pages are found.
        let request = Request {
            sort: None,
            prefer: None,
            order: Order::Relevance,
            spread: None,
            facets: Vec::new(),
            explain: false,
            ..request.clone()
        };
        Ok(Self { filter: filter::filter_of(&request)?, query, request })
    }

    /// Returns the changed request. Unchanged parts stay as they were written.
    fn finish(self, before: &Self) -> Request {
        let mut request = self.request;
        if self.query != before.query {
            request.query = self.query.to_text();
        }
        if self.filter != before.filter {
            request.filter = self.filter.map(|filter| filter.to_json());
        }
        request
    }
}

/// A change to a request.
enum Change<'a> {
    /// Replaces each unknown word by its similar word with this number, or else by its first one.
    /// Unknown words without similar words are left out.
    Words(&'a [SimilarWords], usize),
    /// Replaces a value of an attribute.
    Value {
        attribute: &'a str,
        value: &'a str,
        instead: &'a str,
    },
    /// Makes the clause `name:value` a condition on an attribute.
    Attribute {
        clause: &'a str,
        name: &'a str,
        instead: &'a str,
    },
    /// Removes a part of the request that excludes pages.
    Without(Relax<'a>),
    Everything,
}

#[derive(Clone, Copy)]
enum Relax<'a> {
    Spelling,
    Phrases,
    Exclusions,
    Part(&'a str),
    Filter,
}

impl Change<'_> {
    /// Changes the request. Returns whether there was anything to change.
    fn apply(&self, draft: &mut Draft) -> bool {
        match *self {
            Self::Words(like, place) => {
                let mut changed = false;
                // Replace from the end, so that earlier positions stay valid.
                for SimilarWords { clause, range, words } in like.iter().rev() {
                    if let Some(word) = words.get(place).or(words.first()) {
                        changed |= put_word(&mut draft.query.clauses, *clause, range, word);
                    } else if like.iter().any(|like| !like.words.is_empty()) {
                        drop_word(&mut draft.query.clauses, *clause, range);
                    }
                }
                changed
            }
            Self::Value { attribute, value, instead } => {
                let mut changed = false;
                for condition in &mut draft.query.conditions {
                    if condition.attribute == attribute && condition.value == value {
                        condition.value = instead.to_owned();
                        changed = true;
                    }
                }
                draft
                    .filter
                    .iter_mut()
                    .for_each(|filter| changed |= replace(filter, attribute, value, instead));
                changed
            }
            Self::Attribute { clause, name, instead } => {
                let clauses = &mut draft.query.clauses;
                let Some(at) = clauses.iter().position(|other| other.text == clause) else {
                    return false;
                };
                let Some(value) = clause.get(name.len() + 1..) else { return false };
                let excluded = clauses.remove(at).excluded;
                let (attribute, value) = (instead.to_owned(), value.to_owned());
                draft.query.conditions.push(query::Condition { attribute, value, excluded });
                true
            }
            Self::Without(relax) => relax.apply(draft),
            Self::Everything => {
                let all = [Relax::Spelling, Relax::Phrases, Relax::Exclusions, Relax::Filter];
                all.into_iter().filter(|relax| relax.apply(draft)).count() > 1
            }
        }
    }
}

impl Relax<'_> {
    fn apply(self, draft: &mut Draft) -> bool {
        let query = &mut draft.query;
        match self {
            Self::Spelling => std::mem::take(&mut draft.request.verbatim),
            Self::Phrases => {
                let mut changed = false;
                for clause in query.clauses.iter_mut().filter(|clause| !clause.excluded) {
                    changed |= clause.kind == ClauseKind::Phrase;
                    clause.kind = ClauseKind::Word;
                }
                changed
            }
            Self::Exclusions => {
                let before = query.clauses.len();
                query.clauses.retain(|clause| !clause.excluded);
                query.clauses.len() < before
            }
            Self::Part(name) => {
                let before = query.conditions.len();
                query.conditions.retain(|condition| condition.attribute != name);
                let rest = draft.filter.as_ref().and_then(|filter| filter.without(name));
                let changed = rest.is_some() || query.conditions.len() < before;
                if let Some(rest) = rest {
                    draft.filter = Some(rest).filter(|rest| !rest.is_everything());
                }
                changed
            }
            Self::Filter => {
                let filtered = draft.filter.take().is_some_and(|filter| !filter.is_everything());
                !std::mem::take(&mut query.conditions).is_empty() || filtered
            }
        }
    }
}

/// Replaces a word. A neighbour that is part of the new word is removed: `data base` becomes
/// `database`, not `database base`.
fn put_word(clauses: &mut Vec<Clause>, at: usize, range: &Range<usize>, word: &str) -> bool {
    let Some(clause) = clauses.get(at) else { return false };
    let (Some(front), Some(old), Some(behind)) = (
        clause.text.get(..range.start),
        clause.text.get(range.clone()),
        clause.text.get(range.end..),
    ) else {
        return false;
    };
    let is_joined = |first: &str, second: &str| {
        !first.is_empty() && !second.is_empty() && lower_case(&[first, second].concat()) == word
    };
    let next = behind.strip_prefix(' ').and_then(|rest| rest.split(' ').next()).unwrap_or("");
    let last = front.strip_suffix(' ').and_then(|rest| rest.rsplit(' ').next()).unwrap_or("");
    let mut range = range.clone();
    if is_joined(old, next) {
        range.end += 1 + next.len();
    } else if is_joined(last, old) {
        range.start -= 1 + last.len();
    } else if front.is_empty() && behind.is_empty() {
        let is_word = |clause: &&Clause| {
            clause.kind == ClauseKind::Word && clause.excluded == clauses[at].excluded
        };
        let text = |at: Option<usize>| {
            at.and_then(|at| clauses.get(at)).filter(is_word).map_or("", |clause| &clause.text)
        };
        if is_joined(old, text(at.checked_add(1))) {
            clauses.remove(at + 1);
        } else if is_joined(text(at.checked_sub(1)), old) {
            clauses[at].text = word.to_owned();
            clauses.remove(at - 1);
            return true;
        }
    }
    clauses[at].text.replace_range(range, word);
    true
}

/// Removes a clause that consists of only one word.
fn drop_word(clauses: &mut Vec<Clause>, at: usize, word: &Range<usize>) {
    let is_word =
        |clause: &Clause| clause.kind == ClauseKind::Word && *word == (0..clause.text.len());
    if clauses.get(at).is_some_and(is_word) {
        clauses.remove(at);
    }
}

/// Replaces a value in every condition that has it.
fn replace(condition: &mut Condition, attribute: &str, value: &str, instead: &str) -> bool {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => {
            parts
                .iter_mut()
                .filter_map(|part| replace(part, attribute, value, instead).then_some(()))
                .count()
                > 0
        }
        Condition::Not(inner) => replace(inner, attribute, value, instead),
        Condition::Test(Test { attribute: of, predicate: Predicate::In(values) })
            if of == attribute =>
        {
            let mut changed = false;
            for one in values.iter_mut().filter(|one| *one == value) {
                *one = instead.to_owned();
                changed = true;
            }
            changed
        }
        Condition::Test(_) => false,
    }
}

/// Returns all changes to try, in the order of the suggestions.
fn all_tries(
    index: &Index,
    asked: &ResolvedQuery,
    drafts: &[Draft],
    like: &[SimilarWords],
) -> Result<Vec<Try>, Error> {
    let attributes = &index.manifest().attributes;
    let mut tries = Vec::new();
    let mut attempt =
        |kind, what: &str, instead: Option<&str>, without: Option<String>, change: Change<'_>| {
            tries.extend(attempt(index, drafts, kind, what, instead, without, &change)?);
            Ok::<(), Error>(())
        };
    let Some(draft) = drafts.first() else { return Ok(tries) };

    for place in 0..like.iter().map(|like| like.words.len()).max().unwrap_or(0) {
        let pairs = like.iter().filter_map(|like| {
            let word = draft.query.clauses.get(like.clause)?.text.get(like.range.clone())?;
            Some((word, like.words.get(place).or(like.words.first())?.as_str()))
        });
        let (words, instead): (Vec<&str>, Vec<&str>) = pairs.unzip();
        let (words, instead) = (words.join(" "), instead.join(" "));
        attempt(SuggestionKind::Words, &words, Some(&instead), None, Change::Words(like, place))?;
    }
    let unknown = asked.condition.iter().flat_map(|condition| {
        filter::unknown_values(condition, attributes, |shard| index.column(shard))
    });
    let values: Vec<_> = unknown.collect();
    let pairs =
        values.iter().flat_map(|unknown| unknown.instead.iter().map(move |value| (unknown, value)));
    for (unknown, instead) in pairs.take(MAX_VALUES) {
        let (attribute, value) = (unknown.attribute.as_str(), unknown.value.as_str());
        let change = Change::Value { attribute, value, instead };
        attempt(SuggestionKind::Value, value, Some(instead), None, change)?;
    }
    for Clause { text, .. } in
        draft.query.clauses.iter().filter(|clause| clause.kind == ClauseKind::Word)
    {
        let Some((name, value)) = text.split_once(':') else { continue };
        if value.is_empty() || attributes.iter().any(|attribute| attribute.name == name) {
            continue;
        }
        for attribute in attributes.iter().filter(|attribute| resembles(name, &attribute.name)) {
            let instead = attribute.name.as_str();
            let change = Change::Attribute { clause: text, name, instead };
            attempt(SuggestionKind::Attribute, name, Some(instead), None, change)?;
        }
    }

    let mut names: Vec<&str> = Vec::new();
    for test in asked.condition.iter().flat_map(Condition::tests) {
        if !names.contains(&test.attribute.as_str()) {
            names.push(&test.attribute);
        }
    }
    let all = asked.condition.iter().map(|condition| quote(&condition.to_string()));
    let whole = format!("the filter {}", all.collect::<String>());
    let mut relax = |kind, what: &str, without: String, relax| {
        attempt(kind, what, None, Some(without), Change::Without(relax))
    };
    relax(SuggestionKind::Phrases, "", "quotation marks".into(), Relax::Phrases)?;
    relax(SuggestionKind::Exclusions, "", "what the query excludes".into(), Relax::Exclusions)?;
    relax(SuggestionKind::Spelling, "", "taking words as they are spelt".into(), Relax::Spelling)?;
    relax(SuggestionKind::Filter, "", whole, Relax::Filter)?;
    if names.len() > 1 {
        for name in names {
            let without = format!("the filter on {}", quote(name));
            relax(SuggestionKind::Part, name, without, Relax::Part(name))?;
        }
    }
    attempt(SuggestionKind::Everything, "", None, Some("all of that".into()), Change::Everything)?;
    Ok(tries)
}

/// Makes the query that a change leads to; `None` if it changes nothing.
fn attempt(
    index: &Index,
    drafts: &[Draft],
    kind: SuggestionKind,
    what: &str,
    instead: Option<&str>,
    without: Option<String>,
    change: &Change<'_>,
) -> Result<Option<Try>, Error> {
    let (mut changed, mut requests) = (false, Vec::with_capacity(drafts.len()));
    let mut condition = None;
    for (i, before) in drafts.iter().enumerate() {
        let mut draft = before.clone();
        // Replacements change only the query itself, not its other phrasings.
        if i == 0 || matches!(change, Change::Without(_) | Change::Everything) {
            changed |= change.apply(&mut draft);
        }
        if i == 0 {
            condition = draft.filter.as_ref().map(ToString::to_string);
        }
        requests.push(draft.finish(before));
    }
    let Some(first) = requests.first().filter(|_| changed) else { return Ok(None) };
    let suggestion = Suggestion {
        kind,
        what: what.to_owned(),
        instead: instead.map(str::to_owned),
        query: first.query.clone(),
        also: requests.iter().skip(1).map(|request| request.query.clone()).collect(),
        filter: condition.filter(|_| first.filter.is_some()),
        verbatim: first.verbatim,
        pages: 0,
    };
    let mut phrasings = Vec::with_capacity(requests.len());
    for request in requests {
        let parsed = ParsedRequest::new(index, request)?;
        // Suggestions show how many pages they find, so every match counts.
        let asked = ResolvedQuery::new(index, parsed, Purpose::Count, None)?;
        phrasings.push(QueryRun::new(asked));
    }
    Ok(Some(Try { suggestion, phrasings, without }))
}
