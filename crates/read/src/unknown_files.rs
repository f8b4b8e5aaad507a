//! Files of kinds that are not read, counted by their extensions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Severity, code};

/// Extensions of files that have no text for readers: scripts, styles, pictures, data.
const ASSETS: [&str; 62] = [
    "css",
    "js",
    "mjs",
    "cjs",
    "map",
    "json",
    "xml",
    "xsl",
    "xsd",
    "dtd",
    "rss",
    "atom",
    "svg",
    "svgz",
    "png",
    "jpg",
    "jpeg",
    "gif",
    "webp",
    "avif",
    "bmp",
    "ico",
    "cur",
    "tif",
    "tiff",
    "eps",
    "woff",
    "woff2",
    "ttf",
    "otf",
    "eot",
    "mp4",
    "webm",
    "mov",
    "avi",
    "mp3",
    "ogg",
    "wav",
    "flac",
    "zip",
    "gz",
    "tgz",
    "bz2",
    "xz",
    "zst",
    "7z",
    "tar",
    "jar",
    "whl",
    "deb",
    "wasm",
    "inv",
    "lock",
    "toml",
    "yml",
    "yaml",
    "ini",
    "cfg",
    "csv",
    "tsv",
    "log",
    "webmanifest",
];

/// Files of kinds that are not read.
#[derive(Debug, Default)]
pub(super) struct UnknownFiles {
    /// For each extension: the number of files, and one of them.
    by_end: BTreeMap<String, (usize, PathBuf)>,
}

impl UnknownFiles {
    /// Records a file of an unknown kind, unless it belongs to pages.
    pub fn note(&mut self, path: PathBuf) {
        let end = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if end.is_empty() || ASSETS.contains(&end.as_str()) || code::is_code(&path) {
            return;
        }
        let (count, _) = self.by_end.entry(end).or_insert((0, path));
        *count += 1;
    }

    /// Reports these files.
    pub fn tell(&self, tell: &mut dyn FnMut(Severity, &Path, String)) {
        for (end, (count, path)) in &self.by_end {
            let reason = match count {
                1 => "is of a kind that is not read".to_owned(),
                n => format!("is one of {n} files .{end}, which are of a kind that is not read"),
            };
            tell(Severity::Skipped, path, reason);
        }
    }
}
