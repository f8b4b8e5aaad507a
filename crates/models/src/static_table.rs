//! The static query encoder's general table, shipped with the tool: 256 dimensions at 4 bits,
//! trained to approximate all-MiniLM-L6-v2. `docs/design/static-encoder.md` describes how it was
//! made and its quality.

use std::path::{Path, PathBuf};

use anyhow::Context;
use findling_encoder::static_table::StaticTable;

use super::ModelDir;

/// The table, as `findling distill` wrote it.
static GENERAL: &[u8] = include_bytes!("../tables/all-minilm-l6-v2.table");

/// Returns the table shipped with the tool.
///
/// # Errors
/// Never, unless the program itself is damaged.
pub fn general() -> anyhow::Result<StaticTable> {
    StaticTable::from_bytes(GENERAL).context("the table shipped with this program")
}

/// Returns the file of the table that `findling models fit` trained for an installed model.
pub fn of_model(model: &ModelDir) -> PathBuf {
    model.path.join("static.table")
}

/// Returns the table for the documents of an encoder. If a table was trained for the model, it is
/// returned; otherwise the table shipped with the tool.
///
/// # Errors
/// If the model's table cannot be read.
pub fn for_encoder(name: &str) -> anyhow::Result<StaticTable> {
    if name == super::STATIC {
        return general();
    }
    let own = super::locate(name).ok().map(|model| of_model(&model));
    match own.filter(|path| path.is_file()) {
        Some(path) => read(&path),
        None => general(),
    }
}

/// Reads a table from a file.
///
/// # Errors
/// If the file cannot be read or is not a table.
pub fn read(path: &Path) -> anyhow::Result<StaticTable> {
    let bytes = std::fs::read(path)
        .with_context(|| format!("{}: the table cannot be read", path.display()))?;
    StaticTable::from_bytes(&bytes).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use findling_encoder::Encoder;

    use super::*;

    #[test]
    fn the_shipped_table_is_sound_and_within_its_size() {
        let table = general().unwrap();
        assert!(GENERAL.len() <= 4_000_000, "{} bytes", GENERAL.len());
        assert_eq!((table.card().dim, table.bits().count()), (256, 4));
        let cosine = |a: &str, b: &str| {
            let (a, b) = (table.embed(a).values, table.embed(b).values);
            a.iter().zip(&b).map(|(a, b)| a * b).sum::<f32>()
        };
        let (near, far) = (
            cosine("stop two threads writing the same memory", "mutual exclusion lock"),
            cosine("stop two threads writing the same memory", "bake bread in an oven"),
        );
        assert!(near > far + 0.1, "{near} {far}");
    }
}
