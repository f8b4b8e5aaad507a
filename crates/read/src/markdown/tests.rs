//! A search over Markdown must find what readers of the rendered page see.

use std::path::PathBuf;

use super::super::attributes::Raw;
use super::super::{Format, MarkdownUrls};
use super::*;
use findling_page::page::Section;

fn file(id: &str) -> File {
    File { id: id.into(), path: PathBuf::from(id), format: Format::Markdown, package: None }
}

fn page_at(id: &str, text: &str) -> RawPage {
    let mut outcome = Outcome::default();
    let raw = read(text, &file(id), &Options::default(), &mut outcome).expect("a page");
    assert!(outcome.problems.is_empty(), "{:?}", outcome.problems);
    raw
}

fn page(text: &str) -> RawPage {
    page_at("a.md", text)
}

fn outline(raw: &RawPage) -> String {
    let section = |section: &Section| {
        let anchor = section.anchor.as_ref().map_or(String::new(), |anchor| format!(" #{anchor}"));
        let blocks: Vec<_> = section.blocks.iter().map(|block| block.text.as_str()).collect();
        format!("{} {}{anchor}: {}", section.level, section.heading, blocks.join(" / "))
    };
    raw.page.sections.iter().map(section).collect::<Vec<_>>().join("\n")
}

fn check(text: &str, expect: &str) {
    assert_eq!(outline(&page(text)), expect, "{text}");
}

#[test]
fn headings_have_the_anchors_that_generators_give_them() {
    check(
        "Intro\n\n# The `Title`\n\n## Part {#own}\n\ntext\n\nPart\n----\n\n## Part\n",
        "0 : Intro\n1 The Title #the-title: \n2 Part #own: text\n2 Part #part: \n2 Part #part-1: ",
    );
    check("<a id=\"x\"></a>\n\n## A\n", "2 A #x: ");
    check("## <a name=\"x\"></a> A\n", "2 A #x: ");
}

#[test]
fn blocks_are_what_readers_see() {
    check(
        "One\ntwo [link](x) ![alt](i.png)[^1]\n\n- a\n- [x] b\n\n  c\n\n| H | I |\n|---|---|\n\
         | 1 | `2` |\n\n> [!NOTE]\n> q\n\n[^1]: Note\n",
        "0 : One two link alt / a / b / c / H | I / 1 | 2 / q / Note",
    );
}

#[test]
fn html_in_markdown_is_text() {
    check(
        "<div class=\"x\">\n  <p>Para <b>b</b></p>\n</div>\n\n\
         Text<br>with <kbd>Ctrl</kbd> <!-- no --> <span>tags</span>.\n\n<script setup>\nlet x\n\n\
         let y\n</script>\n\n<details>\n<summary>More</summary>\n\nInside\n\n</details>\n",
        "0 : Para b / Text with Ctrl tags. / More / Inside",
    );
    check("<h2 id=\"h\">H</h2>\n\ntext\n", "2 H #h: text");
}

#[test]
fn code_is_kept_without_what_is_hidden() {
    check("```rust\n# use x;\nlet a = 1;\n    b\n```\n", "0 : let a = 1;\n    b");
    check("```rust\n{{#rustdoc_include ../x.rs}}\n```\ntext", "0 : text");
    check("```js\nf() // [!code focus]\n```\n", "0 : f()");
    check("    indented\n", "0 : indented");
}

#[test]
fn the_indented_content_of_components_is_not_code() {
    let raw = page_at(
        "a.mdx",
        "import X from 'x'\n\n<X>\n\n    ## Deep\n\n    Text with **bold**\n\n</X>\n",
    );
    assert_eq!(outline(&raw), "2 Deep #deep: Text with bold");
}

#[test]
fn front_matter_says_what_a_page_is() {
    let raw = page(
        "---\ntitle: \"A: B\"\nlang: pt_BR\ndescription: D\ntags: [x, y]\nweight: 10\n\
         date: 2024-01-02\nsidebar:\n  order: 1\nlayout: doc\nfeatured: true\n---\ntext\n",
    );
    assert_eq!(raw.names.explicit.as_deref(), Some("A: B"));
    assert_eq!(raw.page.language, "pt-BR");
    assert_eq!(raw.page.meta, [("description".to_owned(), "D".to_owned())]);
    let expect = [
        ("date", Raw::Text("2024-01-02".into())),
        ("featured", Raw::Bool(true)),
        ("tags", Raw::List(vec!["x".into(), "y".into()])),
        ("weight", Raw::Number(10.0)),
    ];
    assert_eq!(
        raw.attributes.into_iter().collect::<Vec<_>>(),
        expect.map(|(name, value)| (name.to_owned(), value))
    );
}

#[test]
fn front_matter_says_how_a_page_stands() {
    let raw = page("---\nsearch:\n  boost: 0.5\n  pin: [get started, setup]\n---\nText");
    assert_eq!(raw.page.pins, ["get started", "setup"]);
    assert_eq!(raw.attributes.get("search_boost"), Some(&Raw::Number(0.5)));
    assert_eq!(page("---\nsearch_pin: setup\n---\nText").page.pins, ["setup"]);
}

#[test]
fn drafts_are_left_out() {
    for front in [
        "draft: true",
        "published: false",
        "search: false",
        "pagefind: false",
        "noindex: true",
        "search:\n  exclude: true",
    ] {
        assert!(
            read(
                &format!("---\n{front}\n---\nx"),
                &file("a.md"),
                &Options::default(),
                &mut Outcome::default()
            )
            .is_err(),
            "{front}"
        );
    }
    page("---\ndraft: false\nsearch: true\n---\nx");
}

#[test]
fn front_matter_that_is_broken_is_reported_and_the_text_is_read() {
    let mut outcome = Outcome::default();
    let raw = read("---\ntitle: [a\n---\ntext\n", &file("a.md"), &Options::default(), &mut outcome)
        .expect("a page");
    assert_eq!(outcome.problems.len(), 1);
    assert_eq!(outline(&raw), "0 : text");
}

#[test]
fn addresses() {
    let url = |id: &str, front: &str, urls: MarkdownUrls| {
        let options =
            Options { markdown_urls: urls, base_url: "/docs".into(), ..Options::default() };
        let raw =
            read(&format!("---\n{front}\n---\nx"), &file(id), &options, &mut Outcome::default())
                .expect("a page");
        if raw.page.url.is_empty() {
            super::super::page_url::url(id, Format::Markdown, &options)
        } else {
            raw.page.url
        }
    };
    assert_eq!(url("guide/start.md", "", MarkdownUrls::Directory), "/docs/guide/start/");
    assert_eq!(url("guide/start.v2.md", "", MarkdownUrls::Html), "/docs/guide/start.v2.html");
    assert_eq!(url("guide/start.md", "", MarkdownUrls::Bare), "/docs/guide/start");
    for index in ["guide/index.md", "guide/_index.md", "guide/README.md"] {
        assert_eq!(url(index, "", MarkdownUrls::Html), "/docs/guide/");
    }
    assert_eq!(url("guide/start.md", "slug: begin", MarkdownUrls::Directory), "/docs/guide/begin/");
    assert_eq!(url("guide/start.md", "slug: /begin", MarkdownUrls::Directory), "/docs/begin/");
    assert_eq!(url("guide/start.md", "url: /x/y.html", MarkdownUrls::Directory), "/docs/x/y.html");
    assert_eq!(
        url("guide/start.md", "permalink: /:year/:title", MarkdownUrls::Directory),
        "/docs/guide/start/"
    );
}
