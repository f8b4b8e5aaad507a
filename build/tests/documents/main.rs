//! Tests of documents in other forms than web pages: the text of each, and the messages about bad
//! files.

mod archives;
mod office;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(feature = "pdf")]
mod pdf_writer;
mod read;
mod refused;
