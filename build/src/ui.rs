//! The console: messages of the tool, besides its results.
//!
//! Results go to standard output; messages go to standard error, so that progress is visible while
//! the output of `--json` is piped. Colours and bars appear only on a terminal and without
//! `NO_COLOR`. Messages can quote a site, so all of them go through [`crate::safe_text`].

use std::io::{self, BufRead, IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::job_progress::JobProgress;
use crate::progress::{Count, Counter, Event, Progress};
pub use crate::progress::{bytes, count, thousands};
use crate::safe_text;
use crate::standard_streams::{stdout, tell};

/// The amount of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Errors only.
    Silent,
    /// Errors and warnings only.
    Quiet,
    /// One line for each stage.
    Normal,
    /// Every skipped file and every decision too.
    Verbose,
}

/// The console.
#[derive(Clone, Debug)]
pub struct Ui {
    verbosity: Verbosity,
    colour_err: bool,
    colour_out: bool,
    links: bool,
    bars: bool,
    json_progress: bool,
    /// Whether results go to standard output, so that the terminal's width may decide theirs.
    fits_terminal: bool,
    /// Whether a pager may show results.
    pages: bool,
    /// The messages of a job that nobody watches.
    told: Option<JobProgress>,
}

/// The size of a terminal in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Lines.
    pub rows: usize,
    /// Characters of a line.
    pub columns: usize,
}

/// The limits of the width of results, in columns: narrower and wider results are hard to read.
const MIN_COLUMNS: usize = 40;
const MAX_COLUMNS: usize = 120;
/// The width of results in files, and in pipes without `COLUMNS`.
const DEFAULT_COLUMNS: usize = 100;

/// Interval between two lines of progress as JSON.
const TICK: Duration = Duration::from_millis(500);

/// The progress of a stage, as a line of JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProgressLine<'a> {
    progress: &'a str,
    done: u64,
    /// `None` while it is not known.
    total: Option<u64>,
    unit: &'a str,
    per_second: f64,
    seconds_left: Option<f64>,
}

/// A style on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Titles, marked words.
    Bold,
    /// Paths, scores, less important text.
    Dim,
    /// Links.
    Blue,
    /// Done.
    Green,
    /// Warnings.
    Yellow,
    /// Errors.
    Red,
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Paint::Bold => "1",
            Paint::Dim => "2",
            Paint::Blue => "34",
            Paint::Green => "1;32",
            Paint::Yellow => "1;33",
            Paint::Red => "1;31",
        }
    }

    fn apply(self, on: bool, text: &str) -> String {
        if on { format!("\x1b[{}m{text}\x1b[0m", self.code()) } else { text.to_owned() }
    }
}

impl Ui {
    /// Returns a console for this process's standard error and standard output.
    pub fn new(verbosity: Verbosity) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let err = std::io::stderr().is_terminal();
        let out = std::io::stdout().is_terminal();
        Self {
            verbosity,
            colour_err: err && !plain,
            colour_out: out && !plain,
            links: out && !plain && std::env::var_os("TERM").is_some_and(|term| term != "dumb"),
            bars: err && verbosity > Verbosity::Quiet,
            json_progress: false,
            fits_terminal: true,
            pages: std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
            told: None,
        }
    }

    /// Returns a console without messages, for tests and for use as a library.
    pub fn silent() -> Self {
        Self {
            verbosity: Verbosity::Silent,
            colour_err: false,
            colour_out: false,
            links: false,
            bars: false,
            json_progress: false,
            fits_terminal: false,
            pages: false,
            told: None,
        }
    }

    /// Returns a console that prints nothing, asks nothing and keeps its messages, for a job whose
    /// progress a client polls.
    pub fn kept(told: &JobProgress) -> Self {
        Self { told: Some(told.clone()), ..Self::silent() }
    }

    /// Reports progress as lines of JSON on standard error in place of bars.
    pub fn with_json_progress(self) -> Self {
        Self { json_progress: true, bars: false, ..self }
    }

    /// Returns this console without a pager for results.
    pub fn without_pager(&self) -> Self {
        Self { pages: false, ..self.clone() }
    }

    /// Returns the terminal that results longer than it are paged on; `None` if they are not paged.
    pub fn screen_to_page(&self) -> Option<Screen> {
        screen().filter(|_| self.pages)
    }

    /// Returns the width of results: the width of the terminal, otherwise `COLUMNS`, otherwise 100;
    /// from 40 to 120.
    pub fn columns(&self) -> usize {
        if !self.fits_terminal {
            return DEFAULT_COLUMNS;
        }
        width(screen(), std::env::var("COLUMNS").ok().as_deref())
    }

    /// Returns the amount of messages.
    pub fn verbosity(&self) -> Verbosity {
        self.verbosity
    }

    /// Prints a line about a stage: a verb in the margin and its result.
    pub fn status(&self, verb: &str, message: impl std::fmt::Display) {
        if let Some(told) = &self.told {
            told.status(verb, safe_text::lines(&message.to_string()).into_owned());
        }
        if self.verbosity >= Verbosity::Normal {
            let verb = Paint::Green.apply(self.colour_err, &format!("{verb:>12}"));
            tell(format_args!("{verb} {}", safe_text::lines(&message.to_string())));
        }
    }

    /// Prints a line with `--verbose`.
    pub fn detail(&self, message: impl std::fmt::Display) {
        if self.verbosity >= Verbosity::Verbose {
            tell(format_args!("{:>12} {}", "", safe_text::lines(&message.to_string())));
        }
    }

    /// Prints a warning.
    pub fn warn(&self, message: impl std::fmt::Display) {
        if let Some(told) = &self.told {
            told.warn(safe_text::lines(&message.to_string()).into_owned());
        }
        if self.verbosity < Verbosity::Quiet {
            return;
        }
        let verb = Paint::Yellow.apply(self.colour_err, &format!("{:>12}", "warning"));
        tell(format_args!("{verb} {}", safe_text::lines(&message.to_string())));
    }

    /// Prints the error that stopped the command, with its causes.
    pub fn error(&self, error: &anyhow::Error) {
        if self.told.is_some() {
            return;
        }
        let prefix = Paint::Red.apply(self.colour_err, "error:");
        let prefixes = std::iter::once(prefix.as_str()).chain(std::iter::repeat("  because:"));
        for (prefix, message) in prefixes.zip(error.chain()) {
            let message = message.to_string();
            tell(format_args!("{prefix} {}", safe_text::lines(&safe_text::message(&message))));
        }
    }

    /// Prints the address of a page about an error, after [`error`](Ui::error).
    pub fn help(&self, address: &str) {
        if self.told.is_none() {
            tell(format_args!("   help: {address}"));
        }
    }

    /// Returns `text` in a style for standard output; unchanged if that is not a terminal.
    pub fn paint(&self, paint: Paint, text: &str) -> String {
        paint.apply(self.colour_out, text)
    }

    /// Returns a painted text that is a link, on a terminal that shows colours (OSC 8). `href` must
    /// be a safe address.
    pub fn link(&self, href: Option<&str>, painted: &str) -> String {
        match href.filter(|_| self.links) {
            Some(href) => format!("\x1b]8;;{href}\x1b\\{painted}\x1b]8;;\x1b\\"),
            None => painted.to_owned(),
        }
    }

    /// Returns this console with warnings and errors as its only messages.
    pub fn quiet(&self) -> Self {
        Self { verbosity: Verbosity::Quiet, bars: false, json_progress: false, ..self.clone() }
    }

    /// Returns this console for results that go to a file: without colours, links and pager, and
    /// with a width that does not depend on the terminal.
    pub fn for_file(&self) -> Self {
        let plain = Self { colour_out: false, links: false, ..self.clone() };
        Self { fits_terminal: false, pages: false, ..plain }
    }

    /// Returns a bar over `total` of `unit` (`sections`, `pages`), with rate and remaining time.
    pub fn bar(&self, verb: &str, total: u64, unit: &str) -> Counter {
        if let Some(told) = &self.told {
            return told.bar(verb, Some(total), unit);
        }
        if self.json_progress {
            return reported(verb, total, unit);
        }
        if !self.bars {
            return Counter::default();
        }
        let template =
            format!("{{msg:>12}} [{{bar:30}}] {{pos}}/{{len}} {unit}, {{per_sec}}, {{eta}} left");
        let style = ProgressStyle::with_template(&template)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ");
        self.start(ProgressBar::new(total).with_style(style), verb)
    }

    /// Returns a bar over bytes.
    pub fn byte_bar(&self, verb: &str, total: Option<u64>) -> Counter {
        if let Some(told) = &self.told {
            return told.bar(verb, total, "bytes");
        }
        if self.json_progress {
            return reported(verb, total.unwrap_or_default(), "bytes");
        }
        if !self.bars {
            return Counter::default();
        }
        let template = match total {
            Some(_) => "{msg:>12} [{bar:30}] {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left",
            None => "{msg:>12} {spinner} {bytes}, {bytes_per_sec}",
        };
        let style = ProgressStyle::with_template(template)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ");
        let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        self.start(bar.with_style(style), verb)
    }

    fn start(&self, bar: ProgressBar, verb: &str) -> Counter {
        bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(8));
        bar.set_message(verb.to_owned());
        bar.enable_steady_tick(Duration::from_millis(500));
        Counter::new(Bar(bar))
    }

    /// Asks a yes-or-no question. Without a terminal the answer is no.
    pub fn confirm(&self, question: &str) -> bool {
        if self.told.is_some()
            || !std::io::stdin().is_terminal()
            || !std::io::stderr().is_terminal()
        {
            return false;
        }
        let mut err = io::stderr();
        let _ = write!(err, "{question} [y/N] ").and_then(|()| err.flush());
        let mut answer = String::new();
        let read = std::io::stdin().lock().read_line(&mut answer);
        read.is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
    }
}

impl Progress for Ui {
    fn tell(&self, event: Event<'_>) {
        match event {
            Event::Status(verb, message) => self.status(verb, message),
            Event::Detail(message) => self.detail(message),
            Event::Warning(message) => self.warn(message),
        }
    }

    fn count(&self, verb: &str, total: Option<u64>, unit: &str) -> Counter {
        match unit {
            "bytes" => self.byte_bar(verb, total),
            _ => self.bar(verb, total.unwrap_or_default(), unit),
        }
    }

    fn confirm(&self, question: &str) -> bool {
        self.confirm(question)
    }

    fn is_shown(&self) -> bool {
        self.verbosity > Verbosity::Quiet
    }
}

/// A bar of the terminal.
struct Bar(ProgressBar);

impl Count for Bar {
    fn add(&self, n: u64) {
        self.0.inc(n);
    }

    fn set_done(&self, done: u64) {
        self.0.set_position(done);
    }

    fn set_total(&self, total: u64) {
        self.0.set_length(total);
    }

    fn restart(&self) {
        self.0.reset();
    }

    fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Returns the terminal on standard output, if there is one.
fn screen() -> Option<Screen> {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    let (columns, rows) = size?;
    Some(Screen { rows: rows.0.into(), columns: columns.0.into() })
}

/// Returns the width of results, given the terminal and the value of `COLUMNS`.
fn width(screen: Option<Screen>, columns: Option<&str>) -> usize {
    let given = screen.map(|screen| screen.columns).or_else(|| columns?.trim().parse().ok());
    given.map_or(DEFAULT_COLUMNS, |columns: usize| columns.clamp(MIN_COLUMNS, MAX_COLUMNS))
}

/// Returns a bar that is not drawn, but reported as JSON: at once, and then twice a second until
/// its end. A `total` of 0 is not known yet.
fn reported(verb: &str, total: u64, unit: &str) -> Counter {
    let bar = ProgressBar::hidden();
    bar.set_length(total);
    let (verb, unit, watched) = (verb.to_owned(), unit.to_owned(), bar.downgrade());
    let tell = move |bar: &ProgressBar| {
        let (done, elapsed) = (bar.position(), bar.elapsed().as_secs_f64());
        let total = bar.length().filter(|&total| total > 0);
        let per_second = if elapsed > 0.0 { done as f64 / elapsed } else { 0.0 };
        let left = total.map(|total| total.saturating_sub(done) as f64 / per_second);
        let (progress, unit) = (&*verb, &*unit);
        let seconds_left = left.filter(|left| left.is_finite());
        let line = ProgressLine { progress, done, total, unit, per_second, seconds_left };
        // Numbers and texts can be written as JSON.
        tell(serde_json::to_string(&line).unwrap_or_default());
    };
    tell(&bar);
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(TICK);
            match watched.upgrade() {
                Some(bar) if !bar.is_finished() => tell(&bar),
                _ => return,
            }
        }
    });
    Counter::new(Bar(bar))
}

/// Reads a number of bytes as [`bytes`] prints it: `812`, `812 B`, `34.5kB`, `1.2 MB`, `2GB`; also
/// `300k` and `1MiB`.
///
/// # Errors
/// If the text is not a number of bytes.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("expected a size such as 812B, 300kB or 1.5MB, found `{text}`");
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "kib" => 1024.0,
        "mib" => 1_048_576.0,
        "gib" => 1_073_741_824.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    Ok((number * factor).round() as u64)
}

/// Prints a value as JSON on standard output. Text of a site in it cannot control a terminal.
///
/// # Errors
/// If standard output cannot be written, or the value has no JSON.
pub fn print_json(value: &(impl Serialize + ?Sized)) -> anyhow::Result<()> {
    Ok(writeln!(stdout(), "{}", safe_text::json_pretty(&value)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_is_that_of_the_terminal_within_limits() {
        let of = |columns| Some(Screen { rows: 24, columns });
        for (screen, columns, expect) in [
            (of(80), None, 80),
            (of(80), Some("60"), 80),
            (of(20), None, MIN_COLUMNS),
            (of(300), None, MAX_COLUMNS),
            (None, Some("60"), 60),
            (None, Some("7"), MIN_COLUMNS),
            (None, Some("many"), DEFAULT_COLUMNS),
            (None, None, DEFAULT_COLUMNS),
        ] {
            assert_eq!(width(screen, columns), expect, "{screen:?} {columns:?}");
        }
    }

    #[test]
    fn sizes_are_read_as_they_are_printed() {
        for n in [0, 812, 34_500, 1_200_000, 3_000_000_000] {
            assert_eq!(parse_bytes(&bytes(n)), Ok(n));
        }
        for (text, expect) in
            [("300kB", 300_000), ("300 KB", 300_000), ("7", 7), ("1.5k", 1_500), ("1MiB", 1 << 20)]
        {
            assert_eq!(parse_bytes(text), Ok(expect), "{text}");
        }
        for wrong in ["", "kB", "-1", "1.2.3", "many", "300 bananas", "1e3"] {
            assert!(parse_bytes(wrong).unwrap_err().contains("300kB"), "{wrong}");
        }
    }
}
