//! Citation of a paper, and the place of its PDF.

use std::path::PathBuf;

use findling_bundle::addresses::percent_decoded;
use serde::Serialize;

use crate::host::Document;
use crate::output::Sources;
use crate::output::citations::{Style, reference};

/// A reference in a style.
#[derive(Clone, Debug, Serialize)]
pub struct Citation {
    /// The style's name.
    pub style: &'static str,
    pub text: String,
}

/// Returns the references of a page in all styles that this program has.
pub fn citations(document: &Document) -> Vec<Citation> {
    let page = document.to_hit();
    let styles = [
        ("APA", Style::Apa),
        ("Chicago", Style::Chicago),
        ("IEEE", Style::Ieee),
        ("BibTeX", Style::Bibtex),
        ("RIS", Style::Ris),
        ("CSL-JSON", Style::CslJson),
    ];
    let cited = styles
        .into_iter()
        .filter_map(|(style, of)| Some(Citation { style, text: reference(&page, of).ok()? }));
    cited.collect()
}

/// Returns the PDF of a page: the file that it was read from, or that its address names.
pub fn pdf(document: &Document, base_url: &str, sources: &Sources) -> Option<PathBuf> {
    let path = document.url.strip_prefix(base_url).unwrap_or(&document.url);
    let names = [document.id.clone(), percent_decoded(path.trim_start_matches('/'))];
    let files = names.iter().filter_map(|name| sources.file(name));
    files.into_iter().find(|path| {
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn authors_are_cited_in_the_order_of_the_paper() {
        let Value::Object(attributes) = json!({
            "authors": ["Ash, Robin", "de Vries, Kim"],
            "venue": "Journal of Ceramics",
            "doi": "10.1000/glaze.2019",
            "type": "article",
        }) else {
            panic!("expected an object")
        };
        let document = Document {
            title: "Crystalline glazes".to_owned(),
            attributes,
            meta: vec![("authors".to_owned(), "de Vries, Kim, Ash, Robin".to_owned())],
            ..Document::default()
        };
        for Citation { style, text } in citations(&document) {
            let (first, second) = (text.find("Vries"), text.find("Ash"));
            assert!(first.is_some() && first < second, "{style}: {text}");
        }
    }

    #[test]
    fn a_paper_of_a_bibliography_has_the_pdf_that_its_address_names() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a paper.pdf"), "%PDF").unwrap();
        std::fs::write(dir.path().join("a.txt"), "x").unwrap();
        let sources = Sources::new(&[dir.path().to_owned()]);
        let of = |id: &str, url: &str| {
            let document =
                Document { id: id.to_owned(), url: url.to_owned(), ..Document::default() };
            pdf(&document, "https://x.org/", &sources).is_some()
        };
        assert!(of("a paper.pdf", ""));
        assert!(of("lib.bib/key", "/a%20paper.pdf"));
        assert!(of("lib.bib/key", "https://x.org/a%20paper.pdf"));
        assert!(!of("a.txt", "/a.txt"));
        assert!(!of("lib.bib/key", "/../a%20paper.pdf"));
        assert!(!of("lib.bib/key", "/%2e%2e/a%20paper.pdf"));
    }
}
