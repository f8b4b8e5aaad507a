//! Chooses a setting by coordinate search, and measures its gain by cross-validation.
//!
//! The search begins at the defaults and moves one parameter after the other to its next value, as
//! long as that helps. The whole search is repeated for each of [`FOLDS`] parts of the queries: it
//! uses the other queries, and its result is measured on that part. The setting found with all
//! queries is only used if queries that a search has not seen also gain. Measurements are cached,
//! because the searches visit nearly the same settings.

use std::collections::HashMap;
use std::rc::Rc;

use anyhow::Result;

/// Number of parts that the queries are divided into.
pub const FOLDS: usize = 5;

/// Smallest number of queries.
pub const MIN_QUERIES: usize = 20;

/// Smallest gain of the mean for a step.
const MIN_GAIN: f64 = 0.0005;

/// Smallest gain of queries that the search has not seen, in standard errors. By chance alone, one
/// setting in twenty gains more.
const SURE: f64 = 1.645;

/// Largest number of rounds over all parameters.
const ROUNDS: usize = 3;

/// One parameter: its place in a setting and the values to try.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The index in a setting.
    pub at: usize,
    /// The values to try, ascending.
    pub grid: &'static [f32],
}

impl Axis {
    /// Returns the next value of the grid above or below `value`, which need not be in the grid.
    fn next(&self, value: f32, up: bool) -> Option<f32> {
        let mut grid = self.grid.iter().copied();
        if up { grid.find(|&other| other > value) } else { grid.rfind(|&other| other < value) }
    }
}

/// The mean measure of one part of the queries.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Split {
    /// Number of queries in the set.
    pub n_queries: usize,
    /// Mean with the setting at the start.
    pub before: f64,
    /// Mean with the setting that the other queries chose.
    pub after: f64,
}

/// The result of tuning.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The setting to use: the one found with all queries if the gain holds, otherwise the one at
    /// the start.
    pub setting: Vec<f32>,
    /// The parts of the queries.
    pub splits: Vec<Split>,
    /// The mean gain of queries with a setting that other queries chose.
    pub gain: f64,
    /// The standard error.
    pub error: f64,
    /// Whether the gain is larger than chance gives in one of twenty cases.
    pub holds: bool,
    /// The means of all queries, with the setting at the start and with the one found with all
    /// queries. The latter is too optimistic, because the same queries chose it.
    pub all: (f64, f64),
    /// Settings measured.
    pub n_measured: usize,
}

/// Searches, beginning at a setting. `measure` returns a number for each query, larger is better;
/// it must be deterministic. `progress` is called with the number of finished searches.
///
/// # Errors
/// Errors of `measure`.
pub fn tune(
    start: &[f32],
    axes: &[Axis],
    measure: impl FnMut(&[f32]) -> Result<Vec<f64>>,
    mut progress: impl FnMut(usize),
) -> Result<Tuned> {
    let mut measured = Measured { measure, known: HashMap::new() };
    let before = measured.of(start)?;
    let all: Vec<usize> = (0..before.len()).collect();
    let axes = measured.telling(start, axes)?;
    let mut gains = vec![0.0; all.len()];
    let mut splits = Vec::new();
    for fold in 0..FOLDS {
        let (held, others): (Vec<usize>, Vec<usize>) =
            all.iter().partition(|&&query| query % FOLDS == fold);
        let chosen = measured.climb(start, &axes, &others)?;
        let after = measured.of(&chosen)?;
        for &query in &held {
            gains[query] = after[query] - before[query];
        }
        let mean = |scores: &[f64]| mean(held.iter().map(|&query| scores[query]));
        splits.push(Split { n_queries: held.len(), before: mean(&before), after: mean(&after) });
        progress(fold + 1);
    }
    let chosen = measured.climb(start, &axes, &all)?;
    let after = measured.of(&chosen)?;
    progress(FOLDS + 1);
    let (gain, error) = mean_and_error(gains.iter().copied());
    let holds = gain >= MIN_GAIN && gain > SURE * error && chosen != start;
    Ok(Tuned {
        setting: if holds { chosen } else { start.to_vec() },
        splits,
        gain,
        error,
        holds,
        all: (mean(before.iter().copied()), mean(after.iter().copied())),
        n_measured: measured.known.len(),
    })
}

/// Cached measurements: settings with the score of each query.
struct Measured<F> {
    measure: F,
    known: HashMap<Vec<u32>, Rc<[f64]>>,
}

impl<F: FnMut(&[f32]) -> Result<Vec<f64>>> Measured<F> {
    fn of(&mut self, setting: &[f32]) -> Result<Rc<[f64]>> {
        let key: Vec<u32> = setting.iter().map(|value| value.to_bits()).collect();
        if let Some(scores) = self.known.get(&key) {
            return Ok(scores.clone());
        }
        let scores: Rc<[f64]> = (self.measure)(setting)?.into();
        self.known.insert(key, scores.clone());
        Ok(scores)
    }

    /// Returns the axes along which a step from the start changes the score of a query.
    fn telling(&mut self, start: &[f32], axes: &[Axis]) -> Result<Vec<Axis>> {
        let before = self.of(start)?;
        let mut telling = Vec::new();
        for axis in axes {
            let mut tells = false;
            for up in [true, false] {
                if let Some(setting) = step(start, axis, up) {
                    tells |= self.of(&setting)? != before;
                }
            }
            if tells {
                telling.push(*axis);
            }
        }
        Ok(telling)
    }

    /// Climbs from the start as long as these queries gain.
    fn climb(&mut self, start: &[f32], axes: &[Axis], queries: &[usize]) -> Result<Vec<f32>> {
        let mut best = start.to_vec();
        let mut scores = self.of(&best)?;
        for _ in 0..ROUNDS {
            let mut moved = false;
            for axis in axes {
                for up in [true, false] {
                    let mut went = false;
                    while let Some(next) = step(&best, axis, up) {
                        let trial = self.of(&next)?;
                        let gains = queries.iter().map(|&query| trial[query] - scores[query]);
                        let (gain, error) = mean_and_error(gains);
                        if gain < MIN_GAIN || gain <= error {
                            break;
                        }
                        (best, scores, went) = (next, trial, true);
                    }
                    moved |= went;
                    if went {
                        break;
                    }
                }
            }
            if !moved {
                break;
            }
        }
        Ok(best)
    }
}

fn step(setting: &[f32], axis: &Axis, up: bool) -> Option<Vec<f32>> {
    let value = axis.next(*setting.get(axis.at)?, up)?;
    let mut next = setting.to_vec();
    next[axis.at] = value;
    Some(next)
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len().max(1) as f64;
    values.sum::<f64>() / n
}

/// Returns the mean and its standard error.
fn mean_and_error(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = mean(values.clone());
    if n < 2.0 {
        return (mean, 0.0);
    }
    let variance = values.map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: &[f32] = &[0.0, 0.5, 1.0, 1.5, 2.0, 3.0];

    fn axes(n: usize) -> Vec<Axis> {
        (0..n).map(|at| Axis { at, grid: GRID }).collect()
    }

    /// Returns deterministic noise for a query and a setting, from -0.5 to 0.5.
    fn noise(query: usize, setting: &[f32]) -> f64 {
        let mut hash = query as u64 ^ 0x9e37_79b9_7f4a_7c15;
        for value in setting {
            hash = (hash ^ u64::from(value.to_bits())).wrapping_mul(0xff51_afd7_ed55_8ccd);
            hash ^= hash >> 33;
        }
        (hash >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    fn distance(setting: &[f32], planted: &[f32]) -> f64 {
        setting.iter().zip(planted).map(|(a, b)| f64::from((a - b).abs())).sum()
    }

    #[test]
    fn a_planted_optimum_is_found_through_noise() {
        let planted = [2.0, 0.0, 1.0];
        let measure = |setting: &[f32]| {
            let score = 0.8 - 0.08 * distance(setting, &planted);
            Ok((0..200).map(|query| score + 0.1 * noise(query, setting)).collect())
        };
        // The third axis is best at its default, and the fourth has no effect.
        let tuned =
            tune(&[1.0, 1.0, 1.0, 0.7], &axes(4), |s| measure(&s[..3]), |_| ()).expect("tuned");
        assert!(tuned.holds);
        assert_eq!(tuned.setting, [2.0, 0.0, 1.0, 0.7]);
        assert!((tuned.gain - 0.16).abs() < 0.01, "{}", tuned.gain);
        assert!(
            tuned.splits.iter().all(|split| split.after > split.before && split.n_queries == 40)
        );
    }

    #[test]
    fn where_there_is_nothing_to_gain_the_start_stays() {
        let start = [1.0; 6];
        let held = (0..20).filter(|seed| {
            let measure = |setting: &[f32]| {
                Ok((0..100).map(|query| noise(query + 1000 * seed, setting)).collect())
            };
            let tuned = tune(&start, &axes(6), measure, |_| ()).expect("tuned");
            assert!(tuned.holds || tuned.setting == start);
            tuned.holds
        });
        // By chance, one of twenty sets of pure noise gains that much.
        assert!(held.count() <= 2);
        let flat = tune(&[1.0], &axes(1), |_| Ok(vec![0.5; 50]), |_| ()).expect("tuned");
        assert_eq!((flat.holds, flat.setting, flat.n_measured), (false, vec![1.0], 3));
    }

    #[test]
    fn what_helps_a_few_queries_alone_does_not_hold() {
        // One query in fifty gains a lot, the others lose a little: the mean rises, but most
        // queries lose.
        let measure = |setting: &[f32]| {
            let gain = |query| if query == 7 { 0.3 } else { -0.004 };
            Ok((0..50)
                .map(|query| 0.5 + if setting[0] > 1.0 { gain(query) } else { 0.0 })
                .collect())
        };
        let tuned = tune(&[1.0], &axes(1), measure, |_| ()).expect("tuned");
        assert!(!tuned.holds && tuned.setting == [1.0], "{tuned:?}");
    }

    #[test]
    fn steps_go_along_the_grid_from_anywhere() {
        let axis = Axis { at: 0, grid: GRID };
        assert_eq!((axis.next(0.7, true), axis.next(0.7, false)), (Some(1.0), Some(0.5)));
        assert_eq!((axis.next(3.0, true), axis.next(0.0, false)), (None, None));
    }
}
