//! The library of Zotero (`zotero.sqlite`): its items with their collections, tags, attachments,
//! notes and annotations. What is in the bin is left out.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Result;
use rusqlite::{Connection, Row};

use super::author::Author;
use super::markup;
use super::paper::{self, Kind, Paper, Remark};
use crate::database;
use crate::notes::Notes;
use crate::{Outcome, Severity};

/// Most rows that are read of a table.
const MAX_ROWS: usize = 10_000_000;

/// Most collections above a collection.
const MAX_LEVELS: usize = 32;

/// Fields of Zotero that hold the journal, the proceedings or the book of a work.
const CONTAINERS: [&str; 11] = [
    "publicationTitle",
    "proceedingsTitle",
    "bookTitle",
    "encyclopediaTitle",
    "dictionaryTitle",
    "blogTitle",
    "websiteTitle",
    "forumTitle",
    "programTitle",
    "conferenceName",
    "seriesTitle",
];

/// Fields that hold the publisher of a work.
const PUBLISHERS: [&str; 7] =
    ["publisher", "institution", "university", "company", "studio", "label", "repository"];

/// Reads a library.
pub(super) fn read(
    bytes: &[u8],
    path: &Path,
    notes: &mut Notes,
    outcome: &mut Outcome,
) -> Vec<Paper> {
    let read = database::open(bytes, path).and_then(|copy| {
        // The library is the same file when Zotero writes beside it.
        outcome.may_change |= copy.has_changes_beside;
        Library::read(&copy.connection)
    });
    match read {
        Ok(library) => library.papers(),
        Err(error) => {
            let reason = format!("is no library of Zotero that can be read ({error})");
            notes.tell(Severity::Error, None, reason);
            Vec::new()
        }
    }
}

/// The number of a row that is an item, an attachment or a collection.
type Id = i64;

/// An item: its number, its key and its type.
type Item = (Id, String, String);

/// The tables of a library, by the items that they belong to.
#[derive(Default)]
struct Library {
    items: Vec<Item>,
    fields: HashMap<Id, HashMap<String, String>>,
    /// Type of the creator, first name and last name, in order.
    creators: HashMap<Id, Vec<(String, String, String)>>,
    collections: HashMap<Id, Vec<String>>,
    tags: HashMap<Id, Vec<String>>,
    files: HashMap<Id, Vec<String>>,
    remarks: HashMap<Id, Vec<Remark>>,
}

impl Library {
    fn read(connection: &Connection) -> Result<Self> {
        let mut library = Self { items: items(connection)?, ..Self::default() };
        let sql = "SELECT d.itemID, f.fieldName, COALESCE(CAST(v.value AS TEXT), '') \
                   FROM itemData d JOIN fields f USING (fieldID) \
                   JOIN itemDataValues v USING (valueID)";
        for (item, name, value) in rows::<(Id, String, String)>(connection, sql)? {
            library.fields.entry(item).or_default().insert(name, value);
        }
        let sql = "SELECT i.itemID, t.creatorType, COALESCE(c.firstName, ''), \
                   COALESCE(c.lastName, '') FROM itemCreators i JOIN creators c USING (creatorID) \
                   JOIN creatorTypes t USING (creatorTypeID) ORDER BY i.itemID, i.orderIndex";
        for (item, kind, first, last) in rows::<(Id, String, String, String)>(connection, sql)? {
            library.creators.entry(item).or_default().push((kind, first, last));
        }
        let sql = "SELECT i.itemID, t.name FROM itemTags i JOIN tags t USING (tagID) ORDER BY 1, 2";
        for (item, tag) in rows::<(Id, String)>(connection, sql)? {
            library.tags.entry(item).or_default().push(tag);
        }
        library.read_collections(connection)?;
        let attachments = library.read_attachments(connection)?;
        library.read_remarks(connection, &attachments)?;
        Ok(library)
    }

    /// Reads the collections. An item is also in the collections above its own.
    fn read_collections(&mut self, connection: &Connection) -> Result<()> {
        let sql = "SELECT collectionID, collectionName, parentCollectionID FROM collections";
        let known: HashMap<Id, (String, Option<Id>)> =
            rows::<(Id, String, Option<Id>)>(connection, sql)?
                .into_iter()
                .map(|(id, name, above)| (id, (name, above)))
                .collect();
        let sql = "SELECT itemID, collectionID FROM collectionItems ORDER BY 1, 2";
        for (item, collection) in rows::<(Id, Id)>(connection, sql)? {
            let names = self.collections.entry(item).or_default();
            let mut at = Some(collection);
            for _ in 0..MAX_LEVELS {
                let Some((name, above)) = at.and_then(|id| known.get(&id)) else { break };
                if !names.contains(name) {
                    names.push(name.clone());
                }
                at = *above;
            }
        }
        Ok(())
    }

    /// Reads the files of items; returns the items of attachments.
    fn read_attachments(&mut self, connection: &Connection) -> Result<HashMap<Id, Id>> {
        let sql = "SELECT a.itemID, a.parentItemID, COALESCE(a.path, ''), i.key \
                   FROM itemAttachments a JOIN items i USING (itemID) \
                   WHERE a.parentItemID IS NOT NULL \
                   AND a.itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY 1";
        let mut owners = HashMap::new();
        for (attachment, item, path, key) in rows::<(Id, Id, String, String)>(connection, sql)? {
            owners.insert(attachment, item);
            let path = match (path.strip_prefix("storage:"), path.strip_prefix("attachments:")) {
                (Some(name), _) => format!("storage/{key}/{name}"),
                (_, Some(path)) => path.to_owned(),
                _ => path,
            };
            if !path.is_empty() {
                self.files.entry(item).or_default().push(path);
            }
        }
        Ok(owners)
    }

    /// Reads notes of items, notes of their own, and annotations of attachments.
    fn read_remarks(&mut self, connection: &Connection, owners: &HashMap<Id, Id>) -> Result<()> {
        let sql = "SELECT itemID, parentItemID, COALESCE(title, ''), COALESCE(note, '') \
                   FROM itemNotes WHERE itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY 1";
        let notes = rows::<(Id, Option<Id>, String, String)>(connection, sql)?;
        for (note, item, title, html) in notes {
            let remark = Remark { title: markup::of_text(&title), text: paragraphs(&html) };
            self.remarks.entry(item.unwrap_or(note)).or_default().push(remark);
        }
        // Versions before 6 have no annotations.
        let sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'itemAnnotations'";
        if rows::<(Id,)>(connection, sql)?.is_empty() {
            return Ok(());
        }
        let sql = "SELECT parentItemID, COALESCE(text, ''), COALESCE(comment, ''), \
                   COALESCE(pageLabel, '') FROM itemAnnotations \
                   WHERE itemID NOT IN (SELECT itemID FROM deletedItems) \
                   ORDER BY parentItemID, sortIndex";
        let mut of_items: HashMap<Id, Vec<String>> = HashMap::new();
        for (attachment, text, comment, page) in
            rows::<(Id, String, String, String)>(connection, sql)?
        {
            let Some(item) = owners.get(&attachment) else { continue };
            let marked = Some(text.trim()).filter(|text| !text.is_empty());
            let marked = marked.map(|text| format!("“{text}”"));
            let page = Some(page.trim()).filter(|page| !page.is_empty());
            let page = page.map(|page| format!("(p. {page})"));
            let comment = Some(markup::of_text(comment.trim())).filter(|text| !text.is_empty());
            let has_text = marked.is_some() || comment.is_some();
            let parts = [marked, comment, page.filter(|_| has_text)];
            let line = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
            if !line.is_empty() {
                of_items.entry(*item).or_default().push(line);
            }
        }
        for (item, text) in of_items {
            let title = "Annotations".to_owned();
            self.remarks.entry(item).or_default().push(Remark { title, text });
        }
        Ok(())
    }

    fn papers(mut self) -> Vec<Paper> {
        let items = std::mem::take(&mut self.items);
        items.iter().map(|item| self.paper(item)).collect()
    }

    fn paper(&mut self, (id, key, kind): &Item) -> Paper {
        let fields = self.fields.remove(id).unwrap_or_default();
        let text = |names: &[&str]| {
            let found = names.iter().find_map(|name| fields.get(*name));
            found.map_or(String::new(), |value| value.trim().to_owned())
        };
        let creators = self.creators.remove(id).unwrap_or_default();
        let people = |is_wanted: fn(&str) -> bool| -> Vec<Author> {
            let named = creators.iter().filter(|(kind, ..)| is_wanted(kind));
            named.map(|(_, first, last)| author(first, last)).collect()
        };
        let mut editors = people(|kind| matches!(kind, "editor" | "seriesEditor"));
        let mut authors = people(|kind| kind == "author");
        if authors.is_empty() {
            let is_other = |kind: &str| {
                !matches!(kind, "editor" | "seriesEditor" | "translator" | "contributor")
            };
            authors = people(is_other);
        }
        if authors.is_empty() {
            authors = std::mem::take(&mut editors);
        }
        // "2019-03-21 March 21, 2019"
        let date = text(&["date", "filingDate", "dateDecided", "dateEnacted"]);
        let date = paper::date(date.split_whitespace().next().unwrap_or_default());
        let (container, publisher) = (text(&CONTAINERS), text(&PUBLISHERS));
        let remarks = self.remarks.remove(id).unwrap_or_default();
        let title = markup::of_text(&text(&["title", "caseName", "nameOfAct", "subject"]));
        let title = match remarks.first() {
            Some(remark) if title.is_empty() && kind == "note" => remark.title.clone(),
            _ => title,
        };
        Paper {
            key: citation_key(&fields).unwrap_or_else(|| key.clone()),
            kind: kind_of(kind),
            title,
            authors,
            editors,
            year: date.first().map(|year| i64::from(*year)),
            date,
            accessed: paper::date(&text(&["accessDate"])),
            venue: if container.is_empty() { publisher.clone() } else { container.clone() },
            container,
            publisher,
            volume: text(&["volume"]),
            issue: text(&["issue"]),
            pages: text(&["pages"]),
            number: text(&["reportNumber", "number"]),
            genre: text(&["thesisType", "reportType"]),
            edition: text(&["edition"]),
            place: text(&["place"]),
            isbn: text(&["ISBN", "ISSN"]),
            doi: paper::doi(&text(&["DOI"])),
            url: text(&["url"]),
            abstract_text: markup::of_text(&text(&["abstractNote"])),
            keywords: self.tags.remove(id).unwrap_or_default(),
            groups: self.collections.remove(id).unwrap_or_default(),
            language: text(&["language"]),
            files: self.files.remove(id).unwrap_or_default(),
            remarks,
            ..Paper::default()
        }
    }
}

fn items(connection: &Connection) -> Result<Vec<Item>> {
    // A note that belongs to an item is part of it.
    let sql = "SELECT i.itemID, i.key, t.typeName FROM items i JOIN itemTypes t USING (itemTypeID) \
               WHERE i.itemID NOT IN (SELECT itemID FROM deletedItems) \
               AND t.typeName NOT IN ('attachment', 'annotation') \
               AND i.itemID NOT IN \
               (SELECT itemID FROM itemNotes WHERE parentItemID IS NOT NULL) ORDER BY i.itemID";
    rows(connection, sql)
}

/// Returns the rows of a query.
fn rows<T>(connection: &Connection, sql: &str) -> Result<Vec<T>>
where
    T: for<'a> TryFrom<&'a Row<'a>, Error = rusqlite::Error>,
{
    let mut statement = connection.prepare(sql)?;
    let read = statement.query_map([], |row| T::try_from(row))?;
    Ok(read.take(MAX_ROWS).collect::<rusqlite::Result<_>>()?)
}

fn author(first: &str, last: &str) -> Author {
    match (first.trim(), last.trim()) {
        ("", last) => Author::named(last),
        (first, last) => Author::parse(&format!("{last}, {first}")),
    }
}

/// Returns the key that a person or Better BibTeX gave an item.
fn citation_key(fields: &HashMap<String, String>) -> Option<String> {
    let own = fields.get("citationKey").map(String::as_str);
    let in_extra = || {
        let lines = fields.get("extra")?.lines();
        lines.filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
            let is_key = name.trim().eq_ignore_ascii_case("citation key");
            is_key.then_some(value)
        })
    };
    let key = own.or_else(in_extra)?.trim();
    (!key.is_empty()).then(|| key.to_owned())
}

fn kind_of(name: &str) -> Kind {
    match name {
        "journalArticle" | "magazineArticle" | "newspaperArticle" => Kind::Article,
        "conferencePaper" | "presentation" => Kind::Conference,
        "bookSection" | "encyclopediaArticle" | "dictionaryEntry" => Kind::Chapter,
        "blogPost" | "forumPost" | "webpage" => Kind::Web,
        "computerProgram" => Kind::Software,
        "manuscript" => Kind::Preprint,
        other => Kind::of(other),
    }
}

/// Returns the paragraphs of a note, which is HTML.
fn paragraphs(html: &str) -> Vec<String> {
    let mut paragraphs = Vec::new();
    let mut begin = 0;
    for (at, _) in html.match_indices('<') {
        if ends_paragraph(&html[at + 1..]) {
            paragraphs.push(&html[begin..at]);
            begin = at;
        }
    }
    paragraphs.push(&html[begin..]);
    let texts = paragraphs.into_iter().map(|html| markup::of_text(html).trim().to_owned());
    texts.filter(|text| !text.is_empty()).collect()
}

/// Returns whether a tag ends a paragraph.
fn ends_paragraph(tag: &str) -> bool {
    const ENDS: [&str; 9] = ["/p", "/li", "/h1", "/h2", "/h3", "/h4", "/blockquote", "/td", "br"];
    ENDS.iter()
        .any(|end| tag.strip_prefix(end).is_some_and(|rest| rest.starts_with(['>', ' ', '/'])))
}

#[cfg(test)]
#[path = "zotero_tests.rs"]
mod tests;
