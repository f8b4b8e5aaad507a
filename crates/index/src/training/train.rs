//! The training loop: batches, gradients, early stopping.

use findling_encoder::dot;
use rayon::prelude::*;

use super::adam::Adam;
use super::examples::{Contrast, Examples};
use crate::random::SplitMix64;

/// Options for training.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Largest number of passes over the texts.
    pub epochs: usize,
    /// Texts per batch.
    pub batch: usize,
    /// Learning rate at the start. It falls to 0 along half a cosine.
    pub learning_rate: f32,
    /// Seed of the order of the texts.
    pub seed: u64,
    /// Training stops after more than this number of epochs without a better held-out score.
    pub patience: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { epochs: 10, batch: 2048, learning_rate: 2e-3, seed: 1, patience: 2 }
    }
}

/// The result of training.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The rows of the best epoch: `dim` numbers for each token of the vocabulary.
    pub rows: Vec<f32>,
    /// Score on held-out texts: before training, then after each epoch.
    pub held_out: Vec<f32>,
}

impl Trained {
    /// Returns the best score.
    pub fn best(&self) -> f32 {
        self.held_out.iter().copied().fold(f32::MIN, f32::max)
    }
}

/// Trains `rows` on `examples`; the score is the mean cosine over `held_out`. Calls
/// `on_epoch(epoch, cosine)` before training as epoch 0, and after each epoch.
pub fn train(
    rows: Vec<f32>,
    examples: &Examples,
    held_out: &Examples,
    options: Options,
    mut on_epoch: impl FnMut(usize, f32),
) -> Trained {
    let mut epoch = 0;
    train_some(rows, &|_| true, examples, None, options, |rows| {
        let cosine = mean_cosine(rows, held_out);
        on_epoch(epoch, cosine);
        epoch += 1;
        cosine
    })
}

/// Trains only the rows of tokens for which `learns` is true. The other rows are part of every sum
/// but do not change. `measure` scores the rows: before training, then after each epoch.
pub fn train_some(
    mut rows: Vec<f32>,
    learns: &dyn Fn(u32) -> bool,
    examples: &Examples,
    contrast: Option<&Contrast<'_>>,
    options: Options,
    mut measure: impl FnMut(&[f32]) -> f32,
) -> Trained {
    let dim = examples.dim;
    let mut adam = Adam::new(rows.len(), dim);
    let mut order: Vec<u32> = (0..examples.len() as u32).collect();
    let mut random = SplitMix64(options.seed);
    let batches = examples.len().div_ceil(options.batch).max(1);
    let total_steps = (batches * options.epochs) as f32;

    let mut trained = Trained { held_out: vec![measure(&rows)], rows: rows.clone() };
    let mut since_best = 0;
    for _ in 0..options.epochs {
        random.shuffle(&mut order);
        for batch in order.chunks(options.batch) {
            let progress = adam.step as f32 / total_steps;
            let rate =
                options.learning_rate * 0.5 * (1.0 + (std::f32::consts::PI * progress).cos());
            let gradients = gradients(&rows, examples, contrast, batch);
            let touches = touches(examples, batch, learns);
            adam.update(&mut rows, &touches, &gradients, rate);
        }
        let now = measure(&rows);
        if now > trained.best() {
            trained.rows.copy_from_slice(&rows);
            since_best = 0;
        } else {
            since_best += 1;
        }
        trained.held_out.push(now);
        if since_best > options.patience {
            break;
        }
    }
    trained
}

/// Returns the mean cosine between a text's sum of rows and its target.
pub fn mean_cosine(rows: &[f32], examples: &Examples) -> f32 {
    if examples.is_empty() {
        return 0.0;
    }
    let cosines: Vec<f32> =
        (0..examples.len()).into_par_iter().map(|i| sum_of(rows, examples, i).cosine).collect();
    (cosines.iter().map(|&c| f64::from(c)).sum::<f64>() / examples.len() as f64) as f32
}

/// Returns the sum of the rows at `places`. `rows` holds `dim` numbers per row.
pub fn sum_rows(rows: &[f32], places: &[u32], dim: usize) -> Vec<f32> {
    let mut sum = vec![0.0f32; dim];
    for &place in places {
        sum.iter_mut().zip(&rows[place as usize * dim..][..dim]).for_each(|(s, v)| *s += v);
    }
    sum
}

/// The sum of a text's rows, its length, and its cosine with the target.
struct Sum {
    sum: Vec<f32>,
    norm: f32,
    cosine: f32,
}

fn sum_of(rows: &[f32], examples: &Examples, text: usize) -> Sum {
    let sum = sum_rows(rows, examples.tokens(text), examples.dim);
    let norm = dot(&sum, &sum).sqrt().max(1e-9);
    Sum { norm, cosine: dot(&sum, examples.target(text)) / norm, sum }
}

/// The temperature `T` of the contrastive loss.
const TEMPERATURE: f32 = 0.05;

/// Returns the gradient of the loss with respect to the sum of rows, for each text of a batch.
fn gradients(
    rows: &[f32],
    examples: &Examples,
    contrast: Option<&Contrast<'_>>,
    batch: &[u32],
) -> Vec<f32> {
    let dim = examples.dim;
    // The documents of the batch, each once.
    let mut documents: Vec<(u32, &[f32])> = contrast
        .map_or_else(Vec::new, |c| batch.iter().map(|&text| c.own[text as usize]).collect());
    documents.sort_unstable_by_key(|&(id, _)| id);
    documents.dedup_by_key(|&mut (id, _)| id);
    let mut gradients = vec![0.0f32; batch.len() * dim];
    gradients.par_chunks_mut(dim).zip(batch).for_each(|(gradient, &text)| {
        let Sum { mut sum, norm, .. } = sum_of(rows, examples, text as usize);
        sum.iter_mut().for_each(|s| *s /= norm);
        gradient.iter_mut().zip(examples.target(text as usize)).for_each(|(g, y)| *g = -y);
        if let Some(contrast) = contrast {
            add_contrastive_gradient(&sum, contrast.own[text as usize].0, &documents, gradient);
        }
        // The gradient passes through the normalisation: a change along the sum does not change the
        // direction.
        let along = dot(gradient, &sum);
        gradient.iter_mut().zip(&sum).for_each(|(g, u)| *g = (*g - along * u) / norm);
    });
    gradients
}

/// Adds the gradient of the contrastive term with respect to the direction `u`.
fn add_contrastive_gradient(
    u: &[f32],
    own: u32,
    documents: &[(u32, &[f32])],
    gradient: &mut [f32],
) {
    let mut shares: Vec<f32> =
        documents.iter().map(|(_, document)| dot(u, document) / TEMPERATURE).collect();
    let most = shares.iter().copied().fold(f32::MIN, f32::max);
    shares.iter_mut().for_each(|share| *share = (*share - most).exp());
    let total: f32 = shares.iter().sum();
    for (share, &(id, document)) in shares.iter().zip(documents) {
        let weight = share / total - f32::from(u8::from(id == own));
        gradient.iter_mut().zip(document).for_each(|(g, d)| *g += weight * d);
    }
}

/// Returns sorted pairs: a row that learns, and the position in the batch of a text that uses the
/// row.
fn touches(examples: &Examples, batch: &[u32], learns: &dyn Fn(u32) -> bool) -> Vec<(u32, u32)> {
    let of_text = |at: u32| {
        examples.tokens(batch[at as usize] as usize).iter().map(move |&token| (token, at))
    };
    let mut touches: Vec<(u32, u32)> =
        (0..batch.len() as u32).flat_map(of_text).filter(|&(token, _)| learns(token)).collect();
    touches.sort_unstable();
    touches
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns texts whose targets are the normalised sums of hidden rows: an exact solution
    /// exists.
    fn solvable(n: usize, seed: u64) -> Examples {
        let (dim, vocabulary) = (8, 50);
        let mut random = SplitMix64(7);
        let hidden: Vec<f32> =
            (0..dim * vocabulary).map(|_| random.below(2001) as f32 / 1000.0 - 1.0).collect();
        let mut random = SplitMix64(seed);
        let mut examples = Examples::new(dim);
        for _ in 0..n {
            let tokens: Vec<u32> =
                (0..1 + random.below(5)).map(|_| random.below(vocabulary) as u32).collect();
            let mut target = vec![0.0f32; dim];
            for &token in &tokens {
                target.iter_mut().zip(&hidden[token as usize * dim..]).for_each(|(s, v)| *s += v);
            }
            let norm = target.iter().map(|v| v * v).sum::<f32>().sqrt();
            target.iter_mut().for_each(|v| *v /= norm);
            examples.push(&tokens, &target);
        }
        examples
    }

    fn run(threads: usize) -> Trained {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (examples, held_out) = (solvable(2000, 1), solvable(200, 2));
        let mut random = SplitMix64(3);
        let rows = (0..8 * 50).map(|_| random.below(2001) as f32 / 1000.0 - 1.0).collect();
        let options = Options { epochs: 12, batch: 64, learning_rate: 2e-2, ..Options::default() };
        pool.install(|| train(rows, &examples, &held_out, options, |_, _| ()))
    }

    #[test]
    fn a_task_with_an_exact_solution_is_learned() {
        let trained = run(2);
        assert!(trained.held_out[0] < 0.4, "{:?}", trained.held_out);
        assert!(trained.best() > 0.99, "{:?}", trained.held_out);
    }

    #[test]
    fn only_selected_rows_change_and_they_compensate_for_the_fixed_rows() {
        let (examples, held_out) = (solvable(2000, 1), solvable(200, 2));
        let options = Options { epochs: 12, batch: 64, learning_rate: 2e-2, ..Options::default() };
        let mut random = SplitMix64(3);
        let rows: Vec<f32> =
            (0..8 * 50).map(|_| random.below(2001) as f32 / 1000.0 - 1.0).collect();
        let run = |learns: &dyn Fn(u32) -> bool| {
            train_some(rows.clone(), learns, &examples, None, options, |rows| {
                mean_cosine(rows, &held_out)
            })
        };
        let some = run(&|token| token % 2 == 0);
        for (id, (row, before)) in some.rows.chunks(8).zip(rows.chunks(8)).enumerate() {
            assert_eq!(row == before, id % 2 == 1, "{id}");
        }
        // The rows were learned with the other rows fixed, not with the other rows learning too.
        let all = run(&|_| true);
        let halves = all.rows.chunks(8).zip(rows.chunks(8)).enumerate();
        let mixed: Vec<f32> =
            halves.flat_map(|(id, (a, b))| if id % 2 == 0 { a } else { b }).copied().collect();
        let beside = mean_cosine(&mixed, &held_out);
        assert!(
            beside < some.best() && some.best() < all.best(),
            "{beside} {} {}",
            some.best(),
            all.best()
        );
        assert_eq!(run(&|_| false).rows, rows);
    }

    #[test]
    fn rows_do_not_depend_on_the_number_of_threads() {
        assert_eq!(run(1).rows, run(3).rows);
    }

    #[test]
    fn the_gradient_equals_finite_differences() {
        let (examples, documents) = (solvable(3, 5), solvable(2, 6));
        // The first and the last text come from the same document.
        let own = [0, 1, 0].map(|id| (id, documents.target(id as usize)));
        let contrast = Contrast { own: own.to_vec() };
        let mut random = SplitMix64(9);
        let rows: Vec<f32> =
            (0..8 * 50).map(|_| random.below(2001) as f32 / 1000.0 - 1.0).collect();
        for contrast in [None, Some(&contrast)] {
            let loss = |rows: &[f32], text: usize| {
                let Sum { sum, norm, cosine } = sum_of(rows, &examples, text);
                let Some(contrast) = contrast else { return 1.0 - cosine };
                let at = |id: u32| dot(&sum, documents.target(id as usize)) / norm / TEMPERATURE;
                let all: f32 = [0, 1].map(|id| at(id).exp()).iter().sum();
                1.0 - cosine + TEMPERATURE * (all.ln() - at(contrast.own[text].0))
            };
            let gradient = gradients(&rows, &examples, contrast, &[0, 1, 2]);
            for text in 0..3 {
                let token = examples.tokens(text)[0] as usize;
                let times =
                    examples.tokens(text).iter().filter(|&&t| t as usize == token).count() as f32;
                for i in 0..8 {
                    let moved = |by: f32| {
                        let mut moved = rows.clone();
                        moved[token * 8 + i] += by;
                        loss(&moved, text)
                    };
                    let slope = (moved(5e-3) - moved(-5e-3)) / 1e-2;
                    let found = gradient[text * 8 + i] * times;
                    assert!((slope - found).abs() < 3e-3, "text {text}, {i}: {slope} {found}");
                }
            }
        }
    }

    #[test]
    fn the_contrastive_loss_moves_texts_to_their_own_documents() {
        // Targets are independent of the documents: only the contrastive loss can move a text to
        // its own document.
        let (examples, documents) = (solvable(60, 5), solvable(60, 11));
        let contrast =
            Contrast { own: (0..60).map(|id| (id, documents.target(id as usize))).collect() };
        let rows: Vec<f32> = solvable(50, 13).targets;
        let nearer = |rows: &[f32]| {
            let own = |text: usize| dot(&sum_of(rows, &examples, text).sum, documents.target(text));
            (0..60).filter(|&text| own(text) > 0.0).count() as f32
        };
        let options = Options { epochs: 30, batch: 16, learning_rate: 2e-2, seed: 1, patience: 30 };
        let with = train_some(rows.clone(), &|_| true, &examples, Some(&contrast), options, nearer);
        let without = train_some(rows, &|_| true, &examples, None, options, nearer);
        assert!(
            with.best() > without.held_out[30] + 10.0,
            "{:?} {:?}",
            with.held_out,
            without.held_out
        );
    }
}
