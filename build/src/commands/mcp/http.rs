//! The server for assistants over HTTP, on this machine.
//!
//! Other users of the machine and pages in its browsers can reach the port. So a request must have
//! the token, must name this machine as its host, and must not come from a web page.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::json_rpc::{self, MAX_BYTES};
use super::server::Server;
use super::sessions::{MAX_SESSIONS, Sessions};
use crate::commands::bundles::Bundles;
use crate::serve::body::{BodyFault, read_body};
use crate::serve::hosts::is_known;
use crate::serve::listen::{self, Limits};
use crate::serve::token::{self, Token};
use crate::standard_streams::stdout;
use crate::ui::Ui;

/// The environment variable that supplies a token.
pub const VARIABLE: &str = "FINDLING_MCP_TOKEN";

/// The token of a server, and how it is written for clients.
pub struct Access {
    token: Token,
    /// The token itself, or the variable that has it.
    shown: String,
}

impl Access {
    /// Returns the token in `file`, the one in the environment, or a new one.
    ///
    /// # Errors
    /// If the file or the variable contains no token.
    pub fn new(file: Option<&Path>) -> Result<Self> {
        let supplied = match (file, std::env::var(VARIABLE)) {
            (Some(file), _) => Some(token::from_file(file)?),
            (None, Ok(text)) if !text.is_empty() => {
                token::check(&text, VARIABLE)?;
                Some(text)
            }
            _ => None,
        };
        Ok(match supplied {
            Some(text) => Self { token: Token::new(&text), shown: format!("${{{VARIABLE}}}") },
            None => {
                let text = token::secret()?;
                Self { token: Token::new(&text), shown: text }
            }
        })
    }

    /// Writes the configuration of a client.
    fn configuration(&self, url: &str) -> Value {
        let headers = json!({ "Authorization": format!("Bearer {}", self.shown) });
        json!({ "mcpServers": { "findling": { "type": "http", "url": url, "headers": headers } } })
    }
}

/// Serves on the loopback interface until it is interrupted.
///
/// # Errors
/// If the port is taken.
pub async fn serve(bundles: Arc<Bundles>, port: u16, access: Access, ui: Ui) -> Result<()> {
    let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listener = TcpListener::bind(wanted).await.with_context(|| {
        format!("cannot listen on {wanted}; `--port 0` takes any port that is free")
    })?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    // The address is the output of this command: a script that uses port 0 reads it. A client needs
    // the next line.
    writeln!(stdout(), "{url}\n{}", access.configuration(&url))?;
    let ended = CancellationToken::new();
    let router = router(bundles, access.token, &ended, ui);
    listen::serve(listener, router, Limits::default(), async {
        let _ = tokio::signal::ctrl_c().await;
    })
    .await;
    ended.cancel();
    Ok(())
}

/// Returns the routes, for callers that have the token.
fn router(bundles: Arc<Bundles>, token: Token, ended: &CancellationToken, ui: Ui) -> Router {
    let config = StreamableHttpServerConfig::default()
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_BYTES)
        .with_cancellation_token(ended.child_token());
    let service = StreamableHttpService::new(
        move || Ok(Server::new(bundles.clone(), ui.clone())),
        Arc::new(Sessions::new(MAX_SESSIONS)),
        config,
    );
    let check = move |request: Request, next: Next| {
        let refusal = refusal(&request, &token);
        async move {
            match refusal {
                Some(refusal) => refusal,
                None => checked(request, next).await,
            }
        }
    };
    Router::new().nest_service("/mcp", service).layer(middleware::from_fn(check))
}

/// Returns the response to a request without permission.
fn refusal(request: &Request, token: &Token) -> Option<Response> {
    let headers = request.headers();
    if !is_known(headers, &[]) {
        let message = "expected this machine's own name as the host, found another one";
        return Some(failure(StatusCode::FORBIDDEN, message));
    }
    if headers.contains_key(header::ORIGIN) {
        let message = "expected a program, found a page: pages may not ask this server";
        return Some(failure(StatusCode::FORBIDDEN, message));
    }
    if token.is_in(headers) {
        return None;
    }
    let message = "expected the token of this server in `Authorization: Bearer TOKEN`, found \
                   another one or none: `findling mcp --http` prints it when it starts";
    let mut response = failure(StatusCode::UNAUTHORIZED, message);
    let scheme = HeaderValue::from_static("Bearer");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
    Some(response)
}

/// Answers a request with permission, if its body is a message.
async fn checked(request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let bytes = match read_body(body, MAX_BYTES).await {
        Ok(bytes) => bytes,
        Err(fault @ BodyFault::TooLong) => {
            return answer(fault.status(), &json_rpc::Fault::too_long().answer());
        }
        Err(fault) => return failure(fault.status(), &fault.to_string()),
    };
    match json_rpc::read(&bytes) {
        Ok(Some(_)) => next.run(Request::from_parts(head, Body::from(bytes))).await,
        Ok(None) => answer_of(StatusCode::ACCEPTED, Body::empty()),
        Err(fault) => answer(StatusCode::BAD_REQUEST, &fault.answer()),
    }
}

/// The code of this server's errors, from the range that JSON-RPC reserves for servers.
const REFUSED: i32 = -32001;

fn failure(status: StatusCode, message: &str) -> Response {
    let error = json!({ "code": REFUSED, "message": message });
    answer(status, &json!({ "jsonrpc": "2.0", "id": null, "error": error }))
}

fn answer(status: StatusCode, message: &Value) -> Response {
    let mut response = answer_of(status, Body::from(message.to_string()));
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

fn answer_of(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use hyper::service::Service;
    use hyper_util::service::TowerToHyperService;

    use super::*;
    use crate::commands::require_fresh::RequireFresh;
    use crate::commands::vector_name::VectorName;
    use crate::host::EncoderChoice;

    const SECRET: &str = "0123456789abcdef";

    struct Answer {
        status: u16,
        session: Option<String>,
        json: Value,
    }

    /// A request: method, headers, body.
    type Asked<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str);

    /// Returns the answers of one server to several requests.
    fn ask(requests: &[Asked<'_>]) -> Vec<Answer> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let bundles = Bundles::new(
            Vec::new(),
            EncoderChoice::Auto,
            VectorName::default(),
            RequireFresh::default(),
        );
        runtime.block_on(async {
            let ended = CancellationToken::new();
            let router = router(Arc::new(bundles), Token::new(SECRET), &ended, Ui::silent());
            let service = TowerToHyperService::new(router);
            let mut answers = Vec::new();
            for (method, headers, body) in requests {
                let mut request = Request::builder().method(*method).uri("/mcp");
                for (name, value) in *headers {
                    request = request.header(*name, *value);
                }
                let request = request.body(Body::from((*body).to_owned())).unwrap();
                let response = service.call(request).await.unwrap();
                let (head, body) = response.into_parts();
                let session = head.headers.get("mcp-session-id");
                let session = session.map(|id| id.to_str().unwrap().to_owned());
                let is_stream = head.headers.get(header::CONTENT_TYPE)
                    == Some(&HeaderValue::from_static("text/event-stream"));
                let json = match is_stream {
                    true => Value::Null,
                    false => {
                        let bytes = to_bytes(body, usize::MAX).await.unwrap();
                        serde_json::from_slice(&bytes).unwrap_or_default()
                    }
                };
                answers.push(Answer { status: head.status.as_u16(), session, json });
            }
            answers
        })
    }

    const HOST: (&str, &str) = ("host", "127.0.0.1:8901");
    const BEARER: (&str, &str) = ("authorization", "Bearer 0123456789abcdef");
    const KIND: (&str, &str) = ("content-type", "application/json");
    const ACCEPT: (&str, &str) = ("accept", "application/json, text/event-stream");
    const BEGIN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":
        {"protocolVersion":"2025-06-18","capabilities":{},
        "clientInfo":{"name":"test","version":"1"}}}"#;

    #[test]
    fn a_session_begins_with_the_token_and_not_without() {
        let evil = ("origin", "https://evil.example");
        let answers = ask(&[
            ("POST", &[HOST, BEARER, KIND, ACCEPT], BEGIN),
            ("POST", &[HOST, KIND, ACCEPT], BEGIN),
            ("POST", &[HOST, ("authorization", "Bearer other"), KIND, ACCEPT], BEGIN),
            ("GET", &[HOST, ACCEPT], ""),
            ("DELETE", &[HOST], ""),
            ("OPTIONS", &[HOST], ""),
            ("POST", &[HOST, BEARER, evil, KIND, ACCEPT], BEGIN),
            ("POST", &[HOST, evil, KIND, ACCEPT], BEGIN),
            ("POST", &[HOST, BEARER, ("origin", "null"), KIND, ACCEPT], BEGIN),
            ("POST", &[("host", "evil.example"), BEARER, KIND, ACCEPT], BEGIN),
        ]);
        let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses, [200, 401, 401, 401, 401, 401, 403, 403, 403, 403]);
        assert!(answers[0].session.is_some());
        for answer in &answers[1..] {
            assert_eq!((&answer.session, &answer.json["error"]["code"]), (&None, &json!(REFUSED)));
        }
    }

    #[test]
    fn what_is_no_message_is_answered_with_a_code() {
        let long = "x".repeat(MAX_BYTES + 1);
        let headers = &[HOST, BEARER, KIND, ACCEPT][..];
        let answers = ask(&[
            ("POST", headers, "nonsense"),
            ("POST", headers, ""),
            ("POST", headers, "[]"),
            ("POST", headers, r#"{"jsonrpc":"2.0","id":"a"}"#),
            ("POST", headers, &long),
        ]);
        let found: Vec<_> = answers
            .iter()
            .map(|answer| (answer.status, answer.json["error"]["code"].as_i64().unwrap()))
            .collect();
        let bad = |code: i64| (400, code);
        assert_eq!(found, [bad(-32700), bad(-32700), bad(-32600), bad(-32600), (413, -32600)]);
        assert_eq!(answers[3].json["id"], "a");
        assert!(answers[0].json.as_object().unwrap().contains_key("id"));
    }

    #[test]
    fn a_new_token_is_shown_and_one_that_was_supplied_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("token");
        let supplied = Access::new(Some(&file)).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let shown = supplied.configuration("http://127.0.0.1:1/mcp").to_string();
        assert!(shown.contains(VARIABLE) && !shown.contains(text.trim()), "{shown}");
        let made = Access::new(None).unwrap();
        let shown = made.configuration("http://127.0.0.1:1/mcp");
        let server = &shown["mcpServers"]["findling"];
        assert_eq!(server["url"], "http://127.0.0.1:1/mcp");
        assert_eq!(server["headers"]["Authorization"], format!("Bearer {}", made.shown));
    }
}
