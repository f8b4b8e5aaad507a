//! A site in memory gives the bundle that the same site on a disk gives. Another test checks that
//! the WebAssembly module gives it too (`tests/integrations/playground.test.mjs`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use findling_base::progress::Silent;
use findling_index::write::{self, Shape};
use findling_index::{self as index, Job};
use findling_playground::{Files, Site};
use findling_read::{self as sources, Options};

type Bundle = BTreeMap<String, Vec<u8>>;

/// Adds the files below a directory to `found`, by their paths in it.
fn files_below(directory: &Path, below: &str, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}{}", path.file_name().unwrap().to_string_lossy());
        if path.is_dir() {
            files_below(&path, &format!("{name}/"), found);
        } else {
            found.push((name, std::fs::read(&path).unwrap()));
        }
    }
}

fn from_memory(directory: &Path) -> Bundle {
    let mut found = Vec::new();
    files_below(directory, "folder/", &mut found);
    // Browsers list files in an order of their own.
    found.reverse();
    let mut files = Files::default();
    for (path, bytes) in found {
        files.add(path, bytes).unwrap();
    }
    let mut site = Site::of(files, "/docs/");
    let mut n_steps = 0;
    while site.next_file().is_some() {
        site.step();
        n_steps += 1;
    }
    assert_eq!(n_steps, site.n_files());
    let built = site.build().unwrap();
    assert_eq!(built.shown.len(), built.n_pages);
    built.files().unwrap().into_iter().collect()
}

fn from_disk(directory: &Path) -> Bundle {
    let options = Options { base_url: "/docs/".to_owned(), ..Options::default() };
    let pages = sources::read(&[directory.to_owned()], &options, &mut |_| {});
    assert!(!pages.is_empty());
    let bundle = index::build(Job { pages, ..Job::default() }, &Silent).unwrap().bundle;
    let files = write::files(&bundle, Shape::Directory, Vec::new()).unwrap();
    files.into_iter().map(|file| (file.path, file.contents.into_owned())).collect()
}

#[test]
fn a_site_in_memory_gives_the_bundle_of_the_site_on_a_disk() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut sites: Vec<PathBuf> =
        ["docs", "build/tests/extraction"].map(|name| root.join(name)).into();
    for topic in std::fs::read_dir(root.join("tests/ranking")).unwrap() {
        sites.push(topic.unwrap().path().join("pages"));
    }
    let mut n_sites = 0;
    for site in sites.iter().filter(|site| site.is_dir()) {
        let (memory, disk) = (from_memory(site), from_disk(site));
        assert!(memory.keys().eq(disk.keys()), "{}: other files", site.display());
        assert!(memory == disk, "{}: other bytes", site.display());
        n_sites += 1;
    }
    assert!(n_sites > 20, "{n_sites} sites");
}

#[test]
fn a_folder_without_pages_is_told() {
    let mut files = Files::default();
    files.add("folder/logo.png".to_owned(), vec![0; 9]).unwrap();
    assert!(Site::of(files, "").build().is_err());
}

#[test]
fn hostile_names_and_contents_stay_text() {
    let mut files = Files::default();
    for (path, text) in [
        (
            "f/../../etc/<img src=x onerror=alert(1)>.md",
            "# <script>alert(1)</script>\n\nText of a.",
        ),
        ("f/%2e%2e/\u{202e}b\u{7}.html", "<h1>B</h1><p>Text of b.</p><script>c()</script>"),
        ("f//c.md", "---\ntitle: [\n---\nText of c."),
    ] {
        files.add(path.to_owned(), text.as_bytes().to_vec()).unwrap();
    }
    let mut site = Site::of(files, "https://example.org/#/");
    site.step();
    let built = site.build().unwrap();
    for (url, page) in &built.shown {
        let path = url.strip_prefix("https://example.org/#/").unwrap();
        assert!(!path.contains(['<', '>', '\u{7}']) && !path.contains("../"), "{url}");
        assert!(!page.file.contains("../"), "{}", page.file);
    }
}
