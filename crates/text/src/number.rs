//! Numbers as people write them: digits in groups, fractions, powers and units of measurement.
//!
//! `1,250,000`, `1 250 000`, `1.250.000`, `1_250_000` and `1'250'000` are one number, `1250000`.
//! `64 MB` and `64MB` are one name, `64mb`, with the parts `64` and `mb`.

use crate::normalise::{lower_case, superscript_digit};
use crate::segment::{Class, class};
use crate::word_list::WordList;

/// The most groups after the first one of a number that is grouped by spaces.
const MAX_SPACED_GROUPS: usize = 4;

/// The most bytes of a unit.
const MAX_UNIT_BYTES: usize = 8;

/// Units that may follow a number directly or after a space.
const UNITS: WordList = WordList(
    "\
    bar bit bits bpm byte bytes cal cl cm db dbm dl dm dpi eb fps ft gb gbit gbps ghz gib gw gwh \
    ha hpa hr hrs hz kb kbit kbps kcal kg khz kib kj km kmh kn ko kpa kv kva kw kwh kω lb lbs \
    mah mb mbar mbit mbps mg mhz mib min mins ml mm mmol mo mol mpa mph ms mv mw mwh mω nm ns oz \
    pb pib ppi ppm ps psi pt px rem rpm sec secs tb tbit tbps thz tib ug um vh vw wh yd μa μf μg \
    μl μm μs гб ггц гц кω кб кв квт кг кгц км мб мв мгц мин мл мм мс сек тб",
);

/// Units of one letter that may follow a number directly or after a space.
const LETTER_UNITS: &str = "ghjlmsvwωгчм";

/// Units that only follow a number directly, since they are words by themselves, or letters that
/// often follow a number.
const ATTACHED_UNITS: WordList = WordList("a b c em f go in k n t to");

/// French units whose names are English words: after a space only with a capital, `512 Go`.
const CAPITAL_UNITS: [&str; 2] = ["Go", "To"];

/// Returns whether `word` is a unit that may follow a number directly.
pub fn is_unit(word: &str) -> bool {
    if word.len() > MAX_UNIT_BYTES {
        return false;
    }
    let lower = lower_unit(word);
    is_lower_unit(&lower) || ATTACHED_UNITS.contains(&lower)
}

/// Returns a unit in lower case. The micro sign and the letter mu are one character.
fn lower_unit(word: &str) -> String {
    lower_case(word).replace('\u{b5}', "μ")
}

fn is_lower_unit(lower: &str) -> bool {
    let mut chars = lower.chars();
    match (chars.next(), chars.next()) {
        (Some(letter), None) => LETTER_UNITS.contains(letter),
        _ => UNITS.contains(lower),
    }
}

/// Returns the beginning of the unit in a run of digits and a unit, `512GB`.
#[inline]
pub(crate) fn unit_start(run: &str) -> Option<usize> {
    if !run.as_bytes().first()?.is_ascii_digit() {
        return None;
    }
    let at = run.bytes().position(|b| !b.is_ascii_digit())?;
    is_unit(&run[at..]).then_some(at)
}

/// Returns the byte range of a unit that stands one space after a number, which ends at byte `at`.
pub(crate) fn spaced_unit(text: &str, at: usize) -> Option<(usize, usize)> {
    let start = at + space_len(text.as_bytes(), at);
    if start == at {
        return None;
    }
    let mut end = start;
    for c in text[start..].chars() {
        if class(c) != Class::Letter {
            break;
        }
        end += c.len_utf8();
        if end - start > MAX_UNIT_BYTES {
            return None;
        }
    }
    let word = &text[start..end];
    // `5 m²`: the power belongs to the unit.
    let unit = word.trim_end_matches(|c| superscript_digit(c).is_some());
    let joins = text[end..].chars().next().is_some_and(|c| matches!(c, '\'' | '\u{2019}' | '_'));
    let fits = !joins && (is_lower_unit(&lower_unit(unit)) || CAPITAL_UNITS.contains(&word));
    fits.then_some((start, end))
}

/// Returns the length of a space that can stand within a number, at byte `at`: an ordinary space, a
/// no-break space (U+00A0, U+202F) or a space of a fixed width (U+2007, U+2009). 0 for anything
/// else.
fn space_len(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at..) {
        Some([b' ', ..]) => 1,
        Some([0xc2, 0xa0, ..]) => 2,
        Some([0xe2, 0x80, 0x87 | 0x89 | 0xaf, ..]) => 3,
        _ => 0,
    }
}

/// Returns the end of a number that begins at byte `start` and has its digits grouped by spaces;
/// `start` if there is no such number.
///
/// Ordinary spaces need two groups at least, `1 250 000`: one could stand between two numbers.
pub(crate) fn spaced_number_end(bytes: &[u8], start: usize) -> usize {
    let n_first = count_digits(bytes, start);
    let leads = bytes.get(start).is_some_and(|b| (b'1'..=b'9').contains(b));
    if !leads || n_first > 3 || follows_number(bytes, start) {
        return start;
    }
    let (mut at, mut n_groups, mut ordinary) = (start + n_first, 0, false);
    loop {
        let space = space_len(bytes, at);
        if space == 0 || count_digits(bytes, at + space) != 3 {
            break;
        }
        let behind = at + space + 3;
        if bytes.get(behind).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_') {
            break;
        }
        ordinary |= space == 1;
        n_groups += 1;
        at = behind;
    }
    // A row of numbers that goes on is a list.
    let goes_on = space_len(bytes, at) == 1 && count_digits(bytes, at + 1) > 0;
    let fits =
        (1..=MAX_SPACED_GROUPS).contains(&n_groups) && !(ordinary && (n_groups < 2 || goes_on));
    if fits { at } else { start }
}

/// Returns whether a digit precedes byte `at`, with at most one mark or space between.
fn follows_number(bytes: &[u8], at: usize) -> bool {
    match bytes.get(..at) {
        Some([.., a, b' ' | b'.' | b',' | b'-' | b'/' | b':']) => a.is_ascii_digit(),
        Some([.., 0xc2, 0xa0]) => true,
        _ => false,
    }
}

fn count_digits(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().take_while(|b| b.is_ascii_digit()).count()
}

/// Returns whether the comma or apostrophe at byte `at` groups the digits of one number: `1,000` is
/// 1000.
pub(crate) fn groups_digits(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].iter().rev().take_while(|b| b.is_ascii_digit()).count();
    if !(1..=3).contains(&before) {
        return false;
    }
    let mark = bytes[at];
    // The mark U+2019 has three bytes.
    let behind = at + if mark < 0x80 { 1 } else { 3 };
    let (mut next, mut n_digits) = (behind, count_digits(bytes, behind));
    // `12,50,000` as in India: groups of two, and three digits at the end.
    while mark == b',' && before <= 2 && n_digits == 2 && bytes.get(next + 2) == Some(&b',') {
        next += 3;
        n_digits = count_digits(bytes, next);
    }
    n_digits == 3
}

/// Returns whether the points of a number group its digits: two groups at least, `1.250.000`. Four
/// numbers below 256 are an address.
pub(crate) fn is_grouped_by_points(number: &str) -> bool {
    let mut groups = number.split('.');
    let first = groups.next().unwrap_or_default();
    let is_number = |group: &str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    let leads = first.len() <= 3 && is_number(first) && !first.starts_with('0');
    let n_groups = groups.clone().count();
    let fits = leads && n_groups >= 2 && groups.all(|group| group.len() == 3 && is_number(group));
    let is_octet = |group: &str| {
        group.parse::<u16>().is_ok_and(|n| n < 256) && (group.len() == 1 || !group.starts_with('0'))
    };
    fits && !(n_groups == 3 && number.split('.').all(is_octet))
}

/// Returns the length of a fraction's stroke at byte `at`, if the number before it begins at
/// `start` and it can only mean a fraction such as `1/2`; otherwise 0. Dates (`1/2/2020`) and paths
/// have more strokes.
pub(crate) fn stroke_len(bytes: &[u8], start: usize, at: usize) -> usize {
    let len = match bytes.get(at..) {
        Some([b'/', ..]) => 1,
        Some([0xe2, 0x81, 0x84, ..]) => 3,
        _ => return 0,
    };
    let is_short = |n: usize| (1..=2).contains(&n);
    let behind = count_digits(bytes, at + len);
    let next = bytes.get(at + len + behind);
    let ends = next.is_none_or(|b| !b.is_ascii_alphanumeric() && !b"/._\\".contains(b));
    let before = bytes[..start].last();
    let begins = before.is_none_or(|b| !b"/._-\\:".contains(b));
    let is_digits = bytes[start..at].iter().all(u8::is_ascii_digit);
    let fits = is_digits && is_short(at - start) && is_short(behind) && begins && ends;
    if fits { len } else { 0 }
}

/// The meaning of the superscript digits after a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Raised {
    /// A part of a unit or a formula: `m²`, `x²`.
    Unit,
    /// A reference to a note, or a part of a short name: `log²`.
    Either,
    /// A reference to a note after a word: `jitter¹`.
    Note,
    /// A power of a number: `10⁵`.
    Power,
}

/// Returns the beginning of the superscript digits at the end of a run, and the digits. `None` if
/// there are no such digits, or the run consists only of them.
pub(crate) fn raised(run: &str) -> Option<(usize, Raised)> {
    let word = run.trim_end_matches(|c| superscript_digit(c).is_some());
    if word.len() == run.len() || word.is_empty() {
        return None;
    }
    let n_chars = word.chars().count();
    let raised = if word.ends_with(|c: char| c.is_ascii_digit()) {
        Raised::Power
    } else if n_chars == 1 || is_unit(word) || !word.chars().all(char::is_alphabetic) {
        Raised::Unit
    } else if n_chars < 4 {
        Raised::Either
    } else {
        Raised::Note
    };
    Some((word.len(), raised))
}

/// Returns a fraction that is one character, as its numerator and denominator.
pub(crate) fn vulgar_fraction(c: char) -> Option<(&'static str, &'static str)> {
    Some(match c {
        '¼' => ("1", "4"),
        '½' => ("1", "2"),
        '¾' => ("3", "4"),
        '⅐' => ("1", "7"),
        '⅑' => ("1", "9"),
        '⅒' => ("1", "10"),
        '⅓' => ("1", "3"),
        '⅔' => ("2", "3"),
        '⅕' => ("1", "5"),
        '⅖' => ("2", "5"),
        '⅗' => ("3", "5"),
        '⅘' => ("4", "5"),
        '⅙' => ("1", "6"),
        '⅚' => ("5", "6"),
        '⅛' => ("1", "8"),
        '⅜' => ("3", "8"),
        '⅝' => ("5", "8"),
        '⅞' => ("7", "8"),
        '↉' => ("0", "3"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_units_are_sorted() {
        for list in [UNITS, ATTACHED_UNITS] {
            let words: Vec<&str> = list.iter().collect();
            assert!(words.is_sorted(), "{words:?}");
        }
    }

    #[test]
    fn digits_grouped_by_spaces_are_one_number() {
        for (text, expect) in [
            ("1 250 000", "1 250 000"),
            ("1\u{a0}250", "1\u{a0}250"),
            ("12\u{202f}500\u{202f}000 litres", "12\u{202f}500\u{202f}000"),
            ("1 250", ""),
            ("1 250 000 000 x", "1 250 000 000"),
            ("100 200 300 400 500 600", ""),
            ("100 200 300 4", ""),
            ("0 250 000", ""),
            ("1250 000 000", ""),
            ("1 250 000b", ""),
        ] {
            assert_eq!(&text[..spaced_number_end(text.as_bytes(), 0)], expect, "{text}");
        }
        assert_eq!(spaced_number_end(b"4 1 250 000", 2), 2, "a list of numbers");
    }

    #[test]
    fn points_group_digits_where_there_are_two_groups() {
        for (number, expect) in [
            ("2.750.000", true),
            ("1.250.000.000", true),
            ("2.750", false),
            ("0.123.456", false),
            ("192.168.100.200", false),
            ("3.11.2", false),
            ("2.750.000.", false),
        ] {
            assert_eq!(is_grouped_by_points(number), expect, "{number}");
        }
    }

    #[test]
    fn superscript_digits_are_notes_behind_words_and_belong_to_units() {
        for (run, expect) in [
            ("m²", Some((1, Raised::Unit))),
            ("km²", Some((2, Raised::Unit))),
            ("log¹", Some((3, Raised::Either))),
            ("jitter¹²", Some((6, Raised::Note))),
            ("10⁵", Some((2, Raised::Power))),
            ("N₂O₄²", Some((8, Raised::Unit))),
            ("²", None),
            ("co₂", None),
        ] {
            assert_eq!(raised(run), expect, "{run}");
        }
    }
}
