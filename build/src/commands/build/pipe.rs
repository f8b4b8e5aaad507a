//! The protocol with a program that sends requests on standard input, one JSON object a line. The
//! protocol is described in `docs/tables.md`.

use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::output::{Failure, UsageError};
use crate::standard_streams::{is_closed, stdout};

/// Version of the protocol.
const PROTOCOL: u32 = 1;
/// Longest request.
const MAX_REQUEST_BYTES: u64 = 256 << 20;

/// The fields of a request or an answer.
pub type Fields = Map<String, Value>;

/// Answers requests until standard input ends. `start` returns the fields of the first line and the
/// state for `answer`.
///
/// # Errors
/// The errors of `start`, which are also sent to the other program. Errors of `answer` are sent as
/// answers.
pub fn serve<A>(
    start: impl FnOnce() -> Result<(Fields, A)>,
    answer: impl Fn(&A, Fields) -> Result<Fields>,
) -> Result<ExitCode> {
    let (mut greeting, state) = match start() {
        Ok(started) => started,
        Err(error) => {
            write(&json!({ "error": Failure::of(&error) }))?;
            return Err(error);
        }
    };
    greeting.insert("findling".into(), env!("CARGO_PKG_VERSION").into());
    greeting.insert("protocol".into(), PROTOCOL.into());
    write(&Value::Object(greeting))?;
    let mut input = io::stdin().lock();
    while !is_closed() {
        let mut line = Vec::new();
        let n = (&mut input).take(MAX_REQUEST_BYTES + 1).read_until(b'\n', &mut line);
        if n.context("standard input cannot be read")? == 0 {
            break;
        }
        if line.len() as u64 > MAX_REQUEST_BYTES {
            let message = format!(
                "expected requests of at most {MAX_REQUEST_BYTES} bytes, found a longer one: \
                 divide it"
            );
            let error = UsageError::new("request", message).into();
            write(&json!({ "id": null, "error": Failure::of(&error) }))?;
            return Err(error);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (id, answered) = match serde_json::from_slice(&line) {
            Ok(Value::Object(mut request)) => {
                (request.remove("id").unwrap_or_default(), answer(&state, request))
            }
            Ok(_) => (Value::Null, Err(wrong("a JSON object", "something else"))),
            Err(error) => (Value::Null, Err(wrong("a JSON object", &error.to_string()))),
        };
        let mut fields = Fields::new();
        fields.insert("id".into(), id);
        match answered {
            Ok(answer) => fields.extend(answer),
            Err(error) => {
                fields.insert("error".into(), json!(Failure::of(&error)));
            }
        }
        write(&Value::Object(fields))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns an error of a request.
pub fn wrong(expected: &str, found: &str) -> anyhow::Error {
    UsageError::new("request", format!("expected {expected}, found {found}")).into()
}

/// Takes a field that is a list of texts.
///
/// # Errors
/// If the field is missing or is not a list of texts.
pub fn texts(request: &mut Fields, name: &str) -> Result<Vec<String>> {
    let expected = format!("a list of texts in `{name}`");
    match request.remove(name) {
        Some(list @ Value::Array(_)) => {
            serde_json::from_value(list).map_err(|error| wrong(&expected, &error.to_string()))
        }
        Some(_) => Err(wrong(&expected, "something else")),
        None => Err(wrong(&expected, "none")),
    }
}

fn write(value: &Value) -> Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    let mut out = stdout();
    out.write_all(&line)?;
    Ok(out.flush()?)
}
