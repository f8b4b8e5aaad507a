//! The thread that checks whether the bundles still agree with their sources.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::searcher::{Bundle, Job};
use crate::bundle_files::entry_at;
use crate::collections::Target;
use crate::ui::count;

/// Interval of checks whether a bundle was replaced.
const EVERY: Duration = Duration::from_millis(700);

/// Interval of attempts to open a bundle that could not be opened.
const TRY_EVERY: Duration = Duration::from_secs(5);

/// Interval at which the files of the sources are compared, which reads all their dates.
const COMPARE_EVERY: Duration = Duration::from_secs(60);

/// The state of a bundle compared with its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Not known yet.
    Opening,
    /// A sync makes the next bundle, or the bundle is made for this program.
    Building,
    /// The index agrees with its sources, as far as is known.
    Current,
    /// Number of files that have changed since.
    Stale(usize),
    /// Replaced by a bundle that cannot be opened.
    Replaced,
}

impl State {
    /// Describes the state for the status line.
    pub fn words(&self) -> String {
        match self {
            Self::Opening => "opening".to_owned(),
            Self::Building => "building".to_owned(),
            Self::Current => "current".to_owned(),
            Self::Replaced => "replaced by one that cannot be opened".to_owned(),
            Self::Stale(files) => format!("stale, {} changed", count(*files as u64, "files")),
        }
    }
}

/// A bundle that is watched.
struct Watched {
    bundle: Bundle,
    /// The collection; `None` for another bundle.
    target: Option<Target>,
    compared: Option<(Instant, State)>,
    /// The time of the last attempt to open the bundle in its place.
    tried: Option<Instant>,
}

impl Watched {
    fn new(bundle: Bundle) -> Self {
        let target = Target::find(Path::new(&bundle.name)).ok();
        let target = target.filter(|target| target.collection().is_some());
        Self { bundle, target, compared: None, tried: None }
    }

    fn is_replaced(&self) -> bool {
        match &self.target {
            Some(target) => target.is_replaced(),
            // While a build writes, there may be no entry for a moment.
            None => {
                entry_at(self.bundle.location.path()).is_some_and(|now| now != self.bundle.entry)
            }
        }
    }

    /// Returns whether its replacement should be opened now.
    fn is_to_be_opened(&mut self) -> bool {
        if !self.is_replaced() {
            self.tried = None;
            return false;
        }
        let is_due = self.tried.is_none_or(|when| when.elapsed() >= TRY_EVERY);
        if is_due {
            self.tried = Some(Instant::now());
        }
        is_due
    }

    fn state(&mut self) -> State {
        if self.tried.is_some() {
            return State::Replaced;
        }
        let Some(target) = &self.target else { return State::Current };
        if target.is_syncing() {
            self.compared = None;
            return State::Building;
        }
        if let Some((when, state)) = &self.compared
            && when.elapsed() < COMPARE_EVERY
        {
            return state.clone();
        }
        let state = match target.freshness() {
            Ok(Some(freshness)) if freshness.stale => State::Stale(freshness.changed_files),
            // A source that cannot be read does not make the bundle worse.
            Ok(_) | Err(_) => State::Current,
        };
        self.compared = Some((Instant::now(), state.clone()));
        state
    }
}

/// Watches the bundles that were opened last until the other side is gone. The threads that search
/// and read reopen a bundle that was replaced.
fn run(opened: &Receiver<Vec<Bundle>>, search: &Sender<Job>, news: &Sender<super::Message>) {
    let mut watched: Vec<Watched> = Vec::new();
    let mut told = Vec::new();
    loop {
        match opened.recv_timeout(EVERY) {
            Ok(bundles) => watched = bundles.into_iter().map(Watched::new).collect(),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        // All bundles are visited, so that each records the attempt.
        let mut is_due = false;
        for one in &mut watched {
            is_due |= one.is_to_be_opened();
        }
        if is_due {
            // The thread replies with the bundles that were opened, or with none.
            let _ = search.send(Job::Reopen);
            continue;
        }
        let states: Vec<(String, State)> =
            watched.iter_mut().map(|one| (one.bundle.name.clone(), one.state())).collect();
        if states != told {
            if news.send(super::Message::Index(states.clone())).is_err() {
                return;
            }
            told = states;
        }
    }
}

/// Starts the thread.
///
/// # Errors
/// If the system refuses.
pub fn spawn(
    opened: Receiver<Vec<Bundle>>,
    search: Sender<Job>,
    news: Sender<super::Message>,
) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name("watch".to_owned()).spawn(move || run(&opened, &search, &news))
}
