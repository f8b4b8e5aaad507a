//! Limits of a server: running requests, waiting requests, and the longest wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Longest time that a request waits for a core.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// The limits, and the requests that count against them.
pub struct Limits {
    max_requests: usize,
    max_wait: Duration,
    /// Requests under way, including waiting ones.
    under_way: Arc<AtomicUsize>,
    /// One for each core.
    cores: Arc<Semaphore>,
}

/// The reason for which a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overload {
    /// So many requests were under way.
    Full(usize),
    /// The request has waited too long.
    Late,
}

/// A permit for a request to run, until it is dropped.
pub struct Turn {
    _place: Place,
    _core: OwnedSemaphorePermit,
}

struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Limits {
    /// Returns limits for `max_requests` requests under way, of which one runs on each core.
    pub fn new(max_requests: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::of(max_requests, cores, MAX_WAIT)
    }

    fn of(max_requests: usize, cores: usize, max_wait: Duration) -> Self {
        let (under_way, cores) = (Arc::default(), Arc::new(Semaphore::new(cores)));
        Self { max_requests, max_wait, under_way, cores }
    }

    /// Waits until the request may run.
    ///
    /// # Errors
    /// At once if too many are under way; later if no core becomes free.
    pub async fn turn(&self) -> Result<Turn, Overload> {
        let place = Place(self.under_way.clone());
        let before = self.under_way.fetch_add(1, Ordering::AcqRel);
        if before >= self.max_requests {
            return Err(Overload::Full(before));
        }
        let waiting = tokio::time::timeout(self.max_wait, self.cores.clone().acquire_owned());
        match waiting.await {
            Ok(Ok(core)) => Ok(Turn { _place: place, _core: core }),
            _ => Err(Overload::Late),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_wait_in_line_and_are_refused_beyond_it() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let limits = Arc::new(Limits::of(2, 1, Duration::from_millis(50)));
            let first = limits.turn().await.unwrap();
            let second = tokio::spawn({
                let limits = limits.clone();
                async move { limits.turn().await.map(|_| ()) }
            });
            tokio::task::yield_now().await;
            assert_eq!(limits.turn().await.err(), Some(Overload::Full(2)));
            // The second request waits for the first, but no longer than allowed.
            assert_eq!(second.await.unwrap(), Err(Overload::Late));
            drop(first);
            let again = limits.turn().await;
            assert!(again.is_ok());
            drop(again);
            assert_eq!(limits.under_way.load(Ordering::Acquire), 0);
        });
    }
}
