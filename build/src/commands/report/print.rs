//! The report in a terminal.

use super::findings::{Findings, Redirect, Row};
use crate::progress::thousands;
use crate::safe_text::line;
use crate::ui::{Paint, Ui};

/// Maximum number of lines of a list.
const MAX_LINES: usize = 20;

/// Returns the report. Strangers typed the queries, so they are printed without control characters.
pub fn text(found: &Findings, n_other: u64, ui: &Ui) -> String {
    let mut out = Text { text: String::new(), ui };
    let share = |part: u64| match found.searches {
        0 => String::new(),
        all => format!(" ({} %)", part * 100 / all),
    };
    out.line(&format!(
        "{} searches, {} different queries; {} without an answer{}",
        thousands(found.searches),
        thousands(found.queries),
        thousands(found.without_answer_searches),
        share(found.without_answer_searches),
    ));
    if let Some(chosen) = found.chosen_searches {
        let chosen = format!("{}{}", thousands(chosen), share(chosen));
        out.line(&format!("A result was chosen after {chosen}."));
    }
    if n_other > 0 {
        out.line(&format!("{} lines of the logs are no searches.", thousands(n_other)));
    }
    out.list("Without an answer", &found.without_answer, row);
    out.list("Answered, but nothing was chosen", &found.without_choice, row);
    out.list("Chosen far down: lines for --pins", &found.pins, |pin| {
        format!(
            "{} => {}   # {} choices, in row {}",
            pin.query, pin.page, pin.choices, pin.position
        )
    });
    out.list("Typed instead: lines for --synonyms", &found.synonyms, |it| {
        format!("{} => {}   # {} readers", it.from, it.to, it.readers)
    });
    out.list("Asked for, but missing: lines for redirects", &found.redirects, Redirect::line);
    out.text
}

fn row(row: &Row) -> String {
    let mut text = format!("{:>6}  {}", thousands(row.searches), row.query);
    if let Some(now) = &row.now {
        text += &match (&now.title, now.is_answered) {
            (Some(title), true) => format!("  (today: {title})"),
            _ => "  (today: nothing answers; write the page)".to_owned(),
        };
    }
    text
}

struct Text<'a> {
    text: String,
    ui: &'a Ui,
}

impl Text<'_> {
    fn line(&mut self, text: &str) {
        self.text.push_str(&line(text));
        self.text.push('\n');
    }

    fn list<T>(&mut self, title: &str, all: &[T], write: impl Fn(&T) -> String) {
        if all.is_empty() {
            return;
        }
        self.text.push('\n');
        self.text.push_str(&self.ui.paint(Paint::Bold, title));
        self.text.push('\n');
        for one in all.iter().take(MAX_LINES) {
            self.line(&write(one));
        }
        if all.len() > MAX_LINES {
            let more = thousands((all.len() - MAX_LINES) as u64);
            self.line(&format!("        and {more} more; --json and --html have all"));
        }
    }
}
