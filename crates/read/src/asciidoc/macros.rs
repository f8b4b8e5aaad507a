//! Inline macros that only a site's own extension defines: `linkgit:git-log[1]`.
//!
//! Asciidoctor without the extension shows their markup. Readers of the rendered page see a text,
//! so this text is indexed.

use std::borrow::Cow;

/// Macros that the parser knows, and addresses.
const KNOWN: [&str; 33] = [
    "anchor",
    "asciimath",
    "audio",
    "btn",
    "counter",
    "counter2",
    "endif",
    "eval",
    "file",
    "footnote",
    "footnoteref",
    "ftp",
    "http",
    "https",
    "icon",
    "ifdef",
    "ifeval",
    "ifndef",
    "image",
    "include",
    "indexterm",
    "indexterm2",
    "irc",
    "kbd",
    "latexmath",
    "link",
    "mailto",
    "menu",
    "pass",
    "stem",
    "toc",
    "video",
    "xref",
];

/// Characters that end a macro's name and target on the left.
const BEFORE: &str = "()[]{}\"'`<>,;";

/// Returns a line in which each unknown macro is replaced by its text, or by its target if it has
/// no text. A number as text becomes the section of a manual: `git-log(1)`.
pub(super) fn replaced(line: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut done, mut from) = (0, 0);
    while let Some(open) = line[from..].find('[').map(|at| from + at) {
        let Some(close) = line[open..].find(']').map(|at| open + at) else { break };
        from = open + 1;
        let front = &line[done..open];
        let is_end = |c: char| c.is_whitespace() || BEFORE.contains(c);
        let start = front.char_indices().rfind(|(_, c)| is_end(*c));
        let start = start.map_or(0, |(at, c)| at + c.len_utf8());
        // A macro may be in bold or italic text.
        let start = start + front[start..].find(|c: char| !"*_#|".contains(c)).unwrap_or(0);
        let is_line = done + start == 0 && close + 1 == line.len();
        let Some(shown) = shown(&front[start..], &line[open + 1..close], is_line) else { continue };
        out.push_str(&front[..start]);
        out.push_str(&shown);
        (done, from) = (close + 1, close + 1);
    }
    if done == 0 {
        return line.into();
    }
    out.push_str(&line[done..]);
    out.into()
}

/// Returns the text that readers see in place of a macro; `None` if the text is not a macro or the
/// macro is known. A macro that is a line of its own may have two colons.
fn shown(macro_: &str, text: &str, is_line: bool) -> Option<String> {
    let (name, target) = macro_.split_once(':')?;
    let target = target.strip_prefix(':').filter(|_| is_line).unwrap_or(target);
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c));
    let is_target = target.starts_with(|c: char| c.is_alphanumeric() || "./_~#-".contains(c))
        && !target.starts_with("//");
    if !is_name || !is_target || KNOWN.contains(&name) {
        return None;
    }
    let text = text.trim();
    if !text.is_empty() && text.len() <= 2 && text.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(format!("{target}({text})"));
    }
    let is_text = !text.is_empty() && !text.contains('=');
    Some(if is_text { text.to_owned() } else { target.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_become_what_readers_see() {
        for (line, expect) in [
            ("See linkgit:git-log[1] and linkgit:gitk[1].", "See git-log(1) and gitk(1)."),
            ("(man:ls[1p]) *issue:123[]*", "(ls(1p)) *123*"),
            ("commit:ab12[the fix], jira:FOO-1[role=x]", "the fix, FOO-1"),
            ("gist::abc/123[]", "abc/123"),
            ("|linkgit:a_b[7]|x", "|a_b(7)|x"),
        ] {
            assert_eq!(replaced(line), expect, "{line}");
        }
        for line in [
            "https://x.org[a] link:a.html[b] xref:c[d] footnote:[e] kbd:[Ctrl] image:i.png[j]",
            "include::a.adoc[tag=x] image::b.png[c] ifdef::x[] a[0]: b[1] std::map[k] C:\\x[1]",
            "{url}:x[1] \\linkgit:git-log[1] Note:see[1] [cols=\"1,2\"] [[anchor]] x:[y] a:b [c",
            "toc::here[] stem:[x] no macro",
        ] {
            assert_eq!(replaced(line), line);
        }
    }
}
