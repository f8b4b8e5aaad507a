//! Messages in the shapes of the OpenAI and Anthropic interfaces, and in shapes that a file of
//! field names describes.

use std::collections::HashMap;

use serde_json::Value;

use super::fields::Fields;
use super::lines::Line;
use super::model::{Conversation, Part, Turn, role};
use super::values;
use crate::notes::Notes;

const NO_MESSAGE: &str = "is no message with role and content";

/// Returns whether a value is a conversation: it has a list of messages.
pub(super) fn is_conversation(value: &Value, fields: &Fields) -> bool {
    messages(value, fields).is_some_and(|list| list.iter().any(|one| is_message(one, fields)))
}

/// Returns whether a value is a message.
pub(super) fn is_message(value: &Value, fields: &Fields) -> bool {
    fields.role.text(value).is_some()
        && (fields.text.find(value).is_some() || value.get("tool_calls").is_some())
}

fn messages<'a>(value: &'a Value, fields: &Fields) -> Option<&'a Vec<Value>> {
    fields.messages.find(value)?.as_array()
}

/// Reads a conversation. `line` is its line in the file, for messages that are left out.
pub(super) fn read(value: &Value, fields: &Fields, line: u64, notes: &mut Notes) -> Conversation {
    let mut conversation = describe(value, fields);
    let list = messages(value, fields).map(Vec::as_slice).unwrap_or_default();
    let tools = tools(list);
    for message in list {
        match turn(message, fields, &tools) {
            Some(turn) => conversation.turns.push(turn),
            None => notes.malformed(line, NO_MESSAGE),
        }
    }
    conversation
}

/// Reads a file whose lines are messages or conversations. Messages of one session are one
/// conversation, in the order of the file.
pub(super) fn read_lines(lines: &[Line], fields: &Fields, notes: &mut Notes) -> Vec<Conversation> {
    let mut found: Vec<Conversation> = Vec::new();
    let mut sessions: HashMap<String, usize> = HashMap::new();
    let tools = tools(lines.iter().map(|line| &line.value));
    for Line { number, value } in lines {
        if is_conversation(value, fields) {
            found.push(read(value, fields, *number, notes));
            continue;
        }
        let Some(turn) = turn(value, fields, &tools) else {
            notes.malformed(*number, NO_MESSAGE);
            continue;
        };
        let session = fields.session.text(value).unwrap_or_default();
        let at = *sessions.entry(session).or_insert_with_key(|session| {
            // The id of a message is not the id of its conversation.
            let described = describe(value, fields);
            let title = String::new();
            found.push(Conversation { id: session.clone(), title, ..described });
            found.len() - 1
        });
        found[at].turns.push(turn);
    }
    found
}

fn describe(value: &Value, fields: &Fields) -> Conversation {
    let session = fields.session.text(value);
    let own = ["id", "uuid", "_id"].iter().find_map(|name| match value.get(*name)? {
        Value::String(id) if !id.trim().is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    });
    Conversation {
        id: session.clone().or(own).unwrap_or_default(),
        title: fields.title.text(value).unwrap_or_default(),
        project: fields.project.text(value),
        session,
        created: fields.time.find(value).and_then(values::time),
        model: values::text(value, &["model"]).map(str::to_owned),
        ..Conversation::default()
    }
}

/// Returns the tools of all calls, by the ids of the calls.
fn tools<'a>(messages: impl IntoIterator<Item = &'a Value>) -> HashMap<&'a str, &'a str> {
    let mut tools = HashMap::new();
    for message in messages {
        let calls =
            ["tool_calls", "content"].iter().filter_map(|name| message.get(*name)?.as_array());
        for call in calls.flatten() {
            let name = call.pointer("/function/name").or_else(|| call.get("name"));
            if let (Some(id), Some(name)) =
                (call.get("id").and_then(Value::as_str), name.and_then(Value::as_str))
            {
                tools.insert(id, name);
            }
        }
    }
    tools
}

fn turn(message: &Value, fields: &Fields, tools: &HashMap<&str, &str>) -> Option<Turn> {
    let spelled = fields.role.text(message)?;
    let speaker = match fields.roles.get(&spelled) {
        Some(named) => named.clone(),
        None => role(&spelled),
    };
    let tool_of = |id: &str| tools.get(id).copied().unwrap_or_default().to_owned();
    let text = fields.text.find(message);
    let calls = calls(message);
    let mut parts = match text {
        Some(text) => values::content(text, &tool_of)?,
        None if calls.is_empty() => return None,
        None => Vec::new(),
    };
    if let Some(thought) = values::text(message, &["reasoning_content", "reasoning"]) {
        parts.insert(0, Part::Reasoning(thought.to_owned()));
    }
    if speaker == "tool" {
        let call = values::text(message, &["tool_call_id"]).unwrap_or_default();
        let tool = match values::text(message, &["name"]) {
            Some(name) => name.to_owned(),
            None => tool_of(call),
        };
        for part in &mut parts {
            if let Part::Text(text) | Part::Context(text) = part {
                *part = Part::Output { tool: tool.clone(), text: std::mem::take(text) };
            }
        }
    }
    parts.extend(calls);
    let time = fields.time.find(message).and_then(values::time);
    Some(Turn { role: speaker, time, parts })
}

/// Returns the tool calls that are listed beside the content of a message.
fn calls(message: &Value) -> Vec<Part> {
    let list = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    let functions = list.filter_map(|call| call.get("function").or(Some(call)));
    functions
        .chain(message.get("function_call"))
        .filter_map(|function| {
            let tool = values::text(function, &["name"])?.to_owned();
            let input = function.get("arguments").map(values::input_of).unwrap_or_default();
            Some(Part::Call { tool, input })
        })
        .collect()
}
