//! The sections of a description: one for each operation and each named type, with the text that
//! viewers show.

use std::fmt::Write;

use findling_bundle::AttributeValue;
use findling_page::page::Section;

use super::super::markdown;
use super::model::{Api, Field, Group, Operation, Response, Type};
use super::viewer::Viewer;

/// The attribute of a section that has an operation's method.
const METHOD: &str = "method";

/// The Markdown of a description, with the target of each heading.
///
/// Descriptions are Markdown, so the rest is written as Markdown too. Headings get an anchor
/// `api-3` while they are read, the place of their target, since anchors of viewers have characters
/// that Markdown does not allow there.
struct Writer {
    text: String,
    targets: Vec<Target>,
    viewer: Option<Viewer>,
}

#[derive(Default)]
struct Target {
    anchor: Option<String>,
    method: Option<String>,
}

/// The beginning of anchors while Markdown is read.
const PLACE: &str = "api-";

/// Returns the sections of a description as a viewer shows them.
pub(super) fn sections(api: &Api, viewer: Option<Viewer>) -> Vec<Section> {
    let mut writer = Writer { text: String::new(), targets: Vec::new(), viewer };
    writer.lead(api);
    for group in &api.groups {
        writer.group(group);
    }
    if viewer.is_none_or(Viewer::shows_types) && !api.types.is_empty() {
        writer.heading(2, "Schemas", Target::default());
        for named in &api.types {
            writer.named_type(named);
        }
    }
    let mut sections = markdown::sections_of(&writer.text);
    for section in &mut sections {
        let place = section.anchor.as_ref().and_then(|anchor| anchor.strip_prefix(PLACE));
        let target = place.and_then(|place| place.parse::<usize>().ok());
        match target.and_then(|place| writer.targets.get(place)) {
            Some(target) => {
                section.anchor.clone_from(&target.anchor);
                if let Some(method) = &target.method {
                    let value = AttributeValue::Strings(vec![method.clone()]);
                    section.attributes.insert(METHOD.to_owned(), value);
                }
            }
            // A heading within the description of the interface.
            None => {
                section.anchor = match viewer {
                    Some(viewer) => viewer.heading(&section.heading),
                    None => section.anchor.take(),
                };
            }
        }
    }
    sections
}

impl Writer {
    fn heading(&mut self, level: usize, title: &str, target: Target) {
        let place = self.targets.len();
        self.targets.push(target);
        let (marks, title) = ("#".repeat(level), escaped(title));
        let _ = write!(self.text, "\n\n{marks} {title} {{#{PLACE}{place}}}\n\n");
    }

    fn paragraph(&mut self, text: &str) {
        let _ = write!(self.text, "{}\n\n", text.trim());
    }

    fn lead(&mut self, api: &Api) {
        if !api.title.is_empty() {
            self.heading(1, &api.title, Target::default());
        }
        if !api.version.is_empty() {
            self.paragraph(&format!("Version {}", escaped(&api.version)));
        }
        self.paragraph(&below(&api.description, 1));
        for server in &api.servers {
            self.paragraph(&format!("Server: {}", escaped(server)));
        }
    }

    fn group(&mut self, group: &Group) {
        if !group.name.is_empty() {
            let anchor = match self.viewer {
                Some(viewer) => viewer.group(&group.name),
                None => Some(slug(&group.name)),
            };
            self.heading(2, &group.title, Target { anchor, method: None });
            self.paragraph(&without_headings(&group.description));
        }
        for operation in &group.operations {
            self.operation(group, operation);
        }
    }

    fn operation(&mut self, group: &Group, operation: &Operation) {
        let call = format!("{} {}", operation.method.to_uppercase(), operation.path);
        let title = [&operation.summary, operation.id.as_ref().unwrap_or(&call)];
        let title = title.into_iter().find(|title| !title.is_empty()).unwrap_or(&call);
        let anchor = match self.viewer {
            Some(viewer) => viewer.operation(&group.name, operation),
            None => Some(operation.id.clone().unwrap_or_else(|| slug(&call))),
        };
        let method = Some(operation.method.to_lowercase()).filter(|method| !method.is_empty());
        // Operations without a group are at the level of the groups.
        let level = if group.name.is_empty() { 2 } else { 3 };
        self.heading(level, title, Target { anchor, method });
        self.paragraph(&code(&call));
        if let Some(id) = operation.id.as_ref().filter(|id| *id != title) {
            self.paragraph(&format!("Operation: {}", code(id)));
        }
        if operation.is_deprecated {
            self.paragraph("Deprecated.");
        }
        self.paragraph(&without_headings(&operation.description));
        for list in &operation.lists {
            self.paragraph(&format!("{}:", escaped(&list.title)));
            self.fields(&list.fields);
        }
        self.responses(&operation.responses);
    }

    fn fields(&mut self, fields: &[Field]) {
        for Field { name, notes, description } in fields {
            let _ = write!(self.text, "- {}", code(name));
            if !notes.is_empty() {
                let _ = write!(self.text, " ({})", escaped(&notes.join(", ")));
            }
            self.item_text(description);
        }
        self.text.push('\n');
    }

    /// Writes the description of a list's item, and ends the item.
    fn item_text(&mut self, description: &str) {
        let description = without_headings(description);
        if !description.trim().is_empty() {
            // Further lines belong to the item if they are indented.
            let _ = write!(self.text, ": {}", description.trim().replace('\n', "\n  "));
        }
        self.text.push('\n');
    }

    fn responses(&mut self, responses: &[Response]) {
        if responses.is_empty() {
            return;
        }
        self.paragraph("Responses:");
        for Response { status, description, names } in responses {
            let _ = write!(self.text, "- {}", code(status));
            self.item_text(description);
            if !names.is_empty() {
                let names: Vec<String> = names.iter().map(|name| code(name)).collect();
                let _ = write!(self.text, "\n  {}\n", names.join(", "));
            }
        }
        self.text.push('\n');
    }

    fn named_type(&mut self, named: &Type) {
        let anchor = match self.viewer {
            Some(viewer) => viewer.named_type(&named.name),
            None => Some(format!("schema-{}", slug(&named.name))),
        };
        self.heading(3, &named.name, Target { anchor, method: None });
        self.paragraph(&without_headings(&named.description));
        self.fields(&named.fields);
    }
}

/// Returns plain text as Markdown, in one line.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            c if c.is_ascii_punctuation() => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Returns text as a span of code.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    if text.trim().is_empty() {
        return String::new();
    }
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    if longest > 0 { format!("{fence} {text} {fence}") } else { format!("{fence}{text}{fence}") }
}

/// Returns Markdown with headings that are deeper by `levels`.
fn below(markdown: &str, levels: usize) -> String {
    with_headings(markdown, |level, title| {
        format!("{} {title}", "#".repeat((level + levels).min(6)))
    })
}

/// Returns Markdown whose headings are bold lines: they have no anchor, and the text below them
/// belongs to the operation.
fn without_headings(markdown: &str) -> String {
    with_headings(markdown, |_, title| {
        let title = title.trim_end_matches('#').trim();
        if title.is_empty() { String::new() } else { format!("\n**{title}**\n") }
    })
}

/// Returns Markdown with other lines in place of its `#` headings.
fn with_headings(markdown: &str, write: impl Fn(usize, &str) -> String) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut fence: Option<&str> = None;
    for line in markdown.lines() {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        let level = trimmed.bytes().take_while(|&byte| byte == b'#').count();
        let title = &trimmed[level..];
        let is_heading = (1..=6).contains(&level)
            && line.len() - trimmed.len() < 4
            && (title.is_empty() || title.starts_with([' ', '\t']));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        if is_heading && fence.is_none() {
            out.push_str(&write(level, title.trim()));
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    // An open fence would include the following text.
    if let Some(mark) = fence {
        out.push_str(mark);
        out.push('\n');
    }
    out
}

/// Returns a name in small letters, with `-` between words.
pub(super) fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}
