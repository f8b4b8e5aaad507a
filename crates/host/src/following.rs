//! Follows the deployments of a site: a search that misses a file begins again with the bundle that
//! the site has now.

use anyhow::Result;
use findling_engine::{Index, Mode, Request, Statistics};

use super::{Host, open_index, pages, values};
use findling_base::bundle_files::WebError;

/// Returns whether a site no longer has a file as its bundle listed it.
pub(super) fn is_replaced(error: &anyhow::Error) -> bool {
    let is_other = |error: &WebError| matches!(error, WebError::Contents { .. });
    error.chain().any(|cause| cause.downcast_ref().is_some_and(is_other))
}

impl Host {
    /// Does a part of a search for a request. If files are not as the bundle lists them, asks the
    /// site for its entry file and does it once again.
    pub(super) fn followed<T>(
        &mut self,
        mut request: Request,
        mut work: impl FnMut(&mut Self, Request) -> Result<T>,
    ) -> Result<T> {
        self.files.begin_question();
        self.follows = self.files.is_copy();
        let done = work(self, request.clone());
        match done {
            Err(error) if self.follows && is_replaced(&error) => {
                self.follow(&mut request);
                // What is missing now too is an error, unless the search can do without it.
                self.follows = false;
                work(self, request)
            }
            done => done,
        }
    }

    /// Opens the bundle that the site has now.
    fn follow(&mut self, request: &mut Request) {
        // The site may not answer, or its new bundle be damaged: the search says so.
        let Ok(Some(files)) = self.files.renewed() else { return };
        let Ok(mut index) = open_index(&files) else { return };
        // What was learned for the bundle goes on to hold; what its build chose does not.
        let chosen = open_index(&self.files).map(|index| *index.rank_params());
        if chosen.is_ok_and(|chosen| chosen != *self.index.rank_params()) {
            index.set_rank_params(*self.index.rank_params());
        }
        let card = |of: &Index| of.manifest().dense.as_ref().map(|dense| dense.encoder.clone());
        if card(&self.index) != card(&index) {
            embed_anew(request, &index);
        }
        let mut statistics = Statistics::default();
        self.index.swap_statistics(&mut statistics);
        index.set_statistics(statistics);
        index.set_streamed(self.streamed);
        (self.index, self.files) = (index, files);
        (self.texts, self.values) = (pages::Texts::default(), values::Values::default());
    }
}

/// Leaves out the vectors of another space. The new bundle's own rows embed the query, or it is
/// searched by words.
fn embed_anew(request: &mut Request, index: &Index) {
    request.vector = None;
    request.also_vectors.clear();
    let has_rows = index.manifest().dense.as_ref().is_some_and(|dense| dense.rows.is_some());
    if !has_rows && request.similar_to.is_none() {
        request.mode = Mode::Lexical;
    }
}
