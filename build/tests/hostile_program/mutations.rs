//! Damage to valid inputs, the same in each run.

use std::ops::Range;

/// Maximum number of bytes of a run that is inserted: more than any limit of a head or a line's
/// field.
const MAX_RUN: usize = 200_000;
/// Maximum number of times that a line or a range is repeated.
const MAX_REPEATS: usize = 2_000;
/// Maximum number of bytes of a damaged input. Larger ones would test the speed of this machine.
const MAX_INPUT: usize = 1 << 20;

/// Bytes that parsers treat differently from their neighbours.
const ODD: &[u8] = b"\0\x01\t\n\r \"#%&'(),-./:;=?@[\\]_{|}~\x7f\x80\xbf\xc0\xe2\xef\xf4\xfe\xff";

/// Numbers at the edges of types, and numbers that are none.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "00",
    "+1",
    "1e999",
    "0x10",
    "2147483648",
    "4294967296",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999999999",
    "NaN",
];

/// Random numbers (SplitMix64): fast, and the same on every machine.
pub struct Random(u64);

impl Random {
    /// Makes the numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }

    /// Returns a random item of a list.
    pub fn one<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }

    /// Returns a range of these bytes, short more often than long.
    fn range(&mut self, len: usize) -> Range<usize> {
        let start = self.below(len + 1);
        let longest = if self.below(4) == 0 { len - start } else { (len - start).min(24) };
        start..start + self.below(longest + 1)
    }

    /// Returns a valid input with damage at one to five places. `words` are texts with a meaning in
    /// these inputs, such as keywords and marks.
    pub fn damaged(&mut self, seeds: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
        let mut bytes = seeds[self.below(seeds.len())].clone();
        for _ in 0..=self.below(5) {
            self.damage(&mut bytes, seeds, words);
            bytes.truncate(MAX_INPUT);
        }
        bytes
    }

    fn damage(&mut self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str]) {
        let at = self.below(bytes.len() + 1);
        match self.below(13) {
            0 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << self.below(8);
                }
            }
            1 => {
                let odd = ODD[self.below(ODD.len())];
                match bytes.get_mut(at) {
                    Some(byte) => *byte = odd,
                    None => bytes.push(odd),
                }
            }
            2 => bytes.insert(at, ODD[self.below(ODD.len())]),
            3 => drop(bytes.drain(self.range(bytes.len()))),
            4 => bytes.truncate(at),
            5 => {
                let range = self.range(bytes.len());
                let repeated = bytes[range.clone()].repeat(1 + self.below(8));
                insert(bytes, range.end, &repeated);
            }
            6 => self.repeat_line(bytes),
            7 => {
                // Joins the beginning of this input and the end of another.
                let other = &seeds[self.below(seeds.len())];
                bytes.truncate(at);
                bytes.extend_from_slice(&other[self.below(other.len() + 1)..]);
            }
            8 => bytes.extend_from_slice(&seeds[self.below(seeds.len())]),
            9 => {
                let run = vec![ODD[self.below(ODD.len())]; self.below(MAX_RUN)];
                insert(bytes, at, &run);
            }
            10 => self.replace_number(bytes),
            _ => insert(bytes, at, self.one(words).as_bytes()),
        }
    }

    /// Repeats one line: many headers, many keys, many messages.
    fn repeat_line(&mut self, bytes: &mut Vec<u8>) {
        let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
        if lines.is_empty() {
            return;
        }
        let i = self.below(lines.len());
        let at = lines[..=i].iter().map(|line| line.len()).sum();
        let most = (MAX_INPUT / (lines[i].len() + 1)).clamp(1, MAX_REPEATS);
        let repeated = lines[i].repeat(1 + self.below(most));
        insert(bytes, at, &repeated);
    }

    /// Replaces a number in the input with an extreme one.
    fn replace_number(&mut self, bytes: &mut Vec<u8>) {
        let starts: Vec<usize> = (0..bytes.len())
            .filter(|&i| bytes[i].is_ascii_digit() && (i == 0 || !bytes[i - 1].is_ascii_digit()))
            .collect();
        let Some(&start) = starts.get(self.below(starts.len())) else { return };
        let rest = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        bytes.splice(start..start + rest, self.one(NUMBERS).bytes());
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, more: &[u8]) {
    bytes.splice(at..at, more.iter().copied());
}

/// Returns a number from the environment.
fn given(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Returns the seeds of a test's cases: `usual` of them, or as many as `FINDLING_CASES` says,
/// divided by `cost`, from `FINDLING_SEED` on. A case that starts a process costs more than a line.
pub fn seeds(usual: u64, cost: u64) -> Range<u64> {
    let first = given("FINDLING_SEED").unwrap_or(1);
    let n = given("FINDLING_CASES").map_or(usual, |cases| cases.div_ceil(cost));
    first..first + n
}

/// Returns an input as it is named in a message: escaped, and cut after its beginning.
pub fn shown(seed: u64, input: &[u8]) -> String {
    const MAX_SHOWN: usize = 2_000;
    let start = &input[..input.len().min(MAX_SHOWN)];
    format!("FINDLING_SEED={seed}, {} bytes: {}", input.len(), start.escape_ascii())
}
