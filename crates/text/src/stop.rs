//! (arriving)
