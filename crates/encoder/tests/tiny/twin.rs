//! BERT, slowly and obviously: loops over f64, one formula a function, as in Vaswani et al. (2017),
//! sections 3.1 to 3.3, and Devlin et al. (2019).

use findling_encoder::artefact::{Activation, Pooling};

use crate::model::{EPSILON, HEADS, HIDDEN, LAYERS, Tiny};

type Rows = Vec<Vec<f64>>;

/// Returns the embedding of a sequence of tokens, of length 1.
pub fn embed(tiny: &Tiny, ids: &[u32]) -> Vec<f64> {
    let row =
        |name: &str, row: usize| tensor(tiny, name)[row * HIDDEN..(row + 1) * HIDDEN].to_vec();
    let mut x: Rows = Vec::new();
    for (position, id) in ids.iter().enumerate() {
        let word = row("embeddings.word_embeddings.weight", *id as usize);
        let place = row("embeddings.position_embeddings.weight", position);
        let kind = row("embeddings.token_type_embeddings.weight", 0);
        x.push((0..HIDDEN).map(|i| word[i] + place[i] + kind[i]).collect());
    }
    x = norm(tiny, "embeddings.LayerNorm", x);
    for layer in 0..LAYERS {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let query = linear(tiny, &name("attention.self.query"), &x);
        let key = linear(tiny, &name("attention.self.key"), &x);
        let value = linear(tiny, &name("attention.self.value"), &x);
        let mixed = attention(&query, &key, &value);
        let out = linear(tiny, &name("attention.output.dense"), &mixed);
        x = norm(tiny, &name("attention.output.LayerNorm"), sum(&x, &out));
        let mut up = linear(tiny, &name("intermediate.dense"), &x);
        for value in up.iter_mut().flatten() {
            *value = match tiny.activation {
                Activation::Gelu => *value / 2.0 * (1.0 + libm::erf(*value / 2f64.sqrt())),
                Activation::Relu => value.max(0.0),
            };
        }
        let down = linear(tiny, &name("output.dense"), &up);
        x = norm(tiny, &name("output.LayerNorm"), sum(&x, &down));
    }
    let pooled: Vec<f64> = match tiny.pooling {
        Pooling::Mean => {
            (0..HIDDEN).map(|i| x.iter().map(|row| row[i]).sum::<f64>() / x.len() as f64).collect()
        }
        Pooling::Cls => x[0].clone(),
    };
    let length = pooled.iter().map(|v| v * v).sum::<f64>().sqrt();
    pooled.iter().map(|v| v / length).collect()
}

fn tensor(tiny: &Tiny, name: &str) -> Vec<f64> {
    tiny.weights[name].1.iter().map(|v| f64::from(*v)).collect()
}

fn linear(tiny: &Tiny, name: &str, x: &Rows) -> Rows {
    let weight = tensor(tiny, &format!("{name}.weight"));
    let bias = tensor(tiny, &format!("{name}.bias"));
    x.iter()
        .map(|row| {
            (0..bias.len())
                .map(|out| {
                    bias[out]
                        + row
                            .iter()
                            .enumerate()
                            .map(|(i, v)| v * weight[out * row.len() + i])
                            .sum::<f64>()
                })
                .collect()
        })
        .collect()
}

fn norm(tiny: &Tiny, name: &str, x: Rows) -> Rows {
    let weight = tensor(tiny, &format!("{name}.weight"));
    let bias = tensor(tiny, &format!("{name}.bias"));
    x.into_iter()
        .map(|row| {
            let mean = row.iter().sum::<f64>() / HIDDEN as f64;
            let variance = row.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / HIDDEN as f64;
            (0..HIDDEN)
                .map(|i| (row[i] - mean) / (variance + EPSILON).sqrt() * weight[i] + bias[i])
                .collect()
        })
        .collect()
}

fn attention(query: &Rows, key: &Rows, value: &Rows) -> Rows {
    let size = HIDDEN / HEADS;
    let mut mixed = vec![vec![0.0; HIDDEN]; query.len()];
    for head in 0..HEADS {
        let part = head * size..(head + 1) * size;
        for (to, query) in mixed.iter_mut().zip(query) {
            let scores: Vec<f64> = key
                .iter()
                .map(|key| {
                    part.clone().map(|i| query[i] * key[i]).sum::<f64>() / (size as f64).sqrt()
                })
                .collect();
            let total: f64 = scores.iter().map(|score| score.exp()).sum();
            for (score, value) in scores.iter().zip(value) {
                for i in part.clone() {
                    to[i] += score.exp() / total * value[i];
                }
            }
        }
    }
    mixed
}

fn sum(a: &Rows, b: &Rows) -> Rows {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + b).collect()).collect()
}
