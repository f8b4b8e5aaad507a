//! One search, as a state machine without IO.

use findling_bundle::ShardId;

use crate::{Error, Index, Request, Response};

/// A search under way. Step it until it is done.
pub struct Search {
    request: Request,
}

/// What a search wants next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// These shards, in any order: fetch them, [`Index::provide`] them and step again. At most three times for a search.
    Need(Vec<ShardId>),
    /// The answer.
    Done(Box<Response>),
}

impl Search {
    pub(crate) fn new(_index: &Index, request: Request) -> Result<Self, Error> {
        Ok(Self { request })
    }

    /// Goes as far as the shards at hand allow. Cheap to call again.
    ///
    /// # Errors
    /// [`Error::Bundle`] and [`Error::Inconsistent`] where a shard turns out to be hostile or damaged.
    pub fn step(&mut self, _index: &Index) -> Result<Step, Error> {
        Err(Error::Query { message: self.request.query.clone() })
    }
}
