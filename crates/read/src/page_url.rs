//! The address of the page that a file becomes.

use super::file::{encode, join};
use super::{Format, MarkdownUrls, Options, antora, jekyll};

/// Returns the path of the page that Sphinx, Asciidoctor or Org makes from a file.
fn rendered(id: &str, options: &Options) -> String {
    let of_module = antora::path_of_page(id);
    let id = of_module.as_deref().unwrap_or(id);
    let name = id.rsplit('/').next().unwrap_or(id);
    // `guide.rst.txt` is the source that Sphinx deploys with a page.
    let stem = name.strip_suffix(".txt").unwrap_or(name);
    let stem =
        stem.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(stem, |(stem, _)| stem);
    let directory = &id[..id.len() - name.len()];
    if stem == "index" && !options.keep_index_html {
        return directory.to_owned();
    }
    let end = if options.markdown_urls == MarkdownUrls::Bare { "" } else { ".html" };
    format!("{directory}{stem}{end}")
}

/// Returns the URL of a page: the base, then its path in the form that a web server serves.
pub(super) fn url(id: &str, format: Format, options: &Options) -> String {
    let mut path = id.to_owned();
    if format == Format::Markdown
        && let Some((above, date, name)) = jekyll::post(id)
    {
        path = format!("{above}{}/{name}.html", date.replace('-', "/"));
    } else if format == Format::Markdown {
        let stem = path
            .rfind('.')
            .map_or(path.len(), |dot| if path[dot..].contains('/') { path.len() } else { dot });
        path.truncate(stem);
        let name = path.rsplit('/').next().unwrap_or_default();
        if matches!(name, "index" | "_index" | "README" | "readme" | "Readme") {
            path.truncate(path.len() - name.len());
            if options.keep_index_html {
                path.push_str("index.html");
            }
        } else {
            match options.markdown_urls {
                MarkdownUrls::Directory => path.push('/'),
                MarkdownUrls::Html => path.push_str(".html"),
                MarkdownUrls::Bare => {}
            }
        }
    } else if format.is_markup() {
        path = rendered(id, options);
    } else if format == Format::Html && !options.keep_index_html {
        for index in ["index.html", "index.htm"] {
            if path == index || path.strip_suffix(index).is_some_and(|front| front.ends_with('/')) {
                path.truncate(path.len() - index.len());
                break;
            }
        }
    }
    join(&options.base_url, &encode(&path))
}
