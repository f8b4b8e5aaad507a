//! Any bytes where a bundle's files are expected: entry, manifest (framed, and bare as its checksum would let it
//! through), single file, shard.

#![no_main]

use findling_bundle::single_file::SingleFile;
use findling_bundle::{Entry, Manifest, ShardEntry, ShardKind, decode_shard, encode_manifest};
use findling_engine::Index;
use libfuzzer_sys::fuzz_target;
use support::hostile;

#[path = "../../../crates/engine/tests/support/mod.rs"]
mod support;

fuzz_target!(
    init: seed(),
    |bytes: &[u8]| {
        let _ = Entry::from_bytes(bytes);
        let _ = SingleFile::open(bytes);
        let _ = Index::open(bytes);
        let honest = hostile::bundle();
        let _ = decode_shard(&ShardEntry { kind: ShardKind::Structure, ..honest.manifest.shards[0] }, bytes);
        if let Ok(manifest) = Manifest::from_bytes(bytes)
            && let Ok((_, stored_manifest)) = encode_manifest(&manifest)
        {
            let support::Bundle { mut shards, positions, .. } = honest;
            shards.resize(manifest.shards.len().min(1000), Vec::new());
            if shards.len() == manifest.shards.len() {
                let _ = hostile::run(&support::Bundle { manifest, stored_manifest, shards, positions });
            }
        }
    }
);

/// Puts an honest manifest where the fuzzer takes its first inputs from, if it has been given a place.
fn seed() {
    let corpus = std::env::args().nth(1).map(std::path::PathBuf::from).filter(|path| path.is_dir());
    if let (Some(dir), Ok(raw)) = (corpus, hostile::bundle().manifest.to_bytes()) {
        let _ = std::fs::write(dir.join("honest-manifest"), raw);
    }
}
