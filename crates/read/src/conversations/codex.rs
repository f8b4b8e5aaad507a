//! Session logs of Codex (`rollout-*.jsonl`): one JSON object on each line, `{"timestamp", "type",
//! "payload"}`; in logs of early versions only the payload.

use std::collections::HashMap;

use serde_json::Value;

use super::lines::Line;
use super::model::{Conversation, Part, Turn, role};
use super::values;
use crate::notes::Notes;

/// Returns whether a line is one of such a log.
pub(super) fn is_line(value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_wrapped = value.get("payload").is_some_and(Value::is_object)
        && matches!(
            kind,
            "session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted"
        );
    let has = |name| value.get(name).is_some();
    // The first line of early versions.
    let is_early = has("id") && has("timestamp") && has("instructions") && !has("role");
    is_wrapped || is_early || has("record_type")
}

/// Reads a log. Events repeat the content of items, so only items are read.
pub(super) fn read(lines: &[Line], notes: &mut Notes) -> Vec<Conversation> {
    let agent = "Codex".to_owned();
    let mut conversation = Conversation { agent, ..Conversation::default() };
    let mut tools: HashMap<&str, &str> = HashMap::new();
    for Line { number, value } in lines {
        let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
        let item = match (kind, value.get("payload")) {
            ("session_meta", Some(payload)) => {
                describe(payload, &mut conversation);
                continue;
            }
            ("turn_context", Some(payload)) => {
                if conversation.project.is_none() {
                    conversation.project = values::text(payload, &["cwd"]).map(str::to_owned);
                }
                conversation.model = values::text(payload, &["model"]).map(str::to_owned);
                continue;
            }
            ("response_item", Some(payload)) => payload,
            ("event_msg" | "compacted", _) => continue,
            (_, Some(_)) => continue,
            ("", None) => {
                describe(value, &mut conversation);
                continue;
            }
            (_, None) => value,
        };
        if let (Some(id), Some(name)) =
            (values::text(item, &["call_id"]), values::text(item, &["name"]))
        {
            tools.insert(id, name);
        }
        match turn(item, &tools) {
            Ok(Some(turn)) => {
                let time = value.get("timestamp").and_then(values::time);
                conversation.turns.push(Turn { time, ..turn });
            }
            Ok(None) => {}
            Err(reason) => notes.malformed(*number, reason),
        }
    }
    vec![conversation]
}

fn describe(value: &Value, conversation: &mut Conversation) {
    let Conversation { session, project, created, branch, .. } = conversation;
    if session.is_none() {
        *session = values::text(value, &["id"]).map(str::to_owned);
    }
    if project.is_none() {
        *project = values::text(value, &["cwd"]).map(str::to_owned);
    }
    if branch.is_none() {
        let of_repository = value.pointer("/git/branch").and_then(Value::as_str);
        *branch = of_repository.map(str::to_owned);
    }
    *created = created.or_else(|| value.get("timestamp").and_then(values::time));
}

/// Returns the turn of an item. `None`: items of its kind have no text.
fn turn(item: &Value, tools: &HashMap<&str, &str>) -> Result<Option<Turn>, &'static str> {
    let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
    let tool_of = |id: &str| tools.get(id).copied().unwrap_or_default().to_owned();
    let by =
        |speaker: &str, parts| Ok(Some(Turn { role: role(speaker), parts, ..Turn::default() }));
    match kind {
        "message" => {
            let speaker = values::text(item, &["role"]).ok_or("has a message without a role")?;
            let content = item.get("content").unwrap_or(&Value::Null);
            let parts = values::content(content, &tool_of)
                .ok_or("has a message whose content is of no known shape")?;
            by(speaker, parts)
        }
        "function_call" | "custom_tool_call" => {
            let parts = values::content(item, &tool_of).unwrap_or_default();
            by("assistant", parts)
        }
        "local_shell_call" | "web_search_call" => {
            let input = item.get("action").map(values::input_of).unwrap_or_default();
            let tool = kind.trim_end_matches("_call").to_owned();
            by("assistant", vec![Part::Call { tool, input }])
        }
        "function_call_output" | "custom_tool_call_output" => {
            let parts = values::content(item, &tool_of).unwrap_or_default();
            by("tool", parts)
        }
        "reasoning" => {
            let summary = item.get("summary").and_then(Value::as_array).into_iter().flatten();
            let texts: Vec<&str> =
                summary.filter_map(|part| values::text(part, &["text"])).collect();
            by("assistant", vec![Part::Reasoning(texts.join("\n"))])
        }
        _ => Ok(None),
    }
}
