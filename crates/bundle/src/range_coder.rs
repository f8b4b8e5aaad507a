//! An adaptive binary range coder: each yes or no costs as many bits as it surprises a model that
//! both sides learn alike.
//!
//! The coder is the carry-propagating one of LZMA (I. Pavlov, "LZMA specification", 2015; G. N. N.
//! Martin, "Range encoding", 1979), with probabilities of 16 bits that begin by counting and go on
//! as moving averages. All is whole numbers, so that every host reads the same. A number is coded
//! as in Exp-Golomb codes: how many bits it has, the upper two of them by the model, the rest as
//! they are. Models are runs of [`Bit`]s, so that one allocation can hold all of a format's.

use crate::Error;

/// What errors are about: terms and the structure are packed so.
pub(crate) const WHAT: &str = "packed numbers";

/// Observations after which a probability moves by the same share each time.
const MOST_SEEN: u8 = 30;
/// 2^16 over what each observation weighs: 1.6 for the first, then 1 more for each, so that a new
/// model learns at once.
const RATES: [u32; MOST_SEEN as usize + 1] = {
    let mut rates = [0; MOST_SEEN as usize + 1];
    let mut seen = 0;
    while seen < rates.len() {
        rates[seen] = (65_536 * 10) / (16 + 10 * seen as u32);
        seen += 1;
    }
    rates
};
/// No answer is ever held for surer than one in so many of 2^16.
const LEAST: u16 = 64;
/// The range is filled up with another byte below this.
const TOP: u32 = 1 << 24;
/// Bytes that are read before the first answer.
const READ_AHEAD: u32 = 4;
/// Bits of a number that the model knows, below the highest.
const MODELLED: u32 = 2;
/// Classes of numbers: of 1 to 33 bits, since one is added.
const CLASSES: usize = 33;

/// What is known of a yes or no.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bit {
    /// Of a yes, in 2^16.
    probability: u16,
    seen: u8,
}

impl Default for Bit {
    fn default() -> Self {
        Self { probability: 1 << 15, seen: 0 }
    }
}

impl Bit {
    /// A yes that is expected in so many of 256 cases, as firmly as if a few had been seen.
    pub const fn expected(of_256: u8) -> Self {
        Self { probability: (of_256 as u16) << 8, seen: 6 }
    }

    #[inline]
    fn learn(&mut self, yes: bool) {
        let rate = RATES[usize::from(self.seen)];
        let now = u32::from(self.probability);
        let next =
            if yes { now + (((65_535 - now) * rate) >> 16) } else { now - ((now * rate) >> 16) };
        self.probability = (next as u16).clamp(LEAST, u16::MAX - LEAST);
        self.seen += u8::from(self.seen < MOST_SEEN);
    }

    /// The part of a range that stands for yes; above 0, and less than all of it.
    #[inline]
    fn share(self, range: u32) -> u32 {
        (range >> 16) * u32::from(self.probability)
    }
}

/// Bits that the model of a number has: for each class but the last whether it is this one, where
/// it is none before; then for each, and by the bits above, the upper bits below the highest.
pub(crate) const NUMBER: usize = CLASSES - 1 + (CLASSES << MODELLED);

/// Where the model has the upper bits of a class.
#[inline]
fn upper(class: usize) -> usize {
    CLASSES - 1 + (class << MODELLED)
}

/// Writes.
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

    /// A number; the model has [`NUMBER`] bits.
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

    /// One of as many symbols as the model has bits, a power of two.
    pub fn symbol(&mut self, model: &mut [Bit], value: usize) {
        let mut above = 1;
        for at in (0..model.len().ilog2()).rev() {
            let yes = value >> at & 1 == 1;
            self.bit(&mut model[above], yes);
            above = above << 1 | usize::from(yes);
        }
    }

    /// What was written.
    pub fn finish(mut self) -> Vec<u8> {
        // Of the numbers in the range one that ends in zeros, which need not be written: what is
        // missing is read as 0.
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

/// Reads, whatever the bytes are; where they end, zeros follow, but not without end.
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    bytes: &'a [u8],
    code: u32,
    range: u32,
    /// Zeros read behind the end.
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

    // Many places call it, and readers download each of its copies.
    #[inline(never)]
    pub fn bit(&mut self, model: &mut Bit) -> bool {
        let share = model.share(self.range);
        let yes = self.narrow(share);
        model.learn(yes);
        yes
    }

    /// A number; the model has [`NUMBER`] bits.
    ///
    /// # Errors
    /// Where it does not fit 32 bits.
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

    /// One of as many symbols as the model has bits, a power of two.
    #[inline(never)]
    pub fn symbol(&mut self, model: &mut [Bit]) -> usize {
        let mut above = 1;
        while let Some(bit) = model.get_mut(above) {
            above = above << 1 | usize::from(self.bit(bit));
        }
        above - model.len()
    }

    /// Whether more has been read than there is: no encoder wrote what comes now.
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
        fn what_is_written_is_read(items in items()) {
            let bytes = write(&items);
            prop_assert_eq!(read(&bytes, &items), (items, false));
        }

        #[test]
        fn any_bytes_are_read(bytes: Vec<u8>, items in items()) {
            read(&bytes, &items);
        }
    }

    #[test]
    fn carries_go_through_full_bytes() {
        // Surprises after long runs, where the low end comes close to a power of two.
        for n in 0..3000 {
            let items: Vec<Item> =
                (0..n).map(|i| Item::Bit(i % 97 == 13 || n % 3 == 0 && i % 5 > 0)).collect();
            let bytes = write(&items);
            assert_eq!(read(&bytes, &items), (items, false), "{n}");
        }
    }

    #[test]
    fn what_is_expected_costs_next_to_nothing() {
        let same = write(&vec![Item::Number(3); 2000]);
        assert!(same.len() < 100, "{}", same.len());
        // Of 2 in 8: .811 bits each.
        let mixed: Vec<Item> =
            (0u32..8000).map(|i| Item::Bit(i.wrapping_mul(2_654_435_761) >> 30 == 0)).collect();
        assert!((810..900).contains(&write(&mixed).len()), "{}", write(&mixed).len());
    }

    #[test]
    fn an_end_that_comes_too_early_is_told() {
        let items: Vec<Item> = (0..200u32)
            .map(|i| Item::Symbol(i.wrapping_mul(2_654_435_761) as usize >> 26))
            .collect();
        let bytes = write(&items);
        assert!(read(&bytes[..bytes.len() / 2], &items).1);
    }
}
