//! The program in a terminal of its own, with key presses and a screen that can be read.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::{fs, termios};
use vt100::Parser;

use super::home::Home;

/// Longest time to wait. It is reached only if the program hangs.
const PATIENCE: Duration = Duration::from_secs(60);

pub const UP: &str = "\x1b[A";
pub const DOWN: &str = "\x1b[B";
pub const ENTER: &str = "\r";
pub const ESC: &str = "\x1b";
pub const TAB: &str = "\t";
pub const F1: &str = "\x1bOP";
pub const ALT_S: &str = "\x1bs";
pub const ALT_DOWN: &str = "\x1b[1;3B";
pub const CTRL_C: &str = "\x03";
pub const CTRL_D: &str = "\x04";
pub const CTRL_F: &str = "\x06";
pub const CTRL_U: &str = "\x15";

/// A running program.
pub struct Pty {
    /// `None` after the terminal is closed.
    master: Option<Box<dyn MasterPty + Send>>,
    keys: Option<Box<dyn Write + Send>>,
    closes: Arc<AtomicBool>,
    child: Box<dyn Child + Send + Sync>,
    output: Receiver<Vec<u8>>,
    parser: Parser,
    /// Everything that the program has written.
    pub written: Vec<u8>,
}

impl Pty {
    /// Starts the program in a home, with arguments, at a size of lines and columns.
    pub fn start(home: &Home, args: &[&str], size: (u16, u16), env: &[(&str, &str)]) -> Self {
        let of_size = pty_size(size);
        let pair = native_pty_system().openpty(of_size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_findling"));
        command.args(args);
        command.cwd(home.path(""));
        command.env("FINDLING_HOME", home.data());
        command.env("FINDLING_CACHE", home.path("cache"));
        command.env("TERM", "xterm-256color");
        for name in ["NO_COLOR", "VISUAL", "EDITOR", "BROWSER", "PAGER", "LESS", "COLUMNS"] {
            command.env_remove(name);
        }
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (send, output) = channel();
        let closes = Arc::new(AtomicBool::new(false));
        let closing = closes.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 1 << 14];
            while let Ok(n) = reader.read(&mut bytes) {
                if n == 0
                    || closing.load(Ordering::Relaxed)
                    || send.send(bytes[..n].to_vec()).is_err()
                {
                    return;
                }
            }
        });
        let keys = Some(pair.master.take_writer().unwrap());
        let parser = Parser::new(lines(size.0), lines(size.1), 0);
        let master = Some(pair.master);
        Self { master, keys, closes, child, output, parser, written: Vec::new() }
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        let to = self.keys.as_mut().unwrap();
        to.write_all(keys.as_bytes()).unwrap();
        to.flush().unwrap();
    }

    /// Closes the terminal, as if its window were closed.
    pub fn close(&mut self) {
        self.closes.store(true, Ordering::Relaxed);
        // The reader also keeps the terminal open, until it reads the drawing in the new size.
        self.resize((20, 70));
        while self.output.recv_timeout(PATIENCE).is_ok() {}
        self.without_end_of_file();
        self.keys = None;
        self.master = None;
    }

    /// Removes the key for the end of the input, which the writer of `keys` presses when it is
    /// dropped: the program could end by it.
    fn without_end_of_file(&self) {
        let name = self.master.as_ref().unwrap().tty_name().unwrap();
        let tty = fs::open(&name, fs::OFlags::RDWR | fs::OFlags::NOCTTY, fs::Mode::empty());
        let tty = tty.unwrap();
        let mut attributes = termios::tcgetattr(&tty).unwrap();
        attributes.special_codes[termios::SpecialCodeIndex::VEOF] = 0;
        termios::tcsetattr(&tty, termios::OptionalActions::Now, &attributes).unwrap();
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, size: (u16, u16)) {
        self.parser.screen_mut().set_size(lines(size.0), lines(size.1));
        self.master.as_ref().unwrap().resize(pty_size(size)).unwrap();
    }

    /// Returns the lines of the screen as it is now.
    pub fn lines(&self) -> Vec<String> {
        let columns = self.parser.screen().size().1.get();
        self.parser.screen().rows(0, columns).collect()
    }

    /// Returns the screen of the terminal.
    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// Waits until the screen meets a condition.
    pub fn wait(&mut self, what: &str, is_so: impl Fn(&Pty) -> bool) {
        let started = Instant::now();
        while !is_so(self) {
            match self.output.recv_timeout(Duration::from_millis(100)) {
                Ok(bytes) => {
                    self.parser.process(&bytes);
                    self.written.extend(bytes);
                }
                Err(RecvTimeoutError::Timeout) if started.elapsed() < PATIENCE => {}
                Err(error) => panic!("{what}: {error}\n{}", self.lines().join("\n")),
            }
        }
    }

    /// Waits until a text is on the screen.
    pub fn wait_for(&mut self, text: &str) {
        self.wait(text, |pty| pty.lines().iter().any(|line| line.contains(text)));
    }

    /// Waits until a text is on the screen no longer.
    pub fn wait_without(&mut self, text: &str) {
        self.wait(&format!("without {text}"), |pty| {
            !pty.lines().iter().any(|line| line.contains(text))
        });
    }

    /// Returns the number of the first line of the screen that has a text.
    pub fn line_of(&self, text: &str) -> Option<usize> {
        self.lines().iter().position(|line| line.contains(text))
    }

    /// Returns whether a line of the screen is shown reversed, as the selected line is.
    pub fn is_selected(&self, line: usize) -> bool {
        let cell = self.parser.screen().cell(line as u16, 1);
        cell.is_some_and(vt100::Cell::inverse)
    }

    /// Sends the program a signal.
    pub fn signal(&self, name: &str) {
        let pid = self.child.process_id().unwrap().to_string();
        let sent = std::process::Command::new("kill").args(["-s", name, &pid]).status();
        assert!(sent.unwrap().success());
    }

    /// Waits until the program ends, and returns how.
    pub fn end(&mut self) -> portable_pty::ExitStatus {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(started.elapsed() < PATIENCE, "it runs on\n{}", self.lines().join("\n"));
            std::thread::sleep(Duration::from_millis(10));
        };
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(200)) {
            self.parser.process(&bytes);
            self.written.extend(bytes);
        }
        status
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap()
}

fn pty_size((rows, cols): (u16, u16)) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}
