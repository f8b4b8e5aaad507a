//! Builds from tables, and reads them for other commands.

use std::path::{Path, PathBuf};

use findling_base::file_mode::Shared;
use findling_base::progress::Progress;
use findling_read as sources;
use findling_read::Problem;
use findling_read::boosts_and_pins::Pins;
use findling_read::rows::{Assembly, Row};
use findling_read::share::{self, Piece};
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::exchange::{self, Tables};
use crate::inputs::{Input, Vectors, check_found, reading_options, tell};
use crate::options::{Options, Reading};

/// Options of reading that apply when a bundle is built, by their names.
const OF_BUILD: [&str; 5] = ["synonyms", "boost", "pins", "ranking", "keep_copies"];

/// Opens tables. The options that their sections were read with become those of `options`.
///
/// # Errors
/// If a table cannot be read, there are no sections, or `options` contradict the stored options.
pub fn open(options: &mut Options, paths: Vec<PathBuf>) -> Result<Tables> {
    let tables = Tables::open(paths)?;
    if tables.sections.is_empty() {
        return Err(Error::NoSections);
    }
    let mut first = None;
    exchange::read_sections(&tables.sections, |_, row| {
        first = Some(row);
        Ok(false)
    })?;
    let stored = first.and_then(|row| row.options).unwrap_or_default();
    options.reading = with_options(&options.reading, &stored)?;
    Ok(tables)
}

/// Reads the input of a build from tables.
///
/// # Errors
/// If a table cannot be read, or there is no page.
pub fn input(
    options: &Options,
    tables: Tables,
    pins: Pins,
    progress: &dyn Progress,
) -> Result<Input> {
    let reading = reading_options(options, pins)?;
    let pieces = pieces(&tables.sections, &reading, |_| ())?;
    let mut n_unreadable = 0;
    let mut on_problem = |problem: Problem| n_unreadable += usize::from(tell(&problem, progress));
    let pages = share::join_shares(pieces, &reading, &mut on_problem);
    check_found(&pages, options, n_unreadable)?;
    let embeddings = (!tables.vectors.is_empty()).then(|| Vectors::Tables(tables.vectors));
    let shared = Shared::default().and(tables.sections.iter().map(PathBuf::as_path));
    Ok(Input { pages, n_unreadable, embeddings, shared, ..Input::default() })
}

/// Reads the rows of tables into pieces, and calls `on_row` with each row.
///
/// # Errors
/// If a table cannot be read, or its rows are not pages.
pub fn pieces(
    paths: &[PathBuf],
    options: &sources::Options,
    mut on_row: impl FnMut(&Row),
) -> Result<Vec<Piece>, exchange::Error> {
    let of = |path: &Path| {
        let path = path.to_owned();
        move |source| exchange::Error::Rows { path, source }
    };
    let mut assembly = Assembly::new(options);
    let mut told: Option<String> = None;
    exchange::read_sections(paths, |path, row| {
        let found = row.options.clone().unwrap_or_default();
        let expected = told.get_or_insert_with(|| found.clone());
        if *expected != found {
            let (path, expected) = (path.to_owned(), expected.clone());
            return Err(exchange::Error::Options { path, expected, found });
        }
        on_row(&row);
        assembly.add(row).map_err(of(path))?;
        Ok(true)
    })?;
    let first = paths.first().map_or(Path::new(""), |path| path);
    assembly.pieces().map_err(of(first))
}

/// Returns the options that affect reading and differ from the defaults, as JSON; `None` if there
/// are none.
///
/// # Errors
/// If they have no JSON.
pub fn told_options(reading: &Reading) -> Result<Option<String>> {
    let told = changed(reading)?;
    Ok((!told.is_empty()).then(|| Value::Object(told).to_string()))
}

/// Returns the options that decide what is read and are not the defaults.
fn changed(reading: &Reading) -> Result<Map<String, Value>> {
    let default = fields(&Reading::default())?;
    let mut given = fields(reading)?;
    given.retain(|name, value| !OF_BUILD.contains(&&**name) && default.get(name) != Some(value));
    Ok(given)
}

fn fields(reading: &Reading) -> Result<Map<String, Value>> {
    match serde_json::to_value(reading).map_err(unreadable)? {
        Value::Object(fields) => Ok(fields),
        _ => Ok(Map::new()),
    }
}

/// Returns the error for options in a table.
fn unreadable(source: serde_json::Error) -> Error {
    Error::StoredOptions { holder: "table", source }
}

/// Returns `given` with the options that sections were read with.
fn with_options(given: &Reading, stored: &str) -> Result<Reading> {
    let stored: Map<String, Value> = match stored {
        "" => Map::new(),
        stored => serde_json::from_str(stored).map_err(unreadable)?,
    };
    let changed = changed(given)?;
    let other = changed.iter().find(|(name, value)| stored.get(*name) != Some(value));
    if let Some((name, value)) = other {
        let option = name.clone();
        let read_with = stored.get(name).map_or_else(|| "none".to_owned(), Value::to_string);
        let found = value.to_string();
        return Err(Error::SectionsOption { option, expected: read_with, found });
    }
    let mut all = fields(given)?;
    all.extend(stored.into_iter().filter(|(name, _)| !OF_BUILD.contains(&&**name)));
    let mut reading: Reading = serde_json::from_value(Value::Object(all)).map_err(unreadable)?;
    // The rows were read with these options.
    (reading.chat_fields, reading.ocr) = (None, None);
    Ok(reading)
}
