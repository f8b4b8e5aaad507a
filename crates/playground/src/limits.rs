//! Limits of the playground. The module's memory holds the files, the pages and the index at the
//! same time.

/// Maximum number of files of a site.
pub const MAX_FILES: usize = 5_000;

/// Maximum number of bytes of all files, unpacked.
pub const MAX_BYTES: u64 = 50_000_000;

/// The reason for which files are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Too many files.
    #[error(
        "expected at most {MAX_FILES} files, found more: drop a part of the site, or index it with \
         `findling build`, which has no limit"
    )]
    Files,
    /// Too many bytes.
    #[error(
        "expected at most {} MB of files, unpacked, found more: drop a part of the site, or index \
         it with `findling build`, which has no limit",
        MAX_BYTES / 1_000_000
    )]
    Bytes,
    /// No archive, or a damaged one.
    #[error("expected a zip archive, found a damaged one: {0}")]
    Archive(String),
}

impl Error {
    /// Returns a stable name, for tests and programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Files => "too-many-files",
            Error::Bytes => "too-many-bytes",
            Error::Archive(_) => "archive",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_and_its_worker_state_the_limits() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../site/pages/playground.md");
        let text = std::fs::read_to_string(page).unwrap();
        let said = format!(
            "at most {},{:03} files and {} MB",
            MAX_FILES / 1000,
            MAX_FILES % 1000,
            MAX_BYTES / 1_000_000
        );
        assert!(text.contains(&said), "expected `{said}` in site/pages/playground.md");
        let worker = concat!(env!("CARGO_MANIFEST_DIR"), "/../../site/playground/worker.js");
        let text = std::fs::read_to_string(worker).unwrap().replace('_', "");
        assert!(text.contains(&format!("MAXBYTES = {MAX_BYTES};")), "another limit in worker.js");
    }
}
