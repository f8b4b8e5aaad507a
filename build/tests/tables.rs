//! Tests that a bundle from tables of sections and vectors equals the bundle of the site, byte for
//! byte.

#![cfg(feature = "parquet")]

#[path = "support/made_sites.rs"]
mod made_sites;

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Float64Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, Float32Array, Int64Array, ListArray, RecordBatch, StringArray, UInt32Array,
};
use arrow_schema::{Field, Schema};
use made_sites::{code, code_files, files, findling, html, markdown_and_records, succeeds, write};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use tempfile::TempDir;

/// A directory with a site, and the names of files in it.
struct Home(TempDir);

impl Home {
    fn with(make: fn(&Path)) -> Self {
        let home = TempDir::new().unwrap();
        make(&home.path().join("site"));
        Self(home)
    }

    fn at(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Builds the `inputs`. Returns the number of embedded texts.
    fn build(&self, inputs: &[&str], output: &str, options: &[&str]) -> u64 {
        let inputs: Vec<String> = inputs.iter().map(|name| self.at(name)).collect();
        let output = self.at(output);
        let mut arguments = vec!["build", "--no-client", "--json", "--output", &output];
        arguments.extend(options);
        arguments.extend(inputs.iter().map(String::as_str));
        let report: Value = serde_json::from_str(&succeeds(&arguments)).unwrap();
        let stages = report["stages"].as_array().unwrap();
        let embed = stages.iter().find(|stage| stage["name"] == "embed");
        embed.map_or(0, |stage| stage["count"].as_u64().unwrap())
    }

    fn run(&self, command: &str, inputs: &[&str], output: &str, options: &[&str]) {
        let (inputs, output): (Vec<String>, _) =
            (inputs.iter().map(|name| self.at(name)).collect(), self.at(output));
        let mut arguments = vec![command, "--output", &output];
        arguments.extend(options);
        arguments.extend(inputs.iter().map(String::as_str));
        succeeds(&arguments);
    }

    /// Returns the code of the error with which tables are refused. Nothing is written.
    fn refused(&self, inputs: &[&str], options: &[&str]) -> String {
        let inputs: Vec<String> = inputs.iter().map(|name| self.at(name)).collect();
        let output = self.at("refused");
        let mut arguments = vec!["build", "--no-client", "--json", "--output", &output];
        arguments.extend(options);
        arguments.extend(inputs.iter().map(String::as_str));
        let code = code(&arguments);
        assert!(!Path::new(&output).exists(), "{inputs:?} wrote something");
        code
    }

    fn same(&self, one: &str, other: &str) {
        let (one, other) = (files(Path::new(&self.at(one))), files(Path::new(&self.at(other))));
        assert!(one.len() >= 3);
        assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
        assert!(one == other, "other bytes");
    }

    fn read(&self, name: &str) -> Vec<RecordBatch> {
        let file = File::open(self.at(name)).unwrap();
        let rows = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }

    fn write(&self, name: &str, batches: &[RecordBatch]) {
        let file = File::create(self.at(name)).unwrap();
        let mut writer = ArrowWriter::try_new(file, batches[0].schema(), None).unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        writer.close().unwrap();
    }

    /// Copies the table `from` to `to` with changed columns.
    fn change(
        &self,
        from: &str,
        to: &str,
        change: impl Fn(&str, &ArrayRef) -> Option<(String, ArrayRef)>,
    ) {
        let changed = self.read(from).into_iter().map(|batch| {
            let schema = batch.schema();
            let names = schema.fields().iter().map(|field| field.name());
            let columns = names.zip(batch.columns());
            let columns = columns.filter_map(|(name, column)| change(name, column));
            RecordBatch::try_from_iter_with_nullable(
                columns.map(|(name, column)| (name, column, true)),
            )
            .unwrap()
        });
        self.write(to, &changed.collect::<Vec<_>>());
    }
}

/// Copies a column.
fn same(name: &str, column: &ArrayRef) -> Option<(String, ArrayRef)> {
    Some((name.to_owned(), column.clone()))
}

/// Builds a site at once, and from sections and vectors that are made in several ways.
fn compare(make: fn(&Path), reading: &[&str], encoder: &str, of_build: &[&str]) {
    let home = Home::with(make);
    let encoder = &[encoder][..];
    let building = [encoder, of_build].concat();
    home.build(&["site"], "whole", &[reading, &building].concat());
    // At once.
    home.run("sections", &["site"], "sections.parquet", &[reading, encoder].concat());
    home.run("embed", &["sections.parquet"], "vectors.parquet", encoder);
    home.build(&["sections.parquet"], "of-sections", &building);
    home.same("whole", "of-sections");
    let n = home.build(&["vectors.parquet", "sections.parquet"], "of-both", &building);
    home.same("whole", "of-both");
    assert_eq!(n, 0, "a text is embedded again");
    // Divided, and joined before the texts are embedded.
    fs::create_dir(home.at("parts")).unwrap();
    for number in 1..=3 {
        let part = format!("--part={number}/3");
        let name = format!("parts/{}.parquet", 4 - number);
        home.run("sections", &["site"], &name, &[&[part.as_str()], reading, encoder].concat());
    }
    home.run("sections", &["parts"], "joined.parquet", encoder);
    let bytes = |name: &str| fs::read(home.at(name)).unwrap();
    assert!(bytes("joined.parquet") == bytes("sections.parquet"), "joined rows differ");
    let n = home.build(&["parts", "vectors.parquet"], "of-parts", &building);
    home.same("whole", "of-parts");
    assert_eq!(n, 0, "a text is embedded again");
}

#[test]
fn tables_of_html_build_the_bundle_of_the_site() {
    let reading = ["--attribute-from-path=version", "--base-url=/docs/", "--exclude=old/bowl3*"];
    compare(html, &reading, "--encoder=hash", &["--graph-from=20"]);
}

#[test]
fn tables_of_markdown_and_records_build_the_bundle_of_the_site() {
    let of_build = ["--boost=notes=2", "--passage-words=20"];
    compare(markdown_and_records, &[], "--encoder=hash", &of_build);
}

#[test]
fn tables_of_code_build_the_bundle_of_the_site() {
    compare(code_files, &[], "--encoder=static", &[]);
}

#[test]
fn the_fixtures_of_the_ranking_tests_build_the_same_from_tables() {
    let ranking = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ranking");
    let mut n = 0;
    for entry in fs::read_dir(ranking).unwrap() {
        let site = entry.unwrap().path().join("pages");
        if !site.is_dir() {
            continue;
        }
        let home = Home(TempDir::new().unwrap());
        let site = site.to_str().unwrap();
        let (whole, table) = (home.at("whole"), home.at("sections.parquet"));
        let none = "--encoder=none";
        succeeds(&["build", none, "--no-client", "--output", &whole, site]);
        succeeds(&["sections", none, "--output", &table, site]);
        home.build(&["sections.parquet"], "of-table", &[none]);
        home.same("whole", "of-table");
        n += 1;
    }
    assert!(n > 5, "found {n} sites");
}

#[test]
fn a_table_without_as_read_builds_what_records_build() {
    let home = Home(TempDir::new().unwrap());
    let records: Vec<String> = (0..300)
        .map(|at| {
            format!(
                "{{\"_id\": \"r{at}\", \"title\": \"R {at}\", \"url\": \"/r/{at}\", \"kind\": \
                 \"k{}\", \"text\": \"Clay {at}.\\n\\nAsh.\", \"sections\": [{{\"heading\": \
                 \"More\", \"level\": 2, \"text\": \"Fire {at}.\", \
                 \"attributes\": {{\"by\": \"me\"}}}}]}}",
                at % 3
            )
        })
        .collect();
    write(home.0.path(), "records.jsonl", records.join("\n"));
    let none = &["--encoder=none"][..];
    home.build(&["records.jsonl"], "whole", none);
    home.run("sections", &["records.jsonl"], "sections.parquet", none);
    let kept =
        ["page", "title", "url", "heading", "level", "text", "attributes", "section_attributes"];
    home.change("sections.parquet", "plain.parquet", |name, column| {
        same(name, column).filter(|_| kept.contains(&name))
    });
    home.build(&["plain.parquet"], "of-table", none);
    home.same("whole", "of-table");
    // The smallest table.
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("page", Arc::new(StringArray::from(vec!["a", "b"]))),
        ("text", Arc::new(StringArray::from(vec!["One.", "Two."]))),
    ];
    home.write("small.parquet", &[RecordBatch::try_from_iter(columns).unwrap()]);
    home.build(&["small.parquet"], "small", none);
    write(
        home.0.path(),
        "small.jsonl",
        "{\"_id\": \"a\", \"text\": \"One.\"}\n{\"_id\": \"b\", \"text\": \"Two.\"}\n",
    );
    home.build(&["small.jsonl"], "of-records", none);
    home.same("of-records", "small");
}

#[test]
fn a_text_that_was_changed_is_embedded_again() {
    let home = Home::with(markdown_and_records);
    let hash = &["--encoder=hash"][..];
    home.run("sections", &["site"], "sections.parquet", hash);
    home.run("embed", &["sections.parquet"], "vectors.parquet", hash);
    let dropped = "as_read";
    home.change("sections.parquet", "changed.parquet", |name, column| {
        let texts = column.as_string_opt::<i32>().filter(|_| name == "text");
        let text = |text: Option<&str>| text.map(|text| text.replace("kiln", "oven"));
        match texts {
            Some(texts) => {
                let texts: StringArray = texts.iter().map(text).collect();
                Some((name.to_owned(), Arc::new(texts) as ArrayRef))
            }
            None => same(name, column).filter(|_| name != dropped),
        }
    });
    let both = ["changed.parquet", "vectors.parquet"];
    let n = home.build(&both, "changed", hash);
    assert!(n > 0, "changed texts have the vectors of others");
    home.build(&["changed.parquet"], "anew", hash);
    home.same("changed", "anew");
    // With the record of what was read, a text of another length is refused.
    home.change("sections.parquet", "unfit.parquet", |name, column| {
        let texts = column.as_string_opt::<i32>().filter(|_| name == "text");
        let longer = |text: Option<&str>| text.map(|text| format!("{text}!"));
        match texts {
            Some(texts) => {
                let texts: StringArray = texts.iter().map(longer).collect();
                Some((name.to_owned(), Arc::new(texts) as ArrayRef))
            }
            None => same(name, column),
        }
    });
    assert_eq!(home.refused(&["unfit.parquet"], hash), "table");
    // Vectors whose text was changed after they were made are left out.
    home.change("vectors.parquet", "spoilt.parquet", |name, column| match name {
        "encoder" => {
            let other: StringArray = (0..column.len()).map(|_| Some("another text")).collect();
            Some(("text".to_owned(), Arc::new(other) as ArrayRef))
        }
        _ => same(name, column),
    });
    let n = home.build(&["sections.parquet", "spoilt.parquet"], "again", hash);
    assert!(n > 40, "{n}");
    home.build(&["site"], "whole", hash);
    home.same("again", "whole");
}

#[test]
fn vectors_of_64_bits_by_their_texts_are_taken() {
    let home = Home(TempDir::new().unwrap());
    write(home.0.path(), "small.jsonl", "{\"_id\": \"a\", \"title\": \"T\", \"text\": \"One.\"}\n");
    let hash = &["--encoder=hash"][..];
    home.run("sections", &["small.jsonl"], "sections.parquet", hash);
    home.run("embed", &["small.jsonl"], "vectors.parquet", hash);
    let units = home.read("sections.parquet")[0].column_by_name("units").unwrap().clone();
    let units = units.as_list::<i32>().value(0);
    let unit = units.as_string::<i32>().value(0).to_owned();
    home.change("vectors.parquet", "wide.parquet", |name, column| match name {
        "key" => {
            let texts = StringArray::from(vec![unit.clone()]);
            Some(("text".to_owned(), Arc::new(texts) as ArrayRef))
        }
        "vector" => {
            let list = column.as_list::<i32>().value(0);
            let values = list.as_primitive::<Float32Type>().values();
            let mut wide = FixedSizeListBuilder::new(Float64Builder::new(), values.len() as i32);
            values.iter().for_each(|&value| wide.values().append_value(value.into()));
            wide.append(true);
            Some((name.to_owned(), Arc::new(wide.finish()) as ArrayRef))
        }
        "model" => same(name, column),
        _ => None,
    });
    assert_eq!(home.build(&["sections.parquet", "wide.parquet"], "of-tables", hash), 0);
    home.build(&["small.jsonl"], "whole", hash);
    home.same("whole", "of-tables");
}

/// Returns a home with the tables of a small site.
fn with_tables() -> Home {
    let home = Home::with(html);
    let hash = &["--encoder=hash"][..];
    home.run("sections", &["site"], "sections.parquet", hash);
    home.run("embed", &["sections.parquet"], "vectors.parquet", hash);
    home
}

#[test]
fn tables_that_do_not_fit_are_refused_and_nothing_is_written() {
    let home = with_tables();
    let hash = &["--encoder=hash"][..];
    // Columns that are missing or of another type.
    for (column, table) in [("page", "sections"), ("text", "sections"), ("model", "vectors")] {
        home.change(&format!("{table}.parquet"), "wrong.parquet", |name, values| {
            same(name, values).filter(|_| name != column)
        });
        assert_eq!(home.refused(&["sections.parquet", "wrong.parquet"], hash), "table", "{column}");
    }
    for (column, table) in [
        ("page", "sections"),
        ("text", "sections"),
        ("place", "sections"),
        ("units", "sections"),
        ("as_read", "sections"),
        ("key", "vectors"),
        ("vector", "vectors"),
        ("tokens", "vectors"),
        ("truncated", "vectors"),
    ] {
        home.change(&format!("{table}.parquet"), "wrong.parquet", |name, values| {
            let floats = Float32Array::from(vec![0.5; values.len()]);
            match name == column {
                true => Some((name.to_owned(), Arc::new(floats) as ArrayRef)),
                false => same(name, values),
            }
        });
        let inputs: &[&str] = match table {
            "sections" => &["wrong.parquet"],
            _ => &["sections.parquet", "wrong.parquet"],
        };
        assert_eq!(home.refused(inputs, hash), "table", "{column}");
    }
    // Impossible values.
    let spoilt = |column: &str, values: &ArrayRef, of: &ArrayRef, name: &str| match name == column {
        true => Some((name.to_owned(), of.clone())),
        false => same(name, values),
    };
    let n = home.read("sections.parquet")[0].num_rows();
    let values: [(&str, ArrayRef); 6] = [
        ("page", Arc::new(StringArray::from(vec![None::<&str>; n]))),
        ("page", Arc::new(StringArray::from(vec![""; n]))),
        ("section", Arc::new(UInt32Array::from(vec![0; n]))),
        ("section", Arc::new(Int64Array::from(vec![-1; n]))),
        ("sections", Arc::new(Int64Array::from(vec![1 << 40; n]))),
        ("level", Arc::new(Int64Array::from(vec![7; n]))),
    ];
    for (column, of) in values {
        home.change("sections.parquet", "wrong.parquet", |name, values| {
            spoilt(column, values, &of, name)
        });
        assert_eq!(home.refused(&["wrong.parquet"], hash), "table", "{column} {of:?}");
    }
    for (what, values) in [
        ("a number that is none", vec![f32::NAN; 384]),
        ("an infinite number", vec![f32::INFINITY; 384]),
        ("too few numbers", vec![0.5; 3]),
        ("no number", vec![]),
    ] {
        home.change("vectors.parquet", "wrong.parquet", |name, column| {
            let lists = ListArray::from_iter_primitive::<Float32Type, _, _>(
                (0..column.len()).map(|_| Some(values.iter().copied().map(Some))),
            );
            spoilt("vector", column, &(Arc::new(lists) as ArrayRef), name)
        });
        assert_eq!(home.refused(&["sections.parquet", "wrong.parquet"], hash), "table", "{what}");
    }
    // Vectors of another model, a section twice, sections missing, other options.
    assert_eq!(
        home.refused(&["sections.parquet", "vectors.parquet"], &["--encoder=static"]),
        "table"
    );
    assert_eq!(home.refused(&["sections.parquet", "sections.parquet"], hash), "table");
    let batch = &home.read("sections.parquet")[0];
    let numbers = batch.column_by_name("section").unwrap().as_primitive::<Int32Type>();
    let second = numbers.values().iter().position(|&number| number == 1).unwrap();
    let rest = batch.slice(second + 1, batch.num_rows() - second - 1);
    home.write("wrong.parquet", &[batch.slice(0, second), rest]);
    assert_eq!(home.refused(&["wrong.parquet"], hash), "table");
    assert_eq!(home.refused(&["sections.parquet"], &["--base-url=/docs/"]), "options");
    home.run("sections", &["site"], "other.parquet", &["--encoder=none", "--base-url=/docs/"]);
    assert_eq!(home.refused(&["sections.parquet", "other.parquet"], hash), "table");
    // Other inputs.
    assert_eq!(home.refused(&["vectors.parquet"], hash), "inputs");
    assert_eq!(home.refused(&["sections.parquet", "site"], hash), "inputs");
    assert_eq!(home.refused(&["sections.parquet"], &["--pagefind"]), "inputs");
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    home.write("wrong.parquet", &[RecordBatch::try_from_iter([("n", numbers)]).unwrap()]);
    assert_eq!(home.refused(&["wrong.parquet"], hash), "table");
    let empty = RecordBatch::new_empty(Arc::new(Schema::new(vec![
        Field::new("page", arrow_schema::DataType::Utf8, false),
        Field::new("text", arrow_schema::DataType::Utf8, false),
    ])));
    home.write("wrong.parquet", &[empty]);
    assert_eq!(home.refused(&["wrong.parquet"], hash), "failed");
}

#[test]
fn a_table_that_is_cut_off_or_changed_is_refused_or_builds_the_same() {
    let home = with_tables();
    let hash = &["--encoder=hash"][..];
    home.build(&["sections.parquet"], "whole", hash);
    for table in ["sections", "vectors"] {
        let whole = fs::read(home.at(&format!("{table}.parquet"))).unwrap();
        let inputs: &[&str] = match table {
            "sections" => &["spoilt.parquet"],
            _ => &["sections.parquet", "spoilt.parquet"],
        };
        for step in 0..12 {
            fs::write(home.at("spoilt.parquet"), &whole[..whole.len() * step / 12]).unwrap();
            assert_eq!(home.refused(inputs, hash), "table", "{table} cut at {step}/12");
        }
        for step in 0..24 {
            let mut bytes = whole.clone();
            let place = (bytes.len() - 1) * step / 23;
            bytes[place] ^= 0x10;
            fs::write(home.at("spoilt.parquet"), &bytes).unwrap();
            let output = home.at("spoilt");
            let mut arguments = vec!["build", "--no-client", "--json", "--output", &output];
            arguments.extend(hash);
            let inputs: Vec<String> = inputs.iter().map(|name| home.at(name)).collect();
            arguments.extend(inputs.iter().map(String::as_str));
            let ended = findling(&arguments);
            // Parquet has no checksum by default. Damage that is not detected must not cause a
            // crash.
            assert!(ended.status.code().is_some(), "byte {place} of {}", whole.len());
            let _ = fs::remove_dir_all(&output);
        }
    }
}

#[test]
fn rows_are_printed_as_json_lines() {
    let home = with_tables();
    let rows = succeeds(&["sections", "--encoder=hash", &home.at("site")]);
    let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let n: usize = home.read("sections.parquet").iter().map(RecordBatch::num_rows).sum();
    assert_eq!(rows.len(), n);
    assert!(rows.iter().all(|row| row["page"].is_string() && row["as_read"].is_string()));
    let vectors = succeeds(&["embed", "--encoder=hash", &home.at("site")]);
    let found: Vec<Value> = vectors.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let table = home.read("vectors.parquet");
    assert_eq!(found.len(), table.iter().map(RecordBatch::num_rows).sum::<usize>());
    let lists = table[0].column_by_name("vector").unwrap().as_list::<i32>().value(0);
    let values = lists.as_primitive::<Float32Type>().values();
    let printed = found[0]["vector"].as_array().unwrap().iter();
    let printed: Vec<f32> = printed.map(|value| value.as_f64().unwrap() as f32).collect();
    assert_eq!(printed, values.to_vec());
}
