//! The code that the repository's commands, the splitter of WebAssembly modules and the tests
//! share.

pub mod deferred;
