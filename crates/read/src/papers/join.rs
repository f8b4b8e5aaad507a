//! The join of a paper with its text, which is found among the files beside the bibliography.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::super::file::follow;
use super::super::{Format, RawPage};
use super::Paper;
use super::chunk_types::ChunkType;
use findling_bundle::AttributeValue;
use findling_page::page::Section;

/// Shortest title, in letters, that is found as the name of a file.
const MIN_TITLE: usize = 12;

/// The name under which a page's further data have the file of its text, below the root.
const FILE: &str = "file";

/// Joins papers with their texts. A text that belongs to a paper does not become a separate page; a
/// further text of the paper becomes a page with the paper's metadata.
pub(crate) fn join(pages: &mut Vec<RawPage>) {
    let texts = Texts::of(pages);
    let mut owners: HashMap<usize, usize> = HashMap::new();
    let mut own: HashMap<usize, usize> = HashMap::new();
    // Paths are more reliable than names: a text that one entry names by its path does not belong
    // to another.
    for find in [Texts::by_path, Texts::by_name, Texts::by_stem] {
        for (at, raw) in pages.iter().enumerate() {
            let Some(paper) = &raw.paper else { continue };
            for text in find(&texts, paper, &raw.page.id) {
                if let Entry::Vacant(owner) = owners.entry(text) {
                    owner.insert(at);
                    own.entry(at).or_insert(text);
                }
            }
        }
    }
    for (&text, &at) in &owners {
        if own.get(&at) != Some(&text) {
            describe_as(text, at, pages);
        }
    }
    let mut found: Vec<(usize, RawPage)> = Vec::new();
    for (&at, &text) in &own {
        found.push((at, std::mem::take(&mut pages[text])));
    }
    let joined: HashSet<usize> = own.into_values().collect();
    for (at, document) in found {
        merge(&mut pages[at], document);
    }
    let mut at = 0;
    pages.retain(|_| {
        at += 1;
        !joined.contains(&(at - 1))
    });
    for raw in pages {
        raw.paper = None;
    }
}

/// The texts of papers, by the names that entries use.
struct Texts {
    /// Texts by their paths below the root, in lower case.
    by_path: HashMap<String, usize>,
    /// Texts by the last parts of their paths.
    by_name: HashMap<String, Vec<(String, usize)>>,
    by_stem: HashMap<String, usize>,
    /// Number of entries that name a file of this name.
    named: HashMap<String, usize>,
}

impl Texts {
    fn of(pages: &[RawPage]) -> Self {
        let (mut by_path, mut by_name) = (HashMap::new(), HashMap::<_, Vec<_>>::new());
        let (mut by_stem, mut named) = (HashMap::new(), HashMap::new());
        for (at, raw) in pages.iter().enumerate() {
            if let Some(paper) = &raw.paper {
                let names: HashSet<String> =
                    paper.files.iter().map(|file| last(&path(file))).collect();
                for name in names {
                    *named.entry(name).or_insert(0) += 1;
                }
            } else if raw.format == Some(Format::Papers) {
                let path = path(&raw.page.id);
                let name = last(&path);
                let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
                by_stem.entry(letters(stem)).or_insert(at);
                by_name.entry(name).or_default().push((path.clone(), at));
                by_path.entry(path).or_insert(at);
            }
        }
        Self { by_path, by_name, by_stem, named }
    }

    /// Returns the texts whose paths an entry gives: from the bibliography, from the root, or
    /// absolute.
    fn by_path(&self, paper: &Paper, id: &str) -> Vec<usize> {
        let id = path(id);
        let key = paper.key.to_lowercase();
        let bibliography = id.strip_suffix(&key).unwrap_or(&id).trim_end_matches('/');
        let directory = bibliography.rsplit_once('/').map_or("", |(directory, _)| directory);
        let of = |file: &String| {
            let file = path(file);
            let beside = path(&format!("{directory}/{file}"));
            let whole = self.by_path.get(&beside).or_else(|| self.by_path.get(&file));
            whole.copied().or_else(|| self.by_end(&file))
        };
        paper.files.iter().filter_map(of).collect()
    }

    /// Returns the text whose path has the same end as a given path elsewhere, at least the
    /// directory and the name.
    fn by_end(&self, file: &str) -> Option<usize> {
        let known = self.by_name.get(&last(file))?;
        let parts = |path: &str| path.split('/').map(str::to_owned).rev().collect::<Vec<_>>();
        let wanted = parts(file);
        let alike =
            |path: &str| parts(path).iter().zip(&wanted).take_while(|(a, b)| a == b).count();
        let most = known.iter().map(|(path, _)| alike(path)).max().filter(|most| *most >= 2)?;
        let mut best = known.iter().filter(|(path, _)| alike(path) == most);
        let (_, at) = best.next()?;
        best.next().is_none().then_some(*at)
    }

    /// Returns the texts with the names that an entry gives, if no other text and no other entry
    /// has that name.
    fn by_name(&self, paper: &Paper, _: &str) -> Vec<usize> {
        let of = |file: &String| {
            let name = last(&path(file));
            match self.by_name.get(&name).map(Vec::as_slice) {
                Some([(_, at)]) if self.named.get(&name) == Some(&1) => Some(*at),
                _ => None,
            }
        };
        paper.files.iter().filter_map(of).collect()
    }

    /// Returns the text with the name of a paper's key, DOI or title.
    fn by_stem(&self, paper: &Paper, _: &str) -> Vec<usize> {
        let title = letters(&paper.title);
        let names = [letters(&paper.key), letters(&paper.doi), title.clone()];
        let is_told = |name: &&String| **name != title || title.chars().count() >= MIN_TITLE;
        let stems = names.iter().filter(|name| !name.is_empty()).filter(is_told);
        stems.filter_map(|name| self.by_stem.get(name).copied()).take(1).collect()
    }
}

/// Returns a path in lower case, with `/`, without `.` and `..`.
fn path(text: &str) -> String {
    let text = text.trim().to_lowercase().replace('\\', "/");
    let text = text.strip_prefix("file://").unwrap_or(&text);
    let mut parts: Vec<&str> = Vec::new();
    follow(&mut parts, text);
    parts.join("/")
}

fn last(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Returns only the letters and digits of a text, in lower case: file names cannot have the signs
/// of DOIs and titles.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Gives a further text of a paper the paper's metadata.
fn describe_as(text: usize, paper: usize, pages: &mut [RawPage]) {
    let (attributes, meta) = (pages[paper].attributes.clone(), pages[paper].page.meta.clone());
    let title = pages[paper].page.title.clone();
    let raw = &mut pages[text];
    raw.attributes = attributes;
    raw.page.meta = meta;
    raw.page.title = format!("{title} ({})", raw.page.id.rsplit('/').next().unwrap_or_default());
}

fn is_of_kind(section: &Section, kind: ChunkType) -> bool {
    let found = section.attributes.get("chunk_type");
    matches!(found, Some(AttributeValue::String(found)) if found == kind.name())
}

/// Gives a paper the sections and the address of its text.
fn merge(paper: &mut RawPage, document: RawPage) {
    let has_abstract =
        document.page.sections.iter().any(|section| is_of_kind(section, ChunkType::Abstract));
    if has_abstract {
        paper.page.sections.retain(|section| !is_of_kind(section, ChunkType::Abstract));
    }
    // The anchors of the text apply; the abstract from the bibliography is not in it.
    for section in &mut paper.page.sections {
        section.anchor = None;
    }
    paper.page.sections.extend(document.page.sections);
    paper.page.url = document.page.url;
    paper.page.meta.push((FILE.to_owned(), document.page.id));
    paper.path = document.path;
    paper.left_out.extend(document.left_out);
}
