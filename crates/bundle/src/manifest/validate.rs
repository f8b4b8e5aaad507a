//! What of a manifest must hold before a reader relies on it.

use super::{Dense, Manifest, RANKING_MOST, WHAT};
use crate::limits::{
    MAX_DIM, MAX_IDS, MAX_LANGUAGES, MAX_NAME_LEN, MAX_RANGES, MAX_SECOND_TIERS, MAX_SYNONYMS,
    MAX_TERM_LEN, MAX_VECTORS_PER_UNIT,
};
use crate::{Error, ShardId, ShardKind};

impl Manifest {
    /// Whether what the manifest says holds together: what a reader relies on afterwards without
    /// asking again.
    ///
    /// - every shard referred to exists and is of the right kind, there is one structure, counts
    ///   and names are within limits;
    /// - ranges of terms, pages and vectors begin at the beginning, ascend strictly and stay within
    ///   the counts;
    /// - attributes ascend strictly by name; numbers are finite; the mean vector has the encoder's
    ///   dimension;
    /// - files are named by relative paths that stay inside the bundle.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn validate(&self) -> Result<(), Error> {
        let stats = &self.stats;
        for (what, n) in [
            ("pages", stats.n_pages),
            ("sections", stats.n_sections),
            ("passages", stats.n_passages),
            ("vectors", stats.n_vectors),
            ("terms", stats.n_terms),
        ] {
            at_most(what, MAX_IDS.into(), n.into())?;
        }
        let units = u64::from(stats.n_sections) + u64::from(stats.n_passages);
        at_most("vectors of all sections", units * MAX_VECTORS_PER_UNIT, stats.n_vectors.into())?;
        require(
            stats.mean_len.iter().all(|len| len.is_finite() && *len >= 0.0),
            "a mean length is impossible",
        )?;
        at_most("languages", MAX_LANGUAGES as u64, self.languages.len() as u64)?;
        for name in self.languages.iter().chain([&self.generator]) {
            check_name(name)?;
        }

        let n_of = |kind: ShardKind| self.shards.iter().filter(|shard| shard.kind == kind).count();
        require(n_of(ShardKind::Structure) == 1, "there is not exactly one structure")?;
        require(n_of(ShardKind::Addresses) <= 1, "there is more than one list of addresses")?;
        require(
            n_of(ShardKind::PositionsDirectory) <= 1,
            "there is more than one directory of positions",
        )?;
        require(
            n_of(ShardKind::VectorCounts) <= 1,
            "vectors of sections are counted more than once",
        )?;

        require(
            self.attributes.is_sorted_by(|a, b| a.name < b.name),
            "attributes do not ascend by name",
        )?;
        for attribute in &self.attributes {
            check_name(&attribute.name)?;
            require(!attribute.name.is_empty(), "an attribute has no name")?;
            self.refers(attribute.column, ShardKind::Column)?;
        }

        require(
            self.lexicon.is_empty() == (stats.n_terms == 0),
            "the terms are not where they should be",
        )?;
        check_firsts("bytes of a term", "ranges of terms do not ascend", &self.lexicon, |r| {
            &r.first_term
        })?;
        self.have_shards(ShardKind::Terms, &mut self.lexicon.iter().map(|range| range.terms))?;
        let n_second = self.lexicon.iter().filter(|range| range.second.is_some()).count();
        at_most("second tiers", MAX_SECOND_TIERS as u64, n_second as u64)?;
        self.have_shards(
            ShardKind::SecondTier,
            &mut self.lexicon.iter().filter_map(|range| range.second),
        )?;

        check_firsts("bytes of a word", "ranges of words do not ascend", &self.spelling, |r| {
            &r.first_word
        })?;
        self.have_shards(ShardKind::Spelling, &mut self.spelling.iter().map(|range| range.shard))?;

        at_most("ranges", MAX_RANGES as u64, self.n_ranges() as u64)?;
        at_most("synonyms", MAX_SYNONYMS as u64, self.synonyms.len() as u64)?;
        for word in
            self.synonyms.iter().flat_map(|synonym| synonym.to.iter().chain([&synonym.from]))
        {
            check_name(word)?;
        }

        let most = RANKING_MOST;
        require(
            self.ranking.is_empty()
                || self.ranking.len() == most.len()
                    && self
                        .ranking
                        .iter()
                        .zip(most)
                        .all(|(value, most)| (0.0..=most).contains(value)),
            "a parameter of ranking is missing or impossible",
        )?;

        let starts = || self.texts.iter().map(|range| (range.first_page.0, range.first_section));
        require(starts().is_sorted_by(|a, b| a < b), "ranges of texts do not ascend")?;
        check_starts(
            starts().filter(|&(_, section)| section == 0).map(|(page, _)| page),
            stats.n_pages,
        )?;
        require(
            starts().all(|(page, _)| page < stats.n_pages),
            "there are texts of a page that does not exist",
        )?;
        require(
            starts().next().is_none_or(|first| first == (0, 0)),
            "the first page's texts do not begin",
        )?;
        self.have_shards(ShardKind::Texts, &mut self.texts.iter().map(|range| range.shard))?;
        match &self.dense {
            Some(dense) => self.validate_dense(dense),
            None => require(stats.n_vectors == 0, "there are vectors of no encoder"),
        }
    }

    fn validate_dense(&self, dense: &Dense) -> Result<(), Error> {
        let card = &dense.encoder;
        require(card.dim > 0, "vectors have no dimension")?;
        at_most("dimensions", MAX_DIM.into(), card.dim.into())?;
        for name in [&card.name, &card.fingerprint, &card.query_prefix, &card.document_prefix] {
            check_name(name)?;
        }
        require(dense.mean.len() == card.dim as usize, "the mean vector has another dimension")?;
        require(dense.mean.iter().all(|v| v.is_finite()), "the mean vector is not finite")?;
        check_starts(dense.vectors.iter().map(|range| range.first_vector.0), self.stats.n_vectors)?;
        self.have_shards(ShardKind::Vectors, &mut dense.vectors.iter().map(|range| range.shard))?;
        if !dense.sentences.is_empty() {
            check_starts(
                dense.sentences.iter().map(|range| range.first_page.0),
                self.stats.n_pages,
            )?;
        }
        self.have_shards(
            ShardKind::Sentences,
            &mut dense.sentences.iter().map(|range| range.shard),
        )?;
        if let Some(graph) = dense.graph {
            self.refers(graph, ShardKind::Graph)?;
        }
        if let Some(centroids) = dense.centroids {
            self.refers(centroids, ShardKind::Centroids)?;
        }
        if let Some(projection) = dense.projection {
            self.refers(projection, ShardKind::Projection)?;
        }
        if let Some(rows) = &dense.rows {
            self.refers(rows.common, ShardKind::Rows)?;
            require(
                rows.fitted.is_none_or(f32::is_finite),
                "what rows were fitted to is not finite",
            )?;
            check_firsts(
                "bytes of a key",
                "common words do not ascend",
                &rows.common_keys,
                |key| key,
            )?;
            let why = "ranges of encoder rows do not ascend";
            check_firsts("bytes of a key", why, &rows.ranges, |range| &range.first_key)?;
            self.have_shards(ShardKind::Rows, &mut rows.ranges.iter().map(|range| range.shard))?;
        }
        for encoder in &dense.query_encoders {
            check_name(&encoder.kind)?;
            for file in &encoder.files {
                check_path(&file.path)?;
            }
        }
        Ok(())
    }

    /// Ranges have shards of a kind; of kinds that are named by their ranges in order, since which
    /// range a shard is of is looked up by halves.
    fn have_shards(
        &self,
        kind: ShardKind,
        shards: &mut dyn Iterator<Item = ShardId>,
    ) -> Result<(), Error> {
        let mut last = None;
        for shard in shards {
            self.refers(shard, kind)?;
            require(!kind.is_range() || last < Some(shard), "the shards of ranges do not ascend")?;
            last = Some(shard);
        }
        Ok(())
    }

    fn refers(&self, id: ShardId, kind: ShardKind) -> Result<(), Error> {
        match self.shard(id) {
            None => Err(Error::malformed(WHAT, "it refers to a shard that does not exist")),
            Some(shard) if shard.kind != kind => {
                Err(Error::malformed(WHAT, "it refers to a shard of another kind"))
            }
            Some(_) => Ok(()),
        }
    }
}

fn require(holds: bool, why: &'static str) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(Error::malformed(WHAT, why)) }
}

fn at_most(what: &'static str, limit: u64, got: u64) -> Result<(), Error> {
    if got <= limit { Ok(()) } else { Err(Error::Limit { what, limit, got }) }
}

fn check_name(name: &str) -> Result<(), Error> {
    at_most("bytes of a name", MAX_NAME_LEN as u64, name.len() as u64)
}

/// What ranges begin with ascends strictly, and none of it is longer than a term may be.
fn check_firsts<T>(
    what: &'static str,
    why: &'static str,
    ranges: &[T],
    first: impl Fn(&T) -> &String,
) -> Result<(), Error> {
    require(ranges.is_sorted_by(|a, b| first(a) < first(b)), why)?;
    ranges
        .iter()
        .try_for_each(|range| at_most(what, MAX_TERM_LEN as u64, first(range).len() as u64))
}

/// Ranges begin at 0 (if there is anything), ascend strictly and begin before the end.
fn check_starts(starts: impl Iterator<Item = u32>, n: u32) -> Result<(), Error> {
    let mut next = 0;
    let mut first = true;
    for start in starts {
        require(
            start < n && start >= next && (!first || start == 0),
            "ranges do not ascend from 0",
        )?;
        next = start + 1;
        first = false;
    }
    require(first == (n == 0), "the ranges do not cover everything")
}

/// A relative path, with `/`, that stays inside.
fn check_path(path: &str) -> Result<(), Error> {
    check_name(path)?;
    let plain = |part: &str| {
        !part.is_empty()
            && part != "."
            && part != ".."
            && !part.contains(['\\', ':', '?', '#', '%', '\0'])
    };
    require(path.split('/').all(plain), "a file's path leaves the bundle")
}
