use std::fs;

use super::*;
use crate::index::write::{BundleWriter, Shape};
use crate::index::{Job, Options, build};
use crate::page::{Block, Page, Section};
use findling_encoder::BoxedEncoder;

#[test]
fn every_damaged_or_missing_file_is_named() {
    let block =
        Block { text: "some words".into(), code: vec![], is_code_block: false, weight: 1.0 };
    let section = Section { blocks: vec![block], ..Section::default() };
    let mut page = Page {
        id: "a".into(),
        url: "/a".into(),
        title: "A".into(),
        sections: vec![section],
        ..Page::default()
    };
    page.attributes.insert("kind".into(), findling_bundle::AttributeValue::String("x".into()));
    let encoder: BoxedEncoder = Box::new(findling_encoder::hash::HashEncoder::new(8));
    let options = Options { graph_from: 1, cells: true, ..Options::default() };
    let job = Job { pages: vec![page], encoder: Some(&encoder), options, ..Job::default() };
    let bundle = build(job, &Ui::silent()).unwrap().bundle;
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    BundleWriter::new(&out, Shape::Directory, &bundle).write().unwrap();

    let look = || inspect(&BundleFiles::open(&out).unwrap(), &Ui::silent());
    let contents = look();
    assert_eq!(contents.damage, [""; 0]);
    assert_eq!((contents.pages, contents.vectors), (1, 1));
    assert_eq!((contents.attributes[0].count, contents.attributes[0].values), (1, Some(1)));
    assert!(contents.graph.is_some());
    serde_json::to_string(&contents).unwrap();

    for (name, _) in bundle.stored() {
        let path = out.join(&name);
        let honest = fs::read(&path).unwrap();
        let mut spoilt = honest.clone();
        *spoilt.last_mut().unwrap() ^= 1;
        fs::write(&path, spoilt).unwrap();
        let damage = look().damage;
        assert!(damage.len() == 1 && damage[0].contains(&name), "{damage:?}");
        fs::remove_file(&path).unwrap();
        assert_eq!(look().damage.len(), 1);
        fs::write(&path, honest).unwrap();
    }
    assert!(look().damage.is_empty());
}
