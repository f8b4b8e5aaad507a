//! Marks of footnotes and references after words: `logged³`, written as `logged<sup>3</sup>`.
//!
//! A mark that stays attached changes the word before it. Exponents, chemical formulas and ordinals
//! are written in the same way and are part of the word: `m<sup>2</sup>`, `10<sup>6</sup>`,
//! `1<sup>st</sup>`.

use std::borrow::Cow;

/// The relation of raised text to the word before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Raised {
    /// Part of the word: an exponent, an ordinal, a charge.
    PartOfWord,
    /// A separate word: `™` written as letters.
    Apart,
    /// A reference mark.
    Mark,
}

/// Lower-case names of units and functions that can have an exponent.
const QUANTITIES: [&str; 46] = [
    "chi", "cm", "cos", "cosh", "cot", "csc", "det", "dm", "exp", "feet", "foot", "ft", "ha", "hr",
    "in", "inch", "inches", "km", "lg", "ln", "log", "meter", "meters", "metre", "metres", "mi",
    "mile", "miles", "min", "mm", "mod", "nm", "pm", "sec", "sin", "sinh", "tan", "tanh", "um",
    "yard", "yards", "yd", "µm", "дм", "км", "см",
];

/// Classifies raised text that directly follows `before`. `before` is all text up to the raised
/// text, including white space.
pub(super) fn classify(before: &str, raised: &str) -> Raised {
    let raised = raised.trim();
    // German and Polish marks have only a closing bracket: `1)`.
    let raised = raised.strip_suffix(')').filter(|mark| !mark.contains('(')).unwrap_or(raised);
    let Some(last) = before.chars().next_back().filter(|c| !c.is_whitespace()) else {
        return Raised::PartOfWord;
    };
    if raised.is_empty() {
        return Raised::PartOfWord;
    }
    if raised.chars().all(|c| matches!(c, '*' | '†' | '‡' | '§' | '¶' | '※' | ' ' | ',')) {
        return Raised::Mark;
    }
    let is_number = |text: &str| {
        text.contains(|c: char| c.is_ascii_digit())
            && text.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '–' | '-' | ' '))
            && !text.starts_with(['-', '–'])
            && !text.ends_with(['-', '–'])
    };
    if let Some(inner) = unbracketed(raised)
        && (is_number(inner) || inner.chars().count() <= 3)
    {
        return Raised::Mark;
    }
    if is_number(raised) {
        return number(before, last);
    }
    let letters = raised.chars().count();
    let is_list = raised.contains(',')
        && raised.split(',').map(str::trim).all(|mark| {
            (1..=2).contains(&mark.chars().count()) && mark.chars().all(char::is_alphanumeric)
        });
    if is_list && last.is_alphabetic() && !is_quantity(last_word(before)) {
        return Raised::Mark;
    }
    if !raised.chars().all(char::is_alphabetic) {
        return Raised::PartOfWord;
    }
    let word = last_word(before);
    let is_short = word.chars().count() <= if letters == 1 { 3 } else { 2 };
    let is_roman = word.chars().all(|c| matches!(c, 'I' | 'V' | 'X' | 'L' | 'C' | 'D' | 'M'));
    if is_short || is_roman || last.is_numeric() || !word.chars().all(char::is_alphabetic) {
        Raised::PartOfWord
    } else {
        Raised::Apart
    }
}

/// Removes Markdown's marks, `[^1]`, after words from plain text.
pub(super) fn without_marks(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut from = 0;
    for (at, _) in text.match_indices("[^") {
        let label = &text[at + 2..];
        let end = label.find(']').filter(|end| {
            *end > 0
                && *end <= 64
                && !label[..*end].contains(|c: char| c.is_whitespace() || c == '[')
        });
        let behind_word =
            text[..at].ends_with(|c: char| c.is_alphanumeric() || ".,;:!?\"”’)".contains(c));
        if let Some(end) = end.filter(|_| behind_word && at >= from) {
            out.push_str(&text[from..at]);
            from = at + 2 + end + 1;
        }
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// Classifies a number after `last`: an exponent after digits, units and variables, otherwise a
/// mark.
fn number(before: &str, last: char) -> Raised {
    if matches!(last, '.' | ',' | ';' | ':' | '!' | '?' | '"' | '”' | '’' | '»' | '。' | '、')
    {
        return Raised::Mark;
    }
    let word = last_word(before);
    if word.is_empty() || !word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’')) {
        return Raised::PartOfWord;
    }
    // A word after an operator is a variable: `E=mc²`.
    let in_formula = before[..before.len() - word.len()].ends_with(['=', '+', '−', '×', '·', '√']);
    if in_formula || is_quantity(word) { Raised::PartOfWord } else { Raised::Mark }
}

/// Returns whether a word of letters can have an exponent: a unit, a variable, a chemical element.
fn is_quantity(word: &str) -> bool {
    let count = word.chars().count();
    let unspaced = |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    if word.contains(unspaced) {
        return false;
    }
    let first_is_upper = word.starts_with(char::is_uppercase);
    let later_upper = word.chars().skip(1).any(char::is_uppercase);
    match count {
        1 => true,
        2 if first_is_upper => true,
        2 | 3 if later_upper => true,
        _ => QUANTITIES.binary_search(&word).is_ok(),
    }
}

/// Returns the word at the end of a text, including apostrophes.
fn last_word(text: &str) -> &str {
    let start = text
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_alphanumeric() || matches!(c, '\'' | '’'))
        .last()
        .map_or(text.len(), |(at, _)| at);
    &text[start..]
}

fn unbracketed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    inner.or_else(|| text.strip_prefix('(').and_then(|text| text.strip_suffix(')')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, raised: &str, expect: Raised) {
        assert_eq!(classify(before, raised), expect, "{before}^{raised}");
    }

    #[test]
    fn numbers_and_signs_behind_words_are_marks() {
        for (before, raised) in [
            ("is logged", "3"),
            ("logged", "3,4"),
            ("logged", "3–5"),
            ("The", "1"),
            ("of", "2"),
            ("daily.", "12"),
            ("don't", "1"),
            ("NASA", "1"),
            ("rinsed", "[2]"),
            ("2019", "[2]"),
            ("rinsed", "(a)"),
            ("geteert", "1)"),
            ("rinsed", "a,b"),
            ("rinsed", "*"),
            ("rinsed", "†"),
            ("知識", "1"),
            ("журнал", "1"),
        ] {
            check(before, raised, Raised::Mark);
        }
    }

    #[test]
    fn exponents_formulas_and_ordinals_are_part_of_their_word() {
        for (before, raised) in [
            ("40 m", "2"),
            ("km", "2"),
            ("kg/m", "3"),
            ("10", "6"),
            ("s", "-1"),
            ("Ca", "2+"),
            ("CO", "2"),
            ("sin", "2"),
            ("metres", "2"),
            ("(a+b)", "2"),
            ("E=mc", "2"),
            ("a+bc", "2"),
            ("1", "st"),
            ("3", "rd"),
            ("XIX", "e"),
            ("M", "lle"),
            ("n", "o"),
            ("x", "n"),
            ("x_1", "2"),
            ("A word ", "1"),
            ("", "1"),
        ] {
            check(before, raised, Raised::PartOfWord);
        }
    }

    #[test]
    fn letters_behind_words_stand_apart() {
        check("Findling", "TM", Raised::Apart);
        check("logged", "a", Raised::Apart);
    }

    #[test]
    fn quantities_are_sorted() {
        assert!(QUANTITIES.is_sorted());
    }
}
