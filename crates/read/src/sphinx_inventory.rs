//! The file `objects.inv` of Sphinx: it lists which section of which page documents which function,
//! class or option.
//!
//! The file has a head of four lines. After it comes, packed with zlib, a line for each object:
//! `name domain:role priority uri title`. A `$` at the end of the address means the name (Sphinx,
//! `sphinx/util/inventory.py`, version 2 of the format).

use std::collections::{BTreeSet, HashMap};
use std::io::Read;
use std::path::{Path, PathBuf};

use findling_bundle::AttributeValue;
use flate2::read::ZlibDecoder;

use super::tree::Tree;
use super::{Format, RawPage};
use findling_page::page::Section;

/// The name of the file, in the root of the site.
const FILE: &str = "objects.inv";
/// The first line of the file.
const HEAD: &[u8] = b"# Sphinx inventory version 2\n";
/// Number of lines before the packed part.
const HEAD_LINES: usize = 4;
/// Largest file, packed and unpacked. The inventory of CPython's documentation has 0.9 MB unpacked.
const MAX_BYTES: u64 = 64 << 20;

/// Roles of places in texts. They are not objects of an interface.
const PLACES: [&str; 3] = ["doc", "label", "token"];

/// An object that a section documents.
#[derive(Debug, PartialEq, Eq)]
struct Object {
    name: String,
    /// `py`, `c`, `std`.
    domain: String,
    /// `class`, `function`, `option`.
    kind: String,
}

/// The objects of a site: for each page, by its path below the root, the objects of each anchor.
type Inventory = HashMap<String, HashMap<String, Vec<Object>>>;

/// Gives the sections of API entries the attributes `kind` and `domain`, and pages of modules the
/// module's name as another name, if the site has an inventory.
pub(super) fn apply<'a>(pages: impl Iterator<Item = &'a mut RawPage>, tree: &Tree) {
    let mut inventories: HashMap<PathBuf, Option<Inventory>> = HashMap::new();
    for raw in pages.filter(|raw| raw.format == Some(Format::Html)) {
        let Some((root, below)) = root_of(&raw.path, tree, &mut inventories) else { continue };
        let inventory = inventories.get(&root).and_then(Option::as_ref);
        let Some(anchors) = inventory.and_then(|inventory| inventory.get(&below)) else { continue };
        for section in &mut raw.page.sections {
            let objects = section.anchor.as_ref().and_then(|anchor| anchors.get(anchor));
            if let Some(objects) = objects {
                describe(section, objects);
            }
        }
        let modules = anchors.values().flatten().filter(|object| object.kind == "module");
        for Object { name, .. } in modules {
            if !raw.page.aliases.contains(name) {
                raw.page.aliases.push(name.clone());
            }
        }
        raw.page.aliases.sort();
    }
}

fn describe(section: &mut Section, objects: &[Object]) {
    let set = |values: BTreeSet<&str>| {
        AttributeValue::Strings(values.into_iter().map(str::to_owned).collect())
    };
    let kinds = objects.iter().map(|object| object.kind.as_str()).collect();
    let domains = objects.iter().map(|object| object.domain.as_str()).collect();
    section.attributes.entry("kind".to_owned()).or_insert_with(|| set(kinds));
    section.attributes.entry("domain".to_owned()).or_insert_with(|| set(domains));
}

/// Returns the nearest directory above a page that has an inventory, and the page's path below it
/// with `/`.
fn root_of(
    page: &Path,
    tree: &Tree,
    inventories: &mut HashMap<PathBuf, Option<Inventory>>,
) -> Option<(PathBuf, String)> {
    let root = page.ancestors().skip(1).find(|directory| {
        if !inventories.contains_key(*directory) {
            let file = directory.join(FILE);
            let found = if tree.is_file(&file) { read(&file, tree) } else { None };
            inventories.insert(directory.to_path_buf(), found);
        }
        inventories.get(*directory).is_some_and(Option::is_some)
    })?;
    let below = page.strip_prefix(root).ok()?;
    let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
    Some((root.to_owned(), names.join("/")))
}

/// Reads an inventory; `None` if it is another file with that name.
fn read(file: &Path, tree: &Tree) -> Option<Inventory> {
    if tree.len(file).ok()? > MAX_BYTES {
        return None;
    }
    parse(&tree.start(file, MAX_BYTES))
}

fn parse(bytes: &[u8]) -> Option<Inventory> {
    if !bytes.starts_with(HEAD) {
        return None;
    }
    let mut packed = bytes;
    for _ in 0..HEAD_LINES {
        let end = packed.iter().position(|byte| *byte == b'\n')?;
        packed = &packed[end + 1..];
    }
    let mut lines = Vec::new();
    ZlibDecoder::new(packed).take(MAX_BYTES).read_to_end(&mut lines).ok()?;
    let mut inventory = Inventory::new();
    for line in String::from_utf8_lossy(&lines).lines() {
        let Some((object, page, anchor)) = entry(line) else { continue };
        if !PLACES.contains(&object.kind.as_str()) {
            inventory.entry(page).or_default().entry(anchor).or_default().push(object);
        }
    }
    Some(inventory)
}

/// Returns an object, the path of its page and its anchor. Names may have spaces, and so may
/// titles.
fn entry(line: &str) -> Option<(Object, String, String)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = (1..words.len()).find(|&at| {
        let is_priority = words.get(at + 1).is_some_and(|word| word.parse::<i32>().is_ok());
        is_priority && words[at].contains(':')
    })?;
    let (domain, role) = words[at].split_once(':')?;
    let name = words[..at].join(" ");
    let uri = words.get(at + 2)?;
    let uri = match uri.strip_suffix('$') {
        Some(start) => format!("{start}{name}"),
        None => (*uri).to_owned(),
    };
    let (page, anchor) = uri.split_once('#')?;
    // The builder `dirhtml` names the directory.
    let page = if page.is_empty() || page.ends_with('/') {
        format!("{page}index.html")
    } else {
        page.to_owned()
    };
    let kind = if role == "cmdoption" { "option" } else { role };
    let object = Object { name, domain: domain.to_owned(), kind: kind.to_owned() };
    Some((object, page, anchor.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;
    use findling_page::page::Page;

    fn inventory(lines: &str) -> Vec<u8> {
        let mut bytes = [HEAD, b"# Project: Kilns\n# Version: 1\n# zlib:\n"].concat();
        let mut encoder = ZlibEncoder::new(&mut bytes, Compression::default());
        encoder.write_all(lines.as_bytes()).unwrap();
        encoder.finish().unwrap();
        bytes
    }

    #[test]
    fn lines_name_an_object_its_page_and_its_anchor() {
        let read = |line: &str| {
            let (object, page, anchor) = entry(line)?;
            Some([object.name, object.domain, object.kind, page, anchor].join(" | "))
        };
        let expect = |line: &str, expected: &str| {
            assert_eq!(read(line).as_deref(), Some(expected), "{line}");
        };
        expect(
            "kiln.fire py:function 1 api.html#$ -",
            "kiln.fire | py | function | api.html | kiln.fire",
        );
        expect(
            "kilnctl.--reset std:cmdoption 1 cli/#cmdoption-kilnctl-$ --reset",
            "kilnctl.--reset | std | option | cli/index.html | cmdoption-kilnctl-kilnctl.--reset",
        );
        expect(
            "a name 2 of words std:term -1 glossary.html#term-a-name A title",
            "a name 2 of words | std | term | glossary.html | term-a-name",
        );
        for line in [
            "",
            "kiln",
            "kiln py:function",
            "kiln py:function 1",
            "a b c d",
            "x std:doc 1 y.html Y",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn other_and_damaged_files_are_no_inventories() {
        assert!(parse(b"").is_none());
        assert!(parse(b"# Sphinx inventory version 1\nkiln mod api.html").is_none());
        assert!(parse(HEAD).is_none());
        let mut cut = inventory("kiln.fire py:function 1 api.html#$ -\n");
        cut.truncate(cut.len() - 8);
        assert!(parse(&cut).is_none());
    }

    #[test]
    fn sections_get_kinds_and_pages_of_modules_their_names() {
        let site = tempfile::tempdir().unwrap();
        let lines = "kiln py:module 0 docs/api.html#module-$ -\n\
                     kiln.fire py:function 1 docs/api.html#$ -\n\
                     api std:label -1 docs/api.html#api The interface\n";
        std::fs::write(site.path().join(FILE), inventory(lines)).unwrap();
        let section =
            |anchor: &str| Section { anchor: Some(anchor.to_owned()), ..Section::default() };
        let page = |path: &str, format: Format| RawPage {
            path: site.path().join(path),
            format: Some(format),
            page: Page { sections: vec![section("kiln.fire"), section("api")], ..Page::default() },
            ..RawPage::default()
        };
        let mut pages = [
            page("docs/api.html", Format::Html),
            page("docs/other.html", Format::Html),
            page("docs/api.html", Format::Markdown),
        ];
        apply(pages.iter_mut(), &Tree::default());
        let kinds = |page: &RawPage, at: usize| page.page.sections[at].attributes.clone();
        let set = |value: &str| AttributeValue::Strings([value.to_owned()].into());
        let expected = [("domain".to_owned(), set("py")), ("kind".to_owned(), set("function"))];
        assert_eq!(kinds(&pages[0], 0), BTreeMap::from(expected));
        assert!(kinds(&pages[0], 1).is_empty());
        assert_eq!(pages[0].page.aliases, ["kiln"]);
        for other in &pages[1..] {
            assert!(kinds(other, 0).is_empty() && other.page.aliases.is_empty());
        }
    }
}
