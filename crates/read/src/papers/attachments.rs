//! The files that an entry of a bibliography names.

/// Returns the paths in a field of BibTeX, as JabRef, Zotero and Mendeley write it:
/// `description:path:type`, several separated by semicolons, with `\\` before special characters.
pub(super) fn listed(field: &str) -> Vec<String> {
    let files = divided(field, ';').into_iter().map(|file| path(&divided(&file, ':')));
    files.filter(|path| !path.is_empty()).collect()
}

/// Returns the path among the parts of an attachment.
fn path(parts: &[String]) -> String {
    let unescaped: Vec<String> = parts.iter().map(|part| unescaped(part.trim())).collect();
    let is_drive = |part: &str| part.len() == 1 && part.chars().all(|c| c.is_ascii_alphabetic());
    match &unescaped[..] {
        [drive, path] if is_drive(drive) => format!("{drive}:{path}"),
        [_, drive, path, _] if is_drive(drive) => format!("{drive}:{path}"),
        [_, path, _] => path.clone(),
        // Mendeley: `:path:type`, or a path and a type.
        [path, kind] if !kind.contains(['/', '\\', '.']) => path.clone(),
        [_, path] => path.clone(),
        [path] => path.clone(),
        more => more.iter().max_by_key(|part| part.len()).cloned().unwrap_or_default(),
    }
}

/// Divides a text at a character that has no backslash before it.
fn divided(text: &str, sign: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut is_escaped = false;
    for c in text.chars() {
        if c == sign && !is_escaped {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    parts
}

/// Removes the backslashes before special characters. Backslashes in Windows paths stay.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match letters.peek() {
            Some(&next) if c == '\\' && matches!(next, ':' | ';' | '\\' | '_' | '&' | '%') => {
                out.push(next);
                letters.next();
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_out_of_the_forms_of_several_programs() {
        for (field, expect) in [
            ("rossi.pdf", vec!["rossi.pdf"]),
            ("Full Text:files/12/Full Text.pdf:application/pdf", vec!["files/12/Full Text.pdf"]),
            (
                "Full Text:files/12/a.pdf:application/pdf;Snapshot:files/14/s.html:text/html",
                vec!["files/12/a.pdf", "files/14/s.html"],
            ),
            (":papers/z.txt:TXT", vec!["papers/z.txt"]),
            ("PDF:C\\:\\\\Users\\\\a.pdf:application/pdf", vec!["C:\\Users\\a.pdf"]),
            ("C:\\Users\\a.pdf", vec!["C:\\Users\\a.pdf"]),
            ("/home/ana/a\\;b.pdf", vec!["/home/ana/a;b.pdf"]),
            ("", vec![]),
        ] {
            assert_eq!(listed(field), expect, "{field}");
        }
    }
}
