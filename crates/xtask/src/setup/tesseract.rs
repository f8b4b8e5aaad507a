//! Tesseract, which recognises the text of scans, for the tests of `--ocr`.

use anyhow::{Result, bail};

use super::debian;
use crate::cmd::which;

/// Looks for the program, and installs Debian's package if it is missing.
pub fn tesseract() -> Result<()> {
    if which("tesseract").is_some() {
        return Ok(());
    }
    if !debian::has_apt() {
        bail!("there is no tesseract on this machine; install it");
    }
    debian::update();
    debian::install(&["tesseract-ocr"], "text recognition, for the tests of scans, about 40 MB")
}
