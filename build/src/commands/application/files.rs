//! PDFs of collections, for the browser to show.
//!
//! A link cannot carry the token, so a page that asks for a paper gets an address that nobody can
//! guess, for this one file.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result};
use axum::http::StatusCode;
use axum::response::Response;

use super::super::bundles::lock;
use super::respond;
use crate::regular_file;
use crate::serve::token::secret;

/// Maximum number of files that have an address.
const MAX_FILES: usize = 10_000;
/// Largest file that is served, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// The files that have an address, by the key in it.
#[derive(Default)]
pub struct Files(Mutex<HashMap<String, PathBuf>>);

impl Files {
    /// Returns the address of a PDF.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn address(&self, path: &Path) -> Result<String> {
        let mut files = lock(&self.0);
        if let Some((key, _)) = files.iter().find(|(_, known)| *known == path) {
            return Ok(format!("/file/{key}"));
        }
        if files.len() >= MAX_FILES {
            files.clear();
        }
        let key = secret()?;
        files.insert(key.clone(), path.to_owned());
        Ok(format!("/file/{key}"))
    }

    /// Returns the response for a key.
    pub fn response(&self, key: &str) -> Response {
        let path = lock(&self.0).get(key).cloned();
        match path.map(|path| pdf(&path)) {
            Some(Ok(contents)) => respond::of_type(StatusCode::OK, respond::PDF, contents),
            Some(Err(error)) => respond::error(&error),
            None => respond::missing(),
        }
    }
}

/// Returns the bytes of a PDF. The file may have been replaced since it got its address.
fn pdf(path: &Path) -> Result<Vec<u8>> {
    let cannot = || format!("{} cannot be shown", path.display());
    // A pipe has no length, and is refused below.
    if fs::metadata(path).with_context(cannot)?.len() > MAX_BYTES {
        return Err(super::usage("request", "expected a file of at most 256 MiB, found more"));
    }
    regular_file::read(path, MAX_BYTES).with_context(cannot)
}
