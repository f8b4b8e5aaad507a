//! The rank of one page, explained by the words of the query that it has.

#![doc(alias = "deferred")]

use findling_bundle::{Level, PageId, SectionId, Structure};
use findling_text::TokenKind;
use findling_text::keys::is_key;

use super::{PageScore, RankedPage};
use crate::api::{Error, Mode, Removal, WordOnPage};
use crate::bitset::Bitset;
use crate::index::Index;
use crate::lexical::{Dictionary, Lookup, Phrases, Scorer};
use crate::locate::Place;
use crate::query::{Completion, Query, QueryPlan};
use crate::resolve::ResolvedQuery;

/// A page, with its rank among the others.
pub(crate) struct Standing {
    pub place: Place,
    /// From 1; `None` if the page is not found.
    pub rank: Option<u32>,
    /// The page itself, then the first page, then the page directly above; each page once.
    pub pages: [Option<RankedPage>; 3],
    pub words: Vec<WordOnPage>,
    pub removed_by: Vec<Removal>,
    /// Sections of the page.
    pub n_sections: u32,
}

impl Standing {
    /// Finds a page among all pages in their order, and looks for the query's words in it. Their
    /// sections are added later.
    #[inline(never)]
    pub fn new(
        index: &Index,
        asked: &ResolvedQuery,
        place: Place,
        order: &[PageScore],
    ) -> Result<Self, Error> {
        let structure =
            index.structure().ok_or_else(|| Error::inconsistent("the structure is missing"))?;
        let at = order.iter().position(|page| page.page == place.page.0);
        let page = |at: usize| order.get(at).map(|&score| RankedPage::new(score));
        let first = if at == Some(0) { None } else { page(0) };
        let above = at.and_then(|at| at.checked_sub(1)).filter(|&above| above > 0).and_then(page);
        Ok(Self {
            place,
            rank: at.map(|at| at as u32 + 1),
            pages: [at.and_then(page), first, above],
            words: words(index, asked, structure, place.page),
            removed_by: removals(index, asked, structure, place.page)?,
            n_sections: structure.sections(place.page).len() as u32,
        })
    }
}

/// Returns the words of a query and whether a page has them. In semantic mode the shards of words
/// are not here.
fn words(
    index: &Index,
    asked: &ResolvedQuery,
    structure: &Structure,
    page: PageId,
) -> Vec<WordOnPage> {
    if asked.mode == Mode::Semantic {
        return Vec::new();
    }
    let dictionary = Dictionary::new(index);
    let spelt = spelt(asked, index);
    let only_stops = asked.plan.only_stops();
    let scores = |group: &&crate::query::Group| {
        group.kind != TokenKind::Part
            && !group.extra
            && Scorer::group_weight(&index.rank_params().bm25f, group, only_stops) > 0.0
    };
    asked
        .plan
        .groups
        .iter()
        .filter(scores)
        .map(|group| {
            let completions =
                group.prefix.iter().flat_map(|prefix| dictionary.complete(prefix, &group.terms));
            let completions = completions.map(|(_, lookup)| lookup);
            let asked = group.terms.iter().chain(&group.synonyms).chain(&group.joined);
            let mut lookups = asked.filter_map(|term| dictionary.find(term)).chain(completions);
            let word = spelt.iter().find(|(_, terms)| *terms == group.terms);
            WordOnPage {
                word: word.map_or_else(|| group.terms.join(", "), |(word, _)| word.clone()),
                terms: group
                    .terms
                    .iter()
                    .chain(&group.synonyms)
                    .chain(&group.joined)
                    .filter(|term| !is_key(term))
                    .cloned()
                    .collect(),
                on_page: lookups.any(|lookup| is_on_page(&dictionary, &lookup, structure, page)),
            }
        })
        .collect()
}

fn is_on_page(
    dictionary: &Dictionary<'_>,
    lookup: &Lookup,
    structure: &Structure,
    page: PageId,
) -> bool {
    let (sections, passages) = (structure.sections(page), structure.passages_of_page(page));
    [(Level::Page, page.0..page.0 + 1), (Level::Section, sections), (Level::Passage, passages)]
        .into_iter()
        .any(|(level, ids)| {
            dictionary.postings(lookup, level).any(|posting| ids.contains(&posting.id))
        })
}

/// Returns each word as the query spells it, with the terms that are looked up for it.
fn spelt(asked: &ResolvedQuery, index: &Index) -> Vec<(String, Vec<String>)> {
    let mut spelt = Vec::new();
    for clause in asked.query.clauses.iter().filter(|clause| !clause.excluded) {
        for word in clause.text.split_whitespace() {
            let clause = crate::query::Clause { text: word.to_owned(), ..clause.clone() };
            let alone = Query { clauses: vec![clause], ..Query::default() };
            let languages = &index.manifest().languages;
            let plan = QueryPlan::new(&alone, languages, &[], Completion::None);
            spelt.extend(plan.groups.into_iter().map(|group| {
                // Punctuation around a word is left out.
                let text = word.trim_matches(|c: char| c.is_ascii_punctuation());
                (if text.is_empty() { word } else { text }.to_owned(), group.terms)
            }));
        }
    }
    spelt
}

/// Returns the parts of the request that exclude sections of a page, with the number of sections
/// that each excludes.
fn removals(
    index: &Index,
    asked: &ResolvedQuery,
    structure: &Structure,
    page: PageId,
) -> Result<Vec<Removal>, Error> {
    let manifest = index.manifest();
    let sections = structure.sections(page);
    let count =
        |set: &Bitset| sections.clone().filter(|&section| set.contains(section)).count() as u32;
    let n_sections = sections.len() as u32;
    let mut removals = Vec::new();
    let mut add = |kind: &str, text: String, sections: u32| {
        if sections > 0 {
            removals.push(Removal { kind: kind.into(), text, sections });
        }
    };
    if let Some(condition) = &asked.condition {
        let column = |shard| index.column(shard);
        let allowed = condition.evaluate(&manifest.attributes, structure, column)?.sections;
        add("filter", condition.to_string(), n_sections - count(&allowed));
    }
    let phrases = Phrases { dictionary: Dictionary::new(index), structure };
    for phrase in &asked.plan.phrases {
        add("phrase", phrase.text.clone(), n_sections - count(&phrases.sections(phrase)));
    }
    for phrase in &asked.plan.excluded {
        add("exclusion", phrase.text.clone(), count(&phrases.sections(phrase)));
    }
    Ok(removals)
}

/// Reduces a page's sections to the best `most`, followed by the section asked about.
pub(crate) fn keep_section(page: &mut RankedPage, section: SectionId, most: usize) {
    match page.sections.iter().position(|ranked| ranked.candidate.section == section.0) {
        Some(at) if at >= most => {
            page.sections.swap(at, most);
            page.sections.truncate(most + 1);
        }
        _ => page.sections.truncate(most),
    }
}
