//! Any bytes as a file of each kind that people index: a page, a document, a bibliography, a
//! conversation, code.
//!
//! The name of the program says which kind: `cargo xtask fuzz` gives the program one name for each.
//! A parser that panics ends the program, although a build survives it; a file that takes longer
//! than the time limit is a finding too.

#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use kinds::{KINDS, Kind};
use libfuzzer_sys::fuzz_target;

#[path = "../kinds/mod.rs"]
mod kinds;

/// The kind that the program's name says.
static KIND: LazyLock<&Kind> = LazyLock::new(|| {
    let program = std::env::args().next().unwrap_or_default();
    let name = Path::new(&program).file_name().unwrap_or_default().to_string_lossy();
    KINDS.iter().find(|kind| kind.name == name).unwrap_or_else(|| {
        let names: Vec<_> = KINDS.iter().map(|kind| kind.name).collect();
        let names = names.join(", ");
        panic!("expected a program that is named after a kind of file ({names}), found `{name}`")
    })
});

fuzz_target!(|bytes: &[u8]| kinds::read(*KIND, bytes));
