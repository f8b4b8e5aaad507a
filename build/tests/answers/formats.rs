//! Formats, exit statuses and errors of `findling search` and `similar`.

use serde_json::Value;

use super::home::Home;
#[cfg(feature = "pdf")]
use super::pdf_writer::{Page, Pdf};

/// Returns a home with a collection of two pages, one of them hostile.
fn home() -> Home {
    let home = Home::new();
    home.write(
        "notes/threads.md",
        "# Threads\n\nText before.\n\n## Locks\n\nA mutex guards data that threads share.\n",
    );
    home.write(
        "notes/evil.md",
        "---\ntitle: \"=1+1\\e[2J \\u202e\"\nyear: 2021\n---\n\n# Evil\n\n\
         mutex \u{1b}[2J\u{202e}\u{200b}x\n",
    );
    home.add("notes");
    home
}

fn search<'a>(query: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["search", "notes", query, "--mode=lexical"], more].concat()
}

#[test]
fn every_format_answers_without_anything_that_controls_a_terminal() {
    let home = home();
    for format in ["text", "json", "jsonl", "markdown", "brief", "csv", "paths"] {
        for args in [
            search("mutex", &["--format", format]),
            vec!["similar", "notes", "/threads/", "--mode=lexical", "--format", format],
            vec!["find", "mutex", "--mode=lexical", "--format", format],
        ] {
            if args[0] == "find" && format == "csv" {
                continue;
            }
            let done = home.run(&args);
            assert_eq!(done.code, 0, "{args:?}: {done:?}");
            assert!(findling_build::safe_text::is_safe(&done.out), "{args:?}: {}", done.out);
            assert!(!done.out.is_empty(), "{args:?}");
        }
    }
}

#[test]
fn json_names_the_bundle_and_says_whether_it_is_stale() {
    let home = home();
    let ask = || home.json(&search("mutex", &["--json"]));
    let answer = ask();
    let meta = &answer["_meta"];
    assert_eq!((&meta["schema"], &meta["bundle"]["collection"]), (&1.into(), &"notes".into()));
    assert_eq!(meta["bundle"]["identity"].as_str().unwrap().len(), 32);
    assert_eq!(meta["freshness"]["stale"], false);
    assert!(meta["timings"]["totalMs"].is_number() && answer["timings"].is_null());
    home.write("notes/more.md", "# More\n");
    let meta = &ask()["_meta"];
    assert_eq!(
        (&meta["freshness"]["stale"], &meta["freshness"]["changedFiles"]),
        (&true.into(), &1.into())
    );
}

#[test]
fn paths_are_files_and_lines_that_are_there() {
    let home = home();
    let done = home.run(&search("guards", &["--format=paths"]));
    assert_eq!(done.out, "notes/threads.md:5\n", "{done:?}");
    let bundle = home.json(&["collection", "show", "notes", "--json"])["bundle"].clone();
    let done = home.run(&["search", bundle.as_str().unwrap(), "guards", "--format=paths"]);
    assert_eq!(done.out, "/threads/#locks\n", "a bundle has no sources: {done:?}");
    let line: Value =
        serde_json::from_str(&home.run(&search("guards", &["--format=jsonl"])).out).unwrap();
    assert!(line["location"].as_str().unwrap().ends_with("/notes/threads.md:5"), "{line}");
}

#[cfg(feature = "pdf")]
#[test]
fn a_hit_in_a_pdf_is_at_its_page_and_opens_there() {
    let home = Home::new();
    let page = |text: &str| Page::new().lines(50, 700, &[text]);
    let file = Pdf::new()
        .page(page("Boats come in with the tide and leave with the next one."))
        .page(page("Two lights mark the mole from dusk to dawn."));
    home.write("papers/notes.md", "# Notes\n\nBoats have lights.\n");
    std::fs::write(home.path("papers/harbour.pdf"), file.bytes()).unwrap();
    home.add("papers");
    let search = |format: &str| {
        let format = format!("--format={format}");
        home.run(&["search", "papers", "lights mark", "--mode=lexical", "-k1", &format])
    };
    assert_eq!(search("paths").out, "papers/harbour.pdf:page2\n");
    let line: Value = serde_json::from_str(&search("jsonl").out).unwrap();
    assert!(line["location"].as_str().unwrap().ends_with("/papers/harbour.pdf:page2"), "{line}");
    assert!(search("text").out.contains("papers/harbour.pdf:page2\n"));
    let last = home.run(&["last"]).out;
    assert!(last.ends_with("/papers/harbour.pdf:page2\n"), "{last}");
    let mut open = home.command(&["open", "1", "--print"]);
    let opened = open.env("EDITOR", "vim").env("BROWSER", "reader --tab").output().unwrap();
    let opened = String::from_utf8(opened.stdout).unwrap();
    assert!(opened.starts_with("reader --tab file://"), "{opened}");
    assert!(opened.ends_with("/papers/harbour.pdf#page=2\n"), "{opened}");
}

#[test]
fn an_output_file_is_replaced_as_a_whole() {
    let home = home();
    home.write("out.csv", "before");
    let done = home.run(&search("mutex", &["--format=csv", "-o", "out.csv"]));
    assert_eq!((done.code, done.out.as_str()), (0, ""), "{done:?}");
    let text = std::fs::read_to_string(home.path("out.csv")).unwrap();
    assert!(text.starts_with("rank,score,id,url,title,heading"), "{text}");
    assert!(text.lines().next().unwrap().contains("year"), "a column for each attribute: {text}");
    assert!(text.contains("'=1+1"), "no formula: {text}");
    home.write("out.csv", "before");
    let done = home.run(&search("mutex", &["--filter=colour=red", "-o", "out.csv"]));
    assert_eq!(done.code, 2, "{done:?}");
    assert_eq!(std::fs::read_to_string(home.path("out.csv")).unwrap(), "before");
}

#[test]
fn exit_statuses_and_codes_tell_why() {
    let home = home();
    home.write("broken/findling.idx", "no bundle");
    for (args, exit, code) in [
        (search("mutex", &[]), 0, None),
        (search("xylophone", &["--verbatim"]), 1, None),
        (search("mutex", &["--filter=colour=red"]), 2, Some("unknown-attribute")),
        (search("mutex", &["--filter=year:gt:x"]), 2, Some("filter")),
        (search("mutex", &["--format=trec"]), 2, Some("usage")),
        (search("mutex", &["--type=guide"]), 2, Some("unknown-attribute")),
        (search("mutex", &["--no-such-option"]), 2, Some("usage")),
        (vec!["search", "nots", "mutex"], 2, Some("unknown")),
        (vec!["search", "./absent", "mutex"], 3, Some("no-bundle")),
        (vec!["search", "broken", "mutex"], 3, Some("bundle")),
        (vec!["similar", "notes", "/absent/"], 2, Some("no-such-page")),
    ] {
        let done = home.run(&args);
        assert_eq!(done.code, exit, "{args:?}: {done:?}");
        if args.contains(&"--format=trec") {
            continue;
        }
        let done = home.run(&[&args[..], &["--json"]].concat());
        assert_eq!(done.code, exit, "{args:?}: {done:?}");
        let json: Value = serde_json::from_str(&done.out).unwrap();
        assert_eq!(json["error"]["code"].as_str(), code, "{args:?}: {done:?}");
        assert_eq!(json["_meta"]["schema"], 1);
    }
}

#[test]
fn filters_are_taken_as_people_write_them() {
    let home = home();
    for (filter, expect) in [
        ("--filter=year>=2020", 1),
        ("--filter=year>2021", 0),
        ("--filter=year!=2021", 1),
        ("--filter=not (year in 2020, 2021)", 1),
        ("--filter=year=2020 or year=2021", 1),
        ("--filter=year:gte:2020", 1),
        ("--year-min=2021", 1),
        ("--year-max=2020", 0),
    ] {
        let done = home.run(&search("mutex", &[filter, "--json"]));
        assert_eq!(done.code, i32::from(expect == 0), "{filter}: {done:?}");
        let json: Value = serde_json::from_str(&done.out).unwrap();
        assert_eq!(json["results"].as_array().unwrap().len(), expect, "{filter}");
    }
}
