//! A name that only one page has, in a question to which other pages are nearer by meaning.

mod support;

use findling_engine::{Fusion, Mode, QueryVector, Request};
use support::{Bundle, Cut, Page, Section, build};

const NAMES: [&str; 12] = [
    "issue99()",
    "getaddrinfo()",
    "CVE-2021-44228",
    "E0499",
    "ORA-00942",
    "1045",
    "--no-sandbox",
    "2.31.7",
    "nginx.conf",
    "max_connections",
    "ENOENT",
    "HashMapEntry",
];

fn page(url: &str, text: String, vector: [f32; 4]) -> Page {
    let section = Section { text, vectors: vec![vector.to_vec()], ..Section::default() };
    let (title, url, language) = (url.to_owned(), url.to_owned(), "en".to_owned());
    Page { title, url, language, sections: vec![section], ..Page::default() }
}

/// Builds forty pages with the words of the questions, and one page with the name.
fn site(name: &str) -> Bundle {
    let general = "The server uses memory while it starts. If a program fails, look at the log of \
                   the server and close the connection.";
    let mut pages: Vec<Page> = (0..40)
        .map(|i| page(&format!("/guide-{i}/"), general.into(), [1.0, 0.1, 0.0, i as f32 / 400.0]))
        .collect();
    let text = format!("Release notes. {name} is described here, among other things.");
    pages.push(page("/zebra/", text, [0.0, 0.2, 1.0, 0.0]));
    build(&pages, &[], Cut::default())
}

fn first(bundle: &Bundle, query: String, fusion: Fusion) -> String {
    let values = vec![1.0, 0.0, 0.0, 0.0];
    let vector = QueryVector { values, encoder: "test".into(), truncated: false };
    let request =
        Request { query, vector: Some(vector), mode: Mode::Hybrid, fusion, ..Request::default() };
    bundle.search(request).results[0].url.clone()
}

#[test]
fn the_page_with_the_name_is_first_in_long_questions_too() {
    for name in NAMES {
        let bundle = site(name);
        for query in [
            format!("why does the server fail with {name} while it starts"),
            format!("what is {name} good for in a program"),
            format!("{name}, which memory is used by the log of the connection"),
            format!("how do I close the connection after {name} without a restart of everything"),
        ] {
            assert_eq!(first(&bundle, query.clone(), Fusion::default()), "/zebra/", "{query}");
        }
    }
}

#[test]
fn a_word_is_no_name_and_a_share_that_is_asked_for_stays() {
    let share = |name: &str, fusion: Fusion| {
        let request = Request {
            query: format!("what does {name} of the server do with the memory while it starts"),
            vector: Some(QueryVector {
                values: vec![1.0, 0.0, 0.0, 0.0],
                encoder: "test".into(),
                truncated: false,
            }),
            mode: Mode::Hybrid,
            fusion,
            explain: true,
            ..Request::default()
        };
        site(name).search(request).plan.expect("the plan is explained").fusion
    };
    let (word, name) = (share("zymurgy", Fusion::default()), share("E0499", Fusion::default()));
    assert_ne!(word, name, "a name leaves meaning a smaller share than a word does");
    let all = Fusion::Convex { alpha: Some(1.0) };
    assert_eq!(share("E0499", all), share("zymurgy", all));
}
