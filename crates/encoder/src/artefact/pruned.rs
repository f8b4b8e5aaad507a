//! A model with a smaller vocabulary, for the readers of one site.
//!
//! Only the table of words changes: a text of kept tokens has the same vector as before. A word
//! whose token was removed is read as the longest kept tokens ([`wordpiece::indispensable`] lists
//! the tokens that are kept for this).

use findling_text::wordpiece;

use super::{Artefact, Entry, Storage, names};

impl Artefact {
    /// Returns whether [`Artefact::pruned`] always keeps each token, by id.
    pub fn indispensable(&self) -> Vec<bool> {
        wordpiece::indispensable(&self.vocabulary, self.normaliser)
    }

    /// Returns the same model with only the tokens that are `wanted`, by id, and the indispensable
    /// ones. The kept tokens get new ids. The card does not change, since the space is the same.
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

/// Appends the kept rows of a stored tensor.
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
