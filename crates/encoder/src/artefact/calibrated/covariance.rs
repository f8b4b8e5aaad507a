//! How the inputs of a layer go together.

/// Rows counted together, so that sums in the cache serve many of them.
const TOGETHER: usize = 64;

/// Means and covariances of rows of inputs.
#[derive(Clone, Debug)]
pub struct Covariance {
    inputs: usize,
    rows: u64,
    sums: Vec<f64>,
    /// Sums of products, the lower triangle: `[i][..=i]`.
    products: Vec<f32>,
}

impl Covariance {
    pub(super) fn new(inputs: usize) -> Self {
        Self {
            inputs,
            rows: 0,
            sums: vec![0.0; inputs],
            products: vec![0.0; inputs * (inputs + 1) / 2],
        }
    }

    /// Numbers of a row.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    pub(super) fn add(&mut self, rows: &[f32]) {
        let n = self.inputs;
        for row in rows.chunks_exact(n) {
            self.rows += 1;
            for (sum, value) in self.sums.iter_mut().zip(row) {
                *sum += f64::from(*value);
            }
        }
        crate::transformer::wide(
            #[inline(always)]
            || {
                for rows in rows.chunks(TOGETHER * n) {
                    let mut products = &mut self.products[..];
                    for i in 0..n {
                        let (line, rest) = products.split_at_mut(i + 1);
                        for row in rows.chunks_exact(n) {
                            let factor = row[i];
                            for (product, value) in line.iter_mut().zip(&row[..=i]) {
                                *product += factor * value;
                            }
                        }
                        products = rest;
                    }
                }
            },
        );
    }

    /// The means.
    pub(super) fn means(&self) -> Vec<f64> {
        let rows = self.rows.max(1) as f64;
        self.sums.iter().map(|sum| sum / rows).collect()
    }

    /// The covariance matrix, its diagonal raised by a hundredth of its mean: what the texts did
    /// not show is not impossible.
    pub(super) fn matrix(&self) -> Vec<f64> {
        let (n, rows, means) = (self.inputs, self.rows.max(1) as f64, self.means());
        let mut matrix = vec![0.0; n * n];
        let mut at = 0;
        for i in 0..n {
            for j in 0..=i {
                let value = f64::from(self.products[at]) / rows - means[i] * means[j];
                matrix[i * n + j] = value;
                matrix[j * n + i] = value;
                at += 1;
            }
        }
        let trace: f64 = (0..n).map(|i| matrix[i * n + i].max(0.0)).sum();
        let more = if trace > 0.0 { trace / n as f64 / 100.0 } else { 1.0 };
        for i in 0..n {
            matrix[i * n + i] = matrix[i * n + i].max(0.0) + more;
        }
        matrix
    }
}
