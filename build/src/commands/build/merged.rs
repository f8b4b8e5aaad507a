//! Builds the bundle of parts, for `findling merge`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::args::Args;
use super::inputs::{Input, Vectors, check_found, reading_options, tell};
use super::{build_from, report};
use crate::commands::ocr::OcrArgs;
use crate::file_mode::Shared;
use crate::parts::{self, Joined};
use crate::sources::Problem;
use crate::sources::boosts_and_pins::Pins;
use crate::sources::share;
use crate::ui::Ui;

/// Builds the bundle of all parts of a site. `writing` are arguments of `findling build` that say
/// where and how it is written; the others are in the parts.
///
/// # Errors
/// If a part cannot be read or does not fit the others, and those of a build.
pub fn run_merge(paths: &[PathBuf], writing: Vec<OsString>, ui: &Ui) -> Result<ExitCode> {
    let parts = parts::open(paths)?;
    let settings = parts.first().map(|part| part.head.settings.clone()).unwrap_or_default();
    let mut args = Args::parse([vec!["PARTS".into()], writing].concat())?;
    args.inputs.clear();
    (args.reading, args.sizes) = (settings_of(&settings)?, settings_of(&settings)?);
    args.meaning = settings_of(&settings)?;
    // The parts hold what was read by these.
    (args.reading.chat_fields, args.reading.ocr) = (None, OcrArgs::default());
    args.in_threads(|| {
        let shared = Shared::default().and(paths.iter().map(PathBuf::as_path));
        let read = |pins| Ok(Input { shared, ..input(&args, parts, pins, ui)? });
        report(&args, &build_from(&args, None, ui, read)?, ui)
    })
}

fn settings_of<T: DeserializeOwned>(settings: &parts::Settings) -> Result<T> {
    serde_json::from_value(Value::Object(settings.clone()))
        .context("the options in the parts cannot be read: build the parts again")
}

fn input(args: &Args, parts: Vec<parts::Part>, pins: Pins, ui: &Ui) -> Result<Input> {
    let options = reading_options(args, pins)?;
    let Joined { problems, pieces, embeddings } = parts::take(parts, &options)?;
    let mut n_unreadable = 0;
    let mut on_problem = |problem: Problem| n_unreadable += usize::from(tell(&problem, ui));
    problems.into_iter().for_each(&mut on_problem);
    let pages = share::join_shares(pieces, &options, &mut on_problem);
    check_found(&pages, args, n_unreadable)?;
    let embeddings = Some(Vectors::Parts(embeddings));
    Ok(Input { pages, n_unreadable, embeddings, ..Input::default() })
}
