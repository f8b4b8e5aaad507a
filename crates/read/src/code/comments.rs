//! The text of comments, without the marks of comments.

/// Marks that begin a comment or a line of one, longest first.
const MARKS: &[&str] = &[
    "///", "//!", "//", "/**", "/*!", "/*", "--[[", "---", "--", "##", "#", ";;", ";", "%", "'''",
    "\"\"\"", "*",
];

/// Marks that end one.
const ENDS: &[&str] = &["*/", "'''", "\"\"\"", "]]"];

/// Returns a comment or documentation string as prose. Empty lines stay, as they part paragraphs.
pub(super) fn prose(comment: &str) -> String {
    let lines: Vec<&str> = comment.lines().map(bare).collect();
    lines.join("\n").trim().to_owned()
}

fn bare(line: &str) -> &str {
    let mut text = line.trim();
    // A prefix of a string: r"""...""".
    if let Some(quoted) = text.strip_prefix(['r', 'R', 'b', 'u', 'f'])
        && (quoted.starts_with("\"\"\"") || quoted.starts_with("'''"))
    {
        text = quoted;
    }
    for end in ENDS {
        text = text.strip_suffix(end).unwrap_or(text);
    }
    let mark = MARKS.iter().find(|mark| {
        text.strip_prefix(**mark)
            // `*emphasis*` in a comment, `#include` in one.
            .is_some_and(|after| mark.len() > 1 || after.is_empty() || after.starts_with(' '))
    });
    if let Some(mark) = mark {
        text = &text[mark.len()..];
    }
    text.trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_comments_go_and_their_text_stays() {
        assert_eq!(
            prose("/// Opens it.\n///\n/// *Never* waits.\n"),
            "Opens it.\n\n*Never* waits."
        );
        assert_eq!(prose("/**\n * Opens it.\n * @param a #1\n */"), "Opens it.\n@param a #1");
        assert_eq!(prose("    \"\"\"Opens it.\n\n    More.\n    \"\"\""), "Opens it.\n\nMore.");
        assert_eq!(prose("# Opens it.\n#include"), "Opens it.\n#include");
        assert_eq!(prose("--- Opens it.\n-- Twice."), "Opens it.\nTwice.");
    }
}
