//! Limits on the work that one file may cause.
//!
//! A file of a few kilobytes can ask for hours of drawing: a form that draws ten forms, each of
//! which draws ten more. Work is counted, not timed, so that a file is read the same way on every
//! machine.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Maximum number of pages that are read of a file.
pub(super) const MAX_PAGES: usize = 20_000;

/// Maximum number of things that a page may draw: glyphs, paths, images, clips.
const MAX_PAGE_STEPS: u64 = 1_000_000;

/// Maximum number of things that all pages of a file may draw.
const MAX_FILE_STEPS: u64 = 100_000_000;

/// The reason why a page is not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The page draws more than the limit.
    TooMuch,
    /// The library failed on the page.
    Failed,
}

/// The mark of an unwinding that [`Budget::spend`] started.
struct Spent;

/// The count of the things that a file draws.
#[derive(Debug)]
pub(super) struct Budget {
    page: Cell<u64>,
    file: Cell<u64>,
    max_page: u64,
    max_file: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self::of(MAX_PAGE_STEPS, MAX_FILE_STEPS)
    }
}

impl Budget {
    /// Returns a budget of steps for each page and for the file.
    pub fn of(max_page: u64, max_file: u64) -> Self {
        Self { page: Cell::new(0), file: Cell::new(0), max_page, max_file }
    }

    /// Counts `steps`. Over the limit it unwinds to [`Budget::page`]: the library has no other way
    /// out of a page.
    pub fn spend(&self, steps: u64) {
        self.page.set(self.page.get() + steps);
        self.file.set(self.file.get() + steps);
        if self.page.get() > self.max_page || self.file.get() > self.max_file {
            resume_unwind(Box::new(Spent));
        }
    }

    /// Returns whether the file has used up its steps.
    pub fn is_spent(&self) -> bool {
        self.file.get() > self.max_file
    }

    /// Reads one page by `read`. A panic of the library ends the page and not the build. A separate
    /// process for each file would also survive a stack overflow. But the library bounds its
    /// recursion and has no unsafe code, so this is not worth it.
    pub fn page<T>(&self, read: impl FnOnce() -> T) -> Result<T, Stop> {
        self.page.set(0);
        catch_unwind(AssertUnwindSafe(read))
            .map_err(|payload| if payload.is::<Spent>() { Stop::TooMuch } else { Stop::Failed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_ends_at_its_limit_and_the_next_one_begins_anew() {
        let budget = Budget::default();
        assert_eq!(budget.page(|| budget.spend(MAX_PAGE_STEPS)), Ok(()));
        assert_eq!(budget.page(|| budget.spend(MAX_PAGE_STEPS + 1)), Err(Stop::TooMuch));
        assert_eq!(budget.page(|| budget.spend(1)), Ok(()));
        assert!(!budget.is_spent());
    }

    #[test]
    fn a_failure_of_the_library_is_told_apart() {
        let budget = Budget::default();
        let failed = budget.page(|| resume_unwind(Box::new("out of range")));
        assert_eq!(failed, Err::<(), _>(Stop::Failed));
    }
}
