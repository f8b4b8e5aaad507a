//! The forward pass as a tract model, built from tract-core's operators.
//!
//! Building the model here, rather than parsing an exchange format, has three advantages. Browsers
//! need no parser. The word table stays out of the graph: its rows are gathered from the quantised
//! artefact, and the graph's input is their sum with the positions. And one model serves every
//! length: the number of tokens is a symbol.

use tract_core::internal::*;
use tract_core::ops::einsum::EinSum;
use tract_core::ops::math::{add, max};
use tract_core::ops::nn::gelu_exact::gelu_exact;

use super::attention::Attention;
use super::linear::{Linear, Packed};
use super::norm::Norm;
use crate::artefact::{Activation, Architecture, Artefact, names};

/// Builds the graph of the layers. Input: f32 `[tokens, hidden]`, sums of word and position rows.
/// Output: f32 `[tokens, hidden]`, the vectors of the last layer. May move the layers out of the
/// artefact.
pub(super) fn build(artefact: &mut Artefact) -> TractResult<TypedModel> {
    let architecture = artefact.architecture().clone();
    let norm = norm(artefact, names::NORM)?;
    let layers = layers(artefact)?;
    let mut model = TypedModel::default();
    let tokens: TDim = model.symbols.new_with_prefix("tokens").into();
    let input = model
        .add_source("embeddings", f32::fact(&[tokens, (architecture.hidden as usize).to_dim()]))?;
    let mut builder = Builder { model, architecture };
    let mut x = builder.wire(names::NORM, norm, &[input])?;
    for (number, layer) in layers.into_iter().enumerate() {
        x = builder.layer(number, layer, x)?;
    }
    builder.model.select_output_outlets(&[x])?;
    Ok(builder.model)
}

/// Returns all layers, packed on all cores.
#[cfg(feature = "parallel")]
fn layers(artefact: &Artefact) -> TractResult<Vec<Layer>> {
    use rayon::prelude::*;

    let layers = (0..artefact.architecture().layers).into_par_iter();
    layers.map(|layer| Layer::of(artefact, layer)).collect()
}

/// Returns all layers. They are packed from the last to the first, and each is freed before the
/// next is packed. With all of them in memory twice, wasm memory, which never shrinks, would be
/// half as large again.
#[cfg(not(feature = "parallel"))]
fn layers(artefact: &mut Artefact) -> TractResult<Vec<Layer>> {
    let mut layers = Vec::new();
    for layer in (0..artefact.architecture().layers).rev() {
        layers.push(Layer::of(artefact, layer)?);
        artefact.drop_layer(layer);
    }
    layers.reverse();
    Ok(layers)
}

/// A layer's weights in the form of its operators.
struct Layer {
    /// Query, key and value.
    qkv: Product,
    attention: Product,
    attention_norm: Norm,
    up: Product,
    down: Product,
    output_norm: Norm,
}

/// `(x * weightᵀ + bias) * factor`, for the parts of a layer that have the same input.
enum Product {
    /// Weights that are integers, or were rounded to integers.
    Integers(Linear),
    /// Weights, their shape, and bias, for products in f32.
    Floats(Vec<(Vec<f32>, [usize; 2], Vec<f32>)>),
}

impl Layer {
    fn of(artefact: &Artefact, layer: u32) -> TractResult<Self> {
        let per_head = artefact.architecture().hidden / artefact.architecture().heads;
        // The scale of scores is a factor of the query projection, once, rather than of every
        // score.
        let scale = 1.0 / (per_head as f32).sqrt();
        let of = |parts: &[(&str, f32)]| Product::of(artefact, layer, parts);
        Ok(Self {
            qkv: of(&[(names::QUERY, scale), (names::KEY, 1.0), (names::VALUE, 1.0)])?,
            attention: of(&[(names::ATTENTION, 1.0)])?,
            attention_norm: norm(artefact, &format!("layer.{layer}.{}", names::ATTENTION_NORM))?,
            up: of(&[(names::UP, 1.0)])?,
            down: of(&[(names::DOWN, 1.0)])?,
            output_norm: norm(artefact, &format!("layer.{layer}.{}", names::OUTPUT_NORM))?,
        })
    }
}

impl Product {
    /// Prepares a product with the matrices of a layer side by side. Weights stored as 8-bit
    /// integers stay 8-bit integers ([`Linear`]). Others are rounded to more bits if the kernel
    /// supports them.
    fn of(artefact: &Artefact, layer: u32, parts: &[(&str, f32)]) -> TractResult<Self> {
        let part = |part| -> TractResult<_> {
            Ok((
                stored(artefact, &names::weight(layer, part))?,
                values(artefact, &names::bias(layer, part))?.0,
            ))
        };
        let mut packed = Vec::with_capacity(parts.len());
        for &(name, factor) in parts {
            let (weights, bias) = part(name)?;
            let inputs = weights.shape().1;
            packed.extend(match weights.int8() {
                Some((scales, values)) => Some(Packed::new(&values, scales, &bias, inputs, factor)),
                None => Packed::rounded(&weights.to_f32(), &bias, inputs, factor),
            });
        }
        if packed.len() == parts.len() {
            return Ok(Self::Integers(Linear::new(packed)));
        }
        let floats = parts.iter().map(|&(name, factor)| {
            let (weights, mut bias) = part(name)?;
            let (outputs, inputs) = weights.shape();
            let mut weights = weights.to_f32();
            weights.iter_mut().chain(&mut bias).for_each(|value| *value *= factor);
            Ok((weights, [outputs, inputs], bias))
        });
        Ok(Self::Floats(floats.collect::<TractResult<_>>()?))
    }
}

fn norm(artefact: &Artefact, name: &str) -> TractResult<Norm> {
    let (weight, _) = values(artefact, &format!("{name}.weight"))?;
    let (bias, _) = values(artefact, &format!("{name}.bias"))?;
    Ok(Norm::new(artefact.architecture().layer_norm_eps, weight, bias))
}

fn stored<'a>(artefact: &'a Artefact, name: &str) -> TractResult<crate::artefact::Tensor<'a>> {
    artefact.tensor(name).with_context(|| format!("no tensor `{name}`"))
}

fn values(artefact: &Artefact, name: &str) -> TractResult<(Vec<f32>, [usize; 2])> {
    let tensor = stored(artefact, name)?;
    let (rows, cols) = tensor.shape();
    Ok((tensor.to_f32(), [rows, cols]))
}

struct Builder {
    model: TypedModel,
    architecture: Architecture,
}

impl Builder {
    fn layer(&mut self, number: usize, layer: Layer, x: OutletId) -> TractResult<OutletId> {
        let heads = self.architecture.heads as usize;
        let name = |part: &str| format!("layer.{number}.{part}");

        let qkv = self.product(&name("query+key+value"), layer.qkv, x)?;
        let mixed = self.wire(&name("attend"), Attention { heads }, &qkv)?;
        let attention = self.product(&name(names::ATTENTION), layer.attention, mixed)?;
        let x =
            self.wire(&name(names::ATTENTION_NORM), layer.attention_norm, &[x, attention[0]])?;

        let up = self.product(&name(names::UP), layer.up, x)?;
        let up = match self.architecture.activation {
            Activation::Gelu => self.wire(&name("gelu"), gelu_exact(), &up)?,
            Activation::Relu => {
                let zero = self.constant(&name("relu.zero"), &[1, 1], vec![0.0])?;
                self.wire(&name("relu"), max(), &[up[0], zero])?
            }
        };
        let down = self.product(&name(names::DOWN), layer.down, up)?;
        self.wire(&name(names::OUTPUT_NORM), layer.output_norm, &[x, down[0]])
    }

    /// Adds a product. It has as many outputs as parts.
    fn product(
        &mut self,
        name: &str,
        product: Product,
        x: OutletId,
    ) -> TractResult<TVec<OutletId>> {
        let floats = match product {
            Product::Integers(linear) => return self.model.wire_node(name, linear, &[x]),
            Product::Floats(floats) => floats,
        };
        let mut outlets = tvec![];
        for (i, (weight, shape, bias)) in floats.into_iter().enumerate() {
            let bias = self.constant(&format!("{name}.{i}.bias"), &[1, shape[0]], bias)?;
            let weight = self.constant(&format!("{name}.{i}.weight"), &shape, weight)?;
            let product = self.einsum(&format!("{name}.{i}.product"), "oh,sh->so", &[weight, x])?;
            outlets.push(self.wire(&format!("{name}.{i}"), add(), &[product, bias])?);
        }
        Ok(outlets)
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
}
