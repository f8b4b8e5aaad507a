//! Names of symbols in queries: `class Flask`, `fn parse_query(`, `Pool::acquire`, `useState`.

use anyhow::Result;
use findling_engine::{Limit, Mode, PageHit, Request, Response, SectionHit, SectionsPerPage};
use serde_json::{Value, json};

use crate::host::Host;

/// Words before a keyword that say nothing about the kind.
const MODIFIERS: [&str; 16] = [
    "pub",
    "pub(crate)",
    "public",
    "private",
    "protected",
    "internal",
    "export",
    "default",
    "async",
    "static",
    "abstract",
    "final",
    "unsafe",
    "const",
    "declare",
    "override",
];

/// Keywords of programming languages, each with the kinds of symbols that it declares.
const KEYWORDS: &[(&[&str], &[&str])] = &[
    (&["class"], &["class", "struct", "interface"]),
    (&["struct", "record", "union"], &["struct", "class"]),
    (&["def", "fn", "func", "function", "fun", "sub", "method"], &["function", "method"]),
    (&["trait", "protocol"], &["trait", "interface"]),
    (&["interface"], &["interface", "trait"]),
    (&["enum"], &["enum"]),
    (&["type", "typedef"], &["type", "struct", "interface", "class", "enum"]),
    (&["impl"], &["impl", "method"]),
    (&["mod", "module", "namespace", "package"], &["module"]),
    (&["macro", "macro_rules!"], &["macro"]),
    (&["const", "let", "var", "val", "static"], &["constant", "function"]),
];

/// Maximum number of symbols that one name can mean.
const MAX_SYMBOLS: usize = 64;

/// Maximum number of pages with definitions that are put first.
const MAX_PAGES: usize = 3;

/// The name in a query, and the kinds that its keyword declares; no kinds without a keyword.
#[derive(Debug, PartialEq, Eq)]
struct Wanted<'a> {
    name: &'a str,
    kinds: &'static [&'static str],
}

impl<'a> Wanted<'a> {
    /// Returns what a query asks for, if it is a declaration or a single name.
    fn of(query: &'a str) -> Option<Self> {
        let mut rest = query.trim();
        let mut kinds: &[&str] = &[];
        while let Some((word, after)) = rest.split_once(char::is_whitespace) {
            // `const f` declares a constant, `const fn f` a function.
            let next = after.trim_start();
            let is_last = !next.contains(char::is_whitespace);
            let known = KEYWORDS.iter().find(|(words, _)| words.contains(&word));
            if MODIFIERS.contains(&word) && (known.is_none() || !is_last) {
                rest = next;
                continue;
            }
            kinds = known?.1;
            rest = next;
            break;
        }
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ':' | '.' | '-');
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let after = after.trim_start();
        let ends = after.is_empty() || after.starts_with(['(', '<', '{', ':', '=', '[', '!']);
        let name = name.trim_matches([':', '.', '-']);
        let is_name =
            name.chars().any(char::is_alphabetic) && (name.len() > 1 || !kinds.is_empty());
        (ends && is_name).then_some(Self { name, kinds })
    }
}

/// Returns the parts of a qualified name.
fn parts(name: &str) -> Vec<&str> {
    name.split([':', '.', '\\', '#']).filter(|part| !part.is_empty()).collect()
}

/// Returns a name in a form that all spellings share: `parse_query`, `parseQuery`.
fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns how well a symbol matches a name, the best first; `None` if it does not match.
fn closeness(name: &str, symbol: &str) -> Option<u8> {
    let (name_parts, symbol_parts) = (parts(name), parts(symbol));
    let inner = symbol_parts.len().checked_sub(name_parts.len())?;
    let last = &symbol_parts[inner..];
    if last == name_parts {
        return Some(u8::from(inner > 0));
    }
    let same = |(a, b): (&&str, &&str)| folded(a) == folded(b);
    last.iter().zip(&name_parts).all(same).then_some(2 + u8::from(inner > 0))
}

/// Puts the definitions of the name that a query asks for at the top of a response.
///
/// # Errors
/// If the symbols cannot be read.
pub(super) fn put_first(host: &mut Host, request: &Request, response: &mut Response) -> Result<()> {
    let Some(wanted) = Wanted::of(&request.query).filter(|_| request.offset == 0) else {
        return Ok(());
    };
    let attributes = &host.manifest().attributes;
    let Some(symbol) = attributes.iter().find(|one| one.name == "symbol").cloned() else {
        return Ok(());
    };
    let symbols = host.strings(&symbol)?;
    let near = symbols.iter().filter_map(|symbol| Some((closeness(wanted.name, symbol)?, symbol)));
    let mut near: Vec<(u8, &String)> = near.collect();
    near.sort();
    near.truncate(MAX_SYMBOLS);
    if near.is_empty() {
        return Ok(());
    }
    let names: Vec<&String> = near.iter().map(|(_, symbol)| *symbol).collect();
    let mut must = vec![json!({"any": {"symbol": names}})];
    must.extend(request.filter.clone());
    if !wanted.kinds.is_empty() {
        must.push(json!({"any": {"kind": wanted.kinds}}));
    }
    let asked = Request {
        query: parts(wanted.name).join(" "),
        filter: Some(json!({ "must": must })),
        mode: Mode::Lexical,
        limit: Limit(MAX_SYMBOLS as u32),
        sections_per_page: SectionsPerPage(u32::MAX),
        verbatim: true,
        vector: None,
        also: Vec::new(),
        also_vectors: Vec::new(),
        facets: Vec::new(),
        ..request.clone()
    };
    let (found, _) = host.search(asked)?;
    let rank = |section: &SectionHit| rank(section, wanted.name);
    let mut pages: Vec<(u8, PageHit)> = Vec::new();
    for mut page in found.results {
        page.sections.sort_by_key(&rank);
        if let Some(first) = page.sections.first() {
            pages.push((rank(first), page));
        }
    }
    pages.sort_by_key(|(rank, _)| *rank);
    if response.total.pages == 0 {
        response.total = found.total;
        response.suggestions.clear();
        response.corrections.clear();
    }
    join(pages.into_iter().map(|(_, page)| page).take(MAX_PAGES).collect(), request, response);
    Ok(())
}

/// Returns the rank of a section among definitions: declarations come before the blocks that extend
/// them, exact names before other spellings.
fn rank(section: &SectionHit, name: &str) -> u8 {
    let of = |name: &str| section.attributes.get(name).and_then(Value::as_array);
    let texts = |name: &str| of(name).into_iter().flatten().filter_map(Value::as_str);
    let near = texts("symbol").filter_map(|symbol| closeness(name, symbol)).min();
    let adds = texts("kind").all(|kind| matches!(kind, "impl" | "module"));
    near.unwrap_or(9) * 2 + u8::from(adds)
}

/// Puts pages with definitions before the others. Each page occurs once, and the scores descend.
fn join(definitions: Vec<PageHit>, request: &Request, response: &mut Response) {
    let (limit, most) = (request.limit.0 as usize, request.sections_per_page.0.max(1) as usize);
    let mut results: Vec<PageHit> = Vec::new();
    for mut page in definitions {
        if let Some(at) = response.results.iter().position(|known| known.id == page.id) {
            let known = response.results.remove(at);
            let is_new = |section: &SectionHit| {
                page.sections.iter().all(|other| other.anchor != section.anchor)
            };
            let others: Vec<SectionHit> =
                known.sections.iter().filter(|s| is_new(s)).cloned().collect();
            page.sections.truncate(most);
            page.sections.extend(others);
            page = PageHit { sections: page.sections, ..known };
        }
        page.sections.truncate(most);
        page.n_sections = page.n_sections.max(page.sections.len() as u32);
        results.push(page);
    }
    results.append(&mut response.results);
    results.truncate(limit);
    // From the last page to the first, no score is less than the one below it.
    let mut below = f32::MIN;
    for page in results.iter_mut().rev() {
        below = below.max(page.score);
        page.score = below;
    }
    response.results = results;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(query: &str) -> Option<(&str, &'static str)> {
        let wanted = Wanted::of(query)?;
        Some((wanted.name, wanted.kinds.first().copied().unwrap_or("")))
    }

    #[test]
    fn declarations_and_single_names_are_asked_for() {
        for (query, expect) in [
            ("class Flask", Some(("Flask", "class"))),
            ("class Flask(Scaffold):", Some(("Flask", "class"))),
            ("pub async fn parse_query(&self)", Some(("parse_query", "function"))),
            ("def f", Some(("f", "function"))),
            ("struct S", Some(("S", "struct"))),
            ("def fn_1(x, y):", Some(("fn_1", "function"))),
            ("export default function useState<T>", Some(("useState", "function"))),
            ("const fn new", Some(("new", "function"))),
            ("const MAX", Some(("MAX", "constant"))),
            ("trait Iterator", Some(("Iterator", "trait"))),
            ("impl Pool {", Some(("Pool", "impl"))),
            ("Pool::acquire", Some(("Pool::acquire", ""))),
            ("Cache.size", Some(("Cache.size", ""))),
            ("parse_query()", Some(("parse_query", ""))),
            ("how to parse a query", None),
            ("class for parsing queries", None),
            ("parse query", None),
            ("", None),
            ("fn", Some(("fn", ""))),
        ] {
            assert_eq!(wanted(query), expect, "{query}");
        }
    }

    #[test]
    fn the_nearest_spelling_of_a_name_is_best() {
        assert_eq!(closeness("acquire", "acquire"), Some(0));
        assert_eq!(closeness("acquire", "Pool::acquire"), Some(1));
        assert_eq!(closeness("Pool.acquire", "Pool::acquire"), Some(0));
        assert_eq!(closeness("parseQuery", "parse_query"), Some(2));
        assert_eq!(closeness("pool::Acquire", "x::Pool::acquire"), Some(3));
        assert_eq!(closeness("Pool", "Pool::acquire"), None);
        assert_eq!(closeness("acquire", "acquired"), None);
    }
}
