//! PDF: a page of the index is a file, a section is a heading and its text on one page of the file.
//!
//! [`glyphs`] returns the characters at their places; everything else is derived from the places:
//! [`spans`] of characters, [`columns`] in reading order, [`lines`], [`frames`] that repeat on
//! every page and are left out, [`paragraphs`] with divided words joined, [`sections`] under
//! headings.

mod bookmarks;
mod budget;
mod columns;
mod frames;
mod glyphs;
mod hyphens;
mod lines;
mod margins;
pub(super) mod ocr;
mod paragraphs;
mod sections;
mod spans;
mod unpacked;

use std::path::Path;

use super::left_out::{Rule, Trace};
use super::outline::fold;
use super::{Options, Outcome, RawPage, Severity};
use budget::{Budget, MAX_PAGES, Stop};
use glyphs::{Closed, Glyph, MAX_PIXELS, PageGlyphs};
use lines::Line;

/// The columns of a page in reading order.
type Columns = Vec<Vec<Line>>;

/// On a page without text, an image that covers at least this part of it is a scan.
const SCAN_SHARE: f32 = 0.5;

/// Maximum number of numbers of pages that a message lists.
const MAX_LISTED: usize = 5;

/// Returns whether bytes begin like a PDF.
fn is_pdf(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(1024)].windows(5).any(|at| at == b"%PDF-")
}

/// Reads a file. Problems go to `outcome`. Returns `None` if nothing of the file can be read.
pub(super) fn read(
    bytes: &[u8],
    path: &Path,
    options: &Options,
    outcome: &mut Outcome,
) -> Option<RawPage> {
    let file = match open(bytes) {
        Ok(file) => file,
        Err(reason) => {
            outcome.tell(Severity::Error, path, None, reason);
            return None;
        }
    };
    if is_cut_off(bytes) {
        let reason = "is cut off: its end is missing, and with it perhaps pages; what was found \
                      is indexed";
        outcome.tell(Severity::Error, path, None, reason);
    }
    let mut pages = Pages::default();
    pages.read(&file, options.ocr.as_deref());
    pages.tell(path, outcome);
    let mut trace = Trace::new(options.trace);
    for (page, text) in frames::take(&mut pages.columns, &pages.heights) {
        trace.note(Rule::PageFrame, || (format!("page {}", page + 1), text));
    }
    for (page, text) in std::mem::take(&mut pages.margins) {
        trace.note(Rule::LineNumbers, || (format!("page {}", page + 1), text));
    }
    let document = sections::of(pages.columns, &file.bookmarks());
    if document.sections.is_empty() {
        return None;
    }
    let mut raw = RawPage::default();
    let (title, author) = file.title_and_author();
    raw.names.explicit = title.and_then(|title| declared_title(&title, path)).or(document.title);
    if let Some(author) = author.map(|author| fold(&author)).filter(|author| !author.is_empty()) {
        raw.page.meta.push(("author".to_owned(), author));
    }
    raw.page.sections = document.sections;
    raw.lost = trace.take_lost();
    raw.left_out = trace.finish();
    Some(raw)
}

fn open(bytes: &[u8]) -> Result<glyphs::File, String> {
    if let Some(size) = unpacked::over_limit(bytes, &unpacked::LIMITS) {
        return Err(format!(
            "unpacks to {size} bytes or more, which is over the limit and no text; it may be made \
             to fill the memory"
        ));
    }
    // The library may panic when it opens a damaged file.
    let opened = Budget::default().page(|| glyphs::File::open(bytes));
    match opened {
        Ok(Ok(file)) if is_pdf(bytes) || file.n_pages() > 0 => Ok(file),
        Ok(Err(Closed::Password)) => Err(
            "is encrypted and needs a password; save it without one, such as with `qpdf --decrypt`"
                .to_owned(),
        ),
        Ok(Err(Closed::Encryption)) => Err(
            "is encrypted in a way that cannot be read; save it without encryption, such as with \
             `qpdf --decrypt`"
                .to_owned(),
        ),
        _ if !is_pdf(bytes) => {
            Err("expected a PDF, found a file that does not begin with %PDF-".to_owned())
        }
        Ok(Ok(_) | Err(Closed::Damaged)) | Err(_) => {
            Err("is damaged: no page of it can be found; `qpdf FILE NEW` may mend it".to_owned())
        }
    }
}

/// Returns whether the table that ends every file is missing.
fn is_cut_off(bytes: &[u8]) -> bool {
    memchr::memmem::rfind(bytes, b"startxref").is_none()
}

/// Returns a title that the file declares, unless a program has made it up.
fn declared_title(title: &str, path: &Path) -> Option<String> {
    let title = fold(title);
    let lower = title.to_lowercase();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let is_made_up = lower.is_empty()
        || lower.starts_with("untitled")
        || matches!(lower.as_str(), "(anonymous)" | "anonymous" | "(unspecified)")
        || lower.starts_with("microsoft word - ")
        || lower.trim_end_matches(".pdf") == stem
        || [".doc", ".docx", ".dvi", ".tex", ".odt", ".indd", ".pdf", ".ps"]
            .iter()
            .any(|end| lower.ends_with(end))
        || !lower.contains(char::is_alphabetic);
    (!is_made_up).then_some(title)
}

/// The text of all pages, and the problems of some pages.
#[derive(Default)]
struct Pages {
    columns: Vec<Columns>,
    heights: Vec<f32>,
    /// Line numbers in margins, with the numbers of their pages.
    margins: Vec<(usize, String)>,
    /// Pages, from 1, that show an image instead of text.
    scans: Vec<usize>,
    /// Scans in which no text was recognised.
    unread: Vec<usize>,
    /// Scans whose image is over the limit, or cannot be decoded.
    undecoded: Vec<usize>,
    /// The message of the first failure of text recognition, with the pages on which it failed.
    ocr_failed: Option<(String, Vec<usize>)>,
    /// Pages whose fonts do not say which characters they are.
    unknown: Vec<usize>,
    failed: Vec<usize>,
    too_much: Vec<usize>,
    /// Pages beyond the limits.
    left: usize,
}

impl Pages {
    /// Reads all pages. `ocr` are the languages in which scans are recognised.
    fn read(&mut self, file: &glyphs::File, ocr: Option<&str>) {
        let budget = Budget::default();
        let count = file.n_pages();
        let reader = file.reader();
        for at in 0..count {
            if at >= MAX_PAGES || budget.is_spent() {
                self.left = count - at;
                break;
            }
            let number = at + 1;
            let mut page = reader.read(at, &budget).unwrap_or_else(|(page, stop)| {
                match stop {
                    Stop::TooMuch => self.too_much.push(number),
                    Stop::Failed => self.failed.push(number),
                }
                page
            });
            if page.glyphs.len() < page.n_unknown {
                self.unknown.push(number);
            } else if page.glyphs.is_empty() && page.image_share > SCAN_SHARE {
                match ocr {
                    Some(languages) => {
                        page.glyphs = self.recognise(&reader, at, &budget, languages)
                    }
                    None => self.scans.push(number),
                }
            }
            self.heights.push(page.height);
            let (columns, numbers) = columns_of(&page);
            if !numbers.is_empty() {
                self.margins.push((at, numbers.join(" ")));
            }
            self.columns.push(columns);
        }
    }

    /// Returns the text of a scan.
    fn recognise(
        &mut self,
        reader: &glyphs::Reader<'_>,
        at: usize,
        budget: &Budget,
        languages: &str,
    ) -> Vec<Glyph> {
        let number = at + 1;
        match reader.picture(at, budget) {
            Ok(Some(picture)) => match ocr::read(&picture, languages) {
                Ok(glyphs) if !glyphs.is_empty() => return glyphs,
                Ok(_) => self.unread.push(number),
                Err(reason) => {
                    self.ocr_failed.get_or_insert_with(|| (reason, Vec::new())).1.push(number);
                }
            },
            Ok(None) => self.undecoded.push(number),
            Err(Stop::TooMuch) => self.too_much.push(number),
            Err(Stop::Failed) => self.failed.push(number),
        }
        Vec::new()
    }

    fn tell(&self, path: &Path, outcome: &mut Outcome) {
        let has_text = self.columns.iter().any(|page| !page.is_empty());
        // If nothing of a file can be read, this is an error.
        let severity = if has_text { Severity::Warning } else { Severity::Error };
        let mut tell = |pages: &[usize], severity, what: &str| {
            if !pages.is_empty() {
                outcome.tell(severity, path, None, format!("{} {what}", listed(pages)));
            }
        };
        tell(&self.failed, Severity::Error, "cannot be read: the file is damaged there");
        tell(
            &self.too_much,
            Severity::Error,
            "draws more than a page of text does; what comes after the limit is left out",
        );
        tell(
            &self.scans,
            severity,
            "is a scan: it shows an image and has no text. `--ocr` reads it, if `tesseract` is \
             installed",
        );
        tell(&self.unread, severity, "is a scan in which no text was recognised");
        tell(
            &self.undecoded,
            severity,
            &format!(
                "is a scan that was not read: its image is damaged, or has more than {MAX_PIXELS} \
                 pixels"
            ),
        );
        if let Some((reason, pages)) = &self.ocr_failed {
            tell(pages, Severity::Error, &format!("is a scan that was not read: {reason}"));
        }
        tell(
            &self.unknown,
            severity,
            "has fonts that do not say which characters they show, so most of its text is left out",
        );
        outcome.may_change |= self.ocr_failed.is_some();
        if self.left > 0 {
            let reason = format!(
                "the last {} pages are left out: the file is over the limit of {MAX_PAGES} pages \
                 or of what they draw; split it",
                self.left
            );
            outcome.tell(Severity::Error, path, None, reason);
        }
        let is_named = [
            &self.failed,
            &self.too_much,
            &self.scans,
            &self.unread,
            &self.undecoded,
            &self.unknown,
        ]
        .iter()
        .any(|pages| !pages.is_empty());
        if !has_text && !is_named && self.ocr_failed.is_none() && self.left == 0 {
            outcome.tell(Severity::Warning, path, None, "has no text and is left out");
        }
    }
}

/// Returns the columns of a page and the line numbers beside them. Columns in the text's main
/// direction come first.
fn columns_of(page: &PageGlyphs) -> (Columns, Vec<String>) {
    let mut columns = Vec::new();
    let mut numbers = Vec::new();
    for spans in spans::by_direction(&page.glyphs) {
        let (spans, taken) = margins::without_numbers(spans);
        numbers.extend(taken);
        let of_direction = columns::in_order(spans).into_iter().map(lines::of);
        columns.extend(of_direction.filter(|lines| !lines.is_empty()));
    }
    (columns, numbers)
}

/// Returns pages as a text: `page 3`, `each of the pages 3, 5, 8`, or the first five with the
/// number of the others: `… 4, 5 and 7 more`.
fn listed(pages: &[usize]) -> String {
    let first: Vec<String> = pages.iter().take(MAX_LISTED).map(usize::to_string).collect();
    let word = if pages.len() == 1 { "page" } else { "each of the pages" };
    let more = match pages.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{word} {}{more}", first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a file whose page draws a form that draws ten forms, and so on, five deep.
    fn nested_forms() -> Vec<u8> {
        let mut file = "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< \
                        /Type /Pages /Count 1 /Kids [3 0 R] >>\nendobj\n3 0 obj\n<< /Type /Page \
                        /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject \
                        << /X 5 0 R >> >> >>\nendobj\n4 0 obj\n<< /Length 5 >>\nstream\n/X \
                        Do\nendstream\nendobj\n"
            .to_owned();
        for number in 5..10 {
            let next = number + 1;
            let content = if number < 9 { "/X Do ".repeat(10) } else { "0 0 1 1 re f".to_owned() };
            file.push_str(&format!(
                "{number} 0 obj\n<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << \
                 /XObject << /X {next} 0 R >> >> /Length {} >>\nstream\n{content}\nendstream\n\
                 endobj\n",
                content.len()
            ));
        }
        file.push_str("trailer\n<< /Size 10 /Root 1 0 R >>\nstartxref\n0\n%%EOF\n");
        file.into_bytes()
    }

    #[test]
    fn a_page_that_draws_too_much_ends_at_the_limit() {
        let file = glyphs::File::open(&nested_forms()).ok().unwrap();
        let read = |steps| {
            let budget = Budget::of(steps, steps);
            file.reader().read(0, &budget).map(|_| ()).map_err(|(_, stop)| stop)
        };
        assert_eq!(read(1_000), Err(Stop::TooMuch));
        assert_eq!(read(1_000_000), Ok(()));
    }
}
