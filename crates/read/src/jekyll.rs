//! Posts of Jekyll: their dates and names, which come from the names of their files.

use super::file::File;

/// Returns the date and the name of a post in Jekyll's directories, with the directory above them:
/// `news/_posts/2024-03-09-gale.md`.
pub(super) fn post(id: &str) -> Option<(&str, &str, &str)> {
    let at = if id.starts_with("_posts/") { 0 } else { id.find("/_posts/")? + 1 };
    let file = id[at + "_posts/".len()..].rsplit('/').next()?;
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let (date, name) = stem.split_at_checked(10)?;
    let is_date = date.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let name = name.strip_prefix('-').filter(|name| is_date && !name.is_empty())?;
    Some((&id[..at], date, name))
}

/// Returns an address in which placeholders are replaced from a post's file: `/:year/:title/`.
pub(super) fn filled_in(address: &str, file: &File) -> String {
    if !address.contains(':') || address.contains("://") {
        return address.to_owned();
    }
    let stem = file.id.rsplit('/').next().unwrap_or(&file.id);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let (date, name) = post(&file.id).map_or(("", stem), |(_, date, name)| (date, name));
    let mut filled = address.replace(":output_ext", ".html");
    for (mark, value) in [(":title", name), (":slug", name), (":name", name)] {
        filled = filled.replace(mark, value);
    }
    if let (Some(year), Some(month), Some(day)) = (date.get(..4), date.get(5..7), date.get(8..)) {
        for (mark, value) in [(":year", year), (":month", month), (":day", day)] {
            filled = filled.replace(mark, value);
        }
    }
    filled
}
