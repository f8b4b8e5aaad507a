//! What a stage of a search comes to.

use findling_bundle::ShardId;

/// Where a search goes on from.
pub(crate) enum Next<S> {
    /// The stage that follows, at once.
    Stage(S),
    /// This stage, once these shards are here.
    Need(S, Vec<ShardId>),
}
