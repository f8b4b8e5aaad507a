//! In place of `dense` for WebAssembly, where bundles have words only.

use super::assemble::DenseParts;
use super::chunks::Chunks;
use super::job::{DenseInput, Options};
use super::stage::Stage;
use crate::ui::Ui;

/// # Errors
/// Always: there are no vectors.
pub(super) fn build_dense(
    _: DenseInput<'_>,
    _: &Chunks,
    _: &Options,
    _: &mut [Stage],
    _: &Ui,
) -> anyhow::Result<DenseParts> {
    anyhow::bail!("expected a build without an encoder, found one: this program indexes words only")
}
