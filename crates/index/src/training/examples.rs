//! Training texts.

/// Training texts: the tokens of each text, and the teacher's embedding of it.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    /// Dimensions of a target.
    pub dim: usize,
    /// Tokens of all texts, concatenated.
    pub tokens: Vec<u32>,
    /// End of each text's tokens in `tokens`.
    pub ends: Vec<usize>,
    /// The teacher's embeddings: `dim` numbers per text, of length 1.
    pub targets: Vec<f32>,
}

impl Examples {
    /// Returns an empty set.
    pub fn new(dim: usize) -> Self {
        Self { dim, ..Self::default() }
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no texts.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a text. A text without tokens is ignored.
    pub fn push(&mut self, tokens: &[u32], target: &[f32]) {
        debug_assert_eq!(target.len(), self.dim);
        if !tokens.is_empty() {
            self.tokens.extend_from_slice(tokens);
            self.ends.push(self.tokens.len());
            self.targets.extend_from_slice(target);
        }
    }

    /// Returns the tokens of a text.
    pub fn tokens(&self, text: usize) -> &[u32] {
        let start = if text == 0 { 0 } else { self.ends[text - 1] };
        &self.tokens[start..self.ends[text]]
    }

    pub(super) fn target(&self, text: usize) -> &[f32] {
        &self.targets[text * self.dim..][..self.dim]
    }
}

/// The document that each text comes from, for the contrastive loss.
#[derive(Clone, Debug, Default)]
pub struct Contrast<'a> {
    /// The id of each text's document, and the document's vector (of length 1).
    pub own: Vec<(u32, &'a [f32])>,
}
