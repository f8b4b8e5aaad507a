//! Sections as rows, which data engines keep in tables: [`Splitter`] reads files to rows, and
//! [`Assembly`] joins rows to the pages that a build reads. `docs/tables.md` describes the columns.
//!
//! Data of a page that have no column are in `as_read`, so that the pages are restored exactly.
//! Rows without it are read like records.

mod assembly;
mod split;

use std::collections::BTreeMap;

use bincode::error::EncodeError;
use bincode::{Decode, Encode};
use findling_bundle::AttributeValue;
use serde::{Deserialize, Serialize};

use super::RawPage;
use super::attributes::Raw;
use findling_base::record_log::CODING;
use findling_page::page::{Block, Section};

pub use assembly::{Assembly, RowError};
pub use split::{Finished, Split, Splitter, Wanted};

/// Version of `as_read`.
const FORMAT: u32 = 1;
/// The separator between the blocks of a section in its text.
const BETWEEN: &str = "\n\n";

/// A section of a page; a page without sections also has one row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Row {
    /// The file, relative to the root, with `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The number of the page in its file, from 0.
    pub place: Option<u32>,
    /// The number of the section in its page, from 0.
    pub section: Option<u32>,
    /// The number of sections of the page.
    pub sections: Option<u32>,
    /// The page's id.
    pub page: String,
    /// The page's address.
    pub url: Option<String>,
    /// The page's title.
    pub title: Option<String>,
    /// The page's language, BCP 47.
    pub language: Option<String>,
    /// The heading's level, 1 to 6; 0 before the first heading.
    pub level: Option<u32>,
    /// The heading as plain text.
    pub heading: Option<String>,
    /// The fragment without `#`.
    pub anchor: Option<String>,
    /// The blocks, with a blank line between them.
    pub text: String,
    /// The page's attributes, an object as JSON.
    pub attributes: Option<String>,
    /// The section's own attributes, an object as JSON.
    pub section_attributes: Option<String>,
    /// The texts to embed.
    pub units: Option<Vec<String>>,
    /// The options of reading that are not the defaults, an object as JSON.
    pub options: Option<String>,
    /// The other results of reading, in the program's own coding.
    #[serde(with = "base64_bytes")]
    pub as_read: Option<Vec<u8>>,
}

/// Bytes as base64 in JSON.
mod base64_bytes {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub fn serialize<S: Serializer>(bytes: &Option<Vec<u8>>, to: S) -> Result<S::Ok, S::Error> {
        bytes.as_ref().map(|bytes| BASE64_STANDARD.encode(bytes)).serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Option<Vec<u8>>, D::Error> {
        let text: Option<String> = Option::deserialize(from)?;
        text.map(|text| BASE64_STANDARD.decode(text).map_err(Error::custom)).transpose()
    }
}

/// The contents of `as_read`.
#[derive(Encode, Decode)]
struct AsRead<P> {
    /// The version of the program and of this coding.
    version: String,
    /// The page without its sections, in the row of its first section.
    page: Option<P>,
    /// `None` in the row of a page that has no section.
    section: Option<SectionAsRead>,
}

/// The facts about a section that the columns do not state.
#[derive(Encode, Decode)]
struct SectionAsRead {
    language: String,
    attributes: BTreeMap<String, AttributeValue>,
    blocks: Vec<BlockAsRead>,
}

/// A block without its text.
#[derive(Encode, Decode)]
struct BlockAsRead {
    len: u32,
    code: Vec<(u32, u32)>,
    is_code_block: bool,
    weight: f32,
}

fn version() -> String {
    format!("{} (rows {FORMAT})", env!("CARGO_PKG_VERSION"))
}

impl AsRead<RawPage> {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (read, len) = bincode::decode_from_slice::<Self, _>(bytes, CODING).ok()?;
        (len == bytes.len()).then_some(read)
    }
}

impl SectionAsRead {
    fn of(section: &Section) -> Self {
        let block = |block: &Block| BlockAsRead {
            len: block.text.len() as u32,
            code: block.code.clone(),
            is_code_block: block.is_code_block,
            weight: block.weight,
        };
        Self {
            language: section.language.clone(),
            attributes: section.attributes.clone(),
            blocks: section.blocks.iter().map(block).collect(),
        }
    }

    /// Returns the section with the columns of its row; `None` if they do not fit together.
    fn into_section(self, row: &mut Row) -> Option<Section> {
        let Self { language, attributes, blocks: read } = self;
        let mut rest = row.text.as_str();
        let mut blocks = Vec::with_capacity(read.len());
        for (at, block) in read.into_iter().enumerate() {
            if at > 0 {
                rest = rest.strip_prefix(BETWEEN)?;
            }
            let (text, behind) = rest.split_at_checked(block.len as usize)?;
            rest = behind;
            let mut end = 0;
            for &(from, to) in &block.code {
                let is_range = end <= from && from <= to;
                let is_inside = text.get(from as usize..to as usize).is_some();
                if !is_range || !is_inside {
                    return None;
                }
                end = to;
            }
            if !(0.0..=10.0).contains(&block.weight) {
                return None;
            }
            let BlockAsRead { code, is_code_block, weight, .. } = block;
            blocks.push(Block { text: text.to_owned(), code, is_code_block, weight });
        }
        let level = u8::try_from(row.level?).ok().filter(|level| *level <= 6)?;
        let (heading, anchor) = (row.heading.take().unwrap_or_default(), row.anchor.take());
        let section = Section { level, heading, anchor, language, attributes, blocks };
        rest.is_empty().then_some(section)
    }
}

/// Returns the rows of a page as it was read from the page at `place` of a file. Title, language
/// and units are not in them yet.
///
/// # Errors
/// If a page is too large.
fn rows_of(
    file: &str,
    place: u32,
    raw: &mut RawPage,
    options: Option<&str>,
) -> Result<Vec<Row>, EncodeError> {
    let sections = std::mem::take(&mut raw.page.sections);
    let mut rows = Vec::with_capacity(sections.len().max(1));
    for number in 0..sections.len().max(1) {
        let section = sections.get(number);
        let is_first = number == 0;
        let as_read = AsRead {
            version: version(),
            page: is_first.then_some(&*raw),
            section: section.map(SectionAsRead::of),
        };
        let own = section.map(|section| &section.attributes).into_iter().flatten();
        let own = own.map(|(name, value)| (name.clone(), Raw::from(value.clone()))).collect();
        let blocks = section.map_or(&[][..], |section| &section.blocks);
        let texts: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
        rows.push(Row {
            file: Some(file.to_owned()),
            place: Some(place),
            section: Some(number as u32),
            sections: Some(sections.len() as u32),
            page: raw.page.id.clone(),
            url: Some(raw.page.url.clone()),
            level: Some(section.map_or(0, |section| section.level.into())),
            heading: section.map(|section| section.heading.clone()),
            anchor: section.and_then(|section| section.anchor.clone()),
            text: texts.join(BETWEEN),
            attributes: is_first.then(|| attributes_json(&raw.attributes)).flatten(),
            section_attributes: attributes_json(&own),
            options: options.map(str::to_owned),
            as_read: Some(bincode::encode_to_vec(as_read, CODING)?),
            ..Row::default()
        });
    }
    raw.page.sections = sections;
    Ok(rows)
}

/// Returns attributes in the form of records, or `None` if there are none.
fn attributes_json(attributes: &BTreeMap<String, Raw>) -> Option<String> {
    use serde_json::Value;
    let value = |raw: &Raw| match raw {
        Raw::Text(text) | Raw::Untyped(text) => Value::from(text.as_str()),
        Raw::Number(number) => Value::from(*number),
        Raw::Bool(truth) => Value::from(*truth),
        Raw::List(list) => Value::from(list.clone()),
        date @ Raw::Date(_) => Value::from(date.clone().spelled()),
    };
    let object: serde_json::Map<_, _> =
        attributes.iter().map(|(name, raw)| (name.clone(), value(raw))).collect();
    (!object.is_empty()).then(|| Value::Object(object).to_string())
}
