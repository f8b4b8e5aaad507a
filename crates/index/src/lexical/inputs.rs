//! Keys of shards. The key of a shard is a hash of everything on which its contents depend. If its
//! key has not changed, a shard is taken from the previous bundle.
//!
//! A shard depends on the terms of its ranges and on their lists, which name everything within a
//! page ([`super::batch_index`]); on the ids of pages, which break ties between tiers; and on the
//! settings of the tiers.

use findling_bundle::hash128;

use super::Term;
use super::positions::Block;
use crate::tiers::Tiers;
use findling_base::record_log::{Key, key_of, program};
use findling_page::page::Page;

/// Makes the keys of shards.
pub struct Inputs {
    base: blake3::Hasher,
    /// A hash over the ids of the pages of each batch.
    batches: Vec<Key>,
}

impl Inputs {
    /// Returns the inputs of an index of `pages` in batches of `batch` pages.
    pub fn new(pages: &[Page], batch: usize, tiers: &Tiers<'_>) -> Self {
        let mut base = blake3::Hasher::new();
        base.update(&program());
        tiers.settings().for_each(|setting| {
            base.update(&setting.to_le_bytes());
        });
        let ids = |pages: &[Page]| {
            let mut input = Vec::new();
            pages.iter().for_each(|page| put(&mut input, page.id.as_bytes()));
            hash128(&input)
        };
        Self { base, batches: pages.chunks(batch).map(ids).collect() }
    }

    /// Returns the keys of both tiers of a range of terms.
    pub fn tiers(&self, terms: &[Term<'_>]) -> [Key; 2] {
        let mut input = Vec::new();
        for (term, parts) in terms {
            put(&mut input, term.as_bytes());
            for part in *parts {
                input.extend_from_slice(&part.batch.to_le_bytes());
                input.extend_from_slice(&self.batches[part.batch as usize]);
                put(&mut input, part.lists);
            }
            input.extend_from_slice(&END);
        }
        let mut hasher = self.base.clone();
        hasher.update(&input);
        [0, 1].map(|tier| key_of(hasher.clone().update(&[tier])))
    }

    /// Returns the keys of the positions of ranges, by block of pages.
    pub fn positions(&self, ranges: &[&[Term<'_>]], blocks: &[Block]) -> Vec<Key> {
        let page = |block: &Block| [block.pages.start, block.pages.end].map(u32::to_le_bytes);
        let mut inputs: Vec<Vec<u8>> = blocks.iter().map(|block| page(block).concat()).collect();
        for range in ranges {
            for (at, (_, parts)) in (0u32..).zip(*range) {
                for part in *parts {
                    // Batches and blocks are in the order of pages, so few blocks have a batch.
                    let from = blocks.partition_point(|block| block.batches.end <= part.batch);
                    let own = blocks[from..].iter().zip(&mut inputs[from..]);
                    let own = own.take_while(|(block, _)| block.batches.start <= part.batch);
                    for (_, input) in own {
                        input.extend_from_slice(&at.to_le_bytes());
                        input.extend_from_slice(&part.batch.to_le_bytes());
                        put(input, part.lists);
                    }
                }
            }
            inputs.iter_mut().for_each(|input| input.extend_from_slice(&END));
        }
        inputs.iter().map(|input| key_of(self.base.clone().update(input).update(&[2]))).collect()
    }
}

/// Marks the end of a term's parts or of a range's terms. No batch has this number.
const END: [u8; 4] = [0xff; 4];

fn put(input: &mut Vec<u8>, bytes: &[u8]) {
    input.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    input.extend_from_slice(bytes);
}
