//! A search over Org must find what readers of the exported page see.

use std::path::PathBuf;

use findling_bundle::AttributeValue;

use super::super::Format;
use super::super::attributes::Raw;
use super::super::page_outline::outline;
use super::*;

fn page(text: &str) -> RawPage {
    let file = File {
        id: "a.org".into(),
        path: PathBuf::from("a.org"),
        format: Format::Org,
        package: None,
    };
    let mut outcome = Outcome::default();
    let raw = read(text, &file, &Options::default(), &mut outcome).expect("a page");
    assert!(outcome.problems.is_empty(), "{:?}", outcome.problems);
    raw
}

fn check(text: &str, expect: &str) {
    assert_eq!(outline(&page(text)), expect, "{text}");
}

#[test]
fn headlines_are_sections_with_their_anchors() {
    check(
        "intro\n\n* Tides [1/2]\na\n** Low water\n:PROPERTIES:\n:CUSTOM_ID: low\n:END:\nb\n\
         * COMMENT Later\nunseen\n** unseen\n* Secret :noexport:\nunseen\n* Tides\nc\n",
        "0 : intro\n1 Tides #tides: a\n2 Low water #low: b\n1 Tides #tides-1: c",
    );
}

#[test]
fn states_and_tags_are_attributes_of_sections() {
    let raw = page("#+TODO: WAIT | DONE\n* WAIT One :sea:\na\n** Two :low:\nb\n* Three\nc\n");
    let attributes: Vec<_> =
        raw.page.sections.iter().map(|section| section.attributes.clone()).collect();
    assert_eq!(attributes[0]["todo"], AttributeValue::String("WAIT".into()));
    let tags =
        |tags: &[&str]| AttributeValue::Strings(tags.iter().map(|tag| (*tag).into()).collect());
    assert_eq!(attributes[0]["tags"], tags(&["sea"]));
    assert_eq!(attributes[1]["tags"], tags(&["low", "sea"]));
    assert!(attributes[2].is_empty());
}

#[test]
fn blocks_are_what_readers_see() {
    check(
        "One *two*\n/three/.\n\n- a\n- [X] b\n  c\n1. d\n- term :: meaning\n\n\
         | H | I |\n|---+---|\n| 1 | =2= |\n#+TBLFM: unseen\n\n# a comment\n\
         #+begin_quote\nA quotation.\n#+end_quote\n\
         #+CAPTION: A caption\n[[file:a.png]]\n\n-----\n\ntext[fn:1]\n\n[fn:1] A footnote.\n",
        "0 : One two three. / a / b c / d / term: meaning / H | I / 1 | 2 / A quotation. / \
         A caption / a.png / text / A footnote.",
    );
}

#[test]
fn code_keeps_its_lines() {
    check(
        "#+begin_src rust :exports code\nfn a() {\n    b();\n}\n#+end_src\n\n#+BEGIN_EXAMPLE\n\
         ,* no headline\n#+END_EXAMPLE\n\n: fixed\n: width\n\n#+begin_src sh :exports none\n\
         unseen\n#+end_src\n\n#+begin_comment\nunseen\n#+end_comment\n\n#+begin_export latex\n\
         unseen\n#+end_export\n\n#+begin_export html\n<b>raw</b> text\n#+end_export\n",
        "0 : <fn a() {\n    b();\n}> / <* no headline> / <fixed\nwidth> / raw text",
    );
}

#[test]
fn drawers_and_planning_are_no_text() {
    check(
        "* Task\nSCHEDULED: <2025-03-01 Sat>\n:PROPERTIES:\n:Effort: 1h\n:END:\n:LOGBOOK:\n\
         CLOCK: [2025-03-01]\n:END:\nText.\n:NOTES:\nMore.\n:END:\n",
        "1 Task #task: Text. / More.",
    );
}

#[test]
fn keywords_tell_of_the_page() {
    let raw = page(
        "#+TITLE: About\n#+title: tides\n#+AUTHOR: Ada Keeper\n#+DATE: <2025-03-01 Sat>\n\
         #+FILETAGS: :sea:moon:\n#+KEYWORDS: tides, sea\n#+LANGUAGE: en\n#+OPTIONS: toc:nil\n\
         #+MACRO: sea the $1 sea\n\nIn {{{sea(deep)}}}.\n",
    );
    assert_eq!(raw.names.explicit.as_deref(), Some("About tides"));
    assert_eq!(raw.attributes["author"], Raw::Text("Ada Keeper".into()));
    assert_eq!(raw.attributes["date"], Raw::Text("2025-03-01".into()));
    let tags = ["sea", "moon", "tides"].map(str::to_owned).to_vec();
    assert_eq!(raw.attributes["tags"], Raw::List(tags));
    assert_eq!(raw.page.language, "en");
    assert_eq!(outline(&raw), "0 : In the deep sea.");
}

#[test]
fn parts_are_taken_in_and_a_circle_ends() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write(
        "a.org",
        "* One\n#+INCLUDE: \"b.org::*Part\"\n#+INCLUDE: \"x.rs\" src rust\n\
         #+INCLUDE: \"/etc/passwd\"\n",
    );
    write("b.org", "* Other\nunseen\n* Part\nPart.\n#+INCLUDE: \"a.org\"\n* Next\nunseen\n");
    write("x.rs", "fn a() {}\n");
    let path = dir.path().join("a.org");
    let file = File { id: "a.org".into(), path: path.clone(), format: Format::Org, package: None };
    let mut outcome = Outcome::default();
    let text = std::fs::read_to_string(&path).unwrap();
    let raw = read(&text, &file, &Options::default(), &mut outcome).unwrap();
    let outline = outline(&raw);
    assert!(outline.contains("Part.") && outline.contains("<fn a() {}>"), "{outline}");
    assert!(!outline.contains("unseen"), "{outline}");
    assert!(outcome.may_change && outcome.problems.len() == 2, "{:?}", outcome.problems);
}

#[test]
fn broken_and_hostile_text_is_read() {
    let deep: String = (1..500).map(|n| format!("{} x\n", "*".repeat(n))).collect();
    let blocks = "#+begin_quote\n".repeat(5_000);
    for text in [
        deep.as_str(),
        &blocks,
        &"*a ".repeat(20_000),
        &"[".repeat(20_000),
        &":A:\n".repeat(5_000),
        "",
        "*",
        "* ",
        "#+",
        "#+begin_src",
        "[fn:",
        "[[",
        "{{{",
        "|",
        ":",
        "\\",
        "#+INCLUDE:",
        "#+INCLUDE: \"",
    ] {
        let file =
            File { id: "a.org".into(), path: "a.org".into(), format: Format::Org, package: None };
        read(text, &file, &Options::default(), &mut Outcome::default()).expect("a page");
    }
}
