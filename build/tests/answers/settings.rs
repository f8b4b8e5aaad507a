//! `findling.toml`, `findling init` and `findling config show`.

use super::home::Home;

/// A directory with two Markdown pages that a file says how to build.
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
