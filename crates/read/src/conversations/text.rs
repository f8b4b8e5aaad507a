//! The text of turns as blocks. Text is data: terminal escapes are removed.

use std::borrow::Cow;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::outline::{Outline, shorten};
use findling_page::page::Block;

/// Returns a text without the escapes that colour a terminal or move its cursor.
pub(super) fn without_escapes(text: &str) -> Cow<'_, str> {
    if text.contains(['\u{1b}', '\u{9b}', '\u{9d}', '\0']) {
        let text = text.replace('\u{9b}', "\u{1b}[").replace('\u{9d}', "\u{1b}]");
        Cow::Owned(anstream::adapter::strip_str(&text).to_string().replace('\0', ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns Markdown as blocks: models write it, and so do people who write to them.
pub(super) fn markdown(text: &str) -> Vec<Block> {
    let text = without_escapes(text);
    let mut outline = Outline::new();
    let mut code: Option<String> = None;
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    for event in Parser::new_ext(&text, options) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => code = Some(String::new()),
            Event::End(TagEnd::CodeBlock) => {
                outline.code_block(&code.take().unwrap_or_default());
            }
            Event::Text(text) => match &mut code {
                Some(code) => code.push_str(&text),
                None => outline.text().push(&text),
            },
            Event::Code(text) => {
                outline.text().start_code();
                outline.text().push(&text);
                outline.text().end_code();
            }
            // In a conversation a tag is a word: `Vec<u8>`, "the <head> of the page".
            Event::Html(text) | Event::InlineHtml(text) => outline.text().push(&text),
            Event::SoftBreak | Event::HardBreak => outline.text().space(),
            Event::Start(Tag::Item) => outline.end_block(),
            Event::End(TagEnd::TableCell) => outline.text().separate("|"),
            Event::End(
                TagEnd::Paragraph
                | TagEnd::Item
                | TagEnd::Heading(_)
                | TagEnd::TableRow
                | TagEnd::TableHead
                | TagEnd::HtmlBlock,
            ) => outline.end_block(),
            _ => {}
        }
    }
    blocks(outline)
}

/// Returns text without markup as blocks: blank lines separate paragraphs.
pub(super) fn plain(text: &str) -> Vec<Block> {
    let text = without_escapes(text);
    let mut outline = Outline::new();
    for line in text.lines() {
        if line.trim().is_empty() {
            outline.end_block();
        } else {
            outline.text().push(line);
            outline.text().space();
        }
    }
    blocks(outline)
}

/// Returns text as a code block, with its lines: commands, and the output of tools.
pub(super) fn code(text: &str) -> Vec<Block> {
    let mut outline = Outline::new();
    outline.code_block(&without_escapes(text));
    blocks(outline)
}

fn blocks(outline: Outline) -> Vec<Block> {
    outline.finish().into_iter().flat_map(|section| section.blocks).collect()
}

/// Shortest sentence that can serve as a title, in bytes: "Hello there!" is not.
const MIN_SENTENCE_BYTES: usize = 24;

/// Returns the first sentence of a text on one line, at most `max` bytes.
pub(super) fn first_sentence(text: &str, max: usize) -> String {
    let ends_sentence = |&(at, c): &(usize, char)| match c {
        '。' | '？' | '！' => true,
        // A full stop inside a name or a number does not end a sentence.
        '.' | '?' | '!' => !text[at + 1..].starts_with(|c: char| !c.is_whitespace()),
        _ => false,
    };
    let mut ends = text.char_indices().filter(ends_sentence).map(|(at, c)| at + c.len_utf8());
    let end = ends.find(|&end| end >= MIN_SENTENCE_BYTES).unwrap_or(text.len());
    let mut sentence = text[..end].to_owned();
    shorten(&mut sentence, max);
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(blocks: &[Block]) -> Vec<&str> {
        blocks.iter().map(|block| block.text.as_str()).collect()
    }

    #[test]
    fn markdown_becomes_blocks_without_marks() {
        let blocks = markdown(
            "# Why\nUse `Vec<u8>` and **not** Vec<T>.\n\n- one\n- two\n\n```rust\nfn a() {}\n```\n\
             | a | b |\n|---|---|\n| 1 | 2 |\n",
        );
        assert_eq!(
            texts(&blocks),
            ["Why", "Use Vec<u8> and not Vec<T>.", "one", "two", "fn a() {}", "a | b", "1 | 2"]
        );
        assert_eq!(blocks[1].code, [(4, 11)]);
        assert!(blocks[4].is_code_block);
    }

    #[test]
    fn escapes_of_terminals_do_not_survive() {
        for hostile in [
            "\u{1b}[31mred\u{1b}[0m",
            "\u{1b}]0;title\u{7}red",
            "\u{9b}31mred",
            "\u{1b}]8;;http://x\u{1b}\\red\u{1b}]8;;\u{1b}\\",
            "r\u{1b}[2Jed",
            "re\0d",
        ] {
            for blocks in [markdown(hostile), plain(hostile), code(hostile)] {
                assert_eq!(texts(&blocks), ["red"], "{hostile:?}");
            }
        }
    }

    #[test]
    fn a_title_is_the_first_sentence() {
        let title = |text: &str| first_sentence(text, 40);
        assert_eq!(title("How do I open v1.2 files? I tried."), "How do I open v1.2 files?");
        assert_eq!(title("Hi. Why is it slow?"), "Hi. Why is it slow?");
        assert_eq!(title("なぜ遅いのですか。教えて"), "なぜ遅いのですか。");
        assert_eq!(title(&"word ".repeat(20)), "word word word word word word word word…");
    }
}
