//! The links between the HTML pages of a site, with their texts.

use std::path::Path;

use anyhow::{Context, anyhow, bail};
use rayon::prelude::*;
use scraper::{Html, Selector};

use super::file::resolve;
use super::{Format, Options, Severity, decode, find, html, within_time};

/// A link between two pages of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The text that a reader sees.
    pub text: String,
    /// The path of its target below the site's root, without slashes at its ends.
    target: String,
}

impl Link {
    /// Returns the possible ids of the target page, the most likely first.
    pub fn candidates(&self) -> impl Iterator<Item = String> {
        let target = &self.target;
        let slash = if target.is_empty() { "" } else { "/" };
        [target.clone(), format!("{target}{slash}index.html"), format!("{target}.html")].into_iter()
    }
}

/// Returns the links of all HTML files of a directory that lead to other pages in it, in the order
/// of the files. A link that begins with `/` is relative to the directory.
///
/// # Errors
/// If a file cannot be read.
pub fn read(site: &Path) -> anyhow::Result<Vec<Link>> {
    let mut broken = None;
    let options = Options::default().within(&[site.to_owned()]);
    let files = find::find(&[site.to_owned()], &options, &mut |problem| {
        if problem.severity == Severity::Error {
            broken.get_or_insert(problem);
        }
    });
    if let Some(problem) = broken {
        bail!("{}: {}", problem.path.display(), problem.reason);
    }
    let pages: Vec<Vec<Link>> = files
        .par_iter()
        .filter(|file| file.format == Format::Html)
        .map(|file| {
            let bytes = options.tree.read(&file.path);
            let bytes = bytes.with_context(|| format!("{}", file.path.display()))?;
            let (id, text) = (file.id.clone(), decode::html(&bytes, None).text.into_owned());
            let links = within_time(options.max_file_time, move || of_page(&id, &text));
            links.map_err(|reason| anyhow!("{}: {reason}", file.path.display()))
        })
        .collect::<anyhow::Result<_>>()?;
    Ok(pages.into_iter().flatten().collect())
}

/// Returns the links of the page at a path.
fn of_page(path: &str, text: &str) -> Vec<Link> {
    if html::refused(text).is_some() {
        return Vec::new();
    }
    let anchors = Selector::parse("a[href]").expect("a selector");
    Html::parse_document(text)
        .select(&anchors)
        .filter_map(|anchor| {
            let target = target(path, anchor.attr("href")?)?;
            let text: String = anchor.text().collect();
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let link = Link { text, target };
            let is_own = link.candidates().any(|id| id == path);
            (!link.text.is_empty() && !is_own).then_some(link)
        })
        .collect()
}

/// Returns the path that a reference leads to from a page; `None` for other hosts and for places
/// within the page.
fn target(page: &str, reference: &str) -> Option<String> {
    let path = reference.split(['#', '?']).next().unwrap_or_default();
    let has_scheme = path.split('/').next().is_some_and(|first| first.contains(':'));
    let elsewhere = path.is_empty() || has_scheme || path.starts_with("//");
    (!elsewhere).then(|| resolve(page, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_other_hosts_and_into_the_page_itself_have_no_target() {
        assert_eq!(target("guide/a.html", "../index.html?x=1").as_deref(), Some("index.html"));
        for elsewhere in ["#part", "?q=1", "https://example.org/", "//example.org/x", "mailto:a@b"]
        {
            assert_eq!(target("guide/a.html", elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn a_link_to_a_directory_leads_to_its_index() {
        let html = r##"<a href="/api/">The <b>API</b>
            of it</a> <a href="x.html"><img src="x.png"></a> <a href="#here">Here</a>
            <a href="./">Start page</a>"##;
        let links = of_page("index.html", html);
        let [link] = &links[..] else { panic!("{links:?}") };
        assert_eq!(link.text, "The API of it");
        assert!(link.candidates().any(|id| id == "api/index.html"));
    }
}
