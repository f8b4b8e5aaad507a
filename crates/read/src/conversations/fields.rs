//! The places of the parts of messages: the names that many programs use, or the names from a file.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

/// Largest file of field names that is read.
const MAX_BYTES: u64 = 1 << 20;

/// The names of fields. A name may be a path, `author.name`. If there are several names, the first
/// one that a message has is used.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fields {
    /// The list of messages in a conversation.
    pub messages: Names,
    /// The role of the speaker.
    pub role: Names,
    /// The text of the message.
    pub text: Names,
    /// The time of the message.
    pub time: Names,
    /// The id of the conversation. Messages outside of a list are grouped by it.
    pub session: Names,
    /// The title of the conversation.
    pub title: Names,
    /// The project or channel.
    pub project: Names,
    /// The names of roles: `customer = "user"`.
    pub roles: BTreeMap<String, String>,
}

/// A name or a list of them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Names {
    /// A single name.
    One(String),
    /// Several names, the best first.
    Many(Vec<String>),
}

impl Names {
    fn of(names: &[&str]) -> Self {
        Self::Many(names.iter().map(|name| (*name).to_owned()).collect())
    }

    fn as_slice(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Many(names) => names,
        }
    }

    /// Returns the first value that exists.
    pub(super) fn find<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        self.as_slice().iter().find_map(|path| at(value, path).filter(|found| !found.is_null()))
    }

    /// Returns the first value that is a string with text, or a number.
    pub(super) fn text(&self, value: &Value) -> Option<String> {
        self.as_slice().iter().find_map(|path| match at(value, path)? {
            Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
    }
}

/// Returns the value at a path such as `author.name`.
fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    match value.get(path) {
        Some(found) => Some(found),
        None => {
            let (first, rest) = path.split_once('.')?;
            at(value.get(first)?, rest)
        }
    }
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            messages: Names::of(&["messages", "conversation", "conversations", "turns"]),
            role: Names::of(&[
                "role",
                "sender",
                "from",
                "author.role",
                "author.name",
                "message.role",
                "user.name",
                "user",
                "speaker",
                "author",
            ]),
            text: Names::of(&[
                "content",
                "text",
                "value",
                "parts",
                "body",
                "message.content",
                "message",
            ]),
            time: Names::of(&[
                "timestamp",
                "created_at",
                "create_time",
                "createdAt",
                "time",
                "date",
                "ts",
            ]),
            session: Names::of(&[
                "session_id",
                "sessionId",
                "conversation_id",
                "conversationId",
                "thread_id",
                "chat_id",
            ]),
            title: Names::of(&["title", "name", "subject"]),
            project: Names::of(&["project", "channel", "cwd", "workspace"]),
            roles: BTreeMap::new(),
        }
    }
}

impl Fields {
    /// Reads a file of field names. For fields that the file does not name, the names that many
    /// programs use apply.
    ///
    /// # Errors
    /// If the file cannot be read or has unknown keys.
    pub fn read(path: &Path) -> Result<Self> {
        let place = || format!("--chat-fields {}", path.display());
        let metadata = std::fs::metadata(path).with_context(place)?;
        anyhow::ensure!(
            metadata.len() <= MAX_BYTES,
            "{}: expected a TOML file of at most {MAX_BYTES} bytes, found {}",
            place(),
            metadata.len()
        );
        let text = std::fs::read_to_string(path).with_context(place)?;
        toml::from_str(&text).with_context(|| {
            format!(
                "{}: expected names of fields: messages, role, text, time, session, title, \
                 project, and a table roles",
                place()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_is_a_key_or_a_path() {
        let names = Names::Many(vec!["a.b".into(), "c".into()]);
        assert_eq!(names.text(&json!({"a.b": "x"})).as_deref(), Some("x"));
        assert_eq!(names.text(&json!({"a": {"b": 7}})).as_deref(), Some("7"));
        assert_eq!(names.text(&json!({"a": {"b": ""}, "c": "y"})).as_deref(), Some("y"));
        assert_eq!(names.text(&json!({"a": [1]})), None);
    }

    #[test]
    fn unknown_keys_are_refused() {
        assert!(toml::from_str::<Fields>("role = \"who\"\ntext = [\"body\", \"html\"]").is_ok());
        assert!(toml::from_str::<Fields>("rolle = \"who\"").is_err());
        assert!(toml::from_str::<Fields>("role = 7").is_err());
    }
}
