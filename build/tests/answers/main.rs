//! Tests of the shell's output: formats, exit statuses, errors, passages, many collections.

// The tests of collections use the rest of it.
#[allow(dead_code)]
#[path = "../collections/home.rs"]
mod home;

mod agents;
mod citations;
mod closed_pipe;
mod code;
mod completions;
#[path = "../support/counting_service.rs"]
mod counting_service;
mod default_encoder;
mod formats;
mod fresh;
#[cfg(feature = "history")]
mod history;
mod many;
mod marks;
mod names;
mod notes;
mod options;
mod page_titles;
mod passages;
// The tests of documents use the rest of it.
#[cfg(feature = "pdf")]
#[allow(dead_code)]
#[path = "../documents/pdf_writer.rs"]
mod pdf_writer;
mod reference;
mod settings;
mod untrusted_inputs;
mod vectors;
