//! Writes a bundle to disk: first into a temporary directory beside the output, then one swap.
//!
//! The old bundle stays complete until the swap. A build that is killed leaves only a temporary
//! directory, which the next build removes. Unchanged files are linked instead of written, so that
//! deployment tools recognise new files by their dates. Shards that the new bundle does not have
//! stay for some time ([`retired_shards`]).

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use findling_bundle::{EntryFile, OpeningFile, encode_manifest, entry, opening, single_file};

use super::bundle::Bundle;
use super::{packs, retired_shards};
use findling_base::bundle_files::{PackedShards, SINGLE_FILE};
use findling_base::file_mode::Shared;
use findling_base::replace_directory::replace_directory;
use findling_base::replace_file::{self, is_running, sync_directory, sync_tree};

/// The directory of query encoders, in the output directory.
pub const ENCODERS: &str = "encoder";

/// The file in which `pagefind.js` finds information about the bundle. Pagefind's own builds have
/// it too.
pub const PAGEFIND_ENTRY: &str = "pagefind-entry.json";

/// The directory of the page data that `pagefind.js` reads. Builds of Pagefind itself have the same
/// directory.
pub const PAGEFIND_FRAGMENTS: &str = "pagefind-fragment";

/// The parts of an output directory that a build replaces.
const OWN: [&str; 5] = [entry::FILE_NAME, entry::SHARDS, ENCODERS, SINGLE_FILE, PAGEFIND_FRAGMENTS];

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
    /// A single file without any other files.
    FileAlone,
    /// A page or a script that also contains the client.
    Standalone,
}

impl Shape {
    /// Returns whether shards are in a directory, so that a reader fetches only the shards that it
    /// needs.
    pub fn has_shards(self) -> bool {
        matches!(self, Self::Directory | Self::Packs(_))
    }
}

/// The bundle that is replaced.
#[derive(Clone, Copy, Debug)]
pub struct Replaced<'a> {
    /// The directory, which need not exist. Its files are not changed, unless it is the output.
    pub directory: &'a Path,
    /// Paths of files that are known to have the same contents as in the new bundle. They are not
    /// read.
    pub unchanged: &'a HashSet<String>,
}

/// Numbers about the files that were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Bytes of the bundle: entry, manifest and shards.
    pub bundle_bytes: u64,
    /// Number of files, of the bundle and beside it.
    pub n_files: u64,
    /// Number of these files that existed with the same contents.
    pub n_unchanged: u64,
    /// Bytes of a standalone file, including the bundle.
    pub standalone_bytes: u64,
    /// Bytes of the other files.
    pub new_bytes: u64,
    /// Shards of earlier builds kept for readers who still have an earlier manifest.
    pub n_retired: u64,
    /// Shards of earlier builds deleted.
    pub n_pruned: u64,
}

/// Writes a bundle and the files beside it.
#[derive(Clone, Copy)]
pub struct BundleWriter<'a> {
    /// The output: a directory, or the file of [`Shape::FileAlone`].
    pub out: &'a Path,
    /// The form of the output.
    pub shape: Shape,
    /// The bundle.
    pub bundle: &'a Bundle,
    /// The files beside it.
    pub extras: &'a [Extra],
    /// Shards of earlier bundles stay if they have been out of use for less than this time, up to
    /// the size of the new bundle.
    pub grace: Duration,
    /// The bundle that is replaced; `None` if it is at `out`.
    pub replaced: Option<Replaced<'a>>,
    /// Whether shards are packed as if there were no earlier bundle.
    pub fresh: bool,
    /// The users besides the owner who may read the bundle: the same as for its sources.
    pub shared: Shared,
}

impl<'a> BundleWriter<'a> {
    /// Prepares to write the bundle without other files, in place of the files at `out`.
    pub fn new(out: &'a Path, shape: Shape, bundle: &'a Bundle) -> Self {
        let grace = Duration::ZERO;
        let (extras, shared) = (&[], Shared::default());
        Self { out, shape, bundle, extras, grace, replaced: None, fresh: false, shared }
    }

    /// Writes the output into a temporary directory, and swaps it in at the end.
    ///
    /// # Errors
    /// If `out` is a directory with other files, or the file system fails. `out` is then unchanged.
    pub fn write(&self) -> Result<Written> {
        self.write_with(&mut |_| Ok(()))
    }
}

/// An output that a bundle cannot be written to.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// A directory is in the place of a file.
    #[error(
        "{}: expected a file to replace, found a directory; give another name with --output",
        .0.display()
    )]
    Directory(PathBuf),
    /// A file is in the place of a directory.
    #[error(
        "{}: expected a directory, found a file; give another name with --output (a single file is \
         made with --single-file and a name that ends in .findling)",
        .0.display()
    )]
    File(PathBuf),
    /// A directory with files that do not belong to a bundle.
    #[error(
        "{}: expected an empty directory or an earlier bundle, found other files; give a directory \
         used for nothing else with --output, such as {}",
        .0.display(),
        .0.join("findling").display()
    )]
    OtherFiles(PathBuf),
}

/// Checks that a bundle can be written to `out`. Called before the long part of a build.
///
/// # Errors
/// An [`OutputError`], or if a directory cannot be read.
pub fn check(out: &Path, shape: Shape) -> Result<()> {
    let Ok(metadata) = fs::metadata(out) else { return Ok(()) };
    match (shape, metadata.is_dir()) {
        (Shape::FileAlone | Shape::Standalone, true) => {
            Err(OutputError::Directory(out.to_owned()).into())
        }
        (Shape::FileAlone | Shape::Standalone, false) => Ok(()),
        (_, false) => Err(OutputError::File(out.to_owned()).into()),
        (_, true) => {
            let mut entries = fs::read_dir(out)
                .with_context(|| format!("{} cannot be read", out.display()))?
                .peekable();
            let ours = [entry::FILE_NAME, SINGLE_FILE, PAGEFIND_ENTRY]
                .iter()
                .any(|name| out.join(name).is_file());
            if entries.peek().is_some() && !ours {
                return Err(OutputError::OtherFiles(out.to_owned()).into());
            }
            Ok(())
        }
    }
}

impl BundleWriter<'_> {
    /// Writes the bundle. Calls `before` with the path of each file before writing the file.
    fn write_with(&self, before: &mut dyn FnMut(&str) -> io::Result<()>) -> Result<Written> {
        let Self { out, shape, bundle, extras, grace, replaced, fresh, shared } = *self;
        check(out, shape)?;
        if !shape.has_shards() {
            check_without_cells(bundle)?;
        }
        // A symbolic link stays; the directory that it points to is swapped.
        let out = if out.exists() {
            out.canonicalize().with_context(|| out.display().to_string())?
        } else {
            out.to_owned()
        };
        let staged = Staged::beside(&out)?;
        let mut written = Written { bundle_bytes: bundle.n_bytes(), ..Written::default() };
        let head = if shape.has_shards() {
            Vec::new()
        } else {
            let (entry, stored_manifest) = encode_manifest(&bundle.manifest)?;
            single_file::head(&entry, &stored_manifest)
        };
        written.bundle_bytes += head.len() as u64;

        if shape == Shape::FileAlone {
            before(SINGLE_FILE).with_context(|| format!("{} cannot be written", out.display()))?;
            write_single(&staged.path, &head, bundle)?;
            let replace = || -> io::Result<()> {
                shared.apply(&staged.path, &staged.path)?;
                fs::rename(&staged.path, &out)?;
                sync_directory(parent_of(&out))
            };
            replace().with_context(|| format!("{} cannot be replaced", out.display()))?;
            written.n_files = 1;
            return Ok(written);
        }

        let nothing = HashSet::new();
        let replaced = replaced.unwrap_or(Replaced { directory: &out, unchanged: &nothing });
        let Replaced { directory: old, unchanged } = replaced;
        let new = &staged.path;
        let mut stage = Stage { old, new, unchanged, folders: HashSet::new(), written, before };
        fs::create_dir_all(new).with_context(|| format!("{} cannot be made", new.display()))?;
        if shape.has_shards() {
            let packed = match shape {
                Shape::Packs(_) if !fresh => PackedShards::open(old),
                _ => None,
            };
            let other_bytes = each_file(bundle, shape, packed.as_ref(), &mut |path, contents| {
                stage.file(path, contents)
            })?;
            stage.written.bundle_bytes += other_bytes;
            let most_bytes = stage.written.bundle_bytes;
            (stage.written.n_retired, stage.written.n_pruned) =
                retired_shards::keep(old, new, grace, most_bytes)
                    .with_context(|| format!("shards of {} cannot be kept", out.display()))?;
        } else {
            (stage.before)(SINGLE_FILE)
                .with_context(|| format!("{SINGLE_FILE} cannot be written"))?;
            write_single(&new.join(SINGLE_FILE), &head, bundle)?;
            stage.written.n_files += 1;
        }
        for extra in extras {
            stage.file(&extra.path, &extra.contents)?;
        }
        stage.keep_others()?;
        let written = stage.written;
        finish(new, shared).with_context(|| format!("{} cannot be written", new.display()))?;
        replace_directory(&staged.path, &out).with_context(|| {
            format!(
                "{} cannot be replaced; it must not be a mount point or the working directory of \
                 a program",
                out.display()
            )
        })?;
        Ok(written)
    }
}

/// Gives the files of a new bundle their permissions, and flushes all of them to disk: after a
/// power cut, either the old output or the new one exists.
fn finish(new: &Path, shared: Shared) -> io::Result<()> {
    let probe = new.join(format!(".findling-{}", std::process::id()));
    fs::File::create_new(&probe)?;
    let own = OWN.iter().map(|name| new.join(name)).filter(|path| path.exists());
    let applied = own.into_iter().try_for_each(|path| shared.apply(&path, &probe));
    fs::remove_file(&probe)?;
    applied?;
    sync_tree(new)
}

/// Returns the directory that a path is in.
fn parent_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the files of a bundle in a directory, and the files beside it, instead of writing them.
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
/// bundle in packs that is replaced. Returns the bytes of files that contain no shards, or only
/// second copies of shards.
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
                put(&path, &stored.read()?)?;
            }
            None
        }
    };
    let read = bundle.opening().map(|(path, stored)| Ok((path, stored.read()?)));
    let shards: Vec<(String, Cow<'_, [u8]>)> = read.collect::<io::Result<_>>()?;
    let shards = shards.iter().map(|(path, stored)| (path.as_str(), &**stored));
    let file = opening::write(&stored_manifest, packs.as_deref(), shards)?;
    let opening = packs.map(|_| OpeningFile::of(&file)).transpose()?;
    let entry = EntryFile { entry, opening };
    let bytes = entry.to_bytes();
    put(&entry.opening_path(), &file)?;
    put(entry::FILE_NAME, &bytes)?;
    Ok((file.len() + bytes.len()) as u64)
}

/// Returns the bytes of a bundle in a single file.
///
/// # Errors
/// If the bundle has cells, or the manifest exceeds a limit of the format.
pub fn single_file(bundle: &Bundle) -> Result<Vec<u8>> {
    check_without_cells(bundle)?;
    let (entry, stored_manifest) = encode_manifest(&bundle.manifest)?;
    let mut bytes = single_file::head(&entry, &stored_manifest);
    for stored in bundle.shards.iter().chain(bundle.positions.iter().map(|(_, stored)| stored)) {
        bytes.extend_from_slice(&stored.read()?);
    }
    Ok(bytes)
}

fn check_without_cells(bundle: &Bundle) -> Result<()> {
    if !bundle.cells.is_empty() {
        bail!(
            "expected a bundle without cells for a single file, found {}; build it without them",
            bundle.cells.len()
        );
    }
    Ok(())
}

fn write_single(path: &Path, head: &[u8], bundle: &Bundle) -> Result<()> {
    let write = || -> io::Result<()> {
        let mut file = io::BufWriter::new(fs::File::create(path)?);
        file.write_all(head)?;
        for stored in bundle.shards.iter().chain(bundle.positions.iter().map(|(_, stored)| stored))
        {
            file.write_all(&stored.read()?)?;
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
                return match replace_file::same(&new, contents)? {
                    true => Ok(true),
                    false => Err(io::Error::new(
                        io::ErrorKind::AlreadyExists,
                        "two files of the bundle got the same name by chance; change a word of a \
                         page and build again",
                    )),
                };
            }
            if replace_file::same(&old, contents)? && fs::hard_link(&old, &new).is_ok() {
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

    /// Links the files that the site has put beside the old bundle.
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

/// A temporary directory, removed when dropped unless it was swapped in.
struct Staged {
    path: PathBuf,
}

impl Staged {
    /// Returns a name beside the output, on the same file system.
    fn beside(out: &Path) -> Result<Self> {
        let name = out.file_name().with_context(|| {
            format!(
                "{}: expected a path that ends in a name; give another one with --output",
                out.display()
            )
        })?;
        let name = name.to_string_lossy();
        let parent = parent_of(out);
        fs::create_dir_all(parent)
            .with_context(|| format!("{} cannot be made", parent.display()))?;
        sweep(parent, &name);
        Ok(Self { path: parent.join(format!(".{name}.findling-{}", std::process::id())) })
    }
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
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{Job, build};
    use findling_base::progress::Silent;
    use findling_page::page::{Block, Page, Section};

    fn bundle(words: &str) -> Bundle {
        let block =
            Block { text: words.to_owned(), code: vec![], is_code_block: false, weight: 1.0 };
        let section = Section { blocks: vec![block], ..Section::default() };
        let page = Page {
            id: "a".into(),
            url: "/a".into(),
            title: "A".into(),
            sections: vec![section],
            ..Page::default()
        };
        build(Job { pages: vec![page], ..Job::default() }, &Silent).unwrap().bundle
    }

    fn tree(dir: &Path) -> BTreeMap<String, Vec<u8>> {
        walkdir::WalkDir::new(dir)
            .into_iter()
            .flatten()
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| {
                let path = entry.path().strip_prefix(dir).unwrap().to_string_lossy().into_owned();
                (path, fs::read(entry.path()).unwrap())
            })
            .collect()
    }

    fn extras(contents: &'static str) -> Vec<Extra> {
        vec![Extra { path: "findling.js".into(), contents: Cow::Borrowed(contents.as_bytes()) }]
    }

    fn with<'a>(
        out: &'a Path,
        shape: Shape,
        bundle: &'a Bundle,
        extras: &'a [Extra],
    ) -> BundleWriter<'a> {
        BundleWriter { extras, ..BundleWriter::new(out, shape, bundle) }
    }

    #[test]
    fn a_build_interrupted_at_any_file_leaves_the_old_bundle() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        with(&out, Shape::Directory, &bundle("old words"), &extras("old")).write().unwrap();
        let old = tree(&out);
        let new = bundle("new words entirely");
        let mut n = 0;
        for fail_at in 0.. {
            let mut count = 0;
            let extras = extras("new");
            let writer = with(&out, Shape::Directory, &new, &extras);
            let outcome = writer.write_with(&mut |_| {
                count += 1;
                if count > fail_at { Err(io::Error::other("simulated")) } else { Ok(()) }
            });
            if outcome.is_ok() {
                break;
            }
            n += 1;
            assert_eq!(tree(&out), old, "interrupted at file {fail_at}");
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside it");
        }
        assert!(n > 5);
        let now = tree(&out);
        assert_eq!(now["findling.js"], b"new");
        assert_ne!(now[entry::FILE_NAME], old[entry::FILE_NAME]);
    }

    #[test]
    fn what_a_killed_build_left_is_swept_away() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        // No process has this number, which is above the largest on Linux.
        fs::create_dir_all(dir.path().join(".out.findling-4194999/shards")).unwrap();
        fs::create_dir_all(dir.path().join(".out.findling-mine")).unwrap();
        BundleWriter::new(&out, Shape::Directory, &bundle("words")).write().unwrap();
        assert!(!dir.path().join(".out.findling-4194999").exists());
        assert!(dir.path().join(".out.findling-mine").exists());
    }

    #[test]
    fn a_rebuild_keeps_unchanged_files_and_what_the_site_put_there() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        let first =
            with(&out, Shape::Directory, &bundle("words"), &extras("client")).write().unwrap();
        assert_eq!(first.n_unchanged, 0);
        fs::create_dir_all(out.join("mine")).unwrap();
        fs::write(out.join("mine/robots.txt"), "keep").unwrap();
        fs::write(out.join("shards/stray.bin"), "drop").unwrap();
        let dates = |out: &Path| fs::metadata(out.join("findling.js")).unwrap().modified().unwrap();
        let before = dates(&out);
        let again =
            with(&out, Shape::Directory, &bundle("words"), &extras("client")).write().unwrap();
        assert_eq!(again.n_unchanged, again.n_files);
        assert_eq!(dates(&out), before);
        assert_eq!(fs::read(out.join("mine/robots.txt")).unwrap(), b"keep");
        assert!(!out.join("shards/stray.bin").exists());
    }

    #[test]
    #[cfg(unix)]
    fn a_bundle_beside_the_one_that_it_replaces_has_links_to_its_files() {
        use std::os::unix::fs::MetadataExt;

        let dir = tempfile::tempdir().unwrap();
        let [old, out, again] = ["old", "out", "again"].map(|name| dir.path().join(name));
        let bundle = bundle("words");
        BundleWriter::new(&old, Shape::Directory, &bundle).write().unwrap();
        let before = tree(&old);
        let unchanged: HashSet<String> = bundle.stored().map(|(path, _)| path).collect();
        let after = |out: &Path| {
            let replaced = Some(Replaced { directory: &old, unchanged: &unchanged });
            let writer = BundleWriter::new(out, Shape::Directory, &bundle);
            BundleWriter { replaced, ..writer }.write().unwrap()
        };
        let written = after(&out);
        assert_eq!(written.n_unchanged, written.n_files);
        assert!(tree(&out) == before && tree(&old) == before);
        let inode = |dir: &Path, path: &str| fs::metadata(dir.join(path)).unwrap().ino();
        assert!(unchanged.iter().all(|path| inode(&old, path) == inode(&out, path)));
        // A file that has disappeared in the meantime is written.
        unchanged.iter().take(2).for_each(|path| fs::remove_file(old.join(path)).unwrap());
        assert_eq!(after(&again).n_unchanged + 2, written.n_files);
        assert!(tree(&again) == before);
    }

    #[test]
    fn another_directory_is_not_written_over() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("index.html"), "a site").unwrap();
        let words = bundle("words");
        let refused = |out: &Path, shape: Shape| {
            let error = BundleWriter::new(out, shape, &words).write().unwrap_err();
            error.downcast::<OutputError>().unwrap()
        };
        let error = refused(dir.path(), Shape::Directory);
        assert!(matches!(error, OutputError::OtherFiles(path) if path == dir.path()));
        assert_eq!(fs::read(dir.path().join("index.html")).unwrap(), b"a site");
        let file = dir.path().join("index.html");
        assert!(matches!(refused(&file, Shape::Directory), OutputError::File(_)));
        assert!(matches!(refused(dir.path(), Shape::FileAlone), OutputError::Directory(_)));
    }

    #[test]
    fn single_files_hold_the_same_bundle() {
        let dir = tempfile::tempdir().unwrap();
        let bundle = bundle("words");
        let alone = dir.path().join("site.findling");
        BundleWriter::new(&alone, Shape::FileAlone, &bundle).write().unwrap();
        let inside = dir.path().join("out");
        with(&inside, Shape::SingleFile, &bundle, &extras("client")).write().unwrap();
        assert_eq!(fs::read(&alone).unwrap(), fs::read(inside.join(SINGLE_FILE)).unwrap());
        let file = findling_bundle::SingleFile::open(fs::read(&alone).unwrap()).unwrap();
        assert_eq!(file.manifest(), &bundle.manifest);
        // If the shape changes, nothing of the first shape stays.
        with(&inside, Shape::Directory, &bundle, &extras("client")).write().unwrap();
        assert!(!inside.join(SINGLE_FILE).exists());
    }
}
