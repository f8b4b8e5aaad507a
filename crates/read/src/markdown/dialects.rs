//! Markup that site generators add to Markdown (shortcodes, template tags, containers, includes,
//! JSX). It is replaced by the text that readers see.
//!
//! The body is read in one pass; fenced code and code spans are copied unchanged.

use std::borrow::Cow;
use std::collections::HashSet;

use super::super::left_out::{Rule, Trace};
use super::super::outline::fold;
use super::attribute_lists;
use super::constructs::{MAX_CONSTRUCT, balanced, between, literal, parameter, statement_len};
use super::directives;
use super::fences::{fence_of, unquoted};
use super::inline_html::attribute;

/// Marks that begin markup of generators.
const MARKS: [&str; 26] = [
    "{{",
    "{%",
    "{:",
    "{ .",
    "{.",
    "{ #",
    "{#",
    "){",
    ":::",
    "[!",
    "[[",
    "[TOC]",
    "[toc]",
    "==",
    "^",
    "~",
    "///",
    "--8<--",
    "!>",
    "<!-- tab ",
    ":material-",
    ":octicons-",
    ":fontawesome-",
    ":simple-",
    ":lucide-",
    ":tabler-",
];

/// Returns the body without markup that is not Markdown.
pub(super) fn plain<'a>(body: &'a str, is_mdx: bool, trace: &mut Trace) -> Cow<'a, str> {
    let has_any = is_mdx || body.contains("?>") || MARKS.iter().any(|mark| body.contains(mark));
    if !has_any {
        return Cow::Borrowed(body);
    }
    let out = String::with_capacity(body.len());
    let mut scanner = Scanner { text: body, at: 0, out, is_mdx, wasted: 0, notes: None, trace };
    scanner.run();
    Cow::Owned(scanner.out)
}

/// Maximum number of bytes of raised or lowered text: a longer text is not an exponent, index or
/// mark.
const MAX_RAISED: usize = 16;

/// Largest number of bytes searched in vain for the ends of constructs. The rest of the page is
/// then copied unchanged.
const MAX_WASTED: usize = 4_000_000;

/// Number of bytes that are searched backwards for the beginning of a line.
const MAX_LINE: usize = 4_000;

pub(super) struct Scanner<'a, 't> {
    text: &'a str,
    pub at: usize,
    pub out: String,
    is_mdx: bool,
    /// Number of bytes searched in vain.
    wasted: usize,
    /// The labels of the page's notes, collected when the first mark needs them.
    notes: Option<HashSet<&'a str>>,
    trace: &'t mut Trace,
}

impl<'a> Scanner<'a, '_> {
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips markup that leaves no text.
    pub fn leave_out(&mut self, len: usize) {
        let markup = &self.text[self.at..self.at + len];
        self.at += len;
        self.note(markup);
    }

    /// Records markup that leaves no text.
    pub fn note(&mut self, markup: &str) {
        self.trace.note(Rule::GeneratorMarkup, || (String::new(), fold(markup)));
    }

    /// Copies the beginning of a construct whose end was not found in `searched`.
    pub fn give_up(&mut self, len: usize, searched: &str) {
        self.wasted += searched.len().min(MAX_CONSTRUCT);
        self.copy(len);
    }

    pub fn copy(&mut self, len: usize) {
        self.out.push_str(&self.text[self.at..self.at + len]);
        self.at += len;
    }

    /// Returns the text written so far of the current line. If it is longer than any heading,
    /// returns only its end.
    fn line_so_far(&self) -> &str {
        let start = self.out.len().saturating_sub(MAX_LINE);
        let end = &self.out[self.out.floor_char_boundary(start)..];
        end.rsplit('\n').next().unwrap_or_default()
    }

    fn run(&mut self) {
        let mut line_start = true;
        while self.at < self.text.len() {
            if line_start && (self.fence() || self.line()) {
                continue;
            }
            line_start = false;
            let rest = self.rest();
            let next = rest
                .find(['\n', '`', '{', '<', '[', '^', '~', '=', '\\', ':'])
                .unwrap_or(rest.len());
            self.copy(next);
            let rest = self.rest();
            match rest.as_bytes().first() {
                None => break,
                Some(b'\n') => {
                    self.copy(1);
                    line_start = true;
                }
                Some(b'\\') => self.copy(
                    1 + rest[1..].chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8),
                ),
                // Searching for missing ends again and again must be bounded.
                Some(_) if self.wasted > MAX_WASTED => self.copy(1),
                Some(b'`') => self.code_span(),
                Some(b'{') => self.braces(),
                Some(b'<') if self.is_mdx => self.jsx(),
                Some(b':') => match attribute_lists::icon_len(rest) {
                    0 => self.copy(1),
                    len => self.leave_out(len),
                },
                Some(b'[')
                    if rest.starts_with("[!")
                        && rest[2..].starts_with(|c: char| c.is_ascii_alphabetic()) =>
                {
                    self.extension_link()
                }
                Some(b'[') if rest.starts_with("[^") => self.reference_mark(),
                // An inline note: `word^[The note.]`.
                Some(b'^') if rest.starts_with("^[") => {
                    self.at += 1;
                    self.out.push(' ');
                    self.copy(1);
                }
                Some(b'^' | b'~') if self.raised() => {}
                Some(b'=' | b'^') => self.highlight(),
                Some(_) => self.copy(1),
            }
        }
    }

    /// Writes the words of `==marked==` and `^^inserted^^` without their marks. As in PyMdown, the
    /// marks must be at the ends of words, so that `a==b` stays as it is.
    fn highlight(&mut self) {
        let rest = self.rest();
        let mark = rest.chars().next().unwrap_or_default();
        let run = rest.len() - rest.trim_start_matches(mark).len();
        let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != mark);
        let inner = &rest[run..];
        let opens = run == 2
            && is_edge(self.out.chars().next_back())
            && inner.starts_with(|c: char| !c.is_whitespace());
        if !opens {
            return self.copy(run);
        }
        let inner = &inner[..inner.floor_char_boundary(MAX_CONSTRUCT)];
        let paragraph = inner.find("\n\n").map_or(inner, |end| &inner[..end]);
        let close = [mark; 2].iter().collect::<String>();
        let end = paragraph.match_indices(&close).map(|(at, _)| at).find(|at| {
            !paragraph[..*at].ends_with(char::is_whitespace)
                && is_edge(paragraph[at + 2..].chars().next())
        });
        match end {
            Some(end) if !paragraph[..end].contains('`') => {
                self.at += run;
                self.copy(end);
                self.at += 2;
            }
            _ => self.give_up(run, paragraph),
        }
    }

    /// Writes `m^2^` and `H~2~O` of Pandoc and PyMdown: raised text becomes the element `<sup>`,
    /// lowered text stays as it is. Returns whether there is any.
    fn raised(&mut self) -> bool {
        let rest = self.rest();
        let (mark, inner) = rest.split_at(1);
        let is_inner = |c: char| c.is_alphanumeric() || "+-\u{2212},".contains(c);
        let len = inner.find(|c: char| !is_inner(c)).unwrap_or(inner.len());
        let (inner, behind) = inner.split_at(len);
        let follows_word = self.out.ends_with(|c: char| c.is_alphanumeric() || c == ')');
        let closes = behind.strip_prefix(mark).is_some_and(|next| !next.starts_with(mark));
        if !follows_word || !(1..=MAX_RAISED).contains(&len) || !closes {
            return false;
        }
        let (opening, closing) = if mark == "^" { ("<sup>", "</sup>") } else { ("", "") };
        self.out.extend([opening, inner, closing]);
        self.at += len + 2;
        true
    }

    /// Leaves out `[^1]` after a word if the page does not have the note: the mark would become
    /// text. If the page has the note, the mark is Markdown's own syntax and stays.
    fn reference_mark(&mut self) {
        let rest = self.rest();
        match label_len(rest) {
            Some(end) if !rest[end + 3..].starts_with(':') && !self.has_note(&rest[2..2 + end]) => {
                let mark = &rest[..end + 3];
                self.at += mark.len();
                self.trace.note(Rule::ReferenceMark, || (String::new(), mark.to_owned()));
            }
            _ => self.copy(1),
        }
    }

    /// Returns whether the page has the note `[^label]:`.
    fn has_note(&mut self, label: &str) -> bool {
        let text = self.text;
        let labels = self.notes.get_or_insert_with(|| {
            let marks = text.match_indices("[^").map(|(at, _)| &text[at..]);
            let notes = marks.filter_map(|mark| Some((mark, label_len(mark)?)));
            notes
                .filter(|(mark, len)| mark[len + 3..].starts_with(':'))
                .map(|(mark, len)| &mark[2..2 + len])
                .collect()
        });
        labels.contains(label)
    }

    /// Copies a fenced code block.
    fn fence(&mut self) -> bool {
        let rest = self.rest();
        let Some((mark, len)) = fence_of(rest.lines().next().unwrap_or_default()) else {
            return false;
        };
        let mut end = 0;
        for (n, line) in rest.split_inclusive('\n').enumerate() {
            end += line.len();
            let closes = fence_of(line)
                .is_some_and(|(found, found_len)| found == mark && found_len >= len)
                && unquoted(line).trim_start_matches(mark).trim().is_empty();
            if n > 0 && closes {
                break;
            }
        }
        self.copy(end);
        true
    }

    /// Handles constructs that take a whole line.
    fn line(&mut self) -> bool {
        let rest = self.rest();
        let mut line = rest.split_inclusive('\n').next().unwrap_or_default();
        let content = unquoted(line);
        let indent = &line[..line.len() - content.len()];
        let mut trimmed = content.trim();
        if trimmed.starts_with(":::image ") && !trimmed.ends_with(":::") {
            // A description may have several lines.
            let paragraph = rest.find("\n\n").map_or(rest, |end| &rest[..end]);
            let start = indent.len() + 3;
            // Marks at the beginning of a line belong to the following text.
            if let Some(end) = paragraph[start..]
                .find(":::")
                .filter(|end| !paragraph[..start + end].trim_end_matches(' ').ends_with('\n'))
            {
                line = &rest[..start + end + 3];
                trimmed = line[indent.len()..].trim();
            }
        }
        let replacement = if trimmed.starts_with(":::")
            || (trimmed.starts_with("::") && trimmed.ends_with(":::"))
        {
            container(trimmed)
        } else if trimmed.starts_with("///") && indent.trim().is_empty() {
            slashed_block(trimmed)
        } else if let Some(tab) = trimmed.strip_prefix("<!-- tab ") {
            // Hexo's tabs are named in a comment.
            tab.trim_end_matches("-->").trim().to_owned()
        } else if let Some(text) = trimmed.strip_prefix("!>").or_else(|| trimmed.strip_prefix("?>"))
        {
            // Docsify's notes.
            text.trim().to_owned()
        } else if trimmed.starts_with("--8<--") {
            self.note(trimmed);
            String::new()
        } else if (trimmed.starts_with("{:") && trimmed.ends_with('}'))
            || matches!(trimmed, "[[toc]]" | "[[_TOC_]]" | "[TOC]" | "[toc]")
        {
            String::new()
        } else if self.is_mdx && (line.starts_with("import ") || line.starts_with("export ")) {
            self.leave_out(statement_len(rest));
            self.out.push('\n');
            return true;
        } else {
            return false;
        };
        self.at += line.len();
        self.at += match trimmed.get(..3) {
            Some(":::") if trimmed.contains('{') => directives::options_len(self.rest()),
            Some("///") => directives::slashed_options_len(self.rest()),
            _ => 0,
        };
        if !replacement.is_empty() {
            // This becomes a separate paragraph, unless a mark of a quotation or a list item
            // precedes it.
            if indent.trim().is_empty() {
                self.out.push('\n');
            }
            self.out.push_str(indent);
            self.out.push_str(&replacement);
            self.out.push('\n');
        }
        self.out.push('\n');
        true
    }

    fn code_span(&mut self) {
        let rest = self.rest();
        let run = rest.len() - rest.trim_start_matches('`').len();
        let mut from = run;
        while let Some(found) = rest[from..].find('`') {
            let start = from + found;
            // A span ends with its paragraph.
            if rest[from..start].contains("\n\n") {
                break;
            }
            let found_run = rest[start..].len() - rest[start..].trim_start_matches('`').len();
            from = start + found_run;
            if found_run == run {
                self.copy(from);
                return;
            }
        }
        self.give_up(run, &rest[..from]);
    }

    /// Reads constructs in braces: shortcodes `{{< name >}}` and `{{% name %}}`, tags `{% tag %}`,
    /// `{{ site.variable }}`, `{{#include}}`, and in MDX any `{expression}`.
    fn braces(&mut self) {
        let rest = self.rest();
        for (open, close) in [("{{<", ">}}"), ("{{%", "%}}")] {
            if let Some(inner) = between(rest, open, close) {
                self.at += open.len() + inner.len() + close.len();
                self.shortcode(inner);
                return;
            }
        }
        if self.is_mdx {
            let Some(len) = balanced(rest) else { return self.give_up(1, rest) };
            let inner = rest[1..len - 1].trim();
            match literal(inner) {
                Some(text) => {
                    self.at += len;
                    self.out.push_str(text);
                }
                None => self.leave_out(len),
            }
            return;
        }
        let list_len = attribute_lists::list_len(rest, &self.out);
        // Attribute lists of headings are Markdown's own syntax.
        if list_len > 0 && !self.line_so_far().starts_with('#') {
            self.at += list_len;
            return;
        }
        if let Some(inner) = between(rest, "{%", "%}") {
            if self.highlighted(inner) {
                return;
            }
            // GitBook's tabs and code blocks have titles.
            match parameter(inner, "title") {
                Some(title) => {
                    self.at += inner.len() + 4;
                    self.out.push_str(&format!("\n\n{title}\n\n"));
                }
                None => self.leave_out(inner.len() + 4),
            }
            return;
        }
        if let Some(inner) = between(rest, "{{", "}}") {
            let variable = inner.trim();
            let is_template = [
                "site.",
                "page.",
                "include.",
                "layout.",
                "#include",
                "#rustdoc_include",
                "#playground",
                "#title",
                "#template",
            ]
            .iter()
            .any(|prefix| variable.starts_with(prefix));
            if is_template {
                self.leave_out(inner.len() + 4);
                return;
            }
        }
        let looked_for = rest.starts_with("{%")
            || (rest.starts_with("{{") && between(rest, "{{", "}}").is_none());
        self.give_up(1, if looked_for { rest } else { "" });
    }

    /// Writes the title after the mark of an alert, `> [!note]- Title`, as a paragraph. Returns
    /// whether there is one. A mark without a title is Markdown's own syntax, after a sign for
    /// folding is removed.
    fn alert_title(&mut self, mark_len: usize) -> bool {
        let line = self.line_so_far();
        if !line.contains('>') || !line.trim_matches(['>', ' ', '\t']).is_empty() {
            return false;
        }
        let quotation = line.to_owned();
        let behind = &self.rest()[mark_len..];
        let end = behind.find('\n').unwrap_or(behind.len());
        let is_folded = behind.starts_with(['+', '-']);
        let title = behind[usize::from(is_folded)..end.max(usize::from(is_folded))].trim();
        if title.is_empty() {
            self.copy(mark_len);
            self.at += usize::from(is_folded);
            return true;
        }
        self.out.push_str(title);
        self.out.push('\n');
        self.out.push_str(quotation.trim_end());
        self.at += mark_len + end;
        true
    }

    /// Reads code between tags of Liquid: `{% highlight ruby %}` of Jekyll, `{% codeblock %}` of
    /// Hexo. Returns whether the tag began such code.
    fn highlighted(&mut self, tag: &str) -> bool {
        let mut words = tag.trim_matches(['-', ' ', '\t', '\n']).split_ascii_whitespace();
        let name = words.next().unwrap_or_default();
        if !matches!(name, "highlight" | "codeblock") {
            return false;
        }
        let language = words.next().map_or("", |word| word.trim_start_matches("lang:")).to_owned();
        let body = &self.rest()[tag.len() + 4..];
        let end = format!("end{name}");
        let padding = ['-', ' '];
        let mut from = 0;
        while let Some(found) = body[from..].find("{%") {
            let start = from + found;
            let closing = Some(&body[start..])
                .filter(|tag| tag[2..].trim_start_matches(padding).starts_with(&end))
                .and_then(|tag| between(tag, "{%", "%}"))
                .filter(|closing| closing.trim_matches(padding) == end);
            if let Some(closing) = closing {
                self.at += tag.len() + 4 + start + closing.len() + 4;
                self.fenced(&language, &body[..start]);
                return true;
            }
            from = start + 2;
        }
        self.wasted += body.len();
        false
    }

    /// Reads links of extensions: `[!INCLUDE[name](path)]`, `[!code-cpp[name](path)]`. The mark
    /// `[!NOTE]` is Markdown's own syntax.
    fn extension_link(&mut self) {
        let rest = self.rest();
        let mut depth = 0usize;
        for (at, byte) in rest.bytes().enumerate().take(MAX_CONSTRUCT) {
            match byte {
                b'[' => depth += 1,
                b']' => {
                    depth -= 1;
                    if depth == 0 {
                        let inner = &rest[2..at];
                        let keep =
                            !inner.contains(['[', ' ', ':']) && !rest[at + 1..].starts_with('(');
                        if keep && self.alert_title(at + 1) {
                            return;
                        }
                        if keep {
                            self.copy(at + 1);
                        } else if inner.contains('[') || inner.contains(' ') {
                            self.leave_out(at + 1);
                        } else {
                            self.copy(2);
                        }
                        return;
                    }
                }
                b'\n' => break,
                _ => {}
            }
        }
        self.give_up(2, rest);
    }
}

/// Longest label of a note, in bytes.
const MAX_LABEL: usize = 64;

/// Returns the length of the label of `[^label]` at the beginning.
fn label_len(mark: &str) -> Option<usize> {
    let end = mark[2..].bytes().take(MAX_LABEL + 1).position(|c| b"][\n ".contains(&c))?;
    (end > 0 && mark.as_bytes()[2 + end] == b']').then_some(end)
}

/// Returns the text that readers see of a `:::` line: the title of a container, the description of
/// a picture.
fn container(line: &str) -> String {
    let inner = line.trim_start_matches(':').trim_start();
    let inner = inner.strip_suffix(":::").unwrap_or(inner).trim();
    if let Some(title) = directives::braced_title(inner) {
        return fold(&title);
    }
    if inner.starts_with("image") {
        return attribute(inner, "alt-text").unwrap_or_default();
    }
    let name_len = inner
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')))
        .unwrap_or(inner.len());
    let (name, title) = inner.split_at(name_len);
    if let Some((title, _)) = title.strip_prefix('[').and_then(|title| title.split_once(']')) {
        return fold(title);
    }
    let titled = [
        "tip",
        "info",
        "note",
        "warning",
        "danger",
        "caution",
        "important",
        "details",
        "success",
        "question",
        "example",
    ];
    if titled.contains(&name) {
        fold(title.split('{').next().unwrap_or_default())
    } else {
        String::new()
    }
}

/// Returns the title of a block of PyMdown: `/// note | Title`. If it has no title, returns its
/// kind; at its end, an empty text.
fn slashed_block(line: &str) -> String {
    let inner = line.trim_start_matches('/').trim();
    match inner.split_once('|') {
        Some((_, title)) => fold(title),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, is_mdx: bool, expect: &str) {
        let mut trace = Trace::default();
        let found = plain(body, is_mdx, &mut trace);
        let words = |text: &str| {
            text.lines()
                .map(str::trim_end)
                .filter(|line| !line.is_empty())
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert_eq!(words(&found), words(expect), "{body:?}");
    }

    #[test]
    fn shortcodes_leave_what_a_reader_sees() {
        check(
            "A {{< glossary_tooltip text=\"Pod\"\nterm_id=\"pod\" >}} runs.",
            false,
            "A Pod runs.",
        );
        check("{{< glossary_tooltip term_id=\"cri-o\" >}}", false, "cri o");
        check("## {{% heading \"whatsnext\" %}}", false, "## What's next");
        check("{{< note >}}\nMind.\n{{< /note >}}", false, "Mind.");
        check("a{{< comment >}}b{{< /comment >}}c", false, "ac");
        check(
            "{{< highlight go >}}\nx := \"{{<\"\n{{< / highlight >}}",
            false,
            "```go\nx := \"{{<\"\n```",
        );
        check("see {{</* param */>}}", false, "see `{{< param >}}`");
    }

    #[test]
    fn code_is_not_touched() {
        for body in [
            "```\n{{< note >}}\n```",
            "`{{< note >}}` and ``{% raw %} ` ``",
            "> ```\n> {{ site.x }}\n> ```",
            "~~~\n::: tip\n~~~",
        ] {
            check(body, false, body);
        }
    }

    #[test]
    fn containers_leave_their_title() {
        check(":::info You are here!\ntext\n:::", false, "You are here!\ntext");
        check(":::tip[オンライン]\ntext\n:::", false, "オンライン\ntext");
        check("::: code-group\ntext\n:::", false, "text");
        check(
            ":::image type=\"content\" source=\"a.png\" alt-text=\"A dialog\":::",
            false,
            "A dialog",
        );
        check("> :::image source=\"a.png\" alt-text=\"A dialog\":::", false, "> A dialog");
        check(":::image source=\"a.png\" alt-text=\"A\ndialog\":::\nx", false, "A dialog\nx");
        check(":::row:::\n:::column:::\ntext\n:::column-end:::", false, "text");
    }

    #[test]
    fn template_tags_and_includes_go() {
        check("{% include x.html %}See [a]({{ site.baseurl }}/b)", false, "See [a](/b)");
        check(
            "[!code-cpp[X#1](../x.cpp)]\n[!INCLUDE[a](b.md)]\n> [!NOTE]\n> text",
            false,
            "> [!NOTE]\n> text",
        );
        check("{{ message }} stays: {{ a }}", false, "{{ message }} stays: {{ a }}");
        check("# T\n{:toc}\n[[toc]]\ntext", false, "# T\ntext");
        check("[![badge](b.svg)](x)", false, "[![badge](b.svg)](x)");
    }

    #[test]
    fn blocks_with_slashes_and_notes_of_docsify_leave_their_text() {
        check("/// note | Title\nText.\n///\n", false, "Title\nText.");
        check("!> **Mind** this.\n\n?> A tip.", false, "**Mind** this.\nA tip.");
        check("{% tab title=\"Linux\" %}\nx\n{% endtab %}", false, "Linux\nx");
    }

    #[test]
    fn code_between_tags_of_liquid_is_code() {
        check(
            "{% highlight ruby %}\n# not a heading\n{% endhighlight %}\nText.",
            false,
            "```ruby\n# not a heading\n```\nText.",
        );
        check("{% codeblock lang:sh %}\nls *\n{% endcodeblock %}", false, "```sh\nls *\n```");
        check("{% highlight ruby %} without end", false, " without end");
    }

    #[test]
    fn reference_marks_go_where_markdown_would_keep_them_as_text() {
        check("greased[^1] weekly", false, "greased weekly");
        check("greased[^a] x\n\n[^a]: With lard.", false, "greased[^a] x\n[^a]: With lard.");
        check("greased^[With lard.] x", false, "greased [With lard.] x");
        check("`a[^1]` and [^ x]", false, "`a[^1]` and [^ x]");
    }

    #[test]
    fn marks_of_highlighted_and_inserted_words_go() {
        check("the ==last two== and ^^new^^ words", false, "the last two and new words");
        check("(==a==), **==b==**", false, "(a), **b**");
        for stays in [
            "if a==b and c==d",
            "a == b == c",
            "Title\n=====",
            "== open",
            "2^^3",
            "`==x==`",
            "x ==a `b== c`",
            "========",
        ] {
            check(stays, false, stays);
        }
    }

    #[test]
    fn raised_and_lowered_text_loses_its_marks() {
        check("H~2~O and v~max~", false, "H2O and vmax");
        check("40 m^2^, 10^-6^", false, "40 m<sup>2</sup>, 10<sup>-6</sup>");
        check("greased^1^ (a+b)^2^", false, "greased<sup>1</sup> (a+b)<sup>2</sup>");
        for stays in [
            "~~gone~~ a~~gone~~",
            "~/bin and ~/lib",
            "about ~5 to ~6",
            "x^2 + y^2",
            "`H~2~O`",
            "a^b",
            "PROGRA~1",
            "$x^{2}$",
            "wide~spread words~ here",
        ] {
            check(stays, false, stays);
        }
    }

    #[test]
    fn long_pages_with_many_marks_take_one_pass() {
        // Searching to the end of the page for each mark would take minutes.
        let stays = "a^b=c ==d ".repeat(100_000);
        check(&stays, false, &stays);
        let notes: String = (0..100_000).map(|i| format!("f[^{i}] ")).collect();
        check(&notes, false, &"f ".repeat(100_000));
    }

    #[test]
    fn open_marks_of_many_paragraphs_leave_the_rest_of_the_page_as_it_is_read() {
        // Each is only searched for in its own paragraph, so the searches do not add up to the
        // limit.
        let stays = "Version ==1.0 of it.\n\n".repeat(2_000);
        check(&format!("{stays}A ==word== here."), false, &format!("{stays}A word here."));
    }

    #[test]
    fn components_go_and_their_children_stay() {
        check(
            "import A from 'a';\nimport {\n  B,\n} from 'b';\n\n<A x={{y: \">\"}}>\n\
             Text {/* no */}with <B.c d=\"e\"/> {\"words\"}{1 + 2}.\n</A>",
            true,
            "Text with  words.",
        );
        check("<Card title=\"Start\" icon=\"x\">\n  Here.\n</Card>", true, "Start\n  Here.");
        check("<LinkCard title=\"A\" description=\"B\" href=\"/\" />", true, "A: B");
        check("<img src={logo} />x <b>y</b> a < b", true, "<img />x <b>y</b> a < b");
        check("<><p>x</p></>", true, "<p>x</p>");
    }
}
