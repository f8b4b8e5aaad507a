//! Chooses the parameters of ranking for judged queries: `findling eval --tune`, `findling learn`.

use std::io::Write;

use anyhow::{Result, bail};
use findling_engine::{Limit, Mode, Request, SectionsPerPage, Suggest};
use serde::Serialize;

use super::{Judged, mode_name, one};
use crate::commands::search::Ranking;
use crate::eval::metrics::Measures;
use crate::eval::tune::{Axis, FOLDS, MIN_QUERIES, Split, Tuned, tune};
use crate::host::Host;
use crate::ranking::{self, PARAMETERS, Setting};
use crate::standard_streams::stdout;
use crate::ui::{Paint, Ui, print_json, thousands};

/// Number of pages ranked for each query, for nDCG@10.
const DEPTH: u32 = 10;

/// The result of tuning, as JSON.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    n_queries: usize,
    modes: &'a [Mode],
    n_settings: usize,
    splits: &'a [Split],
    gain: f64,
    error: f64,
    holds: bool,
    before: f64,
    after: f64,
    changes: Vec<Change>,
}

#[derive(Debug, Serialize)]
struct Change {
    parameter: &'static str,
    from: f32,
    to: f32,
}

/// The chosen ranking, and the queries that it was chosen by.
pub(in crate::commands) struct Choice {
    tuned: Tuned,
    start: Setting,
    /// The setting to use: the one at the start if the gain does not hold.
    pub setting: Setting,
    modes: Vec<Mode>,
    n_queries: usize,
}

/// Chooses values for the parameters that `wanted` lets through.
///
/// # Errors
/// If there are too few queries, or a search fails.
pub(in crate::commands) fn choose(
    host: &mut Host,
    modes: Vec<Mode>,
    judged: &[Judged],
    ranking: &Ranking,
    wanted: impl Fn(&str) -> bool,
    ui: &Ui,
) -> Result<Choice> {
    if judged.len() < MIN_QUERIES {
        bail!(
            "expected at least {MIN_QUERIES} judged queries, found {}; with fewer, the result is \
             chance",
            judged.len()
        );
    }
    let start = ranking::of(*host.index().rank_params());
    let axes: Vec<Axis> = PARAMETERS
        .iter()
        .enumerate()
        .filter(|(_, parameter)| !parameter.grid.is_empty() && wanted(parameter.name))
        .map(|(at, parameter)| Axis { at, grid: parameter.grid })
        .collect();
    let bar = ui.bar("Tuning", FOLDS as u64 + 1, "searches");
    let measure = |setting: &[f32]| {
        host.index_mut().set_rank_params(ranking::params(&whole(setting)?));
        scores(host, &modes, judged, ranking)
    };
    let tuned = tune(&start, &axes, measure, |done| bar.set_done(done as u64))?;
    bar.finish();
    let setting = whole(&tuned.setting)?;
    Ok(Choice { tuned, start, setting, modes, n_queries: judged.len() })
}

impl Choice {
    /// Returns whether the gain is larger than chance gives.
    pub fn holds(&self) -> bool {
        self.tuned.holds
    }

    /// Prints the change of nDCG@10, for people or as JSON.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub fn print(&self, json: bool, ui: &Ui) -> Result<()> {
        if !json {
            return print(self, ui);
        }
        let Self { tuned, start, setting, modes, n_queries } = self;
        let report = Report {
            n_queries: *n_queries,
            modes,
            n_settings: tuned.n_measured,
            gain: tuned.gain,
            error: tuned.error,
            holds: tuned.holds,
            before: tuned.all.0,
            after: tuned.all.1,
            changes: ranking::differences(start, setting)
                .map(|(parameter, from, to)| Change { parameter, from, to })
                .collect(),
            splits: &tuned.splits,
        };
        print_json(&report)?;
        Ok(())
    }
}

fn whole(setting: &[f32]) -> Result<Setting> {
    Ok(<Setting>::try_from(setting)?)
}

/// Returns the mean nDCG@10 over the modes, for each query.
fn scores(
    host: &mut Host,
    modes: &[Mode],
    judged: &[Judged],
    ranking: &Ranking,
) -> Result<Vec<f64>> {
    let mut sums = vec![0.0; judged.len()];
    for &mode in modes {
        let requests: Vec<Request> = judged
            .iter()
            .map(|one| Request {
                limit: Limit(DEPTH),
                sections_per_page: SectionsPerPage(1),
                suggest: Suggest(false),
                ..self::one(ranking, mode, one)
            })
            .collect();
        for ((sum, response), one) in sums.iter_mut().zip(host.search_all(&requests)?).zip(judged) {
            let ranked: Vec<&str> = response.results.iter().map(|page| page.id.as_str()).collect();
            *sum += Measures::of(&ranked, &one.judgements).ndcg_10 / modes.len() as f64;
        }
    }
    Ok(sums)
}

fn print(choice: &Choice, ui: &Ui) -> Result<()> {
    let mut out = stdout();
    let Choice { tuned, start, setting, modes, n_queries } = choice;
    let names: Vec<&str> = modes.iter().map(|mode| mode_name(*mode)).collect();
    let head =
        format!("{:<22} {:>7} {:>8} {:>8} {:>8}", "nDCG@10", "queries", "before", "after", "gain");
    writeln!(out, "{}", ui.paint(Paint::Bold, &head))?;
    let mut line = |name: &str, n: usize, before: f64, after: f64| {
        let gain = after - before;
        writeln!(out, "{name:<22} {n:>7} {before:>8.4} {after:>8.4} {gain:>+8.4}")
    };
    for (i, split) in tuned.splits.iter().enumerate() {
        let name = format!("part {}, by the others", i + 1);
        line(&name, split.n_queries, split.before, split.after)?;
    }
    line("all parts so", *n_queries, tuned.all.0, tuned.all.0 + tuned.gain)?;
    line("all, by all", *n_queries, tuned.all.0, tuned.all.1)?;
    writeln!(out)?;
    let changes: Vec<_> = ranking::differences(start, setting).collect();
    for (name, from, to) in &changes {
        writeln!(out, "{name:<22} {from:>7} -> {to}")?;
    }
    let gain = format!("{:+.4} on held-out queries, standard error {:.4}", tuned.gain, tuned.error);
    let outcome = if tuned.holds {
        format!("the gain holds: {gain}")
    } else {
        format!("parameters unchanged, because the gain is not significant: {gain}")
    };
    let tail = format!(
        "{outcome}; {}, {} settings measured",
        names.join(" and "),
        thousands(tuned.n_measured as u64)
    );
    writeln!(out, "{}", ui.paint(Paint::Dim, &tail))?;
    Ok(())
}
