//! The protocol by which Pagefind's npm and PyPI packages talk to its program. With it, their
//! `createIndex`, `addDirectory`, `addHTMLFile`, `addCustomRecord`, `getFiles` and `writeFiles`
//! build bundles of Findling.
//!
//! Messages are JSON, encoded in Base64, each followed by a comma: requests on standard input,
//! responses on standard output. The service ends with its input.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::commands::build::report;
use crate::option_names::with_flags;
use crate::site;
use crate::sources::pagefind::{Options, Reader, Record, Source, finish};
use crate::standard_streams::is_closed;
use crate::ui::Ui;

/// A request of the packages.
#[derive(Deserialize)]
struct Request {
    message_id: u32,
    payload: Action,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Action {
    NewIndex {
        config: Option<Config>,
    },
    AddFile {
        index_id: usize,
        file_path: Option<String>,
        url: Option<String>,
        file_contents: String,
    },
    AddRecord {
        index_id: usize,
        url: String,
        content: String,
        language: String,
        meta: Option<BTreeMap<String, String>>,
        filters: Option<BTreeMap<String, Vec<String>>>,
        sort: Option<BTreeMap<String, String>>,
    },
    AddDir {
        index_id: usize,
        path: PathBuf,
        glob: Option<String>,
    },
    BuildIndex {
        index_id: usize,
    },
    WriteFiles {
        index_id: usize,
        output_path: Option<PathBuf>,
    },
    GetFiles {
        index_id: usize,
    },
    DeleteIndex {
        index_id: usize,
    },
}

/// The options of an index.
#[derive(Default, Deserialize)]
struct Config {
    root_selector: Option<String>,
    exclude_selectors: Option<Vec<String>>,
    force_language: Option<String>,
    keep_index_url: Option<bool>,
    write_playground: Option<bool>,
}

/// A response to the packages.
#[derive(Serialize)]
struct Response {
    message_id: Option<u32>,
    payload: Payload,
}

#[derive(Serialize)]
#[serde(tag = "type")]
enum Payload {
    Error { original_message: Option<String>, message: String },
    NewIndex { index_id: usize },
    IndexedFile { page_word_count: u32, page_url: String, page_meta: BTreeMap<String, String> },
    IndexedDir { page_count: usize },
    BuildIndex {},
    WriteFiles { output_path: String },
    GetFiles { files: Vec<SentFile> },
    DeleteIndex {},
}

#[derive(Serialize)]
struct SentFile {
    path: String,
    /// In Base64.
    content: String,
}

/// Answers requests until the input ends, or nobody reads the answers.
///
/// # Errors
/// If standard input or output fails.
pub fn run(options: &site::Options, input: &mut dyn BufRead, output: &mut dyn Write) -> Result<()> {
    let mut service = Service { options, indexes: Vec::new() };
    loop {
        let mut message = Vec::new();
        input.read_until(b',', &mut message).context("the service's input cannot be read")?;
        if message.pop().is_none() {
            return Ok(());
        }
        let response = service.answer(&message);
        let encoded = STANDARD.encode(serde_json::to_vec(&response)?);
        output.write_all(encoded.as_bytes())?;
        output.write_all(b",")?;
        output.flush()?;
        if is_closed() {
            return Ok(());
        }
    }
}

struct Service<'a> {
    /// The options of the build of every index.
    options: &'a site::Options,
    /// `None` for indexes that were deleted.
    indexes: Vec<Option<Index>>,
}

struct Index {
    reader: Reader,
    sources: Vec<Source>,
    write_playground: bool,
    ui: Ui,
}

impl Service<'_> {
    fn answer(&mut self, message: &[u8]) -> Response {
        let refuse = |original_message: Option<String>, message: String| Response {
            message_id: None,
            payload: Payload::Error { original_message, message },
        };
        let Ok(decoded) = STANDARD.decode(message) else {
            return refuse(None, "expected a message in Base64".to_owned());
        };
        match serde_json::from_slice::<Request>(&decoded) {
            Ok(Request { message_id, payload }) => {
                let payload = self.act(payload).unwrap_or_else(|error| Payload::Error {
                    original_message: None,
                    message: format!("{:#}", with_flags(error)),
                });
                Response { message_id: Some(message_id), payload }
            }
            Err(error) => refuse(String::from_utf8(decoded).ok(), error.to_string()),
        }
    }

    fn act(&mut self, action: Action) -> Result<Payload> {
        Ok(match action {
            Action::NewIndex { config } => {
                self.indexes.push(Some(Index::new(config.unwrap_or_default())?));
                Payload::NewIndex { index_id: self.indexes.len() - 1 }
            }
            Action::AddFile { index_id, file_path, url, file_contents } => {
                let index = self.index(index_id)?;
                let page = index.reader.page(file_path.as_deref(), url, &file_contents)?;
                index.add(page)
            }
            Action::AddRecord { index_id, url, content, language, meta, filters, sort } => {
                let record = Record {
                    url,
                    content,
                    language,
                    meta: meta.unwrap_or_default(),
                    filters: filters.unwrap_or_default(),
                    sorts: sort.unwrap_or_default(),
                };
                self.index(index_id)?.add(Source::of_record(record))
            }
            Action::AddDir { index_id, path, glob } => {
                let index = self.index(index_id)?;
                Payload::IndexedDir { page_count: index.add_directory(&path, glob)? }
            }
            Action::BuildIndex { index_id } => {
                self.index(index_id)?;
                Payload::BuildIndex {}
            }
            Action::WriteFiles { index_id, output_path } => {
                let output = std::path::absolute(output_path.unwrap_or_else(|| "pagefind".into()))?;
                let options = self.options_for(&output);
                self.index(index_id)?.write(options)?;
                Payload::WriteFiles { output_path: output.to_string_lossy().into_owned() }
            }
            Action::GetFiles { index_id } => {
                let options = self.options_for(Path::new("pagefind"));
                Payload::GetFiles { files: self.index(index_id)?.files(options)? }
            }
            Action::DeleteIndex { index_id } => {
                self.index(index_id)?;
                self.indexes[index_id] = None;
                Payload::DeleteIndex {}
            }
        })
    }

    fn index(&mut self, id: usize) -> Result<&mut Index> {
        // Pagefind's wording, which programs may look for, and the remedy.
        match self.indexes.get_mut(id) {
            Some(Some(index)) => Ok(index),
            Some(None) => bail!(
                "Index has been deleted from the Pagefind service and no longer exists; make \
                 another with createIndex"
            ),
            None => bail!(
                "Invalid index, does not yet exist in the Pagefind service; make one with \
                 createIndex"
            ),
        }
    }

    fn options_for(&self, output: &Path) -> site::Options {
        let inputs = vec![".".into()];
        site::Options { inputs, output: output.to_owned(), ..self.options.clone() }
    }
}

impl Index {
    fn new(config: Config) -> Result<Self> {
        let defaults = Options::default();
        let reader = Reader::new(Options {
            root_selector: config.root_selector.unwrap_or(defaults.root_selector),
            exclude_selectors: config.exclude_selectors.unwrap_or_default(),
            force_language: config.force_language.map(|language| language.to_lowercase()),
            keep_index_url: config.keep_index_url.unwrap_or(false),
            ..Options::default()
        })?;
        let write_playground = config.write_playground.unwrap_or(false);
        // The PyPI package reads standard error as part of the responses.
        Ok(Self { reader, sources: Vec::new(), write_playground, ui: Ui::silent() })
    }

    /// Adds a page, in place of one at the same address.
    fn add(&mut self, page: Source) -> Payload {
        let added = Payload::IndexedFile {
            page_word_count: page.n_words(self.reader.options()),
            page_url: page.url().to_owned(),
            page_meta: page.meta().clone(),
        };
        match self.sources.iter_mut().find(|known| known.url() == page.url()) {
            Some(known) => *known = page,
            None => self.sources.push(page),
        }
        added
    }

    fn add_directory(&mut self, path: &Path, glob: Option<String>) -> Result<usize> {
        if !path.is_dir() {
            bail!("expected a directory of pages, found none at {}", path.display());
        }
        let glob = glob.unwrap_or_else(|| self.reader.options().glob.clone());
        let (pages, _) = self.reader.directory(path, &glob, &mut |_| {})?;
        let n_pages = pages.len();
        for page in pages {
            self.add(page);
        }
        Ok(n_pages)
    }

    /// Adds the options that the index was created with.
    fn with_own(&self, mut options: site::Options) -> site::Options {
        options.pagefind.get_or_insert_default().playground |= self.write_playground;
        options
    }

    fn write(&self, options: site::Options) -> Result<()> {
        let options = self.with_own(options);
        let site = finish(&self.sources, self.reader.options());
        report(&site::build_pagefind(&options, site, 0, &self.ui)?, false, &self.ui).map(drop)
    }

    fn files(&self, options: site::Options) -> Result<Vec<SentFile>> {
        let options = self.with_own(options);
        let site = finish(&self.sources, self.reader.options());
        let files = site::pagefind_files(&options, site, &self.ui)?;
        let sent = files
            .into_iter()
            .map(|file| SentFile { path: file.path, content: STANDARD.encode(&file.contents) });
        Ok(sent.collect())
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use serde_json::{Value, json};

    use super::*;

    /// Returns the payloads of the answers to requests, which get ascending numbers.
    fn answers(requests: &[Value]) -> Vec<Value> {
        let mut input = String::new();
        for (at, payload) in requests.iter().enumerate() {
            let message = json!({ "message_id": at, "payload": payload }).to_string();
            input.push_str(&STANDARD.encode(message));
            input.push(',');
        }
        let mut output = Vec::new();
        let options = site::Options {
            meaning: site::Meaning { encoder: Some("none".into()), ..site::Meaning::default() },
            client: site::Client::None,
            pagefind: Some(site::Pagefind::default()),
            ..site::Options::default()
        };
        run(&options, &mut BufReader::new(input.as_bytes()), &mut output).unwrap();
        let text = String::from_utf8(output).unwrap();
        let decode = |message: &str| {
            let decoded = STANDARD.decode(message).unwrap();
            serde_json::from_slice::<Value>(&decoded).unwrap()["payload"].clone()
        };
        text.split_terminator(',').map(decode).collect()
    }

    fn paths(payload: &Value) -> Vec<&str> {
        let files = payload["files"].as_array().unwrap();
        files.iter().map(|file| file["path"].as_str().unwrap()).collect()
    }

    #[test]
    fn pages_are_added_replaced_and_given_out_as_files() {
        let page = |text: &str| {
            json!({
                "type": "AddFile", "index_id": 0, "file_path": "a/index.html",
                "file_contents": format!("<html lang=en><h1>{text}</h1></html>"),
            })
        };
        let record = json!({
            "type": "AddRecord", "index_id": 0, "url": "/r/", "content": "one two three",
            "language": "en", "meta": {"title": "R"}, "filters": {"kind": ["x"]},
        });
        let files = json!({ "type": "GetFiles", "index_id": 0 });
        let new = json!({ "type": "NewIndex", "config": null });
        let answers =
            answers(&[new, page("First"), page("Second page"), record, files.clone(), files]);
        assert_eq!(answers[0], json!({ "type": "NewIndex", "index_id": 0 }));
        assert_eq!(
            answers[2],
            json!({
                "type": "IndexedFile", "page_word_count": 2, "page_url": "/a/",
                "page_meta": {"title": "Second page"},
            })
        );
        assert_eq!(answers[3]["page_word_count"], 3);
        let files = paths(&answers[4]);
        assert_eq!(files.iter().filter(|path| path.starts_with("pagefind-fragment/")).count(), 2);
        assert!(files.contains(&"findling.idx") && files.contains(&"pagefind-entry.json"));
        // A request does not consume the index.
        assert_eq!(paths(&answers[5]), files);
    }

    #[test]
    fn an_index_without_pages_gives_out_what_does_not_depend_on_pages() {
        let answers =
            answers(&[json!({ "type": "NewIndex" }), json!({ "type": "GetFiles", "index_id": 0 })]);
        assert_eq!(paths(&answers[1]), ["pagefind-entry.json"]);
    }

    #[test]
    fn what_cannot_be_done_is_answered_with_an_error() {
        let kinds: Vec<_> = answers(&[
            json!({ "type": "GetFiles", "index_id": 3 }),
            json!({ "type": "NewIndex", "config": { "root_selector": 5 } }),
            json!({ "type": "NewIndex", "config": { "root_selector": ">>" } }),
            json!({ "type": "NewIndex", "config": {} }),
            json!({ "type": "AddFile", "index_id": 0, "file_contents": "" }),
            json!({ "type": "AddDir", "index_id": 0, "path": "/no/such/directory" }),
            json!({ "type": "DeleteIndex", "index_id": 0 }),
            json!({ "type": "BuildIndex", "index_id": 0 }),
        ])
        .iter()
        .map(|payload| payload["type"].as_str().unwrap().to_owned())
        .collect();
        let expected = ["Error", "Error", "Error", "NewIndex", "Error", "Error", "DeleteIndex"];
        assert_eq!(kinds[..7], expected);
        assert_eq!(kinds[7], "Error");
    }
}
