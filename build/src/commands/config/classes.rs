//! The settings that a project's `findling.toml` may hold.
//!
//! Such a file may come from somebody else, for example in a cloned repository. So it may only set
//! how the project is read, ranked and shown, and name files of the project. Only a person decides
//! which servers to ask, who may ask, which programs run, and which paths outside of the project
//! are read or removed: on the command line, in their own settings, or by `findling config trust`.
//!
//! Every option is listed here. An option that is not listed needs trust, so a new option is
//! harmless only once somebody has judged it.

use std::path::{Component, Path, PathBuf};

use crate::bundle_files::is_address;

/// The people who may set an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Any file: it says how something is read, ranked or shown.
    Harmless,
    /// Any file, if the values are paths inside of the project.
    Path,
    /// Any file, if the values are bundles at paths inside of the project.
    Bundle,
    /// Any file, if the values are names of encoders and not paths.
    Name,
    /// Only a person may set the option; the text says what it decides.
    Trusted(&'static str),
    /// No file: the option agrees to something, or writes to a place that a person did not choose.
    Never,
}

/// Commands that a project's file may set options of.
const COMMANDS: [&str; 18] = [
    "build",
    "context",
    "embed",
    "eval",
    "explain",
    "find",
    "inspect",
    "mcp",
    "merge",
    "pagefind",
    "relevance",
    "repl",
    "search",
    "sections",
    "serve",
    "similar",
    "sync",
    "tui",
];

const WHO_IS_ASKED: Class = Class::Trusted("it decides what is asked");
const WHO_MAY_ASK: Class = Class::Trusted("it decides who may ask");
const RUNS: Class = Class::Trusted("it runs a program, or answers one");
const READS: Class = Class::Trusted("it reads files outside of the project");
const REMOVES: Class = Class::Trusted("it may remove something");
const WRITES: Class = Class::Trusted("it writes what was asked to a file");
const UNLISTED: Class = Class::Trusted("it is not known to be harmless");

/// Options that have a different meaning in one command.
const OF_COMMANDS: &[(&str, &[&str], Class)] = &[
    ("build", &["output", "agents", "discovery"], Class::Path),
    ("mcp", &["targets"], WHO_IS_ASKED),
    ("pagefind", &["serve"], Class::Harmless),
    ("serve", &["bundle"], WHO_IS_ASKED),
    ("serve", &["site"], WHO_MAY_ASK),
    ("sync", &["names"], WHO_IS_ASKED),
];

/// The other options.
const OF_ALL: &[(Class, &[&str])] = &[
    // How sources are read.
    (
        Class::Harmless,
        &[
            "attribute-from-path",
            "base-url",
            "exclude",
            "exclude-selectors",
            "extraction",
            "force-language",
            "format",
            "glob",
            "id",
            "keep-copies",
            "keep-index-html",
            "keep-index-url",
            "language",
            "markdown-urls",
            "max-file-seconds",
            "max-file-size",
            "no-definition-sections",
            "references",
            "root-selector",
            "tool-output",
        ],
    ),
    // How an index is made, and where in its own directory.
    (
        Class::Harmless,
        &[
            "agents-links",
            "boost",
            "fit",
            "fresh",
            "graph-from",
            "host",
            "jobs",
            "max-tokens",
            "memory",
            "no-cache",
            "no-client",
            "no-fit",
            "pagefind",
            "pagefind-playground",
            "part",
            "passage-overlap",
            "passage-words",
            "prune",
            "rehash",
            "rows-budget",
            "search-page",
            "single-file",
            "site-name",
            "token-overlap",
            "vocabulary-budget",
            "watch",
            "write-playground",
        ],
    ),
    // The results of a search, and their order.
    (
        Class::Harmless,
        &[
            "agent",
            "author",
            "copies",
            "every-word",
            "facet",
            "facets-instead",
            "facets-of-sections",
            "filter",
            "fusion",
            "group-by",
            "limit",
            "mode",
            "no-sync",
            "offset",
            "order",
            "prefer",
            "project",
            "require-fresh",
            "sections",
            "since",
            "sort",
            "spread",
            "streamed",
            "threshold",
            "tokens",
            "type",
            "vector-name",
            "verbatim",
            "year-max",
            "year-min",
        ],
    ),
    // Output and measurements.
    (
        Class::Harmless,
        &[
            "budget",
            "explain",
            "include-vectors",
            "json",
            "max-first-query",
            "per-query",
            "quiet",
            "silent",
            "style",
            "synthetic",
            "timings",
            "tune",
            "typed",
            "verbose",
        ],
    ),
    // Settings of servers that only this machine can reach.
    (Class::Harmless, &["mount", "port"]),
    (
        Class::Path,
        &[
            "cache",
            "chat-fields",
            "client",
            "inputs",
            "output-path",
            "output-subdir",
            "pagefind-ui",
            "parts",
            "pins",
            "qrels",
            "queries",
            "ranking",
            "root",
            "single-page",
            "site",
            "synonyms",
            "table",
            "ui",
        ],
    ),
    (Class::Bundle, &["bundle", "in", "target", "targets"]),
    (Class::Name, &["encoder", "query-encoder"]),
    (WHO_IS_ASKED, &["also", "deps", "page", "query", "similar-to"]),
    (WHO_MAY_ASK, &["allow-host", "allow-origin", "http", "max-requests", "prefix", "token-file"]),
    (RUNS, &["batch", "ocr", "pipe", "service"]),
    (READS, &["follow-links"]),
    (REMOVES, &["allow-empty"]),
    (WRITES, &["log", "logfile"]),
    (Class::Never, &["output", "save", "yes"]),
];

/// Returns the class of an option; `None` if it is not listed.
pub(super) fn listed(command: &str, key: &str) -> Option<Class> {
    let is_known = COMMANDS.contains(&command);
    let own = OF_COMMANDS.iter().find(|(of, keys, _)| *of == command && keys.contains(&key));
    let of_all = || OF_ALL.iter().find(|(_, keys)| keys.contains(&key)).map(|(class, _)| *class);
    let class = own.map(|(.., class)| *class).or_else(of_all)?;
    (is_known || class == Class::Never).then_some(class)
}

/// Returns the class of an option.
pub fn class(command: &str, key: &str) -> Class {
    listed(command, key).unwrap_or(UNLISTED)
}

/// The directories of a project.
#[derive(Clone, Copy, Debug)]
pub struct Project<'a> {
    /// The directory of the file.
    pub root: &'a Path,
    /// The directory that relative values start from.
    pub base: &'a Path,
}

impl Class {
    /// Returns why a project's file may not set these values; `None` if it may.
    pub fn objection(self, values: &[String], project: Project<'_>) -> Option<&'static str> {
        let is_outside = |value: &String| !project.has(value);
        match self {
            Self::Harmless => None,
            Self::Path => {
                values.iter().any(is_outside).then_some("it names something outside of the project")
            }
            Self::Bundle => values
                .iter()
                .any(|value| is_outside(value) || !project.base.join(value).exists())
                .then_some("it names a bundle outside of the project"),
            Self::Name => values
                .iter()
                .any(|value| value.contains(['/', '\\', ':']) || value.starts_with('.'))
                .then_some("it names a model by its path"),
            Self::Trusted(what) => Some(what),
            Self::Never => Some("no file may set it"),
        }
    }
}

/// Directories of version control, with files that are run later.
const VERSION_CONTROL: [&str; 5] = [".git", ".hg", ".svn", ".jj", ".bzr"];

impl Project<'_> {
    /// Returns whether a path leads to something inside of the project, also after links are
    /// resolved.
    fn has(self, value: &str) -> bool {
        if is_address(value) || value.contains("://") {
            return false;
        }
        let path = self.base.join(value);
        let Ok(root) = self.root.canonicalize() else { return false };
        let Some(path) = resolved(&path) else { return false };
        let Ok(below) = path.strip_prefix(&root) else { return false };
        !below.components().any(|part| {
            let name = part.as_os_str().to_string_lossy().to_lowercase();
            VERSION_CONTROL.contains(&name.trim_end_matches([' ', '.']))
        })
    }
}

/// Resolves the links in a path. Names at its end that do not exist yet are appended as they are;
/// `None` if these lead upwards.
fn resolved(path: &Path) -> Option<PathBuf> {
    let mut missing = Vec::new();
    for there in path.ancestors() {
        // A link that leads nowhere yet may lead anywhere later.
        if there.symlink_metadata().is_ok() {
            let found = there.canonicalize().ok()?;
            return Some(missing.iter().rev().fold(found, |path, name| path.join(name)));
        }
        match there.components().next_back()? {
            Component::Normal(name) => missing.push(name.to_owned()),
            Component::CurDir => {}
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_that_is_not_listed_needs_trust() {
        assert_eq!(class("build", "made-up"), UNLISTED);
        assert_eq!(class("learn", "json"), UNLISTED, "nor any of a command that is not listed");
        assert_eq!(class("learn", "yes"), Class::Never);
        assert_eq!(class("search", "output"), Class::Never);
        assert_eq!(class("build", "output"), Class::Path);
        for (command, key) in [
            ("find", "query"),
            ("mcp", "targets"),
            ("mcp", "http"),
            ("serve", "bundle"),
            ("serve", "allow-host"),
            ("serve", "allow-origin"),
            ("serve", "prefix"),
            ("sync", "allow-empty"),
            ("build", "ocr"),
            ("build", "follow-links"),
        ] {
            assert!(matches!(class(command, key), Class::Trusted(_)), "{command} {key}");
        }
    }

    #[test]
    fn nothing_is_listed_twice() {
        let mut all: Vec<&str> = OF_ALL.iter().flat_map(|(_, keys)| keys.iter().copied()).collect();
        let n_all = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), n_all);
    }

    #[test]
    fn a_path_is_inside_of_a_project_behind_links_too() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("project");
        std::fs::create_dir_all(root.join("docs/deep")).unwrap();
        std::fs::create_dir_all(root.join(".git/hooks")).unwrap();
        std::fs::create_dir_all(dir.path().join("other")).unwrap();
        std::fs::create_dir_all(root.join("https:/evil.example")).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(dir.path().join("other"), root.join("link")).unwrap();
            symlink(dir.path().join("later"), root.join("nowhere")).unwrap();
            symlink(root.join("docs"), root.join("within")).unwrap();
        }
        let project = Project { root: &root, base: &root };
        for path in ["docs", "docs/new/x", ".", "./docs", "docs/../docs", "public/out"] {
            assert!(project.has(path), "{path}");
        }
        let absolute = root.join("docs").to_string_lossy().into_owned();
        assert!(project.has(&absolute));
        for path in [
            "..",
            "../other",
            "docs/../../other",
            "new/../../other",
            "/etc",
            "/dev/stdin",
            ".git/hooks",
            "docs/.GIT/x",
            "https://evil.example",
            "HTTP://evil.example/",
            "file:///etc/passwd",
        ] {
            assert!(!project.has(path), "{path}");
        }
        if cfg!(unix) {
            assert!(project.has("within/deep"));
            assert!(!project.has("link") && !project.has("link/x") && !project.has("nowhere/x"));
        }
        let below = Project { root: &root, base: &root.join("docs/deep") };
        assert!(below.has("../..") && !below.has("../../.."));
        let bundle = |path: &str| Class::Bundle.objection(&[path.to_owned()], project);
        assert!(bundle("docs").is_none() && bundle("a-collection").is_some());
        let named = |name: &str| Class::Name.objection(&[name.to_owned()], project);
        assert!(named("static").is_none() && named("./model.onnx").is_some());
        assert!(named("/tmp/model").is_some() && named("C:model").is_some());
    }
}
