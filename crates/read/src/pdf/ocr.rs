//! Text recognition of scanned pages by the program `tesseract`.
//!
//! The program reads the page's image and returns each word with its box. The words become
//! characters at their places, so that columns, lines and headings are found as on other pages.

use std::fs;
use std::process::{Command, Stdio};

use super::glyphs::{Glyph, Picture};

/// Words with a lower confidence (of 100) are dirt or pictures.
const MIN_CONFIDENCE: f64 = 30.0;

/// The size of a font relative to the height of its lines' boxes, which reach from the highest to
/// the lowest letter.
const EM: f64 = 1.1;

/// Blocks whose heights of lines differ by less than this share count as having the same font:
/// descenders are a quarter of the height.
const NEARLY: f64 = 0.3;

/// Checks that the program is installed and supports the languages, which are joined by `+`.
///
/// # Errors
/// If the program or a language is missing, with advice on installing it.
pub(crate) fn check(languages: &str) -> Result<(), String> {
    let output = Command::new("tesseract").arg("--list-langs").output().map_err(|error| {
        format!(
            "--ocr: expected the program `tesseract` on the path, found none ({error}); install it \
             (Debian: `apt install tesseract-ocr`, macOS: `brew install tesseract`)"
        )
    })?;
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let known: Vec<&str> = listed.lines().skip(1).map(str::trim).collect();
    match languages.split('+').find(|language| !known.contains(language)) {
        None => Ok(()),
        Some(unknown) => Err(format!(
            "--ocr {languages}: expected languages that tesseract has ({}), found `{unknown}`; \
             install it (Debian: `apt install tesseract-ocr-{}`)",
            known.join(", "),
            unknown.replace('_', "-")
        )),
    }
}

/// Returns the words of a picture, as characters at their places on the page.
///
/// # Errors
/// The program's message, if it fails.
pub(super) fn read(picture: &Picture, languages: &str) -> Result<Vec<Glyph>, String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let image = directory.path().join("page.pnm");
    fs::write(&image, portable_anymap(picture)).map_err(|error| error.to_string())?;
    let output = Command::new("tesseract")
        .arg(&image)
        .args(["stdout", "-l", languages, "tsv"])
        // Pages are already read on all cores.
        .env("OMP_THREAD_LIMIT", "1")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("tesseract does not start: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("tesseract fails: {}", said.trim()));
    }
    Ok(glyphs(picture, &String::from_utf8_lossy(&output.stdout)))
}

/// Returns the image in the format of Netpbm, which needs no library.
fn portable_anymap(picture: &Picture) -> Vec<u8> {
    let kind = if picture.channels == 3 { "P6" } else { "P5" };
    let mut file = format!("{kind}\n{} {}\n255\n", picture.width, picture.height).into_bytes();
    file.extend_from_slice(&picture.data);
    file
}

/// A line of the program's table, in pixels.
#[derive(Debug, Default, PartialEq)]
struct Line {
    block: u32,
    bottom: f64,
    height: f64,
    /// Texts with their left ends and widths.
    words: Vec<(String, f64, f64)>,
}

/// Returns the lines of the table: level, page, block, paragraph, line, word, left, top, width,
/// height, confidence, text. Level 4 is a line, level 5 a word in it.
fn lines(table: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.splitn(12, '\t').collect();
        let [level, _, block, _, _, _, numbers @ .., text] = &cells[..] else { continue };
        let numbers: Vec<f64> = numbers.iter().filter_map(|cell| cell.parse().ok()).collect();
        let [left, top, width, height, confidence] = numbers[..] else { continue };
        let text = text.trim();
        match *level {
            "4" => {
                let (block, bottom) = (block.parse().unwrap_or_default(), top + height);
                lines.push(Line { block, bottom, height, words: Vec::new() });
            }
            "5" if confidence >= MIN_CONFIDENCE && !text.is_empty() => {
                if let Some(line) = lines.last_mut() {
                    line.words.push((text.to_owned(), left, width));
                }
            }
            _ => {}
        }
    }
    lines.retain(|line| !line.words.is_empty());
    lines
}

/// Returns the characters of the lines. The lines of a block have one size: the box of a line
/// without descenders is lower, but its letters are not smaller. For the same reason a block of
/// nearly the page's usual size has that size.
fn glyphs(picture: &Picture, table: &str) -> Vec<Glyph> {
    let lines = lines(table);
    let usual = middle(&lines);
    let mut glyphs = Vec::new();
    for block in lines.chunk_by(|a, b| a.block == b.block) {
        let own = middle(block);
        let height = if (own / usual - 1.0).abs() < NEARLY { usual } else { own };
        for line in block {
            let mut word = |text: &str, left, width| {
                glyphs.extend(picture.word(text, left, width, line.bottom, EM * height));
            };
            for (text, left, width) in &line.words {
                word(text, *left, *width);
                // The widths of letters are not known well enough to find spaces from them.
                word(" ", left + width, 0.0);
            }
        }
    }
    glyphs
}

/// Returns the median height of lines.
fn middle(lines: &[Line]) -> f64 {
    let mut heights: Vec<f64> = lines.iter().map(|line| line.height).collect();
    heights.sort_by(f64::total_cmp);
    heights.get(heights.len() / 2).copied().unwrap_or(1.0).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_belong_to_the_line_above_them_and_dirt_is_no_word() {
        let table = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\t\
                     height\tconf\ttext\n\
                     1\t1\t0\t0\t0\t0\t0\t0\t900\t1200\t-1\t\n\
                     4\t1\t1\t1\t1\t0\t70\t88\t247\t38\t-1\t\n\
                     5\t1\t1\t1\t1\t1\t70\t88\t113\t30\t95.3\tTidal\n\
                     5\t1\t1\t1\t1\t2\t200\t91\t117\t35\t12.0\t~~\n\
                     4\t1\t2\t1\t1\t0\t70\t194\t9\t9\t-1\t\n\
                     5\t1\t2\t1\t1\t1\t70\t194\t9\t9\t91.0\t \n\
                     broken\trow\n";
        let words = vec![("Tidal".to_owned(), 70.0, 113.0)];
        assert_eq!(lines(table), [Line { block: 1, bottom: 126.0, height: 38.0, words }]);
    }
}
