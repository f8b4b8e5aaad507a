//! Attention of all heads as one operator of tract: scores, their softmax and the weighted sum of
//! values.
//!
//! Separate operators would pass a number for each pair of tokens through memory four times, and
//! their kernels would pack matrices of only 32 columns. Here a few rows of scores at a time stay
//! in the cache. Sums are over dimensions and tokens in a fixed order, so that native and wasm give
//! the same bits.

mod heads;

use tract_core::internal::*;

/// `softmax(query * keyᵀ) * value` for each head. Inputs and output are `[tokens, hidden]`; queries
/// are already scaled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attention {
    /// Number of heads. Each has a range of the numbers of a token.
    pub heads: usize,
}

impl Op for Attention {
    fn name(&self) -> StaticName {
        "Attention".into()
    }

    op_as_typed_op!();
}

impl EvalOp for Attention {
    op_out_of_plan!();

    fn eval(&self, _: &EvalContext, inputs: TVec<TValue>) -> TractResult<TVec<TValue>> {
        let (query, key, value) = args_3!(inputs);
        let [tokens, hidden] = *query.shape() else {
            bail!("attention: expected rows, found shape {:?}", query.shape())
        };
        ensure!(
            query.shape() == key.shape()
                && key.shape() == value.shape()
                && hidden.is_multiple_of(self.heads),
            "attention: expected queries, keys and values of one shape, found {:?}, {:?}, {:?}",
            query.shape(),
            key.shape(),
            value.shape()
        );
        let (query, key, value) =
            (query.try_as_plain_ram()?, key.try_as_plain_ram()?, value.try_as_plain_ram()?);
        let inputs = [query.as_slice::<f32>()?, key.as_slice::<f32>()?, value.as_slice::<f32>()?];
        let mut out = Tensor::zero::<f32>(&[tokens, hidden])?;
        heads::attend(inputs, out.try_as_plain_ram_mut()?.as_slice_mut()?, hidden, self.heads);
        Ok(tvec![out.into_tvalue()])
    }
}

impl TypedOp for Attention {
    as_op!();

    fn output_facts(&self, inputs: &[&TypedFact]) -> TractResult<TVec<TypedFact>> {
        Ok(tvec![f32::fact(inputs[0].shape.iter())])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Computes attention by its formula, in f64.
    fn slow([query, key, value]: [&[f32]; 3], hidden: usize, heads: usize) -> Vec<f64> {
        let (tokens, dim) = (query.len() / hidden, hidden / heads);
        let mut out = vec![0.0; query.len()];
        for head in 0..heads {
            let at = |token: usize, i: usize| token * hidden + head * dim + i;
            for row in 0..tokens {
                let score = |token: usize| -> f64 {
                    (0..dim)
                        .map(|i| f64::from(query[at(row, i)]) * f64::from(key[at(token, i)]))
                        .sum()
                };
                let shares: Vec<f64> = (0..tokens).map(|token| score(token).exp()).collect();
                let all: f64 = shares.iter().sum();
                for i in 0..dim {
                    out[at(row, i)] = (0..tokens)
                        .map(|token| shares[token] / all * f64::from(value[at(token, i)]))
                        .sum();
                }
            }
        }
        out
    }

    proptest! {
        #[test]
        fn attention_equals_the_formula_for_any_shape(
            tokens in 1usize..70,
            (heads, dim) in (1usize..4, 1usize..70),
            numbers in prop::collection::vec(-1.5f32..1.5, 1024),
        ) {
            let hidden = heads * dim;
            let take = |from: usize| -> Vec<f32> {
                (0..tokens * hidden)
                    .map(|i| numbers[(i * 7 + from) % numbers.len()] / (dim as f32).sqrt())
                    .collect()
            };
            let (query, key, value) = (take(0), take(300), take(700));
            let inputs = [&query[..], &key[..], &value[..]];
            let mut found = vec![0.0; tokens * hidden];
            heads::attend(inputs, &mut found, hidden, heads);
            for (found, expected) in found.iter().zip(slow(inputs, hidden, heads)) {
                prop_assert!(
                    (f64::from(*found) - expected).abs() < 2e-4,
                    "{found} instead of {expected}"
                );
            }
        }
    }

    #[test]
    fn large_scores_do_not_overflow() {
        let rows = [300.0, -300.0];
        let mut found = [0.0; 2];
        heads::attend([&rows, &rows, &[1.0, 2.0]], &mut found, 1, 1);
        assert_eq!(found, [1.0, 2.0]);
    }
}
