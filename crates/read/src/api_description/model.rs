//! The model of an interface, which all descriptions have in common.

/// An interface.
#[derive(Debug, Default)]
pub(super) struct Api {
    pub title: String,
    pub version: String,
    /// Markdown.
    pub description: String,
    /// Addresses of servers, with the description of each.
    pub servers: Vec<String>,
    pub groups: Vec<Group>,
    /// Named types that operations use.
    pub types: Vec<Type>,
    /// The number of fields that were left out, since there are too many.
    pub n_left_out: usize,
}

/// Operations with the same tag.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// The name by which operations refer to the group; empty for operations without a tag.
    pub name: String,
    /// The name for readers.
    pub title: String,
    /// Markdown.
    pub description: String,
    pub operations: Vec<Operation>,
}

/// One operation: a method of a path, or a message that is sent or received.
#[derive(Clone, Debug, Default)]
pub(super) struct Operation {
    /// The identifier that the description gives to it.
    pub id: Option<String>,
    /// A line of prose.
    pub summary: String,
    /// `get`, `post`; `send`, `receive` for messages.
    pub method: String,
    /// The path of a request, or the address of a channel.
    pub path: String,
    /// Markdown.
    pub description: String,
    pub is_deprecated: bool,
    /// Parameters and fields, in lists with a title each.
    pub lists: Vec<List>,
    pub responses: Vec<Response>,
}

/// A list of parameters or fields.
#[derive(Clone, Debug)]
pub(super) struct List {
    pub title: String,
    pub fields: Vec<Field>,
}

/// A parameter, or a field of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Field {
    /// `limit`. The name of a nested field is `owner.name`; of a field of a list's elements,
    /// `tags[].name`.
    pub name: String,
    /// The place, the type and the restrictions: `query`, `integer`, `required`.
    pub notes: Vec<String>,
    /// Markdown.
    pub description: String,
}

/// An answer of a server.
#[derive(Clone, Debug, Default)]
pub(super) struct Response {
    /// `200`, `4XX`, `default`.
    pub status: String,
    /// Markdown.
    pub description: String,
    /// The names of its headers and fields.
    pub names: Vec<String>,
}

/// A named type.
#[derive(Debug, Default)]
pub(super) struct Type {
    pub name: String,
    /// Markdown.
    pub description: String,
    pub fields: Vec<Field>,
}
