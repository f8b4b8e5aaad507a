//! Errors of a build.

use std::fmt;
use std::io;
use std::path::PathBuf;

use findling_base::progress::bytes;
use findling_models as models;
use findling_wasm_parts::NotAModule;

use crate::{exchange, parts};

/// The result of a step of a build.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a build. Its message names options by the fields of [`Options`](crate::Options);
/// [`message`](Error::message) names them in another way.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file or a directory cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file or a directory cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file or a directory that an option names cannot be read.
    Named {
        /// The option.
        option: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// There is no room for temporary files, or none can be made.
    Temporary(io::Error),
    /// The threads cannot be started.
    Threads(rayon::ThreadPoolBuildError),
    /// An input does not exist.
    NoInput {
        /// The input.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// There is no page in the inputs.
    NoPage {
        /// The inputs.
        inputs: Vec<PathBuf>,
        /// Whether there are files that cannot be read.
        unreadable: bool,
    },
    /// There is no page in a site that is read by Pagefind's rules.
    NoRenderedPage {
        /// The site.
        site: PathBuf,
        /// Number of files in it.
        n_files: usize,
    },
    /// A site that is read by Pagefind's rules is one input.
    SeveralSites {
        /// Number of inputs.
        found: usize,
    },
    /// A directory has no file of Pagefind's user interfaces.
    NoPagefindUi(PathBuf),
    /// The file of synonyms is not one.
    Synonyms {
        /// The file.
        path: PathBuf,
        /// The line, and what is wrong in it.
        source: anyhow::Error,
    },
    /// Scans cannot be recognised; the text says what is missing.
    Scans(String),
    /// A bundle is written somewhere.
    NoOutput,
    /// A bundle in memory has several files.
    OneFileInMemory,
    /// The name of a directory looks like a file's name.
    FileName {
        /// The output.
        output: PathBuf,
    },
    /// The name of a standalone file ends neither like a page nor like a script.
    StandaloneName {
        /// The output.
        output: PathBuf,
    },
    /// A file that needs no server is larger than browsers can open.
    StandaloneSize {
        /// The output.
        output: PathBuf,
        /// Maximum number of bytes.
        expected: u64,
        /// Bytes of this one.
        found: u64,
    },
    /// A bundle that programs are to find is not below the root of the site.
    NotBelow {
        /// The root of the site.
        directory: PathBuf,
        /// The output.
        output: PathBuf,
    },
    /// A page that works from a disk has no bundle to find.
    NoBundleToFind,
    /// The address of the page that searches is not absolute.
    SearchPage {
        /// The address.
        found: String,
    },
    /// A single file has no place for the client.
    ClientBesideFile,
    /// This program has no client.
    NoClient,
    /// A directory has no client.
    NoClientIn(PathBuf),
    /// The client lacks a file that an output without a server needs.
    ClientFile {
        /// The file.
        name: &'static str,
    },
    /// A script of the client is not UTF-8.
    ClientText {
        /// The file.
        name: &'static str,
        /// The place.
        source: std::str::Utf8Error,
    },
    /// The engine of the client is damaged.
    Engine {
        /// The file.
        name: &'static str,
        /// The reason.
        source: NotAModule,
    },
    /// The engine of the client lacks a language of the site.
    Language {
        /// The file.
        name: &'static str,
        /// The language, BCP 47.
        expected: &'static str,
        /// The languages that it has, besides English.
        found: Vec<String>,
    },
    /// A model is not installed, and must not be installed.
    NoModel {
        /// The model.
        name: String,
        /// The error of the models.
        source: Box<models::Error>,
    },
    /// A table of the static encoder was trained for another model.
    OtherTable {
        /// The model of the table.
        expected: String,
        /// The model of the documents.
        found: String,
    },
    /// The query encoder cannot encode queries for the documents.
    QueryEncoder {
        /// The encoder of the documents.
        documents: String,
    },
    /// A single file has no place for the files of a transformer.
    TransformerBesideFile {
        /// Whether the file needs no server.
        standalone: bool,
    },
    /// A vocabulary is limited, but no transformer is deployed.
    NoVocabulary,
    /// A vocabulary is limited to less than any needs.
    VocabularyBudget {
        /// The least kilobytes.
        expected: usize,
        /// The kilobytes of the limit.
        found: usize,
    },
    /// There are tables of vectors, but none of sections.
    NoSections,
    /// Sections were read with another option.
    SectionsOption {
        /// The option.
        option: String,
        /// The value that the sections were read with; `none` without one.
        expected: String,
        /// The value of the build.
        found: String,
    },
    /// The options that parts or tables hold cannot be read.
    StoredOptions {
        /// The holder: `parts` or `table`.
        holder: &'static str,
        /// The reason.
        source: serde_json::Error,
    },
    /// The cache of embeddings cannot be read.
    Cache(io::Error),
    /// A part is at fault.
    Part(Box<parts::Error>),
    /// A table is at fault.
    Table(Box<exchange::Error>),
    /// A model is at fault.
    Model(Box<models::Error>),
    /// A reader, an encoder or the index failed.
    Failed(anyhow::Error),
}

impl Error {
    /// Returns a code for programs, if the options or the inputs are at fault and the error has
    /// one. See `docs/command-line.md`.
    pub fn code(&self) -> Option<&'static str> {
        match self {
            Self::QueryEncoder { .. } | Self::NoVocabulary => Some("query-encoder"),
            Self::VocabularyBudget { .. } => Some("vocabulary-budget"),
            Self::NoClient | Self::NoClientIn(_) | Self::Language { .. } => Some("client"),
            Self::NoSections => Some("inputs"),
            Self::SectionsOption { .. } => Some("options"),
            _ => None,
        }
    }

    /// Returns the error of the library below, if this error adds nothing to it.
    ///
    /// # Errors
    /// The error itself, if it is one of the build.
    pub fn into_cause(self) -> std::result::Result<anyhow::Error, Self> {
        match self {
            Self::Part(error) => Ok((*error).into()),
            Self::Table(error) => Ok((*error).into()),
            Self::Model(error) => Ok((*error).into()),
            Self::Failed(error) => Ok(error),
            own => Err(own),
        }
    }

    /// Returns the message with the names of options that `name` returns. It gets the name of a
    /// field of [`Options`](crate::Options) or of a group in it, or the name of a form of the
    /// output: `single_file`, `single_page`.
    pub fn message(&self, name: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::Read { path, .. } => format!("{} cannot be read", path.display()),
            Self::Write { path, .. } => format!("{} cannot be written", path.display()),
            Self::Named { option, path, .. } => {
                format!("{} {}: cannot be read", name(option), path.display())
            }
            Self::Temporary(_) => "cannot make a temporary file".to_owned(),
            Self::Threads(_) => "cannot start the threads".to_owned(),
            Self::Cache(_) => "the embedding cache cannot be read".to_owned(),
            Self::StoredOptions { holder: PARTS, .. } => {
                "the options in the parts cannot be read: build the parts again".to_owned()
            }
            Self::StoredOptions { .. } => {
                "the options in the table cannot be read: split the files again".to_owned()
            }
            Self::Part(error) => error.to_string(),
            Self::Table(error) => error.to_string(),
            Self::Model(error) => error.to_string(),
            Self::Failed(error) => error.to_string(),
            Self::NoInput { .. }
            | Self::NoPage { .. }
            | Self::NoRenderedPage { .. }
            | Self::SeveralSites { .. }
            | Self::NoPagefindUi(_)
            | Self::Synonyms { .. }
            | Self::Scans(_)
            | Self::NoSections
            | Self::SectionsOption { .. } => self.of_inputs(name),
            Self::NoOutput
            | Self::OneFileInMemory
            | Self::FileName { .. }
            | Self::StandaloneName { .. }
            | Self::StandaloneSize { .. }
            | Self::NotBelow { .. }
            | Self::NoBundleToFind
            | Self::SearchPage { .. } => self.of_output(name),
            Self::ClientBesideFile
            | Self::NoClient
            | Self::NoClientIn(_)
            | Self::ClientFile { .. }
            | Self::ClientText { .. }
            | Self::Engine { .. }
            | Self::Language { .. } => self.of_client(name),
            Self::NoModel { .. }
            | Self::OtherTable { .. }
            | Self::QueryEncoder { .. }
            | Self::TransformerBesideFile { .. }
            | Self::NoVocabulary
            | Self::VocabularyBudget { .. } => self.of_encoders(name),
        }
    }

    /// Returns the message of an error in the inputs.
    fn of_inputs(&self, name: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::NoInput { path, .. } => {
                format!("{}: expected an input, found nothing; check the path", path.display())
            }
            Self::NoPage { inputs, unreadable } => {
                let inputs: Vec<String> =
                    inputs.iter().map(|input| input.display().to_string()).collect();
                format!(
                    "found no page in {}: expected .html, .md, .jsonl or .pdf files, source code \
                     or conversations{}",
                    inputs.join(", "),
                    if *unreadable { " that can be read" } else { "" }
                )
            }
            Self::NoRenderedPage { site, n_files } => format!(
                "found no page with text among {n_files} files of {}: expected rendered HTML",
                site.display()
            ),
            Self::SeveralSites { found } => {
                format!("{}: expected one INPUT, the site, found {found}", name("pagefind"))
            }
            Self::NoPagefindUi(directory) => format!(
                "{} {}: expected files such as pagefind-ui.js there, found none; name the output \
                 directory of an earlier Pagefind build",
                name("pagefind_ui"),
                directory.display()
            ),
            Self::Synonyms { path, .. } => format!("{} {}", name("synonyms"), path.display()),
            Self::Scans(missing) => missing.clone(),
            Self::NoSections => "expected a table of sections, found tables of vectors alone: add \
                                 that of `findling sections`"
                .to_owned(),
            Self::SectionsOption { option, expected, found } => format!(
                "expected {} {expected}, with which the sections were read, found {found}: leave \
                 it out, or split the files again with it",
                name(option)
            ),
            _ => String::new(),
        }
    }

    /// Returns the message of an error in the output.
    fn of_output(&self, name: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::NoOutput => {
                "expected an output, found none: name a directory, or use `bundle`".to_owned()
            }
            Self::OneFileInMemory => "expected the form `Files` of a bundle in memory, found one \
                                      file: use `build`"
                .to_owned(),
            Self::FileName { output } => format!(
                "{} {}: a name that ends in .findling needs {}; add it, or name a directory",
                name("output"),
                output.display(),
                name("single_file")
            ),
            Self::StandaloneName { output } => format!(
                "{} {}: expected a name that ends in .html, for a page with the search, or in .js, \
                 for a script that pages include",
                name("single_page"),
                output.display()
            ),
            Self::StandaloneSize { output, expected, found } => format!(
                "{} {}: expected at most {}, found {}: browsers would open it slowly or not at \
                 all. Build fewer pages ({} PATTERN), without meaning ({} none), or a bundle in a \
                 directory ({} DIR)",
                name("single_page"),
                output.display(),
                bytes(*expected),
                bytes(*found),
                name("exclude"),
                name("encoder"),
                name("output")
            ),
            Self::NotBelow { directory, output } => format!(
                "{} {}: expected the root of the site with the output below it, found the output \
                 {}",
                name("discovery"),
                directory.display(),
                output.display()
            ),
            Self::NoBundleToFind => format!(
                "{} is about a bundle on a site, but {} writes a page without one: leave one of \
                 both out",
                name("discovery"),
                name("single_page")
            ),
            Self::SearchPage { found } => format!(
                "{}: expected an absolute address without spaces and `#`, such as \
                 https://example.org/search/, found `{found}`",
                name("search_page")
            ),
            _ => String::new(),
        }
    }

    /// Returns the message of an error in the web client.
    fn of_client(&self, name: &dyn Fn(&str) -> String) -> String {
        let client = || name("client");
        match self {
            Self::ClientBesideFile => format!(
                "{} needs a directory for the client's files, but {} is a single file: give a \
                 directory",
                client(),
                name("output")
            ),
            Self::NoClient => format!(
                "this `findling` was compiled without the web client: give its directory with {} \
                 DIR, use {}, or compile `findling` again after `cargo xtask wasm` and `cargo \
                 xtask client`",
                client(),
                name("no_client")
            ),
            Self::NoClientIn(directory) => format!(
                "{} {}: expected the files of the client, found no findling.js; give the directory \
                 `dist` of the npm package",
                client(),
                directory.display()
            ),
            Self::ClientFile { name: file } => format!(
                "{} needs {file} of the client, which is not there: give the client of this \
                 version with {} DIR, or build it again (`cargo xtask client`)",
                name("single_page"),
                client()
            ),
            Self::ClientText { name: file, .. } => format!("{file} of the client is not text"),
            Self::Engine { name: file, .. } => format!("the client's {file}"),
            Self::Language { name: file, expected, found } => {
                let english = ["English only".to_owned()];
                let found = if found.is_empty() { &english } else { &found[..] };
                format!(
                    "the client's {file}: expected the rules of language `{expected}`, in which \
                     the site has pages, found {}; give a client of this version with {} DIR, or \
                     build it again (`cargo xtask client`)",
                    found.join(", "),
                    client()
                )
            }
            _ => String::new(),
        }
    }

    /// Returns the message of an error in the encoders.
    fn of_encoders(&self, name: &dyn Fn(&str) -> String) -> String {
        let (encoder, queries) = (name("encoder"), name("query_encoder"));
        match self {
            Self::NoModel { name: model, .. } => format!(
                "expected the model `{model}`, found none: add {} to install it, or use {encoder} \
                 static (the table in this program)",
                name("install")
            ),
            Self::OtherTable { expected, found } => format!(
                "the static encoder's table was trained for the model `{expected}`, but the \
                 documents are embedded with `{found}`: use {encoder} {expected}, or train a table \
                 with `findling models fit {found}`"
            ),
            Self::QueryEncoder { documents } if documents == models::STATIC => format!(
                "{queries} transformer, both and hash cannot embed queries for documents that are \
                 embedded with the static table; use static or none, or {encoder} with a model, \
                 such as all-minilm-l6-v2"
            ),
            Self::QueryEncoder { documents } if documents == models::HASH => format!(
                "{queries} transformer and both cannot embed queries for documents that are \
                 embedded with `hash`; use hash or none, or {encoder} with a model"
            ),
            Self::QueryEncoder { documents } => format!(
                "{queries} hash cannot embed queries for documents that are embedded with \
                 `{documents}`; use transformer or none"
            ),
            Self::TransformerBesideFile { standalone: false } => format!(
                "{queries} transformer and both need a directory for the model's files, but {} is \
                 a single file: give a directory, or use {queries} none",
                name("output")
            ),
            Self::TransformerBesideFile { standalone: true } => format!(
                "{queries} transformer and both need a directory for the model's files, but {} \
                 writes one file: use {queries} static or none",
                name("single_page")
            ),
            Self::NoVocabulary => format!(
                "{} applies to a deployed transformer, but the bundle deploys none: add {queries} \
                 transformer or both",
                name("vocabulary_budget")
            ),
            Self::VocabularyBudget { expected, found } => format!(
                "{} {found}: expected at least {expected}, which the characters and special tokens \
                 of the model take",
                name("vocabulary_budget")
            ),
            _ => String::new(),
        }
    }
}

/// The holder of options in [`Error::StoredOptions`] that is a part.
pub(crate) const PARTS: &str = "parts";

/// Returns the name of an option in messages for programmers: the field, in backticks.
pub(crate) fn field(option: &str) -> String {
    format!("`{option}`")
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message(&field))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { source, .. }
            | Self::Write { source, .. }
            | Self::Named { source, .. }
            | Self::NoInput { source, .. }
            | Self::Temporary(source)
            | Self::Cache(source) => Some(source),
            Self::Threads(source) => Some(source),
            Self::ClientText { source, .. } => Some(source),
            Self::Engine { source, .. } => Some(source),
            Self::NoModel { source, .. } => Some(source.as_ref()),
            Self::StoredOptions { source, .. } => Some(source),
            Self::Synonyms { source, .. } => Some(source.as_ref()),
            // The message already contains the error below, so the source of that error comes next.
            Self::Part(error) => error.source(),
            Self::Table(error) => error.source(),
            Self::Model(error) => error.source(),
            Self::Failed(error) => error.source(),
            _ => None,
        }
    }
}

impl From<anyhow::Error> for Error {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<parts::Error> for Error {
    fn from(error: parts::Error) -> Self {
        Self::Part(error.into())
    }
}

impl From<exchange::Error> for Error {
    fn from(error: exchange::Error) -> Self {
        Self::Table(error.into())
    }
}

impl From<models::Error> for Error {
    fn from(error: models::Error) -> Self {
        Self::Model(error.into())
    }
}
