//! A search over reStructuredText must find what readers of the rendered page see.

use std::path::PathBuf;

use super::super::Format;
use super::super::attributes::Raw;
use super::super::page_outline::outline;
use super::*;

fn page(text: &str) -> RawPage {
    let file = File {
        id: "a.rst".into(),
        path: PathBuf::from("a.rst"),
        format: Format::Rst,
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
fn titles_have_levels_by_their_adornments_and_anchors_as_in_sphinx() {
    check(
        "=====\nTides\n=====\n\nintro\n\n.. _low-water:\n\nLow water\n---------\n\na\n\n\
         How low?\n~~~~~~~~\n\nb\n\nHigh water\n----------\n\nc\n",
        "1 Tides #tides: intro\n2 Low water #id1: a\n3 How low? #how-low: b\n\
         2 High water #high-water: c",
    );
}

#[test]
fn blocks_are_what_readers_see() {
    check(
        "One *two*\n``three``.\n\n- a\n- b\n\n  c\n\n1. d\n2. e\n\nterm\n   meaning\n\n   more\n\n\
         | line one\n| line two\n\n   a quotation\n\n.. a comment\n   of two lines\n\nend\n",
        "0 : One two three. / a / b / c / d / e / term / meaning / more / line one line two / \
         a quotation / end",
    );
}

#[test]
fn code_keeps_its_lines() {
    check(
        "Run::\n\n    a = 1\n\n    if a:\n        b\n\nor ::\n\n> quoted\n> lines\n\n\
         .. code-block:: python\n   :linenos:\n   :caption: A sum\n\n   1 + 1\n\n\
         >>> 1 + 1\n2\n\nend\n",
        "0 : Run: / <a = 1\n\nif a:\n    b> / or / <> quoted\n> lines> / A sum / <1 + 1> / \
         <>>> 1 + 1\n2> / end",
    );
}

#[test]
fn tables_are_read_by_rows() {
    check(
        "+---+---+\n| H | I |\n+===+===+\n| 1 | 2 |\n|   | x |\n+---+---+\n\n\
         ===  ===\n J    K\n===  ===\n 3    4\n===  ===\n\n\
         .. list-table:: Title\n   :header-rows: 1\n\n   * - L\n     - M\n   * - 5\n     - 6\n\n\
         .. csv-table::\n   :header: N, O\n\n   7, \"8, 9\"\n",
        "0 : H | I / 1 | 2 x / J | K / 3 | 4 / Title / L | M / 5 | 6 / N | O / 7 | 8, 9",
    );
}

#[test]
fn directives_are_read_as_pages_show_them() {
    check(
        ".. note:: One\n   two.\n\n   Three.\n\n.. admonition:: Own title\n\n   Text.\n\n\
         .. versionadded:: 3.2\n   The key.\n\n.. figure:: a.png\n   :alt: A picture\n\n\
         \x20  A caption\n\n.. toctree::\n   :maxdepth: 2\n\n   guide/start\n\n\
         .. raw:: html\n\n   <b>raw</b> text\n\n\
         .. raw:: latex\n\n   unseen\n\n.. unknown:: A title\n\n   Content.\n\n\
         .. math:: a^2\n",
        "0 : One two. / Three. / Own title / Text. / New in version 3.2: The key. / A picture / \
         A caption / raw text / A title / Content. / <a^2>",
    );
}

#[test]
fn footnotes_and_substitutions_are_resolved() {
    check(
        ".. |tool| replace:: Findling\n.. |c| unicode:: 0xA9 .. a sign\n\n|tool| |c| finds [1]_ it \
         [KEY]_.\n\n.. [1] A note.\n.. [KEY] A *book*.\n\n.. _target: https://x.org\n",
        "0 : Findling © finds it KEY. / A note. / KEY A book.",
    );
}

#[test]
fn objects_are_sections_with_their_anchors() {
    check(
        "json\n====\n\n.. module:: json\n   :synopsis: unseen\n\n.. function:: dump(obj, fp, *, \
         x=None)\n              dump(obj)\n\n   Writes *obj*.\n\n   :param obj: what\n\n\
         .. class:: Encoder()\n\n   Text.\n\n   .. method:: default(o)\n\n      Returns.\n\n\
         After.\n\n.. program:: tool\n\n.. option:: -v, --verbose\n\n   Says more.\n\n\
         .. glossary::\n\n   Spring tide\n      High.\n",
        "1 json #module-json: After.\n2 json.dump(obj, fp, *, x=None) #json.dump: dump(obj) / \
         Writes obj. / obj: what\n2 json.Encoder() #json.Encoder: Text.\n\
         3 Encoder.default(o) #json.Encoder.default: Returns.\n\
         2 -v, --verbose #cmdoption-tool-v: Says more.\n2 Spring tide #term-Spring-tide: High.",
    );
}

#[test]
fn fields_at_the_beginning_tell_of_the_page() {
    let raw = page(
        ":orphan:\n:tags: sea, tides\n\nTides\n=====\n\n:Author: A. Keeper\n:Date: 2025-03-01\n\n\
         .. meta::\n   :description: About tides\n\nText.\n\n:field: of the text\n",
    );
    assert_eq!(raw.names.h1.as_deref(), Some("Tides"));
    assert_eq!(raw.attributes["author"], Raw::Text("A. Keeper".into()));
    assert_eq!(raw.attributes["date"], Raw::Text("2025-03-01".into()));
    assert_eq!(raw.attributes["tags"], Raw::List(vec!["sea".into(), "tides".into()]));
    assert_eq!(raw.page.meta, [("description".to_owned(), "About tides".to_owned())]);
    assert_eq!(outline(&raw), "1 Tides #tides: Text. / field: of the text");
}

#[test]
fn what_is_left_out_is_noted() {
    let options = Options { trace: true, ..Options::default() };
    let file =
        File { id: "a.rst".into(), path: "a.rst".into(), format: Format::Rst, package: None };
    let text = ".. secret\n\nText [1]_.\n\n.. toctree::\n\n   a\n";
    let raw = read(text, &file, &options, &mut Outcome::default()).unwrap();
    let rules: Vec<&str> = raw.left_out.iter().map(|left_out| left_out.rule.name()).collect();
    assert_eq!(rules, ["comment", "reference-mark", "navigation"]);
}

#[test]
fn parts_are_taken_in_and_a_circle_ends() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write(
        "a.rst",
        "One\n===\n\n.. include:: part.txt\n   :start-after: begin\n\n\
        .. literalinclude:: x.py\n   :lines: 2\n\n.. include:: ../../etc/passwd\n",
    );
    write("part.txt", "unseen\nbegin\nTwo\n---\n\nPart.\n\n.. include:: a.rst\n");
    write("x.py", "a\nb\nc\n");
    let path = dir.path().join("a.rst");
    let file = File { id: "a.rst".into(), path: path.clone(), format: Format::Rst, package: None };
    let mut outcome = Outcome::default();
    let text = std::fs::read_to_string(&path).unwrap();
    let raw = read(&text, &file, &Options::default(), &mut outcome).unwrap();
    let outline = outline(&raw);
    assert!(outline.contains("2 Two #two: Part."), "{outline}");
    assert!(outline.contains("<b>") && !outline.contains("unseen"), "{outline}");
    assert!(outcome.may_change && outcome.problems.len() == 2, "{:?}", outcome.problems);
}

#[test]
fn modules_and_declarations_of_cpp_have_the_anchors_of_sphinx() {
    let raw = page(
        "Tides\n=====\n\n.. module:: tide\n   :synopsis: unseen\n\n.. function:: low()\n\n   \
         Low.\n\n.. cpp:namespace:: a\n\n.. cpp:class:: Pool\n\n   A pool.\n\n   \
         .. cpp:function:: int size() const\n\n      Its size.\n\n.. cpp:namespace-push:: b\n\n\
         .. cpp:member:: int n\n\n   A number.\n\n.. cpp:namespace-pop::\n\n\
         .. cpp:type:: Id = int\n\n   A name.\n",
    );
    assert_eq!(raw.page.aliases, ["tide"]);
    let anchors: Vec<_> = raw.page.sections.iter().flat_map(|section| &section.anchor).collect();
    assert!(anchors.iter().any(|anchor| *anchor == "module-tide"), "{anchors:?}");
    let outline = outline(&raw);
    for part in [
        "tide.low() #tide.low: Low.",
        "Pool #_CPPv4N1a4PoolE: A pool.",
        "int size() const #_CPPv4NK1a4Pool4sizeEv: Its size.",
        "int n #_CPPv4N1a1b1nE: A number.",
        "Id = int #_CPPv4N1a2IdE: A name.",
    ] {
        assert!(outline.contains(part), "{part}: {outline}");
    }
}

#[test]
fn broken_and_hostile_text_is_read() {
    let deep: String = (0..200).map(|n| format!("{}- x\n", "  ".repeat(n))).collect();
    for text in [
        deep.as_str(),
        "",
        "..",
        ".. ",
        ".. x::",
        "=",
        "===\n===\n===",
        "+-+\n|",
        "= =\n",
        "::",
        ":a:",
        ".. |a| replace:: |a|\n\n|a|",
        "`",
        "[]_",
        "a\n  b\n c\n   d",
        ".. list-table::\n\n   * -",
        ".. glossary::\n\n   a",
        "\u{feff}T\n=\n",
    ] {
        page(text);
    }
}
