//! What the engine answers. Every host, the command line included, gives out this shape as JSON.

use serde::Serialize;

/// The answer to one [`crate::api::Request`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Response {
    /// The query as asked.
    pub query: String,
    /// The mode that answered, which is `lexical` where hybrid was asked and there was no vector.
    pub mode: crate::api::Mode,
    /// Who embedded the query; `None` where meaning took no part.
    pub encoder: Option<String>,
    /// What the reader or the site's owner should know: a missing encoder, an unknown attribute
    /// value.
    pub notices: Vec<Notice>,
    /// Words of the query that the bundle does not have, and what was searched for instead, in the
    /// order of the query.
    pub corrections: Vec<Correction>,
    /// Where nothing is found, what else to ask, each of which finds something; what is nearest to
    /// the query first.
    pub suggestions: Vec<Suggestion>,
    /// Matches beyond the ones returned.
    pub total: Total,
    /// Pages, best first.
    pub results: Vec<PageHit>,
    /// Values and counts of the attributes asked for, over all matching pages; most frequent
    /// first, then by value.
    pub facets: Vec<Facet>,
    /// How the query was understood and run; with `explain` only.
    pub plan: Option<Plan>,
    /// Why the page asked about stands where it stands; with `why` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub why: Option<Why>,
}

/// A word that was taken for a slip of the keyboard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Correction {
    /// As the query has it.
    pub word: String,
    /// The word of the site that was searched for, in lower case.
    pub replacement: String,
}

/// Another request in place of one that finds nothing: the same with these fields instead of its
/// own.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// What is changed.
    pub kind: SuggestionKind,
    /// The word, value or attribute that is replaced, or whose part of the filter is left out;
    /// empty where the kind says it all.
    pub what: String,
    /// What it is replaced by; `None` where it is left out.
    pub instead: Option<String>,
    /// The query to ask.
    pub query: String,
    /// Its other wordings; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub also: Vec<String>,
    /// The filter to ask with, in its canonical spelling.
    pub filter: Option<String>,
    /// Whether to take words as they are spelt.
    pub verbatim: bool,
    /// The pages that it finds, copies of each other counted for themselves.
    pub pages: u32,
}

/// What a [`Suggestion`] changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum SuggestionKind {
    /// Words that the site does not have become words that resemble them.
    Words,
    /// A value that no page has becomes one that pages have.
    Value,
    /// What stands before a colon becomes an attribute's name.
    Attribute,
    /// Words need not be as they are spelt.
    Spelling,
    /// Quotation marks go.
    Phrases,
    /// What the query excludes is let in.
    Exclusions,
    /// The filter asks nothing of one attribute.
    Part,
    /// There is no filter.
    Filter,
    /// Of the last five all that there are.
    Everything,
}

/// Something to tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Stable, for programs: `encoder-missing`, `query-truncated`, `unknown-value`.
    pub code: String,
    /// For people.
    pub message: String,
}

/// How many pages and sections match: every one that words find, and those of the dense candidates
/// that made the fused list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Total {
    /// Pages.
    pub pages: u32,
    /// Sections.
    pub sections: u32,
    /// Whether there are more, and facets and copies count more: of a word that is nearly
    /// everywhere, a streamed bundle was asked only for the passages where it says most. A
    /// filter, a phrase or an order of its own has all of them looked at.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<bool>"))]
    pub at_least: bool,
}

/// A page that matches.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PageHit {
    /// The document's id: a record's `_id`, or the page's path relative to the input directory.
    pub id: String,
    /// Where the page is.
    pub url: String,
    /// Its title, plain text.
    pub title: String,
    /// Its language, BCP 47.
    pub language: String,
    /// The fused score: that of its best section, more where another is better in one of the legs,
    /// and a part of the second best, all weighed by what the site and the reader favour. May
    /// exceed 1.
    pub score: f32,
    /// Its attributes, as the JSON types they are (dates as ISO 8601).
    #[cfg_attr(feature = "ts", ts(type = "Record<string, string | number | boolean | string[]>"))]
    pub attributes: serde_json::Map<String, serde_json::Value>,
    /// What the site said to show with it (`data-findling-meta`): image, author.
    pub meta: Vec<(String, String)>,
    /// Its matching sections, best first; the first is the one the page stands for.
    pub sections: Vec<SectionHit>,
    /// Matching sections, shown or not.
    pub n_sections: u32,
    /// Pages that are found as well and are copies of this one, not shown for themselves; left out
    /// where there are none.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub copies: u32,
    /// Whether the site has pinned it to this query; left out where it has not.
    #[serde(skip_serializing_if = "is_false")]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SectionHit {
    /// The page's URL with the section's anchor.
    pub url: String,
    /// Fragment without `#`; `None` for what stands before the first heading.
    pub anchor: Option<String>,
    /// Headings from the outermost to the section's own; empty for what stands before the first
    /// heading.
    pub heading_path: Vec<String>,
    /// The fused score.
    pub score: f32,
    /// The passage that answers.
    pub snippet: Snippet,
    /// Where the score comes from: always present, since hosts print it as JSON too.
    pub legs: Legs,
    /// Terms and fields; with `explain` only.
    pub explain: Option<Explanation>,
}

/// A stretch of a section's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Snippet {
    /// Plain text, whole words, never markup.
    pub text: String,
    /// What to mark, as [start, end) in UTF-16 code units (JavaScript's own string indices), in
    /// order, disjoint.
    pub ranges: Vec<(u32, u32)>,
    /// What is code, in the same units.
    pub code: Vec<(u32, u32)>,
    /// Whether text was left out in front.
    pub cut_start: bool,
    /// Whether text was left out behind.
    pub cut_end: bool,
}

/// The parts of a fused score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Legs {
    /// Rank by words, from 1, among sections; `None` where no word matched.
    pub lexical_rank: Option<u32>,
    /// BM25F of its best passage.
    pub lexical_score: Option<f32>,
    /// Rank by meaning, from 1, among sections; `None` where it is not among the candidates.
    pub semantic_rank: Option<u32>,
    /// Cosine with the query of its best vector.
    pub similarity: Option<f32>,
    /// What the lexical leg gave to the fused score.
    pub lexical_share: f32,
    /// What the dense leg gave to the fused score.
    pub semantic_share: f32,
}

/// Why a section scores by words what it scores.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// One for each query term that matched.
    pub terms: Vec<TermExplanation>,
    /// What the sum of the terms was multiplied by: 1, plus the shares of these.
    pub boosts: Vec<Boost>,
}

/// A reason to rank higher than the words alone would.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Boost {
    /// `title`: the page's title consists of the query's words; `heading`: the section's heading
    /// does.
    pub reason: String,
    /// What it adds to the factor.
    pub share: f32,
}

/// One term's part.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TermExplanation {
    /// As indexed.
    pub term: String,
    /// Inverse document frequency over passages.
    pub idf: f32,
    /// Term frequency in the best passage, by field: title, path, heading, ancestors, body, code.
    pub frequencies: [u32; 6],
    /// Its contribution to the BM25F score.
    pub score: f32,
}

/// How a query was understood and run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Terms looked up; completions, synonyms and relatives of the words typed included.
    pub terms: Vec<String>,
    /// Quoted phrases.
    pub phrases: Vec<String>,
    /// Terms that a hit may not have.
    pub excluded: Vec<String>,
    /// The filter, in its canonical spelling.
    pub filter: Option<String>,
    /// Share of sections that the filter lets through, 0 to 1.
    pub selectivity: f32,
    /// `exact`, `hnsw`, `none`.
    pub neighbours: String,
    /// `rrf(k=5, dense_weight=0.7)`, `convex(alpha=0.35)`, `none`.
    pub fusion: String,
    /// Vectors compared with the query.
    pub vectors_compared: u32,
}

/// Why a page stands where it stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Why {
    /// The page asked about.
    pub page: PageName,
    /// The main reason, in a sentence (English).
    pub reason: String,
    /// Its rank from 1, `None` where it is not found.
    pub rank: Option<u32>,
    /// The page as a hit, with explanations.
    pub hit: Option<PageHit>,
    /// The section asked about by its anchor, where it is found.
    pub section: Option<SectionHit>,
    /// The first page; `None` where that is the page asked about, or nothing is found.
    pub first: Option<PageHit>,
    /// The page right above; `None` where that is the first.
    pub above: Option<PageHit>,
    /// The words that were looked up, and whether the page has them anywhere. Empty where words
    /// took no part.
    pub words: Vec<WordOnPage>,
    /// What takes sections of the page out: the filter, phrases, exclusions.
    pub removed_by: Vec<Removal>,
    /// Sections of the page.
    pub n_sections: u32,
}

/// A page, named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PageName {
    /// The document's id.
    pub id: String,
    /// Where the page is.
    pub url: String,
    /// Its title, plain text.
    pub title: String,
}

/// A word of the query and a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WordOnPage {
    /// As the query has it, corrected if it was.
    pub word: String,
    /// What was looked up for it.
    pub terms: Vec<String>,
    /// Whether the page has one of the terms, anywhere.
    pub on_page: bool,
}

/// What a page's sections are taken out by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Removal {
    /// `filter`, `phrase` (which they lack), `exclusion` (which they have).
    pub kind: String,
    /// As the query or the filter has it.
    pub text: String,
    /// How many of the page's sections it takes out.
    pub sections: u32,
}

/// Counts of an attribute's values.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Facet {
    /// The attribute.
    pub name: String,
    /// Value as a filter spells it, and the number of matching pages that have it.
    pub values: Vec<(String, u32)>,
}
