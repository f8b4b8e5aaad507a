//! Reads files to rows.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use super::{Row, rows_of};
use crate::file::File;
use crate::share::{self, Piece, Share};
use crate::{
    Format, Listing, Options, Outcome, Problem, RawPage, Severity, clean, describe, finish_clean,
    pages_of, parse, read_file, too_large,
};
use findling_base::progress::Counter;
use findling_base::usage_error::UsageError;
use findling_page::page::Page;

/// The code of errors about the files that the caller wants to split.
const CODE: &str = "files";

/// A reader that splits files of a site into rows.
pub struct Splitter {
    options: Arc<Options>,
    files: Vec<File>,
    problems: Vec<Problem>,
    /// The options that the rows state, as [`Row::options`].
    told: Option<String>,
}

/// A file to split.
pub enum Wanted {
    /// A file of the inputs, by its path below the root.
    Listed(String),
    /// A file whose contents are given.
    Given {
        /// The path below the root.
        file: String,
        /// The format. `None` means that the file's name decides.
        format: Option<Format>,
        /// The contents.
        bytes: Vec<u8>,
    },
}

/// The files that were read, before the rules for a whole site.
pub struct Split {
    told: Option<String>,
    problems: Vec<Problem>,
    read: Vec<(File, Outcome)>,
    /// Whether the files are all pages of a site.
    is_whole: bool,
}

/// The files that were read, as rows.
#[derive(Default)]
pub struct Finished {
    /// The rows in the order of the files. Title and language are as if there were no other pages.
    pub rows: Vec<Row>,
    /// The pages, without pages that a site does not show.
    pub pages: Vec<Page>,
    /// The rows of each page.
    pub places: Vec<Range<usize>>,
}

impl Splitter {
    /// Looks for the files of inputs. `told` is [`Row::options`].
    pub fn new(inputs: &[PathBuf], options: Options, told: Option<String>) -> Self {
        let Listing { files, problems, .. } = Listing::of(inputs, &options);
        let options = Arc::new(options.within(inputs));
        Self { options, files, problems, told }
    }

    /// Returns the options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Returns the paths of all files below the root, in the order in which a build reads them.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.id.as_str())
    }

    /// Returns the problems to report about files that are not read.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Reads all files, or a share of them.
    pub fn all(&self, share: Option<Share>, bar: &Counter) -> Split {
        let files = match share {
            Some(share) => &self.files[share::range(&share::sizes(&self.files), share)],
            None => &self.files[..],
        };
        bar.set_total(files.len() as u64);
        let read = files.par_iter().map(|file| {
            let outcome = read_file(file, &self.options, None).0;
            bar.add(1);
            (file.clone(), outcome)
        });
        let read = read.collect();
        bar.finish();
        self.described(self.problems.clone(), read, share.is_none())
    }

    /// Reads these files.
    ///
    /// # Errors
    /// If a file does not belong to the inputs, or has no known format.
    pub fn some(&self, wanted: Vec<Wanted>) -> Result<Split, UsageError> {
        let places: BTreeMap<&str, &File> =
            self.files.iter().map(|file| (file.id.as_str(), file)).collect();
        let read = wanted.into_par_iter().map(|wanted| match wanted {
            Wanted::Listed(id) => {
                let file = places.get(id.as_str()).ok_or_else(|| {
                    let message = format!(
                        "expected a file of the inputs, found {id:?}: name it as it is listed"
                    );
                    UsageError::new(CODE, message)
                })?;
                Ok(((*file).clone(), read_file(file, &self.options, None).0))
            }
            Wanted::Given { file, format, bytes } => {
                let path = PathBuf::from(&file);
                let format = format.or_else(|| Format::of_name(&path)).ok_or_else(|| {
                    let message = format!("{file}: expected a format, found none: give it");
                    UsageError::new(CODE, message)
                })?;
                let file = File { id: file, path, format, package: None };
                let outcome = self.read_given(&file, bytes);
                Ok((file, outcome))
            }
        });
        Ok(self.described(Vec::new(), read.collect::<Result<_, _>>()?, false))
    }

    fn read_given(&self, file: &File, bytes: Vec<u8>) -> Outcome {
        if let Some((severity, reason)) = too_large(file, bytes.len() as u64, &self.options) {
            let mut outcome = Outcome::default();
            outcome.tell(severity, &file.path, None, reason);
            return outcome;
        }
        parse(file, &Arc::new(bytes), None, &self.options)
    }

    fn described(
        &self,
        problems: Vec<Problem>,
        read: Vec<(File, Outcome)>,
        is_whole: bool,
    ) -> Split {
        let (files, mut outcomes): (Vec<File>, Vec<Outcome>) = read.into_iter().unzip();
        describe(&mut outcomes, &self.options.tree);
        let read = files.into_iter().zip(outcomes).collect();
        Split { told: self.told.clone(), problems, read, is_whole }
    }
}

impl Split {
    /// Returns the rows, and the pages after the rules for a site were applied.
    pub fn finish(self, options: &Options, on_problem: &mut dyn FnMut(Problem)) -> Finished {
        let Self { told, problems, read, is_whole } = self;
        problems.into_iter().for_each(&mut *on_problem);
        let (files, mut outcomes): (Vec<File>, Vec<Outcome>) = read.into_iter().unzip();
        if is_whole {
            clean(&mut outcomes, options, on_problem);
        }
        let mut read: Vec<(File, Outcome)> = files.into_iter().zip(outcomes).collect();
        let rows = read.par_iter_mut().flat_map_iter(|(file, outcome)| {
            let mut rows = Vec::new();
            for (place, raw) in outcome.pages.iter_mut().enumerate() {
                match rows_of(&file.id, place as u32, raw, told.as_deref()) {
                    Ok(of_page) => rows.extend(of_page),
                    Err(error) => {
                        let reason = format!("page {:?} cannot be kept: {error}", raw.page.id);
                        let (severity, path) = (Severity::Error, file.path.clone());
                        outcome.problems.push(Problem { severity, path, line: None, reason });
                    }
                }
            }
            rows
        });
        let rows: Vec<Row> = rows.collect();
        let outcomes = read.into_iter().map(|(_, outcome)| outcome).collect();
        // A build of a part of a site also leaves out repeated text.
        let raws = finish_clean(outcomes, options, on_problem);
        Finished::of(rows, raws)
    }
}

impl Finished {
    /// Returns rows that were read from tables, with their pages. `pieces` come from
    /// [`Assembly`](super::Assembly).
    pub fn join(
        mut rows: Vec<Row>,
        pieces: Vec<Piece>,
        options: &Options,
        on_problem: &mut dyn FnMut(Problem),
    ) -> Self {
        let place = |row: &Row| (row.file.clone(), row.place, row.section);
        // Rows without a place keep their order.
        if rows.iter().all(|row| row.place.is_some()) {
            rows.sort_by_cached_key(place);
        }
        let mut outcomes = share::outcomes(pieces);
        let are_placed = rows.iter().all(|row| row.place.is_some());
        clean(&mut outcomes, options, on_problem);
        if are_placed {
            rows = again(rows, &mut outcomes);
        }
        Self::of(rows, finish_clean(outcomes, options, on_problem))
    }

    /// Finds the rows of pages. Both are in the same order, and some rows do not belong to any
    /// page.
    fn of(mut rows: Vec<Row>, raws: Vec<RawPage>) -> Self {
        let mut at = 0;
        let mut places = Vec::with_capacity(raws.len());
        for raw in &raws {
            let found = rows[at..].iter().position(|row| row.page == raw.page.id);
            let Some(found) = found else {
                places.push(0..0);
                continue;
            };
            let start = at + found;
            let (file, place) = (rows[start].file.clone(), rows[start].place);
            let is_same =
                |row: &&Row| row.page == raw.page.id && row.file == file && row.place == place;
            let n_rows = rows[start..].iter().take_while(is_same).count();
            at = start + n_rows;
            for row in &mut rows[start..at] {
                row.url = Some(raw.page.url.clone());
                row.title = Some(raw.page.title.clone());
                row.language =
                    Some(raw.page.language.clone()).filter(|language| !language.is_empty());
            }
            places.push(start..at);
        }
        let pages = pages_of(raws);
        Self { rows, pages, places }
    }
}

/// Returns the rows of pages from which parts may have been left out. Each of `outcomes` has one
/// page, in the order of the rows.
fn again(rows: Vec<Row>, outcomes: &mut [Outcome]) -> Vec<Row> {
    let mut found = Vec::with_capacity(rows.len());
    let of_pages = rows.chunk_by(|a, b| a.file == b.file && a.place == b.place);
    for (of_page, outcome) in of_pages.zip(outcomes) {
        let first = &of_page[0];
        let Some(raw) = outcome.pages.first_mut() else { continue };
        let is_html = raw.format == Some(Format::Html) && first.as_read.is_some();
        let file = first.file.as_deref().unwrap_or_default();
        let place = first.place.unwrap_or_default();
        let made = match is_html && raw.page.restore().is_ok() {
            true => rows_of(file, place, raw, first.options.as_deref()).ok(),
            false => None,
        };
        found.extend(made.unwrap_or_else(|| of_page.to_vec()));
    }
    found
}
