//! The collections: their contents, whether they are up to date, and their syncs.

use std::collections::BTreeMap;

use anyhow::Result;
use findling_bundle::{AttributeKind, AttributeLevel};
use serde::Serialize;

use super::jobs::State;
use super::{Application, address};
use crate::collections::{Freshness, Home, Name, Registry, Settings, Target};
use crate::commands::bundles::Bundles;
use crate::commands::collection::Row;
use crate::output::Failure;
use crate::safe_text;

/// The answer to `collections`.
#[derive(Serialize)]
struct Cards<'a> {
    registry: String,
    collections: Vec<Card<'a>>,
    jobs: BTreeMap<Name, State>,
}

/// A collection as `findling collection list --json` describes it, and the contents of its bundle.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Card<'a> {
    #[serde(flatten)]
    row: Row<'a>,
    #[serde(flatten)]
    contents: Contents,
    /// The locations of its files, for people.
    sources: Vec<String>,
    /// The reason for which it cannot be searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
    /// Whether another process makes its next bundle.
    is_syncing: bool,
}

/// Languages, counts and attributes, as the bundle's manifest has them.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Contents {
    languages: Vec<String>,
    has_meaning: bool,
    attributes: Vec<Attribute>,
}

/// An attribute in the form that the client expects.
#[derive(Serialize)]
struct Attribute {
    name: String,
    kind: &'static str,
    facet: bool,
    of: &'static str,
}

/// Lists the collections.
///
/// # Errors
/// If the registry cannot be read.
pub fn collections(application: &Application) -> Result<String> {
    let home = Home::default_location()?;
    let registry = Registry::read(&home)?;
    let all = registry.collections().iter();
    let cards = Cards {
        registry: address::shown(&home.registry()),
        collections: all.map(|(name, settings)| card(application, &home, name, settings)).collect(),
        jobs: application.jobs.states(),
    };
    Ok(safe_text::json(&cards)?)
}

fn card<'a>(
    application: &Application,
    home: &Home,
    name: &'a Name,
    settings: &'a Settings,
) -> Card<'a> {
    let row = Row::of(home, name, settings);
    let target = Target::of_collection(home, name);
    let is_syncing = target.is_ok_and(|target| target.is_syncing());
    let sources = settings.paths.iter().map(|path| address::shown(path)).collect();
    let (contents, error) = match contents(&application.bundles, name) {
        Ok(contents) => (contents, None),
        Err(error) => (Contents::default(), Some(Failure::of(&error))),
    };
    Card { row, contents, sources, error, is_syncing }
}

fn contents(bundles: &Bundles, name: &Name) -> Result<Contents> {
    let asked = bundles.get(name.as_str())?;
    let manifest = asked.host.manifest();
    let attribute = |attribute: &findling_bundle::Attribute| Attribute {
        name: attribute.name.clone(),
        kind: match attribute.kind {
            AttributeKind::String => "string",
            AttributeKind::Strings => "strings",
            AttributeKind::Number => "number",
            AttributeKind::Bool => "bool",
            AttributeKind::Date => "date",
        },
        facet: attribute.facet,
        of: match attribute.level {
            AttributeLevel::Page => "pages",
            AttributeLevel::Section => "sections",
        },
    };
    Ok(Contents {
        languages: manifest.languages.clone(),
        has_meaning: manifest.dense.is_some(),
        attributes: manifest.attributes.iter().map(attribute).collect(),
    })
}

/// Compares a collection with its sources; `null` if the comparison is impossible.
///
/// # Errors
/// If there is no such collection, or a source cannot be read.
pub fn freshness(name: &str) -> Result<String> {
    let target = Target::of_collection(&Home::default_location()?, &name.parse()?)?;
    let freshness: Option<Freshness> = target.freshness()?;
    Ok(safe_text::json(&freshness)?)
}

/// Returns the states of the syncs as JSON.
///
/// # Errors
/// None that can occur.
pub fn jobs(application: &Application) -> Result<String> {
    Ok(safe_text::json(&application.jobs.states())?)
}

/// Starts the sync of a collection.
///
/// # Errors
/// If there is no such collection.
pub fn sync(application: &Application, name: &str) -> Result<String> {
    application.jobs.start(&name.parse()?)?;
    jobs(application)
}
