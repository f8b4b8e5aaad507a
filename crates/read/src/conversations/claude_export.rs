//! The export of Claude: `conversations.json`, a list of conversations with `chat_messages`.

use serde_json::Value;

use super::model::{Conversation, Part, Turn, role};
use super::values;
use super::wrappers;

/// Returns whether a value is a conversation of such an export.
pub(super) fn is_conversation(value: &Value) -> bool {
    value.get("chat_messages").is_some_and(Value::is_array)
}

/// Reads a conversation. The text of attachments is read as text of their turn.
pub(super) fn read(value: &Value) -> Conversation {
    let id = values::text(value, &["uuid"]).unwrap_or_default();
    let messages = value.get("chat_messages").and_then(Value::as_array).into_iter().flatten();
    let project = value.pointer("/project/name").and_then(Value::as_str);
    Conversation {
        id: id.to_owned(),
        agent: "Claude".to_owned(),
        title: values::text(value, &["name"]).unwrap_or_default().to_owned(),
        project: project.map(str::to_owned),
        session: (!id.is_empty()).then(|| id.to_owned()),
        created: value.get("created_at").and_then(values::time),
        turns: messages.map(turn).collect(),
        ..Conversation::default()
    }
}

fn turn(message: &Value) -> Turn {
    let content = message
        .get("content")
        .filter(|content| content.as_array().is_some_and(|blocks| !blocks.is_empty()));
    let mut parts = content
        .and_then(|content| values::content(content, &|_| String::new()))
        .unwrap_or_default();
    if !parts.iter().any(|part| matches!(part, Part::Text(_))) {
        parts.extend(values::text(message, &["text"]).into_iter().flat_map(wrappers::parts));
    }
    let attachments = message.get("attachments").and_then(Value::as_array).into_iter().flatten();
    for attachment in attachments {
        let text = values::text(attachment, &["extracted_content"]);
        parts.extend(text.map(|text| Part::Plain(text.to_owned())));
    }
    Turn {
        role: role(values::text(message, &["sender"]).unwrap_or("unknown")),
        time: message.get("created_at").and_then(values::time),
        parts,
    }
}
