//! Markup inside of text: emphasis, code, links, footnotes, time stamps, macros.

use super::super::left_out::{Rule, Trace};
use super::super::outline::Folded;
use super::keywords::Macros;

/// Longest text between two marks, in bytes. The search for the end of a mark stops there, so that
/// the reading time is proportional to the text.
const MAX_SPAN_BYTES: usize = 4096;

/// Deepest nesting of emphasis.
const MAX_DEPTH: usize = 8;

/// The common ones among Org's many named characters.
const ENTITIES: [(&str, &str); 24] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("epsilon", "ε"),
    ("lambda", "λ"),
    ("mu", "μ"),
    ("pi", "π"),
    ("sigma", "σ"),
    ("omega", "ω"),
    ("to", "→"),
    ("rarr", "→"),
    ("larr", "←"),
    ("times", "×"),
    ("le", "≤"),
    ("ge", "≥"),
    ("ne", "≠"),
    ("deg", "°"),
    ("ldots", "…"),
    ("dots", "…"),
    ("nbsp", " "),
    ("copy", "©"),
    ("ast", "*"),
    ("under", "_"),
];

/// Returns a text without its markup.
pub(super) fn plain(text: &str, macros: &Macros) -> String {
    let mut folded = Folded::default();
    write(text, macros, &mut folded, &mut Trace::default());
    folded.take().0
}

/// Writes text without its markup.
pub(super) fn write(text: &str, macros: &Macros, sink: &mut Folded, trace: &mut Trace) {
    Inline { macros, sink, trace }.write(text, 0);
}

struct Inline<'a> {
    macros: &'a Macros,
    sink: &'a mut Folded,
    trace: &'a mut Trace,
}

impl Inline<'_> {
    fn write(&mut self, text: &str, depth: usize) {
        let mut rest = text;
        let mut before = None;
        while let Some(at) =
            rest.find(['*', '/', '_', '=', '~', '+', '[', '<', '{', '\\', '@', '^', '$'])
        {
            let (front, marked) = rest.split_at(at);
            self.sink.push(front);
            before = front.chars().next_back().or(before);
            let used = match self.mark(marked, before, depth) {
                0 => {
                    let c = marked.chars().next().map_or(1, char::len_utf8);
                    self.sink.push(&marked[..c]);
                    c
                }
                used => used,
            };
            before = marked[..used].chars().next_back();
            rest = &marked[used..];
        }
        self.sink.push(rest);
    }

    /// Writes the text of a construct that begins with a mark. Returns its length, or 0 if it is
    /// not markup.
    fn mark(&mut self, text: &str, before: Option<char>, depth: usize) -> usize {
        let window = &text[..text.floor_char_boundary(MAX_SPAN_BYTES)];
        match text.as_bytes()[0] {
            b'[' => self.bracket(window, depth),
            b'<' => self.angle(window, depth),
            b'{' => self.macro_call(window, depth),
            b'\\' => self.entity(window),
            // `@@html:<b>@@` is only for one kind of output.
            b'@' => {
                window.strip_prefix("@@").and_then(|rest| rest.find("@@")).map_or(0, |end| end + 4)
            }
            b'^' if before.is_some_and(|c| !c.is_whitespace()) => self.raised(window, depth),
            mark @ (b'=' | b'~') => self.verbatim(window, mark, before),
            mark @ (b'*' | b'/' | b'_' | b'+') => match emphasised(window, mark, before) {
                Some(content) if depth < MAX_DEPTH => {
                    self.write(content, depth + 1);
                    content.len() + 2
                }
                _ => 0,
            },
            _ => 0,
        }
    }

    fn verbatim(&mut self, text: &str, mark: u8, before: Option<char>) -> usize {
        let Some(content) = emphasised(text, mark, before) else { return 0 };
        self.sink.start_code();
        self.sink.push(content);
        self.sink.end_code();
        content.len() + 2
    }

    /// Writes the raised text of `x^{2}`. A raised number without braces stays as it is.
    fn raised(&mut self, text: &str, depth: usize) -> usize {
        let Some(rest) = text.strip_prefix("^{").filter(|_| depth < MAX_DEPTH) else { return 0 };
        let Some(end) = rest.find('}') else { return 0 };
        self.sink.start_raised();
        self.write(&rest[..end], depth + 1);
        if let Some(mark) = self.sink.end_raised() {
            self.trace.note(Rule::ReferenceMark, || (String::new(), mark));
        }
        end + 3
    }

    /// Writes links, footnotes, citations and time stamps in brackets.
    fn bracket(&mut self, text: &str, depth: usize) -> usize {
        if let Some(rest) = text.strip_prefix("[[") {
            let Some(end) = rest.find("]]") else { return 0 };
            match rest[..end].split_once("][") {
                Some((_, shown)) if depth < MAX_DEPTH => self.write(shown, depth + 1),
                Some((_, shown)) => self.sink.push(shown),
                None => self.sink.push(target(&rest[..end])),
            }
            return end + 4;
        }
        if let Some(rest) = text.strip_prefix("[fn:") {
            let Some(end) = closing(rest) else { return 0 };
            let (label, definition) = rest[..end].split_once(':').unwrap_or((&rest[..end], ""));
            self.trace.note(Rule::ReferenceMark, || (String::new(), format!("[fn:{label}]")));
            if !definition.is_empty() && depth < MAX_DEPTH {
                self.sink.push(" (");
                self.write(definition.trim(), depth + 1);
                self.sink.push(")");
            }
            return end + 5;
        }
        if let Some(rest) = text.strip_prefix("[cite") {
            let Some(end) = rest.find(']').filter(|_| rest.starts_with([':', '/'])) else {
                return 0;
            };
            let keys = rest[..end].split('@').skip(1);
            let keys: Vec<&str> =
                keys.filter_map(|key| key.split([';', ' ', ',']).next()).collect();
            self.sink.push(&format!("[{}]", keys.join(", ")));
            return end + 6;
        }
        if let Some((stamp, used)) = time_stamp(text, '[', ']') {
            self.sink.push(stamp);
            return used;
        }
        0
    }

    /// Writes time stamps, targets and addresses in angle brackets.
    fn angle(&mut self, text: &str, depth: usize) -> usize {
        if let Some(rest) = text.strip_prefix("<<<") {
            // A radio target is text.
            let Some(end) = rest.find(">>>").filter(|_| depth < MAX_DEPTH) else { return 0 };
            self.write(&rest[..end], depth + 1);
            return end + 6;
        }
        if let Some(rest) = text.strip_prefix("<<") {
            let end = rest.find(['>', '\n']);
            return end.filter(|end| rest[*end..].starts_with(">>")).map_or(0, |end| end + 4);
        }
        if let Some((stamp, used)) = time_stamp(text, '<', '>') {
            self.sink.push(stamp);
            return used;
        }
        0
    }

    /// Writes the text of a macro call: `{{{name(a, b)}}}`.
    fn macro_call(&mut self, text: &str, depth: usize) -> usize {
        let Some(rest) = text.strip_prefix("{{{") else { return 0 };
        let Some(end) = rest.find("}}}") else { return 0 };
        let call = &rest[..end];
        let (name, arguments) = call.split_once('(').unwrap_or((call, ""));
        let arguments = arguments.strip_suffix(')').unwrap_or(arguments);
        let expanded = match self.macros.get(name) {
            // A definition in Lisp.
            Some(definition) if !definition.starts_with("(eval") => {
                let mut text = definition.to_owned();
                for (n, argument) in arguments.split(',').enumerate() {
                    text = text.replace(&format!("${}", n + 1), argument.trim());
                }
                text
            }
            _ if matches!(name, "results" | "kbd" | "var" | "samp") => arguments.to_owned(),
            _ => arguments.replace("\\,", ","),
        };
        if depth < MAX_DEPTH && expanded.len() <= MAX_SPAN_BYTES {
            self.write(&expanded, depth + 2);
        }
        end + 6
    }

    /// Writes the text of an entity such as `\alpha`, or a space for `\\` at the end of a line.
    fn entity(&mut self, text: &str) -> usize {
        if text.starts_with("\\\\") {
            self.sink.space();
            return 2;
        }
        let rest = &text[1..];
        let len = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let Some((name, shown)) = ENTITIES.iter().find(|(name, _)| *name == &rest[..len]) else {
            return 0;
        };
        self.sink.push(shown);
        let braces = if rest[len..].starts_with("{}") { 2 } else { 0 };
        1 + name.len() + braces
    }
}

/// Returns the displayed text of a link without a text.
fn target(link: &str) -> &str {
    for scheme in ["file:", "id:"] {
        if let Some(rest) = link.strip_prefix(scheme) {
            return rest.split("::").next().unwrap_or(rest);
        }
    }
    link.trim_start_matches(['#', '*'])
}

/// Returns the end of the open bracket.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    for (at, c) in text.char_indices() {
        match c {
            '[' => open += 1,
            ']' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

/// Returns the date and time of a stamp: `<2025-03-01 Sat 10:00 +1w>`.
fn time_stamp(text: &str, open: char, close: char) -> Option<(&str, usize)> {
    let rest = text.strip_prefix(open)?;
    let end = rest.find(close).filter(|end| *end < 64)?;
    let stamp = &rest[..end];
    let bytes = stamp.as_bytes();
    let is_date = bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    is_date.then_some((stamp, end + 2))
}

/// Returns the text between two marks, if marks of emphasis may be at these places.
fn emphasised(text: &str, mark: u8, before: Option<char>) -> Option<&str> {
    let starts = before.is_none_or(|c| c.is_whitespace() || "-–—('\"{".contains(c));
    let rest = &text[1..];
    if !starts || rest.starts_with(char::is_whitespace) {
        return None;
    }
    let mut from = 0;
    let mut lines = 0;
    while let Some(found) = rest.get(from..)?.bytes().position(|byte| byte == mark || byte == b'\n')
    {
        let at = from + found;
        if rest.as_bytes()[at] == b'\n' {
            lines += 1;
            if lines > 2 {
                return None;
            }
        } else {
            let ends = rest[at + 1..]
                .chars()
                .next()
                .is_none_or(|c| c.is_whitespace() || "-–—.,;:!?'\")}[\\".contains(c));
            if at > 0 && ends && !rest[..at].ends_with(char::is_whitespace) {
                return Some(&rest[..at]);
            }
        }
        from = at + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let mut macros = Macros::default();
        macros.define("sea", "the *$1* sea");
        assert_eq!(plain(text, &macros), expect, "{text}");
    }

    #[test]
    fn markup_is_left_out() {
        for (text, expect) in [
            ("*bold* /italic/ _under_ +struck+", "bold italic under struck"),
            ("=a*b*c= and ~code~", "a*b*c and code"),
            ("a/b/c and 2 * 3 * 4, snake_case_x", "a/b/c and 2 * 3 * 4, snake_case_x"),
            ("/usr/lib/x is a path", "/usr/lib/x is a path"),
            ("[[https://x.org][a *link*]] and [[file:a.org::*B]]", "a link and a.org"),
            ("text[fn:1] and[fn:n: a note]", "text and (a note)"),
            ("<2025-03-01 Sat> [2025-03-02]", "2025-03-01 Sat 2025-03-02"),
            ("<<target>>text <<<radio>>>", "text radio"),
            ("{{{sea(deep)}}}", "the deep sea"),
            ("{{{kbd(C-c C-c)}}}", "C-c C-c"),
            (r"\alpha{}x \to y \unknown", r"αx → y \unknown"),
            ("@@html:<b>@@x@@html:</b>@@", "x"),
            ("[cite:@tide2001; @wave]", "[tide2001, wave]"),
            ("list[0] and a <b> c", "list[0] and a <b> c"),
            ("m^{2} and x^2", "m2 and x^2"),
        ] {
            check(text, expect);
        }
    }

    #[test]
    fn macros_in_a_circle_end() {
        let mut macros = Macros::default();
        macros.define("a", "{{{a}}} {{{a}}}");
        assert!(plain("{{{a}}}", &macros).len() < 100);
    }
}
