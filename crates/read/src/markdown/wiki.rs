//! Notes and wikis: links by name, comments, names of blocks, drawings.

use std::borrow::Cow;

use super::fences::fence_of;

/// The order of the two parts of `[[one|two]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The page, then the text: Obsidian, MediaWiki, Logseq.
    PageFirst,
    /// The text, then the page: GitHub's wikis.
    TextFirst,
}

/// Longest link by name, in bytes.
const MAX_LINK: usize = 400;

/// Returns a body with the texts of links by name, and without comments and names of blocks.
pub(super) fn plain(body: &str, order: Order) -> Cow<'_, str> {
    let has_any = body.contains("[[")
        || body.contains("%%")
        || body.contains(" ^")
        || body.contains("compressed-json");
    if !has_any {
        return Cow::Borrowed(body);
    }
    let mut out = String::with_capacity(body.len());
    let mut fence: Option<(char, usize, bool)> = None;
    let mut in_comment = false;
    for line in body.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let found = fence_of(content);
        match (fence, found) {
            (Some((mark, len, is_drawing)), Some((other, other_len)))
                if mark == other && other_len >= len =>
            {
                fence = None;
                if !is_drawing && !in_comment {
                    out.push_str(line);
                }
                continue;
            }
            (Some((_, _, is_drawing)), _) => {
                if !is_drawing && !in_comment {
                    out.push_str(line);
                }
                continue;
            }
            (None, Some((mark, len))) => {
                let is_drawing = content.contains("compressed-json");
                fence = Some((mark, len, is_drawing));
                if !is_drawing && !in_comment {
                    out.push_str(line);
                }
                continue;
            }
            (None, None) => {}
        }
        let before = out.len();
        push_line(content, order, &mut in_comment, &mut out);
        // A line that consisted only of a comment leaves no line.
        if out.len() > before || content.is_empty() || !content.contains("%%") {
            out.push_str(&line[content.len()..]);
        } else if in_comment || content.trim().starts_with("%%") {
            out.push('\n');
        }
    }
    Cow::Owned(out)
}

fn push_line(line: &str, order: Order, in_comment: &mut bool, out: &mut String) {
    let mut rest = without_block_name(line);
    let mut in_code = false;
    while !rest.is_empty() {
        if *in_comment {
            match rest.find("%%") {
                Some(end) => {
                    rest = &rest[end + 2..];
                    *in_comment = false;
                }
                None => return,
            }
            continue;
        }
        let next = rest.find(['`', '%', '[']).unwrap_or(rest.len());
        out.push_str(&rest[..next]);
        rest = &rest[next..];
        if rest.starts_with('`') {
            in_code = !in_code;
        } else if !in_code && rest.starts_with("%%") && !out.ends_with(char::is_alphanumeric) {
            *in_comment = true;
            rest = &rest[2..];
            continue;
        } else if !in_code
            && rest.starts_with("[[")
            && let Some((text, len)) = link(rest, order)
        {
            if out.ends_with('!') {
                out.pop();
            } else {
                out.push_str(&text);
            }
            rest = &rest[len..];
            continue;
        }
        let len = rest.chars().next().map_or(0, char::len_utf8);
        out.push_str(&rest[..len]);
        rest = &rest[len..];
    }
}

/// Returns the text of a link by name, and its length.
fn link(text: &str, order: Order) -> Option<(String, usize)> {
    let inner = text.strip_prefix("[[")?;
    let end = inner.find("]]").filter(|end| *end <= MAX_LINK)?;
    let inner = &inner[..end];
    if inner.is_empty() || inner.contains('\n') || inner.contains("[[") || inner.starts_with('[') {
        return None;
    }
    // This is a table of contents, or code such as `[["a"], 1]`.
    if matches!(inner, "toc" | "_TOC_" | "TOC") || inner.starts_with(['"', '\'', '-', ' ', ':']) {
        return None;
    }
    let len = end + 4;
    let name = inner.to_ascii_lowercase();
    if ["file:", "image:", "category:"].iter().any(|kind| name.starts_with(kind)) {
        return Some((String::new(), len));
    }
    let text = match inner.split_once('|') {
        None => title_of(inner),
        Some((one, two)) => {
            let (one, two) = (one.trim_end_matches('\\'), two);
            let is_page = one.contains(['#', '/']) || order == Order::PageFirst;
            if is_page { two.trim().to_owned() } else { one.trim().to_owned() }
        }
    };
    Some((text, len))
}

/// Returns the text of a link that has none of its own: the page's name, followed by the heading.
fn title_of(target: &str) -> String {
    let (page, part) = target.split_once('#').unwrap_or((target, ""));
    let name = page.trim();
    let part = part.trim().trim_start_matches('^');
    match (name.is_empty(), part.is_empty()) {
        (false, true) => name.to_owned(),
        (true, _) => part.to_owned(),
        (false, false) => format!("{name} > {part}"),
    }
}

/// Returns a line without the name of its block: `Text. ^block1`.
fn without_block_name(line: &str) -> &str {
    let Some((front, name)) = line.rsplit_once(" ^") else { return line };
    let is_name = name.len() >= 3
        && name.trim_end().chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        && name.contains(|c: char| c.is_ascii_alphabetic());
    if is_name { front.trim_end() } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, order: Order, expect: &str) {
        assert_eq!(plain(body, order), expect, "{body:?}");
    }

    #[test]
    fn links_by_name_show_their_text() {
        for (body, expect) in [
            ("See [[Note two#Part|the other]].", "See the other."),
            ("See [[Note two]].", "See Note two."),
            ("See [[Note two#Part]] and [[#Part]].", "See Note two > Part and Part."),
            ("And ![[embed]] here.", "And  here."),
            ("`[[code]]` and [[toc]] stay", "`[[code]]` and [[toc]] stay"),
            ("[[Category:Boats]]x", "x"),
            ("a[[1]](b)", "a1(b)"),
        ] {
            check(body, Order::PageFirst, expect);
        }
        check("Ask [[the office|Office]].", Order::TextFirst, "Ask the office.");
        check("Ask [[a/Office|the office]].", Order::TextFirst, "Ask the office.");
    }

    #[test]
    fn comments_and_names_of_blocks_go() {
        check("Text. ^block1\nx^2 y ^2\n", Order::PageFirst, "Text.\nx^2 y ^2\n");
        check("a %%hidden%% b\n", Order::PageFirst, "a  b\n");
        check("a\n%%\nhidden\n```\nx\n```\n%%\nb\n", Order::PageFirst, "a\n\n\n\nb\n");
        check("100%% sure\n", Order::PageFirst, "100%% sure\n");
        check("```\n%% x\n[[a]]\n```\n", Order::PageFirst, "```\n%% x\n[[a]]\n```\n");
        check("```compressed-json\nN4KA\n```\nx", Order::PageFirst, "x");
    }
}
