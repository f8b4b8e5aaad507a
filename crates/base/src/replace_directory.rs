//! Replacing a directory so that a reader sees either the old or the new one.

use std::fs;
use std::io;
use std::path::Path;

use crate::replace_file::sync_directory;

/// Replaces `old` by `new`, a directory or a file beside it, and removes the old one. `new` must be
/// on disk already ([`sync_tree`](crate::replace_file::sync_tree)). On Linux and macOS this is
/// atomic: at any moment `old` is the old directory or the new one. Elsewhere it takes two renames,
/// and the first is undone if the second fails.
///
/// # Errors
/// If the system refuses. The old directory is then at its place.
pub fn replace_directory(new: &Path, old: &Path) -> io::Result<()> {
    let parent = old.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    if !old.exists() {
        fs::rename(new, old)?;
        return sync_directory(parent);
    }
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE).is_ok() {
            sync_directory(parent)?;
            // The old directory now has the temporary name. Whoever uses that name next removes
            // what cannot be removed now.
            let _ = fs::remove_dir_all(new);
            return Ok(());
        }
    }
    let aside = new.with_extension("old");
    fs::rename(old, &aside)?;
    if let Err(error) = fs::rename(new, old) {
        fs::rename(&aside, old)?;
        return Err(error);
    }
    sync_directory(parent)?;
    let _ = fs::remove_dir_all(&aside);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_replaced_whole_and_nothing_else_stays() {
        let dir = tempfile::tempdir().unwrap();
        let (new, old) = (dir.path().join(".new"), dir.path().join("place"));
        for contents in ["one", "two"] {
            fs::create_dir(&new).unwrap();
            fs::write(new.join(contents), contents).unwrap();
            replace_directory(&new, &old).unwrap();
            let names: Vec<_> = fs::read_dir(&old).unwrap().flatten().collect();
            assert_eq!((names.len(), names[0].file_name().to_str()), (1, Some(contents)));
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        }
    }
}
