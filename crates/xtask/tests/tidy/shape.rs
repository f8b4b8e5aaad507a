//! Limits on the shape of the code: width of lines, length of files and of functions.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::{root, tracked};

/// Columns of a line of code or comment.
const MAX_COLUMNS: usize = 100;
/// Lines of code in a file: lines that are not blank, a comment or part of a test module.
const MAX_FILE_LINES: usize = 600;
/// Lines of a function from its signature to its closing brace.
const MAX_FUNCTION_LINES: usize = 100;
/// The same in directories with a lower limit of their own.
const MAX_FUNCTION_LINES_IN: &[(&str, usize)] = &[("crates/engine", 80)];

const SOURCE_EXTENSIONS: &[&str] = &["rs", "ts", "mjs", "py", "sh"];

/// Files written by a program, or tables of data.
const GENERATED: &[&str] = &[
    "crates/text/src/unicode/tables.rs",
    "www/src/deferred-requests.ts",
    "www/src/engine-types.ts",
];

/// Returns the source files, without fixtures and generated files.
pub fn sources(extensions: &[&str]) -> Vec<PathBuf> {
    let mut files = tracked();
    files.retain(|file| {
        let is_source = file.extension().is_some_and(|e| extensions.iter().any(|x| e == *x));
        let is_fixture = file.components().any(|part| {
            ["fixtures", "pages", "site"].iter().any(|directory| part.as_os_str() == *directory)
        });
        let is_generated = GENERATED.iter().any(|generated| file == Path::new(generated));
        is_source && !is_fixture && !is_generated && root().join(file).is_file()
    });
    files
}

/// Returns a file of the repository; nothing if it cannot be read.
pub fn read(file: &Path) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_default()
}

/// Returns whether the file holds tests or measurements only.
fn is_test(file: &Path) -> bool {
    file.components().any(|part| {
        ["tests", "benches", "examples"].iter().any(|directory| part.as_os_str() == *directory)
    }) || file.file_stem().is_some_and(|stem| stem == "tests")
}

#[test]
fn lines_are_at_most_100_columns() {
    let mut long = Vec::new();
    for file in sources(SOURCE_EXTENSIONS) {
        for (i, line) in read(&file).lines().enumerate() {
            let columns = line.chars().count();
            // An address cannot be broken.
            if columns > MAX_COLUMNS && !line.contains("https://") {
                long.push(format!("{}:{}: {columns} columns", file.display(), i + 1));
            }
        }
    }
    assert!(long.is_empty(), "lines over {MAX_COLUMNS} columns:\n{}", long.join("\n"));
}

#[test]
fn limits_are_named_max_and_min() {
    // In two parts, so that this file does not contain what it looks for.
    let others = [(["MO", "ST_"].concat(), "MAX_"), (["LEA", "ST_"].concat(), "MIN_")];
    let mut found = Vec::new();
    for file in sources(SOURCE_EXTENSIONS) {
        for (i, line) in read(&file).lines().enumerate() {
            for (other, name) in others.iter().filter(|(other, _)| line.contains(other)) {
                let place = format!("{}:{}", file.display(), i + 1);
                found.push(format!("{place}: expected `{name}`, found `{other}`"));
            }
        }
    }
    assert!(found.is_empty(), "limits with other names:\n{}", found.join("\n"));
}

#[test]
fn files_are_at_most_600_lines_of_code() {
    let mut long = Vec::new();
    for file in sources(&["rs", "ts", "mjs"]) {
        if is_test(&file) {
            continue;
        }
        let lines = lines_of_code(&read(&file));
        if lines > MAX_FILE_LINES {
            long.push(format!("{}: {lines} lines of code", file.display()));
        }
    }
    assert!(long.is_empty(), "files over {MAX_FILE_LINES} lines:\n{}", long.join("\n"));
}

/// Returns lines that are not blank and not a comment, up to the test module at the end of a Rust
/// file.
fn lines_of_code(text: &str) -> usize {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[test]
fn functions_are_short() {
    let mut long = Vec::new();
    for file in sources(&["rs"]) {
        if is_test(&file) {
            continue;
        }
        let most = max_function_lines(&file);
        for (name, line, lines) in long_functions(&read(&file), most) {
            let place = format!("{}:{line}", file.display());
            long.push(format!("{place}: expected at most {most} lines, `{name}` has {lines}"));
        }
    }
    assert!(long.is_empty(), "functions that are too long:\n{}", long.join("\n"));
}

/// Returns the limit on functions of a file.
fn max_function_lines(file: &Path) -> usize {
    let mut own = MAX_FUNCTION_LINES_IN.iter().filter(|(directory, _)| file.starts_with(directory));
    own.next().map_or(MAX_FUNCTION_LINES, |(_, most)| *most)
}

/// Returns name, first line and number of lines of each function with more than `most` lines.
fn long_functions(text: &str, most: usize) -> Vec<(String, usize, usize)> {
    struct Functions {
        most: usize,
        found: Vec<(String, usize, usize)>,
    }
    impl Functions {
        fn check(&mut self, signature: &syn::Signature, body: Span) {
            let first = signature.span().start().line;
            let lines = body.end().line + 1 - first;
            if lines > self.most {
                self.found.push((signature.ident.to_string(), first, lines));
            }
        }
    }
    impl<'ast> Visit<'ast> for Functions {
        fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
            if !is_for_tests(&module.attrs) {
                visit::visit_item_mod(self, module);
            }
        }
        fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
            if !is_for_tests(&function.attrs) {
                self.check(&function.sig, function.block.span());
                visit::visit_item_fn(self, function);
            }
        }
        fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
            self.check(&function.sig, function.block.span());
            visit::visit_impl_item_fn(self, function);
        }
        fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
            if let Some(block) = &function.default {
                self.check(&function.sig, block.span());
            }
            visit::visit_trait_item_fn(self, function);
        }
    }
    let mut functions = Functions { most, found: Vec::new() };
    functions.visit_file(&syn::parse_file(text).expect("the compiler has read this file"));
    functions.found
}

/// Returns whether an item is compiled for tests only.
pub fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test")))
    })
}

#[test]
fn long_functions_are_found_outside_tests_only() {
    let body = "    call();\n".repeat(4);
    let text = format!(
        "fn short() {{}}\nimpl A {{\nfn long(&self) {{\n{body}}}\n}}\n\
         #[cfg(test)]\nmod tests {{\nfn long() {{\n{body}}}\n}}\n"
    );
    assert_eq!(long_functions(&text, 5), [("long".to_owned(), 3, 6)]);
    assert_eq!(long_functions(&text, 6), []);
}

#[test]
fn default_methods_of_traits_are_functions() {
    let body = "    call();\n".repeat(4);
    let text = format!("trait A {{\nfn none(&self);\nfn long(&self) {{\n{body}}}\n}}\n");
    assert_eq!(long_functions(&text, 5), [("long".to_owned(), 3, 6)]);
}

#[test]
fn the_engine_has_a_lower_limit() {
    assert_eq!(max_function_lines(Path::new("crates/engine/src/index.rs")), 80);
    assert_eq!(max_function_lines(Path::new("crates/engineer.rs")), MAX_FUNCTION_LINES);
}

#[test]
fn comments_and_tests_are_not_lines_of_code() {
    assert_eq!(
        lines_of_code("//! Doc.\n\nfn a() {\n    // why\n}\n#[cfg(test)]\nmod tests {}\n"),
        2
    );
}
