//! The line of a headline: `** TODO [#A] Tides [1/3] :work:sea:`.

/// States of headlines that Org knows by itself.
const STATES: [&str; 2] = ["TODO", "DONE"];

/// A headline.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Headline<'a> {
    /// Number of stars.
    pub level: usize,
    pub state: Option<&'a str>,
    pub title: &'a str,
    pub tags: Vec<&'a str>,
    /// Whether the headline is a comment, with everything below it.
    pub is_comment: bool,
}

impl<'a> Headline<'a> {
    /// Returns the headline of a line, or `None` if the line is not a headline. `states` are the
    /// states that the file names.
    pub fn of(line: &'a str, states: &[String]) -> Option<Self> {
        let rest = line.trim_start_matches('*');
        let level = line.len() - rest.len();
        if level == 0 || !(rest.starts_with(' ') || rest.starts_with('\t')) {
            return None;
        }
        let mut rest = rest.trim();
        let mut state = None;
        let first = rest.split(' ').next().unwrap_or_default();
        let is_state = if states.is_empty() {
            STATES.contains(&first)
        } else {
            states.iter().any(|s| s == first)
        };
        if is_state {
            state = Some(first);
            rest = rest[first.len()..].trim_start();
        }
        if rest.starts_with("[#") && rest.as_bytes().get(3) == Some(&b']') {
            rest = rest[4..].trim_start();
        }
        let mut is_comment = false;
        if let Some(behind) = rest.strip_prefix("COMMENT") {
            is_comment = behind.is_empty() || behind.starts_with(' ');
            if is_comment {
                rest = behind.trim_start();
            }
        }
        let (title, tags) = split_tags(rest);
        Some(Self { level, state, title: without_cookie(title), tags, is_comment })
    }
}

/// Returns a title and the tags after it.
fn split_tags(text: &str) -> (&str, Vec<&str>) {
    let start = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let Some(last) = text.get(start..) else { return (text, Vec::new()) };
    let is_tag = |tag: &str| {
        !tag.is_empty() && tag.chars().all(|c| c.is_alphanumeric() || "_@#%".contains(c))
    };
    match last.strip_prefix(':').and_then(|rest| rest.strip_suffix(':')) {
        Some(tags) if tags.split(':').all(is_tag) => {
            (text[..start].trim_end(), tags.split(':').collect())
        }
        _ => (text, Vec::new()),
    }
}

/// Returns a title without a count of finished tasks at its end: `[1/3]`, `[50%]`.
fn without_cookie(title: &str) -> &str {
    let Some(inner) = title.strip_suffix(']') else { return title };
    let Some(at) = inner.rfind('[') else { return title };
    let count = &inner[at + 1..];
    let is_count = count.ends_with('%') || count.contains('/');
    let is_number = count.chars().all(|c| c.is_ascii_digit() || matches!(c, '/' | '%'));
    if is_count && is_number { title[..at].trim_end() } else { title }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_headline() {
        let headline = Headline::of("** TODO [#A] Tides [1/3] :work:sea:", &[]).unwrap();
        assert_eq!(
            headline,
            Headline {
                level: 2,
                state: Some("TODO"),
                title: "Tides",
                tags: vec!["work", "sea"],
                is_comment: false,
            }
        );
        let headline = Headline::of("* COMMENT Later", &[]).unwrap();
        assert!(headline.is_comment && headline.title == "Later");
        let states = ["WAIT".to_owned()];
        let headline = Headline::of("* WAIT TODO lists", &states).unwrap();
        assert_eq!((headline.state, headline.title), (Some("WAIT"), "TODO lists"));
        let headline = Headline::of("* At 10:30: a note", &[]).unwrap();
        assert_eq!((headline.title, headline.tags.len()), ("At 10:30: a note", 0));
        for line in ["*bold*", "text", "**", ""] {
            assert_eq!(Headline::of(line, &[]), None, "{line}");
        }
        assert_eq!(Headline::of("* ", &[]).unwrap().title, "");
    }
}
