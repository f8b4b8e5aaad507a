//! The description of an opened bundle.

use findling_bundle::{AttributeKind, AttributeLevel};
use findling_engine::Index;
use serde::{Deserialize, Serialize};

/// The description of an open bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    /// Names the build: it changes with every change to the bundle.
    pub revision: String,
    /// The program that wrote the bundle.
    pub generator: String,
    /// Languages of the pages, BCP 47.
    pub languages: Vec<String>,
    /// Number of pages.
    pub pages: u32,
    /// Number of sections.
    pub sections: u32,
    /// The attributes that filters, facets and orders can use.
    pub attributes: Vec<AttributeInfo>,
    /// The search by meaning; `None` if the bundle is searched by words only.
    pub meaning: Option<Meaning>,
}

/// An attribute of pages or sections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttributeInfo {
    /// The name.
    pub name: String,
    /// `string`, `strings`, `number`, `date` or `bool`.
    pub kind: String,
    /// Whether the site means it as a facet.
    pub facet: bool,
    /// `pages` or `sections`.
    pub of: String,
}

/// The vectors of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meaning {
    /// The encoder of the documents.
    pub encoder: String,
    /// Numbers of a vector.
    pub dim: u32,
    /// Whether vectors compare meanings. Feature hashing compares spellings.
    pub semantic: bool,
    /// Whether searches fetch the vectors near the query rather than all of them.
    pub streamed: bool,
    /// The encoder of queries: `static` or `hash`; `None` if only the program can embed them.
    pub built_in: Option<String>,
}

impl Info {
    /// Returns the description of an engine's bundle. `hashes`: whether queries are embedded by
    /// feature hashing.
    pub(crate) fn of(index: &Index, revision: &str, hashes: bool) -> Self {
        let manifest = index.manifest();
        let attributes = manifest.attributes.iter().map(|attribute| AttributeInfo {
            name: attribute.name.clone(),
            kind: match attribute.kind {
                AttributeKind::String => "string",
                AttributeKind::Strings => "strings",
                AttributeKind::Number => "number",
                AttributeKind::Date => "date",
                AttributeKind::Bool => "bool",
            }
            .into(),
            facet: attribute.facet,
            of: match attribute.level {
                AttributeLevel::Page => "pages",
                AttributeLevel::Section => "sections",
            }
            .into(),
        });
        let meaning = manifest.dense.as_ref().map(|dense| Meaning {
            encoder: dense.encoder.name.clone(),
            dim: dense.encoder.dim,
            semantic: dense.encoder.semantic,
            streamed: index.is_streamed(),
            built_in: match &dense.rows {
                _ if hashes => Some("hash".into()),
                Some(_) => Some("static".into()),
                None => None,
            },
        });
        Self {
            revision: revision.into(),
            generator: manifest.generator.clone(),
            languages: manifest.languages.clone(),
            pages: manifest.stats.n_pages,
            sections: manifest.stats.n_sections,
            attributes: attributes.collect(),
            meaning,
        }
    }
}
