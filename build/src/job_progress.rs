//! Progress of a job, for a client that polls it instead of watching a terminal.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use crate::progress::{Count, Counter};

/// Maximum number of warnings of a job that are kept.
const MAX_WARNINGS: usize = 20;

/// Keeps the messages to a console. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct JobProgress(Arc<Mutex<Told>>);

#[derive(Debug, Default)]
struct Told {
    status: Option<(String, String)>,
    bar: Option<Bar>,
    warnings: Vec<String>,
    n_warnings: usize,
}

#[derive(Debug)]
struct Bar {
    verb: String,
    unit: String,
    bar: Arc<Amount>,
}

/// Counts an amount.
struct Counted(Arc<Amount>);

/// An amount that is counted.
#[derive(Debug, Default)]
struct Amount {
    done: AtomicU64,
    /// 0 while it is not known.
    total: AtomicU64,
    is_finished: AtomicBool,
}

impl Count for Counted {
    fn add(&self, n: u64) {
        self.0.done.fetch_add(n, Ordering::Relaxed);
    }

    fn set_done(&self, done: u64) {
        self.0.done.store(done, Ordering::Relaxed);
    }

    fn set_total(&self, total: u64) {
        self.0.total.store(total, Ordering::Relaxed);
    }

    fn restart(&self) {
        self.set_done(0);
    }

    fn finish(&self) {
        self.0.is_finished.store(true, Ordering::Relaxed);
    }
}

/// The progress of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// The current work, such as `Embedding`; empty at the beginning.
    pub verb: String,
    /// The message of the last stage that ended.
    pub message: String,
    /// The finished part of `total`.
    pub done: u64,
    /// `None` while nothing is counted.
    pub total: Option<u64>,
    /// The unit of the count, such as `sections`.
    pub unit: String,
    /// The first warnings.
    pub warnings: Vec<String>,
    /// Number of further warnings.
    pub more_warnings: usize,
}

impl JobProgress {
    fn told(&self) -> MutexGuard<'_, Told> {
        // The messages of a job that panicked are still valid.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the end of a stage.
    pub fn status(&self, verb: &str, message: String) {
        let mut told = self.told();
        told.status = Some((verb.to_owned(), message));
        told.bar = None;
    }

    /// Notes a problem that does not stop the job.
    pub fn warn(&self, message: String) {
        let mut told = self.told();
        told.n_warnings += 1;
        if told.warnings.len() < MAX_WARNINGS {
            told.warnings.push(message);
        }
    }

    /// Begins to count: a bar that is not drawn.
    pub fn bar(&self, verb: &str, total: Option<u64>, unit: &str) -> Counter {
        let bar = Arc::new(Amount::default());
        bar.total.store(total.unwrap_or_default(), Ordering::Relaxed);
        let (verb, unit) = (verb.to_owned(), unit.to_owned());
        self.told().bar = Some(Bar { verb, unit, bar: bar.clone() });
        Counter::new(Counted(bar))
    }

    /// Returns how far the job has come.
    pub fn step(&self) -> Step {
        let told = self.told();
        let (verb, message) = told.status.clone().unwrap_or_default();
        let step = Step {
            verb,
            message,
            warnings: told.warnings.clone(),
            more_warnings: told.n_warnings - told.warnings.len(),
            ..Step::default()
        };
        match told.bar.as_ref().filter(|bar| !bar.bar.is_finished.load(Ordering::Relaxed)) {
            None => step,
            Some(Bar { verb, unit, bar }) => Step {
                verb: verb.clone(),
                done: bar.done.load(Ordering::Relaxed),
                total: Some(bar.total.load(Ordering::Relaxed)).filter(|&total| total > 0),
                unit: unit.clone(),
                ..step
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_tells_what_it_counts_and_then_what_came_of_it() {
        let progress = JobProgress::default();
        assert_eq!(progress.step(), Step::default());
        let bar = progress.bar("Embedding", Some(10), "sections");
        bar.add(3);
        let step = progress.step();
        assert_eq!((step.verb.as_str(), step.done, step.total), ("Embedding", 3, Some(10)));
        bar.finish();
        assert_eq!(progress.step().total, None);
        progress.status("Embedded", "10 sections".to_owned());
        assert_eq!(progress.step().message, "10 sections");
        for n in 0..MAX_WARNINGS + 2 {
            progress.warn(n.to_string());
        }
        let step = progress.step();
        assert_eq!((step.warnings.len(), step.more_warnings), (MAX_WARNINGS, 2));
    }
}
