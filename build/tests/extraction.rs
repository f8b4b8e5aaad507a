//! Tests of the indexed text from the markup of generators and themes.
//!
//! Each directory of `extraction/` holds pages of one kind, and `expected.txt`: their URLs, titles,
//! sections and text, and the messages about pages that are left out. Words that no reader sees are
//! marked by the word `Unseen` and must not appear. After an intended change, run the test with
//! `FINDLING_BLESS=1` and read the difference.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use findling_build::sources::{self, Options, Severity};

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/extraction").join(name)
}

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.file_name().is_some_and(|name| name != "expected.txt") {
            found.push(path);
        }
    }
}

/// Writes the pages below a directory as text, one line for each heading, paragraph and line of
/// code. The input is each file, or the directory as a site.
fn extracted(root: &Path, is_site: bool) -> String {
    let mut inputs = Vec::new();
    files(root, &mut inputs);
    if is_site {
        inputs = vec![root.to_owned()];
    }
    let exclude = vec!["expected.txt".to_owned()];
    let options = Options { root: Some(root.to_owned()), exclude, ..Options::default() };
    let mut told = String::new();
    let pages = sources::read(&inputs, &options, &mut |problem| {
        let path = problem.path.strip_prefix(root).unwrap_or(&problem.path);
        let reason = problem.reason.replace(&format!("{}/", root.display()), "");
        let kind = match problem.severity {
            Severity::Skipped => "left out",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        writeln!(told, "{kind}: {}: {reason}", path.display()).expect("a string");
    });
    let mut out = String::new();
    for page in pages {
        writeln!(out, "{} | {} | {}", page.url, page.title, page.language).expect("a string");
        for section in &page.sections {
            let anchor =
                section.anchor.as_ref().map_or(String::new(), |anchor| format!(" #{anchor}"));
            writeln!(out, "  h{} {}{anchor}", section.level, section.heading).expect("a string");
            for block in &section.blocks {
                let mark = if block.is_code_block { "| " } else { "" };
                for line in block.text.lines() {
                    writeln!(out, "    {mark}{line}").expect("a string");
                }
            }
        }
    }
    out + &told
}

fn check(name: &str) {
    compare(name, false);
}

fn check_site(name: &str) {
    compare(name, true);
}

fn compare(name: &str, is_site: bool) {
    let root = directory(name);
    let found = extracted(&root, is_site);
    let path = root.join("expected.txt");
    if std::env::var_os("FINDLING_BLESS").is_some() {
        std::fs::write(&path, &found).expect("a file");
    }
    let expected = std::fs::read_to_string(&path).expect("expected.txt");
    assert_eq!(found, expected, "{name}");
    let seen: Vec<&str> = found
        .lines()
        .filter(|line| line.to_lowercase().contains("unseen") && !line.contains(": "))
        .collect();
    assert!(seen.is_empty(), "{name}: {seen:#?}");
}

#[test]
fn code_stays_where_its_block_asks_for_line_numbers() {
    check("prism-lines");
}

#[test]
fn line_numbers_are_not_indexed() {
    check("chroma-lines");
}

#[test]
fn accordions_keep_their_questions_and_closed_answers() {
    check("faq-accordion");
}

#[test]
fn every_tab_is_indexed() {
    check("tabs");
}

#[test]
fn text_inside_forms_and_dialogs_is_indexed() {
    check("form-wrapped");
}

#[test]
fn pages_named_like_special_pages_are_indexed() {
    check("status-pages");
}

#[test]
fn sections_named_like_surroundings_are_indexed() {
    check("section-ids");
}

#[test]
fn redirects_and_noindex_pages_are_left_out_and_live_pages_are_not() {
    check("refresh");
}

#[test]
fn copy_controls_are_not_indexed() {
    check("copy");
}

#[test]
fn headings_have_no_marks() {
    check("heading-marks");
}

#[test]
fn admonitions_and_tabs_of_markdown_are_read() {
    check("md-admonitions");
}

#[test]
fn a_late_character_set_is_seen() {
    check("late-charset");
}

#[test]
fn reference_marks_part_from_their_words() {
    check("footnotes");
}

/// Returns the text of the first fenced block of a language in a document.
fn block<'a>(document: &'a str, language: &str) -> &'a str {
    let fence = format!("```{language}\n");
    let start = document.find(&fence).expect("a block of the language") + fence.len();
    &document[start..start + document[start..].find("```").expect("the block's end")]
}

#[test]
fn the_documentation_shows_what_the_program_prints() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/extraction.md");
    let document = std::fs::read_to_string(&path).expect("docs/extraction.md");
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("ferry.html"), block(&document, "html")).expect("a file");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_findling"))
        .args(["inspect", "--extraction", "ferry.html"])
        .current_dir(directory.path())
        .output()
        .expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let shown = block(&document, "text");
    if std::env::var_os("FINDLING_BLESS").is_some() {
        std::fs::write(&path, document.replace(shown, &printed)).expect("a file");
        return;
    }
    assert_eq!(shown, printed);
}

/// Returns what `findling inspect --extraction` prints of a directory, and whether it succeeds.
fn inspected(directory: &Path, more: &[&str]) -> (bool, String) {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_findling"))
        .args(["inspect", "--extraction", "."])
        .args(more)
        .current_dir(directory)
        .output()
        .expect("the program");
    (output.status.success(), String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
fn the_summary_of_a_site_says_what_is_lost_and_what_hides_pages() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        std::fs::write(directory.path().join(name), text).expect("a file");
    };
    for n in 0..10 {
        // Pages 8 and 9 have the same title, and page 9 has no heading.
        let title = format!("Kiln {}", n.min(8));
        let heading = if n == 9 { String::new() } else { format!("<h1>{title}</h1>") };
        let lang = if n < 7 { "en" } else { "de" };
        let page = format!(
            "<!doctype html><html lang={lang}><title>{title}</title><body><nav>Home Map</nav><main>\
             {heading}<p>Page {n} is about a kiln of its own, which is fired for {n} days.\
             <h2>How it is fired in winter {n}</h2><p>Slowly, for the water has to leave the clay.\
             <p>\x1b[31mTell us what you think.</main>"
        );
        write(&format!("page{n}.html"), &page);
    }
    write("old.html", "<meta http-equiv=refresh content='0; url=page0.html'><title>Moved</title>");
    let (succeeded, json) = inspected(directory.path(), &["--json"]);
    assert!(succeeded, "{json}");
    let summary: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(summary["pages"], 10);
    assert_eq!(summary["languages"][0]["text"], "en");
    assert_eq!(summary["languages"][0]["pages"], 7);
    assert_eq!(summary["titles"][0]["text"], "Kiln 8");
    assert_eq!(summary["titles"][0]["examples"], serde_json::json!(["page8.html", "page9.html"]));
    assert_eq!(summary["withoutAnchors"]["pages"], 10);
    let left_out = summary["files"].as_array().expect("files");
    assert!(left_out.iter().any(|it| it["examples"][0] == "old.html"), "{json}");
    let rules = summary["rules"].as_array().expect("rules");
    let nav = rules.iter().find(|it| it["elements"][0]["element"] == "nav");
    let nav = nav.unwrap_or_else(|| panic!("{json}"));
    assert_eq!((&nav["words"], &nav["pages"]), (&20.into(), &10.into()));

    let (_, text) = inspected(directory.path(), &[]);
    for part in
        ["10 pages", "en 7, de 3", "old.html", "\u{201c}Kiln 8\u{201d}", "nav on 10: Home Map"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains('\u{1b}'), "text of a page is no command to the terminal: {text}");
    let (succeeded, _) = inspected(directory.path(), &["--id", "7"]);
    assert!(!succeeded);
}

#[test]
fn the_documentation_names_every_rule() {
    let document = include_str!("../../docs/extraction.md");
    for rule in sources::left_out::Rule::ALL {
        assert!(document.contains(&format!("| `{}` |", rule.name())), "{}", rule.name());
    }
}

#[test]
fn anchors_lead_to_their_headings() {
    check("anchors");
}

#[test]
fn xhtml_is_read_as_xml() {
    check("xhtml");
}

#[test]
fn what_asks_not_to_be_searched_is_not() {
    check("exclusions");
}

#[test]
fn pop_ups_and_words_for_screen_readers_are_no_text() {
    check("pop-ups");
}

#[test]
fn elements_that_styles_set_apart_are_not_joined() {
    check("apart");
}

#[test]
fn no_text_is_lost_around_the_content() {
    check("content-root");
}

#[test]
fn entries_of_an_api_without_headings_are_sections() {
    check("api-entries");
}

#[test]
fn source_code_that_a_click_shows_stands_after_the_text() {
    check("source-listings");
}

#[test]
fn notebooks_in_html_have_no_prompts_and_outputs() {
    check("notebook-pages");
}

#[test]
fn links_to_the_next_page_are_navigation() {
    check("steps");
}

#[test]
fn what_stands_on_most_pages_is_frame() {
    check_site("site-frames");
}

#[test]
fn pages_have_the_titles_that_they_show() {
    check_site("site-titles");
}

#[test]
fn generated_lists_are_left_out_and_guides_are_not() {
    check_site("site-generated");
}

#[test]
fn a_post_is_found_once() {
    check_site("site-listing");
}

#[test]
fn a_page_with_the_text_of_all_is_left_out() {
    check_site("site-whole");
}

#[test]
fn addresses_are_those_of_the_sites_own_links() {
    check_site("site-clean-urls");
}

#[test]
fn departments_are_no_languages() {
    check_site("site-languages");
}

#[test]
fn markdown_takes_in_parts() {
    check_site("md-taken-in");
}

#[test]
fn markdown_that_asks_not_to_be_searched_is_not() {
    check_site("md-asked-out");
}

#[test]
fn notes_and_front_pages_have_the_text_that_readers_see() {
    check_site("md-notes");
}

#[test]
fn modules_of_antora_are_read_as_a_site() {
    check_site("antora");
}

#[test]
fn notes_that_share_their_parts_with_other_notes_are_indexed() {
    check_site("site-notes");
}
