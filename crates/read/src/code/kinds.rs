//! The kinds of files in a repository, and the directories that are repositories.

use std::path::Path;

use super::super::tree::Tree;
use super::super::{Format, documents};
use super::languages;

/// Names of files at the top of a program's directory that describe how it is built.
const PROGRAM_FILES: &[&str] = &[
    "Cargo.toml",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "build.zig",
    "CMakeLists.txt",
    "meson.build",
    "configure.ac",
    "Gemfile",
    "composer.json",
    "mix.exs",
    "Package.swift",
    "stack.yaml",
    "dune-project",
    "deno.json",
    "tsconfig.json",
];

/// Names of files that occur both in programs and in sources of sites.
const SHARED_FILES: &[&str] = &["package.json", "Makefile", "Dockerfile", ".git"];

/// Names of files at the top of a site's sources.
const SITE_FILES: &[&str] = &[
    "_config.yml",
    "antora.yml",
    "astro.config.mjs",
    "book.toml",
    "conf.py",
    "config.toml",
    "docusaurus.config.js",
    "docusaurus.config.ts",
    "hugo.toml",
    "hugo.yaml",
    "mkdocs.yml",
    ".vitepress",
];

/// A directory counts as a program even if it has this many times as many documents as program
/// files.
const MAX_DOCUMENTS_PER_FILE: usize = 4;

/// Returns whether the file is code, data or settings, according to its name.
pub(crate) fn is_code(path: &Path) -> bool {
    languages::of_name(path).is_some()
}

/// Returns whether the file is prose that is read by its headings.
fn is_markup(path: &Path) -> bool {
    Format::of_name(path).is_some_and(Format::is_markup)
}

/// Returns whether the file is part of a program, according to its name.
fn is_program(path: &Path) -> bool {
    languages::of_name(path).is_some_and(languages::Language::is_program)
}

/// Returns the value of the attribute `language` of a document that has pages, not lines.
pub(super) fn document_language(path: &Path) -> Option<&'static str> {
    match Format::of_name(path)? {
        Format::Html => Some("html"),
        Format::Pdf => Some("pdf"),
        Format::Documents if documents::is_plain(path) => None,
        Format::Documents => Some("document"),
        _ => None,
    }
}

/// Returns whether the file of a repository is read, according to its name.
pub(super) fn is_read(path: &Path) -> bool {
    is_code(path)
        || is_markup(path)
        || document_language(path).is_some()
        || documents::is_plain(path)
        || languages::is_prose(path)
}

/// The numbers of files of a directory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Files of programs, except files that usually accompany rendered pages.
    programs: usize,
    /// Scripts of the kind that accompanies rendered pages, and programs in the same language.
    of_pages: usize,
    /// Documents that people write, except documents that every program has.
    documents: usize,
    html: usize,
    /// Records at the top of the directory.
    records: usize,
}

impl Counts {
    /// Counts files of a directory.
    pub fn of<'a>(directory: &Path, files: impl Iterator<Item = &'a Path>) -> Self {
        let mut counts = Self::default();
        for path in files {
            match Format::of_name(path) {
                Some(Format::Html) => counts.html += 1,
                Some(Format::Jsonl) => {
                    counts.records += usize::from(path.parent() == Some(directory));
                }
                Some(Format::Documents) if documents::is_plain(path) => {}
                Some(_) => counts.documents += usize::from(!is_of_programs(path)),
                None if !is_program(path) => {}
                None if languages::of_name(path).is_some_and(|known| known.is_of_pages()) => {
                    counts.of_pages += 1;
                }
                None => counts.programs += 1,
            }
        }
        counts
    }

    /// Returns the number of files of programs.
    pub fn all_programs(&self) -> usize {
        self.programs + self.of_pages
    }
}

/// Returns whether programs usually have a document of this name: `README.md`, `CHANGES.rst`.
fn is_of_programs(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
    languages::is_prose(Path::new(&stem))
        || matches!(stem.as_str(), "AGENTS" | "AUTHORS" | "CLAUDE" | "LICENSE" | "SECURITY")
}

/// Returns whether a directory with these files is a repository: code, and documents beside it.
/// Rendered pages and records at its top, and the files of site generators, indicate a site or
/// data; files of build tools indicate a program.
pub(crate) fn is_repository(directory: &Path, tree: &Tree, counts: &Counts) -> bool {
    let has = |names: &[&str]| {
        names.iter().any(|name| {
            let path = directory.join(name);
            tree.is_file(&path) || tree.is_dir(&path)
        })
    };
    let is_program = has(PROGRAM_FILES);
    let is_marked = is_program || has(SHARED_FILES);
    let is_rendered = !is_marked
        && counts.html > 0
        && (has(&["index.html", "index.htm"]) || counts.html > counts.programs);
    if is_rendered {
        return counts.programs > counts.html + counts.documents;
    }
    let all = counts.all_programs();
    if !is_marked && counts.records >= all {
        return false;
    }
    all > counts.documents
        || is_program
            && !has(SITE_FILES)
            && all > 0
            && counts.documents <= MAX_DOCUMENTS_PER_FILE * all
}
