//! Standard output and standard error, whose reader may leave early, as `head` does.
//!
//! A command whose output was closed ends quietly with its usual exit status; its further output is
//! dropped. A long list asks [`is_closed`] and stops.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the reader of standard output has closed it.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether anything was written to standard output.
static WRITTEN: AtomicBool = AtomicBool::new(false);

/// Returns standard output. Every command prints through it.
pub fn stdout() -> Stdout {
    Stdout(())
}

/// Returns whether standard output was found closed.
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Returns whether anything was printed to standard output.
pub fn has_output() -> bool {
    WRITTEN.load(Ordering::Relaxed)
}

/// Prints a line to standard error. An error while writing is ignored, since it could not be shown.
pub fn tell(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Standard output; see [`stdout`].
#[derive(Debug)]
pub struct Stdout(());

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        WRITTEN.fetch_or(!bytes.is_empty(), Ordering::Relaxed);
        until_closed(&CLOSED, bytes.len(), || io::stdout().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        until_closed(&CLOSED, (), || io::stdout().flush())
    }
}

/// Returns the result of `write`; `dropped` if the stream is closed.
fn until_closed<T>(
    closed: &AtomicBool,
    dropped: T,
    write: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    if closed.load(Ordering::Relaxed) {
        return Ok(dropped);
    }
    match write() {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            closed.store(true, Ordering::Relaxed);
            Ok(dropped)
        }
        written => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_closed_pipe_ends_the_output_quietly() {
        let closed = AtomicBool::new(false);
        let fails = |kind: ErrorKind| until_closed(&closed, 3, || Err(kind.into()));
        let full = fails(ErrorKind::StorageFull).map_err(|error| error.kind());
        assert_eq!(full, Err(ErrorKind::StorageFull));
        assert_eq!(until_closed(&closed, 3, || Ok(2)).ok(), Some(2));
        assert_eq!(fails(ErrorKind::BrokenPipe).ok(), Some(3));
        // From then on nothing is written.
        assert_eq!(fails(ErrorKind::StorageFull).ok(), Some(3));
        assert!(closed.load(Ordering::Relaxed));
    }
}
