//! Heapsort, for a small engine.
//!
//! The standard library's sorts are fast, but take 4-8 kB of WebAssembly for every type and
//! comparison. A reader downloads the engine before the first result, and the engine sorts short
//! lists, or needs only their first elements. Heapsort (Williams, CACM 7(6), 1964) takes a tenth of
//! the space. It is not stable, so a comparison must not leave ties between different elements.

/// Sorts in place. O(n log n) comparisons, no allocation.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, |a, b| a < b);
}

/// Sorts by `before`, which says whether one element comes before another: a strict total order.
pub fn sort_by<T>(items: &mut [T], mut before: impl FnMut(&T, &T) -> bool) {
    heapify(items, &mut before);
    unwind(items, &mut before);
}

/// Moves the first `n` elements, sorted, to the front. The rest follow in any order. O(len + k log
/// n) comparisons, where k is the number of elements that are among the first `n` of those before
/// them: few in an unordered list.
pub fn sort_first<T>(items: &mut [T], n: usize, mut before: impl FnMut(&T, &T) -> bool) {
    let n = n.min(items.len());
    if n == 0 {
        return;
    }
    heapify(&mut items[..n], &mut before);
    for i in n..items.len() {
        if before(&items[i], &items[0]) {
            items.swap(i, 0);
            sift(&mut items[..n], 0, &mut before);
        }
    }
    unwind(&mut items[..n], &mut before);
}

/// Makes a heap with the last element at the root.
fn heapify<T>(items: &mut [T], before: &mut impl FnMut(&T, &T) -> bool) {
    for root in (0..items.len() / 2).rev() {
        sift(items, root, before);
    }
}

/// Turns a heap into a sorted slice.
fn unwind<T>(items: &mut [T], before: &mut impl FnMut(&T, &T) -> bool) {
    for end in (1..items.len()).rev() {
        items.swap(0, end);
        sift(&mut items[..end], 0, before);
    }
}

/// Moves the element at `root` down to its place.
fn sift<T>(items: &mut [T], mut root: usize, before: &mut impl FnMut(&T, &T) -> bool) {
    loop {
        let mut child = 2 * root + 1;
        if child >= items.len() {
            return;
        }
        if child + 1 < items.len() && before(&items[child], &items[child + 1]) {
            child += 1;
        }
        if !before(&items[root], &items[child]) {
            return;
        }
        items.swap(root, child);
        root = child;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_like_the_standard_library(mut items: Vec<u16>) {
            let mut expected = items.clone();
            expected.sort_unstable();
            sort(&mut items);
            prop_assert_eq!(items, expected);
        }

        #[test]
        fn sort_first_sorts_the_first_and_keeps_all_elements(mut items: Vec<u8>, n in 0usize..70) {
            let mut expected = items.clone();
            expected.sort_unstable_by(|a, b| b.cmp(a));
            sort_first(&mut items, n, |a, b| a > b);
            let n = n.min(items.len());
            prop_assert_eq!(&items[..n], &expected[..n]);
            items.sort_unstable_by(|a, b| b.cmp(a));
            prop_assert_eq!(items, expected);
        }
    }
}
