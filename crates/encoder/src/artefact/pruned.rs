//! Fewer words: a model whose table of words is cut to those that readers of one site use.
//!
//! Nothing else of the model changes, and a text of kept tokens has the vector that it had. A word
//! whose token is gone is read as the longest tokens that are left ([`wordpiece::indispensable`]
//! says which stay for that).

use findling_text::wordpiece;

use super::{Artefact, Entry, Storage, names};

impl Artefact {
    /// Which tokens [`Artefact::pruned`] keeps whatever is wanted, by id.
    pub fn indispensable(&self) -> Vec<bool> {
        wordpiece::indispensable(&self.vocabulary, self.normaliser)
    }

    /// The same model with the tokens that are `wanted`, by id, and those without which words could
    /// not be read. The tokens left get new ids; the card stays, as the space does.
    pub fn pruned(&self, wanted: impl Fn(u32) -> bool) -> Self {
        let stay = self.indispensable();
        let kept: Vec<usize> = (0u32..)
            .zip(stay)
            .filter(|&(id, stays)| stays || wanted(id))
            .map(|(id, _)| id as usize)
            .collect();
        let mut artefact = self.stored_as(|entry, bytes, payload| {
            match entry.spec.name == names::WORDS {
                true => put_rows(entry, bytes, &kept, payload),
                false => payload.extend_from_slice(bytes),
            }
            entry.storage
        });
        artefact.vocabulary = kept.iter().map(|&id| self.vocabulary[id].clone()).collect();
        if let Some(entry) =
            artefact.entries.iter_mut().find(|entry| entry.spec.name == names::WORDS)
        {
            entry.spec.rows = kept.len();
        }
        artefact
    }
}

/// Appends some rows of a tensor as it is stored.
fn put_rows(
    Entry { spec, storage, .. }: &Entry,
    bytes: &[u8],
    kept: &[usize],
    payload: &mut Vec<u8>,
) {
    let mut put = |rows: &[u8], len: usize| {
        kept.iter().for_each(|&row| payload.extend_from_slice(&rows[row * len..][..len]));
    };
    match storage {
        Storage::F32 => put(bytes, 4 * spec.cols),
        Storage::F16 => put(bytes, 2 * spec.cols),
        Storage::Int8 => {
            let (scales, integers) = bytes.split_at(4 * spec.rows);
            put(scales, 4);
            put(integers, spec.cols);
        }
    }
    payload.resize(payload.len().next_multiple_of(4), 0);
}
