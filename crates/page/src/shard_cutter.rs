//! Decides where shards end, so that an edit moves few of the ends.

/// Cuts a sequence into shards of about a target size (content-defined chunking). Hashes of the
/// items decide where to cut, so that adding or removing an item moves only the cuts around it. A
/// rebuild leaves the other shards unchanged.
///
/// A shard has between half and twice the target, except that an item larger than the target is
/// alone.
#[derive(Clone, Debug)]
pub struct ShardCutter {
    target: usize,
    len: usize,
    alone: bool,
}

impl ShardCutter {
    /// Cuts to about `target` bytes.
    pub fn new(target: usize) -> Self {
        Self { target: target.max(1), len: 0, alone: false }
    }

    /// Returns whether a shard ends before the item with this key and size. The item then belongs
    /// to the next shard.
    pub fn cut_before(&mut self, key: impl AsRef<[u8]>, size: usize) -> bool {
        self.choose(key.as_ref(), size, size)
    }

    /// Returns whether a shard ends before an item, like [`Self::cut_before`], for ascending keys.
    /// Every reader fetches the separators ([`separator`]), so short separators are preferred: a
    /// cut is three times as likely if its separator is a byte shorter (the shortest separators of
    /// simple prefix B-trees: Bayer and Unterauer, "Prefix B-trees", TODS 1977).
    pub fn cut_between(&mut self, before: &str, first: &str, size: usize) -> bool {
        // By length of the separator, from one byte. On average there are as many cuts as with
        // equal chances.
        const SIXTEENTHS: [usize; 6] = [750, 250, 83, 28, 9, 3];
        let n_bytes = separator(before, first).len();
        let liked = SIXTEENTHS.get(n_bytes.max(1) - 1).copied().unwrap_or(1);
        self.choose(first.as_bytes(), size, size * liked / 16)
    }

    /// Decides whether to cut before an item. `chance` replaces the item's size when its hash is
    /// compared: a larger value makes a cut more likely.
    fn choose(&mut self, key: &[u8], size: usize, chance: usize) -> bool {
        let large = size > self.target;
        let cut = self.len > 0
            && (large
                || self.alone
                || self.len + size > 2 * self.target
                || (self.len >= self.target / 2 && chosen(key, chance, self.target / 2)));
        if cut {
            self.len = 0;
        }
        self.len += size;
        self.alone = large;
        cut
    }

    /// Ends a shard before the next item.
    pub fn cut(&mut self) {
        self.alone = true;
    }

    /// Returns the size that makes a first query cheapest. Each shard costs `entry` bytes in the
    /// manifest, which every reader fetches, and a query fetches about `fetched` shards, compressed
    /// to half; the sum is least at the square root. Never below `least`.
    /// [Rounded](ShardCutter::steady), so that a growing site seldom moves all cuts.
    pub fn best_target(total: usize, entry: usize, fetched: usize, least: usize) -> usize {
        let best = ((entry * total) as f64 * 2.0 / fetched as f64).sqrt();
        Self::steady(best).clamp(least, 512 << 10)
    }

    /// Rounds to the next power of two or half power of two, at most some megabytes.
    pub fn steady(best: f64) -> usize {
        let half_powers = (2.0 * best.max(1.0).log2()).round() as u32;
        let power = 1usize << (half_powers / 2).min(22);
        // Products are the same on every machine; powers with fractional exponents need not be.
        if half_powers.is_multiple_of(2) {
            power
        } else {
            (power as f64 * std::f64::consts::SQRT_2) as usize
        }
    }
}

/// Returns the shortest prefix of `first` that is greater than `before`. It separates the two keys,
/// and every reader fetches it.
pub fn separator<'a>(before: &str, first: &'a str) -> &'a str {
    let mut ends = first.char_indices().map(|(at, c)| at + c.len_utf8());
    ends.find(|&end| &first[..end] > before).map_or(first, |end| &first[..end])
}

/// Returns whether to cut at a key. On average, there is one such key in about `spacing` bytes.
fn chosen(key: &[u8], size: usize, spacing: usize) -> bool {
    let hash = findling_bundle::hash128(key);
    let uniform = u32::from_le_bytes([hash[0], hash[1], hash[2], hash[3]]);
    let threshold = (size as u64) << 32;
    u64::from(uniform) * (spacing.max(1) as u64) < threshold
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(items: &[(String, usize)], target: usize) -> Vec<Vec<String>> {
        let mut cutter = ShardCutter::new(target);
        let mut shards: Vec<Vec<String>> = vec![Vec::new()];
        for (key, size) in items {
            if cutter.cut_before(key, *size) {
                shards.push(Vec::new());
            }
            shards.last_mut().unwrap().push(key.clone());
        }
        shards
    }

    fn items(n: usize) -> Vec<(String, usize)> {
        (0..n).map(|i| (format!("page{i}"), 100 + i * 37 % 400)).collect()
    }

    #[test]
    fn shards_are_between_half_and_twice_the_target() {
        let items = items(1000);
        let sizes: std::collections::HashMap<_, _> = items.iter().cloned().collect();
        let shards = cut(&items, 4000);
        for shard in &shards[..shards.len() - 1] {
            let size: usize = shard.iter().map(|key| sizes[key]).sum();
            assert!((2000..=8000).contains(&size), "{size}");
        }
        assert_eq!(shards.concat().len(), 1000);
    }

    #[test]
    fn targets_are_near_the_cheapest() {
        let cost = |target: usize| (40 * 14_000_000 / target + 5 * target / 2) as f64;
        let target = ShardCutter::best_target(14_000_000, 40, 5, 4 << 10);
        assert_eq!(
            target,
            ShardCutter::best_target(15_000_000, 40, 5, 4 << 10),
            "a growing site keeps its cuts"
        );
        assert!([target / 2, target * 2].iter().all(|&other| cost(target) <= cost(other) * 1.01));
        assert_eq!(ShardCutter::best_target(0, 40, 5, 4 << 10), 4 << 10);
        assert_eq!(ShardCutter::best_target(usize::MAX >> 10, 40, 5, 4 << 10), 512 << 10);
    }

    #[test]
    fn an_item_put_in_moves_only_the_cuts_around_it() {
        let before = items(1000);
        let mut after = before.clone();
        after.insert(300, ("new page".to_owned(), 250));
        let before = cut(&before, 4000);
        let after = cut(&after, 4000);
        let changed = after.iter().filter(|shard| !before.contains(shard)).count();
        assert!(changed <= 4, "{changed} of {} shards changed", after.len());
    }

    #[test]
    fn cuts_between_words_are_where_little_parts_them() {
        // Words that each begin with the previous words, up to four letters.
        let letters = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let mut words = vec![String::new()];
        for _ in 0..4 {
            let longer =
                words.iter().flat_map(|word| letters.map(|letter| format!("{word}{letter}")));
            words.extend(longer.collect::<Vec<_>>());
        }
        words.sort();
        words.dedup();
        let cuts = |words: &[String]| -> Vec<String> {
            let mut cutter = ShardCutter::new(600);
            let pairs = words.windows(2).filter(|pair| cutter.cut_between(&pair[0], &pair[1], 30));
            pairs.map(|pair| separator(&pair[0], &pair[1]).to_owned()).collect()
        };
        let chosen = cuts(&words);
        let mean = |lens: Vec<usize>| lens.iter().sum::<usize>() as f64 / lens.len() as f64;
        let any = mean(words.windows(2).map(|pair| separator(&pair[0], &pair[1]).len()).collect());
        let of_cuts = mean(chosen.iter().map(String::len).collect());
        assert!(of_cuts < any - 0.25, "{of_cuts} bytes where any two words are parted by {any}");
        let per_shard = words.len() * 30 / (chosen.len() + 1);
        assert!((300..=1200).contains(&per_shard), "{per_shard}");
        // A new word moves only the cuts around it.
        words.insert(words.len() / 2, "dd!".into());
        words.sort();
        let moved = cuts(&words).iter().filter(|first| !chosen.contains(first)).count();
        assert!(moved <= 4, "{moved} of {}", chosen.len());
    }

    #[test]
    fn what_parts_two_words_is_behind_the_one_and_begins_the_other() {
        for (before, first, expect) in [
            ("", "borrow", "b"),
            ("apple", "borrow", "b"),
            ("bore", "borrow", "borr"),
            ("borrow", "borrowed", "borrowe"),
            ("zeb", "zèbre", "zè"),
            ("b", "b", "b"),
        ] {
            assert_eq!(separator(before, first), expect, "{before} {first}");
        }
    }

    #[test]
    fn a_large_item_is_alone() {
        let mut items = items(20);
        items[10].1 = 100_000;
        let shards = cut(&items, 4000);
        assert!(shards.contains(&vec!["page10".to_owned()]));
    }
}
