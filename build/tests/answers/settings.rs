//! `findling.toml`, `findling init` and `findling config show`.

use std::sync::atomic::Ordering;

use super::counting_service::counting_service;
use super::home::{Done, Home};

/// Returns a home with two Markdown pages and a file of settings for their build.
fn home(settings: &str) -> Home {
    let home = Home::new();
    home.write("docs/a.md", "# Threads\n\nA mutex guards data.\n");
    home.write("docs/drafts/b.md", "# Draft\n\nA mutex, too.\n");
    home.write("findling.toml", settings);
    home
}

const BUILD: &str = "[build]\ninputs = [\"docs\"]\noutput = \"index\"\nencoder = \"none\"\n\
                     exclude = [\"drafts\"]\nno-client = true\n";

#[test]
fn options_come_from_the_file_and_the_command_line_takes_precedence() {
    let home = home(BUILD);
    let done = home.run(&["build"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(home.found("index", "mutex").len(), 1);
    let done = home.run(&["build", "--exclude=nothing", "-o", "other"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(home.found("other", "mutex").len(), 2);
}

#[test]
fn a_file_above_holds_and_its_paths_are_relative_to_it() {
    let home = home(BUILD);
    let mut command = home.command(&["build"]);
    let done =
        super::home::Done::of(command.current_dir(home.path("docs/drafts")).output().unwrap());
    assert_eq!(done.code, 0, "{done:?}");
    assert!(home.path("index/findling.idx").is_file());
}

#[test]
fn settings_that_are_wrong_or_may_not_be_in_a_file_are_refused() {
    for (settings, command) in [
        ("[search]\nmodee = \"lexical\"\n", "search"),
        ("[search]\noutput = \"/tmp/x\"\n", "search"),
        ("[find]\noutput = \"x\"\n", "find"),
        ("[build]\nyes = true\n", "build"),
        ("[build\n", "build"),
    ] {
        let home = home(settings);
        let query: &[&str] = if command == "search" { &["docs", "mutex"] } else { &["docs"] };
        let done = home.run(&[&[command, "--json"][..], query].concat());
        assert_eq!(done.code, 2, "{settings}: {done:?}");
        assert!(done.out.contains("\"settings\""), "{settings}: {done:?}");
        assert_eq!(home.run(&["completions", "bash"]).code, 0);
    }
}

#[test]
fn the_file_that_init_writes_builds_and_config_says_where_values_come_from() {
    let home = Home::new();
    home.write("docs/a.md", "# Threads\n\nA mutex guards data.\n");
    home.write("Cargo.toml", "[package]\n");
    assert_eq!(home.run(&["init"]).code, 0);
    assert_eq!(home.run(&["init"]).code, 2, "a file is not replaced");
    assert_eq!(home.run(&["init", "--force"]).code, 0);
    let done = home.run(&["build", "--encoder=none", "--no-client"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(home.found("findling-index", "mutex").len(), 1);
    let shown = home.json(&["config", "show", "--json"]);
    let of = |name: &str| {
        let all = shown.as_array().unwrap();
        all.iter().find(|one| one["name"] == name).unwrap_or(&serde_json::Value::Null).clone()
    };
    assert_eq!(of("inputs")["value"], "docs");
    assert!(of("inputs")["source"].as_str().unwrap().starts_with("findling.toml:"), "{shown}");
    assert_eq!(of("prune")["source"], "default");
    assert_eq!(of("FINDLING_HOME")["source"], "environment");
}

#[test]
fn a_projects_file_decides_neither_who_is_asked_nor_who_may_ask() {
    let home = home(BUILD);
    assert_eq!(home.run(&["build"]).code, 0, "harmless settings hold without trust");
    std::fs::create_dir_all(home.path("outside")).unwrap();
    std::fs::rename(home.path("index"), home.path("outside/index")).unwrap();
    let (address, n_connections) = counting_service();
    let settings = [
        format!("[find]\nin = [\"{address}\"]\n"),
        format!("[context]\ntargets = [\"{address}\"]\n"),
        format!("[relevance]\nin = [\"{address}\"]\n"),
        "[find]\nin = [\"../outside/index\"]\n".to_owned(),
        "[search]\nalso = [\"other words\"]\n".to_owned(),
        "[build]\ninputs = [\"../outside\"]\noutput = \"made\"\n".to_owned(),
        "[build]\ninputs = [\"docs\"]\noutput = \"../outside/made\"\n".to_owned(),
        "[build]\ninputs = [\"docs\"]\noutput = \"made\"\nocr = true\n".to_owned(),
    ];
    for settings in &settings {
        home.write("project/findling.toml", settings);
        home.write("project/docs/a.md", "# Threads\n\nA mutex guards data.\n");
        let command = &settings[1..settings.find(']').unwrap()];
        let key = settings.lines().skip(1).last().unwrap().split(' ').next().unwrap();
        let key = if settings.contains("../outside\"") { "inputs" } else { key };
        let words: &[&str] = match command {
            "build" => &["build"],
            "search" => &["search", "docs", "mutex"],
            _ => &[command, "my secret question"],
        };
        let done =
            Done::of(home.command(words).current_dir(home.path("project")).output().unwrap());
        let is_told = |line: &str| line.contains(key) && line.contains("findling config trust");
        assert_eq!(done.err.lines().filter(|line| is_told(line)).count(), 1, "{done:?}");
        assert!(!home.path("outside/made").exists(), "{done:?}");
    }
    assert_eq!(n_connections.load(Ordering::Relaxed), 0);
    // A typed option comes from a person.
    home.write("project/findling.toml", "");
    let asked = home.run(&["find", "mutex", "--in", &address]);
    assert!(asked.code != 0 && n_connections.load(Ordering::Relaxed) > 0, "{asked:?}");
}

#[test]
fn a_file_is_trusted_by_path_and_contents() {
    let home = home("");
    let run = |args: &[&str]| {
        let mut command = home.command(args);
        Done::of(command.current_dir(home.path("project")).output().unwrap())
    };
    let (address, n_connections) = counting_service();
    let text = format!("[find]\nlimit = 3\nin = [\"{address}\"]\n");
    home.write("project/findling.toml", &text);
    let listed = |args: &[&str]| -> serde_json::Value {
        let done = run(args);
        serde_json::from_str(&done.out).unwrap_or_else(|_| panic!("{done:?}"))
    };
    let ignored = |shown: &serde_json::Value| -> Vec<String> {
        let ignored = shown["ignored"].as_array().unwrap().iter();
        ignored.map(|one| format!("{} {}:{}", one["command"], one["key"], one["line"])).collect()
    };
    let shown = &listed(&["config", "--json"])[0];
    assert_eq!((&shown["trust"], ignored(shown).len()), (&"harmless".into(), 1), "{shown}");
    run(&["find", "mutex"]);
    assert_eq!(n_connections.load(Ordering::Relaxed), 0);
    assert!(run(&["config"]).out.contains("findling config trust"));
    let of_find = listed(&["config", "show", "find", "--json"]);
    let limit = of_find.as_array().unwrap().iter().find(|one| one["name"] == "limit").unwrap();
    assert_eq!(limit["value"], "3");

    assert_eq!(run(&["config", "trust"]).code, 0);
    assert_eq!(listed(&["config", "--json"])[0]["trust"], "trusted");
    run(&["find", "mutex"]);
    let asked = n_connections.load(Ordering::Relaxed);
    assert!(asked > 0, "a trusted file names addresses");

    // The same file elsewhere, and another file here.
    home.write("other/findling.toml", &text);
    let mut elsewhere = home.command(&["find", "mutex"]);
    elsewhere.current_dir(home.path("other")).output().unwrap();
    home.write("project/findling.toml", &format!("{text}# changed\n"));
    assert_eq!(listed(&["config", "--json"])[0]["trust"], "changed");
    run(&["find", "mutex"]);
    assert_eq!(n_connections.load(Ordering::Relaxed), asked);

    assert_eq!(run(&["config", "trust"]).code, 0);
    assert_eq!(run(&["config", "trust", "--remove"]).code, 0);
    assert_eq!(listed(&["config", "--json"])[0]["trust"], "harmless");
    // The user's own file, beside the collections, needs no trust.
    std::fs::remove_file(home.path("project/findling.toml")).unwrap();
    home.write("findling.toml", "");
    home.write("data/findling.toml", &text);
    run(&["find", "mutex"]);
    assert!(n_connections.load(Ordering::Relaxed) > asked);
}

#[cfg(unix)]
#[test]
fn the_file_of_another_user_is_ignored() {
    let home = home("[search]\nlimit = 1\n");
    if std::os::unix::fs::chown(home.path("findling.toml"), Some(12_345), None).is_err() {
        return; // Only root gives files away.
    }
    let built = home.run(&["build", "docs", "-o", "index", "--encoder=none", "--no-client"]);
    assert_eq!(built.code, 0, "{built:?}");
    let done = home.run(&["search", "index", "mutex", "--format=paths"]);
    assert_eq!((done.code, done.out.lines().count()), (0, 2), "{done:?}");
    assert_eq!(done.err.matches("findling config trust").count(), 1, "{done:?}");
    assert_eq!(home.json(&["config", "--json"])[0]["trust"], "other-user");
    home.write("findling.toml", "[search\nnot TOML");
    assert_eq!(home.run(&["search", "index", "mutex"]).code, 0, "nor is it an error");
    home.write("findling.toml", "[search]\nlimit = 1\n");
    assert_eq!(home.run(&["config", "trust"]).code, 0);
    let done = home.run(&["search", "index", "mutex", "--format=paths"]);
    assert_eq!(done.out.lines().count(), 1, "a person may trust it: {done:?}");
}
