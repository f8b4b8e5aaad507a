//! Markup inside of text: emphasis, code, roles, references, substitutions.

use std::collections::HashMap;

use super::super::left_out::{Rule, Trace};
use super::super::outline::Folded;
use super::ids::Ids;

/// Deepest nesting of substitutions.
const MAX_DEPTH: usize = 4;

/// Largest sum of the texts of all substitutions on a page: they may contain each other many times.
const MAX_SUBSTITUTED_BYTES: usize = 4 << 20;

/// Longest name of a role, in bytes.
const MAX_ROLE_BYTES: usize = 64;

/// Longest text between two marks, in bytes. The search for the end of a mark stops there, so that
/// the reading time is proportional to the text.
const MAX_SPAN_BYTES: usize = 4096;

/// The substitutions, labels and ids to which text refers.
#[derive(Debug, Default)]
pub(super) struct Context {
    /// The text of each `|name|`.
    pub substitutions: HashMap<String, String>,
    /// Titles by the labels before them.
    pub labels: HashMap<String, String>,
    pub ids: Ids,
    pub trace: Trace,
    /// Bytes of substitutions so far.
    substituted: usize,
}

impl Context {
    pub fn new(trace: Trace) -> Self {
        Self { trace, ..Self::default() }
    }

    /// Writes text without its markup.
    pub fn write(&mut self, text: &str, sink: &mut Folded) {
        self.write_at(text, sink, 0);
    }

    /// Returns a text without its markup, and without its ranges of code.
    pub fn plain(&mut self, text: &str) -> String {
        let mut folded = Folded::default();
        self.write(text, &mut folded);
        folded.take().0
    }

    fn write_at(&mut self, text: &str, sink: &mut Folded, depth: usize) {
        let mut rest = text;
        let mut before = None;
        while let Some(at) = rest.find(['`', '*', '|', '\\', '_', '[', ':']) {
            let (plain, marked) = rest.split_at(at);
            sink.push(plain);
            before = plain.chars().next_back().or(before);
            let used = self.mark(marked, before, sink, depth);
            let used = if used > 0 {
                used
            } else {
                let c = marked.chars().next().map_or(1, char::len_utf8);
                sink.push(&marked[..c]);
                c
            };
            before = marked[..used].chars().next_back();
            rest = &marked[used..];
        }
        sink.push(rest);
    }

    /// Writes the text of a construct that begins with a mark. Returns its length, or 0 if it is
    /// not markup.
    fn mark(&mut self, text: &str, before: Option<char>, sink: &mut Folded, depth: usize) -> usize {
        if let Some(rest) = text.strip_prefix('\\') {
            // An escaped space is removed.
            let Some(c) = rest.chars().next() else { return 1 };
            if !c.is_whitespace() {
                sink.push(&rest[..c.len_utf8()]);
            }
            return 1 + c.len_utf8();
        }
        if text.starts_with('_') && before.is_some_and(char::is_alphanumeric) {
            // `name_` is a reference.
            let marks = if text.starts_with("__") { 2 } else { 1 };
            let ends = ends_markup(text[marks..].chars().next());
            return if ends { marks } else { 0 };
        }
        if !may_start(before) {
            return 0;
        }
        if let Some((literal, used)) = between(text, "``", "``") {
            code(literal, sink);
            return used;
        }
        if text.starts_with(':')
            && let Some((role, text_at)) = role_of(text)
            && let Some((content, used)) = between(&text[text_at..], "`", "`")
        {
            self.role(role, content, sink, depth);
            return text_at + used;
        }
        if text.starts_with('`') {
            return self.interpreted(text, sink, depth);
        }
        if let Some((content, used)) = between(text, "**", "**").or_else(|| between(text, "*", "*"))
        {
            sink.push(&unescaped(content));
            return used;
        }
        if let Some((name, used)) = between(text, "|", "|").filter(|(name, _)| !name.contains('\n'))
        {
            let behind = &text[used..];
            self.substitute(name, sink, depth);
            return used + behind.len() - behind.trim_start_matches('_').len();
        }
        if let Some(rest) = text.strip_prefix("_`")
            && let Some((content, used)) = between(&text[1..], "`", "`")
            && !rest.is_empty()
        {
            self.ids.named(content);
            sink.push(&unescaped(content));
            return 1 + used;
        }
        self.footnote_mark(text, sink)
    }

    /// Writes a text between backquotes: `` `text` ``, `` `text`_ ``, `` `text`:role: ``,
    /// `` `text <target>`__ ``.
    fn interpreted(&mut self, text: &str, sink: &mut Folded, depth: usize) -> usize {
        let Some((content, used)) = between_any(text) else { return 0 };
        let behind = &text[used..];
        if let Some(more) = behind.strip_prefix('_') {
            let marks = behind.len() - more.trim_start_matches('_').len();
            let (title, target) = title_and_target(content);
            if target.is_some() {
                if marks == 1 {
                    self.ids.named(title);
                }
                sink.push(&unescaped(title));
            } else {
                sink.push(&unescaped(content));
            }
            return used + marks;
        }
        if let Some((role, len)) = role_of(behind).or_else(|| role_at_end(behind)) {
            self.role(role, content, sink, depth);
            return used + len;
        }
        sink.push(&unescaped(content));
        used
    }

    /// Reads the mark of a footnote or a citation: `[1]_`, `[#name]_`. The mark of a footnote is
    /// left out; the name of a citation is kept.
    fn footnote_mark(&mut self, text: &str, sink: &mut Folded) -> usize {
        let window = start_of(text, MAX_ROLE_BYTES);
        let Some(end) = window.strip_prefix('[').and_then(|rest| rest.find(']')) else { return 0 };
        let label = &text[1..=end];
        let behind = &text[end + 2..];
        if !behind.starts_with('_') || !ends_markup(behind[1..].chars().next()) || !is_label(label)
        {
            return 0;
        }
        self.ids.numbered();
        if is_footnote(label) {
            self.trace.note(Rule::ReferenceMark, || (String::new(), format!("[{label}]")));
        } else {
            sink.push(label);
        }
        end + 3
    }

    fn substitute(&mut self, name: &str, sink: &mut Folded, depth: usize) {
        let key = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let left = MAX_SUBSTITUTED_BYTES.saturating_sub(self.substituted);
        match self.substitutions.get(&key).filter(|text| text.len() <= left).cloned() {
            Some(text) if depth < MAX_DEPTH => {
                self.substituted += text.len() + 1;
                self.write_at(&text, sink, depth + 1);
            }
            _ => sink.push(&unescaped(name)),
        }
    }

    /// Writes text in the form in which the page shows it in a role.
    fn role(&mut self, role: &str, content: &str, sink: &mut Folded, depth: usize) {
        let content = content.strip_prefix('!').unwrap_or(content);
        let name = role.rsplit(':').next().unwrap_or(role);
        let (title, target) = title_and_target(content);
        match name {
            "func" | "meth" | "class" | "mod" | "data" | "attr" | "exc" | "obj" | "const"
            | "property" | "type" | "member" | "macro" | "struct" | "union" | "enum"
            | "enumerator" | "var" | "any" | "deco" => {
                if target.is_some() {
                    sink.push(&unescaped(title));
                    return;
                }
                let shown = match title.strip_prefix('~') {
                    Some(path) => path.rsplit(['.', ':']).next().unwrap_or(path),
                    None => title.trim_start_matches(['.', '~']),
                };
                let call = matches!(name, "func" | "meth") && !shown.ends_with(')');
                let mark = if name == "deco" { "@" } else { "" };
                code(&format!("{mark}{shown}{}", if call { "()" } else { "" }), sink);
            }
            "code" | "file" | "samp" | "literal" | "envvar" | "option" | "makevar" | "program"
            | "command" | "kbd" | "regexp" | "token" | "mimetype" | "newsgroup" | "confval"
            | "setting" | "opcode" | "pdbcmd" | "dir" | "role" | "rst:dir" | "c:expr" | "expr"
            | "texpr" | "man" | "manpage" | "keyword" => {
                code(&unescaped(title.trim_start_matches('~')), sink);
            }
            "ref" | "numref" | "keyword-ref" => match target {
                Some(_) => sink.push(&unescaped(title)),
                None => match self.labels.get(&title.to_lowercase()).cloned() {
                    Some(text) if depth < MAX_DEPTH => self.write_at(&text, sink, depth + 1),
                    _ => sink.push(&title.replace(['-', '_'], " ")),
                },
            },
            "doc" => match target {
                Some(_) => sink.push(&unescaped(title)),
                None => {
                    let name = title.rsplit('/').next().unwrap_or(title);
                    sink.push(&name.replace(['-', '_'], " "));
                }
            },
            "pep" | "PEP" | "rfc" | "RFC" | "cve" | "cwe" if target.is_none() => {
                sink.push(&format!("{} {title}", name.to_uppercase()));
            }
            "index" | "eq" | "raw" if name != "index" => {}
            "sup" | "superscript" => {
                sink.start_raised();
                sink.push(&unescaped(title));
                if let Some(mark) = sink.end_raised() {
                    self.trace.note(Rule::ReferenceMark, || (String::new(), mark));
                }
            }
            "math" => sink.push(content),
            _ => sink.push(&unescaped(title)),
        }
    }
}

fn code(text: &str, sink: &mut Folded) {
    sink.start_code();
    sink.push(text);
    sink.end_code();
}

/// Returns a text without the backslashes that escape its characters.
pub(super) fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            plain.extend(chars.next().filter(|c| !c.is_whitespace()));
        } else {
            plain.push(c);
        }
    }
    plain
}

/// Splits `text <target>` into its title and its target.
fn title_and_target(content: &str) -> (&str, Option<&str>) {
    let split = content.strip_suffix('>').and_then(|front| {
        let (title, target) = front.rsplit_once('<')?;
        (!target.is_empty() && (title.is_empty() || title.ends_with(char::is_whitespace)))
            .then_some((title.trim_end(), target))
    });
    match split {
        Some(("", target)) => (target, Some(target)),
        Some((title, target)) => (title, Some(target)),
        None => (content, None),
    }
}

/// Returns whether markup may begin after a character.
fn may_start(before: Option<char>) -> bool {
    before.is_none_or(|c| {
        c.is_whitespace()
            || matches!(c, '\'' | '"' | '(' | '[' | '{' | '<' | '-' | '/' | ':' | '\\')
            || !c.is_ascii() && !c.is_alphanumeric()
    })
}

/// Returns whether markup may end before a character.
fn ends_markup(after: Option<char>) -> bool {
    after.is_none_or(|c| {
        c.is_whitespace()
            || "'\")]}>-/:.,;!?\\".contains(c)
            || !c.is_ascii() && !c.is_alphanumeric()
    })
}

/// Returns the text between two marks, and the end of the second mark.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<(&'a str, usize)> {
    let rest = text.strip_prefix(start)?;
    find_end(rest, end, |behind| ends_markup(behind.chars().next()))
        .map(|at| (&rest[..at], start.len() + at + end.len()))
}

/// Returns the text between two single backquotes, and the end of the second, as [`between`] does.
/// After the second, `_` or a role may follow.
fn between_any(text: &str) -> Option<(&str, usize)> {
    let rest = text.strip_prefix('`')?;
    let ends = |behind: &str| {
        let first = behind.chars().next();
        ends_markup(first) || first == Some('_')
    };
    find_end(rest, "`", ends).map(|at| (&rest[..at], at + 2))
}

fn find_end(rest: &str, end: &str, ends: impl Fn(&str) -> bool) -> Option<usize> {
    let first = rest.chars().next()?;
    if first.is_whitespace() {
        return None;
    }
    let is_literal = end == "``";
    let window = start_of(rest, MAX_SPAN_BYTES);
    let mut from = 0;
    while let Some(found) = window.get(from..)?.find(end) {
        let at = from + found;
        let inner = &rest[..at];
        let is_escaped = !is_literal && inner.ends_with('\\') && !inner.ends_with("\\\\");
        if at > 0
            && !inner.ends_with(char::is_whitespace)
            && !is_escaped
            && ends(&rest[at + end.len()..])
        {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// Returns at most `max` bytes of a text.
fn start_of(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// Returns the role in `:role:` before a backquote, and the position of the backquote.
fn role_of(text: &str) -> Option<(&str, usize)> {
    let rest = start_of(text, MAX_ROLE_BYTES).strip_prefix(':')?;
    let end = rest.find(":`")?;
    is_role(&rest[..end]).then_some((&rest[..end], end + 2))
}

/// Returns the role in `:role:` after a backquote, and the end of the role's mark.
fn role_at_end(text: &str) -> Option<(&str, usize)> {
    let rest = text.strip_prefix(':')?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))?;
    (rest[end..].starts_with(':')
        && is_role(&rest[..end])
        && ends_markup(rest[end + 1..].chars().next()))
    .then_some((&rest[..end], end + 2))
}

fn is_role(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '+'))
}

/// Returns whether a name belongs to a footnote or citation.
pub(super) fn is_label(label: &str) -> bool {
    !label.is_empty()
        && label
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '#' | '*' | '-' | '_' | '.' | ':' | '+'))
}

/// Returns whether a label belongs to a footnote and not to a citation.
pub(super) fn is_footnote(label: &str) -> bool {
    label.starts_with(['#', '*']) || label.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let mut context = Context::default();
        context.substitutions.insert("tool".into(), "*Findling*".into());
        context.labels.insert("tides".into(), "About tides".into());
        assert_eq!(context.plain(text), expect, "{text}");
    }

    #[test]
    fn markup_is_left_out() {
        for (text, expect) in [
            ("*one* and **two**", "one and two"),
            ("``a*b*c`` is code", "a*b*c is code"),
            ("2 * 3 * 4 and a*b", "2 * 3 * 4 and a*b"),
            ("a `link <https://x.org>`_ and `b`__", "a link and b"),
            ("see name_ and other__, not snake_case_x", "see name and other, not snake_case_x"),
            ("|tool| and |other|", "Findling and other"),
            ("a [1]_ b [#n]_ c [CIT2002]_", "a b c CIT2002"),
            (r"\*not\* and a\ b", "*not* and ab"),
            ("_`target` text", "target text"),
            ("``unclosed and *open", "``unclosed and *open"),
            ("(*in brackets*), \"``x``\"", "(in brackets), \"x\""),
        ] {
            check(text, expect);
        }
    }

    #[test]
    fn roles_are_written_as_pages_show_them() {
        for (text, expect) in [
            (":func:`os.open` opens", "os.open() opens"),
            (":py:meth:`~a.B.c`", "c()"),
            (":class:`!Pool`", "Pool"),
            (":ref:`tides` and :ref:`the text <tides>`", "About tides and the text"),
            (":ref:`un-known`", "un known"),
            (":doc:`/guide/first-steps`", "first steps"),
            (":pep:`8`", "PEP 8"),
            ("`x`:sub:", "x"),
            (":kbd:`Ctrl-C`", "Ctrl-C"),
            ("at 10:30 or a::b", "at 10:30 or a::b"),
        ] {
            check(text, expect);
        }
    }

    #[test]
    fn code_is_marked_as_code() {
        let mut folded = Folded::default();
        Context::default().write("call ``f`` and :func:`g`", &mut folded);
        let (text, code) = folded.take();
        let code: Vec<_> = code.iter().map(|&(a, b)| &text[a as usize..b as usize]).collect();
        assert_eq!(code, ["f", "g()"]);
    }

    #[test]
    fn substitutions_in_a_circle_end() {
        let mut context = Context::default();
        context.substitutions.insert("a".into(), "|b|".into());
        context.substitutions.insert("b".into(), "|a|".into());
        assert!(context.plain("|a|").len() < 10);
    }
}
