//! Any bytes in place of a bundle's files: entry file, manifest (with and without its frame),
//! single file, shard, directory of packs.

#![no_main]

use findling_bundle::single_file::SingleFile;
use findling_bundle::{
    Entry, EntryFile, Manifest, PackDirectory, ShardEntry, ShardKind, decode_shard,
    encode_manifest, packs,
};
use findling_engine::Index;
use libfuzzer_sys::fuzz_target;
use support::hostile;

#[path = "../../../crates/engine/tests/support/mod.rs"]
mod support;

fuzz_target!(
    init: seed(),
    |bytes: &[u8]| {
        let _ = Entry::from_bytes(bytes);
        let _ = EntryFile::from_bytes(bytes);
        let _ = SingleFile::open(bytes);
        let _ = packs::take_slot(bytes);
        if let Ok(directory) = PackDirectory::from_bytes(bytes) {
            let _ = directory.positions_from_bytes(bytes);
        }
        let _ = Index::open(bytes);
        let valid = hostile::bundle();
        let entry = ShardEntry { kind: ShardKind::Structure, ..valid.manifest.shards[0] };
        let _ = decode_shard(&entry, bytes);
        if let Ok(manifest) = Manifest::from_bytes(bytes)
            && let Ok((_, stored_manifest)) = encode_manifest(&manifest)
        {
            let support::Bundle { mut shards, positions, .. } = valid;
            shards.resize(manifest.shards.len().min(1000), Vec::new());
            if shards.len() == manifest.shards.len() {
                let bundle = support::Bundle { manifest, stored_manifest, shards, positions };
                let _ = hostile::run(&bundle);
            }
        }
    }
);

/// Writes a valid manifest into the directory of first inputs, if the fuzzer was given one.
fn seed() {
    let corpus = std::env::args().nth(1).map(std::path::PathBuf::from).filter(|path| path.is_dir());
    if let (Some(dir), Ok(raw)) = (corpus, hostile::bundle().manifest.to_bytes()) {
        let _ = std::fs::write(dir.join("valid-manifest"), raw);
    }
}
