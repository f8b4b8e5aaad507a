//! Shortcodes of Hugo.

use super::constructs::{between, parameter};
use super::dialects::Scanner;

impl<'a> Scanner<'a, '_> {
    /// Replaces a Hugo shortcode by the text that readers see.
    pub(super) fn shortcode(&mut self, inner: &str) {
        let inner = inner.trim();
        if let Some(escaped) = inner.strip_prefix("/*").and_then(|inner| inner.strip_suffix("*/")) {
            self.out.push_str("`{{< ");
            self.out.push_str(escaped.trim());
            self.out.push_str(" >}}`");
            return;
        }
        let inner = inner.trim_end_matches('/').trim_end();
        let name = inner.split_ascii_whitespace().next().unwrap_or_default();
        match name {
            "comment" => {
                let comment = self.through_closing(name);
                self.note(comment);
            }
            "highlight" | "mermaid" => {
                let language = inner.split_ascii_whitespace().nth(1).unwrap_or(name).to_owned();
                let code = self.through_closing(name);
                self.fenced(&language, code);
            }
            "tab" if parameter(inner, "codelang").is_some() => {
                let title = parameter(inner, "name").unwrap_or_default();
                let language = parameter(inner, "codelang").unwrap_or_default();
                let code = self.through_closing(name);
                self.out.push_str(&title);
                self.fenced(&language, code);
            }
            "heading" => {
                let key = inner[name.len()..].trim().trim_matches(['"', '`', '\'']);
                self.out.push_str(heading_words(key));
            }
            _ => {
                let text = ["text", "title", "header", "caption", "alt", "summary"]
                    .iter()
                    .find_map(|key| parameter(inner, key))
                    .or_else(|| match name {
                        "tab" => parameter(inner, "name").or_else(|| first_argument(inner)),
                        "details" | "expand" | "tabitem" | "accordion" => first_argument(inner),
                        "glossary_tooltip" => {
                            parameter(inner, "term_id").map(|id| id.replace('-', " "))
                        }
                        _ => None,
                    });
                let text = text.unwrap_or_default();
                match name {
                    // These name the block below them.
                    "tab" | "details" | "expand" | "tabitem" | "accordion" if !text.is_empty() => {
                        self.out.push_str(&format!("\n\n{text}\n\n"));
                    }
                    _ => self.out.push_str(&text),
                }
            }
        }
    }

    pub(super) fn fenced(&mut self, language: &str, code: &str) {
        let mut fence = "```".to_owned();
        while code.contains(fence.as_str()) {
            fence.push('`');
        }
        self.out
            .push_str(&format!("\n\n{fence}{language}\n{}\n{fence}\n", code.trim_matches('\n')));
    }

    /// Skips everything up to and including the closing shortcode; returns the text between.
    fn through_closing(&mut self, name: &str) -> &'a str {
        let rest = self.rest();
        let mut from = 0;
        while let Some(found) = rest[from..].find("{{") {
            let start = from + found;
            let tag = &rest[start..];
            let inner = between(tag, "{{<", ">}}").or_else(|| between(tag, "{{%", "%}}"));
            if let Some(inner) = inner
                && inner.trim().strip_prefix('/').is_some_and(|closed| closed.trim() == name)
            {
                self.at += start + inner.len() + 6;
                return &rest[..start];
            }
            from = start + 2;
        }
        ""
    }
}

/// Returns the first quoted argument of a shortcode: `tab "Linux"`.
fn first_argument(inner: &str) -> Option<String> {
    let rest = inner.split_once(char::is_whitespace)?.1.trim_start();
    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    rest[1..].split(quote).next().map(str::to_owned)
}

/// Returns the headings that the Kubernetes documentation names by key.
fn heading_words(key: &str) -> &str {
    match key {
        "whatsnext" => "What's next",
        "prerequisites" => "Before you begin",
        "objectives" => "Objectives",
        "cleanup" => "Cleaning up",
        "synopsis" => "Synopsis",
        "options" => "Options",
        "seealso" => "See Also",
        other => other,
    }
}
