//! Finds the pages with the addresses most similar to an unknown address.

use std::collections::HashSet;

use findling_bundle::addresses::key;
use findling_bundle::texts::PageText;
use findling_bundle::{TextsShard, decode_shard};

use super::Host;

/// Largest number of addresses returned.
const MAX_ADDRESSES: usize = 5;
/// Smallest similarity, from 0 to 1, of addresses returned.
const MIN_SIMILARITY: f64 = 0.3;

impl Host {
    /// Returns the ids of the pages with a name: pages whose id ends in the name (such as the key
    /// of a bibliography), or whose title is the name. If no name is equal, the case of letters is
    /// ignored. Reads the texts of all pages.
    ///
    /// # Errors
    /// If the texts cannot be read.
    pub fn pages_named(&self, name: &str) -> anyhow::Result<Vec<String>> {
        let lower = name.trim().to_lowercase();
        let mut equal: Vec<String> = Vec::new();
        let mut alike: Vec<String> = Vec::new();
        self.each_page(|page| {
            let is_end = |id: &str, name: &str| {
                id.strip_suffix(name).is_some_and(|before| before.ends_with('/'))
            };
            if is_end(page.id, name) || page.title == name {
                equal.push(page.id.to_owned());
            } else if is_end(&page.id.to_lowercase(), &lower) || page.title.to_lowercase() == lower
            {
                alike.push(page.id.to_owned());
            }
        })?;
        let mut ids = if equal.is_empty() { alike } else { equal };
        ids.sort();
        ids.dedup();
        Ok(ids)
    }

    /// Returns the URLs (or ids, if these are more similar) most similar to `address`, best first,
    /// at most five. Reads the texts of all pages.
    ///
    /// # Errors
    /// If the texts cannot be read.
    pub fn near_addresses(&self, address: &str) -> anyhow::Result<Vec<String>> {
        let wanted = Trigrams::of(address);
        let mut near: Vec<(f64, String)> = Vec::new();
        self.each_page(|page| {
            let [url, id] = [page.url, page.id]
                .map(|spelling| (wanted.likeness(&Trigrams::of(spelling)), spelling));
            let (likeness, spelling) = if id.0 > url.0 { id } else { url };
            near.push((likeness, spelling.to_owned()));
        })?;
        near.retain(|(likeness, _)| *likeness >= MIN_SIMILARITY);
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let mut known = HashSet::new();
        near.retain(|(_, spelling)| known.insert(key(spelling)));
        Ok(near.into_iter().take(MAX_ADDRESSES).map(|(_, spelling)| spelling).collect())
    }

    /// Calls `on_page` with the texts of each page.
    fn each_page(&self, mut on_page: impl FnMut(PageText<'_>)) -> anyhow::Result<()> {
        for range in &self.manifest().texts {
            let Some(entry) = self.manifest().shard(range.shard) else { continue };
            let texts =
                TextsShard::from_bytes(decode_shard(entry, &self.files().shard(range.shard)?)?)?;
            for page in 0..texts.n_pages() {
                on_page(texts.page(page)?);
            }
        }
        Ok(())
    }
}

/// The runs of three characters of an address's key.
struct Trigrams(HashSet<[char; 3]>);

impl Trigrams {
    fn of(address: &str) -> Self {
        let padded: Vec<char> = format!("  {} ", key(address).to_lowercase()).chars().collect();
        Self(padded.windows(3).filter_map(|run| run.try_into().ok()).collect())
    }

    /// Returns Dice's coefficient, from 0 to 1.
    fn likeness(&self, other: &Self) -> f64 {
        let both = self.0.intersection(&other.0).count();
        2.0 * both as f64 / (self.0.len() + other.0.len()).max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_near_and_another_page_is_not() {
        let like = |a: &str, b: &str| Trigrams::of(a).likeness(&Trigrams::of(b));
        assert_eq!(like("/book/mutex.html", "book/mutex"), 1.0);
        assert!(like("/book/mutexes.html", "/book/mutex.html") > 0.8);
        assert!(like("/book/mutex.html", "/cargo/build.html") < MIN_SIMILARITY);
    }
}
