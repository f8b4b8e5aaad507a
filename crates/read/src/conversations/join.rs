//! Conversations of several files: turns that occur in more than one file, and subagents with the
//! conversation that gave them their task.

use std::collections::{HashMap, HashSet};

use bincode::{Decode, Encode};

use super::super::attributes::Raw;
use crate::RawPage;
use findling_page::page::Section;

/// The facts about a conversation that are compared with others before they are joined.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub(crate) struct Talk {
    /// For each section, a hash of speaker, text and time; `None` if these are not known.
    turns: Vec<Option<u64>>,
    /// The id that the program gave the session.
    session: String,
    /// Whether another conversation gave it its task.
    is_aside: bool,
    /// Whether its title is the first question.
    is_titled_by_question: bool,
}

impl Talk {
    /// Returns the facts about a conversation.
    pub(super) fn new(
        sections: &[Section],
        session: Option<&str>,
        is_aside: bool,
        is_titled_by_question: bool,
    ) -> Self {
        let turns = sections.iter().map(key).collect();
        let session = session.unwrap_or_default().to_owned();
        Self { turns, session, is_aside, is_titled_by_question }
    }
}

fn key(section: &Section) -> Option<u64> {
    let time = section.attributes.get("time")?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("{time:?} {:?}", section.attributes.get("role")).as_bytes());
    for block in &section.blocks {
        hasher.update(&(block.text.len() as u64).to_le_bytes());
        hasher.update(block.text.as_bytes());
    }
    let hash = hasher.finalize();
    hash.as_bytes().first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// The names, in a page's further data, of the conversations to which it belongs.
const PARENT: &str = "parent";
const CHILDREN: &str = "children";
const CONTINUES: &str = "continues";

/// Keeps each turn only in the first conversation that has it, and links subagents with their
/// parents.
pub(crate) fn join(pages: &mut Vec<RawPage>) {
    keep_once(pages);
    link(pages);
    for raw in pages {
        raw.talk = None;
    }
}

/// Removes repeated turns from sessions that continue another session, that is, from the sessions
/// that ended later.
fn keep_once(pages: &mut Vec<RawPage>) {
    let text = |raw: &RawPage, name: &str| match raw.attributes.get(name) {
        Some(Raw::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let mut order: Vec<usize> = (0..pages.len()).filter(|at| pages[*at].talk.is_some()).collect();
    order.sort_by_cached_key(|at| (text(&pages[*at], "updated"), pages[*at].page.id.clone()));
    let mut first: HashMap<u64, String> = HashMap::new();
    let mut empty: HashSet<usize> = HashSet::new();
    for at in order {
        let raw = &mut pages[at];
        let Some(talk) = raw.talk.as_deref() else { continue };
        let repeated: Vec<bool> =
            talk.turns.iter().map(|key| key.is_some_and(|key| first.contains_key(&key))).collect();
        let earlier = talk.turns.iter().flatten().find_map(|key| first.get(key).cloned());
        for key in talk.turns.iter().flatten() {
            first.entry(*key).or_insert_with(|| raw.page.id.clone());
        }
        let Some(earlier) = earlier else { continue };
        if repeated.iter().all(|is| *is) {
            empty.insert(at);
            continue;
        }
        // A page whose text cannot be read back keeps all of its turns.
        if repeated.len() != raw.page.sections.len() || raw.page.restore().is_err() {
            continue;
        }
        let is_titled_by_question = talk.is_titled_by_question;
        let mut repeated = repeated.into_iter();
        raw.page.sections.retain(|_| !repeated.next().unwrap_or_default());
        if is_titled_by_question && let Some(section) = raw.page.sections.first() {
            raw.page.title.clone_from(&section.heading);
        }
        raw.page.meta.push((CONTINUES.to_owned(), earlier));
    }
    let mut at = 0;
    pages.retain(|_| {
        at += 1;
        !empty.contains(&(at - 1))
    });
}

/// Links subagents with the conversation of their file, or of their session in another file.
fn link(pages: &mut [RawPage]) {
    let mut of_session: HashMap<String, usize> = HashMap::new();
    let mut of_file: HashMap<std::path::PathBuf, usize> = HashMap::new();
    let talks =
        || pages.iter().enumerate().filter_map(|(at, raw)| Some((at, raw, raw.talk.as_deref()?)));
    for (at, raw, talk) in talks().filter(|(.., talk)| !talk.is_aside) {
        of_file.entry(raw.path.clone()).or_insert(at);
        if !talk.session.is_empty() {
            of_session.entry(talk.session.clone()).or_insert(at);
        }
    }
    let mut links: Vec<(usize, usize)> = Vec::new();
    for (at, raw, talk) in talks().filter(|(.., talk)| talk.is_aside) {
        let parent = of_file.get(&raw.path).or_else(|| of_session.get(&talk.session));
        links.extend(parent.map(|parent| (at, *parent)));
    }
    let mut children: HashMap<usize, Vec<String>> = HashMap::new();
    for (child, parent) in links {
        let id = pages[parent].page.id.clone();
        pages[child].page.meta.push((PARENT.to_owned(), id));
        children.entry(parent).or_default().push(pages[child].page.id.clone());
    }
    for (parent, ids) in children {
        pages[parent].page.meta.push((CHILDREN.to_owned(), ids.join("\n")));
    }
}
