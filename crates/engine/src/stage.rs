//! The result of one stage of a search.

use findling_bundle::ShardId;

/// The stage after this one.
pub(crate) enum Next<S> {
    /// Go on with this stage at once.
    Stage(S),
    /// Go on with this stage once these shards are in memory.
    Need(S, Vec<ShardId>),
}
