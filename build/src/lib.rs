//! The build tool as a library: the binary `findling` is a thin face over it, and tests drive it directly.

pub mod commands;
pub mod page;
pub mod ui;
pub mod chunk;
pub mod sources;
