//! Versions of a page: `v1/install.html` and `latest/install.html`. The latest comes first.
//!
//! The versions of a documentation have nearly the same pages, so their scores differ by chance. A
//! factor for each older version puts them in order, unless a query says which version it is about.

use std::cmp::Reverse;
use std::collections::HashMap;

use findling_engine::BOOST;

use super::attributes::Raw;
use super::outline::fold;
use super::{Format, Options, RawPage, boosts_and_pins};

/// The divisor of a score grows by `FIRST` for the first newer version, and by `STEP` for each
/// further one. More than that would lead readers who name a version to another.
const FIRST: f64 = 0.08;
const STEP: f64 = 0.04;

/// Directories of the version that readers are led to.
const CURRENT: [&str; 3] = ["stable", "current", "latest"];

/// Directories of a version that is not yet released.
const UNRELEASED: [&str; 12] = [
    "next",
    "dev",
    "devel",
    "develop",
    "main",
    "master",
    "trunk",
    "nightly",
    "edge",
    "canary",
    "unreleased",
    "preview",
];

/// Directories whose numbers are those of pages in a list.
const LISTS: [&str; 3] = ["page", "pages", "p"];

/// Most digits of a number in a version: longer ones are dates and identifiers.
const MAX_DIGITS: usize = 4;

/// A version by its directory's name; a later one is greater.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Version {
    Unreleased,
    /// The numbers, and whether it is no preliminary version of these.
    Released(Vec<u32>, bool),
    /// The place in [`CURRENT`].
    Current(usize),
    /// The page beside the directories of the versions.
    Beside,
}

impl Version {
    fn parse(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        if let Some(at) = CURRENT.iter().position(|current| *current == name) {
            return Some(Self::Current(at));
        }
        if UNRELEASED.contains(&name.as_str()) {
            return Some(Self::Unreleased);
        }
        let marks = ["version-", "release-", "v"];
        let number = marks.iter().find_map(|mark| name.strip_prefix(mark)).unwrap_or(&name);
        let (number, rest) = number.split_once(['-', '_']).unwrap_or((number, ""));
        let is_marked = number.len() < name.len() || number.contains('.');
        let part = |part: &str| match part {
            "x" => Some(u32::MAX),
            _ if (1..=MAX_DIGITS).contains(&part.len()) => part.parse().ok(),
            _ => None,
        };
        let parts: Vec<u32> = number.split('.').map(part).collect::<Option<_>>()?;
        // A number alone is more often that of a chapter, or a year.
        let is_plausible = is_marked || (10..1000).contains(&parts[0]);
        (parts[0] != u32::MAX && is_plausible).then_some(Self::Released(parts, rest.is_empty()))
    }
}

/// Returns the version of a page, and the page's path without it.
fn split(path: &str) -> Option<(Version, String)> {
    let mut from = 0;
    let mut before = "";
    for (slash, _) in path.match_indices('/') {
        let name = &path[from..slash];
        if let Some(version) = Version::parse(name).filter(|_| !LISTS.contains(&before)) {
            return Some((version, format!("{}{}", &path[..from], &path[slash + 1..])));
        }
        (before, from) = (name, slash + 1);
    }
    None
}

/// Gives the older versions of a page a lower factor, if nobody has given the page one.
pub(super) fn apply(pages: &mut [RawPage], options: &Options) {
    let mut versions: HashMap<(String, String), Vec<(Version, usize)>> = HashMap::new();
    let is_prose =
        |raw: &&RawPage| !matches!(raw.format, Some(Format::Code | Format::Chats | Format::Papers));
    for (at, raw) in pages.iter().enumerate().filter(|(_, raw)| is_prose(raw)) {
        let path = boosts_and_pins::path_of(raw, options);
        let (version, rest) = split(path).unwrap_or_else(|| (Version::Beside, path.to_owned()));
        // Chapters with numbers have titles of their own.
        versions.entry((rest, title(raw))).or_default().push((version, at));
    }
    for mut group in versions.into_values().filter(|group| group.len() > 1) {
        group.sort_by_key(|(version, _)| Reverse(version.clone()));
        let mut newer = 0;
        for pair in group.windows(2) {
            newer += u32::from(pair[0].0 != pair[1].0);
            let factor = 1.0 / (1.0 + FIRST - STEP + STEP * f64::from(newer));
            let attributes = &mut pages[pair[1].1].attributes;
            if newer > 0 {
                attributes.entry(BOOST.to_owned()).or_insert(Raw::Number(factor));
            }
        }
    }
}

/// Returns the title of a page without the words that name a version.
fn title(raw: &RawPage) -> String {
    let words = raw.page.title.split_whitespace();
    let is_version =
        |word: &str| word.contains(|c: char| c.is_ascii_digit()) && Version::parse(word).is_some();
    let others: Vec<&str> = words.filter(|word| !is_version(word)).collect();
    fold(&others.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(id: &str, title: &str) -> RawPage {
        let mut raw = RawPage { path: id.into(), format: Some(Format::Html), ..RawPage::default() };
        raw.page.id = id.to_owned();
        raw.page.title = title.to_owned();
        raw
    }

    /// Returns the paths by their factors, highest first, and those without a factor before them.
    fn in_order(paths: &[&str]) -> Vec<String> {
        let mut pages: Vec<RawPage> = paths.iter().map(|path| page(path, "Install")).collect();
        apply(&mut pages, &Options::default());
        let factor = |raw: &RawPage| match raw.attributes.get(BOOST) {
            Some(Raw::Number(factor)) => *factor,
            _ => 1.0,
        };
        pages.sort_by(|a, b| factor(b).total_cmp(&factor(a)));
        pages.into_iter().map(|raw| raw.page.id).collect()
    }

    #[test]
    fn the_latest_version_is_first_and_numbers_count_as_numbers() {
        for expect in [
            &["latest/a.html", "v3/a.html", "v2/a.html", "v1/a.html"][..],
            &["stable/a.html", "2.0/a.html", "1.10/a.html", "1.9/a.html", "dev/a.html"],
            &["docs/17/a.html", "docs/16/a.html", "docs/9.6/a.html"],
            &["v10/a.html", "v9/a.html"],
            &["en/2.x/a.html", "en/2.1/a.html", "en/2.1-beta1/a.html"],
            &["docs/a.html", "docs/1.1.0/a.html", "docs/1.0.0/a.html", "docs/next/a.html"],
        ] {
            let mut paths = expect.to_vec();
            for _ in 0..paths.len() {
                paths.rotate_left(1);
                assert_eq!(in_order(&paths), expect);
            }
        }
    }

    #[test]
    fn what_is_no_version_keeps_its_score() {
        for paths in [
            &["page/11/index.html", "page/12/index.html"][..],
            &["lesson/1/exercise.html", "lesson/2/exercise.html"],
            &["blog/2023/a.html", "blog/2024/a.html"],
            &["v1/a.html", "v2/b.html"],
            &["guide/a.html", "reference/a.html"],
        ] {
            let mut pages: Vec<RawPage> = paths.iter().map(|path| page(path, "Install")).collect();
            apply(&mut pages, &Options::default());
            assert!(pages.iter().all(|raw| !raw.attributes.contains_key(BOOST)), "{paths:?}");
        }
        let mut chapters = [page("book/1/index.html", "Begin"), page("book/2/index.html", "Go on")];
        apply(&mut chapters, &Options::default());
        assert!(chapters.iter().all(|raw| !raw.attributes.contains_key(BOOST)));
    }

    #[test]
    fn a_version_in_the_title_and_a_factor_of_the_site_are_kept() {
        let mut pages = [page("v1/a.html", "Install v1"), page("v2/a.html", "Install v2")];
        pages[0].attributes.insert(BOOST.to_owned(), Raw::Number(3.0));
        apply(&mut pages, &Options::default());
        assert!(matches!(pages[0].attributes[BOOST], Raw::Number(3.0)));
        let mut pages = [page("v1/a.html", "Install v1"), page("v2/a.html", "Install v2")];
        apply(&mut pages, &Options::default());
        assert!(pages[0].attributes.contains_key(BOOST));
        assert!(!pages[1].attributes.contains_key(BOOST));
    }
}
