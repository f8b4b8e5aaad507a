//! Sessions of OpenCode (`storage/session/PROJECT/ses_*.json`), whose messages and their parts are
//! files of their own: `storage/message/SESSION/msg_*.json`, `storage/part/MESSAGE/prt_*.json`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::model::{Conversation, Part, Turn, role};
use super::{values, wrappers};
use crate::file::File;
use crate::tree::Tree;

/// Maximum number of files of a session that are read.
const MAX_FILES: usize = 50_000;
/// Maximum number of bytes of one of these files.
const MAX_BYTES: u64 = 16 << 20;

/// Returns whether a value describes a session.
pub(super) fn is_session(value: &Value) -> bool {
    let id = values::text(value, &["id"]).unwrap_or_default();
    id.starts_with("ses_") && (value.get("directory").is_some() || value.get("projectID").is_some())
}

/// Returns whether a file is a part of a session, by its place.
pub(super) fn is_part(path: &Path) -> bool {
    let above: Vec<_> = path.ancestors().skip(1).take(3).filter_map(Path::file_name).collect();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    (name.starts_with("msg_") || name.starts_with("prt_"))
        && above.iter().any(|name| *name == "message" || *name == "part")
}

/// Reads a session with its messages.
pub(super) fn read(value: &Value, file: &File, tree: &Tree) -> Conversation {
    let text = |names: &[&str]| values::text(value, names).map(str::to_owned);
    let session = text(&["id"]).unwrap_or_default();
    let storage = file.path.ancestors().nth(3).map(Path::to_owned).unwrap_or_default();
    let mut model = None;
    let mut turns = Vec::new();
    for (id, message) in values_in(&storage.join("message").join(name_of(&session)), tree) {
        model = values::text(&message, &["modelID"]).map(str::to_owned).or(model);
        let parts = values_in(&storage.join("part").join(name_of(&id)), tree);
        turns.push(Turn {
            role: role(values::text(&message, &["role"]).unwrap_or("unknown")),
            time: message.pointer("/time/created").and_then(values::time),
            parts: parts.iter().flat_map(|(_, part)| part_of(part)).collect(),
        });
    }
    turns.sort_by_key(|turn| turn.time);
    Conversation {
        title: text(&["title"])
            .filter(|title| !title.starts_with("New session"))
            .unwrap_or_default(),
        agent: "OpenCode".to_owned(),
        project: text(&["directory"]),
        session: Some(session),
        model,
        is_aside: value.get("parentID").is_some(),
        created: value.pointer("/time/created").and_then(values::time),
        turns,
        ..Conversation::default()
    }
}

/// Returns an id as the name of a directory; an id that is a path is refused.
fn name_of(id: &str) -> PathBuf {
    let is_name =
        !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    PathBuf::from(if is_name { id } else { "-" })
}

/// Returns the JSON files of a directory in the order of their names, with their ids.
fn values_in(directory: &Path, tree: &Tree) -> Vec<(String, Value)> {
    let mut paths: Vec<PathBuf> = Vec::new();
    tree.walk(directory, &|_, _| false, &mut |entry| {
        if let Ok(path) = entry
            && paths.len() < MAX_FILES
        {
            paths.push(path);
        }
    });
    paths.sort();
    let value = |path: PathBuf| {
        let id = path.file_stem()?.to_string_lossy().into_owned();
        Some((id, serde_json::from_slice(&tree.start(&path, MAX_BYTES)).ok()?))
    };
    paths.into_iter().filter_map(value).collect()
}

fn part_of(part: &Value) -> Vec<Part> {
    let text = values::text(part, &["text"]).unwrap_or_default();
    match values::text(part, &["type"]).unwrap_or_default() {
        "text" if part.get("synthetic") == Some(&Value::Bool(true)) => {
            vec![Part::Context(text.to_owned())]
        }
        "text" => wrappers::parts(text),
        "reasoning" => vec![Part::Reasoning(text.to_owned())],
        "tool" => {
            let tool = values::text(part, &["tool"]).unwrap_or_default().to_owned();
            let input = part.pointer("/state/input").map(values::input_of).unwrap_or_default();
            let output = part.pointer("/state/output").map(values::output_of);
            let output = output.map(|text| Part::Output { tool: tool.clone(), text });
            std::iter::once(Part::Call { tool, input }).chain(output).collect()
        }
        _ => Vec::new(),
    }
}
