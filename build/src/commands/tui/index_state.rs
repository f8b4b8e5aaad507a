//! The thread that looks whether the bundles are still those of their sources.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant, SystemTime};

use super::searcher::{Bundle, Job};
use crate::collections::Target;
use crate::safe_text::line;
use crate::ui::count;

/// How often a bundle that was replaced is noticed.
const EVERY: Duration = Duration::from_millis(700);

/// How often the files of the sources are compared, which reads all their dates.
const COMPARE_EVERY: Duration = Duration::from_secs(60);

/// How a bundle stands to its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Not known yet.
    Opening,
    /// A sync makes the next bundle, or the bundle is made for this program.
    Building,
    /// As the sources are, as far as can be told.
    Current,
    /// So many files have changed since.
    Stale(usize),
}

impl State {
    /// For the status line.
    pub fn words(&self) -> String {
        match self {
            Self::Opening => "opening".to_owned(),
            Self::Building => "building".to_owned(),
            Self::Current => "current".to_owned(),
            Self::Stale(files) => format!("stale, {} changed", count(*files as u64, "files")),
        }
    }
}

/// A bundle that is watched.
struct Watched {
    name: String,
    path: PathBuf,
    target: Option<Target>,
    entry: Option<(u64, SystemTime)>,
    compared: Option<(Instant, State)>,
}

impl Watched {
    fn new(bundle: &Bundle) -> Self {
        let target = Target::find(Path::new(&bundle.name)).ok();
        let target = target.filter(|target| target.collection().is_some());
        let entry = stamp(&bundle.path);
        Self { name: bundle.name.clone(), path: bundle.path.clone(), target, entry, compared: None }
    }

    fn is_replaced(&self) -> bool {
        match &self.target {
            Some(target) => target.is_replaced(),
            // While a build writes, there may be no entry file for a moment.
            None => stamp(&self.path).is_some_and(|now| Some(now) != self.entry),
        }
    }

    fn state(&mut self) -> State {
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
            // A source that cannot be read leaves the bundle as good as it is.
            Ok(_) | Err(_) => State::Current,
        };
        self.compared = Some((Instant::now(), state.clone()));
        state
    }
}

/// Length and date of a bundle's entry file, or of a single file.
fn stamp(path: &Path) -> Option<(u64, SystemTime)> {
    let entry = path.join(findling_bundle::entry::FILE_NAME);
    let data = std::fs::metadata(if entry.is_file() { &entry } else { path }).ok()?;
    Some((data.len(), data.modified().ok()?))
}

/// Watches bundles until the other side is gone. One that was replaced is opened again by the
/// threads that search and read, and then watched by a new thread.
fn run(bundles: &[Bundle], search: &Sender<Job>, news: &Sender<super::Message>) {
    let mut watched: Vec<Watched> = bundles.iter().map(Watched::new).collect();
    let mut told = Vec::new();
    loop {
        if watched.iter().any(Watched::is_replaced) {
            // The answer starts the next thread, with the bundles that it opened.
            let _ = search.send(Job::Reopen);
            return;
        }
        let states: Vec<(String, State)> =
            watched.iter_mut().map(|one| (line(&one.name).into_owned(), one.state())).collect();
        if states != told {
            if news.send(super::Message::Index(states.clone())).is_err() {
                return;
            }
            told = states;
        }
        std::thread::sleep(EVERY);
    }
}

/// Starts the thread.
///
/// # Errors
/// If the system refuses.
pub fn spawn(
    bundles: Vec<Bundle>,
    search: Sender<Job>,
    news: Sender<super::Message>,
) -> std::io::Result<()> {
    std::thread::Builder::new()
        .name("watch".to_owned())
        .spawn(move || run(&bundles, &search, &news))?;
    Ok(())
}
