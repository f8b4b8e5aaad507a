//! Hostile bytes against the running program: heads of requests to its servers, lines of
//! assistants, files of settings. The fuzz targets (`tests/fuzz`) have the readers of bytes alone.
//!
//! Each test damages valid inputs. Afterwards the program must answer a valid one, and no thread of
//! it may have panicked. `FINDLING_CASES` says how many inputs each test damages. A failure names
//! the seed of its input: `FINDLING_SEED=N FINDLING_CASES=1` tries this input first.
#![cfg(unix)]

// The tests of collections use the rest of it.
#[allow(dead_code)]
#[path = "../collections/home.rs"]
mod home;

#[cfg(feature = "mcp")]
mod assistant;
mod http_answers;
mod mutations;
mod program;
mod servers;
mod settings;
