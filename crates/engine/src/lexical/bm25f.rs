//! BM25F: the terms that satisfy each word of a query, the weights of these terms, and the
//! explanation of a score. [`super::score`] adds them up.

use findling_bundle::{
    Field, Level, PageId, PassageId, Posting, SectionId, Stats, Structure, order,
};

use super::{Dictionary, Lookup};
use crate::api::Bm25fParams;
use crate::bitset::Bitset;
use crate::query::{Group, QueryPlan};
use findling_text::TokenKind;

/// One way to satisfy a group.
#[derive(Clone, Debug)]
pub(crate) struct ScoredTerm {
    pub term: String,
    pub lookup: Lookup,
    pub idf: f32,
    /// The product of the weights of the group, the kind and the completion.
    pub weight: f32,
    /// Whether the reader typed the word, or an unfinished beginning of it. Only such terms let a
    /// title match the whole query.
    pub typed: bool,
}

/// A group of terms, of which only the best one counts.
#[derive(Clone, Debug)]
pub(crate) struct ScoredGroup {
    pub terms: Vec<ScoredTerm>,
    /// The group's largest possible contribution. A word that the bundle does not have counts as
    /// the rarest word. An identifier that the bundle does not have as a whole only counts by its
    /// parts.
    most: f32,
    /// The group's bit in the comparison of titles with the query; 0 if it has none.
    pub(super) bit: u8,
    /// Whether this is the typed form of the word before, not a word of its own.
    pub form: bool,
    /// Whether this is a name that hardly any page has.
    pub unique: bool,
}

/// The titles that are equal to the whole query.
pub(crate) struct Names {
    /// Titles and headings, as keys.
    pub titles: Vec<Lookup>,
    /// Sections of a symbol, ascending.
    pub symbols: Vec<u32>,
}

/// Scores the groups of a query.
pub(crate) struct Scorer<'a> {
    pub params: &'a Bm25fParams,
    pub(super) structure: &'a Structure,
    stats: &'a Stats,
    pub(super) dictionary: Dictionary<'a>,
    /// Weight of one occurrence, by field and length.
    factors: [Vec<f32>; 6],
}

/// If at most this number of pages has a name, the query is about the name. The name's score is
/// then multiplied by the second number.
const MAX_UNIQUE_PAGES: usize = 2;
const UNIQUE_WEIGHT: f32 = 3.0;
/// Maximum number of passages that have such a name, over all bundles that are searched as one.
const MAX_UNIQUE_PASSAGES: u32 = 64;

/// Lengths up to this have their factors precomputed; passages are hardly ever longer.
const MAX_TABLE_LEN: u32 = 511;

impl<'a> Scorer<'a> {
    pub fn new(
        params: &'a Bm25fParams,
        structure: &'a Structure,
        stats: &'a Stats,
        dictionary: Dictionary<'a>,
    ) -> Self {
        let factors = std::array::from_fn(|field| {
            (0..=MAX_TABLE_LEN).map(|len| factor(params, stats, field, len)).collect()
        });
        Self { params, structure, stats, dictionary, factors }
    }

    /// Returns the inverse document frequency over passages.
    pub fn idf(&self, df: u32) -> f32 {
        Self::idf_of(self.stats, df)
    }

    /// Returns the inverse document frequency, without a scorer.
    pub fn idf_of(stats: &Stats, df: u32) -> f32 {
        let (n, df) = (stats.n_passages as f32, df as f32);
        libm::logf(1.0 + (n - df + 0.5) / (df + 0.5))
    }

    /// Returns the weight of a group; 0 if the group does not count. `only_stops`: the query has no
    /// other words.
    pub fn group_weight(params: &Bm25fParams, group: &Group, only_stops: bool) -> f32 {
        let kind = if group.kind == TokenKind::Part { params.part_weight } else { 1.0 };
        let stop = if only_stops { 1.0 } else { 1.0 - group.stop * (1.0 - params.stop_weight) };
        group.count as f32 * kind * stop
    }

    /// Looks up the words of a query, including completions, synonyms and relatives. Titles are
    /// compared with the query after its `leading` stop words.
    pub fn resolve(&self, plan: &QueryPlan, leading: u32) -> Vec<ScoredGroup> {
        let only_stops = plan.only_stops();
        let mut groups = Vec::new();
        let mut bits = 0u32;
        let is_name = plan.is_name();
        for (group, related) in plan.groups.iter().zip(plan.related()) {
            let mut weight = Self::group_weight(self.params, group, only_stops);
            let carries = group.carries(only_stops);
            let bit = if carries && bits < 8 { 1 << bits } else { 0 };
            bits += u32::from(carries);
            if weight <= 0.0 {
                continue;
            }
            let mut terms = self.terms(plan, group, weight, related);
            let unique = group.named && self.is_unique(&terms);
            if unique {
                weight *= UNIQUE_WEIGHT;
                terms.iter_mut().for_each(|term| term.weight *= UNIQUE_WEIGHT);
            }
            let most = match terms.is_empty() {
                _ if group.extra => 0.0,
                true if group.kind == TokenKind::Whole => 0.0,
                true => weight * self.idf(0),
                false => terms.iter().map(|term| term.weight * term.idf).fold(0.0, f32::max),
            };
            // If titles have a word in several forms, a title equals the query only with the form
            // typed.
            let forms = if is_name { self.forms(group, weight, bit, &terms) } else { None };
            let bit = if forms.is_some() { 0 } else { bit };
            groups.push(ScoredGroup { terms, most, bit, form: false, unique });
            groups.extend(forms);
        }
        // Titles are not compared if there are more words than bits, or if the title would need
        // stop words, which are not looked up.
        let unseen =
            !only_stops && plan.groups.iter().skip(leading as usize).any(|group| group.stop == 1.0);
        if bits > 8 || unseen {
            groups.iter_mut().for_each(|group| group.bit = 0);
        }
        groups
    }

    /// Returns whether at least one and at most [`MAX_UNIQUE_PAGES`] pages have the word as typed.
    fn is_unique(&self, terms: &[ScoredTerm]) -> bool {
        let mut pages: Vec<u32> = Vec::new();
        for term in terms {
            // A word with synonyms may occur on further pages under another name.
            if !term.typed || term.lookup.entry.df > MAX_UNIQUE_PASSAGES {
                return false;
            }
            for level in Level::ALL {
                for Posting { id, .. } in self.dictionary.postings(&term.lookup, level) {
                    let section = match level {
                        Level::Page => SectionId(self.structure.sections(PageId(id)).start),
                        Level::Section => SectionId(id),
                        Level::Passage => self.structure.section_of(PassageId(id)),
                    };
                    let page = self.structure.page_of(section).0;
                    if !pages.contains(&page) {
                        pages.push(page);
                    }
                }
            }
        }
        (1..=MAX_UNIQUE_PAGES).contains(&pages.len())
    }

    /// Returns the share of the query that consists of names that hardly any page has, 0 to 1.
    pub fn unique_share(groups: &[ScoredGroup]) -> f32 {
        let (mut all, mut unique) = (0.0, 0.0);
        for group in groups {
            all += group.most;
            unique += if group.unique { group.most } else { 0.0 };
        }
        if all > 0.0 { unique / all } else { 0.0 }
    }

    /// Returns the terms of a word of the query: its own, completions, itself joined with a
    /// neighbour, synonyms and, if it is `related`, relatives.
    pub fn terms(
        &self,
        plan: &QueryPlan,
        group: &Group,
        weight: f32,
        related: bool,
    ) -> Vec<ScoredTerm> {
        let mut terms = Vec::new();
        for term in &group.terms {
            if let Some(lookup) = self.dictionary.find(term) {
                let idf = self.idf(lookup.entry.df);
                terms.push(ScoredTerm { term: term.clone(), lookup, idf, weight, typed: true });
            }
        }
        // A synonym counts less than the typed word, however rare it is.
        let own = terms.iter().map(|term| term.idf).reduce(f32::min);
        if let Some(prefix) = &group.prefix {
            let completions = self.dictionary.complete(prefix, &group.terms);
            // A rare completion is no better a guess than a frequent one, so all share the idf of
            // the most frequent one.
            let df = completions.first().map_or(0, |(_, lookup)| lookup.entry.df);
            let (idf, weight) = (self.idf(df), weight * self.params.completion_weight);
            let typed = own.is_none();
            for (term, lookup) in completions {
                if terms.iter().all(|known| known.term != term) {
                    terms.push(ScoredTerm { term, lookup, idf, weight, typed });
                }
            }
        }
        let synonyms = group.synonyms.iter().map(|key| (key, self.params.synonym_weight));
        let joined = group.joined.iter().map(|term| (term, 1.0));
        let mut others: Vec<_> = joined
            .chain(synonyms)
            .filter_map(|(key, share)| Some((key.clone(), self.dictionary.find(key)?, share)))
            .collect();
        // A word that the bundle does not have is corrected or reported as missing; relatives do
        // not replace it.
        if own.is_some() && related {
            // Take the longest of the stems in several languages: the shorter ones lack an ending
            // of another language.
            let word = group.terms.iter().max_by_key(|term| term.len());
            let relatives = word.map(|word| self.dictionary.relatives(word)).unwrap_or_default();
            // A word that was also typed counts for itself.
            let typed = |term: &String| plan.groups.iter().any(|group| group.terms.contains(term));
            let relatives = relatives.into_iter().filter(|(term, _)| !typed(term));
            others.extend(
                relatives.map(|(term, lookup)| (term, lookup, self.params.relative_weight)),
            );
        }
        for (term, lookup, share) in others {
            if terms.iter().all(|known| known.term != term) {
                let idf = self.idf(lookup.entry.df);
                let idf = own.map_or(idf, |own| own.min(idf));
                terms.push(ScoredTerm { term, lookup, idf, weight: weight * share, typed: false });
            }
        }
        terms
    }

    /// Returns the form in which a word was typed, if titles and headings have several forms of it.
    /// It counts a part of the word.
    fn forms(
        &self,
        group: &Group,
        weight: f32,
        bit: u8,
        terms: &[ScoredTerm],
    ) -> Option<ScoredGroup> {
        let idf = terms.first()?.idf;
        let weight = weight * self.params.form_weight;
        let mut found = Vec::new();
        for (i, key) in group.forms.iter().enumerate() {
            // A title in the other grammatical number also equals the query; if both exist, the
            // typed form comes first.
            let weight = match i < group.typed {
                true => weight,
                false if found.is_empty() => break,
                false => weight / 2.0,
            };
            if let Some(lookup) = self.dictionary.find(key) {
                found.push(ScoredTerm { term: key.clone(), lookup, idf, weight, typed: true });
            }
        }
        (!found.is_empty()).then_some(ScoredGroup {
            terms: found,
            most: 0.0,
            bit,
            form: true,
            unique: false,
        })
    }

    /// Returns the pages that have one of the terms.
    #[doc(alias = "deferred")]
    #[inline(never)]
    pub fn pages(&self, terms: &[ScoredTerm]) -> Bitset {
        let mut pages = Bitset::none(self.structure.n_pages());
        for (term, level) in terms.iter().flat_map(|term| Level::ALL.map(|level| (term, level))) {
            for Posting { id, .. } in self.dictionary.postings(&term.lookup, level) {
                let PageId(page) = match level {
                    Level::Page => PageId(id),
                    Level::Section => self.structure.page_of(SectionId(id)),
                    Level::Passage => {
                        self.structure.page_of(self.structure.section_of(PassageId(id)))
                    }
                };
                pages.insert(page);
            }
        }
        pages
    }

    /// Looks up the titles that equal the whole query, or else the query without its leading stop
    /// words.
    pub fn names(&self, plan: &QueryPlan) -> Vec<Lookup> {
        let [names, questions] = [&plan.names, &plan.questions].map(|keys| {
            keys.iter().filter_map(|key| self.dictionary.find(key)).collect::<Vec<_>>()
        });
        if names.is_empty() { questions } else { names }
    }

    /// Looks up the sections of the symbol that equals the query, ascending.
    pub fn symbols(&self, plan: &QueryPlan) -> Vec<u32> {
        let found = plan.symbols.iter().filter_map(|key| self.dictionary.find(key));
        let mut sections: Vec<u32> = found
            .flat_map(|lookup| {
                let postings = self.dictionary.postings(&lookup, Level::Section);
                postings.map(|posting| posting.id).collect::<Vec<_>>()
            })
            .collect();
        order::sort(&mut sections);
        sections
    }

    /// Returns the score of a passage of average length that has every word of the query once in
    /// its text.
    pub fn ideal(&self, groups: &[ScoredGroup]) -> f32 {
        let once = self.params.fields[Field::Body as usize].weight;
        let mut sum = 0.0;
        for group in groups {
            sum += group.most;
        }
        sum * (once / (self.params.k1 + once))
    }

    /// Returns the weighted frequency in the two fields of a level, each normalised by its length.
    #[inline]
    pub(super) fn frequency(&self, level: Level, posting: &Posting) -> f32 {
        let Posting { tf, len, .. } = posting;
        let mut sum = 0.0;
        for i in 0..2 {
            if tf[i] > 0 {
                let field = level as usize * 2 + i;
                let factor = match self.factors[field].get(len[i] as usize) {
                    Some(factor) => *factor,
                    None => factor(self.params, self.stats, field, len[i]),
                };
                sum += tf[i] as f32 * factor;
            }
        }
        sum
    }

    #[inline]
    pub(super) fn contribution(&self, term: &ScoredTerm, tf: f32) -> f32 {
        term.weight * term.idf * (tf / (self.params.k1 + tf))
    }

    /// Explains passages: for each group the term that counts, its frequencies by field, and its
    /// contribution. `passages` ascend. O(postings).
    pub fn explain(&self, groups: &[ScoredGroup], passages: &[u32]) -> Vec<Vec<Contribution>> {
        let mut explained: Vec<Vec<Contribution>> = passages.iter().map(|_| Vec::new()).collect();
        let sections: Vec<_> =
            passages.iter().map(|&passage| self.structure.section_of(PassageId(passage))).collect();
        for group in groups {
            let mut best: Vec<Option<Contribution>> = vec![None; passages.len()];
            for term in &group.terms {
                let none = Posting { id: 0, tf: [0; 2], len: [0; 2] };
                let mut postings = vec![[none; 3]; passages.len()];
                for level in Level::ALL {
                    let ids: Vec<u32> = passages
                        .iter()
                        .zip(&sections)
                        .map(|(&passage, &section)| match level {
                            Level::Page => self.structure.page_of(section).0,
                            Level::Section => section.0,
                            Level::Passage => passage,
                        })
                        .collect();
                    for posting in self.dictionary.postings(&term.lookup, level) {
                        // Ids ascend with the passages; several passages can share one.
                        let first = ids.partition_point(|&id| id < posting.id);
                        for (i, _) in ids
                            .iter()
                            .enumerate()
                            .skip(first)
                            .take_while(|(_, id)| **id == posting.id)
                        {
                            postings[i][level as usize] = posting;
                        }
                    }
                }
                for (i, postings) in postings.into_iter().enumerate() {
                    let mut weighted = 0.0;
                    for (level, posting) in Level::ALL.into_iter().zip(&postings) {
                        weighted += self.frequency(level, posting);
                    }
                    let score = self.contribution(term, weighted);
                    if weighted > 0.0 && best[i].as_ref().is_none_or(|best| score > best.score) {
                        let [[title, path], [heading, ancestors], [body, code]] =
                            postings.map(|posting| posting.tf);
                        best[i] = Some(Contribution {
                            term: term.term.clone(),
                            idf: term.idf,
                            frequencies: [title, path, heading, ancestors, body, code],
                            score,
                        });
                    }
                }
            }
            for (explained, best) in explained.iter_mut().zip(best) {
                explained.extend(best);
            }
        }
        explained
    }
}

/// Returns the weight of one occurrence in a field of a length.
fn factor(params: &Bm25fParams, stats: &Stats, field: usize, len: u32) -> f32 {
    let (params, mean) = (&params.fields[field], stats.mean_len[field]);
    // Postings do not store the lengths of paths and ancestor headings.
    let known = field != Field::Path as usize && field != Field::Ancestors as usize;
    let relative = if known && mean > 0.0 { len as f32 / mean } else { 1.0 };
    params.weight / (1.0 - params.b + params.b * relative)
}

/// One term's part in the score of a passage.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contribution {
    pub term: String,
    pub idf: f32,
    pub frequencies: [u32; 6],
    pub score: f32,
}

/// Returns the bits of all groups that a title must have; 0 if there are none, or one was not
/// found.
pub(crate) fn all_bits(plan: &QueryPlan, groups: &[ScoredGroup]) -> u8 {
    let only_stops = plan.only_stops();
    let carrying = plan.groups.iter().filter(|group| group.carries(only_stops)).count();
    if carrying == 0 || carrying > 8 {
        return 0;
    }
    let bits = groups
        .iter()
        .filter(|group| !group.terms.is_empty())
        .fold(0, |bits, group| bits | group.bit);
    let all = ((1u32 << carrying) - 1) as u8;
    if bits == all { all } else { 0 }
}
