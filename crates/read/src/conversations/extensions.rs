//! Names that follow from a file's path: the channels of exports, and the editor extensions Cline,
//! Roo Code and Kilo Code, which store messages in the form of a model's interface.

use std::path::Path;

use super::model::Conversation;
use crate::tree::Tree;

/// The directories of extensions with their names.
const EXTENSIONS: [(&str, &str); 3] = [
    ("saoudrizwan.claude-dev", "Cline"),
    ("rooveterinaryinc.roo-cline", "Roo Code"),
    ("kilocode.kilo-code", "Kilo Code"),
];

/// The file in which each extension keeps the messages of a task.
const MESSAGES: &str = "api_conversation_history.json";

/// The words before the directory of the project in the first message.
const DIRECTORIES: [&str; 2] = ["Current Working Directory (", "Current Workspace Directory ("];

/// Sets the channel of messages of Slack, which is the directory of their file.
pub(super) fn name_channel(conversation: &mut Conversation, file: &Path, tree: &Tree) {
    let channel = file.parent().unwrap_or(Path::new(""));
    let is_channel = channel.parent().is_some_and(|export| super::is_unpacked_export(export, tree));
    if conversation.project.is_none() && conversation.agent.is_empty() && is_channel {
        let name = channel.file_name().unwrap_or_default().to_string_lossy();
        conversation.project = Some(name.into_owned());
    }
}

/// Sets the program and the project of a task, which its messages do not have as fields.
pub(super) fn describe(conversation: &mut Conversation, bytes: &[u8], path: &Path) {
    if !conversation.agent.is_empty() || path.file_name().is_none_or(|name| name != MESSAGES) {
        return;
    }
    let place = path.to_string_lossy().to_lowercase();
    let known = EXTENSIONS.iter().find(|(directory, _)| place.contains(directory));
    conversation.agent = known.map_or("Cline", |(_, name)| name).to_owned();
    if conversation.project.is_none() {
        let text = String::from_utf8_lossy(bytes);
        conversation.project = DIRECTORIES.iter().find_map(|mark| {
            let (_, after) = text.split_once(mark)?;
            let (directory, _) = after.split_once(')')?;
            (directory.len() < 4096).then(|| directory.replace("\\\\", "\\"))
        });
    }
}
