//! The result of fitting.

use std::fmt;

use findling_base::progress::thousands;

/// The result of fitting, measured on held-out spans.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fitted {
    /// Spans trained on.
    pub n_spans: usize,
    /// Vectors of sections trained on.
    pub n_sections: usize,
    /// Spans held out.
    pub n_held_out: usize,
    /// Mean reciprocal rank of the spans' own sections before fitting.
    pub before: f32,
    /// Mean reciprocal rank after fitting.
    pub after: f32,
    /// The rows that the bundle gets.
    pub verdict: Verdict,
}

/// The rows that the bundle gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// The original rows: fitting gained too little.
    #[default]
    Unchanged,
    /// The fitted rows.
    Kept,
    /// The rows that a previous build fitted.
    KeptFromPreviousBuild,
}

impl fmt::Display for Fitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.n_held_out == 0 {
            return write!(f, "not fitted: the site has too little text");
        }
        let Self { before, after, .. } = self;
        let held_out = thousands(self.n_held_out as u64);
        let rows = match self.verdict {
            Verdict::Unchanged => "gain too small, original rows kept",
            Verdict::Kept => "fitted rows kept",
            Verdict::KeptFromPreviousBuild => {
                return write!(
                    f,
                    "rows of the previous build kept: mean reciprocal rank {after:.3} (unfitted \
                     {before:.3}) on {held_out} held-out spans"
                );
            }
        };
        write!(
            f,
            "to {} sections and {} spans: mean reciprocal rank {before:.3} -> {after:.3} on \
             {held_out} held-out spans; {rows}",
            thousands(self.n_sections as u64),
            thousands(self.n_spans as u64),
        )
    }
}
