//! `findling note`, and searches that are saved.

use std::io::Write;
use std::process::Stdio;

use super::home::{Done, Home};

#[test]
fn notes_are_kept_listed_and_found_again() {
    let home = Home::new();
    assert_eq!(home.run(&["note", "list"]).code, 2, "there is no note yet");
    let first = home.json(&["note", "add", "# Deploys\n\nDeploys run at noon.", "--json"]);
    assert_eq!(
        (&first["collection"], &first["title"]),
        (&"assistant-notes".into(), &"Deploys".into())
    );
    let args = ["note", "add", "-", "--title=Evil \u{1b}[2J \"x\": y", "--tag=team", "--json"];
    let mut child = home
        .command(&args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"The mutex of the cache is poisoned.\n").unwrap();
    let done = Done::of(child.wait_with_output().unwrap());
    assert_eq!(done.code, 0, "{done:?}");
    assert!(findling_build::safe_text::is_safe(&done.out), "{done:?}");
    let titles = |answer: &serde_json::Value| -> Vec<String> {
        let pages = answer["results"].as_array().unwrap();
        pages.iter().map(|page| page["title"].as_str().unwrap().to_owned()).collect()
    };
    let found = home.json(&["note", "search", "mutex", "--mode=lexical", "--json"]);
    assert_eq!(titles(&found).len(), 1);
    assert!(titles(&found)[0].starts_with("Evil "), "{found}");
    let listed = home.json(&["note", "list", "--json"]);
    assert_eq!(titles(&listed).len(), 2, "{listed}");
    let tagged = home.json(&["note", "list", "--filter=tags=team", "--json"]);
    assert_eq!(titles(&tagged), titles(&found));
    home.write(
        "data/notes/assistant-notes/old.md",
        "---\ntitle: Old\ndate: 2001-05-01\n---\n\nText.\n",
    );
    home.sync("assistant-notes");
    assert_eq!(titles(&home.json(&["note", "list", "--json"]))[2], "Old", "the newest first");
    let oldest = home.json(&["note", "list", "--order=oldest", "--json"]);
    assert_eq!(titles(&oldest)[0], "Old", "{oldest}");
    let path = first["path"].as_str().unwrap();
    assert!(std::fs::read_to_string(path).unwrap().contains("Deploys run at noon."));
}

#[test]
fn a_note_is_text_and_goes_to_a_collection_of_notes() {
    let home = Home::new();
    assert_eq!(home.run(&["note", "add", "  \n"]).code, 2);
    home.write("notes/a.md", "# A\n");
    home.add("notes");
    let done = home.run(&["note", "add", "text", "--collection=notes"]);
    assert_eq!(done.code, 2, "{done:?}");
    assert_eq!(home.run(&["note", "add", "text", "--collection=../x"]).code, 2);
    // Two notes with the same second and title are two files.
    for text in ["Same\n\none", "Same\n\ntwo"] {
        assert_eq!(home.run(&["note", "add", text, "--collection=mine"]).code, 0);
    }
    let listed = home.json(&["note", "list", "--collection=mine", "--json"]);
    assert_eq!(listed["results"].as_array().unwrap().len(), 2);
}

#[test]
fn a_search_is_saved_under_a_name_and_its_hits_are_opened() {
    let home = Home::new();
    home.write("notes/a.md", "# Threads\n\nA mutex guards data.\n");
    home.add("notes");
    assert_eq!(home.run(&["last", "--list"]).code, 1);
    assert_eq!(home.run(&["last", "locks"]).code, 2);
    // This also applies to output for programs.
    let done = home.run(&["search", "notes", "mutex", "--json", "--save=locks"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(home.run(&["find", "threads", "--save", "threads"]).code, 0);
    assert_eq!(home.run(&["last", "--list"]).out, "locks\nthreads\n");
    assert_eq!(home.json(&["last", "locks", "--json"])["query"], "mutex");
    assert_eq!(home.json(&["last", "--json"])["query"], "threads");
    let mut command = home.command(&["open", "1", "--of", "locks", "--print"]);
    let done = Done::of(command.env_remove("VISUAL").env("EDITOR", "vim").output().unwrap());
    assert!(done.out.starts_with("vim +1 ") && done.out.contains("notes/a.md"), "{done:?}");
    assert_eq!(home.run(&["search", "notes", "mutex", "--save=../../x"]).code, 2);
}
