//! Tests of the ranges of packs that readers fetch, with the same examples as in the web client.

use findling_bundle::packs::{GAP, Slot, coalesce_along};

fn slots(text: &str) -> Vec<Slot> {
    let slot = |text: &str| {
        let (pack, place) = text.split_once(':').unwrap();
        let (start, units) = place.split_once('+').unwrap();
        let number = |text: &str| text.parse().unwrap();
        Slot { pack: number(pack), start: number(start), units: number(units) }
    };
    text.split_whitespace().map(slot).collect()
}

#[test]
fn ranges_are_those_of_the_examples() {
    let lines = include_str!("ranges.txt").lines();
    let mut n = 0;
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut parts = line.split('|').map(slots);
        let mut next = || parts.next().unwrap();
        let (wanted, along, expected) = (next(), next(), next());
        let fetches = coalesce_along(&wanted, &along, GAP);
        let ranges: Vec<Slot> = fetches.iter().map(|fetch| fetch.range).collect();
        assert_eq!(ranges, expected, "{line}");
        assert_eq!(fetches.iter().map(|fetch| fetch.n_wanted).sum::<usize>(), wanted.len());
        n += 1;
    }
    assert_eq!(n, 11);
}
