//! Installs what the other commands need. Each part first checks whether something is missing, and
//! announces what it will install.

mod browsers;
mod debian;
mod node;
mod python;
mod sysroot;
mod tesseract;

pub use browsers::{chromium, firefox};
pub use node::{Node, node, node_for_tests, node_modules};
pub use python::python;
pub use sysroot::{WasmRustc, wasm_rustc};
pub use tesseract::tesseract;

/// Prints what is going to be installed.
fn will_install(what: &str) {
    println!("    will install: {what}");
}
