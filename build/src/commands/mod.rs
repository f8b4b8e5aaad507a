//! The commands. Each has a module with its arguments and a function that runs it.

pub mod build;
pub mod collection;
pub mod completions;
#[cfg(feature = "transformer")]
pub mod distill;
pub mod eval;
pub mod explain;
pub mod inspect;
pub mod man;
pub mod models;
pub mod pagefind;
pub mod search;
pub mod serve;
pub mod similar;
pub mod sync;
