//! `--vector-name NAME`: which vectors of a collection are searched.

use crate::collections::{Error, Name, Target};

/// The option.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct VectorName {
    /// Search these vectors of the collection, which `findling collection show` lists. `default`
    /// are those of its encoder
    #[arg(long, value_name = "NAME")]
    vector_name: Option<Name>,
}

impl VectorName {
    /// Returns the target with these vectors.
    ///
    /// # Errors
    /// [`Error::UnknownVectors`] if it does not have them.
    pub fn of(&self, target: Target) -> Result<Target, Error> {
        match &self.vector_name {
            Some(name) => target.with_vectors(name),
            None => Ok(target),
        }
    }
}
