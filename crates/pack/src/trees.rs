//! Which decisions lead to a byte: the fewer, the more often it comes. Each decision costs time,
//! whatever it says, and balanced trees have eight for every byte; those of a module's own have
//! four. (D. A. Huffman, "A method for the construction of minimum-redundancy codes", 1952; in the
//! order of RFC 1951, section 3.2.2, so that lengths say everything)

use crate::coder::{Coder, ONE};

/// Trees that a module has, by what a byte is.
pub(crate) const TREES: usize = 7;
/// Decisions that lead to a byte, at most.
pub(crate) const LONGEST: usize = 15;

/// How many decisions lead to each byte; none to those that never come.
pub(crate) type Lengths = [u8; 256];

/// Decisions, the last one lowest, behind a one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Path(pub(crate) u32);

impl Path {
    /// Before any decision.
    pub(crate) const START: Self = Self(1);

    /// How many decisions it has.
    pub(crate) fn length(self) -> usize {
        self.0.checked_ilog2().unwrap_or(0) as usize
    }

    /// With one more.
    pub(crate) fn then(self, one: bool) -> Self {
        Self(self.0 << 1 | u32::from(one))
    }

    /// What it decides behind `beginning`, if that is how it begins.
    pub(crate) fn behind(self, beginning: Self) -> Option<bool> {
        let left = self.length().checked_sub(beginning.length() + 1)?;
        let next = self.0 >> (left & 31);
        (next >> 1 == beginning.0).then_some(next & 1 == 1)
    }
}

/// One tree.
pub(crate) struct Tree {
    /// By byte; 0 where it never comes.
    paths: [u16; 256],
    /// By length: the first path, how many there are, and where their bytes begin.
    firsts: [u16; LONGEST + 1],
    counts: [u16; LONGEST + 1],
    begins: [u16; LONGEST + 1],
    /// By path.
    bytes: [u8; 256],
}

impl Tree {
    /// Leads nowhere.
    pub(crate) const fn new() -> Self {
        Self { paths: [0; 256], firsts: [0; 16], counts: [0; 16], begins: [0; 16], bytes: [0; 256] }
    }

    /// Reads or writes the lengths, and becomes that tree. Any lengths give one: those that claim
    /// too much, one that leads to wrong bytes.
    pub(crate) fn code(&mut self, coder: &mut impl Coder, lengths: &Lengths) {
        // By whether the last byte comes, and bits so far.
        let mut probabilities = [[ONE as u16 / 2; 16]; 2];
        let mut comes = 0;
        *self = Self::new();
        let mut lengths = *lengths;
        for length in &mut lengths {
            let mut node = 1;
            for bit in [3, 2, 1, 0] {
                let probability = &mut probabilities[comes][node & 15];
                let one = coder.code(*length >> bit & 1 == 1, u32::from(*probability));
                let aim = if one { ONE as u16 - 16 } else { 16 };
                *probability = (u32::from(*probability) * 15 + u32::from(aim)).div_ceil(16) as u16;
                node = node << 1 | usize::from(one);
            }
            *length = node as u8 & 15;
            comes = usize::from(*length > 0);
            self.counts[usize::from(*length)] += 1;
        }
        self.counts[0] = 0;
        let (mut path, mut at) = (1u16, 0);
        for length in 1..=LONGEST {
            path = (path.wrapping_add(self.counts[length - 1])) << 1;
            (self.firsts[length], self.begins[length]) = (path, at);
            at += self.counts[length];
        }
        let mut next = [0; LONGEST + 1];
        for (byte, &length) in lengths.iter().enumerate() {
            let length = usize::from(length & 15);
            if length > 0 {
                self.paths[byte] = self.firsts[length].wrapping_add(next[length]);
                self.bytes[usize::from(self.begins[length] + next[length]) & 255] = byte as u8;
                next[length] += 1;
            }
        }
    }

    /// All decisions for a byte; none where it never comes.
    pub(crate) fn path(&self, byte: u8) -> Path {
        Path(u32::from(self.paths[usize::from(byte)]))
    }

    /// The byte that `path` leads to, if there it ends. The longest ends somewhere.
    pub(crate) fn byte(&self, path: Path) -> Option<u8> {
        let length = path.length();
        let place = (path.0 as u16).wrapping_sub(self.firsts[length & 15]);
        let here = place < self.counts[length & 15];
        (here || length >= LONGEST)
            .then(|| self.bytes[usize::from(self.begins[length & 15].wrapping_add(place)) & 255])
    }
}

/// The lengths that make the paths of all bytes shortest that come so often.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn shortest(counts: &[u32; 256]) -> Lengths {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    let mut counts = *counts;
    loop {
        // Weight, then the bytes below: with so few, nothing better is needed.
        let mut heap: BinaryHeap<Reverse<(u32, Vec<u8>)>> = (0..=255u8)
            .filter(|&byte| counts[usize::from(byte)] > 0)
            .map(|byte| Reverse((counts[usize::from(byte)], vec![byte])))
            .collect();
        let mut lengths = [0; 256];
        // One byte alone takes a decision as well, so that its length says that it comes.
        if let (1, Some(Reverse((_, only)))) = (heap.len(), heap.peek()) {
            lengths[usize::from(only[0])] = 1;
        }
        while let (Some(Reverse((a, mut bytes))), Some(Reverse((b, more)))) =
            (heap.pop(), heap.pop())
        {
            bytes.extend(more);
            bytes.iter().for_each(|&byte| lengths[usize::from(byte)] += 1);
            heap.push(Reverse((a + b, bytes)));
        }
        if lengths.iter().all(|&length| usize::from(length) <= LONGEST) {
            return lengths;
        }
        // Flatter until it is short enough.
        counts.iter_mut().filter(|count| **count > 0).for_each(|count| *count = *count / 2 + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coder::{Decoder, Encoder, Reading};

    /// The tree of such counts, written and read.
    fn tree(counts: &[u32; 256]) -> (Lengths, Tree) {
        let lengths = shortest(counts);
        let mut coder = Encoder::new(Vec::new());
        Tree::new().code(&mut coder, &lengths);
        let bytes = coder.finish();
        let mut coder = Decoder { state: Reading::begin(0, &bytes), bytes: &bytes };
        let mut read = Tree::new();
        read.code(&mut coder, &[0; 256]);
        (lengths, read)
    }

    #[test]
    fn every_path_leads_to_its_byte_and_no_beginning_of_it_to_any() {
        let fibonacci: Vec<u32> = (0..40)
            .scan((1, 1), |(a, b), _| Some(std::mem::replace(a, std::mem::replace(b, *a + *b))))
            .collect();
        let some = |counts: &[(usize, u32)]| {
            let mut all = [0; 256];
            counts.iter().for_each(|&(byte, count)| all[byte] = count);
            all
        };
        let deep: Vec<(usize, u32)> =
            fibonacci.into_iter().enumerate().map(|(i, count)| (i * 5, count)).collect();
        for counts in [
            [1; 256],
            some(&deep),
            some(&[(7, 3)]),
            some(&[(0, 1), (255, 1000)]),
            std::array::from_fn(|i| i as u32 % 7),
        ] {
            let (lengths, tree) = tree(&counts);
            for (byte, &count) in counts.iter().enumerate() {
                let path = tree.path(byte as u8);
                assert_eq!(path.0 > 0, count > 0, "{byte}");
                let all = usize::from(lengths[byte]);
                for length in 1..=all {
                    let reached = tree.byte(Path(path.0 >> (all - length)));
                    assert_eq!(reached, (length == all).then_some(byte as u8), "{byte} {length}");
                }
            }
        }
    }

    #[test]
    fn a_path_says_what_it_decides_behind_its_beginnings_alone() {
        let path = Path(0b1_0110);
        assert_eq!((path.length(), Path::START.then(false).then(true)), (4, Path(0b101)));
        let behind = [0b1, 0b10, 0b101, 0b1011, 0b1_0110, 0b11, 0b100]
            .map(|beginning| path.behind(Path(beginning)));
        assert_eq!(behind, [Some(false), Some(true), Some(true), Some(false), None, None, None]);
        assert_eq!(Path(0).behind(Path::START), None);
    }

    #[test]
    fn no_other_lengths_take_fewer_decisions() {
        let counts: [u32; 256] =
            std::array::from_fn(|i| [0, 50, 30, 10, 5, 5].get(i).copied().unwrap_or(0));
        let lengths = shortest(&counts);
        let taken: u32 =
            counts.iter().zip(lengths).map(|(count, length)| count * u32::from(length)).sum();
        assert_eq!(taken, 50 + 30 * 2 + 10 * 3 + 10 * 4);
    }

    #[test]
    fn hostile_lengths_lead_somewhere() {
        for length in 1..=15 {
            let mut coder = Encoder::new(Vec::new());
            let mut tree = Tree::new();
            tree.code(&mut coder, &[length; 256]);
            for path in 1..1 << 16 {
                let path = Path(path);
                assert!(path.length() < LONGEST || tree.byte(path).is_some());
            }
        }
    }
}
