//! The build tool as a library: the binary `findling` is a thin face over it, and tests drive it
//! directly.

pub mod budget;
pub mod chunk;
pub mod commands;
mod cutter;
pub mod distill;
pub mod eval;
pub mod host;
pub mod index;
pub mod models;
pub mod page;
pub mod ranking;
pub mod sample;
pub mod serve;
pub mod sources;
pub mod ui;
