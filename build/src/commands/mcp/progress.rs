//! Tells a client how far a call has come, if it asked for that.

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::runtime::Handle;

/// Where progress is told; nowhere if the client did not ask for it.
#[derive(Clone, Default)]
pub struct Progress(Option<Listener>);

#[derive(Clone)]
struct Listener {
    token: ProgressToken,
    peer: Peer<RoleServer>,
    runtime: Handle,
}

impl Progress {
    /// To the client of a request. Called on a thread of the runtime.
    pub fn of(context: &RequestContext<RoleServer>) -> Self {
        let listener = |token| {
            let (peer, runtime) = (context.peer.clone(), Handle::current());
            Listener { token, peer, runtime }
        };
        Self(context.meta.get_progress_token().map(listener))
    }

    /// Tells that so many of all steps are done, and what the next one is. Blocking, so that nothing
    /// is told behind the answer.
    pub fn tell(&self, done: usize, all: usize, next: String) {
        let Some(Listener { token, peer, runtime }) = &self.0 else { return };
        let told = ProgressNotificationParam::new(token.clone(), done as f64)
            .with_total(all as f64)
            .with_message(next);
        // A client that is gone needs no progress.
        let _ = runtime.block_on(peer.notify_progress(told));
    }
}
