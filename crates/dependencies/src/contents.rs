//! The files of a package that answer questions: its sources, declarations and documents.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::package::Ecosystem;

/// Deepest place of a file in a package.
const MAX_DEPTH: usize = 24;

/// Most entries of a package that are looked at.
const MAX_ENTRIES: usize = 100_000;

/// Most files of a package that are read.
const MAX_FILES: usize = 5_000;

/// Directories with the packages of others.
const OF_OTHERS: &[&str] = &[
    "node_modules",
    "vendor",
    "vendored",
    "_vendor",
    "third_party",
    "thirdparty",
    "bower_components",
];

/// Directories that programs run in tests or show as examples, at any place.
const BESIDE: &[&str] = &[
    "tests",
    "__tests__",
    "testdata",
    "fixtures",
    "__fixtures__",
    "benches",
    "bench",
    "benchmarks",
    "examples",
    "fuzz",
    "__pycache__",
    "target",
];

/// The same at the top of a package, where they are none of its modules.
const BESIDE_AT_TOP: &[&str] = &["test", "example", "benchmark", "ci", "scripts", "tools"];

/// Documents that say nothing about how a package is used, in upper case.
const OF_NO_USE: &[&str] = &[
    "LICENSE",
    "LICENCE",
    "COPYING",
    "COPYRIGHT",
    "NOTICE",
    "AUTHORS",
    "CODE_OF_CONDUCT",
    "CONTRIBUTING",
    "SECURITY",
    "GOVERNANCE",
    "MAINTAINERS",
    "UNLICENSE",
];

/// Names of the directories with the same program in another form of modules.
const FORMS: &[&str] = &["cjs", "commonjs", "umd", "es", "esm", "esm5", "mjs", "module", "node"];

/// The files of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The files to read, relative to the package, in order.
    pub files: Vec<PathBuf>,
    /// The files that are left out although they are of a kind that is read, with the reason.
    pub left_out: Vec<(PathBuf, &'static str)>,
}

/// Returns the files below the directory of a package. Links are not followed.
pub(crate) fn of_directory(ecosystem: Ecosystem, directory: &Path) -> Contents {
    let mut left_out = Vec::new();
    let mut files = Vec::new();
    let walk = WalkDir::new(directory).max_depth(MAX_DEPTH).sort_by_file_name();
    let is_entered = |entry: &walkdir::DirEntry| {
        entry.depth() == 0 || !entry.file_type().is_dir() || !is_passed_over(entry)
    };
    let entries = walk.into_iter().filter_entry(is_entered).flatten().take(MAX_ENTRIES);
    for entry in entries.filter(|entry| entry.file_type().is_file()) {
        if let Ok(path) = entry.path().strip_prefix(directory) {
            files.push(path.to_owned());
        }
    }
    keep(ecosystem, files, &mut left_out)
}

/// Returns the files of a list, relative to a directory that several packages share.
pub(crate) fn of_list(ecosystem: Ecosystem, files: &[PathBuf]) -> Contents {
    let is_wanted = |path: &&PathBuf| {
        let directories =
            path.parent().into_iter().flat_map(Path::iter).map(OsStr::to_string_lossy);
        !directories.into_iter().any(|name| {
            OF_OTHERS.contains(&&*name) || BESIDE.contains(&&*name) || name.starts_with('.')
        })
    };
    let mut left_out = Vec::new();
    keep(ecosystem, files.iter().filter(is_wanted).cloned().collect(), &mut left_out)
}

/// Returns whether a directory holds no files of the package's own.
fn is_passed_over(entry: &walkdir::DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    name.starts_with('.')
        || OF_OTHERS.contains(&&*name)
        || BESIDE.contains(&&*name)
        || entry.depth() == 1 && BESIDE_AT_TOP.contains(&&*name)
}

/// Keeps the files that are read.
fn keep(
    ecosystem: Ecosystem,
    mut files: Vec<PathBuf>,
    left_out: &mut Vec<(PathBuf, &'static str)>,
) -> Contents {
    files.retain(|path| is_of_ecosystem(ecosystem, path) || is_document(path));
    let mut leave = |files: &mut Vec<PathBuf>, reason, is_left: &dyn Fn(&Path) -> bool| {
        files.retain(|path| {
            let is_left = is_left(path);
            if is_left {
                left_out.push((path.clone(), reason));
            }
            !is_left
        });
    };
    leave(&mut files, "is a test of the package", &is_test);
    leave(&mut files, "is minified", &|path| name_of(path).contains(".min."));
    if ecosystem == Ecosystem::Npm {
        let declared: BTreeSet<String> = files
            .iter()
            .filter_map(|path| Some(stem(path)).filter(|_| is_declaration(path)))
            .collect();
        leave(&mut files, "is declared in another file of the package", &|path| {
            !is_declaration(path) && !is_document(path) && declared.contains(&stem(path))
        });
        let mut first: BTreeMap<(PathBuf, bool), PathBuf> = BTreeMap::new();
        for path in &files {
            let known = first.entry((form_of(path), is_declaration(path))).or_insert(path.clone());
            if form_rank(path) < form_rank(known) {
                known.clone_from(path);
            }
        }
        leave(&mut files, "is the same in another form of modules", &|path| {
            !is_document(path)
                && first.get(&(form_of(path), is_declaration(path))).is_some_and(|it| it != path)
        });
    }
    if ecosystem == Ecosystem::Pypi {
        let programs: BTreeSet<PathBuf> = files
            .iter()
            .filter(|path| has_end(path, "py"))
            .map(|path| path.with_extension(""))
            .collect();
        leave(&mut files, "is a stub beside its program", &|path| {
            has_end(path, "pyi") && programs.contains(&path.with_extension(""))
        });
    }
    for path in files.split_off(files.len().min(MAX_FILES)) {
        left_out.push((path, "is one file too many of the package"));
    }
    Contents { files, left_out: std::mem::take(left_out) }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn has_end(path: &Path, end: &str) -> bool {
    path.extension().is_some_and(|extension| extension == end)
}

/// Returns whether a file is a program or a declaration of the ecosystem's language.
fn is_of_ecosystem(ecosystem: Ecosystem, path: &Path) -> bool {
    let ends: &[&str] = match ecosystem {
        Ecosystem::Cargo => &["rs"],
        Ecosystem::Npm => &["ts", "mts", "cts", "tsx", "js", "mjs", "cjs", "jsx"],
        Ecosystem::Pypi => &["py", "pyi"],
        Ecosystem::Go => &["go"],
    };
    let is_metadata = ecosystem == Ecosystem::Pypi && name_of(path) == "METADATA";
    is_metadata || ends.iter().any(|end| has_end(path, end))
}

/// Returns whether a file is a document about the package.
fn is_document(path: &Path) -> bool {
    let ends = ["md", "markdown", "rst", "adoc", "txt"];
    let name = path.file_stem().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
    let is_named = ["README", "CHANGELOG", "CHANGES", "HISTORY", "NEWS", "RELEASES"]
        .iter()
        .any(|known| name.starts_with(known));
    // A text may be anything: data, a list of requirements, a licence.
    let is_read = match path.extension().map(OsStr::to_string_lossy) {
        Some(end) if end == "txt" => is_named,
        Some(end) => ends.contains(&&*end),
        None => is_named,
    };
    is_read && !OF_NO_USE.iter().any(|known| name.starts_with(known))
}

/// Returns whether the tools of the language take a file for tests.
fn is_test(path: &Path) -> bool {
    let name = name_of(path);
    name.ends_with("_test.go")
        || name.contains(".test.")
        || name.contains(".spec.")
        || name.contains(".stories.")
        || name == "conftest.py"
        || name.starts_with("test_") && name.ends_with(".py")
        || name == "tests.rs"
}

fn is_declaration(path: &Path) -> bool {
    [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| name_of(path).ends_with(end))
}

/// Returns the name of a module's file without its ends.
fn stem(path: &Path) -> String {
    let name = name_of(path);
    let ends = [".d.ts", ".d.mts", ".d.cts", ".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"];
    ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name).to_owned()
}

/// Returns a path that is the same for all forms of modules of one file.
fn form_of(path: &Path) -> PathBuf {
    let directories = path.parent().into_iter().flat_map(Path::iter);
    let directories = directories.filter(|name| !FORMS.contains(&&*name.to_string_lossy()));
    directories.collect::<PathBuf>().join(stem(path))
}

/// Returns the order in which forms are preferred.
fn form_rank(path: &Path) -> (usize, usize, PathBuf) {
    let ends = [".d.ts", ".d.mts", ".d.cts", ".ts", ".mts", ".js", ".mjs", ".cjs"];
    let name = name_of(path);
    let rank = ends.iter().position(|end| name.ends_with(end)).unwrap_or(ends.len());
    (path.components().count(), rank, path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(ecosystem: Ecosystem, files: &[&str]) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        for file in files {
            let path = directory.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        let contents = of_directory(ecosystem, directory.path());
        contents.files.iter().map(|path| path.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn sources_and_documents_of_a_crate_are_read() {
        let files = [
            "src/lib.rs",
            "src/tests/mod.rs",
            "src/tests.rs",
            "tests/all.rs",
            "examples/a.rs",
            "benches/b.rs",
            "README.md",
            "CHANGELOG.md",
            "LICENSE-MIT",
            "Cargo.toml",
            ".github/a.md",
            "vendor/zlib/README.md",
            "src/data.txt",
            "docs/guide.md",
            "CONTRIBUTING.md",
        ];
        let expected = ["CHANGELOG.md", "README.md", "docs/guide.md", "src/lib.rs"];
        assert_eq!(kept(Ecosystem::Cargo, &files), expected);
    }

    #[test]
    fn a_package_of_npm_is_read_in_one_form() {
        let files = [
            "package.json",
            "README.md",
            "dist/index.d.ts",
            "dist/index.d.mts",
            "dist/index.js",
            "dist/index.cjs",
            "dist/esm/index.d.ts",
            "dist/bundle.min.js",
            "src/index.ts",
            "lib/only.js",
            "lib/only.mjs",
            "node_modules/other/index.js",
            "lib/only.test.js",
        ];
        let expected = ["README.md", "dist/index.d.ts", "lib/only.js"];
        assert_eq!(kept(Ecosystem::Npm, &files), expected);
    }

    #[test]
    fn the_listed_files_of_a_distribution_are_read() {
        let files = [
            "pkg/__init__.py",
            "pkg/__init__.pyi",
            "pkg/core.pyi",
            "pkg/tests/test_a.py",
            "pkg/_vendor/other.py",
            "pkg/data.bin",
            "pkg-1.0.dist-info/METADATA",
            "pkg-1.0.dist-info/LICENSE.txt",
            "pkg-1.0.dist-info/top_level.txt",
            "pkg/testing/a.py",
        ];
        let contents = of_list(Ecosystem::Pypi, &files.map(PathBuf::from));
        let expected =
            ["pkg/__init__.py", "pkg/core.pyi", "pkg-1.0.dist-info/METADATA", "pkg/testing/a.py"];
        assert_eq!(contents.files, expected.map(PathBuf::from));
        assert_eq!(contents.left_out.len(), 1);
    }
}
