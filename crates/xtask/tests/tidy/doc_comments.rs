//! Rules for the first line of doc comments: a verb on functions, a noun phrase on the rest.
//!
//! **Invariant.** The first word of a function's comment is a verb in the third person. No comment
//! begins with a pronoun, "of", "as" or "by".
//!
//! GOOD: "Returns the passages of a section." on a function, "Bytes of the file." on a field. BAD:
//! "That of sections.", "What is written."; on a function: "Passages of a section."
//!
//! **Why.** An editor and `cargo doc` show the line by itself, beside many others.
//!
//! A verb is a word that ends in "s" and is not in [`NOUNS`]. A plural that the test takes for a
//! verb belongs there.

use std::fs;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::root;
use super::shape::sources;

/// Words that need a sentence before them to be understood.
const NO_BEGINNINGS: &[&str] = &[
    "as", "by", "he", "her", "his", "it", "it's", "its", "of", "she", "that", "their", "them",
    "these", "they", "this", "those", "what", "whatever", "which", "who", "whom", "whose",
];

/// Nouns in the plural that look like verbs in the third person.
const NOUNS: &[&str] = &[
    "address",
    "always",
    "arguments",
    "attributes",
    "besides",
    "bits",
    "bundles",
    "bytes",
    "capitals",
    "cells",
    "characters",
    "columns",
    "contents",
    "days",
    "dimensions",
    "directories",
    "entries",
    "errors",
    "fields",
    "files",
    "functions",
    "headings",
    "hits",
    "hours",
    "ids",
    "languages",
    "lengths",
    "less",
    "lines",
    "messages",
    "milliseconds",
    "modules",
    "numbers",
    "pages",
    "papers",
    "passages",
    "paths",
    "percentiles",
    "positions",
    "postings",
    "queries",
    "results",
    "rows",
    "samples",
    "seconds",
    "sections",
    "sentences",
    "settings",
    "shards",
    "sources",
    "spellings",
    "statistics",
    "stretches",
    "systems",
    "tables",
    "targets",
    "terms",
    "texts",
    "things",
    "titles",
    "tokens",
    "units",
    "unless",
    "values",
    "variables",
    "vectors",
    "weights",
    "words",
];

/// Verbs that a clause with "that" may follow. After other words, "that" follows a noun.
const BEFORE_THAT: &[&str] = &[
    "asserts", "checks", "ensures", "expects", "marks", "notes", "proves", "records", "reports",
    "says", "sees", "shows", "tells", "tests",
];

/// The kind of item that a comment belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Function,
    /// A type, field, variant, constant, macro or module.
    Thing,
}

/// Returns the fault in the first line of a doc comment, if there is one.
fn fault(kind: Kind, line: &str) -> Option<&'static str> {
    let mut words = line.split_whitespace();
    let first = words.next()?.trim_end_matches([',', ':', ';', '.']).to_lowercase();
    let second = words.next().unwrap_or_default().to_lowercase();
    if NO_BEGINNINGS.contains(&first.as_str()) {
        return Some("begins with a word that refers to something else");
    }
    let is_verb = first.ends_with('s')
        && first.chars().all(|c| c.is_ascii_lowercase() || c == '-')
        && !NOUNS.contains(&first.as_str())
        && !["of", "whose"].contains(&second.as_str())
        && (second != "that" || BEFORE_THAT.contains(&first.as_str()));
    (kind == Kind::Function && !is_verb).then_some("expected a verb in the third person")
}

/// A doc comment whose first line breaks the rules: its line in the file, the text, the fault.
#[derive(Debug, PartialEq)]
struct Finding {
    line: usize,
    text: String,
    fault: &'static str,
}

/// Returns the findings in the text of a Rust file.
fn findings(text: &str) -> Vec<Finding> {
    let mut comments = Comments { found: Vec::new() };
    let file = syn::parse_file(text).expect("the compiler has read this file");
    comments.check(Kind::Thing, &file.attrs);
    comments.visit_file(&file);
    comments.found
}

struct Comments {
    found: Vec<Finding>,
}

impl Comments {
    fn check(&mut self, kind: Kind, attributes: &[syn::Attribute]) {
        for attribute in attributes {
            let syn::Meta::NameValue(pair) = &attribute.meta else { continue };
            let syn::Expr::Lit(literal) = &pair.value else { continue };
            let syn::Lit::Str(text) = &literal.lit else { continue };
            if !pair.path.is_ident("doc") || text.value().trim().is_empty() {
                continue;
            }
            let text = text.value().trim().to_owned();
            if let Some(fault) = fault(kind, &text) {
                self.found.push(Finding { line: attribute.span().start().line, text, fault });
            }
            return;
        }
    }
}

/// Returns whether users read the comments, as help texts of clap or as descriptions in a schema:
/// these have conventions of their own.
fn is_for_users(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("derive")).any(|attribute| {
        let mut found = false;
        let _ = attribute.parse_nested_meta(|meta| {
            let name = meta.path.segments.last().map(|segment| segment.ident.to_string());
            found |= name.is_some_and(|name| {
                ["Args", "JsonSchema", "Parser", "Subcommand", "ValueEnum"].contains(&name.as_str())
            });
            Ok(())
        });
        found
    })
}

/// Writes a method of the visitor that checks the item's comment and goes on inside it.
macro_rules! visits {
    ($($method:ident $item:ident $kind:ident)*) => {$(
        fn $method(&mut self, item: &'ast syn::$item) {
            if !is_for_users(&item.attrs) {
                self.check(Kind::$kind, &item.attrs);
                visit::$method(self, item);
            }
        }
    )*};
}

impl<'ast> Visit<'ast> for Comments {
    visits! {
        visit_item_fn ItemFn Function
        visit_impl_item_fn ImplItemFn Function
        visit_trait_item_fn TraitItemFn Function
        visit_foreign_item_fn ForeignItemFn Function
        visit_item_struct ItemStruct Thing
        visit_item_enum ItemEnum Thing
        visit_item_union ItemUnion Thing
        visit_item_trait ItemTrait Thing
        visit_item_type ItemType Thing
        visit_item_const ItemConst Thing
        visit_item_static ItemStatic Thing
        visit_item_macro ItemMacro Thing
        visit_item_mod ItemMod Thing
        visit_item_impl ItemImpl Thing
        visit_impl_item_const ImplItemConst Thing
        visit_impl_item_type ImplItemType Thing
        visit_trait_item_const TraitItemConst Thing
        visit_trait_item_type TraitItemType Thing
        visit_variant Variant Thing
        visit_field Field Thing
    }
}

/// Returns the first lines of the JSDoc comments of a script, with their numbers.
fn first_lines_of_scripts(text: &str) -> Vec<(usize, &str)> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let begins = (0..lines.len()).filter(|&i| lines[i].starts_with("/**"));
    let text_of = |i: usize| lines[i].trim_start_matches(['/', '*', ' ']).trim_end_matches("*/");
    begins
        .filter_map(|i| (i..lines.len()).find(|&i| !text_of(i).is_empty()))
        .map(|i| (i + 1, text_of(i)))
        .collect()
}

#[test]
fn comments_of_scripts_begin_with_a_verb_or_a_noun() {
    let mut found = Vec::new();
    for file in sources(&["ts", "mjs"]).iter().filter(|file| file.starts_with("www/src")) {
        let text = fs::read_to_string(root().join(file)).unwrap_or_default();
        for (line, text) in first_lines_of_scripts(&text) {
            if let Some(fault) = fault(Kind::Thing, text) {
                found.push(format!("{}:{line}: {fault}: {text}", file.display()));
            }
        }
    }
    assert!(found.is_empty(), "{} first lines of comments:\n{}", found.len(), found.join("\n"));
}

#[test]
fn functions_need_a_verb_and_things_need_no_pronoun() {
    let cases = [
        // (comment of a function, comment of a type)
        ("Returns the bytes of a file.", "Bytes of a file."),
        ("Is true of primes.", "The state, once it is known."),
        ("Checks that a bundle is whole.", "Names of the shards."),
        ("Percent-encodes a path.", "Whether the page is new."),
        ("Names the shards.", "A page that lists others."),
    ];
    for (function, thing) in cases {
        assert_eq!(fault(Kind::Function, function), None, "{function}");
        assert_eq!(fault(Kind::Thing, thing), None, "{thing}");
    }
    let of_functions = [
        "Bytes of a file.",
        "The bytes of a file.",
        "Names of the shards.",
        "Marks whose page is new.",
        "Links that lead nowhere.",
        "`a, b`",
        "# Errors",
        "Whether the page is new.",
        "Return the bytes.",
        "Cargo's metadata.",
    ];
    for text in of_functions {
        assert!(fault(Kind::Function, text).is_some(), "{text}");
    }
    for text in ["That of sections.", "What is written.", "It, by name.", "As given.", "Of pages."]
    {
        assert!(fault(Kind::Function, text).is_some(), "{text}");
        assert!(fault(Kind::Thing, text).is_some(), "{text}");
    }
}

#[test]
fn comments_are_found_on_items_of_every_kind() {
    let text = "//! What it is.\n\n\
        /// This type.\nstruct A {\n/// Its field.\na: u8 }\n\
        /// The help.\n#[derive(Clone, clap::Args)]\nstruct B {\n/// What to search.\nb: u8 }\n\
        impl A {\n///\n/// The method.\n/// Returns more.\nfn a() {\n\
        /// As outside.\nconst C: u8 = 1;\n}\n}\n\
        enum E {\n/// Of none.\nF }\n\
        trait T {\n/// A provided method.\nfn f();\n/// Which type.\ntype U; }\n\
        mod m {\n/// A function.\npub fn f() {}\n}\n";
    let found: Vec<String> = findings(text).into_iter().map(|finding| finding.text).collect();
    let expected = [
        "What it is.",
        "This type.",
        "Its field.",
        "The method.",
        "As outside.",
        "Of none.",
        "A provided method.",
        "Which type.",
        "A function.",
    ];
    assert_eq!(found, expected);
}

#[test]
fn comments_of_scripts_are_found() {
    let text = "/** What it is. */\nconst a = 1;\n/*\n * No JSDoc. */\n\
        /**\n *\n * Returns a.\n * More.\n */\nfunction f() {}\n";
    assert_eq!(first_lines_of_scripts(text), [(1, "What it is. "), (7, "Returns a.")]);
}

#[test]
fn doc_comments_begin_with_a_verb_or_a_noun() {
    let mut found = Vec::new();
    for file in sources(&["rs"]) {
        let text = fs::read_to_string(root().join(&file)).unwrap_or_default();
        for Finding { line, text, fault } in findings(&text) {
            found.push(format!("{}:{line}: {fault}: {text}", file.display()));
        }
    }
    assert!(found.is_empty(), "{} first lines of doc comments:\n{}", found.len(), found.join("\n"));
}
