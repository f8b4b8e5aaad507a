//! The export of ChatGPT: `conversations.json`, a list of conversations whose messages are a tree.

use std::collections::HashSet;

use serde_json::Value;

use super::model::{Conversation, Part, Turn, role};
use super::values;

/// Returns whether a value is a conversation of such an export.
pub(super) fn is_conversation(value: &Value) -> bool {
    value.get("mapping").is_some_and(Value::is_object)
}

/// Reads a conversation: the branch of the tree that the program shows. Branches that were
/// abandoned after an edit or a second answer are not read.
pub(super) fn read(value: &Value) -> Conversation {
    let text = |names: &[&str]| values::text(value, names);
    let id = text(&["conversation_id", "id"]).unwrap_or_default();
    Conversation {
        id: id.to_owned(),
        agent: "ChatGPT".to_owned(),
        title: text(&["title"]).unwrap_or_default().to_owned(),
        project: text(&["project_name", "gizmo_id", "conversation_template_id"]).map(str::to_owned),
        session: (!id.is_empty()).then(|| id.to_owned()),
        created: value.get("create_time").and_then(values::time),
        turns: branch(value).into_iter().filter_map(turn).collect(),
        model: values::text(value, &["default_model_slug"]).map(str::to_owned),
        ..Conversation::default()
    }
}

/// Returns the messages from the root of the tree to the current one.
fn branch(value: &Value) -> Vec<&Value> {
    let Some(mapping) = value.get("mapping").and_then(Value::as_object) else { return Vec::new() };
    // Without a current message, take the latest one that no other message follows.
    let is_leaf = |node: &Value| {
        node.get("children").and_then(Value::as_array).is_none_or(|children| children.is_empty())
    };
    let time = |node: &Value| {
        node.pointer("/message/create_time").and_then(Value::as_f64).unwrap_or_default()
    };
    let current = values::text(value, &["current_node"]).filter(|id| mapping.contains_key(*id));
    let last = mapping
        .iter()
        .filter(|(_, node)| is_leaf(node))
        .max_by(|(_, a), (_, b)| time(a).total_cmp(&time(b)))
        .map(|(id, _)| id.as_str());
    let mut at = current.or(last);
    let mut seen: HashSet<&str> = HashSet::new();
    let mut branch = Vec::new();
    // A damaged tree may contain circles.
    while let Some(id) = at.filter(|id| seen.insert(id)) {
        let Some(node) = mapping.get(id) else { break };
        branch.extend(node.get("message").filter(|message| message.is_object()));
        at = node.get("parent").and_then(Value::as_str);
    }
    branch.reverse();
    branch
}

fn turn(message: &Value) -> Option<Turn> {
    let speaker = message.pointer("/author/role").and_then(Value::as_str).unwrap_or("unknown");
    let hidden = message.pointer("/metadata/is_visually_hidden_from_conversation");
    let content = message.get("content")?;
    let recipient = values::text(message, &["recipient"]).unwrap_or("all");
    let kind = values::text(content, &["content_type"]).unwrap_or("text");
    let texts = || {
        let parts = content.get("parts").or_else(|| content.get("text"))?;
        let known = values::content(parts, &|_| String::new())?;
        Some(known)
    };
    let joined = || {
        let texts = texts().unwrap_or_default();
        let texts = texts.iter().filter_map(|part| match part {
            Part::Text(text) | Part::Context(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    };
    let parts = match kind {
        "user_editable_context" | "model_editable_context" => return None,
        "thoughts" | "reasoning_recap" => {
            let text = values::text(content, &["content"]).unwrap_or_default();
            vec![Part::Reasoning(text.to_owned())]
        }
        _ if hidden == Some(&Value::Bool(true)) => vec![Part::Context(joined())],
        _ if speaker == "tool" => {
            let tool = message.pointer("/author/name").and_then(Value::as_str).unwrap_or_default();
            vec![Part::Output { tool: tool.to_owned(), text: joined() }]
        }
        _ if recipient != "all" => {
            let input = values::cut(&joined(), 600);
            vec![Part::Call { tool: recipient.to_owned(), input }]
        }
        _ => texts()?,
    };
    let time = message.get("create_time").and_then(values::time);
    Some(Turn { role: role(speaker), time, parts })
}
