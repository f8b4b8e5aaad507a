//! The report as a page without scripts.

use std::fmt::Write;

use super::findings::{Findings, Redirect, Row};
use crate::progress::thousands;

/// The page's style: readable in both colour schemes.
const STYLE: &str = "\
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: start; padding: .3rem .6rem; border-bottom: 1px solid #8884 }
td.n { text-align: end; font-variant-numeric: tabular-nums; width: 5rem }
pre { background: #8882; padding: 1rem; overflow-x: auto }
.none { color: #b3261e } @media (prefers-color-scheme: dark) { .none { color: #f2b8b5 } }";

/// Returns the page.
pub fn page(found: &Findings) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'\">\n<title>What readers search for</title>\n\
         <style>\n{STYLE}\n</style>\n</head>\n<body>\n<h1>What readers search for</h1>\n\
         <p>{} searches, {} different queries; {} without an answer.",
        thousands(found.searches),
        thousands(found.queries),
        thousands(found.without_answer_searches)
    );
    if let Some(chosen) = found.chosen_searches {
        let _ = write!(out, " A result was chosen after {}.", thousands(chosen));
    }
    out.push_str("</p>\n");
    rows(&mut out, "Without an answer", &found.without_answer);
    rows(&mut out, "Answered, but nothing was chosen", &found.without_choice);
    let pins = found.pins.iter().map(|pin| {
        let note = format!("{} choices, in row {}", pin.choices, pin.position);
        format!("{} => {}   # {note}", pin.query, pin.page)
    });
    lines(&mut out, "Chosen far down", "Lines for --pins:", pins);
    let synonyms = found
        .synonyms
        .iter()
        .map(|it| format!("{} => {}   # {} readers", it.from, it.to, it.readers));
    lines(&mut out, "Typed instead", "Lines for --synonyms:", synonyms);
    let redirects = found.redirects.iter().map(Redirect::line);
    lines(&mut out, "Asked for, but missing", "Lines for redirects:", redirects);
    out.push_str("</body>\n</html>\n");
    out
}

fn rows(out: &mut String, title: &str, rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    let _ =
        write!(out, "<h2>{title}</h2>\n<table>\n<tr><th>searches<th>query<th>the site of today\n");
    for Row { query, searches, now } in rows {
        let today = match now {
            None => String::new(),
            Some(now) if now.is_answered => escaped(now.title.as_deref().unwrap_or_default()),
            Some(_) => "<span class=\"none\">nothing answers</span>".to_owned(),
        };
        let n = thousands(*searches);
        let _ = writeln!(out, "<tr><td class=\"n\">{n}<td>{}<td>{today}", escaped(query));
    }
    out.push_str("</table>\n");
}

fn lines(out: &mut String, title: &str, about: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<String> = lines.map(|line| escaped(&line)).collect();
    if !lines.is_empty() {
        let _ = write!(out, "<h2>{title}</h2>\n<p>{about}</p>\n<pre>{}</pre>\n", lines.join("\n"));
    }
}

/// Returns text of strangers as text of a page.
fn escaped(text: &str) -> String {
    let shown: String = text.chars().filter(|c| !c.is_control()).collect();
    shown.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
