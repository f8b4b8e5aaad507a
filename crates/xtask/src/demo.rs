//! `cargo xtask demo`: from a fresh clone to a page with search.
//!
//! The demo builds only what a first look needs. The transformer takes longest to compile and to
//! run, so the pages are embedded with the static table, unless `--model` asks for the transformer.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::cmd::{Cmd, heading, note, which};
use crate::paths::{self, Paths};
use crate::{client, wasm};

/// The transformer that embeds the pages.
pub const MODEL: &str = "all-minilm-l6-v2";
/// Books of Rust's documentation, as directories below it.
const BOOKS: [&str; 6] =
    ["book", "reference", "cargo", "rust-by-example", "nomicon", "edition-guide"];
/// The default port.
const PORT: u16 = 8900;

/// The arguments of `cargo xtask demo`.
pub struct Options {
    /// A directory of HTML or Markdown instead of the default site.
    pub site: Option<PathBuf>,
    pub port: u16,
    /// Whether to open a browser.
    pub open: bool,
    /// Whether to stop before serving.
    pub build_only: bool,
    /// Whether to compile the transformer and embed the pages with it.
    pub model: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { site: None, port: PORT, open: true, build_only: false, model: false }
    }
}

/// The files of the demo.
pub struct Demo {
    /// The directory of pages that are searched.
    pub site: PathBuf,
    /// The bundle with its client.
    pub bundle: PathBuf,
    /// The directory of the demo page; the bundle is below it.
    pub assets: PathBuf,
    /// The root of the addresses that the pages link to.
    root: PathBuf,
}

/// Builds and serves the demo.
pub fn run(paths: &Paths, options: &Options) -> Result<()> {
    let demo = build_with(paths, options)?;
    if options.build_only {
        note(format!("built {}", demo.assets.display()));
        return Ok(());
    }

    heading("serving");
    let address = format!("http://127.0.0.1:{}/", options.port);
    if options.open {
        open_when_up(options.port, address);
    }
    let tool = if options.model { paths.findling() } else { paths.first_look() };
    let status = Cmd::new(tool)
        .arg("serve")
        .arg(&demo.bundle)
        .args(["--port", &options.port.to_string()])
        // The demo page is at `/`; everything else is from the site.
        .arg("--site")
        .arg(&demo.assets)
        .arg("--site")
        .arg(&demo.root)
        .run_interactive()?;
    // Users stop the server with Ctrl-C.
    if !status.success() && status.code().is_some() {
        bail!("`findling serve` failed ({status})");
    }
    Ok(())
}

/// Builds the demo over the default site, embedded with the transformer.
pub fn build(paths: &Paths) -> Result<Demo> {
    build_with(paths, &Options { model: true, ..Options::default() })
}

/// Builds the demo over the default site, embedded with the static table.
pub fn build_first_look(paths: &Paths) -> Result<Demo> {
    build_with(paths, &Options::default())
}

fn build_with(paths: &Paths, options: &Options) -> Result<Demo> {
    let site = Site::choose(paths, options)?;
    note(format!("the site: {}", site.what));
    let steps = if options.model { &WITH_MODEL[..] } else { &FIRST_LOOK };
    announce(paths, steps);
    let assets = paths.target.join("demo/assets");
    // This directory could be deployed, and wrangler.toml serves it: the page, and the bundle below
    // it.
    let bundle = assets.join("findling");
    for (number, step) in (1..).zip(steps) {
        let expected = step.expected(paths);
        heading(&format!("step {number} of {}: {}{expected}", steps.len(), step.what));
        let started = Instant::now();
        match step.work {
            // The demo's queries use the static encoder, so the transformer is not built for
            // browsers.
            Work::FirstEngine => drop(wasm::run(paths, wasm::Which::FirstLook)?),
            Work::Engine => drop(wasm::run(paths, wasm::Which::Engine)?),
            Work::Client => client::run(paths)?,
            Work::SmallTool => build_small_cli(paths)?,
            Work::Tool => build_cli(paths)?,
            Work::Model => install_model(paths)?,
            Work::SmallIndex => {
                index(paths, &paths.first_look(), &site, &bundle, &["--encoder", "static"])?;
            }
            Work::Index => index(paths, &paths.findling(), &site, &bundle, &["--encoder", MODEL])?,
        }
        note(format!("step {number} took {:.0} s", started.elapsed().as_secs_f64()));
    }
    place_page(paths, &assets)?;
    Ok(Demo { site: site.inputs[0].clone(), bundle, assets, root: site.root })
}

/// Builds the bundle of the site with the tool.
fn index(paths: &Paths, tool: &Path, site: &Site, bundle: &Path, options: &[&str]) -> Result<()> {
    fs::create_dir_all(bundle)?;
    Cmd::new(tool)
        .arg("build")
        .args(&site.inputs)
        .arg("--output")
        .arg(bundle)
        .args(site.build_options)
        .args(options)
        .dir(&paths.root)
        .run()
}

/// A step of the demo.
struct Step {
    work: Work,
    what: &'static str,
    /// CPU time of the first run, in seconds.
    secs: u64,
    /// A file that exists after the step; empty for a step that is always run.
    made: &'static str,
}

enum Work {
    /// The engine without wasm-opt.
    FirstEngine,
    Engine,
    Client,
    /// The tool without the transformer.
    SmallTool,
    Tool,
    Model,
    /// The bundle with vectors of the static table.
    SmallIndex,
    Index,
}

const fn step(work: Work, what: &'static str, secs: u64, made: &'static str) -> Step {
    Step { work, what, secs, made }
}

const CLIENT: Step = step(Work::Client, "the client", 2, "www/dist/findling.js");

/// The steps to a first look. docs/design/first-build.md has the measured times.
const FIRST_LOOK: [Step; 4] = [
    step(Work::FirstEngine, "the search engine as WebAssembly", 140, "www/wasm/engine/.stamp"),
    CLIENT,
    step(Work::SmallTool, "the command-line tool", 170, "first-look/findling"),
    step(Work::SmallIndex, "the index of the site", 14, "demo/assets/findling/findling.idx"),
];

/// The steps with the transformer.
const WITH_MODEL: [Step; 5] = [
    step(Work::Engine, "the search engine as WebAssembly", 360, "www/wasm/engine/.stamp"),
    CLIENT,
    step(Work::Tool, "the command-line tool", 1100, "release/findling"),
    step(Work::Model, "the model", 0, ""),
    step(Work::Index, "the index of the site", 180, "demo/assets/findling/findling.idx"),
];

impl Step {
    fn is_done(&self, paths: &Paths) -> bool {
        !self.made.is_empty()
            && [&paths.root, &paths.target]
                .iter()
                .any(|directory| directory.join(self.made).exists())
    }

    /// Returns the expected time, unless it is short.
    fn expected(&self, paths: &Paths) -> String {
        match self.secs {
            20.. if !self.is_done(paths) => format!(" (about {})", duration(self.secs)),
            _ => String::new(),
        }
    }
}

/// Prints how long the first build takes.
fn announce(paths: &Paths, steps: &[Step]) {
    let secs: u64 = steps.iter().filter(|step| !step.is_done(paths)).map(|step| step.secs).sum();
    if secs >= 20 {
        note(format!(
            "first build: {} min of CPU time, about {} on this machine ({} cores); later builds \
             reuse it",
            secs.div_ceil(60),
            duration(secs),
            cores()
        ));
    }
}

/// Returns how long a step with this CPU time takes on this machine. Compiling does not keep many
/// cores busy all the time.
fn duration(cpu_secs: u64) -> String {
    let secs = cpu_secs.div_ceil(cores().min(4));
    if secs < 90 { format!("{secs} s") } else { format!("{} min", secs.div_ceil(60)) }
}

fn cores() -> u64 {
    std::thread::available_parallelism().map_or(1, usize::from) as u64
}

/// Returns the documents that the demo searches by default, for commands that need real documents.
pub fn documents(paths: &Paths) -> Result<Vec<PathBuf>> {
    Ok(Site::choose(paths, &Options::default())?.inputs)
}

/// The site of the demo.
struct Site {
    what: String,
    /// The directory that the server shows at `/`, after the demo page.
    root: PathBuf,
    inputs: Vec<PathBuf>,
    build_options: &'static [&'static str],
}

impl Site {
    fn choose(paths: &Paths, options: &Options) -> Result<Self> {
        if let Some(dir) = &options.site {
            let root = dir.canonicalize().with_context(|| format!("--site {}", dir.display()))?;
            if !root.is_dir() {
                bail!("--site {}: not a directory", dir.display());
            }
            return Ok(Self {
                what: root.display().to_string(),
                inputs: vec![root.clone()],
                root,
                build_options: &[],
            });
        }
        let sysroot =
            Cmd::new(paths::rustc()).args(["--print", "sysroot"]).dir(&paths.root).read()?;
        let html = Path::new(&sysroot).join("share/doc/rust/html");
        let books: Vec<&str> =
            BOOKS.into_iter().filter(|book| html.join(book).join("index.html").is_file()).collect();
        if books.is_empty() {
            note(format!(
                "no Rust documentation in {} (`rustup component add rust-docs` has it)",
                html.display()
            ));
            return Ok(Self {
                what: "this project's own documentation".to_owned(),
                root: paths.root.clone(),
                inputs: own_docs(&paths.root, &paths.target.join("demo/own-docs"))?,
                build_options: &[],
            });
        }
        let root = stage(&html, &books, &paths.target.join("demo/site"))?;
        Ok(Self {
            what: format!("the books of Rust's documentation: {}", books.join(", ")),
            inputs: vec![root.clone()],
            root: html,
            build_options: &["--attribute-from-path", "book"],
        })
    }
}

/// Copies the pages of the books to one root, so that `book/ch01.html` is both the path and the
/// address of a page. The books' directories also contain files that are not pages.
fn stage(html: &Path, books: &[&str], into: &Path) -> Result<PathBuf> {
    let stamp = into.with_extension("stamp");
    let wanted = format!("{}\n{}\n{NOT_PAGES:?}\n{NOT_BOOKS:?}\n", html.display(), books.join(" "));
    if fs::read_to_string(&stamp).is_ok_and(|had| had == wanted) {
        return Ok(into.to_owned());
    }
    let _ = fs::remove_dir_all(into);
    for book in books {
        copy_pages(&html.join(book), &into.join(book))?;
    }
    fs::write(stamp, wanted)?;
    Ok(into.to_owned())
}

/// Whole books on one page, and tables of contents.
const NOT_PAGES: [&str; 3] = ["print.html", "toc.html", "404.html"];
/// Stubs that only link to the new place of an edition, and translations, whose languages the
/// default model does not know.
const NOT_BOOKS: [&str; 8] =
    ["first-edition", "second-edition", "2018-edition", "es", "ja", "ko", "zh", "theme"];

/// Copies the HTML files of a directory that are pages.
fn copy_pages(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            if !NOT_BOOKS.iter().any(|not| name == *not) {
                copy_pages(&path, &to.join(&name))?;
            }
        } else if path.extension().is_some_and(|e| e == "html")
            && !NOT_PAGES.iter().any(|not| name == *not)
        {
            fs::copy(&path, to.join(&name))?;
        }
    }
    Ok(())
}

/// Copies the Markdown files of the root and of `docs/`, except in `target` and `node_modules`.
fn own_docs(root: &Path, into: &Path) -> Result<Vec<PathBuf>> {
    let _ = fs::remove_dir_all(into);
    fs::create_dir_all(into)?;
    let docs = root.join("docs");
    for dir in [root, docs.as_path()].into_iter().filter(|dir| dir.is_dir()) {
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "md")
                && let Ok(relative) = path.strip_prefix(root)
            {
                let to = into.join(relative);
                fs::create_dir_all(to.parent().unwrap_or(into))?;
                fs::copy(&path, to)?;
            }
        }
    }
    Ok(vec![into.to_owned()])
}

/// Builds the command-line tool with the profile and the features of the tests, so that tract
/// compiles once.
pub fn build_cli(paths: &Paths) -> Result<()> {
    build_cli_and(paths, &[])
}

/// Builds the command-line tool and some of its examples.
pub fn build_cli_and(paths: &Paths, examples: &[&str]) -> Result<()> {
    Cmd::new(paths::cargo())
        .args(["build", "--release", "--workspace", "--bin", "findling"])
        .args(examples.iter().flat_map(|example| ["--example", example]))
        .dir(&paths.root)
        .run()
}

/// Returns the command-line tool without the transformer, for a first look.
fn build_small_cli(paths: &Paths) -> Result<()> {
    Cmd::new(paths::cargo())
        .args(["build", "--profile", paths::FIRST_LOOK, "--package", "findling"])
        .args(["--no-default-features", "--bin", "findling"])
        .dir(&paths.root)
        .run()
}

/// Installs the model unless it is installed.
pub fn install_model(paths: &Paths) -> Result<()> {
    Cmd::new(paths.findling()).args(["models", "install", MODEL, "--yes"]).run()
}

/// Copies the demo page.
fn place_page(paths: &Paths, into: &Path) -> Result<()> {
    let from = paths.www.join("demo");
    for entry in fs::read_dir(&from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        if entry.path().is_file() {
            fs::copy(entry.path(), into.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Opens the page in a browser once the server answers; does nothing without a desktop.
fn open_when_up(port: u16, address: String) {
    let desktop =
        std::env::var_os("DISPLAY").is_some() || std::env::var_os("WAYLAND_DISPLAY").is_some();
    let opener = if cfg!(target_os = "macos") { Some("open".into()) } else { which("xdg-open") };
    let Some(opener) = opener.filter(|_| desktop || cfg!(target_os = "macos")) else { return };
    std::thread::spawn(move || {
        for _ in 0..100 {
            if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                let _ = std::process::Command::new(opener).arg(address).status();
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    });
}
