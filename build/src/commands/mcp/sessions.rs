//! The sessions of clients over HTTP: a bounded number, each kept while it is in use.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_core::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::session::{
    RestoreOutcome, ServerSseMessage, SessionId, SessionManager,
};

/// Maximum number of sessions. One more ends the session that has been idle longest.
pub const MAX_SESSIONS: usize = 64;
/// Longest idle time of a session.
const MAX_IDLE: Duration = Duration::from_secs(10 * 60);
/// Longest time in which a client must begin a session that it has requested.
const MAX_BEGIN: Duration = Duration::from_secs(15);
/// Time for which an answer is kept for a client that lost its connection.
const KEPT: Duration = Duration::from_secs(10);

type Outcome<T> = Result<T, LocalSessionManagerError>;

/// The sessions of a server.
#[derive(Debug)]
pub struct Sessions {
    sessions: LocalSessionManager,
    /// The time of each session's last use.
    used: Mutex<HashMap<SessionId, Instant>>,
    max: usize,
}

impl Sessions {
    /// Starts without sessions; later there are at most this many.
    pub fn new(max: usize) -> Self {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(MAX_IDLE);
        sessions.session_config.init_timeout = Some(MAX_BEGIN);
        sessions.session_config.completed_cache_ttl = KEPT;
        Self { sessions, used: Mutex::default(), max }
    }

    fn used(&self) -> MutexGuard<'_, HashMap<SessionId, Instant>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks a session as used now.
    fn touch(&self, id: &SessionId) {
        if let Some(at) = self.used().get_mut(id) {
            *at = Instant::now();
        }
    }

    /// Removes the session that has been idle longest from the list if there is no room for one
    /// more, and puts `id` on it.
    fn admit(&self, id: &SessionId) -> Option<SessionId> {
        let mut used = self.used();
        let idle = used.iter().min_by_key(|(_, at)| **at).map(|(id, _)| id.clone());
        let ended = idle.filter(|_| used.len() >= self.max);
        if let Some(ended) = &ended {
            used.remove(ended);
        }
        used.insert(id.clone(), Instant::now());
        ended
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Outcome<(SessionId, Self::Transport)> {
        let (id, transport) = self.sessions.create_session().await?;
        if let Some(ended) = self.admit(&id) {
            self.sessions.close_session(&ended).await?;
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Outcome<ServerJsonRpcMessage> {
        self.touch(id);
        self.sessions.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Outcome<bool> {
        self.sessions.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Outcome<()> {
        self.used().remove(id);
        self.sessions.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Outcome<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        self.touch(id);
        self.sessions.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Outcome<()> {
        self.touch(id);
        self.sessions.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Outcome<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        self.touch(id);
        self.sessions.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Outcome<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        self.touch(id);
        self.sessions.resume(id, last_event_id).await
    }

    async fn restore_session(&self, _: SessionId) -> Outcome<RestoreOutcome<Self::Transport>> {
        Ok(RestoreOutcome::NotSupported)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_further_session_ends_that_which_is_idle_longest() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let sessions = Sessions::new(3);
            let mut ids = Vec::new();
            for _ in 0..3 {
                ids.push(sessions.create_session().await.unwrap().0);
            }
            sessions.touch(&ids[0]);
            for _ in 0..2 {
                ids.push(sessions.create_session().await.unwrap().0);
            }
            let mut there = Vec::new();
            for id in &ids {
                there.push(sessions.has_session(id).await.unwrap());
            }
            assert_eq!(there, [true, false, false, true, true]);
            for id in &ids {
                sessions.close_session(id).await.unwrap();
            }
            assert!(sessions.used().is_empty());
            assert!(sessions.sessions.sessions.read().await.is_empty());
        });
    }
}
