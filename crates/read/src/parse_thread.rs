//! A thread that parses files. Its stack has space for deep nesting, and each file has a time
//! limit.
//!
//! Readers limit how much they expand and how deep they nest, so that a file is read the same way
//! on every machine. The time limit is for unexpected cases. A file that exceeds it is reported and
//! left out, and the other files are read. Its thread cannot be ended from outside; it continues
//! alone and gets no more files.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// The size of the stack in bytes. The deepest files that readers accept in the tests of nesting
/// take 11 MiB in a build without optimisation. Pages of a stack that are not used take no memory.
const STACK_BYTES: usize = 64 << 20;

/// The reason why a file has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failed {
    /// A panic of the parser.
    Panicked,
    /// A file that took longer than the limit.
    TimedOut,
}

type Work = Box<dyn FnOnce() + Send>;

thread_local! {
    /// The thread that parses for this thread. It ends when this thread ends.
    static PARSER: RefCell<Option<Sender<Work>>> = const { RefCell::new(None) };
}

/// Runs `work` in the parsing thread, and waits for at most `limit`.
///
/// # Errors
/// If it panics or takes longer.
pub(super) fn run<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failed> {
    let (answer, answered) = channel();
    let work: Work = Box::new(move || {
        // Nobody is waiting any more if it took too long.
        let _ = answer.send(catch_unwind(AssertUnwindSafe(work)));
    });
    let known = PARSER.with(|parser| parser.borrow_mut().take());
    let parser = match known.or_else(start) {
        Some(parser) => parser,
        // The system has no thread left.
        None => {
            work();
            return answered.recv().map_or(Err(Failed::Panicked), outcome);
        }
    };
    if parser.send(work).is_err() {
        return Err(Failed::Panicked);
    }
    match answered.recv_timeout(limit) {
        Ok(answer) => {
            PARSER.with(|known| known.replace(Some(parser)));
            outcome(answer)
        }
        Err(RecvTimeoutError::Timeout) => Err(Failed::TimedOut),
        Err(RecvTimeoutError::Disconnected) => Err(Failed::Panicked),
    }
}

fn outcome<T>(answer: thread::Result<T>) -> Result<T, Failed> {
    answer.map_err(|_| Failed::Panicked)
}

/// Starts a thread that runs the work that it receives; returns `None` if the system refuses.
fn start() -> Option<Sender<Work>> {
    let (sender, work) = channel::<Work>();
    let run = move || work.into_iter().for_each(|work| work());
    let thread = thread::Builder::new().name("parser".to_owned()).stack_size(STACK_BYTES);
    thread.spawn(run).ok().map(|_| sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn one_thread_parses_file_after_file_and_a_panic_does_not_end_it() {
        let first = run(LONG, || thread::current().id()).unwrap();
        assert_ne!(first, thread::current().id());
        assert_eq!(run(LONG, || panic!("a parser failed")), Err::<(), _>(Failed::Panicked));
        assert_eq!(run(LONG, || thread::current().id()), Ok(first));
    }

    #[test]
    fn what_takes_too_long_is_given_up_and_the_next_file_is_parsed() {
        let (release, released) = channel::<()>();
        let stuck = run(Duration::from_millis(20), move || released.recv().is_ok());
        assert_eq!(stuck, Err(Failed::TimedOut));
        assert_eq!(run(LONG, || 7), Ok(7));
        drop(release);
    }

    #[test]
    fn the_stack_has_room() {
        fn depth(left: usize) -> usize {
            let frame = std::hint::black_box([0_u8; 1024]);
            if left == 0 { 0 } else { depth(left - 1) + 1 + usize::from(frame[0]) }
        }
        assert_eq!(run(LONG, || depth(16_000)), Ok(16_000));
    }
}
