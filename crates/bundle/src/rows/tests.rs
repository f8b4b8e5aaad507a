//! Tests of rows.

use super::packed::{pack, unpack};
use super::quantise::{check_scale, level, long, short};
use super::*;
use proptest::prelude::*;

fn unpack_row(scale: u16, packed: &[u8], bits: Bits, dim: usize) -> Vec<f32> {
    let mut sum = vec![0.0; dim];
    add_row(scale, packed, bits, 1.0, &mut sum);
    sum
}

fn shard(keys: &[&str], dim: u32, bits: Bits) -> Vec<u8> {
    let mut builder = RowsBuilder::new(dim, bits);
    for (i, key) in keys.iter().enumerate() {
        let row: Vec<f32> = (0..dim).map(|d| (d as f32 - 3.0) * (i + 1) as f32).collect();
        let (scale, packed) = quantise(&row, bits);
        builder.push(key, scale, &packed).unwrap();
    }
    builder.finish()
}

/// Returns whether a key is the word, or a beginning of it that is long enough. For ASCII.
fn stands_for(key: &str, word: &str) -> bool {
    word == key || word.starts_with(key) && key.len() >= MIN_PREFIX_CHARS
}

proptest! {
    #[test]
    fn more_bits_lose_less(row in prop::collection::vec(-1.0f32..1.0, 64)) {
        let norm: f32 = row.iter().map(|v| v * v).sum();
        prop_assume!(norm > 0.01);
        let lost: Vec<f32> = Bits::ALL.iter().map(|&bits| {
            let (scale, packed) = quantise(&row, bits);
            let back = unpack_row(scale, &packed, bits, row.len());
            row.iter().zip(&back).map(|(a, b)| (a - b) * (a - b)).sum::<f32>() / norm
        }).collect();
        prop_assert!(lost[2] <= lost[1] && lost[1] <= lost[0], "{lost:?}");
        // The largest of the three errors: the error of a mid-rise quantiser for uniform numbers,
        // with some margin.
        prop_assert!(lost[0] < 0.15 && lost[1] < 0.012 && lost[2] < 0.0002, "{lost:?}");
    }

    #[test]
    fn any_row_has_a_valid_scale_and_no_nan(row: Vec<f32>) {
        for bits in Bits::KNOWN {
            let (scale, packed) = quantise(&row, bits);
            prop_assert!(check_scale(scale).is_ok());
            prop_assert!(unpack_row(scale, &packed, bits, row.len()).iter().all(|v| !v.is_nan()));
        }
    }

    #[test]
    fn packing_can_be_reversed(
        keys in prop::collection::btree_set("[a-zß#]{1,9}", 0..30),
        dim in 1u32..40,
        seed: u64,
    ) {
        for bits in Bits::KNOWN {
            let mut builder = RowsBuilder::new(dim, bits);
            for (i, key) in keys.iter().enumerate() {
                let row: Vec<f32> = (0..u64::from(dim))
                    .map(|d| seed.wrapping_mul(d + 1).wrapping_add(i as u64))
                    .map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f32 - 8e6)
                    .collect();
                let (scale, packed) = quantise(&row, bits);
                builder.push(key, scale, &packed).unwrap();
            }
            let raw = builder.finish();
            let packed = pack(&raw).unwrap();
            prop_assert_eq!(&unpack(&packed, raw.len()).unwrap(), &raw);
            prop_assert!(unpack(&packed, raw.len() - 1).is_err());
        }
    }

    #[test]
    fn unpacked_bytes_are_bounded_and_can_be_packed_again(
        packed: Vec<u8>,
        raw_len in 0usize..5000,
    ) {
        if let Ok(raw) = unpack(&packed, raw_len) {
            prop_assert!(raw.len() <= raw_len);
            if let Some(packed) = pack(&raw) {
                prop_assert_eq!(unpack(&packed, raw.len()), Ok(raw));
            }
        }
    }

    #[test]
    fn accepted_shards_can_be_written_again(
        keys in prop::collection::btree_set("[a-c]{0,2}", 0..4), at: prop::sample::Index, byte: u8,
    ) {
        let keys: Vec<&str> =
            keys.iter().map(String::as_str).filter(|key| !key.is_empty()).collect();
        let mut raw = shard(&keys, 8, Bits::Four);
        let at = at.index(raw.len());
        raw[at] = byte;
        if let Ok(shard) = RowsShard::from_bytes(&raw, 8, Bits::Four) {
            prop_assert!(shard.keys().is_sorted_by(|a, b| a < b));
            let mut again = RowsBuilder::new(8, Bits::Four);
            for (key, scale, packed) in shard.stored() {
                again.push(key, scale, packed).unwrap();
            }
            prop_assert_eq!(RowsShard::from_bytes(&again.finish(), 8, Bits::Four), Ok(shard));
        }
    }

    #[test]
    fn the_key_for_a_word_is_that_of_a_slow_twin(
        keys in prop::collection::btree_set("[ab]{1,5}", 0..12),
        word in "[ab]{0,8}",
    ) {
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let shard = RowsShard::from_bytes(&shard(&keys, 8, Bits::Two), 8, Bits::Two).unwrap();
        let slow = keys.iter().filter(|key| stands_for(key, &word)).max_by_key(|key| key.len());
        let found = shard.standing_for(&word).map(|(row, len)| {
            assert_eq!(keys[row].len(), len);
            keys[row]
        });
        prop_assert_eq!(found, slow.copied());
    }

    #[test]
    fn a_shard_answers_for_every_word_of_its_range(
        keys in prop::collection::btree_set("[ab]{1,5}", 2..12),
        cut: prop::sample::Index,
        word in "[ab]{0,8}",
    ) {
        let keys: Vec<String> = keys.into_iter().collect();
        let cut = cut.index(keys.len());
        prop_assume!(word.as_str() >= keys[cut].as_str());
        let mut own: Vec<&str> = prefixes(&keys, &keys[cut]);
        own.extend(keys[cut..].iter().map(String::as_str));
        let shard = RowsShard::from_bytes(&shard(&own, 8, Bits::Two), 8, Bits::Two).unwrap();
        let slow = keys.iter().filter(|key| stands_for(key, &word)).map(String::len).max();
        prop_assert_eq!(shard.standing_for(&word).map(|(_, len)| len), slow);
    }
}

proptest! {
    /// The error of a mid-rise quantiser is at most half a step, if it does not clip: the outermost
    /// levels stand half a step inside the range they cover, and the scale may be up to 256th off
    /// for its rounding.
    #[test]
    fn an_error_is_within_half_a_step_or_clipped(
        row in prop::collection::vec(-8.0f32..8.0, 1..80),
    ) {
        for bits in Bits::ALL {
            let (scale, packed) = quantise(&row, bits);
            let step = long(scale);
            let top = bits.offset() * step;
            for (value, back) in row.iter().zip(unpack_row(scale, &packed, bits, row.len())) {
                prop_assert!(back.abs() <= top * (1.0 + 1e-6));
                let clipped = value.abs() > top + step / 2.0;
                // Value and level are rounded to f32 themselves, which matters if the value is many
                // steps.
                let within = step / 2.0 * (1.0 + 1e-5) + 4.0 * f32::EPSILON * value.abs();
                prop_assert!(clipped || (value - back).abs() <= within, "{bits:?} {value} {back}");
                prop_assert!(!clipped || back.signum() == value.signum());
            }
        }
    }

    /// The chosen scale loses no more than the scale that clips nothing.
    #[test]
    fn the_scale_loses_least(row in prop::collection::vec(-1.0f32..1.0, 8..64)) {
        let max = row.iter().fold(0.0f32, |max, v| max.max(v.abs()));
        prop_assume!(max > 1e-3);
        for bits in Bits::ALL {
            let lost = |scale: u16| -> f32 {
                let scale = long(scale);
                row.iter()
                    .map(|&v| v - (f32::from(level(v, scale, bits)) - bits.offset()) * scale)
                    .map(|e| e * e)
                    .sum()
            };
            prop_assert!(
                lost(quantise(&row, bits).0) <= lost(short(max / bits.offset())),
                "{bits:?}"
            );
        }
    }

    #[test]
    fn pieces_join_to_the_word(
        keys in prop::collection::btree_set("(##)?[ab]{1,3}", 0..12),
        word in "[ab]{0,8}",
    ) {
        let found = pieces(&word, |key, least| -> Result<_, ()> {
            Ok(longest_prefix(key, least, |key| keys.get(key)))
        }).unwrap();
        if !found.is_empty() {
            let again: String =
                found.iter().map(|key| key.trim_start_matches(CONTINUATION)).collect();
            prop_assert_eq!(&again, &word);
            prop_assert!(!found[0].starts_with(CONTINUATION));
            prop_assert!(found[1..].iter().all(|key| key.starts_with(CONTINUATION)));
        }
    }
}

#[test]
fn truncated_shards_are_refused_and_changed_ones_add_finite_rows() {
    let good = shard(&["##s", "borrow", "borrower", "mutex", "ß"], 8, Bits::Four);
    assert_eq!(RowsShard::from_bytes(&good, 8, Bits::Four).unwrap().get("mutex"), Some(3));
    for end in 0..good.len() {
        assert!(RowsShard::from_bytes(&good[..end], 8, Bits::Four).is_err(), "cut at {end}");
    }
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut bad = good.clone();
            bad[at] ^= 1 << bit;
            if let Ok(shard) = RowsShard::from_bytes(&bad, 8, Bits::Four) {
                let mut sum = [0.0; 8];
                (0..=shard.len()).for_each(|row| shard.add(row, &mut sum));
                assert!(sum.iter().all(|number| !number.is_nan()));
            }
        }
    }
}

/// Quantises approximately normal numbers, as real rows have them.
#[test]
fn uniform_steps_take_a_sixth_less_and_lose_little() {
    let mut state = 1u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    };
    let mut builder = RowsBuilder::new(256, Bits::Steps);
    for i in 0..20 {
        let row: Vec<f32> =
            (0..256).map(|_| (0..12).map(|_| uniform()).sum::<f32>() * 0.07).collect();
        let (scale, packed) = quantise(&row, Bits::Steps);
        let back = unpack_row(scale, &packed, Bits::Steps, 256);
        let lost: f32 = row.iter().zip(&back).map(|(a, b)| (a - b) * (a - b)).sum();
        let norm: f32 = row.iter().map(|v| v * v).sum();
        assert!(lost < 0.04 * norm, "{}", lost / norm);
        assert_eq!(quantise(&[0.0; 256], Bits::Steps).0, 0);
        builder.push(&format!("word{i:02}"), scale, &packed).unwrap();
    }
    let raw = builder.finish();
    let packed = pack(&raw).unwrap();
    assert!(packed.len() * 100 < raw.len() * 83, "{} of {}", packed.len(), raw.len());
}

#[test]
fn rows_of_another_shape_are_refused() {
    let good = shard(&["a", "b"], 8, Bits::Four);
    assert!(RowsShard::from_bytes(&good, 16, Bits::Four).is_err());
    assert!(RowsShard::from_bytes(&good, 8, Bits::Two).is_err());
    let mut builder = RowsBuilder::new(8, Bits::Four);
    builder.push("b", 0, &[0; 4]).unwrap();
    assert!(builder.push("a", 0, &[0; 4]).is_err());
    assert!(builder.push("c", 0, &[0; 5]).is_err());
    assert!(builder.push("c", 0xffff, &[0; 4]).is_err());
}
