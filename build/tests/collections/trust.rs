//! Tests that addresses come from a person only, on the command line or in their own settings, and
//! never from a bundle, a site or a directory.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use findling_build::index::write::{BundleWriter, Extra, Shape};
use findling_build::index::{self, Job};
use findling_build::page::Page;
use findling_build::ui::Ui;
use findling_bundle::{FilePart, QueryEncoder, hash128};
use findling_encoder::BoxedEncoder;
use findling_encoder::hash::HashEncoder;

use super::counting_service::counting_service;
use super::home::{Home, tree};

/// Serves a site that answers by `answer`. Returns its address and the paths that were requested.
fn site(
    answer: impl Fn(&str) -> Option<Vec<u8>> + Send + 'static,
) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let all = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let path = respond(stream.unwrap(), &answer);
            all.lock().unwrap().extend(path);
        }
    });
    (address, asked)
}

fn respond(mut stream: TcpStream, answer: &impl Fn(&str) -> Option<Vec<u8>>) -> Option<String> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let path = lines.next()?.ok()?.split(' ').nth(1)?.trim_start_matches('/').to_owned();
    while !lines.next()?.ok()?.is_empty() {}
    let (status, body) =
        answer(&path).map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
    let len = body.len();
    let _ =
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {len}\r\nConnection: close\r\n\r\n");
    let _ = stream.write_all(&body);
    Some(path)
}

/// Builds a bundle with an encoder whose files have these paths and contents.
fn bundle_with_encoder(files: &[(&str, Vec<u8>)], out: &Path) {
    let parts = files.iter().map(|(path, bytes)| FilePart {
        path: (*path).into(),
        len: bytes.len() as u64,
        hash: hash128(bytes),
    });
    let deployed = QueryEncoder { kind: "transformer".into(), files: parts.collect() };
    let encoder: BoxedEncoder = Box::new(HashEncoder::new(32));
    let pages = vec![Page { id: "a".into(), title: "Threads".into(), ..Page::default() }];
    let job =
        Job { pages, encoder: Some(&encoder), query_encoders: vec![deployed], ..Job::default() };
    let bundle = index::build(job, &Ui::silent()).unwrap().bundle;
    let extras: Vec<Extra> = files
        .iter()
        .filter(|(path, _)| *path != "findling.idx")
        .map(|(path, bytes)| Extra { path: (*path).into(), contents: bytes.clone().into() })
        .collect();
    let writer = BundleWriter::new(out, Shape::Directory, &bundle);
    BundleWriter { extras: &extras, ..writer }.write().unwrap();
}

/// The names of files of a copy that only the program writes, in spellings that a file system may
/// take for the same.
const RECORDS: [&str; 12] = [
    "origin.txt",
    "ORIGIN.TXT",
    "checked.txt",
    "lock",
    "lock/x",
    "Findling.idx",
    "files/origin.txt",
    "files/findling.idx",
    "parts/origin.txt",
    "shards/origin.txt",
    "origin.txt/x",
    "encoder/origin.txt",
];

#[test]
fn a_site_cannot_write_the_records_of_its_copy() {
    for name in RECORDS {
        let home = Home::new();
        let (secret, n_connections) = counting_service();
        let record = format!("{secret}admin/findling.idx\n").into_bytes();
        let out = home.path("out");
        bundle_with_encoder(&[(name, record.clone())], &out);
        let (address, asked) = site(move |path| std::fs::read(out.join(path)).ok());
        let inspected = home.run(&["inspect", &address]);
        assert_eq!(inspected.code, 0, "{name}: {inspected:?}");
        let sites = home.data().join("sites");
        let copied: BTreeMap<PathBuf, Vec<u8>> = tree(&sites)
            .into_iter()
            .map(|(path, bytes)| (path.components().skip(1).collect(), bytes))
            .collect();
        let of = |path: &str| copied.get(Path::new(path)).unwrap_or_else(|| panic!("{path}"));
        assert_eq!(of("origin.txt"), format!("{address}findling.idx\n").as_bytes(), "{name}");
        assert!(of("checked.txt").is_empty() && of("lock").is_empty(), "{name}");
        for (path, bytes) in &copied {
            let is_part = path.starts_with("parts") && path.components().count() == 2;
            assert!(*bytes != record || is_part, "{name} became {}", path.display());
        }
        // The copy is read again, by its own site.
        remove_shards(&sites);
        home.run(&["search", &address, "threads", "--json"]);
        assert!(asked.lock().unwrap().iter().any(|path| path.starts_with("shards/")));
        assert_eq!(n_connections.load(Ordering::Relaxed), 0, "{name}");
    }
}

fn remove_shards(root: &Path) {
    for (path, _) in tree(root) {
        if path.components().any(|part| part.as_os_str() == "shards") {
            std::fs::remove_file(root.join(path)).unwrap();
        }
    }
}

#[test]
fn a_record_of_a_copy_never_leads_to_another_address() {
    let home = Home::with_site();
    let built = home.run(&["build", "site", "-o", "out", "--encoder=none", "--no-client"]);
    assert_eq!(built.code, 0, "{built:?}");
    let out = home.path("out");
    let (address, asked) = site(move |path| std::fs::read(out.join(path)).ok());
    assert_eq!(home.found(&address, "mutex").len(), 2);
    let (secret, n_connections) = counting_service();
    let sites = home.data().join("sites");
    for (path, _) in tree(&sites) {
        if path.ends_with("origin.txt") {
            std::fs::write(sites.join(path), format!("{secret}findling.idx\n")).unwrap();
        }
    }
    asked.lock().unwrap().clear();
    assert_eq!(home.found(&address, "mutex").len(), 2);
    assert!(!asked.lock().unwrap().is_empty(), "the address that was given is asked");
    assert_eq!(n_connections.load(Ordering::Relaxed), 0);
}

#[test]
fn a_local_directory_never_leads_to_a_network() {
    let home = Home::with_site();
    let built =
        home.run(&["build", "site", "-o", "out", "--encoder=none", "--no-client", "--host=files"]);
    assert_eq!(built.code, 0, "{built:?}");
    let (secret, n_connections) = counting_service();
    let mut n_removed = 0;
    for (path, _) in tree(&home.path("out/shards")) {
        // The manifest has a longer name.
        if path.as_os_str().len() == "0123456789abcdef.bin".len() {
            std::fs::remove_file(home.path("out/shards").join(path)).unwrap();
            n_removed += 1;
        }
    }
    assert!(n_removed > 0);
    for name in ["origin.txt", "../origin.txt", "files/origin.txt"] {
        home.write(&format!("out/{name}"), &format!("{secret}inside/findling.idx\n"));
    }
    // Even a directory in the cache is only a directory when it is given as one.
    std::fs::create_dir_all(home.data().join("sites")).unwrap();
    std::fs::rename(home.path("out"), home.data().join("sites/out")).unwrap();
    let before = tree(&home.data().join("sites/out"));
    for args in [
        &["search", "data/sites/out", "my private question", "--json"][..],
        &["context", "my private question", "data/sites/out", "--json"],
        &["inspect", "data/sites/out", "--json"],
        &["similar", "data/sites/out", "/a/", "--json"],
        &["search", "data/sites/out/findling.idx", "mutex", "--json"],
    ] {
        let done = home.run(args);
        assert_ne!(done.code, 0, "{args:?}: {done:?}");
    }
    let done = home.run(&["search", "data/sites/out", "mutex", "--json"]);
    assert_eq!(done.code, 3, "{done:?}");
    assert_eq!(n_connections.load(Ordering::Relaxed), 0);
    assert_eq!(tree(&home.data().join("sites/out")), before, "nothing was written");
}

#[test]
fn the_sum_of_an_encoders_files_is_checked_before_the_first_byte() {
    let home = Home::new();
    let out = home.path("out");
    // No file is that long; the length in the manifest counts.
    bundle_with_encoder(
        &[("encoder/a.bin", b"a".to_vec()), ("encoder/b.bin", b"b".to_vec())],
        &out,
    );
    let files = findling_build::bundle_files::BundleFiles::open(&out).unwrap();
    let dense = files.manifest().dense.clone().unwrap();
    let mut parts = dense.query_encoders[0].files.clone();
    assert_eq!(files.parts(&parts).unwrap(), b"ab");
    let (address, asked) = site(move |path| std::fs::read(out.join(path)).ok());
    let copied = findling_build::bundle_files::copy(&address, &home.path("sites")).unwrap();
    let copy = findling_build::bundle_files::BundleFiles::open(copied.location()).unwrap();
    asked.lock().unwrap().clear();
    for lens in [[1, findling_build::bundle_files::MAX_ENCODER_LEN], [u64::MAX, u64::MAX]] {
        for (part, len) in parts.iter_mut().zip(lens) {
            part.len = len;
        }
        assert!(files.parts(&parts).is_err() && copy.parts(&parts).is_err(), "{lens:?}");
        assert!(copy.beginning_of_parts(&parts, 10).is_err(), "{lens:?}");
    }
    assert_eq!(*asked.lock().unwrap(), [""; 0]);
    assert_eq!(copy.beginning_of_parts(&dense.query_encoders[0].files, 10).unwrap(), b"a");
}

/// Serves the files of the current directory as a site, as after a deployment that keeps nothing.
fn deployed_again(directories: [PathBuf; 2]) -> (String, Arc<AtomicUsize>) {
    let current = Arc::new(AtomicUsize::new(0));
    let of = current.clone();
    let (address, _) = site(move |path| {
        std::fs::read(directories[of.load(Ordering::Relaxed) % 2].join(path)).ok()
    });
    (address, current)
}

#[test]
fn a_deployment_under_a_reader_is_followed_at_the_next_question() {
    for layout in ["--host=files", "--host=plain"] {
        let home = Home::with_site();
        let build = |out: &str| {
            let args = ["build", "site", "-o", out, "--encoder=static", "--no-client", "--fresh"];
            let built = home.run(&[&args[..], &[layout]].concat());
            assert_eq!(built.code, 0, "{built:?}");
            home.path(out)
        };
        let first = build("first");
        home.write("site/c.md", "# Ovens\n\nAn oven bakes clay, as a mutex guards data.\n");
        let (address, current) = deployed_again([first, build("second")]);
        let sites = home.path("sites");
        let copied = findling_build::bundle_files::copy(&address, &sites).unwrap();
        let mut host = findling_build::host::Host::open(copied.location()).unwrap();
        let mut pages = |query: &str| {
            let request = findling_engine::Request::from(query);
            host.search(request).map(|(response, _)| response.total.pages)
        };
        assert_eq!(pages("mutex").unwrap(), 2, "{layout}");
        // A phrase needs files that were not read before, and the files of the first bundle are
        // gone.
        current.store(1, Ordering::Relaxed);
        let (phrase, word) = (pages("\"guards data\"").unwrap(), pages("mutex").unwrap());
        // The pack of such a small site is fetched whole, so everything is in memory.
        let expect = if layout == "--host=files" { 3 } else { 2 };
        assert_eq!((phrase, word), (expect, expect), "{layout}");
        // Shards in memory still answer. Others come from the present bundle.
        current.store(2, Ordering::Relaxed);
        for query in ["mutex", "oven", "\"may hold\"", "thread that waits"] {
            assert!(pages(query).is_ok(), "{layout} {query}");
        }
        // The program starts again for each question. If its copy lacks a file, it does not wait
        // for a minute either.
        if layout != "--host=files" {
            continue;
        }
        current.store(0, Ordering::Relaxed);
        assert_eq!(home.found(&address, "mutex").len(), 2, "{layout}");
        current.store(1, Ordering::Relaxed);
        assert_eq!(home.found(&address, "oven clay"), ["/c/"], "{layout}");
        let read = home.run(&["context", "oven", &address]);
        assert_eq!(read.code, 0, "{read:?}");
    }
}

#[test]
fn a_site_that_no_longer_answers_is_not_asked_for_ever() {
    let home = Home::with_site();
    let args = ["build", "site", "-o", "out", "--encoder=none", "--no-client", "--host=files"];
    assert_eq!(home.run(&args).code, 0);
    let out = home.path("out");
    // Only the entry file and the manifest exist.
    let (address, asked) = site(move |path| {
        let is_opening = path == "findling.idx" || path.len() > "shards/0123456789abcdef.bin".len();
        std::fs::read(out.join(path)).ok().filter(|_| is_opening)
    });
    let done = home.run(&["search", &address, "mutex", "--json"]);
    assert_eq!(done.code, 3, "{done:?}");
    let n_entries = |asked: &[String]| asked.iter().filter(|path| *path == "findling.idx").count();
    let asked = asked.lock().unwrap();
    assert!(n_entries(&asked) <= 4 && asked.len() < 60, "{asked:?}");
}
