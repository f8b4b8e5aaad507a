//! The training itself: rows such that the sum of a text's rows points where the teacher's
//! embedding points.
//!
//! For a text with tokens `t_1 .. t_m` and the teacher's (projected, normalised) embedding `y`, the
//! loss is `1 - cos(sum_i row(t_i), y)`. A row's length is its token's weight, so the "weighted
//! mean" needs no weights of its own. The start is the teacher's embedding of each token alone,
//! centred, times the smooth inverse frequency `a / (a + p)` (Arora, Liang and Ma, ICLR 2017); the
//! optimiser is Adam (Kingma and Ba, ICLR 2015), updating only the rows a batch touches.
//!
//! Trained once, rows of tokens that many texts had say how a token's embedding alone becomes a
//! row: a linear map fitted to them ([`predict`]) gives a row to tokens that no text had, and a
//! better start to those that few had.
//!
//! Everything runs on all cores and gives the same rows for the same seed on any number of them:
//! gradients are taken text by text and summed row by row, each in a fixed order.
//!
//! Texts that are parts of documents can be told from others besides ([`Contrast`]): with `u` the
//! sum's direction, `d` the vector of a text's own document and `d_j` those of all documents of its
//! batch, the loss is then `1 - cos(u, y) + T (log sum_j exp(u d_j / T) - u d / T)`, which is
//! InfoNCE (van den Oord, Li and Vinyals, 2018) with the negatives of the batch (Karpukhin et al.,
//! EMNLP 2020).

use rayon::prelude::*;

use crate::index::dot::dot;

/// Texts as tokens, with what the teacher makes of them.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    /// Dimensions of a target.
    pub dim: usize,
    /// Tokens of all texts, one behind the other.
    pub tokens: Vec<u32>,
    /// Where each text's tokens end.
    pub ends: Vec<usize>,
    /// `dim` numbers a text, of length 1.
    pub targets: Vec<f32>,
}

impl Examples {
    /// No texts yet.
    pub fn new(dim: usize) -> Self {
        Self { dim, ..Self::default() }
    }

    /// Texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a text. One without tokens teaches nothing and is left out.
    pub fn push(&mut self, tokens: &[u32], target: &[f32]) {
        debug_assert_eq!(target.len(), self.dim);
        if !tokens.is_empty() {
            self.tokens.extend_from_slice(tokens);
            self.ends.push(self.tokens.len());
            self.targets.extend_from_slice(target);
        }
    }

    /// The tokens of a text.
    pub fn tokens(&self, text: usize) -> &[u32] {
        let start = if text == 0 { 0 } else { self.ends[text - 1] };
        &self.tokens[start..self.ends[text]]
    }

    fn target(&self, text: usize) -> &[f32] {
        &self.targets[text * self.dim..][..self.dim]
    }
}

/// How to train.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Most passes over the texts.
    pub epochs: usize,
    /// Texts in a batch.
    pub batch: usize,
    /// Learning rate at the start; falls to 0 along half a cosine.
    pub learning_rate: f32,
    /// Of the order of the texts.
    pub seed: u64,
    /// Epochs without a better held-out cosine after which to stop.
    pub patience: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { epochs: 10, batch: 2048, learning_rate: 2e-3, seed: 1, patience: 2 }
    }
}

/// Where texts are from.
#[derive(Clone, Debug, Default)]
pub struct Contrast<'a> {
    /// The document of each text, by a number of its own, and its vector, of length 1.
    pub own: Vec<(u32, &'a [f32])>,
}

/// `T` of the loss.
const TEMPERATURE: f32 = 0.05;

/// What training gave.
#[derive(Clone, Debug)]
pub struct Trained {
    /// `dim` numbers for each token of the vocabulary; those of the best epoch.
    pub rows: Vec<f32>,
    /// How good rows were on texts held out: at the start, then after each epoch.
    pub held_out: Vec<f32>,
}

impl Trained {
    /// How good the best were.
    pub fn best(&self) -> f32 {
        self.held_out.iter().copied().fold(f32::MIN, f32::max)
    }
}

/// The start: the teacher's embedding of each token alone (`dim` numbers each), centred over the
/// tokens that `counts` says occur, times `a / (a + p)` with `a` = 0.001.
pub fn start(token_embeddings: &[f32], counts: &[u64], dim: usize) -> Vec<f32> {
    const A: f64 = 1e-3;
    let total: u64 = counts.iter().sum::<u64>().max(1);
    let seen = || token_embeddings.chunks_exact(dim).zip(counts).filter(|(_, n)| **n > 0);
    let n_seen = seen().count().max(1) as f32;
    let mut mean = vec![0.0f32; dim];
    for (row, _) in seen() {
        mean.iter_mut().zip(row).for_each(|(m, v)| *m += v / n_seen);
    }
    let mut rows = Vec::with_capacity(token_embeddings.len());
    for (row, &n) in token_embeddings.chunks_exact(dim).zip(counts) {
        let weight = (A / (A + n as f64 / total as f64)) as f32;
        rows.extend(row.iter().zip(&mean).map(|(v, m)| (v - m) * weight));
    }
    rows
}

/// Rows as a linear map of the teacher's embeddings of tokens alone gives them, mixed with the
/// trained ones: a token that `n` texts had counts its own row `n` times and the prediction
/// [`PRIOR`] times. The map is fitted by ridge regression on tokens that were seen often enough to
/// be sure of and seldom enough to be no stop word.
pub fn predict(rows: &[f32], token_embeddings: &[f32], counts: &[u64], dim: usize) -> Vec<f32> {
    let sure = |n: u64| (SURE..=COMMON).contains(&n);
    let of_sure = || {
        let pairs = token_embeddings.chunks_exact(dim).zip(rows.chunks_exact(dim));
        pairs.zip(counts).filter(|(_, n)| sure(**n)).map(|(pair, _)| pair)
    };
    // One more feature, a constant: where the embeddings' mean goes.
    let features = |embedding: &[f32]| -> Vec<f64> {
        embedding.iter().map(|&v| f64::from(v)).chain(std::iter::once(1.0)).collect()
    };
    let (n, width) = (of_sure().count(), dim + 1);
    if n < width {
        return rows.to_vec();
    }
    let mut moments = vec![0.0f64; width * width];
    let mut products = vec![0.0f64; width * dim];
    for (embedding, row) in of_sure() {
        let x = features(embedding);
        for (i, &xi) in x.iter().enumerate() {
            moments[i * width..][..width].iter_mut().zip(&x).for_each(|(m, xj)| *m += xi * xj);
            products[i * dim..][..dim]
                .iter_mut()
                .zip(row)
                .for_each(|(p, &r)| *p += xi * f64::from(r));
        }
    }
    for i in 0..width {
        moments[i * width + i] += RIDGE * n as f64 / width as f64;
    }
    let map = solve(moments, products, width, dim);
    let mut predicted = Vec::with_capacity(rows.len());
    for ((embedding, row), &n) in
        token_embeddings.chunks_exact(dim).zip(rows.chunks_exact(dim)).zip(counts)
    {
        let mut guess = vec![0.0f64; dim];
        for (xi, weights) in features(embedding).iter().zip(map.chunks_exact(dim)) {
            guess.iter_mut().zip(weights).for_each(|(g, w)| *g += xi * w);
        }
        let n = n as f64;
        predicted.extend(
            row.iter()
                .zip(&guess)
                .map(|(&r, g)| ((n * f64::from(r) + PRIOR * g) / (n + PRIOR)) as f32),
        );
    }
    predicted
}

/// What a prediction counts for beside a token's own texts.
const PRIOR: f64 = 4.0;
/// Tokens seen so often have rows to learn from.
const SURE: u64 = 20;
/// Tokens seen more often are too common: short rows, unlike those of rare words.
const COMMON: u64 = 2000;
/// Of the regression, relative to the mean square of a feature of unit vectors.
const RIDGE: f64 = 0.02;

/// `x` of `a x = b`, for a symmetric positive definite `a` (`n * n`) and `m` right sides at once:
/// Cholesky.
fn solve(mut a: Vec<f64>, mut b: Vec<f64>, n: usize, m: usize) -> Vec<f64> {
    for j in 0..n {
        for i in j..n {
            let along: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let rest = a[i * n + j] - along;
            a[i * n + j] = if i == j { rest.max(1e-12).sqrt() } else { rest / a[j * n + j] };
        }
    }
    for i in 0..n {
        for k in 0..i {
            let l = a[i * n + k];
            let (done, row) = b.split_at_mut(i * m);
            row[..m].iter_mut().zip(&done[k * m..][..m]).for_each(|(v, d)| *v -= l * d);
        }
        b[i * m..][..m].iter_mut().for_each(|v| *v /= a[i * n + i]);
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            let l = a[k * n + i];
            let (row, done) = b.split_at_mut(k * m);
            row[i * m..][..m].iter_mut().zip(&done[..m]).for_each(|(v, d)| *v -= l * d);
        }
        b[i * m..][..m].iter_mut().for_each(|v| *v /= a[i * n + i]);
    }
    b
}

/// Mean cosine between the sum of rows and the target.
pub fn mean_cosine(rows: &[f32], examples: &Examples) -> f32 {
    if examples.is_empty() {
        return 0.0;
    }
    let cosines: Vec<f32> =
        (0..examples.len()).into_par_iter().map(|i| sum_of(rows, examples, i).cosine).collect();
    (cosines.iter().map(|&c| f64::from(c)).sum::<f64>() / examples.len() as f64) as f32
}

/// The sum of rows, `dim` numbers each, by their places.
pub fn add_up(rows: &[f32], places: &[u32], dim: usize) -> Vec<f32> {
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
    let sum = add_up(rows, examples.tokens(text), examples.dim);
    let norm = dot(&sum, &sum).sqrt().max(1e-9);
    Sum { norm, cosine: dot(&sum, examples.target(text)) / norm, sum }
}

/// Trains `rows` on `examples`, stopping by the mean cosine with `held_out`. `on_epoch(epoch,
/// cosine)` hears of the start as epoch 0.
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

/// [`train`], where only the rows of tokens that `learns` names change; the others have their part
/// in every sum as they are. `measure` says how good rows are, first at the start.
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
    let mut random = SplitMix(options.seed);
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

/// The loss's gradient by the sum of rows, for each text of a batch.
fn gradients(
    rows: &[f32],
    examples: &Examples,
    contrast: Option<&Contrast<'_>>,
    batch: &[u32],
) -> Vec<f32> {
    let dim = examples.dim;
    // The batch's documents, each once.
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
            tell_apart(&sum, contrast.own[text as usize].0, &documents, gradient);
        }
        // Back through the normalisation: what goes along the sum changes nothing.
        let along = dot(gradient, &sum);
        gradient.iter_mut().zip(&sum).for_each(|(g, u)| *g = (*g - along * u) / norm);
    });
    gradients
}

/// Adds the gradient by `u` of what tells its own document from others.
fn tell_apart(u: &[f32], own: u32, documents: &[(u32, &[f32])], gradient: &mut [f32]) {
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

/// Which texts of the batch touch which row that learns, in order.
fn touches(examples: &Examples, batch: &[u32], learns: &dyn Fn(u32) -> bool) -> Vec<(u32, u32)> {
    let of_text = |at: u32| {
        examples.tokens(batch[at as usize] as usize).iter().map(move |&token| (token, at))
    };
    let mut touches: Vec<(u32, u32)> =
        (0..batch.len() as u32).flat_map(of_text).filter(|&(token, _)| learns(token)).collect();
    touches.sort_unstable();
    touches
}

/// Adam over rows, each with its moments.
struct Adam {
    dim: usize,
    step: usize,
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Adam {
    fn new(n: usize, dim: usize) -> Self {
        Self { dim, step: 0, first: vec![0.0; n], second: vec![0.0; n] }
    }

    /// One step of the rows in `touches`: pairs of a token and the number of a text's gradient, in
    /// order.
    fn update(&mut self, rows: &mut [f32], touches: &[(u32, u32)], gradients: &[f32], rate: f32) {
        const B1: f32 = 0.9;
        const B2: f32 = 0.999;
        const EPSILON: f32 = 1e-8;
        self.step += 1;
        let (c1, c2) = (1.0 - B1.powi(self.step as i32), 1.0 - B2.powi(self.step as i32));
        let mut of_row = vec![0..0; rows.len() / self.dim];
        let mut start = 0;
        for group in touches.chunk_by(|a, b| a.0 == b.0) {
            of_row[group[0].0 as usize] = start..start + group.len();
            start += group.len();
        }
        rows.par_chunks_mut(self.dim)
            .zip(self.first.par_chunks_mut(self.dim))
            .zip(self.second.par_chunks_mut(self.dim))
            .zip(&of_row)
            .filter(|(_, touched)| !touched.is_empty())
            .for_each(|(((row, first), second), touched)| {
                let mut gradient = vec![0.0f32; self.dim];
                for &(_, at) in &touches[touched.clone()] {
                    let of_text = &gradients[at as usize * self.dim..][..self.dim];
                    gradient.iter_mut().zip(of_text).for_each(|(g, v)| *g += v);
                }
                for i in 0..self.dim {
                    let g = gradient[i];
                    first[i] = B1 * first[i] + (1.0 - B1) * g;
                    second[i] = B2 * second[i] + (1.0 - B2) * g * g;
                    row[i] -= rate * (first[i] / c1) / ((second[i] / c2).sqrt() + EPSILON);
                }
            });
    }
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): small, seeded, the same everywhere.
pub struct SplitMix(pub u64);

impl SplitMix {
    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`, which is above 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// Fisher-Yates.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts whose targets are the normalised sums of hidden rows: a task with a perfect answer.
    fn solvable(n: usize, seed: u64) -> Examples {
        let (dim, vocabulary) = (8, 50);
        let mut random = SplitMix(7);
        let hidden: Vec<f32> =
            (0..dim * vocabulary).map(|_| random.below(2001) as f32 / 1000.0 - 1.0).collect();
        let mut random = SplitMix(seed);
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
        let mut random = SplitMix(3);
        let rows = (0..8 * 50).map(|_| random.below(2001) as f32 / 1000.0 - 1.0).collect();
        let options = Options { epochs: 12, batch: 64, learning_rate: 2e-2, ..Options::default() };
        pool.install(|| train(rows, &examples, &held_out, options, |_, _| ()))
    }

    #[test]
    fn learns_what_can_be_learned() {
        let trained = run(2);
        assert!(trained.held_out[0] < 0.4, "{:?}", trained.held_out);
        assert!(trained.best() > 0.99, "{:?}", trained.held_out);
    }

    #[test]
    fn only_rows_that_learn_change_and_they_make_up_for_the_others() {
        let (examples, held_out) = (solvable(2000, 1), solvable(200, 2));
        let options = Options { epochs: 12, batch: 64, learning_rate: 2e-2, ..Options::default() };
        let mut random = SplitMix(3);
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
        // Learned beside the others as they are, not as they would be if they learned too.
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
    fn gives_the_same_rows_on_any_number_of_cores() {
        assert_eq!(run(1).rows, run(3).rows);
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let (examples, documents) = (solvable(3, 5), solvable(2, 6));
        // The last text is of the document of the first.
        let own = [0, 1, 0].map(|id| (id, documents.target(id as usize)));
        let contrast = Contrast { own: own.to_vec() };
        let mut random = SplitMix(9);
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
    fn texts_learn_whose_they_are() {
        // Targets say nothing of the documents: only telling them apart brings texts to their own.
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

    #[test]
    fn equations_are_solved() {
        let x = solve(vec![4.0, 2.0, 2.0, 3.0], vec![8.0, 1.0, 7.0, 2.0], 2, 2);
        let expect = [1.25, -0.125, 1.5, 0.75];
        assert!(x.iter().zip(expect).all(|(a, b)| (a - b).abs() < 1e-12), "{x:?}");
    }

    #[test]
    fn rows_of_tokens_never_seen_are_those_the_others_foretell() {
        // Rows are twice the embedding with its halves swapped, plus one; the last token was never
        // seen.
        let (dim, n) = (4, 60);
        let mut random = SplitMix(3);
        let embeddings: Vec<f32> =
            (0..n * dim).map(|_| random.below(2001) as f32 / 1000.0 - 1.0).collect();
        let mut rows: Vec<f32> =
            embeddings.chunks(dim).flat_map(|e| [2, 3, 0, 1].map(|i| 2.0 * e[i] + 1.0)).collect();
        let expect = rows[(n - 1) * dim..].to_vec();
        rows[(n - 1) * dim..].fill(0.0);
        let counts: Vec<u64> =
            (0..n as u64).map(|i| if i + 1 == n as u64 { 0 } else { 100 }).collect();
        let predicted = predict(&rows, &embeddings, &counts, dim);
        for (a, b) in predicted[(n - 1) * dim..].iter().zip(&expect) {
            assert!((a - b).abs() < 0.1, "{a} {b}");
        }
        assert!(predicted.iter().zip(&rows).take(dim).all(|(a, b)| (a - b).abs() < 0.01));
        assert_eq!(
            predict(&rows[..8], &embeddings[..8], &counts[..2], dim),
            rows[..8],
            "too few to learn from"
        );
    }

    #[test]
    fn the_start_is_centred_and_weighs_rare_tokens_more() {
        let rows = start(&[1.0, 0.0, 0.0, 1.0, 9.0, 9.0], &[999, 1, 0], 2);
        assert_eq!(rows[2], -0.5 * (1e-3f64 / (1e-3 + 1e-3)) as f32);
        assert!(rows[0].abs() < rows[2].abs());
    }
}
