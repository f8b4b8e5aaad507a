//! A linear layer whose weights stay 8-bit integers in memory, as an operator of tract's.
//!
//! Weights are integers with a scale for each output, as [`Storage::Int8`] holds them. Each token's activations become
//! 16-bit integers with a scale of their own while the layer runs. Their products are summed exactly, and scales and
//! bias are applied to the sum. Since 16 bits lose next to nothing, what a vector loses by this layer is what its
//! weights had lost when they were stored; and since sums of integers do not care for order, every machine and every
//! form of the kernel comes to the same.
//!
//! Compared with f32 weights through tract's own matrix product this is a quarter of the memory and of what has to be
//! read for each query, and no work on tokens that are not there: tract's kernel for wasm takes eight at a time.
//!
//! [`Storage::Int8`]: crate::artefact::Storage::Int8

mod kernel;

use std::fmt;
use std::sync::Arc;

use tract_core::internal::*;

use kernel::{MAX_TILE, PANEL, Step};

/// `x * weightᵀ + bias` for one or more matrices and the same `x`; as many outputs.
#[derive(Clone)]
pub struct Linear {
    parts: Arc<[Packed]>,
}

/// One matrix, in the order the kernel reads it.
pub struct Packed {
    inputs: usize,
    outputs: usize,
    /// For each panel of outputs, the steps over the inputs. Filled up with zeros to whole panels and steps.
    panels: Vec<Step>,
    /// For each output what 1 in the weights stands for, and what is added in the end.
    finish: Vec<(f32, f32)>,
}

impl Packed {
    /// `weights` are `[outputs, inputs]`, a scale for each output; all is multiplied by `factor`.
    pub fn new(
        weights: &[i8],
        scales: impl Iterator<Item = f32>,
        bias: &[f32],
        inputs: usize,
        factor: f32,
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
        let finish = scales.zip(bias).map(|(scale, bias)| (scale * factor, bias * factor)).collect();
        Self { inputs, outputs, panels, finish }
    }

    /// Rows of `outputs` numbers for all tokens.
    fn product(&self, x: &Quantised) -> Vec<f32> {
        let mut out = vec![0.0; x.scales.len() * self.outputs];
        for (panel, steps) in self.panels.chunks_exact(self.inputs.div_ceil(2)).enumerate() {
            let mut token = 0;
            // The blocks lie one after the other, all over the same inputs.
            let mut rest = &x.pairs[..];
            for tokens in tiles(x.scales.len()) {
                let (block, after) = rest.split_at(steps.len() * tokens);
                let at = (panel * PANEL, token);
                match tokens {
                    1 => self.tile::<1>(steps, block, x, at, &mut out),
                    2 => self.tile::<2>(steps, block, x, at, &mut out),
                    3 => self.tile::<3>(steps, block, x, at, &mut out),
                    4 => self.tile::<4>(steps, block, x, at, &mut out),
                    _ => self.tile::<MAX_TILE>(steps, block, x, at, &mut out),
                }
                rest = after;
                token += tokens;
            }
        }
        out
    }

    #[inline]
    fn tile<const TOKENS: usize>(
        &self,
        steps: &[Step],
        block: &[i32],
        x: &Quantised,
        (first, token): (usize, usize),
        out: &mut [f32],
    ) {
        let sums = kernel::tile::<TOKENS>(steps, block.as_chunks().0);
        let finish = &self.finish[first..self.outputs.min(first + PANEL)];
        for (i, sums) in sums.iter().enumerate() {
            let of_token = x.scales[token + i];
            let row = &mut out[(token + i) * self.outputs + first..][..finish.len()];
            for ((out, sum), (scale, bias)) in row.iter_mut().zip(sums).zip(finish) {
                *out = *sum as f32 * (of_token * scale) + bias;
            }
        }
    }
}

/// How many tokens go together: blocks as equal as can be, of [`MAX_TILE`] at most.
fn tiles(tokens: usize) -> impl Iterator<Item = usize> {
    let n = tokens.div_ceil(MAX_TILE);
    (0..n).map(move |i| (tokens + i) / n)
}

/// Activations as integers.
struct Quantised {
    /// What 1 stands for, by token.
    scales: Vec<f32>,
    /// Pairs of inputs, in blocks of tokens: `[block][pair][token]`.
    pairs: Vec<i32>,
}

impl Quantised {
    fn new(x: &[f32], inputs: usize) -> Self {
        let tokens = x.len() / inputs;
        let most = f32::from(most(inputs));
        let mut scales = Vec::with_capacity(tokens);
        let mut pairs = vec![0; tokens * inputs.div_ceil(2)];
        let (mut rest, mut token) = (&mut pairs[..], 0);
        for together in tiles(tokens) {
            let (block, after) = rest.split_at_mut(inputs.div_ceil(2) * together);
            for i in 0..together {
                let row = &x[(token + i) * inputs..][..inputs];
                let largest = largest(row);
                let (scale, inverse) =
                    if largest > 0.0 { (largest / most, most / largest) } else { (0.0, 0.0) };
                scales.push(scale);
                let (twos, last) = row.as_chunks::<2>();
                let last = last.first().map(|&value| [value, 0.0]);
                for (slot, [a, b]) in block.chunks_exact_mut(together).zip(twos.iter().copied().chain(last)) {
                    slot[i] = kernel::pair(round(a * inverse), round(b * inverse));
                }
            }
            rest = after;
            token += together;
        }
        Self { scales, pairs }
    }
}

/// The largest magnitude. Side by side and by comparing: `f32::max` is a call on wasm, for what it does with NaN.
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

/// To the nearest, ties to even, of what fits 16 bits: added to a number from which on f32 has no fractions, and read
/// from its last bits, which is the same everywhere and costs one addition.
fn round(value: f32) -> i16 {
    const NO_FRACTIONS: f32 = 12_582_912.0;
    (value + NO_FRACTIONS).to_bits() as i16
}

/// The largest activation with which `inputs` products with 8-bit weights cannot overflow 32 bits: 32,767 for 384
/// inputs, 11,008 for 1,536.
fn most(inputs: usize) -> i16 {
    let most = i32::MAX as usize / (127 * inputs.max(1).next_multiple_of(2));
    most.min(i16::MAX as usize) as i16
}

impl Linear {
    /// Of matrices that have the same number of inputs.
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

/// The same weights in the same place.
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
        let [tokens, found] = *x.shape() else { bail!("a linear layer takes rows, found {:?}", x.shape()) };
        ensure!(found == n_inputs, "a linear layer takes rows of {n_inputs}, found {found}");
        let view = x.try_as_plain_ram()?;
        let quantised = Quantised::new(view.as_slice::<f32>()?, n_inputs);
        self.parts
            .iter()
            .map(|part| {
                Ok(Tensor::from_shape(&[tokens, part.outputs], &part.product(&quantised))?.into_tvalue())
            })
            .collect()
    }
}

impl TypedOp for Linear {
    as_op!();

    fn output_facts(&self, inputs: &[&TypedFact]) -> TractResult<TVec<TypedFact>> {
        let tokens = inputs[0].shape[0].clone();
        Ok(self.parts.iter().map(|part| f32::fact([tokens.clone(), part.outputs.to_dim()])).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `x * weightᵀ + bias` in f64.
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
            let found = packed.product(&Quantised::new(x, inputs));
            for (found, expected) in found.iter().zip(slow(x, weights, scales, bias, inputs)) {
                // Half a step of the largest activation, with the largest weights and scale.
                let bound = inputs as f64 * 0.5 / 32767.0 * 4.0 * 127.0 * 4.0 + 1e-3;
                prop_assert!((f64::from(*found) - expected).abs() <= bound, "{found} instead of {expected}");
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
    fn the_largest_sums_do_not_overflow() {
        for inputs in [1usize, 2, 383, 384, 1536, 4096, 16384] {
            let packed = Packed::new(&vec![-127; inputs], [1.0].into_iter(), &[0.0], inputs, 1.0);
            let x = Quantised::new(&vec![-1.0; inputs], inputs);
            let expected = 127.0 * inputs as f32;
            assert!((packed.product(&x)[0] - expected).abs() <= expected * 1e-5);
        }
    }

    #[test]
    fn tokens_without_activations_give_the_bias() {
        let packed = Packed::new(&[1, 2, 3, 4], [0.5, 0.25].into_iter(), &[7.0, 8.0], 2, 2.0);
        assert_eq!(packed.product(&Quantised::new(&[0.0; 4], 2)), [14.0, 16.0, 14.0, 16.0]);
        assert!(packed.product(&Quantised::new(&[], 2)).is_empty());
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
