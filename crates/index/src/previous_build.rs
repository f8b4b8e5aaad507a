//! Parts of the previous build that a rebuild reuses, so that an edit changes few files: the
//! centroids of the cells, and the rows fitted to the site. If these were learned again, all of
//! them would differ a little, and readers would fetch everything again. The order of pages is also
//! kept ([`page_order`](super::page_order)).
//!
//! Centroids and rows are taken from the bundle in the output directory, if the documents' encoder
//! is the same. [`cells`](super::cells) and [`fit`](super::fit) measure whether they are still good
//! enough.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Result;
use findling_bundle::projection::Projection;
use findling_bundle::rows::RowsShard;
use findling_bundle::{Addresses, CellShard, Dense, EncoderCard, ShardId, decode_shard};
use findling_encoder::static_table::StaticTable;

use super::cells::Grouping;
use super::rows::Rows;
use findling_base::bundle_files::BundleFiles;

/// The bundle of the previous build.
#[derive(Debug)]
pub struct PreviousBuild {
    files: BundleFiles,
}

impl PreviousBuild {
    /// Opens the bundle in a directory; `None` if there is none that this version can read.
    pub fn open(directory: &Path) -> Option<Self> {
        // A damaged bundle is replaced by this build, so no error is needed.
        BundleFiles::open(directory).ok().map(|files| Self { files })
    }

    /// Returns the files.
    pub fn files(&self) -> &BundleFiles {
        &self.files
    }

    /// Returns the addresses of its pages in their order; `None` if the bundle is damaged.
    pub fn addresses(&self) -> Option<Addresses> {
        let manifest = self.files.manifest();
        Addresses::from_bytes(&self.read(manifest.addresses()?).ok()?, &manifest.stats).ok()
    }

    /// Returns the grouping of its vectors; `None` if they are from another space or the bundle is
    /// damaged.
    pub fn grouping(
        &self,
        card: &EncoderCard,
        projection: Option<&Projection>,
    ) -> Option<Grouping> {
        let dense = self.same_space(card, projection)?;
        self.read_grouping(dense).ok().flatten()
    }

    /// Returns the fitted rows and the score that they reached; `None` if rows were not fitted, or
    /// were fitted with another table or another encoder of the documents.
    pub fn fitted(
        &self,
        rows: &Rows,
        table: &StaticTable,
        card: &EncoderCard,
    ) -> Option<(Rows, f32)> {
        let dense = self.same_space(card, Some(table.projection()))?;
        let stored = dense.rows.as_ref()?;
        let reached = stored.fitted?;
        if stored.bits != table.bits() || stored.lowercase != table.lowercase() {
            return None;
        }
        let rows = rows.going_on_with(&self.read_rows(dense).ok()?)?;
        Some((rows.reached(table, reached), reached))
    }

    /// Returns the vocabulary of the transformer that was deployed, if its space is the same.
    #[cfg(feature = "transformer")]
    pub fn query_vocabulary(&self, card: &EncoderCard) -> Option<Vec<String>> {
        use findling_encoder::artefact::Artefact;

        let dense = self.files.manifest().dense.as_ref()?;
        let deployed = dense.query_encoders.iter().find(|encoder| encoder.kind == "transformer")?;
        let mut bytes = Vec::new();
        for part in &deployed.files {
            bytes.extend(
                findling_base::regular_file::read(
                    &self.files.directory().join(&part.path),
                    part.len,
                )
                .ok()?,
            );
        }
        let artefact = Artefact::from_packed_bytes(bytes).ok()?;
        (artefact.card() == card).then(|| artefact.vocabulary().to_vec())
    }

    /// Returns the dense leg, if queries and documents were embedded in the same space.
    fn same_space(&self, card: &EncoderCard, projection: Option<&Projection>) -> Option<&Dense> {
        let dense = self.files.manifest().dense.as_ref().filter(|dense| dense.encoder == *card)?;
        let was = dense.projection.map(|shard| self.read(shard)).transpose().ok()?;
        let was = was.map(|raw| Projection::from_bytes(&raw)).transpose().ok()?;
        (was.as_ref() == projection).then_some(dense)
    }

    fn read(&self, shard: ShardId) -> Result<Vec<u8>> {
        let stored = self.files.shard(shard)?;
        let entry = &self.files.manifest().shards[shard.index()];
        Ok(decode_shard(entry, &stored)?)
    }

    fn read_grouping(&self, dense: &Dense) -> Result<Option<Grouping>> {
        let Some(centroids) = self.files.centroids()? else { return Ok(None) };
        let manifest = self.files.manifest();
        let mut all = Vec::with_capacity(centroids.cells().len() * dense.encoder.dim as usize);
        for (number, cell) in (0..).zip(centroids.cells()) {
            // The numbers of cells follow the numbers of the manifest's shards.
            let id = ShardId(manifest.shards.len() as u32 + number);
            let raw = decode_shard(&cell.shard, &self.files.stored(id, &cell.shard)?)?;
            all.extend(CellShard::centroid(&raw, centroids.coder())?);
        }
        Ok(Some(Grouping { centroids: all, coder: centroids.coder().clone() }))
    }

    fn read_rows(&self, dense: &Dense) -> Result<HashMap<String, (u16, Vec<u8>)>> {
        let mut all = HashMap::new();
        let Some(rows) = &dense.rows else { return Ok(all) };
        for shard in rows.ranges.iter().map(|range| range.shard).chain([rows.common]) {
            let shard = RowsShard::from_bytes(&self.read(shard)?, dense.encoder.dim, rows.bits)?;
            for (key, scale, packed) in shard.stored() {
                all.insert(key.to_owned(), (scale, packed.to_vec()));
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {

    use findling_encoder::hash::HashEncoder;

    use super::super::rows;
    use super::super::write::{BundleWriter, Shape};
    use super::super::{Job, Options, build};
    use super::*;
    use findling_base::progress::Silent;
    use findling_encoder::BoxedEncoder;
    use findling_page::page::{Block, Page, Section};

    const WORDS: [&str; 8] = ["mutex", "lock", "thread", "share", "bread", "oven", "flour", "salt"];

    /// Returns pages whose sections say a few words each, no two the same.
    fn pages(n: usize) -> Vec<Page> {
        let page = |i: usize| {
            let block = |s: usize| {
                let words =
                    (0..6).map(|at| WORDS[(i * (s + 3) + at * at + i / (at + 2)) % WORDS.len()]);
                let text = format!("{} {i} {s}. ", words.collect::<Vec<_>>().join(" ")).repeat(8);
                Block { text, code: vec![], is_code_block: false, weight: 1.0 }
            };
            let section = |s: usize| Section {
                level: 2,
                heading: format!("{} {i} {s}", WORDS[(i + s) % 8]),
                blocks: vec![block(s)],
                ..Section::default()
            };
            Page {
                id: format!("page{i:04}.html"),
                url: format!("/page{i}"),
                title: format!("Page {i}"),
                language: "en".into(),
                sections: (0..3).map(section).collect(),
                ..Page::default()
            }
        };
        (0..n).map(page).collect()
    }

    /// Builds into a directory. Returns the number of files that were there already, and of all
    /// files.
    fn build_into(
        directory: &Path,
        pages: Vec<Page>,
        encoder: &BoxedEncoder,
        table: &StaticTable,
        fresh: bool,
    ) -> (u64, u64) {
        let earlier = if fresh { None } else { PreviousBuild::open(directory) };
        let options = Options { cells: true, ..Options::default() };
        let job = Job {
            pages,
            encoder: Some(encoder),
            table: Some(table),
            earlier,
            options,
            ..Job::default()
        };
        let bundle = build(job, &Silent).unwrap().bundle;
        let written = BundleWriter::new(directory, Shape::Directory, &bundle).write().unwrap();
        (written.n_unchanged, written.n_files)
    }

    fn teacher() -> BoxedEncoder {
        Box::new(HashEncoder::new(8))
    }

    #[test]
    fn an_edit_leaves_most_files_as_they_were() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("bundle");
        let (teacher, table) = (teacher(), super::super::fit::tests::table(4));
        assert!(PreviousBuild::open(&out).is_none());
        build_into(&out, pages(300), &teacher, &table, false);
        let fitted =
            BundleFiles::open(&out).unwrap().manifest().dense.clone().unwrap().rows.unwrap().fitted;
        assert!(fitted.is_some(), "the rows were worth fitting");

        let (unchanged, files) = build_into(&out, pages(300), &teacher, &table, false);
        assert_eq!(unchanged, files, "nothing was edited");
        let mut edited = pages(300);
        edited[150].sections[1].blocks[0].text.push_str("A word that was not there.");
        let (unchanged, files) = build_into(&out, edited.clone(), &teacher, &table, false);
        assert!(4 * unchanged > 3 * files, "{unchanged} of {files}");
        let manifest = BundleFiles::open(&out).unwrap().manifest().clone();
        assert_eq!(
            manifest.dense.unwrap().rows.unwrap().fitted,
            fitted,
            "what they were when they were fitted"
        );
        build_into(&out, pages(300), &teacher, &table, true);
        let (anew, _) = build_into(&out, edited, &teacher, &table, true);
        assert!(anew < unchanged, "anew, {anew} of {files} are as they were, going on {unchanged}");
    }

    #[test]
    fn rows_and_cells_of_another_space_or_damaged_are_not_reused() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("bundle");
        let (teacher, table) = (teacher(), super::super::fit::tests::table(4));
        build_into(&out, pages(300), &teacher, &table, false);
        let earlier = PreviousBuild::open(&out).unwrap();
        let card = earlier.files.manifest().dense.clone().unwrap().encoder;
        let rows = rows::select(&table, &["mutex lock"], rows::BUDGET);
        let fitted = |card| earlier.fitted(&rows, &table, card);
        assert!(fitted(&card).is_some());
        assert!(earlier.grouping(&card, Some(table.projection())).is_some());
        assert!(earlier.grouping(&card, None).is_none(), "not projected");
        let other = EncoderCard { fingerprint: "0".repeat(32), ..card.clone() };
        assert!(fitted(&other).is_none());
        assert!(earlier.grouping(&other, Some(table.projection())).is_none());
        let manifest = earlier.files.manifest();
        for (id, shard) in (0..).map(ShardId).zip(&manifest.shards) {
            std::fs::write(out.join(manifest.path(id, shard)), b"spoilt").unwrap();
        }
        assert!(fitted(&card).is_none());
        assert!(earlier.grouping(&card, Some(table.projection())).is_none());
    }
}
