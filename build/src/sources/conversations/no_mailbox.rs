//! In place of `mailbox` for WebAssembly, where no file is taken for a mailbox.

use super::model::Conversation;
use super::{Notes, Options};

/// Whether a file is a mailbox: none is.
pub(super) fn is_mailbox(_: &[u8]) -> bool {
    false
}

/// The conversations of a mailbox: none.
pub(super) fn read(_: &[u8], _: &Options, _: &mut Notes) -> Vec<Conversation> {
    Vec::new()
}

/// No file is taken for a mail.
pub(super) fn is_mail(_: &[u8]) -> bool {
    false
}

/// Reads nothing.
pub(super) fn read_mail(_: &[u8], _: &mut Notes) -> Vec<Conversation> {
    Vec::new()
}
