//! The bundle of a deployed site as a target. It is fetched piece by piece, checked and kept, and
//! the site is asked again for changes.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use findling_build::bundle_files::{BundleFiles, copy};
use findling_build::host::Host;
use findling_build::index::write::{BundleWriter, Extra, Shape};
use findling_build::index::{self, Job};
use findling_build::page::Page;
use findling_build::ui::Ui;
use findling_bundle::{FilePart, QueryEncoder, hash128, hex};
use findling_encoder::BoxedEncoder;
use findling_encoder::hash::HashEncoder;
use serde_json::Value;

use super::home::{Home, tree, without_meta};

/// Answers each request by its path, as `answer` says: the head without the length, and the body.
/// Returns the address and the requested paths.
fn site(answer: impl Fn(&str) -> (String, Vec<u8>) + Send + 'static) -> (String, Paths) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let paths = Paths::default();
    let asked = paths.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            respond(stream.unwrap(), &answer, &asked);
        }
    });
    (address, paths)
}

type Paths = Arc<Mutex<Vec<String>>>;

fn respond(mut stream: TcpStream, answer: &impl Fn(&str) -> (String, Vec<u8>), asked: &Paths) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let path = first.split(' ').nth(1).unwrap().to_owned();
    while lines.next().unwrap().unwrap() != "" {}
    asked.lock().unwrap().push(path.clone());
    let (head, body) = answer(&path);
    let length = body.len();
    // A client that has read enough may have gone.
    let _ =
        write!(stream, "HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    let _ = stream.write_all(&body);
}

fn missing() -> (String, Vec<u8>) {
    ("404 Not Found".to_owned(), Vec::new())
}

fn home() -> Home {
    let home = Home::with_site();
    build(&home, &[]);
    home
}

fn build(home: &Home, more: &[&str]) {
    let args = ["build", "site", "-o", "site-bundle", "--encoder=static", "--no-client", "--fresh"];
    let done = home.run(&[&args[..], &["--host=files"], more].concat());
    assert_eq!(done.code, 0, "{done:?}");
}

/// Lets the next command ask the site whether it has changed, as after a minute.
fn forget_the_check(home: &Home) {
    for (path, _) in tree(&home.data().join("sites")) {
        if path.ends_with("checked.txt") {
            let file = std::fs::File::open(home.data().join("sites").join(path)).unwrap();
            file.set_modified(std::time::UNIX_EPOCH).unwrap();
        }
    }
}

#[test]
fn commands_answer_over_an_address_as_a_browser_does() {
    let home = home();
    let site = home.serve("site-bundle");
    for args in [
        vec!["search", "TARGET", "mutex", "--json"],
        vec!["search", "TARGET", "who may hold a lock", "--json", "--mode=semantic"],
        vec!["similar", "TARGET", "/a/", "--json"],
        vec!["explain", "TARGET", "mutex", "/b/", "--json"],
        vec!["find", "mutex", "--in", "TARGET", "--json"],
        vec!["context", "mutex", "TARGET", "--json"],
    ] {
        let over = |target: &str, more: &[&str]| {
            let args = args.iter().map(|arg| if *arg == "TARGET" { target } else { arg });
            let args: Vec<&str> = args.chain(more.iter().copied()).collect();
            let mut answer = home.json(&args);
            without_meta(&mut answer);
            answer.to_string().replace(target, "TARGET")
        };
        assert_eq!(over(&site.address, &[]), over("site-bundle", &["--streamed"]), "{args:?}");
    }
    let serves = home.run(&["serve", &site.address, "--port=0"]);
    assert_eq!(serves.code, 1, "a site serves itself: {serves:?}");
}

#[test]
fn a_copy_answers_without_the_site_and_follows_it_when_it_changes() {
    let home = home();
    let site = home.serve("site-bundle");
    let address = site.address.clone();
    assert_eq!(home.found(&address, "mutex").len(), 2);
    home.write("site/c.md", "# Ovens\n\nAn oven bakes.\n");
    build(&home, &[]);
    assert_eq!(home.found(&address, "oven"), [""; 0], "it was asked less than a minute ago");
    forget_the_check(&home);
    assert_eq!(home.found(&address, "oven"), ["/c/"]);
    drop(site);
    forget_the_check(&home);
    let done = home.run(&["search", &address, "oven", "--format=paths", "--mode=lexical"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.err.contains(&address), "says that the site cannot be reached: {done:?}");
    // Shards that were not read before cannot be read now.
    let unread = home.run(&["search", &address, "zebra bakes", "--json"]);
    assert_eq!(unread.code, 3, "{unread:?}");
    assert!(unread.out.contains("\"unreachable\""), "{unread:?}");
    let other = home.run(&["search", "http://127.0.0.1:9/", "oven", "--json"]);
    assert_eq!(other.code, 3, "{other:?}");
    assert!(other.out.contains("\"unreachable\""), "{other:?}");
}

/// Serves the files of a directory as they are at the time of the request.
fn serve_files(root: PathBuf) -> (String, Paths) {
    site(move |path| match std::fs::read(root.join(path.trim_start_matches('/'))) {
        Ok(bytes) => ("200 OK".to_owned(), bytes),
        Err(_) => missing(),
    })
}

#[test]
fn a_file_is_asked_for_once_and_one_that_comes_with_the_manifest_never() {
    let home = home();
    let (address, asked) = serve_files(home.path("site-bundle"));
    for args in [
        vec!["search", &address, "mutex", "--json"],
        vec!["search", &address, "\"guards data\"", "--json"],
        vec!["search", &address, "who may hold a lock", "--json", "--mode=semantic"],
        vec!["similar", &address, "/a/", "--json"],
        vec!["inspect", &address, "--json"],
        vec!["search", &address, "mutex", "--json"],
    ] {
        home.json(&args);
    }
    let files = BundleFiles::open(home.path("site-bundle")).unwrap();
    assert!(!files.with_manifest().is_empty(), "the structure comes with the manifest");
    let all: Vec<String> = tree(&home.path("site-bundle"))
        .into_iter()
        .map(|(path, _)| path.to_str().unwrap().to_owned())
        .filter(|path| !files.with_manifest().iter().any(|(with, _)| with == path))
        .collect();
    let mut asked: Vec<String> =
        asked.lock().unwrap().iter().map(|path| path.trim_start_matches('/').to_owned()).collect();
    asked.sort();
    assert_eq!(asked, all);
}

#[test]
fn of_a_site_no_search_reads_all_vectors() {
    let home = home();
    let site = home.serve("site-bundle");
    let copied = copy(&site.address, &home.path("sites")).unwrap();
    let mut host = Host::open(copied.location()).unwrap();
    assert!(host.index().is_streamed());
    host.set_streamed(false);
    assert!(host.index().is_streamed(), "all vectors would be fetched");
    assert!(!Host::open(home.path("site-bundle")).unwrap().index().is_streamed());
}

/// Passes connections on to a server. Returns the address, and how many connections there were.
fn passed_on(address: &str) -> (String, Arc<AtomicUsize>) {
    let server = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let passing = format!("http://{}/", listener.local_addr().unwrap());
    let n_connections = Arc::new(AtomicUsize::new(0));
    let counted = n_connections.clone();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            counted.fetch_add(1, Ordering::Relaxed);
            let (client, server) = (client.unwrap(), TcpStream::connect(&server).unwrap());
            for (mut from, mut to) in
                [(client.try_clone().unwrap(), server.try_clone().unwrap()), (server, client)]
            {
                std::thread::spawn(move || std::io::copy(&mut from, &mut to));
            }
        }
    });
    (passing, n_connections)
}

#[test]
fn one_connection_serves_opening_and_reading() {
    let home = home();
    let site = home.serve("site-bundle");
    let (address, n_connections) = passed_on(&site.address);
    let copied = copy(&address, &home.path("sites")).unwrap();
    let files = BundleFiles::open(copied.location()).unwrap();
    for (id, entry) in files.listed_shards() {
        files.stored(id, &entry).unwrap();
    }
    assert_eq!(n_connections.load(Ordering::Relaxed), 1);
}

#[test]
fn the_parts_of_an_encoder_are_asked_for_once() {
    let home = Home::new();
    let bytes = b"half of an encoder".to_vec();
    let path = "encoder/half.bin".to_owned();
    let part = FilePart { path: path.clone(), len: bytes.len() as u64, hash: hash128(&bytes) };
    let deployed = QueryEncoder { kind: "transformer".into(), files: vec![part.clone()] };
    let encoder: BoxedEncoder = Box::new(HashEncoder::new(32));
    let pages = vec![Page { id: "a".into(), title: "Threads".into(), ..Page::default() }];
    let job =
        Job { pages, encoder: Some(&encoder), query_encoders: vec![deployed], ..Job::default() };
    let bundle = index::build(job, &Ui::silent()).unwrap().bundle;
    let extra = Extra { path: path.clone(), contents: bytes.clone().into() };
    let out = home.path("out");
    let writer = BundleWriter::new(&out, Shape::Directory, &bundle);
    BundleWriter { extras: &[extra], ..writer }.write().unwrap();

    let (address, asked) = serve_files(out.clone());
    let copied = copy(&address, &home.path("sites")).unwrap();
    let files = BundleFiles::open(copied.location()).unwrap();
    for _ in 0..2 {
        assert_eq!(files.parts(std::slice::from_ref(&part)).unwrap(), bytes);
    }
    let n_asked =
        asked.lock().unwrap().iter().filter(|asked| **asked == format!("/{path}")).count();
    assert_eq!(n_asked, 1);
    let kept = copied.directory.join(format!("../parts/{}.bin", hex(&part.hash)));
    std::fs::write(kept, "spoilt").unwrap();
    assert_eq!(
        files.parts(std::slice::from_ref(&part)).unwrap(),
        bytes,
        "a spoilt one is fetched again"
    );
    let outside = FilePart { path: "../outside.bin".into(), ..part };
    std::fs::write(home.path("sites/outside.bin"), &bytes).unwrap();
    assert!(files.parts(&[outside]).is_err(), "a site names files of its bundle only");
}

#[test]
fn files_of_earlier_builds_are_removed_when_nobody_reads_them() {
    let home = home();
    let (address, _) = serve_files(home.path("site-bundle"));
    let sites = home.data().join("sites");
    let names =
        || -> BTreeSet<PathBuf> { tree(&sites).into_iter().map(|(path, _)| path).collect() };
    home.found(&address, "mutex");
    home.json(&["inspect", &address, "--json"]);
    let first = names();

    // A reader keeps the bundle that it opened.
    let reader = copy(&address, &sites).unwrap();
    home.write("site/c.md", "# Ovens\n\nAn oven bakes.\n");
    build(&home, &["--prune=0"]);
    forget_the_check(&home);
    assert_eq!(home.found(&address, "oven"), ["/c/"]);
    assert!(names().is_superset(&first));
    drop(reader);
    forget_the_check(&home);
    assert_eq!(home.found(&address, "oven"), ["/c/"]);
    home.json(&["inspect", &address, "--json"]);
    let bundle = tree(&home.path("site-bundle")).into_iter().map(|(path, _)| path);
    let bundle = bundle.map(|path| PathBuf::from("files").join(path));
    let copy = bundle.chain(["checked.txt", "lock", "origin.txt"].map(PathBuf::from));
    let directory = std::fs::read_dir(&sites).unwrap().next().unwrap().unwrap().file_name();
    let copy: BTreeSet<PathBuf> = copy.map(|path| PathBuf::from(&directory).join(path)).collect();
    assert_eq!(names(), copy);
}

#[test]
fn a_single_file_is_read_in_parts() {
    let home = home();
    build(&home, &["--single-file"]);
    let site = home.serve("site-bundle");
    let file = std::fs::read_dir(home.path("site-bundle"))
        .map(|mut files| files.next().unwrap().unwrap().file_name().into_string().unwrap())
        .unwrap_or_else(|_| "site-bundle".to_owned());
    let address = format!("{}{file}", site.address);
    assert_eq!(home.found(&address, "mutex").len(), 2);
    let phrase = home.found(&address, "\"guards data\"");
    assert_eq!(phrase.len(), 2, "positions are behind the shards that the manifest lists");
}

#[test]
fn a_spoilt_copy_is_fetched_again() {
    let home = home();
    let site = home.serve("site-bundle");
    assert_eq!(home.found(&site.address, "mutex").len(), 2);
    let sites = home.data().join("sites");
    let mut n_spoilt = 0;
    for (path, mut bytes) in tree(&sites) {
        if path.extension().is_some_and(|extension| extension == "bin") {
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
            std::fs::write(sites.join(path), bytes).unwrap();
            n_spoilt += 1;
        }
    }
    assert!(n_spoilt > 2, "{n_spoilt}");
    forget_the_check(&home);
    // The manifest is checked when the site sends it, shards when they are read.
    std::fs::remove_file(find(&sites, "findling.idx")).unwrap();
    assert_eq!(home.found(&site.address, "mutex").len(), 2);
}

fn find(root: &std::path::Path, name: &str) -> std::path::PathBuf {
    let found = tree(root).into_iter().map(|(path, _)| path).find(|path| path.ends_with(name));
    root.join(found.unwrap())
}

#[test]
fn a_site_that_lies_is_refused_and_leads_nowhere_else() {
    let home = home();
    let bundle = home.path("site-bundle");
    let file = move |path: &str| std::fs::read(bundle.join(path.trim_start_matches('/'))).ok();
    let whole = |bytes: Vec<u8>| ("200 OK".to_owned(), bytes);
    // The damage is near the beginning, because after the manifest it would only affect shards.
    let spoil = |mut bytes: Vec<u8>| {
        let at = bytes.len().min(17) - 1;
        bytes[at] ^= 1;
        bytes
    };

    type Answer = Box<dyn Fn(&str) -> (String, Vec<u8>) + Send>;
    let read = file.clone();
    let spoilt: Answer = Box::new(move |path| match (read(path), path) {
        (Some(bytes), "/findling.idx") => whole(bytes),
        (Some(bytes), _) => whole(spoil(bytes)),
        _ => missing(),
    });
    let read = file.clone();
    let endless: Answer = Box::new(move |path| match read(path) {
        Some(mut bytes) => {
            bytes.resize(bytes.len() + 1_000_000, 0);
            whole(bytes)
        }
        None => missing(),
    });
    let empty: Answer = Box::new(|_| ("200 OK".to_owned(), b"<!doctype html>".to_vec()));
    let moved: Answer =
        Box::new(|_| ("302 Found\r\nLocation: http://127.0.0.1:1/secret".to_owned(), Vec::new()));
    let fails: Answer = Box::new(|_| ("500 Oh".to_owned(), Vec::new()));
    let nothing: Answer = Box::new(|_| missing());
    for (what, answer, code) in [
        ("spoilt", spoilt, "bundle"),
        ("endless", endless, "bundle"),
        ("a page for everything", empty, "bundle"),
        ("moved", moved, "unreachable"),
        ("fails", fails, "unreachable"),
        ("nothing", nothing, "no-bundle"),
    ] {
        let (address, asked) = site(answer);
        let done = home.run(&["search", &address, "mutex", "--json"]);
        let error: Value = serde_json::from_str(&done.out).unwrap();
        assert_eq!((done.code, &error["error"]["code"]), (3, &code.into()), "{what}: {done:?}");
        assert!(asked.lock().unwrap().len() <= 4, "{what}");
    }
    let copies = tree(&home.data().join("sites"));
    assert!(copies.iter().all(|(path, _)| !path.ends_with("findling.idx")), "{copies:?}");
    for address in ["http://example.org/", "https://a@example.org/", "https://example.org/?x"] {
        let done = home.run(&["search", address, "mutex", "--json"]);
        assert_eq!(done.code, 2, "{done:?}");
    }
}

#[test]
fn a_site_at_a_private_address_is_refused_unless_its_host_is_listed() {
    let home = home();
    let search = |address: &str, listed: &str| {
        let mut command = home.command(&["search", address, "mutex", "--json"]);
        let output = command.env("FINDLING_PRIVATE_SITES", listed).output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), answer["error"]["code"].as_str().unwrap_or_default().to_owned())
    };
    let refused = (Some(2), "private-address".to_owned());
    for address in [
        "https://10.1.2.3/",
        "https://192.168.0.1:8443/docs/",
        "https://169.254.169.254/latest/",
        "https://100.64.0.1/",
        "https://[fd00::1]/",
        "https://[fe80::1]:1/",
        "https://[::ffff:127.0.0.1]/",
        "https://0.0.0.0/",
        // For a resolver, these are names, which it resolves to this machine.
        "https://2130706433:9/",
        "https://0x7f.1:9/",
    ] {
        assert_eq!(search(address, "other.example"), refused, "{address}");
    }
    // Nothing listens there, but the request was sent.
    let asked = (Some(3), "unreachable".to_owned());
    assert_eq!(search("https://0x7f.1:9/", "wiki.example 0x7f.1"), asked);
    assert_eq!(search("https://127.0.0.1:9/", ""), asked, "this machine by its own address");
}

#[test]
fn a_page_that_is_inspected_leads_to_no_other_private_host() {
    let home = Home::new();
    let html = |title: &str| {
        let page = format!("<h1>{title}</h1><p>Text of the page.").into_bytes();
        ("200 OK\r\nContent-Type: text/html".to_owned(), page)
    };
    let (secret, asked) = site(move |_| html("Secret"));
    let to = secret.clone();
    let (address, _) = site(move |path| match path {
        "/here/" => html("Here"),
        "/near/" => ("302 Found\r\nLocation: /here/".to_owned(), Vec::new()),
        _ => (format!("302 Found\r\nLocation: {to}"), Vec::new()),
    });
    let inspect = |page: &str| {
        let address = address.replace("127.0.0.1", "localhost");
        home.run(&["inspect", "--extraction", &format!("{address}{page}")])
    };
    for page in ["here/", "near/"] {
        let done = inspect(page);
        assert!(done.code == 0 && done.out.contains("Here"), "{page}: {done:?}");
    }
    let done = inspect("far/");
    assert!(done.code != 0 && done.err.contains("FINDLING_PRIVATE_SITES=127.0.0.1"), "{done:?}");
    assert!(asked.lock().unwrap().is_empty(), "the other host was asked");
}

#[test]
fn a_copy_answers_where_its_site_has_moved_to_a_private_address() {
    let home = home();
    let site = home.serve("site-bundle");
    assert_eq!(home.found(&site.address, "mutex").len(), 2);
    let sites = home.data().join("sites");
    let copied = std::fs::read_dir(&sites).unwrap().next().unwrap().unwrap().path();
    // The same copy, but the site's name now leads to this machine.
    let address = "https://0x7f.1:9/";
    let hash = hash128(address.trim_end_matches('/').as_bytes());
    let moved = sites.join(format!("0x7f.1-9-{}", hex(&hash[..8])));
    std::fs::rename(&copied, &moved).unwrap();
    std::fs::write(moved.join("origin.txt"), format!("{address}findling.idx\n")).unwrap();
    forget_the_check(&home);
    let done = home.run(&["search", address, "mutex", "--format=paths", "--mode=lexical"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.err.contains("127.0.0.1"), "says why the site was not asked: {done:?}");
}
