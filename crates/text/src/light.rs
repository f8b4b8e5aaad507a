//! Rules for words that Snowball has none for: prefixes of Hebrew, spellings of Hindi, and endings
//! that readers type without their accents.

use std::borrow::Cow;

/// The fewest letters that remain of a Hebrew word.
const MIN_HEBREW: usize = 3;

/// Hebrew endings of the plural, in the form of letters within a word.
const HEBREW_PLURALS: [&str; 2] = ["ימ", "ות"];

/// Hebrew endings of gender and state.
const HEBREW_ENDINGS: [&str; 3] = ["ה", "ת", "י"];

/// Letters that Hebrew writes together with the word after them: and, that, as, to, in, from, the.
const HEBREW_PREFIXES: &str = "ושכלבמה";

/// Returns a Hebrew word without points, prefixes and ending, and without the second of two letters
/// yod or vav, which writers add or leave out.
///
/// Prefixes are removed as long as three letters remain, even if the letter belongs to the word. So
/// a word has the same stem with and without a prefix.
pub(crate) fn hebrew(word: &str) -> Cow<'_, str> {
    let mut letters = String::with_capacity(word.len());
    for c in word.chars() {
        let c = match c {
            '\u{591}'..='\u{5c7}' => continue,
            'ך' => 'כ',
            'ם' => 'מ',
            'ן' => 'נ',
            'ף' => 'פ',
            'ץ' => 'צ',
            other => other,
        };
        if !(matches!(c, 'י' | 'ו') && letters.ends_with(c)) {
            letters.push(c);
        }
    }
    if !letters.chars().all(|c| ('א'..='ת').contains(&c)) {
        return Cow::Borrowed(word);
    }
    // Letters are of two bytes each.
    let enough = |rest: &&str| rest.len() >= 2 * MIN_HEBREW;
    let without = |word, endings: &[&str]| {
        let rest = |ending: &&str| str::strip_suffix(word, *ending).filter(enough);
        endings.iter().find_map(rest).unwrap_or(word)
    };
    let mut stem = without(&*letters, &HEBREW_PLURALS);
    while let Some(rest) = stem.strip_prefix(|c: char| HEBREW_PREFIXES.contains(c)).filter(enough) {
        stem = rest;
    }
    let stem = without(stem, &HEBREW_ENDINGS);
    Cow::Owned(stem.to_owned())
}

/// Returns a Hindi word as it is most simply written: without nukta, with anusvara for chandrabindu
/// and for a nasal before a stop of its class. `None` for a word without these.
pub(crate) fn devanagari(word: &str) -> Option<String> {
    let mut out = String::with_capacity(word.len());
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{93c}' => {}
            '\u{901}' => out.push('\u{902}'),
            '\u{958}' => out.push('क'),
            '\u{959}' => out.push('ख'),
            '\u{95a}' => out.push('ग'),
            '\u{95b}' => out.push('ज'),
            '\u{95c}' => out.push('ड'),
            '\u{95d}' => out.push('ढ'),
            '\u{95e}' => out.push('फ'),
            '\u{95f}' => out.push('य'),
            // The virama after a nasal, and the consonant after that.
            '\u{94d}' => {
                let nasal = out.chars().next_back();
                let stops = match nasal {
                    Some('ङ') => 'क'..='घ',
                    Some('ञ') => 'च'..='झ',
                    Some('ण') => 'ट'..='ढ',
                    Some('न') => 'त'..='ध',
                    Some('म') => 'प'..='भ',
                    _ => '\0'..='\0',
                };
                if chars.peek().is_some_and(|next| stops.contains(next)) {
                    out.pop();
                    out.push('\u{902}');
                } else {
                    out.push(c);
                }
            }
            _ => out.push(c),
        }
    }
    (out != word).then_some(out)
}

/// Endings as readers type them, and as the stemmer knows them. Words that are written so are none
/// or few.
type Endings = &'static [(&'static str, &'static str)];

const CZECH: Endings = &[
    ("ich", "ích"),
    ("ych", "ých"),
    ("imi", "ími"),
    ("ymi", "ými"),
    ("eho", "ého"),
    ("emu", "ému"),
];

const POLISH: Endings = &[("ow", "ów"), ("asc", "aść"), ("esc", "eść")];

const PORTUGUESE: Endings = &[
    ("cao", "ção"),
    ("coes", "ções"),
    ("encia", "ência"),
    ("encias", "ências"),
    ("ancia", "ância"),
    ("ancias", "âncias"),
    ("avel", "ável"),
    ("ivel", "ível"),
];

/// Returns a Czech word with the accent of its ending.
pub(crate) fn czech(word: &str) -> Option<String> {
    accented(word, CZECH)
}

/// Returns a Polish word with the accent of its ending.
pub(crate) fn polish(word: &str) -> Option<String> {
    accented(word, POLISH)
}

/// Returns a Portuguese word with the accent of its ending.
pub(crate) fn portuguese(word: &str) -> Option<String> {
    accented(word, PORTUGUESE)
}

/// Restores the accent in the ending of a word that was written without accents.
fn accented(word: &str, endings: Endings) -> Option<String> {
    if !word.is_ascii() {
        return None;
    }
    let of = |&(typed, spelt): &(&str, &str)| {
        let root = word.strip_suffix(typed).filter(|root| root.len() > 1)?;
        Some([root, spelt].concat())
    };
    endings.iter().find_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hebrew_words_have_one_stem_with_prefixes_and_endings() {
        for words in [
            &["פרויקט", "פרוייקט", "הפרויקטים", "לפרויקט", "ובפרויקטים"][..],
            &["הגדרה", "הגדרות", "וההגדרות", "הגדרת", "בהגדרה"],
            &["משאב", "משאבים", "המשאב", "למשאבים"],
            &["זמין", "זמינות", "לזמינות"],
            &["סֵפֶר", "ספר", "הספר"],
        ] {
            for word in words {
                assert_eq!(hebrew(word), hebrew(words[0]), "{word}");
            }
        }
        for (word, stem) in [("בית", "בית"), ("הבית", "בית"), ("css", "css"), ("", "")]
        {
            assert_eq!(hebrew(word), stem);
        }
    }

    #[test]
    fn hindi_is_read_in_its_simplest_spelling() {
        for (word, plain) in [
            ("हिन्दी", "हिंदी"),
            ("सम्बन्ध", "संबंध"),
            ("पढ़ने", "पढने"),
            ("पढ\u{93c}ने", "पढने"),
            ("पाँच", "पांच"),
        ] {
            assert_eq!(devanagari(word).as_deref(), Some(plain), "{word}");
        }
        for word in ["जन्म", "किताब", "rust", ""] {
            assert_eq!(devanagari(word), None, "{word}");
        }
    }

    #[test]
    fn endings_typed_without_accents_have_them() {
        type Case = (fn(&str) -> Option<String>, &'static str, &'static str);
        let cases: [Case; 3] = [
            (czech, "dalsich", "dalsích"),
            (polish, "kolorow", "kolorów"),
            (portuguese, "duplicacao", "duplicação"),
        ];
        for (respell, typed, spelt) in cases {
            assert_eq!(respell(typed).as_deref(), Some(spelt));
            assert_eq!(respell(spelt), None);
        }
        assert_eq!(polish("ow"), None);
    }
}
