//! A linear layer with 8-bit integer weights in memory, as an operator of tract.
//!
//! Weights are integers with a scale for each output, as in [`Storage::Int8`]. While the layer
//! runs, the activations of each token become 16-bit integers with a scale of their own. Their
//! products are summed exactly; then scales and bias are applied. Rounding to 16 bits loses almost
//! nothing, so the layer adds no error to the error of the stored weights. Sums of integers do not
//! depend on their order, so every machine and every form of the kernel gives the same result.
//!
//! Compared with f32 weights and tract's own matrix product, this needs a quarter of the memory and
//! of the reads for each query. It does no work for missing tokens, while tract's kernel for wasm
//! takes eight at a time.
//!
//! [`Storage::Int8`]: crate::artefact::Storage::Int8

mod kernel;

use std::fmt;
use std::sync::Arc;

use tract_core::internal::*;

use super::wide::wide;
use kernel::{MAX_TILE, PANEL, Step, Weight};

/// `x * weightᵀ + bias` for one or more matrices and the same `x`, with an output for each.
#[derive(Clone)]
pub struct Linear {
    parts: Arc<[Packed]>,
}

/// One matrix, in the order of the kernel.
pub struct Packed {
    inputs: usize,
    outputs: usize,
    /// For each panel of outputs, the steps over the inputs. Padded with zeros to whole panels and
    /// steps.
    panels: Vec<Step>,
    /// For each output the scale of the weights, and the bias.
    finish: Vec<(f32, f32)>,
    /// The largest activation with which no sum overflows.
    max: i16,
}

impl Packed {
    /// Packs `weights` (`[outputs, inputs]`, 8-bit, with a scale for each output). Scales and bias
    /// are multiplied by `factor`.
    pub fn new(
        weights: &[i8],
        scales: impl Iterator<Item = f32>,
        bias: &[f32],
        inputs: usize,
        factor: f32,
    ) -> Self {
        let weights: Vec<Weight> = weights.iter().map(|&weight| Weight::from(weight)).collect();
        Self::in_order(&weights, scales, bias, inputs, factor, max_activation(inputs))
    }

    /// Rounds f32 weights to integers of 11 bits or more, which changes the direction of a vector
    /// by a few millionths. `None` if the kernel's weights have 8 bits.
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    pub fn rounded(weights: &[f32], bias: &[f32], inputs: usize, factor: f32) -> Option<Self> {
        // A sum of products is at most the largest activation times all weights of an output.
        // Weights and activations share the 32 bits of a sum. Activations get two bits more, since
        // their largest values are further from the rest.
        let heaviest = weights.chunks_exact(inputs).map(|row| {
            let sum: f64 = row.iter().map(|weight| f64::from(weight.abs())).sum();
            sum / f64::from(largest(row)).max(f64::MIN_POSITIVE)
        });
        let heaviest = heaviest.fold(1.0, f64::max);
        let max = |steps: f64| f64::from(i32::MAX) / (heaviest * steps + inputs as f64);
        let mut steps = 16_383u16;
        while steps > 127 && max(steps.into()) < f64::from(i16::MAX).min(4.0 * f64::from(steps)) {
            steps /= 2;
        }
        let max = max(steps.into()).min(i16::MAX.into()) as i16;
        let steps = f32::from(steps);
        let mut integers: Vec<Weight> = Vec::with_capacity(weights.len());
        let mut scales = Vec::with_capacity(bias.len());
        for row in weights.chunks_exact(inputs) {
            let largest = largest(row);
            let (scale, inverse) =
                if largest > 0.0 { (largest / steps, steps / largest) } else { (0.0, 0.0) };
            scales.push(scale);
            integers.extend(row.iter().map(|weight| round(weight * inverse)));
        }
        Some(Self::in_order(&integers, scales.into_iter(), bias, inputs, factor, max))
    }

    /// Returns `None`, since the kernel's weights have 8 bits.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    pub fn rounded(_: &[f32], _: &[f32], _: usize, _: f32) -> Option<Self> {
        None
    }

    fn in_order(
        weights: &[Weight],
        scales: impl Iterator<Item = f32>,
        bias: &[f32],
        inputs: usize,
        factor: f32,
        max: i16,
    ) -> Self {
        let outputs = bias.len();
        let mut panels = Vec::with_capacity(outputs.div_ceil(PANEL) * inputs.div_ceil(2));
        for first in (0..outputs).step_by(PANEL) {
            for input in (0..inputs).step_by(2) {
                panels.push(kernel::step(std::array::from_fn(|i| {
                    let at = |input: usize| match first + i < outputs && input < inputs {
                        true => weights[(first + i) * inputs + input],
                        false => 0,
                    };
                    [at(input), at(input + 1)]
                })));
            }
        }
        let finish =
            scales.zip(bias).map(|(scale, bias)| (scale * factor, bias * factor)).collect();
        Self { inputs, outputs, panels, finish, max }
    }

    /// Computes rows of `outputs` numbers for all tokens.
    fn product(&self, x: &Quantised, out: &mut [f32]) {
        let mut sums = [[0; PANEL]; MAX_TILE];
        for (panel, steps) in self.panels.chunks_exact(self.inputs.div_ceil(2)).enumerate() {
            let mut token = 0;
            let first = panel * PANEL;
            let finish = &self.finish[first..self.outputs.min(first + PANEL)];
            // Blocks follow one another, all over the same inputs.
            let mut rest = &x.pairs[..];
            for tokens in tiles(x.scales.len()) {
                let (block, after) = rest.split_at(steps.len() * tokens);
                let sums = &mut sums[..tokens];
                kernel::tile(steps, block, sums);
                wide(
                    #[inline(always)]
                    || {
                        for (i, (sums, of_token)) in sums.iter().zip(&x.scales[token..]).enumerate()
                        {
                            let row =
                                &mut out[(token + i) * self.outputs + first..][..finish.len()];
                            for ((out, sum), (scale, bias)) in row.iter_mut().zip(sums).zip(finish)
                            {
                                *out = *sum as f32 * (of_token * scale) + bias;
                            }
                        }
                    },
                );
                rest = after;
                token += tokens;
            }
        }
    }
}

/// Returns the sizes of the blocks of tokens: as equal as possible, at most [`MAX_TILE`].
fn tiles(tokens: usize) -> impl Iterator<Item = usize> {
    let n = tokens.div_ceil(MAX_TILE);
    (0..n).map(move |i| (tokens + i) / n)
}

/// Activations as integers.
struct Quantised {
    /// The scale of each token.
    scales: Vec<f32>,
    /// Pairs of inputs, in blocks of tokens: `[block][pair][token]`.
    pairs: Vec<i32>,
}

impl Quantised {
    /// Quantises the activations of one token, whose largest becomes the integer `max`.
    #[inline(always)]
    fn new(x: &[f32], inputs: usize, max: i16) -> Self {
        let tokens = x.len() / inputs;
        let max = f32::from(max);
        let mut scales = Vec::with_capacity(tokens);
        let mut pairs = vec![0; tokens * inputs.div_ceil(2)];
        let (mut rest, mut token) = (&mut pairs[..], 0);
        for together in tiles(tokens) {
            let (block, after) = rest.split_at_mut(inputs.div_ceil(2) * together);
            for i in 0..together {
                let row = &x[(token + i) * inputs..][..inputs];
                let largest = largest(row);
                let (scale, inverse) =
                    if largest > 0.0 { (largest / max, max / largest) } else { (0.0, 0.0) };
                scales.push(scale);
                let (twos, last) = row.as_chunks::<2>();
                let last = last.first().map(|&value| [value, 0.0]);
                for (slot, [a, b]) in
                    block.chunks_exact_mut(together).zip(twos.iter().copied().chain(last))
                {
                    slot[i] = kernel::pair(round(a * inverse), round(b * inverse));
                }
            }
            rest = after;
            token += together;
        }
        Self { scales, pairs }
    }
}

/// Returns the largest magnitude. In lanes, and by comparison: `f32::max` is a function call on
/// wasm, because of its handling of NaN.
#[inline(always)]
fn largest(row: &[f32]) -> f32 {
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    let (eights, rest) = row.as_chunks::<8>();
    let mut lanes = [0.0f32; 8];
    for eight in eights {
        for (lane, value) in lanes.iter_mut().zip(eight) {
            *lane = larger(*lane, value.abs());
        }
    }
    lanes.into_iter().chain(rest.iter().map(|value| value.abs())).fold(0.0, larger)
}

/// Rounds a number that fits 16 bits to the nearest integer, ties to even. Adds a number beyond
/// which f32 has no fractions, and reads the last bits: the same on every machine, for one
/// addition.
#[inline(always)]
fn round(value: f32) -> i16 {
    const NO_FRACTIONS: f32 = 12_582_912.0;
    (value + NO_FRACTIONS).to_bits() as i16
}

/// Returns the largest activation with which `inputs` products with 8-bit weights cannot overflow
/// 32 bits: 32,767 for 384 inputs, 11,008 for 1,536.
fn max_activation(inputs: usize) -> i16 {
    let max = i32::MAX as usize / (127 * inputs.max(1).next_multiple_of(2));
    max.min(i16::MAX as usize) as i16
}

impl Linear {
    /// Returns a layer of matrices with the same number of inputs.
    pub fn new(parts: Vec<Packed>) -> Self {
        Self { parts: parts.into() }
    }
}

impl fmt::Debug for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shapes = self.parts.iter().map(|part| (part.outputs, part.inputs));
        f.debug_list().entries(shapes).finish()
    }
}

/// Compares by address: the same weights in memory.
impl PartialEq for Linear {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.parts, &other.parts)
    }
}

impl Eq for Linear {}

impl Op for Linear {
    fn name(&self) -> StaticName {
        "Int8Linear".into()
    }

    op_as_typed_op!();
}

impl EvalOp for Linear {
    op_out_of_plan!();

    fn eval(&self, _: &EvalContext, inputs: TVec<TValue>) -> TractResult<TVec<TValue>> {
        let x = args_1!(inputs);
        let n_inputs = self.parts.first().map_or(0, |part| part.inputs);
        let [tokens, found] = *x.shape() else {
            bail!("a linear layer: expected rows, found shape {:?}", x.shape())
        };
        ensure!(
            found == n_inputs,
            "a linear layer: expected rows of {n_inputs} numbers, found {found}"
        );
        let view = x.try_as_plain_ram()?;
        let max = self.parts.iter().map(|part| part.max).min().unwrap_or(0);
        let x = view.as_slice::<f32>()?;
        let quantised = wide(
            #[inline(always)]
            || Quantised::new(x, n_inputs, max),
        );
        let mut outputs = tvec![];
        for part in self.parts.iter() {
            let mut out = Tensor::zero::<f32>(&[tokens, part.outputs])?;
            part.product(&quantised, out.try_as_plain_ram_mut()?.as_slice_mut()?);
            outputs.push(out.into_tvalue());
        }
        Ok(outputs)
    }
}

impl TypedOp for Linear {
    as_op!();

    fn output_facts(&self, inputs: &[&TypedFact]) -> TractResult<TVec<TypedFact>> {
        let tokens = inputs[0].shape[0].clone();
        Ok(self
            .parts
            .iter()
            .map(|part| f32::fact([tokens.clone(), part.outputs.to_dim()]))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn product(packed: &Packed, x: &[f32]) -> Vec<f32> {
        let mut out = vec![f32::NAN; x.len() / packed.inputs * packed.outputs];
        packed.product(&Quantised::new(x, packed.inputs, packed.max), &mut out);
        out
    }

    /// Computes `x * weightᵀ + bias` in f64.
    fn slow(x: &[f32], weights: &[i8], scales: &[f32], bias: &[f32], inputs: usize) -> Vec<f64> {
        let row = |x: &[f32], output: usize| {
            let weights = &weights[output * inputs..][..inputs];
            let sum: f64 = x.iter().zip(weights).map(|(x, w)| f64::from(*x) * f64::from(*w)).sum();
            sum * f64::from(scales[output]) + f64::from(bias[output])
        };
        x.chunks_exact(inputs).flat_map(|x| (0..bias.len()).map(move |o| row(x, o))).collect()
    }

    proptest! {
        #[test]
        fn it_is_the_product_of_any_shape(
            inputs in 1usize..40,
            outputs in 1usize..30,
            tokens in 1usize..24,
            numbers in prop::collection::vec(-4.0f32..4.0, 24 * 40),
            weights in prop::collection::vec(-127i8..=127, 30 * 40),
        ) {
            let (x, weights) = (&numbers[..tokens * inputs], &weights[..outputs * inputs]);
            let (scales, bias) = (&numbers[..outputs], &numbers[40..][..outputs]);
            let packed = Packed::new(weights, scales.iter().copied(), bias, inputs, 1.0);
            let found = product(&packed, x);
            for (found, expected) in found.iter().zip(slow(x, weights, scales, bias, inputs)) {
                // Half a step of the largest activation, with the largest weights and scale.
                let bound = inputs as f64 * 0.5 / 32767.0 * 4.0 * 127.0 * 4.0 + 1e-3;
                prop_assert!(
                    (f64::from(*found) - expected).abs() <= bound,
                    "{found} instead of {expected}"
                );
            }
        }

        #[test]
        fn blocks_are_whole_and_nearly_equal(tokens in 0usize..300) {
            let blocks: Vec<usize> = tiles(tokens).collect();
            prop_assert_eq!(blocks.iter().sum::<usize>(), tokens);
            let (least, largest) = (blocks.iter().min(), blocks.iter().max());
            prop_assert!(largest.is_none_or(|&n| n <= MAX_TILE && n - least.unwrap() <= 1));
        }
    }

    #[test]
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    fn weights_that_are_no_integers_lose_little_and_do_not_overflow() {
        for inputs in [1usize, 2, 15, 384, 1536, 16384] {
            for weight in [|_: usize| -0.7f32, |i| ((i * 7919 % 1000) as f32 - 500.0) / 300.0] {
                let weights: Vec<f32> = (0..inputs).map(weight).collect();
                let packed = Packed::rounded(&weights, &[0.25], inputs, 2.0).unwrap();
                for x in [|_: usize| -3.0f32, |i| ((i * 31 % 100) as f32 - 50.0) / 9.0] {
                    let x: Vec<f32> = (0..inputs).map(x).collect();
                    let products =
                        || x.iter().zip(&weights).map(|(x, w)| f64::from(*x) * f64::from(*w));
                    let expected = (products().sum::<f64>() + 0.25) * 2.0;
                    let bound = products().map(f64::abs).sum::<f64>() * 4e-3 + 1e-3;
                    let found = f64::from(product(&packed, &x)[0]);
                    assert!(
                        (found - expected).abs() < bound,
                        "{inputs}: {found} instead of {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_largest_sums_do_not_overflow() {
        for inputs in [1usize, 2, 383, 384, 1536, 4096, 16384] {
            let packed = Packed::new(&vec![-127; inputs], [1.0].into_iter(), &[0.0], inputs, 1.0);
            let expected = 127.0 * inputs as f32;
            assert!((product(&packed, &vec![-1.0; inputs])[0] - expected).abs() <= expected * 1e-5);
        }
    }

    #[test]
    fn tokens_without_activations_give_the_bias() {
        let packed = Packed::new(&[1, 2, 3, 4], [0.5, 0.25].into_iter(), &[7.0, 8.0], 2, 2.0);
        assert_eq!(product(&packed, &[0.0; 4]), [14.0, 16.0, 14.0, 16.0]);
        assert!(product(&packed, &[]).is_empty());
    }

    #[test]
    fn halves_go_to_the_even_neighbour() {
        for (value, expected) in
            [(0.5, 0), (1.5, 2), (-0.5, 0), (-2.5, -2), (32766.6, 32767), (-32766.6, -32767)]
        {
            assert_eq!(round(value), expected);
        }
    }
}
