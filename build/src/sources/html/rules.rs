//! What of a page is not its content: by element, by role, by class and by id.
//!
//! The tables name what generators and themes in wide use put around and between content; names
//! that also occur on content are left out of them.

/// What an element's attributes say, read in one pass.
#[derive(Default)]
pub(super) struct Attrs<'a> {
    pub id: Option<&'a str>,
    pub class: &'a str,
    pub role: &'a str,
    pub href: Option<&'a str>,
    pub name: Option<&'a str>,
    pub hidden: bool,
}

impl<'a> Attrs<'a> {
    pub fn of(element: &'a scraper::node::Element) -> Self {
        let mut attrs = Self::default();
        for (name, value) in element.attrs() {
            match name {
                "id" => attrs.id = Some(value).filter(|id| !id.is_empty()),
                "class" => attrs.class = value,
                "role" => attrs.role = value,
                "href" => attrs.href = Some(value),
                "name" => attrs.name = Some(value).filter(|name| !name.is_empty()),
                "hidden" => attrs.hidden |= !value.eq_ignore_ascii_case("until-found"),
                "aria-hidden" => attrs.hidden |= value.eq_ignore_ascii_case("true"),
                "style" => attrs.hidden |= hides(value),
                _ => {}
            }
        }
        // The panels of tabs that are not shown first are content all the same.
        attrs.hidden &= attrs.role != "tabpanel";
        attrs
    }

    pub fn has_class(&self, wanted: impl Fn(&str) -> bool) -> bool {
        self.class.split_ascii_whitespace().any(wanted)
    }
}

fn hides(style: &str) -> bool {
    style.split(';').any(|rule| match rule.split_once(':') {
        Some((property, value)) => {
            let (property, value) = (property.trim(), value.trim());
            (property.eq_ignore_ascii_case("display") && value.starts_with("none"))
                || (property.eq_ignore_ascii_case("visibility") && value.starts_with("hidden"))
        }
        None => false,
    })
}

/// Elements without text for readers, or with nothing but controls.
pub(super) fn is_machinery(name: &str) -> bool {
    matches!(
        name,
        "script"
            | "style"
            | "noscript"
            | "template"
            | "svg"
            | "iframe"
            | "object"
            | "embed"
            | "canvas"
            | "audio"
            | "video"
            | "map"
            | "head"
            | "title"
            | "link"
            | "meta"
            | "base"
            | "button"
            | "select"
            | "datalist"
            | "textarea"
            | "input"
            | "progress"
            | "meter"
            | "form"
            | "dialog"
            | "annotation"
            | "annotation-xml"
            | "rp"
            | "rt"
    )
}

/// Elements that begin and end a block of text.
pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "header"
            | "hgroup"
            | "hr"
            | "legend"
            | "li"
            | "main"
            | "menu"
            | "ol"
            | "p"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "tfoot"
            | "thead"
            | "ul"
    )
}

/// Inline elements whose text is code.
pub(super) fn is_code(name: &str) -> bool {
    matches!(name, "code" | "kbd" | "samp" | "tt")
}

/// Navigation and other surroundings, inside the content as well as around it.
///
/// `explicit` is whether the site marked the content itself; then only what is never content is
/// left out. `in_content` is whether the element is inside `<main>`, `<article>` or such.
pub(super) fn is_surrounding(name: &str, attrs: &Attrs, explicit: bool, in_content: bool) -> bool {
    match name {
        "nav" | "footer" => return true,
        "header" if !in_content => return true,
        "aside" if !explicit && !is_note(attrs) => return true,
        _ => {}
    }
    if matches!(
        attrs.role,
        "navigation"
            | "search"
            | "contentinfo"
            | "menu"
            | "menubar"
            | "toolbar"
            | "dialog"
            | "alertdialog"
    ) {
        return true;
    }
    if attrs.has_class(|class| {
        matches!(
            class,
            "headerlink"
                | "viewcode-link"
                | "linenos"
                | "lineno"
                | "linenumber"
                | "line-numbers"
                | "line-numbers-wrapper"
                | "gutter"
                | "rustdoc-breadcrumbs"
                | "rightside"
                | "hideme"
                | "copybtn"
                | "copy-button"
                | "rule-link"
                | "indexterm"
                | "sl-anchor-link"
                | "hash-link"
                | "skip-link"
                | "skip-to-content"
        )
    }) {
        return true;
    }
    if explicit {
        return false;
    }
    if !in_content && matches!(attrs.role, "banner" | "complementary") {
        return true;
    }
    attrs.has_class(|class| {
        matches!(
            class,
            "navheader"
                | "navfooter"
                | "toc"
                | "table-of-contents"
                | "tableofcontents"
                | "toctree-wrapper"
                | "list-of-tables"
                | "list-of-figures"
                | "list-of-examples"
                | "sphinxsidebar"
                | "breadcrumb"
                | "breadcrumbs"
                | "pagination"
                | "pagination-nav"
                | "prev-next"
                | "prev-next-area"
                | "edit-this-page"
                | "edit-page"
                | "edit-page-link"
                | "cookie-banner"
                | "cookie-consent"
                | "share-buttons"
                | "social-share"
                | "theme-doc-toc-mobile"
                | "theme-doc-breadcrumbs"
                | "theme-doc-footer"
                | "md-source-file"
                | "md-sidebar"
                | "grammar-railroad"
                | "site-footer"
                | "page-footer"
                | "site-header"
        )
    }) || (attrs.has_class(|class| class == "contents")
        && attrs.has_class(|class| class == "topic" || class == "local"))
        || matches!(
            attrs.id,
            Some(
                "footer"
                    | "sidebar"
                    | "toc"
                    | "TOC"
                    | "navbar"
                    | "navigation"
                    | "site-footer"
                    | "page-footer"
            )
        )
}

/// Whether an `<aside>` is a note to the text rather than a side bar.
fn is_note(attrs: &Attrs) -> bool {
    attrs.role == "note"
        || attrs.has_class(|class| {
            [
                "note",
                "admonition",
                "callout",
                "tip",
                "warning",
                "caution",
                "danger",
                "info",
                "important",
                "alert",
                "footnote",
                "notice",
                "starlight-aside",
            ]
            .iter()
            .any(|word| class.starts_with(word))
        })
}

/// Containers that generators and themes put around content, for pages without `<main>` or one
/// `<article>`.
pub(super) fn is_content_container(attrs: &Attrs) -> bool {
    attrs.has_class(|class| {
        matches!(
            class,
            "markdown-body"
                | "md-content"
                | "theme-doc-markdown"
                | "vp-doc"
                | "rst-content"
                | "bd-article"
                | "post-content"
                | "entry-content"
                | "main-content"
                | "page-content"
                | "article-content"
        )
    }) || matches!(attrs.id, Some("main-content" | "main"))
}

/// Whether a `<div>` is a section of a document in the manner of DocBook, AsciiDoc and older
/// Sphinx: its id is its heading's anchor.
pub(super) fn is_section_class(class: &str) -> bool {
    class.starts_with("sect")
        || class.starts_with("refsect")
        || matches!(
            class,
            "refsynopsisdiv"
                | "refentry"
                | "reference"
                | "chapter"
                | "appendix"
                | "preface"
                | "part"
                | "book"
                | "article"
                | "glossary"
                | "bibliography"
                | "simplesect"
                | "dedication"
                | "colophon"
        )
}

/// Whether the text of a link is a mark that links a heading to itself.
pub(super) fn is_permalink_mark(text: &str) -> bool {
    let text = text.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}' | '\u{fe0e}' | '\u{fe0f}')
    });
    matches!(text, "" | "#" | "¶" | "§" | "🔗" | "⚓" | "∞" | "†" | "\u{f0c1}")
        || [
            "Permalink",
            "Link to this",
            "Direct link to",
            "Anchor link",
            "Section titled",
            "Link to this heading",
        ]
        .iter()
        .any(|words| text.starts_with(words))
}
