//! Tests of whole inputs: directories on disk, sites, and properties that hold for any bytes.

use std::path::{Path, PathBuf};

use findling_bundle::AttributeValue;
use proptest::prelude::*;

use super::*;

/// A temporary directory, removed when dropped.
struct Directory(
    PathBuf,
    #[allow(dead_code, reason = "removes the directory when dropped")] tempfile::TempDir,
);

impl Directory {
    fn with(files: &[(&str, &str)]) -> Self {
        let held = tempfile::tempdir().expect("a directory");
        // A subdirectory is used, because the directory's own name is hidden.
        let directory = Self(held.path().join("site"), held);
        for (path, text) in files {
            directory.write(path, text.as_bytes());
        }
        directory
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, bytes).expect("a file");
    }

    fn join(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }
}

fn read_all(inputs: &[PathBuf], options: &Options) -> (Vec<Page>, Vec<Problem>) {
    let mut problems = Vec::new();
    let pages = read(inputs, options, &mut |problem| problems.push(problem));
    (pages, problems)
}

fn ids(pages: &[Page]) -> Vec<&str> {
    pages.iter().map(|page| page.id.as_str()).collect()
}

#[test]
fn a_site_is_read_in_the_order_of_its_paths() {
    let site = Directory::with(&[
        ("b.html", "<title>B</title><p>b"),
        ("a/index.html", "<title>A</title><p>a"),
        ("index.html", "<title>Home</title><p>h"),
        (".git/x.html", "<p>hidden"),
        ("node_modules/x.html", "<p>dependency"),
        ("findling/findling.idx", ""),
        ("findling/demo.html", "<p>bundle"),
        ("notes.md", "left out, for the site is HTML"),
    ]);
    let (pages, problems) = read_all(std::slice::from_ref(&site.0), &Options::default());
    assert_eq!(ids(&pages), ["a/index.html", "b.html", "index.html"]);
    let urls: Vec<_> = pages.iter().map(|page| page.url.as_str()).collect();
    assert_eq!(urls, ["/a/", "/b.html", "/"]);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].severity, Severity::Skipped);
}

#[test]
fn urls_stand_behind_the_base_and_keep_index_html_if_told() {
    let site = Directory::with(&[("a b/index.html", "<p>x")]);
    let options = Options {
        base_url: "https://example.org/docs".into(),
        keep_index_html: true,
        ..Options::default()
    };
    assert_eq!(
        read_all(std::slice::from_ref(&site.0), &options).0[0].url,
        "https://example.org/docs/a%20b/index.html"
    );
}

#[test]
fn several_inputs_are_named_below_the_directory_that_holds_them() {
    let site = Directory::with(&[
        ("book/index.html", "<p>b"),
        ("cargo/index.html", "<p>c"),
        ("other/index.html", "<p>o"),
    ]);
    let options = Options { attribute_from_path: Some("book".into()), ..Options::default() };
    let (pages, _) = read_all(&[site.join("book"), site.join("cargo")], &options);
    assert_eq!(ids(&pages), ["book/index.html", "cargo/index.html"]);
    assert_eq!(pages[1].attributes["book"], AttributeValue::String("cargo".into()));
}

#[test]
fn what_is_excluded_is_not_read() {
    let site = Directory::with(&[
        ("a/x.html", "<p>x"),
        ("a/ja/x.html", "<p>x"),
        ("b/ja/x.html", "<p>x"),
        ("b/print-1.html", "<p>x"),
    ]);
    let options =
        Options { exclude: vec!["*/ja".into(), "b/print*.html".into()], ..Options::default() };
    assert_eq!(ids(&read_all(std::slice::from_ref(&site.0), &options).0), ["a/x.html"]);
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_goes_on() {
    let site = Directory::with(&[("a.html", "<p>a"), ("big.html", &"<p>x".repeat(100))]);
    site.write("latin.html", b"<p>caf\xe9");
    let options = Options { max_file_bytes: 200, ..Options::default() };
    let (pages, problems) = read_all(&[site.0.clone(), site.join("none")], &options);
    assert_eq!(ids(&pages), ["a.html", "latin.html"]);
    assert_eq!(pages[1].sections[0].blocks[0].text, "café");
    let told: Vec<_> = problems
        .iter()
        .map(|problem| (problem.severity, problem.path.file_name().and_then(|name| name.to_str())))
        .collect();
    assert_eq!(
        told,
        [
            (Severity::Error, Some("none")),
            (Severity::Error, Some("big.html")),
            (Severity::Warning, Some("latin.html"))
        ]
    );
}

#[cfg(unix)]
#[test]
fn links_are_followed_but_not_in_circles() {
    let site = Directory::with(&[("a/x.html", "<p>x")]);
    std::os::unix::fs::symlink(site.join("a"), site.join("b")).expect("a link");
    std::os::unix::fs::symlink(&site.0, site.join("a/up")).expect("a link");
    let (pages, problems) = read_all(std::slice::from_ref(&site.0), &Options::default());
    assert_eq!(ids(&pages), ["a/x.html", "b/x.html"]);
    assert!(problems.iter().all(|problem| problem.severity == Severity::Skipped), "{problems:?}");
}

#[test]
fn if_any_page_marks_its_body_pages_that_do_not_are_left_out() {
    let site =
        Directory::with(&[("a.html", "<p>a"), ("b.html", "<p>nav<div data-pagefind-body>b</div>")]);
    let (pages, problems) = read_all(std::slice::from_ref(&site.0), &Options::default());
    assert_eq!(ids(&pages), ["b.html"]);
    assert!(problems[0].reason.contains("data-findling-body"));
}

#[test]
fn an_index_page_that_copies_another_is_left_out() {
    let text = "<main><h1>Foreword</h1><p>Same.</p></main>";
    let site =
        Directory::with(&[("foreword.html", text), ("index.html", text), ("z.html", "<p>z")]);
    assert_eq!(
        ids(&read_all(std::slice::from_ref(&site.0), &Options::default()).0),
        ["foreword.html", "z.html"]
    );
}

#[test]
fn attributes_have_one_type_over_all_pages() {
    let tree = Directory::with(&[
        ("a.md", "---\nn: 1\nm: 2\n---\nx"),
        ("b.md", "---\nn: 2\nm: many\n---\nx"),
    ]);
    let (pages, problems) = read_all(std::slice::from_ref(&tree.0), &Options::default());
    assert_eq!(pages[0].attributes["n"], AttributeValue::Number(1.0));
    assert_eq!(pages[0].attributes["m"], AttributeValue::String("2".into()));
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].reason.contains("`m`") && problems[0].reason.contains("number, string"),
        "{}",
        problems[0].reason
    );
}

#[test]
fn sorts_of_html_are_numbers_where_all_are() {
    let page = |rank: &str| {
        format!("<p data-findling-sort=\"rank:{rank}\" data-findling-filter=\"tag:x\">text")
    };
    let site = Directory::with(&[("a.html", &page("10")), ("b.html", &page("2"))]);
    let (pages, _) = read_all(std::slice::from_ref(&site.0), &Options::default());
    assert_eq!(pages[0].attributes["rank"], AttributeValue::Number(10.0));
    assert_eq!(pages[0].sort_only, ["rank"]);
    assert_eq!(pages[0].attributes["tag"], AttributeValue::String("x".into()));
}

#[test]
fn languages_come_from_the_page_the_path_or_the_option() {
    let tree = Directory::with(&[
        ("ja/a.md", "x"),
        ("pt-br/a.md", "---\nlang: pt\n---\nx"),
        ("de/a.md", "x"),
        ("c.md", "x"),
    ]);
    let options = Options { language: Some("en".into()), ..Options::default() };
    let languages: Vec<_> = read_all(std::slice::from_ref(&tree.0), &options)
        .0
        .into_iter()
        .map(|page| page.language)
        .collect();
    assert_eq!(languages, ["en", "de", "ja", "pt"]);
}

#[test]
fn directories_of_source_code_are_no_translations() {
    let tree = Directory::with(&[
        ("nn/layer.rs", "fn layer() {}"),
        ("ml/model.rs", "fn model() {}"),
        ("ml/README.md", "# Models"),
        ("main.rs", "fn main() {}"),
    ]);
    let options = Options { format: Some(Format::Code), ..Options::default() };
    let pages = read_all(std::slice::from_ref(&tree.0), &options).0;
    assert_eq!(pages.len(), 4);
    assert!(pages.iter().all(|page| page.language.is_empty()), "{pages:?}");
}

#[test]
fn a_beir_directory_is_its_corpus() {
    let set = Directory::with(&[
        ("corpus.jsonl", "{\"_id\":\"1\",\"title\":\"T\",\"text\":\"x\"}\n"),
        ("queries.jsonl", "{\"_id\":\"q\",\"text\":\"?\"}\n"),
    ]);
    let (pages, problems) = read_all(std::slice::from_ref(&set.0), &Options::default());
    assert_eq!(ids(&pages), ["1"]);
    assert!(problems.is_empty());
}

#[test]
fn an_input_of_no_known_kind_says_what_to_do() {
    let set = Directory::with(&[("a.xyz", "x")]);
    let (_, problems) = read_all(&[set.join("a.xyz"), set.0.clone()], &Options::default());
    assert!(problems[0].reason.contains("--format"), "{problems:?}");
    assert!(problems.iter().all(|problem| problem.severity == Severity::Error), "{problems:?}");
    assert_eq!(problems[1].path, set.0);
}

/// Returns a real site, if `FINDLING_TEST_SITES` names a directory that contains it.
fn real(name: &str) -> Option<(Vec<Page>, Vec<Problem>)> {
    let root = std::env::var_os("FINDLING_TEST_SITES").map(PathBuf::from);
    let Some(directory) = root.map(|root| root.join(name)).filter(|directory| directory.is_dir())
    else {
        println!("skipped: FINDLING_TEST_SITES names no directory with {name} in it");
        return None;
    };
    Some(read_all(&[directory], &Options::default()))
}

fn section<'a>(
    pages: &'a [Page],
    id: &str,
    anchor: &str,
) -> (&'a Page, &'a findling_page::page::Section) {
    let page = pages.iter().find(|page| page.id == id).unwrap_or_else(|| panic!("no page {id}"));
    let section = page.sections.iter().find(|section| section.anchor.as_deref() == Some(anchor));
    (page, section.unwrap_or_else(|| panic!("no #{anchor} in {id}")))
}

fn no_errors(problems: &[Problem]) {
    let errors: Vec<_> =
        problems.iter().filter(|problem| problem.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn docbook_as_in_the_postgresql_documentation() {
    let Some((pages, problems)) = real("postgresql-doc-15") else { return };
    no_errors(&problems);
    assert!(pages.len() > 1100);
    let (page, found) = section(&pages, "runtime-config-resource.html", "GUC-WORK-MEM");
    assert_eq!(
        (page.title.as_str(), found.heading.as_str()),
        ("20.4. Resource Consumption", "work_mem (integer)")
    );
    assert!(found.blocks[0].text.starts_with("Sets the base maximum amount of memory"));
    assert!(pages.iter().all(|page| page.id != "bookindex.html"));
    let text = |page: &Page| {
        page.sections
            .iter()
            .flat_map(|section| &section.blocks)
            .map(|block| block.text.clone())
            .collect::<String>()
    };
    assert!(pages.iter().all(|page| !text(page).contains("Prev | Up")), "navigation left in");
}

#[test]
fn sphinx_as_in_the_python_documentation() {
    let Some((pages, problems)) = real("python3.11-doc") else { return };
    no_errors(&problems);
    let (page, found) = section(&pages, "library/subprocess.html", "subprocess.run");
    assert_eq!(
        (page.title.as_str(), found.heading.as_str()),
        ("subprocess — Subprocess management", "subprocess.run()")
    );
    assert!(found.blocks[0].text.starts_with("subprocess.run(args, *, stdin=None"));
    assert!(
        pages.iter().all(|page| !page.title.contains('¶')
            && (page.id == "index.html" || !page.title.ends_with(" documentation"))),
        "clean titles"
    );
    assert!(pages.iter().all(|page| !page.id.contains("genindex")));
}

#[test]
fn asciidoc_as_in_the_git_manual() {
    let Some((pages, problems)) = real("tldr_git_tasks/site") else { return };
    no_errors(&problems);
    let page = pages.iter().find(|page| page.id == "git-add.html").expect("git-add");
    assert_eq!(page.title, "git-add(1)");
    assert!(page.sections.iter().any(|section| {
        section.blocks.iter().any(|block| block.text.contains("Add file contents to the index"))
    }));
    assert!(page.sections.iter().any(|section| section.anchor.as_deref() == Some("_description")));
}

#[test]
fn markdown_trees_of_several_generators() {
    for (name, at_least) in [
        ("rust-book", 100),
        ("vuejs-docs", 90),
        ("kubernetes-docs-en-2021", 1100),
        ("astro-docs-i18n", 1900),
        ("cpp-docs", 9000),
    ] {
        let Some((pages, problems)) = real(name) else { continue };
        no_errors(&problems);
        assert!(pages.len() >= at_least, "{name}: {}", pages.len());
        let mut left = Vec::new();
        for page in &pages {
            for block in page
                .sections
                .iter()
                .flat_map(|section| &section.blocks)
                .filter(|block| block.code.is_empty())
            {
                for mark in ["{{<", "{{%", "{% ", ":::", "[!code-", "[!INCLUDE"] {
                    if block.text.contains(mark) {
                        left.push(format!("{}: {:?}", page.id, block.text));
                    }
                }
            }
        }
        // Authors sometimes forget to close a mark.
        assert!(left.len() * 1000 <= pages.len(), "{name}: {left:#?}");
    }
}

fn valid(pages: &[Page]) {
    for block in pages.iter().flat_map(|page| &page.sections).flat_map(|section| &section.blocks) {
        let mut reached = 0;
        for &(start, end) in &block.code {
            assert!(
                start >= reached
                    && start < end
                    && block.text.get(start as usize..end as usize).is_some(),
                "{block:?}"
            );
            reached = end;
        }
        assert!(!block.text.is_empty());
        // White space of prose is folded, regardless of the source.
        let is_folded = !block.text.contains(['\n', '\t']) && !block.text.contains("  ");
        assert!(block.is_code_block || is_folded, "{block:?}");
    }
}

/// Returns texts made of tags, marks of all dialects and unusual characters.
fn soup() -> impl Strategy<Value = String> {
    const PIECES: [&str; 96] = [
        "<div>",
        "</div>",
        "<p>",
        "<h1 id=a>",
        "</h1>",
        "<h2>",
        "</h2>",
        "<pre>",
        "</pre>",
        "<code>",
        "</code>",
        "<dl>",
        "<dt id=x>",
        "</dt>",
        "<dd>",
        "</dl>",
        "<table><tr><td>",
        "</table>",
        "<a href='#x'>",
        "</a>",
        "<main>",
        "<template>",
        "<svg>",
        "<!--",
        "-->",
        "<b data-findling-filter='a[b],c:d'>",
        "data-pagefind-body",
        "<i data-pagefind-weight=3>",
        "{{<",
        ">}}",
        "{{%",
        "%}}",
        "{%",
        "%}",
        "{",
        "}",
        ":::",
        "::: tip",
        "[!",
        "]",
        "```",
        "`",
        "~~~",
        "\n",
        "\n\n",
        "    ",
        "- ",
        "> ",
        "| a | b |\n|---|---|\n",
        "<X y={`",
        "`}>",
        "</X>",
        "import {",
        "# ",
        "\\",
        "&amp;",
        "é",
        "日本。",
        "\u{200b}",
        "---\n",
        ".. note:: ",
        ".. |a| replace:: |a|\n",
        ".. include:: a\n",
        ".. list-table::\n\n   * - ",
        "::\n\n  ",
        "====\n",
        "+--+--+\n|  |\n",
        "== ==\n",
        ":ref:`",
        "`_ ",
        "[1]_ ",
        "* TODO ",
        ":PROPERTIES:\n",
        ":END:\n",
        "#+begin_src\n",
        "#+end_src\n",
        "#+INCLUDE: \"a\"\n",
        "[[",
        "][",
        "]]",
        "[fn:1]",
        "{{{a(",
        ")}}}",
        "== ",
        "|===\n",
        "|a ",
        "====\n",
        "--\n",
        "ifdef::a[]\n",
        "endif::[]\n",
        "include::a[]\n",
        "footnote:[",
        "<<a,",
        ">>",
        ":a: {a}\n",
        "{a}",
    ];
    prop::collection::vec(
        prop_oneof![4 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned), 1 => ".{0,12}"],
        0..60,
    )
    .prop_map(|parts| parts.concat())
}

/// A file of each format.
const FILES: [(&str, Format); 10] = [
    ("a.html", Format::Html),
    ("a.md", Format::Markdown),
    ("a.mdx", Format::Markdown),
    ("a.rst", Format::Rst),
    ("a.adoc", Format::Asciidoc),
    ("a.org", Format::Org),
    ("a.jsonl", Format::Jsonl),
    ("a.docx", Format::Documents),
    ("a.ipynb", Format::Documents),
    ("a.txt", Format::Documents),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_text_breaks_the_reading(text in soup()) {
        for (name, format) in FILES {
            valid(&read_bytes(name, format, text.as_bytes()));
        }
    }

    #[test]
    fn no_bytes_break_the_reading(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for (name, format) in FILES {
            valid(&read_bytes(name, format, &bytes));
        }
    }
}

/// Reads without catching panics.
fn read_bytes(name: &str, format: Format, bytes: &[u8]) -> Vec<Page> {
    let file =
        File { id: name.to_owned(), path: Path::new(name).to_owned(), format, package: None };
    let options = Options::default();
    let outcome = super::read_bytes(&file, bytes, None, &options);
    finish(vec![outcome], &options, &mut |_| {}).into_iter().map(|raw| raw.page).collect()
}
