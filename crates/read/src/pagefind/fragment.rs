//! The fragment of a page for `pagefind.js`: its content and the site's declarations about it.

use std::collections::BTreeMap;

use serde::Serialize;

/// The directory of fragments, below the bundle's.
pub const DIRECTORY: &str = "pagefind-fragment";

/// Suffix of the ids of pages that have words with a weight below 1.
const LIGHT: &str = "_light";

/// An element with an id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Anchor {
    /// The element's name.
    pub element: String,
    /// The id, without white space.
    pub id: String,
    /// The text of the element and of inline elements in it.
    pub text: String,
    /// The number of words before it.
    pub location: u32,
    /// `data-pagefind-title`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// Stretches of words with a weight other than 1: first word, end, weight.
pub type Weights = Vec<(u32, u32, f32)>;

/// A page, in the form that `data()` of a result returns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Fragment {
    /// The page's address.
    pub url: String,
    /// All its text.
    pub content: String,
    /// Words of `content`.
    pub word_count: u32,
    /// Values to filter by.
    pub filters: BTreeMap<String, Vec<String>>,
    /// The metadata to show with the page.
    pub meta: BTreeMap<String, String>,
    /// The elements with an id.
    pub anchors: Vec<Anchor>,
    /// The places where words have a weight other than 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weights: Weights,
}

impl Fragment {
    /// Returns the page's id, which is the file's name without its ending, and the file's contents.
    /// Pages with other contents have other ids, so that caches may keep the files. The id marks
    /// pages that have words with a weight below 1, because the index counts them as 1.
    pub fn file(&self, language: &str) -> (String, Vec<u8>) {
        let contents = serde_json::to_vec(self).unwrap_or_default();
        let language: String =
            language.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        let hash = blake3::hash(&contents).to_hex();
        let is_light = self.weights.iter().any(|(_, _, weight)| *weight < 1.0);
        let mark = if is_light { LIGHT } else { "" };
        (format!("{language}_{}{mark}", &hash[..12]), contents)
    }
}
