//! Files of JSON lines.

use std::borrow::Cow;

use rayon::prelude::*;
use serde_json::Value;

use super::super::{Options, Severity};
use crate::notes::Notes;

/// A line that is a JSON object.
pub(super) struct Line {
    /// The number of the line, from 1.
    pub number: u64,
    pub value: Value,
}

/// Returns the lines of a file that are JSON objects. Other lines are reported. An incomplete last
/// line is not an error: its program is still writing it.
pub(super) fn read(bytes: &[u8], options: &Options, notes: &mut Notes) -> Vec<Line> {
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let last = lines.len();
    let read: Vec<Option<Result<(Value, bool), String>>> =
        lines.par_iter().map(|line| line_of(line, options)).collect();
    let mut found = Vec::new();
    let mut repaired: Option<u64> = None;
    for (number, line) in (1u64..).zip(read) {
        match line {
            None => {}
            Some(Ok((value, is_repaired))) => {
                if is_repaired {
                    repaired.get_or_insert(number);
                }
                found.push(Line { number, value });
            }
            // A line without a line feed is the last line.
            Some(Err(_)) if number as usize == last => notes.tell(
                Severity::Skipped,
                Some(number),
                "is the half of a line; the session is being written",
            ),
            Some(Err(reason)) => notes.malformed(number, &reason),
        }
    }
    if let Some(number) = repaired {
        notes.tell(
            Severity::Warning,
            Some(number),
            "is not UTF-8; bytes that are no text are replaced",
        );
    }
    found
}

/// Returns a line, and whether bytes of it were replaced. `None` if it is blank.
fn line_of(line: &[u8], options: &Options) -> Option<Result<(Value, bool), String>> {
    // NUL bytes remain after a power failure.
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let start = line.iter().position(|byte| !is_blank(byte))?;
    let end = line.iter().rposition(|byte| !is_blank(byte)).map_or(start, |at| at + 1);
    let line = &line[start..end];
    if line.len() as u64 > options.max_file_bytes {
        return Some(Err(format!("is longer than {} bytes", options.max_file_bytes)));
    }
    let text = String::from_utf8_lossy(line);
    let is_repaired = matches!(text, Cow::Owned(_));
    Some(match serde_json::from_str::<Value>(&text) {
        Ok(value @ Value::Object(_)) => Ok((value, is_repaired)),
        Ok(_) => Err("is no JSON object".to_owned()),
        Err(error) if error.to_string().contains("recursion limit") => {
            Err("nests more than 128 levels deep".to_owned())
        }
        Err(_) => Err("is not JSON".to_owned()),
    })
}
