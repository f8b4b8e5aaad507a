//! What comes next: each of a few contexts foretells the next bit by what has followed it before,
//! and a mixer learns, for each kind of place, which of them to believe.

use crate::MOST_BYTES;
use crate::coder::{Coder, ONE};
use crate::logistic::{self, LIMIT, squash};
use crate::mixer::{INPUTS, Lanes, WHOLE, learn, mix};
use crate::shape::{self, Shape, hash};
use crate::trees::{Lengths, Path, TREES, Tree};

/// Contexts: the shape's, and the last one and two bytes.
const TABLES: usize = shape::CONTEXTS + 2;
/// Blocks of a table.
const BLOCKS: usize = 1 << 15;
/// Kinds of bytes.
const KINDS: usize = 64;
/// Places where a match of a certain hash ended last.
const MATCHES: usize = 1 << 16;
/// Bytes that must be the same for a match.
const LEAST_MATCH: usize = 5;
/// Lengths of matches that are told apart.
const MATCH_LENGTHS: usize = 32;

/// What has followed a context: 15 probabilities for four decisions, of 12 bits, and how often each
/// was used in 4. The first number says whose they are. A probability counts from one half, so that
/// a table of zeros knows nothing.
type Block = [u16; 16];
const HALF: u16 = 0x8000;
/// After so many uses, a probability moves no slower.
const SETTLED: u16 = 10;

/// See the module. All of it is zero before [`begin`](Self::begin), so that it takes no room in a
/// binary.
pub(crate) struct Model {
    shape: Shape,
    trees: [Tree; TREES],
    /// All bytes so far.
    history: [u8; MOST_BYTES],
    length: usize,
    tables: [[Block; BLOCKS]; TABLES],
    mixing: Mixing,
    /// By hash of the last bytes: where they were seen, and how far the present match has come.
    seen: [u32; MATCHES],
    from: usize,
    matching: usize,
}

/// What is common to all contexts.
struct Mixing {
    /// By kind and decisions so far.
    by_kind: [Lanes; KINDS << 8],
    /// By length of match and kind.
    by_match: [Lanes; KINDS * MATCH_LENGTHS],
    /// By length: how likely a match goes on, 16 bits.
    matched: [u16; MATCH_LENGTHS],
    stretched: [i16; 4096],
    squashed: [u16; 4096],
    rates: [i32; 16],
}

impl Model {
    pub(crate) const fn new() -> Self {
        Self {
            shape: Shape::new(),
            trees: [const { Tree::new() }; TREES],
            history: [0; MOST_BYTES],
            length: 0,
            tables: [[[0; 16]; BLOCKS]; TABLES],
            mixing: Mixing {
                by_kind: [[0; INPUTS]; KINDS << 8],
                by_match: [[0; INPUTS]; KINDS * MATCH_LENGTHS],
                matched: [0; MATCH_LENGTHS],
                stretched: [0; 4096],
                squashed: [0; 4096],
                rates: [0; 16],
            },
            seen: [0; MATCHES],
            from: 0,
            matching: 0,
        }
    }

    /// Knows nothing yet, or nothing any more.
    pub(crate) fn begin(&mut self) {
        self.shape = Shape::new();
        (self.length, self.from, self.matching) = (0, 0, 0);
        self.tables.as_flattened_mut().fill([0; 16]);
        self.seen.fill(0);
        let mixing = &mut self.mixing;
        mixing.by_kind.fill([WHOLE / 4; INPUTS]);
        mixing.by_match.fill([WHOLE / 4; INPUTS]);
        mixing.matched.fill(HALF);
        logistic::stretched(&mut mixing.stretched);
        for (at, squashed) in mixing.squashed.iter_mut().enumerate() {
            *squashed = squash(at as i32 - LIMIT) as u16;
        }
        for (uses, rate) in mixing.rates.iter_mut().enumerate() {
            *rate = (1 << 18) / (2 * uses.min(usize::from(SETTLED)) as i32 + 5);
        }
    }

    /// How many bytes were coded.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// All bytes that were coded.
    pub(crate) fn coded(&self) -> &[u8] {
        self.history.get(..self.length).unwrap_or_default()
    }

    /// Codes the trees, which are of these lengths to an encoder. Before all else.
    pub(crate) fn trees(&mut self, coder: &mut impl Coder, lengths: &[Lengths; TREES]) {
        self.trees.iter_mut().zip(lengths).for_each(|(tree, lengths)| tree.code(coder, lengths));
    }

    /// Codes the next byte, which is `value` to an encoder.
    pub(crate) fn code(&mut self, coder: &mut impl Coder, value: u8) -> u8 {
        let bases = self.contexts();
        let expected = self.expected();
        let tree = &self.trees[self.shape.tree() % TREES];
        let place = Place {
            kind: usize::from(self.shape.kind) % KINDS,
            value: tree.path(value),
            expected: expected.map_or(Path(0), |byte| tree.path(byte)),
            matching: self.matching,
        };
        let mut path = Path::START;
        let byte = loop {
            let contexts =
                if path == Path::START { bases } else { bases.map(|base| hash(base, path.0)) };
            let mut contexts = contexts.iter();
            let mut blocks =
                self.tables.each_mut().map(|table| block(table, *contexts.next().unwrap_or(&0)));
            if let Some(byte) = self.mixing.four(coder, tree, &place, &mut blocks, &mut path) {
                break byte;
            }
        };
        self.go_on(byte, expected)
    }

    /// What the next byte may depend on, hashed.
    fn contexts(&self) -> [u32; TABLES] {
        let kind = u32::from(self.shape.kind);
        let [one, two] = [1, 2].map(|bytes| self.last(bytes));
        let mut all = [one << 8, two << 8, 0, 0, 0, 0, 0];
        all[2..].copy_from_slice(&self.shape.contexts);
        all.map(|context| hash(context, kind))
    }

    /// The byte so far back, 1 being the last.
    fn back(&self, back: usize) -> u8 {
        self.history[self.length.wrapping_sub(back) % MOST_BYTES]
    }

    /// The last bytes, four at most, in one number.
    fn last(&self, bytes: usize) -> u32 {
        (1..=bytes).rev().fold(0, |number, back| number << 8 | u32::from(self.back(back)))
    }

    /// The byte that came where the last ones were seen before, if they were.
    fn expected(&mut self) -> Option<u8> {
        let here = self.length;
        let key = hash(self.last(4), u32::from(self.back(LEAST_MATCH))) as usize % MATCHES;
        if self.matching == 0 {
            let from = self.seen[key] as usize;
            let same = |&back: &usize| self.history[(from - back) % MOST_BYTES] == self.back(back);
            let matching = (1..=from.min(MATCH_LENGTHS)).take_while(same).count();
            if matching >= LEAST_MATCH {
                (self.from, self.matching) = (from, matching);
            }
        }
        self.seen[key] = here as u32;
        (self.matching > 0).then(|| self.history[self.from % MOST_BYTES])
    }

    fn go_on(&mut self, byte: u8, expected: Option<u8>) -> u8 {
        if expected == Some(byte) {
            self.matching += 1;
            self.from += 1;
        } else {
            self.matching = 0;
        }
        self.history[self.length % MOST_BYTES] = byte;
        self.length += 1;
        self.shape.next(byte);
        byte
    }
}

/// What is known of a byte before it comes.
struct Place {
    kind: usize,
    /// Its path, to an encoder.
    value: Path,
    /// The path of the byte that the match goes on with, or none.
    expected: Path,
    matching: usize,
}

impl Mixing {
    /// Codes the next four decisions, or those to the end of the path, whose byte it gives then.
    #[inline(always)]
    fn four(
        &mut self,
        coder: &mut impl Coder,
        tree: &Tree,
        place: &Place,
        blocks: &mut [&mut Block; TABLES],
        path: &mut Path,
    ) -> Option<u8> {
        let mut slot = 1;
        let mut inputs: Lanes = [0; INPUTS];
        for _ in 0..4 {
            for (input, block) in inputs.iter_mut().zip(blocks.iter()) {
                *input = self.stretched[usize::from((block[slot] ^ HALF) >> 4)];
            }
            let likely = place.expected.behind(*path);
            let matching = if likely.is_some() { place.matching.min(MATCH_LENGTHS - 1) } else { 0 };
            let goes_on = self.stretched[usize::from(self.matched[matching] >> 4)];
            inputs[TABLES] = likely.map_or(0, |one| if one { goes_on } else { -goes_on });

            let spot = (path.0 ^ path.0 >> 8) as usize & 255;
            let by_kind = &mut self.by_kind[place.kind << 8 | spot];
            let by_match = &mut self.by_match[matching * KINDS + place.kind];
            let (first, second) = (mix(by_kind, &inputs), mix(by_match, &inputs));
            let both = ((first + second) >> 1) + LIMIT;
            let probability = u32::from(self.squashed[both as usize & 4095]);

            let one = coder.code(place.value.behind(*path) == Some(true), probability);

            let came = if one { ONE as i32 } else { 0 };
            for (weights, said) in [(by_kind, first), (by_match, second)] {
                let error = came - i32::from(self.squashed[(said + LIMIT) as usize & 4095]);
                learn(weights, &inputs, (error * 2) as i16);
            }
            if let Some(likely) = likely {
                approach(&mut self.matched[matching], likely == one);
            }
            let aim = came - i32::from(one);
            for block in blocks.iter_mut() {
                let (probability, uses) = (i32::from((block[slot] ^ HALF) >> 4), block[slot] & 15);
                let next =
                    probability + (((aim - probability) * self.rates[usize::from(uses)]) >> 16);
                block[slot] = ((next as u16) << 4 | (uses + 1).min(SETTLED)) ^ HALF;
            }
            slot = (slot << 1 | usize::from(one)) & 15;
            *path = path.then(one);
            if let Some(byte) = tree.byte(*path) {
                return Some(byte);
            }
        }
        None
    }
}

/// The block of a context: one of two neighbours, emptied where it was another's, the one that was
/// used less.
fn block(table: &mut [Block; BLOCKS], context: u32) -> &mut Block {
    let whose = (context >> 16) as u16 | 1;
    let mut at = context as usize % BLOCKS;
    if table[at][0] != whose {
        let other = (at ^ 1) % BLOCKS;
        if table[other][0] == whose || table[other][1] & 15 < table[at][1] & 15 {
            at = other;
        }
    }
    let block = &mut table[at];
    if block[0] != whose {
        *block = [0; 16];
        block[0] = whose;
    }
    block
}

/// Moves a probability of 16 bits by a 32nd of the way.
fn approach(probability: &mut u16, one: bool) {
    let aim = if one { i32::from(u16::MAX) } else { 0 };
    *probability = (i32::from(*probability) + ((aim - i32::from(*probability)) >> 5)) as u16;
}
