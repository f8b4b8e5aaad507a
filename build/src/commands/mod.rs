//! The commands. Each has a module with its arguments and a function that runs it.

mod asked;
pub mod build;
pub mod collection;
pub mod completions;
pub mod config;
pub mod context;
#[cfg(feature = "transformer")]
pub mod distill;
pub mod eval;
pub mod explain;
pub mod find;
pub mod init;
pub mod inspect;
pub mod last;
pub mod man;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod models;
mod ocr;
pub mod pagefind;
mod reference;
pub mod relevance;
#[cfg(feature = "tui")]
pub mod repl;
pub mod search;
pub mod serve;
pub mod similar;
#[cfg(feature = "tui")]
mod state_directory;
pub mod sync;
#[cfg(feature = "tui")]
pub mod tui;
