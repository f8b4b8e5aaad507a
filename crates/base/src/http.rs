//! The client for HTTP: its timeouts, its name, and the redirects that it follows.

use std::time::Duration;

use ureq::Agent;
use ureq::config::Config;

/// Timeouts of requests.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// The time for a connection, and again for the head of a response.
    pub connect: Duration,
    /// The time for the next bytes.
    pub stall: Duration,
}

/// Maximum number of connections to one host at the same time. The same number of connections is
/// kept open between requests.
pub const MAX_CONNECTIONS: usize = 6;

/// Returns a client that returns every response, regardless of its status, and follows at most
/// `redirects` redirects.
pub fn agent(timeouts: Timeouts, redirects: u32) -> Agent {
    config(timeouts, redirects).into()
}

/// Returns the settings of a client as [`agent`] makes it.
pub fn config(timeouts: Timeouts, redirects: u32) -> Config {
    Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(redirects)
        .max_redirects_will_error(redirects > 0)
        .timeout_resolve(Some(timeouts.connect))
        .timeout_connect(Some(timeouts.connect))
        .timeout_recv_response(Some(timeouts.connect))
        .timeout_per_read(Some(timeouts.stall))
        .max_idle_connections_per_host(MAX_CONNECTIONS)
        .user_agent(concat!("findling/", env!("CARGO_PKG_VERSION")))
        .build()
}
