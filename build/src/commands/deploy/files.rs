//! The files of a site, and how they differ from those uploaded last.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

use crate::file_hash::file_hash;
use crate::replace_file;

/// Longest list of files that is read, in bytes.
const MAX_LIST: u64 = 256 << 20;
/// The version of the list's form.
const VERSION: u32 = 1;

/// A file of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteFile {
    /// The length in bytes.
    pub bytes: u64,
    /// The hash of its contents. For a shard, this is the hash in its name.
    pub hash: String,
}

/// Files by their path, with `/` between its parts.
pub type Files = BTreeMap<String, SiteFile>;

/// Returns all files below a directory.
///
/// # Errors
/// If the directory or one of its files cannot be read.
pub fn read(site: &Path) -> Result<Files> {
    let mut files = Files::new();
    for entry in WalkDir::new(site).sort_by_file_name() {
        let entry = entry.with_context(|| format!("{} cannot be read", site.display()))?;
        if !entry.file_type().is_file() {
            continue;
        }
        let path = entry.path();
        let parts = path.strip_prefix(site).unwrap_or(path).components();
        let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
        let unreadable = || format!("{} cannot be read", path.display());
        let bytes = entry.metadata().with_context(unreadable)?.len();
        let hash = match shard_name(&parts) {
            Some(name) => name.to_owned(),
            None => file_hash(path).with_context(unreadable)?[..32].to_owned(),
        };
        files.insert(parts.join("/"), SiteFile { bytes, hash });
    }
    Ok(files)
}

/// Returns the hash in the name of a shard: `shards/HASH.bin`.
fn shard_name<S: AsRef<str>>(parts: &[S]) -> Option<&str> {
    let [.., directory, name] = parts else { return None };
    let hash = name.as_ref().strip_suffix(".bin")?;
    let is_hash = hash.len() >= 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    (directory.as_ref() == "shards" && is_hash).then_some(hash)
}

#[derive(Serialize, Deserialize)]
struct List<'a> {
    version: u32,
    files: Cow<'a, Files>,
}

/// Returns the files that were uploaded last; `None` if no upload is known.
///
/// # Errors
/// If a list exists but cannot be read.
pub fn uploaded(list: &Path) -> Result<Option<Files>> {
    let length = match fs::metadata(list) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("{}", list.display())),
    };
    let told = |found: &str| {
        format!(
            "{}: expected a list of uploaded files; found {found}: delete it to see all files as \
             new",
            list.display()
        )
    };
    if length > MAX_LIST {
        bail!(told(&format!("{length} bytes")));
    }
    let text = fs::read(list).with_context(|| format!("{}", list.display()))?;
    let List { version, files } =
        serde_json::from_slice(&text).with_context(|| told("something else"))?;
    if version != VERSION {
        bail!(told(&format!("version {version}")));
    }
    Ok(Some(files.into_owned()))
}

/// Stores the list of uploaded files.
///
/// # Errors
/// If the system refuses.
pub fn keep(list: &Path, files: &Files) -> Result<()> {
    replace_file::keep_json(list, &List { version: VERSION, files: Cow::Borrowed(files) })
        .with_context(|| format!("{} cannot be written", list.display()))
}

/// Changes that an upload makes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes<'a> {
    /// Files that are not there yet.
    pub new: Vec<&'a str>,
    /// Files with other contents.
    pub changed: Vec<&'a str>,
    /// Files that are no longer in the site.
    pub removed: Vec<&'a str>,
    /// Number of files that stay as they are.
    pub same: usize,
    /// Bytes of the new and the changed files.
    pub bytes: u64,
}

/// Compares the site with what was uploaded.
pub fn changes<'a>(site: &'a Files, uploaded: &'a Files) -> Changes<'a> {
    let mut changes = Changes::default();
    for (path, file) in site {
        match uploaded.get(path) {
            Some(earlier) if earlier == file => {
                changes.same += 1;
                continue;
            }
            Some(_) => changes.changed.push(path),
            None => changes.new.push(path),
        }
        changes.bytes += file.bytes;
    }
    changes.removed =
        uploaded.keys().filter(|path| !site.contains_key(*path)).map(String::as_str).collect();
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: u64, hash: &str) -> SiteFile {
        SiteFile { bytes, hash: hash.to_owned() }
    }

    fn files(list: &[(&str, u64, &str)]) -> Files {
        list.iter().map(|(path, bytes, hash)| ((*path).to_owned(), file(*bytes, hash))).collect()
    }

    #[test]
    fn only_new_and_changed_files_are_uploaded() {
        let earlier = files(&[("a", 1, "x"), ("b", 2, "x"), ("gone", 9, "x")]);
        let site = files(&[("a", 1, "x"), ("b", 5, "y"), ("c", 7, "x")]);
        let found = changes(&site, &earlier);
        let expected = Changes {
            new: vec!["c"],
            changed: vec!["b"],
            removed: vec!["gone"],
            same: 1,
            bytes: 12,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn the_name_of_a_shard_is_its_hash() {
        assert_eq!(
            shard_name(&["findling", "shards", "0123456789abcdef.bin"]).unwrap(),
            "0123456789abcdef"
        );
        assert_eq!(shard_name(&["findling", "0123456789abcdef.bin"]), None);
        assert_eq!(shard_name(&["shards", "logo.bin"]), None);
        assert_eq!(shard_name(&["0123456789abcdef.bin"]), None);
    }

    #[test]
    fn a_list_is_read_as_it_was_kept() {
        let directory = tempfile::tempdir().unwrap();
        let list = directory.path().join("list.json");
        assert!(uploaded(&list).unwrap().is_none());
        let site = files(&[("a", 1, "x")]);
        keep(&list, &site).unwrap();
        assert_eq!(uploaded(&list).unwrap().unwrap(), site);
        for text in ["", "{}", "{\"version\": 9, \"files\": {}}"] {
            fs::write(&list, text).unwrap();
            assert!(uploaded(&list).is_err(), "{text}");
        }
    }
}
