//! `--ocr`, as the commands that index PDFs take it.

use anyhow::Result;

use crate::site::checked_ocr;

/// Whether scans are recognised.
#[derive(Debug, Default, clap::Args)]
pub struct OcrArgs {
    /// Recognise the text of scanned pages in PDFs by the program `tesseract`, which has to be
    /// installed. LANGUAGES are its names for them, joined by +, such as deu+eng
    #[arg(
        long = "ocr",
        value_name = "LANGUAGES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "eng"
    )]
    languages: Option<String>,
}

impl OcrArgs {
    /// Returns the languages, if scans are to be recognised.
    pub fn into_languages(self) -> Option<String> {
        self.languages
    }

    /// Returns the languages as [`checked_ocr`] does.
    ///
    /// # Errors
    /// If `tesseract` or one of the languages is missing.
    pub fn languages(&self) -> Result<Option<String>> {
        Ok(self.languages.as_deref().map(checked_ocr).transpose()?)
    }
}
