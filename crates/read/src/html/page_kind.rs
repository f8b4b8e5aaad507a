//! The choice of the pages that are left out as a whole: redirects, error pages, search pages,
//! general indexes, templates, and pages that ask to be left out.
//!
//! A file's name alone is not enough. A site may document statuses (`status/404.html`) or search
//! APIs (`api/search.html`); the page's contents and its place decide.

use scraper::{ElementRef, Html, Node};

use super::super::language;
use super::super::outline::fold;
use super::attrs::Attrs;
use super::is_named;
use super::survey::Survey;
use super::text::{Words, has_code_block};

/// Longest delay, in seconds, at which a page with a refresh counts as a redirect.
const MAX_REDIRECT_SECONDS: f64 = 10.0;

/// Smallest number of words at which a page with a redirecting script counts as a page.
const MIN_PAGE_WORDS: usize = 40;

/// Smallest number of words outside of the search form at which a page named `search` counts as a
/// page.
const MIN_SEARCH_PAGE_WORDS: usize = 60;

/// Smallest number of words at which a page named `404` below the root counts as a page.
const MIN_ERROR_PAGE_WORDS: usize = 8;

/// Returns the reason why a page is left out, or `None` if it is not.
pub(super) fn left_out(html: &Html, survey: &Survey, path: &str) -> Option<String> {
    if is_error_page(survey, path) {
        return Some("an error page".to_owned());
    }
    if let Some(target) = redirect(html, survey, path) {
        return Some(format!("a redirect to {target}"));
    }
    if survey.noindex {
        return Some("asks not to be indexed (robots: noindex)".to_owned());
    }
    if is_general_index(survey, path) {
        return Some("a general index of terms".to_owned());
    }
    if is_template(survey) {
        return Some("a template of a generator".to_owned());
    }
    is_search_page(survey, path).then(|| "a search page".to_owned())
}

/// Returns whether a file is no page, but a template that themes copy into their sites: it has no
/// title, and begins with a statement or a value of Jinja, Liquid, Go or Handlebars.
fn is_template(survey: &Survey) -> bool {
    let first_text = || {
        let texts = survey.body?.descendants().filter_map(|below| below.value().as_text());
        texts.map(|text| text.trim_start()).find(|text| !text.is_empty())
    };
    survey.title.is_none()
        && first_text()
            .is_some_and(|text| ["{%", "{{", "{#"].iter().any(|open| text.starts_with(open)))
}

/// Returns the name of a page without `index.html` and extension: `api/search/index.html` is
/// `search`.
fn stem(path: &str) -> &str {
    let mut names = path.rsplit('/');
    let file = names.next().unwrap_or(path);
    match file.rsplit_once('.').map_or(file, |(stem, _)| stem) {
        "index" => names.next().unwrap_or("index"),
        stem => stem,
    }
}

/// Returns whether a path is a site's error page: it has the name of an error page and is in a
/// directory where a server looks for it, which is the root of the site, of a language, or of a
/// version.
pub(in super::super) fn is_error_page_of_site(path: &str) -> bool {
    is_called_error_page(path) && {
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let directory =
            directory.strip_suffix(stem(path)).map_or(directory, |d| d.trim_end_matches('/'));
        is_root(directory)
    }
}

/// Returns whether a directory is the root of the site, of one of its languages or versions, or of
/// a language of a version.
fn is_root(directory: &str) -> bool {
    directory.is_empty()
        || directory.split('/').all(|name| language::is_language(name) || is_version(name))
}

fn is_called_error_page(path: &str) -> bool {
    matches!(stem(path), "404" | "not_found" | "not-found")
}

fn is_version(name: &str) -> bool {
    matches!(name, "latest" | "stable" | "dev" | "next" | "main" | "master")
        || name.strip_prefix('v').unwrap_or(name).split('.').all(|part| {
            let is_number =
                !part.is_empty() && part.len() < 3 && part.bytes().all(|b| b.is_ascii_digit());
            is_number || part == "x"
        })
}

/// Returns whether a page is the error page of the site or of a part of the site. The page of a
/// part is written for any address (`<base>`) or has almost no text.
fn is_error_page(survey: &Survey, path: &str) -> bool {
    is_error_page_of_site(path)
        || (is_called_error_page(path)
            && content_words(survey, MIN_PAGE_WORDS)
                < if survey.has_base { MIN_PAGE_WORDS } else { MIN_ERROR_PAGE_WORDS })
}

fn content_words(survey: &Survey, limit: usize) -> usize {
    survey.roots().0.iter().map(|root| Words::of(**root, limit).prose).sum()
}

/// Returns the address to which a page redirects: by `<meta http-equiv="refresh">`, or by a script
/// if the page has no other text.
fn redirect(html: &Html, survey: &Survey, path: &str) -> Option<String> {
    let has_text =
        || survey.body.is_some_and(|body| Words::of(*body, MIN_PAGE_WORDS).prose >= MIN_PAGE_WORDS);
    if let Some((seconds, target)) = survey.refresh.as_deref().and_then(refresh)
        && seconds <= MAX_REDIRECT_SECONDS
        && !leads_to_itself(&target, path)
        // The page reloads itself by its full address.
        && !(target.contains("://") && ends_with_path(&target, path) && has_text())
    {
        return Some(target);
    }
    let body = survey.body?;
    if has_text() {
        return None;
    }
    let leads_away =
        |address: &&str| !(leads_to_itself(address, path) || ends_with_path(address, path));
    let without_scripts = survey.refresh_without_scripts.as_deref().and_then(refresh);
    let without_scripts = without_scripts.filter(|(_, target)| leads_away(&target.as_str()));
    let target = match script_target(html)? {
        ScriptTarget::Address(target) => target,
        // The target is in a variable: take it from the part for browsers without scripts, or from
        // the canonical link.
        ScriptTarget::Unknown => {
            return without_scripts.map(|(_, target)| target).or(survey
                .canonical
                .as_deref()
                .filter(leads_away)
                .map(str::to_owned));
        }
    };
    let same = |address: &str| trimmed(address) == trimmed(&target);
    let canonical =
        survey.canonical.as_deref().is_some_and(|address| same(address) || leads_away(&address))
            || without_scripts.is_some();
    let linked = body
        .descendants()
        .filter_map(|below| below.value().as_element())
        .any(|element| element.name() == "a" && element.attr("href").is_some_and(same));
    let has_words = Words::of(*body, 1).prose > 0;
    ((canonical || linked || !has_words) && !leads_to_itself(&target, path)).then_some(target)
}

/// Reads the content of a refresh as in the HTML standard: seconds, and the address if there is
/// one.
fn refresh(content: &str) -> Option<(f64, String)> {
    let content = content.trim_start();
    let digits = content.find(|c: char| !c.is_ascii_digit()).unwrap_or(content.len());
    let rest = content[digits..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if digits == 0 && rest.len() == content.len() {
        return None;
    }
    let seconds = content[..digits].parse().unwrap_or(0.0);
    let rest = rest.trim_start().trim_start_matches([';', ',']).trim_start();
    let address = match rest.get(..3) {
        Some(key) if key.eq_ignore_ascii_case("url") => {
            rest[3..].trim_start().strip_prefix('=').map_or(rest, str::trim_start)
        }
        _ => rest,
    };
    let address = match address.chars().next() {
        Some(quote @ ('"' | '\'')) => address[1..].split(quote).next().unwrap_or_default(),
        _ => address,
    };
    let address = fold(address);
    (!address.is_empty()).then_some((seconds, address))
}

/// The address to which a script leads.
enum ScriptTarget {
    /// A quoted address.
    Address(String),
    /// An address that a variable or a call gives.
    Unknown,
}

/// Returns the address that a script of the page gives to `location`.
fn script_target(html: &Html) -> Option<ScriptTarget> {
    html.tree.root().descendants().find_map(|node| {
        let element = ElementRef::wrap(node)?;
        match element.value().name() {
            "script" => location_in(&element.text().collect::<String>()),
            "body" => location_in(element.value().attr("onload")?),
            _ => None,
        }
    })
}

fn location_in(script: &str) -> Option<ScriptTarget> {
    let mut is_set = false;
    let address = script.match_indices("location").find_map(|(at, word)| {
        let mut rest = &script[at + word.len()..];
        for property in [".href", ".replace", ".assign"] {
            rest = rest.strip_prefix(property).unwrap_or(rest);
        }
        let rest = rest.trim_start();
        let rest = match rest.strip_prefix('(') {
            Some(rest) => rest,
            None => rest.strip_prefix('=').filter(|rest| !rest.starts_with('='))?,
        };
        let rest = rest.trim_start();
        is_set |= rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'));
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
        let address = rest[1..].split(quote).next()?;
        (!address.is_empty() && !address.starts_with('#')).then(|| address.to_owned())
    });
    address.map(ScriptTarget::Address).or(is_set.then_some(ScriptTarget::Unknown))
}

fn trimmed(address: &str) -> &str {
    let end = address.find(['#', '?']).unwrap_or(address.len());
    address[..end].trim_end_matches("index.html").trim_end_matches('/')
}

/// Returns whether an address on the page at `path` is the page itself.
fn leads_to_itself(address: &str, path: &str) -> bool {
    let address = trimmed(address);
    if address.contains("://") {
        return false;
    }
    let own = trimmed(path);
    let own = own.strip_prefix('/').unwrap_or(own);
    if let Some(absolute) = address.strip_prefix('/') {
        return absolute == own;
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in address.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    // An empty address is the page itself.
    address.is_empty() || trimmed(&parts.join("/")) == own
}

/// Returns whether a full address ends with the page's path.
fn ends_with_path(address: &str, path: &str) -> bool {
    let own = trimmed(path).trim_end_matches(".html");
    let address = trimmed(address).trim_end_matches(".html");
    own.is_empty() || address.ends_with(own)
}

/// Returns whether a page is an index of all terms: it is named so, and has Sphinx's form or
/// consists only of links; or it is an index by DocBook.
fn is_general_index(survey: &Survey, path: &str) -> bool {
    let Some(body) = survey.body else { return false };
    let has_class = |wanted: &dyn Fn(&Attrs) -> bool| {
        body.descendants()
            .filter_map(|below| below.value().as_element())
            .any(|element| !element.attrs.is_empty() && wanted(&Attrs::of(element)))
    };
    let stem = stem(path);
    let called = matches!(stem, "genindex" | "modindex" | "py-modindex" | "http-routingtable")
        || stem.starts_with("genindex-");
    if called {
        let is_sphinx = has_class(&|attrs| {
            attrs.has_class(|class| {
                matches!(
                    class,
                    "indextable" | "genindextable" | "genindex-jumpbox" | "modindex-jumpbox"
                )
            })
        });
        let words = Words::of(*body, usize::MAX);
        return is_sphinx || words.links * 2 >= words.prose;
    }
    body.descendants().filter_map(ElementRef::wrap).any(|element| {
        element.value().name() == "div"
            && Attrs::of(element.value()).class == "index"
            && element.child_elements().any(|child| Attrs::of(child.value()).class == "titlepage")
    })
}

/// Returns whether a page is the site's search page: it is named so, and its content has a search
/// form or a place for results, and little else. Below the root, where a site may document its
/// search, a form together with text is not enough.
fn is_search_page(survey: &Survey, path: &str) -> bool {
    if stem(path) != "search" {
        return false;
    }
    let (roots, _) = survey.roots();
    let (mut has_input, mut has_place) = (false, false);
    for node in roots.iter().flat_map(|root| root.descendants()) {
        let Node::Element(element) = node.value() else { continue };
        let attrs = Attrs::of(element);
        let is_input = element.name() == "input"
            && (element.attr("type") == Some("search")
                || matches!(element.attr("name"), Some("q" | "query" | "search")));
        let is_place = attrs.role == "search"
            || attrs.id.is_some_and(|id| id.contains("search") || id.contains("results"));
        // A section about search has the same name, but has words.
        let is_bare = || {
            let words = Words::of(node, MIN_ERROR_PAGE_WORDS);
            words.prose < MIN_ERROR_PAGE_WORDS && words.inputs == 0
        };
        if (is_input || is_place) && !in_header(node) {
            has_input |= is_input || element.name() == "form";
            has_place |= is_place && is_bare();
        }
    }
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let directory = directory.strip_suffix("search").unwrap_or(directory).trim_end_matches('/');
    let max_words = if has_place || (has_input && is_root(directory)) {
        MIN_SEARCH_PAGE_WORDS
    } else if has_input {
        MIN_ERROR_PAGE_WORDS
    } else {
        return false;
    };
    content_words(survey, max_words) < max_words && !roots.iter().any(|root| has_code_block(**root))
}

fn in_header(node: ego_tree::NodeRef<Node>) -> bool {
    node.ancestors().any(|above| {
        ["header", "nav", "aside", "footer"].iter().any(|name| is_named(above.value(), name))
    })
}
