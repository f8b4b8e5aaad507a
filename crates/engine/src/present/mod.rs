//! What is shown of a hit, and what is told of a query.

mod alike;
mod explain;
mod respond;
mod snippet;
mod why;

pub(crate) use explain::{explanation, join_plans, plan};
pub(crate) use respond::respond;
