//! Whole pages: the text of a hit, and the text before and after it.

use std::collections::HashMap;
use std::ops::Range;

use anyhow::{Context, Result};
use findling_bundle::addresses::{Addresses, closeness};
use findling_bundle::texts::PageText;
use findling_bundle::{AttributeValue, PageId, ShardId, TextsShard};
use findling_engine::filter::date;
use findling_engine::{PageHit, Request};
use serde_json::Value;

use super::Host;

/// Maximum number of shards of texts that are kept decoded.
const MAX_SHARDS: usize = 64;

/// The parts of the texts that have been read.
#[derive(Default)]
pub(super) struct Texts {
    shards: HashMap<ShardId, TextsShard>,
    addresses: Option<Addresses>,
}

/// A whole page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// The document's id.
    pub id: String,
    /// The address.
    pub url: String,
    /// Plain text.
    pub title: String,
    /// BCP 47; may be empty.
    pub language: String,
    /// The attributes, as a response has them.
    pub attributes: serde_json::Map<String, Value>,
    /// Names and values to be shown with the page, in the order of the source.
    pub meta: Vec<(String, String)>,
    /// The sections, in page order.
    pub sections: Vec<DocumentSection>,
}

/// A section of a page, or a part of one that is very long.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentSection {
    /// 1 to 6; 0 for the text before the first heading.
    pub level: u8,
    /// Headings from the outermost to its own.
    pub heading_path: Vec<String>,
    /// Fragment without `#`.
    pub anchor: Option<String>,
    /// All text, blocks separated by line feeds.
    pub text: String,
    /// Byte ranges of code in `text`, in order.
    pub code: Vec<(usize, usize)>,
    /// Byte ranges of the passages in `text`, in order.
    pub passages: Vec<(usize, usize)>,
}

impl Document {
    /// Returns the address of a section.
    pub fn url_of(&self, section: &DocumentSection) -> String {
        match &section.anchor {
            Some(anchor) => format!("{}#{anchor}", self.url),
            None => self.url.clone(),
        }
    }

    /// Returns the page as a hit without sections, for making references and locations.
    pub fn to_hit(&self) -> PageHit {
        PageHit {
            id: self.id.clone(),
            url: self.url.clone(),
            title: self.title.clone(),
            language: self.language.clone(),
            score: 0.0,
            attributes: self.attributes.clone(),
            meta: self.meta.clone(),
            sections: Vec::new(),
            n_sections: 0,
            copies: 0,
            pinned: false,
        }
    }
}

impl Host {
    /// Returns the page with an address: its URL with or without host, its path, or its id.
    ///
    /// # Errors
    /// [`findling_engine::Error::NoSuchPage`], and errors of reading.
    pub fn document(&mut self, address: &str) -> Result<Document> {
        Ok(self.find_document(address)?.1)
    }

    /// Returns a page like [`Host::document`], and also its number.
    ///
    /// # Errors
    /// The errors of [`Host::document`].
    pub fn find_document(&mut self, address: &str) -> Result<(PageId, Document)> {
        let address = address.trim();
        self.followed(Request::default(), |host, _| host.find_in_bundle(address))
    }

    fn find_in_bundle(&mut self, address: &str) -> Result<(PageId, Document)> {
        self.read_addresses()?;
        let found = self.texts.addresses.as_ref().map(|all| all.find(address)).unwrap_or_default();
        let mut best = None;
        for page in found {
            let document = self.page(page)?;
            let Some(fits) = closeness(&document.id, &document.url, address) else { continue };
            if best.as_ref().is_none_or(|(most, _, _)| fits > *most) {
                best = Some((fits, page, document));
            }
        }
        best.map(|(_, page, document)| (page, document)).ok_or_else(|| {
            findling_engine::Error::NoSuchPage { address: address.to_owned() }.into()
        })
    }

    /// Returns the page with a number, from 0 to the number of pages.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn page(&mut self, page: PageId) -> Result<Document> {
        let places: Vec<(ShardId, u32)> = self.manifest().texts_of(page).collect();
        let mut document = Document::default();
        for (shard, place) in places {
            self.read_texts(shard)?;
            let texts = self.texts.shards.get(&shard).context("a shard of texts is missing")?;
            let part = texts.page(place)?;
            if document.sections.is_empty() {
                document = self.head(&part);
            }
            for (place, section) in (part.first..).zip(&part.sections) {
                document.sections.push(DocumentSection {
                    level: section.level,
                    heading_path: part.heading_path(place).into_iter().map(Into::into).collect(),
                    anchor: section.anchor.as_deref().map(Into::into),
                    text: section.text.clone().into_owned(),
                    code: section.code.iter().map(bounds).collect(),
                    passages: section.passages.iter().map(bounds).collect(),
                });
            }
        }
        Ok(document)
    }

    fn head(&self, part: &PageText<'_>) -> Document {
        let name = |place: u32| Some(self.manifest().attributes.get(place as usize)?.name.clone());
        let attributes = part.attributes.iter();
        Document {
            id: part.id.into(),
            url: part.url.into(),
            title: part.title.into(),
            language: part.language.into(),
            attributes: attributes
                .filter_map(|(place, value)| Some((name(*place)?, json(value))))
                .collect(),
            meta: part.meta.iter().map(|&(name, value)| (name.into(), value.into())).collect(),
            sections: Vec::new(),
        }
    }

    fn read_texts(&mut self, shard: ShardId) -> Result<()> {
        if self.texts.shards.contains_key(&shard) {
            return Ok(());
        }
        let texts = self.decode(shard, TextsShard::from_bytes)?;
        if self.texts.shards.len() >= MAX_SHARDS {
            self.texts.shards.clear();
        }
        self.texts.shards.insert(shard, texts);
        Ok(())
    }

    fn read_addresses(&mut self) -> Result<()> {
        if self.texts.addresses.is_some() {
            return Ok(());
        }
        let shard = self
            .manifest()
            .addresses()
            .context("the bundle does not say which page has which address; build it again")?;
        let stats = self.manifest().stats;
        let addresses = self.decode(shard, |raw| Addresses::from_bytes(&raw, &stats))?;
        self.texts.addresses = Some(addresses);
        Ok(())
    }
}

fn bounds(range: &Range<u32>) -> (usize, usize) {
    (range.start as usize, range.end as usize)
}

/// Returns a value as a response has it.
pub(super) fn json(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::String(text) => Value::from(text.as_str()),
        AttributeValue::Strings(texts) => Value::from(texts.clone()),
        AttributeValue::Number(number) => Value::from(*number),
        AttributeValue::Bool(truth) => Value::from(*truth),
        AttributeValue::Date(ms) => Value::from(date::format(*ms)),
    }
}
