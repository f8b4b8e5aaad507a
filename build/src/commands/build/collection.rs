//! Builds the bundle of a collection.

use std::time::Duration;

use anyhow::Result;

use super::report::warn_truncated;
use crate::collections::{Built, Place, Settings};
use crate::option_names::with_flags;
use crate::site::{self, Client, Hosting, Meaning, Options, Reading};
use crate::ui::Ui;

/// Builds a bundle into a directory, reusing an earlier bundle. The bundle is searched on this
/// machine: each shard is a separate file, so that the next generation can link unchanged shards.
/// The bundle has no client, and its static rows are not fitted.
///
/// # Errors
/// The errors of [`site::build`].
pub fn build_collection(settings: &Settings, place: &Place, yes: bool, ui: &Ui) -> Result<Built> {
    let options = options(settings, place, yes);
    let built = site::build_kept(&options, place.kept.as_ref(), ui);
    let built = built.map_err(|error| with_flags(error.into()))?;
    warn_truncated(built.n_truncated, ui);
    Ok(Built {
        pages: built.stats.n_pages,
        sections: built.stats.n_sections,
        bundle_bytes: built.written.bundle_bytes,
        unreadable: built.n_unreadable,
        included: built.included,
        ..Built::default()
    })
}

fn options(settings: &Settings, place: &Place, yes: bool) -> Options {
    let reading = Reading {
        format: settings.kind.format(),
        base_url: settings.base_url.clone(),
        language: settings.language.clone(),
        exclude: settings.exclude.clone(),
        follow_links: settings.follow_links,
        tool_output: settings.tool_output,
        references: settings.references,
        ocr: settings.ocr.clone(),
        chat_fields: settings.chat_fields.clone(),
        ..Reading::default()
    };
    let encoder = Some(settings.encoder.clone());
    Options {
        inputs: settings.paths.clone(),
        output: place.bundle.clone(),
        host: Hosting::Files,
        grace: Duration::ZERO,
        reading,
        meaning: Meaning { encoder, no_fit: true, ..Meaning::default() },
        client: Client::None,
        install: yes,
        ..Options::default()
    }
}
