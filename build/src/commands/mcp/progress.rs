//! Reports the progress of a call to a client that requested it.

use std::sync::{Arc, Mutex};

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::runtime::Handle;

use crate::commands::bundles::lock;

/// The listener for progress; `None` if the client did not request it.
#[derive(Clone, Default)]
pub struct Progress(Option<Listener>);

#[derive(Clone)]
struct Listener {
    token: ProgressToken,
    peer: Peer<RoleServer>,
    runtime: Handle,
    /// The progress that was sent last: the number of finished steps, and the total.
    last: Arc<Mutex<(f64, usize)>>,
}

impl Progress {
    /// Reports to the client of a request. Called on a thread of the runtime.
    pub fn of(context: &RequestContext<RoleServer>) -> Self {
        let listener = |token| {
            let (peer, runtime) = (context.peer.clone(), Handle::current());
            Listener { token, peer, runtime, last: Arc::default() }
        };
        Self(context.meta.get_progress_token().map(listener))
    }

    /// Reports the number of finished steps, and the next step. Blocks, so that no progress arrives
    /// after the answer.
    pub fn tell(&self, done: usize, all: usize, next: String) {
        if let Some(listener) = &self.0 {
            listener.tell(done as f64, all, next);
        }
    }

    /// Reports a slow part of the current step. It counts as half of the step's remaining part,
    /// because each notification must be further than the previous one.
    pub fn tell_within(&self, next: String) {
        if let Some(listener) = &self.0 {
            let (done, all) = *lock(&listener.last);
            listener.tell(f64::midpoint(done, done.floor() + 1.0), all, next);
        }
    }
}

impl Listener {
    fn tell(&self, done: f64, all: usize, next: String) {
        *lock(&self.last) = (done, all);
        let told = ProgressNotificationParam::new(self.token.clone(), done)
            .with_total(all as f64)
            .with_message(next);
        // A client that is gone needs no progress.
        let _ = self.runtime.block_on(self.peer.notify_progress(told));
    }
}
