//! Indexes in the cache that nobody needs any more.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::error::Error;
use super::home::Home;
use super::name::Name;
use super::registry::Registry;
use super::remove::remove;

/// Time after the last use after which an index is removed.
const UNUSED: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// The file in a collection's directory whose modification time records the last use.
const USED: &str = "used";

/// Notes that a collection, which has been synced, is used now.
///
/// # Errors
/// [`Error::Unknown`]; if the file cannot be written.
pub fn note_use(home: &Home, name: &Name) -> Result<(), Error> {
    let path = home.directory(name, Registry::read(home)?.get(name)?).join(USED);
    let noted = File::create(&path).and_then(|file| file.set_modified(SystemTime::now()));
    noted.map_err(Error::io("written", &path))
}

/// Removes the collections of the cache that were not used for 60 days, and those whose sources are
/// all gone: an index repeats their text. Collections that another process is syncing stay. Returns
/// the names of the removed ones. `home` is [`Home::directories`], never the home of collections
/// that a user added.
///
/// # Errors
/// The errors of [`Registry::read`] and of [`remove`].
pub fn remove_unused(home: &Home) -> Result<Vec<Name>, Error> {
    let mut removed = Vec::new();
    for (name, settings) in Registry::read(home)?.collections() {
        let used = home.directory(name, settings).join(USED);
        if settings.paths.iter().all(|path| is_gone(path)) || is_old(&used) {
            match remove(home, name) {
                Ok(()) => removed.push(name.clone()),
                Err(Error::Busy { .. } | Error::Unknown { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(removed)
}

/// Returns whether nothing has this path. A path that cannot be examined does not count as gone.
fn is_gone(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// Returns whether the last recorded use was long ago. The first sync of a collection may be under
/// way.
fn is_old(used: &Path) -> bool {
    let noted = fs::metadata(used).and_then(|used| used.modified());
    noted.is_ok_and(|noted| noted.elapsed().is_ok_and(|elapsed| elapsed > UNUSED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collections::{Lock, Settings, generation::Generations};

    #[test]
    fn unused_indexes_and_those_of_lost_sources_are_removed_and_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::new(dir.path().join("cache"));
        let add = |name: &str, used: Option<Duration>| {
            let name: Name = name.parse().unwrap();
            let source = dir.path().join(name.as_str());
            fs::create_dir(&source).unwrap();
            let settings = Settings { paths: vec![source], ..Settings::default() };
            let directory = home.directory(&name, &settings);
            Registry::change(&home, |registry| registry.add(&name, settings)).unwrap();
            fs::create_dir_all(&directory).unwrap();
            if let Some(used) = used {
                note_use(&home, &name).unwrap();
                let file = File::options().write(true).open(directory.join(USED)).unwrap();
                file.set_modified(SystemTime::now() - used).unwrap();
            }
            directory
        };
        let day = Duration::from_secs(24 * 60 * 60);
        let recent = add("recent", Some(59 * day));
        let new = add("new", None);
        let old = add("old", Some(61 * day));
        let synced = add("synced", Some(61 * day));
        let again = add("again", Some(61 * day));
        let lost = add("lost", Some(day));
        fs::remove_dir(dir.path().join("lost")).unwrap();
        note_use(&home, &"again".parse().unwrap()).unwrap();
        let lock = Lock::take(&Generations::new(&synced).lock(), "the collection").unwrap();

        let removed = remove_unused(&home).unwrap();
        assert_eq!(removed.iter().map(Name::as_str).collect::<Vec<_>>(), ["lost", "old"]);
        assert!([&recent, &new, &synced, &again].iter().all(|directory| directory.exists()));
        assert!(!old.exists() && !lost.exists());
        assert_eq!(Registry::read(&home).unwrap().collections().len(), 4);

        drop(lock);
        assert_eq!(remove_unused(&home).unwrap(), ["synced".parse().unwrap()]);
    }
}
