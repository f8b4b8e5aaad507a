//! The commands `search`, `eval` and `inspect --budget` over a small bundle in both of its forms.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use findling_build::host::Host;
use findling_build::index::write::{BundleWriter, Shape};
use findling_build::index::{Job, build};
use findling_build::page::{Block, Page, Section};
use findling_build::safe_text::is_safe;
use findling_build::ui::Ui;
use findling_bundle::AttributeValue;
use findling_encoder::BoxedEncoder;
use findling_encoder::hash::HashEncoder;
use findling_engine::Request;
use serde_json::{Value, json};

fn page(id: &str, book: &str, title: &str, sections: &[(&str, &str)]) -> Page {
    let sections = sections
        .iter()
        .map(|(heading, text)| Section {
            level: 2,
            heading: heading.to_string(),
            anchor: Some(heading.to_lowercase().replace(' ', "-")),
            blocks: vec![Block {
                text: text.to_string(),
                code: vec![],
                is_code_block: false,
                weight: 1.0,
            }],
            ..Section::default()
        })
        .collect();
    Page {
        id: id.into(),
        url: format!("/{id}"),
        title: title.into(),
        language: "en".into(),
        attributes: [("book".to_string(), AttributeValue::String(book.into()))].into(),
        sections,
        ..Page::default()
    }
}

/// Builds a bundle as a directory and as a file, with queries and judgements beside them.
fn corpus(at: &Path) -> (PathBuf, PathBuf) {
    let pages = vec![
        page(
            "a threads.html",
            "book",
            "Concurrency",
            &[
                (
                    "Shared State",
                    "A mutex guards data that several threads share; one thread at a time may \
                     lock it.",
                ),
                (
                    "Message Passing",
                    "Threads send messages through channels instead of sharing memory.",
                ),
            ],
        ),
        page(
            "cargo.html",
            "cargo",
            "Cargo",
            &[("Building", "Compile a package with cargo build --release.")],
        ),
        page(
            "errors.html",
            "book",
            "Errors",
            &[("Panic", "A panic unwinds the thread. Locking a poisoned mutex fails.")],
        ),
    ];
    let encoder: BoxedEncoder = Box::new(HashEncoder::new(64));
    let job = Job { pages, encoder: Some(&encoder), ..Job::default() };
    let bundle = build(job, &Ui::silent()).expect("built").bundle;
    let (directory, file) = (at.join("out"), at.join("site.findling"));
    BundleWriter::new(&directory, Shape::Directory, &bundle).write().expect("written");
    BundleWriter::new(&file, Shape::FileAlone, &bundle).write().expect("written");
    let queries = [
        json!({"_id": "q1", "text": "mutex threads share"}),
        json!({"_id": "q2", "text": "cargo build"}),
    ];
    std::fs::write(at.join("queries.jsonl"), queries.map(|q| q.to_string()).join("\n"))
        .expect("written");
    std::fs::write(
        at.join("qrels.tsv"),
        "query-id\tcorpus-id\tscore\n\
         q1\ta threads.html\t1\n\
         q1\terrors.html\t0\n\
         q2\tcargo.html\t2\n\
         q3\tcargo.html\t1\n",
    )
    .expect("written");
    (directory, file)
}

fn findling(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_findling")).args(args).output().expect("runs")
}

fn stdout(args: &[&str]) -> String {
    let output = findling(args);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Returns an answer without its `_meta`, which names the bundle and contains times.
fn without_meta(mut answer: Value) -> Value {
    answer.as_object_mut().expect("an object").remove("_meta").expect("a meta");
    answer
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Returns the code of the error of a command that fails, with `--json`.
fn refusal(args: &[&str]) -> String {
    let output = findling(args);
    assert!(!output.status.success(), "{args:?}");
    let failure: Value = serde_json::from_slice(&output.stdout).expect("an error as JSON");
    failure["error"]["code"].as_str().expect("a code").to_owned()
}

#[test]
fn both_shapes_answer_alike_in_at_most_two_rounds() {
    let at = tempfile::tempdir().expect("a directory");
    let (directory, file) = corpus(at.path());
    let ask = |path: &Path| {
        let mut host = Host::open(path).expect("opened");
        let request = || Request { query: "mutex share".into(), ..Request::default() };
        let (response, cost) = host.search(request()).expect("answered");
        assert!(cost.n_rounds <= 2 && !cost.shards.is_empty() && cost.bytes > 0, "{cost:?}");
        let (again, warm) = host.search(request()).expect("answered");
        assert_eq!((again, warm.shards.len(), warm.n_rounds), (response.clone(), 0, 0));
        response
    };
    let response = ask(&directory);
    assert_eq!(response.results[0].id, "a threads.html");
    assert_eq!(response, ask(&file));
    assert_eq!(response, ask(&directory.join("findling.idx")));
}

#[test]
fn people_see_title_headings_snippet_and_address() {
    let at = tempfile::tempdir().expect("a directory");
    let (directory, _) = corpus(at.path());
    let shown =
        stdout(&["search", text(&directory), "mutex share", "--mode", "lexical", "-k", "1"]);
    assert!(shown.contains(" 1. Concurrency › Shared State"), "{shown}");
    assert!(
        shown.contains("**mutex**") && shown.contains("/a threads.html#shared-state"),
        "{shown}"
    );
    assert!(!shown.contains('\u{1b}'), "no colours where there is no terminal: {shown}");
    let second =
        stdout(&["search", text(&directory), "mutex share", "--mode", "lexical", "--offset", "1"]);
    assert!(second.contains(" 2. Errors") && !second.contains("Concurrency"), "{second}");
    let explained = stdout(&["search", text(&directory), "mutex", "--explain"]);
    assert!(
        explained.contains("BM25F") && explained.contains("fusion       convex"),
        "{explained}"
    );
}

#[test]
fn json_has_the_parts_of_the_score_and_filters_filter() {
    let at = tempfile::tempdir().expect("a directory");
    let (directory, _) = corpus(at.path());
    let ask = |more: &[&str]| -> Value {
        let args = [&["search", text(&directory), "thread cargo", "--json"], more].concat();
        serde_json::from_str(&stdout(&args)).expect("JSON")
    };
    let hybrid = ask(&["--fusion", "rrf:k=10"]);
    assert_eq!((&hybrid["mode"], &hybrid["encoder"]), (&json!("hybrid"), &json!("hash")));
    let legs = &hybrid["results"][0]["sections"][0]["legs"];
    assert!(legs["lexicalRank"].is_u64() && legs["similarity"].is_number(), "{legs}");
    let ids = |response: &Value| -> Vec<String> {
        let results = response["results"].as_array().expect("a list");
        results.iter().map(|page| page["id"].as_str().expect("an id").to_owned()).collect()
    };
    assert_eq!(ids(&ask(&["--filter", "book=cargo"])), ["cargo.html"]);
    let must = r#"{"must": [{"key": "book", "match": "book"}]}"#;
    assert!(!ids(&ask(&["--filter", must])).contains(&"cargo.html".to_owned()));
    let lexical = ask(&["--query-encoder", "none"]);
    assert_eq!(
        (&lexical["mode"], &lexical["notices"][0]["code"]),
        (&json!("lexical"), &json!("encoder-missing"))
    );
}

#[test]
fn batches_give_runs_and_responses() {
    let at = tempfile::tempdir().expect("a directory");
    let (_, file) = corpus(at.path());
    let queries = at.path().join("queries.jsonl");
    let run = stdout(&["search", text(&file), "--batch", text(&queries), "--mode", "lexical"]);
    let first: Vec<&str> = run.lines().next().expect("a line").split(' ').collect();
    assert_eq!((&first[..4], first[5]), (&["q1", "Q0", "a%20threads.html", "1"][..], "findling"));
    assert!(run.lines().any(|line| line.starts_with("q2 Q0 cargo.html 1 ")), "{run}");
    let lines = stdout(&["search", text(&file), "--batch", text(&queries), "--format", "json"]);
    let line: Value = serde_json::from_str(lines.lines().nth(1).expect("a line")).expect("JSON");
    assert_eq!((&line["_id"], &line["query"]), (&json!("q2"), &json!("cargo build")));
    let args = ["search", text(&file), "--batch", text(&queries), "--threshold", "1000"];
    assert_eq!(stdout(&args), "", "no page has so high a score");
}

#[test]
fn evaluation_measures_each_mode() {
    let at = tempfile::tempdir().expect("a directory");
    let (directory, _) = corpus(at.path());
    let (queries, qrels) = (at.path().join("queries.jsonl"), at.path().join("qrels.tsv"));
    let args = ["eval", text(&directory), "--queries", text(&queries), "--qrels", text(&qrels)];
    let report: Value =
        serde_json::from_str(&stdout(&[&args[..], &["--json", "--per-query"]].concat()))
            .expect("JSON");
    assert_eq!((&report["nQueries"], &report["nLeftOut"]), (&json!(2), &json!(1)));
    let modes: Vec<&Value> = report["modes"].as_array().expect("a list").iter().collect();
    let names: Vec<&str> =
        modes.iter().map(|mode| mode["mode"].as_str().expect("a name")).collect();
    assert_eq!(names, ["lexical", "semantic", "hybrid"]);
    for measure in ["ndcg@10", "recall@10", "recall@100", "mrr@10"] {
        assert_eq!(modes[0][measure], 1.0, "{}", modes[0]);
    }
    assert_eq!(modes[0]["queries"][0]["_id"], "q1");
    assert!(modes[0]["searchMs"]["p95"].is_number());
    let table = stdout(&[&args[..], &["--mode", "lexical"]].concat());
    assert!(table.contains("lexical     1.0000") && !table.contains("hybrid"), "{table}");
    let unmeasured = ["--mode", "hybrid", "--query-encoder", "none", "--json"];
    assert_eq!(refusal(&[&args[..], &unmeasured].concat()), "query-encoder");
}

#[test]
fn the_budget_is_measured_and_can_be_exceeded() {
    let at = tempfile::tempdir().expect("a directory");
    let (directory, file) = corpus(at.path());
    let queries = at.path().join("queries.jsonl");
    for bundle in [&directory, &file] {
        let args = ["inspect", text(bundle), "--budget", "--queries", text(&queries)];
        let printed = stdout(&args);
        assert!(
            printed.contains("first query") && printed.contains("no client beside"),
            "{printed}"
        );
        let report: Value =
            serde_json::from_str(&stdout(&[&args[..], &["--json"]].concat())).expect("JSON");
        assert_eq!((&report["hasClient"], &report["encoder"]), (&json!(false), &json!("hash")));
        let number = |path: &str| report.pointer(path).and_then(Value::as_u64).expect("a number");
        assert_eq!((number("/first/nQueries"), number("/later/nQueries")), (2, 1));
        let together = number("/opening/total/brotli") + number("/first/total/brotli/median");
        assert_eq!(number("/firstWithOpening/brotli"), together);

        let allowed = |size: &str| findling(&[&args[..], &["--max-first-query", size]].concat());
        assert_eq!(allowed(&together.to_string()).status.code(), Some(0));
        let refused = allowed("1B");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(1), "{said}");
        let found = findling_build::ui::bytes(together);
        assert!(said.contains("1 B") && said.contains(&found), "{said}");
        assert_eq!(allowed("1 elephant").status.code(), Some(2));
        assert_eq!(allowed(&(together - 1).to_string()).status.code(), Some(1));
    }
    // Its sections are too short for making queries.
    let said = String::from_utf8_lossy(&findling(&["inspect", text(&file), "--budget"]).stderr)
        .into_owned();
    assert!(said.contains("--queries"), "{said}");
    assert_eq!(
        findling(&["inspect", text(&file), "--max-first-query", "1MB"]).status.code(),
        Some(2)
    );
}

#[test]
fn mistakes_are_named() {
    let at = tempfile::tempdir().expect("a directory");
    let (directory, _) = corpus(at.path());
    let check = |args: &[&str], code: i32, expect: &str| {
        let output = findling(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(expect), "{args:?}: {said}");
    };
    check(&["search", text(at.path()), "x"], 3, "findling build");
    check(&["search", text(&directory)], 2, "QUERY");
    check(&["search", text(&directory), "x", "--fusion", "sum"], 2, "convex");
    check(&["search", text(&directory), "x", "--filter", "colour=red"], 2, "book");
    check(
        &["search", text(&directory), "x", "--query-encoder", "no-such-model"],
        3,
        "no-such-model",
    );
    // A shard that was changed on the way is not searched; an error names it.
    let shards = directory.join("shards");
    for shard in std::fs::read_dir(&shards).expect("a directory") {
        let path = shard.expect("an entry").path();
        let mut bytes = std::fs::read(&path).expect("read");
        *bytes.last_mut().expect("not empty") ^= 1;
        std::fs::write(&path, bytes).expect("written");
    }
    check(&["search", text(&directory), "mutex"], 3, ".bin");
}

#[test]
fn without_a_model_the_static_table_embeds_documents_too() {
    let at = tempfile::tempdir().expect("a directory");
    let records = [
        json!({
            "_id": "locks",
            "title": "Mutexes",
            "text": "A mutual exclusion lock guards what several threads share.",
        }),
        json!({
            "_id": "bread",
            "title": "Baking",
            "text": "Knead flour, salt and water, and bake the loaf in a hot oven.",
        }),
        json!({
            "_id": "stars",
            "title": "Astronomy",
            "text": "A telescope shows galaxies and planets at night.",
        }),
    ];
    let (corpus, out) = (at.path().join("corpus.jsonl"), at.path().join("out"));
    std::fs::write(&corpus, records.map(|record| record.to_string()).join("\n")).expect("written");
    let args =
        ["build", text(&corpus), "-o", text(&out), "--no-client", "--encoder", "static", "--fit"];
    let built = findling(&args);
    let said = String::from_utf8_lossy(&built.stderr).into_owned();
    assert!(built.status.success(), "{said}");
    assert!(said.contains("--fit has no effect"), "{said}");
    let build = ["build", text(&corpus), "-o", text(&out), "--encoder", "static", "--json"];
    for other in ["transformer", "both", "hash"] {
        let code = refusal(&[&build[..], &["--query-encoder", other]].concat());
        assert_eq!(code, "query-encoder", "{other}");
    }
    let search = ["search", text(&out), "bread", "--query-encoder", "transformer", "--json"];
    assert_eq!(refusal(&search), "query-encoder");
    for (query, expect) in [("concurrency primitive", "locks"), ("how to cook dough", "bread")] {
        let found = findling(&["search", text(&out), query, "--mode", "semantic", "--json"]);
        let found: Value = serde_json::from_slice(&found.stdout).expect("JSON");
        assert_eq!(
            (&found["results"][0]["id"], &found["encoder"]),
            (&json!(expect), &json!("static"))
        );
    }
}

#[test]
fn pinned_pages_come_first_where_the_static_encoder_embeds_the_query() {
    let at = tempfile::tempdir().expect("a directory");
    let records = [
        json!({"_id": "bread", "url": "/bread/", "title": "Baking", "text": "Knead and bake."}),
        json!({"_id": "stars", "url": "/stars/", "title": "Astronomy", "text": "Galaxies."}),
    ];
    let (corpus, out) = (at.path().join("corpus.jsonl"), at.path().join("out"));
    std::fs::write(&corpus, records.map(|record| record.to_string()).join("\n")).expect("written");
    let pins = at.path().join("pins.txt");
    std::fs::write(&pins, "bake => /stars/\n").expect("written");
    let args =
        ["build", text(&corpus), "-o", text(&out), "--no-client", "--encoder", "static", "--pins"];
    let built = findling(&[&args[..], &[text(&pins)]].concat());
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    for streamed in [&[][..], &["--streamed"]] {
        let ask = [&["search", text(&out), "bake", "--json"], streamed].concat();
        let found: Value = serde_json::from_str(&stdout(&ask)).expect("JSON");
        let ids: Vec<&Value> =
            found["results"].as_array().expect("results").iter().map(|page| &page["id"]).collect();
        assert_eq!(ids, [&json!("stars"), &json!("bread")]);
        assert_eq!(found["mode"], json!("hybrid"));
    }
}

#[test]
fn explain_says_why_a_page_is_not_first_and_names_pages_near_an_unknown_address() {
    let at = tempfile::tempdir().expect("a directory");
    let (directory, _) = corpus(at.path());
    let lexical = ["--mode", "lexical"];
    let ask = |page: &str, more: &[&str]| {
        stdout(&[&["explain", text(&directory), "mutex share", page], &lexical[..], more].concat())
    };
    let shown = ask("https://example.org/errors.html#panic", &[]);
    assert!(
        shown.contains("The first page says `share` in a heading; this page does not say it."),
        "{shown}"
    );
    assert!(shown.contains("mutex yes, share no") && shown.contains("Shared State"), "{shown}");
    let json: Value = serde_json::from_str(&ask("errors.html", &["--json"])).expect("JSON");
    assert_eq!(
        (&json["why"]["rank"], &json["why"]["first"]["title"]),
        (&json!(2), &json!("Concurrency"))
    );
    let absent = ask("cargo.html", &[]);
    assert!(
        absent.contains("This page has none of the query's words (`mutex`, `share`)."),
        "{absent}"
    );
    let failed =
        findling(&["explain", text(&directory), "mutex", "/error.html", "--mode", "lexical"]);
    let said = String::from_utf8_lossy(&failed.stderr);
    assert!(
        !failed.status.success() && said.contains("`/error.html`") && said.contains("/errors.html"),
        "{said}"
    );
}

#[test]
fn timings_name_every_phase_and_change_no_result() {
    let at = tempfile::tempdir().expect("a directory");
    let (directory, _) = corpus(at.path());
    let ask = |more: &[&str]| -> Value {
        let args = [&["search", text(&directory), "mutex", "--json"], more].concat();
        without_meta(serde_json::from_str(&stdout(&args)).expect("JSON"))
    };
    let mut timed = ask(&["--timings"]);
    let timings = timed.as_object_mut().expect("an object").remove("timings").expect("timings");
    assert_eq!(timed, ask(&[]));
    let phases = ["openMs", "encoderMs", "embedMs", "readMs", "decodeMs", "searchMs"];
    let sum: f64 = phases.iter().map(|phase| timings[*phase].as_f64().expect("a number")).sum();
    assert!(sum <= timings["totalMs"].as_f64().expect("a number") + 0.01, "{timings}");
    let shown = stdout(&["search", text(&directory), "mutex", "--timings"]);
    for phase in ["open", "encoder", "embed", "read", "decode", "search", "print", "total"] {
        let is_line = |line: &str| line.starts_with(phase) && line.contains(" ms");
        assert_eq!(shown.lines().filter(|line| is_line(line)).count(), 1, "{phase}: {shown}");
    }
}

#[test]
fn similar_finds_the_pages_most_like_one() {
    let at = tempfile::tempdir().expect("a directory");
    let (directory, file) = corpus(at.path());
    let ask = |bundle: &Path, more: &[&str]| -> Value {
        let args = [&["similar", text(bundle), "/a threads.html", "--json"], more].concat();
        without_meta(serde_json::from_str(&stdout(&args)).expect("JSON"))
    };
    let similar = ask(&directory, &[]);
    assert_eq!((&similar["mode"], &similar["encoder"]), (&json!("semantic"), &json!("page")));
    assert_eq!(similar["results"].as_array().expect("a list").len(), 2, "every page but itself");
    assert_eq!(similar, ask(&file, &[]));
    let words = ask(&directory, &["--mode", "lexical", "-k", "1"]);
    assert_eq!(words["results"][0]["id"], json!("errors.html"));
    let cargo = ask(&directory, &["--filter", "book=cargo"]);
    assert_eq!(cargo["results"][0]["id"], json!("cargo.html"));
    let failed = findling(&["similar", text(&directory), "a-threads.html"]);
    assert!(String::from_utf8_lossy(&failed.stderr).contains("/a threads.html"));
}

#[test]
fn other_phrasings_find_their_pages_as_well() {
    let at = tempfile::tempdir().expect("a directory");
    let (directory, _) = corpus(at.path());
    let ask = |more: &[&str]| {
        stdout(&[&["search", text(&directory), "mutex share", "--mode", "lexical"], more].concat())
    };
    assert!(!ask(&[]).contains("Cargo"));
    let both = ask(&["--also", "cargo build", "--also", "panic"]);
    assert!(
        both.contains("Cargo") && both.contains("Shared State") && both.contains("3 pages"),
        "{both}"
    );
    let many: Vec<&str> = ["--also", "a"].repeat(5);
    let refused = findling(&[&["search", text(&directory), "mutex", "--json"], &many[..]].concat());
    let error: Value = serde_json::from_slice(&refused.stdout).expect("JSON");
    assert_eq!((refused.status.code(), &error["error"]["code"]), (Some(2), &json!("request")));
}

/// Writes thirty pages whose titles are names. Another page, about all of them, has each name more
/// often in its text.
fn named_pages(at: &Path) -> PathBuf {
    let names: Vec<String> = ["al", "bor", "cin", "dol", "fer"]
        .iter()
        .flat_map(|a| ["mon", "tak", "rin", "sel", "gup", "pav"].map(|b| format!("{a}{b}")))
        .collect();
    let mut pages = String::new();
    for (i, name) in names.iter().enumerate() {
        let other = |k: usize| &names[(i + k) % names.len()];
        let text = format!(
            "{0} {0} {0} {0} {1} {1} {1} here. What else there is to say of this page stands \
             below it in a longer row of words.",
            other(1),
            other(2)
        );
        pages += &format!(
            "{}\n",
            json!({
                "id": format!("p{i}"),
                "url": format!("/{i}"),
                "title": format!("{name} and its uses"),
                "text": text,
            })
        );
    }
    std::fs::write(at.join("pages.jsonl"), pages).expect("written");
    let queries: String = names
        .iter()
        .enumerate()
        .map(|(i, name)| format!("{}\n", json!({"_id": format!("q{i}"), "text": name})))
        .collect();
    std::fs::write(at.join("q.jsonl"), queries).expect("written");
    let qrels: String = (0..names.len()).map(|i| format!("q{i}\tp{i}\t1\n")).collect();
    std::fs::write(at.join("q.tsv"), qrels).expect("written");
    at.join("pages.jsonl")
}

#[test]
fn a_tuned_ranking_travels_with_the_bundle() {
    let at = tempfile::tempdir().expect("a directory");
    let pages = named_pages(at.path());
    let (out, tuned) = (at.path().join("out"), at.path().join("tuned"));
    let (queries, qrels, file) =
        (at.path().join("q.jsonl"), at.path().join("q.tsv"), at.path().join("ranking.json"));
    let build = |out: &Path, rest: &[&str]| {
        let mut args =
            vec!["build", text(&pages), "-o", text(out), "--encoder", "none", "--no-client"];
        args.extend(rest);
        stdout(&args);
    };
    build(&out, &[]);
    let eval = |bundle: &Path, rest: &[&str]| -> Value {
        let mut args = vec![
            "eval",
            text(bundle),
            "--queries",
            text(&queries),
            "--qrels",
            text(&qrels),
            "--json",
        ];
        args.extend(rest);
        serde_json::from_str(&stdout(&args)).expect("JSON")
    };
    let ndcg = |report: &Value| report["modes"][0]["ndcg@10"].as_f64().expect("a number");
    let before = ndcg(&eval(&out, &[]));
    let report = eval(&out, &["--tune", "--output", text(&file)]);
    assert_eq!(
        (&report["holds"], report["splits"].as_array().map(Vec::len)),
        (&json!(true), Some(5)),
        "{report}"
    );
    assert!(report["gain"].as_f64() > Some(0.05), "{report}");
    let again = eval(&out, &["--tune"]);
    assert_eq!(again, report, "the same every time");

    // A bundle that is built with the file behaves like one that gets the same parameters as
    // options.
    build(&tuned, &["--ranking", text(&file)]);
    let after = ndcg(&eval(&tuned, &[]));
    assert!(after > before + 0.05, "{before} {after}");
    assert_eq!(after, ndcg(&eval(&out, &["--ranking", text(&file)])));
    let inspected: Value =
        serde_json::from_str(&stdout(&["inspect", text(&tuned), "--json"])).expect("JSON");
    let kept: Value =
        serde_json::from_str(&std::fs::read_to_string(&file).expect("read")).expect("JSON");
    assert_eq!(
        inspected["ranking"].as_object().map(|r| r.len()),
        kept.as_object().map(|r| r.len())
    );

    // From there, nothing more can be gained.
    assert_eq!(eval(&tuned, &["--tune"])["holds"], false);
}

#[test]
fn pages_that_their_own_title_does_not_find_are_listed() {
    let at = tempfile::tempdir().expect("a directory");
    let site = at.path().join("site");
    std::fs::create_dir(&site).expect("a directory");
    let write = |name: &str, head: &str, body: &str| {
        let html = format!("<html><head>{head}</head><body><main>{body}</main></body></html>");
        std::fs::write(site.join(name), html).expect("a file");
    };
    // The last character turns the direction of a terminal's text.
    let title = "Zebra crossing \u{202e}";
    let body = format!("<h1>{title}</h1><p>Where to walk over the road.</p>");
    write("lost.html", &format!("<title>{title}</title>"), &body);
    for i in 0..12 {
        let body = format!(
            "<h1>Street {i}</h1><p>A zebra crossing is painted at number {i}.</p>\
             <h2>Lamp number {i}</h2><p>It burns all night.</p>\
             <p><a href='street-{}.html'>The way to number {}</a></p>",
            (i + 1) % 12,
            (i + 1) % 12
        );
        write(&format!("street-{i}.html"), &format!("<title>Street {i}</title>"), &body);
    }
    let out = at.path().join("bundle");
    let args = ["build", text(&site), "--output", text(&out), "--encoder", "none", "--no-client"];
    stdout(&[&args[..], &["--boost", "lost.html=0.001"]].concat());
    let args = ["eval", text(&out), "--synthetic", "--site", text(&site)];
    let printed = stdout(&[&args[..], &["--json"]].concat());
    assert!(is_safe(&printed), "{printed}");
    let report: Value = serde_json::from_str(&printed).expect("JSON");
    let found: Vec<(&str, u64)> = report["found"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|found| {
            (found["kind"].as_str().expect("a kind"), found["nNames"].as_u64().expect("a number"))
        })
        .collect();
    assert_eq!(found, [("title", 13), ("heading", 12), ("link", 12)]);
    let in_ten = report["found"][0]["inTen"].as_f64().expect("a number");
    assert!((in_ten - 12.0 / 13.0).abs() < 1e-9, "{in_ten}");
    assert_eq!(report["found"][1]["first"], 1.0);
    let lost = report["lost"].as_array().expect("a list");
    assert_eq!((lost.len(), &lost[0]["pages"]), (1, &json!(["lost.html"])));
    let table = stdout(&args);
    assert!(table.contains("Zebra crossing") && table.contains("lost.html"), "{table}");
    assert!(is_safe(&table), "{table}");
}

#[test]
fn without_judgements_headings_are_asked_for_and_a_warning_says_so() {
    let at = tempfile::tempdir().expect("a directory");
    let (directory, _) = corpus(at.path());
    let output = findling(&["eval", text(&directory), "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    // "Shared State" and "Message Passing"; a single word is not a question.
    assert_eq!((&report["nQueries"], &report["modes"][0]["mrr@10"]), (&json!(2), &json!(1.0)));
    assert!(String::from_utf8_lossy(&output.stderr).contains("favours search by words"));
    let output = findling(&["eval", text(&directory), "--tune"]);
    assert!(
        String::from_utf8_lossy(&output.stderr)
            .contains("expected at least 20 judged queries, found 2")
    );
}
