//! The thread that reads pages for the preview.

use std::sync::mpsc::{Receiver, Sender};
use std::thread::JoinHandle;

use anyhow::Result;
use findling_engine::{PageHit, Snippet};

use super::styled::{Kind, Piece};
use crate::bundle_files;
use crate::commands::highlight;
use crate::host::{Document, DocumentSection, Host};
use crate::output::{Location, Sources};
use crate::passages::locate;
use crate::safe_text::{line, lines};

/// Maximum number of bytes of a page that are shown before the hit.
const MAX_BEFORE: usize = 16 << 10;
/// Maximum number of bytes that are shown from the beginning of the hit.
const MAX_AFTER: usize = 64 << 10;

/// A job of the thread.
#[derive(Clone, Debug)]
pub enum Job {
    /// Use these bundles from now on.
    Bundles(Vec<(bundle_files::Location, Sources)>),
    /// Read the page of a row.
    Read { id: u64, bundle: usize, page: Box<PageHit> },
}

/// A page as the preview shows it, not yet broken into lines. All text is harmless.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preview {
    /// The job's number.
    pub id: u64,
    /// `path:line`, or the address.
    pub location: String,
    /// The text before the section that was found.
    pub before: Vec<Piece>,
    /// The section and the text after it.
    pub after: Vec<Piece>,
}

/// Reads pages until the sender is gone. If several requests wait, only the last is answered.
fn run(jobs: &Receiver<Job>, tell: &dyn Fn(Preview)) {
    let mut bundles: Vec<(bundle_files::Location, Sources)> = Vec::new();
    let mut hosts: Vec<Option<Host>> = Vec::new();
    while let Ok(first) = jobs.recv() {
        let mut wanted = None;
        for job in std::iter::once(first).chain(jobs.try_iter()) {
            match job {
                Job::Bundles(now) => {
                    hosts = now.iter().map(|_| None).collect();
                    bundles = now;
                }
                Job::Read { id, bundle, page } => wanted = Some((id, bundle, page)),
            }
        }
        let Some((id, bundle, page)) = wanted else { continue };
        let (Some((location, sources)), Some(host)) = (bundles.get(bundle), hosts.get_mut(bundle))
        else {
            continue;
        };
        let read = || -> Result<Preview> {
            let host = match host {
                Some(host) => host,
                none => none.insert(Host::open(location.clone())?),
            };
            let document = host.document(&page.id)?;
            Ok(preview(id, &document, &page, &sources.relative()))
        };
        tell(read().unwrap_or_else(|error| failed(id, &error)));
    }
}

fn failed(id: u64, error: &anyhow::Error) -> Preview {
    Preview {
        id,
        after: vec![Piece::new(line(&format!("{error:#}")), Kind::Dim)],
        ..Preview::default()
    }
}

fn preview(id: u64, document: &Document, page: &PageHit, sources: &Sources) -> Preview {
    let best = page.sections.first();
    let found = best.and_then(|hit| locate(document, hit)).unwrap_or(0);
    let snippets: Vec<&Snippet> = page.sections.iter().map(|section| &section.snippet).collect();
    let mut before: Vec<Vec<Piece>> = Vec::new();
    let mut left = MAX_BEFORE;
    for section in document.sections[..found].iter().rev() {
        left = left.saturating_sub(section.text.len());
        if left == 0 {
            break;
        }
        before.push(section_pieces(section, &snippets));
    }
    let mut after = Vec::new();
    let mut left = MAX_AFTER;
    for section in &document.sections[found..] {
        let mut part = section.clone();
        part.text.truncate(part.text.floor_char_boundary(left));
        left -= part.text.len();
        after.extend(section_pieces(&part, &snippets));
        if left == 0 {
            break;
        }
    }
    let location = match sources.locate(page, best) {
        Location::Url(url) => line(&url).into_owned(),
        file @ Location::File { .. } => file.to_string(),
    };
    Preview { id, location, before: before.into_iter().rev().flatten().collect(), after }
}

/// Returns the heading and the text of a section.
fn section_pieces(section: &DocumentSection, snippets: &[&Snippet]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if let Some(heading) = section.heading_path.last() {
        pieces.push(Piece::new(line(heading), Kind::Heading));
        pieces.push(Piece::new("\n", Kind::Plain));
    }
    let text = &section.text;
    let marks = marks(text, snippets);
    let mut at = 0;
    for &(start, end) in &section.code {
        let (start, end) = (start.min(text.len()).max(at), end.min(text.len()).max(at));
        push(&mut pieces, vec![Piece::new(&text[at..start], Kind::Plain)], at, &marks);
        push(&mut pieces, code_pieces(&text[start..end]), start, &marks);
        at = end;
    }
    push(&mut pieces, vec![Piece::new(&text[at..], Kind::Plain)], at, &marks);
    pieces.push(Piece::new("\n\n", Kind::Plain));
    pieces
}

/// Returns the pieces of a stretch of code.
fn code_pieces(text: &str) -> Vec<Piece> {
    let pieces = highlight::code(text).into_iter();
    pieces.map(|(range, kind)| Piece::new(&text[range], kind.into())).collect()
}

/// Adds stretches of a text, which begin at a given byte of it. Their text is made harmless, and
/// matches are marked.
fn push(pieces: &mut Vec<Piece>, stretches: Vec<Piece>, mut at: usize, marks: &[(usize, usize)]) {
    for Piece { text, kind } in stretches {
        let end = at + text.len();
        let mut from = at;
        for &(start, stop) in marks {
            let (start, stop) = (start.clamp(from, end), stop.clamp(from, end));
            if start == stop {
                continue;
            }
            for (until, kind) in [(start, kind), (stop, Kind::Marked)] {
                let part = &text[from - at..until - at];
                if !part.is_empty() {
                    pieces.push(Piece::new(lines(part), kind));
                }
                from = until;
            }
        }
        if from < end {
            pieces.push(Piece::new(lines(&text[from - at..]), kind));
        }
        at = end;
    }
}

/// Returns the byte ranges of a text that matched, as far as snippets show them.
fn marks(text: &str, snippets: &[&Snippet]) -> Vec<(usize, usize)> {
    let mut marks = Vec::new();
    for snippet in snippets.iter().filter(|snippet| !snippet.text.is_empty()) {
        let Some(start) = text.find(&snippet.text) else { continue };
        for &(from, to) in &snippet.ranges {
            let (Some(from), Some(to)) = (byte(&snippet.text, from), byte(&snippet.text, to))
            else {
                continue;
            };
            marks.push((start + from, start + to));
        }
    }
    marks.sort_unstable();
    marks.dedup();
    marks
}

/// Returns the byte at which a UTF-16 code unit begins.
fn byte(text: &str, unit: u32) -> Option<usize> {
    let mut units = 0;
    let ends = text.char_indices().map(|(at, c)| (at, c.len_utf16() as u32));
    for (at, len) in ends.chain(std::iter::once((text.len(), 0))) {
        if units == unit {
            return Some(at);
        }
        units += len;
    }
    None
}

/// Starts the thread.
///
/// # Errors
/// If the system refuses.
pub fn spawn(jobs: Receiver<Job>, news: Sender<super::Message>) -> std::io::Result<JoinHandle<()>> {
    let tell = move |preview| {
        // The screen is gone when the program ends.
        let _ = news.send(super::Message::Preview(Box::new(preview)));
    };
    std::thread::Builder::new().name("preview".to_owned()).spawn(move || run(&jobs, &tell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matched_is_marked_in_text_and_in_code_and_all_is_harmless() {
        let section = DocumentSection {
            text: "😀 a mutex\u{1b}[2J and let x = mutex;".into(),
            code: vec![(21, 35)],
            heading_path: vec!["Top".into(), "Sub\u{202e}".into()],
            ..DocumentSection::default()
        };
        let snippet = Snippet {
            text: section.text.clone(),
            ranges: vec![(5, 10), (27, 32)],
            ..Snippet::default()
        };
        let pieces = section_pieces(&section, &[&snippet]);
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(text, "Sub<U+202E>\n😀 a mutex<U+001B>[2J and let x = mutex;\n\n");
        let of = |kind| -> Vec<&str> {
            pieces.iter().filter(|piece| piece.kind == kind).map(|piece| &*piece.text).collect()
        };
        assert_eq!(of(Kind::Marked), ["mutex", "mutex"]);
        assert_eq!(of(Kind::Keyword), ["let"]);
    }

    #[test]
    fn ranges_in_utf16_become_bytes() {
        assert_eq!([0, 1, 2, 3].map(|unit| byte("😀a", unit)), [Some(0), None, Some(4), Some(5)]);
        assert_eq!(byte("a", 2), None);
    }
}
