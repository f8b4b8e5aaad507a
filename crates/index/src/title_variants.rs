//! Names of a page or section besides its title.
//!
//! People search for "6.3. Deleting Data" as `deleting data`, for "archive_command (string)" as
//! `archive_command`, for "PL/pgSQL — SQL Procedural Language" as `pl/pgsql`, for `gc.is_finalized`
//! as `is_finalized`, and for "The queue" as `queue`.

/// Words before a chapter's number.
const DIVISIONS: [&str; 5] = ["chapter", "section", "part", "appendix", "annex"];

/// English articles, which searchers often leave out at the beginning of a title.
const ARTICLES: [&str; 3] = ["The ", "A ", "An "];

/// Returns the names that a title contains, except the title itself.
pub fn title_variants(title: &str) -> Vec<&str> {
    let title = title.trim();
    let numbered = without_number(title);
    let mut names = vec![numbered];
    let first = [" — ", " – ", " - ", ": "]
        .iter()
        .filter_map(|dash| numbered.split_once(dash))
        .map(|(first, _)| first);
    names.extend(first.min_by_key(|first| first.len()));
    for name in names.clone() {
        names.extend(without_parenthesis(name));
    }
    for name in names.clone() {
        names.extend(last_component(name));
    }
    for name in names.clone() {
        names.extend(
            ARTICLES.iter().find_map(|article| name.strip_prefix(article)).map(str::trim_start),
        );
    }
    names.retain(|name| *name != title && name.chars().any(char::is_alphanumeric));
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns a title without a number such as "6.3.", "Chapter 43." or "A)" at the beginning.
fn without_number(title: &str) -> &str {
    let mut rest = title;
    if let Some((word, behind)) = title.split_once(' ')
        && DIVISIONS.iter().any(|division| word.eq_ignore_ascii_case(division))
    {
        rest = behind;
    }
    let number = rest.split(' ').next().unwrap_or_default();
    let divided = rest.len() < title.len();
    let bare = number.trim_end_matches(['.', ')', ':']);
    let marked = bare.len() < number.len() || bare.contains('.') || divided;
    let parts = || bare.split('.');
    let numeric =
        parts().skip(1).all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
            && parts().next().is_some_and(|part| {
                part.len() <= 3 && part.bytes().all(|b| b.is_ascii_digit()) && !part.is_empty()
                    || part.len() == 1 && part.bytes().all(|b| b.is_ascii_uppercase())
                    || divided && part.bytes().all(|b| b"IVXLC".contains(&b))
            });
    match rest[number.len()..].trim_start() {
        "" => title,
        behind if marked && numeric => behind,
        _ => title,
    }
}

/// Returns a title without the parenthesis at its end.
fn without_parenthesis(title: &str) -> Option<&str> {
    let open = title.strip_suffix(')')?.rfind('(')?;
    Some(title[..open].trim_end()).filter(|name| !name.is_empty())
}

/// Returns the part after the last `.` or `::` of a title that is one name.
fn last_component(title: &str) -> Option<&str> {
    let name = title.strip_suffix("()").unwrap_or(title);
    let at =
        [".", "::"].iter().filter_map(|mark| name.rfind(mark).map(|at| at + mark.len())).max()?;
    let last = &name[at..];
    (!name.contains(char::is_whitespace)
        && last.len() >= 3
        && last.starts_with(char::is_alphabetic))
    .then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_called_by_their_names() {
        for (title, expect) in [
            ("6.3. Deleting Data", &["Deleting Data"][..]),
            (
                "Chapter 43. PL/pgSQL — SQL Procedural Language",
                &["PL/pgSQL", "PL/pgSQL — SQL Procedural Language"],
            ),
            ("Appendix C. SQL Key Words", &["SQL Key Words"]),
            ("archive_command (string)", &["archive_command"]),
            ("gc.is_finalized()", &["gc.is_finalized", "is_finalized"]),
            ("std::sync::Mutex", &["Mutex"]),
            ("Part II. The SQL Language", &["SQL Language", "The SQL Language"]),
            ("Deleting data", &[]),
            ("3 ways to fail", &[]),
            ("2.0", &[]),
            ("Vitamin C", &[]),
            ("A day", &["day"]),
            ("Theory", &[]),
            ("The", &[]),
            ("Node.js", &[]),
            ("", &[]),
        ] {
            assert_eq!(title_variants(title), expect, "{title}");
        }
    }
}
