//! A share of a site's files, read on one of several machines. All shares together give the same
//! pages as [`read`](super::read()).

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use bincode::{Decode, Encode};
use findling_bundle::hash128;
use rayon::prelude::*;

use super::file::File;
use super::find;
use super::{Options, Outcome, Problem, RawPage, describe, finish, pages_of, read_file};
use findling_base::progress::Counter;
use findling_page::page::Page;

/// Largest number of shares.
pub const MAX_SHARES: u32 = 10_000;
/// Number of bytes of files that are read before the results are written.
const GROUP_BYTES: u64 = 32 << 20;
/// Largest number of pages in a piece. A file of records can have millions.
const MAX_PIECE_PAGES: usize = 256;

/// The number of a share and the number of all shares, such as `2/4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The number of this share, from 1.
    pub number: u32,
    /// The number of all shares.
    pub of: u32,
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = format!("expected I/N with I from 1 to N and N up to {MAX_SHARES}, as 2/4");
        let share = text.split_once('/').and_then(|(number, of)| {
            Some(Self { number: number.parse().ok()?, of: of.parse().ok()? })
        });
        share
            .filter(|share| share.number >= 1 && share.number <= share.of && share.of <= MAX_SHARES)
            .ok_or(expected)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// The result of reading a file, or a part of that result.
#[derive(Encode, Decode)]
pub struct Piece(Outcome);

impl Piece {
    /// Returns a piece with the result of reading a file.
    pub(super) fn of(outcome: Outcome) -> Self {
        Self(outcome)
    }

    /// Returns the number of pages. The rules for the whole site may still leave some of them out.
    pub fn n_pages(&self) -> usize {
        self.0.pages.len()
    }

    /// Moves texts out of memory, like a read with these options.
    pub fn stow(&mut self, options: &Options) {
        self.0.stow(options);
    }

    /// Returns the problems of the file.
    pub fn problems(&self) -> &[Problem] {
        &self.0.problems
    }
}

/// A reader of a share of the files of inputs. The shares are ranges of the files in the order of
/// their paths, with about the same number of bytes each.
pub struct ShareReader {
    options: Arc<Options>,
    inputs: [u8; 16],
    problems: Vec<Problem>,
    /// The files of this share, with their sizes.
    files: Vec<(File, u64)>,
}

impl ShareReader {
    /// Looks for the files.
    pub fn new(inputs: &[PathBuf], options: &Options, share: Share) -> Self {
        let mut problems = Vec::new();
        let options = options.within(inputs);
        let files = find::find(inputs, &options, &mut |problem| problems.push(problem));
        let sizes = sizes(&files);
        let (inputs, mine) = (hash(&files, &sizes), range(&sizes, share));
        let files = files.into_iter().zip(sizes).skip(mine.start).take(mine.len()).collect();
        let options = Arc::new(options);
        Self { options, inputs, problems, files }
    }

    /// Identifies these inputs: returns a hash over path, format and size of all files, including
    /// the files of other shares.
    pub fn inputs(&self) -> [u8; 16] {
        self.inputs
    }

    /// Returns the problems of files that are not read. Each share has all of these problems.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the files of this share.
    pub fn n_files(&self) -> usize {
        self.files.len()
    }

    /// Reads the files, some at a time. The results come in the order of the files.
    ///
    /// # Errors
    /// The errors of `on_pieces`.
    pub fn read(
        self,
        bar: &Counter,
        on_pieces: &mut dyn FnMut(Vec<Piece>) -> io::Result<()>,
    ) -> io::Result<()> {
        bar.set_total(self.files.len() as u64);
        let mut rest = &self.files[..];
        while !rest.is_empty() {
            let mut len = 0;
            let fits = |(_, size): &&(File, u64)| {
                len += size;
                len <= GROUP_BYTES
            };
            let n = rest.iter().take_while(fits).count().max(1);
            let (group, behind) = rest.split_at(n);
            rest = behind;
            let read = group.par_iter().map(|(file, _)| {
                let outcome = read_file(file, &self.options, None).0;
                bar.add(1);
                outcome
            });
            let mut outcomes: Vec<Outcome> = read.collect();
            describe(&mut outcomes, &self.options.tree);
            on_pieces(outcomes.into_iter().flat_map(pieces).collect())?;
        }
        bar.finish();
        Ok(())
    }
}

/// Returns the pages of all shares. Their pieces are in the order of the shares.
pub fn join_shares(
    pieces: Vec<Piece>,
    options: &Options,
    on_problem: &mut dyn FnMut(Problem),
) -> Vec<Page> {
    pages_of(finish_shares(pieces, options, on_problem))
}

/// Returns the pages of all shares after the rules for a site have been applied.
pub(super) fn finish_shares(
    pieces: Vec<Piece>,
    options: &Options,
    on_problem: &mut dyn FnMut(Problem),
) -> Vec<RawPage> {
    finish(outcomes(pieces), options, on_problem)
}

/// Returns the results of reading the files.
pub(super) fn outcomes(pieces: Vec<Piece>) -> Vec<Outcome> {
    pieces.into_iter().map(|Piece(outcome)| outcome).collect()
}

/// Returns the sizes of files in bytes.
pub(super) fn sizes(files: &[File]) -> Vec<u64> {
    let size = |file: &File| std::fs::metadata(&file.path).map_or(0, |metadata| metadata.len());
    files.iter().map(size).collect()
}

/// Returns the files of a share. The files are regarded as one sequence of bytes, and a file
/// belongs to the share that contains its middle byte. A file counts one byte more than its size,
/// so that empty files are divided too.
pub(super) fn range(sizes: &[u64], share: Share) -> Range<usize> {
    let total: u128 = sizes.iter().map(|&size| u128::from(size) + 1).sum();
    let mut before = 0;
    let number = |&size: &u64| {
        let middle = 2 * before + u128::from(size) + 1;
        before += u128::from(size) + 1;
        (middle * u128::from(share.of) / (2 * total)) as u32 + 1
    };
    let numbers: Vec<u32> = sizes.iter().map(number).collect();
    let start = numbers.partition_point(|&number| number < share.number);
    let end = numbers.partition_point(|&number| number <= share.number);
    start..end
}

fn hash(files: &[File], sizes: &[u64]) -> [u8; 16] {
    let mut bytes = Vec::new();
    for (file, size) in files.iter().zip(sizes) {
        bytes.extend((file.id.len() as u64).to_le_bytes());
        bytes.extend(file.id.as_bytes());
        bytes.push(file.format as u8);
        bytes.extend(size.to_le_bytes());
    }
    hash128(&bytes)
}

/// Divides the result of reading a file, so that each piece fits into a record.
fn pieces(mut outcome: Outcome) -> Vec<Piece> {
    // Paths of this machine have no meaning on another one.
    outcome.included.clear();
    let mut pieces = Vec::with_capacity(1 + outcome.pages.len() / MAX_PIECE_PAGES);
    while outcome.pages.len() > MAX_PIECE_PAGES {
        let rest = outcome.pages.split_off(MAX_PIECE_PAGES);
        let pages = std::mem::replace(&mut outcome.pages, rest);
        let problems = std::mem::take(&mut outcome.problems);
        pieces.push(Piece(Outcome { pages, problems, ..Outcome::default() }));
    }
    pieces.push(Piece(outcome));
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_file_is_in_one_share(
            sizes in prop::collection::vec(prop_oneof![0..5u64, 0..1_000_000u64], 0..60),
            of in 1..9u32,
        ) {
            let mut next = 0;
            for number in 1..=of {
                let range = range(&sizes, Share { number, of });
                prop_assert_eq!(range.start.max(next), range.end.max(next) - range.len());
                next = next.max(range.end);
            }
            prop_assert_eq!(next, sizes.len());
        }
    }

    #[test]
    fn shares_have_about_the_same_number_of_bytes() {
        let sizes: Vec<u64> = (0..1000).map(|i| i * i % 997).collect();
        let total: u64 = sizes.iter().sum();
        for number in 1..=7 {
            let bytes: u64 = sizes[range(&sizes, Share { number, of: 7 })].iter().sum();
            assert!(bytes.abs_diff(total / 7) < 2_000, "share {number} has {bytes} of {total}");
        }
    }

    #[test]
    fn a_share_is_written_as_a_fraction() {
        assert_eq!("2/4".parse(), Ok(Share { number: 2, of: 4 }));
        for wrong in ["", "2", "0/4", "5/4", "1/0", "-1/2", "1/10001", "1/2/3", "a/b"] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong} was taken");
        }
    }
}
