//! Documents in other forms than web pages: what is read of each, and what is said of bad files.

mod archives;
mod office;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(feature = "pdf")]
mod pdf_writer;
mod read;
mod refused;
