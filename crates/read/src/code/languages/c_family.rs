//! C and C++.

use super::super::symbols::{Grammar, Kind, Name, Role, Rule, rule};

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
        rule("struct_specifier", Role::Scope(Kind::Struct), Name::Field("name")),
        rule("class_specifier", Role::Scope(Kind::Class), Name::Field("name")),
        UNION,
        ENUM,
        DEFINE,
        MACRO,
        rule("namespace_definition", Role::Scope(Kind::Module), Name::Field("name")),
        rule("alias_declaration", Role::Small(Kind::Type), Name::Field("name")),
        rule("concept_definition", Role::Small(Kind::Type), Name::Field("name")),
        rule("template_declaration", Role::Wrapper, Name::None),
        rule("linkage_specification", Role::Transparent, Name::None),
        rule("declaration_list", Role::Transparent, Name::None),
        rule("field_declaration_list", Role::Transparent, Name::None),
        rule("preproc_ifdef", Role::Transparent, Name::None),
        rule("preproc_if", Role::Transparent, Name::None),
        rule("preproc_else", Role::Transparent, Name::None),
    ],
};

const FUNCTION: Rule = rule("function_definition", Role::Symbol(Kind::Function), Name::Declarator);
const TYPEDEF: Rule = rule("type_definition", Role::Small(Kind::Type), Name::Declarator);
const STRUCT: Rule = rule("struct_specifier", Role::Symbol(Kind::Struct), Name::Field("name"));
const UNION: Rule = rule("union_specifier", Role::Symbol(Kind::Struct), Name::Field("name"));
const ENUM: Rule = rule("enum_specifier", Role::Symbol(Kind::Enum), Name::Field("name"));
const DEFINE: Rule = rule("preproc_def", Role::Small(Kind::Constant), Name::Field("name"));
const MACRO: Rule = rule("preproc_function_def", Role::Symbol(Kind::Macro), Name::Field("name"));
