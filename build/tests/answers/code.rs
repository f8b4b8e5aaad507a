//! Source code at the shell: a small repository with documents of every kind in it.

use std::fs;

use serde_json::Value;

use super::home::Home;

const AUTH: &str = r#""""Who may do what."""

import os


class Session(dict):
    """A session of a user."""

    def login_required(self, view):
        """Refuses those who are not logged in."""
        if self.get('user'):
            return view(**self)
        return None


if __name__ == "__main__":
    print(os.name)
"#;

fn home() -> Home {
    let home = Home::new();
    home.write("tool/.git/HEAD", "ref: refs/heads/main\n");
    home.write("tool/pyproject.toml", "[project]\nname = \"tool\"\n");
    home.write("tool/src/auth.py", AUTH);
    home.write("tool/src/index.html", "<title>Start</title><p>The page of the session\n");
    home.write("tool/src/fixture.jsonl", "{\"name\": \"session\"}\n");
    home.write("tool/README.md", "# Tool\n\nKeeps a session.\n\n## Use\n\nLog in first.\n");
    let test = "def test_session():\n    session = Session()\n    assert session.login_required\n";
    home.write("tool/tests/test_auth.py", &format!("{test}\n\n{}", test.replace("n()", "n_2()")));
    home
}

fn ids(answer: &Value) -> Vec<&str> {
    let pages = answer["results"].as_array().unwrap();
    pages.iter().map(|page| page["id"].as_str().unwrap()).collect()
}

fn first_section(answer: &Value) -> Value {
    answer["results"][0]["sections"][0].clone()
}

#[test]
fn a_repository_is_its_code_and_its_documents() {
    let home = home();
    home.add("tool");
    let mut found = home.found("tool", "session");
    found.sort();
    let wanted = [
        "/README.md",
        "/src/auth.py",
        "/src/fixture.jsonl",
        "/src/index.html",
        "/tests/test_auth.py",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn sections_have_their_file_line_and_column_and_all_can_be_shown() {
    let home = home();
    home.add("tool");
    let ask = ["search", "tool", "session", "--json", "--sections", "all", "--mode=lexical"];
    let answer = home.json(&ask);
    let pages = answer["results"].as_array().unwrap();
    let of = |id: &str| pages.iter().find(|page| page["id"] == id).unwrap();
    for section in of("src/auth.py")["sections"].as_array().unwrap() {
        assert!(section["file"].as_str().unwrap().ends_with("tool/src/auth.py"), "{section}");
        let (line, end) = (section["line"].as_u64().unwrap(), section["endLine"].as_u64().unwrap());
        let lines: Vec<&str> = AUTH.lines().collect();
        let text = lines[line as usize - 1..end as usize].join("\n");
        assert!(text.contains(section["snippet"]["text"].as_str().unwrap()), "{section}");
        let indent = lines[line as usize - 1].len() - lines[line as usize - 1].trim_start().len();
        assert_eq!(section["column"], indent + 1);
    }
    assert_eq!(of("README.md")["sections"][0]["line"], 1);
    let early = home.json(&["search", "tool", "session", "--json", "--filter", "line<2"]);
    let mut early = ids(&early);
    early.sort();
    assert_eq!(early, ["src/fixture.jsonl", "tests/test_auth.py"], "by number");
}

#[test]
fn assistants_get_the_lines_of_the_file() {
    let home = home();
    home.add("tool");
    let context = home.run(&["context", "login_required user", "tool", "--mode=lexical"]);
    let method = &AUTH[AUTH.find("    def login").unwrap()..AUTH.find("\n\n\nif").unwrap()];
    assert!(context.out.contains(method), "{}", context.out);
    let text = home.run(&["search", "tool", "login_required", "--mode=lexical"]).out;
    assert!(
        text.contains("def login_required(self, view):") && !text.contains("**login"),
        "{text}"
    );
}

#[test]
fn declarations_quotes_and_expressions_are_obeyed() {
    let home = home();
    home.add("tool");
    let ask = |query: &str| home.run(&["search", "tool", query, "--json", "--mode=lexical"]);
    let json = |query: &str| -> Value { serde_json::from_str(&ask(query).out).unwrap() };
    for query in ["class Session", "Session", "session", "class Session(dict):"] {
        let answer = json(query);
        assert_eq!(answer["results"][0]["id"], "src/auth.py", "{query}");
    }
    let method = first_section(&json("def login_required(self, view)"));
    assert_eq!(method["attributes"]["symbol"].as_array().unwrap().len(), 1, "{method}");
    assert_eq!(json("\"if __name__ ==\"")["total"]["pages"], 1);
    assert_eq!(ask("\"if __name__ ===\"").code, 1);
    assert_eq!(ask("\"login_requiredd\"").code, 1);
    let part = json("\"gin_requir\"");
    assert_eq!(part["total"]["pages"], 2, "a part of a word: {part}");
    let found = first_section(&json("/__\\w+__ ==/"));
    assert_eq!(found["line"], 16, "{found}");
    assert_eq!(ask("/(/").code, 2);
    let within = json("/(?i)KEEPS a/");
    assert_eq!(ids(&within), ["README.md"], "documents too");
    let python = |query: &str| {
        let ask = ["search", "tool", query, "--json", "--filter", "language=python"];
        ids(&home.json(&ask)).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(python("/[Ss]ession/").len(), 2);
    let tests = json("test session");
    assert_eq!(tests["results"][0]["id"], "tests/test_auth.py", "asked for");
}

#[test]
fn find_begins_with_the_repository_one_stands_in() {
    let home = home();
    home.write("notes/session.md", "# Session\n\nA session, a session and a session.\n");
    home.add("notes");
    let find = || {
        let mut command = home.command(&["find", "session", "--json"]);
        let done = command.current_dir(home.path("tool/src")).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        serde_json::from_slice::<Value>(&done.stdout).unwrap()
    };
    let names = |found: &Value| -> Vec<String> {
        let all = found["collections"].as_array().unwrap();
        all.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let first = names(&find());
    assert!(first[0].ends_with("/tool") && first[1] == "notes", "{first:?}");
    home.write("tool/src/added.py", "def session_of_today():\n    return 1\n");
    assert!(find().to_string().contains("session_of_today"), "the kept index follows the files");
    home.add("tool");
    assert_eq!(names(&find()), ["tool", "notes"], "the collection that has the directory");
}

#[test]
fn the_index_of_a_deleted_repository_leaves_the_cache() {
    let home = home();
    home.write("other/.git/HEAD", "ref: refs/heads/main\n");
    home.write("other/a.md", "# Session\n\nA session.\n");
    let find = |directory: &str| {
        let mut command = home.command(&["find", "session", "--json"]);
        assert!(command.current_dir(home.path(directory)).output().unwrap().status.success());
    };
    let kept = || fs::read_dir(home.data().join("directories/collections")).unwrap().count();
    find("tool");
    assert_eq!(kept(), 1);
    fs::rename(home.path("tool"), home.path("moved")).unwrap();
    find("other");
    assert_eq!(kept(), 1, "only that of the other");
    find("moved");
    find("moved");
    assert_eq!(kept(), 2);
}

#[test]
fn a_collection_without_a_bundle_can_be_added_again_and_stops_no_search() {
    let home = home();
    home.write("notes/a.md", "# Session\n\nA session.\n");
    home.add("notes");
    home.json(&["collection", "add", "tool", "tool", "--no-sync", "--encoder=none", "--json"]);
    let done = home.run(&["find", "session"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("findling sync tool"), "{}", done.err);
    home.add("tool");
    let again = home.run(&["collection", "add", "tool", "tool", "--encoder=none"]);
    assert!(again.code != 0 && again.err.contains("findling sync tool"), "{}", again.err);
}

#[test]
fn an_old_index_says_so_and_a_checkout_is_noticed() {
    let home = home();
    home.add("tool");
    assert_eq!(home.sync("tool")["status"], "unchanged");
    home.write("tool/.git/HEAD", "ref: refs/heads/feature/a\n");
    assert_eq!(home.sync("tool")["status"], "built");
    let answer = home.json(&["search", "tool", "session", "--json", "--mode=lexical"]);
    assert_eq!(answer["results"][0]["attributes"]["branch"], "feature/a");
    home.write("tool/src/auth.py", &AUTH.replace("session of a user", "session of one user"));
    let text = home.run(&["search", "tool", "session", "--mode=lexical"]);
    assert!(text.err.contains("1 file has changed"), "{}", text.err);
    home.run(&["search", "tool", "login_required", "--mode=lexical"]);
    fs::remove_file(home.path("tool/src/auth.py")).unwrap();
    let open = home.run(&["open", "1", "--print"]);
    assert!(open.code != 0 && open.err.contains("findling sync"), "{}", open.err);
}
