//! The base of the native parts of Findling: files that are replaced as a whole, bundles on a disk,
//! logs of earlier work, temporary files, progress, and errors with codes.
//!
//! The crate depends on no pages, no searches and no terminal.
//!
//! ```
//! use findling_base::progress::{Progress, Silent};
//! use findling_base::replace_file::keep;
//!
//! let directory = tempfile::tempdir()?;
//! let file = directory.path().join("made/for/it/names.txt");
//! keep(&file, b"ada\n")?;
//! keep(&file, b"grace\n")?;
//! assert_eq!(std::fs::read(&file)?, b"grace\n");
//! (&Silent as &dyn Progress).status("Kept", "1 file");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`bundle_files`] | a bundle in a directory, a file or a copy of a site, read shard by shard |
//! | [`record_log`] | results of earlier builds, by the hash of their input |
//! | [`scratch`] | texts that do not fit in memory |
//! | [`replace_file`], [`replace_directory`] | files and directories replaced as a whole |
//! | [`small_file`], [`file_hash`] | short files, and files that are compared |
//! | [`file_mode`], [`regular_file`] | permissions of files, and checks for regular files |
//! | [`progress`] | reports of a stage, for any listener |
//! | [`safe_text`] | text of a site, made harmless for terminals, files and readers |
//! | [`usage_error`] | errors in a request, with a code for programs |
//! | [`http`], [`private_network`] | the client for HTTP, kept out of private networks |

pub mod bundle_files;
pub mod file_hash;
pub mod file_mode;
pub mod http;
pub mod private_network;
pub mod progress;
pub mod record_log;
pub mod regular_file;
pub mod replace_directory;
pub mod replace_file;
pub mod safe_text;
pub mod scratch;
pub mod small_file;
pub mod usage_error;
