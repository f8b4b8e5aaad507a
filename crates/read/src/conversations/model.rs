//! A conversation, whatever program wrote it.

use jiff::Timestamp;

/// A conversation: one page.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The id in the file; empty if the file is the conversation.
    pub id: String,
    /// The title that the program gave it; empty if none.
    pub title: String,
    /// The program that wrote it; empty for people's messages.
    pub agent: String,
    /// The project: the path of its directory, the repository or the channel.
    pub project: Option<String>,
    /// The branch of the repository.
    pub branch: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// Whether another conversation gave it its task.
    pub is_aside: bool,
    /// The id that the program gave the session.
    pub session: Option<String>,
    /// The time when it began, if the conversation itself has it.
    pub created: Option<Timestamp>,
    /// The turns, in the order of the file.
    pub turns: Vec<Turn>,
}

/// The parts that one speaker says at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Turn {
    /// The role of the speaker: `user`, `assistant`, `system`, `tool`, or a name.
    pub role: String,
    pub time: Option<Timestamp>,
    pub parts: Vec<Part>,
}

/// A part of a turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    /// Text, which may be Markdown.
    Text(String),
    /// Text without markup.
    Plain(String),
    /// A call of a tool, with its input.
    Call { tool: String, input: String },
    /// Output of a tool.
    Output { tool: String, text: String },
    /// Thoughts of a model before its answer.
    Reasoning(String),
    /// Text that a mail repeats from another mail.
    #[cfg_attr(not(feature = "mailboxes"), expect(dead_code, reason = "mails quote"))]
    Quoted(String),
    /// Text that a program gave the model in the name of a person: instructions, the state of a
    /// directory.
    Context(String),
}

/// Returns the roles that programs spell differently.
pub(super) fn role(spelled: &str) -> String {
    let lower = spelled.trim().to_lowercase();
    match lower.as_str() {
        "human" | "prompter" => "user".to_owned(),
        "ai" | "bot" | "model" | "gpt" | "chatgpt" | "claude" => "assistant".to_owned(),
        "developer" => "system".to_owned(),
        "function" | "ipython" => "tool".to_owned(),
        "user" | "assistant" | "system" | "tool" => lower,
        // A person's name keeps its spelling.
        _ => spelled.trim().to_owned(),
    }
}
