//! Dates: ISO 8601 in, milliseconds since 1970-01-01 UTC inside, and back.
//!
//! The proleptic Gregorian calendar by counting days in eras of 400 years; no time zones other than
//! offsets, no leap seconds. A date may be given to the year, the month, the day, the minute, the
//! second or the millisecond, and stands for the whole of it: `2024-05` is a month, so that
//! `published=2024-05` finds all of May and `published:lte:2024-05` does not stop at its first
//! midnight.

/// The years that a date may have. The range of JavaScript's dates, cut to four digits.
const YEARS: std::ops::RangeInclusive<i64> = 0..=9999;

const DAY: i64 = 86_400_000;

/// A stretch of time, in milliseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first millisecond.
    pub start: i64,
    /// The millisecond after its last.
    pub end: i64,
}

/// Reads a date or a date with a time: `2024`, `2024-05`, `2024-05-17`, `2024-05-17T10:20`,
/// `2024-05-17 10:20:30.5+02:00`. Without an offset the time is UTC. A whole number of more than
/// four digits is milliseconds since 1970-01-01 UTC, as JavaScript's `Date.now()` gives them.
/// Returns `None` for any other text.
pub fn parse(text: &str) -> Option<Span> {
    let text = text.trim();
    if let Some(span) = milliseconds(text) {
        return Some(span);
    }
    let mut rest = Cursor(text.as_bytes());
    let year = rest.digits(4)?;
    if rest.done() {
        return Some(Span { start: days(year, 1, 1)? * DAY, end: days(year + 1, 1, 1)? * DAY });
    }
    rest.expect(b'-')?;
    let month = rest.digits(2)?;
    if rest.done() {
        let next = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        return Some(Span {
            start: days(year, month, 1)? * DAY,
            end: days(next.0, next.1, 1)? * DAY,
        });
    }
    rest.expect(b'-')?;
    let midnight = days(year, month, rest.digits(2)?)? * DAY;
    if rest.done() {
        return Some(Span { start: midnight, end: midnight + DAY });
    }
    if !(rest.take(b'T') || rest.take(b't') || rest.take(b' ')) {
        return None;
    }
    let (time, unit) = time(&mut rest)?;
    let start = midnight + time - offset(&mut rest)?;
    rest.done().then_some(Span { start, end: start + unit })
}

/// Writes milliseconds since 1970-01-01 UTC in ISO 8601, as short as possible: `2024-05-17` at
/// midnight, `2024-05-17T10:20:30Z` otherwise, with milliseconds if they are not zero. [`parse`]
/// reads it back. Years beyond 0 to 9999 are written as the number itself.
#[doc(alias = "not deferred")]
pub fn format(ms: i64) -> String {
    let (day, time) = (ms.div_euclid(DAY), ms.rem_euclid(DAY));
    let (year, month, date) = civil(day);
    if !YEARS.contains(&year) {
        return ms.to_string();
    }
    let mut out = format!("{year:04}-{month:02}-{date:02}");
    if time != 0 {
        let (h, m, s, ms) = (time / 3_600_000, time / 60_000 % 60, time / 1000 % 60, time % 1000);
        out += &format!("T{h:02}:{m:02}:{s:02}");
        if ms != 0 {
            out += &format!(".{ms:03}");
        }
        out.push('Z');
    }
    out
}

fn milliseconds(text: &str) -> Option<Span> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let negative = digits.len() < text.len();
    if !digits.bytes().all(|b| b.is_ascii_digit()) || !(5..=15).contains(&digits.len()) && !negative
    {
        return None;
    }
    let start: i64 = text.parse().ok()?;
    Some(Span { start, end: start.checked_add(1)? })
}

/// Parses hours and minutes, perhaps seconds, perhaps a fraction of them. Returns milliseconds and
/// their precision.
fn time(rest: &mut Cursor) -> Option<(i64, i64)> {
    let hour = rest.digits(2)?;
    rest.expect(b':')?;
    let minute = rest.digits(2)?;
    if hour > 23 || minute > 59 {
        return None;
    }
    let time = hour * 3_600_000 + minute * 60_000;
    if !rest.take(b':') {
        return Some((time, 60_000));
    }
    let second = rest.digits(2)?;
    // A leap second is counted as the first of the next minute.
    if second > 60 {
        return None;
    }
    let time = time + second * 1000;
    if !(rest.take(b'.') || rest.take(b',')) {
        return Some((time, 1000));
    }
    // Digits after the third are ignored: the unit is the millisecond.
    let (mut fraction, mut n) = (0, 0);
    while let Some(digit) = rest.digit() {
        if n < 3 {
            fraction = fraction * 10 + digit;
        }
        n += 1;
    }
    let unit = match n {
        0 => return None,
        1 => 100,
        2 => 10,
        _ => 1,
    };
    Some((time + fraction * unit, unit))
}

/// Reads `Z`, `+02:00`, `+0200`, `-05` or nothing, in milliseconds east of UTC.
fn offset(rest: &mut Cursor) -> Option<i64> {
    if rest.done() || rest.take(b'Z') || rest.take(b'z') {
        return Some(0);
    }
    let sign = if rest.take(b'+') {
        1
    } else {
        rest.expect(b'-')?;
        -1
    };
    let hours = rest.digits(2)?;
    let minutes = if rest.done() {
        0
    } else {
        rest.take(b':');
        rest.digits(2)?
    };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600_000 + minutes * 60_000))
}

/// Returns the days from 1970-01-01 to a date; `None` if the calendar has no such date.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Years begin in March here, so that the leap day is the last of its year.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// Returns year, month and day of a day counted from 1970-01-01.
fn civil(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, date)
}

struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn done(&self) -> bool {
        self.0.is_empty()
    }

    fn digit(&mut self) -> Option<i64> {
        let (&first, rest) = self.0.split_first()?;
        let digit = first.is_ascii_digit().then(|| i64::from(first - b'0'))?;
        self.0 = rest;
        Some(digit)
    }

    fn digits(&mut self, n: usize) -> Option<i64> {
        (0..n).try_fold(0, |value, _| Some(value * 10 + self.digit()?))
    }

    fn take(&mut self, byte: u8) -> bool {
        let taken = self.0.first() == Some(&byte);
        if taken {
            self.0 = &self.0[1..];
        }
        taken
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.take(byte).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_date_stands_for_all_of_it() {
        fn check(text: &str, start: i64, length: i64) {
            assert_eq!(parse(text), Some(Span { start, end: start + length }), "{text}");
        }
        check("1970", 0, 365 * DAY);
        check("1972", 2 * 365 * DAY, 366 * DAY);
        check("1970-01", 0, 31 * DAY);
        check("2024-12", 1_733_011_200_000, 31 * DAY);
        check("2024-02-29", 1_709_164_800_000, DAY);
        check("1969-12-31", -DAY, DAY);
        check("2001-09-09T01:46:40Z", 1_000_000_000_000, 1000);
        check("2001-09-09T01:46", 999_999_960_000, 60_000);
        check("2001-09-09 03:46:40+02:00", 1_000_000_000_000, 1000);
        check("2001-09-08T20:46:40-0500", 1_000_000_000_000, 1000);
        check("2001-09-09T01:46:40.5Z", 1_000_000_000_500, 100);
        check("2001-09-09T01:46:40.1239Z", 1_000_000_000_123, 1);
        check("1000000000000", 1_000_000_000_000, 1);
        check("-1", -1, 1);
        check(" 2024-02-29 ", 1_709_164_800_000, DAY);
        check("9999-12-31", 253_402_214_400_000, DAY);
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "24",
            "yesterday",
            "2023-02-29",
            "1900-02-29",
            "2024-13",
            "2024-00",
            "2024-04-31",
            "2024-05-17T",
            "2024-05-17T25:00",
            "2024-05-17T10",
            "2024-05-17T10:61",
            "2024-05-17T10:20:30.",
            "2024-05-17T10:20x",
            "2024-05-17T10:20+24:00",
            "2024-5-1",
            "99999999999999999999",
            "--5",
            "-",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(ms in -62_167_219_200_000i64..253_402_300_800_000) {
            let span = parse(&format(ms));
            prop_assert_eq!(span.map(|span| span.start), Some(ms), "{}", format(ms));
        }

        #[test]
        fn a_day_follows_the_day_before(day in -700_000i64..2_900_000) {
            let (y, m, d) = civil(day);
            prop_assert_eq!(days(y, m, d), Some(day));
        }

        #[test]
        fn no_text_is_too_much(text in "[0-9TZ:. +-]{0,30}") {
            if let Some(span) = parse(&text) {
                prop_assert!(span.start < span.end);
            }
        }
    }
}
