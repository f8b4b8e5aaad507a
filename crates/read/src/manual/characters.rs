//! Names of characters, `\(em` and `\[u2014]`, from groff_char(7).

/// Characters with names that are not letters with an accent.
const NAMED: &[(&str, &str)] = &[
    ("aq", "'"),
    ("dq", "\""),
    ("lq", "\u{201c}"),
    ("rq", "\u{201d}"),
    ("oq", "\u{2018}"),
    ("cq", "\u{2019}"),
    ("Bq", "\u{201e}"),
    ("bq", "\u{201a}"),
    ("Fo", "\u{ab}"),
    ("Fc", "\u{bb}"),
    ("fo", "\u{2039}"),
    ("fc", "\u{203a}"),
    ("bu", "\u{2022}"),
    ("ci", "\u{25cb}"),
    ("sq", "\u{25a1}"),
    ("em", "\u{2014}"),
    ("en", "\u{2013}"),
    ("hy", "-"),
    ("mi", "-"),
    ("ti", "~"),
    ("ha", "^"),
    ("ga", "`"),
    ("aa", "\u{b4}"),
    ("rs", "\\"),
    ("at", "@"),
    ("sh", "#"),
    ("Do", "$"),
    ("lB", "["),
    ("rB", "]"),
    ("lC", "{"),
    ("rC", "}"),
    ("la", "<"),
    ("ra", ">"),
    ("ba", "|"),
    ("or", "|"),
    ("bv", "|"),
    ("br", "|"),
    ("bb", "|"),
    ("sl", "/"),
    ("ul", "_"),
    ("ru", "_"),
    ("co", "\u{a9}"),
    ("rg", "\u{ae}"),
    ("tm", "\u{2122}"),
    ("de", "\u{b0}"),
    ("mu", "\u{d7}"),
    ("di", "\u{f7}"),
    ("tno", "\u{ac}"),
    ("no", "\u{ac}"),
    ("+-", "\u{b1}"),
    ("pl", "+"),
    ("eq", "="),
    ("<=", "\u{2264}"),
    (">=", "\u{2265}"),
    ("!=", "\u{2260}"),
    ("==", "\u{2261}"),
    ("~=", "\u{2245}"),
    ("~~", "\u{2248}"),
    ("->", "\u{2192}"),
    ("<-", "\u{2190}"),
    ("<>", "\u{2194}"),
    ("ua", "\u{2191}"),
    ("da", "\u{2193}"),
    ("rA", "\u{21d2}"),
    ("lA", "\u{21d0}"),
    ("if", "\u{221e}"),
    ("in", "\u{221e}"),
    ("mo", "\u{2208}"),
    ("sc", "\u{a7}"),
    ("ps", "\u{b6}"),
    ("dg", "\u{2020}"),
    ("dd", "\u{2021}"),
    ("ct", "\u{a2}"),
    ("Po", "\u{a3}"),
    ("Ye", "\u{a5}"),
    ("Eu", "\u{20ac}"),
    ("eu", "\u{20ac}"),
    ("12", "\u{bd}"),
    ("14", "\u{bc}"),
    ("34", "\u{be}"),
    ("S1", "\u{b9}"),
    ("S2", "\u{b2}"),
    ("S3", "\u{b3}"),
    ("mc", "\u{b5}"),
    ("ss", "\u{df}"),
    ("ae", "\u{e6}"),
    ("AE", "\u{c6}"),
    ("oe", "\u{153}"),
    ("OE", "\u{152}"),
    ("o/", "\u{f8}"),
    ("/o", "\u{f8}"),
    ("/O", "\u{d8}"),
    ("oa", "\u{e5}"),
    ("oA", "\u{c5}"),
    ("/l", "\u{142}"),
    ("/L", "\u{141}"),
    ("r!", "\u{a1}"),
    ("r?", "\u{bf}"),
    ("OK", "\u{2713}"),
    ("*a", "\u{3b1}"),
    ("*b", "\u{3b2}"),
    ("*m", "\u{3bc}"),
    ("*p", "\u{3c0}"),
];

/// Accents in front of a letter, as combining characters.
const ACCENTS: &[(char, char)] = &[
    ('\'', '\u{301}'),
    ('`', '\u{300}'),
    ('^', '\u{302}'),
    ('~', '\u{303}'),
    (':', '\u{308}'),
    (',', '\u{327}'),
    ('v', '\u{30c}'),
    ('"', '\u{30b}'),
];

/// Returns the text of a named character; nothing if the name is unknown.
pub(super) fn named(name: &str) -> String {
    if let Some((_, text)) = NAMED.iter().find(|(known, _)| *known == name) {
        return (*text).to_owned();
    }
    if let Some(hex) = name.strip_prefix('u') {
        // `u0065_0301` is a letter with an accent.
        let parts: Option<String> = hex
            .split('_')
            .map(|part| u32::from_str_radix(part, 16).ok().and_then(char::from_u32))
            .collect();
        if let Some(text) = parts.filter(|_| hex.len() >= 4) {
            return text;
        }
    }
    let mut chars = name.chars();
    if let (Some(accent), Some(letter), None) = (chars.next(), chars.next(), chars.next())
        && let Some((_, mark)) = ACCENTS.iter().find(|(known, _)| *known == accent)
    {
        let composed = unicode_normalization::char::compose(letter, *mark);
        return composed.unwrap_or(letter).to_string();
    }
    String::new()
}
