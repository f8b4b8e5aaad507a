//! Progress reports of a library that does not know who listens.
//!
//! A stage of a build gets a [`Progress`]. The command prints the events, an application keeps
//! them, a test passes [`Silent`].
//!
//! ```
//! use findling_base::progress::{Progress, Silent};
//!
//! fn measure(lengths: &[u64], progress: &dyn Progress) -> u64 {
//!     let counter = progress.count("Measuring", Some(lengths.len() as u64), "pages");
//!     let sum = lengths.iter().inspect(|_| counter.add(1)).sum();
//!     counter.finish();
//!     progress.status("Measured", format!("{sum} bytes"));
//!     sum
//! }
//! assert_eq!(measure(&[1, 2], &Silent), 3);
//! ```

use std::fmt::{self, Debug, Display};
use std::sync::Arc;

/// An event that a stage reports.
#[derive(Clone, Copy)]
pub enum Event<'a> {
    /// The end of a stage: a verb and its result.
    Status(&'a str, &'a dyn Display),
    /// A decision, for users who want detailed output.
    Detail(&'a dyn Display),
    /// A fault that does not stop the stage.
    Warning(&'a dyn Display),
}

/// A listener to the progress reports of stages.
pub trait Progress: Sync {
    /// Takes an event.
    fn tell(&self, event: Event<'_>);

    /// Begins to count up to `total`, if it is known, of `unit`: `pages`, `bytes`.
    fn count(&self, verb: &str, total: Option<u64>, unit: &str) -> Counter;

    /// Asks a person a question, such as whether something is to be downloaded. Returns whether the
    /// answer is yes; if nobody can answer, the answer is no.
    fn confirm(&self, _question: &str) -> bool {
        false
    }

    /// Returns whether programs that a stage runs may print to the terminal.
    fn is_shown(&self) -> bool {
        false
    }
}

impl dyn Progress + '_ {
    /// Reports the result of a stage.
    pub fn status(&self, verb: &str, message: impl Display) {
        self.tell(Event::Status(verb, &message));
    }

    /// Reports a decision.
    pub fn detail(&self, message: impl Display) {
        self.tell(Event::Detail(&message));
    }

    /// Reports a fault that does not stop the stage.
    pub fn warn(&self, message: impl Display) {
        self.tell(Event::Warning(&message));
    }
}

/// A listener that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn tell(&self, _: Event<'_>) {}

    fn count(&self, _: &str, _: Option<u64>, _: &str) -> Counter {
        Counter::default()
    }
}

/// The display of a [`Counter`].
pub trait Count: Send + Sync {
    /// Counts `n` more.
    fn add(&self, n: u64);

    /// Sets the amount that is done.
    fn set_done(&self, done: u64);

    /// Sets the total, once it is known.
    fn set_total(&self, total: u64);

    /// Begins again at 0, and measures the rate from now on.
    fn restart(&self);

    /// Ends the count.
    fn finish(&self);
}

/// A count of work that is done. Clones count together. The default counts nothing.
#[derive(Clone, Default)]
pub struct Counter(Option<Arc<dyn Count>>);

impl Counter {
    /// Returns a counter with a display.
    pub fn new(count: impl Count + 'static) -> Self {
        Self(Some(Arc::new(count)))
    }

    /// Counts `n` more.
    pub fn add(&self, n: u64) {
        if let Some(count) = &self.0 {
            count.add(n);
        }
    }

    /// Sets the amount that is done.
    pub fn set_done(&self, done: u64) {
        if let Some(count) = &self.0 {
            count.set_done(done);
        }
    }

    /// Sets the total, once it is known.
    pub fn set_total(&self, total: u64) {
        if let Some(count) = &self.0 {
            count.set_total(total);
        }
    }

    /// Begins again at 0, and measures the rate from now on.
    pub fn restart(&self) {
        if let Some(count) = &self.0 {
            count.restart();
        }
    }

    /// Ends the count.
    pub fn finish(&self) {
        if let Some(count) = &self.0 {
            count.finish();
        }
    }
}

impl Debug for Counter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Counter").field(&self.0.is_some()).finish()
    }
}

/// Returns `1234567` as `1,234,567`.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns a count with its unit: `1 page`, `1,234 pages`. `plural` must end in `s`.
pub fn count(n: u64, plural: &str) -> String {
    format!(
        "{} {}",
        thousands(n),
        if n == 1 { plural.strip_suffix('s').unwrap_or(plural) } else { plural }
    )
}

/// Returns a number of bytes for people: `812 B`, `34.5 kB`, `1.2 MB` (decimal units).
pub fn bytes(n: u64) -> String {
    match n {
        0..1_000 => format!("{n} B"),
        1_000..1_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", n as f64 / 1e6),
        _ => format!("{:.2} GB", n as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        for (n, expect) in [(0, "0"), (999, "999"), (1000, "1,000"), (1234567, "1,234,567")] {
            assert_eq!(thousands(n), expect);
        }
    }

    #[test]
    fn bytes_use_decimal_units() {
        for (n, expect) in [(812, "812 B"), (34_500, "34.5 kB"), (1_200_000, "1.2 MB")] {
            assert_eq!(bytes(n), expect);
        }
    }
}
