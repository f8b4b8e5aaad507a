//! `--require-fresh DURATION`: refuses an index that is older than that and differs from its
//! sources.
//!
//! | target | its age is the time since |
//! |---|---|
//! | collection | the last sync; a collection whose sources have not changed is never too old |
//! | site | the last request that compared the site's bundle with the copy |
//! | bundle at a path | the build, by the date of its entry file |

use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::Result;

use crate::bundle_files::entry_file;
use crate::collections::Target;
use crate::output::Stale;
use crate::ui::count;

/// The option.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct RequireFresh {
    /// Fail if the index is older than this (30min, 12h, 2d, 1w) and its sources have changed, or
    /// may have. 0d allows no change
    #[arg(long = "require-fresh", value_name = "DURATION", value_parser = duration)]
    most: Option<Duration>,
}

impl RequireFresh {
    /// Checks a target.
    ///
    /// # Errors
    /// [`Stale`] if it is too old; the error says how to bring it up to date.
    pub fn check(self, target: &Target) -> Result<()> {
        let Some(most) = self.most else { return Ok(()) };
        let (given, path) = (target.given(), target.path());
        let (age, since, remedy) = if let Some(name) = target.collection() {
            let age = target.synced().and_then(age);
            let is_recent = age.is_some_and(|age| age <= most);
            let Some(freshness) = (!is_recent).then(|| target.freshness()).transpose()? else {
                return Ok(());
            };
            let since = match freshness {
                Some(freshness) if !freshness.stale => return Ok(()),
                Some(freshness) => {
                    let files = count(freshness.changed_files as u64, "files");
                    format!("the last sync, and {files} changed since")
                }
                None => "it was made; it has no sources to compare it with".to_owned(),
            };
            let remedy = match target.sources() {
                [] => format!("import a newer file with `findling collection import {name}`"),
                _ => format!("run `findling sync {name}`"),
            };
            (age, since, remedy)
        } else if target.is_copy() {
            let asked = target.asked();
            let since = "the site was last asked whether it has changed".to_owned();
            (asked.and_then(age), since, "try again when it can be reached".to_owned())
        } else {
            let since = "the build".to_owned();
            (built(path).and_then(age), since, "build it again with `findling build`".to_owned())
        };
        if age.is_some_and(|age| age <= most) {
            return Ok(());
        }
        let found = age.map_or("an unknown time".to_owned(), words);
        let message = format!(
            "{given}: expected at most {} since {since}; found {found}: {remedy}",
            words(most)
        );
        Err(Stale(message).into())
    }
}

/// Returns the time at which a bundle at a path was built, according to the date of its entry file.
fn built(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(entry_file(path)).ok()?.modified().ok()
}

/// Returns how long ago a time was; zero for times in the future.
fn age(when: SystemTime) -> Option<Duration> {
    Some(when.elapsed().unwrap_or_default())
}

const UNITS: [(&str, u64); 5] =
    [("w", 604_800), ("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)];

/// Parses `30min`, `12h`, `2d`, `1w`, `90s`.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("expected a duration such as 30min, 12h, 2d or 1w, found `{text}`");
    let end = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(end);
    let seconds = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?.1;
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
}

/// Returns a duration in its largest unit: `3 days`.
fn words(time: Duration) -> String {
    const NAMES: [&str; 5] = ["weeks", "days", "hours", "minutes", "seconds"];
    let seconds = time.as_secs();
    let largest = UNITS.iter().zip(NAMES).find(|((_, unit), _)| seconds >= *unit);
    let ((_, unit), name) = largest.unwrap_or((&UNITS[4], NAMES[4]));
    count(seconds / unit, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_said() {
        for (text, seconds, said) in [
            ("0d", 0, "0 seconds"),
            ("90s", 90, "1 minute"),
            ("30min", 1_800, "30 minutes"),
            ("12h", 43_200, "12 hours"),
            ("1d", 86_400, "1 day"),
            ("2w", 1_209_600, "2 weeks"),
        ] {
            let read = duration(text).unwrap();
            assert_eq!((read.as_secs(), words(read).as_str()), (seconds, said), "{text}");
        }
        for wrong in ["", "5", "d", "-1d", "1.5h", "3m", "99999999999999999999w", "1é"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
