//! Text of a site made harmless for a terminal, a file and a reader.
//!
//! Indexed text is hostile until checked. An escape sequence controls the terminal, a bidirectional
//! override shows text in a different order, and invisible characters hide text from people that
//! programs still read. Everything that the shell prints goes through a function of this module.
//!
//! | characters | one line, several lines | JSON |
//! |---|---|---|
//! | C0 and C1 controls, DEL | `<U+001B>`; white space becomes a space | `\u001b` |
//! | bidirectional overrides, embeddings, isolates | `<U+202E>` | `\u202e` |
//! | zero-width characters, fillers, tags, surplus variation selectors | `<U+200B>` | `\u200b` |
//! | joiners between letters that join, or in an emoji; one variation selector | kept | kept |
//! | soft hyphens, direction marks, a byte order mark | left out | `\u00ad` |
//! | private use, noncharacters | `<U+E000>` | `\ue000` |

use std::borrow::Cow;
use std::fmt::Write;

use serde::Serialize;

/// The treatment of a character: kept, shown as its code point, or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Keep,
    /// A space, or a line end or tab that the caller keeps.
    Space,
    /// The code point, in angle brackets.
    Show,
    /// Nothing: without it the text reads the same.
    Drop,
}

/// Returns a text on one line. White space that is not a space becomes one.
pub fn line(text: &str) -> Cow<'_, str> {
    made_safe(text, |_| ' ')
}

/// Returns a text of several lines: line feeds and tabs stay. A carriage return, which would
/// overwrite a line, becomes a space.
pub fn lines(text: &str) -> Cow<'_, str> {
    made_safe(text, |c| if matches!(c, '\n' | '\t') { c } else { ' ' })
}

fn made_safe(text: &str, space: impl Fn(char) -> char) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    for (c, fate) in with_fates(text) {
        match fate {
            Fate::Keep => safe.push(c),
            Fate::Space => safe.push(space(c)),
            Fate::Show => {
                // Writing to a string cannot fail.
                let _ = write!(safe, "<U+{:04X}>", u32::from(c));
            }
            Fate::Drop => {}
        }
    }
    Cow::Owned(safe)
}

/// Serialises as JSON on one line. Harmful characters in strings are escaped, so that a program
/// that reads the JSON gets the text unchanged.
///
/// # Errors
/// The errors of [`serde_json::to_string`].
pub fn json(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(escaped(serde_json::to_string(value)?))
}

/// Serialises like [`json`], indented.
///
/// # Errors
/// The errors of [`serde_json::to_string_pretty`].
pub fn json_pretty(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(escaped(serde_json::to_string_pretty(value)?))
}

/// Escapes characters of JSON that could do harm. They only occur in strings, so the result is
/// valid JSON too.
fn escaped(json: String) -> String {
    if json.is_ascii() && !json.contains('\u{7f}') {
        return json;
    }
    let mut safe = String::with_capacity(json.len());
    for (c, fate) in with_fates(&json) {
        if fate == Fate::Keep || c == '\n' {
            safe.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(safe, "\\u{unit:04x}");
            }
        }
    }
    safe
}

/// Escapes text for Markdown, on one line. Characters that Markdown or HTML would take for markup
/// are escaped, so that the text becomes neither a link, an image nor an element.
pub fn markdown(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in line(text).chars() {
        if is_markup(c) {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

/// Returns whether Markdown gives the character a meaning inside a line.
fn is_markup(c: char) -> bool {
    matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '!' | '&' | '$')
}

/// Returns a code block of Markdown. The fence is longer than any in the text.
pub fn markdown_code(text: &str) -> String {
    let text = lines(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// Returns an address on one line without characters that could end it: white space, controls,
/// quotes and brackets are percent-encoded.
pub fn url(url: &str) -> String {
    let mut safe = String::with_capacity(url.len());
    for (c, fate) in with_fates(url) {
        let ends = matches!(c, ' ' | '<' | '>' | '"' | '`' | '\\' | '(' | ')' | '{' | '}' | '|');
        if fate == Fate::Keep && !ends && !c.is_whitespace() {
            safe.push(c);
        } else {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(safe, "%{byte:02X}");
            }
        }
    }
    safe
}

/// Returns whether an address may become a link: a path, or `http`, `https`. Not `javascript:` or
/// `data:`.
pub fn is_link(url: &str) -> bool {
    let start = url.split(['/', '?', '#']).next().unwrap_or_default();
    match start.split_once(':') {
        None => true,
        Some((scheme, _)) => {
            scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
        }
    }
}

/// Returns a table cell that a spreadsheet does not interpret as a formula.
pub fn cell(text: &str) -> Cow<'_, str> {
    let safe = lines(text);
    if safe.starts_with(['=', '+', '-', '@', '\t', '\n']) {
        Cow::Owned(format!("'{safe}"))
    } else {
        safe
    }
}

/// Maximum number of characters of a file that an error repeats.
const MAX_EXCERPT: usize = 160;

/// Returns the beginning of a text on one line, for errors: a name in a file may be as long as the
/// file.
pub fn excerpt(text: &str) -> String {
    let start: String = text.chars().take(MAX_EXCERPT).collect();
    let mut shown = start.split_whitespace().collect::<Vec<_>>().join(" ");
    if start.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Maximum number of bytes of a message of an error.
const MAX_MESSAGE: usize = 2_500;

/// Number of bytes that are kept at the end of a message if its middle is left out.
const MESSAGE_END: usize = 500;

/// Returns the message of an error without its middle if it is too long: messages repeat values,
/// and a value may be as long as a file.
pub fn message(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_MESSAGE {
        return Cow::Borrowed(text);
    }
    let start = &text[..text.floor_char_boundary(MAX_MESSAGE - MESSAGE_END)];
    let end = &text[text.ceil_char_boundary(text.len() - MESSAGE_END)..];
    Cow::Owned(format!("{start} … {end}"))
}

/// Returns each character and whether it is kept, escaped or left out. This can depend on its
/// neighbours.
fn with_fates(text: &str) -> impl Iterator<Item = (char, Fate)> {
    let mut chars = text.chars().peekable();
    let mut before = None;
    std::iter::from_fn(move || {
        let c = chars.next()?;
        let fate = fate(c, before, chars.peek().copied());
        before = Some(c);
        Some((c, fate))
    })
}

fn fate(c: char, before: Option<char>, after: Option<char>) -> Fate {
    match c {
        ' '..='~' => Fate::Keep,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Fate::Space,
        c if c.is_control() => Fate::Show,
        // Soft hyphen, Arabic letter mark, left-to-right and right-to-left mark, byte order mark.
        '\u{ad}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{feff}' => Fate::Drop,
        '\u{200c}' | '\u{200d}' if joins(c, before, after) => Fate::Keep,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' if is_base(before) => Fate::Keep,
        '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e000}'..='\u{f8ff}'
        | '\u{e0000}'..='\u{e0fff}'
        | '\u{f0000}'..='\u{10ffff}' => Fate::Show,
        c if u32::from(c) & 0xfffe == 0xfffe || matches!(c, '\u{fdd0}'..='\u{fdef}') => Fate::Show,
        _ => Fate::Keep,
    }
}

/// Returns whether a joiner or non-joiner changes how its neighbours look: between letters of a
/// script that joins, or, for the joiner, between the parts of an emoji.
fn joins(c: char, before: Option<char>, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    let joining = |c| {
        matches!(c,
            '\u{620}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17b3}' | '\u{17b6}'..='\u{17ff}' | '\u{1820}'..='\u{18aa}'
            | '\u{fb50}'..='\u{fdcf}' | '\u{fe70}'..='\u{fefc}')
    };
    let emoji = |c| matches!(c, '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}');
    joining(before) && joining(after) || c == '\u{200d}' && emoji(before) && emoji(after)
}

/// Returns whether a variation selector may follow: a visible character that is not one itself.
fn is_base(before: Option<char>) -> bool {
    before.is_some_and(|before| {
        !before.is_whitespace()
            && !matches!(before, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
            && (before.is_ascii_digit()
                || matches!(before, '#' | '*')
                || u32::from(before) >= 0xa9 && fate(before, None, None) == Fate::Keep)
    })
}

/// Returns whether a text is harmless, so that [`lines`] would not change it.
pub fn is_safe(text: &str) -> bool {
    with_fates(text).all(|(c, fate)| fate == Fate::Keep || matches!(c, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_controls_or_hides_is_visible_or_gone() {
        for (text, expect) in [
            ("plain", "plain"),
            ("\u{1b}[2J\u{1b}]0;title\u{7}", "<U+001B>[2J<U+001B>]0;title<U+0007>"),
            ("\u{9b}31m\u{7f}\u{0}", "<U+009B>31m<U+007F><U+0000>"),
            ("a\tb\r\nc\u{2028}d\u{85}e", "a b  c d e"),
            ("user\u{202e}gpj.exe", "user<U+202E>gpj.exe"),
            ("\u{2066}a\u{2069}", "<U+2066>a<U+2069>"),
            ("zero\u{200b}width\u{2060}", "zero<U+200B>width<U+2060>"),
            ("soft\u{ad}hyphen\u{feff}", "softhyphen"),
            ("a\u{200d}b", "a<U+200D>b"),
            ("tag\u{e0041}", "tag<U+E0041>"),
            ("filler\u{3164}", "filler<U+3164>"),
            ("private\u{e000}", "private<U+E000>"),
            ("\u{fdd0}\u{1ffff}", "<U+FDD0><U+1FFFF>"),
            ("a\u{fe0f}", "a<U+FE0F>"),
            ("☂\u{fe0f}\u{fe00}\u{fe01}", "☂\u{fe0f}<U+FE00><U+FE01>"),
        ] {
            assert_eq!(line(text), expect);
            assert!(is_safe(&line(text)), "{expect}");
        }
    }

    #[test]
    fn what_writing_needs_stays() {
        for text in [
            "Grüße, 漢字, עברית, العربية",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "👩\u{200d}💻 👨\u{1f3fd}\u{200d}🚀 ❤\u{fe0f} 1\u{fe0f}\u{20e3}",
            "葛\u{e0100}",
            "e\u{301}",
        ] {
            assert_eq!(line(text), text);
            assert!(is_safe(text), "{text}");
        }
        assert_eq!(lines("a\n\tb\rc"), "a\n\tb c");
    }

    #[test]
    fn json_keeps_the_text_and_escapes_it() {
        let text = "\u{1b}[2J \u{202e}x\u{200b} \u{e0041} \u{7f} ü";
        for json in [json(&text).unwrap(), json_pretty(&[text]).unwrap()] {
            assert!(is_safe(&json), "{json}");
            assert!(json.contains("\\u202ex\\u200b \\udb40\\udc41 \\u007f ü"), "{json}");
        }
        assert_eq!(serde_json::from_str::<String>(&json(&text).unwrap()).unwrap(), text);
    }

    #[test]
    fn markdown_has_no_markup_of_the_text() {
        let text = "![x](http://evil/?q) <img src=x> `code` **bold**\u{1b}";
        let safe = markdown(text);
        assert!(!safe.contains(" <img") && !safe.starts_with("!["), "{safe}");
        assert_eq!(markdown("a | b # c"), "a \\| b \\# c");
        assert_eq!(markdown_code("```\nx\n````"), "`````\n```\nx\n````\n`````");
    }

    #[test]
    fn addresses_have_no_way_out() {
        assert_eq!(url("/a b(c)\u{1b}\u{202e}"), "/a%20b%28c%29%1B%E2%80%AE");
        assert_eq!(url("https://x/ü?q=1#a"), "https://x/ü?q=1#a");
        for link in ["https://x/", "HTTP://x", "/a:b", "a/b", "#x", "?a:b"] {
            assert!(is_link(link), "{link}");
        }
        for other in ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc"] {
            assert!(!is_link(other), "{other}");
        }
    }

    #[test]
    fn no_cell_is_a_formula() {
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"] {
            assert!(cell(formula).starts_with('\''), "{formula}");
        }
        assert_eq!(cell("a=b"), "a=b");
    }

    #[test]
    fn a_long_message_keeps_its_start_and_its_end() {
        for (value, is_whole) in [("short".to_owned(), true), ("ä".repeat(1 << 20), false)] {
            let text = format!("expected a number, found `{value}`; see `--help`");
            let message = message(&text);
            assert_eq!(message == text, is_whole);
            assert!(message.len() < 3_000);
            assert!(message.starts_with("expected a number") && message.ends_with("`--help`"));
        }
    }
}
