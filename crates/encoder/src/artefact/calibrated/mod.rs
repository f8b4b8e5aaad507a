//! Rounding that looks at what goes through a matrix.
//!
//! Rounding every weight to the nearest step treats all inputs alike, but the inputs of a layer go
//! together: an error in one weight can be made up for by its neighbours. So the columns of a
//! matrix are rounded one after the other, and what each loses is taken over by those that are
//! still to come, as far as the inputs' covariance says they can (optimal brain quantisation,
//! Frantar and Alistarh 2022; by columns and a Cholesky factor, Frantar et al., GPTQ, 2022). What
//! is left is a constant in the mean, and is added to the bias. Steps and storage stay as they are,
//! and so does the size.

mod columns;
mod covariance;

pub use covariance::Covariance;

use super::{Artefact, Bits, Storage, names, tensor};
use crate::Error;

/// What went into the linear layers of a model when it embedded some texts: for each layer the
/// covariances of the inputs of query, key and value; of attention's way out; and of both
/// feed-forward matrices.
#[derive(Clone, Debug)]
pub struct Activations {
    layers: Vec<[Covariance; 4]>,
}

/// Which of a layer's four inputs a matrix has.
fn place(part: &str) -> usize {
    match part {
        names::ATTENTION => 1,
        names::UP => 2,
        names::DOWN => 3,
        _ => 0,
    }
}

const PARTS: [&str; 6] =
    [names::QUERY, names::KEY, names::VALUE, names::ATTENTION, names::UP, names::DOWN];

impl Activations {
    /// Nothing yet, of a model of `artefact`'s shape.
    pub fn of(artefact: &Artefact) -> Self {
        let (hidden, intermediate) =
            (artefact.architecture.hidden as usize, artefact.architecture.intermediate as usize);
        let layer = || [hidden, hidden, hidden, intermediate].map(Covariance::new);
        Self { layers: (0..artefact.architecture.layers).map(|_| layer()).collect() }
    }

    /// Counts rows of inputs of one kind: `input` is 0 to 3 in the order above.
    pub(crate) fn add(&mut self, layer: usize, input: usize, rows: &[f32]) {
        if let Some(covariance) =
            self.layers.get_mut(layer).and_then(|inputs| inputs.get_mut(input))
        {
            covariance.add(rows);
        }
    }
}

impl Artefact {
    /// [`Artefact::for_queries`] with matrices rounded for what `activations` saw. Takes a minute
    /// of processor time for a model of six layers of 384.
    ///
    /// # Errors
    ///
    /// [`Error::Artefact`] where `activations` are of a model of another shape.
    pub fn for_queries_calibrated(
        &self,
        words: Bits,
        matrices: Bits,
        activations: &Activations,
    ) -> Result<Self, Error> {
        let jobs: Vec<(usize, &str)> = (0..activations.layers.len())
            .flat_map(|layer| PARTS.map(|part| (layer, part)))
            .collect();
        let round = |&(layer, part): &(usize, &str)| {
            let name = names::weight(layer as u32, part);
            let covariance = &activations.layers[layer][place(part)];
            let weights =
                self.tensor(&name).filter(|weights| weights.shape().1 == covariance.inputs());
            let (Some(weights), Some(bias)) =
                (weights, self.tensor(&names::bias(layer as u32, part)))
            else {
                return Err(Error::Artefact(format!(
                    "there are activations of another shape for `{name}`"
                )));
            };
            let rounded = columns::round(&weights.to_f32(), matrices, covariance);
            let mut bias = bias.to_f32();
            for (bias, lost) in bias.iter_mut().zip(&rounded.lost) {
                *bias += lost;
            }
            Ok((name, rounded, names::bias(layer as u32, part), bias))
        };
        #[cfg(feature = "parallel")]
        let rounded: Vec<_> = {
            use rayon::prelude::*;
            jobs.par_iter().map(round).collect::<Result<_, _>>()?
        };
        #[cfg(not(feature = "parallel"))]
        let rounded: Vec<_> = jobs.iter().map(round).collect::<Result<_, _>>()?;

        Ok(self.for_queries(words, matrices).stored_as(|entry, bytes, payload| {
            for (weight, matrix, bias, values) in &rounded {
                if entry.spec.name == *weight {
                    tensor::store_integers(&matrix.scales, &matrix.integers, payload);
                    return Storage::Int8;
                }
                if entry.spec.name == *bias {
                    tensor::store(values, &entry.spec, Storage::F32, payload);
                    return Storage::F32;
                }
            }
            payload.extend_from_slice(bytes);
            entry.storage
        }))
    }
}
