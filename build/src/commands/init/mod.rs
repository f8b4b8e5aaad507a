//! `findling init`: writes a `findling.toml` by looking at the directory.

mod generator;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::config::file::NAME;
use super::search::{Output, finish};
use crate::models::{STATIC, known};
use crate::output::{Exit, UsageError};
use crate::safe_text::line;
use crate::standard_streams::stdout;
use crate::ui::{Ui, bytes};
use generator::{Site, recognise};

/// Write a commented findling.toml by looking at the directory: what makes the site, and where its
/// pages are
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory
    #[arg(default_value = ".")]
    directory: PathBuf,
    /// Print the file instead of writing it
    #[arg(long)]
    print: bool,
    /// Replace the file if there is one
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    finish(&Output::default(), ui, || {
        let site = recognise(&args.directory);
        let text = settings(site.as_ref());
        match &site {
            Some(site) => {
                ui.status("Found", format!("{} by {}", site.name, site.by.display()));
            }
            None => ui.warn("nothing was recognised; set `inputs` in the file"),
        }
        if args.print {
            stdout().write_all(text.as_bytes())?;
            return Ok(Exit::Found);
        }
        let path = args.directory.join(NAME);
        if path.exists() && !args.force {
            let message = format!(
                "expected no {NAME} in {}, found one: --force replaces it",
                args.directory.display()
            );
            return Err(UsageError { code: "settings", message }.into());
        }
        std::fs::write(&path, text)
            .with_context(|| format!("{} cannot be written", path.display()))?;
        ui.status(
            "Wrote",
            format!("{}; `findling build` takes its options from it", path.display()),
        );
        Ok(Exit::Found)
    })
}

/// Returns the file's text.
fn settings(site: Option<&Site>) -> String {
    let input = site.map_or(Path::new("public"), |site| &site.input);
    // An index that lies among the indexed files must not be indexed itself.
    let is_rendered = site.is_none_or(|site| site.format.is_none());
    let output = if is_rendered { input.join("findling") } else { PathBuf::from("findling-index") };
    let origin = match site {
        Some(Site { name, by, make: "", .. }) => format!("# {name}, by {}.\n", shown(by)),
        Some(Site { name, by, make, .. }) => {
            format!("# {name}, by {}. `{make}` renders the pages.\n", shown(by))
        }
        None => "# What is indexed was not recognised: set `inputs`.\n".to_owned(),
    };
    let mut text = format!(
        "# Options of findling for this directory and those below it. A table is named after a\n\
         # command, a key after its option. What is typed on the command line takes precedence.\n\
         # `findling config show` lists each option and where it comes from.\n\n\
         [build]\n{origin}inputs = [{}]\noutput = {}\n",
        quoted(&shown(input)),
        quoted(&shown(&output))
    );
    match site.and_then(|site| site.format) {
        Some(format) => text += &format!("format = \"{format}\"\n"),
        None => text += "# format = \"html\"                # detected otherwise\n",
    }
    match site.and_then(|site| site.base_url.as_ref()) {
        Some(url) => text += &format!("base-url = {}\n", quoted(line(url).as_ref())),
        None => text += "# base-url = \"https://example.org/\"\n",
    }
    text += &format!(
        "encoder = \"{STATIC}\"             # in this program; \"{}\" ranks better and is a\n\
         {:32}# download of {}, \"none\" searches by words only\n",
        known::DEFAULT,
        "",
        bytes(known::find(known::DEFAULT).map_or(0, |model| model.total_bytes()))
    );
    text + "# exclude = [\"print.html\", \"drafts\"]\n\
            # boost = [\"blog=0.5\"]\n\
            # pins = \"pins.txt\"\n\n\
            [search]\n\
            # mode = \"lexical\"               # or semantic, hybrid\n\
            # limit = 10\n"
}

fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

fn shown(path: &Path) -> String {
    line(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_is_written_can_be_read() {
        let site = |format, base_url: Option<&str>| Site {
            name: "x",
            by: "x.toml".into(),
            input: "pub \"lic".into(),
            base_url: base_url.map(Into::into),
            make: "",
            format,
        };
        for site in
            [None, Some(site(None, None)), Some(site(Some("code"), Some("https://x.org/\"\u{1b}")))]
        {
            let text = settings(site.as_ref());
            let table: toml::Table = text.parse().unwrap();
            assert!(table["build"]["inputs"].is_array(), "{text}");
            assert_eq!(table["build"]["encoder"].as_str(), Some(STATIC));
            assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
        }
    }
}
