//! Numbers with a fraction in JSON, to the letter as `serde_json` writes them.
//!
//! Those of up to 15 digits take no tables, which is what people write, and all that scores have: `digits / 10^decimals` is rounded once
//! where both are exact (W. D. Clinger, "How to read floating point numbers accurately", PLDI 1990), so that trying tells whether it is
//! the number. The others are left to `serde_json`, which browsers load when there is one (`crates/wasm/deferred.txt`).

/// A floating-point number, by the double that equals it.
pub trait Real: Copy + Into<f64> {
    /// Whole numbers below this are each told from the next.
    const EVERY_WHOLE: f64;
    /// With more zeros behind the point, it is written with an exponent.
    const MOST_ZEROS: usize;
    /// The one nearest to a double.
    fn nearest(double: f64) -> Self;
    /// As `serde_json` writes it, by tables.
    fn by_tables(self) -> String;
}

impl Real for f32 {
    const EVERY_WHOLE: f64 = (1 << f32::MANTISSA_DIGITS) as f64;
    const MOST_ZEROS: usize = 5;

    fn nearest(double: f64) -> Self {
        double as Self
    }

    #[inline(never)]
    fn by_tables(self) -> String {
        serde_json::to_string(&self).unwrap_or_default()
    }
}

impl Real for f64 {
    const EVERY_WHOLE: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;
    const MOST_ZEROS: usize = 4;

    fn nearest(double: f64) -> Self {
        double
    }

    #[inline(never)]
    fn by_tables(self) -> String {
        serde_json::to_string(&self).unwrap_or_default()
    }
}

/// The number in JSON: as short as it can be told from others of its width, null where it is none.
pub fn json<N: Real>(number: N) -> String {
    let double: f64 = number.into();
    let magnitude = double.abs();
    if magnitude == 0.0 {
        return if double.is_sign_negative() { "-0.0" } else { "0.0" }.into();
    }
    match digits(magnitude, N::EVERY_WHOLE, &|near| N::nearest(near).into() == magnitude) {
        Some((digits, decimals)) => spelt(double < 0.0, &digits.to_string(), decimals, N::MOST_ZEROS),
        None => number.by_tables(),
    }
}

/// The fewest decimals that tell a number from all others, with the digits in front of and behind the point.
fn digits(magnitude: f64, every_whole: f64, same: &dyn Fn(f64) -> bool) -> Option<(u64, usize)> {
    if magnitude >= every_whole {
        return None;
    }
    // The powers of ten that a double has exactly.
    let mut power = 1.0;
    for decimals in 0..=22 {
        let scaled = magnitude * power;
        // Up to here, the nearest whole number is beyond doubt; half way between two, the even one.
        if scaled >= 1e15 {
            break;
        }
        let digits = scaled.round_ties_even() as u64;
        if same(digits as f64 / power) {
            return Some((digits, decimals));
        }
        power *= 10.0;
    }
    None
}

/// `digits / 10^decimals` in JSON.
fn spelt(negative: bool, digits: &str, decimals: usize, most_zeros: usize) -> String {
    let mut text = String::from(if negative { "-" } else { "" });
    let whole = digits.len().saturating_sub(decimals);
    let zeros = decimals.saturating_sub(digits.len());
    if zeros > most_zeros {
        let (first, others) = digits.split_at(1);
        text.push_str(first);
        if !others.is_empty() {
            text.push('.');
            text.push_str(others);
        }
        text.push_str("e-");
        text.push_str(&(zeros + 1).to_string());
        return text;
    }
    text.push_str(if whole == 0 { "0" } else { &digits[..whole] });
    text.push('.');
    text.extend(std::iter::repeat_n('0', zeros));
    text.push_str(if decimals == 0 { "0" } else { &digits[whole..] });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_serde_writes_them() {
        // Every 997th of 32 bits; cents, thousandths and their neighbours of 64.
        for bits in (0..=u32::MAX).step_by(997) {
            let number = f32::from_bits(bits);
            assert_eq!(json(number), serde_json::to_string(&number).unwrap(), "{bits:x}");
        }
        for i in 0..300_000u32 {
            for unit in [1e-9, 1e-3, 0.01, 1.0, 1e9, 1e11] {
                let number = f64::from(i) * unit;
                for number in [number, number.next_up(), -number.next_down()] {
                    assert_eq!(json(number), serde_json::to_string(&number).unwrap());
                }
            }
        }
    }

    #[test]
    fn what_scores_are_takes_no_tables() {
        for number in [1e-9f32, 0.000_012_345_678, 0.1, 1.0 / 3.0, 12.345_678, 1_234.567_9, 100_000.01] {
            let magnitude = f64::from(number);
            assert!(digits(magnitude, f32::EVERY_WHOLE, &|near| near as f32 == number).is_some(), "{number}");
        }
        for number in [0.1, 4.5, 1999.99, -273.15f64, 1e-7, 1_700_000_000_123.0] {
            assert!(
                digits(number.abs(), f64::EVERY_WHOLE, &|near| near == number.abs()).is_some(),
                "{number}"
            );
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(4000))]

        #[test]
        fn every_number_is_written_as_serde_writes_it(bits in proptest::prelude::any::<u64>()) {
            for number in [f64::from_bits(bits), (bits >> 20) as f64 / 1e7, (bits >> 40) as f64 / 1e13] {
                proptest::prop_assert_eq!(json(number), serde_json::to_string(&number).unwrap());
            }
        }
    }
}
