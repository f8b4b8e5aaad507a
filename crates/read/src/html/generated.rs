//! Pages that a generator adds to the pages that people wrote: lists of symbols, hierarchies, uses,
//! tags, source code. Lists only repeat the pages that they list, and are left out; listings of
//! source code and pages about the generator itself rank last.

use scraper::ElementRef;
use scraper::node::Element;

use super::annotations::text_of;
use super::survey::Survey;
use super::text::Words;

/// The kinds of generated pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generated {
    /// A list of symbols or files.
    List,
    /// Source code, or help for the generated pages.
    Beside,
}

/// Names of lists that only generators write, for all generators.
const LISTS: [&str; 17] = [
    "allclasses",
    "allclasses-frame",
    "allclasses-noframe",
    "allclasses-index",
    "allpackages-index",
    "index-all",
    "overview-frame",
    "overview-tree",
    "package-frame",
    "package-tree",
    "package-use",
    "theindex",
    "graph_legend",
    "class_list",
    "method_list",
    "file_list",
    "doc-index",
];

/// Names of lists that Doxygen writes, up to the first `_`.
const DOXYGEN_LISTS: [&str; 14] = [
    "functions",
    "globals",
    "namespacemembers",
    "classes",
    "hierarchy",
    "inherits",
    "annotated",
    "files",
    "namespaces",
    "modules",
    "topics",
    "pages",
    "examples",
    "graph",
];

/// Classes of lists that Docusaurus writes.
const DOCUSAURUS_LISTS: [&str; 6] = [
    "blog-authors-list-page",
    "blog-authors-posts-page",
    "blog-tags-list-page",
    "blog-tags-post-list-page",
    "docs-tags-list-page",
    "docs-tags-doc-list-page",
];

/// Returns the kind of a page that a generator added, or `None` for other pages.
pub(super) fn kind(survey: &Survey, path: &str) -> Option<Generated> {
    let (directory, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let within = |name: &str| directory.split('/').any(|part| part == name);
    let generator = survey.generator.as_deref().unwrap_or_default().to_ascii_lowercase();
    let is_by = |name: &str| generator.starts_with(name);
    let title = survey.title.as_deref().unwrap_or_default().to_lowercase();
    if is_source_path(directory, file, is_by("doxygen")) && is_mostly_code(survey) {
        return Some(Generated::Beside);
    }
    let says_source = ["source code", "source: ", "source file", "source code for"]
        .iter()
        .any(|words| title.contains(words) || title.ends_with(words.trim()));
    if says_source && is_mostly_code(survey) {
        return Some(Generated::Beside);
    }
    if stem == "help-doc" || (is_by("rustdoc") && matches!(stem, "help" | "settings")) {
        return Some(Generated::Beside);
    }
    let is_doxygen = is_by("doxygen")
        && (stem.ends_with("-members")
            || within("search")
            || stem.strip_prefix("dir_").is_some_and(|hash| {
                hash.len() == 32 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
            })
            || stem.strip_suffix("_incl").is_some()
            || DOXYGEN_LISTS.contains(&stem.split('_').next().unwrap_or_default()));
    let is_rustdoc = is_by("rustdoc") && stem == "all";
    let is_tag_list = is_by("docusaurus")
        && survey.classes.split_ascii_whitespace().any(|class| DOCUSAURUS_LISTS.contains(&class));
    let is_list = LISTS.contains(&stem)
        || stem.starts_with("doc-index-")
        || (stem.ends_with("-members") && title.starts_with("list of all members"))
        || within("class-use")
        || within("index-files")
        || is_doxygen
        || is_rustdoc;
    if is_tag_list
        || is_list && (is_doxygen || is_rustdoc || is_linked_list(survey) || is_list_title(&title))
    {
        return Some(Generated::List);
    }
    (is_list_title(&title) && is_all_links(survey)).then_some(Generated::List)
}

/// Returns whether a title, in lower case, names a list of symbols.
fn is_list_title(title: &str) -> bool {
    let title = title.trim();
    let starts = [
        "uses of class",
        "uses of package",
        "uses of interface",
        "uses of ",
        "hierarchy for package",
        "list of all members",
        "all modules for which code is available",
        "overview: module code",
        "list of all items",
        "all classes",
        "all packages",
    ];
    let is = [
        "index",
        "alphabetical index",
        "general index",
        "symbol index",
        "function index",
        "variable index",
        "concept index",
        "class index",
        "class hierarchy",
        "class members",
        "file members",
        "namespace members",
        "member list",
        "file list",
        "class list",
        "namespace list",
        "command index",
        "module index",
        "package index",
        "type index",
        "macro index",
        "keyword index",
        "index of symbols",
        "directory hierarchy",
        "tags",
        "categories",
        "archive",
        "archives",
    ];
    starts.iter().any(|start| title.starts_with(start))
        || title.split([':', '(', '|', '\u{2014}', '\u{2013}', '-']).map(str::trim).any(|part| {
            is.contains(&part) || part.strip_suffix(" index").is_some_and(|of| of.len() < 24)
        })
        || title.ends_with(" member list")
        || title.ends_with(" directory reference")
}

/// Returns whether a file holds source code, by its name and place.
fn is_source_path(directory: &str, file: &str, is_doxygen: bool) -> bool {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let is_code_file = stem.rsplit_once('.').is_some_and(|(_, end)| {
        matches!(
            end,
            "js" | "jsx"
                | "mjs"
                | "cjs"
                | "ts"
                | "tsx"
                | "py"
                | "rs"
                | "rb"
                | "java"
                | "kt"
                | "go"
                | "c"
                | "h"
                | "cc"
                | "cpp"
                | "hpp"
                | "hs"
                | "ml"
                | "mli"
                | "php"
                | "swift"
                | "scala"
        )
    });
    let in_sources = directory.split('/').any(|part| {
        matches!(part, "_modules" | "src-html" | "src" | "source" | "sources" | "_src" | "code")
    });
    is_code_file || in_sources || (is_doxygen && stem.ends_with("_source"))
}

/// Returns whether most of a page's text is code.
fn is_mostly_code(survey: &Survey) -> bool {
    let (roots, _) = survey.roots();
    let mut total = 0;
    let mut code = 0;
    for root in roots {
        total += length(root);
        let blocks = root.descendants().filter_map(ElementRef::wrap).filter(|element| {
            let is_code = |name: &str| {
                matches!(name, "pre" | "table" | "ol")
                    && element.value().attr("class").is_some_and(|class| {
                        ["code", "source", "highlight", "fragment", "src"]
                            .iter()
                            .any(|word| class.to_ascii_lowercase().contains(word))
                    })
                    || name == "pre"
            };
            is_code(element.value().name())
                || element.value().attr("class").is_some_and(|class| {
                    class.split_ascii_whitespace().any(|class| {
                        matches!(class, "fragment" | "source-container" | "src-line-numbers")
                    })
                })
        });
        let mut ids = Vec::new();
        for block in blocks {
            if !block.ancestors().any(|above| ids.contains(&above.id())) {
                code += length(block);
                ids.push(block.id());
            }
            if ids.len() > 50 {
                break;
            }
        }
    }
    code * 10 >= total * 6 && code > 0
}

fn length(element: ElementRef) -> usize {
    element.text().map(|text| text.trim().len()).sum()
}

/// Returns the words of the content, without menus inside of it unless it has nothing else.
fn content_words(survey: &Survey) -> Words {
    let (mut all, mut menus) = (Words::default(), Words::default());
    for root in survey.roots().0 {
        add(&mut all, root);
        for menu in root.descendants().filter_map(ElementRef::wrap).filter(is_outer_menu(root)) {
            add(&mut menus, menu);
        }
    }
    if all.links > menus.links || all.prose > menus.prose {
        // A menu inside of a label counts as controls of the content.
        all.links = all.links.saturating_sub(menus.links);
        all.prose = all.prose.saturating_sub(menus.prose);
    }
    all
}

fn add(words: &mut Words, element: ElementRef) {
    let own = Words::of(*element, usize::MAX);
    words.prose += own.prose;
    words.links += own.links;
}

/// Returns whether an element below a root is a menu that is in no other menu.
fn is_outer_menu(root: ElementRef<'_>) -> impl Fn(&ElementRef<'_>) -> bool {
    let is_menu = |element: &Element| {
        matches!(element.name(), "nav" | "aside") || element.attr("role") == Some("navigation")
    };
    move |element| {
        let mut above = element.ancestors().take_while(|above| above.id() != root.id());
        element.id() != root.id()
            && is_menu(element.value())
            && !above.any(|above| above.value().as_element().is_some_and(is_menu))
    }
}

/// Returns whether a page that is named as a list has links.
fn is_linked_list(survey: &Survey) -> bool {
    content_words(survey).links > 0
}

/// Returns whether a page consists almost only of links.
fn is_all_links(survey: &Survey) -> bool {
    let words = content_words(survey);
    let is_title = |root: &ElementRef| {
        root.descendants()
            .filter_map(ElementRef::wrap)
            .any(|element| element.value().name() == "pre" && !text_of(element).is_empty())
    };
    words.links >= 2 && words.links * 3 >= words.prose * 2 && !survey.roots().0.iter().any(is_title)
}
