//! Parts of other files that Markdown includes: the includes of VitePress, MkDocs, mdBook, MyST,
//! Docusaurus, Jekyll, Hugo, Quarto and others.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use super::super::includes::Includes;
use super::constructs::parameter;
use super::fences::fence_of;
use super::front_matter;
use super::inline_html::attribute;

/// Deepest nesting of parts in parts.
const MAX_DEPTH: usize = 8;

/// A file to include, and the requested parts of it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    path: String,
    /// First and last line, from 1.
    lines: Option<(usize, usize)>,
    /// The name of a region, an anchor or a section.
    region: Option<String>,
    /// The file is code, in the language of its extension.
    is_code: bool,
    /// More files follow in the lines below, up to the mark again.
    is_block: bool,
}

/// Returns whether a body may contain an include.
fn may_take_in(body: &str) -> bool {
    [
        "@include",
        "<<< ",
        "8<-",
        "{{#",
        "{include}",
        "{literalinclude}",
        "[!INCLUDE",
        "[!include",
        "[!code-",
        "include",
        "import ",
        ":include",
        "{!",
        "<include ",
        "readfile",
        "partial",
    ]
    .iter()
    .any(|mark| body.contains(mark))
}

/// Returns the body with the included parts.
pub(super) fn expanded<'a>(body: &'a str, includes: &Includes) -> Cow<'a, str> {
    if !includes.can_open() || !may_take_in(body) {
        return Cow::Borrowed(body);
    }
    let mut out = String::with_capacity(body.len());
    expand(body, None, 0, includes, &mut out);
    Cow::Owned(out)
}

fn expand(body: &str, from: Option<&Path>, depth: usize, includes: &Includes, out: &mut String) {
    let imports = imports(body);
    let mut fence: Option<(char, usize)> = None;
    let mut lines = body.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let content = line.trim_end_matches(['\n', '\r']);
        if let Some((mark, len)) = fence_of(content) {
            // A directive of MyST is a fenced block itself.
            if fence.is_none()
                && let Some(wanted) = directive(content)
            {
                for below in lines.by_ref() {
                    if fence_of(below).is_some_and(|found| found == (mark, len)) {
                        break;
                    }
                }
                push(&wanted, "", from, depth, includes, out);
                continue;
            }
            fence = match fence {
                Some((open, open_len)) if open == mark && len >= open_len => None,
                None => Some((mark, len)),
                open => open,
            };
            out.push_str(line);
            continue;
        }
        let indent = &content[..content.len() - content.trim_start().len()];
        let found = match fence {
            Some(_) => in_code(content.trim()),
            None => in_text(content.trim(), &imports),
        };
        match found {
            None => out.push_str(line),
            Some(wanted) if wanted.is_block => {
                for below in lines.by_ref() {
                    let name = below.trim();
                    if name.ends_with("8<--") || name.ends_with("8<-") || name.is_empty() {
                        break;
                    }
                    if let Some(wanted) = snippet(name) {
                        push(&wanted, indent, from, depth, includes, out);
                    }
                }
            }
            Some(wanted) => push(&wanted, indent, from, depth, includes, out),
        }
    }
}

/// Adds the requested parts of a file.
fn push(
    wanted: &Wanted,
    indent: &str,
    from: Option<&Path>,
    depth: usize,
    includes: &Includes,
    out: &mut String,
) {
    let targets = targets(&wanted.path);
    let Ok((path, text)) = includes.open_first(from, &targets) else {
        out.push('\n');
        return;
    };
    let (_, body) = front_matter::split(&text);
    let is_markdown = is_markdown(&wanted.path);
    let text = part(if is_markdown { body } else { &text }, wanted);
    let mut made = String::new();
    if wanted.is_code {
        let language = wanted.path.rsplit_once('.').map_or("", |(_, end)| end);
        let fence = if text.contains("```") { "~~~~" } else { "```" };
        made.push_str(&format!("{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n')));
    } else if is_markdown && depth < MAX_DEPTH {
        expand(&text, Some(&path), depth + 1, includes, &mut made);
    } else {
        made.push_str(&text);
    }
    for line in made.split_inclusive('\n') {
        out.push_str(indent);
        out.push_str(line);
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Returns the paths at which a file may be, likeliest first. `@/` is the root of the sources.
fn targets(path: &str) -> Vec<String> {
    let path = path.trim();
    if let Some(below) = path.strip_prefix("@/").or_else(|| path.strip_prefix("@site/")) {
        let without_first = below.split_once('/').map(|(_, rest)| format!("/{rest}"));
        return std::iter::once(format!("/{below}")).chain(without_first).collect();
    }
    if path.starts_with('/') || path.starts_with('.') {
        return vec![path.to_owned()];
    }
    let mut targets = vec![path.to_owned(), format!("/{path}"), format!("/_includes/{path}")];
    // Paths of snippets are relative to the project; the root may be a directory of the project.
    targets.extend(path.split_once('/').map(|(_, rest)| format!("/{rest}")));
    targets.push(format!("/snippets/{path}"));
    targets
}

fn is_markdown(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| {
        matches!(
            end.to_ascii_lowercase().as_str(),
            "md" | "mdx" | "markdown" | "qmd" | "rmd" | "mdoc" | "txt" | "html"
        )
    })
}

/// Reads a line outside of code as an include.
fn in_text(line: &str, imports: &HashMap<&str, &str>) -> Option<Wanted> {
    if let Some(rest) = line.strip_prefix("<!--") {
        let rest = rest.trim_start().strip_prefix("@include:")?.trim();
        return Some(address(rest.trim_end_matches("-->").trim()));
    }
    if let Some(rest) = line.strip_prefix("<<<") {
        let path = rest.trim().split([' ', '{', '[']).next().unwrap_or_default();
        let wanted = address(path);
        return (!wanted.path.is_empty()).then_some(Wanted { is_code: true, ..wanted });
    }
    if let Some(rest) = line.strip_prefix("{!").and_then(|rest| rest.strip_suffix("!}")) {
        return Some(file(rest.split('!').next().unwrap_or(rest).trim()));
    }
    if line.starts_with("[!") {
        let lower = line.to_ascii_lowercase();
        let (_, path) = line.split_once("](")?;
        let path = path.split([')', '?', ' ']).next().unwrap_or_default();
        if lower.starts_with("[!include") {
            return Some(file(path.trim_start_matches('~')));
        }
        return lower
            .starts_with("[!code-")
            .then(|| Wanted { is_code: true, ..file(path.trim_start_matches('~')) });
    }
    if line.ends_with("':include')") || line.ends_with("\":include\")") {
        let (_, path) = line.split_once("](")?;
        return Some(file(path.split_ascii_whitespace().next()?));
    }
    if line.starts_with("{%") && line.ends_with("%}") {
        return liquid(line);
    }
    if (line.starts_with("{{<") && line.ends_with(">}}"))
        || (line.starts_with("{{%") && line.ends_with("%}}"))
    {
        let inner = line[3..line.len() - 3].trim();
        let (name, rest) = inner.split_once(char::is_whitespace)?;
        if !matches!(name, "include" | "readfile" | "embed-markdown" | "read-file") {
            return None;
        }
        let path = parameter(inner, "file").unwrap_or_else(|| unquoted(rest));
        return Some(file(&path));
    }
    if line.starts_with("<include ") {
        return Some(address(&attribute(line, "src")?));
    }
    if let Some(name) = component(line)
        && let Some(path) = imports.get(name)
    {
        return Some(file(path));
    }
    in_code(line)
}

/// Reads a line as an include that may also be inside code, as MkDocs and mdBook allow.
fn in_code(line: &str) -> Option<Wanted> {
    if line.starts_with(";-") {
        return None;
    }
    if let Some(at) = line.find("8<-") {
        let is_mark = line[..at].trim_end_matches('-').trim_end_matches(['#', '/', ' ']).is_empty();
        let rest = line[at + 3..].trim_start_matches('-').trim();
        if is_mark && rest.is_empty() {
            return Some(Wanted { is_block: true, ..Wanted::default() });
        }
        return is_mark.then(|| snippet(rest)).flatten();
    }
    let inner = line.strip_prefix("{{#")?.strip_suffix("}}")?;
    let (name, path) = inner.trim().split_once(char::is_whitespace)?;
    matches!(name, "include" | "rustdoc_include" | "playground" | "playpen").then(|| {
        let mut wanted =
            snippet(path.split_ascii_whitespace().next().unwrap_or_default()).unwrap_or_default();
        // `file:3` is line 3 alone, `file:3:` is all lines from the third.
        if let Some((first, last)) = wanted.lines
            && last == usize::MAX
            && !path.trim_end().ends_with(':')
        {
            wanted.lines = Some((first, first));
        }
        wanted
    })
}

/// Reads the target of a snippet of MkDocs or mdBook, with or without quotes: `file:3:5`,
/// `file:section`.
fn snippet(text: &str) -> Option<Wanted> {
    let text = unquoted(text);
    if text.is_empty() || text.starts_with(';') || text.contains("://") {
        return None;
    }
    let mut parts = text.split(':');
    let path = parts.next().unwrap_or_default().to_owned();
    let rest: Vec<&str> = parts.collect();
    let number = |text: &&str| text.parse::<usize>().ok();
    let first = rest.first().copied().unwrap_or_default();
    let mut wanted = Wanted { path, ..Wanted::default() };
    if !rest.is_empty() && (first.is_empty() || first.parse::<usize>().is_ok()) {
        let start = number(&first).unwrap_or(1);
        let end = rest.get(1).and_then(number).unwrap_or(usize::MAX);
        wanted.lines = Some((start, end));
    } else if !first.is_empty() {
        wanted.region = Some(first.to_owned());
    }
    Some(wanted)
}

/// Reads an address of VitePress: `./file.md{3,5}`, `@/file.js#region`.
fn address(text: &str) -> Wanted {
    let (text, range) = match text.split_once('{') {
        Some((text, range)) => (text, range.trim_end_matches('}')),
        None => (text, ""),
    };
    let (path, region) = text.split_once('#').unwrap_or((text, ""));
    let lines = range.split_once(',').map(|(first, last)| {
        let number = |text: &str| text.trim().parse::<usize>().ok();
        (number(first).unwrap_or(1), number(last).unwrap_or(usize::MAX))
    });
    let region = Some(region.to_owned()).filter(|region| !region.is_empty());
    Wanted { path: path.trim().to_owned(), lines, region, ..Wanted::default() }
}

fn file(path: &str) -> Wanted {
    Wanted { path: unquoted(path), ..Wanted::default() }
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '\'', '`']).to_owned()
}

/// Returns a directive of MyST: ```` ```{include} file.md ````.
fn directive(line: &str) -> Option<Wanted> {
    let info = line.trim().trim_start_matches(['`', '~', ':']).trim();
    let (name, path) = info.strip_prefix('{')?.split_once('}')?;
    match name {
        "include" => Some(file(path)),
        "literalinclude" => Some(Wanted { is_code: true, ..file(path) }),
        _ => None,
    }
}

/// Returns a tag of Jekyll or Markdoc: `{% include file.md %}`, `{% partial file="x.md" /%}`.
fn liquid(line: &str) -> Option<Wanted> {
    let inner = line.trim_start_matches("{%").trim_end_matches("%}").trim().trim_matches('-');
    let (name, rest) = inner.trim().split_once(char::is_whitespace)?;
    match name {
        "include" | "include_relative" | "include_cached" => {
            let path = rest.split_ascii_whitespace().next().unwrap_or_default();
            is_markdown(path).then(|| file(path)).filter(|wanted| !wanted.path.ends_with(".html"))
        }
        "partial" => Some(file(&attribute(&format!(" {rest}"), "file")?)),
        _ => None,
    }
}

/// Returns the files of Markdown that MDX imports, by the name of the component.
fn imports(body: &str) -> HashMap<&str, &str> {
    let mut found = HashMap::new();
    for line in body.lines().filter(|line| line.starts_with("import ")) {
        let Some((name, path)) = line["import ".len()..].split_once(" from ") else { continue };
        let path = path.trim().trim_end_matches(';').trim().trim_matches(['"', '\'']);
        if is_markdown(path) && name.trim().chars().all(|c| c.is_alphanumeric() || c == '_') {
            found.insert(name.trim(), path);
        }
    }
    found
}

/// Returns the name of a component that is alone on its line, `<Paint />`.
fn component(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('<')?;
    let end = inner.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
    let name = &inner[..end];
    let closes = inner.ends_with("/>") || inner.ends_with(&format!("></{name}>"));
    (closes && name.starts_with(|c: char| c.is_ascii_uppercase())).then_some(name)
}

/// Returns the requested part of a text, without the marks of its regions.
fn part(text: &str, wanted: &Wanted) -> String {
    let lines = text.lines();
    if let Some((first, last)) = wanted.lines {
        let skipped = first.saturating_sub(1);
        let wanted = lines.skip(skipped).take(last.saturating_sub(skipped));
        return joined(wanted.filter(|line| region_mark(line).is_none()));
    }
    let Some(region) = &wanted.region else {
        return joined(lines.filter(|line| region_mark(line).is_none()));
    };
    let mut inside = false;
    let mut found = String::new();
    for line in lines {
        match region_mark(line) {
            Some((name, begins)) if name == region => inside = begins,
            Some(_) => {}
            None if inside => {
                found.push_str(line);
                found.push('\n');
            }
            None => {}
        }
    }
    if found.is_empty() { section(text, region) } else { found }
}

fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// Returns a mark of a region (`// ANCHOR: name`, `# --8<-- [start:name]`, `// #region name`): its
/// name, and whether the region begins.
fn region_mark(line: &str) -> Option<(&str, bool)> {
    let word = |text: &'static str| {
        line.split_once(text)
            .map(|(_, rest)| rest.trim().split([' ', ']', '-', '*']).next().unwrap_or_default())
    };
    if line.contains("ANCHOR_END:") {
        return word("ANCHOR_END:").map(|name| (name, false));
    }
    if line.contains("ANCHOR:") {
        return word("ANCHOR:").map(|name| (name, true));
    }
    if line.contains("8<-") && line.contains("[start:") {
        return word("[start:").map(|name| (name, true));
    }
    if line.contains("8<-") && line.contains("[end:") {
        return word("[end:").map(|name| (name, false));
    }
    if line.contains("#endregion") {
        return word("#endregion").map(|name| (name, false));
    }
    if line.contains("#region ") {
        return word("#region ").map(|name| (name, true));
    }
    None
}

/// Returns the section of Markdown with this anchor, from its heading to the next one of the same
/// level.
fn section(text: &str, anchor: &str) -> String {
    let mut slugs = super::slug::Slugs::default();
    let mut level = 0;
    let mut found = String::new();
    for line in text.lines() {
        let marks = line.len() - line.trim_start_matches('#').len();
        if (1..=6).contains(&marks) && line[marks..].starts_with(' ') {
            if level > 0 && marks <= level {
                break;
            }
            if level == 0 && slugs.make(line[marks..].trim()) == anchor {
                level = marks;
            }
        }
        if level > 0 {
            found.push_str(line);
            found.push('\n');
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path, the lines, the region, and whether the part is code.
    type Include = (String, Option<(usize, usize)>, Option<String>, bool);

    fn wanted(line: &str) -> Option<Include> {
        let imports = HashMap::from([("Paint", "./_paint.mdx")]);
        let found = in_text(line, &imports).or_else(|| directive(line))?;
        Some((found.path, found.lines, found.region, found.is_code))
    }

    #[test]
    fn includes_of_many_generators() {
        for (line, path) in [
            ("<!--@include: ./parts/knots.md-->", "./parts/knots.md"),
            ("<!-- @include: @/parts/knots.md -->", "@/parts/knots.md"),
            ("<<< @/snippets/winch.js", "@/snippets/winch.js"),
            ("<<< ./winch.js{2 js}", "./winch.js"),
            ("--8<-- \"parts/reef.md\"", "parts/reef.md"),
            ("-8<- 'parts/reef.md'", "parts/reef.md"),
            ("{{#include parts/ballast.md}}", "parts/ballast.md"),
            ("{{#rustdoc_include keel.rs:2}}", "keel.rs"),
            ("[!INCLUDE [note](../includes/note.md)]", "../includes/note.md"),
            ("[!code-cs[Main](code/a.cs)]", "code/a.cs"),
            ("{!parts/reef.md!}", "parts/reef.md"),
            ("[part](_media/part.md ':include')", "_media/part.md"),
            ("{% include_relative part.md %}", "part.md"),
            ("{% partial file=\"part.md\" /%}", "part.md"),
            ("{{< include _part.qmd >}}", "_part.qmd"),
            ("{{% readfile file=\"part.md\" %}}", "part.md"),
            ("<include src=\"part.md#tide\" />", "part.md"),
            ("<Paint />", "./_paint.mdx"),
            ("```{include} part.md", "part.md"),
        ] {
            assert_eq!(wanted(line).map(|found| found.0).as_deref(), Some(path), "{line}");
        }
        for line in ["{% include nav.html %}", "<Other />", "text 8<- x", "<!-- a -->", "{{ a }}"] {
            assert_eq!(wanted(line), None, "{line}");
        }
    }

    #[test]
    fn ranges_and_regions() {
        let of = |line: &str| wanted(line).map(|found| (found.1, found.2)).unwrap();
        assert_eq!(of("--8<-- \"a.py:2:3\""), (Some((2, 3)), None));
        assert_eq!(of("--8<-- \"a.py:func\""), (None, Some("func".into())));
        assert_eq!(of("{{#include a.rs:2}}"), (Some((2, 2)), None));
        assert_eq!(of("{{#include a.rs:2:}}"), (Some((2, usize::MAX)), None));
        assert_eq!(of("<!--@include: ./a.md{2,}-->"), (Some((2, usize::MAX)), None));
        assert_eq!(of("<<< @/a.js#part"), (None, Some("part".into())));
        let text = "one\n// ANCHOR: a\ntwo\n// ANCHOR_END: a\nthree\n";
        let of = |lines, region: Option<&str>| {
            let region = region.map(str::to_owned);
            part(text, &Wanted { lines, region, ..Wanted::default() })
        };
        assert_eq!(of(None, Some("a")), "two\n");
        assert_eq!(of(None, None), "one\ntwo\nthree\n");
        assert_eq!(of(Some((1, 1)), None), "one\n");
        assert_eq!(of(Some((3, 5)), None), "two\nthree\n");
    }
}
