//! The parser that finds the symbols of a text by a tree-sitter grammar.

use tree_sitter::{Node, Parser};

use super::symbols::{Grammar, Kind, Name, Parsed, Role, Symbol};

/// Deepest nesting of scopes that is followed.
const MAX_SCOPES: usize = 64;

/// Longest name of a symbol, in bytes.
const MAX_NAME_BYTES: usize = 200;

/// Most lines of attributes in front of a macro that are looked at.
const MAX_ATTRIBUTES: usize = 8;

/// Largest number of names that are kept of one declaration.
const MAX_NAMES: usize = 8;

/// Parses a text. Returns `None` if the grammar gives no tree for it.
pub(super) fn parse(text: &str, grammar: &Grammar) -> Option<Parsed> {
    let mut parser = Parser::new();
    parser.set_language(&(grammar.parser)()).ok()?;
    let tree = parser.parse(text, None)?;
    let reader = Reader { text, grammar };
    let mut symbols = Vec::new();
    reader.read(tree.root_node(), &Scope::default(), &mut symbols);
    let root = tree.root_node();
    Some(Parsed { symbols, doc: file_doc(root), depths: depths(root, text.lines().count()) })
}

/// Returns the comments at the start of a file, or the string there.
fn file_doc(root: Node<'_>) -> Option<std::ops::Range<usize>> {
    let mut doc: Option<std::ops::Range<usize>> = None;
    let mut cursor = root.walk();
    for node in root.named_children(&mut cursor) {
        let (start, end) = rows(node);
        if node.kind().contains("comment") {
            doc = Some(doc.map_or(start, |doc| doc.start)..end);
        } else {
            let is_string = node.kind() == "expression_statement"
                && node.named_child(0).is_some_and(|child| child.kind() == "string");
            return doc.or(is_string.then_some(start..end));
        }
    }
    doc
}

/// The place of a node in the program.
#[derive(Clone, Default)]
struct Scope {
    name: String,
    /// Whether its functions are methods.
    is_type: bool,
    depth: usize,
}

/// Comments and attributes before a node.
#[derive(Clone, Copy)]
struct Lead {
    start: usize,
    end: usize,
    doc: Option<(usize, usize)>,
}

struct Reader<'a> {
    text: &'a str,
    grammar: &'a Grammar,
}

impl<'a> Reader<'a> {
    fn read(&self, parent: Node<'a>, scope: &Scope, symbols: &mut Vec<Symbol>) {
        if scope.depth > MAX_SCOPES {
            return;
        }
        let mut lead: Option<Lead> = None;
        let mut cursor = parent.walk();
        for node in parent.named_children(&mut cursor) {
            let kind = node.kind();
            let is_comment = kind.contains("comment");
            if is_comment || matches!(kind, "attribute_item" | "attribute_list" | "decorator") {
                lead = Some(self.extend(lead, node, is_comment));
                continue;
            }
            let before = lead.take().filter(|lead| lead.end >= node.start_position().row);
            self.node(node, before, scope, symbols);
        }
    }

    /// Adds a comment or attribute to the comments and attributes directly above it.
    fn extend(&self, lead: Option<Lead>, node: Node<'a>, is_comment: bool) -> Lead {
        let (start, end) = rows(node);
        // A comment after code on the same line documents that code.
        let before = self.text.get(..node.start_byte()).unwrap_or_default();
        let own_line = before.rsplit('\n').next().is_none_or(|line| line.trim().is_empty());
        let start = if own_line { start } else { end };
        let doc = is_comment.then_some((start, end)).filter(|_| own_line);
        match lead.filter(|lead| lead.end >= start) {
            Some(lead) => Lead {
                start: lead.start,
                end,
                doc: match (lead.doc, doc) {
                    (Some(first), Some(last)) if first.1 >= last.0 => Some((first.0, last.1)),
                    (first, last) => last.or(first),
                },
            },
            None => Lead { start, end, doc },
        }
    }

    fn node(&self, node: Node<'a>, lead: Option<Lead>, scope: &Scope, symbols: &mut Vec<Symbol>) {
        let Some(rule) = self.grammar.rules.iter().find(|rule| rule.node == node.kind()) else {
            self.embedded(node, lead, scope, symbols);
            return;
        };
        let deeper = Scope { depth: scope.depth + 1, ..scope.clone() };
        match rule.role {
            Role::Transparent => self.read(node, &deeper, symbols),
            Role::Wrapper => {
                let known = symbols.len();
                self.read(node, &deeper, symbols);
                if let Some(symbol) = symbols.get_mut(known) {
                    let (start, end) = rows(node);
                    symbol.lines.start = symbol.lines.start.min(start);
                    symbol.lines.end = symbol.lines.end.max(end);
                    symbol.signature = symbol.signature.min(start);
                    surround(symbol, lead);
                }
            }
            Role::Assigned => {
                if let Some((name, kind)) = self.assigned(node) {
                    symbols.push(self.symbol(node, lead, scope, kind, &name));
                }
            }
            Role::Symbol(kind) => {
                if let Some(name) = self.name(node, rule.name) {
                    symbols.push(self.symbol(node, lead, scope, kind, &name));
                }
            }
            Role::Small(kind) => {
                if let Some(name) = self.name(node, rule.name) {
                    let function = declared_function(node);
                    let is_small = function.is_none();
                    let kind = function.unwrap_or(kind);
                    let symbol = self.symbol(node, lead, scope, kind, &name);
                    symbols.push(Symbol { is_small, ..symbol });
                }
            }
            Role::Scope(kind) => {
                // A type that is only mentioned has no body.
                let has_body = node.child_by_field_name("body").is_some()
                    || !matches!(node.kind(), "struct_specifier" | "class_specifier");
                let Some(name) = self.name(node, rule.name).filter(|_| has_body) else { return };
                let mut symbol = self.symbol(node, lead, scope, kind, &name);
                let is_type = kind != Kind::Module;
                let inside = Scope { name: symbol.name.clone(), is_type, depth: deeper.depth };
                self.read(node, &inside, &mut symbol.inner);
                symbols.push(symbol);
            }
        }
    }

    /// Adds a type that C declares inside the declaration of a variable: `struct point { ... }
    /// origin;`.
    fn embedded(
        &self,
        node: Node<'a>,
        lead: Option<Lead>,
        scope: &Scope,
        symbols: &mut Vec<Symbol>,
    ) {
        if matches!(node.kind(), "declaration" | "field_declaration")
            && let Some(inner) = node.child_by_field_name("type")
            && inner.child_by_field_name("body").is_some()
        {
            self.node(inner, lead, scope, symbols);
        }
    }

    fn symbol(
        &self,
        node: Node<'a>,
        lead: Option<Lead>,
        scope: &Scope,
        kind: Kind,
        name: &str,
    ) -> Symbol {
        let mut qualified = scope.name.clone();
        if !qualified.is_empty() {
            qualified.push_str(self.grammar.separator);
        }
        qualified.push_str(name);
        let (start, end) = rows(node);
        let is_method = kind == Kind::Function && scope.is_type;
        let mut symbol = Symbol {
            kind: if is_method { Kind::Method } else { kind },
            name: qualified,
            is_small: false,
            lines: start..end,
            doc: None,
            signature: start,
            is_public: self.is_public(node),
            inner: Vec::new(),
        };
        surround(&mut symbol, lead);
        if symbol.doc.is_none() {
            symbol.doc = self.doc_string(node);
        }
        symbol
    }

    /// Returns whether a node of Rust is public; `None` for other languages. The items of a trait
    /// and of its implementations are as public as the trait.
    fn is_public(&self, node: Node<'a>) -> Option<bool> {
        let kind = node.kind();
        if kind == "macro_definition" {
            let before = self.text.get(..node.start_byte()).unwrap_or_default();
            let above = before.trim_end().rsplit('\n').take(MAX_ATTRIBUTES);
            let mut above = above.take_while(|line| line.trim_start().starts_with('#'));
            return Some(above.any(|line| line.contains("macro_export")));
        }
        if !kind.ends_with("_item") {
            return None;
        }
        let mut cursor = node.walk();
        let modifier =
            node.named_children(&mut cursor).find(|child| child.kind() == "visibility_modifier");
        if let Some(modifier) = modifier {
            return Some(self.text_of(modifier) == "pub");
        }
        let owner = node.parent().and_then(|list| list.parent());
        let is_of_trait = owner.is_some_and(|owner| {
            owner.kind() == "trait_item" || owner.child_by_field_name("trait").is_some()
        });
        Some(is_of_trait)
    }

    /// Returns the string at the start of a body, as in Python.
    fn doc_string(&self, node: Node<'a>) -> Option<std::ops::Range<usize>> {
        let first = node.child_by_field_name("body")?.named_child(0)?;
        let string = if first.kind() == "expression_statement" {
            first.named_child(0)?
        } else {
            return None;
        };
        (string.kind() == "string").then(|| {
            let (start, end) = rows(first);
            start..end
        })
    }

    fn name(&self, node: Node<'a>, name: Name) -> Option<String> {
        let text = match name {
            Name::None => return None,
            Name::Field(field) => self.short(node.child_by_field_name(field)?),
            Name::Declarator => self.declarator(node)?,
            Name::Receiver => {
                let name = self.short(node.child_by_field_name("name")?);
                match node.child_by_field_name("receiver").and_then(|list| self.receiver(list)) {
                    Some(receiver) => format!("{receiver}{}{name}", self.grammar.separator),
                    None => name,
                }
            }
            Name::Declared => self.declared(node),
        };
        (!text.is_empty()).then_some(text)
    }

    /// Returns the type of a receiver `(p *Pool[T])`.
    fn receiver(&self, list: Node<'a>) -> Option<String> {
        let parameter = list.named_child(0)?;
        let text = self.text_of(parameter.child_by_field_name("type")?);
        Some(text.trim_start_matches(['*', '(']).split(['[', ')']).next()?.trim().to_owned())
    }

    /// Returns the name in the innermost declarator, such as `name` in `int (*name(void))[3]`.
    fn declarator(&self, node: Node<'a>) -> Option<String> {
        let mut at = node.child_by_field_name("declarator")?;
        for _ in 0..MAX_SCOPES {
            match at.child_by_field_name("declarator") {
                Some(inner) => at = inner,
                None if matches!(
                    at.kind(),
                    "reference_declarator" | "parenthesized_declarator"
                ) =>
                {
                    at = at.named_child(0)?;
                }
                None => return Some(self.short(at)),
            }
        }
        None
    }

    /// Returns the names of `const a = 1, b = 2`.
    fn declared(&self, node: Node<'a>) -> String {
        let name = |declaration: Node<'a>| {
            declaration.child_by_field_name("name").or_else(|| declaration.named_child(0))
        };
        let names = declarations(node).into_iter().filter_map(name).take(MAX_NAMES);
        names.map(|name| self.short(name)).collect::<Vec<_>>().join(", ")
    }

    /// Returns the name of `exports.open = function () {}`, if it is a function or a class.
    fn assigned(&self, node: Node<'a>) -> Option<(String, Kind)> {
        let field = |names: [&str; 3]| names.into_iter().find_map(|n| node.child_by_field_name(n));
        let last = |index: u32| node.named_child(index);
        let left = field(["left", "name", "property"]).or_else(|| last(0))?;
        let right = field(["right", "value", "value"]).or_else(|| last(1))?;
        let right = if right.kind() == "expression_list" { right.named_child(0)? } else { right };
        Some((self.short(left), function(right)?))
    }

    fn text_of(&self, node: Node<'a>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns a name on one line, without the parameters of a generic type.
    fn short(&self, node: Node<'a>) -> String {
        let text = self.text_of(node);
        let end = if text.starts_with("operator") { None } else { text.find('<') };
        let mut name = text[..end.unwrap_or(text.len())].split_whitespace().collect::<String>();
        super::super::outline::shorten(&mut name, MAX_NAME_BYTES);
        name
    }
}

/// Returns the declarations inside a node: the declarations of `const a = 1, b = 2`, and of Go's
/// `const ( ... )`.
fn declarations(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "variable_declarator"
            | "const_spec"
            | "var_spec"
            | "type_spec"
            | "type_alias"
            | "const_element" => found.push(child),
            "const_spec_list" | "var_spec_list" => found.extend(declarations(child)),
            _ => {}
        }
    }
    found
}

/// Returns the function or class that the first declaration in a node makes: `const open = () =>
/// {}`.
fn declared_function(node: Node<'_>) -> Option<Kind> {
    function(declarations(node).first()?.child_by_field_name("value")?)
}

/// Returns the kind of symbol that an expression makes, if it is a function or a class.
fn function(value: Node<'_>) -> Option<Kind> {
    match value.kind() {
        "arrow_function"
        | "function_expression"
        | "generator_function"
        | "function"
        | "function_definition" => Some(Kind::Function),
        "class" => Some(Kind::Class),
        _ => None,
    }
}

fn surround(symbol: &mut Symbol, lead: Option<Lead>) {
    let Some(lead) = lead else { return };
    symbol.lines.start = symbol.lines.start.min(lead.start);
    if let Some((start, end)) = lead.doc {
        symbol.doc = Some(start..end);
    }
}

/// Returns the rows of a node, the end exclusive. A node that ends with a line feed ends on that
/// line.
fn rows(node: Node<'_>) -> (usize, usize) {
    let (start, end) = (node.start_position(), node.end_position());
    let last = if end.column == 0 && end.row > start.row { end.row } else { end.row + 1 };
    (start.row, last)
}

/// Returns the depth of each line, as described in [`Parsed::depths`].
fn depths(root: Node<'_>, lines: usize) -> Vec<u16> {
    let mut depths = vec![u16::MAX; lines];
    let mut cursor = root.walk();
    let mut depth = 0_u16;
    loop {
        let node = cursor.node();
        if depth > 0
            && let Some(known) = depths.get_mut(node.start_position().row)
            && *known == u16::MAX
        {
            *known = depth;
        }
        if cursor.goto_first_child() {
            depth = depth.saturating_add(1);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return depths;
            }
            depth = depth.saturating_sub(1);
        }
    }
}
