//! The search as an HTTP endpoint: the routes, parameters, answers and errors of the endpoint for
//! Workers and Node (`www/src/edge`), served by this program.
//!
//! | route | answers |
//! |---|---|
//! | `GET /search?q=` | the JSON of `findling search --json` |
//! | `GET /similar?url=` | pages like one |
//! | `GET /suggest?q=` | titles while somebody types |
//! | `GET /page?url=` | the text of a page or of a section |
//! | `GET /health` | the build, its numbers of pages and sections |
//! | `GET /openapi.json` | the description of the routes |
//!
//! A search runs on one core. One search runs on each core; further ones wait, and beyond the limit
//! they are refused.

mod limits;
mod log;
mod parameters;
mod question;
mod reply;
mod site;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use axum::routing::any;
use serde_json::json;

pub use log::LogLevel;
use log::Trail;

use crate::host::EncoderChoice;
use crate::output::UsageError;
use crate::ui::Ui;
use limits::Limits;
use question::{Asks, Question};
use reply::{Fault, REQUEST_ID, entity_tag, has_tag, of_type, request_id};
use site::Site;

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");
const JSON: &str = "application/json; charset=utf-8";
/// Requested again each time, and answered with 304 if unchanged.
const ASK_AGAIN: &str = "no-cache";
/// Never kept.
const NEVER: &str = "no-store";

/// Options of the endpoint.
pub struct Options {
    /// In front of all routes; empty, or a path without a slash at its end.
    pub prefix: String,
    /// Path of the site whose pages the bundle has, with `/` at both ends.
    pub site_path: String,
    /// The encoder of queries.
    pub encoder: EncoderChoice,
    /// Whether to search as a browser does.
    pub streamed: bool,
    /// Maximum number of requests under way.
    pub max_requests: usize,
    /// The origin whose scripts may read answers, or `*`.
    pub allow_origin: Option<HeaderValue>,
    /// The requests that are logged.
    pub log: LogLevel,
}

/// The endpoint of a bundle.
pub struct Endpoint {
    options: Options,
    site: Site,
    limits: Limits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    Asks(Asks),
    Health,
    OpenApi,
}

const ROUTES: [(&str, Route); 6] = [
    ("/search", Route::Asks(Asks::Search)),
    ("/similar", Route::Asks(Asks::Similar)),
    ("/suggest", Route::Asks(Asks::Suggest)),
    ("/page", Route::Asks(Asks::Page)),
    ("/health", Route::Health),
    ("/openapi.json", Route::OpenApi),
];

fn path_of(route: Route) -> &'static str {
    ROUTES.iter().find(|(_, known)| *known == route).map_or("", |(path, _)| path)
}

/// An answer, before its headers.
struct Answer {
    status: StatusCode,
    media_type: &'static str,
    body: String,
    etag: Option<String>,
}

impl Endpoint {
    /// Returns the endpoint of the bundle `given`. The first request opens it.
    pub fn new(given: std::path::PathBuf, options: Options, ui: &Ui) -> Self {
        let site = Site::new(given, options.encoder.clone(), options.streamed, ui.clone());
        Self { limits: Limits::new(options.max_requests), site, options }
    }

    /// Returns the routes.
    pub fn routes(self) -> Router {
        let endpoint = Arc::new(self);
        let router = ROUTES.iter().fold(Router::new(), |router, (path, route)| {
            let route = *route;
            let path = format!("{}{path}", endpoint.options.prefix);
            let handle = move |State(endpoint): State<Arc<Self>>, request: Request| {
                respond(endpoint, route, request)
            };
            router.route(&path, any(handle))
        });
        router.with_state(endpoint)
    }

    /// Returns the answer to a request, or the problem with it.
    fn answer(&self, asks: Asks, query: &str, headers: &HeaderMap) -> Result<Answer, Fault> {
        let path = path_of(Route::Asks(asks));
        let of_usage = |error: UsageError| Fault::of(&error.into());
        let values = parameters::read(path, query).map_err(of_usage)?;
        let question = Question::new(asks, &values);
        let request = question.request().map_err(|error| Fault::of(&error.into()))?;
        let build = self.site.build().map_err(|error| Fault::of(&error))?;
        let etag = entity_tag(&[&build.revision, path, question.media_type, &question.json]);
        let media_type = question.media_type;
        if has_tag(headers, &etag) {
            let (status, body) = (StatusCode::NOT_MODIFIED, String::new());
            return Ok(Answer { status, media_type, body, etag: Some(etag) });
        }
        let addresses = self.addresses(headers);
        let response = self.site.answer(&build, &request, &addresses);
        let response = response.map_err(|error| Fault::of(&error))?;
        let body = question.body(&response).map_err(of_usage)?;
        Ok(Answer { status: StatusCode::OK, media_type, body, etag: Some(etag) })
    }

    fn health(&self) -> Result<Answer, Fault> {
        let build = self.site.build().map_err(|error| Fault::of(&error))?;
        let body = json!({
            "status": "ok",
            "revision": build.revision,
            "pages": build.pages,
            "sections": build.sections,
            "generator": build.generator,
        });
        let (status, media_type) = (StatusCode::OK, JSON);
        Ok(Answer { status, media_type, body: body.to_string(), etag: None })
    }

    /// Returns the description of the routes, with their addresses.
    fn describe(&self, headers: &HeaderMap) -> Answer {
        let mut description = parameters::description().clone();
        if let Some(paths) = description["paths"].as_object_mut() {
            let moved = std::mem::take(paths).into_iter();
            *paths = moved.map(|(path, one)| (self.options.prefix.clone() + &path, one)).collect();
        }
        let host = host_of(headers).unwrap_or_default();
        description["servers"] = json!([{"url": format!("http://{host}")}]);
        let body = description.to_string();
        let etag = entity_tag(&[&body]);
        let (status, media_type) = (StatusCode::OK, JSON);
        match has_tag(headers, &etag) {
            true => {
                let status = StatusCode::NOT_MODIFIED;
                Answer { status, media_type, body: String::new(), etag: Some(etag) }
            }
            false => Answer { status, media_type, body, etag: Some(etag) },
        }
    }

    /// Returns the beginnings of addresses of the site's pages.
    fn addresses(&self, headers: &HeaderMap) -> Vec<String> {
        let host = host_of(headers).unwrap_or_default();
        let path = &self.options.site_path;
        ["http", "https"].map(|scheme| format!("{scheme}://{host}{path}")).to_vec()
    }

    /// Adds the headers of every response.
    fn finish(&self, response: &mut Response, trail: &Trail) {
        let headers = response.headers_mut();
        if let Ok(id) = HeaderValue::from_str(&trail.id) {
            headers.insert(REQUEST_ID, id);
        }
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if let Some(origin) = &self.options.allow_origin {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            let exposed = HeaderValue::from_static("etag, retry-after, x-request-id");
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        }
    }
}

/// Answers a request for a route.
async fn respond(endpoint: Arc<Endpoint>, route: Route, request: Request) -> Response {
    let trail = Trail {
        id: request_id(request.headers()),
        start: Instant::now(),
        method: request.method().clone(),
        route: path_of(route),
    };
    let made = make(endpoint.clone(), route, request).await;
    let (mut response, fault) = match made {
        Ok(response) => (response, None),
        Err(fault) => (fault.response(&trail.id), Some(fault)),
    };
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(header::ALLOW, METHODS);
    }
    endpoint.finish(&mut response, &trail);
    log::write(endpoint.options.log, &trail, response.status(), fault.as_ref());
    response
}

async fn make(endpoint: Arc<Endpoint>, route: Route, request: Request) -> Result<Response, Fault> {
    let (head, _) = request.into_parts();
    match head.method {
        Method::OPTIONS => return Ok(preflight(&endpoint, &head.headers)),
        Method::GET | Method::HEAD => {}
        other => {
            let message = format!("The method {other} is not supported: use GET.");
            let fault = Fault::new(StatusCode::METHOD_NOT_ALLOWED, "method", message);
            return Err(fault);
        }
    }
    let cache = if route == Route::Health { NEVER } else { ASK_AGAIN };
    let answer = match route {
        Route::OpenApi => endpoint.describe(&head.headers),
        Route::Health => blocking(endpoint, |endpoint| endpoint.health()).await?,
        Route::Asks(asks) => {
            let query = head.uri.query().unwrap_or_default().to_owned();
            let answer = move |endpoint: &Endpoint| endpoint.answer(asks, &query, &head.headers);
            blocking(endpoint, answer).await?
        }
    };
    let mut response = of_type(answer.status, answer.media_type, answer.body);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    if let Some(etag) = answer.etag.and_then(|etag| HeaderValue::from_str(&etag).ok()) {
        headers.insert(header::ETAG, etag);
    }
    if answer.status == StatusCode::NOT_MODIFIED {
        headers.remove(header::CONTENT_TYPE);
    }
    Ok(response)
}

/// Runs `work` on a thread of its own when it is the request's turn. The work continues if the
/// client is gone, and counts as a running request until it ends.
async fn blocking<T: Send + 'static>(
    endpoint: Arc<Endpoint>,
    work: impl FnOnce(&Endpoint) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let most = endpoint.options.max_requests;
    let turn = endpoint.limits.turn().await.map_err(|over| Fault::overload(over, most))?;
    let worked = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work(&endpoint)
    });
    worked.await.unwrap_or_else(|panicked| {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        let message = "The answer could not be made; this is a mistake in findling.".to_owned();
        let cause = Some(panicked.to_string());
        Err(Fault { cause, ..Fault::new(status, "internal", message) })
    })
}

/// Returns the answer to a preflight request, by which a browser checks whether a script of another
/// origin may send a request.
fn preflight(endpoint: &Endpoint, asked: &HeaderMap) -> Response {
    let mut response = Response::new(axum::body::Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(header::ALLOW, METHODS);
    if endpoint.options.allow_origin.is_some() {
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        let wanted = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
        let any = HeaderValue::from_static("*");
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.unwrap_or(any));
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    }
    response
}

/// Returns the name and port that a request is sent to.
fn host_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST)?.to_str().ok()
}

#[cfg(test)]
#[path = "../../../../../crates/host/src/sample/tests.rs"]
mod sample;
#[cfg(test)]
mod tests;
