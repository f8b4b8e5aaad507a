//! Follows the deployments of a site. If a search does not find a file, it begins again with the
//! site's current bundle.

use anyhow::Result;
use findling_engine::{Index, Mode, Request, Statistics};

use super::{Host, open_index, pages, values};
use findling_base::bundle_files::WebError;

/// Returns whether a site no longer has a file in the state that its bundle listed.
pub(super) fn is_replaced(error: &anyhow::Error) -> bool {
    let is_other = |error: &WebError| matches!(error, WebError::Contents { .. });
    error.chain().any(|cause| cause.downcast_ref().is_some_and(is_other))
}

impl Host {
    /// Does a part of a search for a request. If files differ from the hashes that the bundle
    /// lists, requests the site's entry file and repeats the part.
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
                // A file that is still missing is an error, unless the search can do without it.
                self.follows = false;
                work(self, request)
            }
            done => done,
        }
    }

    /// Opens the bundle that the site has now.
    fn follow(&mut self, request: &mut Request) {
        // The search reports if the site does not answer, or its new bundle is damaged.
        let Ok(Some(files)) = self.files.renewed() else { return };
        let Ok(mut index) = open_index(&files) else { return };
        // Learned values still apply to the new bundle; the choices of the old bundle's build do
        // not.
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

/// Removes the vectors of another space. The new bundle's own rows embed the query, or the search
/// is by words.
fn embed_anew(request: &mut Request, index: &Index) {
    request.vector = None;
    request.also_vectors.clear();
    let has_rows = index.manifest().dense.as_ref().is_some_and(|dense| dense.rows.is_some());
    if !has_rows && request.similar_to.is_none() {
        request.mode = Mode::Lexical;
    }
}
