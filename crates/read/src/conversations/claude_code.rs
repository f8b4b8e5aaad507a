//! Session logs of Claude Code: one JSON object on each line, with `sessionId`, `type` and
//! `message`.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::lines::Line;
use super::model::{Conversation, Part, Turn, role};
use super::values;
use crate::notes::Notes;

/// Returns whether a line comes from a log of Claude Code.
pub(super) fn is_line(value: &Value) -> bool {
    let has = |name| value.get(name).is_some();
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    (has("sessionId") && has("uuid") && matches!(kind, "user" | "assistant" | "system"))
        || (kind == "summary" && has("leafUuid"))
        || (has("sessionId") && !has("messages") && !kind.is_empty() && !has("content"))
        || kind == "file-history-snapshot"
}

/// Reads a log. Each subagent in it becomes a conversation of its own. A log that continues another
/// log repeats its turns; a turn with an id that was already seen is left out.
pub(super) fn read(lines: &[Line], notes: &mut Notes) -> Vec<Conversation> {
    let tools = tools(lines);
    let mut seen: HashSet<&str> = HashSet::new();
    let mut found = Branches::default();
    let mut titles = Titles::default();
    for Line { number, value } in lines {
        let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
        titles.read(kind, value);
        let id = values::text(value, &["uuid"]);
        if !matches!(kind, "user" | "assistant") {
            found.pass(id, value);
            continue;
        }
        if let Some(id) = id
            && !seen.insert(id)
        {
            continue;
        }
        let Some(parts) = parts(value, &tools) else {
            notes.malformed(*number, "has no message with role and content");
            continue;
        };
        let speaker = value.pointer("/message/role").and_then(Value::as_str).unwrap_or(kind);
        let turn = Turn {
            role: role(speaker),
            time: value.get("timestamp").and_then(values::time),
            parts,
        };
        let conversation = found.of(id, value, &turn);
        describe(value, conversation);
        conversation.turns.push(turn);
    }
    let several = found.conversations.len() > 1;
    let mut n_asides = 0;
    for conversation in &mut found.conversations {
        if conversation.is_aside && several {
            n_asides += 1;
            conversation.id = match n_asides {
                1 => "agents".to_owned(),
                n => format!("agents-{n}"),
            };
        } else {
            conversation.title = titles.best(&seen);
        }
    }
    found.conversations
}

/// Sets the facts about a conversation that a line contains.
fn describe(value: &Value, conversation: &mut Conversation) {
    let text = |names: &[&str]| values::text(value, names).map(str::to_owned);
    let Conversation { session, project, branch, model, .. } = conversation;
    if session.is_none() {
        *session = text(&["sessionId"]);
    }
    if project.is_none() {
        *project = text(&["cwd"]);
    }
    if branch.is_none() {
        *branch = text(&["gitBranch"]);
    }
    let answered = value.pointer("/message/model").and_then(Value::as_str);
    // Messages of the program itself have no model.
    if let Some(name) = answered.filter(|name| !name.starts_with('<')) {
        *model = Some(name.to_owned());
    }
}

/// The conversations of a log: its own, and one for each subagent, whose turns may be mixed.
#[derive(Default)]
struct Branches<'l> {
    conversations: Vec<Conversation>,
    /// The index of the log's own conversation.
    own: Option<usize>,
    /// The conversations of turns and of other lines, by their ids.
    of_id: HashMap<&'l str, usize>,
    /// The conversations of subagents, by their own ids.
    of_agent: HashMap<&'l str, usize>,
}

impl<'l> Branches<'l> {
    /// Returns the conversation of a turn.
    fn of(&mut self, id: Option<&'l str>, value: &'l Value, turn: &Turn) -> &mut Conversation {
        let at = match value.get("isSidechain") {
            Some(Value::Bool(true)) => self.aside(value, turn),
            _ => self.own.unwrap_or_else(|| self.add(false)),
        };
        if value.get("isSidechain") != Some(&Value::Bool(true)) {
            self.own = Some(at);
        }
        if let Some(id) = id {
            self.of_id.insert(id, at);
        }
        if let Some(agent) = values::text(value, &["agentId"]) {
            self.of_agent.entry(agent).or_insert(at);
        }
        &mut self.conversations[at]
    }

    /// Records a line without a turn, because a turn may refer to it.
    fn pass(&mut self, id: Option<&'l str>, value: &'l Value) {
        let parent = values::text(value, &["parentUuid"]);
        if let (Some(id), Some(&at)) = (id, parent.and_then(|parent| self.of_id.get(parent))) {
            self.of_id.insert(id, at);
        }
    }

    /// Returns the index of the subagent to which a turn belongs: by its id, by the turn before,
    /// or, in logs that have neither, the first one that waits for an answer.
    fn aside(&mut self, value: &'l Value, turn: &Turn) -> usize {
        let agent = values::text(value, &["agentId"]);
        if let Some(&at) = agent.and_then(|agent| self.of_agent.get(agent)) {
            return at;
        }
        let parent = values::text(value, &["parentUuid"]);
        let of_parent = parent.and_then(|parent| self.of_id.get(parent)).copied();
        if let Some(at) = of_parent.filter(|at| self.conversations[*at].is_aside) {
            return at;
        }
        let is_task = turn.role == "user"
            && turn.parts.iter().any(|part| !matches!(part, Part::Output { .. }));
        if is_task || agent.is_some() {
            return self.add(true);
        }
        let waits = |one: &Conversation| {
            one.is_aside && one.turns.last().is_some_and(|turn| turn.role == "user")
        };
        let waiting = self.conversations.iter().position(waits);
        let last = || self.conversations.iter().rposition(|one| one.is_aside);
        waiting.or_else(last).unwrap_or_else(|| self.add(true))
    }

    fn add(&mut self, is_aside: bool) -> usize {
        let agent = "Claude Code".to_owned();
        self.conversations.push(Conversation { agent, is_aside, ..Conversation::default() });
        self.conversations.len() - 1
    }
}

fn parts(value: &Value, tools: &HashMap<&str, &str>) -> Option<Vec<Part>> {
    let content = value.pointer("/message/content")?;
    let tool_of = |id: &str| tools.get(id).copied().unwrap_or_default().to_owned();
    let mut parts = values::content(content, &tool_of)?;
    // Instructions and summaries that the program sends to the model as a message of the user.
    let is_set = |name| value.get(name) == Some(&Value::Bool(true));
    if is_set("isMeta") || is_set("isCompactSummary") {
        for part in &mut parts {
            if let Part::Text(text) = part {
                *part = Part::Context(std::mem::take(text));
            }
        }
    }
    Some(parts)
}

/// Returns the tools of all calls, by the ids of the calls.
fn tools(lines: &[Line]) -> HashMap<&str, &str> {
    let blocks = lines
        .iter()
        .filter_map(|line| line.value.pointer("/message/content")?.as_array())
        .flatten();
    blocks
        .filter_map(|block| Some((block.get("id")?.as_str()?, block.get("name")?.as_str()?)))
        .collect()
}

/// Titles that the program or the person gave.
#[derive(Default)]
struct Titles<'a> {
    custom: Option<&'a str>,
    made: Option<&'a str>,
    /// The summary of the conversation up to a turn, with the turn's id.
    summary: Vec<(&'a str, &'a str)>,
}

impl<'a> Titles<'a> {
    fn read(&mut self, kind: &str, value: &'a Value) {
        match kind {
            "custom-title" => self.custom = values::text(value, &["customTitle"]).or(self.custom),
            "ai-title" => self.made = values::text(value, &["aiTitle"]).or(self.made),
            "summary" => {
                if let Some(summary) = values::text(value, &["summary"]) {
                    let leaf = values::text(value, &["leafUuid"]).unwrap_or_default();
                    self.summary.push((leaf, summary));
                }
            }
            _ => {}
        }
    }

    /// Returns the best title. The log may have summaries of other sessions: they end in turns that
    /// the log does not have.
    fn best(&self, turns: &HashSet<&str>) -> String {
        let summary = self.summary.iter().rev().find(|(leaf, _)| turns.contains(leaf));
        let summary = summary.map(|(_, summary)| *summary);
        self.custom.or(self.made).or(summary).unwrap_or_default().to_owned()
    }
}
