//! The values of `--format` and `--markdown-urls`, with their help.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::sources::{Format, MarkdownUrls};

/// Returns the parser of `--format`.
pub fn formats() -> impl TypedValueParser<Value = Format> {
    let help = |format| match format {
        Format::Html => "Rendered HTML",
        Format::Markdown => "Markdown, MDX",
        Format::Rst => "reStructuredText, as Sphinx reads it",
        Format::Asciidoc => "AsciiDoc",
        Format::Org => "Org",
        Format::Jsonl => "One JSON object on each line",
        Format::Code => "Source code in any language",
        Format::Chats => "Conversations: session logs, exported chats, mailboxes",
        Format::Pdf => "PDF",
        Format::Papers => "Papers: bibliographies, and texts beside them",
        Format::Documents => "Word files, OpenDocument texts, books, notebooks, plain text",
    };
    let values = Format::ALL.map(|format| (format, format.name(), help(format)));
    one_of(values)
}

/// Returns the parser of `--markdown-urls`.
pub fn markdown_urls() -> impl TypedValueParser<Value = MarkdownUrls> {
    let help = |style| match style {
        MarkdownUrls::Directory => "`guide/start/`, as Hugo, MkDocs, Docusaurus and Astro do",
        MarkdownUrls::Html => "`guide/start.html`, as mdBook and VitePress do",
        MarkdownUrls::Bare => "`guide/start`",
    };
    one_of(MarkdownUrls::ALL.map(|style| (style, style.name(), help(style))))
}

/// Returns a parser of some values: each with its name and its help.
pub fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    values: [(T, &'static str, &'static str); N],
) -> impl TypedValueParser<Value = T> {
    let names = values.map(|(_, name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names).try_map(move |given| {
        let value = values.iter().find(|(_, name, _)| *name == given);
        value.map(|(value, ..)| *value).ok_or("expected one of the names that are listed")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_gives_its_value() {
        let command = clap::Command::new("x")
            .arg(clap::Arg::new("format").value_parser(formats()))
            .arg(clap::Arg::new("urls").value_parser(markdown_urls()));
        for format in Format::ALL {
            let given = command.clone().get_matches_from(["x", format.name(), "bare"]);
            assert_eq!(given.get_one::<Format>("format"), Some(&format));
            assert_eq!(given.get_one::<MarkdownUrls>("urls"), Some(&MarkdownUrls::Bare));
        }
        assert!(command.try_get_matches_from(["x", "HTML"]).is_err());
    }
}
