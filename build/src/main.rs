//! `findling`: hybrid search that ships with the site.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser, Subcommand};
use findling_build::commands;
use findling_build::commands::config::{Settled, with_settings};
use findling_build::option_names::with_flags;
use findling_build::output::Failure;
use findling_build::safe_text;
use findling_build::standard_streams::{has_output, tell};
use findling_build::ui::{Ui, Verbosity};

/// Each stage of a build frees much memory for the next stage; the system's allocator leaves it
/// fragmented. Huge pages are off (`no_thp`): the system clears a whole page when its first byte is
/// touched, which took a tenth of the time of a sync.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Hybrid search that ships with the site: build, search, serve and measure a bundle
#[derive(Parser)]
#[command(name = "findling", version, propagate_version = true)]
#[command(help_template = commands::front_help::TEMPLATE)]
#[command(
    after_help = "Exit status: 0 done; 1 failed; 2 wrong usage; 3 done, but some pages could not \
         be read. Of search, find, similar, show, relevance and context: 0 found; 1 nothing \
         found; 2 wrong usage; 3 no bundle, or it cannot be read; 4 not every collection could be \
         searched."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print only warnings and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Also print what is skipped, and why
    #[arg(short, long, global = true)]
    verbose: bool,
    /// Print progress as a JSON object a line, to standard error
    #[arg(long, global = true)]
    json_progress: bool,
    /// Print an answer that is longer than the screen at once, without a pager
    #[arg(long, global = true)]
    no_pager: bool,
}

/// The commands. The types of their arguments describe them.
#[derive(Subcommand)]
enum Command {
    Build(Box<commands::build::Args>),
    Merge(commands::merge::Args),
    Sections(Box<commands::build::SectionsArgs>),
    Embed(Box<commands::build::EmbedArgs>),
    Collection(commands::collection::Args),
    Sync(commands::sync::Args),
    Pagefind(Box<commands::pagefind::Args>),
    Search(commands::search::Args),
    Similar(commands::similar::Args),
    Show(commands::show::Args),
    Resume(commands::show::resume::Args),
    Find(commands::find::Args),
    Relevance(commands::relevance::Args),
    Last(commands::last::Args),
    Open(commands::last::OpenArgs),
    #[cfg(feature = "history")]
    History(commands::history::Args),
    #[cfg(feature = "history")]
    Feedback(commands::history::FeedbackArgs),
    #[cfg(feature = "history")]
    Learn(commands::history::LearnArgs),
    #[cfg(feature = "tui")]
    Tui(commands::tui::Args),
    #[cfg(feature = "tui")]
    Repl(commands::repl::Args),
    Report(commands::report::Args),
    Context(commands::context::Args),
    Note(Box<commands::note::Args>),
    Agents(commands::agents::Args),
    #[cfg(feature = "mcp")]
    Mcp(commands::mcp::Args),
    Explain(commands::explain::Args),
    Eval(commands::eval::Args),
    Inspect(commands::inspect::Args),
    Models(commands::models::Args),
    #[cfg(feature = "transformer")]
    Distill(commands::distill::Args),
    Serve(commands::serve::Args),
    Deploy(commands::deploy::Args),
    Init(commands::init::Args),
    Config(commands::config::Args),
    Completions(commands::completions::Args),
    Man(commands::man::Args),
}

/// Returns the command line. If the program runs under the name of Pagefind's program, for example
/// by a link `pagefind`, returns the command line of `findling pagefind`.
fn arguments() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let name = arguments.first().map(Path::new).and_then(Path::file_stem);
    if name.is_some_and(|name| name == "pagefind" || name == "pagefind_extended") {
        arguments.insert(1, "pagefind".into());
    }
    arguments
}

fn main() -> ExitCode {
    let settled = match with_settings(Cli::command, arguments()) {
        Ok(settled) => settled,
        Err(error) => return unreadable(&error),
    };
    let cli = match Cli::try_parse_from(&settled.arguments) {
        Ok(cli) => cli,
        Err(error) => return refused(&error, settled),
    };
    let verbosity = match (cli.quiet, cli.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    let ui = Ui::new(verbosity);
    let ui = if cli.json_progress { ui.with_json_progress() } else { ui };
    let ui = if cli.no_pager { ui.without_pager() } else { ui };
    if let Some(warning) = settled.warning {
        ui.warn(warning);
    }
    let outcome = match cli.command {
        Command::Build(args) => commands::build::run(*args, &ui),
        Command::Merge(args) => commands::merge::run(args, &ui),
        Command::Sections(args) => commands::build::run_sections(*args, &ui),
        Command::Embed(args) => commands::build::run_embed(*args, &ui),
        Command::Collection(args) => commands::collection::run(args, &ui),
        Command::Sync(args) => commands::sync::run(args, &ui),
        Command::Pagefind(args) => commands::pagefind::run(*args, &ui),
        Command::Search(args) => commands::search::run(args, &ui),
        Command::Similar(args) => commands::similar::run(args, &ui),
        Command::Show(args) => commands::show::run(args, &ui),
        Command::Resume(args) => commands::show::resume::run(&args, &ui),
        Command::Find(args) => commands::find::run(args, &ui),
        Command::Relevance(args) => commands::relevance::run(args, &ui),
        Command::Last(args) => commands::last::run(args, &ui),
        Command::Open(args) => commands::last::open(args, &ui),
        #[cfg(feature = "history")]
        Command::History(args) => commands::history::run(args, &ui),
        #[cfg(feature = "history")]
        Command::Feedback(args) => commands::history::feedback(args, &ui),
        #[cfg(feature = "history")]
        Command::Learn(args) => commands::history::learn(args, &ui),
        #[cfg(feature = "tui")]
        Command::Tui(args) => commands::tui::run(args, &ui),
        #[cfg(feature = "tui")]
        Command::Repl(args) => commands::repl::run(args, &ui),
        Command::Report(args) => commands::report::run(args, &ui),
        Command::Context(args) => commands::context::run(args, &ui),
        Command::Note(args) => commands::note::run(*args, &ui),
        Command::Agents(args) => commands::agents::run(args, &ui),
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => commands::mcp::run(args),
        Command::Explain(args) => commands::explain::run(args, &ui),
        Command::Eval(args) => commands::eval::run(args, &ui),
        Command::Inspect(args) => commands::inspect::run(args, &ui),
        Command::Models(args) => commands::models::run(args, &ui),
        #[cfg(feature = "transformer")]
        Command::Distill(args) => commands::distill::run(args, &ui),
        Command::Deploy(args) => commands::deploy::run(args, &ui),
        Command::Serve(args) => commands::serve::run(args, &ui),
        Command::Init(args) => commands::init::run(args, &ui),
        Command::Config(args) => commands::config::run(args, Cli::command(), &ui),
        Command::Completions(args) => commands::completions::run(args, Cli::command()),
        Command::Man(args) => commands::man::run(args, Cli::command(), &ui),
    };
    outcome.unwrap_or_else(|error| {
        let error = with_flags(error);
        // A program gets one JSON object: the error is only printed if nothing was printed before.
        match wants_json() {
            true => {
                if !has_output() {
                    Failure::of(&error).print();
                }
                ui.error(&error);
            }
            false => Failure::tell(&error, &ui),
        }
        ExitCode::FAILURE
    })
}

/// Exits because a `findling.toml` cannot be read.
fn unreadable(error: &anyhow::Error) -> ExitCode {
    let failure = Failure::of(error);
    if wants_json() {
        failure.print();
    } else {
        Failure::tell(error, &Ui::new(Verbosity::Normal));
    }
    failure.exit().into()
}

/// Returns whether the output is for a program.
fn wants_json() -> bool {
    std::env::args_os().any(|arg| arg == "--json" || arg == "--format=json")
}

/// Exits for arguments that cannot be parsed, and for help. A program that asked for JSON gets the
/// error as JSON. An argument that nobody typed is named with the file that set it.
fn refused(error: &clap::Error, settled: Settled) -> ExitCode {
    let place = settled.place_of(error).map(ToOwned::to_owned);
    // An argument may be missing because its setting in a file needs trust.
    if let Some(warning) = settled.warning.filter(|_| error.use_stderr()) {
        Ui::new(Verbosity::Normal).warn(warning);
    }
    if error.use_stderr() && wants_json() {
        let place = place.map_or_else(String::new, |place| format!("{place}: "));
        let failure = Failure::usage(&format!("{place}{}", error.to_string().trim()));
        failure.print();
        return failure.exit().into();
    }
    if let Some(place) = place {
        Ui::new(Verbosity::Normal).warn(format!("the next error is about a setting, {place}"));
    }
    let instead = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(command)) => {
            commands::front_help::instead_of(command).map(|instead| (command, instead))
        }
        _ => None,
    };
    if let Some((command, instead)) = instead {
        let message = format!(
            "expected a command, found `{command}`; perhaps `{instead}` is meant. `findling \
             --help` lists all"
        );
        Ui::new(Verbosity::Normal).error(&anyhow::Error::msg(message));
        return ExitCode::from(2);
    }
    let whole = error.to_string();
    match safe_text::message(&whole) {
        Cow::Owned(short) if error.use_stderr() => {
            tell(format_args!("{}", short.trim()));
            ExitCode::from(2)
        }
        _ => error.exit(),
    }
}

#[cfg(test)]
mod tests {
    use findling_build::commands::config::unlisted;

    use super::*;

    #[test]
    fn the_command_line_has_no_contradiction() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_first_page_of_help_names_every_command() {
        for command in Cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            assert!(commands::front_help::names(command.get_name()), "{}", command.get_name());
        }
        let page = Cli::command().render_help().to_string();
        assert!(page.contains("collection add") && page.contains("--verbose"), "{page}");
        for command in Cli::command().get_subcommands() {
            let name = command.get_name();
            assert!(commands::front_help::instead_of(name).is_none(), "{name} exists");
        }
    }

    /// Commands whose options a project's file cannot set.
    const WITHOUT: [&str; 19] = [
        "agents",
        "collection",
        "completions",
        "config",
        "deploy",
        "distill",
        "feedback",
        "help",
        "history",
        "init",
        "last",
        "learn",
        "man",
        "models",
        "note",
        "open",
        "report",
        "resume",
        "show",
    ];

    #[test]
    fn every_option_is_judged_before_a_projects_file_may_set_it() {
        let mut unlisted = unlisted(&mut Cli::command());
        unlisted.retain(|option| !WITHOUT.contains(&option.split(' ').next().unwrap()));
        assert_eq!(unlisted, [""; 0], "add them to `commands/config/classes.rs`");
    }
}
