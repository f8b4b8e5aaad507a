//! The count of attributes before HTML is parsed: the parser compares each attribute of an element
//! with all attributes before it, so 500,000 of them take minutes.

/// Maximum number of comparisons that the parser may make, about a quarter of a second of work. An
/// element with 30,000 attributes makes as many.
const MAX_COMPARISONS: u64 = 450_000_000;

/// Returns whether elements have so many attributes that the parser would take long. Text in
/// scripts and comments counts too, because the parser may read it as markup.
pub(super) fn has_too_many(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut comparisons = 0_u64;
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|&b| b == b'<')) {
        at += found + 1;
        let is_end = bytes.get(at) == Some(&b'/');
        let name = at + usize::from(is_end);
        if !bytes.get(name).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let (n_attributes, end) = attributes(bytes, name);
        at = end;
        comparisons += n_attributes * n_attributes / 2;
        if comparisons > MAX_COMPARISONS {
            return true;
        }
    }
    false
}

/// Returns the number of attributes of the tag whose name begins at a place, and where the tag
/// ends.
fn attributes(bytes: &[u8], name: usize) -> (u64, usize) {
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'/';
    let ends = |byte: &u8| is_between(byte) || *byte == b'>';
    let skip = |at: usize, until: &dyn Fn(&u8) -> bool| {
        let rest = bytes.get(at..).unwrap_or_default();
        at + rest.iter().position(until).unwrap_or(rest.len())
    };
    let mut at = skip(name, &ends);
    let mut n_attributes = 0;
    loop {
        at = skip(at, &|byte| !is_between(byte));
        match bytes.get(at) {
            None => return (n_attributes, bytes.len()),
            Some(b'>') => return (n_attributes, at + 1),
            Some(_) => {}
        }
        n_attributes += 1;
        // The first character always belongs to the name.
        at = skip(at + 1, &|byte| ends(byte) || *byte == b'=');
        let equals = skip(at, &|byte| !byte.is_ascii_whitespace());
        if bytes.get(equals) != Some(&b'=') {
            continue;
        }
        at = skip(equals + 1, &|byte| !byte.is_ascii_whitespace());
        at = match bytes.get(at) {
            Some(mark @ (b'"' | b'\'')) => {
                (skip(at + 1, &|byte| byte == mark) + 1).min(bytes.len())
            }
            _ => skip(at, &|byte| byte.is_ascii_whitespace() || *byte == b'>'),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_counted_as_a_parser_reads_them() {
        for (tag, expect) in [
            ("a>", 0),
            ("a b>", 1),
            ("a b=c d = 'e f > g' h>x y", 3),
            ("a/b/c/>", 2),
            ("a b=\"\"c d>", 3),
            ("a b=c", 1),
            ("a b=\"x", 1),
            ("a b='x' >", 1),
        ] {
            assert_eq!(attributes(tag.as_bytes(), 0).0, expect, "{tag}");
        }
    }

    #[test]
    fn only_pages_that_take_long_are_refused() {
        let with = |n: usize| {
            let names: Vec<String> = (0..n).map(|i| format!("a{i}=\"1\"")).collect();
            format!("<p {}>text</p>", names.join(" "))
        };
        assert!(!has_too_many(&with(1_000)));
        assert!(has_too_many(&with(40_000)));
        assert!(has_too_many(&with(100_000).replace(">text</p>", "")), "a tag without an end");
        assert!(has_too_many(&with(10_000).repeat(20)), "many elements");
        assert!(has_too_many(&format!("</p{}", &with(100_000)[2..])), "an end tag");
        assert!(has_too_many(&with(100_000).replace("=\"1\"", "")), "names alone");
        assert!(!has_too_many(&format!("<p title=\"{}\">x</p>", "word ".repeat(500_000))));
        assert!(!has_too_many(&"<p class='a b c'>x <b>y</b></p>".repeat(10_000)));
        assert!(!has_too_many(&"1 < 2 <3 ".repeat(100_000)));
    }
}
