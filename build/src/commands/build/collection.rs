//! Builds the bundle of a collection.

use std::ffi::OsString;
use std::path::Path;

use anyhow::Result;
use clap::Parser;

use super::args::Args;
use super::build_bundle;
use crate::collections::{Built, Place, Settings};
use crate::ui::Ui;

/// The arguments of `findling build`, whose defaults hold for collections too.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: Args,
}

/// Builds a bundle into a directory, going on from the one that is there. It is searched on this
/// machine: each shard is a file of its own, so that the next generation links those that stay. It
/// has no client, and static queries are not fitted to it.
///
/// # Errors
/// The errors of [`super::run`].
pub fn build_collection(settings: &Settings, place: &Place, yes: bool, ui: &Ui) -> Result<Built> {
    let args = Cli::try_parse_from(arguments(settings, &place.bundle, yes))?.args;
    let built = build_bundle(&args, place.kept.as_ref(), ui)?;
    built.warn_truncated(ui);
    Ok(Built {
        pages: built.stats.n_pages,
        sections: built.stats.n_sections,
        bundle_bytes: built.written.bundle_bytes,
        unreadable: built.n_unreadable,
        included: built.included,
        ..Built::default()
    })
}

fn arguments(settings: &Settings, output: &Path, yes: bool) -> Vec<OsString> {
    let Settings { kind, paths, encoder, exclude, base_url, language, .. } = settings;
    let mut arguments: Vec<OsString> =
        ["build", "--no-client", "--no-fit", "--prune=0", "--host=files"]
            .into_iter()
            .chain(yes.then_some("--yes"))
            .chain(settings.follow_links.then_some("--follow-links"))
            .chain(settings.tool_output.then_some("--tool-output"))
            .chain(settings.references.then_some("--references"))
            .map(OsString::from)
            .collect();
    // Joined to its name, a value may begin with a hyphen.
    let mut option = |name: &str, value: &str| arguments.push(format!("--{name}={value}").into());
    option("encoder", encoder);
    option("base-url", base_url);
    if kind.format().is_some() {
        option("format", &kind.to_string());
    }
    if let Some(language) = language {
        option("language", language);
    }
    if let Some(languages) = &settings.ocr {
        option("ocr", languages);
    }
    for pattern in exclude {
        option("exclude", pattern);
    }
    if let Some(fields) = &settings.chat_fields {
        arguments.extend(["--chat-fields".into(), fields.into()]);
    }
    arguments.extend(["--output".into(), output.into(), "--".into()]);
    arguments.extend(paths.iter().map(OsString::from));
    arguments
}
