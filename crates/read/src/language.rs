//! Languages from paths: `docs/ja/start.md` is in Japanese.

use std::collections::{BTreeMap, BTreeSet};

/// Languages that sites are translated into (ISO 639-1 and a few of three letters).
const LANGUAGES: [&str; 72] = [
    "af", "am", "ar", "az", "be", "bg", "bn", "bs", "ca", "cs", "cy", "da", "de", "el", "en", "eo",
    "es", "et", "eu", "fa", "fi", "fil", "fr", "ga", "gl", "gu", "he", "hi", "hr", "hu", "hy",
    "id", "is", "it", "ja", "ka", "kk", "km", "kn", "ko", "lt", "lv", "mk", "ml", "mn", "mr", "ms",
    "my", "nb", "ne", "nl", "nn", "no", "pa", "pl", "pt", "ro", "ru", "si", "sk", "sl", "sq", "sr",
    "sv", "sw", "ta", "te", "th", "tr", "uk", "ur", "vi",
];

/// Codes that count as a language even without a directory of another language beside them, because
/// directories have these names only for languages.
const UNMISTAKABLE: [&str; 12] =
    ["en", "fr", "ja", "zh", "ko", "ru", "pl", "uk", "tr", "vi", "zh-cn", "pt-br"];

/// Returns the language that a directory's name denotes, with its subtags in the usual spelling.
pub(super) fn code(name: &str) -> Option<String> {
    let mut parts = name.split(['-', '_']);
    let language = parts.next()?.to_ascii_lowercase();
    if language != "zh" && LANGUAGES.binary_search(&language.as_str()).is_err() {
        return None;
    }
    let mut tag = language;
    for part in parts {
        tag.push('-');
        match part.len() {
            2 if part.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
                tag.push_str(&part.to_ascii_uppercase())
            }
            3 if part.bytes().all(|byte| byte.is_ascii_digit()) => tag.push_str(part),
            4 if part.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
                tag.push_str(&part[..1].to_ascii_uppercase());
                tag.push_str(&part[1..].to_ascii_lowercase());
            }
            _ => return None,
        }
    }
    Some(tag)
}

/// Returns whether a directory's name is the code of a language.
pub(super) fn is_language(name: &str) -> bool {
    code(name).is_some()
}

/// The directories of a site that contain one language each.
pub(super) struct Directories {
    by_path: BTreeMap<String, String>,
}

impl Directories {
    /// Finds directories whose names are languages, if the directory of another language is beside
    /// them or the code is unmistakable.
    pub fn of<'a>(paths: impl Iterator<Item = &'a str>) -> Self {
        let mut children: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for path in paths {
            for (slash, _) in path.match_indices('/') {
                let directory = &path[..slash];
                let (parent, name) = directory.rsplit_once('/').unwrap_or(("", directory));
                if code(name).is_some() {
                    children.entry(parent).or_default().insert(name);
                }
            }
        }
        let mut by_path = BTreeMap::new();
        for (parent, names) in children {
            for name in &names {
                let sure =
                    names.len() > 1 || UNMISTAKABLE.contains(&name.to_ascii_lowercase().as_str());
                if let Some(code) = code(name).filter(|_| sure) {
                    by_path.insert(
                        if parent.is_empty() {
                            (*name).to_owned()
                        } else {
                            format!("{parent}/{name}")
                        },
                        code,
                    );
                }
            }
        }
        Self { by_path }
    }

    /// Returns the language of a page: the language of the outermost such directory in its path.
    pub fn language(&self, path: &str) -> Option<&str> {
        self.directory(path).map(|(_, language)| language)
    }

    fn directory<'p>(&self, path: &'p str) -> Option<(&'p str, &str)> {
        if self.by_path.is_empty() {
            return None;
        }
        let mut above = path.match_indices('/').map(|(slash, _)| &path[..slash]);
        above.find_map(|directory| Some((directory, self.by_path.get(directory)?.as_str())))
    }

    /// Forgets directories that hold no translation. In such a directory, most of the pages whose
    /// text shows a language are in another language, as in a department `it/`; or no text shows
    /// its language and no page has a counterpart beside the directory. `said` has the pages with
    /// the languages of their texts; `all` has all paths.
    pub fn keep_true(&mut self, said: &[(String, Option<&str>)], all: &[&str]) {
        let mut votes: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (path, found) in said {
            let Some((directory, language)) = self.directory(path) else { continue };
            let vote = votes.entry(directory.to_owned()).or_default();
            if let Some(found) = found {
                match are_alike(language, found) {
                    true => vote.0 += 1,
                    false => vote.1 += 1,
                }
            }
        }
        let all: BTreeSet<&str> = all.iter().copied().collect();
        let has_like = |directory: &str, by_path: &BTreeMap<String, String>| {
            let (parent, _) = directory.rsplit_once('/').unwrap_or(("", directory));
            let join = |above: &str, name: &str| match above {
                "" => name.to_owned(),
                above => format!("{above}/{name}"),
            };
            let beside: Vec<&String> = by_path
                .keys()
                .filter(|other| {
                    other.as_str() != directory
                        && other.rsplit_once('/').map_or("", |(above, _)| above) == parent
                })
                .collect();
            said.iter().filter(|(path, _)| path.starts_with(&format!("{directory}/"))).any(
                |(path, _)| {
                    let rest = &path[directory.len() + 1..];
                    let is_index = rest.starts_with("index.") || rest.starts_with("_index.");
                    let in_others =
                        beside.iter().any(|other| all.contains(join(other, rest).as_str()));
                    in_others || (!is_index && all.contains(join(parent, rest).as_str()))
                },
            )
        };
        let kept: BTreeSet<String> = self
            .by_path
            .keys()
            .filter(|directory| {
                let (for_it, against) = votes.get(*directory).copied().unwrap_or_default();
                if for_it + against > 0 {
                    return for_it >= against;
                }
                let name = directory.rsplit('/').next().unwrap_or(directory);
                UNMISTAKABLE.contains(&name.to_ascii_lowercase().as_str())
                    || has_like(directory, &self.by_path)
            })
            .cloned()
            .collect();
        self.by_path.retain(|directory, _| kept.contains(directory));
    }
}

/// Returns whether a text in one language may be mistaken for a text in the other.
fn are_alike(declared: &str, found: &str) -> bool {
    const FAMILIES: [&[&str]; 9] = [
        &["da", "nb", "nn", "no", "sv"],
        &["hr", "sr", "bs", "sl", "mk", "bg"],
        &["id", "ms"],
        &["pt", "gl", "es", "ca"],
        &["cs", "sk"],
        &["ru", "uk", "be"],
        &["hi", "mr", "ne"],
        &["nl", "af"],
        &["az", "tr", "tk"],
    ];
    let base = |tag: &str| tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
    let (declared, found) = (base(declared), base(found));
    declared == found
        || FAMILIES.iter().any(|family| family.contains(&&*declared) && family.contains(&&*found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_in_several_languages() {
        let paths = ["docs/en/a.md", "docs/pt-br/a.md", "docs/it/a.md", "docs/guide/a.md"];
        let found = Directories::of(paths.into_iter());
        let languages: Vec<_> = paths.iter().map(|path| found.language(path)).collect();
        assert_eq!(languages, [Some("en"), Some("pt-BR"), Some("it"), None]);
    }

    #[test]
    fn a_directory_that_is_called_like_a_language_by_chance() {
        let found = Directories::of(["no/a.md", "guide/b.md"].into_iter());
        assert_eq!(found.language("no/a.md"), None);
        assert_eq!(
            Directories::of(["content/en/a.md"].into_iter()).language("content/en/a.md"),
            Some("en")
        );
    }

    #[test]
    fn codes() {
        assert!(LANGUAGES.is_sorted());
        for (name, expect) in [
            ("zh-hant", Some("zh-Hant")),
            ("ZH_cn", Some("zh-CN")),
            ("es-419", Some("es-419")),
            ("api", None),
            ("en-x", None),
        ] {
            assert_eq!(code(name).as_deref(), expect, "{name}");
        }
    }
}
