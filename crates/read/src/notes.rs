//! The problems with the lines of a file. They are counted, and reported with the numbers of the
//! first lines.

use std::path::Path;

use super::{Outcome, Severity};

/// Number of lines that are named for each reason.
const MAX_NAMED: usize = 5;

/// Lines, with the problem of each.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Lines by reason, in the order in which the reasons first appeared.
    malformed: Vec<(String, Vec<u64>)>,
    others: Vec<(Severity, Option<u64>, String)>,
}

impl Notes {
    /// Records a line, message or element that is left out.
    pub fn malformed(&mut self, line: u64, reason: &str) {
        match self.malformed.iter_mut().find(|(known, _)| known == reason) {
            Some((_, lines)) => lines.push(line),
            None => self.malformed.push((reason.to_owned(), vec![line])),
        }
    }

    /// Records any other problem.
    pub fn tell(&mut self, severity: Severity, line: Option<u64>, reason: impl Into<String>) {
        self.others.push((severity, line, reason.into()));
    }

    /// Returns whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.malformed.is_empty() && self.others.is_empty()
    }

    /// Returns the lines that are left out, by reason.
    #[cfg(test)]
    pub fn lines(&self) -> Vec<u64> {
        self.malformed.iter().flat_map(|(_, lines)| lines).copied().collect()
    }

    /// Returns the number of records about something that could not be read.
    #[cfg(test)]
    pub fn n_errors(&self) -> usize {
        self.others.iter().filter(|(severity, ..)| *severity == Severity::Error).count()
    }

    /// Reports everything, one message for each reason.
    pub fn report(self, path: &Path, outcome: &mut Outcome) {
        for (severity, line, reason) in self.others {
            outcome.tell(severity, path, line, reason);
        }
        for (reason, lines) in self.malformed {
            let rest = lines.get(1..).unwrap_or_default();
            let named: Vec<String> = rest.iter().take(MAX_NAMED).map(u64::to_string).collect();
            let more = rest.len() - named.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let also = match named.as_slice() {
                [] => String::new(),
                named => format!("; so do {} more lines: {}{more}", rest.len(), named.join(", ")),
            };
            let reason = format!("{reason} and is left out{also}");
            outcome.tell(Severity::Warning, path, lines.first().copied(), reason);
        }
    }
}
