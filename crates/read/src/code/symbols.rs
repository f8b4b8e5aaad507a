//! The symbols of a file: what has a name and lines of its own. And the rules by which the nodes of
//! a grammar's tree are symbols.

use std::ops::Range;

/// How a language is parsed.
pub(super) struct Grammar {
    pub parser: fn() -> tree_sitter::Language,
    /// What stands between the names of a scope and a symbol in it.
    pub separator: &'static str,
    pub rules: &'static [Rule],
}

/// What nodes of a name mean.
pub(super) struct Rule {
    pub node: &'static str,
    pub role: Role,
    pub name: Name,
}

pub(super) const fn rule(node: &'static str, role: Role, name: Name) -> Rule {
    Rule { node, role, name }
}

/// What a symbol is. A function in a scope that is not a module is a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Class,
    Constant,
    Enum,
    Function,
    Impl,
    Interface,
    Macro,
    Method,
    Module,
    Struct,
    Trait,
    Type,
}

impl Kind {
    /// Returns the value of the attribute `kind`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Constant => "constant",
            Self::Enum => "enum",
            Self::Function => "function",
            Self::Impl => "impl",
            Self::Interface => "interface",
            Self::Macro => "macro",
            Self::Method => "method",
            Self::Module => "module",
            Self::Struct => "struct",
            Self::Trait => "trait",
            Self::Type => "type",
        }
    }
}

/// What a node of the tree means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A symbol.
    Symbol(Kind),
    /// A symbol of a line or two, such as a constant. Several in a row are read as one.
    Small(Kind),
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

/// A symbol. Lines count from 0, ends are exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    pub kind: Kind,
    /// Qualified: `Pool::acquire`. Names of one declaration are divided by `, `.
    pub name: String,
    /// Whether it is read with its neighbours: [`Role::Small`].
    pub is_small: bool,
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
#[derive(Debug)]
pub(super) struct Parsed {
    pub symbols: Vec<Symbol>,
    /// The comment or string at the start of the file that documents it.
    pub doc: Option<Range<usize>>,
    /// How deep in the tree the outermost node begins that begins on a line; `u16::MAX` where none
    /// does.
    pub depths: Vec<u16>,
}
