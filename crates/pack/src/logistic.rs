//! Probabilities as what can be added: `stretch(p) = ln(p / (1 - p))`, and back. Whole numbers
//! throughout, so that both sides and all hosts agree to the bit.

/// A stretched probability is in parts of 1/256 and less than this either way.
pub(crate) const LIMIT: i32 = 2048;

/// 4096 / (1 + e^-x) for x from -8 to 8, two steps each.
const CURVE: [u16; 33] = [
    1, 2, 4, 6, 10, 17, 27, 45, 74, 120, 194, 311, 488, 748, 1102, 1546, 2048, 2550, 2994, 3348,
    3608, 3785, 3902, 3976, 4022, 4051, 4069, 4079, 4086, 4090, 4092, 4094, 4095,
];

/// Parts of 4,096, from 1 to 4,095, of something stretched.
pub(crate) fn squash(stretched: i32) -> u32 {
    let at = (stretched.clamp(1 - LIMIT, LIMIT - 1) + LIMIT) as u32;
    let (step, part) = ((at >> 7) as usize, at & 127);
    let (low, high) = (u32::from(CURVE[step]), u32::from(CURVE[step + 1]));
    (low * (128 - part) + high * part + 64) >> 7
}

/// `stretch` of all parts of 4,096: the inverse of [`squash`].
pub(crate) fn stretched(table: &mut [i16; 4096]) {
    let mut next = 0;
    for stretched in 1 - LIMIT..LIMIT {
        let end = squash(stretched) as usize + 1;
        if end > next {
            table.iter_mut().take(end).skip(next).for_each(|p| *p = stretched as i16);
            next = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squash_is_the_logistic_function_and_stretch_its_inverse() {
        for stretched in 1 - LIMIT..LIMIT {
            let exact = 4096.0 / (1.0 + (-f64::from(stretched) / 256.0).exp());
            assert!(
                (f64::from(squash(stretched)) - exact).abs() < 16.0,
                "{stretched}: {} {exact}",
                squash(stretched)
            );
        }
        let mut table = [0; 4096];
        stretched(&mut table);
        for probability in 1..4096u32 {
            let back = squash(i32::from(table[probability as usize]));
            assert!(back.abs_diff(probability) <= 16, "{probability} {back}");
        }
        assert!(table.is_sorted());
    }
}
