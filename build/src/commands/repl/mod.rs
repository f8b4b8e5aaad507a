//! `findling repl`: a prompt that keeps filters, mode and format from query to query.

mod command;
mod complete;
mod session;

use std::cell::RefCell;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result};
use findling_engine::{Limit, Request};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};

use super::last::Opener;
use super::search::{FormatArg, Output, finish, keep};
use super::state_directory;
use crate::host::Cost;
use crate::output::{Asked as Question, Exit, Failure, Format, Meta, Timings, text};
use crate::replace_file::replace_by;
use crate::safe_text;
use crate::ui::{Paint, Ui};
use command::{COMMANDS, Command, MODES, formats, parse};
use complete::Completion;
use session::Session;

/// Most lines of the history.
const MAX_LINES: usize = 1_000;

/// Search at a prompt that keeps filters, mode and format
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundle: a directory, a .findling file, or the name of a collection. By default all
    /// collections, or the directory one stands in
    target: Option<PathBuf>,
}

/// Whether the prompt comes again.
enum Next {
    On,
    End,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    finish(&Output::default(), ui, || start(args.target, ui))
}

fn start(target: Option<PathBuf>, ui: &Ui) -> Result<Exit> {
    let targets: Vec<PathBuf> = target.into_iter().collect();
    let session = Rc::new(RefCell::new(Session::open(&targets, ui)?));
    let config = Config::builder()
        .max_history_size(MAX_LINES)?
        .completion_type(CompletionType::List)
        .build();
    let mut editor: Editor<Completion, FileHistory> = Editor::with_config(config)?;
    editor.set_helper(Some(Completion { session: session.clone() }));
    let is_terminal = std::io::stdin().is_terminal();
    let history = state_directory::file("repl-history").ok().filter(|_| is_terminal);
    if let Some(history) = &history {
        // The first time there is none.
        let _ = editor.load_history(history);
    }
    if is_terminal {
        ui.status("Ready", ":help lists the commands, Tab completes, Ctrl+D ends");
    }
    let mut exit = Exit::Found;
    loop {
        let prompt = session.borrow().prompt();
        let line = match editor.readline(&prompt) {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error).context("the prompt cannot be read"),
        };
        if line.trim().is_empty() {
            continue;
        }
        editor.add_history_entry(line.as_str())?;
        match parse(&line)
            .map_err(Into::into)
            .and_then(|command| obey(&command, &mut session.borrow_mut(), ui))
        {
            Ok(Next::On) => {}
            Ok(Next::End) => break,
            Err(error) => {
                ui.error(&error);
                exit = Failure::of(&error).exit();
            }
        }
    }
    if let Some(history) = &history {
        std::fs::create_dir_all(history.parent().unwrap_or(Path::new(".")))?;
        editor.save_history(history).context("the history cannot be kept")?;
    }
    // At a terminal everybody has seen what failed; a script has not.
    Ok(if is_terminal { Exit::Found } else { exit })
}

fn obey(command: &Command<'_>, session: &mut Session, ui: &Ui) -> Result<Next> {
    match command {
        Command::Query(query) => {
            session.ask(&session.request(query))?;
            print(session, ui)?;
        }
        Command::More => more(session, ui)?,
        Command::Filter(None) => list_filters(session, ui),
        Command::Filter(Some(text)) => {
            let pages = session.add_filter(text)?;
            ui.status("Kept", format!("{} pass", crate::ui::count(pages, "pages")));
        }
        Command::Unfilter(None) => session.filters.clear(),
        Command::Unfilter(Some(number)) => {
            let n_filters = session.filters.len();
            if *number > n_filters {
                let message = format!(
                    "expected the number of a filter (there are {n_filters}), found {number}"
                );
                return Err(Question { code: "usage", message }.into());
            }
            session.filters.remove(number - 1);
        }
        Command::Mode(mode) => {
            session.mode = mode.unwrap_or(session.mode);
            let name = MODES.iter().find(|(_, mode)| *mode == session.mode);
            ui.status("Mode", name.map_or("", |(name, _)| name));
        }
        Command::Format(format) => {
            session.format = format.unwrap_or(session.format);
            let name = formats().find(|(_, format)| *format == session.format);
            ui.status("Format", name.map_or(String::new(), |(name, _)| name));
        }
        Command::Limit(limit) => {
            session.limit = limit.unwrap_or(session.limit);
            ui.status("Limit", session.limit);
        }
        Command::Facets(name) => facets(*name, session, ui)?,
        Command::Explain(number) => explain(*number, session, ui)?,
        Command::Open { number, in_browser } => {
            let (_, _, hit) = session.hit(*number)?;
            let status = Opener::of(&hit, *in_browser)?.process()?.status();
            status.context("the program cannot be started")?;
        }
        Command::Save(path) => save(Path::new(path), session, ui)?,
        Command::Help => {
            let mut out = std::io::stdout().lock();
            for known in COMMANDS {
                let name = format!("{:24}", format!("{} {}", known.name, known.argument));
                writeln!(out, "{} {}", ui.paint(Paint::Bold, &name), known.does)?;
            }
        }
        Command::Quit => return Ok(Next::End),
    }
    Ok(Next::On)
}

fn format_of(format: FormatArg) -> Result<Format> {
    Ok(Output { format: Some(format), ..Output::default() }.format()?)
}

/// Prints the last answer, and keeps its hits for `findling open`.
fn print(session: &Session, ui: &Ui) -> Result<()> {
    let format = format_of(session.format)?;
    let meta = meta(session);
    let query = session.last.as_ref().map_or("", |last| &last.query);
    keep(query, &session.answers(&meta), format, ui);
    let mut out = BufWriter::new(std::io::stdout().lock());
    write(session, format, ui, &mut out)?;
    Ok(out.flush()?)
}

fn write(session: &Session, format: Format, ui: &Ui, mut out: &mut dyn Write) -> Result<()> {
    let meta = meta(session);
    let answers = session.answers(&meta);
    if answers.len() > 1 && matches!(format, Format::Csv | Format::Json) {
        let message = "expected one bundle for csv or json, found several; use jsonl, or name one \
                       bundle: findling repl BUNDLE";
        return Err(Question { code: "usage", message: message.into() }.into());
    }
    for answer in &answers {
        if let Some(name) = answer.collection {
            match format {
                Format::Text => {
                    writeln!(out, "{}\n", ui.paint(Paint::Green, &safe_text::line(name)))?;
                }
                Format::Markdown => writeln!(out, "## {}\n", safe_text::markdown(name))?,
                _ => {}
            }
        }
        answer.write(format, ui, &mut out)?;
    }
    if answers.is_empty() && format == Format::Text {
        writeln!(out, "{}", ui.paint(Paint::Dim, "nothing matches"))?;
    }
    Ok(())
}

/// What JSON says about the one bundle that it is for.
fn meta(session: &Session) -> Meta {
    let [asked] = &session.asked[..] else { return Meta::default() };
    let Some(target) = &asked.target else { return Meta::default() };
    let timings = Timings::new(
        Instant::now(),
        asked.host.open_time(),
        Default::default(),
        Default::default(),
        &Cost::default(),
    );
    Meta::new(target, &asked.host, timings)
}

/// Shows the pages after those of the last answer, of each bundle.
fn more(session: &mut Session, ui: &Ui) -> Result<()> {
    let Some(last) = &session.last else {
        let message = "expected a query before this command, found none".to_owned();
        return Err(Question { code: "no-last", message }.into());
    };
    let offset = last.offset + session.limit;
    let request = Request { offset, ..session.request(&last.query) };
    session.ask(&request)?;
    print(session, ui)
}

fn list_filters(session: &Session, ui: &Ui) {
    if session.filters.is_empty() {
        ui.status("Filters", "none; `:filter year>=2020` keeps one");
    }
    for (number, (text, _)) in (1..).zip(&session.filters) {
        println!("{number}. {}", safe_text::line(text));
    }
}

/// Counts the values of an attribute over what the last query found.
fn facets(name: Option<&str>, session: &mut Session, ui: &Ui) -> Result<()> {
    let query = session.last.as_ref().map_or(String::new(), |last| last.query.clone());
    let facets = vec![name.unwrap_or("*").to_owned()];
    let request = Request { limit: Limit(0), facets, ..session.request(&query) };
    let mut out = std::io::stdout().lock();
    for bundle in 0..session.asked.len() {
        let response = session.answer(bundle, request.clone())?;
        for facet in &response.facets {
            let values = facet.values.iter().map(|(value, n)| {
                format!("{} {}", safe_text::line(value), crate::ui::thousands((*n).into()))
            });
            let values: Vec<String> = values.collect();
            let name = ui.paint(Paint::Bold, &safe_text::line(&facet.name));
            writeln!(out, "{name}: {}", values.join(", "))?;
        }
    }
    Ok(())
}

/// Prints a hit with the parts of its score.
fn explain(number: usize, session: &mut Session, ui: &Ui) -> Result<()> {
    let (bundle, place, _) = session.hit(number)?;
    let Some(last) = &session.last else { return Ok(()) };
    let offset = last.offset;
    let query = last.query.clone();
    let request = Request { explain: true, offset, ..session.request(&query) };
    let response = session.answer(bundle, request)?;
    let page = response.results.get(place).context("the hit is found no longer: ask again")?;
    let mut out = std::io::stdout().lock();
    text::print_page(number, page, &session.asked[bundle].sources.relative(), ui, &mut out)?;
    if let Some(plan) = &response.plan {
        text::print_plan(plan, ui, &mut out)?;
    }
    Ok(())
}

/// Writes the last answer to a file, in the format of its name or in the current one.
fn save(path: &Path, session: &Session, ui: &Ui) -> Result<()> {
    let Some(last) = &session.last else {
        let message = "expected a query before this command, found none".to_owned();
        return Err(Question { code: "no-last", message }.into());
    };
    let by_name = path.extension().and_then(|extension| match extension.to_str()? {
        "md" => Some(FormatArg::Markdown),
        "json" => Some(FormatArg::Json),
        "jsonl" => Some(FormatArg::Jsonl),
        "csv" => Some(FormatArg::Csv),
        _ => None,
    });
    let format = format_of(by_name.unwrap_or(session.format))?;
    replace_by(path, |file| -> Result<()> {
        let mut out = BufWriter::new(file);
        write(session, format, &ui.for_file(), &mut out)?;
        Ok(out.flush()?)
    })
    .with_context(|| format!("{} cannot be written", path.display()))?;
    let pages: usize = last.found.iter().map(|(_, response)| response.results.len()).sum();
    let pages = crate::ui::count(pages as u64, "pages");
    ui.status("Saved", format!("{pages} in {}", path.display()));
    Ok(())
}
