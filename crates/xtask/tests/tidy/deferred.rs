//! The markers of deferred code, and the files that are generated from them.

use std::fs;

use xtask::deferred::{read, typescript};

use super::root;

#[test]
fn the_client_has_the_markers_of_the_engine() {
    let declaration = read(&root()).expect("markers that can be read");
    let committed = fs::read_to_string(root().join(typescript::FILE)).unwrap_or_default();
    assert!(
        committed == typescript::write(&declaration),
        "{} differs from the markers in the engine's source: run `cargo xtask types`",
        typescript::FILE
    );
}
