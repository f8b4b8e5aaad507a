//! In place of `asciidoc` for WebAssembly: its parser is an eighth of the module's code.

use super::files::File;
use super::{Options, Outcome, RawPage, Severity};

/// Names the file and leaves it out.
pub(super) fn read(
    _: &str,
    file: &File,
    _: &Options,
    outcome: &mut Outcome,
) -> Result<RawPage, String> {
    let reason = "is AsciiDoc, which is not read here; `findling build` reads it";
    outcome.tell(Severity::Error, &file.path, None, reason);
    Err(reason.to_owned())
}
