//! Case, diacritics, and other differences between spellings of one word.
//!
//! There are two steps, because stemming comes between them and needs the accents of its language:
//! `lower_into` makes text lower case and composed; `fold_lower_into` removes diacritics.
//!
//! Characters that readers type as plain ones are replaced: full-width ASCII, half-width kana,
//! Latin ligatures, digits of other scripts, raised, lowered and circled digits, Roman numerals,
//! and Persian and Urdu letters that look like Arabic ones. Other compatibility forms stay as they
//! are.

use std::borrow::Cow;

use crate::unicode;
pub use crate::unicode::for_each_lower;

/// The full-width forms of U+FF66 and the 57 characters after it (the Unicode Standard,
/// compatibility decompositions).
const HALF_WIDTH: [char; 58] = [
    'ヲ', 'ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ャ', 'ュ', 'ョ', 'ッ', 'ー', 'ア', 'イ', 'ウ', 'エ', 'オ',
    'カ', 'キ', 'ク', 'ケ', 'コ', 'サ', 'シ', 'ス', 'セ', 'ソ', 'タ', 'チ', 'ツ', 'テ', 'ト', 'ナ',
    'ニ', 'ヌ', 'ネ', 'ノ', 'ハ', 'ヒ', 'フ', 'ヘ', 'ホ', 'マ', 'ミ', 'ム', 'メ', 'モ', 'ヤ', 'ユ',
    'ヨ', 'ラ', 'リ', 'ル', 'レ', 'ロ', 'ワ', 'ン', '\u{3099}', '\u{309a}',
];

/// Appends `word` to `out` in lower case and without diacritics, as terms are before stemming. The
/// beginning of a word that a reader is still typing is looked up in this form.
pub fn fold_into(word: &str, out: &mut String) {
    let mut lower = String::with_capacity(word.len());
    lower_into(word, false, &mut lower);
    fold_lower_into(&lower, out);
}

/// Roman numerals that are one character, U+2160 and the 11 characters after it.
const ROMAN: [&str; 12] =
    ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"];

/// The zeros of the scripts that have digits of their own.
const ZEROS: [char; 15] = [
    '\u{660}', '\u{6f0}', '\u{7c0}', '\u{966}', '\u{9e6}', '\u{a66}', '\u{ae6}', '\u{b66}',
    '\u{be6}', '\u{c66}', '\u{ce6}', '\u{d66}', '\u{e50}', '\u{ed0}', '\u{1040}',
];

/// Appends `word` to `out` in lower case and composed, without invisible characters. Characters
/// that readers do not type are replaced by plain ones. `turkic`: I is the capital of ı.
pub(crate) fn lower_into(word: &str, turkic: bool, out: &mut String) {
    for c in word.chars() {
        match c {
            'I' if turkic => out.push('ı'),
            'İ' if turkic => out.push('i'),
            '\0'..='\x7f' => out.push(c.to_ascii_lowercase()),
            // Full-width ASCII.
            '\u{ff01}'..='\u{ff5e}' => {
                out.extend(char::from_u32(u32::from(c) - 0xfee0).map(|c| c.to_ascii_lowercase()));
            }
            // Half-width kana. A voicing mark is composed with the kana before it.
            '\u{ff66}'..='\u{ff9f}' => {
                let wide = HALF_WIDTH.get(usize::from(c as u16 - 0xff66)).copied().unwrap_or(c);
                match out.chars().next_back().and_then(|last| compose(last, wide)) {
                    Some(composed) => {
                        out.pop();
                        out.push(composed);
                    }
                    None => out.push(wide),
                }
            }
            '\u{2019}' => out.push('\''),
            'Σ' | 'ς' => out.push('σ'),
            'µ' => out.push('μ'),
            'ª' => out.push('a'),
            'º' => out.push('o'),
            // Keyboards differ in these letters, which look alike in most places of a word. The
            // Arabic characters are the ones that the stemmer knows.
            'ی' | 'ى' => out.push('ي'),
            'ک' => out.push('ك'),
            'ہ' | 'ە' | 'ۀ' | 'ۂ' => out.push('ه'),
            '\u{2160}'..='\u{216b}' => out.push_str(ROMAN[(c as usize - 0x2160) % 12]),
            '\u{2170}'..='\u{217b}' => out.push_str(ROMAN[(c as usize - 0x2170) % 12]),
            // Circled numbers from 1 to 20.
            '\u{2460}'..='\u{2468}' => out.push(digit(c as u32 - 0x245f)),
            '\u{2469}'..='\u{2473}' => {
                let number = c as u32 - 0x245f;
                out.extend([digit(number / 10), digit(number % 10)]);
            }
            'ﬀ' => out.push_str("ff"),
            'ﬁ' => out.push_str("fi"),
            'ﬂ' => out.push_str("fl"),
            'ﬃ' => out.push_str("ffi"),
            'ﬄ' => out.push_str("ffl"),
            _ if is_ignorable(c) => {}
            _ if c >= '\u{660}' && !c.is_alphabetic() && decimal_digit(c).is_some() => {
                out.extend(decimal_digit(c));
            }
            _ if superscript_digit(c).is_some() => out.extend(superscript_digit(c)),
            '\u{2080}'..='\u{2089}' => out.push(digit(c as u32 - 0x2080)),
            _ => match out.chars().next_back().and_then(|last| compose(last, c)) {
                Some(composed) => {
                    out.pop();
                    out.push(composed);
                }
                None => unicode::for_each_lower(c, |c| out.push(c)),
            },
        }
    }
}

/// Appends `lower`, the output of [`lower_into`], to `out` without diacritics.
///
/// Only Latin, Greek, Cyrillic, Hebrew and Arabic script lose their marks. In other scripts marks
/// are vowels and consonants. The Cyrillic letters й and ї stay: they are letters of their own.
pub(crate) fn fold_lower_into(lower: &str, out: &mut String) {
    if lower.is_ascii() {
        return out.push_str(lower);
    }
    for c in lower.chars() {
        match c {
            '\0'..='\x7f' => out.push(c),
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'þ' => out.push_str("th"),
            'ø' => out.push('o'),
            'đ' | 'ð' => out.push('d'),
            'ł' => out.push('l'),
            'ħ' => out.push('h'),
            'ı' => out.push('i'),
            'й' | 'ї' => out.push(c),
            '\u{c0}'..='\u{6ff}' | '\u{1e00}'..='\u{1fff}' => {
                unicode::for_each_base(c, |base| out.push(base))
            }
            _ => out.push(c),
        }
    }
}

/// Returns a text in lower case, as [`str::to_lowercase`] gives it. Σ becomes ς if a letter
/// precedes it and none follows.
pub fn lower_case(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letter_before = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let letter_behind = chars.peek().is_some_and(|c| c.is_alphabetic());
        match c {
            'Σ' if letter_before && !letter_behind => out.push('ς'),
            _ => unicode::for_each_lower(c, |c| out.push(c)),
        }
        letter_before = c.is_alphabetic();
    }
    out
}

fn digit(n: u32) -> char {
    char::from_digit(n, 10).unwrap_or('0')
}

/// Returns the ASCII digit for a digit of another script.
pub(crate) fn decimal_digit(c: char) -> Option<char> {
    let place = ZEROS.partition_point(|zero| *zero <= c);
    let n = u32::from(c) - u32::from(ZEROS[place.checked_sub(1)?]);
    (n < 10).then(|| digit(n))
}

/// Returns the ASCII digit for a superscript digit.
pub(crate) fn superscript_digit(c: char) -> Option<char> {
    Some(match c {
        '\u{b9}' => '1',
        '\u{b2}' => '2',
        '\u{b3}' => '3',
        '\u{2070}' | '\u{2074}'..='\u{2079}' => digit(c as u32 - 0x2070),
        _ => return None,
    })
}

/// Returns whether `c` is invisible and means nothing: soft hyphen, zero width space, word joiner,
/// byte order mark, and control characters but the zero byte. Left out of pages, attributes,
/// queries and filter values.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
        || (c.is_control() && c != '\0' && !c.is_whitespace())
}

/// Returns a text without [invisible](is_invisible) characters.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_invisible) {
        Cow::Owned(text.chars().filter(|c| !is_invisible(*c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns whether `c` may stand inside a word without being part of its spelling: invisible
/// characters, joiners and non-joiners, marks of writing direction, selectors of a variant.
pub(crate) fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
    )
}

/// Returns the composed character of a pair, if it matters: letters that stemmers know with their
/// accents, voiced kana, and Hangul. Most text is composed already.
fn compose(base: char, mark: char) -> Option<char> {
    let (bases, composed) = match mark {
        '\u{300}' => ("aeiou", "àèìòù"),
        '\u{301}' => ("aeiouyαεηιουωϊϋ", "áéíóúýάέήίόύώΐΰ"),
        '\u{302}' => ("aeiou", "âêîôû"),
        '\u{303}' => ("ano", "ãñõ"),
        '\u{306}' => ("agи", "ăğй"),
        '\u{308}' => ("aeiouyιυеі", "äëïöüÿϊϋёї"),
        '\u{30a}' => ("a", "å"),
        '\u{30b}' => ("ou", "őű"),
        '\u{326}' => ("st", "șț"),
        '\u{327}' => ("cst", "çşţ"),
        '\u{3099}' => {
            return match base {
                'う' => Some('ゔ'),
                'ウ' => Some('ヴ'),
                'か'..='ぢ'
                | 'つ'..='ど'
                | 'は'..='ほ'
                | 'カ'..='ヂ'
                | 'ツ'..='ド'
                | 'ハ'..='ホ' => char::from_u32(u32::from(base) + 1),
                _ => None,
            };
        }
        '\u{309a}' if matches!(base, 'は'..='ほ' | 'ハ'..='ホ') => {
            return char::from_u32(u32::from(base) + 2);
        }
        // The Unicode Standard, section 3.12.
        '\u{1161}'..='\u{1175}' if ('\u{1100}'..='\u{1112}').contains(&base) => {
            let (l, v) = (u32::from(base) - 0x1100, u32::from(mark) - 0x1161);
            return char::from_u32(0xac00 + (l * 21 + v) * 28);
        }
        '\u{11a8}'..='\u{11c2}' if ('\u{ac00}'..='\u{d7a3}').contains(&base) => {
            let s = u32::from(base) - 0xac00;
            return if s.is_multiple_of(28) {
                char::from_u32(0xac00 + s + u32::from(mark) - 0x11a7)
            } else {
                None
            };
        }
        _ => return None,
    };
    bases.chars().position(|b| b == base).and_then(|place| composed.chars().nth(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization_alignments::UnicodeNormalization;

    fn fold(word: &str) -> String {
        let mut out = String::new();
        fold_into(word, &mut out);
        out
    }

    #[test]
    fn spellings_of_a_word_are_folded_to_one() {
        for (word, expect) in [
            ("Naïve", "naive"),
            ("STRASSE", "strasse"),
            ("Straße", "strasse"),
            ("Ångström", "angstrom"),
            ("Łódź", "lodz"),
            ("Ёлка", "елка"),
            ("Йод", "йод"),
            ("ΛΌΓΟΣ", "λογοσ"),
            ("λόγος", "λογοσ"),
            ("ＡＢＣ１", "abc1"),
            ("ﬁle", "file"),
            ("co\u{ad}operate", "cooperate"),
            ("Việt", "viet"),
            ("مُحَمَّد", "محمد"),
            ("हिन्दी", "हिन्दी"),
            ("ガ", "ガ"),
            ("İ", "i"),
            ("CO₂", "co2"),
            ("m³", "m3"),
            ("x⁰⁴⁹", "x049"),
            ("٢٠۲۴", "2024"),
            ("४२", "42"),
            ("③⑫", "312"),
            ("ⅣⅫⅲ", "ivxiiiii"),
            ("3ºª", "3oa"),
            ("µs", "μs"),
            ("فارسی", "فارسي"),
            ("فارسي", "فارسي"),
            ("مرکزى", "مركزي"),
            ("ہۂۀە", "هههه"),
            ("ferro\u{200b}magnetic\u{feff}", "ferromagnetic"),
            ("a\u{200e}b\u{2069}c\u{fe0f}", "abc"),
        ] {
            assert_eq!(fold(word), expect, "{word}");
        }
    }

    #[test]
    fn invisible_characters_are_left_out_and_spaces_stay() {
        assert_eq!(visible("a\u{200b}b\u{feff}\u{1} c\td\0"), "ab c\td\0");
        assert!(matches!(visible("plain می\u{200c}شود"), Cow::Borrowed(_)));
    }

    #[test]
    fn lower_case_is_that_of_the_standard_library() {
        for text in ["", "Größe", "ΛΌΓΟΣ ΣΣΣ ΌΣΟΣ", "Σ", "İstanbul", "DŽ ǅ ẞ Ⅷ Ⓐ 𐐀", "don'T"]
        {
            assert_eq!(lower_case(text), text.to_lowercase());
        }
    }

    #[test]
    fn composed_and_decomposed_text_is_the_same() {
        for word in [
            "élève",
            "Größe",
            "árvíztűrő",
            "ştiinţă",
            "ёж",
            "йод",
            "їжак",
            "ϊΐ",
            "がぱヴ",
            "한국어",
            "値",
        ] {
            let decomposed: String = word.chars().nfd().map(|(c, _)| c).collect();
            let (mut a, mut b) = (String::new(), String::new());
            lower_into(word, false, &mut a);
            lower_into(&decomposed, false, &mut b);
            assert_eq!(a, b, "{word}");
        }
    }
}
