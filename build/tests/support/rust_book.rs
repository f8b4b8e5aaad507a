//! The Rust Book of the toolchain.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the book's directory of HTML. If the book is not installed, reports that `what` is
/// skipped and returns `None`.
pub fn rust_book(what: &str) -> Option<PathBuf> {
    let sysroot = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()))
        .args(["--print", "sysroot"])
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        .unwrap_or_default();
    let book = Path::new(&sysroot).join("share/doc/rust/html/book");
    if book.join("ch16-03-shared-state.html").is_file() {
        return Some(book);
    }
    println!(
        "skipped: {what}: the Rust Book is not in {} (`rustup component add rust-docs`)",
        book.display()
    );
    None
}
