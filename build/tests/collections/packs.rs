//! A bundle in packs answers like a bundle with a file for each shard: from its directory, over a
//! site that sends ranges, and over a site that sends whole files.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use findling_build::bundle_files::{BundleFiles, WebError, copy};
use findling_bundle::{ShardEntry, ShardId, decode_shard};

use super::home::{Home, tree, without_meta};

/// Answer of a site to requests for ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ranges {
    /// Sends them.
    Sent,
    /// Sends the whole file.
    Ignored,
    /// Sends another range than the requested one.
    Wrong,
    /// Sends fewer bytes than it announces.
    Short,
}

/// The requested paths, each with whether a range was requested.
type Asked = Arc<Mutex<Vec<(String, bool)>>>;

fn serve(root: PathBuf, ranges: Ranges) -> (String, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let asked = Asked::default();
    let all = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (root, asked) = (root.clone(), asked.clone());
            std::thread::spawn(move || respond(stream.unwrap(), &root, ranges, &asked));
        }
    });
    (address, all)
}

fn respond(mut stream: TcpStream, root: &Path, ranges: Ranges, asked: &Asked) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let Some(Ok(first)) = lines.next() else { return };
    let path = first.split(' ').nth(1).unwrap().trim_start_matches('/').to_owned();
    let mut range = None;
    for line in lines {
        let line = line.unwrap().to_ascii_lowercase();
        if let Some(bytes) = line.strip_prefix("range: bytes=") {
            let (start, end) = bytes.split_once('-').unwrap();
            range = Some((start.parse::<usize>().unwrap(), end.parse::<usize>().unwrap()));
        }
        if line.is_empty() {
            break;
        }
    }
    asked.lock().unwrap().push((path.clone(), range.is_some()));
    let (mut status, mut more) = ("200 OK", String::new());
    let mut body = std::fs::read(root.join(&path)).unwrap_or_default();
    if body.is_empty() {
        status = "404 Not Found";
    } else if let Some((start, end)) = range.filter(|_| ranges != Ranges::Ignored) {
        let shift = usize::from(ranges == Ranges::Wrong);
        let (from, to, len) = (start + shift, end, body.len());
        more = format!("Content-Range: bytes {from}-{to}/{len}\r\n");
        body = body[from..=to].to_vec();
        status = "206 Partial Content";
    }
    let len = body.len();
    if ranges == Ranges::Short && range.is_some() {
        body.truncate(len / 2);
    }
    let head = format!("HTTP/1.1 {status}\r\n{more}Content-Length: {len}\r\nConnection: close");
    let _ = write!(stream, "{head}\r\n\r\n");
    let _ = stream.write_all(&body);
}

/// Returns a home with the same site in files and in packs.
fn home() -> Home {
    let home = Home::with_site();
    for (out, host) in [("files", "--host=files"), ("packs", "--host=plain")] {
        let args = ["build", "site", "-o", out, "--encoder=static", "--no-client", "--fresh", host];
        let done = home.run(&args);
        assert_eq!(done.code, 0, "{done:?}");
    }
    home
}

const ASKED: [&[&str]; 5] = [
    &["search", "TARGET", "mutex", "--json"],
    &["search", "TARGET", "\"guards data\"", "--json"],
    &["search", "TARGET", "who may hold a lock", "--json", "--mode=semantic"],
    &["search", "TARGET", "mutx", "--json"],
    &["similar", "TARGET", "/a/", "--json"],
];

/// Returns the answers over a target.
fn answers(home: &Home, target: &str, more: &[&str]) -> Vec<String> {
    let answer = |args: &&[&str]| {
        let args = args.iter().map(|arg| if *arg == "TARGET" { target } else { arg });
        let mut answer = home.json(&args.chain(more.iter().copied()).collect::<Vec<_>>());
        without_meta(&mut answer);
        answer.to_string().replace(target, "TARGET")
    };
    ASKED.iter().map(answer).collect()
}

/// Returns the names of the shards in a directory that have so many hex digits.
fn named(directory: &Path, digits: usize) -> Vec<String> {
    let paths = tree(directory).into_iter().map(|(path, _)| path.to_string_lossy().into_owned());
    let stem = |path: &String| path.strip_prefix("shards/")?.strip_suffix(".bin").map(str::len);
    paths.filter(|path| stem(path) == Some(digits)).collect()
}

#[test]
fn a_bundle_in_packs_has_few_files_and_the_same_shards() {
    let home = home();
    let [files, packs] = ["files", "packs"].map(|name| BundleFiles::open(home.path(name)).unwrap());
    assert!(named(&home.path("files"), 8).len() + named(&home.path("files"), 16).len() > 5);
    assert_eq!(named(&home.path("files"), 24).len(), 0);
    assert_eq!(named(&home.path("packs"), 8).len() + named(&home.path("packs"), 16).len(), 0);
    assert_eq!(named(&home.path("packs"), 24).len(), 1, "a small bundle is one pack");
    assert_eq!(files.listed_shards(), packs.listed_shards());
    for (id, entry) in files.listed_shards() {
        assert_eq!(files.stored(id, &entry).unwrap(), packs.stored(id, &entry).unwrap());
    }
    assert_eq!(answers(&home, "files", &[]), answers(&home, "packs", &[]));
    let inspected = home.json(&["inspect", "packs", "--json"]);
    assert_eq!(inspected["damage"], serde_json::json!([]));
}

#[test]
fn commands_answer_over_a_site_with_and_without_ranges() {
    let home = home();
    let expected = answers(&home, "files", &["--streamed"]);
    for ranges in [Ranges::Sent, Ranges::Ignored] {
        let (address, asked) = serve(home.path("packs"), ranges);
        assert_eq!(answers(&home, &address, &[]), expected, "{ranges:?}");
        let packs = named(&home.path("packs"), 24);
        let asked = asked.lock().unwrap();
        let of_packs = asked.iter().filter(|(path, _)| packs.contains(path)).count();
        if ranges == Ranges::Ignored {
            // After a pack was sent whole, it is read from the copy.
            assert_eq!(of_packs, packs.len(), "{asked:?}");
        }
        assert!(
            of_packs > 0
                && asked.iter().all(|(path, is_range)| { *is_range == packs.contains(path) }),
            "{asked:?}"
        );
    }
}

#[test]
fn ranges_that_are_wrong_or_short_are_refused() {
    let home = home();
    for ranges in [Ranges::Wrong, Ranges::Short] {
        let (address, _) = serve(home.path("packs"), ranges);
        let copied = copy(&address, &home.path("sites")).unwrap();
        let files = BundleFiles::open(copied.location()).unwrap();
        for (id, entry) in files.listed_shards() {
            let with = files.manifest().path(id, &entry);
            if files.with_manifest().iter().any(|(path, _)| *path == with) {
                continue;
            }
            let error = files.stored(id, &entry).unwrap_err();
            assert!(error.downcast_ref::<WebError>().is_some(), "{ranges:?}: {error:?}");
        }
    }
}

#[test]
fn a_spoilt_pack_of_a_copy_is_fetched_again() {
    let home = home();
    let (address, asked) = serve(home.path("packs"), Ranges::Ignored);
    let copied = copy(&address, &home.path("sites")).unwrap();
    let reads = || {
        let files = BundleFiles::open(copied.location()).unwrap();
        for (id, entry) in files.listed_shards() {
            decode_shard(&entry, &files.stored(id, &entry).unwrap()).unwrap();
        }
    };
    reads();
    let pack = copied.directory.join(&named(&home.path("packs"), 24)[0]);
    let whole = std::fs::read(&pack).unwrap();
    let flipped: Vec<u8> = whole.iter().map(|byte| byte ^ 1).collect();
    for spoilt in [&whole[..whole.len() / 2], &flipped] {
        asked.lock().unwrap().clear();
        for (path, _) in tree(&copied.directory) {
            // Everything else that came from the pack.
            let name = path.to_string_lossy().into_owned();
            if name.starts_with("shards/") && !home.path("packs").join(&path).is_file() {
                std::fs::remove_file(copied.directory.join(path)).unwrap();
            }
        }
        std::fs::write(&pack, spoilt).unwrap();
        reads();
        assert_eq!(std::fs::read(&pack).unwrap(), whole);
        assert_eq!(asked.lock().unwrap().len(), 1, "{asked:?}");
    }
}

#[test]
fn damaged_packs_and_directories_are_refused() {
    let home = home();
    let pack = home.path("packs").join(&named(&home.path("packs"), 24)[0]);
    let whole = std::fs::read(&pack).unwrap();
    let opens = || BundleFiles::open(home.path("packs"));
    let reads = || {
        let files = opens().unwrap();
        let read = |(id, entry): (ShardId, ShardEntry)| -> anyhow::Result<()> {
            decode_shard(&entry, &files.stored(id, &entry)?)?;
            Ok(())
        };
        files.listed_shards().into_iter().map(read).collect::<anyhow::Result<Vec<()>>>()
    };
    assert!(reads().is_ok());
    std::fs::write(&pack, &whole[..whole.len() / 2]).unwrap();
    assert!(reads().is_err(), "half of a pack");
    let flipped: Vec<u8> = whole.iter().map(|byte| byte ^ 1).collect();
    std::fs::write(&pack, flipped).unwrap();
    assert!(reads().is_err(), "other bytes");
    std::fs::remove_file(&pack).unwrap();
    assert!(reads().is_err(), "no pack");
    std::fs::write(&pack, &whole).unwrap();
    let opening = home.path("packs").join(opens().unwrap().entry_file().opening_path());
    let bytes = std::fs::read(&opening).unwrap();
    for at in [0, bytes.len() / 2, bytes.len() - 1] {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        std::fs::write(&opening, changed).unwrap();
        assert!(opens().is_err(), "byte {at} of {}", bytes.len());
    }
}

#[test]
fn a_bundle_is_packed_for_every_host_unless_files_are_asked_for() {
    let home = Home::with_site();
    for (host, is_packed) in [
        (None, true),
        (Some("files"), false),
        (Some("github-pages"), true),
        (Some("cloudflare-pages"), true),
        (Some("s3"), true),
        (Some("workers"), true),
        (Some("netlify"), true),
        (Some("auto"), true),
    ] {
        let host = host.map(|host| format!("--host={host}"));
        let args = ["build", "site", "-o", "out", "--encoder=static", "--no-client"];
        let args: Vec<&str> = args.into_iter().chain(host.as_deref()).collect();
        assert_eq!(home.run(&args).code, 0);
        let files = BundleFiles::open(home.path("out")).unwrap();
        assert_eq!(files.packs().is_some(), is_packed, "{host:?}");
        assert_eq!(home.found("out", "mutex").len(), 2, "{host:?}");
    }
}

#[test]
fn an_edit_keeps_packs_and_adds_one() {
    let home = home();
    let build = |host: &str| {
        let args = ["build", "site", "-o", "packs", "--encoder=static", "--no-client", "--json"];
        home.json(&[&args[..], &[host]].concat())
    };
    build("--host=plain");
    let again = build("--host=plain");
    assert_eq!(again["newBytes"], 0, "nothing was edited: {again}");
    let before = named(&home.path("packs"), 24);
    home.write("site/c.md", "# Ovens\n\nAn oven bakes.\n");
    build("--host=plain");
    assert_eq!(home.found("packs", "oven"), ["/c/"]);
    assert_eq!(home.found("packs", "mutex").len(), 2);
    let after = BundleFiles::open(home.path("packs")).unwrap();
    for (id, entry) in after.listed_shards() {
        decode_shard(&entry, &after.stored(id, &entry).unwrap()).unwrap();
    }
    assert!(before.iter().all(|path| home.path("packs").join(path).is_file()), "kept for a while");
    // Both forms replace each other.
    build("--host=files");
    assert_eq!(home.found("packs", "oven"), ["/c/"]);
    assert!(BundleFiles::open(home.path("packs")).unwrap().packs().is_none());
    build("--host=s3");
    assert!(BundleFiles::open(home.path("packs")).unwrap().packs().is_some());
    assert_eq!(home.found("packs", "oven"), ["/c/"]);
}
