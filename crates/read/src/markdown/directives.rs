//! Directives of MyST, pandoc and mdBook: which of them contain text, their titles, and their
//! options.

use super::inline_html::attribute;

/// Returns whether a name marks a note, in MyST and Python-Markdown alike.
pub(super) fn is_note(name: &str) -> bool {
    matches!(
        name,
        "note"
            | "tip"
            | "hint"
            | "important"
            | "warning"
            | "caution"
            | "danger"
            | "attention"
            | "error"
            | "seealso"
            | "todo"
    )
}

/// Returns whether a directive of MyST holds Markdown, rather than code, a picture or an include.
pub(super) fn holds_text(name: &str) -> bool {
    is_note(name)
        || matches!(
            name,
            "admonition"
                | "dropdown"
                | "tab-set"
                | "tab-item"
                | "card"
                | "grid"
                | "grid-item"
                | "grid-item-card"
                | "sidebar"
                | "topic"
                | "versionadded"
                | "versionchanged"
                | "deprecated"
                | "details"
        )
}

/// Returns the title of a fenced block that holds Markdown: ```` ```{note} Title ```` of MyST, ````
/// ```admonish tip title="Title" ```` of mdBook. `None`: the block is code.
pub(super) fn fenced_title(info: &str) -> Option<String> {
    if let Some(rest) = info.strip_prefix("admonish")
        && (rest.is_empty() || rest.starts_with(' '))
    {
        return Some(attribute(rest, "title").unwrap_or_default());
    }
    let (name, title) = info.strip_prefix('{')?.split_once('}')?;
    holds_text(name).then(|| title.trim().to_owned())
}

/// Returns the title of a container with braces: `:::{note} Title` of MyST, `::: {.callout-tip
/// title="Title"}` of pandoc and Quarto.
pub(super) fn braced_title(container: &str) -> Option<String> {
    let (inside, behind) = container.strip_prefix('{')?.split_once('}')?;
    if holds_text(inside.trim()) {
        return Some(behind.trim().to_owned());
    }
    Some(attribute(&format!(" {inside}"), "title").unwrap_or_default())
}

/// Returns the length of the options at the beginning of a directive's content: lines of `:name:
/// value`.
pub(super) fn options_len(text: &str) -> usize {
    let is_option = |line: &str| {
        line.strip_prefix(':').and_then(|line| line.split_once(':')).is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        })
    };
    text.split_inclusive('\n').take_while(|line| is_option(line)).map(str::len).sum()
}

/// Returns the length of the options after the first line of a block of PyMdown: indented lines of
/// `name: value`, up to a blank line.
pub(super) fn slashed_options_len(text: &str) -> usize {
    let is_option = |line: &str| {
        line.starts_with("    ")
            && line.trim().split_once(':').is_some_and(|(name, _)| {
                !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            })
    };
    let lines = text.split_inclusive('\n').take_while(|line| is_option(line));
    let len = lines.map(str::len).sum();
    let ends = text[len..].lines().next().is_none_or(|line| line.trim().is_empty());
    if ends { len } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_directives() {
        for (info, expect) in [
            ("{note} Heed this", Some("Heed this")),
            ("{code-block} python", None),
            ("admonish tip title=\"Heed this\"", Some("Heed this")),
            ("admonish", Some("")),
            ("admonishment", None),
            ("rust", None),
        ] {
            assert_eq!(fenced_title(info).as_deref(), expect, "{info}");
        }
        for (container, expect) in [
            ("{admonition} Heed", Some("Heed")),
            ("{.callout-note title=\"Heed\"}", Some("Heed")),
            ("{title=\"Heed\"}", Some("Heed")),
            ("{.note}", Some("")),
            ("tip Heed", None),
        ] {
            assert_eq!(braced_title(container).as_deref(), expect, "{container}");
        }
    }

    #[test]
    fn options_end_at_the_first_line_that_is_none() {
        assert_eq!(options_len(":class: x\n:open:\ntext: a\n"), 17);
        assert_eq!(slashed_options_len("    type: warning\n    open: true\n\ntext"), 33);
        assert_eq!(slashed_options_len("    key: value\n    and code()\n"), 0);
    }
}
