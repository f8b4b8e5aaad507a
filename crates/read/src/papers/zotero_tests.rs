//! A library of Zotero as its versions 5 to 7 write it, without the tables that are not read.

use std::path::PathBuf;

use super::*;
use crate::{Options, Tree};

const SCHEMA: &str = "
    CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT);
    CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT, key TEXT, libraryID INT);
    CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY, dateDeleted TEXT);
    CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT);
    CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value);
    CREATE TABLE itemData (itemID INT, fieldID INT, valueID INT);
    CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
    CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT,
        fieldMode INT);
    CREATE TABLE itemCreators (itemID INT, creatorID INT, creatorTypeID INT, orderIndex INT);
    CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE itemTags (itemID INT, tagID INT, type INT);
    CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT,
        parentCollectionID INT);
    CREATE TABLE collectionItems (collectionID INT, itemID INT, orderIndex INT);
    CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT,
        contentType TEXT, path TEXT);
    CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT);
    INSERT INTO itemTypes VALUES (1, 'journalArticle'), (2, 'attachment'), (3, 'note'),
        (4, 'annotation'), (5, 'book'), (6, 'podcast');
    INSERT INTO creatorTypes VALUES (1, 'author'), (2, 'editor'), (3, 'podcaster');
    INSERT INTO fields VALUES (1, 'title'), (2, 'date'), (3, 'publicationTitle'), (4, 'DOI'),
        (5, 'abstractNote'), (6, 'extra'), (7, 'volume'), (8, 'publisher');
    INSERT INTO items VALUES (10, 1, 'ABCD1234', 1), (11, 2, 'FILE5678', 1), (12, 3, 'NOTE0001', 1),
        (13, 4, 'ANNO0001', 1), (14, 5, 'GONE0001', 1), (15, 5, 'BOOK0001', 1),
        (16, 3, 'NOTE0002', 1), (17, 6, 'POD00001', 1), (18, 2, 'LINK0001', 1);
    INSERT INTO deletedItems VALUES (14, '2024-01-01');
    INSERT INTO itemDataValues VALUES (1, 'Pools &amp; <i>queues</i>'),
        (2, '2019-03-21 March 21, 2019'), (3, 'Systems Letters'),
        (4, 'https://doi.org/10.1000/pools'), (5, 'We watch services.'),
        (6, 'Citation Key: silva2019' || char(10) || 'tex.note: x'), (7, 12),
        (8, 'A book in the bin'), (9, 'Kilns'), (10, 'Oven Press'),
        (11, '2006-00-00 2006'), (12, 'Talks of fire');
    INSERT INTO itemData VALUES (10, 1, 1), (10, 2, 2), (10, 3, 3), (10, 4, 4), (10, 5, 5),
        (10, 6, 6), (10, 7, 7), (14, 1, 8), (15, 1, 9), (15, 8, 10), (15, 2, 11), (17, 1, 12);
    INSERT INTO creators VALUES (1, 'Ana', 'Silva', 0), (2, '', 'World Health Organization', 1),
        (3, 'Per', 'Berg', 0);
    INSERT INTO itemCreators VALUES (10, 2, 1, 1), (10, 1, 1, 0), (10, 3, 2, 2), (15, 3, 2, 0),
        (17, 3, 3, 0);
    INSERT INTO tags VALUES (1, 'pools'), (2, 'to read');
    INSERT INTO itemTags VALUES (10, 2, 0), (10, 1, 1);
    INSERT INTO collections VALUES (1, 'Computing', NULL), (2, 'Queues', 1), (3, 'Loop', 3);
    INSERT INTO collectionItems VALUES (2, 10, 0), (3, 15, 0);
    INSERT INTO itemAttachments VALUES (11, 10, 1, 'application/pdf', 'storage:Silva 2019.pdf'),
        (18, 10, 2, 'application/pdf', '/home/ana/silva.pdf');
    INSERT INTO itemNotes VALUES
        (12, 10, '<div class=\"zotero-note\"><p>Doubts</p><p>Forty services are few.<br/>\
         Ask Ben.</p></div>', 'Doubts'),
        (16, NULL, '<p>Plan of the thesis</p><ul><li>Kilns first</li></ul>', 'Plan of the thesis');
";

const ANNOTATIONS: &str = "
    CREATE TABLE itemAnnotations (itemID INTEGER PRIMARY KEY, parentItemID INT, type INT, text TEXT,
        comment TEXT, color TEXT, pageLabel TEXT, sortIndex TEXT);
    INSERT INTO itemAnnotations VALUES (13, 11, 1, 'pools starve', 'why?', '', '7', '00006'),
        (20, 11, 2, NULL, 'Compare with chapter 2', '', '3', '00002'),
        (21, 11, 3, NULL, NULL, '', '9', '00009');
";

fn library(directory: &Path, sql: &[&str]) -> PathBuf {
    let path = directory.join("zotero.sqlite");
    let connection = Connection::open(&path).unwrap();
    for sql in sql {
        connection.execute_batch(sql).unwrap();
    }
    path
}

fn read_file(path: &Path) -> (Vec<Paper>, Notes, Outcome) {
    let (mut notes, mut outcome) = (Notes::default(), Outcome::default());
    let papers = read(&std::fs::read(path).unwrap(), path, &mut notes, &mut outcome);
    (papers, notes, outcome)
}

#[test]
fn items_have_their_fields_people_collections_tags_files_and_remarks() {
    let directory = tempfile::tempdir().unwrap();
    let path = library(directory.path(), &[SCHEMA, ANNOTATIONS]);
    let (papers, notes, _) = read_file(&path);
    assert!(notes.is_empty());
    let keys: Vec<&str> = papers.iter().map(|paper| paper.key.as_str()).collect();
    assert_eq!(keys, ["silva2019", "BOOK0001", "NOTE0002", "POD00001"], "the bin is left out");

    let first = &papers[0];
    assert_eq!((first.title.as_str(), first.kind), ("Pools & queues", Kind::Article));
    let names: Vec<String> = first.authors.iter().map(Author::name).collect();
    assert_eq!(names, ["Ana Silva", "World Health Organization"]);
    assert_eq!(first.editors[0].family, "Berg");
    assert_eq!((first.year, &first.date[..]), (Some(2019), &[2019, 3, 21][..]));
    assert_eq!((first.venue.as_str(), first.volume.as_str()), ("Systems Letters", "12"));
    assert_eq!(first.doi, "10.1000/pools");
    assert_eq!(first.keywords, ["pools", "to read"]);
    assert_eq!(first.groups, ["Queues", "Computing"]);
    assert_eq!(first.files, ["storage/FILE5678/Silva 2019.pdf", "/home/ana/silva.pdf"]);
    let remarks: Vec<(&str, Vec<&str>)> = first
        .remarks
        .iter()
        .map(|one| (one.title.as_str(), one.text.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(
        remarks,
        [
            ("Doubts", vec!["Doubts", "Forty services are few.", "Ask Ben."]),
            ("Annotations", vec!["Compare with chapter 2 (p. 3)", "“pools starve” why? (p. 7)"]),
        ]
    );

    let book = &papers[1];
    assert_eq!((book.authors[0].family.as_str(), book.year), ("Berg", Some(2006)));
    assert_eq!((book.venue.as_str(), &book.groups[..]), ("Oven Press", &["Loop".to_owned()][..]));
    assert_eq!(papers[2].title, "Plan of the thesis");
    assert_eq!((papers[3].authors[0].family.as_str(), papers[3].kind), ("Berg", Kind::Other));
}

#[test]
fn changes_that_are_not_yet_in_the_file_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = library(directory.path(), &["PRAGMA journal_mode = WAL", SCHEMA]);
    let writer = Connection::open(&path).unwrap();
    writer
        .execute_batch(
            "PRAGMA wal_autocheckpoint = 0;
             INSERT INTO items VALUES (30, 5, 'LATE0001', 1);
             INSERT INTO itemData VALUES (30, 1, 9);",
        )
        .unwrap();
    let (papers, _, outcome) = read_file(&path);
    assert!(papers.iter().any(|paper| paper.key == "LATE0001"));
    assert!(outcome.may_change, "the file does not show when it changes");
    drop(writer);
}

#[test]
fn a_directory_with_a_library_is_papers_beside_pages_of_the_web() {
    let directory = tempfile::tempdir().unwrap();
    library(directory.path(), &[SCHEMA]);
    for (path, text) in
        [("SNAP0001/page.html", "<h1>Kept</h1>"), ("FILE5678/Silva 2019.txt", "Text.")]
    {
        let path = directory.path().join("storage").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let mut told = Vec::new();
    let inputs = [directory.path().to_owned()];
    let options = Options { tree: Tree::default(), ..Options::default() };
    let pages = crate::read(&inputs, &options, &mut |problem| told.push(problem.reason.clone()));
    let titles: Vec<&str> = pages.iter().map(|page| page.title.as_str()).collect();
    assert!(titles.contains(&"Pools & queues"), "{titles:?} {told:?}");
}

#[test]
fn what_is_no_library_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("zotero.sqlite");
    let other = library(directory.path(), &["CREATE TABLE items (itemID INT)"]);
    for bytes in [std::fs::read(other).unwrap(), b"SQLite format 3\0cut".to_vec(), Vec::new()] {
        std::fs::write(&path, bytes).unwrap();
        let (papers, notes, _) = read_file(&path);
        assert!(papers.is_empty() && !notes.is_empty());
    }
}
