//! Properties of characters, from small tables. The general crates are too large for the engine:
//! full normalisation alone is 43 kB of compressed wasm, these tables are a tenth of that.

mod tables;

use std::sync::OnceLock;

/// A set of characters as sorted, disjoint ranges.
struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    fn decode(bytes: &[u8]) -> Ranges {
        let mut numbers = Varints(bytes);
        let mut ranges = Vec::new();
        let mut at = 0;
        while let (Some(gap), Some(len)) = (numbers.next(), numbers.next()) {
            ranges.push((at + gap, at + gap + len));
            at += gap + len;
        }
        Ranges(ranges)
    }

    fn contains(&self, c: char) -> bool {
        let c = u32::from(c);
        let behind = self.0.partition_point(|&(start, _)| start <= c);
        behind > 0 && c < self.0[behind - 1].1
    }
}

/// Characters without their nonspacing marks.
struct Bases {
    /// The character, and the start and length of its base in `values`. Sorted by character.
    keys: Vec<(u32, u16, u16)>,
    values: Vec<char>,
}

impl Bases {
    fn decode(bytes: &[u8]) -> Bases {
        let mut numbers = Varints(bytes);
        let mut bases = Bases { keys: Vec::new(), values: Vec::new() };
        let (mut at, mut last) = (0u32, 0i32);
        while let Some(head) = numbers.next() {
            at += head >> 2;
            let len = (head & 3) + 1;
            bases.keys.push((at, bases.values.len() as u16, len as u16));
            for _ in 0..len {
                let zigzag = numbers.next().unwrap_or(0);
                last += (zigzag >> 1) as i32 ^ -((zigzag & 1) as i32);
                bases
                    .values
                    .push(char::from_u32(last as u32).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
        bases
    }

    fn get(&self, c: char) -> Option<&[char]> {
        let place = self.keys.binary_search_by_key(&u32::from(c), |&(key, _, _)| key).ok()?;
        let (_, start, len) = self.keys[place];
        self.values.get(start as usize..start as usize + len as usize)
    }
}

struct Varints<'a>(&'a [u8]);

impl Iterator for Varints<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let mut n = 0;
        for (i, &byte) in self.0.iter().enumerate() {
            n |= u32::from(byte & 0x7f) << (7 * i);
            if byte < 0x80 {
                self.0 = &self.0[i + 1..];
                return Some(n);
            }
        }
        None
    }
}

/// Runs of capitals, sorted: the first capital, the length of the run in characters, the distance
/// of two capitals, and the number to add for lower case.
struct Lower(Vec<(u32, u32, u32, i32)>);

impl Lower {
    fn decode(bytes: &[u8]) -> Lower {
        let mut numbers = Varints(bytes);
        let mut runs = Vec::new();
        let (mut at, mut add) = (0, 0);
        while let (Some(gap), Some(len), Some(zigzag)) =
            (numbers.next(), numbers.next(), numbers.next())
        {
            at += gap;
            add += (zigzag >> 1) as i32 ^ -((zigzag & 1) as i32);
            let step = 1 + (len & 1);
            runs.push((at, (len >> 1) * step, step, add));
        }
        Lower(runs)
    }

    fn get(&self, c: char) -> char {
        let at = u32::from(c);
        let behind = self.0.partition_point(|&(start, ..)| start <= at);
        let run = behind.checked_sub(1).and_then(|last| self.0.get(last));
        match run {
            Some(&(start, len, step, add))
                if at - start < len && (at - start).is_multiple_of(step) =>
            {
                char::from_u32(at.wrapping_add_signed(add)).unwrap_or(c)
            }
            _ => c,
        }
    }
}

/// Returns a character in lower case. `İ` stays, since its lower case has two characters.
pub(crate) fn lower(c: char) -> char {
    static LOWER: OnceLock<Lower> = OnceLock::new();
    if c.is_ascii() {
        c.to_ascii_lowercase()
    } else {
        LOWER.get_or_init(|| Lower::decode(tables::LOWER)).get(c)
    }
}

/// Calls `sink` with the lower case of a character, as [`char::to_lowercase`] gives it. The table
/// has a fifth of the size.
#[inline]
pub fn for_each_lower(c: char, mut sink: impl FnMut(char)) {
    if c == 'İ' {
        sink('i');
        return sink('\u{307}');
    }
    sink(lower(c));
}

fn ranges(cell: &'static OnceLock<Ranges>, bytes: &'static [u8]) -> &'static Ranges {
    cell.get_or_init(|| Ranges::decode(bytes))
}

/// Returns whether `c` is a nonspacing mark (Mn).
pub(crate) fn is_mark(c: char) -> bool {
    static MARKS: OnceLock<Ranges> = OnceLock::new();
    c >= '\u{300}' && ranges(&MARKS, tables::MARKS).contains(c)
}

/// Returns whether `c` is punctuation (P). ASCII symbols such as `$` and `=` are not.
pub(crate) fn is_punctuation(c: char) -> bool {
    static PUNCTUATION: OnceLock<Ranges> = OnceLock::new();
    ranges(&PUNCTUATION, tables::PUNCTUATION).contains(c)
}

/// Returns whether `c` is a control, format or private use character (Cc, Cf, Co).
pub(crate) fn is_other(c: char) -> bool {
    static OTHER: OnceLock<Ranges> = OnceLock::new();
    match c {
        '\0'..='\x1f' | '\x7f' => true,
        ' '..='~' => false,
        _ => ranges(&OTHER, tables::OTHER).contains(c),
    }
}

/// Calls `sink` with the canonical decomposition of `c` without nonspacing marks: `e` for `é`,
/// nothing for a mark.
#[inline]
pub(crate) fn for_each_base(c: char, mut sink: impl FnMut(char)) {
    if c < '\u{c0}' {
        return sink(c);
    }
    // Hangul syllables decompose by arithmetic (The Unicode Standard, section 3.12).
    if ('\u{ac00}'..='\u{d7a3}').contains(&c) {
        let s = u32::from(c) - 0xac00;
        let jamo = [0x1100 + s / 588, 0x1161 + s % 588 / 28, 0x11a7 + s % 28];
        return jamo[..if s.is_multiple_of(28) { 2 } else { 3 }]
            .iter()
            .filter_map(|&j| char::from_u32(j))
            .for_each(sink);
    }
    let found = if c < '\u{f900}' { base(c) } else { han_base(c) };
    match found {
        Some(base) => base.iter().copied().for_each(sink),
        None if is_mark(c) => {}
        None => sink(c),
    }
}

fn base(c: char) -> Option<&'static [char]> {
    static BASES: OnceLock<Bases> = OnceLock::new();
    BASES.get_or_init(|| Bases::decode(tables::BASES)).get(c)
}

/// Returns the base of a compatibility ideograph. Nearly nobody types one, so browsers load the
/// table only for a query that has one.
#[doc(alias = "deferred")]
#[inline(never)]
fn han_base(c: char) -> Option<&'static [char]> {
    static BASES: OnceLock<Bases> = OnceLock::new();
    BASES.get_or_init(|| Bases::decode(tables::HAN_BASES)).get(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_categories::UnicodeCategories;
    use unicode_normalization_alignments::UnicodeNormalization;

    #[test]
    fn every_character_agrees_with_the_reference_tables() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            assert_eq!(is_mark(c), c.is_mark_nonspacing(), "{c:?}");
            assert_eq!(is_punctuation(c), c.is_punctuation(), "{c:?}");
            assert_eq!(is_other(c), c.is_other(), "{c:?}");
            let mut base = Vec::new();
            for_each_base(c, |b| base.push(b));
            let expect: Vec<char> = std::iter::once(c)
                .nfd()
                .map(|(c, _)| c)
                .filter(|c| !c.is_mark_nonspacing())
                .collect();
            assert_eq!(base, expect, "{c:?}");
            let mut lower = String::new();
            for_each_lower(c, |c| lower.push(c));
            let expect: String = c.to_lowercase().collect();
            assert_eq!(
                lower, expect,
                "{c:?}: if the standard library has newer tables, make these anew"
            );
        }
    }
}
