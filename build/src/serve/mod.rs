//! Parts that the servers of this program share: [`listen`] has the limits of connections,
//! [`hosts`] the names under which a server may be addressed, [`token`] the secret that a caller
//! sends.
//!
//! [`router`] is the static server behind `findling serve BUNDLE`: for trying a site out, with the
//! headers a host should send.
//!
//! | what | `Cache-Control` | compressed |
//! |---|---|---|
//! | `shards/*` of the bundle, named by their content | a year, immutable | no, they are already |
//! | the entry file, the client | `no-cache`: asked for again, answered 304 where unchanged | yes |
//! | pages of the site | `no-cache` | yes |
//!
//! It listens on the loopback interface only. [`files`] decides which files it serves.

mod beneath;
pub mod body;
pub mod files;
pub mod hosts;
pub mod listen;
pub mod token;

use std::path::PathBuf;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::services::ServeDir;

use files::Files;

/// The files that are served, and their paths.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The bundle's files.
    pub bundle: Files,
    /// The path of the bundle if there is a site, with `/` at both ends.
    pub mount: String,
    /// The directories of the site; the first that has a file serves it. Without any, the bundle
    /// is at `/`.
    pub sites: Vec<PathBuf>,
}

const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// Brotli's quality, from 0 to 11. Low, because responses are compressed while they are sent.
pub const BROTLI_QUALITY: i32 = 5;
/// Smallest response that is compressed, in bytes.
pub const COMPRESSED_FROM: u64 = 256;

/// Returns the routes of the server: `routes`, and the files.
pub fn router(layout: &Layout, routes: Router) -> Router {
    let files = ServeDir::with_backend("", layout.bundle.clone());
    let files = match layout.sites.is_empty() {
        true => files,
        // Target of redirects from directories.
        false => files.redirect_path_prefix(layout.mount.trim_end_matches('/')),
    };
    let bundle = Router::new().fallback_service(files).layer(middleware::from_fn(bundle_caching));
    let router = match site(&layout.sites) {
        None => Router::new().fallback_service(bundle),
        Some(site) => Router::new().nest_service(&layout.mount, bundle).fallback_service(site),
    };
    let router = router.layer(middleware::from_fn(one_slash));
    let compression =
        CompressionLayer::new().quality(CompressionLevel::Precise(BROTLI_QUALITY)).compress_when(
            SizeAbove::new(COMPRESSED_FROM).and(NotForContentType::IMAGES).and(Compressible),
        );
    router.merge(routes).layer(compression)
}

/// Serves the first of several directories that has the file.
fn site(dirs: &[PathBuf]) -> Option<Router> {
    let mut site: Option<Router> = None;
    for dir in dirs.iter().rev() {
        let files = ServeDir::with_backend("", Files::of_site(dir));
        site = Some(match site {
            None => Router::new().fallback_service(files),
            Some(behind) => Router::new().fallback_service(files.fallback(behind)),
        });
    }
    Some(site?.layer(middleware::from_fn(|request, next| caching(request, next, ASK_AGAIN))))
}

/// Refuses paths that begin with two slashes. A redirect to such a path would lead to another host.
async fn one_slash(request: Request, next: Next) -> Response {
    match request.uri().path().starts_with("//") {
        true => StatusCode::NOT_FOUND.into_response(),
        false => next.run(request).await,
    }
}

/// Sets how long an answer is kept: shards are named by their contents, other files are not.
async fn bundle_caching(request: Request, next: Next) -> Response {
    let is_shard = request.uri().path().starts_with("/shards/");
    caching(request, next, if is_shard { FOR_EVER } else { ASK_AGAIN }).await
}

/// Sets how long a response may be cached. Errors are never cached, because a missing file may
/// appear.
async fn caching(mut request: Request, next: Next, policy: HeaderValue) -> Response {
    if request.uri().path().ends_with(".idx") {
        // Two builds within a second have the same date, so dates cannot tell whether a file has
        // changed.
        request.headers_mut().remove(header::IF_MODIFIED_SINCE);
    }
    let mut response = next.run(request).await;
    let found = response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED;
    let policy = if found { policy } else { ASK_AGAIN };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, policy);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "text/markdown") {
        // Shown in the browser instead of downloaded.
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    }
    response
}

/// Whether to compress a response. Shards are already compressed if that makes them smaller.
#[derive(Clone, Copy)]
struct Compressible;

impl Predicate for Compressible {
    fn should_compress<B: axum::body::HttpBody>(&self, response: &axum::http::Response<B>) -> bool {
        response.headers().get(header::CACHE_CONTROL) != Some(&FOR_EVER)
    }
}

#[cfg(test)]
mod tests;
