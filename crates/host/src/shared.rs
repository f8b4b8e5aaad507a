//! A bundle that many threads search at the same time.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use anyhow::Result;
use findling_engine::{Request, Response, Step};

use super::{Cost, Host, QueryEncoder, corrected};

/// An open bundle for a server. Searches share the shards that are in memory. A search that needs
/// other shards waits until no other search is between two steps, and then reads them.
pub struct SharedHost(RwLock<Host>);

impl SharedHost {
    /// Shares a bundle.
    pub fn new(host: Host) -> Self {
        Self(RwLock::new(host))
    }

    /// Returns the bundle, while nothing is read from its files.
    pub fn host(&self) -> RwLockReadGuard<'_, Host> {
        // If a search panics between two shards, the shards that it has read stay valid.
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a request like [`Host::search_as_meant`].
    ///
    /// # Errors
    /// The errors of [`Host::search_as_meant`].
    pub fn search_as_meant(
        &self,
        encoder: Option<&QueryEncoder>,
        request: &Request,
    ) -> Result<Response> {
        let response = self.search(request)?;
        match corrected(encoder, request, &response)? {
            Some(corrected) => self.search(&corrected),
            None => Ok(response),
        }
    }

    fn search(&self, request: &Request) -> Result<Response> {
        let mut search = self.host().index().search(request.clone())?;
        loop {
            // The lock is released at the end of the statement.
            let step = search.step(self.host().index())?;
            match step {
                Step::Done(response) => return Ok(*response),
                Step::Need(wanted) => {
                    let mut host = self.0.write().unwrap_or_else(PoisonError::into_inner);
                    host.read(wanted, &mut Cost::default())?;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::sample;

    #[test]
    fn many_threads_get_the_answers_of_one() {
        let dir = tempfile::tempdir().unwrap();
        let bundle = sample::bundle(dir.path());
        let mut alone = Host::open(&bundle).unwrap();
        let queries = ["kiln", "glaze crawling", "cone", "nothing has this", "kiln cone"];
        let request = |query: &str| Request::from(query);
        let expected: Vec<Response> =
            queries.iter().map(|query| alone.search(request(query)).unwrap().0).collect();
        let shared = SharedHost::new(Host::open(&bundle).unwrap());
        let asked = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for start in 0..8 {
                let (shared, expected, asked) = (&shared, &expected, &asked);
                scope.spawn(move || {
                    for at in (0..queries.len()).map(|at| (at + start) % queries.len()) {
                        let answer = shared.search_as_meant(None, &request(queries[at])).unwrap();
                        assert_eq!(answer, expected[at], "{}", queries[at]);
                        asked.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(asked.into_inner(), 8 * queries.len());
    }
}
