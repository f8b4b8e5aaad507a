//! The decoder from bytes to text. It uses byte order marks, declared character sets and fallbacks.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Number of bytes at the start of an HTML file in which a declared character set counts even if
/// the bytes are UTF-8, as in browsers.
const PRESCAN_BYTES: usize = 1024;

/// Number of bytes by which UTF-16 without a byte order mark is recognised.
const UTF_16_SAMPLE: usize = 4096;

/// Decoded text, with a warning if it may be wrong.
pub(super) struct Decoded<'a> {
    pub text: Cow<'a, str>,
    /// The reason why the text may differ from what its author wrote.
    pub warning: Option<String>,
}

/// Decodes HTML. The first of these that is present decides: a byte order mark; the server's
/// `charset`; a declaration near the beginning; UTF-8, if the bytes are valid UTF-8; a declaration
/// anywhere; windows-1252.
pub(super) fn html<'a>(bytes: &'a [u8], charset: Option<&str>) -> Decoded<'a> {
    if Encoding::for_bom(bytes).is_some() {
        return with(bytes, UTF_8);
    }
    let sent = charset.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let near = || declared(&bytes[..bytes.len().min(PRESCAN_BYTES)]);
    let anywhere = || std::str::from_utf8(bytes).is_err().then(|| declared(bytes)).flatten();
    match sent.or_else(near).or_else(anywhere) {
        Some(encoding) => with(bytes, encoding),
        None => guess(bytes),
    }
}

/// Decodes plain text such as Markdown. The first of these that is present decides: a byte order
/// mark; the server's `charset`; UTF-8, if the bytes are valid UTF-8; windows-1252.
pub(super) fn plain<'a>(bytes: &'a [u8], charset: Option<&str>) -> Decoded<'a> {
    if Encoding::for_bom(bytes).is_some() {
        return with(bytes, UTF_8);
    }
    match charset.and_then(|label| Encoding::for_label(label.trim().as_bytes())) {
        Some(encoding) => with(bytes, encoding),
        None => guess(bytes),
    }
}

fn with<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> Decoded<'a> {
    let (text, used, bad) = encoding.decode(bytes);
    let warning = bad.then(|| {
        format!(
            "some bytes are not {}, the declared character set; they were replaced. Save the file \
             as UTF-8",
            used.name()
        )
    });
    Decoded { text, warning }
}

fn guess(bytes: &[u8]) -> Decoded<'_> {
    if let Some(encoding) = utf_16(bytes) {
        return with(bytes, encoding);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Decoded { text: Cow::Borrowed(text), warning: None },
        Err(error) => Decoded {
            text: WINDOWS_1252.decode_without_bom_handling(bytes).0,
            warning: Some(format!(
                "is not UTF-8 (byte {}) and declares no character set; it was read as \
                 windows-1252. Save it as UTF-8",
                error.valid_up_to()
            )),
        },
    }
}

/// Smallest number of bytes per NUL byte in text. A file with more NUL bytes is not text.
const MIN_TEXT_PER_NUL: usize = 20;

/// Returns a text with spaces in place of NUL bytes; `None` if it has so many NUL bytes that it is
/// not text.
pub(super) fn without_nuls(text: &str) -> Option<String> {
    let nuls = text.bytes().filter(|byte| *byte == 0).count();
    (nuls * MIN_TEXT_PER_NUL <= text.len()).then(|| text.replace('\0', " "))
}

/// Recognises UTF-16 without a byte order mark: in markup and in the text of most European
/// languages, every second byte is zero, and nearly always on the same side. Other encodings have
/// no zeros.
fn utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(UTF_16_SAMPLE) / 2 * 2];
    let zeros =
        |side: usize| sample.iter().skip(side).step_by(2).filter(|byte| **byte == 0).count();
    let (first, second, units) = (zeros(0), zeros(1), sample.len() / 2);
    // At least a third of the units must be ASCII, and zeros on the other side must be exceptions.
    let is_side = |zeros: usize, others: usize| zeros * 3 >= units.max(1) && others * 20 <= units;
    if !bytes.len().is_multiple_of(2) {
        return None;
    }
    if is_side(second, first) {
        Some(UTF_16LE)
    } else if is_side(first, second) {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Returns the character set that an XML declaration or a `<meta>` declares. Comments, scripts and
/// styles are skipped.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let text = bytes.trim_ascii_start();
    if let Some(declaration) = text.strip_prefix(b"<?xml") {
        let end = find(declaration, b"?>").unwrap_or(declaration.len());
        let value = attribute(&declaration[..end], b"encoding");
        if let Some(encoding) = value.as_deref().and_then(for_label) {
            return Some(encoding);
        }
    }
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|byte| *byte == b'<') {
        at += found + 1;
        let rest = &bytes[at..];
        if rest.starts_with(b"!--") {
            at += 3 + find(&rest[3..], b"-->")?;
            continue;
        }
        // Text that is not markup, up to its end tag.
        for (name, end) in [
            (&b"script"[..], &b"</script"[..]),
            (b"style", b"</style"),
            (b"title", b"</title"),
            (b"textarea", b"</textarea"),
        ] {
            if begins_tag(rest, name) {
                at += find(rest, end)?;
            }
        }
        if begins_tag(rest, b"meta") {
            let end = tag_end(rest);
            if let Some(encoding) = of_meta(&rest[4..end]) {
                return Some(encoding);
            }
            at += end;
        }
    }
    None
}

/// Returns the character set of `<meta charset>` or `<meta http-equiv="Content-Type">`.
fn of_meta(tag: &[u8]) -> Option<&'static Encoding> {
    if let Some(encoding) = attribute(tag, b"charset").as_deref().and_then(for_label) {
        return Some(encoding);
    }
    let kind = attribute(tag, b"http-equiv")?;
    if !kind.trim().eq_ignore_ascii_case("content-type") {
        return None;
    }
    let content = attribute(tag, b"content")?.to_ascii_lowercase();
    let value = &content[content.find("charset")? + "charset".len()..];
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let value = value.trim_start_matches(['"', '\'']);
    for_label(value.split([';', ' ', '"', '\'']).next().unwrap_or_default())
}

fn for_label(label: &str) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label.trim().as_bytes())?;
    // A declaration that was read as ASCII cannot be in UTF-16. Browsers then use UTF-8.
    Some(if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
}

fn begins_tag(text: &[u8], name: &[u8]) -> bool {
    text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        && text
            .get(name.len())
            .is_some_and(|byte| byte.is_ascii_whitespace() || b">/".contains(byte))
}

/// Returns the end of a tag; `>` inside quotes does not end it.
fn tag_end(tag: &[u8]) -> usize {
    let mut quote = None;
    for (at, byte) in tag.iter().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at,
            (None, b'"' | b'\'') => quote = Some(*byte),
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
    }
    tag.len()
}

/// Returns the value of an attribute of a tag, with or without quotes.
fn attribute(tag: &[u8], name: &[u8]) -> Option<String> {
    let mut at = 0;
    while let Some(found) = find(&tag[at..], name) {
        let start = at + found;
        at = start + name.len();
        let is_name =
            start == 0 || tag[start - 1].is_ascii_whitespace() || b"\"'/".contains(&tag[start - 1]);
        let Some(value) = tag[at..].trim_ascii_start().strip_prefix(b"=").filter(|_| is_name)
        else {
            continue;
        };
        let value = value.trim_ascii_start();
        let value = match value.first() {
            Some(quote @ (b'"' | b'\'')) => value[1..].split(|byte| byte == quote).next(),
            _ => value.split(|byte| byte.is_ascii_whitespace() || *byte == b'>').next(),
        };
        return value.map(|value| String::from_utf8_lossy(value).into_owned());
    }
    None
}

/// Returns the first occurrence of `needle`, which is in lower case; the case of the text is
/// ignored.
fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    text.windows(needle.len()).position(|window| window.eq_ignore_ascii_case(needle))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], text: &str, warns: bool) {
        let decoded = html(bytes, None);
        assert!(decoded.text.contains(text), "{:?} lacks {text:?}", decoded.text);
        assert_eq!(decoded.warning.is_some(), warns, "{:?}", decoded.warning);
    }

    #[test]
    fn character_sets() {
        check("<p>é".as_bytes(), "é", false);
        check(b"<meta charset=\"iso-8859-1\"><p>\xe9", "é", false);
        check(
            b"<meta http-equiv=Content-Type content='text/html; charset=shift_jis'><p>\x93\xfa",
            "日",
            false,
        );
        check(b"<?xml version=\"1.0\" encoding=\"ISO-8859-15\"?><p>\xa4", "€", false);
        check(b"\xff\xfe<\0p\0>\0a\0", "<p>a", false);
        check(b"<meta charset=utf-16><p>plain", "plain", false);
        check(b"<p>\xe9", "é", true);
        check(b"<meta charset=utf-8><p>\xe9!", "\u{fffd}!", true);
    }

    #[test]
    fn utf_16_is_recognised_without_a_byte_order_mark() {
        let text = "<p>Gr\u{fc}n \u{2013} \u{432}\u{43e}\u{434}\u{430}</p>";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        check(&little, text, false);
        check(&big, text, false);
        assert_eq!(plain(&little, None).text, text);
        // A single zero is not a sign of UTF-16.
        check(b"<p>a\0b</p>", "a\0b", false);
        assert!(utf_16(b"").is_none() && utf_16(b"ab").is_none());
    }

    #[test]
    fn a_declaration_counts_behind_anything_of_any_length() {
        let long = "x".repeat(2000);
        for front in [
            format!("<!-- {long} -->"),
            format!("<script>if (a < b) {{ '{long}' }}</script>"),
            format!("<STYLE>{long}</STYLE>"),
            format!("<meta name=description content='{long}'>"),
            format!("<link rel=preload href='{long}'>"),
            // These are not declarations.
            format!("<!-- <meta charset=koi8-r> --><!-- {long} -->"),
            format!("<script>'<meta charset=koi8-r>'; '{long}'</script>"),
            format!("<meta name=x content='charset=koi8-r'><!-- {long} -->"),
        ] {
            for declaration in [
                "<meta charset=iso-8859-2>",
                "<META CharSet = 'ISO-8859-2' />",
                "<meta content='text/html; charset=iso-8859-2' http-equiv='Content-Type'>",
            ] {
                let mut bytes = format!("<head>{front}{declaration}</head><p>").into_bytes();
                bytes.extend(b"\xb3\xf3d\xbc");
                check(&bytes, "łódź", false);
            }
        }
    }

    #[test]
    fn what_is_utf_8_is_read_as_utf_8_whatever_is_declared_late() {
        let late = format!("<!-- {} --><meta charset=iso-8859-2><p>Łódź", "x".repeat(2000));
        check(late.as_bytes(), "Łódź", false);
    }

    #[test]
    fn the_server_counts_more_than_the_page() {
        let decoded = html(b"<meta charset=koi8-r><p>\xb3\xf3d\xbc", Some("ISO-8859-2"));
        assert!(decoded.text.ends_with("łódź"), "{}", decoded.text);
    }
}
