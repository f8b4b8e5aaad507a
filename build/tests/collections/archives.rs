//! Papers and conversations, searched by author and year, by key and newest first, and read in the
//! shell.

use crate::home::Home;

const LIBRARY: &str = "\
@article{smith2021, title={Routes to chaos in flows}, author={Smith, Jane and Li, Wei and Kim, Min},
  journal={Chaos}, year=2021, volume=12, number=3, pages={4--19}, doi={10.5/abc.2021},
  abstract={We follow {$\\alpha$} through 3 {\\texttimes} 3 maps.}}
@article{smith2019, title={Flows}, author={Smith, John}, journal={Chaos}, year=2019}
@article{crutch1, title={Randomness observed}, author={J. P. Crutchfield}, year=2003}
@article{crutch2, title={Statistical complexity}, author={Crutchfield, James P. and others},
  year=1989, journal={Physics}}
@techreport{who, title={Tides}, author={{World Health Organization}}, year=2020}
";

/// Returns the lines of brief output.
fn brief(home: &Home, args: &[&str]) -> Vec<String> {
    let done = home.run(&[&["search", "papers", "--format=brief"], args].concat());
    assert_eq!(done.code, 0, "{done:?}");
    done.out.lines().map(str::to_owned).collect()
}

fn papers() -> Home {
    let home = Home::new();
    home.write("papers/library.bib", LIBRARY);
    home.json(&["collection", "add", "papers", "papers", "--encoder=none", "--json"]);
    home
}

#[test]
fn a_paper_is_first_by_its_author_year_venue_doi_and_key() {
    let home = papers();
    for query in
        ["smith chaos 2021", "Smith 2021", "jane smith", "10.5/abc.2021", "smith2021", "li kim"]
    {
        let first = brief(&home, &[query]).remove(0);
        let (start, rest) = first.split_once("] ").unwrap_or(("", &first));
        assert!(start.starts_with("1. [0."), "{query}: {first}");
        let expect = "Smith et al. (2021) Routes to chaos in flows, Chaos  ";
        assert!(rest.starts_with(expect), "{query}: {first}");
        assert!(rest.ends_with("library.bib:1"), "{query}: {first}");
    }
    let text = home.run(&["search", "papers", "smith chaos 2021"]).out;
    assert!(text.contains("Smith et al. (2021) · Chaos"), "{text}");
    let text = home.run(&["search", "papers", "alpha maps", "--format=markdown"]).out;
    assert!(!text.contains("texttimes"), "{text}");
}

#[test]
fn one_person_in_two_spellings_is_found_by_either() {
    let home = papers();
    for name in ["crutchfield", "James P. Crutchfield", "Crutchfield, J.P.", "j p crutchfield"] {
        let done = home.run(&["search", "papers", "", "--author", name, "--format=brief"]);
        assert_eq!(done.out.lines().count(), 2, "{name}: {done:?}");
        assert!(done.err.contains("Crutchfield"), "{name}: {done:?}");
    }
    assert_eq!(brief(&home, &["", "--author=jane smith"]).len(), 1);
}

#[test]
fn what_nothing_answers_exits_with_1() {
    let home = papers();
    let done = home.run(&["search", "papers", "xyznonexistent"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.out.contains("nothing matches"), "{}", done.out);
}

#[test]
fn a_paper_is_shown_and_cited_by_its_key() {
    let home = papers();
    let shown = home.run(&["show", "smith2021", "--in=papers"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    for part in [
        "Routes to chaos in flows",
        "Jane Smith, Wei Li, Min Kim",
        "We follow α through 3 × 3 maps.",
        "@article{smith2021,",
        "volume = {12}",
        "pages = {4--19}",
    ] {
        assert!(shown.out.contains(part), "{part}: {}", shown.out);
    }
    let json = home.json(&["show", "SMITH2021", "--json"]);
    assert_eq!(json["id"], "library.bib/smith2021");
    let unknown = home.run(&["show", "smith2022", "--in=papers"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(unknown.err.contains("smith2021"), "similar ones are named: {}", unknown.err);
    let cited = home.run(&["search", "papers", "", "--format=citations", "--style=bibtex"]).out;
    assert!(cited.contains("Crutchfield, James P. and others"), "{cited}");
    assert!(cited.contains("{World Health Organization}"), "{cited}");
    let similar = home.run(&["similar", "papers", "smith2021", "--format=brief"]);
    assert!(similar.code < 2, "{similar:?}");
}

#[test]
fn texts_of_equal_names_belong_to_the_entries_that_give_their_paths() {
    let home = Home::new();
    home.write(
        "zotero/refs.bib",
        "@article{a, title={Tides}, author={Rossi, C},
            file={Text:files/12/Full Text.txt:text/plain}}\n\
         @article{b, title={Ice}, author={Okafor, B},
            file={Text:files/13/Full Text.txt:text/plain}}\n",
    );
    home.write("zotero/files/12/Full Text.txt", "1 Methods\n\nThe moon pulls.\n");
    home.write("zotero/files/13/Full Text.txt", "1 Methods\n\nThe glacier slides.\n");
    home.json(&["collection", "add", "zotero", "zotero", "--encoder=none", "--json"]);
    let paths = |query: &str| home.run(&["search", "zotero", query, "--format=paths"]).out;
    assert!(paths("moon").starts_with("zotero/files/12/Full Text.txt"), "{}", paths("moon"));
    assert!(paths("glacier").starts_with("zotero/files/13/Full Text.txt"), "{}", paths("glacier"));
    let all = home.run(&["search", "zotero", "", "--format=brief"]).out;
    assert_eq!(all.lines().count(), 2, "{all}");
    home.run(&["search", "zotero", "glacier"]);
    let open = home.run(&["open", "--print"]);
    assert_eq!(open.code, 0, "{open:?}");
    assert!(open.out.contains("files/13/Full Text.txt"), "{}", open.out);
}

fn session(home: &Home, path: &str, project: &str, day: u32, asked: &str) {
    let line = |role: &str, second: u32, text: &str| {
        let line = serde_json::json!({
            "type": role, "uuid": format!("{path}{second}"), "sessionId": path, "cwd": project,
            "timestamp": format!("2025-03-{day:02}T09:00:{second:02}Z"),
            "message": {"role": role, "content": text},
        });
        format!("{line}\n")
    };
    let answer = format!("Done: {asked}");
    home.write(path, &[line("user", 1, asked), line("assistant", 2, &answer)].concat());
}

#[test]
fn conversations_without_a_query_are_newest_first_and_projects_are_whole_paths() {
    let home = Home::new();
    session(&home, "logs/a.jsonl", "/srv/api", 3, "Round the prices");
    session(&home, "logs/b.jsonl", "/private/api", 5, "Rotate the keys");
    session(&home, "logs/c.jsonl", "/srv/web", 4, "Mock the clock");
    home.json(&["collection", "add", "logs", "logs", "--encoder=none", "--json"]);
    let titles = |args: &[&str]| -> Vec<String> {
        let done = home.run(&[args, &["--format=brief"]].concat());
        let title = |line: &str| {
            let (_, rest) = line.split_once(". ").unwrap();
            rest.split(" (").next().unwrap().to_owned()
        };
        done.out.lines().map(title).collect()
    };
    let newest = ["Rotate the keys", "Mock the clock", "Round the prices"];
    assert_eq!(titles(&["search", "logs", ""]), newest);
    assert_eq!(titles(&["find", ""]), newest);
    assert_eq!(titles(&["find", "", "--since=2025-03-04"]), newest[..2]);
    assert_eq!(titles(&["find", "", "--project=srv/api"]), newest[2..]);
    assert_eq!(titles(&["find", "", "--project=api"]).len(), 2, "both directories of that name");
    assert_eq!(titles(&["find", "", "--agent=claude-code"]).len(), 3);
    let line = home.run(&["find", "keys", "--format=brief"]).out;
    assert!(line.contains("(Claude Code · /private/api · 2025-03-05 · user)"), "{line}");
    let facets = home.json(&["search", "logs", "", "--facet=*", "--json"]);
    let names: Vec<&str> = facets["facets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"project") && !names.contains(&"session"), "{names:?}");
    assert!(!names.contains(&"updated") && !names.contains(&"time"), "{names:?}");

    let shown = home.run(&["show", "b.jsonl#2", "--in=logs"]).out;
    assert!(shown.contains("/private/api") && shown.contains("Done: Rotate the keys"), "{shown}");
    home.run(&["find", "keys"]);
    let open = home.run(&["open", "--print"]).out;
    assert!(open.ends_with("show --in logs -- b.jsonl#turn-1\n"), "{open}");
    let by_number = home.run(&["show", "1"]).out;
    assert!(by_number.contains("Rotate the keys"), "{by_number}");
}

#[test]
fn sessions_of_agents_are_found_at_their_usual_places() {
    let home = Home::new();
    session(&home, "me/.claude/projects/-srv-api/a.jsonl", "/srv/api", 3, "Round the prices");
    home.write(
        "me/.aider.chat.history.md",
        "# aider chat started at 2025-01-02 10:00:00\n\n#### fix it\n\nFixed.\n",
    );
    let mut command = home.command(&["collection", "add", "--agents", "--encoder=none"]);
    for name in ["APPDATA", "CLAUDE_CONFIG_DIR", "CODEX_HOME"] {
        command.env_remove(name);
    }
    let me = home.path("me");
    command
        .env("HOME", &me)
        .env("XDG_DATA_HOME", me.join("d"))
        .env("XDG_CONFIG_HOME", me.join("c"));
    let done = command.output().unwrap();
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{told}");
    assert!(told.contains("Claude Code: 1 file in") && told.contains("Aider: 1 file in"), "{told}");
}
