//! Word files, OpenDocument texts, books and notebooks.

use super::archives::{docx, epub, odt, paragraph};
use super::read::read;
use findling_build::sources::{self, Options, Severity};

const STYLES: &str = "<w:styles xmlns:w=\"w\">\
    <w:style w:styleId=\"berschrift1\"><w:name w:val=\"heading 1\"/></w:style>\
    <w:style w:styleId=\"Own\"><w:name w:val=\"Own\"/><w:basedOn w:val=\"Two\"/></w:style>\
    <w:style w:styleId=\"Two\"><w:name w:val=\"x\"/><w:pPr><w:outlineLvl w:val=\"1\"/></w:pPr>\
    </w:style></w:styles>";

#[test]
fn word_files_have_headings_by_style_in_any_language() {
    let body = [
        paragraph("berschrift1", "Tides"),
        paragraph("Text", "High &amp; low water."),
        paragraph("Own", "Lights"),
        paragraph("Text", "Two lights."),
    ];
    let found = read("a.docx", &docx(&body.concat(), &[("word/styles.xml", STYLES)]));
    assert_eq!(found.text(), "Tides\nh1 Tides\n  High & low water.\nh2 Lights\n  Two lights.\n");
    // Without a list of styles the names of the English program count.
    let body = paragraph("Title", "Tides") + &paragraph("Heading2", "Lights");
    assert_eq!(read("a.docx", &docx(&body, &[])).text(), "Tides\nh1 Tides\nh2 Lights\n");
}

#[test]
fn word_files_show_what_a_reader_sees() {
    let body = "<w:p><w:r><w:t>Kept </w:t></w:r><w:del><w:r><w:delText>unseen</w:delText></w:r>\
        </w:del><w:ins><w:r><w:t>and</w:t><w:tab/><w:t>added</w:t></w:r></w:ins>\
        <w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r>\
        <w:r><w:instrText>PAGE unseen</w:instrText></w:r>\
        <w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p>\
        <mc:AlternateContent><mc:Choice><w:p><w:r><w:t>Box.</w:t></w:r></w:p></mc:Choice>\
        <mc:Fallback><w:p><w:r><w:t>unseen</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>";
    let notes = "<w:footnotes xmlns:w=\"w\"><w:footnote w:id=\"0\" w:type=\"separator\"><w:p/>\
        </w:footnote><w:footnote w:id=\"2\"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote>\
        </w:footnotes>";
    let found = read("a.docx", &docx(body, &[("word/footnotes.xml", notes)]));
    assert_eq!(found.blocks(), ["Kept and added", "A note.", "Box."]);
}

#[test]
fn tables_are_read_by_rows_with_their_inner_tables() {
    let cell = |text: &str| format!("<w:tc>{}</w:tc>", paragraph("Heading1", text));
    let inner = format!("<w:tbl><w:tr>{}</w:tr></w:tbl>", cell("inner"));
    let body = format!(
        "<w:tbl><w:tr>{}{}</w:tr><w:tr>{}<w:tc>{inner}</w:tc></w:tr></w:tbl>",
        cell("Boat"),
        cell("Weight"),
        cell("Gull")
    );
    assert_eq!(read("a.docx", &docx(&body, &[])).blocks(), ["Boat | Weight", "Gull | inner"]);
}

#[test]
fn declared_titles_come_first() {
    let core = "<cp:coreProperties xmlns:dc=\"d\"><dc:title>Declared</dc:title>\
        <dc:creator>A. Keeper</dc:creator></cp:coreProperties>";
    let file = docx(&paragraph("Heading1", "Tides"), &[("docProps/core.xml", core)]);
    assert_eq!(read("a.docx", &file).title, "Declared");
    let meta = "<office:document-meta xmlns:dc=\"d\"><dc:title>Declared</dc:title>\
        </office:document-meta>";
    let file = odt("<text:p>Text.</text:p>", &[("meta.xml", meta)]);
    assert_eq!(read("a.odt", &file).title, "Declared");
}

#[test]
fn opendocument_texts_have_headings_lists_tables_and_notes() {
    let body = "<text:h text:outline-level=\"1\">Tides</text:h>\
        <text:p>High<text:s text:c=\"2\"/>water<text:note>\
        <text:note-citation>1</text:note-citation>\
        <text:note-body><text:p>A note.</text:p></text:note-body></text:note> comes.\
        <office:annotation><text:p>unseen</text:p></office:annotation></text:p>\
        <text:list><text:list-item><text:p>One</text:p></text:list-item></text:list>\
        <text:h text:outline-level=\"2\">Boats</text:h>\
        <table:table><table:table-row><table:table-cell><text:p>Gull</text:p></table:table-cell>\
        <table:table-cell><text:p>12</text:p></table:table-cell></table:table-row></table:table>";
    assert_eq!(
        read("a.odt", &odt(body, &[])).text(),
        "Tides\nh1 Tides\n  High water comes.\n  A note.\n  One\nh2 Boats\n  Gull | 12\n"
    );
}

#[test]
fn books_are_read_in_the_order_of_their_spine() {
    let book = epub("<h1>Neap</h1><p>Low.</p>", "<h1>Spring</h1><p>High.</p>", &[]);
    assert_eq!(
        read("a.epub", &book).text(),
        "Tides\nh1 Neap #epubcfi(/6/4)\n  Low.\nh1 Spring #epubcfi(/6/6)\n  High.\n"
    );
}

#[test]
fn notebooks_have_the_text_and_the_code_of_their_cells() {
    let notebook = r##"{"cells": [
        {"cell_type": "markdown", "source": ["# Tides\n", "\n", "High *water*.\n"]},
        {"cell_type": "code", "source": "a = 1\nb = 2", "outputs": [{"text": "unseen"}]}
    ]}"##;
    assert_eq!(
        read("a.ipynb", notebook.as_bytes()).text(),
        "Tides\nh1 Tides #tides\n  High water.\n  | a = 1\n  | b = 2\n"
    );
}

#[test]
fn plain_text_has_paragraphs_and_code() {
    let text = "  High water\n  at noon.\n\nLow water at six.\n\nif low {\n    wait();\n}\n";
    assert_eq!(
        read("tide-table.txt", text.as_bytes()).text(),
        "Tide table\nh0 \n  High water at noon.\n  Low water at six.\n\
         \x20 | if low {\n  |     wait();\n  | }\n"
    );
    let binary = read("a.txt", b"a\0b");
    assert_eq!(binary.sections, []);
    assert_eq!(binary.problems.len(), 1);
    assert_eq!(binary.problems[0].0, Severity::Error);
}

#[test]
fn other_forms_are_refused_with_a_remedy() {
    for (name, words) in [
        ("a.doc", ".docx"),
        ("a.rtf", ".odt"),
        ("a.pptx", "PDF"),
        ("a.xlsx", ".jsonl"),
        ("a.mobi", ".epub"),
    ] {
        let problems = read(name, b"text").problems;
        assert_eq!(problems.len(), 1, "{name}");
        assert_eq!(problems[0].0, Severity::Error, "{name}");
        assert!(problems[0].1.contains(words), "{name}: {}", problems[0].1);
    }
}

/// Returns the names of the files of a directory that a build reads.
fn taken(names: &[&str]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    for name in names {
        std::fs::write(dir.path().join(name), "text").unwrap();
    }
    let files = sources::list(&[dir.path().to_owned()], &Options::default(), &mut |_| {});
    files.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_folder_of_documents_is_read_whole() {
    let folder = ["a.docx", "b.odt", "c.md", "d.pdf", "e.txt", "f.ipynb", "g.epub"];
    assert_eq!(taken(&folder), folder);
    assert_eq!(taken(&["a.txt", "b.txt"]), ["a.txt", "b.txt"]);
    // Text files next to the sources of a site are for programs.
    assert_eq!(taken(&["a.md", "robots.txt", "b.ipynb"]), ["a.md", "b.ipynb"]);
    assert_eq!(taken(&["a.html", "b.html", "c.docx", "robots.txt"]), ["a.html", "b.html"]);
    // A repository consists of its code and its documents.
    let repository = ["a.py", "b.py", "c.ipynb", "needed.txt"];
    assert_eq!(taken(&repository), repository);
}
