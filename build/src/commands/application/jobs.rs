//! Syncs that pages of the application have started.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use serde::Serialize;

use super::super::bundles::lock;
use crate::collections::{Home, Name, Registry, Report};
use crate::commands::sync::{How, sync};
use crate::job_progress::{JobProgress, Step};
use crate::output::{Failure, UsageError};
use crate::ui::Ui;

/// The last sync of each collection.
#[derive(Default)]
pub struct Jobs {
    of: Mutex<BTreeMap<Name, Job>>,
    /// A build uses all cores, so one runs at a time.
    turn: Arc<Mutex<()>>,
}

#[derive(Clone)]
struct Job {
    progress: JobProgress,
    outcome: Arc<Mutex<Option<Result<Report, Failure>>>>,
}

/// The state of a sync.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// `running`, `done` or `failed`.
    pub status: &'static str,
    pub step: Step,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Report>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

impl Jobs {
    /// Starts a sync of a collection, unless one that was started here runs already.
    ///
    /// # Errors
    /// If there is no such collection.
    pub fn start(&self, name: &Name) -> Result<()> {
        let home = Home::default_location()?;
        Registry::read(&home)?.get(name)?;
        let mut jobs = lock(&self.of);
        if jobs.get(name).is_some_and(|job| lock(&job.outcome).is_none()) {
            return Ok(());
        }
        let job = Job { progress: JobProgress::default(), outcome: Arc::default() };
        jobs.insert(name.clone(), job.clone());
        drop(jobs);
        let (name, turn) = (name.clone(), self.turn.clone());
        std::thread::Builder::new().name("sync".to_owned()).spawn(move || {
            let _turn = lock(&turn);
            let run = || sync(&home, &name, &How::default(), &Ui::kept(&job.progress));
            // Without this, a sync that panics would seem to run for ever.
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
            let outcome = ended.unwrap_or_else(|_| {
                let message = "the sync stopped; this is a mistake in findling".to_owned();
                Err(UsageError { code: "internal", message }.into())
            });
            *lock(&job.outcome) = Some(outcome.map_err(|error| Failure::of(&error)));
        })?;
        Ok(())
    }

    /// Returns the state of the last sync of each collection.
    pub fn states(&self) -> BTreeMap<Name, State> {
        let jobs = lock(&self.of);
        let state = |job: &Job| {
            let step = job.progress.step();
            match &*lock(&job.outcome) {
                None => State { status: "running", step, report: None, error: None },
                Some(Ok(report)) => {
                    State { status: "done", step, report: Some(report.clone()), error: None }
                }
                Some(Err(error)) => {
                    State { status: "failed", step, report: None, error: Some(error.clone()) }
                }
            }
        };
        jobs.iter().map(|(name, job)| (name.clone(), state(job))).collect()
    }
}
