//! The answer, with texts.

use findling_bundle::texts::PageText;
use findling_bundle::{AttributeValue, PageId, SectionId, Structure};
use findling_text::Analyzer;
use findling_text::keys::is_key;
use findling_text::normalise::lower_case;

use super::semantic_sentences::alike;
use super::snippet::{FIRST_WORDS, Marks, WORDS, snippet};
use super::why_reason::reason;
use crate::api::{Error, Legs, Mode, Notice, PageHit, PageName, Response, SectionHit, Why};
use crate::filter::date;
use crate::index::Index;
use crate::lexical::ScoredGroup;
use crate::rank::{Ranked, RankedPage, RankedSection, Standing};
use crate::resolve::ResolvedQuery;
use crate::scratch::Scratch;
use crate::suggest::Suggested;
use crate::vector::DensePoint;

/// The ends of a sentence and of a line.
const ENDS: [char; 6] = ['\n', '.', '!', '?', '。', '！'];

/// Bytes of a section's text that are read for a snippet if no passage of it matched.
const MAX_UNGUIDED_BYTES: usize = 4_000;

/// Longest section, in bytes, that the snippet of the first result is chosen from as a whole. In
/// longer sections it is chosen from the passage that scored.
const MAX_WHOLE_BYTES: usize = 8_000;

/// The answer of a search, without texts.
pub(crate) struct Answer {
    /// Queries with their legs, by phrasing.
    pub asked: Vec<ResolvedQuery>,
    /// A notice about the address in [`Request::why`](crate::api::Request::why).
    pub notice: Option<Notice>,
    pub ranked: Ranked,
    /// Suggestions, if nothing was found.
    pub suggested: Suggested,
}

/// Makes the response. The texts of the pages shown must be in memory.
pub(crate) fn respond(index: &Index, answer: Answer) -> Result<Response, Error> {
    let Answer { asked: phrasings, notice, ranked, suggested } = answer;
    let Some(asked) = phrasings.first() else {
        return Err(Error::inconsistent("nothing was asked"));
    };
    let dense = phrasings.iter().filter_map(|asked| asked.dense.as_ref());
    let points = dense.map(|dense| dense.point(index)).collect::<Result<_, _>>()?;
    let marks = marks(&phrasings, &ranked.groups);
    let analyzers = index.with_scratch(Scratch::take_analyzers);
    let query = words_of(&asked.request.query);
    let mut presenter = Presenter { index, query, marks, points, analyzers };
    let offset = asked.request.offset as usize;
    let mut results = Vec::new();
    for (place, page) in ranked.pages.iter().enumerate() {
        let size = if place + offset == 0 { FIRST_WORDS } else { WORDS };
        results.push(presenter.page(page, size)?);
    }
    let why = ranked
        .standing
        .as_ref()
        .map(|standing| presenter.why(asked, standing, ranked.total.at_least))
        .transpose()?;
    index.with_scratch(|scratch| scratch.keep_analyzers(presenter.analyzers));
    let notices = phrasings.iter().flat_map(|asked| &asked.notices).chain(&notice);
    Ok(Response {
        query: asked.request.query.clone(),
        // Meaning takes part if it does in one of the phrasings.
        mode: phrasings
            .iter()
            .map(|asked| asked.mode)
            .find(|mode| *mode != Mode::Lexical)
            .unwrap_or(asked.mode),
        encoder: phrasings.iter().find_map(|asked| asked.encoder.clone()),
        notices: each_once(notices.chain(&ranked.notices).chain(&suggested.notices)),
        corrections: each_once(phrasings.iter().flat_map(|asked| &asked.corrections)),
        suggestions: suggested.suggestions,
        answerable: ranked.answerable,
        total: ranked.total,
        results,
        facets: ranked.facets,
        plan: ranked.plan,
        why,
        document: None,
    })
}

/// Keeps the first of equal ones.
fn each_once<'a, T: Clone + PartialEq + 'a>(all: impl Iterator<Item = &'a T>) -> Vec<T> {
    let mut once: Vec<T> = Vec::new();
    for one in all {
        if !once.contains(one) {
            once.push(one.clone());
        }
    }
    once
}

/// Returns the words to mark, of all phrasings.
fn marks(phrasings: &[ResolvedQuery], groups: &[Vec<ScoredGroup>]) -> Marks {
    let mut marks = Marks::default();
    for (asked, groups) in phrasings.iter().zip(groups) {
        mark(&mut marks, asked, groups);
    }
    marks
}

/// Adds the words of one phrasing. If no words were looked up, adds all of the query's words except
/// stop words.
fn mark(marks: &mut Marks, asked: &ResolvedQuery, groups: &[ScoredGroup]) {
    for group in groups.iter().filter(|group| !group.form) {
        let worth = group.terms.iter().map(|term| term.idf).fold(0.0f32, f32::max);
        marks.push(
            group.terms.iter().map(|term| term.term.as_str()).filter(|term| !is_key(term)),
            worth,
        );
    }
    if groups.is_empty() {
        let only_stops = asked.plan.only_stops();
        for group in asked.plan.groups.iter().filter(|group| only_stops || group.stop < 1.0) {
            marks.push(group.terms.iter().map(String::as_str), 1.0);
        }
    }
}

/// Returns the words of a text without their case, joined by spaces.
fn words_of(text: &str) -> String {
    let lower = lower_case(text);
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

struct Presenter<'a> {
    index: &'a Index,
    /// The words of the query.
    query: String,
    marks: Marks,
    /// The vectors of the phrasings that have one.
    points: Vec<DensePoint>,
    /// Analyzers by language.
    analyzers: Vec<(String, Analyzer)>,
}

impl<'a> Presenter<'a> {
    #[doc(alias = "deferred")]
    #[inline(never)]
    fn why(
        &mut self,
        asked: &ResolvedQuery,
        standing: &Standing,
        partial: bool,
    ) -> Result<Why, Error> {
        let text = self.index.page_text(standing.place.page, 0)?;
        let page = PageName { id: text.id.into(), url: text.url.into(), title: text.title.into() };
        let [hit, first, above] = &standing.pages;
        let section = standing.place.section.map(|section| section.0);
        let section = hit
            .iter()
            .flat_map(|page| &page.sections)
            .find(|s| Some(s.candidate.section) == section);
        let section = section
            .map(|ranked| self.section(standing.place.page, &text, ranked, WORDS, false))
            .transpose()?;
        let mut present = |page: &Option<RankedPage>| {
            page.as_ref().map(|page| self.page(page, WORDS)).transpose()
        };
        let mut why = Why {
            page,
            reason: String::new(),
            rank: standing.rank,
            hit: present(hit)?,
            section,
            first: present(first)?,
            above: present(above)?,
            words: standing.words.clone(),
            removed_by: standing.removed_by.clone(),
            n_sections: standing.n_sections,
        };
        why.reason = reason(&why, asked, partial);
        Ok(why)
    }

    /// Returns a page as it is shown. `size`: the words of its best section's snippet.
    fn page(&mut self, page: &RankedPage, size: usize) -> Result<PageHit, Error> {
        let id = PageId(page.score.page);
        let text =
            self.index.page_text(id, page.places(self.structure()?).next().unwrap_or_default())?;
        let mut sections: Vec<SectionHit> = page
            .sections
            .iter()
            .enumerate()
            .map(|(i, section)| {
                let size = if i == 0 { size } else { WORDS };
                self.section(id, &text, section, size, i == 0)
            })
            .collect::<Result<_, _>>()?;
        // Whoever types the title of a page wants that page, and not the section that is most like
        // the title.
        if !self.query.is_empty()
            && words_of(text.title) == self.query
            && let Some(first) = sections.first_mut()
        {
            first.url = text.url.to_string();
        }
        Ok(PageHit {
            id: text.id.into(),
            url: text.url.into(),
            title: text.title.into(),
            language: text.language.into(),
            score: page.score.score,
            attributes: attributes(self.index, &text.attributes),
            meta: text.meta.iter().map(|&(name, value)| (name.into(), value.into())).collect(),
            sections,
            n_sections: page.score.n_sections,
            copies: page.score.copies,
            pinned: page.score.pinned,
        })
    }

    /// Returns the place of a language's analyzer, which is added if it is new.
    fn analyzer(&mut self, language: &str) -> usize {
        self.analyzers.iter().position(|(of, _)| of == language).unwrap_or_else(|| {
            self.analyzers.push((language.to_string(), Analyzer::for_language(language)));
            self.analyzers.len() - 1
        })
    }

    fn structure(&self) -> Result<&'a Structure, Error> {
        self.index.structure().ok_or_else(|| Error::inconsistent("the structure is missing"))
    }

    /// Returns a section as it is shown. `part`: a part of the page, where the section may be.
    /// `size`: the words of its snippet. `best`: whether the section is the page's best. If only
    /// meaning found a best section, the codes of its sentences are in memory.
    fn section(
        &mut self,
        id: PageId,
        part: &PageText<'a>,
        ranked: &RankedSection,
        size: usize,
        best: bool,
    ) -> Result<SectionHit, Error> {
        let candidate = &ranked.candidate;
        let structure = self.structure()?;
        let place = candidate.section.wrapping_sub(structure.sections(id).start);
        let other;
        let page = match part.section(place) {
            Some(_) => part,
            None => {
                other = self.index.page_text(id, place)?;
                &other
            }
        };
        let Some(section) = page.section(place) else {
            return Err(Error::inconsistent(format!(
                "the texts of page {} have {} sections from number {} on, and not number {place}",
                id.0,
                page.sections.len(),
                page.first
            )));
        };
        // The snippet comes from the passage that scored, or else from the text of the nearest
        // vector. Sentences that are most like the query come first.
        let first_passage = structure.passages(SectionId(candidate.section)).start;
        let passage = candidate.passage.and_then(|passage| passage.checked_sub(first_passage));
        let language = language(page.language, &self.index.manifest().languages);
        let mut likeness = Vec::new();
        let within = match passage.and_then(|passage| section.passages.get(passage as usize)) {
            Some(_) if size > WORDS && section.text.len() <= MAX_WHOLE_BYTES => {
                0..section.text.len()
            }
            Some(range) => range.start as usize..range.end as usize,
            None => {
                let codes =
                    self.index.manifest().sentences_of(id).filter(|_| best && ranked.only_means());
                if let Some((codes, at)) =
                    codes.and_then(|(shard, at)| Some((self.index.sentences(shard)?, at)))
                {
                    likeness = alike(&self.points, codes.codes(at, place), &section.text);
                }
                let from = section.text.len() * usize::from(candidate.part) / 256;
                // Vectors end at sentences as passages do, and not quite at the same ones.
                let from = section.text.floor_char_boundary(from);
                let behind =
                    section.text[from..].find(ENDS).filter(|_| from > 0).map_or(0, |end| end + 1);
                let from = section.text.ceil_char_boundary(from + behind);
                from..section.text.floor_char_boundary(from + MAX_UNGUIDED_BYTES)
            }
        };
        let place_of_analyzer = self.analyzer(language);
        let analyzer = &mut self.analyzers[place_of_analyzer].1;
        let snippet =
            snippet(&section.text, &section.code, within, size, &likeness, analyzer, &self.marks);
        Ok(SectionHit {
            url: match section.anchor.as_deref() {
                Some(anchor) => format!("{}#{anchor}", page.url),
                None => page.url.to_string(),
            },
            anchor: section.anchor.as_deref().map(str::to_string),
            heading_path: page.heading_path(place).into_iter().map(str::to_string).collect(),
            attributes: attributes(self.index, &section.attributes),
            score: candidate.score(),
            snippet,
            legs: Legs {
                lexical_rank: ranked.lexical_rank,
                lexical_score: candidate.lexical,
                semantic_rank: ranked.semantic_rank,
                similarity: candidate.similarity,
                lexical_share: candidate.lexical_share,
                semantic_share: candidate.semantic_share,
            },
            explain: ranked.explanation.clone(),
        })
    }
}

/// Returns the language a page was analysed in: its own language if the bundle has it, the most
/// frequent language if the page declares none, and otherwise `None`.
fn language<'a>(page: &'a str, languages: &'a [String]) -> &'a str {
    if page.is_empty() {
        return languages.first().map_or("", String::as_str);
    }
    let primary = page.split(['-', '_']).next().unwrap_or_default();
    languages
        .iter()
        .find(|language| language.eq_ignore_ascii_case(primary))
        .map_or("", String::as_str)
}

/// Reads the attributes of an item, by name.
pub(super) fn attributes(
    index: &Index,
    values: &[(u32, AttributeValue)],
) -> serde_json::Map<String, serde_json::Value> {
    let mut attributes = serde_json::Map::new();
    for (place, value) in values {
        if let Some(attribute) = index.manifest().attributes.get(*place as usize) {
            attributes.insert(attribute.name.clone(), json(value));
        }
    }
    attributes
}

/// Returns a value as JSON: whole numbers without a fraction, dates as ISO 8601.
fn json(value: &AttributeValue) -> serde_json::Value {
    match *value {
        AttributeValue::String(ref text) => text.clone().into(),
        AttributeValue::Strings(ref texts) => texts.clone().into(),
        AttributeValue::Number(number) => {
            // 2^53: up to here every whole number is exact.
            if number.abs() <= 9_007_199_254_740_992.0 && number == number.trunc() {
                (number as i64).into()
            } else {
                serde_json::Number::from_f64(number).map_or(serde_json::Value::Null, Into::into)
            }
        }
        AttributeValue::Date(ms) => date::format(ms).into(),
        AttributeValue::Bool(truth) => truth.into(),
    }
}
