//! `findling last` and `findling open`: the hits of the last search, or of one that was saved.

use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use super::search::{Output, finish};
use crate::collections::Name;
use crate::output::{Exit, Last, LastHit, Location, Place, UsageError};
use crate::safe_text::{self, is_link, json_pretty, line};
use crate::standard_streams::stdout;
use crate::ui::{Paint, Ui};

/// List the hits of the last search, or of one that `--save` saved, with the numbers that `findling
/// open` takes
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The name of a search that was saved
    name: Option<Name>,
    /// List the names of the searches that were saved
    #[arg(long, conflicts_with = "name")]
    list: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Open a hit of the last search: its source in $VISUAL or $EDITOR at the line (a PDF in the
/// browser at the page, a conversation as `findling show` does), or its page in the browser at the
/// passage
#[derive(Debug, clap::Args)]
pub struct OpenArgs {
    /// The number of the hit
    #[arg(default_value_t = 1)]
    number: usize,
    /// Open a hit of a search that was saved
    #[arg(long, value_name = "NAME")]
    of: Option<Name>,
    /// Open the page in the browser even if its source is on this machine
    #[arg(long)]
    browser: bool,
    /// Only print the command
    #[arg(long)]
    print: bool,
}

/// Runs `findling last`.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    let output = Output { json: args.json, ..Output::default() };
    finish(&output, ui, || {
        let mut out = stdout();
        if args.list {
            return list(args.json, &mut out);
        }
        let last = Last::read(args.name.as_ref())?;
        if args.json {
            writeln!(out, "{}", json_pretty(&last)?)?;
        } else {
            writeln!(out, "{}", ui.paint(Paint::Bold, &line(&last.query)))?;
            for hit in &last.hits {
                let names: Vec<_> = hit.names.iter().map(|name| line(name)).collect();
                writeln!(out, "{:>2}. {}  {}", hit.rank, names.join(" › "), place(hit))?;
            }
        }
        Ok(if last.hits.is_empty() { Exit::Nothing } else { Exit::Found })
    })
}

/// Lists the names of the searches that were saved.
fn list(json: bool, out: &mut impl Write) -> Result<Exit> {
    let names = Last::saved()?;
    if json {
        writeln!(out, "{}", json_pretty(&names)?)?;
    } else {
        names.iter().try_for_each(|name| writeln!(out, "{name}"))?;
    }
    Ok(if names.is_empty() { Exit::Nothing } else { Exit::Found })
}

fn place(hit: &LastHit) -> String {
    let Some(path) = &hit.path else { return line(&hit.url).into_owned() };
    let at = match hit.page {
        Some(page) => Some(Place::Page(page)),
        None => hit.line.map(Place::Line),
    };
    Location::File { path: path.clone(), at }.to_string()
}

/// Runs `findling open`.
pub fn open(args: OpenArgs, ui: &Ui) -> Result<ExitCode> {
    finish(&Output::default(), ui, || {
        let last = Last::read(args.of.as_ref())?;
        let hit = last.hit(args.number)?;
        let opener = Opener::of(hit, args.browser)?;
        if args.print {
            writeln!(stdout(), "{}", line(&opener.command.join(" ")))?;
            return Ok(Exit::Found);
        }
        let what = if opener.is_editor { "editor" } else { "browser" };
        let status = opener
            .process()?
            .status()
            .with_context(|| format!("the {what} {} cannot be started", opener.command[0]))?;
        Ok(if status.success() { Exit::Found } else { Exit::Data })
    })
}

/// The program that opens a hit.
pub(crate) struct Opener {
    /// The program and its arguments.
    command: Vec<String>,
    /// Whether it is an editor, which may use the terminal.
    pub is_editor: bool,
}

impl Opener {
    /// Returns the editor for a hit whose source is on this machine, or the browser for a page of a
    /// PDF. If the browser is requested, returns it with the page of the site.
    ///
    /// # Errors
    /// If the hit has no address that a browser opens.
    pub fn of(hit: &LastHit, in_browser: bool) -> Result<Self> {
        if let Some(anchor) = turn(hit).filter(|_| !in_browser) {
            // A conversation's log is not meant to be read as text.
            let program = std::env::current_exe()?;
            let program = program.to_str().context("the program's path is not UTF-8")?;
            let page = format!("{}#{anchor}", hit.id);
            let command = [program, "show", "--in", &hit.bundle, "--", &page];
            return Ok(Self { command: command.map(str::to_owned).to_vec(), is_editor: true });
        }
        Ok(match &hit.path {
            // An editor would show the bytes of a PDF.
            Some(path) if !in_browser && hit.page.is_some() => {
                let at = hit.page.map(Place::Page);
                let file = Location::File { path: path.clone(), at }.href();
                let address = file.context("the path is not UTF-8")?;
                Self { command: browser(&address), is_editor: false }
            }
            Some(path) if !in_browser && !path.exists() => return Err(gone(path, hit)),
            Some(path) if !in_browser => Self { command: editor(path, hit.line)?, is_editor: true },
            _ => Self { command: browser(&address(hit)?), is_editor: false },
        })
    }

    /// Returns the process, not started yet.
    ///
    /// # Errors
    /// If the environment names no program.
    pub fn process(&self) -> Result<Command> {
        let (program, rest) = self.command.split_first().context("no program to open it with")?;
        let mut process = Command::new(program);
        process.args(rest);
        Ok(process)
    }
}

/// Returns the anchor of a hit that is a turn of a conversation, if its bundle can be found again.
fn turn(hit: &LastHit) -> Option<&str> {
    let (_, anchor) = hit.url.split_once('#').filter(|_| !hit.bundle.is_empty())?;
    let number = anchor.strip_prefix("turn-")?;
    number.starts_with(|c: char| c.is_ascii_digit()).then_some(anchor)
}

/// Returns the error for a file that is no longer there.
fn gone(path: &Path, hit: &LastHit) -> anyhow::Error {
    let name = hit.collection.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    let message = format!(
        "expected the file {}, found none: it was moved or removed since the search; run `findling \
         sync{name}` and search again",
        path.display()
    );
    UsageError { code: "file-gone", message }.into()
}

/// Returns the command that opens a file at a line.
fn editor(path: &Path, line: Option<usize>) -> Result<Vec<String>> {
    let wanted = ["VISUAL", "EDITOR"].iter().find_map(|name| std::env::var(name).ok());
    let wanted = wanted.filter(|editor| !editor.trim().is_empty()).unwrap_or_else(|| "vi".into());
    let mut command: Vec<String> = wanted.split_whitespace().map(ToOwned::to_owned).collect();
    let program = command.first().map(|program| Path::new(program).file_stem());
    let program = program.flatten().unwrap_or_default().to_string_lossy().into_owned();
    let path = path.to_str().context("the path is not UTF-8")?.to_owned();
    match (program.as_str(), line) {
        ("code" | "code-insiders" | "codium" | "cursor" | "windsurf", Some(line)) => {
            command.extend(["-g".into(), format!("{path}:{line}")]);
        }
        ("zed" | "subl" | "hx" | "helix", Some(line)) => command.push(format!("{path}:{line}")),
        (
            "vi" | "vim" | "nvim" | "nano" | "emacs" | "emacsclient" | "kak" | "micro",
            Some(line),
        ) => {
            command.extend([format!("+{line}"), path]);
        }
        _ => command.push(path),
    }
    Ok(command)
}

/// Returns the address of a hit with a fragment that names the passage.
fn address(hit: &LastHit) -> Result<String> {
    if !hit.url.contains("://") || !is_link(&hit.url) {
        let message = format!(
            "expected a file or an address with http or https, found `{}`. If it was a file, it \
             was moved or removed: run `findling sync{}`. If it is a page of a site, build with \
             --base-url, open the site that it is on, or read it here with `findling show`",
            hit.url,
            hit.collection.as_ref().map(|name| format!(" {name}")).unwrap_or_default()
        );
        return Err(UsageError { code: "no-address", message }.into());
    }
    let url = safe_text::url(&hit.url);
    if hit.fragment.is_empty() {
        return Ok(url);
    }
    let hash = if url.contains('#') { "" } else { "#" };
    Ok(format!("{url}{hash}:~:text={}", encoded(&hit.fragment)))
}

/// Percent-encodes characters with a meaning in text fragments, and everything that is not ASCII.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(byte));
        } else {
            out += &format!("%{byte:02X}");
        }
        out
    })
}

/// Returns the command that opens an address.
fn browser(url: &str) -> Vec<String> {
    let own = std::env::var("BROWSER").ok().filter(|browser| !browser.trim().is_empty());
    let mut command: Vec<String> = match own {
        Some(browser) => browser.split_whitespace().map(ToOwned::to_owned).collect(),
        None if cfg!(target_os = "macos") => vec!["open".into()],
        None if cfg!(windows) => vec!["explorer".into()],
        None => vec!["xdg-open".into()],
    };
    command.push(url.to_owned());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_text_fragment_and_no_other_scheme_is_opened() {
        let hit = |url: &str| LastHit {
            url: url.into(),
            fragment: "A mutex, guards-data".into(),
            ..LastHit::default()
        };
        assert_eq!(
            address(&hit("https://example.org/a#b")).unwrap(),
            "https://example.org/a#b:~:text=A%20mutex%2C%20guards%2Ddata"
        );
        assert!(address(&hit("https://example.org/a")).unwrap().contains("#:~:text="));
        for other in ["/a/", "javascript://x", "file:///etc/passwd", "--help"] {
            assert!(address(&hit(other)).is_err(), "{other}");
        }
    }
}
