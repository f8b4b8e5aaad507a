//! The symbols of a file, which have a name and lines of their own, and the rules that decide which
//! nodes of a grammar's tree are symbols.

use std::ops::Range;

/// The parser of a language, and the rules for its tree.
pub(super) struct Grammar {
    pub parser: fn() -> tree_sitter::Language,
    /// The text between the name of a scope and the name of a symbol in it.
    pub separator: &'static str,
    pub rules: &'static [Rule],
}

/// The meaning of nodes with a given name.
pub(super) struct Rule {
    pub node: &'static str,
    pub role: Role,
    pub name: Name,
}

pub(super) const fn rule(node: &'static str, role: Role, name: Name) -> Rule {
    Rule { node, role, name }
}

/// The kind of a symbol. A function in a scope that is not a module is a method.
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

/// The meaning of a node of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A symbol.
    Symbol(Kind),
    /// A symbol of one or two lines, such as a constant. Several in a row are read as one.
    Small(Kind),
    /// A symbol whose own symbols are sections too. Their names follow its name.
    Scope(Kind),
    /// A function, if the assigned value is one.
    Assigned,
    /// A wrapper of one symbol: decorators, `export`.
    Wrapper,
    /// A node without a meaning of its own; symbols are searched in it.
    Transparent,
}

/// The place of a symbol's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// A field of the node.
    Field(&'static str),
    /// The innermost declarator, as in C.
    Declarator,
    /// The type of the receiver and the field `name`, as in Go.
    Receiver,
    /// Each of the declarations inside the node.
    Declared,
    /// No place: the node has no name.
    None,
}

/// A symbol. Lines count from 0; the end of a range is exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    pub kind: Kind,
    /// The qualified name: `Pool::acquire`. Names of one declaration are separated by `, `.
    pub name: String,
    /// Whether it is read with its neighbours: [`Role::Small`].
    pub is_small: bool,
    /// The lines, including comments and attributes.
    pub lines: Range<usize>,
    /// The comment in front of it or the string at the start of its body that documents it.
    pub doc: Option<Range<usize>>,
    /// The line where its declaration begins.
    pub signature: usize,
    /// Whether other programs can use it, where the tree says so.
    pub is_public: Option<bool>,
    /// The symbols of a scope.
    pub inner: Vec<Symbol>,
}

/// The content of a file's tree.
#[derive(Debug)]
pub(super) struct Parsed {
    pub symbols: Vec<Symbol>,
    /// The comment or string at the start of the file that documents it.
    pub doc: Option<Range<usize>>,
    /// The depth in the tree of the outermost node that begins on each line; `u16::MAX` if no node
    /// begins there.
    pub depths: Vec<u16>,
}
