//! `findling pagefind`: takes Pagefind's command line and configuration, and builds a bundle for a
//! site that uses Pagefind.

mod log;
mod service;
mod settings;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::{Map, Value};

use super::build::{client, report};
use super::serve;
use crate::index::write::PAGEFIND_ENTRY;
use crate::site::{self, Meaning};
use crate::sources::pagefind::{self, Options, Site};
use crate::sources::{Problem, Severity};
use crate::standard_streams::stdout;
use crate::ui::{Ui, Verbosity, count};
use log::Log;
use settings::Settings;

/// Build the search of a site made for Pagefind
///
/// Takes Pagefind's options, its configuration file (pagefind.yml, .toml or .json) and its
/// environment variables (PAGEFIND_SITE and so on). Writes the bundle and pagefind.js to pagefind/
/// in the site.
#[derive(Debug, Default, clap::Args)]
pub struct Args {
    /// The directory of the built site
    #[arg(short, long, value_name = "DIR")]
    site: Option<String>,
    /// Output directory, relative to the site [default: pagefind]
    #[arg(long, value_name = "DIR")]
    output_subdir: Option<String>,
    /// Output directory, relative to the working directory
    #[arg(long, value_name = "DIR")]
    output_path: Option<String>,
    /// The element that is read of each page [default: html]
    #[arg(long, value_name = "SELECTOR")]
    root_selector: Option<String>,
    /// Elements that are no content. Repeatable
    #[arg(long, value_name = "SELECTOR")]
    exclude_selectors: Vec<String>,
    /// Which files are pages [default: **/*.{html}]
    #[arg(long, value_name = "PATTERN")]
    glob: Option<String>,
    /// Index all pages in this language, whatever they declare
    #[arg(long, value_name = "TAG")]
    force_language: Option<String>,
    /// Keep index.html at the end of addresses
    #[arg(short, long)]
    keep_index_url: bool,
    /// Serve the site afterwards
    #[arg(long)]
    serve: bool,
    /// Say nothing but errors
    #[arg(long)]
    silent: bool,
    /// Also write what is said to this file
    #[arg(short, long, value_name = "FILE")]
    logfile: Option<String>,
    /// Encoder for search by meaning, as in `findling build --encoder`; none searches by words only
    /// [default: none]
    #[arg(long, value_name = "NAME")]
    encoder: Option<String>,
    /// Copy Pagefind's own user interfaces from this directory, which an earlier Pagefind build
    /// wrote
    #[arg(long, value_name = "DIR")]
    ui: Option<String>,
    /// Write this web client instead of the one in this program
    #[arg(long, value_name = "DIR")]
    client: Option<PathBuf>,
    #[arg(long, hide = true)]
    source: Option<String>,
    #[arg(short, long, hide = true)]
    bundle_dir: Option<String>,
    #[arg(long, hide = true)]
    include_characters: Option<String>,
    #[arg(long, hide = true)]
    max_fragments: Option<String>,
    /// Also write a page that searches the bundle and shows scores, to playground/ in the output
    #[arg(long)]
    write_playground: bool,
    /// Answer the requests of Pagefind's npm and PyPI packages
    #[arg(long)]
    service: bool,
}

impl Args {
    /// Returns the options of the command line, by the names of the configuration file.
    fn given(&self) -> Map<String, Value> {
        let texts = [
            ("site", &self.site),
            ("source", &self.source),
            ("output_subdir", &self.output_subdir),
            ("output_path", &self.output_path),
            ("bundle_dir", &self.bundle_dir),
            ("root_selector", &self.root_selector),
            ("glob", &self.glob),
            ("force_language", &self.force_language),
            ("include_characters", &self.include_characters),
            ("max_fragments", &self.max_fragments),
            ("logfile", &self.logfile),
            ("encoder", &self.encoder),
            ("ui", &self.ui),
        ];
        let flags = [
            ("keep_index_url", self.keep_index_url),
            ("serve", self.serve),
            ("silent", self.silent),
            ("write_playground", self.write_playground),
        ];
        let mut given = Map::new();
        for (name, value) in texts {
            if let Some(value) = value {
                given.insert(name.to_owned(), value.clone().into());
            }
        }
        for (name, set) in flags {
            if set {
                given.insert(name.to_owned(), true.into());
            }
        }
        if !self.exclude_selectors.is_empty() {
            given.insert("exclude_selectors".to_owned(), self.exclude_selectors.clone().into());
        }
        given
    }
}

/// The directory of Pagefind before its version 1.0.
const OLD_DIRECTORY: &str = "_pagefind";

/// The scripts of Pagefind's older user interfaces.
const DEFAULT_UI: [&str; 2] = ["pagefind-ui.js", "pagefind-modular-ui.js"];

/// The port of `--serve`.
const PORT: u16 = 1414;

/// Runs the command.
///
/// # Errors
/// If the settings cannot be read, or the build fails.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    let here = std::env::current_dir().context("the working directory cannot be read")?;
    if args.service {
        let settings = Settings::for_service(&args, &here, std::env::vars())?;
        let options = build_options(&settings, args.client);
        let (mut input, mut output) = (std::io::stdin().lock(), stdout());
        service::run(&options, &mut input, &mut output)?;
        return Ok(ExitCode::SUCCESS);
    }
    let settings = Settings::read(&args, &here, std::env::vars())?;
    let verbosity = match ui.verbosity() {
        _ if settings.silent => Verbosity::Silent,
        Verbosity::Normal if settings.verbose => Verbosity::Verbose,
        Verbosity::Normal if settings.quiet => Verbosity::Quiet,
        told => told,
    };
    let mut log = Log::new(verbosity, settings.logfile.as_deref())?;
    log.info(format!("Running Pagefind's settings with Findling {}", env!("CARGO_PKG_VERSION")))?;
    let output = settings.output.clone().unwrap_or_else(|| settings.site.join("pagefind"));
    log.info(format!("Site:   {}", settings.site.display()))?;
    log.info(format!("Output: {}", output.display()))?;
    tell_settings(&settings, &mut log)?;

    let (site, n_unreadable) = read(&settings, &mut log)?;
    let old_directory = settings.output.is_none() && site.old_directory;
    if site.pages.is_empty() {
        log.error(format!(
            "Pagefind was not able to build an index: found no page with text among {} of {}; \
             expected rendered HTML",
            count(site.n_files as u64, "files"),
            settings.site.display()
        ))?;
        return Ok(ExitCode::FAILURE);
    }
    tell_site(&site, &mut log)?;
    let options = site::Options {
        inputs: vec![settings.site.clone()],
        output: output.clone(),
        ..build_options(&settings, args.client)
    };
    let ui_of_build = Ui::new(verbosity);
    let built = site::build_pagefind(&options, site, n_unreadable, &ui_of_build)?;
    let status = report(&built, false, &ui_of_build)?;
    if old_directory {
        let copy = settings.site.join(OLD_DIRECTORY);
        replace(&output, &copy)?;
        log.warn(format!(
            "the site refers to {OLD_DIRECTORY}/, so it runs in pre-1.0 compatibility mode: all \
             files were also written to {}; refer to pagefind/ instead, or name the directory \
             with --output-subdir {OLD_DIRECTORY}",
            copy.display()
        ))?;
    }
    if settings.serve {
        return serve::run(serve::Args::of_site(settings.site, output, PORT), ui);
    }
    Ok(status)
}

fn tell_settings(settings: &Settings, log: &mut Log) -> Result<()> {
    for (name, instead) in &settings.deprecated {
        log.warn(format!("The `{name}` option is deprecated since Pagefind 1.0: use `{instead}`"))?;
    }
    for (name, reason) in &settings.without_meaning {
        log.warn(format!("{name} has no meaning here: {reason}"))?;
    }
    for name in &settings.unknown {
        log.warn(format!("{name} is no setting of Pagefind and has no effect"))?;
    }
    Ok(())
}

fn read(settings: &Settings, log: &mut Log) -> Result<(Site, usize)> {
    let defaults = Options::default();
    let options = Options {
        root_selector: settings.root_selector.clone().unwrap_or(defaults.root_selector),
        exclude_selectors: settings.exclude_selectors.clone(),
        glob: settings.glob.clone().unwrap_or(defaults.glob),
        force_language: settings.force_language.clone(),
        keep_index_url: settings.keep_index_url,
        max_file_bytes: defaults.max_file_bytes,
        max_file_time: defaults.max_file_time,
        follow_links: defaults.follow_links,
    };
    let mut problems: Vec<Problem> = Vec::new();
    let site = pagefind::read(&settings.site, &options, &mut |problem| problems.push(problem))?;
    log.info(format!("Found {} matching {}", count(site.n_files as u64, "files"), options.glob))?;
    let mut n_unreadable = 0;
    for problem in problems {
        n_unreadable += usize::from(problem.severity == Severity::Error);
        log.warn(format!("{}: {}", problem.path.display(), problem.reason))?;
    }
    Ok((site, n_unreadable))
}

fn tell_site(site: &Site, log: &mut Log) -> Result<()> {
    log.info(if site.marked_body {
        "Found a data-pagefind-body element on the site: pages without one are left out"
    } else {
        "Found no data-pagefind-body element on the site: the whole body of each page is indexed"
    })?;
    let languages: Vec<_> = site.languages.keys().map(String::as_str).collect();
    log.info(format!("{}: {}", count(languages.len() as u64, "languages"), languages.join(", ")))?;
    for (language, n_pages) in &site.languages {
        log.detail(format!("{language}: {}", count(*n_pages as u64, "pages")))?;
    }
    if DEFAULT_UI.iter().any(|script| site.ui_scripts.contains(script)) {
        log.info(
            "Pagefind found references to the Default UI (pagefind-ui.js) or the Modular UI; \
             they run here as they are, and so does Pagefind's newer Component UI",
        )?;
    }
    if site.n_unknown > 0 {
        log.detail(format!("unknown: {}", count(site.n_unknown as u64, "pages")))?;
    }
    Ok(())
}

/// Returns the options of a build that the settings come to, without inputs and output.
fn build_options(settings: &Settings, directory: Option<PathBuf>) -> site::Options {
    let encoder = settings.encoder.clone().unwrap_or_else(|| "none".to_owned());
    let pagefind =
        site::Pagefind { ui: settings.ui.clone(), playground: settings.write_playground };
    site::Options {
        meaning: Meaning { encoder: Some(encoder), ..Meaning::default() },
        client: client(false, directory),
        pagefind: Some(pagefind),
        ..site::Options::default()
    }
}

/// Makes `copy` a copy of `output`.
///
/// # Errors
/// If its place holds something other than a bundle, or the file system refuses.
fn replace(output: &Path, copy: &Path) -> Result<()> {
    if copy.join(PAGEFIND_ENTRY).is_file() {
        fs::remove_dir_all(copy)
            .with_context(|| format!("{} cannot be removed", copy.display()))?;
    }
    for entry in walkdir::WalkDir::new(output) {
        let entry = entry?;
        let to = copy.join(entry.path().strip_prefix(output)?);
        let made = if entry.file_type().is_dir() {
            fs::create_dir_all(&to)
        } else {
            fs::copy(entry.path(), &to).map(|_| ())
        };
        made.with_context(|| format!("{} cannot be written", to.display()))?;
    }
    Ok(())
}
