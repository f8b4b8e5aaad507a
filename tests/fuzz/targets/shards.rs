//! A valid bundle with damaged shards whose checksums fit: every search ends with an error or with
//! a well-formed answer.
//!
//! The input is a list of edits, five bytes each: the shard, the operation, the place (two bytes)
//! and the byte. The fuzzer starts from a valid bundle and needs no corpus.

#![no_main]

use libfuzzer_sys::fuzz_target;
use support::hostile;

#[path = "../../../crates/engine/tests/support/mod.rs"]
mod support;

fuzz_target!(|edits: &[u8]| {
    let mut bundle = hostile::bundle();
    let mut raws: Vec<Option<Vec<u8>>> = vec![None; bundle.n_raw()];
    for edit in edits.chunks_exact(5).take(64) {
        let i = usize::from(edit[0]) % raws.len();
        let raw = raws[i].get_or_insert_with(|| bundle.raw(i));
        let at = usize::from(u16::from_le_bytes([edit[2], edit[3]])) % (raw.len() + 1);
        match edit[1] % 8 {
            0 => raw.truncate(at),
            1 => raw.insert(at, edit[4]),
            2 if at < raw.len() => {
                raw.remove(at);
            }
            3 => raw.truncate(raw.len().saturating_sub(usize::from(edit[4]))),
            4 if at < raw.len() => raw[at] ^= 1 << (edit[4] % 8),
            _ if at < raw.len() => raw[at] = edit[4],
            _ => raw.push(edit[4]),
        }
    }
    // Shards of positions first, because replacing one writes their directory again.
    for (i, raw) in raws.into_iter().enumerate().rev() {
        let Some(raw) = raw else { continue };
        if bundle.replace(i, &raw).is_err() {
            return;
        }
    }
    let _ = hostile::run(&bundle);
});
