//! Spans of time that a search at the terminal is narrowed to.

use clap::ValueEnum;
use jiff::{Span as Time, Zoned};

/// A span of time before now. The values are in the order in which a key cycles through them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Span {
    /// Any time.
    #[default]
    All,
    Day,
    Week,
    Month,
    Year,
}

impl Span {
    /// Returns the next one.
    pub fn next(self) -> Self {
        let all = Self::value_variants().iter().cycle();
        all.skip_while(|span| **span != self).nth(1).copied().unwrap_or(self)
    }

    /// Returns the words for people; empty for any time.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Day => "since yesterday",
            Self::Week => "of a week",
            Self::Month => "of a month",
            Self::Year => "of a year",
        }
    }

    /// Returns the first day; `None` for any time.
    pub fn since(self) -> Option<String> {
        let span = match self {
            Self::All => return None,
            Self::Day => Time::new().days(1),
            Self::Week => Time::new().weeks(1),
            Self::Month => Time::new().months(1),
            Self::Year => Time::new().years(1),
        };
        Some(Zoned::now().checked_sub(span).ok()?.date().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_follow_each_other_and_begin_on_a_day() {
        let mut span = Span::All;
        for expect in [Span::Day, Span::Week, Span::Month, Span::Year, Span::All] {
            span = span.next();
            assert_eq!(span, expect);
            assert_eq!(span.since().is_none(), span == Span::All);
        }
    }
}
