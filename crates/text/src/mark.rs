//! Marks that readers look for: emoji and other symbols, and operators of code.
//!
//! Every symbol is a mark: `🚀`, `✓`, `℃`, `≤`, `§`, `€`. Operators are short runs of ASCII
//! punctuation: alone between spaces (`~`, `...`), or in code that is written without spaces
//! (`x=>y`). Punctuation of sentences, bullets, brackets and decorative rules are no marks.

use crate::number::vulgar_fraction;

/// The longest operator, in bytes.
const MAX_OPERATOR: usize = 3;

/// Characters of operators.
const OPERATORS: &[u8] = b"!#$%&*+-./:<=>?@\\^|~";

/// Operators of one character. Other single characters are bullets, separators and punctuation.
const SINGLE: &[u8] = b"!#$%&+<>?@\\^|~";

/// The characters between two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark<'a> {
    /// An emoji, another symbol or an operator.
    Sign(&'a str),
    /// A fraction that is one character: numerator and denominator.
    Fraction(&'static str, &'static str),
}

/// Calls `sink` with the marks in `text[from..to]`, which has no words, and the byte range of each.
#[inline]
pub(crate) fn for_each_mark<'a>(
    text: &'a str,
    (from, to): (usize, usize),
    sink: impl FnMut((usize, usize), Mark<'a>),
) {
    // A space, or punctuation and a space, is what stands between nearly all words.
    let gap = &text.as_bytes()[from..to];
    let within = from > 0 && to < text.len();
    if gap.is_empty() || gap.len() == 1 && within || gap == b", " || gap == b". " {
        return;
    }
    marks_in(text, (from, to), sink);
}

fn marks_in<'a>(
    text: &'a str,
    (from, to): (usize, usize),
    mut sink: impl FnMut((usize, usize), Mark<'a>),
) {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < to {
        if OPERATORS.contains(&bytes[at]) {
            let n = bytes[at..to].iter().take_while(|b| OPERATORS.contains(b)).count();
            if let Some((start, end)) = operator(text, (from, to), (at, at + n)) {
                sink((start, end), Mark::Sign(&text[start..end]));
            }
            at += n;
            continue;
        }
        if bytes[at] < 0x80 {
            at += 1;
            continue;
        }
        let Some(c) = text[at..to].chars().next() else { return };
        let mut end = at + c.len_utf8();
        if let Some((numerator, denominator)) = vulgar_fraction(c) {
            sink((at, end), Mark::Fraction(numerator, denominator));
        } else if is_regional(c) {
            // Two letters of a country's code make a flag.
            end +=
                text[end..to].chars().next().filter(|c| is_regional(*c)).map_or(0, char::len_utf8);
            sink((at, end), Mark::Sign(&text[at..end]));
        } else if is_symbol(c) {
            sink((at, end), Mark::Sign(&text[at..end]));
        }
        at = end;
    }
}

/// Returns the operator in a run of punctuation, if it has one. `gap`: the text between two words
/// that the run lies in.
fn operator(text: &str, gap: (usize, usize), run: (usize, usize)) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let (start, mut end) = run;
    let word_before = start == gap.0 && start > 0;
    let word_behind = end == gap.1 && end < bytes.len();
    let run = &bytes[start..end];
    if let [.., mark, b'.' | b':' | b'!' | b'?'] = run
        && !word_behind
        && run.len() > 2
        && *mark != run[run.len() - 1]
    {
        // The sentence ends after the operator.
        end -= 1;
    }
    let run = &bytes[start..end];
    let fits = match run {
        [one] => !word_before && !word_behind && alone(bytes, start, end) && SINGLE.contains(one),
        b"..." => !word_before,
        // Dashes, rules, headings and comments.
        _ if run.iter().all(|b| *b == run[0] && b"-*#/.~:".contains(b)) => {
            run == b"**" && alone(bytes, start, end)
        }
        _ if run.len() > MAX_OPERATOR => false,
        b"?." | b"??" | b"?:" | b"=~" | b"!~" => word_before == word_behind || run == b"??",
        _ if word_before || word_behind => {
            !run.contains(&b'/') && run.iter().any(|b| b"=<>&|".contains(b))
        }
        _ => true,
    };
    fits.then_some((start, end))
}

/// Returns whether white space, or nothing, is on both sides of a range.
fn alone(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_space = |b: Option<&u8>| b.is_none_or(u8::is_ascii_whitespace);
    is_space(bytes[..start].last()) && is_space(bytes.get(end))
}

/// Returns a letter of a flag.
fn is_regional(c: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&c)
}

/// Returns whether `c` is an emoji or another symbol that means something. Lines of boxes, shapes
/// used as bullets, and skin tones are excluded.
fn is_symbol(c: char) -> bool {
    matches!(c,
        '¢'..='¥' | '§' | '©' | '®' | '°' | '±' | '¶' | '×' | '÷' | '†' | '‡' | '‰'
        | '\u{203c}' | '\u{2049}' | '\u{20a0}'..='\u{20c0}'
        | '\u{2100}'..='\u{214f}'
        | '\u{2190}'..='\u{23ff}'
        | '\u{2600}'..='\u{27bf}'
        | '\u{2900}'..='\u{297f}'
        | '\u{2a00}'..='\u{2bff}'
        | '\u{3200}'..='\u{33ff}'
        | '\u{1f000}'..='\u{1f3fa}'
        | '\u{1f400}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        let mut got = Vec::new();
        // Words of letters part the gaps, as they do in texts.
        let is_word = |c: char| c.is_alphanumeric() && vulgar_fraction(c).is_none();
        let mut from = 0;
        let ends =
            text.char_indices().filter(|(_, c)| is_word(*c)).map(|(at, c)| (at, c.len_utf8()));
        for (at, len) in ends.chain([(text.len(), 0)]) {
            for_each_mark(text, (from, at), |range, mark| {
                assert!(range.0 >= from && range.1 <= at);
                got.push(match mark {
                    Mark::Sign(sign) => sign.to_string(),
                    Mark::Fraction(a, b) => format!("{a}/{b}"),
                });
            });
            from = at + len;
        }
        assert_eq!(got, expect, "{text}");
    }

    #[test]
    fn operators_are_found_alone_and_between_names() {
        check("=>", &["=>"]);
        check("write => between", &["=>"]);
        check("(x)=>{ y }", &["=>"]);
        check("x=>y, a?.b, c??d", &["=>", "?.", "??"]);
        check("use `=>`.", &["=>"]);
        check("use =>. Or ?.", &["=>", "?."]);
        check("with ... a list, and ...rest", &["...", "..."]);
        check("a leading ~ stands", &["~"]);
        check("a && b || c", &["&&", "||"]);
        check("fn f() -> u8", &["->"]);
    }

    #[test]
    fn punctuation_of_sentences_is_no_mark() {
        for text in [
            "one, two. three",
            "wait... so",
            "really?! yes",
            "a - b -- c --- d",
            "* x",
            "a/b // c",
            "end.",
            "100% of it",
            "say: \"so\".",
            "(a) [b] {c};",
            "x = 3",
            "https://a.b/c?d=e&f=g",
            "## x",
            "v1.2.",
            "e.g.: x",
            "what?",
            "a.b::c",
            "",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn emoji_are_marks_without_their_variations() {
        check("🚀 marks releases, 🐛🐛 repairs", &["🚀", "🐛", "🐛"]);
        check("❤\u{fe0f} 👍🏽", &["❤", "👍"]);
        check("🇩🇪🇫🇷", &["🇩🇪", "🇫🇷"]);
        check("👩\u{200d}💻", &["👩", "💻"]);
        check("20 ℃, 5½ ㎡ → x", &["℃", "1/2", "㎡", "→"]);
        check("§ 5, 10 €, © and 3 × 4", &["§", "€", "©", "×"]);
        check("│ ├── ● • — … « » ¿", &[]);
    }
}
