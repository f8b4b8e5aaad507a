//! What comes next: each of a few contexts foretells the next bit by what has followed it before, and a mixer learns, for each kind of
//! place, which of them to believe.

use crate::MOST_BYTES;
use crate::coder::{Coder, ONE};
use crate::logistic::{self, LIMIT, squash};
use crate::mixer::{INPUTS, Lanes, WHOLE, learn, mix};
use crate::shape::{self, Shape, hash};

/// Contexts: the shape's, and the last one and two bytes.
const TABLES: usize = shape::CONTEXTS + 2;
/// Blocks of all tables.
const BLOCKS: usize = 1 << 15;
/// Kinds of bytes.
const KINDS: usize = 64;
/// Places where a match of a certain hash ended last.
const MATCHES: usize = 1 << 16;
/// Bytes that must be the same for a match.
const LEAST_MATCH: usize = 5;
/// Lengths of matches that are told apart.
const LENGTHS: usize = 32;
/// Steps of a curve that refines probabilities.
const STEPS: usize = 33;

/// What has followed a context: 15 probabilities, by the bits of half a byte so far, of 12 bits, and how often each was used in 4.
/// The first number says whose they are. A probability counts from one half, so that a table of zeros knows nothing.
type Block = [u16; 16];
const HALF: u16 = 0x8000;
/// After so many uses, a probability moves no slower.
const SETTLED: u16 = 8;

/// See the module. All of it is zero before [`begin`](Self::begin), so that it takes no room in a binary.
pub(crate) struct Model {
    shape: Shape,
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
    /// By kind and bits so far.
    by_kind: [Lanes; KINDS << 8],
    /// By length of match and kind.
    by_match: [Lanes; KINDS * LENGTHS],
    /// By bits so far: the probabilities that came true where a stretched one was said, 16 bits.
    refined: [[u16; STEPS]; 256],
    /// By length: how likely a match goes on, 16 bits.
    matched: [u16; LENGTHS],
    stretched: [i16; 4096],
    squashed: [u16; 4096],
    rates: [i32; 16],
}

impl Model {
    pub(crate) const fn new() -> Self {
        Self {
            shape: Shape::new(),
            history: [0; MOST_BYTES],
            length: 0,
            tables: [[[0; 16]; BLOCKS]; TABLES],
            mixing: Mixing {
                by_kind: [[0; INPUTS]; KINDS << 8],
                by_match: [[0; INPUTS]; KINDS * LENGTHS],
                refined: [[0; STEPS]; 256],
                matched: [0; LENGTHS],
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
        for curve in &mut mixing.refined {
            for (step, refined) in curve.iter_mut().enumerate() {
                *refined = (squash(step as i32 * 128 - LIMIT) << 4) as u16;
            }
        }
        for (uses, rate) in mixing.rates.iter_mut().enumerate() {
            *rate = (1 << 17) / (2 * uses.min(usize::from(SETTLED)) as i32 + 3);
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

    /// Codes the next byte, which is `value` to an encoder.
    pub(crate) fn code(&mut self, coder: &mut impl Coder, value: u8) -> u8 {
        let bases = self.contexts();
        let expected = self.expected();
        let place = Place { kind: usize::from(self.shape.kind) % KINDS, expected, matching: self.matching };
        let mut node = 1;
        for high in [true, false] {
            let contexts = if high { bases } else { bases.map(|base| hash(base, node as u32)) };
            let mut contexts = contexts.iter();
            let mut blocks = self.tables.each_mut().map(|table| block(table, *contexts.next().unwrap_or(&0)));
            node = self.mixing.half(coder, usize::from(value) | 256, high, &place, &mut blocks, node);
        }
        self.go_on(node as u8, expected)
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

    /// The byte that came where the last ones were seen before, with a one in front; 0 where they were not.
    fn expected(&mut self) -> usize {
        let here = self.length;
        let key = hash(self.last(4), u32::from(self.back(LEAST_MATCH))) as usize % MATCHES;
        if self.matching == 0 {
            let from = self.seen[key] as usize;
            let same = |&back: &usize| self.history[(from - back) % MOST_BYTES] == self.back(back);
            let matching = (1..=from.min(LENGTHS)).take_while(same).count();
            if matching >= LEAST_MATCH {
                (self.from, self.matching) = (from, matching);
            }
        }
        self.seen[key] = here as u32;
        if self.matching > 0 { usize::from(self.history[self.from % MOST_BYTES]) | 256 } else { 0 }
    }

    fn go_on(&mut self, byte: u8, expected: usize) -> u8 {
        if expected == usize::from(byte) | 256 {
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
    /// See [`Model::expected`].
    expected: usize,
    matching: usize,
}

impl Mixing {
    /// Codes half a byte. `value` and `node` have a one in front: all bits of the byte behind it, and those so far.
    #[inline(always)]
    fn half(
        &mut self,
        coder: &mut impl Coder,
        value: usize,
        high: bool,
        place: &Place,
        blocks: &mut [&mut Block; TABLES],
        mut node: usize,
    ) -> usize {
        let mut slot = 1;
        let mut inputs: Lanes = [0; INPUTS];
        for bit in 0..4 {
            let bit = if high { 7 - bit } else { 3 - bit };
            for (input, block) in inputs.iter_mut().zip(blocks.iter()) {
                *input = self.stretched[usize::from((block[slot] ^ HALF) >> 4)];
            }
            let likely = place.expected >> bit & 1 == 1;
            let length =
                if place.expected >> (bit + 1) == node { place.matching.min(LENGTHS - 1) } else { 0 };
            let goes_on = self.stretched[usize::from(self.matched[length] >> 4)];
            inputs[TABLES] = if likely { goes_on } else { -goes_on };

            let by_kind = &mut self.by_kind[place.kind << 8 | node & 255];
            let by_match = &mut self.by_match[length * KINDS + place.kind];
            let (first, second) = (mix(by_kind, &inputs), mix(by_match, &inputs));
            let both = ((first + second) >> 1) + LIMIT;
            let curve = &mut self.refined[node & 255];
            let (step, part) = (both as usize >> 7 & 31, both as u32 & 127);
            let refined = (u32::from(curve[step]) * (128 - part) + u32::from(curve[step + 1]) * part) >> 11;
            let probability =
                ((u32::from(self.squashed[both as usize & 4095]) + refined) >> 1).clamp(1, ONE - 1);

            let one = coder.code(value >> bit & 1 == 1, probability);

            let came = if one { ONE as i32 } else { 0 };
            for (weights, said) in [(by_kind, first), (by_match, second)] {
                let error = came - i32::from(self.squashed[(said + LIMIT) as usize & 4095]);
                learn(weights, &inputs, (error * 2) as i16);
            }
            approach(&mut curve[step + (part >> 6) as usize], one, 6);
            // Without a match it stays at one half.
            if length > 0 {
                approach(&mut self.matched[length], likely == one, 5);
            }
            let aim = came - i32::from(one);
            for block in blocks.iter_mut() {
                let (probability, uses) = (i32::from((block[slot] ^ HALF) >> 4), block[slot] & 15);
                let next = probability + (((aim - probability) * self.rates[usize::from(uses)]) >> 16);
                block[slot] = ((next as u16) << 4 | (uses + 1).min(SETTLED)) ^ HALF;
            }
            slot = (slot << 1 | usize::from(one)) & 15;
            node = node << 1 | usize::from(one);
        }
        node
    }
}

/// The block of a context, emptied where it was another's.
fn block(table: &mut [Block; BLOCKS], context: u32) -> &mut Block {
    let block = &mut table[context as usize % BLOCKS];
    let whose = (context >> 16) as u16 | 1;
    if block[0] != whose {
        *block = [0; 16];
        block[0] = whose;
    }
    block
}

/// Moves a probability of 16 bits by one in `2^rate` of the way.
fn approach(probability: &mut u16, one: bool, rate: u32) {
    let aim = if one { u32::from(u16::MAX) } else { 0 };
    let way = (aim as i32 - i32::from(*probability)) >> rate;
    *probability = (i32::from(*probability) + way) as u16;
}
