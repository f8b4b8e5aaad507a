//! Responses, and the headers that all of them have.

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use serde::Serialize;

use crate::output::{Exit, Failure};
use crate::safe_text;

/// The media type of PDF.
pub const PDF: &str = "application/pdf";

/// Only this server's own files are loaded or run, and no text becomes markup or a script.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; \
     frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// For a PDF: the browser's own viewer is a page with styles and a script of its own.
pub const POLICY_OF_PDF: &str = "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Adds the headers of every response.
pub fn secure(headers: &mut HeaderMap) {
    let is_pdf = headers.get(CONTENT_TYPE).is_some_and(|kind| kind == PDF);
    let policy = if is_pdf { POLICY_OF_PDF } else { POLICY };
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, policy),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// Returns a response of a type.
pub fn of_type(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Returns a response that is JSON.
pub fn json(status: StatusCode, json: String) -> Response {
    of_type(status, "application/json", json)
}

/// The object that describes an error, as `--json` prints it.
#[derive(Serialize)]
struct Output<'a> {
    error: &'a Failure,
}

/// Returns the response to a failed request.
pub fn error(error: &anyhow::Error) -> Response {
    let status = match Failure::of(error).exit() {
        Exit::Usage => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    failure(status, error)
}

/// Returns a response that describes an error.
pub fn failure(status: StatusCode, error: &anyhow::Error) -> Response {
    let text = safe_text::json(&Output { error: &Failure::of(error) });
    json(status, text.unwrap_or_default())
}

/// Returns the response for a missing file.
pub fn missing() -> Response {
    of_type(StatusCode::NOT_FOUND, "text/plain; charset=utf-8", "There is nothing here.\n")
}
