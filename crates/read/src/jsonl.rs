//! Records: one JSON object on each line, `{"_id", "title", "text", "url"?, "sections"?,
//! …attributes}`. The BEIR layout has this form.
//!
//! Sections follow the text: `[{"heading"?, "level"?, "anchor"?, "text"?, "attributes"?}]`.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde_json::{Map, Value};

use super::attributes::Raw;
use super::decode;
use super::file::{self, File};
use super::outline::{MAX_HEADING_BYTES, Outline, fold, shorten};
use super::{Format, Options, Outcome, RawPage, Severity, plain_text};
use findling_page::page::Section;

/// Deepest nesting of objects that becomes attributes, as `a.b.c`.
const MAX_DEPTH: usize = 4;

/// Longest string, in bytes, that becomes an attribute.
const MAX_ATTRIBUTE_BYTES: usize = 1024;

pub(super) fn read(bytes: &[u8], file: &File, options: &Options, outcome: &mut Outcome) {
    // Some tools write UTF-16 with a byte order mark.
    let decoded = encoding_rs::Encoding::for_bom(bytes).map(|_| decode::plain(bytes, None));
    let bytes = decoded.as_ref().map_or(bytes, |decoded| decoded.text.as_bytes());
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let records: Vec<Option<Result<Record, String>>> = lines
        .par_iter()
        .map(|line| {
            let line = line.trim_ascii();
            if line.is_empty() {
                return None;
            }
            if line.len() as u64 > options.max_file_bytes {
                return Some(Err(format!(
                    "has {} bytes, more than the limit of {}",
                    line.len(),
                    options.max_file_bytes
                )));
            }
            Some(record(line, options))
        })
        .collect();
    let mut lines_of_ids: BTreeMap<String, u64> = BTreeMap::new();
    let mut left_out: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (number, record) in (1u64..).zip(records) {
        let Some(record) = record else { continue };
        let mut record = match record {
            Ok(record) => record,
            Err(reason) => {
                outcome.tell(Severity::Error, &file.path, Some(number), reason);
                continue;
            }
        };
        if let Some(first) = lines_of_ids.get(&record.raw.page.id) {
            let reason = format!(
                "expected different ids, found _id \"{}\" again (first on line {first})",
                record.raw.page.id
            );
            outcome.tell(Severity::Error, &file.path, Some(number), reason);
            continue;
        }
        lines_of_ids.insert(record.raw.page.id.clone(), number);
        for name in record.left_out {
            left_out.entry(name).or_insert((number, 0)).1 += 1;
        }
        record.raw.path.clone_from(&file.path);
        outcome.pages.push(record.raw);
    }
    for (name, (line, count)) in left_out {
        let reason = format!(
            "`{name}` is not an attribute in {count} records: expected a string of at most \
             {MAX_ATTRIBUTE_BYTES} bytes, a number, a bool or a list of these"
        );
        outcome.tell(Severity::Warning, &file.path, Some(line), reason);
    }
}

struct Record {
    raw: RawPage,
    left_out: Vec<String>,
}

fn record(line: &[u8], options: &Options) -> Result<Record, String> {
    let value: Value =
        serde_json::from_slice(line).map_err(|error| format!("is not JSON: {error}"))?;
    let Value::Object(mut fields) = value else {
        return Err(
            "expected a JSON object {\"_id\": …, \"title\": …, \"text\": …}, found something \
             else"
                .to_owned(),
        );
    };
    let id = ["_id", "id"].iter().find_map(|key| fields.remove(*key)).ok_or("has no \"_id\"")?;
    let id = match id {
        Value::String(id) if !id.is_empty() => id,
        Value::Number(id) => id.to_string(),
        other => {
            return Err(format!(
                "\"_id\" is {other}; expected a string that is not empty, or a number"
            ));
        }
    };
    let title = string(&mut fields, "title")?.unwrap_or_default();
    let mut text = None;
    for key in ["text", "body", "content", "abstract"] {
        if text.is_none() && fields.get(key).is_some_and(|value| value.is_string() || key == "text")
        {
            text = string(&mut fields, key)?;
        }
    }
    let url = string(&mut fields, "url")?.filter(|url| !url.is_empty());
    let mut raw = RawPage { format: Some(Format::Jsonl), ..RawPage::default() };
    for key in ["language", "lang"] {
        if let Some(language) = fields.get(key).and_then(Value::as_str) {
            raw.page.language = language.replace('_', "-");
            break;
        }
    }
    if raw.page.language.is_empty() {
        raw.page.language = options.language.clone().unwrap_or_default();
    }
    raw.page.url = match url {
        Some(url) if url.contains("://") || url.starts_with('/') => url,
        Some(url) => file::join(&options.base_url, &url),
        // The id is an address, as in sets made from web pages.
        None if id.contains("://") => id.clone(),
        None => file::join(&options.base_url, &id),
    };
    raw.page.id = id;
    raw.page.title = fold(&title);
    if let Some(Value::Array(names)) = fields.remove("aliases") {
        let names = names.iter().filter_map(Value::as_str).map(fold);
        raw.page.aliases = names.filter(|name| !name.is_empty()).collect();
    }
    match fields.remove("search_pin") {
        Some(Value::String(query)) => raw.page.pins = vec![query],
        Some(Value::Array(queries)) => {
            raw.page.pins = queries.iter().filter_map(Value::as_str).map(fold).collect();
        }
        _ => {}
    }
    let mut left_out = Vec::new();
    raw.page.sections = paragraphs(&text.unwrap_or_default());
    if let Some(sections) = fields.remove("sections") {
        raw.page.sections.extend(self::sections(sections, &mut left_out)?);
    }
    attributes("", fields, 0, &mut raw.attributes, &mut left_out);
    Ok(Record { raw, left_out })
}

fn string(fields: &mut Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match fields.remove(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("\"{key}\" is {}; expected a string", kind(&other))),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a bool",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Returns the sections that a record lists.
fn sections(value: Value, left_out: &mut Vec<String>) -> Result<Vec<Section>, String> {
    let Value::Array(values) = value else {
        return Err(format!("\"sections\" is {}; expected a list", kind(&value)));
    };
    values.into_iter().map(|value| section(value, left_out)).collect()
}

fn section(value: Value, left_out: &mut Vec<String>) -> Result<Section, String> {
    let Value::Object(mut fields) = value else {
        return Err(format!("\"sections\" has {}; expected objects", kind(&value)));
    };
    let mut heading = fold(&string(&mut fields, "heading")?.unwrap_or_default());
    shorten(&mut heading, MAX_HEADING_BYTES);
    let level = match fields.remove("level") {
        _ if heading.is_empty() => 0,
        None | Some(Value::Null) => 1,
        Some(level) => match level.as_u64() {
            Some(level @ 1..=6) => level as u8,
            _ => return Err(format!("\"level\" is {level}; expected a number from 1 to 6")),
        },
    };
    let anchor = string(&mut fields, "anchor")?.filter(|anchor| !anchor.is_empty());
    let text = string(&mut fields, "text")?.unwrap_or_default();
    let mut found = BTreeMap::new();
    match fields.remove("attributes") {
        None | Some(Value::Null) => {}
        Some(Value::Object(fields)) => attributes("", fields, 0, &mut found, left_out),
        Some(other) => {
            return Err(format!("\"attributes\" is {}; expected an object", kind(&other)));
        }
    }
    let values = found.into_iter().map(|(name, raw)| Some((name, raw.into_value()?)));
    let attributes = values.flatten().collect();
    let blocks = paragraphs(&text).into_iter().flat_map(|section| section.blocks).collect();
    Ok(Section { level, heading, anchor, attributes, blocks, ..Section::default() })
}

fn attributes(
    prefix: &str,
    fields: Map<String, Value>,
    depth: usize,
    found: &mut BTreeMap<String, Raw>,
    left_out: &mut Vec<String>,
) {
    for (key, value) in fields {
        let name = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
        match value {
            Value::Null => {}
            Value::Object(inner) if depth < MAX_DEPTH => {
                attributes(&name, inner, depth + 1, found, left_out)
            }
            value => match Raw::from_json(&value).filter(is_short) {
                Some(raw) => {
                    found.insert(name, raw);
                }
                None => left_out.push(name),
            },
        }
    }
}

fn is_short(raw: &Raw) -> bool {
    match raw {
        Raw::Text(text) | Raw::Untyped(text) => text.len() <= MAX_ATTRIBUTE_BYTES,
        Raw::List(list) => list.iter().all(|item| item.len() <= MAX_ATTRIBUTE_BYTES),
        Raw::Number(_) | Raw::Date(_) | Raw::Bool(_) => true,
    }
}

/// Returns plain text as one section: blank lines separate paragraphs, and indented code keeps its
/// form. Returns no section if the text is blank.
fn paragraphs(text: &str) -> Vec<Section> {
    let mut outline = Outline::new();
    plain_text::add(text, &mut outline);
    outline.finish()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn read_text(text: &str) -> Outcome {
        let file = File {
            id: "r.jsonl".into(),
            path: PathBuf::from("r.jsonl"),
            format: Format::Jsonl,
            package: None,
        };
        let mut outcome = Outcome::default();
        read(text.as_bytes(), &file, &Options::default(), &mut outcome);
        outcome
    }

    #[test]
    fn a_record_has_a_title_a_text_and_attributes() {
        let outcome = read_text(concat!(
            r#"{"_id": "a/1", "title": " The  title ", "text": "One.\nStill one.\n\nTwo.", "#,
            r#""year": 2024, "tags": ["b", "a"], "open": true, "metadata": {}, "#,
            r#""venue": {"name": "ACL"}}"#,
        ));
        let raw = &outcome.pages[0];
        assert_eq!(
            (raw.page.id.as_str(), raw.page.url.as_str(), raw.page.title.as_str()),
            ("a/1", "/a/1", "The title")
        );
        let texts: Vec<_> =
            raw.page.sections[0].blocks.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(texts, ["One. Still one.", "Two."]);
        let names: Vec<_> = raw.attributes.keys().map(String::as_str).collect();
        assert_eq!(names, ["open", "tags", "venue.name", "year"]);
    }

    #[test]
    fn a_record_lists_sections_with_attributes_of_their_own() {
        let outcome = read_text(concat!(
            r#"{"_id": "c", "text": "Before.", "role": "all", "sections": ["#,
            r#"{"heading": " Turn  1 ", "anchor": "t1", "text": "Hello.\n\nAgain.", "#,
            r#""attributes": {"role": "user", "time": "2026-01-02T03:04:05Z", "tags": []}}, "#,
            r#"{"heading": "Deeper", "level": 2, "text": "Yes."}, {"text": "No heading."}]}"#,
        ));
        assert_eq!(outcome.problems, []);
        let sections = &outcome.pages[0].page.sections;
        let told: Vec<_> = sections
            .iter()
            .map(|s| (s.level, s.heading.as_str(), s.anchor.as_deref(), s.blocks.len()))
            .collect();
        let expected = [
            (0, "", None, 1),
            (1, "Turn 1", Some("t1"), 2),
            (2, "Deeper", None, 1),
            (0, "", None, 1),
        ];
        assert_eq!(told, expected);
        let names: Vec<_> = sections[1].attributes.keys().map(String::as_str).collect();
        assert_eq!(names, ["role", "time"]);
        assert_eq!(outcome.pages[0].attributes.keys().collect::<Vec<_>>(), ["role"]);
    }

    #[test]
    fn sections_that_are_none_are_errors() {
        for sections in [
            "{}",
            "[1]",
            r#"[{"heading": 1}]"#,
            r#"[{"heading": "a", "level": 7}]"#,
            r#"[{"text": "a", "attributes": []}]"#,
        ] {
            let outcome = read_text(&format!(r#"{{"_id": 1, "sections": {sections}}}"#));
            assert_eq!(outcome.problems.len(), 1, "{sections}");
            assert_eq!(outcome.problems[0].severity, Severity::Error);
        }
    }

    #[test]
    fn a_byte_order_mark_tells_utf_16() {
        let file = File {
            id: "r.jsonl".into(),
            path: PathBuf::from("r.jsonl"),
            format: Format::Jsonl,
            package: None,
        };
        let text = "\u{feff}{\"_id\": \"1\", \"title\": \"Żółta\"}\n";
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut outcome = Outcome::default();
        read(&bytes, &file, &Options::default(), &mut outcome);
        assert_eq!(outcome.problems, []);
        assert_eq!(outcome.pages[0].page.title, "Żółta");
    }

    #[test]
    fn errors_name_the_line_and_the_rest_goes_on() {
        let outcome = read_text(
            "{\"_id\": 1, \"text\": \"a\"}\n\n  \n{oops\n{\"title\": \"no id\"}\n{\"_id\": \"1\"}\n\
             []\n{\"_id\": 2, \"text\": 3}\n{\"_id\": 3}\r\n",
        );
        let lines: Vec<_> = outcome.problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [Some(4), Some(5), Some(6), Some(7), Some(8)]);
        assert!(outcome.problems[2].reason.contains("line 1"), "{}", outcome.problems[2].reason);
        let ids: Vec<_> = outcome.pages.iter().map(|raw| raw.page.id.as_str()).collect();
        assert_eq!(ids, ["1", "3"]);
    }

    #[test]
    fn source_code_keeps_its_lines() {
        let outcome = read_text(r#"{"_id": "1", "text": "def f(x):\n    y = x\n    return y"}"#);
        let block = &outcome.pages[0].page.sections[0].blocks[0];
        assert!(block.is_code_block);
        assert_eq!(block.text, "def f(x):\n    y = x\n    return y");
    }

    #[test]
    fn what_cannot_be_filtered_by_is_reported_once() {
        let outcome = read_text(
            "{\"_id\": 1, \"authors\": [{\"name\": \"x\"}]}\n{\"_id\": 2, \"authors\": [{\"name\": \
             \"x\"}]}",
        );
        assert_eq!(outcome.problems.len(), 1);
        assert_eq!(
            (outcome.problems[0].severity, outcome.problems[0].line),
            (Severity::Warning, Some(1))
        );
        assert_eq!(outcome.pages.len(), 2);
    }
}
