//! The values of options whose types belong to libraries, with their help.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::query_encoder::Choice;
use crate::site::Hosting;
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
        Format::Documents => {
            "Word files, OpenDocument texts, books, notebooks, manual pages, OpenAPI, \
             plain text"
        }
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

/// Returns the parser of `--host`.
pub fn hosts() -> impl TypedValueParser<Value = Hosting> {
    let name_and_help = |host| match host {
        Hosting::Auto => (
            "auto",
            "Any host: packs so short that a host that ignores ranges sends little, and no more of \
             them than pages",
        ),
        Hosting::Plain => ("plain", "Any web server or storage that answers range requests"),
        Hosting::Files => {
            ("files", "A file for each shard, for servers that do not answer range requests")
        }
        Hosting::GithubPages => ("github-pages", "GitHub Pages"),
        Hosting::CloudflarePages => (
            "cloudflare-pages",
            "Cloudflare Pages, which ignores ranges: packs as for any host; writes rules into \
             _headers",
        ),
        Hosting::Workers => ("workers", "Static assets of Cloudflare Workers: as Cloudflare Pages"),
        Hosting::Netlify => ("netlify", "Netlify; writes rules into _headers"),
        Hosting::S3 => ("s3", "Amazon S3 and storage like it"),
    };
    one_of(Hosting::ALL.map(|host| {
        let (name, help) = name_and_help(host);
        (host, name, help)
    }))
}

/// Returns the parser of `--query-encoder`.
pub fn query_encoders() -> impl TypedValueParser<Value = Choice> {
    let name_and_help = |choice| match choice {
        Choice::Auto => (
            "auto",
            "static if there is a table for the documents' encoder, otherwise that encoder itself",
        ),
        Choice::Static => (
            "static",
            "The rows of the static table, a part of the bundle: a few kilobytes for a query",
        ),
        Choice::Transformer => (
            "transformer",
            "The documents' transformer, compressed: 15 MB once for all-minilm-l6-v2",
        ),
        Choice::Both => ("both", "static first, the transformer once it has been loaded"),
        Choice::Hash => ("hash", "Feature hashing; not semantic"),
        Choice::None => {
            ("none", "None: search by words only, or with vectors that the host supplies")
        }
    };
    one_of(Choice::ALL.map(|choice| {
        let (name, help) = name_and_help(choice);
        (choice, name, help)
    }))
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
