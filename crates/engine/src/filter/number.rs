//! Numbers from text and back. The standard library's conversions bring 20 kB of tables into a
//! module that hardly ever meets a number with a fraction; these are slow, exact and small.

#![doc(alias = "not deferred")]

/// Significant digits that are read; of further digits it only matters whether one is not zero.
const MAX_DIGITS: usize = 40;

/// Returns the number nearest to a decimal (`-12`, `3.5`, `.5`, `1e-3`), ties to even, like the
/// standard library. `None` if the text is something else; `inf` is a number. Takes O(d · e) in
/// digits and exponent.
pub fn parse(text: &str) -> Option<f64> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let signed = |magnitude: f64| if negative { -magnitude } else { magnitude };
    if text == "inf" {
        return Some(signed(f64::INFINITY));
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            (mantissa, exponent.parse::<i32>().ok()?.clamp(-10_000, 10_000))
        }
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + fraction.len() == 0 || whole.len().max(fraction.len()) > 10_000 {
        return None;
    }
    let mut number = Natural::default();
    let (mut n_digits, mut exponent) = (0, exponent - fraction.len() as i32);
    let mut more = false;
    for digit in whole.bytes().chain(fraction.bytes()) {
        if !digit.is_ascii_digit() {
            return None;
        }
        n_digits += usize::from(n_digits > 0 || digit != b'0');
        if n_digits <= MAX_DIGITS {
            number.times_and(10, u32::from(digit - b'0'));
        } else {
            more |= digit != b'0';
            exponent += 1;
        }
    }
    if more {
        number.times_and(10, 1);
        exponent -= 1;
    }
    Some(signed(times_power_of_ten(number, exponent)))
}

/// Returns the shortest text for the number.
pub fn show(number: f64) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.into();
    }
    shortest(&number)
}

/// Returns the same for a finite number of either width.
pub fn shortest(number: &impl serde::Serialize) -> String {
    // JSON's formatter is already linked, and always writes a fraction.
    let mut text = serde_json::to_string(number).unwrap_or_default();
    if text.ends_with(".0") {
        text.truncate(text.len() - 2);
    }
    text
}

/// Computes `number · 10^exponent`, rounded once.
fn times_power_of_ten(mut number: Natural, exponent: i32) -> f64 {
    // Beyond these the result is zero or infinite, whatever the digits.
    if number.bits() == 0 || exponent < -400 {
        return 0.0;
    }
    if exponent > 310 {
        return f64::INFINITY;
    }
    // number · 2^-scale, plus something less than one if `more`.
    let (mut scale, mut more) = (0, false);
    if exponent < 0 {
        // Each division by ten takes less than four bits; 64 are left at least.
        scale = exponent.unsigned_abs() * 4 + 64;
        number.shift_left(scale);
    }
    for _ in 0..exponent.unsigned_abs() {
        if exponent > 0 {
            number.times_and(10, 0);
        } else {
            more |= number.divide(10) != 0;
        }
    }
    // The last bit of a double of this size is worth 2^unit.
    let unit = (number.bits() as i32 - 53 - scale as i32).max(-1074);
    let dropped = unit + scale as i32;
    // Even if it is rounded up to 2^53, it is still a double.
    let kept = if dropped <= 0 {
        number.shift_left(dropped.unsigned_abs());
        number.low()
    } else {
        let (half, below) = number.shift_right(dropped as u32);
        let kept = number.low();
        kept + u64::from(half && (below || more || kept & 1 == 1))
    };
    libm::ldexp(kept as f64, unit)
}

/// A natural number of any size, its least 32 bits first, no zeros last.
#[derive(Default)]
struct Natural(Vec<u32>);

impl Natural {
    fn bits(&self) -> u32 {
        self.0.last().map_or(0, |last| self.0.len() as u32 * 32 - last.leading_zeros())
    }

    fn low(&self) -> u64 {
        let limb = |at: usize| u64::from(self.0.get(at).copied().unwrap_or(0));
        limb(1) << 32 | limb(0)
    }

    fn times_and(&mut self, factor: u32, mut carry: u32) {
        for limb in &mut self.0 {
            let product = u64::from(*limb) * u64::from(factor) + u64::from(carry);
            (*limb, carry) = (product as u32, (product >> 32) as u32);
        }
        if carry > 0 {
            self.0.push(carry);
        }
    }

    /// Returns the remainder.
    fn divide(&mut self, divisor: u32) -> u32 {
        let mut rest = 0;
        for limb in self.0.iter_mut().rev() {
            let dividend = u64::from(rest) << 32 | u64::from(*limb);
            *limb = (dividend / u64::from(divisor)) as u32;
            rest = (dividend % u64::from(divisor)) as u32;
        }
        self.trim();
        rest
    }

    fn shift_left(&mut self, bits: u32) {
        self.times_and(1 << (bits % 32), 0);
        self.0.splice(..0, std::iter::repeat_n(0, bits as usize / 32));
    }

    /// Returns the last bit shifted out, and whether any other of these bits is set.
    fn shift_right(&mut self, bits: u32) -> (bool, bool) {
        let bit =
            |at: u32| self.0.get(at as usize / 32).is_some_and(|limb| limb >> (at % 32) & 1 == 1);
        let (half, below) = (bit(bits - 1), (0..bits - 1).any(bit));
        self.0.drain(..self.0.len().min(bits as usize / 32));
        self.divide(1 << (bits % 32));
        (half, below)
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_decimal_is_refused() {
        for text in
            ["", "-", ".", "1,5", "0x1", "infinity", "NaN", "1e", "e5", "1.2.3", "--1", "1 ", "١"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_shown_without_a_needless_fraction() {
        for (number, text) in [
            (3.0, "3"),
            (2022.5, "2022.5"),
            (-0.1, "-0.1"),
            (0.0, "0"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(show(number), text);
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(4000))]

        #[test]
        fn texts_are_read_as_the_standard_library_reads_them(
            text in "[-+]?([0-9]{1,25}(\\.[0-9]{0,45})?|\\.[0-9]{1,5})([eE][-+]?[0-9]{1,3})?",
        ) {
            let expect: Option<f64> = text.parse().ok();
            proptest::prop_assert_eq!(
                parse(&text).map(f64::to_bits),
                expect.map(f64::to_bits),
                "{}",
                text
            );
        }

        // Checks doubles, including the smallest, by their shortest spellings, and numbers half way
        // between two.
        #[test]
        fn every_number_is_read_back(bits in proptest::prelude::any::<u64>()) {
            let number = f64::from_bits(bits);
            proptest::prop_assume!(number.is_finite());
            proptest::prop_assert_eq!(parse(&format!("{number:e}")).map(f64::to_bits), Some(bits));
            proptest::prop_assert_eq!(parse(&show(number)).map(f64::to_bits), Some(bits));
            let between = format!("{}.5", bits >> 11);
            proptest::prop_assert_eq!(parse(&between), between.parse().ok(), "{}", between);
        }
    }
}
