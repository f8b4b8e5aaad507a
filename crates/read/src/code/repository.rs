//! The git repository that files are in: its name, branch and remote.
//!
//! Three small text files of `.git` contain this information. A library that reads whole
//! repositories (`gix` with no features) adds 120 crates. The commit is left out on purpose: as an
//! attribute of every page, it would change the whole bundle with each commit.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::super::attributes::Raw;
use super::super::{Format, Included, RawPage};
use super::packages::PACKAGE;
use findling_base::file_hash::file_hash;
use findling_base::small_file::text;

/// A repository, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Repository {
    name: String,
    branch: Option<String>,
    remote: Option<String>,
    /// The file that names the branch.
    head: PathBuf,
}

/// Gives pages of code the attributes `repository` and `branch`, and the remote to show. Returns
/// the files that name the branches: a checkout changes them, and with them the attributes.
pub(crate) fn describe<'a>(pages: impl Iterator<Item = &'a mut RawPage>) -> Vec<Included> {
    let mut known: HashMap<PathBuf, Option<Repository>> = HashMap::new();
    // A package in the directory of a project is no part of the project's repository.
    let is_own = |raw: &&mut RawPage| {
        raw.format == Some(Format::Code) && !raw.attributes.contains_key(PACKAGE)
    };
    for raw in pages.filter(is_own) {
        let Some(directory) = raw.path.parent() else { continue };
        let Some(repository) = find(directory, &mut known) else { continue };
        raw.attributes.insert("repository".to_owned(), Raw::Text(repository.name.clone()));
        if let Some(branch) = &repository.branch {
            raw.attributes.insert("branch".to_owned(), Raw::Text(branch.clone()));
        }
        if let Some(remote) = &repository.remote {
            raw.page.meta.push(("remote".to_owned(), remote.clone()));
        }
    }
    let heads: BTreeSet<PathBuf> =
        known.into_values().flatten().map(|repository| repository.head).collect();
    heads.into_iter().filter_map(included).collect()
}

/// Returns a small file, as a dependency of pages.
fn included(path: PathBuf) -> Option<Included> {
    let metadata = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
    let hash = file_hash(&path).ok()?;
    let (len, modified) = (metadata.len(), metadata.modified().ok());
    Some(Included { path, len, modified, hash: Some(hash) })
}

/// Returns the repository around a directory. Each directory is examined only once.
fn find(directory: &Path, known: &mut HashMap<PathBuf, Option<Repository>>) -> Option<Repository> {
    if let Some(found) = known.get(directory) {
        return found.clone();
    }
    let absolute = std::path::absolute(directory).ok()?;
    let found = match read(&absolute) {
        Some(repository) => Some(repository),
        None => absolute.parent().and_then(|parent| find(parent, known)),
    };
    known.insert(directory.to_owned(), found.clone());
    found
}

/// Returns the repository whose work tree a directory is.
fn read(directory: &Path) -> Option<Repository> {
    let mut git = directory.join(".git");
    if git.is_file() {
        // A linked work tree or a submodule.
        git = directory.join(text(&git)?.strip_prefix("gitdir:")?.trim());
    }
    let head = text(&git.join("HEAD"))?;
    // The directory that linked work trees share.
    let common = text(&git.join("commondir")).map_or(git.clone(), |path| git.join(path.trim()));
    let remote = text(&common.join("config")).and_then(|config| remote(&config));
    let name = remote
        .as_deref()
        .and_then(name_of_remote)
        .or_else(|| Some(directory.file_name()?.to_string_lossy().into_owned()))?;
    let branch = head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned);
    Some(Repository { name, branch, remote, head: git.join("HEAD") })
}

/// Returns the address of `origin`, without a name and password in it.
fn remote(config: &str) -> Option<String> {
    let mut in_origin = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            in_origin = line.eq_ignore_ascii_case("[remote \"origin\"]");
        } else if in_origin
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("url")
        {
            return Some(without_credentials(value.trim().trim_matches('"')));
        }
    }
    None
}

fn without_credentials(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            let host = host.rsplit('@').next().unwrap_or(host);
            format!("{scheme}://{host}/{path}")
        }
        // In `git@host:owner/name`, the name is not a secret.
        None => url.to_owned(),
    }
}

fn name_of_remote(url: &str) -> Option<String> {
    let path = url.trim_end_matches('/');
    let name = path.strip_suffix(".git").unwrap_or(path).rsplit(['/', ':']).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(head: &str, config: &str) -> Option<Repository> {
        let directory = tempfile::tempdir().unwrap();
        let git = directory.path().join("tool/.git");
        std::fs::create_dir_all(&git).unwrap();
        std::fs::create_dir_all(directory.path().join("tool/src/deep")).unwrap();
        std::fs::write(git.join("HEAD"), head).unwrap();
        std::fs::write(git.join("config"), config).unwrap();
        find(&directory.path().join("tool/src/deep"), &mut HashMap::new())
    }

    #[test]
    fn name_and_branch_come_from_git() {
        let found = repository("ref: refs/heads/fix/a\n", "[core]\n\tbare = false\n").unwrap();
        assert_eq!((found.name.as_str(), found.branch.as_deref()), ("tool", Some("fix/a")));
        assert_eq!(found.remote, None);
    }

    #[test]
    fn passwords_in_the_address_of_the_remote_are_left_out() {
        let config = "[remote \"origin\"]\n\turl = https://me:secret@example.org/a/b.git\n";
        let found = repository("0123456789abcdef\n", config).unwrap();
        assert_eq!(found.remote.as_deref(), Some("https://example.org/a/b.git"));
        assert_eq!((found.name.as_str(), found.branch), ("b", None));
    }

    #[test]
    fn addresses_for_ssh_name_the_repository_too() {
        assert_eq!(name_of_remote("git@example.org:a/b.git").as_deref(), Some("b"));
        assert_eq!(name_of_remote("ssh://git@example.org/a/b/").as_deref(), Some("b"));
    }
}
