//! Further vectors of a collection: one bundle for each name, beside the first.
//!
//! Each bundle is complete, so every reader of bundles can open it. All have the same bytes for
//! pages, words, texts and attributes: their pages have the same order, because each bundle
//! continues either the first one or an earlier bundle with the order of the first. Equal files are
//! links, so further vectors only take the disk space of the vectors.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, Result};

use super::error::Error;
use super::generation::{Generation, Generations};
use super::name::Name;
use super::settings::Settings;
use super::state::BuiltVectors;
use super::sync::{Build, Place};
use crate::bundle_files::BundleFiles;
use crate::kept::Kept;

/// The name of the vectors of a collection's first bundle, and of any other bundle.
pub const DEFAULT_VECTORS: &str = "default";

/// The beginning of the names of logs.
const LOG: &str = "shards-";

impl Settings {
    /// Reads `NAME=ENCODER`.
    ///
    /// # Errors
    /// [`Error::BadVectors`], [`Error::BadName`].
    pub fn vectors_of(text: &str) -> Result<(Name, String), Error> {
        let bad = || Error::BadVectors { found: text.to_owned() };
        let (name, encoder) = text.split_once('=').ok_or_else(bad)?;
        if name == DEFAULT_VECTORS || encoder.trim().is_empty() {
            return Err(bad());
        }
        Ok((name.parse()?, encoder.trim().to_owned()))
    }
}

/// Builds the further bundles of a generation.
pub(super) struct Further<'a> {
    pub generations: &'a Generations,
    /// The generation to continue from, if there is one.
    pub earlier: Option<&'a Generation>,
    /// The inputs of the build of the first bundle: the files, their hashes, and the logs.
    pub first: Kept,
}

impl Further<'_> {
    /// Builds all of them. The first bundle is there already.
    ///
    /// # Errors
    /// The errors of the build, and of the file system.
    pub fn build_all(
        self,
        settings: &Settings,
        generation: &Generation,
        build: &mut Build<'_>,
    ) -> Result<BTreeMap<Name, BuiltVectors>> {
        let mut all = BTreeMap::new();
        for (name, encoder) in &settings.vectors {
            let own =
                Settings { encoder: encoder.clone(), vectors: BTreeMap::new(), ..settings.clone() };
            let bundle = generation.vectors(name);
            let before = self.earlier.map(|earlier| earlier.vectors(name));
            let before = before.filter(|path| BundleFiles::open(path).is_ok());
            let kept = Kept {
                bundle: Some(before.unwrap_or_else(|| generation.bundle())),
                shards: self.generations.kept_of_vectors(name).shards,
                ..self.first.clone()
            };
            let place = Place { bundle: bundle.clone(), kept: Some(kept) };
            let built = build(&own, &place).with_context(|| format!("the vectors `{name}`"))?;
            let own_bytes =
                share(&generation.bundle(), &bundle).map_err(Error::io("written", &bundle))?;
            let encoder = encoder.clone();
            let bundle_bytes = built.bundle_bytes;
            all.insert(name.clone(), BuiltVectors { encoder, bundle_bytes, own_bytes });
        }
        Ok(all)
    }
}

/// Removes the logs of vectors that the collection no longer has; with `all`, the logs of all
/// vectors.
pub(super) fn sweep_logs(generations: &Generations, settings: &Settings, all: bool) {
    for entry in fs::read_dir(generations.directory()).into_iter().flatten().flatten() {
        let file_name = entry.file_name();
        let Some(name) = file_name.to_str().and_then(|name| name.strip_prefix(LOG)) else {
            continue;
        };
        if all || !settings.vectors.keys().any(|known| known.as_str() == name) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Replaces each file of a bundle by a link to the file of the first bundle with the same path and
/// bytes. Returns the bytes of the other files. Without links in the file system, this is the size
/// of all files.
fn share(first: &Path, bundle: &Path) -> io::Result<u64> {
    let mut own_bytes = 0;
    for entry in walkdir::WalkDir::new(bundle) {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        let path = entry.path();
        let other = first.join(path.strip_prefix(bundle).map_err(io::Error::other)?);
        let is_shared = is_same(path, &other)? || (is_equal(path, &other)? && link(&other, path));
        if !is_shared {
            own_bytes += entry.metadata()?.len();
        }
    }
    Ok(own_bytes)
}

/// Returns whether two paths are one file already.
fn is_same(path: &Path, other: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let Ok(other) = fs::metadata(other) else { return Ok(false) };
        let file = fs::metadata(path)?;
        Ok((file.dev(), file.ino()) == (other.dev(), other.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = (path, other);
        Ok(false)
    }
}

fn is_equal(path: &Path, other: &Path) -> io::Result<bool> {
    match fs::metadata(other) {
        Ok(metadata) if metadata.len() == fs::metadata(path)?.len() => {
            Ok(fs::read(path)? == fs::read(other)?)
        }
        _ => Ok(false),
    }
}

/// Puts a link to `file` in the place of `path`, and returns whether that was possible.
fn link(file: &Path, path: &Path) -> bool {
    let staged = path.with_extension("link");
    let done = fs::hard_link(file, &staged).is_ok() && fs::rename(&staged, path).is_ok();
    let _ = fs::remove_file(&staged);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_files_become_one_and_others_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        let (first, bundle) = (dir.path().join("first"), dir.path().join("bundle"));
        for (place, vectors) in [(&first, "12345"), (&bundle, "123456789")] {
            fs::create_dir_all(place.join("shards")).unwrap();
            fs::write(place.join("shards/words"), "same").unwrap();
            fs::write(place.join("shards/vectors"), vectors).unwrap();
        }
        fs::write(bundle.join("shards/more"), "ab").unwrap();
        for _ in 0..2 {
            assert_eq!(share(&first, &bundle).unwrap(), 11);
            assert_eq!(fs::read_to_string(bundle.join("shards/vectors")).unwrap(), "123456789");
        }
        #[cfg(unix)]
        assert!(is_same(&first.join("shards/words"), &bundle.join("shards/words")).unwrap());
        assert_eq!(fs::read_dir(bundle.join("shards")).unwrap().count(), 3);
    }

    #[test]
    fn further_vectors_are_a_name_and_an_encoder() {
        let read = |text: &str| {
            Settings::vectors_of(text).map(|(name, encoder)| (name.to_string(), encoder))
        };
        assert_eq!(read("code=hash").unwrap(), ("code".to_owned(), "hash".to_owned()));
        for wrong in ["code", "=hash", "code=", "default=hash", "Co de=hash"] {
            let code = read(wrong).unwrap_err().code();
            assert!(["bad-vectors", "bad-name"].contains(&code), "{wrong}: {code}");
        }
    }
}
