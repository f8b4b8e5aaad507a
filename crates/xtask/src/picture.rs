//! The picture of a command's output: an SVG of a terminal, made of the text that a document shows.
//!
//! A test of the build tool compares the document's text with the program's output, so the picture
//! shows the program's output too.

use std::fmt::Write;

/// Width of a character and height of a line, in pixels.
const COLUMN: f64 = 7.8;
const LINE: f64 = 19.0;

/// Space around the text, and height of the bar above it.
const MARGIN: f64 = 18.0;
const BAR: f64 = 34.0;

/// Returns the picture of `command` and of its `output`: fields, then sections with headings.
pub fn svg(command: &str, output: &str) -> String {
    let lines: Vec<&str> = output.lines().collect();
    let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
    let columns = columns.max(command.chars().count() + 2);
    let width = columns as f64 * COLUMN + 2.0 * MARGIN;
    let height = BAR + (lines.len() + 2) as f64 * LINE + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">\n\
         <title>What {} prints</title>\n\
         <style>text {{ font: 13px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; \
         fill: #d6dae3; white-space: pre }} .b {{ font-weight: 700; fill: #fff }} \
         .a {{ fill: #8fb0ff }} .p {{ fill: #7fd49a }}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"#14171f\"/>\n",
        escape(command)
    );
    for (i, colour) in ["#f1665b", "#f2bd4b", "#5fc266"].iter().enumerate() {
        let x = MARGIN + 6.0 + i as f64 * 18.0;
        let _ = writeln!(svg, "<circle cx=\"{x:.0}\" cy=\"18\" r=\"5.5\" fill=\"{colour}\"/>");
    }
    let mut row = 0;
    let mut add = |spans: &[(&str, &str)]| {
        let y = BAR + MARGIN + row as f64 * LINE;
        row += 1;
        if spans.iter().all(|(_, text)| text.is_empty()) {
            return;
        }
        let _ = write!(svg, "<text x=\"{MARGIN:.0}\" y=\"{y:.0}\" xml:space=\"preserve\">");
        for (class, text) in spans.iter().filter(|(_, text)| !text.is_empty()) {
            let text = escape(text);
            let _ = match *class {
                "" => write!(svg, "{text}"),
                class => write!(svg, "<tspan class=\"{class}\">{text}</tspan>"),
            };
        }
        svg.push_str("</text>\n");
    };
    add(&[("p", "$ "), ("b", command)]);
    let mut in_fields = true;
    for line in lines {
        in_fields &= !line.is_empty();
        let is_heading = !in_fields && !line.starts_with(' ');
        let end = match line.find("  #") {
            Some(at) if is_heading => at,
            _ if is_heading => line.len(),
            _ if in_fields => line.find(' ').unwrap_or(line.len()),
            _ => 0,
        };
        let rest = if is_heading { "a" } else { "" };
        add(&[("b", &line[..end]), (rest, &line[end..])]);
    }
    svg.push_str("</svg>\n");
    svg
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
