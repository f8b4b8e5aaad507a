//! Mailboxes (mbox): a conversation is a thread, a turn a mail.

use std::collections::HashMap;

use jiff::Timestamp;
use mail_parser::mailbox::mbox::MessageIterator;
use mail_parser::{HeaderValue, Message, MessageParser, PartType};

use super::super::{Options, Severity};
use super::mail_body;
use super::model::{Conversation, Part, Turn};
use crate::notes::Notes;

/// Reads a mailbox. The references of a mail determine its thread; without references, the subject
/// of a reply does.
pub(super) fn read(bytes: &[u8], options: &Options, notes: &mut Notes) -> Vec<Conversation> {
    let mut threads = Threads::default();
    for (number, mail) in (1u64..).zip(MessageIterator::new(bytes)) {
        let Ok(mail) = mail else { continue };
        if mail.contents().len() as u64 > options.max_file_bytes {
            let reason = format!("mail {number} has more than {} bytes", options.max_file_bytes);
            notes.tell(Severity::Warning, None, reason);
            continue;
        }
        match MessageParser::default().parse(mail.contents()) {
            Some(message) if message.headers().iter().any(|header| !header.name().is_empty()) => {
                threads.add(&message);
            }
            _ => {
                let reason = format!("mail {number} has no headers and is left out");
                notes.tell(Severity::Warning, None, reason);
            }
        }
    }
    threads.conversations
}

/// Returns whether bytes are a mail: they begin with the header fields of a mail.
pub(super) fn is_mail(bytes: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    let fields = start.lines().take_while(|line| !line.trim().is_empty());
    let names: Vec<String> = fields
        .filter_map(|line| line.split_once(':'))
        .map(|(name, _)| name.to_ascii_lowercase())
        .filter(|name| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic() || c == '-')
        })
        .collect();
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    has("from") && (has("date") || has("message-id") || has("subject") || has("received"))
}

/// Reads a file with one mail.
pub(super) fn read_mail(bytes: &[u8], notes: &mut Notes) -> Vec<Conversation> {
    let mut threads = Threads::default();
    match MessageParser::default().parse(bytes) {
        Some(message) => threads.add(&message),
        None => {
            let reason = "expected a mail, found no headers";
            notes.tell(Severity::Warning, None, reason);
        }
    }
    threads.conversations
}

/// Threads under construction.
#[derive(Default)]
struct Threads {
    conversations: Vec<Conversation>,
    /// The thread of each mail, by its id.
    of_id: HashMap<String, usize>,
    /// The newest thread with a subject.
    of_subject: HashMap<String, usize>,
}

impl Threads {
    fn add(&mut self, message: &Message<'_>) {
        let subject = message.subject().unwrap_or_default().trim().to_owned();
        let thread_subject = message.thread_name().unwrap_or_default().trim().to_lowercase();
        let is_answer = !subject.to_lowercase().starts_with(&thread_subject);
        let id = message.message_id().map(str::to_owned);
        let mut references = ids(message.references());
        references.extend(ids(message.in_reply_to()));
        // A mail that occurs twice in the mailbox is read once.
        if id.as_ref().is_some_and(|id| self.of_id.contains_key(id)) && references.is_empty() {
            return;
        }
        let by_reference = references.iter().find_map(|id| self.of_id.get(id)).copied();
        let by_subject = || {
            let known = is_answer && !thread_subject.is_empty();
            known.then(|| self.of_subject.get(&thread_subject).copied()).flatten()
        };
        let at = by_reference.or_else(by_subject).unwrap_or_else(|| {
            self.conversations.push(Conversation {
                id: id
                    .clone()
                    .unwrap_or_else(|| format!("thread-{}", self.conversations.len() + 1)),
                title: subject.clone(),
                project: list_of(message),
                ..Conversation::default()
            });
            self.conversations.len() - 1
        });
        for id in id.into_iter().chain(references) {
            self.of_id.entry(id).or_insert(at);
        }
        self.of_subject.insert(thread_subject, at);
        self.conversations[at].turns.push(turn(message));
    }
}

fn ids(value: &HeaderValue<'_>) -> Vec<String> {
    match value {
        HeaderValue::Text(id) => vec![id.to_string()],
        HeaderValue::TextList(ids) => ids.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

/// Returns the mailing list that sent the mail.
fn list_of(message: &Message<'_>) -> Option<String> {
    let address = message.list_id().as_address()?.first()?;
    let name = address.name().or(address.address())?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns the words of the mail's own text, without quotations.
fn plain(parts: &[Part]) -> Vec<&str> {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Plain(text) => Some(text.as_str()),
        _ => None,
    });
    texts.flat_map(str::split_whitespace).collect()
}

fn turn(message: &Message<'_>) -> Turn {
    let sender = message.from().and_then(|from| from.first());
    let name = sender.and_then(|sender| sender.name().or(sender.address()));
    let time = message.date().and_then(|date| Timestamp::from_second(date.to_timestamp()).ok());
    let bodies = message.text_body.iter().filter_map(|at| message.part(*at));
    let mut said: Vec<Vec<Part>> = Vec::new();
    for part in bodies {
        let parts = match &part.body {
            PartType::Text(text) => mail_body::of_text(text),
            PartType::Html(markup) => mail_body::of_html(markup),
            _ => continue,
        };
        // Some programs send the same text twice.
        if !said.iter().any(|known| plain(known) == plain(&parts)) {
            said.push(parts);
        }
    }
    let parts = said.into_iter().flatten().collect();
    Turn { role: name.unwrap_or("unknown").trim().to_owned(), time, parts }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAILBOX: &str = "From ana@example.org Mon Mar  3 10:00:00 2025\n\
        From: Ana Silva <ana@example.org>\nSubject: Lost frames\nMessage-ID: <1@example.org>\n\
        Date: Mon, 3 Mar 2025 10:00:00 +0100\n\nFrames are lost.\n>From here on.\n\n\
        From ben@example.org Mon Mar  3 11:00:00 2025\n\
        From: ben@example.org\nSubject: Re: Lost frames\nMessage-ID: <2@example.org>\n\
        In-Reply-To: <1@example.org>\nDate: Mon, 3 Mar 2025 11:00:00 +0100\n\n\
        > Frames are lost.\nRaise the buffer.\n-- \nBen\n\n\
        From eva@example.org Mon Mar  3 12:00:00 2025\n\
        From: Eva <eva@example.org>\nSubject: Lunch\n\nAt one?\n";

    fn read_text(text: &str) -> Vec<Conversation> {
        read(text.as_bytes(), &Options::default(), &mut Notes::default())
    }

    #[test]
    fn threads_are_conversations_and_quotes_are_apart() {
        let threads = read_text(MAILBOX);
        let titles: Vec<&str> = threads.iter().map(|thread| thread.title.as_str()).collect();
        assert_eq!(titles, ["Lost frames", "Lunch"]);
        let roles: Vec<&str> = threads[0].turns.iter().map(|turn| turn.role.as_str()).collect();
        assert_eq!(roles, ["Ana Silva", "ben@example.org"]);
        assert_eq!(
            threads[0].turns[1].parts,
            [Part::Quoted("> Frames are lost.".into()), Part::Plain("Raise the buffer.".into())]
        );
        assert_eq!(threads[0].turns[0].time.unwrap().to_string(), "2025-03-03T09:00:00Z");
        assert_eq!(threads[1].turns[0].time, None);
    }

    #[test]
    fn an_answer_without_references_is_found_by_its_subject() {
        let text = MAILBOX.replace("In-Reply-To: <1@example.org>\n", "");
        assert_eq!(read_text(&text).len(), 2);
        let text = text.replace("Subject: Re: Lost frames", "Subject: Lost frames");
        assert_eq!(read_text(&text).len(), 3, "the same subject alone makes no thread");
    }
}
