//! Messages of `findling pagefind`, on standard output and in a file, as Pagefind writes them.

use std::fmt::Display;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

use crate::safe_text;
use crate::standard_streams::{stdout, tell};
use crate::ui::{Ui, Verbosity};

/// The terminal, and the log file if there is one.
pub struct Log {
    verbosity: Verbosity,
    ui: Ui,
    file: Option<File>,
}

impl Log {
    /// Returns a log that replaces the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn new(verbosity: Verbosity, file: Option<&Path>) -> Result<Self> {
        let create = |path: &Path| {
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            File::create(path)
        };
        let file = file
            .map(|path| {
                create(path)
                    .with_context(|| format!("logfile {} cannot be written", path.display()))
            })
            .transpose()?;
        Ok(Self { verbosity, ui: Ui::new(verbosity), file })
    }

    /// Prints a line about the current work.
    pub fn info(&mut self, line: impl Display) -> Result<()> {
        self.out(Verbosity::Normal, &line)
    }

    /// Returns a line for `--verbose` alone.
    pub fn detail(&mut self, line: impl Display) -> Result<()> {
        self.out(Verbosity::Verbose, &line)
    }

    /// Reports a problem that does not stop the build.
    pub fn warn(&mut self, line: impl Display) -> Result<()> {
        if self.verbosity >= Verbosity::Quiet {
            self.ui.warn(&line);
            self.record(&line)?;
        }
        Ok(())
    }

    /// Reports the error that stopped the build, regardless of the verbosity.
    pub fn error(&mut self, line: impl Display) -> Result<()> {
        let line = format!("Error: {line}");
        tell(safe_text::lines(&line));
        self.record(&line)
    }

    fn out(&mut self, least: Verbosity, line: &dyn Display) -> Result<()> {
        if self.verbosity >= least {
            writeln!(stdout(), "{line}")?;
            self.record(line)?;
        }
        Ok(())
    }

    fn record(&mut self, line: &dyn Display) -> Result<()> {
        match &mut self.file {
            Some(file) => writeln!(file, "{line}").context("the logfile cannot be written"),
            None => Ok(()),
        }
    }
}
