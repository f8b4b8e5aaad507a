//! Documents agree with the code: names exist, links have targets, and tables show their data.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "../src/docs.rs"]
mod docs;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("a workspace above the crate")
        .to_owned()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns every Markdown document of the project with its text.
fn documents() -> Vec<(PathBuf, String)> {
    let files = docs::documents(&root()).expect("git lists files");
    assert!(files.len() > 5, "only {} documents were found", files.len());
    files.into_iter().map(|file| (file.clone(), read(&root().join(&file)))).collect()
}

/// The source directory of each crate, by the name that Rust code uses.
const CRATES: &[(&str, &str)] = &[
    ("findling", "build/src"),
    ("findling_bundle", "crates/bundle/src"),
    ("findling_encoder", "crates/encoder/src"),
    ("findling_engine", "crates/engine/src"),
    ("findling_web", "crates/web/src"),
    ("findling_wasm_parts", "crates/wasm-parts/src"),
    ("findling_base", "crates/base/src"),
    ("findling_dependencies", "crates/dependencies/src"),
    ("findling_page", "crates/page/src"),
    ("findling_read", "crates/read/src"),
    ("findling_index", "crates/index/src"),
    ("findling_models", "crates/models/src"),
    ("findling_host", "crates/host/src"),
    ("findling_site", "crates/site/src"),
    ("findling_text", "crates/text/src"),
    ("findling_wasm", "crates/wasm/src"),
    ("findling_wasm_encoder", "crates/wasm-encoder/src"),
];

/// Returns the text of all Rust files below `dir`, without comments.
fn code(dir: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(dir).expect("a source directory") {
        let path = entry.expect("a directory entry").path();
        if path.is_dir() {
            text.push_str(&code(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            for line in read(&path).lines().filter(|line| !line.trim_start().starts_with("//")) {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

/// Returns whether `code` declares `name`: by a keyword, as an enum's variant, or in a macro of
/// ids.
fn declares(code: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(name).any(|(at, _)| {
        let before = code[..at].trim_end_matches(' ');
        let after = &code[at + name.len()..];
        let whole = !after.starts_with(is_word) && !code[..at].ends_with(is_word);
        let keyword = before.rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
        let declared = ["struct", "enum", "trait", "type", "fn", "const", "mod", "static"];
        let spaced = code[..at].ends_with(' ');
        whole && ((spaced && declared.contains(&keyword)) || before.ends_with('\n'))
    })
}

/// Returns the texts between single backticks, outside of code blocks.
fn spans(markdown: &str) -> Vec<&str> {
    let prose = markdown.split("```").step_by(2);
    prose.flat_map(|part| part.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn names_of_our_crates_in_documents_are_declared_there() {
    let mut missing = Vec::new();
    let mut checked = 0;
    for (name, dir) in CRATES {
        let code = code(&root().join(dir));
        for (file, text) in documents() {
            for span in spans(&text) {
                let Some(path) = span.strip_prefix(name).and_then(|rest| rest.strip_prefix("::"))
                else {
                    continue;
                };
                checked += 1;
                let last = path.rsplit("::").next().unwrap_or_default();
                if !declares(&code, last.trim_end_matches("()")) {
                    missing.push(format!("{}: `{span}`", file.display()));
                }
            }
        }
    }
    assert!(checked > 20, "only {checked} names were found: is the glossary there?");
    assert!(missing.is_empty(), "names that the crates do not declare:\n{}", missing.join("\n"));
}

#[test]
fn a_name_is_declared_by_a_keyword_and_not_by_its_use() {
    let code = "pub struct Cell {\n    Second(u32),\n}\nlet x = Row::new(Cells);\n";
    assert!(declares(code, "Cell") && declares(code, "Second"));
    assert!(!declares(code, "Row") && !declares(code, "Cells") && !declares(code, "x"));
}

/// Returns the targets and fragments of `[text](target#fragment)`, outside of code blocks.
fn links(markdown: &str) -> Vec<(&str, &str)> {
    let mut links = Vec::new();
    for part in markdown.split("```").step_by(2) {
        for rest in part.split("](").skip(1) {
            let target = rest.split([')', ' ']).next().unwrap_or_default();
            if let Some((path, fragment)) = target.split_once('#')
                && !target.contains("://")
            {
                links.push((path, fragment));
            }
        }
    }
    links
}

/// Returns the anchors that GitHub gives to the headings of a document, and those in it.
fn anchors(markdown: &str) -> BTreeSet<String> {
    let headings = markdown.lines().filter(|line| line.starts_with('#'));
    let own = markdown.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    headings
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .chain(own.map(ToOwned::to_owned))
        .collect()
}

/// Returns the texts between two marks, where they are codes of errors.
fn between<'a>(text: &'a str, before: &'a str, after: &'a str) -> impl Iterator<Item = &'a str> {
    let is_code =
        |code: &&str| !code.is_empty() && code.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    text.split(before)
        .skip(1)
        .filter_map(move |rest| Some(rest.split_once(after)?.0.trim()))
        .filter(is_code)
}

#[test]
fn every_code_of_an_error_has_an_anchor_in_troubleshooting() {
    let anchors = anchors(&read(&root().join("docs/troubleshooting.md")));
    let program = code(&root().join("build/src"));
    // All the ways in which the program gives an error its code.
    let ways = [
        ("UsageError { code: \"", "\""),
        ("UsageError::new(\"", "\""),
        ("return (\"", "\", Exit::"),
        ("=> (\"", "\", Exit::"),
        ("Err(usage(\"", "\""),
    ];
    let mut codes: BTreeSet<&str> =
        ways.iter().flat_map(|(before, after)| between(&program, before, after)).collect();
    let of_collections = read(&root().join("build/src/collections/error.rs"));
    let of_builds = read(&root().join("crates/site/src/error.rs"));
    let of_engine = read(&root().join("crates/engine/src/api/error.rs"));
    let of_client = read(&root().join("www/src/errors.ts"));
    codes.extend(between(&of_collections, "} => \"", "\","));
    codes.extend(between(&of_builds, "Some(\"", "\")"));
    codes.extend(between(&of_engine, "} => \"", "\","));
    codes.extend(between(&of_client, "| \"", "\""));
    for expected in ["usage", "no-bundle", "not-built", "client", "filter", "shard-corrupt"] {
        assert!(codes.contains(expected), "{expected} is not among the codes that were found");
    }
    let missing: Vec<_> = codes.iter().filter(|code| !anchors.contains(**code)).collect();
    assert!(missing.is_empty(), "docs/troubleshooting.md has no row for {missing:?}");
}

#[test]
fn fragments_of_links_exist_where_they_lead() {
    let mut broken = Vec::new();
    for (file, text) in documents() {
        let dir = root().join(file.parent().expect("a file has a directory"));
        for (path, fragment) in links(&text) {
            let target = if path.is_empty() { root().join(&file) } else { dir.join(path) };
            let Ok(there) = fs::read_to_string(&target) else {
                broken.push(format!("{}: {path} cannot be read", file.display()));
                continue;
            };
            let found = if target.extension().is_some_and(|extension| extension == "md") {
                anchors(&there).contains(fragment)
            } else {
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                there.split(|c| !is_word(c)).any(|word| word == fragment)
            };
            if !found {
                broken.push(format!("{}: {path} has no {fragment}", file.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links to what is not there:\n{}", broken.join("\n"));
}

#[test]
fn anchors_are_those_of_github() {
    let text = "# A query's way\n## Rows, cells & `Step`\ntext <a id=\"own\"></a>\n";
    let expected = ["a-querys-way", "own", "rows-cells--step"];
    assert_eq!(anchors(text).into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn tables_show_their_results() {
    for (file, text) in documents() {
        let expected = docs::with_tables(&root(), &text)
            .unwrap_or_else(|error| panic!("{}: {error:#}", file.display()));
        let differing = text.lines().zip(expected.lines()).position(|(a, b)| a != b);
        assert!(
            text == expected,
            "{}: a table differs from its results near line {}: run `cargo xtask docs`",
            file.display(),
            differing.unwrap_or_default() + 1,
        );
    }
}

#[test]
fn results_say_when_where_and_how_they_were_measured() {
    let dir = root().join("bench/results");
    let Ok(entries) = fs::read_dir(&dir) else { return };
    for entry in entries {
        let path = entry.expect("a directory entry").path();
        let results: serde_json::Value = serde_json::from_str(&read(&path))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for field in ["name", "date", "machine", "commit", "command"] {
            let value = results[field].as_str().unwrap_or_default();
            assert!(!value.is_empty(), "{}: `{field}` is missing", path.display());
        }
    }
}

#[test]
fn a_table_is_written_between_its_markers() {
    let dir = std::env::temp_dir().join(format!("findling-documents-{}", std::process::id()));
    fs::create_dir_all(&dir).expect("a temporary directory");
    let results = r#"{"tables": [{"id": "t", "columns": ["set", {"name": "nDCG", "decimals": 3}],
                      "rows": [["**a**", 0.51], ["b", null]]}]}"#;
    fs::write(dir.join("r.json"), results).expect("a results file");
    let text = "before\n<!-- table: r.json#t -->\nstale\n<!-- /table -->\nafter\n";
    let expected = "before\n<!-- table: r.json#t -->\n| set | nDCG |\n|---|---|\n\
                    | **a** | 0.510 |\n| b | |\n<!-- /table -->\nafter\n";
    assert_eq!(docs::with_tables(&dir, text).expect("a table"), expected);
    assert!(docs::with_tables(&dir, "<!-- table: r.json#t -->\n").is_err(), "it is not closed");
    assert!(docs::with_tables(&dir, &text.replace("#t", "#u")).is_err(), "there is no table u");
    fs::remove_dir_all(&dir).expect("the directory goes");
}

#[test]
fn a_table_of_test_sites_has_a_row_for_each_folder() {
    let dir = std::env::temp_dir().join(format!("findling-sites-{}", std::process::id()));
    for (file, text) in [
        ("extraction/tabs/expected.txt", ""),
        ("extraction/tabs/b.html", ""),
        ("extraction/tabs/en/a.md", ""),
        ("ranking/typos/pages/a.md", ""),
        ("ranking/typos/pages/b.jsonl", ""),
        (
            "ranking/typos/cases.json",
            r#"{"about": "slips", "cases": [{"query": "a"}, {"query": "b", "same": ["c", "d"]}]}"#,
        ),
    ] {
        let path = dir.join(file);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    let table = |source: &str| {
        let text = format!("<!-- table: {source} -->\n<!-- /table -->\n");
        docs::with_tables(&dir, &text).expect("a table")
    };
    let kinds = table("extraction/");
    assert!(kinds.contains("| kind | pages |\n|---|---|\n| tabs | b, en/a.md |\n"), "{kinds}");
    let topics = table("ranking/");
    assert!(topics.contains("\n| typos | slips | 4 | 1 jsonl, 1 md |\n"), "{topics}");
    fs::remove_dir_all(&dir).expect("the directory goes");
}

/// Largest number of lines of a page about one decision. A longer page probably has two.
const MAX_DESIGN_LINES: usize = 200;

#[test]
fn pages_of_the_design_are_short_and_in_the_index() {
    for folder in ["docs/design", "docs/experiments"] {
        let Ok(index) = fs::read_to_string(root().join(folder).join("README.md")) else { continue };
        for (file, text) in documents() {
            let Ok(name) = file.strip_prefix(folder) else { continue };
            let lines = text.lines().count();
            assert!(lines <= MAX_DESIGN_LINES, "{}: {lines} lines", file.display());
            let link = format!("({})", name.display());
            let listed = name == Path::new("README.md") || index.contains(&link);
            assert!(listed, "{}: not in {folder}/README.md", file.display());
        }
    }
}

/// Returns the fields that an interface of `www/src/types.ts` declares.
fn fields(types: &str, interface: &str) -> Vec<String> {
    let from = types
        .split(&format!("export interface {interface} {{\n"))
        .nth(1)
        .unwrap_or_else(|| panic!("www/src/types.ts has no interface {interface}"));
    let body = from.split("\n}\n").next().unwrap_or_default();
    let field = |line: &str| {
        let name = line.strip_prefix("  ")?.split(['?', ':']).next()?;
        let plain = !name.is_empty() && name.chars().all(char::is_alphanumeric);
        (plain && line.contains(':')).then(|| name.to_owned())
    };
    let lines: Vec<&str> = body.lines().collect();
    let is_internal = |at: usize| at > 0 && lines[at - 1].contains("@internal");
    let public = (0..lines.len()).filter(|at| !is_internal(*at));
    public.filter_map(|at| field(lines[at])).collect()
}

#[test]
fn every_option_of_the_client_is_in_its_readme() {
    let types = read(&root().join("www/src/types.ts"));
    let readme = read(&root().join("www/README.md"));
    for interface in ["OpenOptions", "SearchOptions"] {
        let fields = fields(&types, interface);
        assert!(fields.len() > 5, "{interface} has only {fields:?}");
        for field in fields {
            let named = spans(&readme).contains(&field.as_str());
            assert!(named, "www/README.md does not name `{field}` of {interface}");
        }
    }
}

#[test]
fn the_picture_shows_the_documented_output() {
    let expected = docs::picture(&root()).expect("a picture");
    assert_eq!(read(&root().join(docs::PICTURE)), expected, "run `cargo xtask docs`");
}
