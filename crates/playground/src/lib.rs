//! The build for JavaScript: [`findling_read`] and [`findling_index`] behind wasm-bindgen. It reads
//! pages and indexes them by words. The playground of Findling's site runs it in a worker, over
//! files that never leave the reader's machine.
//!
//! ```js
//! const indexer = new Indexer("https://example.org/");
//! for (const [path, bytes] of files) if (isTaken(path)) indexer.add(path, bytes);
//! const total = indexer.begin();
//! for (let done = 0; done < total; done++) indexer.step(); // tell how far it is
//! const built = indexer.build();
//! const bundle = built.singleFile(); // what `findling build --encoder none --single-file` writes
//! ```
//!
//! Errors are thrown as JavaScript's `Error`. A file on which a parser panics ends the module;
//! [`Indexer::next_file`] names it.

mod files;
mod limits;
mod site;

use std::cell::OnceCell;

use wasm_bindgen::prelude::*;

pub use files::Files;
pub use limits::{Error, MAX_BYTES, MAX_FILES};
pub use site::{Built, Site};

/// Returns whether [`Indexer::add`] takes a file of this path. Others need not be read.
#[wasm_bindgen(js_name = isTaken)]
pub fn is_taken(path: &str) -> bool {
    files::is_taken(path)
}

/// Reads files and indexes their pages.
#[wasm_bindgen]
pub struct Indexer {
    base: String,
    files: Files,
    site: Option<Site>,
}

#[wasm_bindgen]
impl Indexer {
    /// Creates an empty set of files whose pages get addresses that begin with `base`.
    #[wasm_bindgen(constructor)]
    pub fn new(base: String) -> Self {
        Self { base, files: Files::default(), site: None }
    }

    /// Adds a file.
    pub fn add(&mut self, path: String, bytes: Vec<u8>) -> Result<(), JsError> {
        Ok(self.files.add(path, bytes)?)
    }

    /// Adds the files of a zip archive.
    #[wasm_bindgen(js_name = addArchive)]
    pub fn add_archive(&mut self, bytes: &[u8]) -> Result<(), JsError> {
        Ok(self.files.add_archive(bytes)?)
    }

    /// Begins to read. Returns the number of files.
    pub fn begin(&mut self) -> usize {
        let site = Site::of(std::mem::take(&mut self.files), &self.base);
        self.site.insert(site).n_files()
    }

    /// Returns the file that [`Indexer::step`] reads next.
    #[wasm_bindgen(js_name = nextFile)]
    pub fn next_file(&self) -> Option<String> {
        let file = self.site.as_ref()?.next_file()?;
        Some(file.to_string_lossy().into_owned())
    }

    /// Reads a file.
    pub fn step(&mut self) {
        if let Some(site) = &mut self.site {
            site.step();
        }
    }

    /// Indexes the pages that were read.
    pub fn build(&mut self) -> Result<Bundle, JsError> {
        let site = self.site.take().ok_or_else(|| JsError::new("expected a call of `begin`"))?;
        let built = site.build().map_err(|error| told(&error))?;
        Ok(Bundle { built, files: OnceCell::new() })
    }
}

fn told(error: &anyhow::Error) -> JsError {
    JsError::new(&format!("{error:#}"))
}

/// An indexed site.
#[wasm_bindgen]
pub struct Bundle {
    built: Built,
    /// The files of a directory, once a caller lists them.
    files: OnceCell<Vec<(String, Vec<u8>)>>,
}

#[wasm_bindgen]
impl Bundle {
    /// Returns the number of pages.
    #[wasm_bindgen(getter)]
    pub fn pages(&self) -> usize {
        self.built.n_pages
    }

    /// Returns the number of sections.
    #[wasm_bindgen(getter)]
    pub fn sections(&self) -> u32 {
        self.built.n_sections
    }

    /// Returns the messages about files, as JSON: `[{severity, path, line, reason}]`.
    pub fn problems(&self) -> String {
        serde_json::to_string(&self.built.problems).unwrap_or_else(|_| "[]".to_owned())
    }

    /// Returns the bundle as one file.
    #[wasm_bindgen(js_name = singleFile)]
    pub fn single_file(&self) -> Vec<u8> {
        self.built.single_file.clone()
    }

    /// Returns the paths of the bundle's files in a directory.
    #[wasm_bindgen(js_name = fileNames)]
    pub fn file_names(&self) -> Result<Vec<String>, JsError> {
        Ok(self.files()?.iter().map(|(path, _)| path.clone()).collect())
    }

    /// Returns the contents of one of them.
    pub fn file(&self, at: usize) -> Result<Option<Vec<u8>>, JsError> {
        Ok(self.files()?.get(at).map(|(_, contents)| contents.clone()))
    }

    /// Returns the page at an address as it was read, as JSON: `{file, title, sections: [{level,
    /// heading, anchor, blocks: [[text, isCode]]}]}`.
    pub fn page(&self, url: &str) -> Option<String> {
        serde_json::to_string(self.built.shown.get(url)?).ok()
    }
}

impl Bundle {
    /// Returns the bundle's files. Only tests compare them, so a page that is searched does not pay
    /// for them.
    fn files(&self) -> Result<&[(String, Vec<u8>)], JsError> {
        if self.files.get().is_none() {
            let files = self.built.files().map_err(|error| told(&error))?;
            let _ = self.files.set(files);
        }
        Ok(self.files.get().map_or(&[], Vec::as_slice))
    }
}
