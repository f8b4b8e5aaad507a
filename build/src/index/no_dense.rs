//! In place of `dense` for WebAssembly, where bundles have words only.

use findling_bundle::QueryEncoder;
use findling_encoder::static_table::StaticTable;

use super::assemble::DenseParts;
use super::job::Options;
use super::previous_build::PreviousBuild;
use super::shards::Deployed;
use super::stage::Stage;
use crate::chunk::ChunkedPage;
use crate::embedding::Cache;
use crate::models::BoxedEncoder;
use crate::ui::Ui;

/// The input of [`build_dense`].
#[expect(dead_code, reason = "it has the fields of the other module's")]
pub(super) struct DenseInput<'a> {
    pub encoder: &'a BoxedEncoder,
    pub cache: Option<Cache>,
    pub query_encoders: Vec<QueryEncoder>,
    pub table: Option<&'a StaticTable>,
    pub earlier: Option<PreviousBuild>,
    pub deployed: &'a Deployed,
}

/// # Errors
/// Always: there are no vectors.
pub(super) fn build_dense(
    _: DenseInput<'_>,
    _: &[ChunkedPage],
    _: &Options,
    _: &mut [Stage],
    _: &Ui,
) -> anyhow::Result<DenseParts> {
    anyhow::bail!("expected a build without an encoder, found one: this program indexes words only")
}
