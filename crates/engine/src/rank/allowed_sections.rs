//! The sections that may be found, by filter, phrases, exclusions and required words: one set for
//! both legs.

use findling_bundle::{SectionId, ShardId, Structure};

use super::every_word;
use crate::api::{Error, Mode, Notice};
use crate::bitset::Bitset;
use crate::filter;
use crate::index::Index;
use crate::lexical::{Dictionary, Phrases};
use crate::resolve::ResolvedQuery;

/// The sections that may be found.
pub(crate) struct AllowedSections {
    /// `None` for all.
    pub(super) sections: Option<Bitset>,
    /// The share of all sections that the filter lets through.
    pub(super) selectivity: f32,
    /// Notices of the filter.
    pub(super) notices: Vec<Notice>,
}

impl AllowedSections {
    /// Returns the shards of positions that phrases need. The shards of the query
    /// ([`ResolvedQuery::shards`]) must be in memory.
    #[doc(alias = "deferred")]
    #[inline(never)]
    pub fn shards(index: &Index, asked: &ResolvedQuery) -> Vec<ShardId> {
        let Some(structure) = index.structure() else { return Vec::new() };
        let phrases = Phrases { dictionary: Dictionary::new(index), structure };
        let asked = asked.plan.phrases.iter().chain(&asked.plan.excluded);
        asked.flat_map(|phrase| phrases.shards(phrase)).collect()
    }

    /// Evaluates filter, phrases, exclusions and required words. The shards of the query and
    /// [`AllowedSections::shards`] must be in memory.
    pub fn new(index: &Index, asked: &ResolvedQuery) -> Result<Self, Error> {
        let structure =
            index.structure().ok_or_else(|| Error::inconsistent("the structure is missing"))?;
        let mut notices = Vec::new();
        let mut allowed: Option<Bitset> = None;
        if let Some(condition) = &asked.condition {
            let column = |shard| index.column(shard);
            let matched = condition.evaluate(&index.manifest().attributes, structure, column)?;
            notices = matched.notices;
            allowed = Some(matched.sections);
        }
        notices
            .extend(asked.mismatches.iter().map(|mismatch| filter::not_a_value(index, mismatch)));
        let n_sections = structure.n_sections();
        let selectivity = match &allowed {
            Some(allowed) if n_sections > 0 => allowed.count() as f32 / n_sections as f32,
            _ => 1.0,
        };
        if asked.plan.has_phrases() || asked.seed.is_some() {
            allowed = Some(Self::narrowed(index, asked, structure, allowed));
        }
        let by_words = asked.mode != Mode::Semantic && asked.seed.is_none();
        if asked.request.every_word && by_words {
            allowed = every_word::keep(index, asked, structure, allowed);
        }
        Ok(Self { sections: allowed, selectivity, notices })
    }

    /// Applies phrases and exclusions, and removes the page that similar pages are searched for.
    #[doc(alias = "deferred")]
    #[inline(never)]
    fn narrowed(
        index: &Index,
        asked: &ResolvedQuery,
        structure: &Structure,
        allowed: Option<Bitset>,
    ) -> Bitset {
        let n_sections = structure.n_sections();
        let mut allowed = allowed.unwrap_or_else(|| Bitset::all(n_sections));
        let phrases = Phrases { dictionary: Dictionary::new(index), structure };
        for phrase in &asked.plan.phrases {
            if allowed.is_empty() {
                break;
            }
            allowed.and(&phrases.sections(phrase));
        }
        for phrase in &asked.plan.excluded {
            allowed.and_not(&phrases.sections(phrase));
        }
        if let Some(seed) = &asked.seed {
            let own = structure.sections(seed.page);
            let mut itself = Bitset::none(n_sections);
            itself.insert_range(own.start, own.end);
            allowed.and_not(&itself);
        }
        allowed
    }

    /// Returns whether a section may be found.
    pub fn contains(&self, section: SectionId) -> bool {
        self.sections.as_ref().is_none_or(|sections| sections.contains(section.0))
    }
}
