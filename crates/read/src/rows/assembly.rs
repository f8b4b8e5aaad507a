//! The join of rows to pages.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::{AsRead, Row, version};
use crate::file::File;
use crate::share::Piece;
use crate::{Format, Options, Outcome, RawPage, Severity, jsonl};

/// Fields that have another meaning in a record.
const RESERVED: [&str; 13] = [
    "_id",
    "id",
    "title",
    "text",
    "body",
    "content",
    "abstract",
    "url",
    "language",
    "lang",
    "aliases",
    "search_pin",
    "sections",
];

/// The reason why rows are not pages.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RowError {
    /// A row without an id.
    #[error("expected the id of a page in `page`, found an empty one")]
    NoPage,
    /// Two rows of one section.
    #[error(
        "expected each section once, found section {section} of page {page:?} twice: leave one out"
    )]
    Twice {
        /// The page.
        page: String,
        /// The section's number.
        section: u32,
    },
    /// Some sections are missing.
    #[error(
        "expected all {expected} sections of page {page:?}, found {found}: add the others, or \
         split the file again"
    )]
    Missing {
        /// The page.
        page: String,
        /// Number of sections.
        expected: u32,
        /// The number of sections that exist.
        found: u32,
    },
    /// Rows that contradict each other about a page.
    #[error("expected rows that agree on page {page:?}, found different values of {column}")]
    Differ {
        /// The page.
        page: String,
        /// The column.
        column: &'static str,
    },
    /// `as_read` of another version.
    #[error(
        "expected `as_read` of findling {expected}, found that of {found} on page {page:?}: split \
         the files again with this version, or leave `as_read` out (titles and blocks can differ)"
    )]
    Version {
        /// The page.
        page: String,
        /// The version of this program.
        expected: String,
        /// The version that wrote it.
        found: String,
    },
    /// `as_read` that does not fit its row.
    #[error(
        "expected `as_read` that fits the other columns, found another one in section {section} \
         of page {page:?}: where a text was changed, set `as_read` to null in all rows of its page"
    )]
    Unfit {
        /// The page.
        page: String,
        /// The section's number.
        section: u32,
    },
    /// An impossible value.
    #[error("page {page:?}: {reason}")]
    Value {
        /// The page.
        page: String,
        /// The reason: what was expected and what was found.
        reason: String,
    },
}

/// Rows that are being joined to pages. They may come in any order. If they come in the order of a
/// build, the texts of complete pages are moved out of memory.
pub struct Assembly<'a> {
    options: &'a Options,
    /// The pages by file and place.
    pages: BTreeMap<(String, u32), Slot>,
    /// The places of pages whose rows do not state a place, by id.
    places: HashMap<String, u32>,
}

enum Slot {
    /// The rows that were added.
    Open(Vec<Row>),
    Done(Box<RawPage>),
}

impl<'a> Assembly<'a> {
    /// Returns an assembly without rows. Texts are stored where `options` say.
    pub fn new(options: &'a Options) -> Self {
        Self { options, pages: BTreeMap::new(), places: HashMap::new() }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If it contradicts another one or itself.
    pub fn add(&mut self, row: Row) -> Result<(), RowError> {
        if row.page.is_empty() {
            return Err(RowError::NoPage);
        }
        let next = self.places.len() as u32;
        let place = match row.place {
            Some(place) => place,
            None => *self.places.entry(row.page.clone()).or_insert(next),
        };
        let key = (row.file.clone().unwrap_or_default(), place);
        let slot = self.pages.entry(key).or_insert_with(|| Slot::Open(Vec::new()));
        let rows = match slot {
            Slot::Open(rows) => rows,
            Slot::Done(raw) => {
                let page = raw.page.id.clone();
                return Err(match page == row.page {
                    true => RowError::Twice { page, section: row.section.unwrap_or_default() },
                    false => RowError::Differ { page, column: "page" },
                });
            }
        };
        if let Some(first) = rows.first() {
            agree(first, &row)?;
        }
        let n_sections = row.sections;
        rows.push(row);
        if n_sections.is_some_and(|n| rows.len() == n.max(1) as usize) {
            let raw = page(std::mem::take(rows), self.options)?;
            *slot = Slot::Done(Box::new(raw));
        }
        Ok(())
    }

    /// Returns the number of pages.
    pub fn n_pages(&self) -> usize {
        self.pages.len()
    }

    /// Returns the pieces that were read of the files, in the order of the files.
    ///
    /// # Errors
    /// If sections are missing, or a page contradicts itself.
    pub fn pieces(self) -> Result<Vec<Piece>, RowError> {
        let Self { options, pages, .. } = self;
        let pieces = pages.into_values().map(|slot| {
            let raw = match slot {
                Slot::Done(raw) => *raw,
                Slot::Open(rows) => page(rows, options)?,
            };
            Ok(Piece::of(Outcome { pages: vec![raw], ..Outcome::default() }))
        });
        pieces.collect()
    }
}

/// Fails unless two rows can belong to one page.
fn agree(first: &Row, row: &Row) -> Result<(), RowError> {
    let differ = |column| RowError::Differ { page: first.page.clone(), column };
    if first.page != row.page {
        return Err(differ("page"));
    }
    if first.sections != row.sections {
        return Err(differ("sections"));
    }
    if first.as_read.is_some() != row.as_read.is_some() {
        return Err(differ("as_read"));
    }
    Ok(())
}

/// Returns the page made from all its rows.
fn page(mut rows: Vec<Row>, options: &Options) -> Result<RawPage, RowError> {
    // Rows without a number keep their order.
    rows.sort_by_key(|row| row.section);
    for two in rows.windows(2) {
        if let (Some(a), Some(b)) = (two[0].section, two[1].section)
            && a == b
        {
            return Err(RowError::Twice { page: two[0].page.clone(), section: a });
        }
    }
    let Some(first) = rows.first() else { return Ok(RawPage::default()) };
    if let Some(expected) = first.sections
        && rows.len() as u32 != expected.max(1)
    {
        let (page, found) = (first.page.clone(), rows.len() as u32);
        return Err(RowError::Missing { page, expected, found });
    }
    let mut raw = match first.as_read {
        Some(_) => as_read(rows)?,
        None => record(rows, options)?,
    };
    if let Some(scratch) = options.scratch.as_ref().filter(|_| raw.format != Some(Format::Papers)) {
        raw.page.stow(scratch);
    }
    Ok(raw)
}

/// Returns the page as it was read.
fn as_read(rows: Vec<Row>) -> Result<RawPage, RowError> {
    let mut page: Option<RawPage> = None;
    for (at, mut row) in rows.into_iter().enumerate() {
        let unfit = |page: &str| RowError::Unfit { page: page.to_owned(), section: at as u32 };
        let bytes = row.as_read.take().unwrap_or_default();
        let read = AsRead::read(&bytes);
        let AsRead { version: found, page: whole, section } =
            read.ok_or_else(|| unfit(&row.page))?;
        if found != version() {
            let found = found.chars().filter(|c| !c.is_control()).take(40).collect();
            return Err(RowError::Version { page: row.page, expected: version(), found });
        }
        let is_first = at == 0 && row.section == Some(0);
        if is_first != whole.is_some() || row.section != Some(at as u32) {
            return Err(unfit(&row.page));
        }
        let raw = match whole {
            Some(whole) if whole.page.id == row.page => page.insert(whole),
            Some(_) => return Err(unfit(&row.page)),
            None => page.as_mut().ok_or_else(|| unfit(&row.page))?,
        };
        if let Some(section) = section {
            let section = section.into_section(&mut row).ok_or_else(|| unfit(&row.page))?;
            raw.page.sections.push(section);
        }
    }
    page.ok_or(RowError::NoPage)
}

/// Returns the page of a record with these rows.
fn record(rows: Vec<Row>, options: &Options) -> Result<RawPage, RowError> {
    let wrong = |page: &str, reason: String| RowError::Value { page: page.to_owned(), reason };
    let object = |page: &str, column: &str, json: &Option<String>| match json.as_deref() {
        None | Some("") => Ok(Map::new()),
        Some(json) => match serde_json::from_str(json) {
            Ok(Value::Object(object)) => Ok(object),
            _ => {
                Err(wrong(page, format!("expected an object as JSON in `{column}`, found {json}")))
            }
        },
    };
    let first = &rows[0];
    let id = first.page.clone();
    let mut fields = Map::new();
    for (name, value) in object(&id, "attributes", &first.attributes)? {
        if !RESERVED.contains(&name.as_str()) {
            fields.insert(name, value);
        }
    }
    fields.insert("_id".into(), id.clone().into());
    for (name, value) in
        [("title", &first.title), ("url", &first.url), ("language", &first.language)]
    {
        fields.extend(value.clone().map(|value| (name.to_owned(), value.into())));
    }
    let mut sections = Vec::with_capacity(rows.len());
    for (at, row) in rows.into_iter().enumerate() {
        let heading = row.heading.filter(|heading| !heading.is_empty());
        let own = object(&id, "section_attributes", &row.section_attributes)?;
        if at == 0 && heading.is_none() && row.anchor.is_none() && own.is_empty() {
            fields.insert("text".into(), row.text.into());
            continue;
        }
        let mut section = Map::new();
        if heading.is_some() {
            let level = row.level.filter(|level| *level > 0);
            section.extend(level.map(|level| ("level".to_owned(), level.into())));
        }
        section.extend(heading.map(|heading| ("heading".to_owned(), heading.into())));
        section.extend(row.anchor.map(|anchor| ("anchor".to_owned(), anchor.into())));
        section.insert("text".into(), row.text.into());
        section.insert("attributes".into(), own.into());
        sections.push(Value::Object(section));
    }
    if !sections.is_empty() {
        fields.insert("sections".into(), sections.into());
    }
    let file =
        File { id: id.clone(), path: PathBuf::from(&id), format: Format::Jsonl, package: None };
    let mut outcome = Outcome::default();
    jsonl::read(Value::Object(fields).to_string().as_bytes(), &file, options, &mut outcome);
    let error = outcome.problems.iter().find(|problem| problem.severity == Severity::Error);
    if let Some(error) = error {
        return Err(wrong(&id, error.reason.clone()));
    }
    outcome.pages.pop().ok_or(RowError::NoPage)
}
