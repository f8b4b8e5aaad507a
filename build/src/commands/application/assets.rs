//! The pages and scripts of the application, which this program contains.

use anyhow::{Result, bail};
use axum::http::StatusCode;
use axum::response::Response;

use super::respond;

/// Compiled in: name and contents.
static COMPILED_IN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/app_files.rs"));

/// The addresses of the page. Its script reads the address to decide what to show.
const PAGES: [&str; 3] = ["/", "/search", "/read"];

/// Checks that this program has the pages.
///
/// # Errors
/// If it was compiled without them.
pub fn check() -> Result<()> {
    if file("index.html").is_none() || file("app.js").is_none() {
        bail!(
            "this `findling` was compiled without the pages of the local application: compile it \
             again after `cargo xtask wasm` and `cargo xtask client`, or give a bundle to serve"
        );
    }
    Ok(())
}

fn file(name: &str) -> Option<&'static [u8]> {
    COMPILED_IN.iter().find(|(known, _)| *known == name).map(|(_, contents)| *contents)
}

/// Returns the response for a path.
pub fn response(path: &str) -> Response {
    let name = match path {
        page if PAGES.contains(&page) => "index.html",
        // Browsers request it for responses that are not pages, such as a PDF.
        "/favicon.ico" => "icon.svg",
        file => file.trim_start_matches('/'),
    };
    let kind = match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => return respond::missing(),
    };
    match file(name) {
        Some(contents) => respond::of_type(StatusCode::OK, kind, contents),
        None => respond::missing(),
    }
}
