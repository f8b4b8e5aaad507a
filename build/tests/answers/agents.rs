//! `findling agents init`.

use super::home::{Home, tree};

#[test]
fn files_are_shown_written_once_and_those_of_others_stay() {
    let home = Home::new();
    home.write("repo/AGENTS.md", "# Rules\n");
    home.write("repo/.vscode/mcp.json", "{ // mine\n}\n");
    let shown = home.run(&["agents", "init", "repo", "--print"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    let asked = home.run(&["agents", "init", "repo"]);
    assert_eq!(asked.code, 2, "nobody has agreed: {asked:?}");
    for done in [&shown, &asked] {
        assert!(done.out.contains("change AGENTS.md") && done.out.contains("write .mcp.json"));
    }
    assert_eq!(tree(&home.path("repo")).len(), 2, "nothing is written");
    let done = home.run(&["agents", "init", "repo", "--yes", "--in", "notes"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.err.contains(".vscode/mcp.json"), "{done:?}");
    let written = tree(&home.path("repo"));
    let names: Vec<String> =
        written.iter().map(|(path, _)| path.to_string_lossy().into_owned()).collect();
    let skill = ".claude/skills/findling/SKILL.md";
    assert_eq!(names, [skill, ".cursor/mcp.json", ".mcp.json", ".vscode/mcp.json", "AGENTS.md"]);
    let text = |name: &str| std::fs::read_to_string(home.path("repo").join(name)).unwrap();
    assert!(text("AGENTS.md").starts_with("# Rules\n\n"));
    assert_eq!(text(".vscode/mcp.json"), "{ // mine\n}\n");
    let server: serde_json::Value = serde_json::from_str(&text(".mcp.json")).unwrap();
    assert_eq!(server["mcpServers"]["findling"]["args"], serde_json::json!(["mcp", "notes"]));
    assert!(text(skill).starts_with("---\nname: findling\n"));
    let done = home.run(&["agents", "init", "repo", "--yes", "--in", "notes"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(tree(&home.path("repo")), written, "a second time changes nothing");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_directory_is_not_followed() {
    let home = Home::new();
    home.write("repo/a.md", "x");
    home.write("elsewhere/mcp.json", "{}");
    for (link, to) in [(".mcp.json", "elsewhere/mcp.json"), (".cursor", "elsewhere")] {
        std::os::unix::fs::symlink(home.path(to), home.path("repo").join(link)).unwrap();
        let done = home.run(&["agents", "init", "repo", "--yes"]);
        assert_eq!(done.code, 2, "{link}: {done:?}");
        assert_eq!(std::fs::read_to_string(home.path("elsewhere/mcp.json")).unwrap(), "{}");
        std::fs::remove_file(home.path("repo").join(link)).unwrap();
    }
}
