//! What the shell answers: formats, exit statuses, errors, passages, many collections.

// The tests of collections use the rest of it.
#[allow(dead_code)]
#[path = "../collections/home.rs"]
mod home;

mod formats;
mod many;
mod passages;
mod reference;
mod settings;
