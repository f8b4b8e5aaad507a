//! The symbols of a file: what has a name and lines of its own.

use std::ops::Range;

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "code"), allow(dead_code))]
pub(super) enum Kind {
    Function,
    Method,
    Class,
    Struct,
    Enum,
    Interface,
    Trait,
    Module,
    Macro,
    Constant,
    Type,
}

impl Kind {
    /// Whether several of them in a row are read as one: they are a line or two each.
    pub fn is_small(self) -> bool {
        matches!(self, Kind::Constant | Kind::Type)
    }
}

/// What a node of the tree means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "code"), allow(dead_code))]
pub(super) enum Role {
    /// A symbol.
    Symbol(Kind),
    /// A symbol whose own symbols are sections too; their names follow its name.
    Scope(Kind),
    /// A function, if what is assigned in it is one.
    Assigned,
    /// Belongs to the one symbol in it: decorators, `export`.
    Wrapper,
    /// Nothing by itself; symbols are looked for in it.
    Transparent,
}

/// Where the name of a symbol stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "code"), allow(dead_code))]
pub(super) enum Name {
    /// In a field of the node.
    Field(&'static str),
    /// In the innermost declarator, as in C.
    Declarator,
    /// In the type of the receiver and the field `name`, as in Go.
    Receiver,
    /// In each of the declarations inside the node.
    Declared,
    /// It has none.
    None,
}

/// What nodes of a name mean.
#[cfg_attr(not(feature = "code"), allow(dead_code))]
pub(super) struct Rule {
    pub node: &'static str,
    pub role: Role,
    pub name: Name,
}

#[cfg_attr(not(feature = "code"), allow(dead_code))]
pub(super) const fn rule(node: &'static str, role: Role, name: Name) -> Rule {
    Rule { node, role, name }
}

/// A symbol. Lines count from 0, ends are exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    pub kind: Kind,
    /// Qualified: `Pool::acquire`.
    pub name: String,
    /// With its comments and attributes.
    pub lines: Range<usize>,
    /// The comment in front of it or the string at the start of its body that documents it.
    pub doc: Option<Range<usize>>,
    /// Where its declaration begins.
    pub signature: usize,
    /// The symbols of a scope.
    pub inner: Vec<Symbol>,
}

/// What the tree says of a file.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub symbols: Vec<Symbol>,
    /// The comment or string at the start of the file that documents it.
    pub doc: Option<Range<usize>>,
    /// How deep in the tree the outermost node begins that begins on a line; `u16::MAX` where none
    /// does.
    pub depths: Vec<u16>,
}
