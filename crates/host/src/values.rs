//! Reads the values of an attribute, and counts the pages that have one.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use findling_bundle::{
    Attribute, AttributeLevel, Column, PageId, SectionId, ShardId, Structure, decode_shard,
};
use serde_json::{Map, Value};

use super::Host;
use super::pages::json;

/// Values that have been read, by column.
pub(super) type Values = HashMap<ShardId, Arc<[String]>>;

impl Host {
    /// Returns the distinct values of an attribute of strings; empty for an attribute of another
    /// type.
    ///
    /// # Errors
    /// If the column cannot be read.
    pub fn strings(&mut self, attribute: &Attribute) -> Result<Arc<[String]>> {
        let shard = attribute.column;
        if let Some(known) = self.values.get(&shard) {
            return Ok(known.clone());
        }
        let values: Arc<[String]> = match self.column(attribute)? {
            Column::Strings(strings) => {
                (0..strings.n_values()).map(|id| strings.value(id).to_owned()).collect()
            }
            _ => Arc::default(),
        };
        self.values.insert(shard, values.clone());
        Ok(values)
    }

    /// Returns the number of pages that have a value of an attribute, or a section with one.
    ///
    /// # Errors
    /// If the column or the structure cannot be read.
    pub fn pages_with(&self, attribute: &Attribute) -> Result<usize> {
        let column = self.column(attribute)?;
        let items = (0..column.n_items()).filter(|&item| column.value(item).is_some());
        if attribute.level == AttributeLevel::Page {
            return Ok(items.count());
        }
        let shard = self.manifest().structure().context("the bundle has no structure")?;
        let stats = self.manifest().stats;
        let structure = self.decode(shard, |raw| Structure::from_bytes(&raw, &stats))?;
        // Sections are in the order of their pages.
        let mut pages: Vec<_> = items.map(|item| structure.page_of(SectionId(item))).collect();
        pages.dedup();
        Ok(pages.len())
    }

    /// Returns the attributes that each section of a page has besides the attributes of the page.
    /// They have the form of a response and the order of [`Document::sections`](super::Document).
    ///
    /// # Errors
    /// If a column or the structure cannot be read.
    pub fn attributes_of_sections(&self, page: PageId) -> Result<Vec<Map<String, Value>>> {
        let attributes = self.manifest().attributes.iter();
        let of_sections: Vec<&Attribute> =
            attributes.filter(|attribute| attribute.level == AttributeLevel::Section).collect();
        if of_sections.is_empty() {
            return Ok(Vec::new());
        }
        let shard = self.manifest().structure().context("the bundle has no structure")?;
        let stats = self.manifest().stats;
        let structure = self.decode(shard, |raw| Structure::from_bytes(&raw, &stats))?;
        let sections = structure.sections(page);
        let mut found = vec![Map::new(); sections.len()];
        for attribute in of_sections {
            let column = self.column(attribute)?;
            for (values, section) in found.iter_mut().zip(sections.clone()) {
                if let Some(value) = column.value(section) {
                    values.insert(attribute.name.clone(), json(&value));
                }
            }
        }
        Ok(found)
    }

    fn column(&self, attribute: &Attribute) -> Result<Column> {
        let stats = self.manifest().stats;
        let n_items = match attribute.level {
            AttributeLevel::Page => stats.n_pages,
            AttributeLevel::Section => stats.n_sections,
        };
        self.decode(attribute.column, |raw| Column::from_bytes(&raw, attribute.kind, n_items))
    }

    /// Reads a shard.
    pub(super) fn decode<T>(
        &self,
        shard: ShardId,
        read: impl FnOnce(Vec<u8>) -> Result<T, findling_bundle::Error>,
    ) -> Result<T> {
        let entry = *self.manifest().shard(shard).context("a shard does not exist")?;
        let damaged = || self.damaged(shard, &entry);
        let raw = decode_shard(&entry, &self.files.stored(shard, &entry)?).with_context(damaged)?;
        read(raw).with_context(damaged)
    }
}
