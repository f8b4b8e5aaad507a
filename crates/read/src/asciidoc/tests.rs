//! A search over AsciiDoc must find the text that readers of the rendered page see.

use std::path::PathBuf;

use super::super::Format;
use super::super::attributes::Raw;
use super::super::page_outline::outline;
use super::*;

fn page(text: &str) -> RawPage {
    let file = File {
        id: "a.adoc".into(),
        path: PathBuf::from("a.adoc"),
        format: Format::Asciidoc,
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
fn titles_have_the_anchors_that_asciidoctor_gives_them() {
    check(
        "= Tides\n\nintro\n\n== Low water: how low?\n\na\n\n[[own]]\n=== Its `code`\n\nb\n\n\
         == Low water: how low?\n\nc\n",
        "1 Tides: intro\n2 Low water: how low? #_low_water_how_low: a\n3 Its code #own: b\n\
         2 Low water: how low? #_low_water_how_low_2: c",
    );
}

#[test]
fn titles_of_two_lines_are_titles() {
    check(
        "tide-add(1)\n===========\n\nNAME\n----\ntide-add - adds\n\nOPTIONS\n-------\n-n::\n\
         --dry-run::\n\tAdds nothing.\n",
        "1 tide-add(1): \n2 NAME #_name: tide-add - adds\n\
         2 OPTIONS #_options: -n / --dry-run / Adds nothing.",
    );
}

#[test]
fn blocks_are_what_readers_see() {
    check(
        "One *two* _three_ `four` https://x.org[a link] <<s,a reference>> {undefined}.\n\n\
         // a comment\n\n* a\n** b\n+\nmore\n\n. c\n\nterm:: meaning\n\nNOTE: A note.\n\n\
         [source,rust]\n----\nlet a = 1;\n----\n\n|===\n|H |I\n\n|1 |2\n|===\n\n\
         image::i.png[A picture]\n\n____\nA quotation.\n____\n\n////\nunseen\n////\n\n\
         text.footnote:[A footnote.]\n",
        "0 : One two three four a link a reference {undefined}. / a / b / more / c / term / \
         meaning / A note. / <let a = 1;> / H | I / 1 | 2 / A picture / A quotation. / text. / \
         A footnote.",
    );
}

#[test]
fn attributes_and_conditions_hold() {
    check(
        ":tool: Findling\n\n{tool} finds.\n\nifdef::absent[]\nunseen\nendif::[]\nifndef::absent[]\n\
         seen\nendif::[]\n",
        "0 : Findling finds. / seen",
    );
}

#[test]
fn macros_of_a_sites_extension_are_text() {
    check(
        "See linkgit:git-log[1], *commit:ab12[the fix]*.\n\n----\nlinkgit:git-log[1]\n----\n",
        "0 : See git-log(1), the fix. / <linkgit:git-log[1]>",
    );
}

#[test]
fn the_header_tells_of_the_page() {
    let raw = page(
        "= Tides\nAda Keeper <ada@x.org>; Bo Watch\nv1.2, 2025-03-01\n:keywords: sea, tides\n\
         :description: About tides\n\nText.\n",
    );
    assert_eq!(raw.names.h1.as_deref(), Some("Tides"));
    assert_eq!(raw.attributes["author"], Raw::List(vec!["Ada Keeper".into(), "Bo Watch".into()]));
    assert_eq!(raw.attributes["date"], Raw::Text("2025-03-01".into()));
    assert_eq!(raw.attributes["tags"], Raw::List(vec!["sea".into(), "tides".into()]));
    let raw = page("---\ntitle: Front\nlevel: 3\n---\n= Tides\n\nText.\n");
    assert_eq!(raw.names.explicit.as_deref(), Some("Front"));
    assert!(raw.attributes.contains_key("level"));
}

#[test]
fn parts_below_the_root_are_taken_in() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    std::fs::create_dir(dir.path().join("parts")).unwrap();
    write(
        "a.adoc",
        "= One\n\ninclude::parts/b.adoc[leveloffset=+1]\n\ninclude::/etc/passwd[]\n\n\
         include::absent.adoc[]\n\nend\n",
    );
    write("parts/b.adoc", "= Two\n\nPart.\n\ninclude::c.adoc[tag=x]\n\ninclude::../a.adoc[]\n");
    write("parts/c.adoc", "unseen\n\n// tag::x[]\nTagged.\n// end::x[]\n");
    let path = dir.path().join("a.adoc");
    let file =
        File { id: "a.adoc".into(), path: path.clone(), format: Format::Asciidoc, package: None };
    let mut outcome = Outcome::default();
    let text = std::fs::read_to_string(&path).unwrap();
    let raw = read(&text, &file, &Options::default(), &mut outcome).unwrap();
    let outline = outline(&raw);
    assert!(outline.contains("2 Two #_two: Part. / Tagged."), "{outline}");
    assert!(outline.contains("end") && !outline.contains("unseen"), "{outline}");
    assert!(!outline.contains("Unresolved"), "{outline}");
    assert!(outcome.may_change && outcome.problems.len() >= 2, "{:?}", outcome.problems);
}

#[test]
fn parts_of_others_are_no_pages() {
    for id in ["_attributes.adoc", "guide/_part.adoc", "modules/ROOT/partials/a.adoc"] {
        let file = File { id: id.into(), path: id.into(), format: Format::Asciidoc, package: None };
        assert!(read("text", &file, &Options::default(), &mut Outcome::default()).is_err(), "{id}");
    }
}

#[test]
fn broken_and_hostile_text_is_read_or_refused() {
    let lists: String = (0..500).map(|n| format!("{} x\n", "*".repeat(n))).collect();
    let markers: String = (1..=16)
        .flat_map(|n| ["*", ".", "-"].map(|mark| format!("{} x\n", mark.repeat(n))))
        .collect();
    let attributes: String =
        (1..12).map(|n| format!(":a{n}: {}\n", format!("{{a{}}}", n - 1).repeat(10))).collect();
    for text in [
        lists.as_str(),
        &format!("= A\n\n{markers}"),
        &format!(":a0: xxxxxxxxxx\n{attributes}\n{{a11}}\n"),
        &"[".repeat(5_000),
        &"*a _b `c ".repeat(2_000),
        &"a:: ".repeat(2_000),
        &"ifdef::x[]\n".repeat(2_000),
        "|===\n|a",
        "----\nopen",
        "[[",
        "= ",
        "include::[]",
        "image::[]",
        "",
    ] {
        // The test runs on a thread with a small stack, like the readers' threads.
        let text = text.to_owned();
        std::thread::Builder::new()
            .stack_size(2 << 20)
            .spawn(move || {
                let file = File {
                    id: "a.adoc".into(),
                    path: "a.adoc".into(),
                    format: Format::Asciidoc,
                    package: None,
                };
                let _ = read(&text, &file, &Options::default(), &mut Outcome::default());
            })
            .unwrap()
            .join()
            .unwrap();
    }
}
