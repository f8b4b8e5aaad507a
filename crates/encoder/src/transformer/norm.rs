//! Layer normalisation together with the sum before it, as one operator of tract.

use std::sync::Arc;

use tract_core::internal::*;

use super::wide::{sum, wide};

/// `(x - mean) / sqrt(variance + eps) * weight + bias` of each row, of one input or of the sum of
/// two.
#[derive(Clone, Debug)]
pub struct Norm {
    eps: f32,
    /// Weights, then biases.
    factors: Arc<[Vec<f32>; 2]>,
}

impl Norm {
    /// Returns a norm of rows as long as `weight` and `bias`.
    pub fn new(eps: f32, weight: Vec<f32>, bias: Vec<f32>) -> Self {
        Self { eps, factors: Arc::new([weight, bias]) }
    }

    fn run(&self, x: &mut [f32], residual: Option<&[f32]>) {
        let [weight, bias] = &*self.factors;
        let width = weight.len();
        let mut squares = vec![0.0; width];
        wide(
            #[inline(always)]
            || {
                for (i, row) in x.chunks_exact_mut(width).enumerate() {
                    if let Some(residual) = residual {
                        for (x, other) in row.iter_mut().zip(&residual[i * width..]) {
                            *x += other;
                        }
                    }
                    let mean = sum(row) / width as f32;
                    for (square, x) in squares.iter_mut().zip(&mut *row) {
                        *x -= mean;
                        *square = *x * *x;
                    }
                    let variance = sum(&squares) / width as f32;
                    let scale = 1.0 / (variance + self.eps).sqrt();
                    for (x, (weight, bias)) in row.iter_mut().zip(weight.iter().zip(bias)) {
                        *x = *x * scale * weight + bias;
                    }
                }
            },
        );
    }
}

/// Compares by address: the same factors in memory.
impl PartialEq for Norm {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.factors, &other.factors)
    }
}

impl Eq for Norm {}

impl Op for Norm {
    fn name(&self) -> StaticName {
        "LayerNorm".into()
    }

    op_as_typed_op!();
}

impl EvalOp for Norm {
    op_out_of_plan!();

    fn eval(&self, _: &EvalContext, mut inputs: TVec<TValue>) -> TractResult<TVec<TValue>> {
        let residual = if inputs.len() == 2 { inputs.pop() } else { None };
        let x = args_1!(inputs);
        let width = self.factors[0].len();
        let same = residual.as_ref().is_none_or(|residual| residual.shape() == x.shape());
        ensure!(
            same && x.shape().last() == Some(&width),
            "a norm: expected rows of {width} numbers, found shapes {:?} and {:?}",
            x.shape(),
            residual.as_ref().map(|residual| residual.shape().to_vec())
        );
        let view = residual.as_ref().map(|residual| residual.try_as_plain_ram()).transpose()?;
        let residual = view.as_ref().map(|view| view.as_slice::<f32>()).transpose()?;
        let shape: TVec<usize> = x.shape().into();
        let mut rows = x.try_as_plain_ram()?.as_slice::<f32>()?.to_vec();
        self.run(&mut rows, residual);
        Ok(tvec![Tensor::from_shape(&shape, &rows)?.into_tvalue()])
    }
}

impl TypedOp for Norm {
    as_op!();

    fn output_facts(&self, inputs: &[&TypedFact]) -> TractResult<TVec<TypedFact>> {
        Ok(tvec![f32::fact(inputs[0].shape.iter())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_mean_0_and_variance_1_before_factors() {
        let width = 37;
        let x: Vec<f32> = (0..3 * width).map(|i| (i * 31 % 17) as f32 - 4.0).collect();
        let residual: Vec<f32> = (0..3 * width).map(|i| (i * 13 % 7) as f32).collect();
        let weight: Vec<f32> = (0..width).map(|i| i as f32 / 9.0).collect();
        let bias: Vec<f32> = (0..width).map(|i| 1.0 - i as f32).collect();
        let norm = Norm::new(1e-5, weight.clone(), bias.clone());
        let mut found = x.clone();
        norm.run(&mut found, Some(&residual));
        for (i, row) in found.chunks_exact(width).enumerate() {
            let at = |j: usize| f64::from(x[i * width + j] + residual[i * width + j]);
            let mean = (0..width).map(at).sum::<f64>() / width as f64;
            let variance = (0..width).map(|j| (at(j) - mean).powi(2)).sum::<f64>() / width as f64;
            for (j, found) in row.iter().enumerate() {
                let normed = (at(j) - mean) / (variance + 1e-5).sqrt();
                let expected = normed * f64::from(weight[j]) + f64::from(bias[j]);
                assert!(
                    (f64::from(*found) - expected).abs() < 1e-4,
                    "{found} instead of {expected}"
                );
            }
        }
    }
}
