//! Inputs from other people: links that lead out of them, files that never end, private files.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use super::home::Home;

/// Builds a site of the home for search by words. Returns the exit status and the messages.
fn build(home: &Home, site: &str, more: &[&str]) -> (i32, String) {
    let (site, out) = (home.path(site), home.path("out"));
    let (site, out) = (site.to_str().unwrap(), out.to_str().unwrap());
    let arguments = ["build", site, "-o", out, "--encoder", "none", "--no-client"];
    let done = home.run(&[&arguments[..], more].concat());
    (done.code, done.err)
}

fn finds(home: &Home, query: &str) -> bool {
    let out = home.path("out");
    home.run(&["search", out.to_str().unwrap(), query, "--mode=lexical", "--json"]).code == 0
}

/// Makes a pipe that nobody writes to; `false` if the system has no pipes.
fn pipe(path: &Path) -> bool {
    Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success())
}

#[test]
fn links_out_of_an_input_are_named_and_followed_on_request_only() {
    let home = Home::new();
    home.write("other/secret.md", "# Secret\n\nxylophone\n");
    home.write("site/index.md", "# Home\n\nhello, see marimba\n");
    home.write("site/deep/page.md", "# Page\n\nvibraphone\n");
    let site = home.path("site");
    symlink("../other/secret.md", site.join("file.md")).unwrap();
    symlink("file.md", site.join("again.md")).unwrap();
    symlink(home.path("other"), site.join("directory")).unwrap();
    symlink("/proc/self/environ", site.join("environ.md")).unwrap();
    symlink("deep/page.md", site.join("inside.md")).unwrap();
    symlink("..", site.join("deep/loop")).unwrap();
    let (code, messages) = build(&home, "site", &[]);
    assert_eq!(code, 0, "{messages}");
    for name in ["file.md", "again.md", "directory", "environ.md"] {
        assert!(messages.contains(&format!("site/{name}")), "{name}: {messages}");
    }
    assert!(finds(&home, "marimba") && finds(&home, "vibraphone") && !finds(&home, "xylophone"));
    assert!(!finds(&home, "PATH"), "the environment of the process");
    let (code, messages) = build(&home, "site", &["--follow-links"]);
    assert_eq!(code, 0, "{messages}");
    assert!(finds(&home, "xylophone") && !finds(&home, "PATH"));
    // The same rule holds for the reader of Pagefind's files.
    home.write("html/index.html", "<html lang=en><body><p>marimba</p></body></html>");
    home.write("other/secret.html", "<html lang=en><body><p>xylophone</p></body></html>");
    symlink("../other/secret.html", home.path("html/secret.html")).unwrap();
    let (code, messages) = build(&home, "html", &["--pagefind"]);
    assert_eq!(code, 0, "{messages}");
    assert!(messages.contains("html/secret.html"), "{messages}");
    assert!(finds(&home, "marimba") && !finds(&home, "xylophone"));
}

#[test]
fn an_input_that_is_a_link_is_meant() {
    let home = Home::new();
    home.write("other/page.md", "# Page\n\nxylophone\n");
    symlink("other", home.path("link")).unwrap();
    symlink("other/page.md", home.path("page.md")).unwrap();
    for input in ["link", "page.md"] {
        assert_eq!(build(&home, input, &[]).0, 0, "{input}");
        assert!(finds(&home, "xylophone"), "{input}");
    }
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let home = Home::new();
    home.write("site/index.md", "# Home\n\nmarimba\n");
    if !pipe(&home.path("site/pipe.md")) {
        println!("skipped: the system has no mkfifo");
        return;
    }
    pipe(&home.path("site/objects.inv"));
    assert_eq!(build(&home, "site", &[]).0, 0);
    assert!(finds(&home, "marimba"));
    home.write("code/a.rs", "fn marimba() {}\n");
    home.write("code/b.rs", "fn vibraphone() {}\n");
    pipe(&home.path("code/.gitignore"));
    assert_ne!(build(&home, "code", &["--format=code"]).0, 0);
}

#[test]
fn bibliographies_in_circles_are_named_and_the_rest_is_indexed() {
    let home = Home::new();
    home.write("papers/good.bib", "@book{good, title = {Marimba}}\n");
    for (name, text) in [
        ("string", "@string{a = a}\n@book{x, title = {Xylophone}, note = a}\n"),
        ("crossref", "@book{y, title = {Y}, crossref = {z}}\n@book{z, title={Z}, crossref={y}}\n"),
        ("xdata", "@xdata{d, xdata = {d}}\n"),
    ] {
        home.write(&format!("papers/{name}.bib"), text);
    }
    let (code, messages) = build(&home, "papers", &[]);
    assert_eq!(code, 3, "{messages}");
    for name in ["string.bib", "crossref.bib", "xdata.bib"] {
        assert!(messages.contains(name), "{messages}");
    }
    assert!(finds(&home, "marimba") && finds(&home, "xylophone"));
}

#[test]
fn files_of_a_bundle_are_bounded_before_they_are_read() {
    let home = Home::new();
    home.write("site/index.md", "# Home\n\nmarimba\n");
    assert_eq!(build(&home, "site", &[]).0, 0);
    let out = home.path("out");
    let shards: Vec<_> =
        fs::read_dir(out.join("shards")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let entry = out.join("findling.idx");
    for file in shards.iter().chain([&entry]) {
        let honest = fs::read(file).unwrap();
        fs::remove_file(file).unwrap();
        symlink("/dev/zero", file).unwrap();
        assert!(!finds(&home, "marimba") || file != &entry, "{}", file.display());
        fs::remove_file(file).unwrap();
        if pipe(file) {
            finds(&home, "marimba");
            fs::remove_file(file).unwrap();
        }
        // A sparse file takes no space on the disk.
        let sparse = fs::File::create(file).unwrap();
        sparse.set_len(1 << 40).unwrap();
        assert!(!finds(&home, "marimba") || file != &entry, "{}", file.display());
        fs::write(file, honest).unwrap();
        assert!(finds(&home, "marimba"));
    }
    let alone = home.path("big.findling");
    fs::File::create(&alone).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(home.run(&["search", alone.to_str().unwrap(), "x"]).code, 3);
}

#[test]
fn an_index_has_the_readers_of_its_sources() {
    let home = Home::new();
    home.write("site/index.md", "# Home\n\nmarimba\n");
    home.write("site/private.md", "# Private\n\nxylophone\n");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let set =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let private = home.path("site/private.md");
    let modes = || -> Vec<u32> {
        let out = home.path("out");
        let shards = fs::read_dir(out.join("shards")).unwrap();
        let shards = shards.map(|entry| mode(&entry.unwrap().path()));
        shards.chain([mode(&out.join("findling.idx"))]).collect()
    };
    for (source, expect) in [(0o600, 0), (0o644, 0o044), (0o640, 0o040)] {
        set(&private, source);
        assert_eq!(build(&home, "site", &[]).0, 0);
        for found in modes() {
            assert_eq!(found & 0o077 & !expect, 0, "{found:o} of {source:o}");
            // The shards of the last build are the same files.
            assert_eq!(found & 0o400, 0o400);
        }
    }
    home.add("site");
    assert_eq!(home.run(&["find", "marimba", "--mode=lexical"]).code, 0);
    let data = home.path("data");
    let mut open = vec![data.join("collections"), data.join("state")];
    let mut n_checked = 0;
    while let Some(path) = open.pop() {
        let Ok(metadata) = fs::metadata(&path) else { continue };
        if path.parent() == Some(&data) || path.parent() == Some(&data.join("collections")) {
            assert_eq!(metadata.permissions().mode() & 0o077, 0, "{}", path.display());
            n_checked += 1;
        }
        if metadata.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    assert!(n_checked >= 2, "{n_checked}");
}
