//! The forward pass as a tract model, built from tract-core's operators.
//!
//! Building it here rather than parsing an exchange format keeps a parser out of the browser, keeps the word
//! table out of the graph (its rows are gathered from the quantised artefact, and the graph's input is their
//! sum with the positions), and lets one model serve every length: the number of tokens is a symbol.

use tract_core::internal::*;
use tract_core::ops::change_axes::AxisOp;
use tract_core::ops::einsum::EinSum;
use tract_core::ops::math::{add, max, mul, sub};
use tract_core::ops::nn::gelu_exact::gelu_exact;
use tract_core::ops::nn::{Reduce, Reducer, RmsNorm, Softmax, SoftmaxKind};

use super::linear::{Linear, Packed};
use crate::artefact::{Activation, Architecture, Artefact, names};

/// Input: f32 `[tokens, hidden]`, sums of word and position rows. Output: f32 `[tokens, hidden]`, the last
/// layer's vectors.
pub(super) fn build(artefact: &Artefact) -> TractResult<TypedModel> {
    let mut model = TypedModel::default();
    let tokens: TDim = model.symbols.new_with_prefix("tokens").into();
    let hidden = artefact.architecture().hidden as usize;
    let input = model.add_source("embeddings", f32::fact(&[tokens, hidden.to_dim()]))?;
    let mut builder = Builder { model, artefact, architecture: artefact.architecture() };
    let mut x = builder.norm(names::NORM, input)?;
    for layer in 0..artefact.architecture().layers {
        x = builder.layer(layer, x)?;
    }
    let mut model = builder.model;
    model.select_output_outlets(&[x])?;
    Ok(model)
}

struct Builder<'a> {
    model: TypedModel,
    artefact: &'a Artefact,
    architecture: &'a Architecture,
}

impl Builder<'_> {
    fn layer(&mut self, layer: u32, x: OutletId) -> TractResult<OutletId> {
        let (hidden, heads) = (self.architecture.hidden as usize, self.architecture.heads as usize);
        let per_head = hidden / heads;
        let name = |part: &str| format!("layer.{layer}.{part}");

        // The scores' scale is a factor of the query projection, once, rather than of every score.
        let scale = 1.0 / (per_head as f32).sqrt();
        let split = AxisOp::Reshape(1, tvec![hidden.to_dim()], tvec![heads.to_dim(), per_head.to_dim()]);
        let merge = AxisOp::Reshape(1, tvec![heads.to_dim(), per_head.to_dim()], tvec![hidden.to_dim()]);
        let parts = [(names::QUERY, scale), (names::KEY, 1.0), (names::VALUE, 1.0)];
        let mut by_head = self.linear(layer, parts, x)?;
        for (out, (part, _)) in by_head.iter_mut().zip(parts) {
            *out = self.wire(&name(&format!("{part}.heads")), split.clone(), &[*out])?;
        }
        let [query, key, value] = by_head;
        let scores = self.einsum(&name("scores"), "snd,tnd->nst", &[query, key])?;
        let softmax = Softmax { axes: tvec![2], quant_output_dt: None, kind: SoftmaxKind::Softmax };
        let shares = self.wire(&name("shares"), softmax, &[scores])?;
        let mixed = self.einsum(&name("mixed"), "nst,tnd->snd", &[shares, value])?;
        let mixed = self.wire(&name("mixed.flat"), merge, &[mixed])?;
        let [attention] = self.linear(layer, [(names::ATTENTION, 1.0)], mixed)?;
        let x = self.wire(&name("attention.residual"), add(), &[x, attention])?;
        let x = self.norm(&name(names::ATTENTION_NORM), x)?;

        let [up] = self.linear(layer, [(names::UP, 1.0)], x)?;
        let up = match self.architecture.activation {
            Activation::Gelu => self.wire(&name("gelu"), gelu_exact(), &[up])?,
            Activation::Relu => {
                let zero = self.constant(&name("relu.zero"), &[1, 1], vec![0.0])?;
                self.wire(&name("relu"), max(), &[up, zero])?
            }
        };
        let [down] = self.linear(layer, [(names::DOWN, 1.0)], up)?;
        let x = self.wire(&name("output.residual"), add(), &[x, down])?;
        self.norm(&name(names::OUTPUT_NORM), x)
    }

    /// `x * weightᵀ + bias`, all of it times a factor, for several parts of a layer that have the same input. Weights
    /// stored as 8-bit integers stay that ([`Linear`]); others are multiplied as f32.
    fn linear<const N: usize>(
        &mut self,
        layer: u32,
        parts: [(&str, f32); N],
        x: OutletId,
    ) -> TractResult<[OutletId; N]> {
        let mut packed = Vec::with_capacity(N);
        for (part, factor) in parts {
            let weights = self.stored(&names::weight(layer, part))?;
            let Some((scales, values)) = weights.int8() else { break };
            let (bias, _) = self.values(&names::bias(layer, part))?;
            packed.push(Packed::new(&values, scales, &bias, weights.shape().1, factor));
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

    /// Layer norm over the last axis: `(x - mean) / sqrt(variance + eps) * weight + bias`. What is left of a
    /// layer norm once the mean is gone is the root mean square norm.
    fn norm(&mut self, name: &str, x: OutletId) -> TractResult<OutletId> {
        let hidden = self.architecture.hidden as usize;
        let share = self.constant(&format!("{name}.share"), &[1, 1], vec![1.0 / hidden as f32])?;
        let sum = Reduce { axes: tvec![1], reducer: Reducer::Sum };
        let sum = self.wire(&format!("{name}.sum"), sum, &[x])?;
        let mean = self.wire(&format!("{name}.mean"), mul(), &[sum, share])?;
        let centred = self.wire(&format!("{name}.centred"), sub(), &[x, mean])?;
        let eps = tensor0(self.architecture.layer_norm_eps).into_arc_tensor();
        let normed = self.wire(&format!("{name}.rms"), RmsNorm { axis: 1, eps }, &[centred])?;
        let weight = self.tensor(&format!("{name}.weight"))?;
        let bias = self.tensor(&format!("{name}.bias"))?;
        let scaled = self.wire(&format!("{name}.scaled"), mul(), &[normed, weight])?;
        self.wire(name, add(), &[scaled, bias])
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

    fn tensor(&mut self, name: &str) -> TractResult<OutletId> {
        let (values, shape) = self.values(name)?;
        self.constant(name, &shape, values)
    }
}
