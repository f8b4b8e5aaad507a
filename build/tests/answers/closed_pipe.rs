//! Commands end quietly if their output is not read to the end, as in `findling inspect BUNDLE |
//! head -1`.

use super::home::{Done, Home};

/// Runs a command whose standard output is closed before the first byte is written.
fn unread(home: &Home, args: &[&str]) -> Done {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    Done::of(home.command(args).stdout(writer).output().unwrap())
}

/// Returns a home with a built bundle `out`, a collection `site`, questions, judgements and a note.
fn home() -> Home {
    let home = Home::with_site();
    home.add("site");
    let built = home.run(&["build", "site", "-o", "out", "--encoder=hash", "--no-client"]);
    assert_eq!(built.code, 0, "{built:?}");
    home.write("questions.jsonl", "{\"_id\": \"1\", \"text\": \"mutex\"}\n");
    home.write("judged.tsv", "query-id\tcorpus-id\tscore\n1\ta.md\t1\n");
    home.json(&["note", "add", "Deploys run at noon.", "--json"]);
    home
}

#[test]
fn a_closed_output_is_no_panic_and_no_error() {
    let home = home();
    for args in [
        &["inspect", "out"][..],
        &["inspect", "out", "--json"],
        &["inspect", "out", "--budget"],
        &["inspect", "site/a.md", "--extraction"],
        &["search", "out", "mutex"],
        &["search", "out", "mutex", "--json"],
        &["search", "out", "nowhere"],
        &["search", "out", "--batch", "questions.jsonl"],
        &["find", "mutex"],
        &["similar", "out", "/a/"],
        &["context", "mutex", "out"],
        &["explain", "out", "mutex", "/a/"],
        &["eval", "out", "--queries", "questions.jsonl", "--qrels", "judged.tsv"],
        &["eval", "out", "--synthetic"],
        &["collection", "list"],
        &["collection", "show", "site"],
        &["sync", "--json"],
        &["last"],
        &["note", "list"],
        &["models", "list"],
        &["init", "site", "--print"],
        &["agents", "init", "--print"],
        &["config", "show", "search"],
        &["completions", "bash"],
        &["search", "--help"],
    ] {
        let read = home.run(args);
        let unread = unread(&home, args);
        assert_eq!(unread.code, read.code, "{args:?}: {unread:?}");
        assert!(!unread.err.contains("panicked"), "{args:?}: {}", unread.err);
        let problems = |done: &Done| done.err.matches("error:").count();
        assert_eq!(problems(&unread), problems(&read), "{args:?}: {}", unread.err);
        assert!(!read.out.is_empty(), "{args:?} prints: {read:?}");
    }
}

#[test]
fn a_check_that_fails_also_fails_when_nobody_reads_why() {
    let home = home();
    let limit = ["inspect", "out", "--budget", "--max-first-query=1"];
    assert_eq!((home.run(&limit).code, unread(&home, &limit).code), (1, 1));
    let shards = home.path("out/shards");
    let shard = std::fs::read_dir(shards).unwrap().next().unwrap().unwrap().path();
    std::fs::write(shard, "damaged").unwrap();
    let damaged = ["inspect", "out"];
    assert_eq!((home.run(&damaged).code, unread(&home, &damaged).code), (1, 1));
}

/// Closes standard error too, which must not cause a panic either.
#[test]
fn messages_that_nobody_reads_are_dropped() {
    let home = home();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let build = ["build", "site", "-o", "again", "--encoder=none", "--no-client"];
    let built = home.command(&build).stderr(writer).status().unwrap();
    assert_eq!(built.code(), Some(0));
}
