//! Sessions of Gemini CLI (`~/.gemini/tmp/PROJECT/chats/session-*.json`): an object with
//! `sessionId` and `messages`, whose `type` is the speaker.

use serde_json::Value;

use super::model::{Conversation, Part, Turn, role};
use super::{values, wrappers};
use crate::file::File;
use crate::tree::Tree;

/// Longest path of a project that is read, in bytes.
const MAX_PATH_BYTES: u64 = 4096;

/// Returns whether a value is a session.
pub(super) fn is_session(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    let is_told = has("projectHash") || has("startTime") || has("lastUpdated");
    let messages = value.get("messages").and_then(Value::as_array);
    has("sessionId")
        && is_told
        && messages.is_some_and(|list| list.iter().all(|one| one.get("type").is_some()))
}

/// Reads a session. Messages of the program about itself are left out.
pub(super) fn read(value: &Value, file: &File, tree: &Tree) -> Conversation {
    let text = |names: &[&str]| values::text(value, names).map(str::to_owned);
    let messages = || value.get("messages").and_then(Value::as_array).into_iter().flatten();
    let mut model = messages().filter_map(|message| values::text(message, &["model"]));
    let model = model.next_back();
    Conversation {
        title: text(&["summary", "title"]).unwrap_or_default(),
        agent: "Gemini CLI".to_owned(),
        project: text(&["projectRoot", "cwd"]).or_else(|| project(file, tree)),
        session: text(&["sessionId"]),
        model: model.map(str::to_owned),
        created: value.get("startTime").and_then(values::time),
        turns: messages().map(turn).collect(),
        ..Conversation::default()
    }
}

/// Returns the project, which follows from the directory of the sessions.
fn project(file: &File, tree: &Tree) -> Option<String> {
    let mark = file.path.parent()?.parent()?.join(".project_root");
    let path = String::from_utf8(tree.start(&mark, MAX_PATH_BYTES)).ok()?;
    Some(path.trim().to_owned()).filter(|path| !path.is_empty())
}

fn turn(message: &Value) -> Turn {
    let speaker = values::text(message, &["type", "role"]).unwrap_or("unknown");
    let no_tool = |_: &str| String::new();
    let content = ["displayContent", "content"].iter().find_map(|name| message.get(*name));
    let mut parts =
        content.and_then(|content| values::content(content, &no_tool)).unwrap_or_default();
    let thoughts = message.get("thoughts").and_then(Value::as_array).into_iter().flatten();
    let thoughts =
        thoughts.filter_map(|thought| values::text(thought, &["description", "subject"]));
    let mut all: Vec<Part> = thoughts.map(|text| Part::Reasoning(text.to_owned())).collect();
    let calls = message.get("toolCalls").and_then(Value::as_array).into_iter().flatten();
    for call in calls {
        let tool = values::text(call, &["name"]).unwrap_or_default().to_owned();
        let input = call.get("args").map(values::input_of).unwrap_or_default();
        all.push(Part::Call { tool: tool.clone(), input });
        let output =
            call.get("resultDisplay").filter(|shown| shown.is_string()).or(call.get("result"));
        if let Some(output) = output {
            all.push(Part::Output { tool, text: values::output_of(output) });
        }
    }
    all.append(&mut parts);
    // Errors and notices of the program do not come from the model.
    let speaker = match speaker {
        "gemini" => "assistant".to_owned(),
        "info" | "error" | "warning" => {
            all = all.into_iter().map(as_context).collect();
            "system".to_owned()
        }
        other => role(other),
    };
    Turn { role: speaker, time: message.get("timestamp").and_then(values::time), parts: all }
}

fn as_context(part: Part) -> Part {
    match part {
        Part::Text(text) | Part::Plain(text) => Part::Context(text),
        other => other,
    }
}

/// Returns whether a value is an entry of the log of prompts (`logs.json`).
pub(super) fn is_prompt(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    has("sessionId") && has("messageId") && has("message") && has("type")
}

/// Reads the log of prompts: a conversation for each session.
pub(super) fn read_prompts(list: &[Value]) -> Vec<Conversation> {
    let mut found: Vec<Conversation> = Vec::new();
    for value in list.iter().filter(|value| is_prompt(value)) {
        let session = values::text(value, &["sessionId"]).map(str::to_owned);
        let at = found.iter().position(|one| one.session == session).unwrap_or_else(|| {
            found.push(Conversation {
                id: session.clone().unwrap_or_default(),
                agent: "Gemini CLI".to_owned(),
                session: session.clone(),
                ..Conversation::default()
            });
            found.len() - 1
        });
        found[at].turns.push(Turn {
            role: role(values::text(value, &["type"]).unwrap_or("user")),
            time: value.get("timestamp").and_then(values::time),
            parts: wrappers::parts(values::text(value, &["message"]).unwrap_or_default()),
        });
    }
    found
}
