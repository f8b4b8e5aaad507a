//! Parts of a build: joined, they are the bundle of one build, byte for byte.

#[path = "support/made_sites.rs"]
mod made_sites;

use std::fs;
use std::path::Path;

use made_sites::{code, code_files, files, findling, html, markdown_and_records, succeeds, write};
use serde_json::Value;
use tempfile::TempDir;

const NUMBERS: [u32; 4] = [1, 2, 3, 7];

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
    assert!(expected.len() >= 3);
    for of in NUMBERS {
        let name = |number| at(&format!("{number}.part"));
        let parts: Vec<String> = (1..=of).rev().map(name).collect();
        for (number, part) in (1..=of).rev().zip(&parts) {
            let share = format!("{number}/{of}");
            succeeds(&[&["build", &site, "--part", &share, "--output", part], options].concat());
        }
        let merged = at(&format!("merged{of}"));
        let mut merge = vec!["merge", "--no-client", "--json", "--output", &merged];
        // Data in a temporary file changes no byte of the bundle.
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

/// Returns a home with the two parts of a site of code.
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
