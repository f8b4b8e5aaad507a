//! A bundle is opened by its entry file, and errors name the file that is wrong.

mod support;

use findling_bundle::{EntryFile, encode_manifest, opening};
use findling_engine::{Error, Index};
use support::{Cut, build, page};

/// Returns the bytes of an entry file, and of the file that it names.
fn files() -> (EntryFile, Vec<u8>) {
    let bundle = build(&[page("Threads", &[("", "A mutex guards data.")])], &[], Cut::default());
    let (entry, stored) = encode_manifest(&bundle.manifest).unwrap();
    (EntryFile { entry, opening: None }, opening::write(&stored, None, []).unwrap())
}

fn message(opened: Result<Index, Error>) -> String {
    match opened {
        Err(Error::Bundle { message }) => message,
        other => panic!("expected an error of the bundle, found {:?}", other.map(drop)),
    }
}

#[test]
fn an_entry_file_leads_to_the_manifest() {
    let (entry, file) = files();
    let path = entry.opening_path();
    let index = Index::open_entry(&entry.to_bytes(), |asked| {
        assert_eq!(asked, path);
        file.clone()
    });
    assert_eq!(index.unwrap().manifest().stats.n_pages, 1);
}

#[test]
fn errors_name_the_file() {
    let (entry, file) = files();
    let bytes = entry.to_bytes();
    let path = entry.opening_path();
    for damaged in [Vec::new(), file[..file.len() / 2].to_vec(), b"<!doctype html>".to_vec()] {
        let message = message(Index::open_entry(&bytes, |_| damaged));
        assert!(message.starts_with(&path), "{message}");
    }
    // If the file is not an entry file, the error says that it should be one.
    for other in [&b""[..], b"<!doctype html>", &file] {
        let message = message(Index::open_entry(other, |_| unreachable!()));
        assert!(message.contains("findling.idx"), "{message}");
    }
    // The entry file leads to the manifest, even if it is given in place of the manifest.
    let message = message(Index::open(&bytes));
    assert!(message.contains("findling.idx") && message.contains(&path), "{message}");
}
