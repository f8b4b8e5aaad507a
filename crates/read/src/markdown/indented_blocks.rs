//! Blocks of Python-Markdown, as MkDocs sites write them: `!!! note "Title"`, `??? tip`, `===
//! "Tab"`, with their content indented below. They become a paragraph with the title, followed by
//! the content without its indentation, so that indented content is not mistaken for code.

use std::borrow::Cow;

use super::directives::is_note;
use super::fences::fence_of;

/// Columns that content is indented by.
const INDENT: usize = 4;

/// Deepest nesting of block quotations that is read.
const MAX_QUOTATIONS: usize = 4;

/// An open block.
struct Block {
    /// Columns before its mark.
    indent: usize,
}

/// Returns the body with its indented blocks unwrapped.
pub(super) fn unwrap(body: &str) -> Cow<'_, str> {
    unwrap_within(body, 0)
}

fn unwrap_within(body: &str, depth: usize) -> Cow<'_, str> {
    let has_any =
        body.lines().any(|line| title_of(line.trim_start_matches(['>', ' ', '\t'])).is_some());
    if !has_any {
        return Cow::Borrowed(body);
    }
    let mut out = String::with_capacity(body.len());
    let mut open: Vec<Block> = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut lines = body.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let indent = columns(line);
        if fence.is_none() && open.is_empty() && depth < MAX_QUOTATIONS && is_quoted(line) {
            let mut quotation = without_quotation_mark(line).to_owned();
            while let Some(next) = lines.next_if(|next| is_quoted(next)) {
                quotation.push_str(without_quotation_mark(next));
            }
            for inner in unwrap_within(&quotation, depth + 1).split_inclusive('\n') {
                out.push_str("> ");
                out.push_str(inner);
            }
            continue;
        }
        let is_blank = line.trim().is_empty();
        if !is_blank {
            while open.last().is_some_and(|block| indent < block.indent + INDENT) {
                open.pop();
                // A fence ends with the block that contains it.
                fence = None;
            }
        }
        let content = without_columns(line, open.len() * INDENT);
        if let Some((mark, len)) = fence {
            out.push_str(&content);
            let closes = fence_of(&content).is_some_and(|(found, found_len)| {
                found == mark && found_len >= len && content.trim().trim_matches(mark).is_empty()
            });
            if closes {
                fence = None;
            }
            continue;
        }
        fence = fence_of(&content);
        match title_of(content.trim_start()).filter(|_| fence.is_none() && !is_blank) {
            Some(title) => {
                let margin = &content[..content.len() - content.trim_start().len()];
                out.push('\n');
                if !title.is_empty() {
                    out.push_str(margin);
                    out.push_str(&title);
                    out.push('\n');
                }
                out.push('\n');
                open.push(Block { indent });
            }
            None => out.push_str(&content),
        }
    }
    Cow::Owned(out)
}

fn is_quoted(line: &str) -> bool {
    columns(line) < INDENT && line.trim_start().starts_with('>')
}

fn without_quotation_mark(line: &str) -> &str {
    let line = line.trim_start_matches([' ', '\t']);
    let line = line.strip_prefix('>').unwrap_or(line);
    line.strip_prefix(' ').unwrap_or(line)
}

/// Returns whether a note of this kind may directly follow the mark: `!!!note`.
fn is_known_kind(name: &str) -> bool {
    is_note(name)
        || matches!(
            name,
            "abstract" | "info" | "success" | "question" | "failure" | "bug" | "example" | "quote"
        )
}

/// Returns the title that readers see of a line that begins a block; `None` if it begins none.
fn title_of(line: &str) -> Option<String> {
    let line = line.trim_end();
    if let Some(rest) = line.strip_prefix("===") {
        let rest = rest.trim_start_matches(['!', '+']).strip_prefix(' ')?.trim();
        return quoted(rest).map(str::to_owned);
    }
    let rest = line
        .strip_prefix("!!!")
        .or_else(|| line.strip_prefix("???+"))
        .or_else(|| line.strip_prefix("???"))?;
    let rest = rest.trim_start_matches('+');
    let first = rest.split([' ', '"']).next().unwrap_or_default();
    if !first.is_empty() && !is_known_kind(first) {
        return None;
    }
    let rest = rest.trim();
    let title_at = rest.find(['"', '\'']).unwrap_or(rest.len());
    let names = rest[..title_at].trim();
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    if !names.split_whitespace().all(is_name) || (names.is_empty() && title_at == rest.len()) {
        return None;
    }
    if title_at < rest.len() {
        return quoted(&rest[title_at..]).map(str::to_owned);
    }
    // Without a title, the kind is shown: "Note".
    let kind = names.split_whitespace().next()?;
    // A single word is a kind; more words are positions (`inline end`) or prose.
    let positioned =
        names.split_whitespace().skip(1).all(|name| matches!(name, "inline" | "end" | "annotate"));
    if !positioned {
        return None;
    }
    let mut letters = kind.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect())
}

/// Returns the text of a quoted title.
fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    text[1..].trim_end().strip_suffix(quote)
}

/// Returns the columns of white space before a line; a tab extends to the next multiple of four.
fn columns(line: &str) -> usize {
    let mut columns = 0;
    for c in line.chars() {
        match c {
            ' ' => columns += 1,
            '\t' => columns += INDENT - columns % INDENT,
            _ => break,
        }
    }
    columns
}

/// Returns a line without its first `count` columns of white space.
fn without_columns(line: &str, count: usize) -> Cow<'_, str> {
    if count == 0 {
        return Cow::Borrowed(line);
    }
    let white = line.len() - line.trim_start_matches([' ', '\t']).len();
    let left = columns(line).saturating_sub(count);
    if line[..white].contains('\t') {
        Cow::Owned(format!("{}{}", " ".repeat(left), &line[white..]))
    } else {
        Cow::Borrowed(&line[white - left.min(white)..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expect: &str) {
        let found = unwrap(body);
        let lines = |text: &str| {
            text.lines()
                .map(str::trim_end)
                .filter(|line| !line.is_empty())
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert_eq!(lines(&found), lines(expect), "{body}");
    }

    #[test]
    fn a_block_leaves_its_title_and_its_content() {
        check("!!! note \"Heed this\"\n    Text.\n\nAfter\n", "Heed this\nText.\nAfter");
        check("??? tip\n    Text.\n", "Tip\nText.");
        check("???+ warning 'Mind'\n\n    Text.\n\n    More.\n", "Mind\nText.\nMore.");
        check("!!! info inline end \"Side\"\n    Text.\n", "Side\nText.");
        check("!!! note \"\"\n    Text.\n", "Text.");
        check(
            "=== \"Tab\"\n\n    ```sh\n    run\n      deep\n    ```\n",
            "Tab\n```sh\nrun\n  deep\n```",
        );
        check("===! \"Tab\"\n\tText\n", "Tab\nText");
    }

    #[test]
    fn blocks_are_nested_and_stand_in_lists() {
        check(
            "!!! note\n    A\n\n    === \"T\"\n\n        ```\n        x\n        ```\n\n    \
             B\n\nC\n",
            "Note\nA\nT\n```\nx\n```\nB\nC",
        );
        check(
            "1. One\n\n    !!! tip\n        Two\n\n    Three\n",
            "1. One\n    Tip\n    Two\n    Three",
        );
    }

    #[test]
    fn what_only_looks_like_a_block_stays() {
        for body in
            ["Wow!!! note\n", "Title\n===\n", "!!! really, this is prose\n", "??\n", "===\n"]
        {
            check(body, body);
        }
        check("```\n!!! note\n    x\n```\n", "```\n!!! note\n    x\n```\n");
    }
}
