//! Whole files of each format: the pages and sections that they become.

use std::fmt::Write;
use std::path::PathBuf;

use super::super::Format;
use super::*;

fn read_as(name: &str, bytes: &[u8], options: &Options) -> Outcome {
    let file =
        File { id: name.into(), path: PathBuf::from(name), format: Format::Papers, package: None };
    let mut outcome = Outcome::default();
    read(bytes, &file, options, &mut outcome);
    outcome
}

fn pages(name: &str, text: &str) -> Vec<RawPage> {
    read_as(name, text.as_bytes(), &Options::default()).pages
}

fn attribute(raw: &RawPage, name: &str) -> String {
    raw.attributes.get(name).map_or(String::new(), |value| format!("{value:?}"))
}

/// Returns each section as `type anchor heading: text`.
fn outline(raw: &RawPage) -> Vec<String> {
    let sections = raw.page.sections.iter().map(|section| {
        let texts: Vec<&str> = section.blocks.iter().map(|block| block.text.as_str()).collect();
        let kind = match section.attributes.get("chunk_type") {
            Some(findling_bundle::AttributeValue::String(kind)) => kind.as_str(),
            other => panic!("{other:?}"),
        };
        let anchor = section.anchor.as_deref().unwrap_or("-");
        format!("{kind} {anchor} {}: {}", section.heading, texts.join(" / "))
    });
    sections.collect()
}

/// The severity of a problem, and its line.
type Kinds = Vec<(Severity, Option<u64>)>;

fn kinds(outcome: &Outcome) -> Kinds {
    outcome.problems.iter().map(|problem| (problem.severity, problem.line)).collect()
}

#[test]
fn bibtex_and_biblatex() {
    let found = pages("library.bib", include_str!("fixtures/library.bib"));
    let titles: Vec<&str> = found.iter().map(|raw| raw.page.title.as_str()).collect();
    assert_eq!(titles, ["Why Worker Pools Starve: A Field Study", "Café queues", "Untitled work"]);
    let first = &found[0];
    assert_eq!(first.page.id, "library.bib/silva2019pools");
    assert_eq!(first.page.url, "https://doi.org/10.1000/pools.2019");
    for (name, value) in [
        ("authors", "List([\"Ana Silva\", \"Ben van den Berg\"])"),
        ("year", "Number(2019.0)"),
        ("venue", "Text(\"Symposium on Operating Systems\")"),
        ("doi", "Text(\"10.1000/pools.2019\")"),
        ("type", "Text(\"conference\")"),
        ("keywords", "List([\"pools\", \"scheduling\"])"),
    ] {
        assert_eq!(attribute(first, name), value);
    }
    assert_eq!(
        outline(first),
        ["abstract abstract Abstract: We watch 40 services for a year and find that pools \
             starve when a lock is held while a worker waits."]
    );
    assert_eq!(found[1].page.url, "https://example.org/cafe");
    assert_eq!(attribute(&found[1], "type"), "Text(\"preprint\")");
}

#[test]
fn what_is_not_known_reads_unknown() {
    let found = pages("library.bib", include_str!("fixtures/library.bib"));
    let bare = &found[2];
    assert_eq!(bare.page.url, "/library.bib/bare");
    assert_eq!(attribute(bare, "authors"), "List([\"unknown\"])");
    assert_eq!(attribute(bare, "venue"), "Text(\"unknown\")");
    assert_eq!(attribute(bare, "type"), "Text(\"thesis\")");
    assert_eq!(attribute(bare, "year"), "", "the years that are known stay numbers");
    assert!(bare.page.meta.contains(&("year".to_owned(), "unknown".to_owned())));
    assert_eq!(outline(bare), [""; 0]);
}

#[test]
fn ris() {
    let outcome =
        read_as("l.ris", include_str!("fixtures/library.ris").as_bytes(), &Options::default());
    let found = outcome.pages;
    let ids: Vec<&str> = found.iter().map(|raw| raw.page.id.as_str()).collect();
    assert_eq!(ids, ["l.ris/ris1", "l.ris/2", "l.ris/3"]);
    assert_eq!(attribute(&found[0], "authors"), "List([\"Lise Moreau\", \"Ken Tanaka\"])");
    assert_eq!(attribute(&found[0], "venue"), "Text(\"Journal of Sleep\")");
    assert_eq!(attribute(&found[0], "year"), "Number(2021.0)");
    let kinds: Vec<String> = found.iter().map(|raw| attribute(raw, "type")).collect();
    assert_eq!(kinds, ["Text(\"article\")", "Text(\"thesis\")", "Text(\"chapter\")"]);
    assert_eq!(attribute(&found[2], "venue"), "Text(\"The book of it\")");
}

#[test]
fn csl_json_and_json_lines() {
    let found = pages("l.json", include_str!("fixtures/library.json"));
    assert_eq!(outline(&found[0]), ["abstract abstract Abstract: The lagoon fills twice a day."]);
    assert_eq!(attribute(&found[0], "year"), "Number(2015.0)");
    assert_eq!(attribute(&found[1], "type"), "Text(\"unknown\")");
    let text = include_str!("fixtures/library.jsonl");
    let outcome = read_as("l.jsonl", text.as_bytes(), &Options::default());
    assert_eq!(kinds(&outcome), [(Severity::Warning, Some(2))]);
    let authors: Vec<String> = outcome.pages.iter().map(|raw| attribute(raw, "authors")).collect();
    assert_eq!(authors[1], "List([\"Wei Li\", \"Ana Silva\"])");
    assert_eq!(attribute(&outcome.pages[1], "year"), "Number(2022.0)");
}

#[test]
fn a_text_beside_the_bibliography_belongs_to_its_paper() {
    let mut all = pages("library.bib", include_str!("fixtures/library.bib"));
    all.extend(pages("silva2019pools.txt", include_str!("fixtures/silva2019pools.txt")));
    all.extend(pages("other.txt", "Nothing is known of this.\n"));
    join(&mut all);
    let ids: Vec<&str> = all.iter().map(|raw| raw.page.id.as_str()).collect();
    assert_eq!(
        ids,
        ["library.bib/silva2019pools", "library.bib/koch2023", "library.bib/bare", "other.txt"]
    );
    assert_eq!(all[0].page.url, "/silva2019pools.txt");
    assert_eq!(attribute(&all[0], "year"), "Number(2019.0)");
    assert_eq!(
        outline(&all[0]),
        [
            "body - : Ana Silva, Ben van den Berg",
            "abstract abstract Abstract: We watch 40 services for a year.",
            "introduction 1-introduction 1 Introduction: Pools of workers are everywhere.",
            "methods 2-methods 2 Methods: ",
            "methods 21-services 2.1 Services: We logged every lock of 40 services.",
            "caption figure-1 Figure 1: Figure 1: Locks that were held per hour.",
            "results 3-results 3 Results: A lock held while waiting explains 93 % of the stalls.",
            "discussion 4-discussion 4 Discussion: Release the lock before you wait.",
        ]
    );
    assert_eq!(attribute(&all[3], "authors"), "List([\"unknown\"])");
}

#[test]
fn references_are_indexed_where_they_are_asked_for() {
    let text = include_str!("fixtures/silva2019pools.txt");
    let without = &pages("a.txt", text)[0];
    assert!(!format!("{:?}", without.page.sections).contains("Dijkstra"));
    let options = Options { references: true, trace: true, ..Options::default() };
    let with = &read_as("a.txt", text.as_bytes(), &options).pages[0];
    let last = outline(with).pop().unwrap();
    assert!(last.starts_with("references references References: [1] Dijkstra"), "{last}");
    let options = Options { trace: true, ..Options::default() };
    let traced = &read_as("a.txt", text.as_bytes(), &options).pages[0];
    assert_eq!(traced.left_out[0].rule.name(), "references");
}

#[test]
fn texts_are_found_by_key_doi_title_and_named_file() {
    for (name, entry) in [
        ("k-1.txt", "@book{k-1, title={T}}"),
        ("10.1000_x.1.txt", "@book{a, title={T}, doi={10.1000/x.1}}"),
        ("On_the_Tides of Lagoons.txt", "@book{a, title={On the tides of {Lagoons}}}"),
        ("z.txt", "@book{a, title={T}, file={:papers/z.txt:TXT}}"),
    ] {
        let mut all = pages("l.bib", entry);
        all.extend(pages(name, "Its text.\n"));
        join(&mut all);
        assert_eq!(all.len(), 1, "{name}");
        assert_eq!(all[0].page.sections.len(), 1, "{name}");
    }
}

#[test]
fn damaged_bibliographies_are_named_and_the_rest_is_read() {
    let good = "@book{good, title={Good}}\n";
    let deep = format!("@book{{d, title={}x{}}}\n", "{".repeat(5000), "}".repeat(5000));
    let cases: Vec<(&str, &str, String, usize, Kinds)> = vec![
        (
            "half an entry",
            "l.bib",
            format!("{good}@book{{x, title = {{Ha"),
            1,
            vec![(Severity::Warning, Some(2))],
        ),
        ("deep nesting", "l.bib", format!("{good}{deep}"), 1, vec![(Severity::Warning, Some(2))]),
        (
            "an unknown name",
            "l.bib",
            format!("{good}@book{{x, title = nobody}}\n"),
            1,
            vec![(Severity::Warning, Some(2))],
        ),
        ("a key twice", "l.bib", format!("{good}{good}"), 2, vec![(Severity::Warning, None)]),
        ("NUL bytes", "l.bib", format!("{good}\0\0\0"), 1, vec![]),
        ("no entry", "l.bib", "words\n".into(), 0, vec![(Severity::Skipped, None)]),
        ("an empty file", "l.ris", String::new(), 0, vec![(Severity::Skipped, None)]),
        ("no end", "l.ris", "TY  - JOUR\nTI  - Good\n".into(), 1, vec![]),
        ("no record", "l.ris", "words\n".into(), 0, vec![(Severity::Skipped, None)]),
        ("half a list", "l.json", "[{\"title\": \"x\"".into(), 0, vec![(Severity::Error, Some(1))]),
        (
            "no objects",
            "l.json",
            "[1, {\"title\": \"x\"}]".into(),
            1,
            vec![(Severity::Warning, None)],
        ),
        (
            "wrong types",
            "l.json",
            "[{\"title\": 7, \"author\": {}, \"issued\": []}]".into(),
            1,
            vec![],
        ),
        ("deep JSON", "l.json", "[".repeat(100_000), 0, vec![(Severity::Error, Some(1))]),
    ];
    for (what, name, text, n_pages, expect) in cases {
        let outcome = read_as(name, text.as_bytes(), &Options::default());
        assert_eq!(outcome.pages.len(), n_pages, "{what}");
        assert_eq!(kinds(&outcome), expect, "{what}");
    }
    let outcome = read_as("l.bib", b"@book{a, title={Caf\xe9}}\n", &Options::default());
    assert_eq!(outcome.pages[0].page.title, "Café", "windows-1252");
    assert_eq!(kinds(&outcome), [(Severity::Warning, None)]);
}

#[test]
fn bibliographies_are_recognised() {
    let directory = tempfile::tempdir().unwrap();
    let is = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        is_bibliography(&path, &Tree::default())
    };
    assert!(is("a.bib", "") && is("a.ris", ""));
    assert!(is("a.json", include_str!("fixtures/library.json")));
    assert!(!is("package.json", "{\"name\": \"x\", \"author\": \"y\"}"));
    assert!(!is("b.json", "[1, 2]"));
    assert!(!is("a.jsonl", include_str!("fixtures/library.jsonl")), "records, unless said");
}

#[test]
fn exports_of_pubmed_and_endnote() {
    let all = [
        ("library.nbib", include_str!("fixtures/library.nbib")),
        ("library.enw", include_str!("fixtures/library.enw")),
        ("endnote.xml", include_str!("fixtures/endnote.xml")),
        ("pubmed.xml", include_str!("fixtures/pubmed.xml")),
    ];
    let mut told = String::new();
    for (name, text) in all {
        let outcome = read_as(name, text.as_bytes(), &Options::default());
        for raw in &outcome.pages {
            let paper = raw.paper.as_ref().expect("a paper");
            writeln!(told, "{} | {} | {}", raw.page.id, raw.page.url, raw.page.title).unwrap();
            for field in ["authors", "year", "venue", "type", "keywords"] {
                writeln!(told, "  {field} {}", attribute(raw, field)).unwrap();
            }
            let Paper { volume, issue, pages, publisher, place, isbn, files, .. } = &**paper;
            writeln!(told, "  {volume} {issue} {pages} {publisher} {place} {isbn} {files:?}")
                .unwrap();
            writeln!(
                told,
                "  editors {:?}",
                paper.editors.iter().map(|one| &one.family).collect::<Vec<_>>()
            )
            .unwrap();
            for line in outline(raw) {
                writeln!(told, "  {line}").unwrap();
            }
        }
        for problem in &outcome.problems {
            writeln!(told, "  {:?} {:?} {}", problem.severity, problem.line, problem.reason)
                .unwrap();
        }
    }
    assert_eq!(told, include_str!("fixtures/exports.txt"));
}

#[test]
fn xml_is_a_bibliography_by_its_beginning() {
    let dir = tempfile::tempdir().unwrap();
    let is_one = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        has_name(&path, &Tree::default()) && is_bibliography(&path, &Tree::default())
    };
    assert!(is_one("a.xml", include_str!("fixtures/endnote.xml")));
    assert!(is_one("b.xml", include_str!("fixtures/pubmed.xml")));
    assert!(!is_one(
        "sitemap.xml",
        "<?xml version=\"1.0\"?><urlset><url><loc>/</loc></url></urlset>"
    ));
    assert!(!is_one("book.xml", "<book><title>On records</title></book>"));
}
