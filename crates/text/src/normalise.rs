//! Case, diacritics, and the few other differences between spellings of one word.
//!
//! Two steps, since stemming stands between them and needs the accents of its language:
//! `lower_into` makes text lower case and composed; `fold_lower_into` removes diacritics.
//! Compatibility forms beyond full-width ASCII, half-width kana and the Latin ligatures are left as
//! they are.

use crate::unicode;
pub use crate::unicode::for_each_lower;

/// What U+FF66 and the 57 characters behind it are in full width (the Unicode Standard,
/// compatibility decompositions).
const HALF_WIDTH: [char; 58] = [
    'ヲ', 'ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ャ', 'ュ', 'ョ', 'ッ', 'ー', 'ア', 'イ', 'ウ', 'エ', 'オ',
    'カ', 'キ', 'ク', 'ケ', 'コ', 'サ', 'シ', 'ス', 'セ', 'ソ', 'タ', 'チ', 'ツ', 'テ', 'ト', 'ナ',
    'ニ', 'ヌ', 'ネ', 'ノ', 'ハ', 'ヒ', 'フ', 'ヘ', 'ホ', 'マ', 'ミ', 'ム', 'メ', 'モ', 'ヤ', 'ユ',
    'ヨ', 'ラ', 'リ', 'ル', 'レ', 'ロ', 'ワ', 'ン', '\u{3099}', '\u{309a}',
];

/// Appends `word` to `out` in the form terms have before stemming: lower case, without diacritics.
/// The beginning of a word that is still being typed is looked up in this form.
pub fn fold_into(word: &str, out: &mut String) {
    let mut lower = String::with_capacity(word.len());
    lower_into(word, false, &mut lower);
    fold_lower_into(&lower, out);
}

/// Appends `word` to `out` in lower case and composed, without characters that only control line
/// breaks and joining. `turkic`: I is the capital of ı.
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
            // Half-width kana; a mark of voice is composed with the kana before it.
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
            'ﬀ' => out.push_str("ff"),
            'ﬁ' => out.push_str("fi"),
            'ﬂ' => out.push_str("fl"),
            'ﬃ' => out.push_str("ffi"),
            'ﬄ' => out.push_str("ffl"),
            _ if is_ignorable(c) => {}
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

/// Appends what [`lower_into`] made to `out` without diacritics.
///
/// Marks go in Latin, Greek, Cyrillic, Hebrew and Arabic script alone: elsewhere they are vowels
/// and consonants. The Cyrillic letters й and ї stay, being letters rather than accented ones.
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

/// A text in lower case, as [`str::to_lowercase`] has it, but that the capital Σ is written as at
/// the end of a word wherever a letter stands before it and none behind.
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

/// Whether `c` may stand inside a word without being part of its spelling: soft hyphen, joiners and
/// non-joiners.
pub(crate) fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}')
}

/// The composed character, for the pairs that matter: letters that stemmers know with their
/// accents, voiced kana, and Hangul. Text is nearly always composed already.
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
    fn spellings_meet() {
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
        ] {
            assert_eq!(fold(word), expect, "{word}");
        }
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
