//! The summary of a site in a terminal.

use std::path::Path;

use super::site_summary::{Counted, Group, Summary};
use crate::progress::thousands;
use crate::safe_text::line;
use crate::ui::{Paint, Ui};

/// Maximum number of lines of a list.
const MAX_LINES: usize = 10;

/// Returns the report. All text of the site is printed without control characters.
pub(super) fn report(root: &Path, summary: &Summary, ui: &Ui) -> String {
    let mut out = Report { text: String::new(), ui };
    out.title(
        &root.display().to_string(),
        &format!(
            "{} pages, {} sections, {} words",
            number(summary.pages),
            number(summary.sections),
            number(summary.words)
        ),
    );
    let languages = summary.languages.iter().map(|Counted { text, group }| {
        let name = if text.is_empty() { "unknown" } else { text };
        format!("{name} {}", number(group.pages))
    });
    out.title("Languages", &languages.collect::<Vec<_>>().join(", "));
    if !summary.files.is_empty() {
        out.title("Files", "that became no page, or were read with a complaint");
        out.list(&summary.files, |files| {
            let examples = files.examples.join(", ");
            let severity = if files.severity == "left-out" { "left out" } else { files.severity };
            format!("{:>6}  {severity}: {}  ({examples})", number(files.files), files.reason)
        });
    }
    if !summary.rules.is_empty() {
        out.title("Rules", "words that readers see and the search leaves out");
        out.list(&summary.rules, |rule| {
            let elements: Vec<String> = rule
                .elements
                .iter()
                .map(|it| {
                    let element = if it.element.is_empty() { "text" } else { &it.element };
                    format!("{element} on {}: {}", number(it.pages), it.text)
                })
                .collect();
            let head = format!(
                "{:>6}  {} on {} pages",
                thousands(rule.words),
                rule.rule,
                number(rule.pages)
            );
            [vec![head], elements].concat().join("\n          ")
        });
    }
    if !summary.repeated.is_empty() {
        out.title(
            "Repeated",
            "text that is found on more than a fifth of the pages; data-findling-ignore on its \
             element leaves it out",
        );
        out.list(&summary.repeated, counted);
    }
    if !summary.titles.is_empty() {
        let pages: usize = summary.titles.iter().map(|it| it.group.pages).sum();
        out.title("Titles", &format!("{} pages have the title of another page", number(pages)));
        out.list(&summary.titles, counted);
    }
    out.group("Headings", &summary.without_headings, "without one: each is one section");
    out.group(
        "Anchors",
        &summary.without_anchors,
        "with sections that none leads to: results show the top of the page",
    );
    out.group("Short", &summary.short, "with fewer than ten words");
    out.text
}

fn number(n: usize) -> String {
    thousands(n as u64)
}

fn counted(Counted { text, group }: &Counted) -> String {
    let examples = group.examples.join(", ");
    format!("{:>6}  \u{201c}{text}\u{201d}  ({examples})", number(group.pages))
}

struct Report<'a> {
    text: String,
    ui: &'a Ui,
}

impl Report<'_> {
    fn title(&mut self, name: &str, text: &str) {
        let name = format!("{:<11} ", line(name));
        self.text.push_str(&self.ui.paint(Paint::Bold, &name));
        self.text.push_str(&line(text));
        self.text.push('\n');
    }

    fn list<T>(&mut self, all: &[T], write: impl Fn(&T) -> String) {
        for one in all.iter().take(MAX_LINES) {
            for text in write(one).lines() {
                self.text.push_str(&line(text));
                self.text.push('\n');
            }
        }
        if all.len() > MAX_LINES {
            let more = number(all.len() - MAX_LINES);
            self.text.push_str(&format!("        and {more} more; --json has all\n"));
        }
    }

    fn group(&mut self, name: &str, Group { pages, examples }: &Group, text: &str) {
        if *pages > 0 {
            let examples = examples.join(", ");
            let pages =
                if *pages == 1 { "1 page".into() } else { format!("{} pages", number(*pages)) };
            self.title(name, &format!("{pages} {text}  ({examples})"));
        }
    }
}
