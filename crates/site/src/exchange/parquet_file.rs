//! Files of tables.

use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use findling_base::replace_file::replace_by;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::arrow::arrow_writer::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

use super::columns::Batch;
use super::error::Error;
use super::vectors::Vectors;

/// Rows that are read at once.
const ROWS: usize = 1024;
/// Maximum number of rows of a group, which is written at once.
const MAX_GROUP_ROWS: usize = 8192;

/// Tables by their contents.
#[derive(Debug)]
pub struct Tables {
    /// Tables of sections.
    pub sections: Vec<PathBuf>,
    /// Tables of vectors.
    pub vectors: Vectors,
}

impl Tables {
    /// Opens tables and sorts them.
    ///
    /// # Errors
    /// If one cannot be read or is neither.
    pub fn open(paths: Vec<PathBuf>) -> Result<Self, Error> {
        let (mut sections, mut vectors) = (Vec::new(), Vec::new());
        for path in paths {
            let schema = reader(&path)?.schema().clone();
            let has = |name: &str| schema.field_with_name(name).is_ok();
            match (has("vector"), has("page")) {
                (true, _) => vectors.push(path),
                (false, true) => sections.push(path),
                (false, false) => {
                    let names: Vec<String> =
                        schema.fields().iter().map(|field| format!("`{}`", field.name())).collect();
                    return Err(Error::Kind { path, found: names.join(", ") });
                }
            }
        }
        Ok(Self { sections, vectors: Vectors::of(vectors) })
    }
}

fn damaged(path: &Path) -> impl Fn(String) -> Error {
    move |reason| {
        // The message may contain text that others put into the file.
        let reason = reason.chars().filter(|c| !c.is_control()).take(200).collect();
        Error::Damaged { path: path.to_owned(), reason }
    }
}

/// Calls `work` and returns its result. A panic becomes an error, since the library can panic on
/// damaged files.
fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, String>) -> Result<T, Error> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(damaged(path)),
        Err(_) => Err(damaged(path)("the reader failed on it".to_owned())),
    }
}

fn reader(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>, Error> {
    let file = File::open(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    // With this option, types come from the Parquet schema, whichever engine wrote the file.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    guarded(path, || {
        ParquetRecordBatchReaderBuilder::try_new_with_options(file, options)
            .map_err(|error| error.to_string())
    })
}

/// Reads these columns of a table, some rows at a time, as long as `on_batch` returns true.
///
/// # Errors
/// If the table cannot be read, and the errors of `on_batch`.
pub fn read(
    path: &Path,
    columns: &[&str],
    mut on_batch: impl FnMut(Batch<'_>) -> Result<bool, Error>,
) -> Result<(), Error> {
    let builder = reader(path)?;
    let fields = builder.schema().fields().iter().enumerate();
    let wanted: Vec<usize> = fields
        .filter(|(_, field)| columns.contains(&field.name().as_str()))
        .map(|(at, _)| at)
        .collect();
    let mut rows = guarded(path, || {
        let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
        let builder = builder.with_projection(mask).with_batch_size(ROWS);
        builder.build().map_err(|error| error.to_string())
    })?;
    let mut first = 0;
    loop {
        let next = guarded(path, || rows.next().transpose().map_err(|error| error.to_string()))?;
        let Some(batch) = next else { return Ok(()) };
        if !on_batch(Batch { path, first, batch: &batch })? {
            return Ok(());
        }
        first += batch.num_rows() as u64;
    }
}

/// Writes a table. Dictionaries are made for all columns but `distinct`.
///
/// # Errors
/// If the system refuses, and the errors of `batches`; an earlier file then stays.
pub fn write(
    path: &Path,
    schema: Schema,
    distinct: &[&str],
    batches: impl Iterator<Item = io::Result<RecordBatch>>,
) -> io::Result<u64> {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by(format!("findling {}", env!("CARGO_PKG_VERSION")))
        .set_max_row_group_row_count(Some(MAX_GROUP_ROWS));
    for column in distinct {
        properties = properties.set_column_dictionary_enabled(path_of(column), false);
    }
    replace_by(path, |file| {
        let written = io::BufWriter::new(&mut *file);
        let mut writer = ArrowWriter::try_new(written, schema.into(), Some(properties.build()))
            .map_err(refused)?;
        for batch in batches {
            writer.write(&batch?).map_err(refused)?;
        }
        let written = writer.into_inner().map_err(refused)?;
        written.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(file.metadata()?.len())
    })
}

/// Returns the index of a column, given its names joined by dots.
fn path_of(column: &str) -> ColumnPath {
    ColumnPath::new(column.split('.').map(str::to_owned).collect())
}

fn refused(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}
