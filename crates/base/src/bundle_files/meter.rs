//! Limits of the bytes that a site may send, and of the time that it may take.
//!
//! A limit on the pause between two reads alone lets a site that sends a byte now and then hold a
//! search for hours. So the average rate must not fall below a limit, as with curl's
//! `--speed-limit`. This also bounds the time of a whole answer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The lowest rate at which a site may send, in bytes a second.
pub(super) const LOWEST_RATE: u64 = 10_000;

/// The first part of an answer's time, which does not count for the rate.
pub(super) const ANSWER_GRACE: Duration = Duration::from_secs(30);

/// The first part of the time of all answers to a question, which does not count for the rate.
const QUESTION_GRACE: Duration = Duration::from_secs(90);

/// Maximum number of bytes that are fetched for one question.
const MAX_QUESTION: u64 = 512 << 20;

/// The limit that a site has exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Overrun {
    /// Too many bytes.
    #[error("it has more than {0} bytes")]
    Bytes(u64),
    /// Too few bytes in the time that has passed.
    #[error("expected {LOWEST_RATE} bytes a second or more, found less")]
    Rate,
}

/// Counts the bytes of one answer, or of all answers to a question.
#[derive(Debug)]
pub(super) struct Meter {
    started: Instant,
    grace: Duration,
    most: u64,
    received: AtomicU64,
}

impl Meter {
    /// Makes a meter of one answer of at most `most` bytes.
    pub fn of_answer(most: u64) -> Self {
        Self::new(ANSWER_GRACE, most)
    }

    /// Makes a meter of all answers to a question.
    pub fn of_question() -> Self {
        Self::new(QUESTION_GRACE, MAX_QUESTION)
    }

    fn new(grace: Duration, most: u64) -> Self {
        Self { started: Instant::now(), grace, most, received: AtomicU64::new(0) }
    }

    /// Returns the time in which the next byte must arrive.
    ///
    /// # Errors
    /// [`Overrun::Rate`] if there is none.
    pub fn time_left(&self) -> Result<Duration, Overrun> {
        self.left_after(self.started.elapsed())
    }

    /// Returns the time in which all expected bytes must arrive.
    ///
    /// # Errors
    /// [`Overrun::Rate`] if the next byte is late already.
    pub fn most_time(&self) -> Result<Duration, Overrun> {
        let left = self.most.saturating_sub(self.received.load(Ordering::Relaxed));
        Ok(self.time_left()?.saturating_add(earned(left)))
    }

    fn left_after(&self, elapsed: Duration) -> Result<Duration, Overrun> {
        let earned = earned(self.received.load(Ordering::Relaxed));
        let left = (self.grace + earned).checked_sub(elapsed);
        left.filter(|left| !left.is_zero()).ok_or(Overrun::Rate)
    }

    /// Counts bytes that have arrived.
    ///
    /// # Errors
    /// [`Overrun`] if there are too many, or they arrived too slowly.
    pub fn count(&self, n_bytes: u64) -> Result<(), Overrun> {
        let before = self.received.fetch_add(n_bytes, Ordering::Relaxed);
        if before + n_bytes > self.most {
            return Err(Overrun::Bytes(self.most));
        }
        self.time_left().map(drop)
    }
}

/// Returns the time that `n_bytes` bytes may take at the lowest rate.
fn earned(n_bytes: u64) -> Duration {
    Duration::from_millis(n_bytes / (LOWEST_RATE / 1_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_earn_time_and_their_sum_is_limited() {
        let meter = Meter::new(Duration::from_secs(30), 100_000);
        let left =
            |elapsed| meter.left_after(Duration::from_secs(elapsed)).map(|left| left.as_secs());
        assert_eq!((left(0), left(29), left(30)), (Ok(30), Ok(1), Err(Overrun::Rate)));
        meter.count(60_000).unwrap();
        assert_eq!((left(30), left(36)), (Ok(6), Err(Overrun::Rate)), "6 s for 60 kB");
        meter.count(40_000).unwrap();
        assert_eq!(meter.count(1), Err(Overrun::Bytes(100_000)));
    }

    #[test]
    fn a_drip_of_bytes_ends_after_the_grace() {
        let meter = Meter::of_answer(1 << 30);
        for second in (0..ANSWER_GRACE.as_secs()).step_by(5) {
            meter.count(1).unwrap();
            assert!(meter.left_after(Duration::from_secs(second)).is_ok());
        }
        assert_eq!(meter.left_after(ANSWER_GRACE + Duration::from_secs(1)), Err(Overrun::Rate));
    }
}
