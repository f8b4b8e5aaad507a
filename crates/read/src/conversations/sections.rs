//! A conversation as a page: its turns as sections.
//!
//! A section is a turn, or a run of short turns of one role. Its heading is the person's question,
//! so that an answer is found and embedded with its question. Its anchor is the number of its first
//! turn among all turns of the conversation, including turns that are left out: `turn-12`. If a
//! long turn is cut, its later pieces have the anchors `turn-12-2` and so on.

use std::collections::{BTreeMap, BTreeSet};

use findling_bundle::AttributeValue;
use jiff::Timestamp;

use super::super::attributes::Raw;
use super::super::left_out::{Rule, Trace};
use super::super::outline::fold;
use super::super::{Options, RawPage};
use super::join::Talk;
use super::model::{Conversation, Part, Turn};
use super::{pieces, text};
use findling_page::page::{Block, Section};

/// Longest title and heading, in bytes.
const MAX_HEADING_BYTES: usize = 120;

/// Turns with fewer tokens are short.
const SHORT: usize = 200;

/// Attributes that are not counted by default: nearly every conversation, or every turn, has a
/// different value, and roles are counted by turns.
const NO_FACETS: [&str; 5] = ["session", "started", "updated", "time", "roles"];

/// Longest output of a tool that is indexed, in bytes.
const MAX_OUTPUT_BYTES: usize = 16 << 10;

/// Returns a conversation as a page, without id and address. `None`: no turn has any text.
pub(super) fn page(conversation: Conversation, options: &Options) -> Option<RawPage> {
    let mut trace = Trace::new(options.trace);
    let runs = runs(&conversation.turns, options, &mut trace);
    if runs.is_empty() {
        return None;
    }
    let first_question = runs.iter().find(|run| run.role == "user").or(runs.first());
    let title = match fold(&text::without_escapes(&conversation.title)) {
        title if !title.is_empty() => text::first_sentence(&title, MAX_HEADING_BYTES),
        _ => first_question.map(Run::heading).unwrap_or_default(),
    };
    let mut raw = RawPage::default();
    raw.page.title = title;
    describe(&conversation, &runs, &mut raw);
    let has_questions = runs.iter().any(|run| run.role == "user");
    let mut question = String::new();
    for run in runs {
        if run.role == "user" {
            question = run.heading();
        }
        let heading = if has_questions { question.clone() } else { run.role.clone() };
        sections(run, heading, &mut raw.page.sections);
    }
    raw.left_out = trace.finish();
    // Mails and messages of people are quoted and forwarded; the logs of programs repeat turns.
    if !conversation.agent.is_empty() {
        let is_titled_by_question = fold(&conversation.title).is_empty();
        let Conversation { session, is_aside, .. } = &conversation;
        let sections = &raw.page.sections;
        let talk = Talk::new(sections, session.as_deref(), *is_aside, is_titled_by_question);
        raw.talk = Some(Box::new(talk));
    }
    Some(raw)
}

/// Sets the page's attributes.
fn describe(conversation: &Conversation, runs: &[Run], raw: &mut RawPage) {
    let mut set = |name: &str, value: Raw| {
        raw.attributes.insert(name.to_owned(), value);
    };
    let project = conversation.project.as_deref().map(|project| match project {
        // The root of a file system.
        "/" => project,
        project => project.trim_end_matches(['/', '\\']),
    });
    let texts = [
        ("agent", Some(conversation.agent.as_str())),
        ("project", project),
        ("branch", conversation.branch.as_deref()),
        ("model", conversation.model.as_deref()),
        ("session", conversation.session.as_deref()),
    ];
    for (name, value) in texts {
        let value = fold(&text::without_escapes(value.unwrap_or_default()));
        if !value.is_empty() {
            set(name, Raw::Text(value));
        }
    }
    let roles: BTreeSet<String> = runs.iter().map(|run| run.role.clone()).collect();
    set("roles", Raw::List(roles.into_iter().collect()));
    // If a clock was set back, the conversation must not begin after its end.
    let times = || conversation.turns.iter().filter_map(|turn| turn.time);
    if let Some(started) = times().min().or(conversation.created) {
        set("started", Raw::Text(started.to_string()));
    }
    if let Some(updated) = times().max().or(conversation.created) {
        set("updated", Raw::Text(updated.to_string()));
    }
    raw.page.sort_only = NO_FACETS.map(str::to_owned).to_vec();
}

/// Turns of one role that form one section.
struct Run {
    role: String,
    time: Option<Timestamp>,
    /// The number of the first turn, from 1.
    number: usize,
    tools: BTreeSet<String>,
    blocks: Vec<Block>,
    tokens: usize,
}

impl Run {
    /// Returns the first sentence of the run, which is its heading.
    fn heading(&self) -> String {
        let prose = self.blocks.iter().find(|block| !block.is_code_block);
        let block = prose.or(self.blocks.first());
        let first = block.map(|block| fold(&block.text)).unwrap_or_default();
        text::first_sentence(&first, MAX_HEADING_BYTES)
    }

    /// Returns the attributes of the run's sections.
    fn attributes(&self) -> BTreeMap<String, AttributeValue> {
        let mut attributes = BTreeMap::new();
        attributes.insert("role".to_owned(), AttributeValue::String(self.role.clone()));
        if let Some(time) = self.time {
            attributes.insert("time".to_owned(), AttributeValue::Date(time.as_millisecond()));
        }
        if !self.tools.is_empty() {
            let tools = self.tools.iter().cloned().collect();
            attributes.insert("tool".to_owned(), AttributeValue::Strings(tools));
        }
        attributes
    }
}

/// Returns the turns that have text. Short turns of the same role are put together.
fn runs(turns: &[Turn], options: &Options, trace: &mut Trace) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (number, turn) in (1..).zip(turns) {
        let run = run(number, turn, options, trace);
        if run.blocks.is_empty() {
            continue;
        }
        match runs.last_mut() {
            Some(last)
                if last.role == run.role
                    && last.tokens < SHORT
                    && last.tokens + run.tokens <= pieces::MAX =>
            {
                last.blocks.extend(run.blocks);
                last.tools.extend(run.tools);
                last.tokens += run.tokens;
            }
            _ => runs.push(run),
        }
    }
    runs
}

fn run(number: usize, turn: &Turn, options: &Options, trace: &mut Trace) -> Run {
    let is_output = |part: &Part| matches!(part, Part::Output { .. });
    let only_output = !turn.parts.is_empty() && turn.parts.iter().all(is_output);
    // Some programs send the output of a tool as a message of the user.
    let role = if only_output { "tool" } else { turn.role.as_str() };
    let role = match fold(&text::without_escapes(role)) {
        role if role.is_empty() => "unknown".to_owned(),
        role => role,
    };
    let mut tools = BTreeSet::new();
    let mut blocks = Vec::new();
    for part in &turn.parts {
        if let Some((rule, text)) = excluded(part, &role, options) {
            trace.note(rule, || (format!("turn-{number}"), fold(&text::without_escapes(text))));
            continue;
        }
        match part {
            Part::Text(said) => blocks.extend(text::markdown(said)),
            Part::Plain(said)
            | Part::Context(said)
            | Part::Reasoning(said)
            | Part::Quoted(said) => blocks.extend(text::plain(said)),
            Part::Call { tool, input } => {
                tools.extend(named(tool));
                let name = text::plain(tool).into_iter();
                blocks.extend(name.chain(text::code(input)));
            }
            Part::Output { tool, text } => {
                tools.extend(named(tool));
                blocks.extend(text::code(&super::values::cut(text, MAX_OUTPUT_BYTES)));
            }
        }
    }
    let tokens = blocks.iter().map(|block| pieces::tokens(&block.text)).sum();
    Run { role, time: turn.time, number, tools, blocks, tokens }
}

fn named(tool: &str) -> Option<String> {
    let name = fold(&text::without_escapes(tool));
    (!name.is_empty()).then_some(name)
}

/// Returns the rule that leaves a part out, with the part's text.
fn excluded<'a>(part: &'a Part, role: &str, options: &Options) -> Option<(Rule, &'a str)> {
    match part {
        Part::Output { text, .. } if !options.tool_output => Some((Rule::ToolOutput, text)),
        Part::Reasoning(text) => Some((Rule::Reasoning, text)),
        Part::Context(text) => Some((Rule::ProgramContext, text)),
        Part::Quoted(text) => Some((Rule::QuotedMail, text)),
        Part::Text(text) | Part::Plain(text) if role == "system" => {
            Some((Rule::ProgramContext, text))
        }
        _ => None,
    }
}

/// Adds the sections of a run: one, or the pieces of a long turn.
fn sections(run: Run, heading: String, sections: &mut Vec<Section>) {
    let attributes = run.attributes();
    let number = run.number;
    for (at, blocks) in pieces::cut(run.blocks).into_iter().enumerate() {
        let anchor = match at {
            0 => format!("turn-{number}"),
            _ => format!("turn-{number}-{}", at + 1),
        };
        sections.push(Section {
            level: u8::from(!heading.is_empty()),
            heading: heading.clone(),
            anchor: Some(anchor),
            attributes: attributes.clone(),
            blocks,
            ..Section::default()
        });
    }
}
