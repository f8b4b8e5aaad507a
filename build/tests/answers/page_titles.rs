//! A query that is the title of a page leads to the beginning of that page.

use serde_json::Value;

use super::home::Home;

/// Returns a home with pages of three forms: text below the title, a heading directly below it, and
/// a single section.
fn home(encoder: &str) -> Home {
    let home = Home::new();
    let kilns = "# Firing kilns\n\nFire pots slowly.\n\n## Firing kilns by gas\n\nFiring kilns by \
                 gas: firing kilns takes gas.\n\n## Cooling\n\nWait for a day.\n";
    let glazes = "# Mixing glazes\n\n## Context\n\nPowder and water.\n\n## Mixing glazes by \
                  hand\n\n\
                  Mixing glazes by hand takes an hour. Mixing glazes is work.\n";
    for (file, text) in [
        ("kilns.md", kilns),
        ("glazes.md", glazes),
        ("clay.md", "# Clay\n\nClay is dug from the ground.\n"),
    ] {
        home.write(&format!("site/{file}"), text);
    }
    let encoder = format!("--encoder={encoder}");
    let done = home.run(&["build", "site", "-o", "out", &encoder, "--no-client"]);
    assert_eq!(done.code, 0, "{done:?}");
    home
}

/// Returns the first page, and the addresses of its sections.
fn first(home: &Home, query: &str, more: &[&str]) -> (Value, Vec<String>) {
    let response = home.json(&[&["search", "out", query, "--json"], more].concat());
    let page = response["results"][0].clone();
    let sections = page["sections"].as_array().unwrap().iter();
    let urls = sections.map(|section| section["url"].as_str().unwrap().to_owned()).collect();
    (page["url"].clone(), urls)
}

#[test]
fn a_title_leads_to_the_beginning_of_its_page_and_other_queries_to_their_section() {
    for encoder in ["none", "static"] {
        let home = home(encoder);
        for (query, page) in [
            ("Firing kilns", "/kilns/"),
            ("firing  KILNS!", "/kilns/"),
            ("Mixing glazes", "/glazes/"),
            ("clay", "/clay/"),
        ] {
            for more in [&[][..], &["--streamed"]] {
                let (url, sections) = first(&home, query, more);
                assert_eq!(url, page, "{encoder}: {query}");
                assert_eq!(sections[0], page, "{encoder}: {query}: {sections:?}");
                let mut others = sections[1..].to_vec();
                others.dedup();
                assert_eq!(others, sections[1..], "{encoder}: {query}");
            }
        }
        let (_, sections) = first(&home, "firing kilns by gas", &[]);
        assert!(sections[0].ends_with("#firing-kilns-by-gas"), "{encoder}: {sections:?}");
        let (_, sections) = first(&home, "cooling kilns", &[]);
        assert!(sections[0].contains('#'), "{encoder}: {sections:?}");
    }
}
