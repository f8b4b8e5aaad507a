//! The host names under which a server may be addressed, and the pages that may send requests.
//!
//! A page of another site whose name was pointed at this machine (DNS rebinding) sends its own name
//! as `Host`, and every page sends its own `Origin` with questions that could change something.

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::IntoResponse;

/// Answers only requests that were sent to this machine by a name of its own, or by one of `more`.
pub fn hosts(router: Router, more: Vec<String>) -> Router {
    let check = move |request: Request, next: Next| {
        let is_known = is_known(request.headers(), &more);
        async move {
            if is_known {
                return next.run(request).await;
            }
            let message = "This server is asked by another name than its own: see --allow-host.\n";
            (StatusCode::FORBIDDEN, message).into_response()
        }
    };
    router.layer(middleware::from_fn(check))
}

/// Returns whether a request names this machine, or one of `more`.
pub fn is_known(headers: &HeaderMap, more: &[String]) -> bool {
    // Browsers always send it.
    let Some(host) = headers.get(header::HOST) else { return true };
    let host = host.to_str().unwrap_or_default();
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let name =
        host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name);
    let own = ["localhost", "127.0.0.1", "[::1]"];
    let all = own.into_iter().chain(more.iter().map(String::as_str));
    all.into_iter().any(|known| name.eq_ignore_ascii_case(known))
        || name.to_ascii_lowercase().ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for (host, expect) in [
            ("127.0.0.1:8900", true),
            ("localhost", true),
            ("LOCALHOST:1", true),
            ("[::1]:8900", true),
            ("docs.localhost:8900", true),
            ("search.example.org", true),
            ("evil.example:8900", false),
            ("127.0.0.1.evil.example", false),
            ("localhost.evil.example", false),
            ("", false),
        ] {
            let headers = [(header::HOST, host.parse().unwrap())].into_iter().collect();
            assert_eq!(is_known(&headers, &["search.example.org".to_owned()]), expect, "{host}");
        }
        assert!(is_known(&HeaderMap::new(), &[]));
    }
}
