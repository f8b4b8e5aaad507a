//! Reading deflate (RFC 1951, without zlib's header), in a quarter of the code of a library that also reads streams piece by piece: every
//! reader of a site downloads this. Lengths and distances are computed, codes of up to [`FAST`] bits are looked up, longer ones are
//! counted through.

/// Longest code.
const LONGEST: usize = 15;
/// Codes of so many bits are looked up at once.
const FAST: usize = 10;
/// Symbols of both alphabets, with those that are never used.
const LITERALS: usize = 288;
const DISTANCES: usize = 32;
/// The order of the lengths of the code that lengths are written in.
const ORDER: [u8; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// What `packed` inflates to, if that is at most `longest` bytes; nothing where it is no deflated text. What follows its end is
/// passed over. Takes `longest` bytes of memory.
pub(crate) fn inflate(packed: &[u8], longest: usize) -> Option<Vec<u8>> {
    let mut bits = Bits { bytes: packed, at: 0, held: 0, n_held: 0 };
    let mut out = vec![0; longest];
    let mut at = 0;
    loop {
        let is_last = bits.take(1) == 1;
        at = match bits.take(2) {
            0 => stored(&mut bits, &mut out, at)?,
            1 => {
                let lengths: [u8; LITERALS] = std::array::from_fn(|symbol| match symbol {
                    0..144 => 8,
                    144..256 => 9,
                    256..280 => 7,
                    _ => 8,
                });
                coded(&mut bits, &Code::new(&lengths)?, &Code::new(&[5; DISTANCES])?, &mut out, at)?
            }
            2 => {
                let (literals, distances) = codes(&mut bits)?;
                coded(&mut bits, &literals, &distances, &mut out, at)?
            }
            _ => return None,
        };
        if is_last {
            break;
        }
    }
    out.truncate(at);
    bits.are_there().then_some(out)
}

/// A block of bytes as they are; where what is written ends now.
fn stored(bits: &mut Bits<'_>, out: &mut [u8], at: usize) -> Option<usize> {
    bits.take(bits.n_held % 8);
    let (length, complement) = (bits.take(16), bits.take(16));
    let end = at + length as usize;
    if length ^ complement != 0xffff || !bits.are_there() {
        return None;
    }
    for byte in out.get_mut(at..end)? {
        *byte = bits.take(8) as u8;
    }
    Some(end)
}

/// A block of literals and of copies of what was before.
fn coded(
    bits: &mut Bits<'_>,
    literals: &Code,
    distances: &Code,
    out: &mut [u8],
    mut at: usize,
) -> Option<usize> {
    loop {
        let symbol = literals.next(bits)?;
        if symbol < 256 {
            *out.get_mut(at)? = symbol as u8;
            at += 1;
            continue;
        }
        // Lengths come in steps that double every fourth symbol, distances in steps that double every second.
        let length = match symbol - 256 {
            0 => return Some(at),
            step @ 1..=8 => step + 2,
            29 => 258,
            step @ 9..=28 => {
                let extra = (step - 1) / 4 - 1;
                3 + ((4 + (step - 1) % 4) << extra) + bits.take(extra)
            }
            _ => return None,
        };
        let distance = match distances.next(bits)? {
            step @ 0..4 => step + 1,
            step @ 4..30 => {
                let extra = step / 2 - 1;
                1 + ((2 + step % 2) << extra) + bits.take(extra)
            }
            _ => return None,
        };
        let end = at + length as usize;
        let from = at.checked_sub(distance as usize)?;
        let both = out.get_mut(from..end)?;
        for to in at - from..both.len() {
            both[to] = both[to - (at - from)];
        }
        at = end;
    }
}

/// The codes of a block that brings its own.
fn codes(bits: &mut Bits<'_>) -> Option<(Code, Code)> {
    let n_literals = bits.take(5) as usize + 257;
    let n = n_literals + bits.take(5) as usize + 1;
    let n_lengths = bits.take(4) as usize + 4;
    let mut lengths = [0; ORDER.len()];
    for &place in &ORDER[..n_lengths] {
        lengths[usize::from(place)] = bits.take(3) as u8;
    }
    let code = Code::new(&lengths)?;
    let mut lengths = [0; LITERALS + DISTANCES];
    let mut at = 0;
    while at < n {
        let symbol = code.next(bits)?;
        let (length, times) = match symbol {
            0..16 => (symbol as u8, 1),
            16 => (*lengths.get(at.checked_sub(1)?)?, 3 + bits.take(2)),
            17 => (0, 3 + bits.take(3)),
            _ => (0, 11 + bits.take(7)),
        };
        let end = at + times as usize;
        if end > n {
            return None;
        }
        lengths[at..end].fill(length);
        at = end;
    }
    Some((Code::new(&lengths[..n_literals])?, Code::new(&lengths[n_literals..n])?))
}

/// A prefix code, by the lengths of its symbols (RFC 1951, section 3.2.2).
struct Code {
    /// By the next bits: symbol and length, 4 bits; 0 where the code is longer, or none.
    fast: [u16; 1 << FAST],
    /// How many symbols have codes of each length, and all symbols in the order of their codes.
    counts: [u16; LONGEST + 1],
    symbols: [u16; LITERALS],
}

impl Code {
    /// Nothing where there are more codes than there can be.
    fn new(lengths: &[u8]) -> Option<Self> {
        let mut code = Self { fast: [0; 1 << FAST], counts: [0; LONGEST + 1], symbols: [0; LITERALS] };
        for &length in lengths {
            code.counts[usize::from(length)] += 1;
        }
        code.counts[0] = 0;
        let (mut next, mut places) = ([0; LONGEST + 1], [0; LONGEST + 1]);
        let (mut first, mut place) = (0, 0);
        for length in 1..=LONGEST {
            first *= 2;
            (next[length], places[length]) = (first, place);
            first += u32::from(code.counts[length]);
            place += usize::from(code.counts[length]);
            if first > 1 << length {
                return None;
            }
        }
        for (symbol, &length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
            let length = usize::from(length);
            code.symbols[places[length]] = symbol as u16;
            places[length] += 1;
            if length <= FAST {
                let reversed = (next[length].reverse_bits() >> (32 - length)) as usize;
                let entry = (symbol << 4 | length) as u16;
                code.fast[reversed..].iter_mut().step_by(1 << length).for_each(|place| *place = entry);
                next[length] += 1;
            }
        }
        Some(code)
    }

    fn next(&self, bits: &mut Bits<'_>) -> Option<u32> {
        bits.fill();
        let entry = self.fast[bits.held as usize % (1 << FAST)];
        if entry != 0 {
            bits.drop(u32::from(entry % 16));
            return Some(u32::from(entry / 16));
        }
        let (mut code, mut first, mut place) = (0, 0, 0);
        for length in 1..=LONGEST {
            code = code << 1 | (bits.held >> (length - 1)) as u32 & 1;
            let count = u32::from(self.counts[length]);
            if code < first + count {
                bits.drop(length as u32);
                return self.symbols.get((place + code - first) as usize).map(|&symbol| symbol.into());
            }
            (place, first) = (place + count, (first + count) << 1);
        }
        None
    }
}

/// Bits, the lowest of a byte first; behind the end there are zeros.
struct Bits<'a> {
    bytes: &'a [u8],
    /// The next byte that is not held.
    at: usize,
    held: u64,
    n_held: u32,
}

impl Bits<'_> {
    /// Holds 32 at least.
    #[inline]
    fn fill(&mut self) {
        while self.n_held < 32 {
            self.held |= u64::from(self.bytes.get(self.at).copied().unwrap_or(0)) << self.n_held;
            self.at += 1;
            self.n_held += 8;
        }
    }

    /// Passes over some that are held.
    fn drop(&mut self, n: u32) {
        self.held >>= n;
        self.n_held -= n;
    }

    /// The next `n`, 16 at most.
    fn take(&mut self, n: u32) -> u32 {
        self.fill();
        let taken = self.held as u32 & ((1 << n) - 1);
        self.drop(n);
        taken
    }

    /// Whether none was taken from behind the end.
    fn are_there(&self) -> bool {
        self.at - self.n_held as usize / 8 <= self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use miniz_oxide::deflate::compress_to_vec;
    use miniz_oxide::inflate::decompress_to_vec_with_limit;
    use proptest::prelude::*;

    use super::*;

    /// Texts that repeat themselves near and far, and noise.
    fn texts() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..300),
            (any::<u8>(), 1..700usize).prop_map(|(byte, n)| vec![byte; n]),
            proptest::collection::vec(0..4u8, 0..300),
            "[a-f ]{0,200}".prop_map(String::into_bytes),
        ];
        (proptest::collection::vec(piece, 0..6), proptest::collection::vec(0..6usize, 0..120)).prop_map(
            |(pieces, order)| {
                order.iter().filter_map(|&place| pieces.get(place)).flatten().copied().collect()
            },
        )
    }

    proptest! {
        #[test]
        fn what_was_deflated_comes_back(text in texts(), level in 0..=10u8, more in 0..3usize) {
            let packed = compress_to_vec(&text, level);
            let inflated = inflate(&packed, text.len() + more);
            prop_assert_eq!(inflated.as_deref(), Some(&text[..]));
            if let Some(shorter) = text.len().checked_sub(1) {
                prop_assert_eq!(inflate(&packed, shorter), None);
            }
            for cut in 0..packed.len().min(40) {
                prop_assert_eq!(inflate(&packed[..packed.len() - 1 - cut], text.len()), None);
            }
        }

        #[test]
        fn damage_is_read_as_others_read_it_or_not_at_all(
            text in texts(),
            level in 0..=10u8,
            damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let mut packed = compress_to_vec(&text, level);
            for (place, byte) in damage {
                let place = place.index(packed.len());
                packed[place] ^= byte;
            }
            let ours = inflate(&packed, 1 << 16);
            if let Ok(theirs) = decompress_to_vec_with_limit(&packed, 1 << 16) {
                prop_assert_eq!(ours, Some(theirs));
            }
        }

        #[test]
        fn noise_ends(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let ours = inflate(&bytes, 1 << 12);
            if let Ok(theirs) = decompress_to_vec_with_limit(&bytes, 1 << 12) {
                prop_assert_eq!(ours, Some(theirs));
            }
        }
    }

    #[test]
    fn long_codes_are_counted_through() {
        // Frequencies of Fibonacci's numbers make codes as deep as they go.
        let mut text = Vec::new();
        let (mut a, mut b) = (1, 1);
        for byte in 0..18u8 {
            text.extend(std::iter::repeat_n(byte, a));
            (a, b) = (b, a + b);
        }
        // In no order that copies could use.
        let n = text.len() as u64;
        let mixed: Vec<u8> = (0..n).map(|i| text[(i * 48_271 % n) as usize]).collect();
        let packed = compress_to_vec(&mixed, 9);
        assert_eq!(inflate(&packed, mixed.len()), Some(mixed));
    }
}
