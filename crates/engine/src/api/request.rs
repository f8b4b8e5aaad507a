//! What a host asks of the engine.

mod json;
mod validate;

/// A query and how to answer it. Hosts other than Rust send it as JSON; every field but `query` may
/// be left out.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename_all = "camelCase"))]
pub struct Request {
    /// What the reader typed.
    pub query: String,
    /// Which legs to run.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub mode: Mode,
    /// How many pages to return. 0 counts only.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub limit: Limit,
    /// How many pages to pass over first.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub offset: u32,
    /// A condition on attributes, in any of its three spellings (see [`crate::filter`]): a string,
    /// or a JSON object.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional, type = "string | Record<string, unknown>"))]
    pub filter: Option<serde_json::Value>,
    /// The query's embedding, where the host has an encoder. Without one, hybrid becomes lexical
    /// and says so.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub vector: Option<QueryVector>,
    /// What embeds the query where no vector is given.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub encoder: EncoderChoice,
    /// How the two legs become one list.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub fusion: Fusion,
    /// Treat the last word as the beginning of one, as while typing.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub prefix: bool,
    /// Take every word as it is spelt: correct nothing.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub verbatim: bool,
    /// Where nothing is found, look for what else could be asked; true unless told.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub suggest: Suggest,
    /// Order by an attribute instead of by relevance.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub sort: Option<Sort>,
    /// Order by relevance and by a number or a date together.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub prefer: Option<Prefer>,
    /// How relevance and the pages' dates meet, by name; `sort` and `prefer` say it in full and go
    /// before it.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub order: Order,
    /// An attribute of whose values none is to fill the list: each page counts a little less than
    /// one before it with the same value.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub spread: Option<String>,
    /// Show every copy of a page (the same in several versions), which otherwise one stands for.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub copies: bool,
    /// Names of attributes to count values of, over all matching pages. `["*"]`: every facet of
    /// the bundle.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub facets: Vec<String>,
    /// Count an attribute's values as if the filter asked nothing of that attribute: what a reader
    /// would find who chose another value instead.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub facets_instead: bool,
    /// Most sections shown under a page, its best included.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub sections_per_page: SectionsPerPage,
    /// Say for each hit how its score came about, and for the query what the plan was.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub explain: bool,
    /// A page, by URL (with an anchor for one of its sections), path or id: say why it stands
    /// where it stands, beside the first. Implies `explain`.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub why: Option<String>,
    /// The same in other words, at most four: each is searched like the query, and a page, a
    /// section, scores what it scores best by any of them.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub also: Vec<String>,
    /// The embeddings of `also`, in its order, where the host has an encoder.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub also_vectors: Vec<Option<QueryVector>>,
    /// A page, by URL, path or id, in place of a query: find pages similar to it, without itself.
    /// By its own vectors, where they are to be had and `mode` is not lexical (the mode that
    /// answers is then semantic); otherwise by its most telling words.
    #[doc(alias = "deferred")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub similar_to: Option<String>,
}

/// Number of pages to return; 10 unless told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Limit(pub u32);

impl Default for Limit {
    fn default() -> Self {
        Self(10)
    }
}

/// Number of sections to show under a page; 3 unless told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SectionsPerPage(pub u32);

impl Default for SectionsPerPage {
    fn default() -> Self {
        Self(3)
    }
}

/// Whether to say what else could be asked where nothing is found; true unless told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Suggest(pub bool);

impl Default for Suggest {
    fn default() -> Self {
        Self(true)
    }
}

/// Which legs answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Words and meaning, fused.
    #[default]
    Hybrid,
    /// Words alone.
    Lexical,
    /// Meaning alone.
    Semantic,
}

/// The engine's own encoders, for a query that comes without a vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "lowercase"))]
pub enum EncoderChoice {
    /// The static encoder, where the bundle has its rows.
    #[default]
    Auto,
    /// The same, asked for by name.
    Static,
    /// None: without a vector, words alone.
    None,
}

/// An embedding of the query.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename_all = "camelCase"))]
pub struct QueryVector {
    /// `dim` numbers; normalised by the engine.
    pub values: Vec<f32>,
    /// Who made it: `transformer`, `hash`, `supplied`; named in the response.
    pub encoder: String,
    /// Whether the encoder saw only the beginning of the query.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub truncated: bool,
}

/// Fusion of the two legs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(
    feature = "ts",
    ts(tag = "method", rename_all = "lowercase", rename_all_fields = "camelCase")
)]
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
    /// q·mu))`, where `ideal` is what a section would score that says every word of the query:
    /// words that say little of it count little.
    Convex {
        /// Share of the dense leg. Unless told, the query decides: 0.35, and 0.45 where it is a
        /// sentence.
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

/// An order by attribute. Pages without a value come last; ties keep the order of relevance.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename_all = "camelCase"))]
pub struct Sort {
    /// The attribute's name.
    pub by: String,
    /// Largest first.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub descending: bool,
}

/// An order by name. The date is the site's attribute `date` where that is one, else its first
/// attribute of that type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename_all = "lowercase"))]
pub enum Order {
    /// The most relevant first.
    #[default]
    Relevance,
    /// The newest first, of all that is found.
    #[doc(alias = "deferred")]
    Recent,
    /// The most relevant first, of equally relevant ones the newer: [`Prefer`] by date.
    #[doc(alias = "deferred")]
    Balanced,
}

/// An inclination towards pages by a number or a date: the newest, the most read. A page's score is
/// multiplied by `1 - share * d / (d + half)`, where `d` is its distance from the best value of the
/// site.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename_all = "camelCase"))]
pub struct Prefer {
    /// The attribute's name.
    pub by: String,
    /// How much it counts: 0 nothing, 0.3 (unless told) beside relevance, 0.9 more than it.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub share: f32,
    /// The distance at which half of the share is lost, in the attribute's unit, days for dates.
    /// Unless told that of the middle one of all pages that have a value. Pages without one
    /// are taken to be at this distance.
    #[cfg_attr(feature = "ts", ts(optional))]
    pub half: Option<f32>,
    /// The smallest is the best.
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<_>"))]
    pub ascending: bool,
}

/// See [`Prefer::share`].
const DEFAULT_PREFER_SHARE: f32 = 0.3;

impl Prefer {
    /// The largest of an attribute, beside relevance.
    pub(crate) fn of(by: String) -> Self {
        Self { by, share: DEFAULT_PREFER_SHARE, half: None, ascending: false }
    }
}

impl Request {
    /// Reads a request from JSON, as every host other than Rust sends it.
    ///
    /// # Errors
    /// [`crate::Error::Request`] where the text is not JSON, a field is unknown or has the wrong
    /// type.
    pub fn from_json(json: &str) -> Result<Self, crate::api::Error> {
        json::request(json)
    }

    /// Checks that numbers are within their limits and that no two fields exclude each other.
    ///
    /// # Errors
    /// [`crate::Error::Request`] otherwise.
    pub(crate) fn validate(&self) -> Result<(), crate::api::Error> {
        validate::validate(self)
    }
}

impl Fusion {
    /// Reads a method and its numbers from JSON, as they stand in a request.
    ///
    /// # Errors
    /// [`crate::Error::Request`] where the method or a field is unknown.
    pub fn from_json(value: serde_json::Value) -> Result<Self, crate::api::Error> {
        json::fusion(value)
    }
}
