//! The directory of installed models.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::at;
use super::files::{digest, remove_dir};
use super::{Error, known};
use findling_base::replace_directory::replace_directory;
use findling_base::replace_file::sync_tree;

/// The file that lists the files of a model's directory.
const RECORD: &str = "model.json";
/// Largest length of `model.json`.
const MAX_RECORD_BYTES: u64 = 1 << 20;

/// The kind of a model, which determines its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `model.safetensors`, `tokenizer.json`, `config.json` of a BERT-family model.
    BertSafetensors,
    /// `model.onnx`, `tokenizer.json`.
    Onnx,
}

impl Kind {
    /// Returns the files that the model needs.
    pub fn required_files(self) -> &'static [&'static str] {
        match self {
            Kind::BertSafetensors => &["model.safetensors", "tokenizer.json", "config.json"],
            Kind::Onnx => &["model.onnx", "tokenizer.json"],
        }
    }

    /// Returns the files that are also kept if they exist. They say how to pool, how many tokens a
    /// text may have, and which prefixes to use.
    pub fn optional_files(self) -> &'static [&'static str] {
        const BESIDE: &[&str] = &[
            "sentence_bert_config.json",
            "1_Pooling/config.json",
            "config_sentence_transformers.json",
            "modules.json",
            "tokenizer_config.json",
            "config.json",
        ];
        match self {
            Kind::BertSafetensors => &BESIDE[..BESIDE.len() - 1],
            Kind::Onnx => BESIDE,
        }
    }
}

/// `model.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The model.
    pub name: String,
    /// The kind.
    pub kind: Kind,
    /// SPDX identifier; absent for models that are not known.
    pub licence: Option<String>,
    /// The source of the model.
    pub source: String,
    /// All files except `model.json`.
    pub files: Vec<FileRecord>,
}

/// One file of an installed model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// The path in the model's directory, with `/`.
    pub name: String,
    /// Length.
    pub bytes: u64,
    /// SHA-256, lower-case hex.
    pub sha256: String,
}

/// An installed model.
#[derive(Clone, Debug)]
pub struct ModelDir {
    /// The model.
    pub name: String,
    /// The directory with its files.
    pub path: PathBuf,
    /// The record.
    pub record: Record,
}

/// A directory of models.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// Returns a store in `root`, which need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Returns the default store: `$FINDLING_HOME/models`, `$XDG_DATA_HOME/findling/models`, or
    /// `~/.local/share/findling/models`.
    ///
    /// # Errors
    ///
    /// [`Error::NoStore`] if none of the three exists.
    pub fn default_location() -> Result<Self, Error> {
        let var = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let home =
            || var("HOME").or_else(|| var("USERPROFILE")).map(|home| home.join(".local/share"));
        let root = var("FINDLING_HOME")
            .or_else(|| var("XDG_DATA_HOME").or_else(home).map(|data| data.join("findling")))
            .ok_or(Error::NoStore)?;
        Ok(Self::new(root.join("models")))
    }

    /// Returns the directory of the models.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the directory of the model called `name`, which need not exist.
    ///
    /// # Errors
    ///
    /// [`Error::BadName`] for names that could lead out of the store.
    pub fn path(&self, name: &str) -> Result<PathBuf, Error> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let starts_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !starts_well || !name.chars().all(plain) || name.len() > 100 || name == super::HASH {
            return Err(Error::BadName { name: name.to_owned() });
        }
        Ok(self.root.join(name))
    }

    /// Finds an installed model, comparing lengths only.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`], [`Error::NotInstalled`], [`Error::Damaged`].
    pub fn locate(&self, name: &str) -> Result<ModelDir, Error> {
        let path = self.path(name)?;
        if !path.join(RECORD).is_file() {
            let name = name.to_owned();
            return Err(match known::find(&name) {
                Some(_) => Error::NotInstalled { name, path },
                None => Error::Unknown { name },
            });
        }
        let damaged =
            |reason: String| Error::Damaged { name: name.to_owned(), path: path.clone(), reason };
        let record = read_record(&path).map_err(damaged)?;
        for file in record.kind.required_files() {
            if !record.files.iter().any(|recorded| recorded.name == *file) {
                return Err(damaged(format!("{RECORD} does not list {file}")));
            }
        }
        for file in &record.files {
            if !stays_inside(&file.name) {
                return Err(damaged(format!(
                    "{RECORD} lists `{}`, which does not exist",
                    file.name
                )));
            }
            let found = fs::metadata(path.join(&file.name))
                .map_err(|e| damaged(format!("{}: {e}", file.name)))?;
            if found.len() != file.bytes {
                return Err(damaged(format!(
                    "{} has {} bytes, expected {}",
                    file.name,
                    found.len(),
                    file.bytes
                )));
            }
        }
        Ok(ModelDir { name: name.to_owned(), path, record })
    }

    /// Finds an installed model and verifies every byte. A known model is compared with its pins,
    /// not with its `model.json`.
    ///
    /// # Errors
    ///
    /// The errors of [`Store::locate`].
    pub fn verify(&self, name: &str) -> Result<ModelDir, Error> {
        let model = self.locate(name)?;
        let damaged = |reason: String| Error::Damaged {
            name: name.to_owned(),
            path: model.path.clone(),
            reason,
        };
        for file in &model.record.files {
            let (_, found) = digest(&model.path.join(&file.name))?;
            if found != file.sha256 {
                return Err(damaged(format!(
                    "{} has SHA-256 {found}, expected {}",
                    file.name, file.sha256
                )));
            }
        }
        if let Some(known) = known::find(name) {
            for pin in known.files {
                let recorded = model.record.files.iter().find(|file| file.name == pin.name);
                if recorded.is_none_or(|file| file.sha256 != pin.sha256) {
                    return Err(damaged(format!(
                        "{} differs from the pinned file, {}",
                        pin.name, pin.sha256
                    )));
                }
            }
        }
        Ok(model)
    }

    /// Returns names of all installed models, damaged ones included, sorted.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; a store that does not exist yet is empty.
    pub fn installed(&self) -> Result<Vec<String>, Error> {
        let entries = match fs::read_dir(&self.root) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(at(&self.root)(error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(at(&self.root))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if self.path(&name).is_ok_and(|path| path.join(RECORD).is_file()) {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Removes a model.
    ///
    /// # Errors
    ///
    /// [`Error::NotInstalled`] and [`Error::Unknown`] if there is nothing to remove; [`Error::Io`].
    pub fn remove(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.path(name)?;
        if !path.is_dir() {
            let name = name.to_owned();
            return Err(match known::find(&name) {
                Some(_) => Error::NotInstalled { name, path },
                None => Error::Unknown { name },
            });
        }
        let _lock = self.lock()?;
        remove_dir(&path)?;
        Ok(path)
    }

    /// Locks the store against changes by other processes until the file is dropped.
    pub(super) fn lock(&self) -> Result<File, Error> {
        fs::create_dir_all(&self.root).map_err(at(&self.root))?;
        let path = self.root.join(".lock");
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(at(&path))?;
        file.lock().map_err(at(&path))?;
        Ok(file)
    }

    /// Returns an empty temporary directory in the store, on the same file system as the models.
    pub(super) fn scratch(&self, purpose: &str) -> Result<PathBuf, Error> {
        let path = self.root.join(format!(".{purpose}"));
        remove_dir(&path)?;
        fs::create_dir_all(&path).map_err(at(&path))?;
        Ok(path)
    }

    /// Returns the directory of broken downloads, which can be resumed.
    pub(super) fn partial(&self) -> Result<PathBuf, Error> {
        let path = self.root.join(".partial");
        fs::create_dir_all(&path).map_err(at(&path))?;
        Ok(path)
    }

    /// Writes `record` into a temporary directory and swaps it into the place of the installed
    /// model, if any. A process that is killed leaves the old model or the new one.
    pub(super) fn place(&self, staged: &Path, record: &Record) -> Result<ModelDir, Error> {
        let path = self.path(&record.name)?;
        let json =
            serde_json::to_vec_pretty(record).map_err(|e| at(staged)(std::io::Error::other(e)))?;
        let record_path = staged.join(RECORD);
        fs::write(&record_path, json).map_err(at(&record_path))?;
        sync_tree(staged).map_err(at(staged))?;
        replace_directory(staged, &path).map_err(at(&path))?;
        self.locate(&record.name)
    }
}

/// Returns whether a recorded path stays inside the model's directory.
fn stays_inside(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    !name.is_empty() && parts.all(|part| matches!(part, std::path::Component::Normal(_)))
}

fn read_record(model: &Path) -> Result<Record, String> {
    let path = model.join(RECORD);
    let bytes = fs::metadata(&path).map_err(|e| format!("{RECORD}: {e}"))?.len();
    if bytes > MAX_RECORD_BYTES {
        return Err(format!("{RECORD} is too long: {bytes} bytes"));
    }
    let json = fs::read(&path).map_err(|e| format!("{RECORD}: {e}"))?;
    serde_json::from_slice(&json).map_err(|e| format!("{RECORD}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::super::install::{self, Options};
    use super::*;
    use findling_base::progress::Silent;

    /// Returns a store, and a directory with a model that is not known.
    fn with_own_model() -> (tempfile::TempDir, Store, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let model = dir.path().join("mine");
        fs::create_dir_all(model.join("1_Pooling")).unwrap();
        for file in [
            "model.safetensors",
            "tokenizer.json",
            "config.json",
            "1_Pooling/config.json",
            "README.md",
        ] {
            fs::write(model.join(file), format!("this is {file}")).unwrap();
        }
        let store = Store::new(dir.path().join("models"));
        (dir, store, model)
    }

    fn install_from(store: &Store, name: &str, path: &Path) -> Result<ModelDir, Error> {
        let options = Options { from_file: Some(path.to_owned()), ..Options::default() };
        install::install(store, name, &options, &Silent)
    }

    #[test]
    fn an_own_model_is_installed_found_verified_and_removed() {
        let (_dir, store, model) = with_own_model();
        let installed = install_from(&store, "mine", &model).unwrap();
        let names: Vec<_> = installed.record.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(
            names,
            ["model.safetensors", "tokenizer.json", "config.json", "1_Pooling/config.json"]
        );
        assert_eq!(store.verify("mine").unwrap().record, installed.record);
        assert_eq!(store.installed().unwrap(), ["mine"]);
        store.remove("mine").unwrap();
        assert!(store.installed().unwrap().is_empty());
        assert!(matches!(store.locate("mine"), Err(Error::Unknown { .. })));
    }

    #[test]
    fn a_changed_byte_is_seen_by_verify_and_a_changed_length_at_once() {
        let (_dir, store, model) = with_own_model();
        let path = install_from(&store, "mine", &model).unwrap().path.join("config.json");
        fs::write(&path, "this is c0nfig.json").unwrap();
        assert!(store.locate("mine").is_ok());
        let damage = |found: Result<ModelDir, Error>| match found {
            Err(Error::Damaged { reason, .. }) => reason,
            _ => panic!("expected a damaged model"),
        };
        assert!(damage(store.verify("mine")).contains("config.json"));
        fs::write(&path, "shorter").unwrap();
        assert!(damage(store.locate("mine")).contains("config.json"));
        fs::remove_file(&path).unwrap();
        assert!(damage(store.locate("mine")).contains("config.json"));
    }

    #[test]
    fn installing_again_replaces_and_failing_leaves_the_old_one() {
        let (_dir, store, model) = with_own_model();
        install_from(&store, "mine", &model).unwrap();
        fs::write(model.join("config.json"), "another").unwrap();
        install_from(&store, "mine", &model).unwrap();
        let config = store.locate("mine").unwrap().path.join("config.json");
        assert_eq!(fs::read_to_string(&config).unwrap(), "another");
        fs::remove_file(model.join("tokenizer.json")).unwrap();
        let Err(Error::NotAModel { reason, .. }) = install_from(&store, "mine", &model) else {
            panic!("expected a refusal");
        };
        assert!(reason.contains("tokenizer.json"), "{reason}");
        assert_eq!(fs::read_to_string(&config).unwrap(), "another");
    }

    #[test]
    fn a_known_name_is_only_for_its_pinned_files() {
        let (_dir, store, model) = with_own_model();
        let refused = install_from(&store, known::DEFAULT, &model);
        assert!(matches!(refused, Err(Error::Pin { .. })));
        let missing = store.locate(known::DEFAULT);
        assert!(matches!(missing, Err(Error::NotInstalled { name, .. }) if name == known::DEFAULT));
    }

    #[test]
    fn an_onnx_file_needs_its_tokenizer() {
        let (dir, store, _) = with_own_model();
        let onnx = dir.path().join("graph.onnx");
        fs::write(&onnx, "graph").unwrap();
        let Err(Error::NotAModel { reason, .. }) = install_from(&store, "graph", &onnx) else {
            panic!("expected a refusal");
        };
        assert!(reason.contains("--tokenizer"), "{reason}");
        let options = Options {
            from_file: Some(onnx),
            tokenizer: Some(dir.path().join("mine/tokenizer.json")),
            ..Options::default()
        };
        let model = install::install(&store, "graph", &options, &Silent).unwrap();
        assert_eq!(model.record.kind, Kind::Onnx);
        assert!(model.path.join("model.onnx").is_file());
    }

    #[cfg(feature = "onnx")]
    #[test]
    fn an_onnx_graph_embeds_and_a_broken_one_says_so() {
        use findling_encoder::Side;

        use crate::{load_from, prove};

        let (dir, store, _) = with_own_model();
        let vocabulary =
            ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "alpha", "beta", "gamma", "delta"];
        let entries: Vec<String> =
            vocabulary.iter().enumerate().map(|(id, piece)| format!("{piece:?}: {id}")).collect();
        let tokenizer = dir.path().join("mine/tokenizer.json");
        let json = format!(
            r###"{{"normalizer": {{"type": "BertNormalizer", "clean_text": true,
                "handle_chinese_chars": true, "strip_accents": null, "lowercase": true}},
                "pre_tokenizer": {{"type": "BertPreTokenizer"}},
                "model": {{"type": "WordPiece", "unk_token": "[UNK]",
                "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
                "vocab": {{{}}}}}}}"###,
            entries.join(", ")
        );
        fs::write(&tokenizer, json).unwrap();
        let graph = Path::new(env!("CARGO_MANIFEST_DIR")).join("../encoder/tests/onnx/tokens.onnx");
        let options = Options {
            from_file: Some(graph),
            tokenizer: Some(tokenizer.clone()),
            ..Options::default()
        };
        let model = install::install(&store, "graph", &options, &Silent).unwrap();
        prove(&model).unwrap();
        let encoder = load_from(&model).unwrap();
        assert_eq!((encoder.card().dim, encoder.card().name.as_str()), (8, "graph"));
        let vectors =
            encoder.encode(&["alpha beta", "beta alpha", "gamma"], Side::Document).unwrap();
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        // A mean does not depend on the order of tokens.
        assert!(dot(&vectors[0].values, &vectors[1].values) > 0.9999);
        assert!(dot(&vectors[0].values, &vectors[2].values) < 0.99);

        let broken = dir.path().join("broken.onnx");
        fs::write(&broken, "graph").unwrap();
        let options =
            Options { from_file: Some(broken), tokenizer: Some(tokenizer), ..Options::default() };
        let error = match install::install(&store, "broken", &options, &Silent) {
            Ok(model) => load_from(&model).err(),
            Err(error) => Some(error),
        };
        assert!(
            matches!(error, Some(Error::NotAModel { .. } | Error::Encoder { .. })),
            "{error:?}"
        );
    }

    #[test]
    fn names_and_records_cannot_lead_out_of_the_store() {
        let (_dir, store, model) = with_own_model();
        for name in ["", ".", "..", "../x", "a/b", "a\\b", ".hidden", "hash", "a b"] {
            assert!(matches!(store.path(name), Err(Error::BadName { .. })), "{name}");
        }
        let path = install_from(&store, "mine", &model).unwrap().path.join(RECORD);
        let record = fs::read_to_string(&path)
            .unwrap()
            .replace("1_Pooling/config.json", "../../mine/README.md");
        fs::write(&path, record).unwrap();
        assert!(matches!(store.locate("mine"), Err(Error::Damaged { .. })));
    }
}
