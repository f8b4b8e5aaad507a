//! TeX in a line of text: commands, accents, symbols, formulas, units.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::vec::IntoIter;

use pulldown_latex::event::{Content, Event, ScriptType, Visual};
use pulldown_latex::{Parser, Storage};

use super::tex_tables::{NO_TEXT, SWITCHES, UNITS, accent, letter};

/// Longest formula that is parsed, in bytes.
const MAX_FORMULA: usize = 2048;

/// Deepest nesting of arguments and groups.
const MAX_DEPTH: usize = 40;

/// Commands with two arguments of numbers and units.
const WITH_UNITS: [&str; 3] = ["SI", "qty", "SIrange"];

/// Returns whether a text has commands or formulas of TeX.
pub(super) fn has_commands(text: &str) -> bool {
    let is_command = |(at, _): (usize, &str)| {
        text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || "'\"`^~%&_$({".contains(c))
    };
    text.match_indices('\\').any(is_command)
        || text.match_indices('$').any(|(at, _)| formula(&text[at..]).is_some())
}

/// Returns a text of TeX as plain text.
pub(super) fn plain(text: &str) -> String {
    if !text.contains(['\\', '$', '{', '}', '~', '`', '\'']) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    text_of(text, 0, &mut out);
    out
}

fn text_of(text: &str, depth: usize, out: &mut String) {
    if depth > MAX_DEPTH {
        out.push_str(text);
        return;
    }
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '\\' => command(after, depth, out),
            '$' => match formula(rest) {
                Some((tex, after)) => {
                    out.push_str(&math(tex));
                    after
                }
                None => {
                    out.push('$');
                    after
                }
            },
            '{' | '}' => after,
            '~' => {
                out.push(' ');
                after
            }
            '`' if after.starts_with('`') => {
                out.push('“');
                &after[1..]
            }
            '\'' if after.starts_with('\'') => {
                out.push('”');
                &after[1..]
            }
            other => {
                out.push(other);
                after
            }
        };
    }
}

/// Returns the formula at the beginning of a text, and the text after it. As in Markdown, a dollar
/// sign beside a space or before a digit is a price.
fn formula(text: &str) -> Option<(&str, &str)> {
    let is_display = text.starts_with("$$");
    let mark = if is_display { "$$" } else { "$" };
    let inner = text.strip_prefix(mark)?;
    let ends = inner.match_indices(mark).map(|(at, _)| at);
    let end = ends.into_iter().find(|&at| !inner[..at].ends_with('\\'))?;
    let (tex, after) = (&inner[..end], &inner[end + mark.len()..]);
    let is_price = tex.is_empty()
        || tex.starts_with(char::is_whitespace)
        || tex.ends_with(char::is_whitespace)
        || after.starts_with(|c: char| c.is_ascii_digit());
    let is_marked = tex.contains(['\\', '^', '_', '=', '<', '>']);
    (is_display || !is_price || is_marked).then_some((tex, after))
}

/// Writes the text of a command whose name is at the beginning of `text`. Returns the text after
/// it.
fn command<'t>(text: &'t str, depth: usize, out: &mut String) -> &'t str {
    let Some(first) = text.chars().next() else { return text };
    if !first.is_ascii_alphabetic() {
        return sign(text, first, depth, out);
    }
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let name = &text[..end];
    let mut rest = text[end..].strip_prefix('*').unwrap_or(&text[end..]);
    while let Some(after) = rest.strip_prefix('[').filter(|_| rest[1..].contains(']')) {
        rest = &after[after.find(']').map_or(0, |at| at + 1)..];
    }
    if NO_TEXT.contains(&name) {
        while let Some((_, after)) = argument(rest) {
            rest = after;
        }
        // The space before the mark of a source is dropped before the end of its sentence.
        if rest.starts_with(['.', ',', ';']) {
            out.truncate(out.trim_end_matches(' ').len());
        }
        return rest;
    }
    if let Some(mark) = accent(name) {
        let (base, after) = argument(rest.trim_start()).unwrap_or_else(|| one_letter(rest));
        combine(base, mark, depth, out);
        return after;
    }
    let Some((first, after)) = argument(rest) else {
        // Spaces after a name end it, and are not text.
        let after = rest.trim_start_matches(' ');
        match symbol(name) {
            Some(symbol) => {
                out.push_str(&symbol);
                if after.len() < rest.len() && symbol.chars().all(|c| !c.is_alphanumeric()) {
                    out.push(' ');
                }
            }
            None if SWITCHES.contains(&name) => {}
            None => out.push_str(name),
        }
        return after;
    };
    if WITH_UNITS.contains(&name) {
        let (unit, after) = argument(after).unwrap_or_else(|| bare_units(after));
        out.push_str(first);
        let unit = units(unit);
        if !unit.is_empty() {
            out.push(' ');
            out.push_str(&unit);
        }
        return after;
    }
    match name {
        "si" | "unit" => out.push_str(&units(first)),
        "ensuremath" | "mathrm" | "mathbf" | "mathcal" | "mathbb" => out.push_str(&math(first)),
        "frac" | "sqrt" => {
            let (second, after) = argument(after).unwrap_or(("", after));
            let both = format!("\\{name}{{{first}}}{{{second}}}");
            out.push_str(&math(both.trim_end_matches("{}")));
            return after;
        }
        "href" => {
            if let Some((shown, after)) = argument(after) {
                text_of(shown, depth + 1, out);
                return after;
            }
        }
        _ => {
            if let Some(symbol) = symbol(name).filter(|_| first.is_empty()) {
                out.push_str(&symbol);
            }
            text_of(first, depth + 1, out);
        }
    }
    after
}

/// Writes the text of a command whose name is a punctuation mark. Returns the text after it.
fn sign<'t>(text: &'t str, first: char, depth: usize, out: &mut String) -> &'t str {
    let rest = &text[first.len_utf8()..];
    for (open, close) in [('(', "\\)"), ('[', "\\]")] {
        if first == open
            && let Some(end) = rest.find(close)
        {
            out.push_str(&math(&rest[..end]));
            return &rest[end + close.len()..];
        }
    }
    if let Some(mark) = accent(first.encode_utf8(&mut [0; 4])) {
        let (base, after) = argument(rest.trim_start()).unwrap_or_else(|| one_letter(rest));
        combine(base, mark, depth, out);
        return after;
    }
    match first {
        ',' | ';' | ':' | ' ' | '\\' | '\n' => out.push(' '),
        '!' | '/' | '-' | '@' => {}
        other => out.push(other),
    }
    rest
}

/// Returns the argument in braces at the beginning of a text, and the text after it.
fn argument(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('{')?;
    let mut depth = 0_usize;
    let mut is_escaped = false;
    for (at, c) in inner.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '{' => depth += 1,
            '}' if depth == 0 => return Some((&inner[..at], &inner[at + 1..])),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn one_letter(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    // `\'\i`
    let name = text
        .strip_prefix('\\')
        .map_or(0, |rest| 1 + rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len()));
    let end = name.max(text.chars().next().map_or(0, char::len_utf8));
    text.split_at(end)
}

fn combine(base: &str, mark: char, depth: usize, out: &mut String) {
    let mut letter = String::new();
    text_of(base, depth + 1, &mut letter);
    let mut letters = letter.chars();
    match letters.next() {
        // The dot is removed if an accent follows.
        Some('ı') => out.push('i'),
        Some('ȷ') => out.push('j'),
        Some(first) => out.push(first),
        None => return,
    }
    out.push(mark);
    out.push_str(letters.as_str());
}

/// Returns the text of a command without arguments, in text or in formulas.
fn symbol(name: &str) -> Option<String> {
    let letter = letter(name);
    if !letter.is_empty() {
        return Some(letter.to_owned());
    }
    let of = |name: &str| formula_text(&format!("\\{name}")).filter(|text| !text.is_empty());
    of(name).or_else(|| of(name.strip_prefix("text")?)).map(|text| text.trim().to_owned())
}

/// Returns a formula as text; as it is written, without its marks, if it cannot be read.
fn math(tex: &str) -> String {
    formula_text(tex)
        .unwrap_or_else(|| tex.chars().filter(|c| !matches!(c, '\\' | '{' | '}' | '$')).collect())
}

fn formula_text(tex: &str) -> Option<String> {
    let depth = tex.bytes().filter(|byte| *byte == b'{').count();
    if tex.len() > MAX_FORMULA || depth > 4 * MAX_DEPTH || tex.contains("\\def") {
        return None;
    }
    // This is an external parser: if it panics, only the formula is lost, not the file.
    let read = catch_unwind(AssertUnwindSafe(|| {
        let storage = Storage::new();
        let events: Result<Vec<Event<'_>>, _> = Parser::new(tex, &storage).collect();
        let events = events.ok()?;
        let mut out = String::new();
        let mut events = events.into_iter();
        while element(&mut events, 0, &mut out) {}
        Some(out.split_whitespace().collect::<Vec<_>>().join(" "))
    }));
    read.ok().flatten()
}

/// Writes the next element of a formula; returns `false` at the end of a group or of the formula.
fn element(events: &mut IntoIter<Event<'_>>, depth: usize, out: &mut String) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    let Some(event) = events.next() else { return false };
    match event {
        Event::Content(content) => self::content(&content, out),
        Event::Begin(_) => while element(events, depth + 1, out) {},
        Event::End => return false,
        Event::Visual(Visual::SquareRoot) => {
            out.push('√');
            out.push_str(&in_brackets(&part(events, depth)));
        }
        Event::Visual(Visual::Root) => {
            let (base, index) = (part(events, depth), part(events, depth));
            out.push_str(&format!("{index}√{}", in_brackets(&base)));
        }
        Event::Visual(Visual::Fraction(_)) => {
            let (above, below) = (part(events, depth), part(events, depth));
            out.push_str(&format!("{}/{}", in_brackets(&above), in_brackets(&below)));
        }
        Event::Visual(Visual::Negation) => {
            out.push_str(&part(events, depth));
            out.push('\u{338}');
        }
        Event::Script { ty, .. } => {
            out.push_str(&part(events, depth));
            if matches!(ty, ScriptType::Subscript | ScriptType::SubSuperscript) {
                out.push_str(&script('_', &part(events, depth)));
            }
            if matches!(ty, ScriptType::Superscript | ScriptType::SubSuperscript) {
                out.push_str(&script('^', &part(events, depth)));
            }
        }
        Event::Space { .. } | Event::EnvironmentFlow(_) => out.push(' '),
        Event::StateChange(_) => {}
    }
    true
}

/// Returns the next element that has text, after changes of the font.
fn part(events: &mut IntoIter<Event<'_>>, depth: usize) -> String {
    while matches!(events.as_slice().first(), Some(Event::StateChange(_))) {
        events.next();
    }
    let mut part = String::new();
    element(events, depth + 1, &mut part);
    part.trim().to_owned()
}

fn content(content: &Content<'_>, out: &mut String) {
    match content {
        Content::Text(text) | Content::Number(text) => out.push_str(text),
        Content::Function(name) => {
            if out.ends_with(char::is_alphanumeric) {
                out.push(' ');
            }
            out.push_str(name);
            out.push(' ');
        }
        Content::Ordinary { content, .. } | Content::Delimiter { content, .. } => {
            out.push(*content);
        }
        Content::LargeOp { content, .. } => out.push(*content),
        Content::BinaryOp { content, .. } => spaced(&content.to_string(), out),
        Content::Relation { content, .. } => {
            let mut bytes = [0; 8];
            let bytes = content.encode_utf8_to_buf(&mut bytes);
            spaced(&String::from_utf8_lossy(bytes), out);
        }
        Content::Punctuation(c) => {
            out.push(*c);
            out.push(' ');
        }
    }
}

fn spaced(sign: &str, out: &mut String) {
    out.push(' ');
    out.push_str(sign);
    out.push(' ');
}

fn in_brackets(text: &str) -> String {
    if text.chars().count() > 1 && text.contains(' ') {
        format!("({text})")
    } else {
        text.to_owned()
    }
}

/// Returns a text above or below the line: by the signs that Unicode has for digits, or marked.
fn script(mark: char, text: &str) -> String {
    let signs: &[(char, char, char)] = &[
        ('0', '⁰', '₀'),
        ('1', '¹', '₁'),
        ('2', '²', '₂'),
        ('3', '³', '₃'),
        ('4', '⁴', '₄'),
        ('5', '⁵', '₅'),
        ('6', '⁶', '₆'),
        ('7', '⁷', '₇'),
        ('8', '⁸', '₈'),
        ('9', '⁹', '₉'),
        ('+', '⁺', '₊'),
        ('-', '⁻', '₋'),
        ('−', '⁻', '₋'),
    ];
    let of = |c: char| {
        let (_, above, below) = signs.iter().find(|(plain, ..)| *plain == c)?;
        Some(if mark == '^' { *above } else { *below })
    };
    let text = text.trim();
    // `1.5^\circ` is an angle or a temperature.
    if mark == '^' && text == "∘" {
        return "°".to_owned();
    }
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let small: Option<String> = compact.chars().map(of).collect();
    match small {
        Some(small) => small,
        None if text.chars().count() == 1 => format!("{mark}{text}"),
        None => format!("{mark}({text})"),
    }
}

/// Returns the units that a text begins with, after the braces around them were removed.
fn bare_units(text: &str) -> (&str, &str) {
    let mut rest = text;
    while let Some(name) = rest.strip_prefix('\\') {
        let end = name.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(name.len());
        let is_unit = UNITS.iter().any(|(known, _)| *known == &name[..end])
            || matches!(&name[..end], "per" | "squared" | "square" | "cubed" | "cubic");
        if !is_unit {
            break;
        }
        rest = name[end..].trim_start_matches(' ');
    }
    text.split_at(text.len() - rest.len())
}

/// Returns units of siunitx: `\micro\meter` is µm.
fn units(text: &str) -> String {
    let mut out = String::new();
    for part in text.split('\\').map(|part| part.trim_matches(['{', '}', ' ', '~'])) {
        match part {
            "per" => out.push('/'),
            "squared" | "square" => out.push('²'),
            "cubed" | "cubic" => out.push('³'),
            other => {
                let known = UNITS.iter().find(|(name, _)| *name == other);
                out.push_str(known.map_or(other, |(_, sign)| sign));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands_and_formulas_become_text() {
        for (tex, expect) in [
            ("Scaling of $\\alpha$-stable noise", "Scaling of α-stable noise"),
            ("3 \\texttimes 3 matrices", "3 × 3 matrices"),
            ("3 {\\texttimes} 3 matrices", "3 × 3 matrices"),
            ("\\emph{rare} events [Phys. Rev. A\\textbf{63}]", "rare events [Phys. Rev. A63]"),
            ("We show $p<0.01$ and \\SI{5}{\\micro\\meter}.", "We show p < 0.01 and 5 µm."),
            ("Let $x_{i}^{2} \\to \\infty$.", "Let x_i² → ∞."),
            ("10\\,\\% more \\cite{foo2019}.", "10 % more."),
            ("at 1.5\\,$^\\circ$C", "at 1.5 °C"),
            ("\\SI{5}\\micro \\meter . And", "5 µm. And"),
            ("M\\\"uller and Sm\\'{\\i}\u{74}h", "Mu\u{308}ller and Smi\u{301}th"),
            ("``quoted'' {\\em text}", "“quoted” text"),
            ("$\\frac{a}{b}$ and $\\sqrt{2}$", "a/b and √2"),
            ("CO$_2$ and H$_{2}$O", "CO₂ and H₂O"),
            ("\\(O(n \\log n)\\) time", "O(n log n) time"),
            ("costs $5 and $10", "costs $5 and $10"),
            ("$\\mathbb{R}^n$", "R^n"),
            ("a \\& b_c", "a & b_c"),
            ("\\unknown{kept} \\what", "kept what"),
            ("$broken", "$broken"),
            ("\\", ""),
        ] {
            assert_eq!(plain(tex), expect, "{tex}");
        }
        assert!(!has_commands("costs $5 and $10, {a, b}"));
        assert!(has_commands("$x$ rays") && has_commands("\\emph{x}"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn no_text_makes_it_fail(text in "[a-z\\\\{}$^_~'\"&<> \\[\\]()0-9]{0,60}") {
            let _ = (plain(&text), has_commands(&text));
        }

        #[test]
        fn no_commands_make_it_fail(
            parts in proptest::collection::vec(
                prop::sample::select(vec![
                    "\\frac", "\\sqrt", "{", "}", "\\SI", "\\left", "\\right", "\\begin{matrix}",
                    "\\end{matrix}", "$", "^", "_", "&", "\\\\", "\\cite", "x", "\\not", "\\text",
                    "\\'", "\\i", " ", "\\(", "\\)", "[", "]", "é",
                ]),
                0..30,
            ),
        ) {
            let _ = plain(&parts.concat());
        }
    }
}
