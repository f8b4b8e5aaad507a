//! Repositories: code and documents, each file by its own kind; and directories that are not
//! repositories.

#![cfg(all(feature = "code", feature = "pdf", feature = "repositories"))]

use std::path::{Path, PathBuf};

use super::*;

/// A directory with files, removed when dropped.
struct Directory {
    root: PathBuf,
    _held: tempfile::TempDir,
}

impl Directory {
    fn with(files: &[(&str, &str)]) -> Self {
        let held = tempfile::tempdir().expect("a directory");
        // A subdirectory is used, because the directory's own name is hidden.
        let directory = Self { root: held.path().join("project"), _held: held };
        for (path, text) in files {
            directory.write(path, text.as_bytes());
        }
        directory
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, bytes).expect("a file");
    }

    /// Returns the pages, and the files that are left out, as `path: reason`.
    fn read(&self) -> (Vec<Page>, Vec<String>) {
        let mut left = Vec::new();
        let pages = read(std::slice::from_ref(&self.root), &Options::default(), &mut |problem| {
            let path = problem.path.strip_prefix(&self.root).unwrap_or(Path::new(""));
            left.push(format!("{}: {}", path.display(), problem.reason));
        });
        (pages, left)
    }

    fn ids(&self) -> Vec<String> {
        self.read().0.into_iter().map(|page| page.id).collect()
    }
}

const PYTHON: &str = "def authenticate(user):\n    return user\n";

#[test]
fn no_kind_of_document_drops_the_code_of_a_repository() {
    let beside = [
        ("src/index.html", "<title>Home</title><p>welcome"),
        ("templates/base.html", "<title>{{ title }}</title><p>base"),
        ("tests/fixture.jsonl", "{\"_id\": \"1\", \"text\": \"x\"}\n"),
        ("data.json", "{\"a\": 1}\n"),
        ("notes.txt", "Some notes\n"),
        ("docs/guide.rst", "Guide\n=====\n\nText.\n"),
        ("docs/guide.md", "# Guide\n\nText.\n"),
        ("refs.bib", "@article{a, title = {A}}\n"),
        ("chat.json", "[{\"role\": \"user\", \"content\": \"hi\"}]\n"),
        ("mail.mbox", "From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\ny\n"),
    ];
    for (path, text) in beside {
        let project = Directory::with(&[
            ("src/auth.py", PYTHON),
            ("src/main.py", PYTHON),
            ("README.md", "# Auth\n\nText.\n"),
            (path, text),
        ]);
        let ids = project.ids();
        for wanted in ["src/auth.py", "src/main.py", "README.md"] {
            assert!(ids.iter().any(|id| id == wanted), "beside {path}: {ids:?}");
        }
    }
}

#[test]
fn each_file_of_a_repository_is_read_by_its_own_kind() {
    let project = Directory::with(&[
        ("Cargo.toml", "[package]\nname = \"kiln\"\n"),
        ("src/lib.rs", "/// Fires.\npub fn fire() {}\n"),
        ("README.md", "# Kiln\n\nFires pots.\n"),
        ("docs/index.html", "<title>Kiln</title><h1>Kiln</h1><p>Rendered words"),
        ("docs/guide.rst", "Guide\n=====\n\nText.\n"),
        ("notes.txt", "Some notes\n\nand more\n"),
        ("package.json", "{\"name\": \"kiln\"}\n"),
        ("book.ipynb", "{\"cells\": [{\"cell_type\": \"markdown\", \"source\": [\"# Cell\"]}]}"),
        ("assets/logo.png", "x"),
    ]);
    project.write("broken.pdf", b"%PDF-1.4 broken");
    let (pages, left) = project.read();
    let told: Vec<String> = pages
        .iter()
        .map(|page| format!("{} {} {:?}", page.url, page.title, page.attributes["language"]))
        .collect();
    let language = |name: &str| format!("String({name:?})");
    let wanted: Vec<String> = [
        ("Cargo.toml", "toml"),
        ("README.md", "markdown"),
        ("book.ipynb", "document"),
        ("docs/guide.rst", "restructuredtext"),
        ("docs/index.html", "html"),
        ("notes.txt", "text"),
        ("package.json", "json"),
        ("src/lib.rs", "rust"),
    ]
    .iter()
    .map(|(path, name)| format!("/{path} {path} {}", language(name)))
    .collect();
    assert_eq!(told, wanted);
    let html = &pages[4].sections;
    let text = |section: &findling_page::page::Section| {
        section.blocks.iter().map(|block| block.text.clone()).collect::<String>()
    };
    assert!(html.iter().any(|section| text(section) == "Rendered words"), "{html:?}");
    let told = |path: &str| left.iter().any(|line| line.starts_with(path));
    assert!(told("assets/logo.png: is of a kind that is not read: .png"), "{left:?}");
    assert!(told("broken.pdf: "), "{left:?}");
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_repository_with_more_documents_than_files_of_code_keeps_its_code() {
    let mut files = vec![
        ("pyproject.toml".to_owned(), "[project]\nname = \"x\"\n"),
        ("src/x.py".to_owned(), PYTHON),
        ("tests/test_x.py".to_owned(), PYTHON),
    ];
    files.extend((0..7).map(|i| (format!("docs/{i}.md"), "# Page\n\nText.\n")));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
    assert_eq!(Directory::with(&files).ids().len(), 10);
}

#[test]
fn a_site_with_scripts_stays_a_site() {
    let rendered = Directory::with(&[
        ("index.html", "<title>Home</title><p>h"),
        ("guide.html", "<title>Guide</title><p>g"),
        ("app.js", "let a;"),
        ("search.js", "let a;"),
        ("more.js", "let a;"),
        ("serve.py", PYTHON),
    ]);
    assert_eq!(rendered.ids(), ["guide.html", "index.html"]);
    let sources = Directory::with(&[
        ("package.json", "{}"),
        ("docusaurus.config.js", "module.exports = {};"),
        ("docs/a.md", "# A\n\nText.\n"),
        ("docs/b.md", "# B\n\nText.\n"),
        ("docs/c.md", "# C\n\nText.\n"),
        ("src/page.tsx", "export default () => null;"),
    ]);
    assert_eq!(sources.ids(), ["docs/a.md", "docs/b.md", "docs/c.md"]);
    let records = Directory::with(&[
        ("records.jsonl", "{\"_id\": \"1\", \"text\": \"x\"}\n"),
        ("convert.py", PYTHON),
    ]);
    assert_eq!(records.ids(), ["1"]);
    let notes = Directory::with(&[
        ("a.md", "# A\n\nText.\n"),
        ("b.md", "# B\n\nText.\n"),
        ("plot.py", PYTHON),
    ]);
    assert_eq!(notes.ids(), ["a.md", "b.md"]);
}

#[test]
fn what_programs_fill_is_no_part_of_a_repository() {
    let project = Directory::with(&[
        ("main.go", "package main\nfunc main() {}\n"),
        ("node_modules/left/index.js", "module.exports = 1;"),
        ("__pycache__/a.py", PYTHON),
        ("out/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55"),
        ("out/built.rs", "fn built() {}"),
        ("env/pyvenv.cfg", "home = /usr/bin\n"),
        ("env/lib/b.py", PYTHON),
        ("package-lock.json", "{}"),
    ]);
    let (pages, left) = project.read();
    assert_eq!(pages.iter().map(|page| &*page.id).collect::<Vec<_>>(), ["main.go"]);
    assert!(left.iter().any(|line| line.contains("package-lock.json")), "{left:?}");
}

#[test]
fn large_data_is_left_out_and_large_code_is_not() {
    let rows = "{\"a\": 1}\n".repeat(9_000);
    let code = "fn a() {}\n".repeat(9_000);
    let project = Directory::with(&[("data.json", &rows), ("src/a.rs", &code)]);
    let (pages, left) = project.read();
    assert_eq!(pages.iter().map(|page| &*page.id).collect::<Vec<_>>(), ["src/a.rs"]);
    assert!(left[0].starts_with("data.json: is a file of data over"), "{left:?}");
}
