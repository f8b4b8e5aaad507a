//! Percent-encoding in addresses. The engine has this function within its own addresses; sharing it
//! would change what browsers load.

/// Decodes `%20` and the like. Returns the text as it is if the result is not UTF-8.
pub fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digit = |i: usize| bytes.get(at + i).and_then(|&byte| char::from(byte).to_digit(16));
        match (byte, digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::percent_decoded;

    #[test]
    fn what_is_no_code_or_no_text_stays() {
        for (text, expect) in [
            ("a%20b", "a b"),
            ("%C3%BC", "ü"),
            ("50%25", "50%"),
            ("%", "%"),
            ("%zz", "%zz"),
            ("%+5", "%+5"),
            ("%ff", "%ff"),
        ] {
            assert_eq!(percent_decoded(text), expect);
        }
    }
}
