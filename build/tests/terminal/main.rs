//! The programs at a terminal, `findling tui` and `findling repl`, through a real terminal with
//! real keys.
#![cfg(all(unix, feature = "tui"))]

// The tests of collections use the rest of it.
#[allow(dead_code)]
#[path = "../collections/home.rs"]
mod home;
mod pty;
mod repl;
mod tui;
