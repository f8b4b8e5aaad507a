//! An adaptive binary range coder. A bit that its model considers likely costs little. Encoder and
//! decoder adapt their models alike.
//!
//! The coder is the carry-propagating one of LZMA (I. Pavlov, "LZMA specification", 2015; G. N. N.
//! Martin, "Range encoding", 1979). Its probabilities have 16 bits; they begin as counts and
//! continue as moving averages. All arithmetic is on integers, so that every host reads the same. A
//! number is coded as in Exp-Golomb codes: first its number of bits, then the two bits below the
//! highest with the model, then the remaining bits without a model. A model is a run of [`Bit`]s,
//! so that one allocation can hold all models of a format.

use crate::Error;

/// The name of packed contents in errors.
pub(crate) const WHAT: &str = "packed numbers";

/// Observations after which a probability moves by a constant share.
const MAX_SEEN: u8 = 30;
/// The share by which the n-th observation moves a probability, in 2^16ths: 1 / (1.6 + n). So a new
/// model learns at once.
const RATES: [u32; MAX_SEEN as usize + 1] = {
    let mut rates = [0; MAX_SEEN as usize + 1];
    let mut seen = 0;
    while seen < rates.len() {
        rates[seen] = (65_536 * 10) / (16 + 10 * seen as u32);
        seen += 1;
    }
    rates
};
/// The lowest probability, in 2^16ths.
const MIN_PROBABILITY: u16 = 64;
/// If the range is below this, it is extended by another byte.
const TOP: u32 = 1 << 24;
/// Bytes that are read before the first bit is decoded.
const READ_AHEAD: u32 = 4;
/// Bits of a number, below the highest, that are coded by the model.
const MODELLED: u32 = 2;
/// Classes of numbers: 1 to 33 bits, because one is added to each number.
const CLASSES: usize = 33;

/// The model of one bit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bit {
    /// The probability of a 1, in 2^16ths.
    probability: u16,
    /// Observations so far, up to [`MAX_SEEN`].
    seen: u8,
}

impl Default for Bit {
    fn default() -> Self {
        Self { probability: 1 << 15, seen: 0 }
    }
}

impl Bit {
    /// Returns a model that expects a 1 with a probability of `of_256` 256ths, with the weight of
    /// six observations.
    pub const fn expected(of_256: u8) -> Self {
        Self { probability: (of_256 as u16) << 8, seen: 6 }
    }

    #[inline]
    fn learn(&mut self, yes: bool) {
        let rate = RATES[usize::from(self.seen)];
        let now = u32::from(self.probability);
        let next =
            if yes { now + (((65_535 - now) * rate) >> 16) } else { now - ((now * rate) >> 16) };
        self.probability = (next as u16).clamp(MIN_PROBABILITY, u16::MAX - MIN_PROBABILITY);
        self.seen += u8::from(self.seen < MAX_SEEN);
    }

    /// Returns the part of a range that encodes a 1. It is above 0 and less than the range.
    #[inline]
    fn share(self, range: u32) -> u32 {
        (range >> 16) * u32::from(self.probability)
    }
}

/// Bits in the model of a number: for each class except the last, whether the number is in it,
/// given that it is in no earlier class; then, for each class, a binary tree of the [`MODELLED`]
/// bits below the highest.
pub(crate) const NUMBER: usize = CLASSES - 1 + (CLASSES << MODELLED);

/// Returns the index of a class's tree in the model.
#[inline]
fn upper(class: usize) -> usize {
    CLASSES - 1 + (class << MODELLED)
}

/// The encoder.
#[derive(Debug)]
pub(crate) struct Encoder {
    out: Vec<u8>,
    low: u64,
    range: u32,
    /// A byte that a carry may still change, and how many bytes of 255 follow it.
    last: u8,
    n_full: usize,
    /// Whether there is such a byte yet.
    begun: bool,
}

impl Encoder {
    pub fn new() -> Self {
        Self { out: Vec::new(), low: 0, range: u32::MAX, last: 0, n_full: 0, begun: false }
    }

    pub fn bit(&mut self, model: &mut Bit, yes: bool) {
        let share = model.share(self.range);
        self.narrow(share, yes);
        model.learn(yes);
    }

    /// Writes a number. The model has [`NUMBER`] bits.
    pub fn number(&mut self, model: &mut [Bit], value: u32) {
        let value = u64::from(value) + 1;
        let class = value.ilog2();
        for (i, bit) in (0..=class).zip(&mut model[..CLASSES - 1]) {
            self.bit(bit, i == class);
        }
        let mut above = 1;
        for at in (0..class).rev() {
            let yes = value >> at & 1 == 1;
            if class - at <= MODELLED {
                self.bit(&mut model[upper(class as usize) + above], yes);
                above = above << 1 | usize::from(yes);
            } else {
                self.narrow(self.range >> 1, yes);
            }
        }
    }

    /// Writes a symbol below the length of the model, which is a power of two.
    pub fn symbol(&mut self, model: &mut [Bit], value: usize) {
        let mut above = 1;
        for at in (0..model.len().ilog2()).rev() {
            let yes = value >> at & 1 == 1;
            self.bit(&mut model[above], yes);
            above = above << 1 | usize::from(yes);
        }
    }

    /// Returns the bytes.
    pub fn finish(mut self) -> Vec<u8> {
        // Choose a number in the range that ends in zeros. Trailing zeros need not be written,
        // because the decoder reads missing bytes as 0.
        self.low = (self.low + u64::from(TOP - 1)) & !u64::from(TOP - 1);
        for _ in 0..5 {
            self.shift();
        }
        let zeros =
            self.out.iter().rev().take(READ_AHEAD as usize).take_while(|&&byte| byte == 0).count();
        self.out.truncate(self.out.len() - zeros);
        self.out
    }

    #[inline]
    fn narrow(&mut self, share: u32, yes: bool) {
        if yes {
            self.range = share;
        } else {
            self.low += u64::from(share);
            self.range -= share;
        }
        while self.range < TOP {
            self.range <<= 8;
            self.shift();
        }
    }

    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        if carry > 0 || self.low < 0xff00_0000 {
            if self.begun {
                self.out.push(self.last.wrapping_add(carry));
            }
            self.out.extend(core::iter::repeat_n(0xffu8.wrapping_add(carry), self.n_full));
            (self.n_full, self.begun) = (0, true);
            self.last = (self.low >> 24) as u8;
        } else {
            self.n_full += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }
}

/// The decoder. It reads any bytes; after their end it reads zeros, and counts them.
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    bytes: &'a [u8],
    code: u32,
    range: u32,
    /// Number of zeros read after the end.
    beyond: u32,
}

impl<'a> Decoder<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self { bytes, code: 0, range: u32::MAX, beyond: 0 };
        for _ in 0..READ_AHEAD {
            decoder.code = decoder.code << 8 | decoder.next();
        }
        decoder
    }

    // Not inlined: it has many callers, and readers download every copy.
    #[inline(never)]
    pub fn bit(&mut self, model: &mut Bit) -> bool {
        let share = model.share(self.range);
        let yes = self.narrow(share);
        model.learn(yes);
        yes
    }

    /// Reads a number. The model has [`NUMBER`] bits.
    ///
    /// # Errors
    /// If it does not fit 32 bits.
    #[inline(never)]
    pub fn number(&mut self, model: &mut [Bit]) -> Result<u32, Error> {
        let mut class = 0;
        while class < CLASSES - 1 && !self.bit(&mut model[class]) {
            class += 1;
        }
        let mut value = 1u64;
        let mut above = 1;
        for at in (0..class as u32).rev() {
            let yes = if class as u32 - at <= MODELLED {
                let yes = self.bit(&mut model[upper(class) + above]);
                above = above << 1 | usize::from(yes);
                yes
            } else {
                self.narrow(self.range >> 1)
            };
            value = value << 1 | u64::from(yes);
        }
        u32::try_from(value - 1)
            .map_err(|_| Error::malformed(WHAT, "a number does not fit 32 bits"))
    }

    /// Reads a symbol below the length of the model, which is a power of two.
    #[inline(never)]
    pub fn symbol(&mut self, model: &mut [Bit]) -> usize {
        let mut above = 1;
        while let Some(bit) = model.get_mut(above) {
            above = above << 1 | usize::from(self.bit(bit));
        }
        above - model.len()
    }

    /// Returns whether the decoder has read too far beyond the end: no encoder can have written the
    /// symbols that it decodes now.
    pub fn is_beyond(&self) -> bool {
        self.beyond > READ_AHEAD
    }

    #[inline]
    fn narrow(&mut self, share: u32) -> bool {
        let yes = self.code < share;
        if yes {
            self.range = share;
        } else {
            self.code -= share;
            self.range -= share;
        }
        while self.range < TOP {
            self.range <<= 8;
            self.code = self.code << 8 | self.next();
        }
        yes
    }

    #[inline]
    fn next(&mut self) -> u32 {
        match self.bytes.split_first() {
            Some((&byte, rest)) => {
                self.bytes = rest;
                byte.into()
            }
            None => {
                self.beyond = self.beyond.saturating_add(1);
                0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Item {
        Bit(bool),
        Number(u32),
        Symbol(usize),
    }

    fn items() -> impl Strategy<Value = Vec<Item>> {
        let number =
            prop_oneof![0u32..5, 0u32..2000, Just(u32::MAX - 1), any::<u32>(), Just(u32::MAX)];
        let item = prop_oneof![
            any::<bool>().prop_map(Item::Bit),
            Just(Item::Bit(true)),
            number.prop_map(Item::Number),
            (0usize..64).prop_map(Item::Symbol),
        ];
        prop::collection::vec(item, 0..400)
    }

    fn write(items: &[Item]) -> Vec<u8> {
        let (mut bit, mut number, mut symbol) =
            (Bit::default(), [Bit::default(); NUMBER], [Bit::default(); 64]);
        let mut encoder = Encoder::new();
        for item in items {
            match *item {
                Item::Bit(yes) => encoder.bit(&mut bit, yes),
                Item::Number(value) => encoder.number(&mut number, value),
                Item::Symbol(value) => encoder.symbol(&mut symbol, value),
            }
        }
        encoder.finish()
    }

    fn read(bytes: &[u8], like: &[Item]) -> (Vec<Item>, bool) {
        let (mut bit, mut number, mut symbol) =
            (Bit::default(), [Bit::default(); NUMBER], [Bit::default(); 64]);
        let mut decoder = Decoder::new(bytes);
        let items = like
            .iter()
            .map(|item| match item {
                Item::Bit(_) => Item::Bit(decoder.bit(&mut bit)),
                Item::Number(_) => Item::Number(decoder.number(&mut number).unwrap_or_default()),
                Item::Symbol(_) => Item::Symbol(decoder.symbol(&mut symbol)),
            })
            .collect();
        (items, decoder.is_beyond())
    }

    proptest! {
        #[test]
        fn encoded_items_decode_to_themselves(items in items()) {
            let bytes = write(&items);
            prop_assert_eq!(read(&bytes, &items), (items, false));
        }

        #[test]
        fn any_bytes_decode_to_items_that_can_be_encoded(bytes: Vec<u8>, items in items()) {
            let (decoded, _) = read(&bytes, &items);
            let in_range = |item: &Item| !matches!(item, Item::Symbol(64..));
            prop_assert!(decoded.len() == items.len() && decoded.iter().all(in_range));
            prop_assert_eq!(read(&write(&decoded), &items), (decoded, false));
        }
    }

    #[test]
    fn carries_propagate_through_full_bytes() {
        // Unlikely bits after long runs, where the low end comes close to a power of two.
        for n in 0..3000 {
            let items: Vec<Item> =
                (0..n).map(|i| Item::Bit(i % 97 == 13 || n % 3 == 0 && i % 5 > 0)).collect();
            let bytes = write(&items);
            assert_eq!(read(&bytes, &items), (items, false), "{n}");
        }
    }

    #[test]
    fn expected_items_cost_almost_nothing() {
        let same = write(&vec![Item::Number(3); 2000]);
        assert!(same.len() < 100, "{}", same.len());
        // With a probability of 2 in 8, each bit takes .811 bits.
        let mixed: Vec<Item> =
            (0u32..8000).map(|i| Item::Bit(i.wrapping_mul(2_654_435_761) >> 30 == 0)).collect();
        assert!((810..900).contains(&write(&mixed).len()), "{}", write(&mixed).len());
    }

    #[test]
    fn input_that_ends_too_early_is_detected() {
        let items: Vec<Item> = (0..200u32)
            .map(|i| Item::Symbol(i.wrapping_mul(2_654_435_761) as usize >> 26))
            .collect();
        let bytes = write(&items);
        assert!(read(&bytes[..bytes.len() / 2], &items).1);
    }
}
