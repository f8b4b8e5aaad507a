//! The parts of the engine that browsers load later, as declared in the source.
//!
//! A marker is next to the item that it describes, so that it is moved and renamed with the item:
//!
//! - `#[doc(alias = "deferred")]`
//!   - on a function, which must be `#[inline(never)]`: it is in the deferred part.
//!   - on a module: all of its functions are, and those of modules below it.
//!   - on a field of the request, or on a value of one: a search with it calls deferred functions.
//!   - on a list of regular expressions: so does a query that matches one of them.
//! - `#[doc(alias = "not deferred")]` on a function or a module in a deferred module: it stays in
//!   the first part.
//! - `#[doc(alias = "deferred, each function a part")]` on a module: each of its functions is a
//!   separate part, with the functions that only it calls.
//!
//! Functions that only deferred functions call go with them. Functions of other crates cannot have
//! a marker; [`names::OF_OTHER_CRATES`] lists them. The engine itself knows the kinds of shards
//! that deferred functions read (`ShardKind::is_rare`). It passes this on to hosts with each shard
//! that it requests.
//!
//! [`read`] collects the markers. The splitter takes the functions from it, and the client its
//! [`typescript`].

mod markers;
pub mod names;
pub mod typescript;

use std::path::Path;

use anyhow::Result;

use names::Functions;

/// The crates of the engine: names and sources.
const CRATES: [(&str, &str); 3] = [
    ("findling_bundle", "crates/bundle/src"),
    ("findling_text", "crates/text/src"),
    ("findling_engine", "crates/engine/src"),
];

/// The declarations of the markers.
pub struct Declaration {
    /// The functions that are not in the first part.
    pub functions: Functions,
    /// The fields of requests.
    pub fields: Vec<Field>,
    /// Regular expressions of queries that call deferred functions.
    pub syntax: Vec<String>,
}

/// A field of the request.
#[derive(Debug, PartialEq)]
pub struct Field {
    /// The name in JSON.
    pub name: String,
    /// Whether a search with it calls deferred functions.
    pub deferred: bool,
    /// The values that the first part handles, if the field has one of several words.
    pub values: Option<Vec<String>>,
}

/// Reads the markers of the engine's crates. `root`: the repository.
///
/// # Errors
/// If a file cannot be read, or a marker is unknown, misplaced or ambiguous.
pub fn read(root: &Path) -> Result<Declaration> {
    let mut markers = markers::Markers::default();
    for (name, directory) in CRATES {
        markers.read_crate(name, &root.join(directory))?;
    }
    markers.finish()
}
