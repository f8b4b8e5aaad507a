//! Responses of the endpoint: answers, problems (RFC 9457), entity tags.

use axum::body::Body;
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use findling_bundle::{hash128, hex};
use serde_json::json;

use super::limits::Overload;
use crate::output::Failure;

/// The header with the identity of a request.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const PROBLEM: &str = "application/problem+json; charset=utf-8";
/// Seconds after which a client may ask again.
const RETRY_AFTER: &str = "1";

/// A problem with a request, or with the endpoint.
#[derive(Debug)]
pub struct Fault {
    pub status: StatusCode,
    /// Stable, for programs.
    pub code: &'static str,
    /// For the client.
    pub message: String,
    /// The remedy; may be empty.
    pub remedy: &'static str,
    /// Message for the log, if it says more than the client may know.
    pub cause: Option<String>,
}

impl Fault {
    /// Returns a fault of the request.
    pub fn new(status: StatusCode, code: &'static str, message: String) -> Self {
        Self { status, code, message, remedy: "", cause: None }
    }

    /// Returns an error of a search. Errors of this machine contain paths, so their messages only
    /// go to the log.
    pub fn of(error: &anyhow::Error) -> Self {
        let Failure { code, message, .. } = Failure::of(error);
        let status = match code {
            "request" | "filter" | "unknown-attribute" | "vector" => StatusCode::BAD_REQUEST,
            "query-encoder" => StatusCode::BAD_REQUEST,
            "no-such-page" => StatusCode::NOT_FOUND,
            _ => {
                return Self {
                    status: StatusCode::SERVICE_UNAVAILABLE,
                    code,
                    message: "The bundle cannot be searched now.".to_owned(),
                    remedy: "Ask again in a second. The server's log tells what is wrong.",
                    cause: Some(format!("{error:#}")),
                };
            }
        };
        Self::new(status, code, message)
    }

    /// Describes too many requests.
    pub fn overload(overload: Overload, most: usize) -> Self {
        let message = match overload {
            Overload::Full(n) => {
                format!("{n} requests are under way: expected at most {most}.")
            }
            Overload::Late => "The request has waited too long.".to_owned(),
        };
        let remedy = "Ask again in a second.";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self { status, code: "overloaded", message, remedy, cause: None }
    }

    /// Returns the response to a request with an identity.
    pub fn response(&self, id: &str) -> Response {
        let Self { status, code, message, remedy, .. } = self;
        let title = match status.as_u16() {
            400 => "The request is not valid",
            404 => "Nothing is here",
            405 => "The method is not supported",
            503 => "The search cannot answer now",
            _ => "An error",
        };
        let mut body = json!({
            "type": format!("urn:findling:problem:{code}"),
            "title": title,
            "status": status.as_u16(),
            "detail": message,
            "instance": format!("urn:findling:request:{id}"),
            "code": code,
            "error": {"code": code, "message": message},
        });
        if !remedy.is_empty() {
            body["remedy"] = (*remedy).into();
            body["error"]["remedy"] = (*remedy).into();
        }
        let mut response = of_type(*status, PROBLEM, body.to_string());
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if *status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER));
        }
        response
    }
}

/// Returns a response of a type.
pub fn of_type(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Returns an entity tag made of everything that determines an answer.
pub fn entity_tag(parts: &[&str]) -> String {
    format!("\"{}\"", hex(&hash128(parts.join(" ").as_bytes())))
}

/// Returns whether a client has the answer with this tag.
pub fn has_tag(headers: &HeaderMap, tag: &str) -> bool {
    let given = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let tags = given.into_iter().flat_map(|tags| tags.split(','));
    tags.map(|tag| tag.trim().trim_start_matches("W/")).any(|one| one == "*" || one == tag)
}

/// Returns the identity of a request: the one that a proxy has set, or a new one.
pub fn request_id(headers: &HeaderMap) -> String {
    let is_char = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:@/+=-".contains(byte);
    let given = headers.get(REQUEST_ID).map(HeaderValue::as_bytes);
    let given = given.filter(|id| (1..=128).contains(&id.len()) && id.iter().all(is_char));
    if let Some(id) = given {
        return String::from_utf8_lossy(id).into_owned();
    }
    let mut bytes = [0; 16];
    // Without random numbers all requests have the same identity, which does no other harm.
    let _ = getrandom::fill(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let all = hex(&bytes);
    [&all[..8], &all[8..12], &all[12..16], &all[16..20], &all[20..]].join("-")
}
