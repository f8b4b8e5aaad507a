//! Tables among the inputs of a build.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::error::Error;
use walkdir::WalkDir;

/// Returns the tables among inputs that are all tables: files whose names end in `.parquet`, and
/// directories that hold only such files, as data engines write them. `None` if the inputs are
/// sources.
///
/// # Errors
/// If only some inputs are tables.
pub fn find(inputs: &[PathBuf]) -> Result<Option<Vec<PathBuf>>, Error> {
    let found: Vec<Option<Vec<PathBuf>>> = inputs.iter().map(|input| tables(input)).collect();
    let n_tables = found.iter().flatten().count();
    if n_tables == 0 {
        return Ok(None);
    }
    if let Some(other) = found.iter().position(Option::is_none) {
        return Err(Error::Sources { path: inputs[other].clone() });
    }
    Ok(Some(found.into_iter().flatten().flatten().collect()))
}

/// Returns whether a file is a table by its name.
pub fn is_table(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"))
}

/// Returns whether data engines use this name for files that are not tables, such as `_SUCCESS`.
fn is_passed_over(name: &OsStr) -> bool {
    name.as_encoded_bytes().first().is_some_and(|first| matches!(first, b'.' | b'_'))
}

fn tables(input: &Path) -> Option<Vec<PathBuf>> {
    if !input.is_dir() {
        return is_table(input).then(|| vec![input.to_owned()]);
    }
    let mut found = Vec::new();
    let entries = WalkDir::new(input).min_depth(1).sort_by_file_name().into_iter();
    for entry in entries.filter_entry(|entry| !is_passed_over(entry.file_name())) {
        let entry = entry.ok()?;
        match entry.file_type().is_dir() {
            true => {}
            false if is_table(entry.path()) => found.push(entry.into_path()),
            false => return None,
        }
    }
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_directory_of_tables_alone_is_read_as_tables() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            path
        };
        let second = write("tables/b/part-0.parquet");
        let first = write("tables/a.parquet");
        write("tables/_SUCCESS");
        write("tables/.a.parquet.crc");
        let (site, tables) = (dir.path().join("site"), dir.path().join("tables"));
        write("site/data.parquet");
        write("site/index.html");
        assert_eq!(find(std::slice::from_ref(&tables)).unwrap(), Some(vec![first.clone(), second]));
        assert_eq!(find(std::slice::from_ref(&first)).unwrap(), Some(vec![first.clone()]));
        assert_eq!(find(std::slice::from_ref(&site)).unwrap(), None);
        assert!(matches!(find(&[first, site]), Err(Error::Sources { .. })));
    }
}
