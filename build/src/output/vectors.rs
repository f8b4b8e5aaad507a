//! A response as JSON: its sections with their places in files on this machine and, with
//! `--include-vectors`, with their vectors, for programs that rank again.

use std::collections::HashMap;

use findling_engine::{
    Correction, Document, Facet, HitVectors, Mode, Notice, PageHit, Plan, Request, Response,
    SectionHit, Suggestion, Total, Why,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{FilePlace, Sources, UsageError};
use crate::code_query;
use crate::host::{Cost, Host, QueryEncoder};

/// The vectors of the sections that a response shows.
#[derive(Clone, Debug, Default)]
pub struct Vectors {
    /// Vectors of each page's sections, in the response's order, by the page's id.
    pages: HashMap<String, Vec<Option<Vec<f32>>>>,
    about: AboutVectors,
}

/// The encoder of the vectors, and the query's own vector.
#[derive(Clone, Debug, Default, Serialize)]
pub struct AboutVectors {
    /// The encoder of the documents.
    encoder: String,
    /// Fingerprint of the encoder's space: vectors of two spaces cannot be compared.
    fingerprint: String,
    /// Numbers of a vector.
    dimensions: u32,
    /// The query's vector; `null` if it was not embedded.
    query: Option<Vec<f32>>,
    /// The vectors of its other phrasings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<Option<Vec<f32>>>,
}

impl Vectors {
    /// Answers a request, with the vectors of the sections shown if `included`.
    ///
    /// # Errors
    /// The errors of [`Host::search_with_vectors`].
    pub fn search(
        included: bool,
        host: &mut Host,
        encoder: Option<&QueryEncoder>,
        request: Request,
    ) -> anyhow::Result<(Response, Cost, Option<Self>)> {
        if !included {
            let (response, cost) = code_query::search(host, encoder, request)?;
            return Ok((response, cost, None));
        }
        let (response, cost, vectors) = host.search_with_vectors(encoder, request)?;
        let vectors = Self::new(host, &response, vectors);
        Ok((response, cost, Some(vectors)))
    }

    /// Returns vectors of a response as the engine gave it: with all pages, in its order.
    fn new(host: &Host, response: &Response, vectors: HitVectors) -> Self {
        let ids = response.results.iter().map(|page| page.id.clone());
        let pages = ids.zip(vectors.pages).collect();
        let mut of_query = vectors.query.into_iter();
        let query = of_query.next().flatten();
        let also = of_query.collect();
        let about = match &host.manifest().dense {
            Some(dense) => AboutVectors {
                encoder: dense.encoder.name.clone(),
                fingerprint: dense.encoder.fingerprint.clone(),
                dimensions: dense.encoder.dim,
                query,
                also,
            },
            None => AboutVectors::default(),
        };
        Self { pages, about }
    }

    /// Returns the fields for an answer's metadata.
    pub fn about(&self) -> AboutVectors {
        self.about.clone()
    }

    fn of(&self, page: &PageHit) -> &[Option<Vec<f32>>] {
        self.pages.get(&page.id).map_or(&[], Vec::as_slice)
    }
}

/// Checks that a bundle has vectors to include.
///
/// # Errors
/// If the bundle has no vectors.
pub fn require_vectors(host: &Host, name: &str) -> Result<(), UsageError> {
    if host.manifest().dense.is_some() {
        return Ok(());
    }
    let message = format!(
        "--include-vectors: expected a bundle with vectors, found {name}, which is searched by \
         words only; build it with an encoder, or leave out the option"
    );
    Err(UsageError { code: "vector", message })
}

/// The fields of [`Response`].
#[derive(Serialize)]
pub struct Body<'a> {
    query: &'a str,
    mode: Mode,
    encoder: Option<&'a str>,
    notices: &'a [Notice],
    corrections: &'a [Correction],
    suggestions: &'a [Suggestion],
    answerable: Option<f32>,
    total: Total,
    results: Vec<PageBody<'a>>,
    facets: &'a [Facet],
    plan: Option<&'a Plan>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a Why>,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<&'a Document>,
}

/// The fields of [`PageHit`].
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageBody<'a> {
    id: &'a str,
    url: &'a str,
    title: &'a str,
    language: &'a str,
    score: f32,
    attributes: &'a Map<String, Value>,
    meta: &'a [(String, String)],
    sections: Vec<SectionBody<'a>>,
    n_sections: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    copies: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pinned: Option<bool>,
}

/// A section, its place in a file, and its vector if vectors are included; `null` if it has none.
#[derive(Serialize)]
struct SectionBody<'a> {
    #[serde(flatten)]
    section: &'a SectionHit,
    #[serde(flatten)]
    place: Option<FilePlace>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vector: Option<Option<&'a [f32]>>,
}

/// Returns a response as it is printed.
pub fn body<'a>(
    response: &'a Response,
    vectors: Option<&'a Vectors>,
    sources: &Sources,
) -> Body<'a> {
    // Fields are named one by one, so that a new field is not forgotten here.
    let Response {
        query,
        mode,
        encoder,
        notices,
        corrections,
        suggestions,
        answerable,
        total,
        results,
        facets,
        plan,
        why,
        document,
    } = response;
    Body {
        query,
        mode: *mode,
        encoder: encoder.as_deref(),
        notices,
        corrections,
        suggestions,
        answerable: *answerable,
        total: *total,
        results: results.iter().map(|page| page_body(page, vectors, sources)).collect(),
        facets,
        plan: plan.as_ref(),
        why: why.as_ref(),
        document: document.as_deref(),
    }
}

/// Returns a page as it is printed.
pub fn page_body<'a>(
    page: &'a PageHit,
    vectors: Option<&'a Vectors>,
    sources: &Sources,
) -> PageBody<'a> {
    let PageHit {
        id,
        url,
        title,
        language,
        score,
        attributes,
        meta,
        sections,
        n_sections,
        copies,
        pinned,
    } = page;
    let mut of_page = vectors.map(|vectors| vectors.of(page).iter());
    let sections = sections.iter().map(|section| {
        let vector = of_page.as_mut().map(|of| of.next().and_then(Option::as_deref));
        SectionBody { section, place: sources.place(page, section), vector }
    });
    PageBody {
        id,
        url,
        title,
        language,
        score: *score,
        attributes,
        meta,
        sections: sections.collect(),
        n_sections: *n_sections,
        copies: Some(*copies).filter(|copies| *copies > 0),
        pinned: Some(*pinned).filter(|pinned| *pinned),
    }
}
