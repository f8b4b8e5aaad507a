//! The batches of a site. Batches without room in memory are spilled to a temporary file, and
//! merged one group of terms after the other: "single-pass in-memory indexing" (Heinz and Zobel
//! 2003, "Efficient single-pass index construction for text databases"), with batches as the runs.
//!
//! The terms of a batch are sorted, so the terms of a group are one stretch of its bytes. Only this
//! stretch is read for the group.

use std::borrow::Cow;
use std::io;

use rayon::prelude::*;

use super::batch_index::{BatchIndex, Head};
use super::compounds::with_word;
use crate::spelling::{Counts, corrections};
use findling_base::scratch::{Record, Scratch, changed};

/// Terms of a batch that are kept in memory, to divide all terms into groups.
const SAMPLES: usize = 16;
/// Bytes of memory that a term of a batch takes while it is merged, without its lists.
const PART_BYTES: usize = 128;

/// A batch of analysed pages.
#[derive(Debug)]
pub enum Batch {
    Held(BatchIndex),
    Away {
        head: Head,
        record: Record,
        n_terms: usize,
        /// Some of its terms, in order, with about the same number of bytes between them.
        samples: Box<[Box<str>]>,
    },
}

impl Batch {
    /// Keeps a batch in memory if there is room, otherwise in the temporary file.
    pub fn new(batch: BatchIndex, scratch: &Scratch) -> Self {
        let len = memory(batch.bytes().len(), batch.n_terms());
        let Some(record) = scratch.put(len, || Some(batch.bytes().to_vec())) else {
            return Self::Held(batch);
        };
        let samples = batch.samples(SAMPLES).map(Into::into).collect();
        let n_terms = batch.n_terms();
        Self::Away { head: batch.into_head(), record, n_terms, samples }
    }

    /// Returns the pages, sections and passages.
    pub fn head(&self) -> &Head {
        match self {
            Self::Held(batch) => batch.head(),
            Self::Away { head, .. } => head,
        }
    }

    /// Returns the batch.
    fn load(&self) -> io::Result<Cow<'_, BatchIndex>> {
        match self {
            Self::Held(batch) => Ok(Cow::Borrowed(batch)),
            Self::Away { record, .. } => {
                BatchIndex::read(record.bytes()?).map(Cow::Owned).ok_or_else(changed)
            }
        }
    }

    /// Returns the bytes of memory that it takes while it is merged.
    fn memory(&self) -> usize {
        match self {
            Self::Held(batch) => memory(batch.bytes().len(), batch.n_terms()),
            Self::Away { record, n_terms, .. } => memory(record.n_bytes(), *n_terms),
        }
    }
}

/// Returns the memory of `n_terms` terms whose lists have `len` bytes.
pub fn memory(len: usize, n_terms: usize) -> usize {
    len + PART_BYTES * n_terms
}

/// Returns all batches, if they are in memory.
pub fn all_held(batches: &[Batch]) -> Option<Vec<&BatchIndex>> {
    let held = batches.iter().map(|batch| match batch {
        Batch::Held(batch) => Some(batch),
        Batch::Away { .. } => None,
    });
    held.collect()
}

/// Returns words as they are spelt that can be corrections, in order, with how often they occur.
pub fn words(batches: &[Batch]) -> io::Result<Vec<(Box<str>, u32)>> {
    if let Some(held) = all_held(batches) {
        return Ok(corrections(held.iter().flat_map(|batch| batch.words())));
    }
    let mut counts = Counts::default();
    for batch in batches {
        batch.load()?.words().for_each(|(word, n)| counts.add(word, n));
    }
    Ok(counts.corrections())
}

/// Returns the first terms of groups that take about `bytes` of memory each. The first is empty.
pub fn even_starts(batches: &[Batch], bytes: usize) -> Vec<String> {
    let total: usize = batches.iter().map(Batch::memory).sum();
    let n_groups = total.div_ceil(bytes.max(1)).max(1);
    let mut samples: Vec<&str> = Vec::new();
    for batch in batches {
        match batch {
            Batch::Held(batch) => samples.extend(batch.samples(SAMPLES)),
            Batch::Away { samples: own, .. } => samples.extend(own.iter().map(|term| &**term)),
        }
    }
    samples.sort_unstable();
    let cuts = (1..n_groups).filter_map(|i| samples.get(i * samples.len() / n_groups));
    let mut starts: Vec<String> =
        [""].into_iter().chain(cuts.copied().map(with_word)).map(str::to_owned).collect();
    starts.dedup();
    starts
}

/// Groups of consecutive terms.
pub struct Groups<'a> {
    batches: &'a [Batch],
    /// The beginnings of the groups in each batch, and then the end of the last group. Each is a
    /// byte offset and an index among the batch's terms.
    cuts: Vec<Vec<[u32; 2]>>,
}

impl<'a> Groups<'a> {
    /// Returns the groups that begin with these terms.
    pub fn new(batches: &'a [Batch], starts: &[impl AsRef<str> + Sync]) -> io::Result<Self> {
        let cuts = batches.par_iter().map(|batch| {
            let batch = batch.load()?;
            let places = starts.iter().map(|start| batch.place_of(start.as_ref()));
            let places = places.chain([batch.n_terms()]);
            Ok(places.map(|place| [batch.start_of(place) as u32, place as u32]).collect())
        });
        Ok(Self { batches, cuts: cuts.collect::<io::Result<_>>()? })
    }

    /// Returns the terms of one group, batch by batch.
    pub fn group(&self, at: usize) -> io::Result<Vec<BatchIndex>> {
        let part = |(batch, cuts): (&Batch, &Vec<[u32; 2]>)| {
            let ([start, from], [end, to]) = (cuts[at], cuts[at + 1]);
            if from == to {
                return Ok(BatchIndex::default());
            }
            let bytes = start as usize..end as usize;
            let bytes = match batch {
                Batch::Held(batch) => batch.bytes()[bytes].to_vec(),
                Batch::Away { record, .. } => record.part(bytes)?,
            };
            BatchIndex::of_terms(bytes, to - from).ok_or_else(changed)
        };
        self.batches.par_iter().zip(&self.cuts).map(part).collect()
    }
}
