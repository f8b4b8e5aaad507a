//! Parts of a build: joined, they are the bundle of one build, byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const NUMBERS: [u32; 4] = [1, 2, 3, 7];

fn findling(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_findling"));
    command.env("FINDLING_CACHE", "/nonexistent/findling").args(arguments).output().unwrap()
}

fn succeeds(arguments: &[&str]) -> String {
    let output = findling(arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    // Status 3 says that a file could not be read, as some of the sites here want it.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The code of the error that a command ends with.
fn code(arguments: &[&str]) -> String {
    let output = findling(arguments);
    assert!(!output.status.success(), "{arguments:?} succeeded");
    let error: Value = serde_json::from_slice(&output.stdout).unwrap();
    error["error"]["code"].as_str().unwrap().to_owned()
}

/// The files below a directory with their contents.
fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
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

fn write(directory: &Path, name: &str, contents: impl AsRef<[u8]>) {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, contents).unwrap();
}

fn sentence(seed: usize) -> String {
    let words = ["kiln", "glaze", "clay", "wheel", "fire", "bowl", "shelf", "cone", "ash", "slip"];
    let chosen = (0..12 + seed % 9).map(|i| words[(seed * 7 + i * i * 3) % words.len()]);
    format!("{} {seed}.", chosen.collect::<Vec<_>>().join(" "))
}

/// HTML as a generator writes it: titles with the name of the site, languages, filters, a copy of a
/// page in another version, a redirect, a page that pins a query, and an inventory of names.
fn html(site: &Path) {
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

/// Markdown beside records, of which there are more than a piece holds, and a file that cannot be
/// read.
fn markdown_and_records(site: &Path) {
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

/// Code in a repository.
fn code_files(site: &Path) {
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

/// Builds a site at once and in parts.
fn compare(make: fn(&Path), options: &[&str]) {
    let home = TempDir::new().unwrap();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let site = at("site");
    make(Path::new(&site));
    let whole = at("whole");
    let build = [&["build", &site, "--no-client", "--output", &whole], options].concat();
    succeeds(&build);
    let expected = files(Path::new(&whole));
    assert!(expected.len() > 3);
    for of in NUMBERS {
        let name = |number| at(&format!("{number}.part"));
        let parts: Vec<String> = (1..=of).rev().map(name).collect();
        for (number, part) in (1..=of).rev().zip(&parts) {
            let share = format!("{number}/{of}");
            succeeds(&[&["build", &site, "--part", &share, "--output", part], options].concat());
        }
        let merged = at(&format!("merged{of}"));
        let mut merge = vec!["merge", "--no-client", "--json", "--output", &merged];
        // What waits in a temporary file changes no byte.
        merge.extend((of == 3).then_some("--memory=0"));
        merge.extend(parts.iter().map(String::as_str));
        let report: Value = serde_json::from_str(&succeeds(&merge)).unwrap();
        let stages = report["stages"].as_array().unwrap();
        // The static encoder is faster than reading vectors.
        let is_kept = options.contains(&"--encoder=hash");
        for stage in stages.iter().filter(|stage| is_kept && stage["name"] == "embed") {
            assert_eq!(stage["count"], 0, "a merge of {of} parts embeds what a part has embedded");
        }
        let found = files(Path::new(&merged));
        assert_eq!(
            found.keys().collect::<Vec<_>>(),
            expected.keys().collect::<Vec<_>>(),
            "{of} parts: other files"
        );
        assert!(found == expected, "{of} parts: other bytes");
    }
}

#[test]
fn parts_of_html_give_the_bundle_of_one_build() {
    compare(html, &["--encoder=hash", "--graph-from=20", "--attribute-from-path=version"]);
}

#[test]
fn parts_of_markdown_and_records_give_the_bundle_of_one_build() {
    compare(markdown_and_records, &["--encoder=hash", "--boost=notes=2", "--passage-words=20"]);
}

#[test]
fn parts_of_code_give_the_bundle_of_one_build() {
    compare(code_files, &["--encoder=static"]);
    compare(code_files, &["--encoder=none"]);
}

#[test]
fn more_parts_than_files_can_be_merged() {
    let home = TempDir::new().unwrap();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    write(home.path(), "site/a.md", "# One page\n\nIt fires a kiln.\n");
    let (site, merged) = (at("site"), at("merged"));
    let parts: Vec<String> = (1..=3).map(|number| at(&number.to_string())).collect();
    for (number, part) in (1..).zip(&parts) {
        let share = format!("{number}/3");
        succeeds(&["build", &site, "--encoder=none", "--part", &share, "--output", part]);
    }
    let [a, b, c] = [0, 1, 2].map(|at| parts[at].as_str());
    succeeds(&["merge", a, b, c, "--no-client", "--output", &merged]);
    let found = succeeds(&["search", &merged, "kiln", "--json"]);
    assert!(found.contains("One page"), "{found}");
}

/// A home with the two parts of a site of code.
fn two_parts() -> (TempDir, [String; 3]) {
    let home = TempDir::new().unwrap();
    code_files(&home.path().join("site"));
    let names = ["site", "one", "two"].map(|name| home.path().join(name));
    let names = names.map(|name| name.to_str().unwrap().to_owned());
    for (share, part) in [("1/2", &names[1]), ("2/2", &names[2])] {
        succeeds(&["build", &names[0], "--encoder=hash", "--part", share, "--output", part]);
    }
    (home, names)
}

#[test]
fn parts_that_do_not_fit_together_are_refused_and_nothing_is_written() {
    let (home, [site, one, two]) = two_parts();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let out = at("out");
    let refused = |parts: &[&str]| {
        let merge = [&["merge", "--json", "--no-client", "--output", &out], parts].concat();
        assert_eq!(code(&merge), "parts", "{parts:?}");
        assert!(!Path::new(&out).exists(), "{parts:?} wrote something");
    };
    refused(&[&one]);
    refused(&[&one, &one, &two]);
    refused(&[&one, &site]);
    refused(&[&one, &at("missing")]);
    let other = at("other");
    let build = |options: &[&str]| {
        succeeds(&[&["build", &site, "--output", &other], options].concat());
    };
    build(&["--encoder=hash", "--part=2/3"]);
    refused(&[&one, &other]);
    build(&["--encoder=none", "--part=2/2"]);
    refused(&[&one, &other]);
    build(&["--encoder=hash", "--base-url=/docs/", "--part=2/2"]);
    refused(&[&one, &other]);
    write(home.path(), "site/src/more.rs", "fn more() {}\n");
    build(&["--encoder=hash", "--part=2/2"]);
    refused(&[&one, &other]);
    succeeds(&["merge", &two, &one, "--no-client", "--output", &out]);
}

#[test]
fn a_merge_packs_for_the_host_that_it_is_told() {
    let (home, [site, one, two]) = two_parts();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let (whole, merged) = (at("whole"), at("merged"));
    let written = ["--no-client", "--host=plain", "--output"];
    succeeds(&[&["build", &site, "--encoder=hash"], &written[..], &[&whole]].concat());
    succeeds(&[&["merge", &one, &two], &written[..], &[&merged]].concat());
    let merged = files(Path::new(&merged));
    assert!(merged.keys().any(|path| path.as_os_str().len() == "shards/.bin".len() + 24));
    assert!(merged == files(Path::new(&whole)));
    for wrong in ["--jobs=0", "--jobs=1025", "--host=nowhere"] {
        let output = findling(&["merge", &one, &two, wrong, "--output", &at("out")]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn a_part_that_is_cut_off_or_changed_is_refused() {
    let (home, [_, one, two]) = two_parts();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let (out, spoilt) = (at("out"), at("spoilt"));
    let whole = fs::read(&two).unwrap();
    let merge = ["merge", &one, &spoilt, "--json", "--no-client", "--output", &out];
    for step in 0..24 {
        let len = whole.len() * step / 24;
        fs::write(&spoilt, &whole[..len]).unwrap();
        assert_eq!(code(&merge), "parts", "cut at {len} of {}", whole.len());
    }
    for step in 0..24 {
        let mut bytes = whole.clone();
        let place = 1 + (bytes.len() - 2) * step / 23;
        bytes[place] ^= 0x40;
        fs::write(&spoilt, &bytes).unwrap();
        assert_eq!(code(&merge), "parts", "byte {place} of {} changed", whole.len());
    }
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_part_is_a_file_and_options_of_a_whole_output_are_refused() {
    let home = TempDir::new().unwrap();
    write(home.path(), "site/a.md", "# A\n\nText.\n");
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let (site, part) = (at("site"), at("part"));
    for wrong in
        ["--part=0/2", "--part=3/2", "--part=2", "--part=1/2 --watch", "--part=1/2 --host=files"]
    {
        let mut arguments = vec!["build", &site, "--encoder=none", "--output", &part];
        arguments.extend(wrong.split(' '));
        assert_eq!(findling(&arguments).status.code(), Some(2), "{wrong}");
    }
    let output = findling(&["build", &site, "--encoder=none", "--part=1/1", "--output", &site]);
    assert!(!output.status.success(), "a directory was replaced by a part");
    assert!(Path::new(&site).join("a.md").is_file());
}
