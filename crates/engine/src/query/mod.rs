//! The way from a reader's text to the terms to look up.
//!
//! [`parse`] splits the text; every text is valid; [`plan`](Plan) analyses the parts in the
//! languages of the bundle.

mod ast;
mod parse;
mod plan;
mod planner;
mod synonyms;

pub(crate) use ast::{Clause, ClauseKind, Condition, Query};
pub(crate) use parse::parse;
pub(crate) use plan::{Group, Phrase, QueryPlan, Slot};
pub(crate) use planner::{Completion, analyzers, unknown};
