//! Exports that wrap conversations in shapes of their own, and texts that are lists of runs.

use scraper::Html;
use serde_json::{Value, json};

/// Brings an export into the shape of conversations with messages.
pub(super) fn unwrap(value: &mut Value) {
    if let Value::Array(items) = value {
        if items.iter().any(is_activity) {
            let found = items.iter().filter_map(of_activity).collect();
            *value = Value::Array(found);
            return;
        }
        items.iter_mut().for_each(unwrap_one);
    } else {
        unwrap_one(value);
    }
}

/// Returns whether a value is a conversation in a shape that must be converted.
pub(super) fn is_known(value: &Value) -> bool {
    is_activity(value)
        || value.get("chat").is_some_and(has_messages)
        || is_posted(value)
        || value
            .get("messages")
            .and_then(Value::as_array)
            .is_some_and(|messages| messages.iter().any(is_posted))
}

/// Returns whether a value is a message of Slack, Telegram or Discord.
fn is_posted(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    let is_message = value.get("type").and_then(Value::as_str) == Some("message");
    (is_message && has("ts") && has("text"))
        || (is_message && has("from") && has("text") && has("date"))
        || (value.pointer("/author/name").is_some() && has("content") && has("timestamp"))
}

fn has_messages(chat: &Value) -> bool {
    chat.get("messages").is_some_and(Value::is_array)
        || chat.pointer("/history/messages").is_some_and(Value::is_object)
}

/// Unwraps a conversation from `chat`, where Open WebUI puts it, and joins texts that are lists of
/// runs, as Telegram writes them.
fn unwrap_one(value: &mut Value) {
    if let Some(chat) = value.get("chat").filter(|chat| has_messages(chat)) {
        let mut chat = chat.clone();
        let is_empty = chat["messages"].as_array().is_none_or(Vec::is_empty);
        if is_empty {
            chat["messages"] = Value::Array(of_history(&chat["history"]));
        }
        for field in ["id", "title", "created_at"] {
            if chat.get(field).is_none()
                && let Some(found) = value.get(field)
            {
                chat[field] = found.clone();
            }
        }
        *value = chat;
    }
    let Some(messages) = value.get_mut("messages").and_then(Value::as_array_mut) else { return };
    for message in messages {
        for field in ["text", "content"] {
            let joined = message.get(field).and_then(runs);
            if let Some(text) = joined {
                message[field] = Value::from(text);
            }
        }
    }
}

/// Returns the messages of a tree, from the first to the current one.
fn of_history(history: &Value) -> Vec<Value> {
    let messages = &history["messages"];
    let mut found = Vec::new();
    let mut at = history["currentId"].as_str();
    while let Some(message) = at.and_then(|id| messages.get(id)) {
        found.push(message.clone());
        at = message["parentId"].as_str();
        if found.len() > 100_000 {
            break;
        }
    }
    found.reverse();
    found
}

/// Returns the text of a list of strings and of runs with a style: `[{"type": "bold", "text":
/// "Fog"}, "."]`.
fn runs(value: &Value) -> Option<String> {
    let runs = value.as_array()?;
    let is_style = |run: &Value| {
        let kind = run.get("type").and_then(Value::as_str).unwrap_or_default();
        run.get("text").is_some_and(Value::is_string)
            && matches!(
                kind,
                "plain"
                    | "bold"
                    | "italic"
                    | "underline"
                    | "strikethrough"
                    | "spoiler"
                    | "code"
                    | "pre"
                    | "link"
                    | "text_link"
                    | "mention"
                    | "mention_name"
                    | "hashtag"
                    | "cashtag"
                    | "bot_command"
                    | "email"
                    | "phone"
                    | "blockquote"
                    | "custom_emoji"
                    | "bank_card"
            )
    };
    let is_run = |run: &Value| run.is_string() || is_style(run);
    if runs.is_empty() || !runs.iter().any(is_style) || !runs.iter().all(is_run) {
        return None;
    }
    let text = |run: &Value| run.as_str().or_else(|| run["text"].as_str()).map(str::to_owned);
    Some(runs.iter().filter_map(text).collect())
}

/// Returns whether a value is an entry of an activity in Google's exports: a prompt and its answer.
fn is_activity(value: &Value) -> bool {
    value.get("header").is_some_and(Value::is_string)
        && value.get("title").is_some_and(Value::is_string)
        && value.get("products").is_some_and(Value::is_array)
}

fn of_activity(value: &Value) -> Option<Value> {
    let title = value["title"].as_str()?;
    let prompt = ["Prompted ", "Asked ", "Said ", "Eingegebener Prompt: "]
        .iter()
        .find_map(|start| title.strip_prefix(start))
        .unwrap_or(title)
        .trim();
    let time = &value["time"];
    let mut messages = vec![json!({"role": "user", "content": prompt, "timestamp": time})];
    let answers = value["safeHtmlItem"].as_array().into_iter().flatten();
    for answer in answers.filter_map(|item| item["html"].as_str()) {
        let text: Vec<String> = Html::parse_fragment(answer)
            .root_element()
            .text()
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
            .collect();
        let content = text.join("\n");
        messages.push(json!({"role": "assistant", "content": content, "timestamp": time}));
    }
    Some(json!({"title": prompt, "created_at": time, "messages": messages}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_become_one_text() {
        let text =
            json!([{"type": "plain", "text": "Fog "}, "at ", {"type": "bold", "text": "sea"}]);
        assert_eq!(runs(&text).as_deref(), Some("Fog at sea"));
        for other in [json!(["One", "Two"]), json!([{"type": "image"}]), json!([]), json!("x")] {
            assert_eq!(runs(&other), None, "{other}");
        }
    }

    #[test]
    fn conversations_are_taken_out_of_their_shapes() {
        let mut chats = json!([{"title": "Locks", "chat": {"messages": [],
            "history": {"currentId": "b", "messages": {
                "a": {"id": "a", "role": "user", "content": "How?"},
                "b": {"id": "b", "parentId": "a", "role": "assistant", "content": "So."}}}}}]);
        assert!(is_known(&chats[0]));
        unwrap(&mut chats);
        assert_eq!(chats[0]["title"], "Locks");
        assert_eq!(chats[0]["messages"][0]["content"], "How?");
        assert_eq!(chats[0]["messages"][1]["content"], "So.");
        let mut activity = json!([{"header": "Gemini Apps", "title": "Prompted How deep?",
            "time": "2025-01-01T10:00:00Z", "products": ["Gemini Apps"],
            "safeHtmlItem": [{"html": "<p>Nine <b>metres</b>.</p>"}]}]);
        unwrap(&mut activity);
        assert_eq!(activity[0]["messages"][0]["content"], "How deep?");
    }
}
