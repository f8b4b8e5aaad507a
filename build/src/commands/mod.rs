//! The commands, one module each: its arguments, and a function that runs it.

pub mod build;
pub mod eval;
pub mod inspect;
pub mod models;
pub mod search;
pub mod serve;
