//! Requests as programs send them.

use std::collections::BTreeMap;

use axum::body::Body;
use serde_json::Value;
use tokio::runtime::Runtime;

use super::sample;
use super::*;

struct Server {
    endpoint: Arc<Endpoint>,
    runtime: Runtime,
    directory: tempfile::TempDir,
}

struct Sent {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

impl Sent {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

fn options() -> Options {
    Options {
        prefix: String::new(),
        site_path: "/".to_owned(),
        encoder: EncoderChoice::Auto,
        streamed: true,
        max_requests: 4,
        allow_origin: None,
        log: LogLevel::None,
    }
}

fn server(options: Options) -> Server {
    let directory = tempfile::tempdir().unwrap();
    let bundle = sample::bundle(directory.path());
    let endpoint = Arc::new(Endpoint::new(bundle, options, &Ui::silent()));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    Server { endpoint, runtime, directory }
}

impl Server {
    fn send(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Sent {
        let path = target.split('?').next().unwrap_or_default();
        let route = ROUTES.iter().find(|(known, _)| *known == path).unwrap().1;
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in [("host", "127.0.0.1:8900")].iter().chain(headers) {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::empty()).unwrap();
        self.runtime.block_on(async {
            let response = respond(self.endpoint.clone(), route, request).await;
            let (parts, body) = response.into_parts();
            let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
            let text = |value: &HeaderValue| value.to_str().unwrap().to_owned();
            let headers = parts.headers.iter();
            Sent {
                status: parts.status.as_u16(),
                headers: headers.map(|(name, value)| (name.to_string(), text(value))).collect(),
                body: String::from_utf8(body.to_vec()).unwrap(),
            }
        })
    }

    fn get(&self, target: &str) -> Sent {
        self.send("GET", target, &[])
    }
}

#[test]
fn a_search_finds_pages_and_an_answer_is_not_sent_twice() {
    let server = server(options());
    let found = server.get("/search?q=kiln&k=2");
    assert_eq!((found.status, found.headers["content-type"].as_str()), (200, JSON));
    let json = found.json();
    assert_eq!(json["results"][0]["title"], "Kiln");
    assert_eq!(json["results"].as_array().unwrap().len(), 2);
    assert_eq!(json["encoder"], "hash");
    let etag = found.headers["etag"].as_str();
    let again = server.send("GET", "/search?q=kiln&k=2", &[("if-none-match", etag)]);
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    assert_ne!(server.get("/search?q=cone").headers["etag"], etag);
}

#[test]
fn pages_are_read_and_compared_by_id_path_and_address() {
    let server = server(options());
    for url in ["guide/glaze.html", "/guide/glaze.html", "http://127.0.0.1:8900/guide/glaze.html"] {
        let page = server.get(&format!("/page?url={url}"));
        assert_eq!(page.status, 200, "{url}: {}", page.body);
        assert_eq!(page.json()["title"], "Glaze");
        let similar = server.get(&format!("/similar?url={url}")).json();
        assert_eq!(similar["encoder"], "page", "{url}");
    }
    let section = server.get("/page?url=guide/glaze.html%23pinholes").json();
    assert_eq!(section["sections"].as_array().unwrap().len(), 1);
    assert_eq!(section["url"], "guide/glaze.html#pinholes");
    assert_eq!(server.get("/page?url=guide/glaze.html%23none").json()["code"], "request");
    let gone = server.get("/page?url=gone.html");
    assert_eq!((gone.status, gone.json()["code"].as_str()), (404, Some("no-such-page")));
}

#[test]
fn suggestions_come_in_two_forms() {
    let server = server(options());
    let json = server.get("/suggest?q=gla").json();
    assert_eq!(json["suggestions"][0]["text"], "Glaze");
    let list = server.get("/suggest?q=gla&format=opensearch");
    assert!(list.headers["content-type"].starts_with("application/x-suggestions+json"));
    assert_eq!(list.json()[1][0], "Glaze");
}

#[test]
fn an_error_is_a_problem_with_the_identity_of_the_request() {
    let server = server(options());
    for (target, status, code) in [
        ("/search", 400, "request"),
        ("/search?q=a&k=many", 400, "request"),
        ("/search?q=a&filter=colour%3Dred", 400, "unknown-attribute"),
        ("/similar?url=nowhere", 404, "no-such-page"),
    ] {
        let sent = server.send("GET", target, &[("x-request-id", "proxy/1")]);
        let json = sent.json();
        assert_eq!((sent.status, json["code"].as_str()), (status, Some(code)), "{target}");
        assert!(sent.headers["content-type"].starts_with("application/problem+json"));
        assert_eq!(json["instance"], "urn:findling:request:proxy/1");
        assert_eq!(json["error"]["code"], code);
    }
    let posted = server.send("POST", "/search?q=a", &[]);
    assert_eq!((posted.status, posted.json()["code"].as_str()), (405, Some("method")));
    let (one, two) = (server.get("/health"), server.get("/health"));
    assert_ne!(one.headers["x-request-id"], two.headers["x-request-id"]);
}

#[test]
fn other_sites_read_answers_only_if_they_may() {
    let closed = server(options());
    assert!(!closed.get("/search?q=a").headers.contains_key("access-control-allow-origin"));
    let origin = Some(HeaderValue::from_static("https://example.org"));
    let open = server(Options { allow_origin: origin, ..options() });
    let answer = open.get("/search?q=a");
    assert_eq!(answer.headers["access-control-allow-origin"], "https://example.org");
    let asked = open.send("OPTIONS", "/search", &[("access-control-request-headers", "x-a")]);
    assert_eq!((asked.status, asked.body.as_str()), (204, ""));
    assert_eq!(asked.headers["access-control-allow-headers"], "x-a");
}

#[test]
fn requests_beyond_the_limit_are_told_when_to_ask_again() {
    let server = server(Options { max_requests: 0, ..options() });
    let refused = server.get("/search?q=kiln");
    assert_eq!((refused.status, refused.json()["code"].as_str()), (503, Some("overloaded")));
    assert_eq!(refused.headers["retry-after"], "1");
    assert_eq!(server.get("/openapi.json").status, 200);
}

#[test]
fn a_bundle_that_is_gone_is_told_without_its_place() {
    let server = server(options());
    let bundle = server.directory.path().join("findling");
    std::fs::rename(&bundle, server.directory.path().join("away")).unwrap();
    let sent = server.get("/search?q=kiln");
    assert_eq!(sent.status, 503);
    assert!(!sent.body.contains(&*server.directory.path().to_string_lossy()), "{}", sent.body);
    std::fs::rename(server.directory.path().join("away"), &bundle).unwrap();
    assert_eq!(server.get("/search?q=kiln").status, 200);
}

#[test]
fn the_description_has_the_routes_where_they_are() {
    let server = server(Options { prefix: "/api".to_owned(), ..options() });
    let json = server.get("/openapi.json").json();
    assert_eq!(json["servers"][0]["url"], "http://127.0.0.1:8900");
    assert!(json["paths"]["/api/search"]["get"].is_object());
    let health = server.get("/health").json();
    assert_eq!((health["status"].as_str(), health["pages"].as_u64()), (Some("ok"), Some(4)));
}
