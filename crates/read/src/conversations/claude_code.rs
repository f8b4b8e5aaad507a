//! Session logs of Claude Code: one JSON object on each line, with `sessionId`, `type` and
//! `message`.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::lines::Line;
use super::model::{Conversation, Part, Turn, role};
use super::values;
use crate::notes::Notes;

/// Returns whether a line is one of such a log.
pub(super) fn is_line(value: &Value) -> bool {
    let has = |name| value.get(name).is_some();
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    (has("sessionId") && has("uuid") && matches!(kind, "user" | "assistant" | "system"))
        || (kind == "summary" && has("leafUuid"))
        || (has("sessionId") && !has("messages") && !kind.is_empty() && !has("content"))
        || kind == "file-history-snapshot"
}

/// Reads a log. Turns of subagents in it become conversations of their own. A log that continues
/// another log repeats its turns; a turn with an id that was already seen is left out.
pub(super) fn read(lines: &[Line], notes: &mut Notes) -> Vec<Conversation> {
    let tools = tools(lines);
    let mut seen: HashSet<&str> = HashSet::new();
    let mut found: Vec<(bool, Conversation)> = Vec::new();
    let mut titles = Titles::default();
    for Line { number, value } in lines {
        let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
        titles.read(kind, value);
        if !matches!(kind, "user" | "assistant") {
            continue;
        }
        if let Some(id) = values::text(value, &["uuid"])
            && !seen.insert(id)
        {
            continue;
        }
        let Some(parts) = parts(value, &tools) else {
            notes.malformed(*number, "has no message with role and content");
            continue;
        };
        let is_aside = value.get("isSidechain") == Some(&Value::Bool(true));
        let at = found.iter().position(|(aside, _)| *aside == is_aside);
        let at = at.unwrap_or_else(|| {
            found.push((is_aside, Conversation::default()));
            found.len() - 1
        });
        let conversation = &mut found[at].1;
        if conversation.session.is_none() {
            conversation.session = values::text(value, &["sessionId"]).map(str::to_owned);
        }
        if conversation.project.is_none() {
            conversation.project = values::text(value, &["cwd"]).map(str::to_owned);
        }
        let speaker = value.pointer("/message/role").and_then(Value::as_str).unwrap_or(kind);
        conversation.turns.push(Turn {
            role: role(speaker),
            time: value.get("timestamp").and_then(values::time),
            parts,
        });
    }
    let several = found.len() > 1;
    for (is_aside, conversation) in &mut found {
        if *is_aside && several {
            "agents".clone_into(&mut conversation.id);
        } else {
            conversation.title = titles.best(&seen);
        }
    }
    found.into_iter().map(|(_, conversation)| conversation).collect()
}

fn parts(value: &Value, tools: &HashMap<&str, &str>) -> Option<Vec<Part>> {
    let content = value.pointer("/message/content")?;
    let tool_of = |id: &str| tools.get(id).copied().unwrap_or_default().to_owned();
    let mut parts = values::content(content, &tool_of)?;
    // Instructions and summaries that the program gives the model as a message of the user.
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
