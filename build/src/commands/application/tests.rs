//! Requests as browsers and other programs send them.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::header::{
    AUTHORIZATION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, ORIGIN,
};

use super::*;

fn application() -> (Arc<Application>, String) {
    let (guard, token) = Guard::new(SocketAddr::from((Ipv4Addr::LOCALHOST, 8900))).unwrap();
    let bundles = Bundles::new(
        Vec::new(),
        EncoderChoice::Auto,
        VectorName::default(),
        RequireFresh::default(),
    );
    let (jobs, files) = (Jobs::default(), Files::default());
    (Arc::new(Application { bundles, guard, jobs, files }), token)
}

struct Answer {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

/// Sends a request with these headers, in addition to the headers of all requests.
fn send(
    application: &Arc<Application>,
    method: &str,
    path: &str,
    headers: &[(HeaderName, &str)],
    body: &str,
) -> Answer {
    let mut request = axum::http::Request::builder().method(method).uri(path);
    if !headers.iter().any(|(name, _)| name == HOST) {
        request = request.header(HOST, "127.0.0.1:8900");
    }
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    let request = request.body(Body::from(body.to_owned())).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let response = handle(State(application.clone()), request).await;
        let (parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        let text = |value: &axum::http::HeaderValue| value.to_str().unwrap().to_owned();
        let headers = parts.headers.iter();
        Answer {
            status: parts.status.as_u16(),
            headers: headers.map(|(name, value)| (name.to_string(), text(value))).collect(),
            body: String::from_utf8(body.to_vec()).unwrap(),
        }
    })
}

/// Returns the status and the code of the error of a question.
fn refused(
    application: &Arc<Application>,
    headers: &[(HeaderName, &str)],
    body: &str,
) -> (u16, String) {
    let answer = send(application, "POST", "/api/search", headers, body);
    let json: Value = serde_json::from_str(&answer.body).unwrap();
    (answer.status, json["error"]["code"].as_str().unwrap_or("none").to_owned())
}

#[test]
fn every_response_has_the_policy_and_allows_no_other_site() {
    let (application, _) = application();
    for (method, path) in [("GET", "/"), ("GET", "/nothing"), ("POST", "/api/x"), ("PUT", "/")] {
        let answer = send(&application, method, path, &[], "");
        let policy = &answer.headers[CONTENT_SECURITY_POLICY.as_str()];
        for part in ["default-src 'none'", "script-src 'self';", "trusted-types 'none'"] {
            assert!(policy.contains(part), "{method} {path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
        assert_eq!(answer.headers["cache-control"], "no-store");
        assert!(!answer.headers.keys().any(|name| name.starts_with("access-control")));
    }
}

#[test]
fn a_name_that_leads_to_this_machine_is_not_served() {
    let (application, token) = application();
    let bearer = format!("Bearer {token}");
    let json = (CONTENT_TYPE, "application/json");
    let host = (HOST, "evil.example:8900");
    for path in ["/", "/app.js", "/file/x"] {
        let answer = send(&application, "GET", path, std::slice::from_ref(&host), "");
        assert_eq!(answer.status, 403, "{path}");
    }
    let all = [host, json, (AUTHORIZATION, bearer.as_str())];
    assert_eq!(refused(&application, &all, "{}"), (403, "host".to_owned()));
}

#[test]
fn a_question_without_the_token_or_of_another_page_is_not_answered() {
    let (application, token) = application();
    let bearer = format!("Bearer {token}");
    let json = (CONTENT_TYPE, "application/json");
    let own = (AUTHORIZATION, bearer.as_str());
    let refused = |headers: &[(HeaderName, &str)]| refused(&application, headers, "{}");
    assert_eq!(refused(std::slice::from_ref(&json)), (401, "token".to_owned()));
    let wrong = (AUTHORIZATION, "Bearer x");
    assert_eq!(refused(&[json.clone(), wrong]), (401, "token".to_owned()));
    let origin = (ORIGIN, "http://127.0.0.1:3000");
    assert_eq!(refused(&[json, own.clone(), origin]), (401, "origin".to_owned()));
    let form = (CONTENT_TYPE, "text/plain");
    assert_eq!(refused(&[form, own]), (401, "request".to_owned()));
}

#[test]
fn a_question_that_cannot_be_read_is_an_error_with_a_code() {
    let (application, token) = application();
    let bearer = format!("Bearer {token}");
    let headers = [(CONTENT_TYPE, "application/json"), (AUTHORIZATION, bearer.as_str())];
    let ask = |body: &str| refused(&application, &headers, body);
    assert_eq!(ask("{"), (400, "request".to_owned()));
    assert_eq!(ask(r#"{"query": 7}"#), (400, "request".to_owned()));
    assert_eq!(ask(r#"{"filter": {"collection": 7}}"#), (400, "filter".to_owned()));
    assert_eq!(ask(&" ".repeat(MAX_BODY + 1)), (413, "request".to_owned()));
    let unknown = send(&application, "POST", "/api/nothing", &headers, "{}");
    assert_eq!(unknown.status, 400);
}

#[test]
fn only_files_with_an_address_are_served_and_the_address_is_no_path() {
    let (application, _) = application();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.pdf");
    std::fs::write(&path, "%PDF-1.7").unwrap();
    let address = application.files.address(&path).unwrap();
    assert_eq!(application.files.address(&path).unwrap(), address);
    let answer = send(&application, "GET", &address, &[], "");
    assert_eq!((answer.status, answer.body.as_str()), (200, "%PDF-1.7"));
    assert_eq!(answer.headers[CONTENT_TYPE.as_str()], "application/pdf");
    for other in ["/file/", "/file/a.pdf", "/file/..%2fa.pdf", &format!("{address}x")] {
        assert_eq!(send(&application, "GET", other, &[], "").status, 404, "{other}");
    }
    std::fs::remove_file(&path).unwrap();
    assert_eq!(send(&application, "GET", &address, &[], "").status, 500);
}
