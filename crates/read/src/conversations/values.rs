//! Values that programs write in JSON: times, content blocks, inputs of tools.

use jiff::Timestamp;
use serde_json::Value;

use super::model::Part;
use super::wrappers;
use crate::attributes;

/// Deepest nesting of content blocks that is followed.
const MAX_DEPTH: usize = 8;

/// Longest input of a tool that is read, in bytes.
const MAX_INPUT_BYTES: usize = 600;

/// Larger numbers are milliseconds since 1970, smaller numbers are seconds.
const FIRST_MILLISECONDS: f64 = 1e11;

/// Returns a time: ISO 8601, or a number of seconds or milliseconds since 1970.
pub(super) fn time(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => time_of_text(text),
        Value::Number(number) => time_of_number(number.as_f64()?),
        _ => None,
    }
}

/// Returns a time as text.
pub(super) fn time_of_text(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    match attributes::date(text) {
        Some(at) => Timestamp::from_millisecond(at).ok(),
        None => time_of_number(text.parse().ok()?),
    }
}

fn time_of_number(number: f64) -> Option<Timestamp> {
    // A year of four digits does not count as a time, and neither does zero.
    if !number.is_finite() || number < 1e6 {
        return None;
    }
    let milliseconds = if number >= FIRST_MILLISECONDS { number } else { number * 1000.0 };
    Timestamp::from_millisecond(milliseconds as i64).ok()
}

/// Returns the string at one of several names, if it is not empty.
pub(super) fn text<'a>(value: &'a Value, names: &[&str]) -> Option<&'a str> {
    let mut found = names.iter().filter_map(|name| value.get(name)?.as_str());
    found.find(|text| !text.trim().is_empty())
}

/// Returns the content of a message: a string, a block, or a list of them, in the shapes of the
/// OpenAI and Anthropic interfaces. `None` if it is in no known shape. `tool_of` finds the tool of
/// a call's id.
pub(super) fn content(value: &Value, tool_of: &dyn Fn(&str) -> String) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    push(value, tool_of, 0, &mut parts).then_some(parts)
}

fn push(
    value: &Value,
    tool_of: &dyn Fn(&str) -> String,
    depth: usize,
    parts: &mut Vec<Part>,
) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => {
            parts.extend(wrappers::parts(text));
            true
        }
        Value::Array(blocks) if depth < MAX_DEPTH => {
            let before = parts.len();
            let known =
                blocks.iter().filter(|block| push(block, tool_of, depth + 1, parts)).count();
            blocks.is_empty() || known > 0 || parts.len() > before
        }
        Value::Object(_) => block(value, tool_of, depth, parts),
        _ => false,
    }
}

fn block(
    value: &Value,
    tool_of: &dyn Fn(&str) -> String,
    depth: usize,
    parts: &mut Vec<Part>,
) -> bool {
    let id = |name| value.get(name).and_then(Value::as_str).unwrap_or_default();
    match value.get("type").and_then(Value::as_str).unwrap_or_default() {
        "text" | "input_text" | "output_text" | "markdown" | "" => {
            let inner = ["text", "content", "value", "parts"].iter().find_map(|at| value.get(at));
            match inner {
                Some(Value::String(text)) => parts.extend(wrappers::parts(text)),
                Some(inner) if depth < MAX_DEPTH => return push(inner, tool_of, depth + 1, parts),
                _ => return false,
            }
        }
        "tool_use" | "server_tool_use" | "mcp_tool_use" | "function_call" | "custom_tool_call" => {
            let input = ["input", "arguments"].iter().find_map(|at| value.get(at));
            parts.push(Part::Call {
                tool: id("name").to_owned(),
                input: input.map(input_of).unwrap_or_default(),
            });
        }
        "tool_result"
        | "mcp_tool_result"
        | "web_search_tool_result"
        | "function_call_output"
        | "custom_tool_call_output" => {
            let call = [id("tool_use_id"), id("call_id")].concat();
            let tool = match id("name") {
                "" => tool_of(&call),
                name => name.to_owned(),
            };
            let output = ["content", "output"].iter().find_map(|at| value.get(at));
            let text = output.map(output_of).unwrap_or_default();
            parts.push(Part::Output { tool, text });
        }
        "thinking" | "reasoning" => {
            let text = text(value, &["thinking", "text"]).unwrap_or_default();
            parts.push(Part::Reasoning(text.to_owned()));
        }
        "refusal" => {
            parts.push(Part::Text(text(value, &["refusal"]).unwrap_or_default().to_owned()));
        }
        // Pictures, sounds, files: blocks without text.
        _ => return true,
    }
    true
}

/// Returns the input of a tool: its strings and numbers, cut.
pub(super) fn input_of(value: &Value) -> String {
    // The OpenAI interface sends the input as JSON in a string.
    let parsed;
    let value = match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ Value::Object(_)) => {
                parsed = inner;
                &parsed
            }
            _ => return cut(text, MAX_INPUT_BYTES),
        },
        other => other,
    };
    let mut text = String::new();
    leaves(value, 0, &mut text);
    cut(&text, MAX_INPUT_BYTES)
}

fn leaves(value: &Value, depth: usize, text: &mut String) {
    if depth > MAX_DEPTH || text.len() > MAX_INPUT_BYTES {
        return;
    }
    let mut add = |leaf: &str| {
        if !leaf.trim().is_empty() {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(leaf.trim_end());
        }
    };
    match value {
        Value::String(leaf) => add(leaf),
        Value::Number(number) => add(&number.to_string()),
        Value::Array(values) => values.iter().for_each(|value| leaves(value, depth + 1, text)),
        Value::Object(fields) => fields.values().for_each(|value| leaves(value, depth + 1, text)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Returns the output of a tool as text.
pub(super) fn output_of(value: &Value) -> String {
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            // `{"output": "...", "metadata": {...}}`.
            Ok(inner @ Value::Object(_)) if inner.get("output").is_some_and(Value::is_string) => {
                inner["output"].as_str().unwrap_or_default().to_owned()
            }
            _ => text.clone(),
        },
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| match block {
                Value::String(text) => Some(text.as_str()),
                block => text(block, &["text", "content", "title"]),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Object(_) => {
            text(value, &["output", "text", "content"]).unwrap_or_default().to_owned()
        }
        _ => String::new(),
    }
}

/// Returns the start of a text, at most `max` bytes.
pub(super) fn cut(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Option<Vec<Part>> {
        content(value, &|id| format!("tool of {id}"))
    }

    #[test]
    fn content_is_read_in_the_shapes_of_both_interfaces() {
        let text = |text: &str| Part::Text(text.to_owned());
        assert_eq!(read(&json!("Hi")).unwrap(), [text("Hi")]);
        assert_eq!(read(&json!([{"type": "text", "text": "Hi"}])).unwrap(), [text("Hi")]);
        assert_eq!(read(&json!([{"type": "input_text", "text": "Hi"}])).unwrap(), [text("Hi")]);
        assert_eq!(read(&json!({"parts": ["One", "Two"]})).unwrap(), [text("One"), text("Two")]);
        assert_eq!(
            read(&json!([{"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}]))
                .unwrap(),
            [Part::Call { tool: "Bash".into(), input: "ls".into() }]
        );
        assert_eq!(
            read(&json!([{"type": "tool_result", "tool_use_id": "t1", "content": [
                {"type": "text", "text": "a.rs"}]}]))
            .unwrap(),
            [Part::Output { tool: "tool of t1".into(), text: "a.rs".into() }]
        );
        assert_eq!(read(&json!([{"type": "image", "source": {}}])).unwrap(), []);
        for wrong in [json!(7), json!(true), json!({"text": 7}), json!([1, 2])] {
            assert_eq!(read(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn times_are_text_seconds_or_milliseconds() {
        let at = |value: Value| time(&value).map(|at| at.to_string());
        let expect = Some("2025-03-01T12:00:00Z".to_owned());
        assert_eq!(at(json!("2025-03-01T13:00:00+01:00")), expect);
        assert_eq!(at(json!(1_740_830_400)), expect);
        assert_eq!(at(json!(1_740_830_400_000_i64)), expect);
        assert_eq!(at(json!("1740830400")), expect);
        for wrong in [json!("soon"), json!(2025), json!(0), json!(-5), json!(1e300), json!([])] {
            assert_eq!(at(wrong), None);
        }
    }

    #[test]
    fn inputs_of_tools_are_their_strings_cut() {
        assert_eq!(input_of(&json!("{\"cmd\": [\"ls\", \"-l\"]}")), "ls\n-l");
        assert_eq!(input_of(&json!("*** Patch")), "*** Patch");
        let long = input_of(&json!({"content": "é".repeat(1000)}));
        assert!(long.len() <= MAX_INPUT_BYTES + 3 && long.ends_with('…'));
    }
}
