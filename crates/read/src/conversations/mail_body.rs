//! The own text and the quotations of a mail: lines with `>`, text after an attribution or a rule,
//! quotations in HTML.

use ego_tree::iter::Edge;
use scraper::{Html, Node};

use super::model::Part;

/// Longest line that announces a quotation, in bytes.
const MAX_ATTRIBUTION: usize = 300;

/// Returns the parts of a mail in plain text. Its signature is left out.
pub(super) fn of_text(body: &str) -> Vec<Part> {
    let body = body.replace("\r\n", "\n");
    let body = body.split("\n-- \n").next().unwrap_or_default();
    let lines: Vec<&str> = body.lines().collect();
    let mut runs: Vec<(bool, String)> = Vec::new();
    let mut rest_is_quoted = false;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let announced = if rest_is_quoted { 0 } else { attribution(&lines[at..]) };
        if announced > 0 {
            // If marks follow, they show how far the quotation reaches.
            let below = lines[at + announced..].iter().find(|line| !line.trim().is_empty());
            rest_is_quoted = below.is_none_or(|line| !line.trim_start().starts_with('>'));
            for line in &lines[at..at + announced] {
                push(&mut runs, true, line);
            }
            at += announced;
            continue;
        }
        rest_is_quoted |= begins_original(&lines[at..]);
        push(&mut runs, rest_is_quoted || line.starts_with('>'), line);
        at += 1;
    }
    parts(runs)
}

/// Returns the parts of a mail in HTML.
pub(super) fn of_html(markup: &str) -> Vec<Part> {
    let html = Html::parse_document(markup);
    let mut runs: Vec<(bool, String)> = Vec::new();
    let mut line = String::new();
    let (mut quoted, mut skipped, mut rest_is_quoted) = (0u32, 0u32, false);
    let mut end = |line: &mut String, is_quoted: bool| {
        let text = std::mem::take(line);
        if !text.trim().is_empty() {
            push(&mut runs, is_quoted, text.trim());
            push(&mut runs, is_quoted, "");
        }
    };
    for edge in html.tree.root().traverse() {
        let (node, opens) = match edge {
            Edge::Open(node) => (node, true),
            Edge::Close(node) => (node, false),
        };
        match node.value() {
            Node::Text(text) if opens && skipped == 0 => {
                line.push_str(text);
            }
            Node::Element(element) => {
                let name = element.name();
                if matches!(name, "style" | "script" | "head" | "title") {
                    skipped = if opens { skipped + 1 } else { skipped.saturating_sub(1) };
                    continue;
                }
                let is_quotation = is_quotation(element);
                let is_block = matches!(
                    name,
                    "p" | "div"
                        | "br"
                        | "li"
                        | "tr"
                        | "table"
                        | "ul"
                        | "ol"
                        | "blockquote"
                        | "pre"
                        | "h1"
                        | "h2"
                        | "h3"
                        | "h4"
                        | "h5"
                        | "h6"
                        | "hr"
                        | "td"
                        | "body"
                );
                if is_block || is_quotation {
                    let is_quoted = quoted > 0 || rest_is_quoted;
                    end(&mut line, is_quoted);
                }
                if is_quotation {
                    quoted = if opens { quoted + 1 } else { quoted.saturating_sub(1) };
                }
                rest_is_quoted |= opens && begins_reply(element);
            }
            _ => {}
        }
    }
    end(&mut line, quoted > 0 || rest_is_quoted);
    // Announcements of a quotation, and rules in words, are found as in plain text.
    let mut parts = Vec::new();
    for (is_quoted, run) in runs {
        if is_quoted {
            parts.push(Part::Quoted(run));
        } else {
            parts.extend(of_text(&run));
        }
    }
    parts
}

/// Returns whether an element holds a quotation of another mail.
fn is_quotation(element: &scraper::node::Element) -> bool {
    let class = element.attr("class").unwrap_or_default();
    (element.name() == "blockquote" && element.attr("type") == Some("cite"))
        || class.split_ascii_whitespace().any(|class| {
            matches!(
                class,
                "gmail_quote"
                    | "gmail_quote_container"
                    | "gmail_attr"
                    | "moz-cite-prefix"
                    | "yahoo_quoted"
                    | "protonmail_quote"
                    | "tutanota_quote"
                    | "zmail_extra"
            )
        })
}

/// Returns whether everything after an element is the quoted mail, as Outlook writes it.
fn begins_reply(element: &scraper::node::Element) -> bool {
    let id = element.attr("id").unwrap_or_default();
    id == "appendonsend"
        || id.contains("divRplyFwdMsg")
        || id == "mail-editor-reference-message-container"
}

fn push(runs: &mut Vec<(bool, String)>, is_quoted: bool, line: &str) {
    match runs.last_mut() {
        Some((quoted, run)) if *quoted == is_quoted => {
            run.push('\n');
            run.push_str(line);
        }
        _ => runs.push((is_quoted, line.to_owned())),
    }
}

fn parts(runs: Vec<(bool, String)>) -> Vec<Part> {
    let part = |(is_quoted, run)| if is_quoted { Part::Quoted(run) } else { Part::Plain(run) };
    runs.into_iter().map(part).collect()
}

/// Counts the lines at the beginning that announce a quotation: `On Monday, Ana wrote:`. Mail
/// programs break such a line into two. Such a line with a date or an address is not written by a
/// person.
fn attribution(lines: &[&str]) -> usize {
    let first = lines.first().copied().unwrap_or_default().trim();
    if first.is_empty() || first.starts_with('>') {
        return 0;
    }
    for n in 1..=lines.len().min(3) {
        if lines[n - 1].trim().is_empty() {
            return 0;
        }
        let joined = lines[..n].join(" ");
        if joined.len() > MAX_ATTRIBUTION {
            return 0;
        }
        let joined = joined.trim().trim_end_matches('\u{a0}');
        if joined.ends_with([':', '\u{ff1a}']) && is_attribution(joined) {
            return n;
        }
    }
    0
}

fn is_attribution(text: &str) -> bool {
    const VERBS: [&str; 16] = [
        "wrote",
        "schrieb",
        "a écrit",
        "escribió",
        "ha scritto",
        "schreef",
        "escreveu",
        "skrev",
        "napisał",
        "napsal",
        "писал",
        "пишет",
        "kirjoitti",
        "yazdı",
        "写道",
        "のメール",
    ];
    let lower = text.to_lowercase();
    let says = VERBS.iter().any(|verb| lower.contains(verb));
    says && (text.contains(|c: char| c.is_ascii_digit()) || text.contains('@'))
}

/// Returns whether everything from here is the quoted mail: a rule in words, or the head of a mail
/// as Outlook writes it.
fn begins_original(lines: &[&str]) -> bool {
    let first = lines.first().copied().unwrap_or_default().trim();
    let words = first.trim_matches(['-', '_', '=', ' ']);
    let is_rule = first.starts_with("--") || first.starts_with("__");
    let lower = words.to_lowercase();
    let original = [
        "original message",
        "ursprüngliche nachricht",
        "message d'origine",
        "mensaje original",
        "messaggio originale",
        "oorspronkelijk bericht",
        "mensagem original",
        "original appointment",
        "reply message",
    ];
    if is_rule && original.iter().any(|text| lower == *text) {
        return true;
    }
    let starts = |line: &str, names: &[&str]| {
        let lower = line.trim().trim_start_matches('*').to_lowercase();
        names.iter().any(|name| lower.starts_with(name))
    };
    // The head of a mail: From, then a date, then To, in lines below one another.
    starts(first, &["from:", "von:", "de :", "de:", "da:", "van:"])
        && lines.iter().skip(1).take(3).any(|line| {
            starts(line, &["sent:", "date:", "gesendet:", "datum:", "envoyé", "enviado", "inviato"])
        })
        && lines
            .iter()
            .skip(1)
            .take(5)
            .any(|line| starts(line, &["to:", "an:", "à :", "para:", "a:", "aan:"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(parts: &[Part]) -> String {
        let texts = parts.iter().filter_map(|part| match part {
            Part::Plain(text) => Some(text.trim()),
            _ => None,
        });
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn what_is_quoted_in_text_is_apart() {
        for (body, expect) in [
            ("Yes.\n\nOn Mon, Mar 4, 2024 at 9:00 Lee wrote:\n> Is it?\n", "Yes."),
            (
                "Yes.\n\nOn Mon, Mar 4, 2024 at 9:00\nLee <l@x.org> wrote:\n\n> a\n\nBye.",
                "Yes. | Bye.",
            ),
            ("Yes.\n\nOn 4 March 2024 Lee wrote:\nIs it?\nReally?", "Yes."),
            ("Ja.\n\nAm 04.03.24 um 9:00 schrieb Lee:\n> Ist es?", "Ja."),
            ("Out.\n\n-----Original Message-----\nFrom: Lee\n\nWorking?", "Out."),
            ("Out.\n\n-----Ursprüngliche Nachricht-----\nVon: Lee\nGeht es?", "Out."),
            ("Out.\n\nFrom: Lee\nSent: Monday\nTo: Kim\nSubject: Crane\n\nWorking?", "Out."),
            ("She wrote:\nall is well.", "She wrote:\nall is well."),
            ("> a\nBelow.", "Below."),
        ] {
            assert_eq!(said(&of_text(body)), expect, "{body:?}");
        }
    }

    #[test]
    fn what_is_quoted_in_html_is_apart() {
        for (body, expect) in [
            ("<p>Late.</p><blockquote type=\"cite\">old</blockquote>", "Late."),
            ("<p>Late.</p><div class=\"gmail_quote\">On x, Lee wrote:<p>old</p></div>", "Late."),
            ("<p>Late.</p><div id=\"appendonsend\"></div><hr><p>From: Lee</p><p>old</p>", "Late."),
            ("<style>p{}</style><p>A poem:</p><blockquote>Roses</blockquote>", "A poem:\n\nRoses"),
            ("<div>One<br>Two</div>", "One\n\nTwo"),
        ] {
            assert_eq!(said(&of_html(body)), expect, "{body:?}");
        }
    }
}
