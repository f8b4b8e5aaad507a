//! GitHub Copilot: chats of Visual Studio Code (`chatSessions/*.json`, `.jsonl`) and events of the
//! command line (`~/.copilot/session-state/ID/events.jsonl`).

use std::collections::HashMap;

use serde_json::Value;

use super::lines::Line;
use super::model::{Conversation, Part, Turn};
use super::{values, wrappers};
use crate::file::File;
use crate::tree::Tree;

/// Largest description of a workspace that is read, in bytes.
const MAX_WORKSPACE_BYTES: u64 = 64 << 10;

/// Deepest path, and longest list, that a change of a chat may name.
const MAX_PATH: usize = 16;
const MAX_LIST: usize = 100_000;

/// Returns whether a value is a chat of Visual Studio Code.
pub(super) fn is_chat(value: &Value) -> bool {
    let requests = value.get("requests").and_then(Value::as_array);
    let is_request = |one: &Value| one.get("message").is_some() && one.get("response").is_some();
    let is_named =
        value.get("responderUsername").is_some() || value.get("requesterUsername").is_some();
    requests.is_some_and(|list| list.iter().any(is_request) || (list.is_empty() && is_named))
}

/// Reads a chat of Visual Studio Code.
pub(super) fn read_chat(value: &Value, file: &File, tree: &Tree) -> Conversation {
    let text = |names: &[&str]| values::text(value, names).map(str::to_owned);
    let requests = value.get("requests").and_then(Value::as_array).into_iter().flatten();
    let mut model = None;
    let mut turns = Vec::new();
    for request in requests {
        let named = values::text(request, &["modelId"]).map(str::to_owned);
        model = named.or(model);
        turns.extend(exchange(request));
    }
    Conversation {
        title: text(&["customTitle"]).unwrap_or_default(),
        agent: match text(&["responderUsername"]) {
            Some(name) if !name.to_lowercase().contains("copilot") => name,
            _ => "GitHub Copilot".to_owned(),
        },
        project: workspace(file, tree),
        session: text(&["sessionId"]),
        created: value.get("creationDate").and_then(values::time),
        model,
        turns,
        ..Conversation::default()
    }
}

/// Returns the directory of the workspace to which a chat belongs.
fn workspace(file: &File, tree: &Tree) -> Option<String> {
    let path = file.path.parent()?.parent()?.join("workspace.json");
    let value: Value = serde_json::from_slice(&tree.start(&path, MAX_WORKSPACE_BYTES)).ok()?;
    let folder = values::text(&value, &["folder", "workspace"])?;
    let path = folder.strip_prefix("file://").unwrap_or(folder);
    Some(findling_bundle::addresses::percent_decoded(path))
}

/// Returns the turns of a request and its response.
fn exchange(request: &Value) -> [Turn; 2] {
    let time = request.get("timestamp").and_then(values::time);
    let message = request.get("message");
    let asked =
        message.and_then(|message| message.as_str().or_else(|| values::text(message, &["text"])));
    let pieces = request.get("response").and_then(Value::as_array).into_iter().flatten();
    let mut parts: Vec<Part> = Vec::new();
    for piece in pieces {
        match values::text(piece, &["kind"]).unwrap_or_default() {
            "toolInvocationSerialized" | "toolInvocation" => parts.extend(call(piece)),
            "thinking" => {
                let text = values::text(piece, &["value"]).unwrap_or_default();
                parts.push(Part::Reasoning(text.to_owned()));
            }
            "" | "markdownContent" | "markdownVuln" => {
                let text = values::text(piece, &["value"])
                    .or_else(|| piece.pointer("/value/value").and_then(Value::as_str))
                    .or_else(|| piece.pointer("/content/value").and_then(Value::as_str));
                add_text(text.unwrap_or_default(), &mut parts);
            }
            "inlineReference" => {
                let name = values::text(piece, &["name"])
                    .or_else(|| piece.pointer("/inlineReference/name").and_then(Value::as_str));
                add_text(name.unwrap_or_default(), &mut parts);
            }
            _ => {}
        }
    }
    let asked =
        Turn { role: "user".to_owned(), time, parts: wrappers::parts(asked.unwrap_or_default()) };
    [asked, Turn { role: "assistant".to_owned(), time, parts }]
}

/// Adds a piece of an answer, which may continue in the middle of a sentence.
fn add_text(text: &str, parts: &mut Vec<Part>) {
    match parts.last_mut() {
        Some(Part::Text(last)) => last.push_str(text),
        _ if text.is_empty() => {}
        _ => parts.push(Part::Text(text.to_owned())),
    }
}

fn call(piece: &Value) -> Option<Part> {
    let tool = values::text(piece, &["toolId", "toolName"])?.to_owned();
    let told = ["pastTenseMessage", "invocationMessage"].iter().find_map(|name| {
        let message = piece.get(*name)?;
        message.as_str().or_else(|| values::text(message, &["value"]))
    });
    let command = piece.pointer("/toolSpecificData/commandLine/original").and_then(Value::as_str);
    let command =
        command.or_else(|| piece.pointer("/toolSpecificData/command").and_then(Value::as_str));
    Some(Part::Call { tool, input: values::cut(command.or(told).unwrap_or_default(), 600) })
}

/// Returns whether a line begins a chat that is kept as a value and its changes.
pub(super) fn is_kept_in_changes(value: &Value) -> bool {
    value.get("kind").and_then(Value::as_u64) == Some(0)
        && value.get("v").is_some_and(|chat| is_chat(chat) || chat.get("requests").is_some())
}

/// Reads a chat that is kept as a value and its changes: `{"kind": 0, "v": chat}`, then values that
/// are set at a path (1) or added to a list (2).
pub(super) fn read_changes(lines: &[Line], file: &File, tree: &Tree) -> Vec<Conversation> {
    let mut chat = Value::Null;
    for Line { value, .. } in lines {
        let new = value.get("v").cloned().unwrap_or(Value::Null);
        let path = value.get("k").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        match value.get("kind").and_then(Value::as_u64) {
            Some(0) => chat = new,
            Some(1) => set(&mut chat, path, new),
            Some(2) => {
                let Some(Value::Array(list)) = place(&mut chat, path) else { continue };
                if let Some(kept) = value.get("i").and_then(Value::as_u64) {
                    list.truncate(usize::try_from(kept).unwrap_or(usize::MAX));
                }
                if let Value::Array(new) = new {
                    list.extend(new);
                }
            }
            _ => {}
        }
    }
    vec![read_chat(&chat, file, tree)]
}

fn set(chat: &mut Value, path: &[Value], new: Value) {
    let Some((last, above)) = path.split_last() else { return };
    match (place(chat, above), last) {
        (Some(Value::Object(fields)), Value::String(name)) => {
            fields.insert(name.clone(), new);
        }
        (Some(Value::Array(list)), Value::Number(at)) => {
            let at = at.as_u64().and_then(|at| usize::try_from(at).ok()).unwrap_or(usize::MAX);
            if at < list.len() {
                list[at] = new;
            } else if at == list.len() && at < MAX_LIST {
                list.push(new);
            }
        }
        _ => {}
    }
}

/// Returns the value at a path of names and numbers.
fn place<'v>(chat: &'v mut Value, path: &[Value]) -> Option<&'v mut Value> {
    if path.len() > MAX_PATH {
        return None;
    }
    path.iter().try_fold(chat, |at, step| match step {
        Value::String(name) => at.get_mut(name),
        Value::Number(number) => at.get_mut(usize::try_from(number.as_u64()?).ok()?),
        _ => None,
    })
}

/// Returns whether a line is an event of the command line.
pub(super) fn is_event(value: &Value) -> bool {
    let kind = values::text(value, &["type"]).unwrap_or_default();
    value.get("data").is_some_and(Value::is_object)
        && matches!(kind, "session.start" | "user.message" | "assistant.message" | "session.resume")
}

/// Reads the events of a session of the command line.
pub(super) fn read_events(lines: &[Line]) -> Vec<Conversation> {
    let agent = "Copilot CLI".to_owned();
    let mut conversation = Conversation { agent, ..Conversation::default() };
    let mut tools: HashMap<String, String> = HashMap::new();
    for Line { value, .. } in lines {
        let Some(data) = value.get("data") else { continue };
        let text = |names: &[&str]| values::text(data, names).map(str::to_owned);
        let time = value.get("timestamp").and_then(values::time);
        let mut add = |role: &str, parts: Vec<Part>| {
            conversation.turns.push(Turn { role: role.to_owned(), time, parts });
        };
        match values::text(value, &["type"]).unwrap_or_default() {
            "session.start" => {
                let of_context =
                    |name: &str| data.pointer(&format!("/context/{name}")).and_then(Value::as_str);
                conversation.session = text(&["sessionId"]);
                conversation.project =
                    of_context("cwd").or_else(|| of_context("gitRoot")).map(str::to_owned);
                conversation.branch = of_context("branch").map(str::to_owned);
                conversation.created = data.get("startTime").and_then(values::time);
                conversation.model = text(&["selectedModel", "model"]);
            }
            "session.model_change" => conversation.model = text(&["newModel"]),
            "session.title_changed" => conversation.title = text(&["title"]).unwrap_or_default(),
            "user.message" => {
                add("user", wrappers::parts(&text(&["content"]).unwrap_or_default()));
            }
            "assistant.message" => {
                let mut parts: Vec<Part> = text(&["content"]).map(Part::Text).into_iter().collect();
                let calls =
                    data.get("toolRequests").and_then(Value::as_array).into_iter().flatten();
                for call in calls {
                    let tool = values::text(call, &["name"]).unwrap_or_default().to_owned();
                    if let Some(id) = values::text(call, &["toolCallId"]) {
                        tools.insert(id.to_owned(), tool.clone());
                    }
                    let input = call.get("arguments").map(values::input_of).unwrap_or_default();
                    parts.push(Part::Call { tool, input });
                }
                add("assistant", parts);
            }
            "tool.execution_complete" => {
                let call = text(&["toolCallId"]).unwrap_or_default();
                let tool = tools.get(&call).cloned().unwrap_or_default();
                let output = data.pointer("/result/content").or(data.get("result"));
                let text = output.map(values::output_of).unwrap_or_default();
                add("tool", vec![Part::Output { tool, text }]);
            }
            _ => {}
        }
    }
    vec![conversation]
}
