//! End of a command that answers: its exit status, and its errors for programs.

use std::process::ExitCode;

use anyhow::Error;
use serde::Serialize;

use super::SCHEMA;
use crate::bundle_files::{NoBundle, WebError};
use crate::index::write::OutputError;
use crate::option_names::Flagged;
use crate::ui::{Ui, print_json};
use crate::usage_error::UsageError;
use crate::{collections, exchange, models, parts, safe_text};

/// The page about codes of errors. Each has an anchor there.
const TROUBLESHOOTING: &str =
    "https://github.com/findling-search/findling/blob/main/docs/troubleshooting.md";

/// The code of errors about which there is nothing to read.
const OTHER: &str = "failed";

/// The exit status of a command that answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Something was found.
    Found = 0,
    /// Nothing was found.
    Nothing = 1,
    /// The question is at fault: an unknown attribute, a filter that cannot be read, a collection
    /// that is not there.
    Usage = 2,
    /// The data are at fault: no bundle, a damaged one, a model that is not installed.
    Data = 3,
    /// Not every bundle could be searched, whether something was found or not.
    Partial = 4,
}

impl Exit {
    /// Returns the exit status of a search of several bundles. `found`: whether there are results;
    /// `complete`: whether all bundles answered.
    pub fn of(found: bool, complete: bool) -> Self {
        match (found, complete) {
            (_, false) => Self::Partial,
            (true, true) => Self::Found,
            (false, true) => Self::Nothing,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error for programs.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// Stable. See `docs/troubleshooting.md`.
    pub code: &'static str,
    /// For people.
    pub message: String,
    /// Messages of the causes, the nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    /// The address of what the documents say about the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    #[serde(skip)]
    exit: Exit,
}

/// The output of `--format json` if there is no answer.
#[derive(Serialize)]
struct Output<'a> {
    error: &'a Failure,
    #[serde(rename = "_meta")]
    meta: Schema,
}

#[derive(Serialize)]
struct Schema {
    schema: u32,
}

impl Failure {
    /// Describes an error.
    pub fn of(error: &Error) -> Self {
        let (code, exit) = kind(error);
        let mut messages =
            error.chain().map(|error| safe_text::message(&error.to_string()).into_owned());
        let message = messages.next().unwrap_or_default();
        Self { code, message, causes: messages.collect(), help: help(code), exit }
    }

    /// Returns an error of the command line.
    pub fn usage(message: &str) -> Self {
        let message = safe_text::message(message).into_owned();
        Self { help: help("usage"), code: "usage", message, causes: vec![], exit: Exit::Usage }
    }

    /// Returns the exit status.
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// Prints an error for people, and where to read about it in the last line.
    pub fn tell(error: &Error, ui: &Ui) {
        ui.error(error);
        if let Some(help) = help(kind(error).0) {
            ui.help(&help);
        }
    }

    /// Prints the error as the only object on standard output.
    pub fn print(&self) {
        let output = Output { error: self, meta: Schema { schema: SCHEMA } };
        // If nobody reads the output, the exit status still reports the failure.
        let _ = print_json(&output);
    }
}

/// Returns the address of what the documents say about a code.
fn help(code: &str) -> Option<String> {
    (code != OTHER).then(|| format!("{TROUBLESHOOTING}#{code}"))
}

/// Returns whether an error comes from a full disk or an exhausted quota.
pub fn is_full_disk(error: &Error) -> bool {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    let causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.map(std::io::Error::kind).any(|kind| matches!(kind, StorageFull | QuotaExceeded))
}

/// Returns the code and the exit status of an error, by the first of its causes that has a code.
fn kind(error: &Error) -> (&'static str, Exit) {
    if is_full_disk(error) {
        return ("disk-full", Exit::Data);
    }
    if error.is::<NoBundle>() {
        return ("no-bundle", Exit::Data);
    }
    for cause in error.chain() {
        if let Some(error) = cause.downcast_ref::<findling_engine::Error>() {
            let exit = if error.is_request() { Exit::Usage } else { Exit::Data };
            return (error.code(), exit);
        }
        if let Some(error) = cause.downcast_ref::<collections::Error>() {
            let is_usage = matches!(
                error,
                collections::Error::Unknown { .. }
                    | collections::Error::Ambiguous { .. }
                    | collections::Error::BadName { .. }
                    | collections::Error::UnknownVectors { .. }
            );
            return (error.code(), if is_usage { Exit::Usage } else { Exit::Data });
        }
        if cause.is::<findling_bundle::Error>() {
            return ("bundle", Exit::Data);
        }
        if let Some(code) = cause.downcast_ref::<Flagged>().and_then(|error| error.0.code()) {
            return (code, Exit::Usage);
        }
        if let Some(exchange::Error::Sources { .. }) = cause.downcast_ref() {
            return ("inputs", Exit::Usage);
        }
        if cause.is::<parts::Error>() {
            return ("parts", Exit::Data);
        }
        if cause.is::<exchange::Error>() {
            return ("table", Exit::Data);
        }
        if let Some(error) = cause.downcast_ref::<WebError>() {
            return web(error);
        }
        if cause.is::<models::Error>() {
            return ("model", Exit::Data);
        }
        if let Some(error) = cause.downcast_ref::<UsageError>() {
            return (error.code, Exit::Usage);
        }
        if cause.is::<OutputError>() {
            return ("output", Exit::Usage);
        }
        if cause.is::<Stale>() {
            return ("stale", Exit::Data);
        }
        if cause.is::<std::io::Error>() {
            return ("io", Exit::Data);
        }
    }
    (OTHER, Exit::Data)
}

fn web(error: &WebError) -> (&'static str, Exit) {
    match error {
        WebError::Address { .. } => ("address", Exit::Usage),
        WebError::Private { .. } => ("private-address", Exit::Usage),
        WebError::NoBundle { .. } => ("no-bundle", Exit::Data),
        WebError::Unreachable { .. } | WebError::Moved { .. } => ("unreachable", Exit::Data),
        WebError::Contents { .. } => ("bundle", Exit::Data),
        WebError::Copy { .. } => ("io", Exit::Data),
    }
}

/// An index that is older than allowed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Stale(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_by_the_first_cause_that_has_a_code() {
        let request = findling_engine::Error::Filter { message: "filter".into() };
        let broken = findling_engine::Error::Analysis { found: 1, expected: 2 };
        let unknown = collections::Error::Unknown { name: "x".into(), near: vec![] };
        let gone = collections::Error::NotBuilt { name: "x".into() };
        let io = std::io::Error::from(std::io::ErrorKind::NotFound);
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        for (error, code, exit) in [
            (Error::new(request).context("while searching"), "filter", Exit::Usage),
            (Error::new(broken), "analysis", Exit::Data),
            (Error::new(unknown).context("expected a bundle"), "unknown", Exit::Usage),
            (Error::new(Stale("old".into())), "stale", Exit::Data),
            (OutputError::File("out".into()).into(), "output", Exit::Usage),
            (Error::new(gone), "not-built", Exit::Data),
            (Error::new(io).context("x cannot be read"), "io", Exit::Data),
            (full.into(), "disk-full", Exit::Data),
            (anyhow::anyhow!("else"), "failed", Exit::Data),
        ] {
            let failure = Failure::of(&error);
            assert_eq!((failure.code, failure.exit()), (code, exit), "{error:#}");
            let link = failure.help.unwrap_or_default();
            assert_eq!(link.ends_with(&format!(".md#{code}")), code != OTHER, "{link}");
        }
    }
}
