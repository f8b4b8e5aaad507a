//! The files that a reader gives: the files of a folder, and the files in an archive.

use std::io::{Cursor, Read};
use std::path::Path;

use findling_read::Format;
use zip::ZipArchive;

use crate::limits::{Error, MAX_BYTES, MAX_FILES};

/// Names of files that are read besides pages: Sphinx's inventories of functions and classes, and
/// the mark of a bundle, whose directory is skipped.
const BESIDE_PAGES: [&str; 2] = ["objects.inv", "findling.idx"];

/// Returns whether a file is taken: pages as they are written or rendered, records, and documents.
/// AsciiDoc, code and PDF are left to the command-line tool.
pub fn is_taken(path: &str) -> bool {
    let mut names = path.split('/');
    let name = names.next_back().unwrap_or_default();
    let is_passed_over =
        |name: &str| (name.starts_with('.') && name != ".") || name == "node_modules";
    if is_passed_over(name) || names.any(is_passed_over) {
        return false;
    }
    let format = Format::of_name(Path::new(name));
    let is_read = |format| !matches!(format, Format::Asciidoc | Format::Pdf);
    BESIDE_PAGES.contains(&name) || format.is_some_and(is_read)
}

/// The files given so far.
#[derive(Debug, Default)]
pub struct Files {
    files: Vec<(String, Vec<u8>)>,
    n_bytes: u64,
}

impl Files {
    /// Adds a file, if it [is taken](is_taken).
    ///
    /// # Errors
    /// If there are too many files or bytes.
    pub fn add(&mut self, path: String, bytes: Vec<u8>) -> Result<(), Error> {
        if !is_taken(&path) {
            return Ok(());
        }
        if self.files.len() >= MAX_FILES {
            return Err(Error::Files);
        }
        self.n_bytes += bytes.len() as u64;
        if self.n_bytes > MAX_BYTES {
            return Err(Error::Bytes);
        }
        self.files.push((path, bytes));
        Ok(())
    }

    /// Adds the files of a zip archive.
    ///
    /// # Errors
    /// If the archive is damaged, or contains too many files or bytes, regardless of the numbers
    /// that it declares.
    pub fn add_archive(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let damaged = |error: &dyn std::fmt::Display| Error::Archive(error.to_string());
        let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
        for place in 0..zip.len() {
            let entry = zip.by_index(place).map_err(|error| damaged(&error))?;
            let path = entry.name().map_err(|error| damaged(&error))?.replace('\\', "/");
            if !entry.is_file() || !is_taken(&path) {
                continue;
            }
            let left = MAX_BYTES.saturating_sub(self.n_bytes);
            if entry.size() > left {
                return Err(Error::Bytes);
            }
            let mut bytes = Vec::new();
            entry.take(left + 1).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
            self.add(path, bytes)?;
        }
        Ok(())
    }

    /// Returns the files. If all of them are in one directory, their paths begin below it, because
    /// a folder and an archive of it include the folder's name.
    pub fn finish(self) -> Vec<(String, Vec<u8>)> {
        let mut files = self.files;
        let first = files.first().and_then(|(path, _)| path.split_once('/'));
        let Some(prefix) = first.map(|(directory, _)| format!("{directory}/")) else {
            return files;
        };
        if files.iter().all(|(path, _)| path.starts_with(&prefix)) {
            for (path, _) in &mut files {
                path.drain(..prefix.len());
            }
        }
        files
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, contents) in files {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(contents).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn paths(files: Files) -> Vec<String> {
        files.finish().into_iter().map(|(path, _)| path).collect()
    }

    #[test]
    fn pages_are_taken_and_other_files_are_not() {
        for taken in ["a.md", "a/b.HTML", "a/objects.inv", "x.rst", "notes.txt", "a/findling.idx"] {
            assert!(is_taken(taken), "{taken}");
        }
        for left in
            ["a.png", "a.pdf", "a.adoc", ".git/a.md", "a/.b.md", "node_modules/a/b.md", "a.rs", ""]
        {
            assert!(!is_taken(left), "{left}");
        }
    }

    #[test]
    fn paths_begin_below_the_directory_of_all_files() {
        let mut files = Files::default();
        files.add("docs/a.md".into(), vec![]).unwrap();
        files.add("docs/b/c.md".into(), vec![]).unwrap();
        assert_eq!(paths(files), ["a.md", "b/c.md"]);
        let mut files = Files::default();
        files.add("docs/a.md".into(), vec![]).unwrap();
        files.add("docs.md".into(), vec![]).unwrap();
        assert_eq!(paths(files), ["docs/a.md", "docs.md"]);
    }

    #[test]
    fn an_archive_gives_its_pages() {
        let bytes = archive(&[
            ("site/", b""),
            ("site/a.md", b"# A"),
            ("site/logo.png", b"png"),
            ("site/sub\\b.md", b"# B"),
        ]);
        let mut files = Files::default();
        files.add_archive(&bytes).unwrap();
        assert_eq!(paths(files), ["a.md", "sub/b.md"]);
    }

    #[test]
    fn too_much_is_refused_whatever_an_archive_declares() {
        let code = |result: Result<(), Error>| result.unwrap_err().code();
        let large = vec![b' '; MAX_BYTES as usize / 2 + 1];
        let bytes = archive(&[("a.md", &large), ("b.md", &large)]);
        assert_eq!(code(Files::default().add_archive(&bytes)), "too-many-bytes");
        let mut files = Files::default();
        files.add("a.md".into(), large.clone()).unwrap();
        assert_eq!(code(files.add("b.md".into(), large)), "too-many-bytes");
        let mut files = Files::default();
        for n in 0..MAX_FILES {
            files.add(format!("{n}.md"), vec![]).unwrap();
        }
        assert_eq!(code(files.add("more.md".into(), vec![])), "too-many-files");
        let damaged = &bytes[..bytes.len() - 30];
        assert_eq!(code(Files::default().add_archive(damaged)), "archive");
        assert_eq!(code(Files::default().add_archive(b"no archive")), "archive");
    }
}
