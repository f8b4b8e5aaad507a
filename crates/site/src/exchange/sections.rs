//! Tables of sections.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int32Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use findling_read::rows::Row;

use super::error::Error;
use super::parquet_file;

/// Rows that are written at once.
const ROWS: usize = 4096;
/// All columns.
const COLUMNS: [&str; 17] = [
    "file",
    "place",
    "section",
    "sections",
    "page",
    "url",
    "title",
    "language",
    "level",
    "heading",
    "anchor",
    "text",
    "attributes",
    "section_attributes",
    "units",
    "options",
    "as_read",
];
/// Columns in which equal values are rare.
const DISTINCT: [&str; 2] = ["text", "as_read"];

/// Reads tables of sections, row by row, as long as `on_row` returns true.
///
/// # Errors
/// If one cannot be read or has other columns, and the errors of `on_row`.
pub fn read_sections(
    paths: &[PathBuf],
    mut on_row: impl FnMut(&Path, Row) -> Result<bool, Error>,
) -> Result<(), Error> {
    let mut goes_on = true;
    for path in paths.iter() {
        if !goes_on {
            break;
        }
        parquet_file::read(path, &COLUMNS, |batch| {
            let mut pages = batch.required("page", batch.texts("page")?)?.into_iter();
            let mut texts = batch.required("text", batch.texts("text")?)?.into_iter();
            let (files, urls) = (batch.texts("file")?, batch.texts("url")?);
            let (titles, languages) = (batch.texts("title")?, batch.texts("language")?);
            let (headings, anchors) = (batch.texts("heading")?, batch.texts("anchor")?);
            let attributes = batch.texts("attributes")?;
            let own = batch.texts("section_attributes")?;
            let (places, numbers) = (batch.numbers("place")?, batch.numbers("section")?);
            let (counts, levels) = (batch.numbers("sections")?, batch.numbers("level")?);
            let options = batch.texts("options")?;
            let as_read = batch.bytes("as_read")?;
            let text = |of: &[Option<&str>], at: usize| of[at].map(str::to_owned);
            for (at, units) in batch.lists("units")?.into_iter().enumerate() {
                let row = Row {
                    file: text(&files, at),
                    place: places[at],
                    section: numbers[at],
                    sections: counts[at],
                    page: pages.next().unwrap_or_default().to_owned(),
                    url: text(&urls, at),
                    title: text(&titles, at),
                    language: text(&languages, at),
                    level: levels[at],
                    heading: text(&headings, at),
                    anchor: text(&anchors, at),
                    text: texts.next().unwrap_or_default().to_owned(),
                    attributes: text(&attributes, at),
                    section_attributes: text(&own, at),
                    units,
                    options: text(&options, at),
                    as_read: as_read[at].map(<[u8]>::to_vec),
                };
                goes_on = on_row(path, row)?;
                if !goes_on {
                    break;
                }
            }
            Ok(goes_on)
        })?;
    }
    Ok(())
}

/// Writes a table of sections. Returns its length in bytes.
///
/// # Errors
/// If the system refuses; an earlier file then stays.
pub fn write_sections(path: &Path, rows: &[Row]) -> io::Result<u64> {
    let batches = rows.chunks(ROWS).map(|rows| batch(rows).map_err(io::Error::other));
    parquet_file::write(path, schema(), &DISTINCT, batches)
}

fn schema() -> Schema {
    let field = |name: &&str| {
        let kind = match *name {
            "place" | "section" | "sections" | "level" => DataType::Int32,
            "units" => DataType::List(Arc::new(Field::new("element", DataType::Utf8, false))),
            "as_read" => DataType::Binary,
            _ => DataType::Utf8,
        };
        Field::new(*name, kind, !matches!(*name, "page" | "text"))
    };
    Schema::new(COLUMNS.iter().map(field).collect::<Vec<Field>>())
}

fn batch(rows: &[Row]) -> Result<RecordBatch, arrow_schema::ArrowError> {
    fn texts<'a>(rows: &'a [Row], of: impl Fn(&'a Row) -> Option<&'a str>) -> ArrayRef {
        let mut builder = StringBuilder::new();
        rows.iter().for_each(|row| builder.append_option(of(row)));
        Arc::new(builder.finish())
    }
    fn numbers(rows: &[Row], of: impl Fn(&Row) -> Option<u32>) -> ArrayRef {
        let mut builder = Int32Builder::new();
        rows.iter().for_each(|row| builder.append_option(of(row).map(|number| number as i32)));
        Arc::new(builder.finish())
    }
    let element = Field::new("element", DataType::Utf8, false);
    let mut units = ListBuilder::new(StringBuilder::new()).with_field(element);
    let mut as_read = BinaryBuilder::new();
    for row in rows {
        let texts = row.units.iter().flatten();
        texts.for_each(|text| units.values().append_value(text));
        units.append(row.units.is_some());
        as_read.append_option(row.as_read.as_deref());
    }
    let columns: Vec<ArrayRef> = vec![
        texts(rows, |row| row.file.as_deref()),
        numbers(rows, |row| row.place),
        numbers(rows, |row| row.section),
        numbers(rows, |row| row.sections),
        texts(rows, |row| Some(&row.page)),
        texts(rows, |row| row.url.as_deref()),
        texts(rows, |row| row.title.as_deref()),
        texts(rows, |row| row.language.as_deref()),
        numbers(rows, |row| row.level),
        texts(rows, |row| row.heading.as_deref()),
        texts(rows, |row| row.anchor.as_deref()),
        texts(rows, |row| Some(&row.text)),
        texts(rows, |row| row.attributes.as_deref()),
        texts(rows, |row| row.section_attributes.as_deref()),
        Arc::new(units.finish()),
        texts(rows, |row| row.options.as_deref()),
        Arc::new(as_read.finish()),
    ];
    RecordBatch::try_new(schema().into(), columns)
}
