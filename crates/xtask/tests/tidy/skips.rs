//! Checks the list of tests that may be skipped.

use std::path::Path;

use syn::visit::{self, Visit};

use super::shape::{read, sources};

/// Collects the names of functions with `#[ignore]`.
struct Ignored(Vec<String>);

impl<'ast> Visit<'ast> for Ignored {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if function.attrs.iter().any(|attribute| attribute.path().is_ident("ignore")) {
            self.0.push(function.sig.ident.to_string());
        }
        visit::visit_item_fn(self, function);
    }
}

#[test]
fn ignored_tests_are_on_the_list_of_allowed_skips() {
    let list = read(Path::new("tests/allowed-skips.txt"));
    let is_listed = |name: &str| list.lines().any(|line| line.starts_with(&format!("{name}: ")));
    let mut ignored = Ignored(Vec::new());
    for file in sources(&["rs"]) {
        if let Ok(file) = syn::parse_file(&read(&file)) {
            ignored.visit_file(&file);
        }
    }
    assert!(!ignored.0.is_empty(), "no ignored test was found");
    ignored.0.retain(|name| !is_listed(name));
    assert!(ignored.0.is_empty(), "tests/allowed-skips.txt does not name {:?}", ignored.0);
}
