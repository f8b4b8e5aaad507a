//! The modules of a crate form layers, and imports point down only.
//!
//! A crate with layers has a file `layers.txt` with one line for each layer, the lowest first:
//! names of modules in `src`, separated by spaces. `#` begins a comment. A module may use modules
//! of lower lines, but none of its own or of higher lines. `lib.rs` and `main.rs` are above all
//! lines.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

use super::shape::is_for_tests;
use super::{root, tracked};

/// Returns the directories with a `layers.txt`.
fn layered(source: &str) -> Vec<PathBuf> {
    let mut directories: Vec<PathBuf> = tracked()
        .iter()
        .filter(|file| file.file_name().is_some_and(|name| name == "layers.txt"))
        .filter_map(|file| file.parent().map(Path::to_owned))
        .collect();
    directories.retain(|directory| {
        let entry = root().join(directory).join("src");
        entry.is_dir()
            && fs::read_dir(entry).is_ok_and(|mut files| {
                files.any(|file| {
                    file.is_ok_and(|file| file.path().extension().is_some_and(|e| e == source))
                })
            })
    });
    directories
}

/// Returns the line of each module in `layers.txt`.
fn layers(directory: &Path) -> BTreeMap<String, usize> {
    let text = fs::read_to_string(root().join(directory).join("layers.txt")).unwrap_or_default();
    let mut layers = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        for module in line.split('#').next().unwrap_or_default().split_whitespace() {
            let earlier = layers.insert(module.to_owned(), number);
            assert!(earlier.is_none(), "{}: `{module}` has two lines", directory.display());
        }
    }
    layers
}

/// Compares the imports of each module with the layers. `uses` is (user, used, where).
fn check(directory: &Path, uses: &BTreeSet<(String, String, String)>) -> Vec<String> {
    let layers = layers(directory);
    let mut wrong = Vec::new();
    for (user, used, place) in uses {
        if user == used {
            continue;
        }
        match (layers.get(user), layers.get(used)) {
            (Some(high), Some(low)) if low < high => {}
            (Some(_), Some(_)) => wrong.push(format!("{place}: `{user}` must not use `{used}`")),
            (known, _) => {
                let new = if known.is_none() { user } else { used };
                let file = directory.join("layers.txt");
                wrong.push(format!("{place}: `{new}` has no line in {}", file.display()));
            }
        }
    }
    wrong
}

#[test]
fn rust_modules_use_lower_layers_only() {
    let mut wrong = Vec::new();
    for directory in layered("rs") {
        let src = directory.join("src");
        let exported = exported(&src);
        let mut uses = BTreeSet::new();
        for file in tracked().iter().filter(|file| file.extension().is_some_and(|e| e == "rs")) {
            let Ok(inner) = file.strip_prefix(&src) else { continue };
            let path = module_path(inner);
            let Some(user) = path.first() else { continue };
            // A file of tests may use every module.
            if inner.file_stem().is_some_and(|stem| stem == "tests")
                || exported.tests.contains(user)
                || inner.starts_with("bin")
            {
                continue;
            }
            let text = fs::read_to_string(root().join(file)).unwrap_or_default();
            for (used, line) in modules_used(&text, &path) {
                let used = exported.module(used);
                if let Some(used) = used {
                    uses.insert((user.clone(), used, format!("{}:{line}", file.display())));
                }
            }
        }
        wrong.extend(check(&directory, &uses));
    }
    assert!(wrong.is_empty(), "imports that do not point down:\n{}", wrong.join("\n"));
}

/// Checks every crate of the tool and of the engine: it has a list, and each module has a line in
/// it.
#[test]
fn every_crate_lists_its_modules() {
    let tracked = tracked();
    let manifests = tracked.iter().filter(|file| {
        file.file_name().is_some_and(|name| name == "Cargo.toml")
            && (file.starts_with("crates") || file.starts_with("build"))
    });
    let directories: Vec<&Path> = manifests.filter_map(|file| file.parent()).collect();
    assert!(directories.len() > 5, "{directories:?}");
    for directory in directories {
        let file = directory.join("layers.txt");
        assert!(root().join(&file).is_file(), "expected a list of modules, found no {file:?}");
        let declared: BTreeSet<String> =
            ["lib.rs", "main.rs"].iter().flat_map(|name| declared(directory, name)).collect();
        let listed: BTreeSet<String> = layers(directory).into_keys().collect();
        assert_eq!(listed, declared, "{file:?} lists the modules of the crate's root");
    }
}

/// Returns the modules that a root of a crate declares, except for its tests.
fn declared(directory: &Path, file: &str) -> Vec<String> {
    let path = root().join(directory).join("src").join(file);
    let text = fs::read_to_string(path).unwrap_or_default();
    let parsed = syn::parse_file(&text).expect("the compiler has read this file");
    let modules = parsed.items.into_iter().filter_map(|item| match item {
        syn::Item::Mod(module) if !is_for_tests(&module.attrs) => Some(module.ident.to_string()),
        _ => None,
    });
    modules.collect()
}

/// Returns the module path of a file below `src`: none for the root of the crate.
fn module_path(file: &Path) -> Vec<String> {
    let mut path: Vec<String> = file
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    if path.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        path.pop();
    }
    path
}

/// Modules and items of the root of a crate.
struct Exports {
    modules: BTreeSet<String>,
    /// The modules of its tests.
    tests: BTreeSet<String>,
    /// Items that the root declares itself. Any module may use them, since the root is no module.
    items: BTreeSet<String>,
    /// The module of each exported name; none for a name of another crate.
    names: BTreeMap<String, Option<String>>,
    /// The module whose names are all exported.
    glob: Option<String>,
}

impl Exports {
    /// Returns the module to which the first part of a path after `crate` leads.
    fn module(&self, first: String) -> Option<String> {
        match self.names.get(&first) {
            Some(module) => module.clone(),
            None if self.items.contains(&first) => None,
            None if self.modules.contains(&first) => Some(first),
            None => Some(self.glob.clone().unwrap_or(first)),
        }
    }
}

/// Reads the declarations and exports of `lib.rs`.
fn exported(src: &Path) -> Exports {
    let text = fs::read_to_string(root().join(src).join("lib.rs")).unwrap_or_default();
    let file = syn::parse_file(&text).expect("the compiler has read this file");
    let modules: BTreeSet<String> = file
        .items
        .iter()
        .filter_map(|item| match item {
            syn::Item::Mod(module) => Some(module.ident.to_string()),
            _ => None,
        })
        .collect();
    let tests = file.items.iter().filter_map(|item| match item {
        syn::Item::Mod(module) if is_for_tests(&module.attrs) => Some(module.ident.to_string()),
        _ => None,
    });
    let tests = tests.collect();
    let items = file.items.iter().filter_map(|item| match item {
        syn::Item::Const(item) => Some(item.ident.to_string()),
        syn::Item::Enum(item) => Some(item.ident.to_string()),
        syn::Item::Fn(item) => Some(item.sig.ident.to_string()),
        syn::Item::Struct(item) => Some(item.ident.to_string()),
        syn::Item::Trait(item) => Some(item.ident.to_string()),
        syn::Item::Type(item) => Some(item.ident.to_string()),
        _ => None,
    });
    let items = items.collect();
    let (mut names, mut glob) = (BTreeMap::new(), None);
    for item in &file.items {
        if let syn::Item::Use(item) = item {
            for path in paths(&item.tree) {
                if let [module, .., name] = path.as_slice() {
                    if name == "*" && modules.contains(module) {
                        glob = Some(module.clone());
                    }
                    names.insert(name.clone(), modules.get(module).cloned());
                }
            }
        }
    }
    Exports { modules, tests, items, names, glob }
}

/// Returns all paths of a `use` tree. The last part of `a::b as c` is `c`, of `a::*` it is `*`.
fn paths(tree: &syn::UseTree) -> Vec<Vec<String>> {
    let below = |first: &syn::Ident, rest: Vec<Vec<String>>| {
        rest.into_iter().map(|path| [vec![first.to_string()], path].concat()).collect()
    };
    match tree {
        syn::UseTree::Path(path) => below(&path.ident, paths(&path.tree)),
        syn::UseTree::Name(name) => vec![vec![name.ident.to_string()]],
        syn::UseTree::Rename(name) => below(&name.ident, vec![vec![name.rename.to_string()]]),
        syn::UseTree::Glob(_) => vec![vec!["*".to_owned()]],
        syn::UseTree::Group(group) => group.items.iter().flat_map(paths).collect(),
    }
}

/// Returns the modules of the crate's root that a file uses outside its tests, with a line of each
/// use.
fn modules_used(text: &str, module: &[String]) -> Vec<(String, usize)> {
    struct Uses {
        module: Vec<String>,
        found: Vec<(String, usize)>,
    }
    impl Uses {
        /// Resolves a path that begins with `crate` or `super`; other paths stay inside or leave
        /// the crate.
        fn add(&mut self, path: &[String], line: usize) {
            let supers = path.iter().take_while(|part| *part == "super").count();
            let (from, rest) = match path.first().map(String::as_str) {
                Some("crate") => (&[][..], &path[1..]),
                Some("super") if supers <= self.module.len() => {
                    (&self.module[..self.module.len() - supers], &path[supers..])
                }
                _ => return,
            };
            if let Some(first) = from.iter().chain(rest).next() {
                self.found.push((first.clone(), line));
            }
        }
    }
    impl<'ast> Visit<'ast> for Uses {
        fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
            if is_for_tests(&item.attrs) {
                return;
            }
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
        fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
            if !is_for_tests(&item.attrs) {
                visit::visit_item_fn(self, item);
            }
        }
        fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
            if is_for_tests(&item.attrs) {
                return;
            }
            let line = item.use_token.span.start().line;
            for path in paths(&item.tree) {
                self.add(&path, line);
            }
        }
        fn visit_path(&mut self, path: &'ast syn::Path) {
            let line = path.segments.first().map_or(0, |part| part.ident.span().start().line);
            let parts: Vec<String> =
                path.segments.iter().map(|part| part.ident.to_string()).collect();
            self.add(&parts, line);
            visit::visit_path(self, path);
        }
    }
    let mut uses = Uses { module: module.to_vec(), found: Vec::new() };
    uses.visit_file(&syn::parse_file(text).expect("the compiler has read this file"));
    uses.found
}

#[test]
fn typescript_modules_use_lower_layers_only() {
    let mut wrong = Vec::new();
    for directory in layered("ts") {
        let src = directory.join("src");
        let mut uses = BTreeSet::new();
        for file in tracked().iter().filter(|file| file.extension().is_some_and(|e| e == "ts")) {
            let Ok(inner) = file.strip_prefix(&src) else { continue };
            if inner.to_string_lossy().ends_with(".d.ts") {
                continue;
            }
            let text = fs::read_to_string(root().join(file)).unwrap_or_default();
            let user = inner.with_extension("").to_string_lossy().into_owned();
            for used in scripts_used(&text, inner) {
                uses.insert((user.clone(), used, file.display().to_string()));
            }
        }
        wrong.extend(check(&directory, &uses));
    }
    assert!(wrong.is_empty(), "imports that do not point down:\n{}", wrong.join("\n"));
}

/// Returns the modules that a TypeScript file imports or exports from, relative to `src`.
fn scripts_used(text: &str, file: &Path) -> Vec<String> {
    let mut used = Vec::new();
    for opening in ["from \"", "import(\"", "import \""] {
        for rest in text.split(opening).skip(1) {
            let target = rest.split('"').next().unwrap_or_default();
            if !target.starts_with('.') {
                continue;
            }
            let mut path: Vec<String> = file
                .parent()
                .into_iter()
                .flat_map(Path::components)
                .map(|part| part.as_os_str().to_string_lossy().into_owned())
                .collect();
            let mut inside = true;
            for part in target.split('/') {
                match part {
                    "." => {}
                    ".." => inside &= path.pop().is_some(),
                    name => path.push(name.trim_end_matches(".js").to_owned()),
                }
            }
            // Files outside `src`, such as the wasm modules, have no layer.
            if inside && !path.last().is_some_and(|name| name.contains('.')) {
                used.push(path.join("/"));
            }
        }
    }
    used
}

#[test]
fn paths_are_resolved_and_tests_are_passed_over() {
    let text = "use crate::a::{self, b::C};\nuse super::d::E;\nuse super::super::f;\nuse std::fs;\n\
                fn g() { crate::h::i(); }\n#[cfg(test)]\nmod tests { use crate::z; }\n";
    let module = ["x".to_owned(), "y".to_owned()];
    let used: BTreeSet<String> =
        modules_used(text, &module).into_iter().map(|(name, _)| name).collect();
    assert_eq!(used.iter().map(String::as_str).collect::<Vec<_>>(), ["a", "f", "h", "x"]);
}

#[test]
fn scripts_are_resolved_from_their_folder() {
    let text = "import { a } from \"./a.js\";\nexport * from \"../b.js\";\nimport \"node:fs\";\n\
                const c = await import(\"../../wasm/c.js\");";
    assert_eq!(scripts_used(text, Path::new("ui/d.ts")), ["ui/a", "b"]);
}
