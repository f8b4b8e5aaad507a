//! Values of attributes that several bundles have counted.

use std::collections::HashMap;

use findling_engine::Facet;

/// Adds the counts of one bundle.
pub fn merge(all: &mut Vec<Facet>, more: &[Facet]) {
    for facet in more {
        let Some(known) = all.iter_mut().find(|known| known.name == facet.name) else {
            all.push(facet.clone());
            continue;
        };
        let mut sums: HashMap<String, u32> =
            std::mem::take(&mut known.values).into_iter().collect();
        for (value, count) in &facet.values {
            *sums.entry(value.clone()).or_default() += count;
        }
        known.values = most_frequent_first(sums);
    }
}

/// Sorts counted values into the order in which the engine returns them.
pub fn most_frequent_first(counts: HashMap<String, u32>) -> Vec<(String, u32)> {
    let mut values: Vec<(String, u32)> = counts.into_iter().collect();
    values.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facet(name: &str, values: &[(&str, u32)]) -> Facet {
        let values = values.iter().map(|(value, count)| ((*value).to_owned(), *count)).collect();
        Facet { name: name.into(), values }
    }

    #[test]
    fn counts_of_bundles_are_added() {
        let mut all = Vec::new();
        merge(&mut all, &[facet("book", &[("a", 3), ("b", 1)])]);
        merge(&mut all, &[facet("book", &[("b", 5), ("c", 3)]), facet("kind", &[("x", 1)])]);
        let values = &all[0].values;
        assert_eq!(*values, [("b".into(), 6), ("a".into(), 3), ("c".into(), 3)]);
        assert_eq!(all[1].name, "kind");
    }
}
