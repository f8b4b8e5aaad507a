//! A site in memory: its files, read into pages, and the bundle of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use findling_base::progress::Silent;
use findling_index::bundle::Bundle;
use findling_index::write::{self, Shape};
use findling_index::{self as index, Job};
use findling_page::page::Page;
use findling_read::{Options, Problem, Reading, Severity, Tree};
use serde::Serialize;

use crate::files::Files;

/// Files that are being read.
#[derive(Debug)]
pub struct Site {
    reading: Reading,
}

impl Site {
    /// Finds the pages among the files. `base` is put before the address of each page.
    pub fn of(files: Files, base: &str) -> Self {
        let tree = Tree::of_files(files.finish());
        let options = Options { base_url: base.to_owned(), tree, ..Options::default() };
        Self { reading: Reading::of(&[PathBuf::new()], options) }
    }

    /// Returns the number of files to read.
    pub fn n_files(&self) -> usize {
        self.reading.n_files()
    }

    /// Returns the file that is read next; `None` once all are read.
    pub fn next_file(&self) -> Option<&Path> {
        self.reading.next_file()
    }

    /// Reads a file.
    pub fn step(&mut self) {
        self.reading.step();
    }

    /// Indexes the pages by words, as `findling build --encoder none` does.
    ///
    /// # Errors
    /// If there is no page, or the site exceeds a limit of the bundle format.
    pub fn build(self) -> anyhow::Result<Built> {
        let mut problems = Vec::new();
        let pages = self.reading.finish(&mut |problem| problems.push(Told::of(problem)));
        let shown = pages.iter().map(|page| (page.url.clone(), Shown::of(page))).collect();
        let n_pages = pages.len();
        anyhow::ensure!(
            n_pages > 0,
            "expected files of Markdown, HTML, reStructuredText or Org, found no page"
        );
        let job = Job { pages, ..Job::default() };
        let bundle = index::build(job, &Silent)?.bundle;
        Ok(Built {
            n_pages,
            n_sections: bundle.manifest.stats.n_sections,
            single_file: write::single_file(&bundle)?,
            bundle,
            problems,
            shown,
        })
    }
}

/// An indexed site.
#[derive(Debug)]
pub struct Built {
    /// The number of pages.
    pub n_pages: usize,
    /// The number of sections.
    pub n_sections: u32,
    /// The bundle as one file.
    pub single_file: Vec<u8>,
    bundle: Bundle,
    /// The messages about files.
    pub problems: Vec<Told>,
    /// The pages by their addresses.
    pub shown: BTreeMap<String, Shown>,
}

impl Built {
    /// Returns the bundle as the files of a directory, by their paths.
    ///
    /// # Errors
    /// If the manifest or a shard exceeds a limit.
    pub fn files(&self) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
        let files = write::files(&self.bundle, Shape::Directory, Vec::new())?.into_iter();
        Ok(files.map(|file| (file.path, file.contents.into_owned())).collect())
    }
}

/// A message about a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// `skipped`, `warning` or `error`.
    pub severity: &'static str,
    /// The file's path.
    pub path: String,
    /// The line, from 1.
    pub line: Option<u64>,
    /// The description of the fault.
    pub reason: String,
}

impl Told {
    fn of(problem: Problem) -> Self {
        let severity = match problem.severity {
            Severity::Skipped => "skipped",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let path = problem.path.to_string_lossy().into_owned();
        Self { severity, path, line: problem.line, reason: problem.reason }
    }
}

/// A page as it was read.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// The file's path.
    pub file: String,
    /// The title.
    pub title: String,
    /// The sections.
    pub sections: Vec<ShownSection>,
}

/// A section of a page.
#[derive(Clone, Debug, Serialize)]
pub struct ShownSection {
    /// 1 to 6; 0 for text before the first heading.
    pub level: u8,
    /// The heading.
    pub heading: String,
    /// The part of its address behind `#`.
    pub anchor: Option<String>,
    /// The paragraphs, each with whether it is a block of code.
    pub blocks: Vec<(String, bool)>,
}

impl Shown {
    fn of(page: &Page) -> Self {
        let sections = page.sections.iter().map(|section| ShownSection {
            level: section.level,
            heading: section.heading.clone(),
            anchor: section.anchor.clone(),
            blocks: section
                .blocks
                .iter()
                .map(|block| (block.text.clone(), block.is_code_block))
                .collect(),
        });
        Self { file: page.id.clone(), title: page.title.clone(), sections: sections.collect() }
    }
}
