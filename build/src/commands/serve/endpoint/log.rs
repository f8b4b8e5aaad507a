//! One line of JSON for each request, in the form of the endpoint for Workers. Queries are not
//! logged.

use std::time::Instant;

use axum::http::{Method, StatusCode};
use clap::ValueEnum;
use serde::Serialize;

use super::reply::Fault;
use crate::safe_text;
use crate::standard_streams::tell;

/// The level of logging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogLevel {
    /// A line for each request
    Requests,
    /// A line for each request that failed by the server's fault
    #[default]
    Errors,
    /// Nothing
    None,
}

/// Facts about a request that are gathered for the log while it is answered.
pub struct Trail {
    pub id: String,
    pub start: Instant,
    pub method: Method,
    pub route: &'static str,
}

#[derive(Serialize)]
struct Line<'a> {
    findling: Entry<'a>,
}

#[derive(Serialize)]
struct Entry<'a> {
    id: &'a str,
    method: &'a str,
    route: &'a str,
    status: u16,
    ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
    /// Only for faults of the server: messages about the client's faults may quote the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

/// Writes the line of a request.
pub fn write(level: LogLevel, trail: &Trail, status: StatusCode, fault: Option<&Fault>) {
    let is_error = status.is_server_error();
    if level == LogLevel::None || (level == LogLevel::Errors && !is_error) {
        return;
    }
    let told = |fault: &'_ Fault| fault.cause.clone().unwrap_or_else(|| fault.message.clone());
    let message = fault.filter(|_| is_error).map(told);
    let entry = Entry {
        id: &trail.id,
        method: trail.method.as_str(),
        route: trail.route.trim_start_matches('/'),
        status: status.as_u16(),
        ms: trail.start.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
        code: fault.map(|fault| fault.code),
        message: message.as_deref(),
    };
    if let Ok(line) = safe_text::json(&Line { findling: entry }) {
        tell(line);
    }
}
