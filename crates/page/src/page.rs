//! The pages that sources make: sections of blocks.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use bincode::de::Decoder;
use bincode::enc::Encoder;
use bincode::error::{DecodeError, EncodeError};
use bincode::{Decode, Encode};
use findling_bundle::AttributeValue;

use findling_base::scratch::{Record, Scratch, changed, coded};

/// A page or a record, which is one result of a search.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub struct Page {
    /// The document's id: a record's `_id`, or the page's path relative to the input directory,
    /// with `/`.
    pub id: String,
    /// The address, absolute or relative to the site's root.
    pub url: String,
    /// Plain text.
    pub title: String,
    /// Other names for the page that people search for.
    pub aliases: Vec<String>,
    /// Queries for which the page is the first result.
    pub pins: Vec<String>,
    /// BCP 47; empty if the page declares none.
    pub language: String,
    /// Attributes for filters, facets and sorting.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// Names in `attributes` that are only for sorting.
    pub sort_only: Vec<String>,
    /// Whether the attributes come from other fields of front matter, which nobody marked as
    /// filters.
    pub unmarked: bool,
    /// Further data that is shown with the page, in the given order.
    pub meta: Vec<(String, String)>,
    /// The sections, in reading order. The first may have no heading (text before the first
    /// heading).
    pub sections: Vec<Section>,
    /// The place of the blocks while they are not in the sections.
    pub away: Away,
}

impl Page {
    /// Moves the blocks of all sections to a temporary file, if there is no room for them.
    pub fn stow(&mut self, scratch: &Scratch) {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        let len = blocks.map(|block| size_of::<Block>() + block.text.len() + 8 * block.code.len());
        let all = || coded(self.sections.iter().map(|section| &section.blocks).collect::<Vec<_>>());
        let Some(record) = scratch.put(len.sum(), all) else { return };
        self.away = Away(Some(record));
        self.sections.iter_mut().for_each(|section| section.blocks = Vec::new());
        self.sections.shrink_to_fit();
    }

    /// Takes the blocks back.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub fn restore(&mut self) -> io::Result<()> {
        let Some(record) = self.away.0.take() else { return Ok(()) };
        let blocks: Vec<Vec<Block>> = record.value()?;
        if blocks.len() != self.sections.len() {
            return Err(changed());
        }
        for (section, blocks) in self.sections.iter_mut().zip(blocks) {
            section.blocks = blocks;
        }
        Ok(())
    }

    /// Returns the page with its blocks.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub fn whole(&self) -> io::Result<Cow<'_, Self>> {
        if self.away.0.is_none() {
            return Ok(Cow::Borrowed(self));
        }
        let mut whole = self.clone();
        whole.restore()?;
        Ok(Cow::Owned(whole))
    }
}

/// The place of a page's blocks if they are not in the page. It is never stored with a page, and a
/// page without its blocks is not stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Away(Option<Record>);

impl Encode for Away {
    fn encode<E: Encoder>(&self, _: &mut E) -> Result<(), EncodeError> {
        match self.0 {
            None => Ok(()),
            Some(_) => Err(EncodeError::Other("the blocks of the page are elsewhere")),
        }
    }
}

impl<C> Decode<C> for Away {
    fn decode<D: Decoder<Context = C>>(_: &mut D) -> Result<Self, DecodeError> {
        Ok(Self::default())
    }
}

bincode::impl_borrow_decode!(Away);

/// A heading and the text up to the next heading.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub struct Section {
    /// 1 to 6; 0 for text before the first heading.
    pub level: u8,
    /// Plain text; empty at level 0.
    pub heading: String,
    /// Fragment without `#`.
    pub anchor: Option<String>,
    /// BCP 47 tag of an element around the heading; empty if the section is in its page's language.
    pub language: String,
    /// The attributes of this section alone, not of its page.
    pub attributes: BTreeMap<String, AttributeValue>,
    /// Paragraphs, list items, table rows, code blocks.
    pub blocks: Vec<Block>,
}

/// The weight of the words of a section that is a list of links. Such a section has no vector.
pub const LINKS_WEIGHT: f32 = 0.1;

/// A paragraph or a code block.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Block {
    /// Plain text; white space folded in prose, kept in code blocks.
    pub text: String,
    /// Byte ranges of inline code in `text`, sorted, disjoint; the whole range in a code block.
    pub code: Vec<(u32, u32)>,
    /// Whether the block is code, which stays whole if it fits.
    pub is_code_block: bool,
    /// Weight of its words, 0 to 10; 1 unless `data-findling-weight` is given.
    pub weight: f32,
}

impl Default for Block {
    /// Returns an empty block of prose with the weight 1.
    fn default() -> Self {
        Self { text: String::new(), code: Vec::new(), is_code_block: false, weight: 1.0 }
    }
}
