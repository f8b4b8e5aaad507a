//! Whole files of each program: the pages and sections that they become.

use std::path::PathBuf;

use super::super::Problem;
use super::*;
use crate::RawPage;

fn read_as(name: &str, bytes: &[u8], options: &Options) -> Outcome {
    let file =
        File { id: name.into(), path: PathBuf::from(name), format: Format::Chats, package: None };
    let mut outcome = Outcome::default();
    read(bytes, &file, options, &mut outcome);
    outcome
}

fn pages(name: &str, text: &str) -> Vec<RawPage> {
    read_as(name, text.as_bytes(), &Options::default()).pages
}

/// Returns the title, then each section as `anchor heading: text`.
fn outline(raw: &RawPage) -> Vec<String> {
    let sections = raw.page.sections.iter().map(|section| {
        let texts: Vec<&str> = section.blocks.iter().map(|block| block.text.as_str()).collect();
        let anchor = section.anchor.as_deref().unwrap();
        format!("{anchor} {}: {}", section.heading, texts.join(" / "))
    });
    std::iter::once(raw.page.title.clone()).chain(sections).collect()
}

fn attribute(raw: &RawPage, name: &str) -> String {
    raw.attributes.get(name).map_or(String::new(), |value| format!("{value:?}"))
}

/// The severity and the line of each problem.
type Kinds = Vec<(Severity, Option<u64>)>;

fn kinds(outcome: &Outcome) -> Kinds {
    outcome.problems.iter().map(|Problem { severity, line, .. }| (*severity, *line)).collect()
}

#[test]
fn claude_code_sessions() {
    let text = include_str!("fixtures/claude-code.jsonl");
    let outcome = read_as("s.jsonl", text.as_bytes(), &Options::default());
    let [main, agents] = outcome.pages.as_slice() else { panic!("{}", outcome.pages.len()) };
    let question = "Why do workers starve when the pool is empty?";
    assert_eq!(
        outline(main),
        [
            "Pool workers starve".to_owned(),
            format!("turn-2 {question}: {question} It began today."),
            format!(
                "turn-4 {question}: I read acquire first. / Bash / rg -n acquire src\nFind acquire \
                 / The lock is held while acquire waits, so nobody can give a connection back. / \
                 let guard = self.lock();"
            ),
            "turn-7 Fix it with a condition variable.: Fix it with a condition variable."
                .to_owned(),
        ]
    );
    assert_eq!((main.page.id.as_str(), main.page.url.as_str()), ("s.jsonl", "/s.jsonl"));
    assert_eq!(agents.page.id, "s.jsonl/agents");
    assert_eq!(agents.page.title, "List all callers of acquire.");
    assert_eq!(attribute(main, "project"), "Text(\"/home/ana/src/pool\")");
    assert_eq!(attribute(main, "session"), "Text(\"5f0c1e\")");
    assert_eq!(attribute(main, "agent"), "Text(\"Claude Code\")");
    assert_eq!(attribute(main, "roles"), "List([\"assistant\", \"user\"])");
    assert_eq!(attribute(main, "started"), "Text(\"2025-03-03T09:00:00Z\")");
    assert_eq!(attribute(main, "updated"), "Text(\"2025-03-03T09:01:00Z\")");
    assert_eq!(kinds(&outcome), [(Severity::Skipped, Some(14))], "the line that is being written");
}

#[test]
fn tool_output_is_indexed_where_it_is_asked_for() {
    let text = include_str!("fixtures/claude-code.jsonl");
    let options = Options { tool_output: true, ..Options::default() };
    let with = read_as("s.jsonl", text.as_bytes(), &options).pages;
    let sections = outline(&with[0]);
    assert!(sections[3].ends_with(": src/pool.rs:17: pub fn acquire(&self)"), "{}", sections[3]);
    assert!(sections[3].starts_with("turn-5 "), "anchors are the same with it and without");
    assert_eq!(attribute(&with[0], "roles"), "List([\"assistant\", \"tool\", \"user\"])");
}

#[test]
fn what_is_left_out_is_recorded_with_its_rule() {
    let text = include_str!("fixtures/claude-code.jsonl");
    let options = Options { trace: true, ..Options::default() };
    let raw = read_as("s.jsonl", text.as_bytes(), &options).pages.remove(0);
    let rules: Vec<_> =
        raw.left_out.iter().map(|left| (left.rule.name(), left.element.as_str())).collect();
    assert_eq!(
        rules,
        [("program-context", "turn-1"), ("reasoning", "turn-3"), ("tool-output", "turn-5")]
    );
}

#[test]
fn codex_sessions() {
    let question = "Which test covers bounced mail?";
    let found = pages("r.jsonl", include_str!("fixtures/codex.jsonl"));
    assert_eq!(
        outline(&found[0]),
        [
            question.to_owned(),
            format!("turn-2 {question}: {question}"),
            format!(
                "turn-4 {question}: shell / rg\nbounce\ntests / returns_to_sender in \
                 tests/bounce.rs covers it."
            ),
        ]
    );
    assert_eq!((found[0].page.id.as_str(), found.len()), ("r.jsonl", 1));
    assert_eq!(attribute(&found[0], "project"), "Text(\"/home/ben/mail\")");
    let early = pages("e.jsonl", include_str!("fixtures/codex-early.jsonl"));
    assert_eq!(outline(&early[0])[2], "turn-2 Rename the module.: Renamed it to mailbox.");
    assert_eq!(attribute(&early[0], "started"), "Text(\"2025-06-01T08:00:00Z\")");
}

#[test]
fn exports_of_chatgpt_and_claude() {
    let question = "How long does dough rise without kneading?";
    let found = pages("conversations.json", include_str!("fixtures/chatgpt/conversations.json"));
    assert_eq!(found.len(), 1, "a conversation without text is no page");
    assert_eq!(found[0].page.id, "conversations.json/c-1");
    assert_eq!(
        outline(&found[0]),
        [
            "Bread without kneading".to_owned(),
            format!("turn-2 {question}: {question}"),
            format!(
                "turn-3 {question}: python / print(18 * 60) / Leave it for 18 hours at room \
                 temperature."
            ),
        ]
    );
    let question = "Which knot holds a tent line?";
    let found = pages("conversations.json", include_str!("fixtures/claude/conversations.json"));
    assert_eq!(
        outline(&found[0]),
        [
            "Knots for a tent".to_owned(),
            format!("turn-1 {question}: {question} / Taut-line hitch Bowline"),
            format!("turn-2 {question}: The taut-line hitch: it slides and grips."),
        ]
    );
}

#[test]
fn messages_of_the_common_interfaces() {
    let found = pages("t.jsonl", include_str!("fixtures/openai.jsonl"));
    let question = "Is the shop open on Sunday?";
    assert_eq!(
        outline(&found[0]),
        [
            "Ticket 1".to_owned(),
            format!("turn-2 {question}: {question}"),
            format!("turn-3 {question}: hours / Sunday / No, it is closed on Sundays."),
        ]
    );
    assert_eq!(outline(&found[1])[2], "turn-2 And on Monday?: From nine to five.");

    let found = pages("m.jsonl", include_str!("fixtures/messages.jsonl"));
    let ids: Vec<&str> = found.iter().map(|raw| raw.page.id.as_str()).collect();
    assert_eq!(ids, ["m.jsonl/one", "m.jsonl/two"]);
    assert_eq!(outline(&found[0])[2], "turn-2 First question?: First answer.");
    let times = [attribute(&found[0], "started"), attribute(&found[0], "updated")];
    assert_eq!(
        times,
        ["Text(\"2025-02-01T09:59:00Z\")", "Text(\"2025-02-01T10:00:00Z\")"],
        "the clock was set back between the turns"
    );
    assert_eq!(attribute(&found[1], "started"), "Text(\"2025-02-01T10:00:00Z\")");

    let whole = r#"[{"role": "user", "content": "Only question?"}]"#;
    assert_eq!(outline(&pages("l.json", whole)[0])[1], "turn-1 Only question?: Only question?");
    let under_a_name = format!(r#"{{"data": [{{"id": 1, "messages": {whole}}}]}}"#);
    assert_eq!(pages("l.json", &under_a_name)[0].page.id, "l.json/1");
}

#[test]
fn a_file_of_names_describes_other_programs() {
    let fields = toml::from_str(include_str!("fixtures/mapped.toml")).unwrap();
    let options = Options { chat_fields: Some(fields), ..Options::default() };
    let text = include_str!("fixtures/mapped.jsonl");
    let outcome = read_as("m.jsonl", text.as_bytes(), &options);
    let raw = &outcome.pages[0];
    assert_eq!(raw.page.id, "m.jsonl/7");
    let question = "The parcel is late.";
    assert_eq!(
        outline(raw)[1..],
        [
            format!("turn-1 {question}: {question}"),
            format!("turn-2 {question}: It arrives tomorrow."),
        ]
    );
    assert_eq!(attribute(raw, "project"), "Text(\"parcels\")");
    assert_eq!(attribute(raw, "roles"), "List([\"assistant\", \"user\"])");
}

#[test]
fn sections_have_their_own_role_and_time() {
    let found = pages("s.jsonl", include_str!("fixtures/claude-code.jsonl"));
    let attributes: Vec<String> = found[0]
        .page
        .sections
        .iter()
        .map(|section| {
            let known = section.attributes.iter().map(|(name, value)| format!("{name}={value:?}"));
            known.collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(
        attributes[..2],
        [
            "role=String(\"user\") time=Date(1740992401000)",
            "role=String(\"assistant\") time=Date(1740992405000) tool=Strings([\"Bash\"])",
        ]
    );
}

#[test]
fn lines_that_are_damaged_are_counted_and_named() {
    let good = r#"{"role": "user", "content": "Is it read?"}"#;
    let deep = format!(r#"{{"role": "user", "content": {}{}}}"#, "[".repeat(200), "]".repeat(200));
    let cases: Vec<(&str, Vec<u8>, Kinds)> = vec![
        ("half a line", b"{\"role\": \"us\n".to_vec(), vec![(Severity::Warning, Some(2))]),
        ("NUL bytes", vec![0; 4096], vec![]),
        ("NUL bytes in a line", b"{\"a\0\": 1}\n".to_vec(), vec![(Severity::Warning, Some(2))]),
        ("a list", b"[1]\n".to_vec(), vec![(Severity::Warning, Some(2))]),
        ("a number", b"7\n".to_vec(), vec![(Severity::Warning, Some(2))]),
        ("deep nesting", deep.into_bytes(), vec![(Severity::Warning, Some(2))]),
        ("no role", b"{\"content\": \"x\"}\n".to_vec(), vec![(Severity::Warning, Some(2))]),
        (
            "a role that is a number",
            b"{\"role\": {}, \"content\": \"x\"}\n".to_vec(),
            vec![(Severity::Warning, Some(2))],
        ),
        (
            "content of no known shape",
            b"{\"role\": \"user\", \"content\": 7}\n".to_vec(),
            vec![(Severity::Warning, Some(2))],
        ),
        ("a blank line", b" \t\n".to_vec(), vec![]),
        (
            "invalid UTF-8",
            b"{\"role\": \"user\", \"content\": \"a\xffb\"}\n".to_vec(),
            vec![(Severity::Warning, Some(2))],
        ),
    ];
    for (what, bytes, expect) in cases {
        let mut text = format!("{good}\n").into_bytes();
        text.extend(bytes);
        text.extend(b"\n");
        text.extend(good.as_bytes());
        let outcome = read_as("m.jsonl", &text, &Options::default());
        assert_eq!(kinds(&outcome), expect, "{what}");
        let read = format!("{:?}", outcome.pages[0].page.sections);
        assert_eq!(read.matches("Is it read?").count(), 3, "{what}: heading and both turns");
    }
}

#[test]
fn long_lines_are_left_out() {
    let options = Options { max_file_bytes: 1000, ..Options::default() };
    let long = format!(r#"{{"role": "user", "content": "{}"}}"#, "x".repeat(2000));
    let text = format!("{long}\n{{\"role\": \"user\", \"content\": \"Short?\"}}\n");
    let outcome = read_as("m.jsonl", text.as_bytes(), &options);
    assert_eq!(kinds(&outcome), [(Severity::Warning, Some(1))]);
    assert_eq!(outcome.pages.len(), 1);
}

#[test]
fn many_damaged_lines_are_one_message() {
    let text = "{oops\n".repeat(100);
    let outcome = read_as("m.jsonl", text.as_bytes(), &Options::default());
    assert_eq!(kinds(&outcome), [(Severity::Warning, Some(1))]);
    assert!(outcome.problems[0].reason.contains("99 more"), "{}", outcome.problems[0].reason);
}

#[test]
fn files_without_a_conversation_are_passed_over() {
    for (name, text) in
        [("a.jsonl", ""), ("a.json", "  \n"), ("a.json", "{\"name\": \"x\"}"), ("a.json", "[1]")]
    {
        let outcome = read_as(name, text.as_bytes(), &Options::default());
        assert_eq!(kinds(&outcome), [(Severity::Skipped, None)], "{text}");
    }
    let outcome = read_as("a.json", b"[{\"mapping\": {", &Options::default());
    assert_eq!(kinds(&outcome), [(Severity::Error, Some(1))]);
}

#[test]
fn damaged_trees_end_and_ids_that_repeat_are_two_pages() {
    let node = |id: &str, parent: &str| {
        format!(
            r#""{id}": {{"parent": "{parent}", "children": [], "message": {{"author": {{"role":
            "user"}}, "content": {{"parts": ["Around {id}."]}}}}}}"#
        )
    };
    let tree = format!(
        r#"{{"id": "x", "current_node": "a", "mapping": {{{}, {}}}}}"#,
        node("a", "b"),
        node("b", "a")
    );
    let text = format!("[{tree}, {tree}, 7]");
    let outcome = read_as("c.json", text.as_bytes(), &Options::default());
    let ids: Vec<&str> = outcome.pages.iter().map(|raw| raw.page.id.as_str()).collect();
    assert_eq!(ids, ["c.json/x", "c.json/x/2"]);
    assert_eq!(kinds(&outcome), [(Severity::Warning, None), (Severity::Warning, None)]);
}

#[test]
fn text_is_data() {
    let text = "{\"role\": \"us\\u001b[31mer\", \"content\": \"\\u001b]0;owned\\u0007Stay \
                \\u001b[2Jcalm.\", \"project\": \"\\u001b[1mp\"}";
    let raw = &pages("m.jsonl", text)[0];
    assert_eq!(outline(raw), ["Stay calm.", "turn-1 Stay calm.: Stay calm."]);
    let shown = format!("{:?} {:?}", raw.page, raw.attributes);
    assert!(!shown.contains("\\u{1b}") && !shown.contains("owned"), "{shown}");
}

#[test]
fn conversations_are_recognised_by_their_start() {
    let directory = tempfile::tempdir().unwrap();
    let is = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        is_conversations(&path, &Tree::default())
    };
    assert!(is("s.jsonl", include_str!("fixtures/claude-code.jsonl")));
    assert!(is("r.jsonl", include_str!("fixtures/codex.jsonl")));
    assert!(is("e.jsonl", include_str!("fixtures/codex-early.jsonl")));
    assert!(is("t.jsonl", include_str!("fixtures/openai.jsonl")));
    assert!(is("m.jsonl", include_str!("fixtures/messages.jsonl")));
    assert!(is("g.json", include_str!("fixtures/chatgpt/conversations.json")));
    assert!(is("c.json", include_str!("fixtures/claude/conversations.json")));
    assert!(is("Inbox", "From a@example.org Mon Mar  3 10:00:00 2025\n"));
    assert!(!is("d.jsonl", "{\"_id\": \"1\", \"title\": \"A\", \"text\": \"B\"}\n"));
    assert!(!is("p.json", "{\"name\": \"x\", \"author\": \"y\", \"version\": \"1\"}"));
    assert!(!is("a.md", "From here on."));
    assert!(!is("x.json", ""));
}
