//! A cell's shard: the vectors around one centroid.

use super::WHAT;
use super::coder::{Coder, Count, Models, put_coded, take_below, take_coded, within};
use super::prediction::{PARTS, expected_of, less, like, likest, read_back};
use crate::codec::{Reader, put_varint};
use crate::range_coder::{Decoder, Encoder};
use crate::vectors::quantise;
use crate::{Error, PageId, SectionId, Stats, Structure, VectorId};

/// The place of a vector in the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VectorPlace {
    /// The page.
    pub page: PageId,
    /// The section's place in the page.
    pub section: u32,
    /// The beginning of the vector's part of the section, in 256ths. The vectors of a section
    /// represent parts of about the same length.
    pub part: u8,
}

impl VectorPlace {
    const FIRST: Self = Self { page: PageId(0), section: 0, part: 0 };

    /// Returns the place of vector number `place` of the `n` of a section.
    pub fn new(page: PageId, section: u32, place: u32, n: u32) -> Self {
        Self { page, section, part: part_of(place, n) }
    }
}

/// Returns the position in its section at which vector number `place` of `n` begins, in 256ths.
pub fn part_of(place: u32, n: u32) -> u8 {
    (u64::from(place) * 256 / u64::from(n.max(1))).min(255) as u8
}

/// The information that the centroids have on a cell's vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    /// The number of vectors. The cell itself lists their places.
    Counted(u32),
    /// The ids of the vectors, ascending.
    Told(Vec<u32>),
    /// No ids: the shard has the vectors of a range of sections and lists their places itself.
    Unknown,
}

/// Writes a cell's shard. `vectors` are in the order of their ids, of `dim` numbers each. `places`
/// are their places, ascending; `None` if the centroids list the cell of each vector.
///
/// # Errors
/// If places do not ascend, or are not as many as the vectors.
pub fn write_cell(
    coder: &Coder,
    centroid: &[f32],
    places: Option<&[VectorPlace]>,
    vectors: &[&[f32]],
) -> Result<Vec<u8>, Error> {
    if let Some(places) = places.filter(|places| places.len() != vectors.len()) {
        let (expected, got) = (places.len() as u64, vectors.len() as u64);
        return Err(Error::Length { what: "vectors of a cell", expected, got });
    }
    let mut out = Vec::new();
    put_varint(&mut out, vectors.len() as u32);
    let (mut encoder, mut models) = (Encoder::new(), Models::new());
    coder.put_fine(&mut encoder, &mut models, centroid);
    let mut before = VectorPlace::FIRST;
    for &place in places.unwrap_or_default() {
        if place < before {
            return Err(Error::malformed(WHAT, "the places of vectors do not ascend"));
        }
        let pages = place.page.0 - before.page.0;
        let sections = if pages == 0 { place.section - before.section } else { place.section };
        encoder.number(models.count(Count::Pages), pages);
        encoder.number(models.count(sections_model(pages)), sections);
        encoder.number(models.count(Count::Part), place.part.into());
        before = place;
    }
    // Vectors are stored as differences from the centroid as a reader decodes it.
    let centroid = coder.steps.as_stored(centroid);
    let (mut read, mut others) = (Vec::<(Vec<i8>, f32)>::new(), Vec::new());
    for vector in vectors {
        let (back, part) = likest(&coder.steps.counted(&less(vector, &centroid)), &others);
        let like = read
            .len()
            .checked_sub(back)
            .and_then(|at| read.get(at))
            .map(|(row, scale)| (&row[..], *scale));
        let expected = expected_of(&centroid, like, part as f32 / PARTS as f32);
        let rest = less(vector, &expected);
        let below = coder.below(coder.steps.square(&rest));
        encoder.number(models.count(Count::Back), back as u32);
        if back > 0 {
            encoder.number(models.count(Count::Share), part - 1);
        }
        encoder.number(models.count(Count::Below), below.into());
        coder.put(below, &mut encoder, &mut models, &rest);
        let (row, scale) = read_back(&expected, &rest, &coder.steps);
        let whole: Vec<f32> = row.iter().map(|&value| f32::from(value) * scale).collect();
        others.push(coder.steps.counted(&less(&whole, &centroid)));
        read.push((row, scale));
    }
    put_coded(&mut out, encoder, vectors.len() * coder.dim());
    Ok(out)
}

/// The vectors of a cell, in eight bits.
#[derive(Clone, Debug, PartialEq)]
pub struct CellShard {
    dim: usize,
    names: Names,
    rows: Vec<i8>,
    scales: Vec<f32>,
}

/// The ids or places of a cell's vectors, ascending.
#[derive(Clone, Debug, PartialEq)]
enum Names {
    Ids(Vec<u32>),
    Places(Vec<VectorPlace>),
}

/// A vector of a cell with its section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellVector<'a> {
    /// The section.
    pub section: SectionId,
    /// The beginning of its part of the section ([`VectorPlace::part`]).
    pub part: u8,
    /// The numbers in eight bits.
    pub row: &'a [i8],
    /// The scale.
    pub scale: f32,
}

impl CellShard {
    /// Reads and checks the output of [`write_cell`].
    ///
    /// # Errors
    /// If the bytes break the format, the number of vectors is not the one in `members`, or a
    /// place is outside the bundle.
    pub fn from_bytes(
        raw: &[u8],
        coder: &Coder,
        members: Members,
        stats: &Stats,
    ) -> Result<Self, Error> {
        let mut reader = Reader::new(raw, WHAT);
        let dim = coder.dim();
        let n = reader.varint()? as usize;
        let expected = match &members {
            Members::Counted(n_vectors) => u64::from(*n_vectors),
            Members::Told(ids) => ids.len() as u64,
            Members::Unknown => n as u64,
        };
        if n as u64 != expected {
            return Err(Error::Length { what: "vectors of a cell", expected, got: n as u64 });
        }
        let decoder = &mut take_coded(&mut reader, n, dim)?;
        let models = &mut Models::new();
        let centroid = coder.fine(decoder, models)?;
        let names = match members {
            Members::Told(ids) => Names::Ids(ids),
            _ => Names::Places(read_places(decoder, models, n, stats)?),
        };
        let (mut rows, mut scales) = (Vec::with_capacity(n * dim), Vec::with_capacity(n));
        for place in 0..n {
            let like = like(decoder, models, place, &rows, &scales, dim)?;
            let part = if like.is_some() {
                decoder.number(models.count(Count::Share))?.min(PARTS - 1) + 1
            } else {
                0
            };
            let below = take_below(decoder, models)?;
            let mut vector = expected_of(&centroid, like, part as f32 / PARTS as f32);
            coder.add(below, decoder, models, &mut vector)?;
            let (row, scale) = quantise(&vector);
            rows.extend_from_slice(&row);
            scales.push(scale);
        }
        Ok(Self { dim, names, rows, scales })
    }

    /// Returns the centroid around which a cell was written, in fine steps: more exact than
    /// [`Centroids::directions`](super::Centroids::directions).
    ///
    /// # Errors
    /// The errors of [`from_bytes`](Self::from_bytes).
    pub fn centroid(raw: &[u8], coder: &Coder) -> Result<Vec<f32>, Error> {
        let mut reader = Reader::new(raw, WHAT);
        let n = reader.varint()? as usize;
        coder.fine(&mut take_coded(&mut reader, n, coder.dim())?, &mut Models::new())
    }

    /// Returns the number of vectors.
    pub fn n_vectors(&self) -> usize {
        self.scales.len()
    }

    /// Returns the numbers of each vector in eight bits, and their scale.
    pub fn rows(&self) -> impl Iterator<Item = (&[i8], f32)> {
        self.rows.chunks_exact(self.dim).zip(self.scales.iter().copied())
    }

    /// Returns the vectors in the order of their sections. `structure` must be of the same bundle;
    /// vectors of sections that it does not have are left out.
    pub fn vectors<'a>(&'a self, structure: &'a Structure) -> impl Iterator<Item = CellVector<'a>> {
        self.rows().enumerate().filter_map(|(at, (row, scale))| {
            let (section, part) = self.place(at, structure)?;
            Some(CellVector { section, part, row, scale })
        })
    }

    /// Returns the section and the part of the vector at index `at`.
    fn place(&self, at: usize, structure: &Structure) -> Option<(SectionId, u8)> {
        match &self.names {
            Names::Places(places) => {
                let place = places.get(at)?;
                Some((structure.section_at(place.page, place.section)?, place.part))
            }
            Names::Ids(ids) => {
                let id = *ids.get(at)?;
                let section = structure.section_of_vector(VectorId(id));
                let own = structure.vectors(section);
                Some((section, part_of(id.saturating_sub(own.start), own.len() as u32)))
            }
        }
    }

    /// Returns the ids of the vectors, ascending; empty if the centroids do not list the cell of
    /// each vector.
    pub fn ids(&self) -> &[u32] {
        match &self.names {
            Names::Ids(ids) => ids,
            Names::Places(_) => &[],
        }
    }

    /// Returns the places of the vectors, ascending; empty if the centroids list the cell of each
    /// vector.
    pub fn places(&self) -> &[VectorPlace] {
        match &self.names {
            Names::Ids(_) => &[],
            Names::Places(places) => places,
        }
    }

    /// Returns the bytes of memory held.
    pub fn resident_bytes(&self) -> usize {
        self.rows.len() + 4 * (self.scales.len() + self.ids().len() + 3 * self.places().len())
    }
}

/// Returns the model of a section's number, given the distance in pages.
fn sections_model(pages: u32) -> Count {
    if pages == 0 { Count::SectionsOn } else { Count::Section }
}

/// Reads the places of `n` vectors.
fn read_places(
    decoder: &mut Decoder<'_>,
    models: &mut Models,
    n: usize,
    stats: &Stats,
) -> Result<Vec<VectorPlace>, Error> {
    let mut places = Vec::with_capacity(n);
    let mut last = VectorPlace::FIRST;
    for _ in 0..n {
        let pages = decoder.number(models.count(Count::Pages))?;
        let sections = decoder.number(models.count(sections_model(pages)))?;
        let part = decoder.number(models.count(Count::Part))?;
        within(decoder)?;
        let from = if pages == 0 { last.section } else { 0 };
        let (page, section) = (last.page.0.saturating_add(pages), from.saturating_add(sections));
        // The number of the page's sections is in the structure, which may not be in memory yet.
        if page >= stats.n_pages || section >= stats.n_sections {
            return Err(Error::malformed(WHAT, "a vector is of a page or section beyond the last"));
        }
        last = VectorPlace { page: PageId(page), section, part: part.min(255) as u8 };
        places.push(last);
    }
    Ok(places)
}
