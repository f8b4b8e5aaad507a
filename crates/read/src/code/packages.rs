//! The pages of packages: their attributes, and the descriptions of distributions of Python.

use super::super::RawPage;
use super::super::attributes::Raw;
use super::super::file::File;
use super::super::package::Package;

/// The attribute with the name of the package.
pub(super) const PACKAGE: &str = "package";

/// Factor of the scores of lists of changes, which repeat the words of everything.
const CHANGES: f64 = 0.5;

/// Gives a page the attributes of its package. Returns the factor of its score.
pub(super) fn describe(raw: &mut RawPage, package: &Package, file: &File) -> f64 {
    let Package { ecosystem, name, version } = package;
    for (attribute, value) in [(PACKAGE, name), ("version", version), ("ecosystem", ecosystem)] {
        raw.attributes.insert(attribute.to_owned(), Raw::Text(value.clone()));
    }
    let name = file.id.rsplit('/').next().unwrap_or(&file.id).to_ascii_uppercase();
    let is_of_changes = ["CHANGELOG", "CHANGES", "HISTORY", "NEWS", "RELEASES"]
        .iter()
        .any(|known| name.starts_with(known));
    if is_of_changes { CHANGES } else { 1.0 }
}

/// Returns the description in the `METADATA` of a distribution of Python, and the end of the name
/// of a file in its format. The header's lines are empty in it, so that lines keep their numbers.
pub(super) fn description(file: &File, text: &str) -> Option<(&'static str, String)> {
    let is_metadata = file.package.is_some() && file.path.file_name()? == "METADATA";
    // A description that was read gets a path of its format.
    if !is_metadata {
        return None;
    }
    let text = text.replace("\r\n", "\n");
    let end = text.find("\n\n").unwrap_or(text.len());
    let (head, body) = text.split_at(end);
    let kind = head.lines().find_map(|line| line.strip_prefix("Description-Content-Type:"));
    let format = match kind.map(|kind| kind.trim().to_ascii_lowercase()) {
        Some(kind) if kind.starts_with("text/markdown") => "md",
        _ => "rst",
    };
    let summary = head
        .lines()
        .enumerate()
        .find_map(|(at, line)| Some((at, line.strip_prefix("Summary:")?.trim().to_owned())));
    let mut lines: Vec<String> = head.lines().map(|_| String::new()).collect();
    if let Some((at, summary)) = summary {
        lines[at] = summary;
    }
    Some((format, lines.join("\n") + body))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::super::super::{Listing, Options, PackageFile, page_cache::PageCache, read_cached};
    use super::*;
    use findling_base::progress::Counter;
    #[cfg(feature = "code")]
    use findling_bundle::AttributeValue;
    use findling_page::page::Page;

    fn read(files: &[(&str, &str)], directory: &std::path::Path) -> Vec<Page> {
        let package = Arc::new(Package {
            ecosystem: "cargo".to_owned(),
            name: "kiln".to_owned(),
            version: "1.2.0".to_owned(),
        });
        let files = files.iter().map(|(name, text)| {
            let path = directory.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            PackageFile { package: package.clone(), id: format!("kiln@1.2.0/{name}"), path }
        });
        let listing = Listing::of_packages(files.collect(), vec![directory.to_owned()], Vec::new());
        let cache = PageCache::open(&directory.join("../pages"), None)
            .with_listing(Some(&listing))
            .shared(true);
        let inputs = [directory.to_owned()];
        let on_problem = &mut |problem| panic!("{problem:?}");
        let bar = Counter::default();
        read_cached(&inputs, &Options::default(), Some(cache), &bar, on_problem).pages
    }

    #[cfg(feature = "code")]
    fn string(value: &str) -> Option<AttributeValue> {
        Some(AttributeValue::String(value.to_owned()))
    }

    #[test]
    #[cfg(feature = "code")]
    fn pages_have_the_attributes_of_their_package_and_sections_their_visibility() {
        let dir = tempfile::tempdir().unwrap();
        let rust = "/// Fires a kiln.\npub fn fire() {\n    heat();\n}\n\nfn heat() {\n    \
                    burn();\n}\n\npub struct Kiln;\n\nimpl Kiln {\n    /// Cools.\n    pub fn \
                    cool(&self) {\n        wait();\n    }\n\n    pub(crate) fn stop(&self) {\n  \
                          wait();\n    }\n}\n\nimpl Drop for Kiln {\n    fn drop(&mut self) {\n   \
                         wait();\n    }\n}\n";
        let python = "def fire():\n    \"\"\"Fires.\"\"\"\n    return 1\n\n\ndef \
                      _heat():\n    return 2\n";
        let files = [("src/lib.rs", rust), ("kiln.py", python), ("CHANGELOG.md", "# 1.2.0\n\nA.")];
        let pages = read(&files, &dir.path().join("one"));
        let page = |id: &str| pages.iter().find(|page| page.id.ends_with(id)).unwrap();
        let lib = page("src/lib.rs");
        assert_eq!(lib.title, "kiln@1.2.0/src/lib.rs");
        for (name, value) in [("package", "kiln"), ("version", "1.2.0"), ("ecosystem", "cargo")] {
            assert_eq!(lib.attributes.get(name).cloned(), string(value));
        }
        let visibility = |page: &Page, heading: &str| {
            let section = page.sections.iter().find(|section| section.heading.contains(heading));
            section.unwrap().attributes.get("visibility").cloned()
        };
        for (heading, expected) in [
            ("fire", "public"),
            ("heat", "private"),
            ("Kiln::cool", "public"),
            ("Kiln::stop", "private"),
            ("Kiln::drop", "public"),
        ] {
            assert_eq!(visibility(lib, heading), string(expected), "{heading}");
        }
        assert_eq!(visibility(page("kiln.py"), "fire"), string("public"));
        assert_eq!(visibility(page("kiln.py"), "_heat"), string("private"));
        assert!(page("CHANGELOG.md").attributes.contains_key("search_boost"), "counts less");
    }

    #[test]
    fn a_package_is_parsed_once_wherever_it_lies() {
        let dir = tempfile::tempdir().unwrap();
        let files = [("src/lib.rs", "pub fn fire() {}\n")];
        let first = read(&files, &dir.path().join("one"));
        let length = || std::fs::metadata(dir.path().join("pages")).unwrap().len();
        let before = length();
        assert_eq!(read(&files, &dir.path().join("two")), first);
        assert_eq!(length(), before, "nothing was added");
        let other = [("src/lib.rs", "pub fn cool() {}\n")];
        assert_ne!(read(&other, &dir.path().join("two")), first, "other contents under its name");
        assert!(length() > before);
    }

    #[test]
    fn the_description_of_a_distribution_keeps_its_lines() {
        let package = Arc::new(Package {
            ecosystem: "pypi".to_owned(),
            name: "kiln".to_owned(),
            version: "1".to_owned(),
        });
        let file = File {
            id: "kiln@1/kiln-1.dist-info/METADATA".to_owned(),
            path: PathBuf::from("kiln-1.dist-info/METADATA"),
            format: super::super::super::Format::Code,
            package: Some(package),
        };
        let text = "Metadata-Version: 2.1\nSummary: Fires.\nDescription-Content-Type: \
                    text/markdown; charset=UTF-8\n\n# Kiln\n\nA kiln.\n";
        let (format, text) = description(&file, text).unwrap();
        assert_eq!(format, "md");
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            ["", "Fires.", "", "", "# Kiln", "", "A kiln."]
        );
        let plain = description(&file, "Name: kiln\n\nKiln\n====\n").unwrap();
        assert_eq!(plain.0, "rst");
        assert!(description(&File { package: None, ..file }, "x").is_none());
    }
}
