//! Reference marks that can be recognised by their markup: links to notes, roles and classes. Marks
//! that are only raised text are recognised by their text, in `reference_marks.rs`.

use ego_tree::NodeRef;
use scraper::node::Element;
use scraper::{ElementRef, Node};

use super::annotations::text_of;
use super::attrs::{Attrs, is_called};
use super::is_named;

/// Returns whether an element is the mark of a footnote or of a reference, or leads back from one.
pub(super) fn is_mark(node: NodeRef<Node>, element: &Element, attrs: &Attrs) -> bool {
    let is_raised = element.name() == "sup";
    let is_link = element.name() == "a";
    if !is_raised && !is_link && !matches!(element.name(), "span" | "small") {
        return false;
    }
    let said = matches!(attrs.role, "doc-noteref" | "doc-backlink")
        || element.attr("epub:type").is_some_and(|kind| kind.contains("noteref"))
        || element.attrs().any(|(name, _)| name.starts_with("data-footnote-"));
    let called = || {
        (is_raised || is_link)
            && is_called(element, |word| {
                matches!(word, "footnote" | "fnref" | "footnoteref" | "noteref" | "endnote")
            })
    };
    let reference = is_raised
        && (attrs.has_class(|class| matches!(class, "reference" | "cite" | "citation"))
            || links_to_notes(node));
    (said || reference || called()) && is_short(node)
}

/// Returns whether the links of raised text all lead to this page.
fn links_to_notes(node: NodeRef<Node>) -> bool {
    let mut links = node
        .descendants()
        .filter(|below| is_named(below.value(), "a"))
        .filter_map(ElementRef::wrap);
    let here = |link: ElementRef| link.value().attr("href").is_some_and(|href| href.contains('#'));
    links.next().is_some_and(here) && links.all(here)
}

/// Returns whether a text is as short as a mark: a number, a few letters, a sign, or a list of
/// these. A name in brackets is a citation, which is text.
fn is_short(node: NodeRef<Node>) -> bool {
    let Some(element) = ElementRef::wrap(node) else { return false };
    let text = text_of(element);
    let parts = || text.split([',', ' ']).map(|part| part.trim_matches(['[', ']', '(', ')']));
    !text.is_empty()
        && parts().count() <= 4
        && parts().all(|part| part.chars().count() <= 3 || part.parse::<u32>().is_ok())
}

/// Returns whether raised text follows a variable or code, which makes it an exponent.
pub(super) fn is_behind_a_variable(node: NodeRef<Node>) -> bool {
    node.prev_sibling()
        .and_then(|before| before.value().as_element())
        .is_some_and(|element| matches!(element.name(), "var" | "code" | "sub"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::outline;

    #[test]
    fn marks_go_and_formulas_stay() {
        for (html, expect) in [
            ("logged<sup>3</sup>.", "logged."),
            ("logged<sup>*</sup> twice", "logged twice"),
            ("logged<sup>†</sup>", "logged"),
            ("logged<sup>[2]</sup>", "logged"),
            ("<b>logged</b><sup>3,4</sup> twice", "logged twice"),
            ("logged<sup><a href='#a'>1</a>, <a href='#b'>2</a></sup>", "logged"),
            ("logged<a role=doc-noteref href='#a'>1</a>", "logged"),
            ("logged<a class='footnote-reference brackets' href='#a'>1</a>", "logged"),
            ("logged<a class=footnote-ref href='#a'><sup>1</sup></a>", "logged"),
            ("logged<sup class=reference><a href='#c'>[12]</a></sup>", "logged"),
            ("40 m<sup>2</sup> and 10<sup>6</sup>", "40 m2 and 10⁶"),
            ("10<sup>&minus;3</sup> in 1998<sup>2</sup>", "10⁻³ in 1998²"),
            ("N<sub>2</sub>O<sub>4</sub>", "N2O4"),
            ("the 1<sup>st</sup>", "the 1st"),
            ("<var>area</var><sup>2</sup>", "area2"),
            ("SO<sub>4</sub><sup>2</sup>", "SO42"),
            ("Findling<sup>TM</sup> is", "Findling TM is"),
            ("logged<span class=superscript>3</span> twice", "logged twice"),
            ("m<span class=superscript>2</span>", "m2"),
        ] {
            assert_eq!(outline(&format!("<p>{html}</p>")), format!("0 : {expect}"), "{html}");
        }
    }
}
