//! C and C++.

use super::super::symbols::{Grammar, Name, Role, Rule, rule};

pub(super) static C: Grammar = Grammar {
    parser: || tree_sitter_c::LANGUAGE.into(),
    separator: ".",
    rules: &[
        FUNCTION,
        TYPEDEF,
        STRUCT,
        UNION,
        ENUM,
        DEFINE,
        MACRO,
        rule("linkage_specification", Role::Transparent, Name::None),
        rule("declaration_list", Role::Transparent, Name::None),
        rule("preproc_ifdef", Role::Transparent, Name::None),
        rule("preproc_if", Role::Transparent, Name::None),
        rule("preproc_else", Role::Transparent, Name::None),
    ],
};

pub(super) static CPP: Grammar = Grammar {
    parser: || tree_sitter_cpp::LANGUAGE.into(),
    separator: "::",
    rules: &[
        FUNCTION,
        TYPEDEF,
        rule("struct_specifier", Role::Scope, Name::Field("name")),
        rule("class_specifier", Role::Scope, Name::Field("name")),
        UNION,
        ENUM,
        DEFINE,
        MACRO,
        rule("namespace_definition", Role::Scope, Name::Field("name")),
        rule("alias_declaration", Role::Small, Name::Field("name")),
        rule("concept_definition", Role::Small, Name::Field("name")),
        rule("template_declaration", Role::Wrapper, Name::None),
        rule("linkage_specification", Role::Transparent, Name::None),
        rule("declaration_list", Role::Transparent, Name::None),
        rule("field_declaration_list", Role::Transparent, Name::None),
        rule("preproc_ifdef", Role::Transparent, Name::None),
        rule("preproc_if", Role::Transparent, Name::None),
        rule("preproc_else", Role::Transparent, Name::None),
    ],
};

const FUNCTION: Rule = rule("function_definition", Role::Symbol, Name::Declarator);
const TYPEDEF: Rule = rule("type_definition", Role::Small, Name::Declarator);
const STRUCT: Rule = rule("struct_specifier", Role::Symbol, Name::Field("name"));
const UNION: Rule = rule("union_specifier", Role::Symbol, Name::Field("name"));
const ENUM: Rule = rule("enum_specifier", Role::Symbol, Name::Field("name"));
const DEFINE: Rule = rule("preproc_def", Role::Small, Name::Field("name"));
const MACRO: Rule = rule("preproc_function_def", Role::Symbol, Name::Field("name"));
