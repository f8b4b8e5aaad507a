//! What site generators add to Markdown: shortcodes, template tags, containers, includes, JSX. They
//! are reduced to the text that readers see of them.
//!
//! One pass over the body; fenced code and code spans are copied as they are.

use std::borrow::Cow;

use super::super::outline::fold;

/// Longest tag, expression or shortcode, in bytes. What is longer has no end, and is text.
const MAX_CONSTRUCT: usize = 20_000;

/// The body without constructs that are not Markdown.
pub(super) fn plain(body: &str, is_mdx: bool) -> Cow<'_, str> {
    let has_any = is_mdx
        || ["{{", "{%", "{:", ":::", "[!", "[[", "[TOC]", "[toc]"]
            .iter()
            .any(|mark| body.contains(mark));
    if !has_any {
        return Cow::Borrowed(body);
    }
    let mut scanner =
        Scanner { text: body, at: 0, out: String::with_capacity(body.len()), is_mdx, wasted: 0 };
    scanner.run();
    Cow::Owned(scanner.out)
}

/// Bytes that may be searched in vain for the ends of constructs before the rest of a page is taken
/// as it stands.
const MAX_WASTED: usize = 4_000_000;

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    out: String,
    is_mdx: bool,
    /// Bytes searched in vain.
    wasted: usize,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Copies the beginning of a construct whose end was looked for in `searched` and not found.
    fn give_up(&mut self, len: usize, searched: &str) {
        self.wasted += searched.len().min(MAX_CONSTRUCT);
        self.copy(len);
    }

    fn copy(&mut self, len: usize) {
        self.out.push_str(&self.text[self.at..self.at + len]);
        self.at += len;
    }

    fn run(&mut self) {
        let mut line_start = true;
        while self.at < self.text.len() {
            if line_start && (self.fence() || self.line()) {
                continue;
            }
            line_start = false;
            let rest = self.rest();
            let next = rest.find(['\n', '`', '{', '<', '[', '\\']).unwrap_or(rest.len());
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
                // What has no end is searched for one again and again: not for ever.
                Some(_) if self.wasted > MAX_WASTED => self.copy(1),
                Some(b'`') => self.code_span(),
                Some(b'{') => self.braces(),
                Some(b'<') if self.is_mdx => self.jsx(),
                Some(b'[')
                    if rest.starts_with("[!")
                        && rest[2..].starts_with(|c: char| c.is_ascii_alphabetic()) =>
                {
                    self.extension_link()
                }
                Some(_) => self.copy(1),
            }
        }
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

    /// Constructs that take a whole line.
    fn line(&mut self) -> bool {
        let rest = self.rest();
        let mut line = rest.split_inclusive('\n').next().unwrap_or_default();
        let content = unquoted(line);
        let indent = &line[..line.len() - content.len()];
        let mut trimmed = content.trim();
        if trimmed.starts_with(":::image ") && !trimmed.ends_with(":::") {
            // A description may go over several lines.
            let paragraph = rest.find("\n\n").map_or(rest, |end| &rest[..end]);
            let start = indent.len() + 3;
            // Marks at the beginning of a line belong to what follows.
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
        } else if (trimmed.starts_with("{:") && trimmed.ends_with('}'))
            || matches!(trimmed, "[[toc]]" | "[[_TOC_]]" | "[TOC]" | "[toc]")
        {
            String::new()
        } else if self.is_mdx && (line.starts_with("import ") || line.starts_with("export ")) {
            self.at += statement_len(rest);
            self.out.push('\n');
            return true;
        } else {
            return false;
        };
        self.at += line.len();
        if !replacement.is_empty() {
            // A paragraph of its own, but for where a mark of a quotation or an item stands in
            // front.
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
        let paragraph = rest.find("\n\n").map_or(rest, |end| &rest[..end]);
        let mut from = run;
        while let Some(found) = paragraph[from..].find('`') {
            let start = from + found;
            let found_run =
                paragraph[start..].len() - paragraph[start..].trim_start_matches('`').len();
            from = start + found_run;
            if found_run == run {
                self.copy(from);
                return;
            }
        }
        self.give_up(run, paragraph);
    }

    /// `{{< shortcode >}}`, `{{% shortcode %}}`, `{% tag %}`, `{{ site.variable }}`,
    /// `{{#include}}`, and in MDX any `{expression}`.
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
            self.at += len;
            if let Some(text) = literal(inner) {
                self.out.push_str(text);
            }
            return;
        }
        if let Some(inner) = between(rest, "{%", "%}") {
            self.at += inner.len() + 4;
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
                self.at += inner.len() + 4;
                return;
            }
        }
        let looked_for = rest.starts_with("{%")
            || (rest.starts_with("{{") && between(rest, "{{", "}}").is_none());
        self.give_up(1, if looked_for { rest } else { "" });
    }

    /// What a reader sees of a Hugo shortcode.
    fn shortcode(&mut self, inner: &str) {
        let inner = inner.trim();
        if let Some(escaped) = inner.strip_prefix("/*").and_then(|inner| inner.strip_suffix("*/")) {
            self.out.push_str("`{{< ");
            self.out.push_str(escaped.trim());
            self.out.push_str(" >}}`");
            return;
        }
        let inner = inner.trim_end_matches('/').trim_end();
        let name = inner.split_ascii_whitespace().next().unwrap_or_default();
        match name {
            "comment" => {
                self.through_closing(name);
            }
            "highlight" | "mermaid" => {
                let language = inner.split_ascii_whitespace().nth(1).unwrap_or(name).to_owned();
                let code = self.through_closing(name);
                self.fenced(&language, code);
            }
            "tab" if parameter(inner, "codelang").is_some() => {
                let title = parameter(inner, "name").unwrap_or_default();
                let language = parameter(inner, "codelang").unwrap_or_default();
                let code = self.through_closing(name);
                self.out.push_str(&title);
                self.fenced(&language, code);
            }
            "heading" => {
                let key = inner[name.len()..].trim().trim_matches(['"', '`', '\'']);
                self.out.push_str(heading_words(key));
            }
            _ => {
                let text = ["text", "title", "caption", "alt"]
                    .iter()
                    .find_map(|key| parameter(inner, key))
                    .or_else(|| match name {
                        "tab" => parameter(inner, "name"),
                        "glossary_tooltip" => {
                            parameter(inner, "term_id").map(|id| id.replace('-', " "))
                        }
                        _ => None,
                    });
                self.out.push_str(text.as_deref().unwrap_or_default());
            }
        }
    }

    fn fenced(&mut self, language: &str, code: &str) {
        let mut fence = "```".to_owned();
        while code.contains(fence.as_str()) {
            fence.push('`');
        }
        self.out
            .push_str(&format!("\n\n{fence}{language}\n{}\n{fence}\n", code.trim_matches('\n')));
    }

    /// Passes over everything up to and including the closing shortcode; returns what is between.
    fn through_closing(&mut self, name: &str) -> &'a str {
        let rest = self.rest();
        let mut from = 0;
        while let Some(found) = rest[from..].find("{{") {
            let start = from + found;
            let tag = &rest[start..];
            let inner = between(tag, "{{<", ">}}").or_else(|| between(tag, "{{%", "%}}"));
            if let Some(inner) = inner
                && inner.trim().strip_prefix('/').is_some_and(|closed| closed.trim() == name)
            {
                self.at += start + inner.len() + 6;
                return &rest[..start];
            }
            from = start + 2;
        }
        ""
    }

    /// A tag of a component: nothing is left of it but a title that it shows. Tags of HTML stay,
    /// for they are Markdown's own.
    fn jsx(&mut self) {
        let rest = self.rest();
        if rest.starts_with("<!--") {
            let len = rest.find("-->").map_or(rest.len(), |end| end + 3);
            self.at += len;
            return;
        }
        let inner = rest[1..].strip_prefix('/').unwrap_or(&rest[1..]);
        let name_len = inner
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':')))
            .unwrap_or(inner.len());
        let name = &inner[..name_len];
        let is_fragment = name.is_empty() && inner.starts_with('>');
        if !is_fragment && !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return self.copy(1);
        }
        let Some(len) = tag_len(rest) else { return self.give_up(1, rest) };
        let tag = &rest[..len];
        let is_component =
            is_fragment || name.contains('.') || name.starts_with(|c: char| c.is_ascii_uppercase());
        if !is_component && !tag.contains('{') {
            return self.copy(len);
        }
        self.at += len;
        if !is_component {
            // HTML with expressions among its attributes, which Markdown would not take for a tag.
            self.out.push_str(if tag.starts_with("</") { "</" } else { "<" });
            self.out.push_str(name);
            self.out.push_str(if tag.ends_with("/>") { " />" } else { ">" });
            return;
        }
        let title = super::attribute(tag, "title");
        let description = super::attribute(tag, "description");
        match (title, description) {
            (Some(title), Some(description)) => {
                self.out.push_str(&format!("{title}: {description}"))
            }
            (Some(text), None) | (None, Some(text)) => self.out.push_str(&text),
            (None, None) => {}
        }
        if tag.starts_with('<')
            && self.rest().starts_with('\n')
            && !self.out.ends_with('\n')
            && !self.out.ends_with(' ')
        {
            self.out.push('\n');
        }
    }

    /// `[!INCLUDE[name](path)]`, `[!code-cpp[name](path)]`; but `[!NOTE]` is Markdown's.
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
                        if keep {
                            self.copy(at + 1);
                        } else if inner.contains('[') || inner.contains(' ') {
                            self.at += at + 1;
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

/// A line without the marks of a block quotation and of a list item.
fn unquoted(line: &str) -> &str {
    let mut line = line.trim_start();
    while let Some(rest) = line.strip_prefix('>') {
        line = rest.trim_start();
    }
    for mark in ["- ", "* ", "+ "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return rest.trim_start();
        }
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match line[digits..].strip_prefix(". ") {
        Some(rest) if digits > 0 => rest.trim_start(),
        _ => line,
    }
}

/// The mark and length of a code fence that a line is.
fn fence_of(line: &str) -> Option<(char, usize)> {
    let line = unquoted(line);
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let len = line.len() - rest.len();
    (len >= 3 && !(mark == '`' && rest.contains('`'))).then_some((mark, len))
}

/// The text between two marks at the beginning of `text`.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let inner = text.strip_prefix(open)?;
    let end = inner.find(close).filter(|end| *end <= MAX_CONSTRUCT)?;
    Some(&inner[..end])
}

/// The length of a `{…}` at the beginning, quoted braces not counted.
fn balanced(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < MAX_CONSTRUCT) {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match (quote, c) {
            (_, '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The length of a tag at the beginning; `>` inside of quotes and braces does not end it.
fn tag_len(text: &str) -> Option<usize> {
    let mut at = 1;
    while at < text.len().min(MAX_CONSTRUCT) {
        match text.as_bytes()[at] {
            b'>' => return Some(at + 1),
            b'{' => at += balanced(&text[at..])?,
            quote @ (b'"' | b'\'') => at += 2 + text[at + 1..].find(quote as char)?,
            b'<' => return None,
            _ => at += 1,
        }
    }
    None
}

/// A quoted string that an expression is nothing but.
fn literal(expression: &str) -> Option<&str> {
    let quote = expression.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let inner = expression[1..].strip_suffix(quote)?;
    (!inner.contains(quote) && !inner.contains("${")).then_some(inner)
}

/// The length of an `import` or `export` statement: up to the end of the line on which all its
/// brackets are closed.
fn statement_len(text: &str) -> usize {
    let mut depth = 0i32;
    let mut len = 0;
    for line in text.split_inclusive('\n') {
        if len > 0 && depth <= 0 {
            break;
        }
        for byte in line.bytes() {
            match byte {
                b'{' | b'(' | b'[' => depth += 1,
                b'}' | b')' | b']' => depth -= 1,
                _ => {}
            }
        }
        len += line.len();
        if len > MAX_CONSTRUCT {
            break;
        }
    }
    len
}

/// A parameter of a shortcode: `name="value"` or `name=value`.
fn parameter(inner: &str, name: &str) -> Option<String> {
    super::attribute(inner, name).or_else(|| {
        inner.split_ascii_whitespace().find_map(|word| {
            let value = word.strip_prefix(name)?.strip_prefix('=')?;
            (!value.starts_with(['"', '\''])).then(|| value.to_owned())
        })
    })
}

/// What a reader sees of a `:::` line: the title of a container, the description of a picture.
fn container(line: &str) -> String {
    let inner = line.trim_start_matches(':').trim_start();
    let inner = inner.strip_suffix(":::").unwrap_or(inner).trim();
    if inner.starts_with("image") {
        return super::attribute(inner, "alt-text").unwrap_or_default();
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

/// The headings that the Kubernetes documentation names by key.
fn heading_words(key: &str) -> &str {
    match key {
        "whatsnext" => "What's next",
        "prerequisites" => "Before you begin",
        "objectives" => "Objectives",
        "cleanup" => "Cleaning up",
        "synopsis" => "Synopsis",
        "options" => "Options",
        "seealso" => "See Also",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, is_mdx: bool, expect: &str) {
        let found = plain(body, is_mdx);
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
    fn components_go_and_their_children_stay() {
        check(
            "import A from 'a';\nimport {\n  B,\n} from 'b';\n\n<A x={{y: \">\"}}>\nText {/* no */}with <B.c d=\"e\"/> {\"words\"}{1 + 2}.\n</A>",
            true,
            "Text with  words.",
        );
        check("<Card title=\"Start\" icon=\"x\">\n  Here.\n</Card>", true, "Start\n  Here.");
        check("<LinkCard title=\"A\" description=\"B\" href=\"/\" />", true, "A: B");
        check("<img src={logo} />x <b>y</b> a < b", true, "<img />x <b>y</b> a < b");
        check("<><p>x</p></>", true, "<p>x</p>");
    }
}
