//! Writes a bundle to disk: first into a temporary directory beside the output, then one swap.
//!
//! The old bundle stays complete until the swap. A build that is killed leaves only a temporary
//! directory, which the next build removes. Unchanged files are linked instead of written, so that
//! deploy tools see by their dates what is new. Shards that the new bundle does not have stay for
//! some time ([`retired_shards`]).

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use findling_bundle::{EntryFile, OpeningFile, encode_manifest, entry, opening, single_file};

use super::assemble::Bundle;
use super::{packs, retired_shards};
use crate::bundle_files::{PackedShards, SINGLE_FILE};
use crate::sources::pagefind;

/// The directory of query encoders, in the output directory.
pub const ENCODERS: &str = "encoder";

/// The file that tells `pagefind.js` of the bundle. Builds of Pagefind itself have it as well.
pub const PAGEFIND_ENTRY: &str = "pagefind-entry.json";

/// The parts of an output directory that a build replaces.
const OWN: [&str; 5] =
    [entry::FILE_NAME, entry::SHARDS, ENCODERS, SINGLE_FILE, pagefind::fragment::DIRECTORY];

/// A file beside the bundle, such as one of the client or of a query encoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extra {
    /// Path relative to the output directory, with `/`.
    pub path: String,
    /// Contents.
    pub contents: Cow<'static, [u8]>,
}

/// The form of a bundle on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Shards in a directory, each in a file of its own.
    Directory,
    /// Shards in a directory, many in a file.
    Packs(packs::Limits),
    /// `bundle.findling` in a directory, with the client beside it.
    SingleFile,
    /// One file alone.
    FileAlone,
}

impl Shape {
    /// Whether shards are in a directory, so that a reader fetches those that it needs.
    pub fn has_shards(self) -> bool {
        matches!(self, Self::Directory | Self::Packs(_))
    }
}

/// The bundle that is replaced.
#[derive(Clone, Copy, Debug)]
pub struct Replaced<'a> {
    /// Its directory, which need not exist. It stays as it is, unless it is the output.
    pub directory: &'a Path,
    /// Paths of files that have the contents which the new bundle has. They are not read.
    pub unchanged: &'a HashSet<String>,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Bytes of the bundle: entry, manifest and shards.
    pub bundle_bytes: u64,
    /// Number of files, of the bundle and beside it.
    pub n_files: u64,
    /// Number of these files that existed with the same contents.
    pub n_unchanged: u64,
    /// Bytes of the other files.
    pub new_bytes: u64,
    /// Shards of earlier builds kept for readers who still have an earlier manifest.
    pub n_retired: u64,
    /// Shards of earlier builds deleted.
    pub n_pruned: u64,
}

/// Writes a bundle and the files beside it to `out`, in place of what is there.
///
/// # Errors
/// As [`write_after`].
pub fn write(
    out: &Path,
    shape: Shape,
    bundle: &Bundle,
    extras: &[Extra],
    grace: Duration,
) -> Result<Written> {
    let replaced = Replaced { directory: out, unchanged: &HashSet::new() };
    write_after(replaced, out, shape, bundle, extras, grace)
}

/// Writes a bundle and the files beside it to `out`. The new output is swapped in at the end.
/// Shards of earlier bundles that have been out of use for less than `grace` stay, up to as many
/// bytes as the new bundle has.
///
/// # Errors
/// If `out` is a directory with other files, or the file system fails. `out` is then unchanged.
pub fn write_after(
    replaced: Replaced<'_>,
    out: &Path,
    shape: Shape,
    bundle: &Bundle,
    extras: &[Extra],
    grace: Duration,
) -> Result<Written> {
    write_with(replaced, out, shape, bundle, extras, grace, &mut |_| Ok(()))
}

/// Checks that a bundle can be written to `out`. Called before the long part of a build.
///
/// # Errors
/// If `out` is a directory with other files, or a file instead of a directory or the reverse.
pub fn check(out: &Path, shape: Shape) -> Result<()> {
    let Ok(metadata) = fs::metadata(out) else { return Ok(()) };
    match (shape, metadata.is_dir()) {
        (Shape::FileAlone, true) => {
            bail!(
                "{}: expected a file to replace, found a directory; give another name with \
                 --output",
                out.display()
            )
        }
        (Shape::FileAlone, false) => Ok(()),
        (_, false) => bail!(
            "{}: expected a directory, found a file; give another name with --output (a single \
             file is made with --single-file and a name that ends in .findling)",
            out.display()
        ),
        (_, true) => {
            let mut entries = fs::read_dir(out)
                .with_context(|| format!("{} cannot be read", out.display()))?
                .peekable();
            let ours = [entry::FILE_NAME, SINGLE_FILE, PAGEFIND_ENTRY]
                .iter()
                .any(|name| out.join(name).is_file());
            if entries.peek().is_some() && !ours {
                bail!(
                    "{}: expected an empty directory or an earlier bundle, found other files; give \
                     a directory used for nothing else with --output, such as {}",
                    out.display(),
                    out.join("findling").display()
                );
            }
            Ok(())
        }
    }
}

fn write_with(
    replaced: Replaced<'_>,
    out: &Path,
    shape: Shape,
    bundle: &Bundle,
    extras: &[Extra],
    grace: Duration,
    before: &mut dyn FnMut(&str) -> io::Result<()>,
) -> Result<Written> {
    check(out, shape)?;
    if !shape.has_shards() && !bundle.cells.is_empty() {
        bail!(
            "expected a bundle without cells for a single file, found {}; build it without them",
            bundle.cells.len()
        );
    }
    // A symbolic link stays; the directory that it points to is swapped.
    let out = if out.exists() {
        out.canonicalize().with_context(|| out.display().to_string())?
    } else {
        out.to_owned()
    };
    let name = out
        .file_name()
        .with_context(|| {
            format!(
                "{}: expected a path that ends in a name; give another one with \
             --output",
                out.display()
            )
        })?
        .to_string_lossy()
        .into_owned();
    let parent = match out.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    fs::create_dir_all(&parent).with_context(|| format!("{} cannot be made", parent.display()))?;
    sweep(&parent, &name);
    let staged = Staged { path: parent.join(format!(".{name}.findling-{}", std::process::id())) };

    let mut written = Written { bundle_bytes: bundle.n_bytes(), ..Written::default() };
    let head = match shape {
        Shape::Directory | Shape::Packs(_) => Vec::new(),
        Shape::SingleFile | Shape::FileAlone => {
            let (entry, stored_manifest) = encode_manifest(&bundle.manifest)?;
            single_file::head(&entry, &stored_manifest)
        }
    };
    written.bundle_bytes += head.len() as u64;

    if shape == Shape::FileAlone {
        before(&name).with_context(|| format!("{} cannot be written", out.display()))?;
        write_single(&staged.path, &head, bundle)?;
        fs::rename(&staged.path, &out)
            .with_context(|| format!("{} cannot be replaced", out.display()))?;
        written.n_files = 1;
        return Ok(written);
    }

    let Replaced { directory: old, unchanged } = replaced;
    let new = &staged.path;
    let mut stage = Stage { old, new, unchanged, folders: HashSet::new(), written, before };
    fs::create_dir_all(stage.new)
        .with_context(|| format!("{} cannot be made", stage.new.display()))?;
    if shape.has_shards() {
        let packed = match shape {
            Shape::Packs(_) => PackedShards::open(old),
            _ => None,
        };
        let others = each_file(bundle, shape, packed.as_ref(), &mut |path, contents| {
            stage.file(path, contents)
        })?;
        stage.written.bundle_bytes += others;
        let most_bytes = stage.written.bundle_bytes;
        (stage.written.n_retired, stage.written.n_pruned) =
            retired_shards::keep(stage.old, stage.new, grace, most_bytes)
                .with_context(|| format!("shards of {} cannot be kept", out.display()))?;
    } else {
        (stage.before)(SINGLE_FILE).with_context(|| format!("{SINGLE_FILE} cannot be written"))?;
        write_single(&stage.new.join(SINGLE_FILE), &head, bundle)?;
        stage.written.n_files += 1;
    }
    for extra in extras {
        stage.file(&extra.path, &extra.contents)?;
    }
    stage.keep_others()?;
    let written = stage.written;
    swap(&staged.path, &out).with_context(|| {
        format!(
            "{} cannot be replaced; it must not be a mount point or the working directory of a \
             program",
            out.display()
        )
    })?;
    Ok(written)
}

/// The files of a bundle in a directory with what goes beside it, in place of writing them.
///
/// # Errors
/// If the manifest or a shard exceeds a limit.
pub fn files(bundle: &Bundle, shape: Shape, extras: Vec<Extra>) -> Result<Vec<Extra>> {
    let mut files = Vec::new();
    each_file(bundle, shape, None, &mut |path, contents| {
        files.push(Extra { path: path.to_owned(), contents: contents.to_vec().into() });
        Ok(())
    })?;
    files.extend(extras);
    Ok(files)
}

/// Hands the files of a bundle in a directory to `put`, the entry file last. `earlier` is the
/// bundle in packs that is replaced. Returns the bytes of the files that hold no shards, or hold
/// them a second time.
fn each_file(
    bundle: &Bundle,
    shape: Shape,
    earlier: Option<&PackedShards>,
    put: &mut dyn FnMut(&str, &[u8]) -> Result<()>,
) -> Result<u64> {
    let (entry, stored_manifest) = encode_manifest(&bundle.manifest.of_files())?;
    let packs = match shape {
        Shape::Packs(limits) => Some(packs::pack(bundle, earlier, limits, put)?),
        _ => {
            for (path, stored) in bundle.stored() {
                put(&path, stored)?;
            }
            None
        }
    };
    let shards: Vec<(String, &[u8])> = bundle.opening().collect();
    let shards = shards.iter().map(|(path, stored)| (path.as_str(), *stored));
    let file = opening::write(&stored_manifest, packs.as_deref(), shards)?;
    let opening = packs.map(|_| OpeningFile::of(&file)).transpose()?;
    let entry = EntryFile { entry, opening };
    let bytes = entry.to_bytes();
    put(&entry.opening_path(), &file)?;
    put(entry::FILE_NAME, &bytes)?;
    Ok((file.len() + bytes.len()) as u64)
}

fn write_single(path: &Path, head: &[u8], bundle: &Bundle) -> Result<()> {
    let write = || -> io::Result<()> {
        let mut file = io::BufWriter::new(fs::File::create(path)?);
        file.write_all(head)?;
        for stored in bundle.shards.iter().chain(bundle.positions.iter().map(|(_, stored)| stored))
        {
            file.write_all(stored)?;
        }
        file.into_inner()?.sync_all()
    };
    write().with_context(|| format!("{} cannot be written", path.display()))
}

/// The new output, not yet swapped in.
struct Stage<'a> {
    old: &'a Path,
    new: &'a Path,
    unchanged: &'a HashSet<String>,
    /// Directories that were made.
    folders: HashSet<PathBuf>,
    written: Written,
    before: &'a mut dyn FnMut(&str) -> io::Result<()>,
}

impl Stage<'_> {
    fn file(&mut self, path: &str, contents: &[u8]) -> Result<()> {
        let (old, new) = (self.old.join(path), self.new.join(path));
        let mut write = || -> io::Result<bool> {
            (self.before)(path)?;
            if let Some(folder) = new.parent().filter(|folder| !self.folders.contains(*folder)) {
                fs::create_dir_all(folder)?;
                self.folders.insert(folder.to_owned());
            }
            if self.unchanged.contains(path) && fs::hard_link(&old, &new).is_ok() {
                return Ok(true);
            }
            if new.exists() {
                // Two files of an encoder can be equal. Shards with equal contents have different
                // names.
                return match same(&new, contents)? {
                    true => Ok(true),
                    false => Err(io::Error::new(
                        io::ErrorKind::AlreadyExists,
                        "two files of the bundle got the same name by chance; change a word of a \
                         page and build again",
                    )),
                };
            }
            if same(&old, contents)? && fs::hard_link(&old, &new).is_ok() {
                return Ok(true);
            }
            fs::write(&new, contents)?;
            Ok(false)
        };
        let unchanged = write().with_context(|| format!("{} cannot be written", new.display()))?;
        self.written.n_files += 1;
        self.written.n_unchanged += u64::from(unchanged);
        self.written.new_bytes += if unchanged { 0 } else { contents.len() as u64 };
        Ok(())
    }

    /// Links the files that the site put beside the old bundle.
    fn keep_others(&self) -> Result<()> {
        let Ok(entries) = fs::read_dir(self.old) else { return Ok(()) };
        for entry in entries.flatten() {
            if OWN.iter().any(|own| entry.file_name() == *own) {
                continue;
            }
            link_tree(&entry.path(), &self.new.join(entry.file_name()))
                .with_context(|| format!("{} cannot be kept", entry.path().display()))?;
        }
        Ok(())
    }
}

/// Whether a file exists with these contents.
pub(super) fn same(path: &Path, contents: &[u8]) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() == contents.len() as u64 => {
            Ok(fs::read(path)? == contents)
        }
        _ => Ok(false),
    }
}

/// Links everything below a directory into another, which is made.
fn link_tree(from: &Path, to: &Path) -> io::Result<()> {
    if fs::symlink_metadata(from)?.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            link_tree(&entry.path(), &to.join(entry.file_name()))?;
        }
        Ok(())
    } else {
        retired_shards::link(from, to)
    }
}

/// Replaces `out` by `new` and removes the old output. Atomic on Linux; elsewhere two renames, of
/// which the first is undone if the second fails.
fn swap(new: &Path, out: &Path) -> io::Result<()> {
    if !out.exists() {
        return fs::rename(new, out);
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if renameat_with(CWD, new, CWD, out, RenameFlags::EXCHANGE).is_ok() {
            // The old output now has the temporary name. The next build removes what cannot be
            // removed now.
            let _ = fs::remove_dir_all(new);
            return Ok(());
        }
    }
    let aside = new.with_extension("old");
    fs::rename(out, &aside)?;
    if let Err(error) = fs::rename(new, out) {
        fs::rename(&aside, out)?;
        return Err(error);
    }
    let _ = fs::remove_dir_all(&aside);
    Ok(())
}

/// Removes temporary directories beside `name` of builds that were killed, but not of running
/// builds.
fn sweep(parent: &Path, name: &str) {
    let prefix = format!(".{name}.findling-");
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let file_name = entry.file_name();
        let Some(rest) = file_name.to_str().and_then(|file_name| file_name.strip_prefix(&prefix))
        else {
            continue;
        };
        let Ok(pid) = rest.split('.').next().unwrap_or_default().parse::<u32>() else { continue };
        if pid == std::process::id() || !is_running(pid) {
            let path = entry.path();
            let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}

/// Whether a process is running; true if the system cannot tell.
fn is_running(pid: u32) -> bool {
    !Path::new("/proc/self").exists() || Path::new("/proc").join(pid.to_string()).exists()
}

/// A temporary directory, removed when dropped unless it was swapped in.
struct Staged {
    path: PathBuf,
}

impl Drop for Staged {
    fn drop(&mut self) {
        let _ = if self.path.is_dir() {
            fs::remove_dir_all(&self.path)
        } else {
            fs::remove_file(&self.path)
        };
    }
}

#[cfg(test)]
mod tests;
