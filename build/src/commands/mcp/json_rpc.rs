//! Messages of JSON-RPC, as they come over standard input or HTTP, and the errors for input that is
//! not a message.
//!
//! | what comes | the answer's code | its `id` |
//! |---|---|---|
//! | no JSON, or JSON that nests too deep | -32700 | null |
//! | JSON that is no message; a list of messages | -32600 | the request's, else null |
//! | a notification that cannot be read | none: notifications have no answer | |

use rmcp::model::{ClientJsonRpcMessage, ErrorCode};
use serde_json::{Value, json};

/// Maximum number of bytes of a message.
pub const MAX_BYTES: usize = 4 << 20;

/// The error for bytes that are not a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    code: ErrorCode,
    message: String,
    /// The request's id, or null.
    id: Value,
}

impl Fault {
    fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), id: Value::Null }
    }

    /// Returns the error for a message of too many bytes.
    pub fn too_long() -> Self {
        let message = format!("expected a message of at most {MAX_BYTES} bytes, found more");
        Self::new(ErrorCode::INVALID_REQUEST, message)
    }

    /// Returns the message that answers.
    pub fn answer(&self) -> Value {
        json!({
            "jsonrpc": "2.0",
            "id": self.id,
            "error": { "code": self.code.0, "message": self.message },
        })
    }
}

/// Reads a message. Returns `None` for a notification that cannot be read.
///
/// # Errors
/// A [`Fault`], which is the reply to the message.
pub fn read(bytes: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Fault> {
    if bytes.len() > MAX_BYTES {
        return Err(Fault::too_long());
    }
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        Fault::new(ErrorCode::PARSE_ERROR, format!("expected JSON, found none: {error}"))
    })?;
    let invalid = |message: &str, id: Value| {
        let mut fault = Fault::new(ErrorCode::INVALID_REQUEST, message);
        fault.id = id;
        Err(fault)
    };
    let Value::Object(fields) = &value else {
        let found = if value.is_array() { "a list of messages" } else { "another value" };
        let message = format!("expected a message, which is an object, found {found}");
        return invalid(&message, Value::Null);
    };
    let id = match fields.get("id") {
        Some(id @ (Value::String(_) | Value::Number(_))) => id.clone(),
        None => Value::Null,
        // MCP takes no null here, unlike JSON-RPC.
        Some(_) => return invalid("expected an id that is a text or a number", Value::Null),
    };
    if fields.get("jsonrpc") != Some(&Value::from("2.0")) {
        return invalid("expected `jsonrpc` to be \"2.0\"", id);
    }
    let is_notification = id.is_null() && fields.get("method").is_some_and(Value::is_string);
    match serde_json::from_value(value) {
        Ok(message) => Ok(Some(message)),
        Err(_) if is_notification => Ok(None),
        Err(error) => invalid(&format!("expected a message of the protocol: {error}"), id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_answered_with_a_code() {
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        for (text, code, id) in [
            ("nonsense", -32700, json!(null)),
            ("{\"jsonrpc\": \"2.0\",", -32700, json!(null)),
            ("", -32700, json!(null)),
            ("\u{feff}{}", -32700, json!(null)),
            (&deep, -32700, json!(null)),
            ("{} {}", -32700, json!(null)),
            ("7", -32600, json!(null)),
            ("null", -32600, json!(null)),
            ("[]", -32600, json!(null)),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, json!(null)),
            ("{}", -32600, json!(null)),
            (r#"{"id":7,"method":"ping"}"#, -32600, json!(7)),
            (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, -32600, json!("a")),
            (r#"{"jsonrpc":"2.0","id":7}"#, -32600, json!(7)),
            (r#"{"jsonrpc":"2.0","id":7,"method":5}"#, -32600, json!(7)),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, json!(null)),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, json!(null)),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, json!(1.5)),
        ] {
            let answer = read(text.as_bytes()).unwrap_err().answer();
            assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{text}");
            assert_eq!(answer["jsonrpc"], "2.0");
        }
        let not_utf8 = read(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}").unwrap_err();
        assert_eq!(not_utf8.answer()["error"]["code"], -32700);
        let long = read(&vec![b' '; MAX_BYTES + 1]).unwrap_err().answer();
        assert_eq!(long["error"]["code"], -32600);
    }

    #[test]
    fn messages_are_read() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":"a","method":"something/else","params":{}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ] {
            assert!(matches!(read(text.as_bytes()), Ok(Some(_))), "{text}");
        }
        // Notifications get no answer.
        let odd = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}"#;
        assert!(read(odd.as_bytes()).is_ok());
    }
}
