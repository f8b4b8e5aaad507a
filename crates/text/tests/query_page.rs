//! Runs the tables of terms in `docs/queries.md`.

use findling_text::Analyzer;

/// Returns the cells of a row, without the backticks around a cell.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim().trim_start_matches('|').trim_end_matches('|');
    line.split('|').map(|cell| cell.trim().trim_matches('`')).collect()
}

#[test]
fn every_example_of_terms_is_true() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/queries.md");
    let page = std::fs::read_to_string(path).expect("docs/queries.md can be read");
    let (mut in_table, mut n_rows, mut wrong) = (false, 0, Vec::new());
    for line in page.lines() {
        if line == "| language | text | terms |" {
            in_table = true;
        } else if !line.starts_with('|') {
            in_table = false;
        } else if in_table && !line.starts_with("|--") {
            let [language, text, expect] = cells(line)[..] else {
                panic!("expected three cells, found {line}")
            };
            let mut terms = Vec::new();
            Analyzer::for_language(language)
                .analyze_with_marks(text, |token| terms.push(token.term.to_string()));
            n_rows += 1;
            if terms.join(" ") != expect {
                wrong.push(format!("{language}: {text}: {}, not {expect}", terms.join(" ")));
            }
        }
    }
    assert!(n_rows > 40, "found {n_rows} rows");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
