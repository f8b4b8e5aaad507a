//! Reads the values of an attribute.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use findling_bundle::{Attribute, AttributeLevel, Column, ShardId, decode_shard};

use super::Host;

/// Values that have been read, by column.
pub(super) type Values = HashMap<ShardId, Arc<[String]>>;

impl Host {
    /// The distinct values of an attribute of strings; empty for an attribute of another type.
    ///
    /// # Errors
    /// If the column cannot be read.
    pub fn strings(&mut self, attribute: &Attribute) -> Result<Arc<[String]>> {
        let shard = attribute.column;
        if let Some(known) = self.values.get(&shard) {
            return Ok(known.clone());
        }
        let stats = self.manifest().stats;
        let n_items = match attribute.level {
            AttributeLevel::Page => stats.n_pages,
            AttributeLevel::Section => stats.n_sections,
        };
        let entry = *self.manifest().shard(shard).context("a column does not exist")?;
        let damaged = || self.damaged(shard, &entry);
        let raw = decode_shard(&entry, &self.files.stored(shard, &entry)?).with_context(damaged)?;
        let column = Column::from_bytes(&raw, attribute.kind, n_items).with_context(damaged)?;
        let values: Arc<[String]> = match column {
            Column::Strings(strings) => {
                (0..strings.n_values()).map(|id| strings.value(id).to_owned()).collect()
            }
            _ => Arc::default(),
        };
        self.values.insert(shard, values.clone());
        Ok(values)
    }
}
