//! Runs the tables in `docs/filters.md`: the filters of a row mean the same.

use findling_engine::filter::{Condition, parse};

/// Returns the cells of a row, without the backticks around a cell. `\|` is no border.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches('|').trim_end_matches('|').replace("\\|", "\0");
    line.split('|').map(|cell| cell.trim().trim_matches('`').replace('\0', "|")).collect()
}

#[test]
fn both_filters_of_a_row_mean_the_same() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/filters.md");
    let page = std::fs::read_to_string(path).expect("docs/filters.md can be read");
    let read = |filter: &str| -> Vec<Condition> {
        let condition = parse(filter).unwrap_or_else(|error| panic!("{filter}: {error}"));
        // In the order of their names, because the order of two conditions makes no difference.
        let mut parts = match condition {
            Condition::All(parts) => parts,
            other => vec![other],
        };
        parts.sort_by_key(Condition::to_string);
        parts
    };
    let mut n_rows = 0;
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let [one, other] = &cells(line)[..] else { panic!("expected two cells, found {line}") };
        assert_eq!(read(one), read(other), "{line}");
        n_rows += 1;
    }
    assert!(n_rows > 15, "found {n_rows} rows");
}
