//! `requirements.txt`: a line for each package, and further files of lines.

use std::path::{Component, Path, PathBuf};

use findling_base::regular_file;

use super::Content;
use crate::package::{Ecosystem, Package};

/// Most files that one file includes, with those that these include.
const MAX_FILES: usize = 32;

/// Largest file that is included, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// Parses requirements. Files that they include (`-r base.txt`) are read below `directory` only.
pub(crate) fn parse(text: &str, directory: &Path) -> Result<Content, String> {
    let mut content = Content::default();
    let mut waiting: Vec<PathBuf> = Vec::new();
    let mut n_files = 0;
    read(text, Path::new(""), &mut content, &mut waiting);
    while let Some(file) = waiting.pop() {
        n_files += 1;
        if n_files > MAX_FILES {
            return Err(format!("more than {MAX_FILES} files that it includes"));
        }
        match included(directory, &file) {
            Some(text) => {
                let below = file.parent().unwrap_or(Path::new("")).to_owned();
                read(&text, &below, &mut content, &mut waiting);
            }
            None => content.refused.push(format!("-r {}", file.display())),
        }
    }
    Ok(content)
}

/// Returns the text of an included file, if it lies below the directory, links followed.
fn included(directory: &Path, file: &Path) -> Option<String> {
    if !file.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return None;
    }
    let real = directory.join(file).canonicalize().ok()?;
    if !real.starts_with(directory.canonicalize().ok()?) {
        return None;
    }
    String::from_utf8(regular_file::read(&real, MAX_BYTES).ok()?).ok()
}

fn read(text: &str, below: &Path, content: &mut Content, waiting: &mut Vec<PathBuf>) {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    for line in joined.lines() {
        let line = match line.find(" #") {
            Some(at) => &line[..at],
            None => line,
        };
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let words = || line.split([' ', '=']).filter(|word| !word.is_empty());
        if line.starts_with('-') {
            let mut words = words();
            if matches!(words.next(), Some("-r" | "--requirement"))
                && let Some(file) = words.next()
            {
                waiting.push(below.join(file));
            }
            continue;
        }
        if let Some(package) = requirement(line) {
            content.packages.push(package);
        } else {
            content.refused.push(line.to_owned());
        }
    }
}

/// Returns the package of a line: `name[extra]==1.0; marker --hash=…`.
fn requirement(line: &str) -> Option<Package> {
    let line = line.split(" --").next()?.split(';').next()?.trim();
    let end = line.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)));
    let (name, rest) = line.split_at(end.unwrap_or(line.len()));
    let rest = rest.trim();
    let rest = match rest.strip_prefix('[') {
        Some(extras) => extras.split_once(']')?.1.trim(),
        None => rest,
    };
    let pinned = rest.strip_prefix("===").or_else(|| rest.strip_prefix("=="));
    let version = pinned.map(str::trim).filter(|version| !version.contains(['*', ',']));
    // What is behind the name says which versions fit, or where it comes from.
    let is_known = rest.is_empty() || rest.starts_with(['=', '>', '<', '~', '!', '@', '(']);
    if !is_known {
        return None;
    }
    Package::new(Ecosystem::Pypi, name, version.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_packages_with_and_without_versions() {
        let directory = tempfile::tempdir().unwrap();
        let below = directory.path().join("app");
        std::fs::create_dir_all(below.join("more")).unwrap();
        std::fs::write(below.join("more/base.txt"), "idna==3.7\n-r ../../out.txt\n").unwrap();
        std::fs::write(directory.path().join("out.txt"), "secret==1\n").unwrap();
        let text = "# a comment\nrequests[socks]==2.32.3 ; python_version > \"3\" # why\n\
                    certifi==2024.7.4 \\\n    --hash=sha256:1 \\\n    --hash=sha256:2\n\
                    flask>=2,<4\nurllib3\nrich == 13.*\n-r more/base.txt\n--index-url \
                    https://example.org\n-e .\ntool @ https://example.org/tool.zip\n\
                    https://example.org/x.whl\n../../etc\n";
        let content = parse(text, &below).unwrap();
        let labels: Vec<String> = content.packages.iter().map(Package::label).collect();
        let expected =
            ["requests@2.32.3", "certifi@2024.7.4", "flask", "urllib3", "rich", "tool", "idna@3.7"];
        assert_eq!(labels, expected);
        assert_eq!(content.refused.len(), 3, "{:?}", content.refused);
        std::fs::write(below.join("loop.txt"), "-r loop.txt\n").unwrap();
        assert!(parse("-r loop.txt\n", &below).is_err());
    }
}
