//! Reads the markers from the source.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use syn::{Attribute, Fields, ImplItem, Item, Meta, Type};

use super::names::{Functions, Named, OF_OTHER_CRATES};
use super::{Declaration, Field};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Marker {
    Deferred,
    NotDeferred,
    Parts,
}

/// The type that has the fields of requests.
const REQUEST: &str = "Request";

/// The markers that have been read so far.
#[derive(Default)]
pub(super) struct Markers {
    functions: Functions,
    /// The methods of the engine, by crate, type and name, and whether they have a marker.
    methods: BTreeMap<(String, String, String), bool>,
    /// The fields of requests, with the paths of their types as if these were in the same module.
    fields: Vec<(Field, Option<String>)>,
    /// The values of enums by path, without deferred values.
    enums: BTreeMap<String, Vec<String>>,
    syntax: Vec<String>,
}

impl Markers {
    pub fn read_crate(&mut self, name: &str, source: &Path) -> Result<()> {
        let mut files = Vec::new();
        collect(source, &mut files)?;
        files.sort();
        for file in files {
            let text = fs::read_to_string(&file)?;
            let path = module_path(name, file.strip_prefix(source)?);
            self.read_file(&path, &text).with_context(|| file.display().to_string())?;
        }
        Ok(())
    }

    fn read_file(&mut self, path: &str, text: &str) -> Result<()> {
        let file = syn::parse_file(text)?;
        self.module(path, &file.attrs, &file.items)
    }

    fn module(&mut self, path: &str, attributes: &[Attribute], items: &[Item]) -> Result<()> {
        let named = || Named::Module(format!("{path}::"));
        match marker(attributes)? {
            Some(Marker::Deferred) => self.functions.deferred.push(named()),
            Some(Marker::NotDeferred) => self.functions.kept.push(named()),
            Some(Marker::Parts) => self.functions.parts.push(named()),
            None => {}
        }
        for item in items {
            self.item(path, item)?;
        }
        Ok(())
    }

    fn item(&mut self, path: &str, item: &Item) -> Result<()> {
        match item {
            Item::Mod(module) if !is_for_tests(&module.attrs) => {
                if let Some((_, items)) = &module.content {
                    self.module(&format!("{path}::{}", module.ident), &module.attrs, items)?;
                }
            }
            Item::Fn(function) => {
                let named = Named::Function(format!("{path}::{}", function.sig.ident));
                self.function(named, &function.attrs)?;
            }
            Item::Impl(implementation) => {
                let Some(ty) = name_of(&implementation.self_ty) else { return Ok(()) };
                for item in &implementation.items {
                    let ImplItem::Fn(function) = item else { continue };
                    let name = function.sig.ident.to_string();
                    self.method(path, &ty, name, &function.attrs)?;
                }
            }
            Item::Struct(item) if item.ident == REQUEST => {
                for field in &item.fields {
                    let name =
                        field.ident.as_ref().context("a field of the request has no name")?;
                    let deferred = is_deferred(&field.attrs)?;
                    let name = camel_case(&name.to_string());
                    let ty = name_of(&field.ty).map(|ty| format!("{path}::{ty}"));
                    self.fields.push((Field { name, deferred, values: None }, ty));
                }
            }
            Item::Enum(item) if item.variants.iter().all(|v| matches!(v.fields, Fields::Unit)) => {
                let mut values = Vec::new();
                for variant in &item.variants {
                    if !is_deferred(&variant.attrs)? {
                        values.push(variant.ident.to_string().to_lowercase());
                    }
                }
                self.enums.insert(format!("{path}::{}", item.ident), values);
            }
            Item::Const(item) if is_deferred(&item.attrs)? => self.expressions(&item.expr)?,
            _ => {}
        }
        Ok(())
    }

    fn function(&mut self, named: Named, attributes: &[Attribute]) -> Result<()> {
        match marker(attributes)? {
            None => {}
            Some(Marker::NotDeferred) => self.functions.kept.push(named),
            Some(Marker::Parts) => bail!("expected this marker on a module: {}", named.text()),
            Some(Marker::Deferred) => {
                ensure!(
                    is_never_inlined(attributes),
                    "`{}` is deferred, and the compiler may inline it into the first part: add \
                     `#[inline(never)]`",
                    named.text()
                );
                self.functions.deferred.push(named);
            }
        }
        Ok(())
    }

    fn method(
        &mut self,
        path: &str,
        ty: &str,
        name: String,
        attributes: &[Attribute],
    ) -> Result<()> {
        let of = path.split("::").next().unwrap_or_default().to_owned();
        let key = (of.clone(), ty.to_owned(), name.clone());
        let marked = marker(attributes)?.is_some();
        let other = self.methods.insert(key, marked);
        ensure!(
            other.is_none_or(|other| other == marked),
            "two methods are called `{ty}::{name}`, and one of them has a marker: rename one, \
             since names in the module would not tell them apart"
        );
        self.function(Named::Method(of, ty.to_owned(), name), attributes)
    }

    /// Takes the expressions of a constant list of strings.
    fn expressions(&mut self, list: &syn::Expr) -> Result<()> {
        let syn::Expr::Reference(list) = list else { bail!("expected a reference to a list") };
        let syn::Expr::Array(list) = &*list.expr else { bail!("expected a list of strings") };
        for item in &list.elems {
            let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = item else {
                bail!("expected a list of strings")
            };
            self.syntax.push(text.value());
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<Declaration> {
        self.functions.deferred.extend(OF_OTHER_CRATES.iter().map(|&text| Named::Containing(text)));
        ensure!(!self.fields.is_empty(), "there is no struct `{REQUEST}` among the sources");
        let fields = self.fields.into_iter().map(|(field, ty)| {
            let values = ty.and_then(|ty| self.enums.get(&ty).cloned());
            Field { values, ..field }
        });
        Ok(Declaration { fields: fields.collect(), functions: self.functions, syntax: self.syntax })
    }
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the path of a file's module: `engine::rank::order` of `rank/order.rs`.
fn module_path(of: &str, file: &Path) -> String {
    let mut path = of.to_owned();
    for part in file.with_extension("").iter().filter_map(|part| part.to_str()) {
        if !["lib", "mod"].contains(&part) {
            path.push_str("::");
            path.push_str(part);
        }
    }
    path
}

fn marker(attributes: &[Attribute]) -> Result<Option<Marker>> {
    let mut found = None;
    for attribute in attributes {
        let Meta::List(list) = &attribute.meta else { continue };
        if !list.path.is_ident("doc") {
            continue;
        }
        list.parse_nested_meta(|meta| {
            if !meta.path.is_ident("alias") {
                return Ok(());
            }
            let text: syn::LitStr = meta.value()?.parse()?;
            found = match text.value().as_str() {
                "deferred" => Some(Marker::Deferred),
                "not deferred" => Some(Marker::NotDeferred),
                "deferred, each function a part" => Some(Marker::Parts),
                other if other.contains("defer") => {
                    return Err(meta.error(
                        "expected `deferred`, `not deferred` or `deferred, each function a part`",
                    ));
                }
                _ => found,
            };
            Ok(())
        })?;
    }
    Ok(found)
}

/// Returns whether a field, a value or a constant has the marker.
fn is_deferred(attributes: &[Attribute]) -> Result<bool> {
    match marker(attributes)? {
        None => Ok(false),
        Some(Marker::Deferred) => Ok(true),
        Some(other) => bail!("expected the marker `deferred`, found {other:?}"),
    }
}

fn is_never_inlined(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("inline")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|how| how == "never")
    })
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// Returns the last name of a type's path.
fn name_of(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut out, word| {
        let mut letters = word.chars();
        out.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        out.push_str(letters.as_str());
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Declaration> {
        let mut markers = Markers::default();
        markers.read_file("engine::rank", text)?;
        markers.finish()
    }

    #[test]
    fn markers_are_read_where_they_stand() {
        let declaration = read(
            r##"
            //! A module.
            #![doc(alias = "deferred")]
            #[doc(alias = "deferred")] #[inline(never)] fn one() {}
            #[doc(alias = "something else")] fn two() {}
            impl<F> Run<F> { #[doc(alias = "not deferred")] fn go(&self) {} }
            #[doc(alias = "deferred, each function a part")] mod languages { fn es() {} }
            #[cfg(test)] mod tests { #[doc(alias = "deferred")] fn three() {} }
            struct Request {
                query: String,
                #[doc(alias = "deferred")] also_vectors: Vec<f32>,
                order: Order,
            }
            enum Order { Relevance, #[doc(alias = "deferred")] Recent }
            #[doc(alias = "deferred")] const SYNTAX: &[&str] = &["a", r"\s"];
            "##,
        )
        .unwrap();
        let method = |ty: &str, name: &str| {
            Named::Method("engine".to_owned(), ty.to_owned(), name.to_owned())
        };
        let Functions { deferred, kept, parts } = declaration.functions;
        let own = deferred.len() - OF_OTHER_CRATES.len();
        assert_eq!(
            deferred[..own],
            [
                Named::Module("engine::rank::".to_owned()),
                Named::Function("engine::rank::one".to_owned())
            ]
        );
        assert_eq!(kept, [method("Run", "go")]);
        assert_eq!(parts, [Named::Module("engine::rank::languages::".to_owned())]);
        let field = |name: &str, deferred, values: Option<&[&str]>| Field {
            name: name.to_owned(),
            deferred,
            values: values.map(|values| values.iter().map(|&value| value.to_owned()).collect()),
        };
        assert_eq!(
            declaration.fields,
            [
                field("query", false, None),
                field("alsoVectors", true, None),
                field("order", false, Some(&["relevance"])),
            ]
        );
        assert_eq!(declaration.syntax, ["a", r"\s"]);
    }

    #[test]
    fn wrong_markers_are_refused() {
        let request = "struct Request { query: String }";
        for wrong in [
            r#"#[doc(alias = "deferred")] fn may_be_inlined() {}"#,
            r#"#[doc(alias = "defered")] #[inline(never)] fn misspelt() {}"#,
            r#"#[doc(alias = "deferred, each function a part")] fn not_a_module() {}"#,
            r#"#[doc(alias = "deferred")] const NOT_A_LIST: u32 = 1;"#,
            r#"impl A { #[doc(alias = "deferred")] #[inline(never)] fn twice() {} }
               mod other { impl A { fn twice() {} } }"#,
        ] {
            assert!(read(&format!("{wrong}\n{request}")).is_err(), "{wrong}");
        }
        assert!(read(request).is_ok());
        assert!(read("").is_err(), "there is no request");
    }

    #[test]
    fn files_are_modules() {
        for (file, expect) in [
            ("lib.rs", "engine"),
            ("rank/order.rs", "engine::rank::order"),
            ("rank/mod.rs", "engine::rank"),
        ] {
            assert_eq!(module_path("engine", Path::new(file)), expect);
        }
    }
}
