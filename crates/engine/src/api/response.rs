//! The engine's response. Every host, including the command line, outputs it as JSON.

use serde::{Deserialize, Serialize};

/// The response to a [`crate::api::Request`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Response {
    /// The query of the request.
    pub query: String,
    /// The mode that was used: `lexical` if the request was hybrid and had no vector.
    pub mode: crate::api::Mode,
    /// The encoder of the query's vector; `None` if only words were searched.
    pub encoder: Option<String>,
    /// Messages for the reader or the site's owner, for example about a missing encoder or an
    /// unknown value of an attribute.
    pub notices: Vec<Notice>,
    /// Misspelled words of the query and the words that were searched instead, in the order of the
    /// query.
    pub corrections: Vec<Correction>,
    /// If nothing is found: other requests, each of which finds something. The one most like the
    /// query comes first.
    pub suggestions: Vec<Suggestion>,
    /// How likely it is that the site answers the query, 0 to 1: see [`Evidence`]. `None` if there
    /// was no query, or neither words nor vectors to judge by.
    pub answerable: Option<f32>,
    /// How many pages and sections match, returned or not.
    pub total: Total,
    /// Pages, best first.
    pub results: Vec<PageHit>,
    /// The values of the requested attributes with the number of matching pages or sections, the
    /// most frequent first, then by value.
    pub facets: Vec<Facet>,
    /// How the query was read and run. Only with `explain`.
    pub plan: Option<Plan>,
    /// The explanation of a page's rank. Only with `why`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub why: Option<Why>,
    /// The page that was read. Only with `read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub document: Option<Box<Document>>,
}

/// A page with its whole text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// The document's id.
    pub id: String,
    /// The page's URL.
    pub url: String,
    /// The title, plain text.
    pub title: String,
    /// The language, BCP 47; may be empty.
    pub language: String,
    /// The attributes as JSON values (dates as ISO 8601).
    #[cfg_attr(feature = "ts", ts(type = "Record<string, string | number | boolean | string[]>"))]
    pub attributes: serde_json::Map<String, serde_json::Value>,
    /// The sections in the order of the page. A very long one is several with the same headings.
    pub sections: Vec<DocumentSection>,
}

/// A section of a [`Document`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DocumentSection {
    /// 1 to 6; 0 for the text before the first heading.
    pub level: u8,
    /// Headings from the outermost to the section's own.
    pub heading_path: Vec<String>,
    /// The fragment without `#`.
    pub anchor: Option<String>,
    /// All its text, blocks separated by line feeds.
    pub text: String,
    /// The ranges of its passages, as [start, end) in UTF-16 code units, ascending; they may
    /// overlap.
    pub passages: Vec<(u32, u32)>,
}

/// A word that was treated as misspelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Correction {
    /// The word as it is in the query.
    pub word: String,
    /// The word of the site that was searched instead, in lower case.
    pub replacement: String,
}

/// A request to send instead of one that found nothing: the same request with these fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// The kind of change that the suggestion makes.
    pub kind: SuggestionKind,
    /// The word, value or attribute that is replaced, or the attribute whose part of the filter is
    /// left out. Empty for the other kinds.
    pub what: String,
    /// The replacement; `None` if something is left out.
    pub instead: Option<String>,
    /// The query.
    pub query: String,
    /// The other phrasings. Omitted if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub also: Vec<String>,
    /// The filter in its canonical notation.
    pub filter: Option<String>,
    /// Whether spelling is not corrected.
    pub verbatim: bool,
    /// How many pages it finds, including copies.
    pub pages: u32,
}

/// The kind of change that a [`Suggestion`] makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum SuggestionKind {
    /// Words that the site does not have are replaced by similar words.
    Words,
    /// A value that no page has is replaced by one that some page has.
    Value,
    /// The word before a colon is replaced by the name of an attribute.
    Attribute,
    /// Spelling is corrected.
    Spelling,
    /// Phrases are searched as words.
    Phrases,
    /// Exclusions are left out.
    Exclusions,
    /// The part of the filter that concerns one attribute is left out.
    Part,
    /// The filter is left out.
    Filter,
    /// All that apply of the last five.
    Everything,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// A stable code for programs, such as `encoder-missing` or `unknown-value`.
    pub code: String,
    /// The text for people (English).
    pub message: String,
}

/// How many pages and sections match: all that match by words, and the candidates of the dense leg
/// that are in the fused list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Total {
    /// Pages.
    pub pages: u32,
    /// Sections.
    pub sections: u32,
    /// Whether these numbers, the facets and the copies are lower bounds. In a streamed bundle only
    /// the best passages of a very frequent word are read, unless there is a filter, a phrase or
    /// an order by attribute.
    #[serde(default, skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<bool>"))]
    pub at_least: bool,
}

/// A page that matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PageHit {
    /// The document's id: a record's `_id`, or the page's path relative to the input directory.
    pub id: String,
    /// The page's URL.
    pub url: String,
    /// The title, plain text.
    pub title: String,
    /// The language, BCP 47.
    pub language: String,
    /// The fused score. It is the score of the best section, raised if another section is better in
    /// one of the legs, plus a part of the second-best section's score, multiplied by the site's
    /// boosts and the request's preferences. May exceed 1.
    pub score: f32,
    /// The attributes as JSON values (dates as ISO 8601).
    #[cfg_attr(feature = "ts", ts(type = "Record<string, string | number | boolean | string[]>"))]
    pub attributes: serde_json::Map<String, serde_json::Value>,
    /// Names and values of `data-findling-meta`, to be shown with the page: an image, an author.
    pub meta: Vec<(String, String)>,
    /// The matching sections, best first. If the query is the page's title, the first is the
    /// beginning of the page.
    pub sections: Vec<SectionHit>,
    /// How many of its sections match, returned or not.
    pub n_sections: u32,
    /// How many copies of this page match as well and are not in the list. Omitted if there are
    /// none.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub copies: u32,
    /// Whether the site has pinned it to this query. Omitted if not.
    #[serde(default, skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub pinned: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(truth: &bool) -> bool {
    !truth
}

/// A section that matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SectionHit {
    /// The page's URL with the section's anchor.
    pub url: String,
    /// The fragment without `#`; `None` for the text before the first heading.
    pub anchor: Option<String>,
    /// Headings from the outermost to the section's own; empty for the text before the first
    /// heading.
    pub heading_path: Vec<String>,
    /// The own attributes, without those of its page.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, string | number | boolean | string[]>"))]
    pub attributes: serde_json::Map<String, serde_json::Value>,
    /// The fused score.
    pub score: f32,
    /// The text to show.
    pub snippet: Snippet,
    /// The parts of the score.
    pub legs: Legs,
    /// Terms and fields. Only with `explain`.
    pub explain: Option<Explanation>,
}

/// A part of a section's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Snippet {
    /// Plain text, whole words, never markup.
    pub text: String,
    /// The ranges to highlight, as [start, end) in UTF-16 code units (JavaScript's string indices),
    /// ascending and disjoint.
    pub ranges: Vec<(u32, u32)>,
    /// The ranges that are code, in the same units.
    pub code: Vec<(u32, u32)>,
    /// The range of the sentence that the snippet was chosen for, in the same units: it says most
    /// of the query. Long sentences are divided. Empty if the text has no words.
    pub sentence: (u32, u32),
    /// Whether text before it was left out.
    pub cut_start: bool,
    /// Whether text after it was left out.
    pub cut_end: bool,
}

/// The parts of a fused score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Legs {
    /// The section's rank by words, from 1; `None` if no word matched.
    pub lexical_rank: Option<u32>,
    /// The BM25F score of its best passage.
    pub lexical_score: Option<f32>,
    /// The section's rank by meaning, from 1; `None` if it is not among the candidates.
    pub semantic_rank: Option<u32>,
    /// The cosine of the query and the section's best vector.
    pub similarity: Option<f32>,
    /// The lexical leg's part of the fused score.
    pub lexical_share: f32,
    /// The dense leg's part of the fused score.
    pub semantic_share: f32,
}

/// The explanation of a section's lexical score.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The part of each query term that matched.
    pub terms: Vec<TermExplanation>,
    /// The sum of the terms is multiplied by 1 plus the shares of these.
    pub boosts: Vec<Boost>,
}

/// A reason for a higher score than that of the terms alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Boost {
    /// `title`: the page's title consists of the query's words; `heading`: the section's heading
    /// does; `symbol`: the section is of the symbol of code that the query is, as written.
    pub reason: String,
    /// The share that it adds to the factor.
    pub share: f32,
}

/// One term's part of the score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TermExplanation {
    /// The term in the index.
    pub term: String,
    /// Inverse document frequency over passages.
    pub idf: f32,
    /// Term frequency in the best passage, by field: title, path, heading, ancestors, body, code.
    pub frequencies: [u32; 6],
    /// The contribution to the BM25F score.
    pub score: f32,
}

/// The evidence that the site answers a query. The most likely of several phrasings counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// The BM25F score of the best passage, divided by the score of a passage of average length
    /// that has every word of the query; `None` if no words were searched.
    pub words: Option<f32>,
    /// The cosine of the query and the nearest vector, minus the cosine of the query and the mean
    /// vector; `None` without vectors.
    pub meaning: Option<f32>,
}

/// How a query was read and run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The terms that were looked up, including completions, synonyms and relatives.
    pub terms: Vec<String>,
    /// Quoted phrases.
    pub phrases: Vec<String>,
    /// Terms that no hit may have.
    pub excluded: Vec<String>,
    /// The filter in its canonical notation.
    pub filter: Option<String>,
    /// The share of sections that pass the filter, 0 to 1.
    pub selectivity: f32,
    /// How the nearest vectors were found: `exact`, `hnsw` or `none`.
    pub neighbours: String,
    /// The fusion with its parameters, such as `rrf(k=5, dense_weight=0.7)` or
    /// `convex(alpha=0.35)`, or `none`.
    pub fusion: String,
    /// How many vectors were compared with the query.
    pub vectors_compared: u32,
    /// The evidence from which [`Response::answerable`] is computed.
    pub evidence: Evidence,
}

/// The explanation of a page's rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Why {
    /// The page asked about.
    pub page: PageName,
    /// The main reason in a sentence (English).
    pub reason: String,
    /// The rank, from 1; `None` if it is not found.
    pub rank: Option<u32>,
    /// The page as a hit, with explanations.
    pub hit: Option<PageHit>,
    /// The section with the requested anchor, if it is found.
    pub section: Option<SectionHit>,
    /// The first page; `None` if that is the page asked about, or nothing is found.
    pub first: Option<PageHit>,
    /// The page ranked just before it; `None` if that is the first.
    pub above: Option<PageHit>,
    /// The words that were looked up, and whether the page has them. Empty if no words were
    /// searched.
    pub words: Vec<WordOnPage>,
    /// The causes that exclude sections of the page: the filter, phrases, exclusions.
    pub removed_by: Vec<Removal>,
    /// How many sections the page has.
    pub n_sections: u32,
}

/// A page's name and address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PageName {
    /// The document's id.
    pub id: String,
    /// The page's URL.
    pub url: String,
    /// The title, plain text.
    pub title: String,
}

/// A word of the query, and whether a page has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WordOnPage {
    /// The word of the query, after correction.
    pub word: String,
    /// The terms that were looked up for it.
    pub terms: Vec<String>,
    /// Whether the page has one of the terms.
    pub on_page: bool,
}

/// A part of a request that excludes sections of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Removal {
    /// `filter`, `phrase` (the sections do not have it) or `exclusion` (they have it).
    pub kind: String,
    /// The text in the query or the filter.
    pub text: String,
    /// How many of the page's sections it excludes.
    pub sections: u32,
}

/// The values of an attribute with their counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Facet {
    /// The attribute's name.
    pub name: String,
    /// Each value as it is written in a filter, and the number of matching pages with it.
    pub values: Vec<(String, u32)>,
}
