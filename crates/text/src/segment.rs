//! Segmentation: words are runs of characters of one class.
//!
//! Scripts written without spaces (Han and kana, Thai, Lao, Burmese, Khmer) are indexed as
//! overlapping pairs of characters. So is Hangul, which attaches particles to words. Pairs need no
//! dictionary and are the same in a text and in a query.

use crate::{normalise::is_ignorable, unicode};

/// The role of a character in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Separates words.
    Break,
    /// A letter or digit of a script with spaces.
    Letter,
    /// A character of a script without spaces; each script has its number.
    Unspaced(u8),
    /// Belongs to the character in front: a mark, a joiner, a jamo that is not the first.
    Extend,
}

/// Returns the class of a character.
#[inline]
pub(crate) fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Letter,
        '\0'..='\x7f' => Class::Break,
        _ => class_beyond_ascii(c),
    }
}

fn class_beyond_ascii(c: char) -> Class {
    let unspaced = match c {
        // Fractions are read as two numbers.
        '¼'..='¾' | '\u{2150}'..='\u{215e}' | '\u{2189}' => return Class::Break,
        '\u{1160}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7fb}' | '\u{ff9e}' | '\u{ff9f}' => {
            return Class::Extend;
        }
        '\u{3005}'
        | '\u{3007}'
        | '\u{3041}'..='\u{3096}'
        | '\u{309d}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9d}'
        | '\u{20000}'..='\u{3ffff}' => 1,
        '\u{1100}'..='\u{115f}'
        | '\u{3131}'..='\u{318e}'
        | '\u{a960}'..='\u{a97c}'
        | '\u{ac00}'..='\u{d7a3}' => 2,
        '\u{e01}'..='\u{e4e}' => 3,
        '\u{e81}'..='\u{ecd}' | '\u{edc}'..='\u{edf}' => 4,
        '\u{1000}'..='\u{103f}' | '\u{1050}'..='\u{108f}' => 5,
        '\u{1780}'..='\u{17d3}' => 6,
        _ => 0,
    };
    if is_ignorable(c) || unicode::is_mark(c) {
        Class::Extend
    } else if !c.is_alphanumeric() {
        Class::Break
    } else if unspaced > 0 {
        Class::Unspaced(unspaced)
    } else {
        Class::Letter
    }
}

/// A maximal run of characters of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub start: usize,
    pub end: usize,
    pub unspaced: bool,
}

/// Returns the next run that begins at or after byte `at`.
#[inline]
pub(crate) fn next_run(text: &str, mut at: usize) -> Option<Run> {
    let bytes = text.as_bytes();
    loop {
        match *bytes.get(at)? {
            b if b.is_ascii_alphanumeric() => {
                return Some(Run { start: at, end: letters_end(text, at + 1), unspaced: false });
            }
            0..0x80 => at += 1,
            _ => {
                let c = text[at..].chars().next()?;
                let behind = at + c.len_utf8();
                match class(c) {
                    Class::Letter => {
                        return Some(Run {
                            start: at,
                            end: letters_end(text, behind),
                            unspaced: false,
                        });
                    }
                    Class::Unspaced(script) => {
                        let more = text[behind..].char_indices().find(|&(_, c)| {
                            !matches!(class(c), Class::Extend)
                                && class(c) != Class::Unspaced(script)
                        });
                        let end = more.map_or(text.len(), |(i, _)| behind + i);
                        return Some(Run { start: at, end, unspaced: true });
                    }
                    Class::Break | Class::Extend => at = behind,
                }
            }
        }
    }
}

/// Returns the end of the run of letters that byte `at` is in or after.
#[inline]
pub(crate) fn letters_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while let Some(&b) = bytes.get(at) {
        if b.is_ascii_alphanumeric() {
            at += 1;
        } else if b < 0x80 {
            break;
        } else {
            match text[at..].chars().next() {
                Some(c) if matches!(class(c), Class::Letter | Class::Extend) => at += c.len_utf8(),
                _ => break,
            }
        }
    }
    at
}

/// Calls `sink` with the byte range of each overlapping pair of characters in a run of a script
/// without spaces, or with the run itself if it is one character.
pub(crate) fn for_each_pair(text: &str, run: Run, mut sink: impl FnMut(usize, usize)) {
    // Where the last two characters start. The marks after a character belong to it.
    let (mut before, mut last) = (None, run.start);
    for (i, c) in text[run.start..run.end].char_indices().skip(1) {
        if class(c) != Class::Extend {
            if let Some(start) = before {
                sink(start, run.start + i);
            }
            before = Some(last);
            last = run.start + i;
        }
    }
    sink(before.unwrap_or(last), run.end);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(text: &str) -> Vec<&str> {
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(run) = next_run(text, at) {
            if run.unspaced {
                for_each_pair(text, run, |start, end| out.push(&text[start..end]));
            } else {
                out.push(&text[run.start..run.end]);
            }
            at = run.end;
        }
        out
    }

    #[test]
    fn words_are_runs_and_scripts_without_spaces_are_pairs() {
        let check = |text, expect: &[&str]| assert_eq!(runs(text), expect, "{text}");
        check("", &[]);
        check(" , ", &[]);
        check("two words", &["two", "words"]);
        check("Übergröße, 42", &["Übergröße", "42"]);
        check("e\u{301}te\u{301}!", &["e\u{301}te\u{301}"]);
        check("हिन्दी भाषा", &["हिन्दी", "भाषा"]);
        check("検索", &["検索"]);
        check("水", &["水"]);
        check("全文検索エンジン", &["全文", "文検", "検索", "索エ", "エン", "ンジ", "ジン"]);
        check("Rust言語の2021年", &["Rust", "言語", "語の", "2021", "年"]);
        check("한국어 검색", &["한국", "국어", "검색"]);
        check("ที่นี่", &["ที่นี่"]);
        check("ภาษาไทย", &["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]);
    }

    proptest::proptest! {
        #[test]
        fn runs_lie_in_order_on_character_boundaries(text in "\\PC{0,60}") {
            let (mut at, mut last) = (0, 0);
            while let Some(run) = next_run(&text, at) {
                assert!(run.start >= last && run.end > run.start);
                assert!(text.is_char_boundary(run.start) && text.is_char_boundary(run.end));
                for_each_pair(&text, run, |start, end| assert!(!text[start..end].is_empty()));
                at = run.end;
                last = run.end;
            }
        }
    }
}
