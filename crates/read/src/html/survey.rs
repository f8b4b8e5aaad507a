//! The results of one pass over a document: the place of its content, and the declarations in its
//! head.

use scraper::node::Element;
use scraper::{ElementRef, Html, Node};

use super::attrs::Attrs;
use super::{annotations, content, is_named, rules};

/// The results of one pass over a document.
#[derive(Default)]
pub(super) struct Survey<'a> {
    pub title: Option<String>,
    pub language: Option<String>,
    /// The content of the first `<meta http-equiv="refresh">`.
    pub refresh: Option<String>,
    /// The content of this element for browsers without scripts.
    pub refresh_without_scripts: Option<String>,
    /// The page's own address according to the page: `<link rel="canonical">`.
    pub canonical: Option<String>,
    /// Whether there is a `<base href>`.
    pub has_base: bool,
    pub noindex: bool,
    /// The elements that the site marks as the content.
    pub bodies: Vec<ElementRef<'a>>,
    pub(super) mains: Vec<ElementRef<'a>>,
    pub(super) role_mains: Vec<ElementRef<'a>>,
    pub(super) articles: Vec<ElementRef<'a>>,
    pub(super) container: Option<ElementRef<'a>>,
    pub body: Option<ElementRef<'a>>,
    /// Headings of the first level.
    pub h1s: Vec<ElementRef<'a>>,
    /// The program that wrote the page, according to the page.
    pub generator: Option<String>,
    /// The classes of `<html>`.
    pub classes: String,
    /// Words under which the author wants the page to be found: `<meta name="keywords">`.
    pub keywords: Option<String>,
    /// The elements that hold the content, and whether they are more than a guess.
    roots: (Vec<ElementRef<'a>>, bool),
}

/// Returns the BCP 47 tag that an element declares; `lang` before `xml:lang`.
pub(super) fn language_of(element: &Element) -> Option<String> {
    let tags = element
        .attrs()
        .filter(|(name, tag)| matches!(*name, "lang" | "xml:lang") && !tag.trim().is_empty());
    tags.min_by_key(|(name, _)| name.len()).map(|(_, tag)| tag.trim().replace('_', "-"))
}

impl<'a> Survey<'a> {
    /// Visits every element once.
    pub fn of(html: &'a Html, annotated: bool) -> Self {
        let mut survey = Self::default();
        let mut declared_language = None;
        for node in html.tree.root().descendants() {
            if let Node::Comment(comment) = node.value() {
                survey.note_generator(comment);
            }
            let Node::Element(element) = node.value() else { continue };
            let Some(reference) = ElementRef::wrap(node) else { continue };
            let noted = |slot: &mut Option<ElementRef<'a>>| {
                slot.get_or_insert(reference);
            };
            match element.name() {
                "html" => {
                    survey.classes = element.attr("class").unwrap_or_default().to_owned();
                    survey.language = language_of(element);
                    if survey.language.is_some() {
                        declared_language = None;
                    }
                }
                "title"
                    if survey.title.is_none()
                        && node.ancestors().all(|above| !is_named(above.value(), "svg")) =>
                {
                    survey.title = Some(annotations::text_of(reference));
                }
                // Readers do not see content that is meant for browsers without scripts.
                "meta" if node.ancestors().all(|above| !is_named(above.value(), "noscript")) => {
                    survey.note_meta(element, &mut declared_language);
                }
                "noscript" if survey.refresh_without_scripts.is_none() => {
                    survey.refresh_without_scripts = refresh_within(reference);
                }
                "link" if survey.canonical.is_none() => {
                    let is_canonical = element
                        .attr("rel")
                        .is_some_and(|rel| rel.trim().eq_ignore_ascii_case("canonical"));
                    survey.canonical = element
                        .attr("href")
                        .filter(|_| is_canonical)
                        .map(|href| href.trim().to_owned());
                }
                "base" => survey.has_base |= element.attr("href").is_some(),
                "main" => survey.mains.push(reference),
                "h1" => survey.h1s.push(reference),
                "article" => survey.articles.push(reference),
                "body" => {
                    noted(&mut survey.body);
                    survey.language = survey.language.take().or_else(|| language_of(element));
                }
                _ => {}
            }
            if element.attrs.is_empty() {
                continue;
            }
            let attrs = Attrs::of(element);
            if attrs.role == "main" {
                survey.role_mains.push(reference);
            }
            if !rules::is_heading(element.name()) && rules::is_content_container(&attrs) {
                survey.container.get_or_insert(reference);
            }
            if annotated
                && annotations::annotation!(element, "body").is_some()
                && !ignored(reference)
            {
                survey.bodies.push(reference);
            }
        }
        survey.language = survey.language.or(declared_language);
        survey.roots = content::roots(&survey);
        survey
    }

    fn note_meta(
        &mut self,
        element: &scraper::node::Element,
        declared_language: &mut Option<String>,
    ) {
        let (mut name, mut equiv, mut content) = ("", "", "");
        for (key, value) in element.attrs() {
            match key {
                "name" => name = value.trim(),
                "http-equiv" => equiv = value.trim(),
                "content" => content = value,
                _ => {}
            }
        }
        let is =
            |wanted: &str| name.eq_ignore_ascii_case(wanted) || equiv.eq_ignore_ascii_case(wanted);
        if is("robots") {
            // Authors separate the words by commas or by spaces.
            self.noindex |= content.split([',', ';', ' ', '\t', '\n']).any(|word| {
                word.eq_ignore_ascii_case("noindex") || word.eq_ignore_ascii_case("none")
            });
        } else if equiv.eq_ignore_ascii_case("refresh") {
            self.refresh.get_or_insert_with(|| content.to_owned());
        } else if name.eq_ignore_ascii_case("generator") {
            self.generator.get_or_insert_with(|| content.trim().to_owned());
        } else if name.eq_ignore_ascii_case("keywords") {
            self.keywords.get_or_insert_with(|| content.trim().to_owned());
        } else if is("content-language") && !content.trim().is_empty() {
            *declared_language = Some(content.trim().replace('_', "-"));
        }
    }

    /// Notes the program that a comment names: `<!-- Generated by Doxygen 1.9.1 -->`. Pages with a
    /// head of the project's own have no other sign of it.
    fn note_generator(&mut self, comment: &str) {
        if let Some(name) = comment.trim().strip_prefix("Generated by ") {
            self.generator.get_or_insert_with(|| name.trim().to_owned());
        }
    }

    /// Returns the place of the content, and whether it is certain.
    pub fn roots(&self) -> (Vec<ElementRef<'a>>, bool) {
        self.roots.clone()
    }
}

/// Returns the content of a `<meta http-equiv="refresh">` inside of `<noscript>`. In the head the
/// parser keeps its markup as text.
fn refresh_within(noscript: ElementRef) -> Option<String> {
    let markup: String = noscript.text().collect();
    if !markup.to_ascii_lowercase().contains("refresh") {
        return None;
    }
    let fragment = Html::parse_fragment(&markup);
    let mut survey = Survey::default();
    for node in fragment.tree.root().descendants() {
        if let Node::Element(element) = node.value()
            && element.name() == "meta"
        {
            survey.note_meta(element, &mut None);
        }
    }
    survey.refresh
}

/// Returns whether the element or one around it is left out of everything.
fn ignored(element: ElementRef) -> bool {
    std::iter::once(*element)
        .chain(element.ancestors())
        .filter_map(|node| node.value().as_element())
        .any(|element| annotations::ignore(element).is_some())
}
