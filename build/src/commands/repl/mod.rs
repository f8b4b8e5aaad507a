//! `findling repl`: a prompt that keeps filters, mode and format from query to query.

mod command;
mod complete;
mod session;

use std::cell::RefCell;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;

use anyhow::{Context, Result};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};

use super::last::Opener;
use super::search::{FormatArg, Output, finish, keep, write_to};
use super::state_directory;
use super::vector_name::VectorName;
use crate::file_mode::make_directory;
use crate::output::{Exit, Failure, Format, UsageError, comparable, text, write_all};
use crate::safe_text;
use crate::standard_streams::{is_closed, stdout};
use crate::ui::{Paint, Ui};
use command::{COMMANDS, Command, parse, word};
use complete::Completion;
use session::Session;

/// Maximum number of lines of the history.
const MAX_LINES: usize = 1_000;

/// Search at a prompt that keeps filters, mode and format
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle
    #[arg(help = concat!(
        "Bundle: ", bundle_forms!(),
        ". By default all collections, or the directory one stands in"
    ))]
    target: Option<PathBuf>,
    /// Which vectors are searched.
    #[command(flatten)]
    vectors: VectorName,
}

/// Whether the prompt is shown again.
enum Next {
    On,
    End,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    // A pager would hide the prompt.
    finish(&Output::default(), ui, || start(args, &ui.without_pager()))
}

fn start(args: Args, ui: &Ui) -> Result<Exit> {
    let targets: Vec<PathBuf> = args.target.into_iter().collect();
    let session = Rc::new(RefCell::new(Session::open(&targets, &args.vectors, ui)?));
    let config = Config::builder()
        .max_history_size(MAX_LINES)?
        .completion_type(CompletionType::List)
        .build();
    let mut editor: Editor<Completion, FileHistory> = Editor::with_config(config)?;
    editor.set_helper(Some(Completion { session: session.clone() }));
    let is_terminal = std::io::stdin().is_terminal();
    let history = state_directory::file("repl-history").ok().filter(|_| is_terminal);
    if let Some(history) = &history {
        // The file does not exist the first time.
        let _ = editor.load_history(history);
    }
    if is_terminal {
        ui.status("Ready", ":help lists the commands, Tab completes, quit or Ctrl+D ends");
    }
    let mut exit = Exit::Found;
    let mut was_interrupted = false;
    loop {
        let prompt = session.borrow().prompt();
        let line = match editor.readline(&prompt) {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) if was_interrupted => break,
            Err(ReadlineError::Interrupted) => {
                was_interrupted = true;
                ui.status("Cleared", "Ctrl+C again ends");
                continue;
            }
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error).context("the prompt cannot be read"),
        };
        was_interrupted = false;
        if line.trim().is_empty() {
            continue;
        }
        editor.add_history_entry(line.as_str())?;
        match parse(&line)
            .map_err(Into::into)
            .and_then(|command| obey(&command, &mut session.borrow_mut(), ui))
        {
            // The reader of the output is gone.
            Ok(Next::On) if is_closed() => break,
            Ok(Next::On) => {}
            Ok(Next::End) => break,
            Err(error) => {
                Failure::tell(&error, ui);
                exit = Failure::of(&error).exit();
            }
        }
    }
    if let Some(history) = &history {
        make_directory(history.parent().unwrap_or(Path::new(".")))?;
        editor.save_history(history).context("the history cannot be kept")?;
    }
    // At a terminal the user has seen the error; a script needs the exit status.
    Ok(if is_terminal { Exit::Found } else { exit })
}

fn obey(command: &Command<'_>, session: &mut Session, ui: &Ui) -> Result<Next> {
    match command {
        Command::Query(query) => {
            session.ask(query)?;
            print(session, ui)?;
        }
        Command::More => {
            session.more()?;
            print(session, ui)?;
        }
        Command::Filter(None) => list_filters(session, ui)?,
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
                return Err(UsageError { code: "usage", message }.into());
            }
            session.filters.remove(number - 1);
        }
        Command::Mode(mode) => {
            session.mode = mode.unwrap_or(session.mode);
            ui.status("Mode", word(&session.mode).unwrap_or_default());
        }
        Command::Format(format) => {
            session.format = format.unwrap_or(session.format);
            ui.status("Format", word(&session.format).unwrap_or_default());
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
            let mut out = stdout();
            for known in COMMANDS {
                let name = format!("{:24}", format!("{} {}", known.name, known.argument));
                writeln!(out, "{} {}", ui.paint(Paint::Bold, &name), known.does)?;
            }
        }
        Command::Quit => return Ok(Next::End),
    }
    Ok(Next::On)
}

/// Prints the last answer, and keeps its hits for `findling open`.
fn print(session: &Session, ui: &Ui) -> Result<()> {
    let output = Output { format: Some(session.format), ..Output::default() };
    let format = output.format()?;
    keep(&session.last_answer()?.request.query, &session.answers(), &output, ui)?;
    write_to(&output, ui, |ui, out| write(session, format, ui, out))
}

fn write(session: &Session, format: Format, ui: &Ui, out: &mut dyn Write) -> Result<()> {
    let answers = session.answers();
    if answers.len() > 1 && matches!(format, Format::Csv | Format::Json) {
        let message = "expected one bundle for csv or json, found several; use jsonl, or name one \
                       bundle: findling repl BUNDLE";
        return Err(UsageError { code: "usage", message: message.into() }.into());
    }
    write_all(&answers, format, ui, out)
}

fn list_filters(session: &Session, ui: &Ui) -> Result<()> {
    if session.filters.is_empty() {
        ui.status("Filters", "none; `:filter year>=2020` keeps one");
    }
    let mut out = stdout();
    for (number, (text, _)) in (1..).zip(&session.filters) {
        writeln!(out, "{number}. {}", safe_text::line(text))?;
    }
    Ok(())
}

/// Counts the values of an attribute over the results of the last query.
fn facets(name: Option<&str>, session: &mut Session, ui: &Ui) -> Result<()> {
    let mut out = stdout();
    session.facets(name)?.iter().try_for_each(|facet| text::print_facet(facet, ui, &mut out))
}

/// Prints a hit with the components of its score.
fn explain(number: usize, session: &mut Session, ui: &Ui) -> Result<()> {
    let (bundle, place, response) = session.explained(number)?;
    let page = response.results.get(place).context("the hit is found no longer: ask again")?;
    let mut out = stdout();
    let sources = session.asked[bundle].sources.relative();
    text::print_page(number, page, comparable(&response, page), &sources, ui, &mut out)?;
    if let Some(plan) = &response.plan {
        text::print_plan(plan, ui, &mut out)?;
    }
    Ok(())
}

/// Writes the last answer to a file, in the format of its name or in the current one.
fn save(path: &Path, session: &Session, ui: &Ui) -> Result<()> {
    let last = session.last_answer()?;
    let by_name = path.extension().and_then(|extension| match extension.to_str()? {
        "md" => Some(FormatArg::Markdown),
        "json" => Some(FormatArg::Json),
        "jsonl" => Some(FormatArg::Jsonl),
        "csv" => Some(FormatArg::Csv),
        _ => None,
    });
    let format = Some(by_name.unwrap_or(session.format));
    let output = Output { format, file: Some(path.to_owned()), ..Output::default() };
    let format = output.format()?;
    write_to(&output, ui, |ui, out| write(session, format, ui, out))?;
    let pages: usize = last.found.iter().map(|one| one.response.results.len()).sum();
    let pages = crate::ui::count(pages as u64, "pages");
    ui.status("Saved", format!("{pages} in {}", path.display()));
    Ok(())
}
