//! Decisions that need a view of all terms: which terms are kept, and how they are cut into ranges
//! and columns. The lists of the terms are not needed for this and can be elsewhere.

use std::ops::Range;

use rayon::prelude::*;

use super::batches::memory;
use super::positions::columns;
use super::term_merge::MergedTerms;
use super::term_ranges::{Term, drop_lone_forms, drop_plain_names, range_starts};

/// A term of the site.
#[derive(Clone, Copy, Debug, Default)]
pub struct TermInfo<'a> {
    pub term: &'a str,
    /// Postings on each level.
    pub n_postings: [u32; 3],
    /// Positions on all levels.
    pub n_positions: u32,
    /// Bytes of memory that it takes while it is merged.
    pub memory: u32,
    /// Whether a query can ask for the term, if the term is a key.
    pub is_searched_for: bool,
}

impl<'a> TermInfo<'a> {
    fn of((term, parts): &Term<'a>) -> Self {
        let mut info = Self { term, ..Self::default() };
        for part in *parts {
            for (sum, n) in info.n_postings.iter_mut().zip(part.n_postings) {
                *sum = sum.saturating_add(n);
            }
            info.n_positions = info.n_positions.saturating_add(part.n_positions);
            let memory = memory(part.lists.len() + term.len(), 1);
            info.memory = info.memory.saturating_add(memory as u32);
            info.is_searched_for |= part.is_searched_for;
        }
        info
    }
}

/// The terms of groups, in order.
#[derive(Debug, Default)]
pub struct TermTable {
    /// All terms, one after the other.
    text: String,
    /// The end of each term, and the facts about it.
    rows: Vec<(usize, TermInfo<'static>)>,
}

impl TermTable {
    /// Adds the terms of the next group.
    pub fn add(&mut self, merged: &MergedTerms<'_>) {
        let terms = merged.terms();
        self.rows.reserve(terms.len());
        for term in &terms {
            self.text.push_str(term.0);
            self.rows.push((self.text.len(), TermInfo { term: "", ..TermInfo::of(term) }));
        }
    }

    /// Returns all terms.
    pub fn infos(&self) -> Vec<TermInfo<'_>> {
        let starts = [0].into_iter().chain(self.rows.iter().map(|(end, _)| *end));
        let rows = starts.zip(&self.rows);
        rows.map(|(start, (end, info))| TermInfo { term: &self.text[start..*end], ..*info })
            .collect()
    }
}

/// The plan for all terms.
pub struct Plan<'a> {
    /// The terms that are kept.
    pub terms: Vec<TermInfo<'a>>,
    /// The terms of each range.
    pub ranges: Vec<Range<usize>>,
    /// The ranges of each column of positions.
    pub columns: Vec<Range<usize>>,
}

impl<'a> Plan<'a> {
    /// Makes the plan for all terms, which are sorted. Positions are cut into `n_blocks` blocks of
    /// pages.
    pub fn of(mut terms: Vec<TermInfo<'a>>, n_blocks: usize) -> Self {
        drop_lone_forms(&mut terms);
        drop_plain_names(&mut terms);
        let starts = range_starts(&terms);
        let ranges = starts.windows(2).map(|cut| cut[0]..cut[1]);
        let ranges: Vec<Range<usize>> = ranges.filter(|range| !range.is_empty()).collect();
        let columns = columns(&terms, &ranges, n_blocks);
        Self { terms, ranges, columns }
    }

    /// Returns the plan for terms in memory.
    pub fn of_merged(terms: &[Term<'a>], n_blocks: usize) -> Self {
        Self::of(terms.par_iter().map(TermInfo::of).collect(), n_blocks)
    }

    /// Returns the terms of some columns.
    pub fn terms_of(&self, columns: &Range<usize>) -> Range<usize> {
        let ranges = &self.columns[columns.clone()];
        match (ranges.first(), ranges.last()) {
            (Some(first), Some(last)) => {
                self.ranges[first.start].start..self.ranges[last.end - 1].end
            }
            _ => 0..0,
        }
    }

    /// Returns groups of columns. The terms of a group take about `bytes` of memory, but each group
    /// has at least one column.
    pub fn groups(&self, bytes: usize) -> Vec<Range<usize>> {
        let (mut groups, mut start, mut sum) = (Vec::new(), 0, 0);
        for at in 0..self.columns.len() {
            let terms = &self.terms[self.terms_of(&(at..at + 1))];
            let own: usize = terms.iter().map(|term| term.memory as usize).sum();
            if at > start && sum + own > bytes {
                groups.push(start..at);
                (start, sum) = (at, 0);
            }
            sum += own;
        }
        groups.push(start..self.columns.len());
        groups
    }

    /// Returns the `terms` that are kept. Both lists are sorted.
    pub fn keep<'t>(&self, mut terms: Vec<Term<'t>>, among: &Range<usize>) -> Vec<Term<'t>> {
        let mut kept = self.terms[among.clone()].iter().peekable();
        terms.retain(|(term, _)| kept.next_if(|next| next.term == *term).is_some());
        terms
    }
}
