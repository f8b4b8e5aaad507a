//! An opened bundle: its manifest, and the shards that have arrived so far.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use findling_bundle::{
    Addresses, Attribute, CellShard, Centroids, Column, EntryFile, Graph, Manifest, PageId,
    PositionsDirectory, PositionsShard, SentencesShard, ShardEntry, ShardId, ShardKind,
    SpellingShard, Stats, Structure, TermsShard, TextsShard, VectorsShard, decode_manifest,
    decode_shard_of, opening, order,
};

use findling_bundle::cells::Members;
use findling_bundle::projection::Projection;
use findling_bundle::rows::RowsShard;
use findling_bundle::texts::PageText;

use crate::api::{Error, RankParams, SharedScores, Statistics};
use crate::scratch::Scratch;

/// An opened bundle, with the shards that were fetched so far.
///
/// Shards are kept decoded until [`Index::shrink`] drops them. Memory is taken by the shards
/// ([`Index::resident_bytes`]) and by buffers that searches reuse: one set of accumulators, about
/// 16 bytes a passage, and the terms of common words, a quarter of a megabyte a language.
pub struct Index {
    manifest: Manifest,
    shards: Vec<Option<Kept>>,
    /// Shards, in the order of their directory.
    positions: Vec<Option<Kept>>,
    /// The number of searches begun; it records when each shard was last used.
    clock: AtomicU32,
    rank_params: RankParams,
    streamed: bool,
    /// The statistics that are shared by bundles that are searched as one.
    shared: Statistics,
    /// The accumulators. A search takes them while it ranks; a search that runs meanwhile makes its
    /// own.
    scratch: Mutex<Option<Box<Scratch>>>,
}

/// A shard, and when it was used last.
struct Kept {
    shard: Shard,
    used: AtomicU32,
}

enum Shard {
    Structure(Structure),
    Terms(TermsShard),
    Positions(PositionsShard),
    PositionsDirectory(PositionsDirectory),
    Spelling(SpellingShard),
    Addresses(Addresses),
    Sentences(SentencesShard),
    Vectors(VectorsShard),
    Graph(Graph),
    Column(Column),
    Texts(TextsShard),
    Projection(Projection),
    Rows(RowsShard),
    Centroids(Centroids),
    Cell(CellShard),
    /// Counts that are kept undecoded until the structure is in memory; it then takes them, and
    /// this is empty.
    VectorCounts(Vec<u8>),
}

impl Index {
    /// Opens a bundle by the bytes of its entry file, `findling.idx`. `fetch` returns the file with
    /// the manifest, given its path in the bundle.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open), with the file's path; also if the bytes are not an entry
    /// file.
    pub fn open_entry(entry: &[u8], fetch: impl FnOnce(&str) -> Vec<u8>) -> Result<Self, Error> {
        let entry = EntryFile::from_bytes(entry)?;
        let path = entry.opening_path();
        let file = fetch(&path);
        let of_file = |error| Error::Bundle { message: format!("{path}: {error}") };
        Self::open(opening::read(&entry.entry, &file).map_err(of_file)?.stored_manifest)
    }

    /// Opens a bundle by the bytes of its manifest.
    ///
    /// # Errors
    /// [`Error::Bundle`] if the bytes are not a manifest that this version reads,
    /// [`Error::Analysis`] if the bundle was indexed under other text rules.
    pub fn open(manifest: &[u8]) -> Result<Self, Error> {
        let manifest =
            decode_manifest(manifest).map_err(|error| not_a_manifest(manifest, error))?;
        let expected = findling_text::conformance(&manifest.languages);
        if manifest.analysis != expected {
            return Err(Error::Analysis { found: manifest.analysis, expected });
        }
        let shards = manifest.shards.iter().map(|_| None).collect();
        let rank_params = RankParams::of(&manifest.ranking);
        Ok(Self {
            manifest,
            shards,
            positions: Vec::new(),
            clock: AtomicU32::new(0),
            rank_params,
            streamed: false,
            shared: Statistics::default(),
            scratch: Mutex::new(None),
        })
    }

    /// Returns the bundle's manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the parameters of ranking.
    pub fn rank_params(&self) -> &RankParams {
        &self.rank_params
    }

    /// Replaces the parameters of ranking, for tuning.
    pub fn set_rank_params(&mut self, params: RankParams) {
        self.rank_params = params;
    }

    /// Makes searches use these statistics for scores from now on.
    pub fn set_statistics(&mut self, shared: Statistics) {
        self.shared = shared;
    }

    /// Swaps the statistics that searches use for scores, for hosts that alternate between searches
    /// of one bundle and of several.
    pub fn swap_statistics(&mut self, shared: &mut Statistics) {
        std::mem::swap(&mut self.shared, shared);
    }

    /// Returns the statistics of all bundles, if several are searched as one.
    #[inline]
    pub(crate) fn shared(&self) -> Option<&dyn SharedScores> {
        self.shared.get()
    }

    /// Returns the statistics that scores of words use.
    pub(crate) fn scoring_stats(&self) -> &Stats {
        match self.shared() {
            Some(shared) => shared.stats(),
            None => &self.manifest.stats,
        }
    }

    /// Sets whether searches read only the cells nearest to the query instead of all vectors, if
    /// the bundle has cells. Such searches fetch little of a large bundle and find almost the same.
    pub fn set_streamed(&mut self, streamed: bool) {
        self.streamed = streamed;
    }

    /// Returns whether searches read cells: [`Index::set_streamed`] was called, and the bundle has
    /// cells.
    pub fn is_streamed(&self) -> bool {
        self.streams().is_some()
    }

    /// Returns whether searches skip the second tier of postings if they need not count every
    /// match.
    pub(crate) fn saves_second_tier(&self) -> bool {
        self.streamed
    }

    /// Returns the centroids' shard, if vectors are streamed.
    pub(crate) fn streams(&self) -> Option<ShardId> {
        self.manifest.dense.as_ref()?.centroids.filter(|_| self.streamed)
    }

    /// Returns a shard's line in its directory. There are three directories: the manifest, the
    /// centroids (cells are numbered from the manifest's last shard on), and positions. The last
    /// two are known once their shards are in memory.
    pub fn entry(&self, shard: ShardId) -> Option<&ShardEntry> {
        if shard.place_of_positions().is_some() {
            return self.positions_directory()?.shard(shard);
        }
        if let Some(entry) = self.manifest.shard(shard) {
            return Some(entry);
        }
        let cell = shard.index().checked_sub(self.manifest.shards.len())?;
        self.centroids()?.cells().get(cell).map(|cell| &cell.shard)
    }

    /// Returns the path of a shard relative to the bundle, with `/`, if [`Index::entry`] knows the
    /// shard.
    pub fn path(&self, shard: ShardId) -> Option<String> {
        Some(self.manifest.path(shard, self.entry(shard)?))
    }

    /// Returns whether [`Index::entry`] already knows every shard that a search without phrases can
    /// ask for. Without streaming, these are the manifest's shards.
    pub fn knows_all_shards(&self) -> bool {
        !self.is_streamed() || self.centroids().is_some()
    }

    /// Returns the shard of a cell.
    pub(crate) fn cell_shard(&self, cell: u32) -> ShardId {
        ShardId(self.manifest.shards.len() as u32 + cell)
    }

    /// Counts a search that begins. The count records when each shard was last used.
    pub(crate) fn count_search(&self) {
        self.clock.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns an attribute by name.
    ///
    /// # Errors
    /// [`Error::UnknownAttribute`], which names the attributes that the bundle has.
    pub(crate) fn attribute(&self, name: &str) -> Result<&Attribute, Error> {
        self.manifest.attribute(name).ok_or_else(|| Error::UnknownAttribute {
            name: name.into(),
            known: self.manifest.attributes.iter().map(|other| other.name.clone()).collect(),
        })
    }

    /// Returns the shards of a list that are not here: each once, in ascending order.
    pub(crate) fn missing(&self, shards: &[ShardId]) -> Vec<ShardId> {
        let mut missing: Vec<_> =
            shards.iter().copied().filter(|&shard| !self.has(shard)).collect();
        order::sort(&mut missing);
        missing.dedup();
        missing
    }

    /// Takes the bytes of a shard's file: verifies, decodes and keeps them. Giving a shard again
    /// changes nothing.
    ///
    /// # Errors
    /// [`Error::Bundle`] if the bytes are not the ones that the manifest lists, or break the
    /// format, [`Error::NoSuchShard`], [`Error::Inconsistent`] if nothing in the manifest refers to
    /// the shard.
    pub fn provide(&mut self, shard: ShardId, stored: &[u8]) -> Result<(), Error> {
        let Some(&entry) = self.entry(shard) else {
            return Err(Error::NoSuchShard { shard: shard.0, n_shards: self.shards.len() as u32 });
        };
        if self.has(shard) {
            return Ok(());
        }
        let stats = &self.manifest.stats;
        let raw = decode_shard_of(stats, &entry, stored)?;
        let unused = || Error::inconsistent(format!("shard {} belongs to nothing", shard.0));
        let decoded = match entry.kind {
            ShardKind::Structure => Shard::Structure(Structure::from_bytes(&raw, stats)?),
            ShardKind::Terms | ShardKind::SecondTier => {
                Shard::Terms(TermsShard::from_bytes(raw, stats)?)
            }
            ShardKind::Vectors => {
                let dense = self.manifest.dense.as_ref().ok_or_else(unused)?;
                Shard::Vectors(VectorsShard::from_bytes(raw, dense.encoder.dim)?)
            }
            ShardKind::Column => {
                let mut attributes = self.manifest.attributes.iter();
                let attribute =
                    attributes.find(|attribute| attribute.column == shard).ok_or_else(unused)?;
                Shard::Column(attribute.column(&raw, stats)?)
            }
            ShardKind::Texts => Shard::Texts(TextsShard::from_bytes(raw)?),
            ShardKind::Rows => {
                let dense = self.manifest.dense.as_ref().ok_or_else(unused)?;
                let rows = dense.rows.as_ref().ok_or_else(unused)?;
                Shard::Rows(RowsShard::from_bytes(&raw, dense.encoder.dim, rows.bits)?)
            }
            ShardKind::Centroids => {
                let dense = self.manifest.dense.as_ref().ok_or_else(unused)?;
                if dense.centroids != Some(shard) {
                    return Err(unused());
                }
                Shard::Centroids(Centroids::from_bytes(&raw, dense.encoder.dim, stats)?)
            }
            ShardKind::Cell | ShardKind::SectionVectors => {
                let centroids = self.centroids().ok_or_else(unused)?;
                let members = match shard.index().checked_sub(self.manifest.shards.len()) {
                    Some(cell) => centroids.members(cell as u32).ok_or_else(unused)?,
                    None => Members::Unknown,
                };
                Shard::Cell(CellShard::from_bytes(&raw, centroids.coder(), members, stats)?)
            }
            kind => self.rare(kind, raw)?,
        };
        if let Shard::Centroids(centroids) = &decoded {
            let n_shards = self.manifest.shards.len() + centroids.cells().len();
            self.shards.resize_with(n_shards, || None);
        }
        let used = AtomicU32::new(self.clock.load(Ordering::Relaxed));
        if let Some(place) = self.place_mut(shard) {
            *place = Some(Kept { shard: decoded, used });
        }
        match (entry.kind, self.manifest.vector_counts()) {
            (ShardKind::Structure | ShardKind::VectorCounts, Some(counts)) if self.has(counts) => {
                self.count_vectors(counts)
            }
            _ => Ok(()),
        }
    }

    /// Tells the structure how many vectors each section has, once both are in memory.
    #[doc(alias = "deferred")]
    #[inline(never)]
    fn count_vectors(&mut self, counts: ShardId) -> Result<(), Error> {
        let stats = self.manifest.stats;
        let Some(structure) = self.manifest.structure().filter(|&structure| self.has(structure))
        else {
            return Ok(());
        };
        let raw = match self.place_mut(counts) {
            Some(Some(Kept { shard: Shard::VectorCounts(raw), .. })) => std::mem::take(raw),
            _ => return Ok(()),
        };
        match self.place_mut(structure) {
            Some(Some(Kept { shard: Shard::Structure(structure), .. }))
                if structure.n_vectors() == 0 =>
            {
                Ok(structure.set_vector_counts(&raw, &stats)?)
            }
            _ => Ok(()),
        }
    }

    /// Decodes a shard of a kind that few searches need ([`ShardKind::is_rare`]).
    #[doc(alias = "deferred")]
    #[inline(never)]
    fn rare(&mut self, kind: ShardKind, raw: Vec<u8>) -> Result<Shard, Error> {
        debug_assert!(kind.is_rare(), "hosts do not load this function for {kind:?}");
        let stats = &self.manifest.stats;
        Ok(match kind {
            ShardKind::Positions => Shard::Positions(PositionsShard::from_bytes(raw)?),
            ShardKind::PositionsDirectory => {
                let n_ranges = self.manifest.lexicon.len();
                let directory = PositionsDirectory::from_bytes(&raw, stats.n_pages, n_ranges)?;
                self.positions.resize_with(directory.n_places(), || None);
                Shard::PositionsDirectory(directory)
            }
            ShardKind::Spelling => Shard::Spelling(SpellingShard::from_bytes(raw)?),
            ShardKind::Addresses => Shard::Addresses(Addresses::from_bytes(&raw, stats)?),
            ShardKind::Sentences => Shard::Sentences(SentencesShard::from_bytes(&raw)?),
            ShardKind::Graph => Shard::Graph(Graph::from_bytes(&raw, stats)?),
            ShardKind::Projection => Shard::Projection(Projection::from_bytes(&raw)?),
            ShardKind::VectorCounts => Shard::VectorCounts(raw),
            _ => return Err(Error::inconsistent("a shard belongs to nothing")),
        })
    }

    /// Returns whether a search goes on without this shard. Hosts need not fail if they cannot
    /// fetch it.
    pub fn is_optional(&self, shard: ShardId) -> bool {
        self.entry(shard).is_some_and(|entry| entry.kind == ShardKind::Sentences)
    }

    /// Returns whether a shard is in memory.
    pub fn has(&self, shard: ShardId) -> bool {
        self.get(shard).is_some()
    }

    /// Returns the bytes of memory that the shards kept and the accumulators take.
    pub fn resident_bytes(&self) -> usize {
        let kept = self.shards.iter().chain(&self.positions).flatten();
        let shards: usize = kept.map(|kept| kept.shard.resident_bytes()).sum();
        let scratch = match self.scratch.try_lock() {
            Ok(scratch) => scratch.as_ref().map_or(0, |scratch| scratch.resident_bytes()),
            Err(_) => 0,
        };
        shards + scratch
    }

    /// Drops shards until [`Index::resident_bytes`] is at most `limit`, the least recently used
    /// first. Shards that every search needs stay. A running search requests dropped shards again.
    pub fn shrink(&mut self, limit: usize) {
        let mut excess = self.resident_bytes().saturating_sub(limit);
        if excess == 0 {
            return;
        }
        let stays = |shard: &Shard| {
            matches!(
                shard,
                Shard::Structure(_) | Shard::Centroids(_) | Shard::PositionsDirectory(_)
            )
        };
        let mut order: Vec<(u32, u32)> = (0..)
            .zip(&self.shards)
            .chain((ShardId::POSITIONS..).zip(&self.positions))
            .filter_map(|(id, kept)| Some((kept.as_ref().filter(|kept| !stays(&kept.shard))?, id)))
            .map(|(kept, id)| (kept.used.load(Ordering::Relaxed), id))
            .collect();
        order::sort(&mut order);
        for (_, id) in order {
            if excess == 0 {
                break;
            }
            let gone = self.place_mut(ShardId(id)).and_then(Option::take);
            excess = excess.saturating_sub(gone.map_or(0, |kept| kept.shard.resident_bytes()));
        }
    }

    /// Returns the slot that keeps a shard.
    fn place_mut(&mut self, shard: ShardId) -> Option<&mut Option<Kept>> {
        match shard.place_of_positions() {
            Some(place) => self.positions.get_mut(place),
            None => self.shards.get_mut(shard.index()),
        }
    }

    fn get(&self, shard: ShardId) -> Option<&Shard> {
        let kept = match shard.place_of_positions() {
            Some(place) => self.positions.get(place)?.as_ref()?,
            None => self.shards.get(shard.index())?.as_ref()?,
        };
        kept.used.store(self.clock.load(Ordering::Relaxed), Ordering::Relaxed);
        Some(&kept.shard)
    }

    pub(crate) fn structure(&self) -> Option<&Structure> {
        match self.get(self.manifest.structure()?)? {
            Shard::Structure(structure) => Some(structure),
            _ => None,
        }
    }

    pub(crate) fn terms(&self, shard: ShardId) -> Option<&TermsShard> {
        match self.get(shard)? {
            Shard::Terms(terms) => Some(terms),
            _ => None,
        }
    }

    pub(crate) fn positions(&self, shard: ShardId) -> Option<&PositionsShard> {
        match self.get(shard)? {
            Shard::Positions(positions) => Some(positions),
            _ => None,
        }
    }

    /// Returns the directory of positions, once its shard is in memory.
    pub fn positions_directory(&self) -> Option<&PositionsDirectory> {
        match self.get(self.manifest.positions()?)? {
            Shard::PositionsDirectory(directory) => Some(directory),
            _ => None,
        }
    }

    pub(crate) fn spelling(&self, shard: ShardId) -> Option<&SpellingShard> {
        match self.get(shard)? {
            Shard::Spelling(words) => Some(words),
            _ => None,
        }
    }

    pub(crate) fn addresses(&self) -> Option<&Addresses> {
        match self.get(self.manifest.addresses()?)? {
            Shard::Addresses(addresses) => Some(addresses),
            _ => None,
        }
    }

    pub(crate) fn vectors(&self, shard: ShardId) -> Option<&VectorsShard> {
        match self.get(shard)? {
            Shard::Vectors(vectors) => Some(vectors),
            _ => None,
        }
    }

    pub(crate) fn graph(&self) -> Option<&Graph> {
        match self.get(self.manifest.dense.as_ref()?.graph?)? {
            Shard::Graph(graph) => Some(graph),
            _ => None,
        }
    }

    pub(crate) fn column(&self, shard: ShardId) -> Option<&Column> {
        match self.get(shard)? {
            Shard::Column(column) => Some(column),
            _ => None,
        }
    }

    pub(crate) fn texts(&self, shard: ShardId) -> Option<&TextsShard> {
        match self.get(shard)? {
            Shard::Texts(texts) => Some(texts),
            _ => None,
        }
    }

    pub(crate) fn sentences(&self, shard: ShardId) -> Option<&SentencesShard> {
        match self.get(shard)? {
            Shard::Sentences(sentences) => Some(sentences),
            _ => None,
        }
    }

    pub(crate) fn projection(&self) -> Option<&Projection> {
        match self.get(self.manifest.dense.as_ref()?.projection?)? {
            Shard::Projection(projection) => Some(projection),
            _ => None,
        }
    }

    pub(crate) fn rows(&self, shard: ShardId) -> Option<&RowsShard> {
        match self.get(shard)? {
            Shard::Rows(rows) => Some(rows),
            _ => None,
        }
    }

    pub(crate) fn centroids(&self) -> Option<&Centroids> {
        match self.get(self.manifest.dense.as_ref()?.centroids?)? {
            Shard::Centroids(centroids) => Some(centroids),
            _ => None,
        }
    }

    /// Returns the vectors of a cell, or of a range of sections.
    pub(crate) fn cell(&self, shard: ShardId) -> Option<&CellShard> {
        match self.get(shard)? {
            Shard::Cell(cell) => Some(cell),
            _ => None,
        }
    }

    /// Returns the texts of a page: the part that contains the section with a given index. The
    /// shard must be in memory.
    pub(crate) fn page_text(&self, page: PageId, section: u32) -> Result<PageText<'_>, Error> {
        let place = self.manifest.text_of(page, section);
        let (shard, place) =
            place.ok_or_else(|| Error::inconsistent(format!("page {} has no texts", page.0)))?;
        let texts = self
            .texts(shard)
            .ok_or_else(|| Error::inconsistent(format!("shard {} holds no texts", shard.0)))?;
        Ok(texts.page(place)?)
    }

    /// Returns all parts of a page's texts, in order, or the shards that are missing for them.
    pub(crate) fn page_texts(
        &self,
        page: PageId,
    ) -> Result<Result<Vec<PageText<'_>>, Vec<ShardId>>, Error> {
        let missing: Vec<ShardId> = self
            .manifest
            .texts_of(page)
            .map(|(shard, _)| shard)
            .filter(|&shard| !self.has(shard))
            .collect();
        if !missing.is_empty() {
            return Ok(Err(missing));
        }
        let parts = self
            .manifest
            .texts_of(page)
            .filter_map(|(shard, place)| Some((self.texts(shard)?, place)));
        Ok(Ok(parts.map(|(texts, place)| texts.page(place)).collect::<Result<_, _>>()?))
    }

    /// Lends the accumulators, with room for the bundle's counts.
    pub(crate) fn with_scratch<T>(&self, use_it: impl FnOnce(&mut Scratch) -> T) -> T {
        let taken = self.scratch.try_lock().ok().and_then(|mut scratch| scratch.take());
        let mut scratch = taken.unwrap_or_default();
        scratch.fit(&self.manifest.stats);
        let result = use_it(&mut scratch);
        if let Ok(mut place) = self.scratch.try_lock() {
            *place = Some(scratch);
        }
        result
    }
}

impl Shard {
    fn resident_bytes(&self) -> usize {
        match self {
            Self::Structure(structure) => structure.resident_bytes(),
            Self::Terms(terms) => terms.resident_bytes(),
            Self::Positions(positions) => positions.resident_bytes(),
            Self::PositionsDirectory(directory) => directory.resident_bytes(),
            Self::Spelling(words) => words.resident_bytes(),
            Self::Addresses(addresses) => addresses.resident_bytes(),
            Self::Sentences(sentences) => sentences.resident_bytes(),
            Self::Vectors(vectors) => vectors.resident_bytes(),
            Self::Graph(graph) => graph.resident_bytes(),
            Self::Column(column) => column.resident_bytes(),
            Self::Texts(texts) => texts.resident_bytes(),
            Self::Projection(projection) => {
                2 * projection.from_dim() as usize * projection.to_dim() as usize
            }
            Self::Rows(rows) => rows.resident_bytes(),
            Self::Centroids(centroids) => centroids.resident_bytes(),
            Self::Cell(cell) => cell.resident_bytes(),
            Self::VectorCounts(raw) => raw.len(),
        }
    }
}

/// Returns the error for bytes that are not a manifest. The usual mistake is to pass the entry
/// file.
#[cold]
fn not_a_manifest(bytes: &[u8], error: findling_bundle::Error) -> Error {
    match EntryFile::from_bytes(bytes) {
        Ok(entry) => Error::Bundle {
            message: format!(
                "expected a manifest, found the entry file findling.idx: open it by \
                 `Index::open_entry`, or read {}",
                entry.opening_path()
            ),
        },
        Err(_) => error.into(),
    }
}
