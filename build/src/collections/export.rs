//! A collection's bundle as one file, `NAME.findling`, which can be searched as it is, and back.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use findling_bundle::{Manifest, PositionsDirectory, ShardId, encode_manifest, single_file};

use super::error::Error;
use super::generation::Generations;
use super::home::Home;
use super::lock::Lock;
use super::name::Name;
use super::registry::Registry;
use super::remove::remove;
use super::settings::Settings;
use super::state::{Built, Scan, State};
use crate::bundle_files::{BundleFiles, SINGLE_FILE, entry_file};
use crate::replace_file::{replace_by, sweep};

/// Writes a bundle as one file and returns its bytes. A file that is there is replaced at the end.
///
/// A single file has no cells: its readers have all vectors in memory. Query encoders with files
/// beside the bundle are left out.
///
/// # Errors
/// If a shard cannot be read, or the file cannot be written; then a file that was there stays.
pub fn export(bundle: &BundleFiles, out: &Path) -> Result<u64> {
    if out.is_dir() {
        bail!("{}: expected the name of a file, found a directory", out.display());
    }
    sweep(out);
    let replaced = replace_by(out, |file| {
        // Users who may not read the bundle may not read its copy either.
        let metadata = fs::metadata(entry_file(bundle.path()))?;
        let _ = file.set_permissions(metadata.permissions());
        write(bundle, file)
    });
    replaced.with_context(|| format!("{} cannot be written", out.display()))
}

fn write(bundle: &BundleFiles, file: &mut File) -> Result<u64> {
    // A single-file bundle needs no conversion.
    if bundle.is_single_file() {
        return Ok(io::copy(&mut File::open(bundle.path())?, file)?);
    }
    let mut manifest = bundle.manifest().clone();
    for (id, entry) in (0..).map(ShardId).zip(&mut manifest.shards) {
        // The directory of packs does not record stored lengths; a single file needs them.
        entry.stored_len = u32::try_from(bundle.stored(id, entry)?.len())?;
    }
    let kept: Vec<ShardId> = {
        let centroids = manifest.dense.as_ref().and_then(|dense| dense.centroids);
        (0..manifest.shards.len() as u32).map(ShardId).filter(|id| Some(*id) != centroids).collect()
    };
    remove_cells(&mut manifest);
    let (entry, stored_manifest) = encode_manifest(&manifest)?;
    let mut out = BufWriter::new(&mut *file);
    out.write_all(&single_file::head(&entry, &stored_manifest))?;
    for id in kept {
        out.write_all(&bundle.shard(id)?)?;
    }
    let positions = bundle.positions()?;
    for (id, shard) in positions.iter().flat_map(PositionsDirectory::shards) {
        out.write_all(&bundle.stored(id, shard)?)?;
    }
    out.flush()?;
    drop(out);
    Ok(file.metadata()?.len())
}

/// Removes the centroids, which list the cells, and encoders whose files lie beside the bundle.
fn remove_cells(manifest: &mut Manifest) {
    let Some(dense) = &mut manifest.dense else { return };
    dense.query_encoders.retain(|encoder| encoder.files.is_empty());
    let Some(removed) = dense.centroids.take() else { return };
    manifest.shards.remove(removed.index());
    // All later shards move up by one place.
    let close = |id: &mut ShardId| id.0 -= u32::from(id.0 > removed.0);
    dense.vectors.iter_mut().for_each(|range| close(&mut range.shard));
    dense.graph.iter_mut().for_each(close);
    dense.projection.iter_mut().for_each(close);
    if let Some(rows) = &mut dense.rows {
        close(&mut rows.common);
        rows.ranges.iter_mut().for_each(|range| close(&mut range.shard));
    }
    dense.sentences.iter_mut().for_each(|range| close(&mut range.shard));
    manifest.attributes.iter_mut().for_each(|attribute| close(&mut attribute.column));
    for range in &mut manifest.lexicon {
        close(&mut range.terms);
        range.second.iter_mut().for_each(close);
    }
    manifest.spelling.iter_mut().for_each(|range| close(&mut range.shard));
    manifest.texts.iter_mut().for_each(|range| close(&mut range.shard));
}

/// Makes a single-file bundle a collection without sources. With `replace`, one that was imported
/// before gets this bundle.
///
/// # Errors
/// If the file is no bundle, [`Error::Exists`], or the system refuses.
pub fn import(home: &Home, name: &Name, file: &Path, replace: bool) -> Result<Built> {
    let bundle = BundleFiles::open(file)?;
    if !bundle.is_single_file() {
        bail!(
            "{}: expected a single file, found a directory; `findling collection export` and \
             `findling build --single-file` make one",
            file.display()
        );
    }
    let stats = &bundle.manifest().stats;
    let built = Built {
        pages: stats.n_pages,
        sections: stats.n_sections,
        bundle_bytes: fs::metadata(bundle.path())?.len(),
        ..Built::default()
    };
    let encoder = bundle.manifest().dense.as_ref().map(|dense| dense.encoder.name.clone());
    let encoder = encoder.unwrap_or_else(|| "none".to_owned());
    let (settings, is_new) =
        Registry::change(home, |registry| match registry.collections().get(name) {
            Some(known) if replace && known.paths.is_empty() => Ok((known.clone(), false)),
            Some(_) => Err(Error::Exists { name: name.to_string() }),
            None => {
                registry.add(name, Settings { encoder, ..Settings::default() })?;
                Ok((registry.get(name)?.clone(), true))
            }
        })?;
    let outcome = install(home, name, &settings, bundle.path(), &built);
    if outcome.is_err() && is_new {
        // A collection without a bundle or sources is of no use.
        let _ = remove(home, name);
    }
    outcome?;
    Ok(built)
}

/// Makes a file the next generation of a collection.
fn install(
    home: &Home,
    name: &Name,
    settings: &Settings,
    file: &Path,
    built: &Built,
) -> Result<(), Error> {
    let generations = Generations::new(home.directory(name, settings));
    let lock = Lock::take(&generations.lock(), &format!("the collection `{name}`"))?;
    let staged = generations.begin(&lock)?;
    let directory = staged.generation().bundle();
    fs::create_dir_all(&directory).map_err(Error::io("written", &directory))?;
    let copy = directory.join(SINGLE_FILE);
    fs::copy(file, &copy).map_err(Error::io("written", &copy))?;
    let state = State::new(settings.clone(), Scan::nothing(), built.clone());
    state.write(&staged.generation().state())?;
    staged.switch()?;
    Ok(())
}
