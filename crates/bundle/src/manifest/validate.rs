//! The rules that a manifest must obey before a reader relies on it.

use super::{Dense, Manifest, RANKING_MAX, WHAT};
use crate::limits::{
    MAX_DIM, MAX_IDS, MAX_LANGUAGES, MAX_NAME_LEN, MAX_RANGES, MAX_SECOND_TIERS, MAX_SYNONYMS,
    MAX_TERM_LEN, MAX_VECTORS_PER_UNIT,
};
use crate::{Error, ShardId, ShardKind};

impl Manifest {
    /// Checks the manifest. A reader relies on these rules afterwards:
    ///
    /// - every shard that is referred to exists and is of the right kind, there is exactly one
    ///   structure, counts and names are within limits;
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
            "a mean length is negative or not finite",
        )?;
        at_most("languages", MAX_LANGUAGES as u64, self.languages.len() as u64)?;
        for name in self.languages.iter().chain([&self.generator]) {
            check_name(name)?;
        }

        self.validate_shards()?;
        self.validate_words()?;
        self.validate_texts()?;
        match &self.dense {
            Some(dense) => self.validate_dense(dense),
            None => require(stats.n_vectors == 0, "there are vectors, but no encoder"),
        }
    }

    /// Checks shards without a range, and attributes.
    fn validate_shards(&self) -> Result<(), Error> {
        let n_of = |kind: ShardKind| self.shards.iter().filter(|shard| shard.kind == kind).count();
        require(
            n_of(ShardKind::Structure) == 1,
            "expected one shard of structure, found none or several",
        )?;
        require(
            n_of(ShardKind::Addresses) <= 1,
            "expected at most one shard of addresses, found several",
        )?;
        require(
            n_of(ShardKind::PositionsDirectory) <= 1,
            "expected at most one directory of positions, found several",
        )?;
        require(
            n_of(ShardKind::VectorCounts) <= 1,
            "expected at most one shard of vector counts, found several",
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
        Ok(())
    }

    /// Checks terms, spelling, synonyms and the ranking parameters.
    fn validate_words(&self) -> Result<(), Error> {
        require(
            self.lexicon.is_empty() == (self.stats.n_terms == 0),
            "there are terms without ranges, or ranges without terms",
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

        let max = RANKING_MAX;
        require(
            self.ranking.is_empty()
                || self.ranking.len() == max.len()
                    && self.ranking.iter().zip(max).all(|(value, max)| (0.0..=max).contains(value)),
            "a ranking parameter is missing or out of range",
        )?;
        Ok(())
    }

    /// Checks the ranges of texts.
    fn validate_texts(&self) -> Result<(), Error> {
        let starts = || self.texts.iter().map(|range| (range.first_page.0, range.first_section));
        require(starts().is_sorted_by(|a, b| a < b), "ranges of texts do not ascend")?;
        check_starts(
            starts().filter(|&(_, section)| section == 0).map(|(page, _)| page),
            self.stats.n_pages,
        )?;
        require(
            starts().all(|(page, _)| page < self.stats.n_pages),
            "a range of texts begins beyond the last page",
        )?;
        require(
            starts().next().is_none_or(|first| first == (0, 0)),
            "the first range of texts does not begin with the first section",
        )?;
        self.have_shards(ShardKind::Texts, &mut self.texts.iter().map(|range| range.shard))
    }

    fn validate_dense(&self, dense: &Dense) -> Result<(), Error> {
        let card = &dense.encoder;
        require(card.dim > 0, "vectors have 0 dimensions")?;
        at_most("dimensions", MAX_DIM.into(), card.dim.into())?;
        for name in [&card.name, &card.fingerprint, &card.query_prefix, &card.document_prefix] {
            check_name(name)?;
        }
        require(
            dense.mean.len() == card.dim as usize,
            "the mean vector does not have the encoder's dimensions",
        )?;
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
        if !dense.sections.is_empty() {
            check_starts(
                dense.sections.iter().map(|range| range.first_section.0),
                self.stats.n_sections,
            )?;
        }
        self.have_shards(
            ShardKind::SectionVectors,
            &mut dense.sections.iter().map(|range| range.shard),
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
            require(rows.fitted.is_none_or(f32::is_finite), "the fit of the rows is not finite")?;
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

    /// Checks that ranges refer to shards of a kind. For kinds named by range the ids must ascend,
    /// because the range of a shard is found by binary search.
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

/// Checks that the first keys of ranges ascend strictly, and that none is longer than a term.
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

/// Checks that ranges begin at 0 (if `n` is above 0), ascend strictly and begin before `n`.
fn check_starts(starts: impl Iterator<Item = u32>, n: u32) -> Result<(), Error> {
    let mut next = 0;
    let mut first = true;
    for start in starts {
        require(
            start < n && start >= next && (!first || start == 0),
            "ranges do not begin at 0, or do not ascend",
        )?;
        next = start + 1;
        first = false;
    }
    require(first == (n == 0), "the ranges do not cover everything")
}

/// Checks a relative path, with `/`, that stays inside the bundle and names the same file on every
/// system.
fn check_path(path: &str) -> Result<(), Error> {
    check_name(path)?;
    let is_plain = path.split('/').all(is_plain_name);
    require(is_plain, "the path of a file is not a plain path inside the bundle")
}

/// Returns whether a name consists of ASCII letters, digits, `-`, `_` and `.`, does not begin or
/// end with `.`, and is not the name of a Windows device.
fn is_plain_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_device = match stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt")) {
        Some(number) => number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_digit()),
        None => matches!(stem.as_str(), "con" | "prn" | "aux" | "nul"),
    };
    let has_dot = name.starts_with('.') || name.ends_with('.');
    !name.is_empty() && name.bytes().all(is_plain) && !has_dot && !is_device
}

#[cfg(test)]
mod tests {
    use super::check_path;

    #[test]
    fn a_path_is_plain_and_names_the_same_file_on_every_system() {
        for path in ["a", "encoder/a-1_b.bin", "Encoder/x", "console/com10.bin", "a.b.c"] {
            assert!(check_path(path).is_ok(), "{path}");
        }
        for path in [
            "",
            "/a",
            "a/",
            "a//b",
            ".",
            "..",
            "../a",
            "a/../b",
            "./a",
            ".a",
            "a.",
            "a./b",
            "a b",
            "a\\b",
            "..\\a",
            "C:a",
            "a:b",
            "\\\\?\\a",
            "a?b",
            "a#b",
            "a%2e",
            "a\0",
            "a\nb",
            "ä",
            "a\u{2024}b",
            "con",
            "NUL.bin",
            "a/Com1",
            "lpt9.x.y",
            "aux.",
        ] {
            assert!(check_path(path).is_err(), "{path:?}");
        }
    }
}
