//! Tests that every command that reads a bundle accepts the name of a collection.

use std::fs;

use super::home::Home;

fn home() -> Home {
    let home = Home::with_site();
    home.add("site");
    home
}

#[test]
fn commands_answer_over_a_name_as_over_the_bundle() {
    let home = home();
    let bundle = home.json(&["collection", "show", "site", "--json"])["bundle"].clone();
    let bundle = bundle.as_str().unwrap().to_owned();
    for args in [
        vec!["search", "TARGET", "mutex", "--json"],
        vec!["similar", "TARGET", "/a/", "--json"],
        vec!["explain", "TARGET", "mutex", "/b/", "--json"],
        vec!["inspect", "TARGET", "--json"],
        vec!["inspect", "TARGET", "--budget", "--json"],
    ] {
        let over = |target: &str| {
            let args: Vec<&str> =
                args.iter().map(|arg| if *arg == "TARGET" { target } else { arg }).collect();
            let mut answer = home.json(&args);
            // It names the target, and contains times.
            answer.as_object_mut().unwrap().remove("_meta");
            if let Some(results) = answer.get_mut("results") {
                Home::without_places(results);
            }
            answer
        };
        assert_eq!(over("site"), over(&bundle), "{args:?}");
    }
    // Names of files are resolved, and the results of eval contain times.
    let eval = home.run(&["eval", "site", "--mode=lexical", "--json"]);
    assert_eq!(eval.code, 0, "{eval:?}");
}

#[test]
fn a_bundle_at_a_path_wins_over_a_name() {
    let home = home();
    home.write("other/c.md", "# Bread\n\nAn oven bakes.\n");
    let args = ["build", "other", "-o", "site-bundle", "--encoder=none", "--no-client"];
    assert_eq!(home.run(&args).code, 0);
    fs::rename(home.path("site"), home.path("moved")).unwrap();
    fs::rename(home.path("site-bundle"), home.path("site")).unwrap();
    assert_eq!(home.found("site", "oven"), ["/c/"]);
    assert_eq!(home.found("./site", "oven"), ["/c/"]);
    fs::rename(home.path("site"), home.path("away")).unwrap();
    assert_eq!(home.found("site", "mutex").len(), 2);
    assert_eq!(home.run(&["search", "./site", "mutex"]).code, 3, "a path is no name");
    // A directory without a bundle hides no collection.
    fs::rename(home.path("moved"), home.path("site")).unwrap();
    assert_eq!(home.found("site", "mutex").len(), 2);
    assert_eq!(home.run(&["search", "other", "oven"]).code, 3);
}

#[test]
fn a_single_file_is_a_target() {
    let home = home();
    let args =
        ["build", "site", "-o", "a.findling", "--single-file", "--encoder=none", "--no-client"];
    assert_eq!(home.run(&args).code, 0);
    assert_eq!(home.found("a.findling", "mutex").len(), 2);
}

#[test]
fn an_unknown_name_is_answered_with_similar_ones() {
    let home = home();
    for (command, code) in [
        (&["search", "sites", "mutex", "--json"][..], 2),
        (&["inspect", "sites", "--json"], 1),
        (&["sync", "sites", "--json"], 1),
    ] {
        let done = home.run(command);
        assert_eq!(done.code, code, "{command:?}");
        let json: serde_json::Value = serde_json::from_str(&done.out).unwrap();
        assert_eq!(json["error"]["code"], "unknown", "{command:?}");
        let told = json["error"].to_string();
        let mut words = told.split(|c: char| !c.is_alphanumeric());
        assert!(words.any(|word| word == "site"), "the similar name: {told}");
    }
}

#[test]
fn a_server_over_a_name_goes_on_during_and_after_a_sync() {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    let home = home();
    let server = home.serve("site");
    let host = server.address.trim_start_matches("http://").trim_end_matches('/');
    let get = |path: &str| {
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
    };
    assert!(get("/findling.idx").contains(" 200 "));
    for text in ["Another oven.", "A third oven."] {
        home.write("site/a.md", &format!("# Threads\n\n{text}\n"));
        home.sync("site");
        assert!(get("/findling.idx").contains(" 200 "), "the bundle that it serves stays");
    }
    assert_eq!(home.found("site", "third"), ["/a/"]);
}
