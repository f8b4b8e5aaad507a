use std::collections::{BTreeMap, HashMap};
use std::fs;

use super::findings::{Now, Pin, Redirect, Row, Synonym, findings, joined, redirects, words_of};
use super::log::{Log, Search, read};
use super::page;

/// Reads a log from a text.
fn searches(text: &str) -> Vec<Search> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    fs::write(&path, text).unwrap();
    let mut log = Log::default();
    read(&path, "q", &mut log).unwrap();
    joined(log.searches)
}

fn queries(text: &str) -> Vec<(String, u64)> {
    searches(text).into_iter().map(|search| (search.query, search.count)).collect()
}

fn named(all: &[(&str, u64)]) -> Vec<(String, u64)> {
    all.iter().map(|(query, n)| ((*query).to_owned(), *n)).collect()
}

/// Returns an event of a query at a second, in the form of `findling-settled`.
fn event(second: u32, query: &str, more: &str) -> String {
    format!(
        "{{\"time\": \"2026-11-29T10:{:02}:{:02}Z\", \"query\": \"{query}\"{more}}}\n",
        second / 60,
        second % 60
    )
}

#[test]
fn logs_of_every_form_are_read() {
    let common = "203.0.113.7 - - [29/Nov/2026:10:00:00 +0100] \"GET \
        /search?limit=5&q=glaze+cracks%21 HTTP/1.1\" 200 512 \"-\" \"Mozilla\"\nlocalhost \
        - - [29/Nov/2026:10:00:01 +0100] \"GET / HTTP/1.1\" 200 1\n";
    assert_eq!(queries(common), named(&[("glaze cracks!", 1)]));
    let caddy = "{\"ts\": 1796000000.5, \"request\": {\"remote_ip\": \"192.0.2.1\", \"uri\": \
        \"/search?q=kiln\"}}\n";
    assert_eq!(queries(caddy), named(&[("kiln", 1)]));
    let nginx = "{\"time_iso8601\": \"2026-11-29T10:00:00+00:00\", \"request\": \"GET \
        /s?q=kiln%20log HTTP/2.0\"}\n";
    assert_eq!(queries(nginx), named(&[("kiln log", 1)]));
    let table = "\u{feff}Search term;Visits;Results\n\"glaze; cracks\";1.204;0\nkiln;3;12\n";
    assert_eq!(queries(table), named(&[("glaze; cracks", 1204), ("kiln", 3)]));
    assert_eq!(searches(table)[0].pages, Some(0));
    let wrapped = "{\"name\": \"search\", \"event_data\": {\"query\": \"kiln\", \"pages\": 2}}\n";
    assert_eq!(queries(wrapped), named(&[("kiln", 1)]));
    // What `findling-log.js` exports: the choice is a line of its own.
    let exported = event(0, "kiln", ", \"event\": \"search\", \"pages\": 3")
        + &event(9, "kiln", ", \"event\": \"select\", \"href\": \"/a.html#b\"");
    let exported = searches(&exported);
    assert_eq!((exported.len(), exported[0].pages, exported[0].chosen.len()), (1, Some(3), 1));
}

#[test]
fn a_log_without_searches_is_an_error_that_says_what_is_read() {
    let dir = tempfile::tempdir().unwrap();
    for text in ["", "hello\n", "a,b\n1,2\n", "{\"a\": 1}\n", "\u{0}\u{1}"] {
        let path = dir.path().join("log");
        fs::write(&path, text).unwrap();
        let error = read(&path, "q", &mut Log::default()).unwrap_err().to_string();
        assert!(error.contains("--parameter"), "{text}: {error}");
    }
    assert!(read(dir.path(), "q", &mut Log::default()).is_err());
}

#[test]
fn what_a_reader_types_is_one_search() {
    let line = |client: &str, second: u32, query: &str| {
        format!(
            "{client} - - [29/Nov/2026:10:00:{second:02} +0000] \"GET /search?q={query} HTTP/1.1\" \
             200 1\n"
        )
    };
    let text = line("a", 0, "kil")
        + &line("b", 1, "gl")
        + &line("a", 2, "kiln")
        + &line("b", 2, "glaze")
        + &line("a", 30, "kiln+log");
    assert_eq!(queries(&text), named(&[("kiln", 1), ("glaze", 1), ("kiln log", 1)]));
}

#[test]
fn findings_are_what_the_searches_show() {
    let mut text = String::new();
    // A query without an answer, three times, in two spellings.
    for (second, query) in [(0, "Enamel"), (200, "enamel"), (400, "enamel")] {
        text += &event(second, query, ", \"pages\": 9, \"answerable\": 0.01");
    }
    // Four readers choose the same page in the fifth row, one the first.
    for n in 0..5 {
        let (href, row) =
            if n < 4 { ("https://a.example/cones.html#x", 5) } else { ("/b.html", 1) };
        let more = format!(", \"pages\": 9, \"href\": \"{href}\", \"position\": {row}");
        text += &event(600 + n * 200, "cone", &more);
    }
    // Two readers search `oven`, and then choose for `kiln`.
    for n in 0..2 {
        text += &event(2000 + n * 300, "oven", ", \"pages\": 1");
        let more = ", \"pages\": 1, \"href\": \"/kiln.html\", \"position\": 1";
        text += &event(2020 + n * 300, "kiln", more);
    }
    let searches = searches(&text);
    let found = findings(&searches, &HashMap::new());
    assert_eq!((found.searches, found.queries), (12, 4));
    assert_eq!((found.without_answer_searches, found.chosen_searches), (3, Some(7)));
    let row = |query: &str, searches| Row { query: query.into(), searches, now: None };
    assert_eq!(found.without_answer, [row("Enamel", 3)]);
    assert_eq!(found.without_choice, [row("oven", 2)]);
    let pin = Pin { query: "cone".into(), page: "/cones.html".into(), choices: 4, position: 5 };
    assert_eq!(found.pins, [pin]);
    assert_eq!(found.synonyms, [Synonym { from: "oven".into(), to: "kiln".into(), readers: 2 }]);
}

#[test]
fn without_counts_in_the_log_the_site_of_today_says_what_is_answered() {
    let searches = searches("query,count\nkiln,5\nenamel,2\n");
    let answer = |is_answered| Now { is_answered, title: None, url: None };
    let now = HashMap::from([("kiln".into(), answer(true)), ("enamel".into(), answer(false))]);
    let found = findings(&searches, &now);
    assert_eq!((found.searches, found.without_answer_searches), (7, 2));
    assert_eq!(found.without_answer[0].query, "enamel");
    assert!(found.without_choice.is_empty() && found.chosen_searches.is_none());
}

#[test]
fn what_strangers_typed_is_no_markup_and_no_command() {
    let query = "<script>alert(1)</script> \\u001b[31m";
    let searches = searches(&event(0, query, ", \"pages\": 0"));
    let found = findings(&searches, &HashMap::new());
    let page = page::page(&found);
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
    assert!(!page.contains('\u{1b}'));
}

#[test]
fn pages_that_readers_asked_for_in_vain_become_redirects() {
    let line = |request: &str, status: u16| {
        format!(
            "1.2.3.4 - - [29/Nov/2026:10:00:00 +0100] \"{request} HTTP/1.1\" {status} 1 \"-\"\n"
        )
    };
    let common: String = [
        line("GET /old/kiln-log.html", 404),
        line("GET /old/kiln-log.html?from=x", 404),
        line("GET /here/", 200),
        line("GET /wp-login.php", 404),
        line("POST /form", 404),
        line("GET /v1.2/", 410),
        line("GET /%C3%B6fen%20%22a%22/", 404),
    ]
    .concat();
    let json = "{\"status\": 404, \"request\": {\"uri\": \"/gone/glaze\"}}\n\
        {\"status\": \"404\", \"request\": \"GET /gone/glaze HTTP/2.0\"}\n";
    let dir = tempfile::tempdir().unwrap();
    let mut log = Log::default();
    for (name, text) in [("common", common.as_str()), ("json", json)] {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        read(&path, "q", &mut log).unwrap();
    }
    let expect = [
        ("/%C3%B6fen%20%22a%22/", 1),
        ("/gone/glaze", 2),
        ("/old/kiln-log.html", 2),
        ("/v1.2/", 1),
    ];
    let expect: BTreeMap<String, u64> =
        expect.into_iter().map(|(path, n)| (path.to_owned(), n)).collect();
    assert_eq!(log.missing, expect);
    assert_eq!(words_of("/%C3%B6fen%20%22a%22/index.html"), "öfen a");
    let now = |is_answered| Now {
        is_answered,
        title: None,
        url: Some("https://example.org/logs/#kiln".into()),
    };
    let now =
        HashMap::from([("old kiln log".into(), now(true)), ("gone glaze".into(), now(false))]);
    let found = redirects(&log.missing, &now);
    let redirect = |from: &str, to: Option<&str>| Redirect {
        from: from.into(),
        to: to.map(str::to_owned),
        requests: 2,
    };
    assert_eq!(
        found,
        [redirect("/gone/glaze", None), redirect("/old/kiln-log.html", Some("/logs/"))]
    );
    assert_eq!(found[1].line(), "/old/kiln-log.html /logs/ 301   # 2 requests");
}
