//! The terminal: taken over at the start, and always restored.

use std::io::{IsTerminal, Stdout, stdout};
use std::process::{Command, ExitStatus};
#[cfg(unix)]
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
#[cfg(unix)]
use std::time::Duration;

use anyhow::{Context, Result};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute};

use crate::output::UsageError;

/// Time between two checks whether the terminal is gone; also the time for an orderly end before
/// the program is killed.
#[cfg(unix)]
const HANG_UP_CHECK: Duration = Duration::from_secs(1);

/// The screen while the program has it.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    #[cfg(unix)]
    signal: Arc<AtomicUsize>,
    /// Set by the signal for a new size.
    #[cfg(unix)]
    has_new_size: Arc<AtomicBool>,
}

impl Screen {
    /// Takes over the terminal. A panic restores it before its message is printed.
    ///
    /// # Errors
    /// If there is no terminal.
    pub fn take() -> Result<Self> {
        if !stdout().is_terminal() || !std::io::stdin().is_terminal() {
            let message = "expected a terminal, found a pipe or a file: use `findling find` or \
                           `findling search`";
            return Err(UsageError { code: "no-terminal", message: message.into() }.into());
        }
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
        #[cfg(unix)]
        let signal = signals()?;
        #[cfg(unix)]
        let has_new_size = {
            let came = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(signal_hook::consts::SIGWINCH, came.clone())
                .context("signals cannot be handled")?;
            came
        };
        enter()?;
        let terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
        Ok(Self {
            terminal,
            #[cfg(unix)]
            signal,
            #[cfg(unix)]
            has_new_size,
        })
    }

    /// Returns the terminal to draw on.
    pub fn terminal(&mut self) -> &mut Terminal<CrosstermBackend<Stdout>> {
        &mut self.terminal
    }

    /// Returns a signal that asks the program to end, if one has come.
    #[cfg(unix)]
    pub fn signal(&self) -> Option<i32> {
        let signal = self.signal.load(Ordering::Relaxed);
        (signal != 0).then_some(signal as i32)
    }

    /// Returns a signal that asks the program to end.
    #[cfg(not(unix))]
    pub fn signal(&self) -> Option<i32> {
        None
    }

    /// Returns whether the terminal got a new size since this was last asked. The event for it is
    /// not enough: it is lost when a key comes at the same moment.
    #[cfg(unix)]
    pub fn has_new_size(&self) -> bool {
        self.has_new_size.swap(false, Ordering::Relaxed)
    }

    /// Returns the event for a new size is enough.
    #[cfg(not(unix))]
    pub fn has_new_size(&self) -> bool {
        false
    }

    /// Draws all of the next frame. After a resize the contents of the terminal are unknown: of
    /// several resizes in a row only the last size is seen here, which may equal the old one.
    ///
    /// # Errors
    /// If the terminal cannot be written.
    pub fn renew(&mut self) -> Result<()> {
        execute!(stdout(), Clear(ClearType::All))?;
        // A new terminal object is created, because clearing the old one would query the terminal
        // for its cursor position.
        self.terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
        Ok(())
    }

    /// Gives the terminal to another program until that ends. Ctrl+C then goes to that program.
    ///
    /// # Errors
    /// If it cannot be started, or the terminal cannot be taken over again.
    pub fn lend(&mut self, mut program: Command) -> Result<ExitStatus> {
        give_back();
        let status = program.status();
        #[cfg(unix)]
        let _ = self.signal.compare_exchange(
            signal_hook::consts::SIGINT as usize,
            0,
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
        self.take_again()?;
        status.with_context(|| {
            format!("{} cannot be started", program.get_program().to_string_lossy())
        })
    }

    /// Stops the program as the shell's Ctrl+Z does, until it is continued.
    ///
    /// # Errors
    /// If the terminal cannot be taken over again.
    #[cfg(unix)]
    pub fn suspend(&mut self) -> Result<()> {
        give_back();
        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
        self.take_again()
    }

    /// Does nothing: these systems have no job control.
    #[cfg(not(unix))]
    pub fn suspend(&mut self) -> Result<()> {
        Ok(())
    }

    fn take_again(&mut self) -> Result<()> {
        enter()?;
        self.renew()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn enter() -> Result<()> {
    enable_raw_mode().context("the terminal cannot be taken over")?;
    execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
    Ok(())
}

/// Restores the terminal. Doing so twice is harmless.
fn give_back() {
    // Errors cannot be reported to anybody.
    let _ = disable_raw_mode();
    let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
}

/// Notes the signals that ask a program to end.
#[cfg(unix)]
fn signals() -> Result<Arc<AtomicUsize>> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let came = Arc::new(AtomicUsize::new(0));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register_usize(signal, came.clone(), signal as usize)
            .context("signals cannot be handled")?;
    }
    let seen = came.clone();
    std::thread::Builder::new()
        .name("hang-up".into())
        .spawn(move || end_after_hang_up(&seen))
        .context("a thread cannot be started")?;
    Ok(came)
}

/// Ends the program some time after its terminal is gone. Waiting for keys from such a terminal may
/// block for ever, so the main thread may not see the signal.
#[cfg(unix)]
fn end_after_hang_up(signal: &AtomicUsize) {
    let hang_up = signal_hook::consts::SIGHUP;
    loop {
        std::thread::sleep(HANG_UP_CHECK);
        if signal.load(Ordering::Relaxed) == hang_up as usize {
            std::thread::sleep(HANG_UP_CHECK);
            give_back();
            die_of(hang_up);
            std::process::exit(128 + hang_up);
        }
    }
}

/// Ends the program as the signal would.
#[cfg(unix)]
pub fn die_of(signal: i32) {
    // If that fails, the program ends in order.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}

/// Does nothing: these systems have no signals.
#[cfg(not(unix))]
pub fn die_of(_signal: i32) {}
