//! Objects of Sphinx's domains (`.. function::`, `.. option::`) and their anchors.

use super::cpp;
use super::ids::of_object;

/// The object that the text is about.
#[derive(Debug, Default)]
pub(super) struct Objects {
    /// The module of Python.
    pub module: String,
    /// The surrounding classes, outermost first.
    pub classes: Vec<String>,
    pub program: Option<String>,
    /// The surrounding names in C++, outermost first.
    pub cpp: Vec<String>,
    /// The surrounding names in C++ before each `namespace-push`.
    pub cpp_before: Vec<Vec<String>>,
}

/// An object: its displayed form, its anchor, and its name within the surrounding classes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub heading: String,
    pub anchor: Option<String>,
    /// The name of a class, which becomes part of its members' names.
    pub class: Option<String>,
    /// The names that surround the members of a C++ object.
    pub cpp: Option<Vec<String>>,
}

impl Objects {
    /// Returns the object of a directive; `None` if the directive does not describe one. `module`
    /// is the option of that name.
    pub fn object(
        &self,
        domain: Option<&str>,
        kind: &str,
        signature: &str,
        module: Option<&str>,
    ) -> Option<Object> {
        match (domain, kind) {
            (None | Some("std"), "option" | "cmdoption") => Some(self.option(signature)),
            (None | Some("std"), "envvar" | "confval" | "opcode" | "pdbcommand" | "setting") => {
                let name = signature.split(['(', '=', ' ']).next().unwrap_or(signature);
                let kind = if kind == "pdbcommand" { "pdbcmd" } else { kind };
                Some(plain(signature, Some(of_object(kind, name))))
            }
            (Some("rst"), "directive" | "role") => {
                let name = signature.split("::").next().unwrap_or(signature);
                Some(plain(signature, Some(of_object(kind, name))))
            }
            (Some("c"), _) if is_of_c(kind) => {
                Some(plain(signature, name_in_c(signature).map(|name| format!("c.{name}"))))
            }
            (None, "cfunction" | "ctype" | "cmacro" | "cvar" | "cmember") => {
                Some(plain(signature, name_in_c(signature).map(|name| format!("c.{name}"))))
            }
            (Some("cpp"), _) if is_of_c(kind) => {
                let declared = cpp::declared(kind, signature, &self.cpp);
                let (anchor, scope) = declared.map(|found| (found.anchor, found.scope)).unzip();
                Some(Object { cpp: scope, ..plain(signature, anchor) })
            }
            (Some("js"), "function" | "method" | "class" | "data" | "attribute") => {
                let name = signature.split(['(', ' ']).next().unwrap_or(signature);
                Some(plain(signature, Some(name.to_owned())))
            }
            // The directive of docutils that names a style has the same name.
            (None, "class") if !is_class(signature) => None,
            (None | Some("py"), kind) if is_of_python(kind) => {
                Some(self.python(kind, signature, module))
            }
            (None, "describe" | "object") | (Some("py" | "std"), "describe") => {
                Some(plain(signature, None))
            }
            _ => None,
        }
    }

    /// Follows a directive that names the namespace of the objects below. Returns false for any
    /// other directive.
    pub fn namespace(&mut self, kind: &str, argument: &str) -> bool {
        match kind {
            "namespace" => {
                self.cpp_before.clear();
                self.cpp = cpp::scope(argument);
            }
            "namespace-push" => {
                self.cpp_before.push(self.cpp.clone());
                self.cpp.extend(cpp::scope(argument));
            }
            "namespace-pop" => self.cpp = self.cpp_before.pop().unwrap_or_default(),
            _ => return false,
        }
        true
    }

    fn python(&self, kind: &str, signature: &str, module: Option<&str>) -> Object {
        let signature = match signature.split_once(' ') {
            Some(("abstractmethod" | "async" | "classmethod" | "static" | "class", rest))
                if rest.starts_with(|c: char| c.is_alphabetic() || c == '_') =>
            {
                rest.trim_start()
            }
            _ => signature,
        };
        let end = signature
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
            .unwrap_or(signature.len());
        let (name, rest) = signature.split_at(end);
        let module = module.unwrap_or(&self.module);
        let mut full = name.to_owned();
        if let Some(class) = self.classes.last()
            && !name.starts_with(&format!("{class}."))
        {
            full = format!("{class}.{name}");
        }
        let heading = match module {
            "" => format!("{full}{rest}"),
            _ if !self.classes.is_empty() || full.starts_with(&format!("{module}.")) => {
                format!("{full}{rest}")
            }
            _ => format!("{module}.{full}{rest}"),
        };
        let class = matches!(kind, "class" | "exception").then(|| full.clone());
        let anchor = match module {
            "" => full,
            _ if full.starts_with(&format!("{module}.")) => full,
            _ => format!("{module}.{full}"),
        };
        let mark = if kind.starts_with("decorator") { "@" } else { "" };
        Object { heading: format!("{mark}{heading}"), anchor: Some(anchor), class, cpp: None }
    }

    fn option(&self, signature: &str) -> Object {
        let first = signature.split(", ").next().unwrap_or(signature);
        let name = first.split(['=', ' ', '[', '<']).next().unwrap_or(first);
        let prefix = match &self.program {
            Some(program) => format!("cmdoption-{program}"),
            None => "cmdoption".to_owned(),
        };
        plain(signature, Some(of_object(&prefix, name)))
    }
}

fn plain(signature: &str, anchor: Option<String>) -> Object {
    Object { heading: signature.to_owned(), anchor, class: None, cpp: None }
}

/// Returns whether a signature begins like the usual name of a class.
fn is_class(signature: &str) -> bool {
    signature.starts_with(|c: char| c.is_uppercase() || c == '_')
        || signature.contains(['(', '.', '_'])
        || signature.contains("class ")
}

fn is_of_python(kind: &str) -> bool {
    matches!(
        kind,
        "function"
            | "data"
            | "class"
            | "exception"
            | "method"
            | "classmethod"
            | "staticmethod"
            | "attribute"
            | "property"
            | "decorator"
            | "decoratormethod"
            | "awaitablefunction"
            | "awaitablemethod"
            | "coroutinefunction"
            | "coroutinemethod"
            | "abstractmethod"
            | "type"
    )
}

fn is_of_c(kind: &str) -> bool {
    matches!(
        kind,
        "function"
            | "member"
            | "var"
            | "macro"
            | "struct"
            | "union"
            | "enum"
            | "enumerator"
            | "type"
            | "class"
            | "concept"
            | "enum-class"
            | "enum-struct"
    )
}

/// Returns the name that a declaration declares: the last one before its arguments.
fn name_in_c(declaration: &str) -> Option<String> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    // A pointer to a function: `int (*name)(int)`.
    let front = match declaration.split_once("(*") {
        Some((_, behind)) => behind.split(')').next()?,
        None => declaration.split(['(', '[', '=']).next()?,
    };
    let name = front.trim_end().rsplit(|c| !is_name(c)).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(objects: &Objects, domain: Option<&str>, kind: &str, text: &str, expect: [&str; 2]) {
        let found = objects.object(domain, kind, text, None).unwrap();
        let found = [found.heading, found.anchor.unwrap_or_default()];
        assert_eq!(found, expect, "{kind} {text}");
    }

    #[test]
    fn anchors_as_in_sphinx() {
        let mut objects = Objects { module: "json".into(), ..Objects::default() };
        let none = None;
        check(&objects, none, "function", "dump(obj, fp)", ["json.dump(obj, fp)", "json.dump"]);
        check(&objects, none, "data", "json.tool", ["json.tool", "json.tool"]);
        check(&objects, none, "class", "Encoder(*, x=1)", ["json.Encoder(*, x=1)", "json.Encoder"]);
        objects.classes.push("Encoder".into());
        let method = ["Encoder.default(o)", "json.Encoder.default"];
        check(&objects, none, "method", "default(o)", method);
        check(&objects, none, "method", "Encoder.default(o)", method);
        let c = Some("c");
        let list = "PyObject *PyList_New(Py_ssize_t len)";
        check(&objects, c, "function", list, [list, "c.PyList_New"]);
        check(&objects, c, "type", "int (*visit)(int)", ["int (*visit)(int)", "c.visit"]);
        check(&objects, none, "option", "-v, --verbose", ["-v, --verbose", "cmdoption-v"]);
        objects.program = Some("tool".into());
        check(&objects, none, "option", "--out=FILE", ["--out=FILE", "cmdoption-tool-out"]);
        check(&objects, none, "envvar", "HOME", ["HOME", "envvar-HOME"]);
        assert_eq!(objects.object(None, "note", "x", None), None);
        assert_eq!(objects.object(None, "class", "special wide", None), None);
    }
}
