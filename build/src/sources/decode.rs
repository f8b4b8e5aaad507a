//! Bytes to text: byte order marks, declared character sets, and what to do when neither is right.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How many bytes of an HTML file are searched for a declared character set, as browsers do.
const PRESCAN_BYTES: usize = 1024;

/// Decoded text, and what to tell about it.
pub(super) struct Decoded<'a> {
    pub text: Cow<'a, str>,
    /// Why the text may not be what its author wrote.
    pub warning: Option<String>,
}

/// Decodes HTML: byte order mark, else the declared character set, else UTF-8, else windows-1252.
pub(super) fn html(bytes: &[u8]) -> Decoded<'_> {
    if Encoding::for_bom(bytes).is_some() {
        return with(bytes, UTF_8);
    }
    match declared(bytes) {
        Some(encoding) => with(bytes, encoding),
        None => guess(bytes),
    }
}

/// Decodes plain text such as Markdown: byte order mark, else UTF-8, else windows-1252.
pub(super) fn plain(bytes: &[u8]) -> Decoded<'_> {
    if Encoding::for_bom(bytes).is_some() { with(bytes, UTF_8) } else { guess(bytes) }
}

fn with<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> Decoded<'a> {
    let (text, used, bad) = encoding.decode(bytes);
    let warning = bad.then(|| {
        format!(
            "is declared or begins as {} but has bytes that are not; they were replaced. Save it as UTF-8",
            used.name()
        )
    });
    Decoded { text, warning }
}

fn guess(bytes: &[u8]) -> Decoded<'_> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Decoded { text: Cow::Borrowed(text), warning: None },
        Err(error) => Decoded {
            text: WINDOWS_1252.decode_without_bom_handling(bytes).0,
            warning: Some(format!(
                "is not UTF-8 (byte {}) and declares no character set; read as windows-1252. Save it as UTF-8",
                error.valid_up_to()
            )),
        },
    }
}

/// The character set in a `<meta>` or in an XML declaration near the beginning.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head =
        String::from_utf8_lossy(&bytes[..bytes.len().min(PRESCAN_BYTES)]).to_ascii_lowercase();
    let value = match head.find("<?xml").and_then(|at| head[at..].split("?>").next()) {
        Some(declaration) if declaration.contains("encoding=") => after(declaration, "encoding="),
        _ => head
            .split("<meta")
            .skip(1)
            .find_map(|tag| after(tag.split('>').next().unwrap_or(tag), "charset=")),
    }?;
    let encoding = Encoding::for_label(value.as_bytes())?;
    // What can be read as ASCII here is not UTF-16, whatever it says; browsers take such pages as
    // UTF-8.
    Some(if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
}

fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let rest = text[text.find(key)? + key.len()..].trim_start_matches(['"', '\'', ' ']);
    let value = rest
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')))
        .next()?;
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], text: &str, warns: bool) {
        let decoded = html(bytes);
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
}
