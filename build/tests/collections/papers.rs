//! Papers as a collection: found by a paraphrase, filtered by year and type, synced with the texts
//! beside them.

use std::fs;

use serde_json::json;

use crate::home::Home;

const LIBRARY: &str = "\
@inproceedings{pools, title={Why worker pools starve}, author={Silva, Ana}, year=2019,
  booktitle={Systems}, abstract={Workers wait for a lock that another holds while it sleeps.}}
@article{sleep, title={Sleep and memory}, author={Moreau, Lise}, year=2021, journal={Sleep},
  abstract={Mice that sleep after training remember the maze better.}}
@phdthesis{tides, title={Tides of a lagoon}, author={Rossi, Ugo}, year=2015, school={Venice},
  abstract={Water enters and leaves the lagoon twice each day.}}
@misc{bare, title={Sleep of plants}}
";

/// Returns the titles that a search finds, in order.
fn titles(home: &Home, args: &[&str]) -> Vec<String> {
    let base = ["search", "papers", "--json", "--mode=lexical"];
    let response = home.json(&[&base[..], args].concat());
    let pages = response["results"].as_array().unwrap().iter();
    pages.map(|page| page["title"].as_str().unwrap().to_owned()).collect()
}

fn add(home: &Home, more: &[&str]) {
    let base =
        ["collection", "add", "papers", "papers", "--kind=papers", "--encoder=none", "--json"];
    home.json(&[&base[..], more].concat());
}

#[test]
fn papers_are_found_by_a_paraphrase_and_filtered_by_year_and_type() {
    let home = Home::new();
    home.write("papers/library.bib", LIBRARY);
    add(&home, &[]);
    let first = |query: &str| titles(&home, &[query]).remove(0);
    assert_eq!(first("do trained mice remember a maze after they slept"), "Sleep and memory");
    assert_eq!(first("threads stuck: worker holds lock and sleeps"), "Why worker pools starve");
    assert_eq!(first("how often does water enter the lagoon each day"), "Tides of a lagoon");

    let sleeping = |filter: &str| titles(&home, &["sleep", &format!("--filter={filter}")]);
    assert_eq!(sleeping("year=2021"), ["Sleep and memory"]);
    assert_eq!(sleeping("year:gte:2019").len(), 2);
    assert_eq!(sleeping("type=article"), ["Sleep and memory"]);
    assert_eq!(sleeping("authors=unknown"), ["Sleep of plants"]);
    assert_eq!(sleeping("type=thesis"), [""; 0]);
}

#[test]
fn a_text_that_appears_beside_its_bibliography_is_synced_into_its_paper() {
    let home = Home::new();
    home.write("papers/library.bib", LIBRARY);
    add(&home, &[]);
    assert_eq!(home.found("papers", "semaphore"), [""; 0]);
    home.write(
        "papers/texts/pools.txt",
        "Why worker pools starve\n\n1 Introduction\n\nPools are common.\n\n2 Methods\n\n\
         We count each semaphore.\n\nReferences\n\n[1] Dijkstra.\n",
    );
    let synced = home.sync("papers");
    assert_eq!((&synced["new"], &synced["pages"]), (&json!(1), &json!(4)));
    assert_eq!(home.found("papers", "semaphore"), ["/texts/pools.txt"]);
    assert_eq!(titles(&home, &["semaphore", "--filter=year=2019"]).len(), 1);
    let part = |name: &str| titles(&home, &["semaphore", &format!("--filter=chunk_type={name}")]);
    assert_eq!(part("methods"), ["Why worker pools starve"]);
    assert_eq!(part("introduction"), [""; 0]);
    assert_eq!(home.found("papers", "Dijkstra"), [""; 0], "references are left out");
    home.json(&["collection", "remove", "papers", "--yes", "--json"]);
    add(&home, &["--references"]);
    assert_eq!(home.found("papers", "Dijkstra"), ["/texts/pools.txt"]);

    fs::remove_file(home.path("papers/texts/pools.txt")).unwrap();
    assert_eq!(home.sync("papers")["deleted"], 1);
    assert_eq!(titles(&home, &["pools"]), ["Why worker pools starve"]);
}

#[test]
fn a_directory_with_a_bibliography_is_recognised_and_damaged_entries_are_named() {
    let home = Home::new();
    let damaged = format!("{LIBRARY}@article{{half, title = {{Ha\n");
    home.write("papers/library.bib", &damaged);
    home.write("papers/notes.txt", "Tide tables\n\nThey were measured at noon.\n");
    let args = ["build", "papers", "--encoder=none", "--no-client", "-o", "out"];
    let done = home.run(&args);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.err.contains("library.bib:8"), "{}", done.err);
    assert_eq!(home.found("out", "noon"), ["/notes.txt"]);
    home.write("papers/cut.json", "[{\"title\": \"x\", \"DOI\": ");
    let done = home.run(&[&args[..], &["--format=papers"]].concat());
    assert_eq!(done.code, 3, "{done:?}");
    assert!(done.err.contains("cut.json"), "{}", done.err);

    let report = home.json(&["inspect", "--extraction", "papers/library.bib", "--json"]);
    assert_eq!(report["pages"][0]["attributes"]["year"], 2019.0);
    assert_eq!(report["pages"][0]["sections"][0]["heading"], "Abstract");
}
