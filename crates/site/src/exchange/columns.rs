//! Columns of a batch of rows, with their types checked.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;

use super::error::Error;

/// Some rows of a table.
pub struct Batch<'a> {
    /// The table.
    pub path: &'a Path,
    /// The number of the first row.
    pub first: u64,
    /// The columns.
    pub batch: &'a RecordBatch,
}

impl<'a> Batch<'a> {
    /// Returns the column; `None` if it is missing or has no value.
    fn column(&self, name: &str) -> Option<&'a ArrayRef> {
        self.batch.column_by_name(name).filter(|column| *column.data_type() != DataType::Null)
    }

    fn wrong(&self, column: &'static str, expected: &'static str, found: &DataType) -> Error {
        Error::Type { path: self.path.to_owned(), column, expected, found: found.to_string() }
    }

    /// Returns an error of a value.
    pub fn value(
        &self,
        at: usize,
        column: &'static str,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Error {
        Error::Value {
            path: self.path.to_owned(),
            row: self.first + at as u64,
            column,
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// Returns a required column with a value in each row.
    pub fn required<T>(
        &self,
        column: &'static str,
        values: Vec<Option<T>>,
    ) -> Result<Vec<T>, Error> {
        if self.column(column).is_none() && self.batch.num_rows() > 0 {
            return Err(match self.batch.column_by_name(column) {
                None => Error::Missing { path: self.path.to_owned(), expected: column },
                Some(_) => self.value(0, column, "a value", "null"),
            });
        }
        let values = values.into_iter().enumerate();
        values
            .map(|(at, value)| value.ok_or_else(|| self.value(at, column, "a value", "null")))
            .collect()
    }

    /// Returns a column of texts.
    pub fn texts(&self, name: &'static str) -> Result<Vec<Option<&'a str>>, Error> {
        let Some(column) = self.column(name) else { return Ok(self.nothing()) };
        match column.data_type() {
            DataType::Utf8 => Ok(column.as_string::<i32>().iter().collect()),
            found => Err(self.wrong(name, "text", found)),
        }
    }

    /// Returns a column of whole numbers from 0 on.
    pub fn numbers(&self, name: &'static str) -> Result<Vec<Option<u32>>, Error> {
        let Some(column) = self.column(name) else { return Ok(self.nothing()) };
        macro_rules! wide {
            ($of:ty) => {
                column
                    .as_primitive::<$of>()
                    .iter()
                    .map(|value| value.map(|value| i128::from(value)))
                    .collect()
            };
        }
        let values: Vec<Option<i128>> = match column.data_type() {
            DataType::Int8 => wide!(Int8Type),
            DataType::Int16 => wide!(Int16Type),
            DataType::Int32 => wide!(Int32Type),
            DataType::Int64 => wide!(Int64Type),
            DataType::UInt8 => wide!(UInt8Type),
            DataType::UInt16 => wide!(UInt16Type),
            DataType::UInt32 => wide!(UInt32Type),
            DataType::UInt64 => wide!(UInt64Type),
            found => return Err(self.wrong(name, "whole numbers", found)),
        };
        let checked = values.into_iter().enumerate().map(|(at, value)| match value {
            None => Ok(None),
            Some(value) => match u32::try_from(value) {
                Ok(value) => Ok(Some(value)),
                Err(_) => {
                    Err(self.value(at, name, "a number from 0 to 4294967295", value.to_string()))
                }
            },
        });
        checked.collect()
    }

    /// Returns a column of truth values.
    pub fn truths(&self, name: &'static str) -> Result<Vec<Option<bool>>, Error> {
        let Some(column) = self.column(name) else { return Ok(self.nothing()) };
        match column.data_type() {
            DataType::Boolean => Ok(column.as_boolean().iter().collect()),
            found => Err(self.wrong(name, "true or false", found)),
        }
    }

    /// Returns a column of bytes.
    pub fn bytes(&self, name: &'static str) -> Result<Vec<Option<&'a [u8]>>, Error> {
        let Some(column) = self.column(name) else { return Ok(self.nothing()) };
        match column.data_type() {
            DataType::Binary => Ok(column.as_binary::<i32>().iter().collect()),
            DataType::FixedSizeBinary(_) => Ok(column.as_fixed_size_binary().iter().collect()),
            found => Err(self.wrong(name, "bytes", found)),
        }
    }

    /// Returns a column of lists of texts.
    pub fn lists(&self, name: &'static str) -> Result<Vec<Option<Vec<String>>>, Error> {
        let Some(column) = self.column(name) else { return Ok(self.nothing()) };
        const EXPECTED: &str = "lists of texts";
        let DataType::List(_) = column.data_type() else {
            return Err(self.wrong(name, EXPECTED, column.data_type()));
        };
        let lists = column.as_list::<i32>();
        let lists = (0..lists.len()).map(|at| {
            if lists.is_null(at) {
                return Ok(None);
            }
            let list = lists.value(at);
            match list.data_type() {
                DataType::Null if list.is_empty() => Ok(Some(Vec::new())),
                DataType::Utf8 => {
                    let texts = list.as_string::<i32>().iter();
                    let texts = texts.map(|text| {
                        let null = || self.value(at, name, "texts without null", "null");
                        text.map(str::to_owned).ok_or_else(null)
                    });
                    texts.collect::<Result<_, _>>().map(Some)
                }
                _ => Err(self.wrong(name, EXPECTED, column.data_type())),
            }
        });
        lists.collect()
    }

    /// Returns a column of vectors of `dim` finite numbers. Numbers of 64 bits become numbers of 32
    /// bits.
    pub fn vectors(&self, name: &'static str, dim: usize) -> Result<Vec<Vec<f32>>, Error> {
        const EXPECTED: &str = "lists of 32-bit floats";
        let Some(column) = self.column(name) else { return self.required(name, self.nothing()) };
        let DataType::List(_) = column.data_type() else {
            return Err(self.wrong(name, EXPECTED, column.data_type()));
        };
        let lists = column.as_list::<i32>();
        let vectors = (0..lists.len()).map(|at| {
            if lists.is_null(at) {
                return Err(self.value(at, name, "a vector", "null"));
            }
            let list = lists.value(at);
            if list.null_count() > 0 {
                return Err(self.value(at, name, "numbers", "null"));
            }
            let values: Vec<f32> = match list.data_type() {
                DataType::Float32 => list.as_primitive::<Float32Type>().values().to_vec(),
                DataType::Float64 => {
                    list.as_primitive::<Float64Type>().values().iter().map(|&v| v as f32).collect()
                }
                _ => return Err(self.wrong(name, EXPECTED, column.data_type())),
            };
            if values.len() != dim {
                let (expected, found) = (format!("{dim} numbers"), values.len().to_string());
                return Err(self.value(at, name, expected, found));
            }
            match values.iter().find(|value| !value.is_finite()) {
                Some(value) => Err(self.value(at, name, "finite numbers", value.to_string())),
                None => Ok(values),
            }
        });
        vectors.collect()
    }

    /// Returns a missing value for each row.
    fn nothing<T>(&self) -> Vec<Option<T>> {
        (0..self.batch.num_rows()).map(|_| None).collect()
    }
}
