//! Conversations: sessions of coding assistants, exported chats, mailboxes.
//!
//! A file has one conversation or many. Each is read into a [`model::Conversation`], regardless of
//! the program that wrote it; [`sections`] makes a page of it. Parts of a file that cannot be read
//! are noted with their line and left out.

mod chatgpt;
mod claude_code;
mod claude_export;
mod codex;
mod copilot;
#[cfg(feature = "databases")]
mod cursor_database;
mod extensions;
pub mod fields;
mod gemini_cli;
mod join;
mod lines;
#[cfg(feature = "mailboxes")]
mod mail_body;
#[cfg(feature = "mailboxes")]
mod mailbox;
mod messages;
mod model;
mod opencode;
mod people;
mod pieces;
mod sections;
mod shapes;
mod text;
mod transcripts;
mod values;
mod wrappers;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::file::File;
use super::notes::Notes;
use super::page_url;
use super::tree::Tree;
use super::{Format, Options, Outcome, Severity, decode};
use fields::Fields;
pub(super) use join::{Talk, join};
use lines::Line;
use model::Conversation;

/// Number of bytes at the start of a file that are read to recognise it.
const SNIFFED_BYTES: u64 = 256 << 10;

/// Number of lines at the start of a file that are read to recognise its program.
const SNIFFED_LINES: usize = 20;

/// Returns whether conversations have files with this name.
pub(super) fn has_name(path: &Path, tree: &Tree) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if is_transcript(path) {
        return transcripts::is_transcript(&start_of(path, tree));
    }
    if extension == "json" && is_beside_conversations(path, tree) {
        return false;
    }
    matches!(extension.as_str(), "jsonl" | "ndjson" | "json" | "mbox" | "mbx" | "eml" | "emlx")
        || is_database(path)
        || in_maildir(path)
        || (extension.is_empty() && is_mailbox(&tree.start(path, 5)))
}

/// Returns whether a file may be a transcript in Markdown, by its name.
fn is_transcript(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

/// Returns whether a file is the database of an editor's chats, by its name.
pub(super) fn is_database(path: &Path) -> bool {
    cfg!(feature = "databases") && path.file_name().is_some_and(|name| name == "state.vscdb")
}

#[cfg(feature = "databases")]
fn of_database(bytes: &[u8], path: &Path, notes: &mut Notes) -> Vec<Conversation> {
    cursor_database::read(bytes, path, notes)
}

/// Returns no conversations: without the feature `databases`, no database is read.
#[cfg(not(feature = "databases"))]
fn of_database(_: &[u8], _: &Path, _: &mut Notes) -> Vec<Conversation> {
    Vec::new()
}

fn start_of(path: &Path, tree: &Tree) -> String {
    String::from_utf8_lossy(&tree.start(path, transcripts::SNIFFED_BYTES)).into_owned()
}

/// Names of the files that exports and programs keep beside conversations.
const BESIDE: [&str; 22] = [
    "canvases.json",
    "channels.json",
    "context_history.json",
    "dms.json",
    "export_manifest.json",
    "file_conversations.json",
    "group-chats.json",
    "groups.json",
    "history_item.json",
    "integration_logs.json",
    "lists.json",
    "memories.json",
    "message_feedback.json",
    "model_comparisons.json",
    "mpims.json",
    "projects.json",
    "shared_conversations.json",
    "sora.json",
    "task_metadata.json",
    "ui_messages.json",
    "user.json",
    "users.json",
];

/// Returns whether a file belongs to conversations but is not one itself: an export's data on
/// people and channels, or a message that is read with its session.
fn is_beside_conversations(path: &Path, tree: &Tree) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let directory = path.parent().unwrap_or(Path::new(""));
    let is_known = BESIDE.contains(&name.as_ref());
    opencode::is_part(path)
        || (is_known
            && (is_unpacked_export(directory, tree)
                || tree.is_file(&directory.join("api_conversation_history.json"))))
}

/// Returns whether a directory is an export as a program packs it: of ChatGPT, of Claude, of Slack.
pub(super) fn is_unpacked_export(directory: &Path, tree: &Tree) -> bool {
    let has = |name: &str| tree.is_file(&directory.join(name));
    let is_slack =
        has("users.json") && (has("channels.json") || has("dms.json") || has("groups.json"));
    is_slack
        || (has("conversations.json")
            && is_conversations(&directory.join("conversations.json"), tree))
}

/// Returns whether a program keeps conversations in a hidden file or directory with this name.
pub(super) fn is_kept_hidden(name: &str) -> bool {
    matches!(name, ".aider.chat.history.md" | ".specstory")
}

/// Returns whether a file is a mail of a Maildir, by its place and its name:
/// `cur/1709632800.M1P2.host:2,S`.
fn in_maildir(path: &Path) -> bool {
    let directory = path.parent().and_then(Path::file_name).unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    (directory == "cur" || directory == "new")
        && name.split('.').count() >= 3
        && name.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns whether a file has one mail, by its name.
fn is_one_mail(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    matches!(extension.as_str(), "eml" | "emlx") || in_maildir(path)
}

/// Returns the mail in a file of Apple Mail: its length is in the first line.
fn mail_of(bytes: &[u8]) -> &[u8] {
    let line = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let is_length = line > 0 && bytes[..line].trim_ascii().iter().all(u8::is_ascii_digit);
    if is_length { &bytes[line + 1..] } else { bytes }
}

/// Returns whether a file contains conversations, by its beginning.
pub(super) fn is_conversations(path: &Path, tree: &Tree) -> bool {
    if !has_name(path, tree) {
        return false;
    }
    if is_transcript(path) || is_database(path) {
        return true;
    }
    let start = tree.start(path, SNIFFED_BYTES);
    if is_mailbox(&start) {
        return true;
    }
    if is_one_mail(path) {
        return is_mail(mail_of(&start));
    }
    let fields = Fields::default();
    if is_lines(path) {
        let mut known = start
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice::<Value>(line).ok().filter(Value::is_object));
        return known
            .by_ref()
            .take(SNIFFED_LINES)
            .any(|value| is_surely_conversation(&value, &fields));
    }
    // A long export is cut in the middle of its JSON, so only its first names are seen.
    let text = String::from_utf8_lossy(&start);
    match serde_json::from_str::<Value>(&text) {
        Ok(Value::Array(values)) => values.iter().any(|one| is_surely_conversation(one, &fields)),
        Ok(value) => is_surely_conversation(&value, &fields),
        Err(_) => {
            let has = |name: &str| text.contains(name);
            has("\"chat_messages\"")
                || (has("\"mapping\"") && has("\"author\""))
                || (has("\"role\"") && has("\"content\"") && has("\"messages\""))
                || (has("\"requests\"") && has("\"responderUsername\""))
                || (has("\"sessionId\"") && has("\"projectHash\"") && has("\"messages\""))
        }
    }
}

/// Returns whether a value comes from a known program, or is a message with a role that only
/// conversations have.
fn is_surely_conversation(value: &Value, fields: &Fields) -> bool {
    let has_known_role = |value: &Value| {
        messages::is_message(value, fields)
            && fields.role.text(value).is_some_and(|spelled| {
                matches!(model::role(&spelled).as_str(), "user" | "assistant" | "system" | "tool")
            })
    };
    shapes::is_known(value)
        || gemini_cli::is_session(value)
        || gemini_cli::is_prompt(value)
        || copilot::is_chat(value)
        || copilot::is_event(value)
        || copilot::is_kept_in_changes(value)
        || opencode::is_session(value)
        || claude_code::is_line(value)
        || codex::is_line(value)
        || chatgpt::is_conversation(value)
        || claude_export::is_conversation(value)
        || has_known_role(value)
        || fields
            .messages
            .find(value)
            .and_then(Value::as_array)
            .is_some_and(|list| list.iter().any(has_known_role))
}

/// Returns whether a file has one value on each line. If so, the limit of a file's size applies to
/// each line.
pub(super) fn is_lines(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    !matches!(extension.as_str(), "json" | "vscdb")
}

/// Reads a file.
pub(super) fn read(bytes: &[u8], file: &File, options: &Options, outcome: &mut Outcome) {
    let mut notes = Notes::default();
    // Some tools write UTF-16 with a byte order mark.
    let decoded = encoding_rs::Encoding::for_bom(bytes).map(|_| decode::plain(bytes, None));
    let bytes = decoded.as_ref().map_or(bytes, |decoded| decoded.text.as_bytes());
    let mut conversations = if is_database(&file.path) {
        of_database(bytes, &file.path, &mut notes)
    } else if is_transcript(&file.path) {
        transcripts::read(&String::from_utf8_lossy(bytes))
    } else if is_mailbox(bytes) {
        of_mailbox(bytes, options, &mut notes)
    } else if is_one_mail(&file.path) {
        of_mail(mail_of(bytes), &mut notes)
    } else if is_lines(&file.path) {
        let lines = lines::read(bytes, options, &mut notes);
        of_lines(&lines, file, options, &mut notes)
    } else {
        of_json(bytes, file, options, &mut notes)
    };
    for conversation in &mut conversations {
        extensions::describe(conversation, bytes, &file.path);
        extensions::name_channel(conversation, &file.path, &options.tree);
    }
    let n_pages = outcome.pages.len();
    add_pages(conversations, file, options, &mut notes, outcome);
    if outcome.pages.len() == n_pages && notes.is_empty() {
        let what = if bytes.trim_ascii().is_empty() { "is empty" } else { "has no conversation" };
        notes.tell(
            Severity::Skipped,
            None,
            format!(
                "{what}: expected a session log, an exported chat, messages with role and content \
                 or a mailbox"
            ),
        );
    }
    notes.report(&file.path, outcome);
}

/// Returns whether a file is a mailbox: it begins with a line `From SENDER DATE`.
fn is_mailbox(bytes: &[u8]) -> bool {
    cfg!(feature = "mailboxes") && bytes.starts_with(b"From ")
}

#[cfg(feature = "mailboxes")]
fn of_mailbox(bytes: &[u8], options: &Options, notes: &mut Notes) -> Vec<Conversation> {
    mailbox::read(bytes, options, notes)
}

#[cfg(feature = "mailboxes")]
fn is_mail(bytes: &[u8]) -> bool {
    mailbox::is_mail(bytes)
}

/// Returns `false`: without the feature `mailboxes`, no file is recognised as a mail.
#[cfg(not(feature = "mailboxes"))]
fn is_mail(_: &[u8]) -> bool {
    false
}

#[cfg(feature = "mailboxes")]
fn of_mail(bytes: &[u8], notes: &mut Notes) -> Vec<Conversation> {
    mailbox::read_mail(bytes, notes)
}

/// Returns no conversations: without the feature `mailboxes`, no mail is read.
#[cfg(not(feature = "mailboxes"))]
fn of_mail(_: &[u8], _: &mut Notes) -> Vec<Conversation> {
    Vec::new()
}

/// Returns no conversations: without the feature `mailboxes`, no mailbox is read.
#[cfg(not(feature = "mailboxes"))]
fn of_mailbox(_: &[u8], _: &Options, _: &mut Notes) -> Vec<Conversation> {
    Vec::new()
}

/// Returns the conversations of a file of JSON lines.
fn of_lines(
    lines: &[Line],
    file: &File,
    options: &Options,
    notes: &mut Notes,
) -> Vec<Conversation> {
    if let Some(fields) = &options.chat_fields {
        return messages::read_lines(lines, fields, notes);
    }
    let start = || lines.iter().take(SNIFFED_LINES).map(|line| &line.value);
    if start().any(codex::is_line) {
        codex::read(lines, notes)
    } else if start().any(claude_code::is_line) {
        claude_code::read(lines, notes)
    } else if start().any(copilot::is_event) {
        copilot::read_events(lines)
    } else if start().any(copilot::is_kept_in_changes) {
        copilot::read_changes(lines, file, &options.tree)
    } else if start().any(is_export) {
        let known = lines.iter().filter_map(|line| export(&line.value));
        known.collect()
    } else {
        messages::read_lines(lines, &Fields::default(), notes)
    }
}

fn is_export(value: &Value) -> bool {
    chatgpt::is_conversation(value) || claude_export::is_conversation(value)
}

fn export(value: &Value) -> Option<Conversation> {
    if chatgpt::is_conversation(value) {
        Some(chatgpt::read(value))
    } else {
        claude_export::is_conversation(value).then(|| claude_export::read(value))
    }
}

/// Returns the conversations of a JSON file: one, a list of them, or a list of messages.
fn of_json(bytes: &[u8], file: &File, options: &Options, notes: &mut Notes) -> Vec<Conversation> {
    let text = String::from_utf8_lossy(bytes);
    if text.trim().is_empty() {
        return Vec::new();
    }
    let mut value: Value = match serde_json::from_str(&text) {
        Ok(value) => value,
        Err(error) => {
            let line = Some(error.line() as u64);
            let reason = format!("is not JSON ({error}); is the export complete?");
            notes.tell(Severity::Error, line, reason);
            return Vec::new();
        }
    };
    if matches!(text, std::borrow::Cow::Owned(_)) {
        let reason = "is not UTF-8; bytes that are no text are replaced";
        notes.tell(Severity::Warning, None, reason);
    }
    people::name(&mut value, file, &options.tree);
    shapes::unwrap(&mut value);
    let default = Fields::default();
    let fields = options.chat_fields.as_ref().unwrap_or(&default);
    let is_mapped = options.chat_fields.is_some();
    let mut one = |value: &Value, at: u64| {
        if !is_mapped
            && let Some(known) = export(value).or_else(|| of_agent(value, file, &options.tree))
        {
            return Some(known);
        }
        messages::is_conversation(value, fields).then(|| messages::read(value, fields, at, notes))
    };
    let list = match &value {
        Value::Array(list) => list.as_slice(),
        object => match one(object, 1) {
            Some(conversation) => return vec![conversation],
            // A list of conversations under a name.
            None => lists(object).map(Vec::as_slice).unwrap_or_default(),
        },
    };
    if !is_mapped && list.iter().any(gemini_cli::is_prompt) {
        return gemini_cli::read_prompts(list);
    }
    let found: Vec<_> = (1..).zip(list).map(|(at, value)| (at, value, one(value, at))).collect();
    if found.iter().all(|(_, _, conversation)| conversation.is_none()) {
        let is_message = |value: &&Value| messages::is_message(value, fields);
        if !list.iter().any(|value| is_message(&value)) {
            return Vec::new();
        }
        let wrapped = serde_json::json!({ "messages": list });
        let fields = Fields { messages: Fields::default().messages, ..fields.clone() };
        return vec![messages::read(&wrapped, &fields, 1, notes)];
    }
    let mut conversations = Vec::new();
    for (at, _, conversation) in found {
        match conversation {
            Some(conversation) => conversations.push(conversation),
            None => notes.tell(
                Severity::Warning,
                None,
                format!("element {at} is no conversation and is left out"),
            ),
        }
    }
    conversations
}

/// Returns the conversation in a file of a coding assistant that keeps each conversation in its own
/// file.
fn of_agent(value: &Value, file: &File, tree: &Tree) -> Option<Conversation> {
    if gemini_cli::is_session(value) {
        Some(gemini_cli::read(value, file, tree))
    } else if copilot::is_chat(value) {
        Some(copilot::read_chat(value, file, tree))
    } else {
        opencode::is_session(value).then(|| opencode::read(value, file, tree))
    }
}

fn lists(value: &Value) -> Option<&Vec<Value>> {
    ["conversations", "chats", "sessions", "threads", "data"]
        .iter()
        .find_map(|name| value.get(*name)?.as_array())
}

/// Makes pages from the conversations that have text.
fn add_pages(
    conversations: Vec<Conversation>,
    file: &File,
    options: &Options,
    notes: &mut Notes,
    outcome: &mut Outcome,
) {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (number, conversation) in (1..).zip(conversations) {
        let id = match conversation.id.trim() {
            // Its id stays the same when others are added to the file.
            "" if number == 1 => String::new(),
            "" => number.to_string(),
            id => text::without_escapes(id).into_owned(),
        };
        let mut name = if id.is_empty() { file.id.clone() } else { format!("{}/{id}", file.id) };
        if let Some(first) = known.get(&name) {
            notes.tell(
                Severity::Warning,
                None,
                format!(
                    "conversation {number} has the id \"{id}\" of conversation {first}; both are \
                     read"
                ),
            );
            name = format!("{name}/{number}");
        }
        known.insert(name.clone(), number);
        let Some(mut raw) = sections::page(conversation, options) else { continue };
        raw.page.url = page_url::url(&name, Format::Chats, options);
        raw.page.id = name;
        raw.path.clone_from(&file.path);
        raw.format = Some(Format::Chats);
        outcome.pages.push(raw);
    }
}

#[cfg(test)]
mod agents_tests;
#[cfg(test)]
mod tests;
