//! Small sites that tests make, and the program that builds them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Runs the program and returns its output.
pub fn findling(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_findling"));
    command.env("FINDLING_CACHE", "/nonexistent/findling").args(arguments).output().unwrap()
}

/// Runs the program, which must succeed. Returns its output.
pub fn succeeds(arguments: &[&str]) -> String {
    let output = findling(arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    // Status 3 says that a file could not be read, which is intended for some of the sites here.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the code of the error that a command ends with.
pub fn code(arguments: &[&str]) -> String {
    let output = findling(arguments);
    assert!(!output.status.success(), "{arguments:?} succeeded");
    let error: Value = serde_json::from_slice(&output.stdout).unwrap();
    error["error"]["code"].as_str().unwrap().to_owned()
}

/// Returns the files below a directory with their contents.
pub fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(directory).unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// Writes a file below a directory.
pub fn write(directory: &Path, name: &str, contents: impl AsRef<[u8]>) {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, contents).unwrap();
}

/// Returns a sentence, another one for each number.
pub fn sentence(seed: usize) -> String {
    let words = ["kiln", "glaze", "clay", "wheel", "fire", "bowl", "shelf", "cone", "ash", "slip"];
    let chosen = (0..12 + seed % 9).map(|i| words[(seed * 7 + i * i * 3) % words.len()]);
    format!("{} {seed}.", chosen.collect::<Vec<_>>().join(" "))
}

/// Writes HTML as a generator does: titles with the name of the site, languages, filters, a copy of
/// a page in another version, a redirect, a page that pins a query, and an inventory of names.
pub fn html(site: &Path) {
    for i in 0..60 {
        let language = if i % 9 == 0 { "de" } else { "en" };
        let version = if i >= 50 { "old" } else { "new" };
        let place = i % 50;
        let sections: String = (0..1 + place % 4)
            .map(|s| {
                let text = sentence(place * 10 + s);
                format!("<h2 id=\"s{s}\">Part {s} of {place}</h2><p>{text}</p>")
            })
            .collect();
        let page = format!(
            "<!doctype html><html lang=\"{language}\"><head><title>Bowl {place} - Pottery</title>\
             </head>\
             <body><nav>Home</nav><main><h1>Bowl {place}</h1>\
             <p data-pagefind-filter=\"kind\">bowl{}</p>{sections}</main></body></html>",
            place % 3
        );
        write(site, &format!("{version}/bowl{place}.html"), page);
    }
    write(site, "new/moved.html", "<meta http-equiv=\"refresh\" content=\"0; url=bowl1.html\">");
    write(site, "new/empty.html", "");
}

/// Writes Markdown beside records, more than fit into one piece, and a file that cannot be read.
pub fn markdown_and_records(site: &Path) {
    for i in 0..25 {
        let text = format!(
            "---\ntitle: Note {i}\ntags: [a{}, b]\n---\n\n# Note {i}\n\n{}\n\n## More\n\n{}\n",
            i % 4,
            sentence(i),
            sentence(i + 500)
        );
        write(site, &format!("notes/n{i:02}.md"), text);
    }
    let records: Vec<String> = (0..700)
        .map(|i| {
            let text = sentence(i);
            format!("{{\"id\": \"r{i}\", \"title\": \"R {i}\", \"text\": \"{text}\"}}")
        })
        .collect();
    write(site, "records.jsonl", records.join("\n") + "\n{\"broken\n");
}

/// Writes code in a repository.
pub fn code_files(site: &Path) {
    write(site, ".git/HEAD", "ref: refs/heads/main\n");
    write(site, ".git/config", "[remote \"origin\"]\n\turl = https://example.org/pots.git\n");
    for i in 0..20 {
        let text = format!(
            "/// Fires kiln {i}.\npub fn fire_{i}(cone: u32) -> u32 {{\n    // {}\n    \
             cone + {i}\n}}\n",
            sentence(i)
        );
        write(site, &format!("src/kiln{i}.rs"), text);
        write(site, &format!("py/bowl{i}.py"), format!("def glaze_{i}():\n    return {i}\n"));
    }
}
