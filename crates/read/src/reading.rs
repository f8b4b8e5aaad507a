//! The reading of files one after the other, for hosts that have one thread and show the progress.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{File, Listing, Options, Outcome, Problem, describe, finish, read_file};
use findling_page::page::Page;

/// A read in progress.
#[derive(Debug)]
pub struct Reading {
    options: Arc<Options>,
    files: Vec<File>,
    problems: Vec<Problem>,
    outcomes: Vec<Outcome>,
}

impl Reading {
    /// Finds the files of the inputs, as [`read`](super::read) does.
    pub fn of(inputs: &[PathBuf], options: Options) -> Self {
        let Listing { files, problems, .. } = Listing::of(inputs, &options);
        let options = Arc::new(options.within(inputs));
        Self { options, files, problems, outcomes: Vec::new() }
    }

    /// Returns the number of files.
    pub fn n_files(&self) -> usize {
        self.files.len()
    }

    /// Returns the file that [`Reading::step`] reads next; `None` after all files were read.
    pub fn next_file(&self) -> Option<&Path> {
        self.files.get(self.outcomes.len()).map(|file| file.path.as_path())
    }

    /// Reads a file.
    pub fn step(&mut self) {
        if let Some(file) = self.files.get(self.outcomes.len()) {
            self.outcomes.push(read_file(file, &self.options, None).0);
        }
    }

    /// Returns the pages of all files, including files that were not read yet, in the form that
    /// [`read`](super::read) gives.
    pub fn finish(mut self, on_problem: &mut dyn FnMut(Problem)) -> Vec<Page> {
        while self.next_file().is_some() {
            self.step();
        }
        self.problems.into_iter().for_each(&mut *on_problem);
        describe(&mut self.outcomes, &self.options.tree);
        let pages = finish(self.outcomes, &self.options, on_problem);
        pages.into_iter().map(|raw| raw.page).collect()
    }
}
