//! Titles of pages, without the parts that all pages of a site share.
//!
//! A site's name comes after the title (`Ownership - The Book`) or before it, sometimes in an
//! `<h1>` of every page. A part that many pages share does not distinguish them, so it is removed.
//! The pages that share it are counted for this.

use std::collections::HashMap;

use bincode::{Decode, Encode};

/// The candidates for a page's title.
#[derive(Clone, Debug, Default, Encode, Decode)]
pub(super) struct Names {
    /// Marked as the title by the site, or in front matter.
    pub explicit: Option<String>,
    /// The first heading of level 1.
    pub h1: Option<String>,
    /// `<title>`.
    pub tag: Option<String>,
    /// Number of headings of level 1.
    pub n_h1: u32,
    /// Short texts before the first heading.
    pub lead: Vec<String>,
}

/// The possible names of a page that does not state its own.
pub(super) struct Fallback<'a> {
    /// The first headings.
    pub headings: Vec<&'a String>,
    /// The path of the page.
    pub path: &'a str,
}

/// Separators between a title and the site's name. All except the colon need white space around
/// them.
const SEPARATORS: [&str; 19] = [
    " - ", " | ", " — ", " – ", " · ", " :: ", " » ", " • ", " ‹ ", " › ", " « ", " / ", " ~ ",
    " < ", " ⋅ ", " ∙ ", "｜", " : ", " -- ",
];

/// Smallest number of pages that must share an affix.
const MIN_SHARED: usize = 3;

/// Number of headings of a page that can be its title.
pub(super) const N_HEADINGS: usize = 3;

/// The group that contains every page.
const WHOLE_SITE: &str = "\0";

/// The affixes that pages share over the whole site and within a group: a part of a site (a
/// directory) can have its own name.
pub(super) struct Shared<'a> {
    suffixes: HashMap<(&'a str, &'a str), usize>,
    prefixes: HashMap<(&'a str, &'a str), usize>,
    h1s: HashMap<(&'a str, &'a str), usize>,
    tails: HashMap<(&'a str, &'a str), usize>,
    tags: HashMap<(&'a str, &'a str), usize>,
    sizes: HashMap<&'a str, usize>,
}

impl<'a> Shared<'a> {
    /// Counts the affixes of all pages, each with its group.
    pub fn of(pages: impl Iterator<Item = (&'a str, &'a Names)>) -> Self {
        let mut shared = Self {
            suffixes: HashMap::new(),
            prefixes: HashMap::new(),
            h1s: HashMap::new(),
            tails: HashMap::new(),
            tags: HashMap::new(),
            sizes: HashMap::new(),
        };
        for (group, names) in pages.flat_map(|(group, names)| [(group, names), (WHOLE_SITE, names)])
        {
            *shared.sizes.entry(group).or_default() += 1;
            if let Some(tag) = &names.tag {
                for (front, behind) in cuts(tag) {
                    *shared.suffixes.entry((group, &tag[front..])).or_default() += 1;
                    *shared.prefixes.entry((group, &tag[..behind])).or_default() += 1;
                }
                for front in brackets(tag) {
                    *shared.suffixes.entry((group, &tag[front..])).or_default() += 1;
                }
                *shared.tags.entry((group, tag)).or_default() += 1;
            }
            if let Some(h1) = &names.h1 {
                *shared.h1s.entry((group, h1)).or_default() += 1;
                for (at, _) in h1.match_indices(' ') {
                    *shared.tails.entry((group, &h1[at..])).or_default() += 1;
                }
            }
        }
        shared
    }

    fn is_shared(
        &self,
        counts: &HashMap<(&'a str, &'a str), usize>,
        group: &str,
        text: &str,
        share: usize,
    ) -> bool {
        [group, WHOLE_SITE].into_iter().any(|group| {
            let count = counts.get(&(group, text)).copied().unwrap_or(0);
            count >= MIN_SHARED
                && count * 100 >= share * self.sizes.get(group).copied().unwrap_or(0)
        })
    }

    /// Returns the `<title>` without the site's name.
    fn stripped<'t>(&self, group: &str, tag: &'t str) -> &'t str {
        let cuts = cuts(tag);
        if let Some((front, _)) =
            cuts.iter().find(|(front, _)| self.is_shared(&self.suffixes, group, &tag[*front..], 30))
        {
            return &tag[..*front];
        }
        let bracket = brackets(tag)
            .into_iter()
            .find(|front| self.is_shared(&self.suffixes, group, &tag[*front..], 30));
        if let Some(front) = bracket {
            return &tag[..front];
        }
        if let Some((_, behind)) = cuts
            .iter()
            .rev()
            .find(|(_, behind)| self.is_shared(&self.prefixes, group, &tag[..*behind], 50))
        {
            return &tag[*behind..];
        }
        tag
    }

    /// Returns the title of a page. The first of these that exists is taken: the marked title; its
    /// `<h1>`, unless most pages share it; its `<title>` without the site's name, unless most pages
    /// share it; its first heading that they do not share; the name of its file. If there are
    /// several `<h1>`, or if a text before the only one is the `<title>`, an `<h1>` is taken only
    /// if it and the `<title>` are alike.
    pub fn title(&self, group: &str, names: &Names, fallback: &Fallback) -> String {
        if let Some(explicit) = names.explicit.as_deref().filter(|title| !title.is_empty()) {
            return explicit.to_owned();
        }
        let whole = names.tag.as_deref();
        let is_everywhere = whole.is_some_and(|tag| self.is_shared(&self.tags, group, tag, 50));
        let tag = whole.map(|tag| self.stripped(group, tag));
        let tag = tag.filter(|tag| !tag.is_empty() && !is_everywhere);
        // `The manual: Section 2.21`, above the heading `2.21 Machines`.
        let tag = tag.filter(|tag| fallback.headings.is_empty() || !is_bare_number(tag));
        let any_h1 = names.h1.as_deref().filter(|h1| !h1.is_empty());
        let is_own = |h1: &&str| whole.is_none() || !self.is_shared(&self.h1s, group, h1, 50);
        let h1 = any_h1.filter(is_own);
        match (h1, tag) {
            (Some(h1), Some(tag)) if !are_alike(h1, tag) && names.is_headed_by(tag) => {
                tag.to_owned()
            }
            (Some(h1), tag) => {
                // `git-add(1) Manual Page`: the end is the same on every page.
                let tail = tag
                    .and_then(|tag| h1.strip_prefix(tag))
                    .filter(|tail| self.is_shared(&self.tails, group, tail, 50));
                h1[..h1.len() - tail.map_or(0, str::len)].to_owned()
            }
            (None, Some(tag)) => tag.to_owned(),
            (None, None) => {
                let own = |heading: &str| {
                    !self.is_shared(&self.h1s, group, heading, 50)
                        && whole.is_none_or(|tag| tag != heading)
                };
                match fallback.headings.iter().find(|heading| own(heading)) {
                    Some(heading) => (*heading).clone(),
                    None => any_h1.map_or_else(|| from_path(fallback.path), str::to_owned),
                }
            }
        }
    }
}

impl Names {
    /// Returns whether the `<title>` is the page's name instead of its heading of level 1: there
    /// are several such headings, or the title is before the heading.
    fn is_headed_by(&self, tag: &str) -> bool {
        self.n_h1 > 1 || self.lead.iter().any(|text| plain(text) == plain(tag))
    }
}

/// Returns whether a title only has the number of a part of a book.
fn is_bare_number(title: &str) -> bool {
    let (kind, number) = title.trim().rsplit_once(' ').unwrap_or(("", title.trim()));
    let kind = kind.to_lowercase();
    matches!(kind.as_str(), "section" | "chapter" | "part" | "appendix" | "page" | "sec." | "chap.")
        && number.ends_with(|c: char| c.is_alphanumeric() || c == '.')
        && number.chars().all(|c| c.is_ascii_digit() || c == '.' || c.is_ascii_uppercase())
}

fn plain(title: &str) -> String {
    title.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns whether a heading and a title have the same text, except for additional text in one of
/// them.
fn are_alike(h1: &str, tag: &str) -> bool {
    let (h1, tag) = (plain(h1), plain(tag));
    !h1.is_empty() && !tag.is_empty() && (h1.contains(&tag) || tag.contains(&h1))
}

/// Returns the places where brackets that end with the title begin: `Anchors (The manual (version
/// 2))`.
fn brackets(title: &str) -> Vec<usize> {
    let Some((open, close)) = title.chars().next_back().and_then(|last| match last {
        ')' => Some(('(', ')')),
        ']' => Some(('[', ']')),
        '】' => Some(('【', '】')),
        _ => None,
    }) else {
        return Vec::new();
    };
    let mut depth = 0;
    for (at, c) in title.char_indices().rev() {
        depth += i32::from(c == close) - i32::from(c == open);
        if depth == 0 {
            let front = title[..at].trim_end().len();
            return if front > 0 && front < at { vec![front] } else { Vec::new() };
        }
    }
    Vec::new()
}

/// Returns the places where a title can be cut: (start, end) of each separator, in order.
fn cuts(title: &str) -> Vec<(usize, usize)> {
    let mut cuts: Vec<(usize, usize)> = SEPARATORS
        .iter()
        .flat_map(|separator| {
            title.match_indices(separator).map(|(at, found)| (at, at + found.len()))
        })
        .chain(title.match_indices(": ").map(|(at, found)| (at, at + found.len())))
        .filter(|&(front, behind)| front > 0 && behind < title.len())
        .collect();
    cuts.sort_unstable();
    cuts
}

/// Returns a title made from a file's name: `getting-started.md` -> `Getting started`.
pub(super) fn from_path(path: &str) -> String {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or(path);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let name = match stem {
        "index" | "_index" | "README" | "readme" | "" => {
            parts.next().filter(|dir| !dir.is_empty()).unwrap_or(stem)
        }
        _ => stem,
    };
    let words = name.trim_start_matches('_').replace(['-', '_'], " ");
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(pages: &[(&str, &str)]) -> Vec<String> {
        let names: Vec<Names> = pages
            .iter()
            .map(|(h1, tag)| Names {
                explicit: None,
                h1: Some((*h1).to_owned()).filter(|h1| !h1.is_empty()),
                tag: Some((*tag).to_owned()).filter(|tag| !tag.is_empty()),
                ..Names::default()
            })
            .collect();
        let shared = Shared::of(names.iter().map(|names| ("", names)));
        let fallback = Fallback { headings: Vec::new(), path: "file" };
        names.iter().map(|names| shared.title("", names, &fallback)).collect()
    }

    #[test]
    fn the_name_of_the_site_is_taken_off_the_title() {
        let found = titles(&[
            ("", "Ownership - The Book"),
            ("", "Slices - The Book"),
            ("", "Using - or not - dashes - The Book"),
        ]);
        assert_eq!(found, ["Ownership", "Slices", "Using - or not - dashes"]);
        let found = titles(&[
            ("", "The Book | Ownership"),
            ("", "The Book | Slices"),
            ("", "The Book | Strings"),
        ]);
        assert_eq!(found, ["Ownership", "Slices", "Strings"]);
    }

    #[test]
    fn a_number_alone_is_no_title() {
        let titled = |tag: &str, heading: Option<&String>| {
            let names = Names { tag: Some(tag.to_owned()), ..Names::default() };
            let shared = Shared::of(std::iter::once(("", &names)));
            let headings = heading.into_iter().collect();
            shared.title("", &names, &Fallback { headings, path: "file" })
        };
        let heading = "2.21 Machines".to_owned();
        assert_eq!(titled("Section 2.21", Some(&heading)), heading);
        assert_eq!(titled("Appendix B", Some(&heading)), heading);
        assert_eq!(titled("Section 2.21", None), "Section 2.21");
        assert_eq!(titled("Section Eight", Some(&heading)), "Section Eight");
        assert_eq!(titled("Windows 2000", Some(&heading)), "Windows 2000");
    }

    #[test]
    fn two_hyphens_separate_like_a_dash() {
        let found = titles(&[
            ("", "Oven -- Introduction"),
            ("", "Oven -- Records"),
            ("", "Oven -- Processes"),
        ]);
        assert_eq!(found, ["Introduction", "Records", "Processes"]);
    }

    #[test]
    fn what_one_page_alone_says_stays() {
        assert_eq!(titles(&[("", "C - a language"), ("", "Slices")])[0], "C - a language");
    }

    #[test]
    fn a_heading_wins_unless_every_page_has_it() {
        assert_eq!(
            titles(&[
                ("What Is Ownership?", "Ownership - Book"),
                ("", "Slices - Book"),
                ("", "X - Book")
            ])[0],
            "What Is Ownership?"
        );
        let found = titles(&[
            ("Book", "Ownership - Book"),
            ("Book", "Slices - Book"),
            ("Book", "Strings - Book"),
        ]);
        assert_eq!(found, ["Ownership", "Slices", "Strings"]);
    }

    #[test]
    fn below_the_name_of_the_site_a_page_is_named_by_its_next_heading() {
        let book = "Book".to_owned();
        let names = Names { h1: Some(book.clone()), tag: Some(book.clone()), ..Names::default() };
        let shared = Shared::of([("", &names); 3].into_iter());
        let title = |next: &String| {
            let fallback = Fallback { headings: vec![&book, next], path: "file" };
            shared.title("", &names, &fallback)
        };
        assert_eq!(title(&"Ownership".to_owned()), "Ownership");
        assert_eq!(title(&book), "Book", "no other name");
    }

    #[test]
    fn a_tail_that_headings_share_is_taken_off() {
        let found = titles(&[
            ("git-add(1) Manual Page", "git-add(1)"),
            ("git-rm(1) Manual Page", "git-rm(1)"),
            ("git-mv(1) Manual Page", "git-mv(1)"),
            ("A Git tutorial", "A Git tutorial"),
        ]);
        assert_eq!(found, ["git-add(1)", "git-rm(1)", "git-mv(1)", "A Git tutorial"]);
    }

    #[test]
    fn names_of_files() {
        for (path, title) in [
            ("guide/getting-started.md", "Getting started"),
            ("guide/index.html", "Guide"),
            ("index.html", "Index"),
        ] {
            assert_eq!(from_path(path), title);
        }
    }
}
