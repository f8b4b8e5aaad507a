//! Joining the parts of a site.

use std::path::{Path, PathBuf};

use findling_bundle::EncoderCard;
use findling_index::embedding::cache::{AddError, Cache};
use findling_read::share::Piece;
use findling_read::{Options, Problem};

use super::error::Error;
use super::file::{Head, Part};

/// Name of the embeddings in errors about damaged parts.
const EMBEDDINGS: &str = "its embeddings";

/// All parts of a site.
pub struct Joined {
    /// The problems of the listing, which all parts have.
    pub problems: Vec<Problem>,
    /// The pieces, in the order of the files.
    pub pieces: Vec<Piece>,
    /// The vectors.
    pub embeddings: Embeddings,
}

/// The vectors of parts.
pub struct Embeddings {
    /// The files of the parts, read up to their vectors.
    parts: Vec<Part>,
}

/// Opens parts and checks that they are all parts of one site, built in the same way. They are
/// returned in their order.
///
/// # Errors
/// If a part cannot be read or is damaged, one is missing or there twice, or they differ.
pub fn open(paths: &[PathBuf]) -> Result<Vec<Part>, Error> {
    let mut parts: Vec<Part> =
        paths.iter().map(|path| Part::open(path)).collect::<Result<_, _>>()?;
    parts.sort_by_key(|part| part.head.number);
    let Some((first, rest)) = parts.split_first() else { return Ok(parts) };
    for part in rest {
        compare(first, part)?;
    }
    for two in parts.windows(2) {
        if two[0].head.number == two[1].head.number {
            let Head { number, of, .. } = two[0].head;
            let (first, path) = (two[0].path.clone(), two[1].path.clone());
            return Err(Error::Twice { path, first, number, of });
        }
    }
    let of = first.head.of;
    let is_there = |number: &u32| parts.binary_search_by_key(number, |part| part.head.number);
    let numbers: Vec<u32> = (1..=of).filter(|number| is_there(number).is_err()).collect();
    if numbers.is_empty() { Ok(parts) } else { Err(Error::Missing { numbers, of }) }
}

/// Reads the pages of parts that [`open`] returned. Their texts are stored where `options` say.
///
/// # Errors
/// If a part cannot be read or is damaged.
pub fn take(mut parts: Vec<Part>, options: &Options) -> Result<Joined, Error> {
    let (mut problems, mut pieces) = (Vec::new(), Vec::new());
    for part in &mut parts {
        let contents = part.contents(options)?;
        problems = contents.problems;
        pieces.extend(contents.pieces);
    }
    Ok(Joined { problems, pieces, embeddings: Embeddings { parts } })
}

impl Embeddings {
    /// Returns the vectors of all parts, as a cache in `directory`. A vector is looked up by its
    /// text.
    ///
    /// # Errors
    /// If a part cannot be read, is damaged, or has vectors of another model.
    pub fn cache(self, directory: &Path, card: &EncoderCard) -> Result<Cache, Error> {
        let mut cache = Cache::open(directory, card).map_err(Error::Keep)?;
        for mut part in self.parts.into_iter().filter(|part| part.head.n_embeddings > 0) {
            let path = part.path.clone();
            let added = cache.add_all(part.rest()).map_err(|error| match error {
                AddError::OtherEncoder => Error::Model { path: path.clone() },
                AddError::Damaged => Error::Damaged { path: path.clone(), what: EMBEDDINGS },
                AddError::Io(source) => Error::Read { path: path.clone(), source },
            })?;
            if added != part.head.n_embeddings {
                return Err(Error::Damaged { path, what: EMBEDDINGS });
            }
        }
        Ok(cache)
    }
}

/// Fails if two parts do not belong to one site.
fn compare(first: &Part, part: &Part) -> Result<(), Error> {
    let (path, before) = (part.path.clone(), first.path.clone());
    let differing = |name: &str, expected: String, found: String| Error::Settings {
        path: path.clone(),
        first: before.clone(),
        name: name.to_owned(),
        expected,
        found,
    };
    if part.head.of != first.head.of {
        return Err(differing(
            "the number of parts",
            first.head.of.to_string(),
            part.head.of.to_string(),
        ));
    }
    for (name, expected) in &first.head.settings {
        match part.head.settings.get(name) {
            Some(found) if found == expected => {}
            found => {
                let found = found.map(ToString::to_string).unwrap_or_default();
                return Err(differing(name, expected.to_string(), found));
            }
        }
    }
    if part.head.inputs != first.head.inputs {
        return Err(Error::Inputs { path, first: before });
    }
    Ok(())
}
