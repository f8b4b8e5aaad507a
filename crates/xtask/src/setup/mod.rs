//! What must be on the machine, and how it gets there. Each part looks first, says what it will
//! install before it does, and does nothing the second time.

mod chromium;
mod debian;
mod node;
mod sysroot;

pub use chromium::chromium;
pub use node::{Node, node, node_for_tests, node_modules};
pub use sysroot::{WasmRustc, wasm_rustc};

/// Says what is going to be installed.
fn will_install(what: &str) {
    println!("    will install: {what}");
}
