//! Over a real socket, as a browser would ask.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;

use super::*;

struct Answer {
    status: u16,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

fn ask(address: SocketAddr, method: &str, path: &str, headers: &str) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n"
    )
    .unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let split =
        |line: &str| line.split_once(": ").map(|(k, v)| (k.to_ascii_lowercase(), v.to_owned()));
    Answer { status, headers: lines.filter_map(split).collect(), body: bytes[end + 4..].to_vec() }
}

fn get(address: SocketAddr, path: &str) -> Answer {
    ask(address, "GET", path, "")
}

fn write(dir: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Serves a bundle and two layers of a site; runs `check` with the address and the layout.
fn with_server(with_site: bool, check: impl FnOnce(SocketAddr, &Layout)) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let long = "all work and no play ".repeat(100);
    write(
        root,
        &[
            ("secret.txt", "secret"),
            ("bundle/findling.idx", "entry"),
            ("bundle/findling.js", &format!("// {long}")),
            ("bundle/findling_bg.wasm", "wasm"),
            ("bundle/shards/00ff.bin", &long),
            ("page/index.html", "the page in front"),
            ("site/index.html", "the site's own"),
            ("site/book/index.html", &format!("<title>book</title>{long}")),
            ("site/notes.md", "# notes"),
        ],
    );
    let sites = if with_site { vec![root.join("page"), root.join("site")] } else { Vec::new() };
    let layout = Layout { bundle: root.join("bundle"), mount: "/findling/".to_owned(), sites };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let router = router(&layout, Router::new());
    let server = runtime.spawn(async move { axum::serve(listener, router).await });
    check(address, &layout);
    server.abort();
}

#[test]
fn types_are_those_that_browsers_insist_on() {
    with_server(true, |address, _| {
        for (path, expect) in [
            ("/findling/findling_bg.wasm", "application/wasm"),
            ("/findling/findling.js", "text/javascript"),
            ("/findling/shards/00ff.bin", "application/octet-stream"),
            ("/book/index.html", "text/html"),
            ("/notes.md", "text/plain; charset=utf-8"),
        ] {
            let answer = get(address, path);
            assert_eq!((answer.status, answer.header("content-type")), (200, expect), "{path}");
        }
    });
}

#[test]
fn only_what_is_named_by_its_content_is_kept_for_ever() {
    with_server(true, |address, _| {
        let shard = get(address, "/findling/shards/00ff.bin");
        assert_eq!(shard.header("cache-control"), "public, max-age=31536000, immutable");
        for path in
            ["/findling/findling.idx", "/findling/findling.js", "/", "/findling/shards/missing.bin"]
        {
            assert_eq!(get(address, path).header("cache-control"), "no-cache", "{path}");
        }
    });
}

#[test]
fn text_is_compressed_and_shards_are_not() {
    with_server(true, |address, _| {
        let ask = |path: &str, coding: &str| {
            ask(address, "GET", path, &format!("Accept-Encoding: {coding}\r\n"))
        };
        for coding in ["br", "gzip"] {
            let script = ask("/findling/findling.js", coding);
            assert_eq!(script.header("content-encoding"), coding);
            assert!(script.body.len() < 500, "{}", script.body.len());
        }
        assert_eq!(ask("/book/", "gzip, br").header("content-encoding"), "br");
        let shard = ask("/findling/shards/00ff.bin", "br");
        assert_eq!(
            (shard.header("content-encoding"), shard.header("content-length")),
            ("", "2100")
        );
    });
}

#[test]
fn the_first_layer_that_has_a_file_serves_it() {
    with_server(true, |address, _| {
        assert_eq!(get(address, "/").body, b"the page in front");
        assert_eq!(get(address, "/book/").status, 200);
        assert_eq!(get(address, "/nothing.html").status, 404);
    });
}

#[test]
fn without_a_site_the_bundle_is_at_the_root() {
    with_server(false, |address, _| {
        assert_eq!(get(address, "/findling.idx").body, b"entry");
        assert!(get(address, "/shards/00ff.bin").header("cache-control").contains("immutable"));
    });
}

#[test]
fn head_and_conditional_requests_send_no_body() {
    with_server(true, |address, _| {
        let head = ask(address, "HEAD", "/findling/shards/00ff.bin", "");
        assert_eq!((head.status, head.header("content-length"), head.body.len()), (200, "2100", 0));
        let modified = get(address, "/book/").header("last-modified").to_owned();
        assert!(!modified.is_empty());
        let since = format!("If-Modified-Since: {modified}\r\n");
        assert_eq!(ask(address, "GET", "/book/", &since).status, 304);
        // Two builds may fall into one second.
        assert_eq!(ask(address, "GET", "/findling/findling.idx", &since).status, 200);
        assert_eq!(ask(address, "POST", "/book/", "Content-Length: 0\r\n").status, 405);
    });
}

#[test]
fn nothing_outside_the_directories_is_served() {
    with_server(true, |address, _| {
        for path in [
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/book/..%2f..%2fsecret.txt",
            "/findling/../../secret.txt",
            "/findling/shards/%2e%2e/%2e%2e/secret.txt",
            "//secret.txt",
            "/..%5csecret.txt",
            "/%00",
        ] {
            let answer = get(address, path);
            assert!(answer.status >= 300, "{path}: {}", answer.status);
            assert!(!answer.body.windows(6).any(|w| w == b"secret"), "{path}");
        }
    });
}
