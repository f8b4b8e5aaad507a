//! In place of `bibtex` and `ris` for WebAssembly, which leave bibliographies out.

use super::paper::Paper;
use crate::sources::notes::Notes;

/// Names the file's form and leaves it out.
pub(super) fn read(_: &str, notes: &mut Notes) -> Vec<Paper> {
    notes.malformed(1, "is of a form that is not read here; `findling build` reads it");
    Vec::new()
}
