//! The build tool as a library: the binary `findling` is a thin face over it, and tests drive it directly.

pub mod chunk;
pub mod commands;
pub mod models;
pub mod page;
pub mod sources;
pub mod ui;
