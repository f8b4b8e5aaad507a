//! Removing a collection.

use std::fs;
use std::io::ErrorKind;

use super::error::Error;
use super::generation::Generations;
use super::home::Home;
use super::lock::Lock;
use super::name::Name;
use super::registry::Registry;

/// Removes a collection from the registry, then its directory. If it is killed in between, a
/// directory without a collection remains, but never a collection without its directory.
///
/// # Errors
/// [`Error::Unknown`]; [`Error::Busy`] while it is synced.
pub fn remove(home: &Home, name: &Name) -> Result<(), Error> {
    let settings = Registry::read(home)?.get(name)?.clone();
    let generations = Generations::new(home.directory(name, &settings));
    let lock = Lock::take(&generations.lock(), &format!("the collection `{name}`"))?;
    let removed = Registry::change(home, |registry| registry.remove(name))?;
    let directory = home.directory(name, &removed);
    let gone = fs::remove_dir_all(&directory);
    drop(lock);
    match gone {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::io("removed", &directory)(error))
        }
        _ => Ok(()),
    }
}
