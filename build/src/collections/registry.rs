//! The registry: one TOML file that lists all collections, for people to read and edit.
//!
//! Changes keep comments and the existing order. They are made under a lock and written by a
//! rename, so the changes of two simultaneous processes are both kept, and a killed process changes
//! nothing.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;
use toml_edit::{DocumentMut, Item, Table, value};

use super::error::Error;
use super::files;
use super::home::Home;
use super::lock::Lock;
use super::name::{Name, nearest};
use super::settings::Settings;
use crate::forgiving_names::{NameKind, NameMatch, find_name};
use crate::safe_text::excerpt;

const HEADER: &str = "\
# The collections of Findling: `findling collection list` shows them, `findling sync` updates them.
# You can edit this file. Each table is a collection:
#
# [collections.NAME]
# kind = \"auto\"              # or the format of every source, as in `findling build --format`
# paths = [\"/home/me/notes\"] # directories and files, absolute
# encoder = \"none\"           # an installed model, static, hash, or none (words only)
# vectors = { more = \"NAME\" } # further vectors by name, each with its encoder
# exclude = [\"drafts\"]       # paths below the source to leave out
# follow-links = true        # follow links that lead out of the sources
# base-url = \"/notes/\"       # prefix of every page's address
# language = \"en\"            # of pages that declare none
# tool-output = true         # also index what tools returned in conversations
# references = true          # also index the lists of references of papers
# ocr = \"eng\"                # recognise the text of scans, in this language of tesseract
# chat-fields = \"/x/y.toml\" # names of the fields of messages, for other programs
# environments = [\"/x/.venv\"] # of Python, for the packages of lock files
# directory = \"NAME\"         # where its bundle is kept, beside this file; set by rename

[collections]
";

/// The name of the registry's table of collections.
const COLLECTIONS: &str = "collections";

/// Largest registry that is read.
const MAX_BYTES: u64 = 16 << 20;

/// The registry as read.
#[derive(Debug)]
pub struct Registry {
    home: Home,
    document: DocumentMut,
    collections: BTreeMap<Name, Settings>,
}

/// The whole file.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    collections: BTreeMap<Name, Settings>,
}

impl Registry {
    /// Reads the registry; an empty one where there is no file.
    ///
    /// # Errors
    /// [`Error::Registry`] with the line where the file is not valid.
    pub fn read(home: &Home) -> Result<Self, Error> {
        let path = home.registry();
        let text = match read_text(&path) {
            Ok(text) => text,
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                HEADER.to_owned()
            }
            Err(error) => return Err(error),
        };
        let damaged = |span: Option<std::ops::Range<usize>>, reason: &str| Error::Registry {
            path: path.clone(),
            line: span.map_or(1, |span| line_of(&text, span.start)),
            reason: excerpt(&reason.trim().replace('\n', "; ")),
        };
        let document: DocumentMut = text
            .parse()
            .map_err(|error: toml_edit::TomlError| damaged(error.span(), error.message()))?;
        let file: File = toml::from_str(&text)
            .map_err(|error: toml::de::Error| damaged(error.span(), error.message()))?;
        let registry = Self { home: home.clone(), document, collections: file.collections };
        registry.check_directories(&text, &path)?;
        Ok(registry)
    }

    /// Refuses two collections in one directory, because they would overwrite each other.
    fn check_directories(&self, text: &str, path: &Path) -> Result<(), Error> {
        let mut taken: BTreeMap<&Name, &Name> = BTreeMap::new();
        for (name, settings) in &self.collections {
            let directory = settings.directory.as_ref().unwrap_or(name);
            if let Some(other) = taken.insert(directory, name) {
                let heading = format!("[{COLLECTIONS}.{name}]");
                return Err(Error::Registry {
                    path: path.to_owned(),
                    line: text.find(&heading).map_or(1, |at| line_of(text, at)),
                    reason: format!(
                        "expected a directory for each collection, found that `{other}` and \
                         `{name}` share `{directory}`"
                    ),
                });
            }
        }
        Ok(())
    }

    /// Reads the registry, changes it and writes it back, all under its lock.
    ///
    /// # Errors
    /// The errors of [`Registry::read`]; [`Error::Busy`] while another process changes it; those of
    /// `change`. Then the file is as it was.
    pub fn change<T>(
        home: &Home,
        change: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _lock = lock_patiently(home)?;
        files::sweep_replaced(home.root());
        let mut registry = Self::read(home)?;
        let outcome = change(&mut registry)?;
        files::replace(&home.registry(), registry.document.to_string().as_bytes())?;
        Ok(outcome)
    }

    /// Returns all collections, by name.
    pub fn collections(&self) -> &BTreeMap<Name, Settings> {
        &self.collections
    }

    /// Returns the settings of a collection.
    ///
    /// # Errors
    /// [`Error::Unknown`] with similar names.
    pub fn get(&self, name: &Name) -> Result<&Settings, Error> {
        self.collections.get(name).ok_or_else(|| self.unknown(name.as_str()))
    }

    /// Finds the collection that a typed name stands for ([`crate::forgiving_names`]).
    ///
    /// # Errors
    /// [`Error::Unknown`] with similar names; [`Error::Ambiguous`].
    pub fn find(&self, typed: &str) -> Result<&Name, Error> {
        let names = self.collections.keys();
        match find_name(typed, NameKind::Plain, names.clone().map(Name::as_str)) {
            NameMatch::One(one) => {
                names.clone().find(|name| name.as_str() == one).ok_or_else(|| self.unknown(typed))
            }
            NameMatch::Several(several) => Err(Error::Ambiguous {
                name: typed.to_owned(),
                candidates: several.into_iter().map(str::to_owned).collect(),
            }),
            NameMatch::None => Err(self.unknown(typed)),
        }
    }

    /// Returns the error for a name that no collection has.
    pub fn unknown(&self, name: &str) -> Error {
        Error::Unknown { name: name.to_owned(), near: nearest(name, self.collections.keys()) }
    }

    /// Adds a collection. Its directory is named like it, or by its name with a number where that
    /// directory is in use.
    ///
    /// # Errors
    /// [`Error::Exists`], [`Error::NotUtf8`].
    pub fn add(&mut self, name: &Name, mut settings: Settings) -> Result<(), Error> {
        if self.collections.contains_key(name) {
            return Err(Error::Exists { name: name.to_string() });
        }
        settings.directory = self.free_directory(name)?;
        let table = settings.to_table()?;
        self.table()[name.as_str()] = Item::Table(table);
        self.collections.insert(name.clone(), settings);
        Ok(())
    }

    /// Replaces the settings of a collection. Its directory stays the same.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::NotUtf8`].
    pub fn replace(&mut self, name: &Name, mut settings: Settings) -> Result<(), Error> {
        settings.directory = self.get(name)?.directory.clone();
        let table = settings.to_table()?;
        self.table()[name.as_str()] = Item::Table(table);
        self.collections.insert(name.clone(), settings);
        Ok(())
    }

    /// Removes a collection and returns what it was.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn remove(&mut self, name: &Name) -> Result<Settings, Error> {
        let settings = self.collections.remove(name).ok_or_else(|| self.unknown(name.as_str()))?;
        self.table().remove(name.as_str());
        Ok(settings)
    }

    /// Gives a collection another name. Its directory stays where it is.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::Exists`].
    pub fn rename(&mut self, from: &Name, to: &Name) -> Result<(), Error> {
        if self.collections.contains_key(to) && from != to {
            return Err(Error::Exists { name: to.to_string() });
        }
        let mut settings = self.get(from)?.clone();
        if from == to {
            return Ok(());
        }
        let directory = settings.directory.take().unwrap_or_else(|| from.clone());
        let table = self.table();
        if let Some(mut item) = table.remove(from.as_str()) {
            if directory == *to {
                item.as_table_like_mut().map(|table| table.remove("directory"));
            } else {
                item["directory"] = value(directory.as_str());
            }
            table[to.as_str()] = item;
        }
        settings.directory = (directory != *to).then_some(directory);
        self.collections.remove(from);
        self.collections.insert(to.clone(), settings);
        Ok(())
    }

    /// Returns a free directory for a collection; `None` if the directory with the collection's own
    /// name is free.
    fn free_directory(&self, name: &Name) -> Result<Option<Name>, Error> {
        let in_use = |directory: &Name| {
            let named = self
                .collections
                .iter()
                .any(|(name, settings)| settings.directory.as_ref().unwrap_or(name) == directory);
            named || self.home.collections().join(directory.as_str()).exists()
        };
        if !in_use(name) {
            return Ok(None);
        }
        for number in 2..10_000 {
            let suffix = format!("-{number}");
            let stem: String =
                name.as_str().chars().take(super::name::MAX_LEN - suffix.len()).collect();
            let directory: Name = format!("{stem}{suffix}").parse()?;
            if !in_use(&directory) {
                return Ok(Some(directory));
            }
        }
        Err(Error::Exists { name: name.to_string() })
    }

    fn table(&mut self) -> &mut Table {
        let item = self.document.entry(COLLECTIONS).or_insert_with(|| {
            let mut table = Table::new();
            // Only the tables of the collections have headings.
            table.set_implicit(true);
            Item::Table(table)
        });
        if !item.is_table() {
            // An inline table, which a person may have written.
            *item = Item::Table(std::mem::take(item).into_table().unwrap_or_default());
        }
        item.as_table_mut().expect("was made one above")
    }
}

/// Returns the registry's lock. A change takes milliseconds, so waiting a little is better than
/// failing.
fn lock_patiently(home: &Home) -> Result<Lock, Error> {
    let path = home.registry_lock();
    let mut waits = 100;
    loop {
        match Lock::take(&path, "the registry of collections") {
            Err(Error::Busy { .. }) if waits > 0 => {
                waits -= 1;
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
            outcome => return outcome,
        }
    }
}

fn read_text(path: &Path) -> Result<String, Error> {
    let metadata = fs::metadata(path).map_err(Error::io("read", path))?;
    if metadata.len() > MAX_BYTES {
        return Err(Error::Registry {
            path: path.to_owned(),
            line: 1,
            reason: format!("expected at most {MAX_BYTES} bytes, found {}", metadata.len()),
        });
    }
    let bytes = fs::read(path).map_err(Error::io("read", path))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        Error::Registry {
            path: path.to_owned(),
            line: 1 + valid.iter().filter(|byte| **byte == b'\n').count(),
            reason: "expected UTF-8, found other bytes".to_owned(),
        }
    })
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> Name {
        name.parse().unwrap()
    }

    fn home() -> (tempfile::TempDir, Home) {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::new(dir.path());
        (dir, home)
    }

    fn settings(path: &str) -> Settings {
        Settings { paths: vec![path.into()], encoder: "none".into(), ..Settings::default() }
    }

    #[test]
    fn what_is_added_is_read_back_and_comments_stay() {
        let (_dir, home) = home();
        let full = Settings {
            kind: "markdown".parse().unwrap(),
            exclude: vec!["drafts".into(), "*/ja".into()],
            base_url: "/docs/".into(),
            language: Some("en".into()),
            ..settings("/a \"quoted\" path")
        };
        Registry::change(&home, |registry| registry.add(&name("docs"), full.clone())).unwrap();
        let text = fs::read_to_string(home.registry()).unwrap();
        assert!(text.starts_with("# The collections of Findling"), "{text}");
        fs::write(home.registry(), format!("{text}# mine\n")).unwrap();
        Registry::change(&home, |registry| registry.add(&name("notes"), settings("/n"))).unwrap();
        Registry::change(&home, |registry| registry.rename(&name("docs"), &name("manual")))
            .unwrap();
        assert!(fs::read_to_string(home.registry()).unwrap().contains("# mine"));
        let registry = Registry::read(&home).unwrap();
        let names: Vec<&str> = registry.collections().keys().map(Name::as_str).collect();
        assert_eq!(names, ["manual", "notes"]);
        let renamed = Settings { directory: Some(name("docs")), ..full };
        assert_eq!(registry.get(&name("manual")).unwrap(), &renamed);
        let removed = Registry::change(&home, |registry| registry.remove(&name("manual"))).unwrap();
        assert_eq!(removed, renamed);
        assert!(matches!(
            Registry::read(&home).unwrap().get(&name("manual")),
            Err(Error::Unknown { .. })
        ));
    }

    #[test]
    fn names_are_taken_once_and_directories_too() {
        let (_dir, home) = home();
        let add = |new: &str| {
            Registry::change(&home, |registry| registry.add(&name(new), settings("/x")))
        };
        add("a").unwrap();
        assert!(matches!(add("a"), Err(Error::Exists { .. })));
        Registry::change(&home, |registry| registry.rename(&name("a"), &name("b"))).unwrap();
        // The directory `a` is that of `b`.
        add("a").unwrap();
        let registry = Registry::read(&home).unwrap();
        assert_eq!(registry.get(&name("a")).unwrap().directory, Some(name("a-2")));
        assert!(matches!(
            Registry::change(&home, |registry| registry.rename(&name("a"), &name("b"))),
            Err(Error::Exists { .. })
        ));
        // Once the collection's name equals its directory's name again, the registry does not
        // mention the directory.
        Registry::change(&home, |registry| registry.remove(&name("a"))).unwrap();
        Registry::change(&home, |registry| registry.rename(&name("b"), &name("a"))).unwrap();
        assert_eq!(Registry::read(&home).unwrap().get(&name("a")).unwrap().directory, None);
    }

    #[test]
    fn damage_is_told_with_its_line_and_nothing_is_written() {
        let (_dir, home) = home();
        let cases: [(&str, usize); 9] = [
            ("[collections.a\n", 1),
            ("\n[collections.a]\npaths = [\"/x\"\nkind = 3\n", 4),
            ("[collections.a]\npaths = [\"/x\"]\nkind = \"floppy\"\n", 3),
            ("[collections.a]\npaths = [\"/x\"]\ncolour = 1\n", 3),
            ("[collections.a]\npaths = \"/x\"\n", 2),
            ("\n\n[collections.\"../x\"]\npaths = []\n", 3),
            ("[collections.a]\n[collections.a]\n", 2),
            ("[collections.a]\n[collections.b]\ndirectory = \"a\"\n", 2),
            ("[collections.a]\ndirectory = \"../../etc\"\n", 2),
        ];
        for (text, expected) in cases {
            fs::write(home.registry(), text).unwrap();
            match Registry::read(&home) {
                Err(Error::Registry { line, .. }) => assert_eq!(line, expected, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
            let add =
                Registry::change(&home, |registry| registry.add(&name("new"), settings("/x")));
            assert!(add.is_err());
            assert_eq!(fs::read_to_string(home.registry()).unwrap(), text);
        }
        fs::write(home.registry(), b"# ok\n\xff\xfe").unwrap();
        assert!(matches!(Registry::read(&home), Err(Error::Registry { line: 2, .. })));
    }

    #[test]
    fn an_inline_table_and_an_empty_file_can_be_changed() {
        let (_dir, home) = home();
        for text in ["", "collections = { a = { paths = [\"/x\"] } }\n"] {
            fs::write(home.registry(), text).unwrap();
            Registry::change(&home, |registry| registry.add(&name("new"), settings("/x"))).unwrap();
            assert!(Registry::read(&home).unwrap().get(&name("new")).is_ok());
        }
        assert!(Registry::read(&home).unwrap().get(&name("a")).is_ok());
    }

    #[test]
    fn changes_made_at_once_all_count() {
        let (_dir, home) = home();
        std::thread::scope(|scope| {
            for i in 0..8 {
                let home = &home;
                scope.spawn(move || {
                    Registry::change(home, |registry| {
                        registry.add(&name(&format!("c{i}")), settings("/x"))
                    })
                    .unwrap();
                });
            }
        });
        assert_eq!(Registry::read(&home).unwrap().collections().len(), 8);
    }
}
