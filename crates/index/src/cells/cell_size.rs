//! The number of vectors that a cell should have.

/// Usual bytes of a 256-dimensional vector in its cell.
const USUAL_BYTES: f64 = 48.0;

/// Sample for estimating the bytes of a vector: number of cells, and of vectors in each.
pub const SIZE_SAMPLE: (usize, usize) = (64, 256);

/// Largest target for the vectors of a cell.
pub const MAX_CELL_VECTORS: usize = 1024;

/// A cell with more than this many times its target number of vectors is always divided.
pub const MAX_TIMES: usize = 8;

/// The target size of cells. Larger cells mean fewer centroids for every reader to fetch, and more
/// vectors that a query fetches unnecessarily.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellSize {
    /// Vectors of a cell.
    pub vectors: usize,
    /// Bytes of a vector if they are fewer than usual; 0 if only the number of vectors counts.
    pub bytes: f64,
}

impl CellSize {
    /// Returns the size for `n_vectors` vectors of usual bytes.
    pub fn usual(n_vectors: usize) -> Self {
        Self::new(n_vectors, 256, USUAL_BYTES)
    }

    /// Returns the size for `n_vectors` vectors of `bytes` bytes each. If vectors take fewer bytes,
    /// cells contain more of them, so that the size of a cell in bytes stays the same.
    pub fn new(n_vectors: usize, dim: usize, bytes: f64) -> Self {
        // This factor makes the centroids of 120,000 vectors smaller than the cells that a query
        // fetches.
        let usual = (n_vectors as f64).sqrt() * 0.375;
        let vectors =
            |times: f64| (usual * times).round().clamp(24.0, MAX_CELL_VECTORS as f64) as usize;
        match vectors(USUAL_BYTES * dim as f64 / 256.0 / bytes) {
            more if more * 4 > vectors(1.0) * 5 => Self { vectors: more, bytes },
            _ => Self { vectors: vectors(1.0), bytes: 0.0 },
        }
    }

    /// Returns the number of cells for `n_vectors` vectors.
    pub fn n_cells(self, n_vectors: usize) -> usize {
        n_vectors.div_ceil(self.vectors)
    }
}
