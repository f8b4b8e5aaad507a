//! Manual pages: roff with the macros of `man` and of `mdoc`, also compressed.
//!
//! [`roff`] reads lines: conditions, definitions, strings and escapes. [`man_macros`] and
//! [`mdoc_macros`] are the two sets of macros, [`writer`] writes sections. An option such as
//! `-a, --all` is a section of its own.
//!
//! References: groff_man(7), groff_char(7), mdoc(7), tbl(1).

mod characters;
mod man_macros;
mod mdoc_macros;
mod roff;
mod writer;

use std::io::Read as _;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::decode;
use super::tree::Tree;
use findling_page::page::Section;
use roff::{Line, Roff};
use writer::Writer;

/// Bytes at the start of a file within which a manual page begins. Licences precede it.
const MAX_HEAD_BYTES: u64 = 16 << 10;

/// Largest size of a page, also of a compressed one.
const MAX_BYTES: u64 = 16 << 20;

/// A manual page.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// `ls(1)`.
    pub title: Option<String>,
    pub sections: Vec<Section>,
}

/// Returns whether a file can be a manual page, by its name: `ls.1`, `open.3pm`, `ls.1.gz`.
pub(super) fn has_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let Some((stem, end)) = name.rsplit_once('.') else { return false };
    if stem.is_empty() || end.len() > 8 {
        return false;
    }
    // Tcl has the sections `n` and `l`.
    let letters = end.strip_prefix(|c| matches!(c, '1'..='9'));
    let is_numbered = letters.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_alphabetic()));
    is_numbered || matches!(end, "n" | "l")
}

/// Returns whether a file is a manual page, by its name and its beginning.
pub(super) fn is_one(path: &Path, tree: &Tree) -> bool {
    if !has_name(path) {
        return false;
    }
    let start = tree.start(path, MAX_HEAD_BYTES);
    let mut text = Vec::new();
    // The rest of a compressed file is missing, which is an error behind the beginning.
    let _ = plain(&start).take(MAX_HEAD_BYTES).read_to_end(&mut text);
    begins_as_one(&String::from_utf8_lossy(&text))
}

/// Returns whether the first macro is one that begins a manual page.
fn begins_as_one(text: &str) -> bool {
    let mut lines =
        text.lines().take_while(|line| line.starts_with(['.', '\'']) || line.is_empty());
    lines.any(|line| {
        let name = line[line.len().min(1)..].trim_start();
        ["TH", "Dd", "so", "SH"]
            .iter()
            .any(|known| name.strip_prefix(known).is_some_and(|rest| rest.starts_with([' ', '\t'])))
    })
}

/// Returns a reader of the bytes, which may be compressed.
fn plain<'a>(bytes: &'a [u8]) -> Box<dyn std::io::Read + 'a> {
    match bytes {
        [0x1f, 0x8b, ..] => Box::new(MultiGzDecoder::new(bytes)),
        _ => Box::new(bytes),
    }
}

/// The reason why a file is not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The file is another name of a page.
    OtherName(String),
    /// The file cannot be read.
    Damaged(String),
}

/// Reads a manual page.
///
/// # Errors
/// The reason why it is not read.
pub(super) fn read(bytes: &[u8]) -> Result<Read, Refused> {
    let mut text = Vec::new();
    plain(bytes).take(MAX_BYTES + 1).read_to_end(&mut text).map_err(|error| {
        Refused::Damaged(format!("expected a manual page in gzip, found an error: {error}"))
    })?;
    if text.len() as u64 > MAX_BYTES {
        let reason = format!("is larger than {MAX_BYTES} bytes when it is unpacked");
        return Err(Refused::Damaged(reason));
    }
    let text = decode::plain(&text, None).text.replace('\0', " ");
    let mut roff = Roff::new(&text);
    let mut writer = Writer::default();
    let mut is_mdoc = false;
    while let Some(line) = roff.next() {
        match line {
            Line::Text(text) => writer.text_line(&text, &roff),
            Line::Call { name, args } => {
                is_mdoc |= name == "Dd" || name == "Dt";
                if name == "so" && writer.is_empty() {
                    let other = args.first().map(String::as_str).unwrap_or_default();
                    return Err(Refused::OtherName(other.to_owned()));
                }
                if writer.common(&name, &args, &roff) {
                    continue;
                }
                if is_mdoc {
                    mdoc_macros::call(&name, &args, &roff, &mut writer);
                } else {
                    man_macros::call(&name, &args, &roff, &mut writer);
                }
            }
            Line::Table(rows) => writer.table(&rows, &roff),
        }
    }
    Ok(writer.finish())
}

#[cfg(test)]
mod tests;
