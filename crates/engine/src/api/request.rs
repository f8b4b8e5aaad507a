//! The request that a host sends to the engine.

mod json;
mod shared;
mod validate;

use serde::{Deserialize, Serialize};

pub use shared::Shared;

/// A query and its options. Hosts that are not written in Rust send it as JSON. Every field except
/// `query` is optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename_all = "camelCase"))]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// The text that the reader typed.
    pub query: String,
    /// The legs to run.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub mode: Mode,
    /// How many pages to return. 0 returns counts only.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub limit: Limit,
    /// How many pages to skip first.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub offset: u32,
    /// A condition on attributes: a string or a JSON object. [`crate::filter`] describes the three
    /// notations.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional, type = "string | Record<string, unknown>"))]
    pub filter: Option<serde_json::Value>,
    /// A second filter, which a reader sets by facets. It is applied to the results that the query
    /// finds without it, so the count of a value is the number of pages that remain after choosing
    /// the value. Facets of an attribute are counted without its own part of this filter. A
    /// response to a request with this filter has no suggestions and no `answerable`.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional, type = "string | Record<string, unknown>"))]
    pub post_filter: Option<serde_json::Value>,
    /// The query's embedding, if the host has an encoder. Without an embedding, a hybrid search
    /// becomes lexical, and a notice says so.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub vector: Option<QueryVector>,
    /// The encoder of the query if there is no `vector`.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub encoder: EncoderChoice,
    /// How the lists of the two legs are fused.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub fusion: Fusion,
    /// Treat the last word as a prefix: the reader is still typing.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub prefix: bool,
    /// With `prefix`: complete a query of a single letter as well. It then finds the pages with the
    /// most frequent words that begin with the letter, besides those that have the letter alone.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub single_letter: bool,
    /// Find only pages that have every word of the query, in any of their sections. Both legs obey
    /// it. Not asked for are stop words, and words that no page has, since nothing would be left.
    /// No effect if `mode` is semantic, or in a search for similar pages.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub every_word: bool,
    /// Do not correct the spelling of words.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub verbatim: bool,
    /// If nothing is found, return other queries that find something. Default: true.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub suggest: Suggest,
    /// Order by an attribute instead of by relevance.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub sort: Option<Sort>,
    /// Order by relevance combined with a number or a date.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub prefer: Option<Prefer>,
    /// A named order: by relevance, by date, by both, or by match. `sort` and `prefer` override
    /// it.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub order: Order,
    /// The name of an attribute. Pages with the same value are spread over the list: each one
    /// scores a little less than the one before it with that value.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub spread: Option<String>,
    /// Return every copy of a page, for example its other versions. By default one copy stands for
    /// all.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub copies: bool,
    /// Names of the attributes whose values are counted over all that matches. `["*"]` means all
    /// facets of the bundle.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub facets: Vec<String>,
    /// The set of pages that facets count.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub facets_of: FacetsOf,
    /// Count the values of an attribute without the part of the filter that concerns it. The counts
    /// are what a reader would find after choosing another value.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub facets_instead: bool,
    /// The maximum number of sections of a page, including its best one.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub sections_per_page: SectionsPerPage,
    /// Explain the score of each hit, and return the query's plan.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub explain: bool,
    /// The URL (with an anchor for a section), path or id of a page. The response explains its rank
    /// and compares it with the first page. Implies `explain`.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub why: Option<String>,
    /// At most four other phrasings of the query. Each is searched like the query. A page or a
    /// section gets the best of its scores.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub also: Vec<String>,
    /// The embeddings of `also`, in the same order, if the host has an encoder.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub also_vectors: Vec<Option<QueryVector>>,
    /// The URL, path or id of a page. Find pages similar to it instead of pages for `query`; the
    /// page itself is left out. Its vectors are compared if it has any and `mode` is not lexical
    /// (the response's mode is then semantic). Otherwise its most distinctive words are searched.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub similar_to: Option<String>,
    /// The URL, path or id of a page. The response has its whole text as `document`, and nothing is
    /// searched.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub read: Option<String>,
}

/// Number of pages to return. Default: 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Limit(pub u32);

impl Default for Limit {
    fn default() -> Self {
        Self(10)
    }
}

/// Maximum number of sections of a page. Default: 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SectionsPerPage(pub u32);

impl Default for SectionsPerPage {
    fn default() -> Self {
        Self(3)
    }
}

/// Whether to return suggestions if nothing is found. Default: true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Suggest(pub bool);

impl Default for Suggest {
    fn default() -> Self {
        Self(true)
    }
}

/// The legs to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Both, fused.
    #[default]
    Hybrid,
    /// Search by words only.
    Lexical,
    /// Search by meaning only.
    Semantic,
}

/// The set of pages that facets count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "lowercase"))]
#[serde(rename_all = "lowercase")]
pub enum FacetsOf {
    /// Matching pages. Of an attribute of sections a page has the values of its matching sections,
    /// and counts once for each.
    #[default]
    Pages,
    /// Matching sections. A section has its page's value of an attribute of pages.
    Sections,
}

/// The engine's own encoders, for a request without a vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "lowercase"))]
#[serde(rename_all = "lowercase")]
pub enum EncoderChoice {
    /// The static encoder, if the bundle has its rows.
    #[default]
    Auto,
    /// The static encoder.
    Static,
    /// No encoder: without a vector, only words are searched.
    None,
}

/// An embedding of the query.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename_all = "camelCase"))]
#[serde(rename_all = "camelCase")]
pub struct QueryVector {
    /// `dim` numbers. The engine normalises them.
    pub values: Vec<f32>,
    /// The name of the encoder: `transformer`, `hash` or `supplied`. The response repeats it.
    pub encoder: String,
    /// Whether the encoder saw only the beginning of the query.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub truncated: bool,
}

/// Fusion of the two legs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(
    feature = "ts",
    ts(tag = "method", rename_all = "lowercase", rename_all_fields = "camelCase")
)]
#[serde(tag = "method", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Fusion {
    /// Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009), weighted:
    /// `1 / (k + lexical rank) + dense_weight / (k + semantic rank)`, ranks from 1.
    Rrf {
        /// Damping of the first ranks.
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
        k: f32,
        /// Weight of the dense leg; the lexical leg's is 1.
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
        dense_weight: f32,
    },
    /// Convex combination of scores (Bruch, Gai and Ingber, TOIS 2023):
    /// `(1 - alpha) * bm25 / max(max_bm25, ideal) + alpha * max(0, (cos - q·mu) / (max_cos -
    /// q·mu))`. `ideal` is the score of a section that has every word of the query, so that a
    /// match of few of them scores low.
    Convex {
        /// Share of the dense leg. Default: 0.35, and 0.45 for a query that is a sentence.
        #[cfg_attr(feature = "ts", ts(optional))]
        alpha: Option<f32>,
    },
}

/// See [`Fusion::Rrf`].
const DEFAULT_RRF_K: f32 = 5.0;
const DEFAULT_RRF_DENSE_WEIGHT: f32 = 0.7;

impl Default for Fusion {
    fn default() -> Self {
        Self::Convex { alpha: None }
    }
}

/// An order by attribute. Pages without a value come last. Pages with equal values keep the order
/// of relevance.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename_all = "camelCase"))]
#[serde(rename_all = "camelCase")]
pub struct Sort {
    /// The attribute's name.
    pub by: String,
    /// Whether the largest value comes first.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub descending: bool,
}

/// A named order. The date is the attribute `date` if the bundle has one of that name and type,
/// otherwise its first date attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename_all = "lowercase"))]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// The most relevant first.
    #[default]
    Relevance,
    /// The newest first.
    #[doc(alias = "deferred")]
    Recent,
    /// Relevance combined with the date ([`Prefer`]).
    #[doc(alias = "deferred")]
    Balanced,
    /// The page that matches best first: relevance without the site's boosts and pins.
    Match,
}

/// A preference for pages with a high or low number or date, for example the newest or the most
/// read. A page's score is multiplied by `1 - share * d / (d + half)`, where `d` is the distance of
/// its value from the best value of the bundle.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename_all = "camelCase"))]
#[serde(rename_all = "camelCase")]
pub struct Prefer {
    /// The attribute's name.
    pub by: String,
    /// How much the preference counts: from 0 (not at all) to 0.9 (more than relevance). Default:
    /// 0.3.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub share: f32,
    /// The distance at which half of the share is lost, in the attribute's unit (days for dates).
    /// Default: the median distance of the pages that have a value. Pages without a value are
    /// treated as if they were at this distance.
    #[cfg_attr(feature = "ts", ts(optional))]
    pub half: Option<f32>,
    /// Whether the smallest value is the best.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub ascending: bool,
}

/// See [`Prefer::share`].
const DEFAULT_PREFER_SHARE: f32 = 0.3;

impl Prefer {
    /// Returns a preference for the largest values of an attribute, with the default share.
    pub(crate) fn of(by: String) -> Self {
        Self { by, share: DEFAULT_PREFER_SHARE, half: None, ascending: false }
    }
}

impl Request {
    /// Reads a request from JSON.
    ///
    /// # Errors
    /// [`crate::Error::Request`] if the text is not JSON, or a field is unknown or has the wrong
    /// type.
    pub fn from_json(json: &str) -> Result<Self, crate::api::Error> {
        json::request(json, None)
    }

    /// Reads a request that may carry the statistics of several bundles ([`crate::Shared`]).
    ///
    /// # Errors
    /// The errors of [`Request::from_json`].
    pub fn with_shared(json: &str) -> Result<(Self, Option<serde_json::Value>), crate::api::Error> {
        let mut shared = None;
        let request = json::request(json, Some(&mut shared))?;
        Ok((request, shared))
    }

    /// Returns the request as JSON that [`Request::from_json`] reads, for a host that hands it to
    /// another thread or process.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Checks that numbers are within their limits and that no two fields contradict each other.
    ///
    /// # Errors
    /// [`crate::Error::Request`] if not.
    pub(crate) fn validate(&self) -> Result<(), crate::api::Error> {
        validate::validate(self)
    }
}

impl From<&str> for Request {
    fn from(query: &str) -> Self {
        Self { query: query.into(), ..Self::default() }
    }
}

impl From<String> for Request {
    fn from(query: String) -> Self {
        Self { query, ..Self::default() }
    }
}

impl Fusion {
    /// Reads a fusion method and its parameters from JSON, as in a request.
    ///
    /// # Errors
    /// [`crate::Error::Request`] if the method or a field is unknown.
    pub fn from_json(value: serde_json::Value) -> Result<Self, crate::api::Error> {
        json::fusion(value)
    }
}
