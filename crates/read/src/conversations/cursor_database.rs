//! The database in which Cursor keeps its chats (`User/globalStorage/state.vscdb`): SQLite, a table
//! `cursorDiskKV` with `composerData:ID` for each chat and `bubbleId:ID:MESSAGE` for each message.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::Connection;
use serde_json::Value;

use super::model::{Conversation, Part, Turn};
use super::{values, wrappers};
use crate::Severity;
use crate::database;
use crate::notes::Notes;

/// Maximum number of messages that are read.
const MAX_MESSAGES: usize = 1_000_000;

/// Reads the chats of a database.
pub(super) fn read(bytes: &[u8], path: &Path, notes: &mut Notes) -> Vec<Conversation> {
    match database::open(bytes, path).and_then(|copy| chats(&copy.connection)) {
        Ok(found) => found,
        Err(error) => {
            let reason = format!("is no database of chats that can be read ({error})");
            notes.tell(Severity::Error, None, reason);
            Vec::new()
        }
    }
}

/// Returns the values whose keys have a prefix, with the rest of the key.
fn rows(connection: &Connection, prefix: &str) -> anyhow::Result<Vec<(String, Value)>> {
    let mut statement = connection.prepare(
        "SELECT key, CAST(value AS TEXT) FROM cursorDiskKV WHERE key >= ?1 AND key < ?2 \
         ORDER BY key LIMIT ?3",
    )?;
    let end = format!("{}{}", &prefix[..prefix.len() - 1], ';');
    let most = i64::try_from(MAX_MESSAGES)?;
    let read = statement.query_map((prefix, end, most), |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?))
    })?;
    let mut found = Vec::new();
    for row in read {
        let (key, text) = row?;
        let value = text.and_then(|text| serde_json::from_str(&text).ok());
        found.extend(value.map(|value| (key[prefix.len()..].to_owned(), value)));
    }
    Ok(found)
}

fn chats(connection: &Connection) -> anyhow::Result<Vec<Conversation>> {
    let messages: HashMap<String, Value> = rows(connection, "bubbleId:")?.into_iter().collect();
    let chats = rows(connection, "composerData:")?;
    Ok(chats.iter().map(|(id, chat)| read_chat(id, chat, &messages)).collect())
}

fn read_chat(id: &str, chat: &Value, messages: &HashMap<String, Value>) -> Conversation {
    let text = |names: &[&str]| values::text(chat, names).map(str::to_owned);
    let list = |name: &str| chat.get(name).and_then(Value::as_array).into_iter().flatten();
    // Old chats have their messages inside.
    let inside = list("conversation");
    let outside = list("fullConversationHeadersOnly").filter_map(|head| {
        let message = values::text(head, &["bubbleId"])?;
        messages.get(&format!("{id}:{message}"))
    });
    let project = chat.pointer("/workspaceIdentifier/uri/fsPath").and_then(Value::as_str);
    let model = chat.pointer("/modelConfig/modelName").and_then(Value::as_str);
    Conversation {
        id: id.to_owned(),
        title: text(&["name"]).unwrap_or_default(),
        agent: "Cursor".to_owned(),
        project: project.map(str::to_owned),
        session: Some(id.to_owned()),
        model: model.map(str::to_owned),
        created: chat.get("createdAt").and_then(values::time),
        turns: inside.chain(outside).map(turn).collect(),
        ..Conversation::default()
    }
}

fn turn(message: &Value) -> Turn {
    let is_of_person = message.get("type").and_then(Value::as_u64) == Some(1);
    let text = values::text(message, &["text"]).unwrap_or_default();
    let mut parts = Vec::new();
    let thought = message.pointer("/thinking/text").and_then(Value::as_str);
    parts.extend(thought.map(|text| Part::Reasoning(text.to_owned())));
    match is_of_person {
        true => parts.extend(wrappers::parts(text)),
        false => parts.push(Part::Text(text.to_owned())),
    }
    if let Some(call) = message.get("toolFormerData") {
        let tool = values::text(call, &["name"]).unwrap_or_default().to_owned();
        let input = ["rawArgs", "params"].iter().find_map(|name| call.get(*name));
        let input = input.map(values::input_of).unwrap_or_default();
        if !tool.is_empty() {
            parts.push(Part::Call { tool: tool.clone(), input });
            let output = call.get("result").map(values::output_of);
            parts.extend(output.map(|text| Part::Output { tool, text }));
        }
    }
    let times = ["/createdAt", "/timingInfo/clientStartTime"];
    let time = times.iter().find_map(|at| values::time(message.pointer(at)?));
    let role = if is_of_person { "user" } else { "assistant" };
    Turn { role: role.to_owned(), time, parts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chats_are_read_with_their_messages_in_both_forms() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("state.vscdb");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch("CREATE TABLE cursorDiskKV (key TEXT PRIMARY KEY, value BLOB)")
            .unwrap();
        for (key, value) in [
            (
                "composerData:c1",
                r#"{"name": "Flaky test", "createdAt": 1741944151000,
                   "fullConversationHeadersOnly": [{"bubbleId": "m1", "type": 1},
                     {"bubbleId": "m2"}, {"bubbleId": "gone"}]}"#,
            ),
            ("bubbleId:c1:m1", r#"{"type": 1, "text": "Why is it flaky?"}"#),
            (
                "bubbleId:c1:m2",
                r#"{"type": 2, "text": "WebKit is late.", "createdAt": "2025-03-14T10:00:00Z",
                   "toolFormerData": {"name": "grep", "rawArgs": "{\"pattern\": \"blur\"}"}}"#,
            ),
            ("composerData:c2", r#"{"conversation": [{"type": 1, "text": "An old one"}]}"#),
            ("composerData:c3", "not JSON"),
            ("other:1", "{}"),
        ] {
            connection
                .execute("INSERT INTO cursorDiskKV VALUES (?1, ?2)", (key, value.as_bytes()))
                .unwrap();
        }
        drop(connection);
        let mut notes = Notes::default();
        let found = read(&std::fs::read(&path).unwrap(), &path, &mut notes);
        assert!(notes.is_empty());
        let said: Vec<(String, usize)> =
            found.iter().map(|chat| (chat.title.clone(), chat.turns.len())).collect();
        assert_eq!(said, [("Flaky test".to_owned(), 2), (String::new(), 1)]);
        assert_eq!(found[0].turns[0].parts, [Part::Text("Why is it flaky?".into())]);
        assert_eq!(found[0].turns[1].parts.len(), 2);
        for hostile in [&b"SQLite format 3\0 and no more"[..], b"", b"x"] {
            let mut notes = Notes::default();
            assert!(read(hostile, Path::new("none.vscdb"), &mut notes).is_empty());
            assert!(!notes.is_empty());
        }
    }
}
