//! Checks of requests: only this server's pages, opened by the person who started it, get answers.
//!
//! Every page in a browser can send requests to this machine, and other users of the machine can as
//! well. Three checks keep them out:
//!
//! - **`Host`** must be this server's address. A page of another site whose name was pointed at
//!   127.0.0.1 (DNS rebinding) sends its own name.
//! - **`Origin`**, where a browser sends it, must be this server's. Requests must be JSON, so
//!   browsers send a preflight request before they send one for another site, and get no
//!   permission.
//! - **The token** must come with each request. It is new at each start, printed in the terminal,
//!   and part of the address's fragment, which no request contains.

use std::net::SocketAddr;

use anyhow::Result;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_TYPE, HOST, HeaderName, ORIGIN};

use crate::output::UsageError;
use crate::serve::token::{Token, secret};

/// The checks of a server.
pub struct Guard {
    /// The names that this server has.
    hosts: [String; 2],
    token: Token,
}

impl Guard {
    /// Returns the checks of the server at an address, and its token.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn new(address: SocketAddr) -> Result<(Self, String)> {
        let token = secret()?;
        let hosts = [address.to_string(), format!("localhost:{}", address.port())];
        Ok((Self { hosts, token: Token::new(&token) }, token))
    }

    /// Checks that a request is meant for this server.
    ///
    /// # Errors
    /// If it is not.
    pub fn check_host(&self, headers: &HeaderMap) -> Result<(), UsageError> {
        let host = text(headers, HOST).unwrap_or_default();
        if self.hosts.iter().any(|known| known == host) {
            return Ok(());
        }
        let message = format!("expected the host {}, found another one", self.hosts.join(" or "));
        Err(UsageError { code: "host", message })
    }

    /// Checks that a question comes from a page of this server that has the token.
    ///
    /// # Errors
    /// If it does not.
    pub fn check_caller(&self, headers: &HeaderMap) -> Result<(), UsageError> {
        if let Some(origin) = headers.get(ORIGIN) {
            let is_own = |host: &String| origin.as_bytes() == format!("http://{host}").as_bytes();
            if !self.hosts.iter().any(is_own) {
                let message = "expected a page of this server, found another page".to_owned();
                return Err(UsageError { code: "origin", message });
            }
        }
        if text(headers, CONTENT_TYPE) != Some("application/json") {
            let message = "expected the type application/json, found another one".to_owned();
            return Err(UsageError { code: "request", message });
        }
        if self.token.is_in(headers) {
            return Ok(());
        }
        let message = "expected the token of this server, found another one or none: open the \
                       address that `findling serve` has printed"
            .to_owned();
        Err(UsageError { code: "token", message })
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use axum::http::header::AUTHORIZATION;

    use super::*;

    fn headers(list: &[(HeaderName, &str)]) -> HeaderMap {
        let pair = |(name, value): &(HeaderName, &str)| {
            (name.clone(), HeaderValue::from_str(value).unwrap())
        };
        list.iter().map(pair).collect()
    }

    #[test]
    fn only_the_server_s_own_names_are_served() {
        let (guard, _) = Guard::new(SocketAddr::from(([127, 0, 0, 1], 8900))).unwrap();
        for (host, expect) in [
            ("127.0.0.1:8900", true),
            ("localhost:8900", true),
            ("127.0.0.1", false),
            ("127.0.0.1:8901", false),
            ("evil.example:8900", false),
            ("localhost.evil.example:8900", false),
        ] {
            assert_eq!(guard.check_host(&headers(&[(HOST, host)])).is_ok(), expect, "{host}");
        }
        assert!(guard.check_host(&headers(&[])).is_err());
    }

    #[test]
    fn a_question_needs_the_token_the_type_and_no_other_origin() {
        let (guard, token) = Guard::new(SocketAddr::from(([127, 0, 0, 1], 8900))).unwrap();
        let (_, other) = Guard::new(SocketAddr::from(([127, 0, 0, 1], 8900))).unwrap();
        assert!(token.len() >= 32 && token != other);
        let asked = |origin: Option<&str>, kind: &str, token: &str| {
            let bearer = format!("Bearer {token}");
            let mut list = vec![(CONTENT_TYPE, kind), (AUTHORIZATION, bearer.as_str())];
            list.extend(origin.map(|origin| (ORIGIN, origin)));
            guard.check_caller(&headers(&list)).map_err(|error| error.code)
        };
        let json = "application/json";
        assert_eq!(asked(None, json, &token), Ok(()));
        assert_eq!(asked(Some("http://localhost:8900"), json, &token), Ok(()));
        assert_eq!(asked(Some("https://evil.example"), json, &token), Err("origin"));
        assert_eq!(asked(Some("http://127.0.0.1:3000"), json, &token), Err("origin"));
        assert_eq!(asked(Some("null"), json, &token), Err("origin"));
        assert_eq!(asked(None, "text/plain", &token), Err("request"));
        assert_eq!(asked(None, json, &other), Err("token"));
        assert_eq!(asked(None, json, ""), Err("token"));
        assert!(guard.check_caller(&headers(&[(CONTENT_TYPE, json)])).is_err());
    }
}
