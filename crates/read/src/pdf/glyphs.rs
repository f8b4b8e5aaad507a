//! The glyphs of a PDF's pages, in the order in which the file draws them.
//!
//! This is the only module that uses the library `hayro-interpret`. It runs a page's drawing
//! operators and returns what they draw. Nothing is painted, and only the image of a scan is
//! decoded.

use std::collections::HashMap;

use hayro_interpret::font::{Glyph as Drawn, GlyphRun};
use hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect, Vec2};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageData, ImageDrawProps,
    InterpreterCache, InterpreterSettings, SoftMask, TransformExt, interpret_page,
};

use super::bookmarks::{self, Bookmark};
use super::budget::{Budget, Stop};

/// Glyph space: the units of an em.
const UNITS_PER_EM: f64 = 1000.0;

/// Copies of a glyph nearer than this, in ems, are one glyph: bold type is often drawn twice.
const COPY_DISTANCE: f32 = 0.12;

/// A character at its place. Coordinates are in points with `y` downwards, turned so that text
/// runs to the right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Glyph {
    pub c: char,
    /// The place where the glyph begins.
    pub x: f32,
    /// The baseline.
    pub y: f32,
    /// The distance to the next glyph.
    pub width: f32,
    /// Font size.
    pub size: f32,
    /// Direction of the text on the page, in degrees clockwise.
    pub angle: i16,
    pub is_bold: bool,
}

impl Glyph {
    /// Returns a space of no width at the place of a character. `along` is the direction of its
    /// text on the page, to which `turn` degrees are added.
    fn placed(origin: Point, along: Vec2, size: f64, turn: i16) -> Self {
        let angle = along.y.atan2(along.x).to_degrees().round() as i16 + turn;
        let angle = angle.rem_euclid(360);
        let place = Affine::rotate(-f64::from(angle).to_radians()) * origin;
        Self {
            c: ' ',
            x: place.x as f32,
            y: place.y as f32,
            width: 0.0,
            size: size as f32,
            angle,
            is_bold: false,
        }
    }
}

/// The glyphs and images that a page draws.
#[derive(Clone, Debug, Default)]
pub(super) struct PageGlyphs {
    pub glyphs: Vec<Glyph>,
    /// Glyphs of fonts that do not say which characters they are.
    pub n_unknown: usize,
    /// Share of the page that its largest image covers.
    pub image_share: f32,
    /// Height of the page in points.
    pub height: f32,
}

/// The reason why a file cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    /// The file needs a password.
    Password,
    /// The encryption is not known or is damaged.
    Encryption,
    /// The file is not a PDF, or is damaged beyond repair.
    Damaged,
}

/// An open file.
pub(super) struct File {
    pdf: Pdf,
}

impl File {
    /// Opens a file. Files that are encrypted without a password are read, as in any PDF reader.
    pub fn open(bytes: &[u8]) -> Result<Self, Closed> {
        match Pdf::new(bytes.to_vec()) {
            Ok(pdf) => Ok(Self { pdf }),
            Err(LoadPdfError::Decryption(DecryptionError::PasswordProtected)) => {
                Err(Closed::Password)
            }
            Err(LoadPdfError::Decryption(_)) => Err(Closed::Encryption),
            Err(LoadPdfError::Invalid) => Err(Closed::Damaged),
        }
    }

    /// Returns the number of pages.
    pub fn n_pages(&self) -> usize {
        self.pdf.pages().len()
    }

    /// Returns the title and author that the file declares.
    pub fn title_and_author(&self) -> (Option<String>, Option<String>) {
        let metadata = self.pdf.metadata();
        (metadata.title.as_deref().map(text_string), metadata.author.as_deref().map(text_string))
    }

    /// Returns the outline of the file.
    pub fn bookmarks(&self) -> Vec<Bookmark> {
        bookmarks::of(&self.pdf)
    }

    /// Returns a reader of the pages, which keeps the fonts that it has met.
    pub fn reader(&self) -> Reader<'_> {
        Reader { file: self, cache: InterpreterCache::new() }
    }
}

/// The reader of a file's pages.
pub(super) struct Reader<'a> {
    file: &'a File,
    cache: InterpreterCache<'a>,
}

impl<'a> Reader<'a> {
    /// Returns the glyphs of a page, from 0. A page that does not exist has none.
    ///
    /// # Errors
    /// The reason why it was read only in part or not at all, with the glyphs that were read.
    pub fn read(&self, at: usize, budget: &Budget) -> Result<PageGlyphs, (PageGlyphs, Stop)> {
        let Some(page) = self.file.pdf.pages().get(at) else { return Ok(PageGlyphs::default()) };
        let (width, height) = page.render_dimensions();
        let mut collector = Collector {
            page: PageGlyphs { height, ..PageGlyphs::default() },
            area: f64::from(width) * f64::from(height),
            bold: HashMap::new(),
            places: HashMap::new(),
        };
        match self.interpret(page, &mut collector, budget) {
            Ok(()) => Ok(collector.page),
            Err(stop) => Err((collector.page, stop)),
        }
    }

    /// Returns the largest image of a page, from 0. Returns `None` if the page has no image, or if
    /// the image has more than [`MAX_PIXELS`] or cannot be decoded.
    ///
    /// # Errors
    /// The reason why the page cannot be read.
    pub fn picture(&self, at: usize, budget: &Budget) -> Result<Option<Picture>, Stop> {
        let Some(page) = self.file.pdf.pages().get(at) else { return Ok(None) };
        let mut largest = Largest::default();
        self.interpret(page, &mut largest, budget)?;
        Ok(largest.picture)
    }

    /// Runs the operators of a page, and passes on what they draw.
    fn interpret(
        &self,
        page: &Page<'a>,
        taker: &mut impl Taker,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let (width, height) = page.render_dimensions();
        let mut context = Context::new(
            page.initial_transform(true).to_kurbo(),
            Rect::new(0.0, 0.0, f64::from(width), f64::from(height)),
            &self.cache,
            self.file.pdf.xref(),
            InterpreterSettings::default(),
        );
        budget.page(|| interpret_page(page, &mut context, &mut Counted { taker, budget }))
    }
}

/// An image of a page, decoded.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub width: u32,
    pub height: u32,
    /// Rows from the top, a byte for each of the channels of a pixel.
    pub data: Vec<u8>,
    /// Three for red, green and blue, or one for grey.
    pub channels: u8,
    /// The transformation from pixels to the page.
    to_page: Affine,
}

/// Number of pixels whose decoding counts as one drawing step.
const PIXELS_PER_STEP: u64 = 256;

/// Maximum number of pixels of an image that is decoded: a page of A3 at 600 dots an inch has 70
/// million.
pub(super) const MAX_PIXELS: u64 = 100_000_000;

impl Picture {
    fn of(image: &Image<'_, '_>, transform: Affine) -> Option<Self> {
        let mut picture = None;
        let mut keep = |width, height, data, channels, (x, y): (f32, f32)| {
            let to_page = transform * Affine::scale_non_uniform(f64::from(x), f64::from(y));
            picture = Some(Self { width, height, data, channels, to_page });
        };
        match image {
            Image::Raster(raster) => raster.with_rgba(
                |image, _| match image {
                    ImageData::Rgb(rgb) => {
                        keep(rgb.width, rgb.height, rgb.data, 3, rgb.scale_factors);
                    }
                    ImageData::Luma(grey) => {
                        keep(grey.width, grey.height, grey.data, 1, grey.scale_factors);
                    }
                },
                None,
            ),
            // A stencil marks the places with ink.
            Image::Stencil(stencil) => stencil.with_stencil(
                |ink, _| {
                    let data = ink.data.iter().map(|ink| 255 - ink).collect();
                    keep(ink.width, ink.height, data, 1, ink.scale_factors);
                },
                None,
            ),
        }
        picture
    }

    /// Returns the characters of a word that fills a width of pixels on a baseline. `size` is the
    /// size of the font.
    pub fn word(&self, text: &str, left: f64, width: f64, baseline: f64, size: f64) -> Vec<Glyph> {
        let [a, b, c, d, _, _] = self.to_page.as_coeffs();
        let (along, down) = (Vec2::new(a, b), Vec2::new(c, d));
        let n_chars = text.chars().count().max(1) as f64;
        let advance = width / n_chars;
        let glyph = |(n, c): (usize, char)| {
            let origin = self.to_page * Point::new(left + advance * n as f64, baseline);
            let place = Glyph::placed(origin, along, size * down.hypot(), 0);
            Glyph { c, width: (advance * along.hypot()) as f32, ..place }
        };
        text.chars().enumerate().map(glyph).collect()
    }
}

/// Returns a text string of a PDF: UTF-16 or UTF-8 after a byte order mark, otherwise nearly
/// Latin-1.
pub(super) fn text_string(bytes: &[u8]) -> String {
    match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding.decode(bytes).0.into_owned(),
        None => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
    }
}

/// A receiver of the things that a page draws. `to_page` transforms a thing's own coordinates to
/// the page's.
trait Taker {
    fn glyph(&mut self, _glyph: &Drawn<'_>, _to_page: Affine, _is_vertical: bool) {}

    fn image(&mut self, image: &Image<'_, '_>, to_page: Affine, budget: &Budget);
}

/// A device that counts everything that a page draws, and passes on its glyphs and images.
struct Counted<'t, T> {
    taker: &'t mut T,
    budget: &'t Budget,
}

impl<'a, T: Taker> Device<'a> for Counted<'_, T> {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        let is_vertical = matches!(run.writing_mode(), WritingMode::Vertical);
        for glyph in run.glyphs() {
            self.budget.spend(1);
            self.taker.glyph(glyph, props.transform * glyph.transform(), is_vertical);
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.budget.spend(1);
        self.taker.image(&image, props.transform, self.budget);
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {
        self.budget.spend(1);
    }

    fn push_clip_path(&mut self, _: &ClipPath) {
        self.budget.spend(1);
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.budget.spend(1);
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}

/// The collector of the glyphs that a page draws.
struct Collector {
    page: PageGlyphs,
    /// The area of the page, in square points.
    area: f64,
    /// Whether a font is bold, by its key.
    bold: HashMap<u128, bool>,
    /// The glyphs at each whole point, to find copies.
    places: HashMap<(i32, i32, char), Vec<u32>>,
}

impl Taker for Collector {
    fn glyph(&mut self, glyph: &Drawn<'_>, to_page: Affine, is_vertical: bool) {
        let [a, b, c, d, _, _] = to_page.as_coeffs();
        let (along, up) = (Vec2::new(a, b), Vec2::new(c, d));
        let size = up.hypot() * UNITS_PER_EM;
        if !(size > 0.1 && size < 10_000.0) || along.hypot() == 0.0 {
            return;
        }
        let advance = if is_vertical { size } else { advance(glyph) * along.hypot() };
        let turn = if is_vertical { 90 } else { 0 };
        let place = Glyph::placed(to_page * Point::ZERO, along, size, turn);
        let is_bold = self.is_bold(glyph);
        let Some(text) = glyph.as_unicode() else {
            self.page.n_unknown += 1;
            return;
        };
        let first = Glyph { width: advance as f32, is_bold, ..place };
        match text {
            BfString::Char(c) => self.push(Glyph { c, ..first }),
            BfString::String(text) => {
                let width = first.width / text.chars().count().max(1) as f32;
                for (n, c) in text.chars().enumerate() {
                    self.push(Glyph { c, x: first.x + width * n as f32, width, ..first });
                }
            }
        }
    }

    fn image(&mut self, image: &Image<'_, '_>, to_page: Affine, _: &Budget) {
        let share = (area(image, to_page) / self.area) as f32;
        self.page.image_share = self.page.image_share.max(share);
    }
}

impl Collector {
    fn push(&mut self, glyph: Glyph) {
        if !(glyph.x.is_finite() && glyph.y.is_finite() && glyph.width.is_finite()) {
            return;
        }
        let cell = (glyph.x as i32, glyph.y as i32);
        for dx in -1..=1 {
            for dy in -1..=1 {
                let near = self.places.get(&(cell.0 + dx, cell.1 + dy, glyph.c));
                for &at in near.into_iter().flatten() {
                    let known = &self.page.glyphs[at as usize];
                    let distance = (known.x - glyph.x).abs().max((known.y - glyph.y).abs());
                    if known.angle == glyph.angle && distance < COPY_DISTANCE * glyph.size {
                        return;
                    }
                }
            }
        }
        let at = self.page.glyphs.len() as u32;
        self.places.entry((cell.0, cell.1, glyph.c)).or_default().push(at);
        self.page.glyphs.push(glyph);
    }

    fn is_bold(&mut self, glyph: &Drawn<'_>) -> bool {
        let Drawn::Outline(glyph) = glyph else { return false };
        let Some(font) = glyph.font_data() else { return false };
        *self.bold.entry(font.cache_key).or_insert_with(|| {
            let name = font.postscript_name.as_deref().unwrap_or_default().to_ascii_lowercase();
            font.weight.is_some_and(|weight| weight >= 600) || name.contains("bold")
        })
    }
}

/// Returns the advance of a glyph in glyph space.
fn advance(glyph: &Drawn<'_>) -> f64 {
    let advance = match glyph {
        Drawn::Outline(glyph) => glyph.advance_width(),
        Drawn::Type3(glyph) => glyph.advance_width(),
    };
    // Half an em is the mean width of Latin letters.
    f64::from(advance.unwrap_or(500.0))
}

/// The largest image that a page draws.
#[derive(Default)]
struct Largest {
    picture: Option<Picture>,
    /// The area of the largest image, in square points.
    area: f64,
}

impl Taker for Largest {
    fn image(&mut self, image: &Image<'_, '_>, to_page: Affine, budget: &Budget) {
        let area = area(image, to_page);
        if area <= self.area {
            return;
        }
        self.area = area;
        let n_pixels = u64::from(image.width()) * u64::from(image.height());
        self.picture = (n_pixels <= MAX_PIXELS)
            .then(|| {
                budget.spend(n_pixels / PIXELS_PER_STEP);
                Picture::of(image, to_page)
            })
            .flatten();
    }
}

/// Returns the area that an image covers, in square points.
fn area(image: &Image<'_, '_>, transform: Affine) -> f64 {
    (transform.determinant() * f64::from(image.width()) * f64::from(image.height())).abs()
}
