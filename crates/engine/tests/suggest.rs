//! Suggestions if nothing is found: each finds as many pages as it announces.

mod support;

use findling_bundle::{AttributeKind, AttributeValue};
use findling_engine::{Mode, Request, Response, Step, Suggest, Suggestion, SuggestionKind};
use serde_json::json;
use support::{Bundle, Cut, Page, build, named, page, titles};

fn books() -> Bundle {
    let of = |book: &str, year: f64, page: Page| {
        let attributes = vec![
            ("book", AttributeValue::String(book.into())),
            ("year", AttributeValue::Number(year)),
        ];
        Page { attributes, ..page }
    };
    let pages = [
        of(
            "reference",
            2019.0,
            page(
                "Threads",
                &[(
                    "Shared State",
                    "A mutex guards shared data between threads. E0382 is an error.",
                )],
            ),
        ),
        of(
            "nomicon",
            2021.0,
            page("Receiving", &[("", "Messages are received from channels, not by a mutex.")]),
        ),
        of(
            "book",
            2024.0,
            page(
                "Timeouts",
                &[("", "The option checkpoint_timeout limits the checkpoint. See E0384.")],
            ),
        ),
    ];
    let attributes = [("book", AttributeKind::String), ("year", AttributeKind::Number)];
    build(&pages, &attributes, Cut { words_per_spelling: 4, ..Cut::default() })
}

fn request(query: &str) -> Request {
    Request { query: query.into(), ..Request::default() }
}

/// Returns the suggestions as `kind: query [filter] (pages)`. Each is searched for and must find so
/// many pages.
fn suggested(request: Request) -> Vec<String> {
    let bundle = books();
    let response = bundle.search(request.clone());
    assert_eq!(titles(&response), [""; 0], "{}", request.query);
    response.suggestions.iter().map(|suggestion| asked(&bundle, &request, suggestion)).collect()
}

fn asked(bundle: &Bundle, before: &Request, suggestion: &Suggestion) -> String {
    let Suggestion { kind, query, also, filter, verbatim, pages, .. } = suggestion.clone();
    let filter_value = filter.clone().map(serde_json::Value::String);
    let again =
        Request { query: query.clone(), also, filter: filter_value, verbatim, ..before.clone() };
    let found = bundle.search(again);
    assert_eq!(found.total.pages, pages, "{suggestion:?}");
    assert!(found.suggestions.is_empty());
    let filter = filter.map(|filter| format!(" [{filter}]")).unwrap_or_default();
    let kind = serde_json::to_value(kind).unwrap();
    format!("{}: {query}{filter} ({pages})", kind.as_str().unwrap())
}

fn notices(response: &Response, code: &str) -> Vec<String> {
    let those = response.notices.iter().filter(|notice| notice.code == code);
    those.map(|notice| notice.message.clone()).collect()
}

#[test]
fn words_that_resemble_one_that_no_page_has() {
    let verbatim = |query: &str| Request { verbatim: true, ..request(query) };
    assert_eq!(suggested(verbatim("mutx")), ["words: mutex (2)", "spelling: mutx (2)"]);
    // Too different for a correction.
    assert_eq!(suggested(request("motekx")), ["words: mutex (2)"]);
    // A word that resembles none is left out: no page has it.
    assert_eq!(suggested(request("motekx xylophone")), ["words: mutex (2)"]);
    // Codes are never corrected, but may be suggested.
    assert_eq!(suggested(request("E0383")), ["words: e0382 (1)", "words: e0384 (1)"]);
    // A word that resembles nothing.
    assert_eq!(suggested(request("xylophone")), [""; 0]);
    let response = books().search(request("xylophone \"quux\""));
    let messages = notices(&response, "unknown-words");
    assert_eq!(
        messages.iter().map(|message| named(message)).collect::<Vec<_>>(),
        [["xylophone", "quux"]]
    );
}

#[test]
fn a_phrase_keeps_its_marks_where_other_words_stand_in_it() {
    assert_eq!(
        suggested(request("\"sharde data\"")),
        ["words: \"shared data\" (1)", "phrases: sharde data (1)"]
    );
    assert_eq!(suggested(request("\"data mutex\"")), ["phrases: data mutex (2)"]);
}

#[test]
fn exclusions_of_everything() {
    assert_eq!(suggested(request("mutex -guards -channels")), ["exclusions: mutex (2)"]);
    // Neither change helps alone.
    assert_eq!(suggested(request("\"data mutex\" book:book")), ["everything: data mutex (2)"]);
}

#[test]
fn values_that_no_page_has() {
    assert_eq!(
        suggested(request("book:refrence mutex")),
        ["value: book:reference mutex (1)", "filter: mutex (2)"]
    );
    let filtered =
        |query: &str, filter: serde_json::Value| Request { filter: Some(filter), ..request(query) };
    assert_eq!(
        suggested(filtered("mutex", json!({"book": "refrence"}))),
        ["value: mutex [book=reference] (1)", "filter: mutex (2)"]
    );
    // Nothing is near, so the existing values that find something are suggested.
    assert_eq!(
        suggested(filtered("mutex", json!("book=xyz"))),
        [
            "value: mutex [book=nomicon] (1)",
            "value: mutex [book=reference] (1)",
            "filter: mutex (2)"
        ]
    );
    let response = books().search(filtered("mutex", json!({"year": {"gte": 2030}})));
    let messages = notices(&response, "unknown-value");
    assert_eq!(messages.len(), 1);
    assert!(
        ["`year`", "2019", "2024"].iter().all(|part| messages[0].contains(part)),
        "{messages:?}"
    );
    assert_eq!(
        suggested(filtered(
            "mutex",
            json!({"must": [{"match": {"book": "nomicon"}}, {"range": {"year": {"lt": 2020}}}]})
        )),
        ["filter: mutex (2)", "part: mutex [year:lt:2020] (1)", "part: mutex [book=nomicon] (1)"]
    );
}

#[test]
fn suggestions_need_spellings_in_every_script() {
    // Browsers fetch the code for suggestions together with them.
    let bundle = books();
    let spellings: Vec<_> = bundle.manifest.spelling.iter().map(|range| range.shard).collect();
    for query in ["xylophone", "灯台 嵐"] {
        let (response, rounds) = bundle.answer(&mut bundle.open(), request(query)).unwrap();
        assert_eq!(response.total.pages, 0, "{query}");
        assert!(rounds.iter().flatten().any(|shard| spellings.contains(shard)), "{query}");
    }
}

#[test]
fn names_that_are_nearly_an_attributes() {
    assert_eq!(suggested(request("Book:nomicon")), ["attribute: book:nomicon (1)"]);
    assert_eq!(suggested(request("boook:nomicon xylophone")), [""; 0]);
    let error =
        books().open().search(Request { filter: Some(json!("boook=a")), ..request("mutex") }).err();
    let error = error.unwrap();
    assert_eq!(error.code(), "unknown-attribute");
    assert_eq!(named(&error.to_string()), ["boook", "book"]);
}

#[test]
fn suggestions_change_every_phrasing() {
    let also = vec!["\"mutex data\"".into()];
    assert_eq!(
        suggested(Request { also, ..request("\"data mutex\"") }),
        ["phrases: data mutex (2)"]
    );
}

#[test]
fn suggestions_can_be_switched_off() {
    let response = books().search(Request { suggest: Suggest(false), ..request("motekx") });
    assert_eq!(response.suggestions, []);
    assert_eq!(notices(&response, "unknown-words"), [""; 0]);
    let read = Request::from_json(r#"{"query": "a", "suggest": false}"#).unwrap();
    assert_eq!(
        (read.suggest, Request::from_json("{}").unwrap().suggest),
        (Suggest(false), Suggest(true))
    );
}

#[test]
fn values_of_another_type_are_told_what_there_is() {
    let notices = |query: &str| {
        let response = books().search(Request { mode: Mode::Lexical, ..request(query) });
        response.notices
    };
    let said = notices("mutex year:latest");
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].code, "not-a-value");
    assert_eq!(named(&said[0].message), ["year", "latest"]);
    assert!(said[0].message.contains("2019") && said[0].message.contains("2024"), "{said:?}");
    assert_eq!(titles(&books().search(request("mutex year:>2019"))), ["Receiving"]);
    // A filter is refused once the column with the existing values has been fetched. Nothing else
    // is requested.
    let bundle = books();
    let mut index = bundle.open();
    let filter = Some(json!("book=book,year:gte:latest"));
    let mut search = index.search(Request { filter, ..request("mutex") }).unwrap();
    let Ok(Step::Need(shards)) = search.step(&index) else { panic!("a column is asked for") };
    assert_eq!(shards, [bundle.manifest.attribute("year").unwrap().column]);
    index.provide(shards[0], &bundle.shards[shards[0].index()]).unwrap();
    let error = search.step(&index).unwrap_err();
    assert_eq!(error.code(), "filter");
    let message = error.to_string();
    assert_eq!(named(&message), ["year", "latest"]);
    assert!(message.contains("2019") && message.contains("2024"), "{message}");
    let filter = Some(json!("book:gt:a"));
    let refused =
        bundle.answer(&mut bundle.open(), Request { filter, ..request("mutex") }).unwrap_err();
    let message = refused.to_string();
    assert!(named(&message).ends_with(&["book", "nomicon", "reference"]), "{message}");
}

#[test]
fn codes_with_other_digits_are_suggested_for_a_short_code() {
    let pages =
        [page("Display", &[("", "P1, P3 and P9 are levels; P13 is none, and pa is a dance.")])];
    let bundle = build(&pages, &[], Cut { words_per_spelling: 4, ..Cut::default() });
    let queries = |query: &str| {
        let suggestions = bundle.search(request(query)).suggestions;
        suggestions.into_iter().map(|one| one.query).collect::<Vec<_>>()
    };
    assert_eq!(queries("P4"), ["p3", "p1", "p9"]);
    assert_eq!(queries("zz"), [""; 0]);
}

#[test]
fn marks_alone_are_told() {
    let response = books().search(Request { mode: Mode::Lexical, ..request("?? !") });
    assert_eq!(
        response.notices.iter().map(|notice| notice.code.as_str()).collect::<Vec<_>>(),
        ["no-words"]
    );
}

#[test]
fn by_meaning_alone_filters_are_named() {
    let filter = Some(json!("book=xyz"));
    let request = Request { mode: Mode::Semantic, filter, ..request("") };
    let kinds: Vec<_> =
        books().search(request).suggestions.into_iter().map(|one| one.kind).collect();
    assert_eq!(
        kinds,
        [SuggestionKind::Value; 3].into_iter().chain([SuggestionKind::Filter]).collect::<Vec<_>>()
    );
}
