//! Tests over a real socket, with requests like a browser's.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;

use super::*;
use listen::Limits;

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
    let bundle = Files::of_bundle(&root.join("bundle"));
    with_layout(Layout { bundle, mount: "/findling/".to_owned(), sites }, check);
}

/// Serves a layout; runs `check` with the address.
fn with_layout(layout: Layout, check: impl FnOnce(SocketAddr, &Layout)) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let router = router(&layout, Router::new());
    let server = runtime.spawn(async move {
        listen::serve(listener, router, Limits::default(), std::future::pending()).await;
    });
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

/// Returns a bundle's directory that also contains other files, and a site around it.
fn crowded() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        &[
            ("out.txt", "secret"),
            ("book.findling", "the book"),
            ("other.findling", "secret"),
            ("findling.js", "client"),
            (".ssh/id_rsa", "secret"),
            ("id_rsa", "secret"),
            ("bundle/findling.idx", "entry"),
            ("bundle/findling.js", "client"),
            ("bundle/shards/00ff.bin", "shard"),
            ("bundle/pagefind-entry.json", "{}"),
            ("bundle/playground/index.html", "try it"),
            ("bundle/notes.txt", "secret"),
            ("bundle/index.html", "secret"),
            ("bundle/.env", "secret"),
            ("bundle/shards/notes.txt", "secret"),
            ("bundle/shards/.hidden.bin", "secret"),
            ("site/index.html", "home"),
            ("site/v2/page.html", "page"),
            ("site/.well-known/security.txt", "contact"),
            ("site/.git/config", "secret"),
            ("site/v2/.env", "secret"),
        ],
    );
    dir
}

/// Returns other spellings of a path.
fn spelled(path: &str) -> Vec<String> {
    let encoded: String = path
        .bytes()
        .map(|b| if b == b'/' { "/".to_owned() } else { format!("%{b:02x}") })
        .collect();
    vec![
        path.to_owned(),
        encoded,
        format!("/.{path}"),
        format!("/shards/..{path}"),
        format!("/x/..{path}"),
        format!("/{path}"),
        format!("{path}/"),
        format!("{path}%00"),
        format!("{path}%00.bin"),
        format!("{path}?findling.idx"),
        format!("{path}%3ffindling.idx"),
        format!("{path}::$DATA"),
        path.to_ascii_uppercase(),
        path.replace('/', "%2f").replacen("%2f", "/", 1),
        path.replace('/', "%5c").replacen("%5c", "/", 1),
        path.replace('/', "//"),
    ]
}

fn gives_no_secret(address: SocketAddr, paths: &[&str]) {
    for path in paths.iter().flat_map(|path| spelled(path)) {
        for (method, headers) in
            [("GET", ""), ("HEAD", ""), ("GET", "Range: bytes=0-9\r\n"), ("POST", "")]
        {
            let answer = ask(address, method, &path, headers);
            let is_redirect = (300..400).contains(&answer.status);
            assert!(answer.status >= 400 || is_redirect, "{method} {path}: {}", answer.status);
            assert!(!answer.body.windows(6).any(|w| w == b"secret"), "{method} {path}");
        }
    }
}

#[test]
fn a_single_file_gives_itself_and_the_client_and_no_neighbour() {
    let dir = crowded();
    let bundle = Files::of_bundle(&dir.path().join("book.findling"));
    let layout = Layout { bundle, mount: "/".to_owned(), sites: Vec::new() };
    with_layout(layout, |address, _| {
        assert_eq!(get(address, "/book.findling").body, b"the book");
        assert_eq!(get(address, "/%62ook.findling").body, b"the book");
        assert_eq!(get(address, "/findling.js").body, b"client");
        gives_no_secret(
            address,
            &["/out.txt", "/other.findling", "/.ssh/id_rsa", "/id_rsa", "/bundle/notes.txt"],
        );
        for path in ["/", "/.ssh/", "/bundle/", "/bundle/findling.idx", "/site/index.html"] {
            assert_eq!(get(address, path).status, 404, "{path}");
        }
    });
}

#[test]
fn a_bundle_gives_its_own_files_and_not_what_lies_beside_them() {
    let dir = crowded();
    for given in ["bundle", "bundle/findling.idx"] {
        let bundle = Files::of_bundle(&dir.path().join(given));
        let layout = Layout { bundle, mount: "/".to_owned(), sites: Vec::new() };
        with_layout(layout, |address, _| {
            for path in ["/findling.idx", "/findling.js", "/shards/00ff.bin", "/playground/"] {
                assert_eq!(get(address, path).status, 200, "{path}");
            }
            let part = ask(address, "GET", "/shards/00ff.bin", "Range: bytes=1-2\r\n");
            assert_eq!((part.status, &part.body[..]), (206, &b"ha"[..]));
            assert_eq!(get(address, "/playground").header("location"), "/playground/");
            gives_no_secret(
                address,
                &[
                    "/notes.txt",
                    "/index.html",
                    "/.env",
                    "/shards/notes.txt",
                    "/shards/.hidden.bin",
                    "/../out.txt",
                ],
            );
            for path in ["/", "/shards", "/shards/", "/findling.idx/"] {
                assert_eq!(get(address, path).status, 404, "{path}");
            }
        });
    }
}

#[test]
fn a_site_gives_all_but_hidden_files_and_its_bundle_only_its_own() {
    let dir = crowded();
    let bundle = Files::of_bundle(&dir.path().join("bundle"));
    let sites = vec![dir.path().join("site")];
    let layout = Layout { bundle, mount: "/findling/".to_owned(), sites };
    with_layout(layout, |address, _| {
        for path in ["/", "/v2/page.html", "/.well-known/security.txt", "/findling/findling.idx"] {
            assert_eq!(get(address, path).status, 200, "{path}");
        }
        let moved = get(address, "/findling/playground");
        assert_eq!(moved.header("location"), "/findling/playground/");
        assert!(!get(address, "//v2").header("location").starts_with("//"));
        gives_no_secret(
            address,
            &["/.git/config", "/v2/.env", "/findling/notes.txt", "/findling/.env", "/out.txt"],
        );
    });
}

#[cfg(unix)]
#[test]
fn links_are_followed_only_inside_of_a_site() {
    use std::os::unix::fs::symlink;

    let dir = crowded();
    let root = dir.path();
    for (to, at) in [
        ("../out.txt", "bundle/findling-link.js"),
        ("../../out.txt", "bundle/shards/11ff.bin"),
        ("00ff.bin", "bundle/shards/22ff.bin"),
        ("/dev/zero", "bundle/shards/33ff.bin"),
        ("../out.txt", "site/out.txt"),
        ("..", "site/above"),
        ("/etc", "site/etc"),
        (".git/config", "site/config.txt"),
        ("v2", "site/latest"),
        ("nowhere", "site/broken"),
        ("loop", "site/loop"),
        ("book.findling", "latest.findling"),
    ] {
        symlink(to, root.join(at)).unwrap();
    }
    let bundle = Files::of_bundle(&root.join("bundle"));
    let sites = vec![root.join("site")];
    let layout = Layout { bundle, mount: "/findling/".to_owned(), sites };
    with_layout(layout, |address, _| {
        for path in [
            "/findling/findling-link.js",
            "/findling/shards/11ff.bin",
            "/findling/shards/22ff.bin",
            "/findling/shards/33ff.bin",
            "/out.txt",
            "/above/out.txt",
            "/etc/passwd",
            "/config.txt",
            "/broken",
            "/loop",
        ] {
            assert_eq!(get(address, path).status, 404, "{path}");
        }
        assert_eq!(get(address, "/latest/page.html").body, b"page");
    });
    // The user has named this link.
    let bundle = Files::of_bundle(&root.join("latest.findling"));
    let layout = Layout { bundle, mount: "/".to_owned(), sites: Vec::new() };
    with_layout(layout, |address, _| {
        assert_eq!(get(address, "/latest.findling").body, b"the book");
        assert_eq!(get(address, "/book.findling").status, 404);
    });
}
