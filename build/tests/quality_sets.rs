//! Tests that search finds functions, turns and pages of PDFs: lower bounds for the quality of
//! retrieval, on sets that scripts of `tests/quality` make from files on the machine: the crates of
//! this workspace and Python's library, the Rust Book of the toolchain, PDFs, papers.
//!
//! Missing sets are skipped with a message. The lower bounds are a little below the measured
//! values. `docs/experiments/quality-sets.md` has the measurements on pinned packages.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

#[path = "support/rust_book.rs"]
mod rust_book;

use rust_book::rust_book;

const PROGRAM: &str = env!("CARGO_BIN_EXE_findling");

/// The crates of the workspace's lock file whose functions are searched.
const CRATES: [&str; 7] =
    ["indexmap", "itertools", "jiff", "rayon", "regex", "regex-automata", "url"];
/// The packages of Python's library.
const PYTHON: [&str; 4] = ["asyncio", "email", "http", "json"];

/// Runs a script of `tests/quality`; `None` without Python.
fn script(name: &str, args: &[&str]) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/quality").join(name);
    let python = std::env::var_os("FINDLING_PYTHON").unwrap_or_else(|| "python3".into());
    let output = match Command::new(python).arg(path).args(args).output() {
        Ok(output) => output,
        Err(error) => {
            println!("skipped: quality sets made by scripts: python3 cannot be run: {error}");
            return None;
        }
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} {args:?}: {said}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a report")).expect("JSON")
}

fn hold(what: &str, found: &Value, least: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{what}: no number: {found}"));
    println!("{what}: {found:.3}, at least {least:.3}");
    assert!(found >= least, "{what}: {found:.3} is below {least:.3}");
}

/// Returns the unpacked sources of a crate, at the version of the lock file.
fn source_of(name: &str) -> Option<PathBuf> {
    let lock = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock"))
        .ok()?;
    let at = lock.find(&format!("name = \"{name}\"\nversion = \""))?;
    let version = lock[at..].split('"').nth(3)?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
    let registries = std::fs::read_dir(home.join("registry/src")).ok()?.flatten();
    let sources = registries.map(|registry| registry.path().join(format!("{name}-{version}")));
    sources.into_iter().find(|path| path.is_dir())
}

#[test]
fn functions_are_found_by_their_documentation_and_symbols_by_their_names() {
    let crates: Vec<PathBuf> = CRATES.iter().filter_map(|name| source_of(name)).collect();
    if crates.len() < CRATES.len() {
        println!("skipped: functions: sources of {CRATES:?} are not in cargo's registry");
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (set, work, report) =
        (dir.path().join("set"), dir.path().join("work"), dir.path().join("report.json"));
    let mut args = vec!["make", text(&set), "--crates"];
    args.extend(crates.iter().map(|path| text(path)));
    args.push("--library");
    args.extend(PYTHON);
    if script("code_pairs.py", &args).is_none() {
        return;
    }
    let args = [text(&set), text(&work), "--findling", PROGRAM, "--json", text(&report)];
    script("code_search.py", &[&args[..], &["--encoder", "none", "--split", "all"]].concat());
    let report = read(&report);
    assert!(report["questions"].as_u64() >= Some(250), "{report}");
    let rows = report["rows"].as_array().expect("rows");
    let row = |name: &str| {
        rows.iter().find(|row| row["search"].as_str().is_some_and(|of| of.contains(name))).unwrap()
    };
    let by_words = &row("lexical")["ndcg10"];
    hold("functions by words, nDCG@10", by_words, 0.28);
    let ripgrep = row("inside of identifiers")["ndcg10"].as_f64().expect("a number");
    hold("the same, over BM25 on ripgrep's hits", by_words, ripgrep);
    assert_eq!(row("symbols")["first"], row("symbols")["of"], "symbols that are not first");
    assert_eq!(row("symbols")["of"], 100);
}

#[test]
fn turns_are_found_by_role_and_date() {
    let Some(book) = rust_book("turns") else { return };
    let dir = tempfile::tempdir().expect("a temporary directory");
    let report = dir.path().join("report.json");
    let args = ["turns", text(&book), text(dir.path()), "--findling", PROGRAM, "--json"];
    if script("record_search.py", &[&args[..], &[text(&report)]].concat()).is_none() {
        return;
    }
    let report = read(&report);
    let modes = &report["modes"];
    hold("turns by role, nDCG@10", &modes["lexical, by role"]["ndcg10"], 0.58);
    hold("turns by role and day, nDCG@10", &modes["lexical, by role and day"]["ndcg10"], 0.78);
    assert!(report["filtered"].as_u64() >= Some(100), "{report}");
    assert_eq!(report["wrong"], Value::Array(Vec::new()), "filters that are not obeyed");
}

/// Returns a file of the data for development, if it is there.
fn records(name: &str) -> Option<PathBuf> {
    let path = match std::env::var_os("FINDLING_RECORDS") {
        Some(directory) => PathBuf::from(directory).join(name),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/records").join(name),
    };
    path.is_file().then_some(path)
}

#[test]
fn papers_are_found_by_the_end_of_their_abstract() {
    let Some(archive) = records("papers.tar.gz") else {
        println!("skipped: papers: papers.tar.gz is not in FINDLING_RECORDS");
        return;
    };
    let dir = tempfile::tempdir().expect("a temporary directory");
    let unpacked =
        Command::new("tar").args(["xzf", text(&archive), "-C", text(dir.path())]).status();
    assert!(unpacked.expect("tar runs").success());
    let file = |name: &str| dir.path().join("papers").join(name);
    let (acl, lens) = (file("acl_2022.jsonl"), file("lens_systematic_review_100.ris"));
    let (work, report) = (dir.path().join("work"), dir.path().join("report.json"));
    let args = ["papers", text(&acl), text(&lens), text(&work), "--findling", PROGRAM];
    if script("record_search.py", &[&args[..], &["--json", text(&report)]].concat()).is_none() {
        return;
    }
    let report = read(&report);
    hold("papers by words, nDCG@10", &report["modes"]["lexical"]["ndcg10"], 0.63);
    assert!(report["filtered"].as_u64() >= Some(100), "{report}");
    assert_eq!(report["wrong"], Value::Array(Vec::new()), "filters that are not obeyed");
}

#[test]
fn questions_about_sections_come_from_indexes_and_links_and_repeat_no_heading() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (tree, sets) = (dir.path().join("tree"), dir.path().join("sets"));
    std::fs::create_dir(&tree).expect("a directory");
    let entry = |name: &str| {
        format!("<dt>{name}, <a class=\"indexterm\" href=\"queries.html#JOINS\">5.1</a></dt>")
    };
    let index = [entry("left join"), entry("joined table")].concat();
    let pages = [
        ("bookindex.html", format!("<div class=\"index\"><dl>{index}</dl></div>")),
        (
            "queries.html",
            "<h1>Queries</h1><p>Of tables.</p>\
             <div id=\"JOINS\"><h2>Joined Tables</h2><p>Rows <a id=\"rows\"></a>match.</p></div>\
             <div id=\"ORDER\"><h2>Sorting</h2><p>Keys.</p></div>"
                .into(),
        ),
        (
            "guide.html",
            "<h1>Guide</h1><p>For more information about ascending keys, see \
             <a href=\"queries.html#ORDER\">Section 2</a>.</p>"
                .into(),
        ),
    ];
    for (name, page) in &pages {
        std::fs::write(tree.join(name), page).expect("a page");
    }
    if script("sections.py", &[text(&sets), &format!("manual={}", text(&tree))]).is_none() {
        return;
    }
    let made = std::fs::read_to_string(sets.join("manual/queries.jsonl")).expect("questions");
    let questions: Vec<Value> =
        made.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    // "joined table" repeats the heading.
    assert_eq!(questions.len(), 2, "{made}");
    for (question, (asked, anchors)) in questions
        .iter()
        .zip([("left join", vec!["JOINS", "rows"]), ("ascending keys", vec!["ORDER"])])
    {
        assert_eq!(question["text"], asked);
        assert_eq!(question["sections"][0]["page"], "queries.html");
        assert_eq!(question["sections"][0]["anchors"], serde_json::json!(anchors));
    }
}

#[test]
#[cfg(feature = "pdf")]
fn text_of_pdfs_is_that_of_pdftotext_and_pages_are_right() {
    let directory = std::env::var_os("FINDLING_PDFS").map(PathBuf::from);
    let Some(directory) = directory.filter(|path| path.is_dir()) else {
        println!(
            "skipped: text of PDFs: FINDLING_PDFS names no directory of manuals \
             (tests/quality/pdf_text.py says which)"
        );
        return;
    };
    if Command::new("pdftotext").arg("-v").output().is_err() {
        println!("skipped: text of PDFs: pdftotext cannot be run (poppler-utils has it)");
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    let report = dir.path().join("report.json");
    let args = [text(&directory), "--findling", PROGRAM, "--json", text(&report), "--pages", "20"];
    if script("pdf_text.py", &args).is_none() {
        return;
    }
    let report = read(&report);
    for measure in ["wordsWrong", "orderWrong"] {
        let found = report[measure].as_f64().expect("a number");
        println!("{measure}: {found} %, at most 3 %");
        assert!(found <= 3.0, "{measure}: {found} %");
    }
    assert_eq!(report["pagesRight"], report["phrases"], "{}", report["wrong"]);
    assert_eq!(report["phrases"], 100);
}
