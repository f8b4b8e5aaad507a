//! Inline elements of Markdown that are marks rather than text.

use scraper::ElementRef;

use super::super::left_out::Rule;
use super::attrs::{Attrs, is_called};
use super::code_block::is_clipboard_control;
use super::heading::{is_anchor_word, is_icon, is_visually_hidden};

/// Returns the reason why an inline element of Markdown is left out, by its tag. `heading` is the
/// text before it in its heading, if it is in a heading.
pub(in super::super) fn left_out_inline(tag: ElementRef, heading: Option<&str>) -> Option<Rule> {
    let element = tag.value();
    let attrs = Attrs::of(element);
    if attrs.hidden {
        return Some(Rule::Hidden);
    }
    if is_icon(element) {
        return Some(Rule::Icon);
    }
    if is_clipboard_control(element) {
        return Some(Rule::CodeControl);
    }
    if attrs.role == "doc-noteref" {
        return Some(Rule::ReferenceMark);
    }
    let heading = heading?;
    if is_visually_hidden(element) {
        return Some(Rule::ScreenReaderText);
    }
    let letters = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let target = attrs.href?.strip_prefix('#')?;
    let to_itself = element.name() == "a"
        && (letters(target) == letters(heading) || is_called(element, is_anchor_word));
    to_itself.then_some(Rule::HeadingMark)
}
