//! The forward pass as a tract model, built from tract-core's operators.
//!
//! Building it here rather than parsing an exchange format keeps a parser out of the browser, keeps the word
//! table out of the graph (its rows are gathered from the quantised artefact, and the graph's input is their
//! sum with the positions), and lets one model serve every length: the number of tokens is a symbol.

use tract_core::internal::*;
use tract_core::ops::einsum::EinSum;
use tract_core::ops::math::{add, max};
use tract_core::ops::nn::gelu_exact::gelu_exact;

use super::attention::Attention;
use super::linear::{Linear, Packed};
use super::norm::Norm;
use crate::artefact::{Activation, Architecture, Artefact, names};

/// Input: f32 `[tokens, hidden]`, sums of word and position rows. Output: f32 `[tokens, hidden]`, the last
/// layer's vectors.
pub(super) fn build(artefact: &Artefact) -> TractResult<TypedModel> {
    let (mut model, last, _) = wired(artefact)?;
    model.select_output_outlets(&[last])?;
    Ok(model)
}

/// The same with other outputs: for each layer the inputs of query, key and value; of attention's way out; and of both
/// feed-forward matrices.
#[cfg(feature = "import")]
pub(super) fn build_watched(artefact: &Artefact) -> TractResult<TypedModel> {
    let (mut model, _, inputs) = wired(artefact)?;
    model.select_output_outlets(&inputs)?;
    Ok(model)
}

/// The model, where it ends, and the inputs of its linear layers.
fn wired(artefact: &Artefact) -> TractResult<(TypedModel, OutletId, Vec<OutletId>)> {
    let mut model = TypedModel::default();
    let tokens: TDim = model.symbols.new_with_prefix("tokens").into();
    let hidden = artefact.architecture().hidden as usize;
    let input = model.add_source("embeddings", f32::fact(&[tokens, hidden.to_dim()]))?;
    let mut builder = Builder { model, artefact, architecture: artefact.architecture(), inputs: Vec::new() };
    let mut x = builder.norm(names::NORM, &[input])?;
    for layer in 0..artefact.architecture().layers {
        x = builder.layer(layer, x)?;
    }
    Ok((builder.model, x, builder.inputs))
}

struct Builder<'a> {
    model: TypedModel,
    artefact: &'a Artefact,
    architecture: &'a Architecture,
    /// What goes into linear layers, in their order.
    inputs: Vec<OutletId>,
}

impl Builder<'_> {
    fn layer(&mut self, layer: u32, x: OutletId) -> TractResult<OutletId> {
        let (hidden, heads) = (self.architecture.hidden as usize, self.architecture.heads as usize);
        let per_head = hidden / heads;
        let name = |part: &str| format!("layer.{layer}.{part}");

        // The scores' scale is a factor of the query projection, once, rather than of every score.
        let scale = 1.0 / (per_head as f32).sqrt();
        let parts = [(names::QUERY, scale), (names::KEY, 1.0), (names::VALUE, 1.0)];
        let qkv = self.linear(layer, parts, x)?;
        let mixed = self.wire(&name("attend"), Attention { heads }, &qkv)?;
        let [attention] = self.linear(layer, [(names::ATTENTION, 1.0)], mixed)?;
        let x = self.norm(&name(names::ATTENTION_NORM), &[x, attention])?;

        let [up] = self.linear(layer, [(names::UP, 1.0)], x)?;
        let up = match self.architecture.activation {
            Activation::Gelu => self.wire(&name("gelu"), gelu_exact(), &[up])?,
            Activation::Relu => {
                let zero = self.constant(&name("relu.zero"), &[1, 1], vec![0.0])?;
                self.wire(&name("relu"), max(), &[up, zero])?
            }
        };
        let [down] = self.linear(layer, [(names::DOWN, 1.0)], up)?;
        self.norm(&name(names::OUTPUT_NORM), &[x, down])
    }

    /// `x * weightᵀ + bias`, all of it times a factor, for several parts of a layer that have the same input. Weights
    /// stored as 8-bit integers stay that ([`Linear`]); others are multiplied as f32.
    fn linear<const N: usize>(
        &mut self,
        layer: u32,
        parts: [(&str, f32); N],
        x: OutletId,
    ) -> TractResult<[OutletId; N]> {
        self.inputs.push(x);
        let mut packed = Vec::with_capacity(N);
        for (part, factor) in parts {
            let weights = self.stored(&names::weight(layer, part))?;
            let (bias, _) = self.values(&names::bias(layer, part))?;
            let inputs = weights.shape().1;
            packed.extend(match weights.int8() {
                Some((scales, values)) => Some(Packed::new(&values, scales, &bias, inputs, factor)),
                None => Packed::rounded(&weights.to_f32(), &bias, inputs, factor),
            });
        }
        if packed.len() == N {
            let name = format!("layer.{layer}.{}", parts.map(|(part, _)| part).join("+"));
            let outlets = self.model.wire_node(name, Linear::new(packed), &[x])?;
            return Ok(std::array::from_fn(|i| outlets[i]));
        }
        let mut outlets = [x; N];
        for (outlet, (part, factor)) in outlets.iter_mut().zip(parts) {
            *outlet = self.linear_f32(layer, part, x, factor)?;
        }
        Ok(outlets)
    }

    fn linear_f32(&mut self, layer: u32, part: &str, x: OutletId, factor: f32) -> TractResult<OutletId> {
        let (name, bias_name) = (names::weight(layer, part), names::bias(layer, part));
        let (mut weight, shape) = self.values(&name)?;
        let (mut bias, _) = self.values(&bias_name)?;
        for value in weight.iter_mut().chain(&mut bias) {
            *value *= factor;
        }
        let bias = self.constant(&bias_name, &[1, shape[0]], bias)?;
        let weight = self.constant(&name, &shape, weight)?;
        let product = self.einsum(&format!("layer.{layer}.{part}.product"), "oh,sh->so", &[weight, x])?;
        self.wire(&format!("layer.{layer}.{part}"), add(), &[product, bias])
    }

    /// Layer norm over the last axis of what `inputs`, one or two, come to.
    fn norm(&mut self, name: &str, inputs: &[OutletId]) -> TractResult<OutletId> {
        let (weight, _) = self.values(&format!("{name}.weight"))?;
        let (bias, _) = self.values(&format!("{name}.bias"))?;
        self.wire(name, Norm::new(self.architecture.layer_norm_eps, weight, bias), inputs)
    }

    fn einsum(&mut self, name: &str, axes: &str, inputs: &[OutletId]) -> TractResult<OutletId> {
        self.wire(name, EinSum::new(axes.parse()?, f32::datum_type()), inputs)
    }

    fn wire(
        &mut self,
        name: &str,
        op: impl Into<Box<dyn TypedOp>>,
        inputs: &[OutletId],
    ) -> TractResult<OutletId> {
        Ok(self.model.wire_node(name, op, inputs)?[0])
    }

    fn constant(&mut self, name: &str, shape: &[usize], values: Vec<f32>) -> TractResult<OutletId> {
        self.model.add_const(name, Tensor::from_shape(shape, &values)?)
    }

    fn stored(&self, name: &str) -> TractResult<crate::artefact::Tensor<'_>> {
        self.artefact.tensor(name).with_context(|| format!("no tensor `{name}`"))
    }

    fn values(&self, name: &str) -> TractResult<(Vec<f32>, [usize; 2])> {
        let tensor = self.stored(name)?;
        let (rows, cols) = tensor.shape();
        Ok((tensor.to_f32(), [rows, cols]))
    }
}
