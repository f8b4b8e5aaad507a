//! JavaScript, TypeScript, TSX and PHP.

use super::super::symbols::{Grammar, Kind, Name, Role, Rule, rule};

pub(super) static JAVASCRIPT: Grammar =
    Grammar { parser: || tree_sitter_javascript::LANGUAGE.into(), separator: ".", rules: SCRIPT };

pub(super) static TYPESCRIPT: Grammar = Grammar {
    parser: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    separator: ".",
    rules: SCRIPT,
};

pub(super) static TSX: Grammar = Grammar {
    parser: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    separator: ".",
    rules: SCRIPT,
};

/// The rules for JavaScript and TypeScript. Nodes that only TypeScript has do not occur in trees of
/// JavaScript.
const SCRIPT: &[Rule] = &[
    rule("function_declaration", Role::Symbol(Kind::Function), Name::Field("name")),
    rule("generator_function_declaration", Role::Symbol(Kind::Function), Name::Field("name")),
    rule("class_declaration", Role::Scope(Kind::Class), Name::Field("name")),
    rule("abstract_class_declaration", Role::Scope(Kind::Class), Name::Field("name")),
    rule("method_definition", Role::Symbol(Kind::Function), Name::Field("name")),
    // Declarations without a body, as files of types have them.
    rule("function_signature", Role::Symbol(Kind::Function), Name::Field("name")),
    rule("method_signature", Role::Symbol(Kind::Function), Name::Field("name")),
    rule("abstract_method_signature", Role::Symbol(Kind::Function), Name::Field("name")),
    rule("interface_declaration", Role::Symbol(Kind::Interface), Name::Field("name")),
    rule("type_alias_declaration", Role::Small(Kind::Type), Name::Field("name")),
    rule("enum_declaration", Role::Symbol(Kind::Enum), Name::Field("name")),
    rule("internal_module", Role::Scope(Kind::Module), Name::Field("name")),
    rule("module", Role::Scope(Kind::Module), Name::Field("name")),
    rule("lexical_declaration", Role::Small(Kind::Constant), Name::Declared),
    rule("variable_declaration", Role::Small(Kind::Constant), Name::Declared),
    rule("public_field_definition", Role::Assigned, Name::None),
    rule("field_definition", Role::Assigned, Name::None),
    rule("assignment_expression", Role::Assigned, Name::None),
    rule("export_statement", Role::Wrapper, Name::None),
    rule("ambient_declaration", Role::Wrapper, Name::None),
    rule("expression_statement", Role::Wrapper, Name::None),
    rule("class_body", Role::Transparent, Name::None),
    rule("statement_block", Role::Transparent, Name::None),
];

pub(super) static PHP: Grammar = Grammar {
    parser: || tree_sitter_php::LANGUAGE_PHP.into(),
    separator: "::",
    rules: &[
        rule("function_definition", Role::Symbol(Kind::Function), Name::Field("name")),
        rule("method_declaration", Role::Symbol(Kind::Function), Name::Field("name")),
        rule("class_declaration", Role::Scope(Kind::Class), Name::Field("name")),
        rule("trait_declaration", Role::Scope(Kind::Trait), Name::Field("name")),
        rule("interface_declaration", Role::Scope(Kind::Interface), Name::Field("name")),
        rule("enum_declaration", Role::Scope(Kind::Enum), Name::Field("name")),
        rule("const_declaration", Role::Small(Kind::Constant), Name::Declared),
        rule("namespace_definition", Role::Transparent, Name::None),
        rule("compound_statement", Role::Transparent, Name::None),
        rule("declaration_list", Role::Transparent, Name::None),
        rule("enum_declaration_list", Role::Transparent, Name::None),
    ],
};
