//! Tests of writing a bundle.

use std::collections::BTreeMap;

use super::*;
use crate::index::{Job, build};
use crate::page::{Block, Page, Section};
use crate::ui::Ui;

fn bundle(words: &str) -> Bundle {
    let block = Block { text: words.to_owned(), code: vec![], is_code_block: false, weight: 1.0 };
    let section = Section { blocks: vec![block], ..Section::default() };
    let page = Page {
        id: "a".into(),
        url: "/a".into(),
        title: "A".into(),
        sections: vec![section],
        ..Page::default()
    };
    build(Job { pages: vec![page], ..Job::default() }, &Ui::silent()).unwrap().bundle
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

#[test]
fn a_build_interrupted_at_any_file_leaves_the_old_bundle() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    write(&out, Shape::Directory, &bundle("old words"), &extras("old"), Duration::ZERO).unwrap();
    let old = tree(&out);
    let new = bundle("new words entirely");
    let mut n = 0;
    for fail_at in 0.. {
        let mut count = 0;
        let outcome = write_with(
            Replaced { directory: &out, unchanged: &HashSet::new() },
            &out,
            Shape::Directory,
            &new,
            &extras("new"),
            Duration::ZERO,
            &mut |_| {
                count += 1;
                if count > fail_at { Err(io::Error::other("simulated")) } else { Ok(()) }
            },
        );
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
    write(&out, Shape::Directory, &bundle("words"), &[], Duration::ZERO).unwrap();
    assert!(!dir.path().join(".out.findling-4194999").exists());
    assert!(dir.path().join(".out.findling-mine").exists());
}

#[test]
fn a_rebuild_keeps_unchanged_files_and_what_the_site_put_there() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let first =
        write(&out, Shape::Directory, &bundle("words"), &extras("client"), Duration::ZERO).unwrap();
    assert_eq!(first.n_unchanged, 0);
    fs::create_dir_all(out.join("mine")).unwrap();
    fs::write(out.join("mine/robots.txt"), "keep").unwrap();
    fs::write(out.join("shards/stray.bin"), "drop").unwrap();
    let dates = |out: &Path| fs::metadata(out.join("findling.js")).unwrap().modified().unwrap();
    let before = dates(&out);
    let again =
        write(&out, Shape::Directory, &bundle("words"), &extras("client"), Duration::ZERO).unwrap();
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
    write(&old, Shape::Directory, &bundle, &[], Duration::ZERO).unwrap();
    let before = tree(&old);
    let unchanged: HashSet<String> = bundle.stored().map(|(path, _)| path).collect();
    let after = |out: &Path| {
        let replaced = Replaced { directory: &old, unchanged: &unchanged };
        write_after(replaced, out, Shape::Directory, &bundle, &[], Duration::ZERO).unwrap()
    };
    let written = after(&out);
    assert_eq!(written.n_unchanged, written.n_files);
    assert!(tree(&out) == before && tree(&old) == before);
    let inode = |dir: &Path, path: &str| fs::metadata(dir.join(path)).unwrap().ino();
    assert!(unchanged.iter().all(|path| inode(&old, path) == inode(&out, path)));
    // What is gone meanwhile is written.
    unchanged.iter().take(2).for_each(|path| fs::remove_file(old.join(path)).unwrap());
    assert_eq!(after(&again).n_unchanged + 2, written.n_files);
    assert!(tree(&again) == before);
}

#[test]
fn another_directory_is_not_written_over() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("index.html"), "a site").unwrap();
    let error = write(dir.path(), Shape::Directory, &bundle("words"), &[], Duration::ZERO)
        .unwrap_err()
        .to_string();
    assert!(error.contains("found other files"), "{error}");
    assert_eq!(fs::read(dir.path().join("index.html")).unwrap(), b"a site");
    let file = dir.path().join("index.html");
    assert!(write(&file, Shape::Directory, &bundle("words"), &[], Duration::ZERO).is_err());
    assert!(write(dir.path(), Shape::FileAlone, &bundle("words"), &[], Duration::ZERO).is_err());
}

#[test]
fn single_files_hold_the_same_bundle() {
    let dir = tempfile::tempdir().unwrap();
    let bundle = bundle("words");
    let alone = dir.path().join("site.findling");
    write(&alone, Shape::FileAlone, &bundle, &[], Duration::ZERO).unwrap();
    let inside = dir.path().join("out");
    write(&inside, Shape::SingleFile, &bundle, &extras("client"), Duration::ZERO).unwrap();
    assert_eq!(fs::read(&alone).unwrap(), fs::read(inside.join(SINGLE_FILE)).unwrap());
    let file = findling_bundle::SingleFile::open(fs::read(&alone).unwrap()).unwrap();
    assert_eq!(file.manifest(), &bundle.manifest);
    // If the shape changes, nothing of the first shape stays.
    write(&inside, Shape::Directory, &bundle, &extras("client"), Duration::ZERO).unwrap();
    assert!(!inside.join(SINGLE_FILE).exists());
}
