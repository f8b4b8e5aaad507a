//! BibTeX and BibLaTeX.

use biblatex::{Bibliography, ChunksExt, Entry};

use super::paper::{self, Kind, Paper};
use crate::sources::notes::Notes;

/// Deepest nesting of braces that the parser is given: it calls itself for each.
const MAX_DEPTH: usize = 100;

/// Reads a bibliography. Entries that cannot be read are named and left out.
pub(super) fn read(text: &str, notes: &mut Notes) -> Vec<Paper> {
    if nests_too_deep(text) {
        return one_by_one(text, notes);
    }
    match Bibliography::parse(text) {
        Ok(bibliography) => bibliography.iter().map(paper_of).collect(),
        Err(_) => one_by_one(text, notes),
    }
}

/// Reads each entry by itself, so that one that is damaged does not hide the others. References
/// between entries are not followed then.
fn one_by_one(text: &str, notes: &mut Notes) -> Vec<Paper> {
    let mut papers: Vec<Paper> = Vec::new();
    let mut abbreviations = String::new();
    for (line, entry) in entries(text) {
        let kind = entry.trim_start_matches('@').trim_start().to_ascii_lowercase();
        if kind.starts_with("comment") || kind.starts_with("preamble") {
            continue;
        }
        if nests_too_deep(entry) {
            notes.malformed(line, &format!("nests braces more than {MAX_DEPTH} levels deep"));
            continue;
        }
        if kind.starts_with("string") {
            match Bibliography::parse(entry) {
                Ok(_) => abbreviations.push_str(entry),
                Err(error) => notes.malformed(line, &reason(&error)),
            }
            continue;
        }
        match Bibliography::parse(&format!("{abbreviations}\n{entry}")) {
            Ok(found) => papers.extend(found.iter().map(paper_of)),
            Err(error) => notes.malformed(line, &reason(&error)),
        }
    }
    papers
}

fn reason(error: &biblatex::ParseError) -> String {
    format!("is no entry of BibTeX ({})", error.kind)
}

/// The entries of a bibliography, which begin with `@` at the start of a line, with their lines.
fn entries(text: &str) -> Vec<(u64, &str)> {
    let mut starts: Vec<(u64, usize)> = Vec::new();
    let mut at = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if line.trim_start().starts_with('@') {
            starts.push((number, at));
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(_, at)| *at).chain([text.len()]);
    starts.iter().zip(ends).map(|(&(number, start), end)| (number, &text[start..end])).collect()
}

fn nests_too_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

fn paper_of(entry: &Entry) -> Paper {
    let text = |names: &[&str]| {
        let mut found = names.iter().filter_map(|name| entry.get(name));
        found.next().map(|chunks| chunks.format_verbatim()).unwrap_or_default()
    };
    let people = entry.author().ok().filter(|people| !people.is_empty()).or_else(|| {
        Some(entry.editors().ok()?.into_iter().flat_map(|(people, _)| people).collect())
    });
    let people = people.unwrap_or_default();
    let authors = people.iter().map(|person| {
        let parts = [&person.given_name, &person.prefix, &person.name, &person.suffix];
        let parts: Vec<&str> =
            parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
        parts.join(" ")
    });
    let mut title = text(&["title"]);
    if let Some(subtitle) = entry.get("subtitle") {
        title = format!("{title}: {}", subtitle.format_verbatim());
    }
    let kind = entry.entry_type.to_string();
    // arXiv and others: `@misc` with an `eprint`.
    let kind = match Kind::of(&kind) {
        Kind::Other if entry.get("eprint").is_some() => Kind::Preprint,
        kind => kind,
    };
    let keywords = text(&["keywords", "keyword"]);
    Paper {
        key: entry.key.clone(),
        kind,
        title,
        authors: authors.collect(),
        year: paper::year(&text(&["date", "year"])),
        venue: text(&[
            "journaltitle",
            "journal",
            "booktitle",
            "eventtitle",
            "series",
            "institution",
            "school",
            "publisher",
            "organization",
            "howpublished",
        ]),
        doi: paper::doi(&text(&["doi"])),
        url: text(&["url"]),
        abstract_text: text(&["abstract"]),
        keywords: paper::list(&keywords),
        language: String::new(),
        files: text(&["file"]).split(';').map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> (Vec<String>, Vec<u64>) {
        let mut notes = Notes::default();
        let papers = read(text, &mut notes);
        (papers.into_iter().map(|paper| paper.key).collect(), notes.lines())
    }

    #[test]
    fn a_damaged_entry_does_not_hide_the_others() {
        let text = "@string{jacm = {Journal of the ACM}}\n@article{a, title = {One}, journal = \
                    jacm}\n\n@article{b, title = {Two\n\n@book{c, title = {Three}}\n";
        assert_eq!(keys(text), (vec!["a".into(), "c".into()], vec![4]));
        let papers = read(text, &mut Notes::default());
        assert_eq!(papers[0].venue, "Journal of the ACM");
    }

    #[test]
    fn braces_without_end_are_no_danger() {
        let text = format!(
            "@article{{a, title = {}x{}}}\n@book{{b, title={{T}}}}\n",
            "{".repeat(100_000),
            "}".repeat(100_000)
        );
        assert_eq!(keys(&text), (vec!["b".into()], vec![1]));
        assert_eq!(keys("no entry at all"), (vec![], vec![]));
    }
}
