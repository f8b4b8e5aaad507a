//! PDFs: the text that is read, its order, and its headings and pages.

use findling_build::sources::{self, Options};

use super::pdf_writer::{Page, Pdf};
use super::read::{Read, read, read_with};

fn pdf(pdf: &Pdf) -> Read {
    read("a.pdf", &pdf.bytes())
}

const LEFT: [&str; 4] = [
    "The left column of the page is first",
    "and goes on until its end, however",
    "far down that is. Its words are ours",
    "to read before the other ones.",
];

const RIGHT: [&str; 4] = [
    "The right column comes after it and",
    "stands beside the left one at the",
    "same height, line for line, without",
    "any of its words in between.",
];

#[test]
fn headings_come_from_font_sizes_and_sections_have_their_page() {
    let file = Pdf::new()
        .page(
            Page::new()
                .text(50, 740, 20, "The harbour")
                .lines(50, 700, &["Boats come in with the tide and", "leave with the next one."])
                .text(50, 650, 14, "Lights")
                .lines(50, 630, &["Two lights mark the mole."]),
        )
        .page(Page::new().lines(50, 700, &["They burn from dusk to dawn."]));
    assert_eq!(
        pdf(&file).text(),
        "The harbour\n\
         h1 The harbour #page=1\n  page=Number(1.0)\n\
         \x20 Boats come in with the tide and leave with the next one.\n\
         h2 Lights #page=1\n  page=Number(1.0)\n  Two lights mark the mole.\n\
         h2 Lights #page=2\n  page=Number(2.0)\n  They burn from dusk to dawn.\n"
    );
}

#[test]
fn the_left_column_comes_before_the_right_one() {
    let mut page = Page::new().text(50, 740, 20, "A title that stands above both of the columns");
    // The text is drawn line by line across both columns, as some programs do.
    for (n, (left, right)) in (0..).zip(LEFT.iter().zip(RIGHT)) {
        page = page.text(50, 700 - 12 * n, 10, left).text(310, 700 - 12 * n, 10, right);
    }
    let found = pdf(&Pdf::new().page(page));
    assert_eq!(found.blocks(), [LEFT.join(" "), RIGHT.join(" ")]);
}

#[test]
fn tables_are_read_by_rows() {
    let mut page = Page::new();
    for (n, (name, weight)) in
        (0..).zip([("Gull", "12"), ("Tern", "7"), ("Skua", "9"), ("Auk", "3")])
    {
        page = page.text(50, 700 - 20 * n, 10, name).text(310, 700 - 20 * n, 10, weight);
    }
    assert_eq!(pdf(&Pdf::new().page(page)).blocks().join(" "), "Gull 12 Tern 7 Skua 9 Auk 3");
}

#[test]
fn ligatures_and_divided_words_are_whole_words() {
    let lines = ["Ef\u{1}cient of\u{1}ces give an exam-", "ple of well-known words."];
    let page = Page::new().lines(50, 700, &lines);
    assert_eq!(
        pdf(&Pdf::new().page(page)).blocks(),
        ["Efficient offices give an example of well-known words."]
    );
}

#[test]
fn a_word_that_is_divided_between_pages_is_on_the_page_where_it_begins() {
    let file = Pdf::new()
        .page(Page::new().lines(50, 700, &["The keeper writes down an exam-"]))
        .page(Page::new().lines(50, 700, &["ple of each boat."]));
    assert_eq!(
        pdf(&file).text(),
        "A\nh0  #page=1\n  page=Number(1.0)\n  The keeper writes down an example\n\
         h0  #page=2\n  page=Number(2.0)\n  of each boat.\n"
    );
}

#[test]
fn rotated_pages_and_rotated_text_are_read_along_their_lines() {
    let lines = ["This text runs along its lines", "whichever way the page is turned."];
    for rotate in ["/Rotate 0", "/Rotate 90", "/Rotate 180", "/Rotate 270"] {
        let page = Page::new().with(rotate).lines(50, 700, &lines);
        assert_eq!(pdf(&Pdf::new().page(page)).blocks(), [lines.join(" ")], "{rotate}");
    }
    let turned = Page::new()
        .draw("BT /F 10 Tf 0 1 -1 0 300 100 Tm (This text runs along its lines) Tj ET")
        .draw("BT /F 10 Tf 0 1 -1 0 312 100 Tm (whichever way the page is turned.) Tj ET");
    assert_eq!(pdf(&Pdf::new().page(turned)).blocks(), [lines.join(" ")]);
}

#[test]
fn running_heads_and_page_numbers_are_left_out() {
    let mut file = Pdf::new();
    for n in 1..=4 {
        file = file.page(
            Page::new()
                .text(50, 770, 8, "The harbour handbook")
                .lines(50, 600, &[&format!("Text number {n} in the middle.")])
                .text(300, 30, 8, &n.to_string()),
        );
    }
    assert_eq!(
        pdf(&file).blocks(),
        (1..=4).map(|n| format!("Text number {n} in the middle.")).collect::<Vec<_>>()
    );
}

#[test]
fn the_title_is_the_declared_one_unless_a_program_made_it_up() {
    let page = || Page::new().text(50, 740, 20, "Tides").lines(50, 700, &["Some text."]);
    for (declared, expected) in [
        ("Tides and lights", "Tides and lights"),
        ("Microsoft Word - draft7.doc", "Tides"),
        ("untitled", "Tides"),
        ("a", "Tides"),
        ("thesis.dvi", "Tides"),
    ] {
        assert_eq!(pdf(&Pdf::new().title(declared).page(page())).title, expected);
    }
}

#[test]
fn characters_drawn_twice_are_read_once() {
    let page = Page::new().text(50, 700, 10, "Bold by two strokes");
    let page = page.draw("BT /F 10 Tf 50.4 700 Td (Bold by two strokes) Tj ET");
    let page = page.draw("BT 2 Tr /F 10 Tf 50 680 Td (and outlined) Tj ET");
    assert_eq!(pdf(&Pdf::new().page(page)).blocks().join(" "), "Bold by two strokes and outlined");
}

#[test]
fn invisible_text_over_a_scan_is_read() {
    let page = Page::new().image().draw("BT 3 Tr /F 10 Tf 50 700 Td (Text of the scan) Tj ET");
    let found = pdf(&Pdf::new().page(page));
    assert_eq!(found.blocks(), ["Text of the scan"]);
    assert_eq!(found.problems, []);
}

/// Two pages of images: the first in two columns, the second as a stencil.
const SCAN: &[u8] = include_bytes!("scan.pdf");

#[test]
fn scans_are_recognised_in_the_order_of_their_columns() {
    if let Err(reason) = sources::check_ocr("eng") {
        println!("skipped: {reason}");
        return;
    }
    let options = Options { ocr: Some("eng".to_owned()), ..Options::default() };
    let found = read_with("scan.pdf", SCAN, &options);
    let sections: Vec<(&str, Option<&str>)> =
        found.sections.iter().map(|s| (s.heading.as_str(), s.anchor.as_deref())).collect();
    assert_eq!(sections, [("Tidal gates", Some("page=1")), ("Dredging", Some("page=2"))]);
    assert_eq!(
        found.blocks(),
        [
            "The gates of the lower harbour close two hours before high water. A lamp on the mole \
             shows red while they move.",
            "A keeper opens them by hand when the power has failed, which takes about twenty \
             minutes.",
            "The channel is dredged in the spring. Silt is brought to the meadows behind the dyke.",
        ]
    );
    assert_eq!(found.problems, []);
}

#[test]
fn languages_that_are_not_installed_are_named() {
    if let Err(reason) = sources::check_ocr("eng") {
        println!("skipped: {reason}");
        return;
    }
    let Err(reason) = sources::check_ocr("eng+no_such") else { panic!("an error") };
    assert!(reason.contains("found `no_such`") && reason.contains("ocr-no-such"), "{reason}");
}
