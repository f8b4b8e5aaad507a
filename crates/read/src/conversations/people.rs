//! The names of people in an export of Slack, which has them in a file beside the channels.

use std::collections::HashMap;

use serde_json::Value;

use super::super::file::File;
use super::super::tree::Tree;

/// Largest file of names that is read, in bytes.
const MAX_BYTES: u64 = 32 << 20;

/// Replaces the ids of people by their names, for senders and for mentions.
pub(super) fn name(value: &mut Value, file: &File, tree: &Tree) {
    let Value::Array(messages) = value else { return };
    let is_id = |id: &str| {
        id.len() > 1
            && id.starts_with(['U', 'W', 'B'])
            && id.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
    };
    let has_ids = messages.iter().any(|message| {
        message.get("user").and_then(Value::as_str).is_some_and(is_id)
            && message.get("ts").is_some()
    });
    let names = if has_ids { names(file, tree) } else { HashMap::new() };
    if names.is_empty() {
        return;
    }
    for message in messages {
        let sender = message.get("user").and_then(Value::as_str).and_then(|id| names.get(id));
        if let Some(sender) = sender {
            message["user"] = Value::from(sender.as_str());
        }
        if let Some(text) = message.get("text").and_then(Value::as_str)
            && text.contains("<@")
        {
            message["text"] = Value::from(mentioned(text, &names));
        }
    }
}

/// Returns a text in which names replace `<@U1>` and `<@U1|kim>`.
fn mentioned(text: &str, names: &HashMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("<@") {
        out.push_str(&rest[..at]);
        let inner = &rest[at + 2..];
        let Some(end) = inner.find('>') else {
            rest = &rest[at..];
            break;
        };
        let (id, label) = inner[..end].split_once('|').unwrap_or((&inner[..end], ""));
        match names.get(id).map(String::as_str).or(Some(label).filter(|label| !label.is_empty())) {
            Some(name) => {
                out.push('@');
                out.push_str(name);
            }
            None => out.push_str(&rest[at..at + end + 3]),
        }
        rest = &inner[end + 1..];
    }
    out + rest
}

/// Returns the names in `users.json`, beside the file or above its channel.
fn names(file: &File, tree: &Tree) -> HashMap<String, String> {
    let found = file.path.ancestors().skip(1).take(2).map(|above| above.join("users.json"));
    let mut names = HashMap::new();
    for path in found {
        if path == file.path || tree.len(&path).is_ok_and(|len| len > MAX_BYTES) {
            continue;
        }
        let Ok(bytes) = tree.read(&path) else { continue };
        let Ok(Value::Array(people)) = serde_json::from_slice(&bytes) else { continue };
        for person in &people {
            let text = |pointer: &str| {
                person.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
            };
            let name = text("/profile/display_name")
                .or_else(|| text("/real_name"))
                .or_else(|| text("/profile/real_name"))
                .or_else(|| text("/name"));
            if let (Some(id), Some(name)) = (text("/id"), name) {
                names.insert(id.to_owned(), name.to_owned());
            }
        }
        break;
    }
    names
}
