//! Whole pages are read by their addresses, with all their text and nothing else.

mod support;

use findling_bundle::{AttributeKind, AttributeValue};
use findling_engine::{Document, Error, Request, Response};
use support::{Bundle, Cut, build, page};

fn bundle() -> Bundle {
    let mut pages = vec![
        page(
            "Kilns",
            &[("", "Before."), ("Firing", "Fire pots.\nSlowly, né."), ("Glazes", "Dip.")],
        ),
        page("Mutex", &[("Locking", "A mutex guards data.")]),
    ];
    pages[0].sections[2].parent = Some(1);
    pages[0].attributes.push(("shelf", AttributeValue::String("pots".into())));
    build(&pages, &[("shelf", AttributeKind::String)], Cut::default())
}

fn ask(request: Request) -> Result<Response, Error> {
    let bundle = bundle();
    Ok(bundle.answer(&mut bundle.open(), request)?.0)
}

fn read(address: &str) -> Result<Response, Error> {
    ask(Request { read: Some(address.into()), ..Request::default() })
}

fn document(address: &str) -> Document {
    *read(address).unwrap().document.expect("a document")
}

#[test]
fn a_page_is_read_by_each_of_its_addresses() {
    let kilns = document("/kilns/");
    assert_eq!((kilns.url.as_str(), kilns.title.as_str()), ("/kilns/", "Kilns"));
    assert_eq!(kilns.attributes["shelf"], "pots");
    for address in ["https://example.org/kilns/", "kilns/index.html", "doc-0", "/kilns/#firing"] {
        assert_eq!(document(address), kilns, "{address}");
    }
    assert_eq!(document("/mutex/").sections[0].text, "A mutex guards data.");
}

#[test]
fn sections_come_in_order_with_headings_text_and_passages() {
    let kilns = document("/kilns/");
    let sections: Vec<_> =
        kilns.sections.iter().map(|one| (one.heading_path.join(">"), one.text.as_str())).collect();
    let expect =
        [("", "Before."), ("Firing", "Fire pots.\nSlowly, né."), ("Firing>Glazes", "Dip.")];
    assert_eq!(sections, expect.map(|(path, text)| (path.to_owned(), text)));
    let firing = &kilns.sections[1];
    assert_eq!(firing.anchor.as_deref(), Some("firing"));
    // Ranges count code units. The character é is one code unit, but two bytes.
    let units: Vec<u16> = firing.text.encode_utf16().collect();
    let passages = firing.passages.iter();
    let texts: Vec<String> = passages
        .map(|&(start, end)| String::from_utf16_lossy(&units[start as usize..end as usize]))
        .collect();
    assert_eq!(texts, ["Fire pots.", "Slowly, né."]);
}

#[test]
fn nothing_is_searched() {
    let response = read("/kilns/").unwrap();
    assert!(response.results.is_empty() && response.facets.is_empty());
    assert_eq!(response.total, Default::default());
}

#[test]
fn unknown_pages_and_other_questions_are_refused() {
    assert_eq!(read("/nowhere/"), Err(Error::NoSuchPage { address: "/nowhere/".into() }));
    let address = || Some("/kilns/".to_owned());
    for other in [
        Request { query: "pots".into(), ..Request::default() },
        Request { similar_to: address(), ..Request::default() },
        Request { also: vec!["pots".into()], ..Request::default() },
    ] {
        let error = ask(Request { read: address(), ..other }).unwrap_err();
        assert!(matches!(error, Error::Request { .. }), "{error:?}");
    }
}
