//! `findling models add`: installs a model of the user's own.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::models::install::{self, Options};
use crate::models::{Error, Store, known};
use crate::ui::Ui;

use super::{Report, Row, Status, print, prove};

/// Install a sentence transformer of your own from its files
///
/// A directory as sentence-transformers saves it: a BERT-family model with model.safetensors,
/// config.json and tokenizer.json, or a model of any family exported to ONNX (model.onnx or
/// onnx/model.onnx) with tokenizer.json (WordPiece, Unigram or BPE). Pooling, number of tokens and
/// prefixes are read from the files beside them. The model is run once, so that an unusable model
/// is refused.
#[derive(Debug, clap::Args)]
pub(super) struct Add {
    /// Directory of the model, or its .onnx file
    path: PathBuf,
    /// The name for --encoder and --vectors [default: the name of the directory]
    #[arg(long)]
    name: Option<String>,
    /// tokenizer.json, if it is not beside the model
    #[arg(long, value_name = "PATH")]
    tokenizer: Option<PathBuf>,
    /// Put this in front of queries, such as "query: ", in place of what the model's files say
    #[arg(long, value_name = "TEXT")]
    query_prefix: Option<String>,
    /// Put this in front of documents, such as "passage: ", in place of what the model's files say
    #[arg(long, value_name = "TEXT")]
    document_prefix: Option<String>,
    #[command(flatten)]
    report: Report,
}

/// Runs the command. A model that does not run is removed again.
pub(super) fn run(store: &Store, args: Add, ui: &Ui) -> anyhow::Result<ExitCode> {
    let name = args.name.unwrap_or_else(|| name_of(&args.path));
    store.path(&name)?;
    if known::find(&name).is_some() || store.locate(&name).is_ok() {
        return Err(Error::Taken { name }.into());
    }
    let options = Options {
        source: None,
        from_file: Some(args.path),
        tokenizer: args.tokenizer,
        query_prefix: args.query_prefix,
        document_prefix: args.document_prefix,
    };
    let model = install::install(store, &name, &options, ui)?;
    if let Err(error) = prove(&model, ui) {
        store.remove(&name)?;
        return Err(error);
    }
    ui.status("Added", format!("{name} in {}", model.path.display()));
    print(&[Row::of(&name).with(model, Status::Verified)], &args.report, ui)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the name of the model's directory, or of the file if several are in one directory, with
/// other characters replaced.
fn name_of(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_main = path.ends_with("model.onnx") || path.ends_with("model.safetensors");
    let named = if is_main { path.parent() } else { Some(path.as_path()) };
    let named = named.map(|named| match named.file_name() {
        Some(name) if name == "onnx" => named.parent().unwrap_or(named),
        _ => named,
    });
    let stem =
        named.and_then(|named| if named.is_file() { named.file_stem() } else { named.file_name() });
    let name = stem.map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_start_matches(['-', '_', '.']);
    if name.is_empty() { "model".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_named_by_its_directory() {
        let dir = tempfile::tempdir().unwrap();
        let model = dir.path().join("My Model v2");
        std::fs::create_dir_all(model.join("onnx")).unwrap();
        for file in ["model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx"] {
            std::fs::write(model.join(file), "").unwrap();
        }
        assert_eq!(name_of(&model), "my-model-v2");
        assert_eq!(name_of(&model.join("model.onnx")), "my-model-v2");
        assert_eq!(name_of(&model.join("onnx/model.onnx")), "my-model-v2");
        assert_eq!(name_of(&model.join("onnx/model_quantized.onnx")), "model_quantized");
    }
}
