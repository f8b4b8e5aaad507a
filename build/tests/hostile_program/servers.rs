//! Heads of requests: damaged ones, to each server of the program.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::json;

use super::http_answers::{self, Answer};
use super::mutations::{Random, seeds, shown};
use super::program::{Program, home_with_bundle};

/// Maximum memory of a server at any time, in MiB: what it needs to answer, and what its
/// connections may keep of a head (64 KiB each) and of a body.
const MAX_MEMORY: u64 = 256;
/// Connections at a time.
const N_CLIENTS: usize = 8;
/// Time that a client waits for an answer that may never come.
const PATIENCE: Duration = Duration::from_millis(40);
/// Time limit for an answer that must come, even on a busy machine.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Texts that have a meaning in the head of a request.
const WORDS: &[&str] = &[
    "\r\n",
    "\r\n\r\n",
    "\n\n",
    "\r",
    "\n",
    "\0",
    " HTTP/1.0\r\n",
    " HTTP/2.0\r\n",
    " HTTP/9.9\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "\r\nHost: evil.example",
    "\r\nHost: localhost",
    "\r\nContent-Length: 0",
    "\r\nContent-Length: 5",
    "\r\nContent-Length: -1",
    "\r\nContent-Length: 18446744073709551616",
    "\r\nContent-Length: 99999999999",
    "\r\nTransfer-Encoding: chunked",
    "\r\nTransfer-Encoding: identity, chunked",
    "\r\nTransfer-Encoding: gzip",
    "\r\nExpect: 100-continue",
    "\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk",
    "\r\nUpgrade: websocket\r\nConnection: Upgrade",
    "\r\nConnection: close",
    "\r\nRange: bytes=0-18446744073709551615",
    "\r\nRange: bytes=-1,0-0,5-1",
    "\r\nIf-None-Match: *",
    "\r\nIf-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT",
    "\r\nAccept-Encoding: br;q=9, gzip;q=-1, *",
    "\r\nAccept: */*;q=",
    "\r\n folded: line",
    "\r\n: no name",
    "ffffffffffffffff\r\n",
    "0\r\n\r\n",
    "%",
    "%00",
    "%ff",
    "%2e%2e%2f",
    "../",
    "//",
    "?",
    "&",
    "#",
    "&q=",
    "&k=",
    "&offset=4294967295",
    "&filter=(((((((((((((((((((((",
    "http://[::1",
    "http://a@b:c/",
    "\u{202e}",
];

/// Returns a request with these lines. An empty `body` gives a request without a body.
fn request(first: &str, headers: &[&str], body: &str) -> Vec<u8> {
    let mut text = format!("{first} HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    for header in headers {
        text.push_str(header);
        text.push_str("\r\n");
    }
    if !body.is_empty() {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    format!("{text}\r\n{body}").into_bytes()
}

/// A server under test.
struct Server {
    program: Program,
    port: u16,
    /// Valid requests.
    requests: Vec<Vec<u8>>,
    /// A request that must be answered with 200 and with this text.
    proof: (Vec<u8>, &'static str),
}

impl Server {
    /// Wraps a program that has printed its address. Writes its host into the requests.
    fn new(program: Program, url: &str, requests: Vec<Vec<u8>>, text: &'static str) -> Self {
        let authority = url.trim_start_matches("http://").split('/').next().unwrap();
        let port = authority.rsplit(':').next().unwrap().parse().unwrap();
        let named = |request: Vec<u8>| {
            let request = String::from_utf8(request).unwrap();
            request.replace("Host: 127.0.0.1\r\n", &format!("Host: {authority}\r\n")).into_bytes()
        };
        let requests: Vec<Vec<u8>> = requests.into_iter().map(named).collect();
        Self { program, port, proof: (requests[0].clone(), text), requests }
    }

    /// Sends bytes and returns everything that comes back. If `ends`, the client closes its side
    /// and waits until the server closes the connection.
    fn send(&self, bytes: &[u8], ends: bool) -> Vec<u8> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(2))).unwrap();
        // A server may refuse a request before it has received the end.
        let _ = stream.write_all(bytes);
        if ends {
            let _ = stream.shutdown(Shutdown::Write);
        }
        let patience = if ends { MAX_WAIT } else { PATIENCE };
        stream.set_read_timeout(Some(patience)).unwrap();
        let (mut all, mut part) = (Vec::new(), vec![0; 1 << 16]);
        while let Ok(n @ 1..) = stream.read(&mut part) {
            all.extend_from_slice(&part[..n]);
        }
        all
    }

    /// Checks that a valid request is answered, as the first one was.
    fn check_answers(&self) {
        let (request, text) = &self.proof;
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(MAX_WAIT)).unwrap();
        stream.write_all(request).unwrap();
        let (mut all, mut part) = (Vec::new(), vec![0; 1 << 16]);
        let answer = loop {
            let n = stream.read(&mut part).unwrap();
            all.extend_from_slice(&part[..n]);
            let answers = http_answers::read(&all).unwrap();
            match answers.into_iter().next() {
                Some(answer @ Answer { is_cut: false, .. }) => break answer,
                _ => assert!(n > 0, "no answer: {}", all.escape_ascii()),
            }
        };
        let body = String::from_utf8_lossy(&answer.body);
        assert!(answer.status == 200 && body.contains(text), "{} {body}", answer.status);
    }

    /// Sends the input of a seed and returns the statuses of the answers.
    fn try_case(&self, seed: u64) -> Vec<u16> {
        let mut random = Random::new(seed);
        let input = random.damaged(&self.requests, WORDS);
        let received = self.send(&input, random.below(2) == 0);
        let answers = http_answers::read(&received)
            .unwrap_or_else(|wrong| panic!("{wrong}\nafter {}", shown(seed, &input)));
        for Answer { status, body, .. } in &answers {
            let body = String::from_utf8_lossy(body);
            let is_mistake = *status == 500 || body.contains("mistake in findling");
            assert!(!is_mistake, "{status} {body}\nafter {}", shown(seed, &input));
        }
        answers.into_iter().map(|answer| answer.status).collect()
    }

    /// Sends damaged requests and checks the server afterwards.
    fn check(&self, name: &str) {
        self.check_answers();
        let before = self.program.n_open();
        let (left, statuses) = (Mutex::new(seeds(1_000, 1)), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..N_CLIENTS {
                scope.spawn(|| {
                    loop {
                        let Some(seed) = left.lock().unwrap().next() else { return };
                        let found = self.try_case(seed);
                        statuses.lock().unwrap().extend(found);
                    }
                });
            }
        });
        self.program.check_no_panic(name);
        self.check_answers();
        let most = self.program.most_memory().unwrap_or(0);
        assert!(most <= MAX_MEMORY, "{name}: {most} MiB of memory");
        // Connections whose clients are gone keep no file open.
        let started = Instant::now();
        while self.program.n_open() > before.map(|before| before + 2) {
            assert!(started.elapsed() < MAX_WAIT, "{name}: {:?} files", self.program.n_open());
            std::thread::sleep(Duration::from_millis(50));
        }
        let mut statuses = statuses.into_inner().unwrap();
        statuses.sort_unstable();
        let n_answers = statuses.len();
        statuses.dedup();
        println!("{name}: {n_answers} answers, {statuses:?}, {most} MiB");
        // Damage that reaches the routes, and damage that does not.
        assert!(statuses.contains(&200) && statuses.contains(&400), "{statuses:?}");
    }
}

#[test]
fn no_head_of_a_request_stops_the_server_of_a_bundle() {
    let home = home_with_bundle();
    let mut program = Program::start(&home, &["serve", "out", "--port=0"]);
    let url = program.line();
    let server = Server::new(
        program,
        &url,
        vec![
            request("GET /search?q=mutex&k=5", &["Accept: application/json"], ""),
            request("GET /search?q=%22mutex+guards%22&mode=lexical&filter=language=en", &[], ""),
            request("GET /similar?url=/a/", &["Connection: close"], ""),
            request("GET /suggest?q=thr", &["Origin: http://localhost:3000"], ""),
            request("GET /page?url=/a/", &["If-None-Match: \"a\", W/\"b\""], ""),
            request("HEAD /health", &["User-Agent: test"], ""),
            request("GET /openapi.json", &["Accept-Encoding: gzip, br"], ""),
            request("GET /findling.idx", &["Range: bytes=0-10, 20-", "If-Range: \"a\""], ""),
            request("GET /shards/", &["Accept-Encoding: br;q=0.5"], ""),
            request("OPTIONS /search", &["Access-Control-Request-Method: GET"], ""),
            request("POST /search", &["Content-Type: application/json"], "{\"query\":\"mutex\"}"),
            request("POST /", &["Transfer-Encoding: chunked"], "")
                .into_iter()
                .chain(*b"5\r\nabcde\r\n0\r\n\r\n")
                .collect(),
        ],
        "Threads that share a mutex",
    );
    server.check("findling serve BUNDLE");
}

#[test]
fn no_head_of_a_request_stops_the_application() {
    let home = home_with_bundle();
    home.add("site");
    let mut program = Program::start(&home, &["serve", "--port=0", "--no-sync"]);
    let line = program.line();
    let Some((url, token)) = line.split_once("/#token=") else {
        let said = program.said();
        assert!(said.contains("compiled without the pages"), "{line} {said}");
        println!("skipped: requests to the application: this program has no pages");
        return;
    };
    let bearer = format!("Authorization: Bearer {token}");
    let headers = ["Content-Type: application/json", &bearer];
    let search = json!({"query": "mutex", "limit": 5, "filter": {"collection": ["site"]}});
    let read = json!({"collection": "site", "id": "a.md", "query": "mutex", "anchor": "x"});
    let server = Server::new(
        program,
        url,
        vec![
            request("POST /api/search", &headers, &search.to_string()),
            request("POST /api/read", &headers, &read.to_string()),
            request("POST /api/collections", &headers, "{}"),
            request("POST /api/freshness", &headers, "{\"collection\":\"site\"}"),
            request("POST /api/jobs", &headers, "{}"),
            request("POST /api/search", &headers[..1], "{\"query\":\"mutex\"}"),
            request("GET /", &["Accept-Encoding: br"], ""),
            request("GET /app.js", &["If-None-Match: \"a\""], ""),
            request("HEAD /read?collection=site", &["Connection: close"], ""),
            request("GET /file/0123456789abcdef", &["Range: bytes=0-"], ""),
        ],
        "Threads that share a mutex",
    );
    server.check("findling serve");
}

#[cfg(feature = "mcp")]
#[test]
fn no_head_of_a_request_stops_the_server_for_assistants() {
    let home = home_with_bundle();
    let mut program = Program::start(&home, &["mcp", "out", "--http", "--port=0"]);
    let url = program.line();
    let settings: serde_json::Value = serde_json::from_str(&program.line()).unwrap();
    let token = &settings["mcpServers"]["findling"]["headers"]["Authorization"];
    let bearer = format!("Authorization: {}", token.as_str().unwrap());
    let headers =
        [&bearer, "Content-Type: application/json", "Accept: application/json, text/event-stream"];
    let session = ["Mcp-Session-Id: a", "Mcp-Protocol-Version: 2025-06-18"];
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}});
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let with_session = [&headers[..], &session].concat();
    let server = Server::new(
        program,
        &url,
        vec![
            request("POST /mcp", &headers, &begin.to_string()),
            request("POST /mcp", &with_session, &list.to_string()),
            request("GET /mcp", &with_session, ""),
            request("DELETE /mcp", &with_session, ""),
            request("POST /mcp", &headers[1..], &list.to_string()),
            request("OPTIONS /mcp", &["Origin: http://localhost"], ""),
        ],
        "\"serverInfo\"",
    );
    server.check("findling mcp --http");
}
