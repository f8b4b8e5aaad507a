//! Small numeric routines that give the same bits on every machine: the dot product and a seeded
//! random number generator.

mod dot;
mod split_mix;

pub use dot::dot;
pub use split_mix::SplitMix64;
