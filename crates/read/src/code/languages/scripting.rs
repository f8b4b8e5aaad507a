//! Python, Ruby, Bash and Lua.

use super::super::symbols::{Grammar, Kind, Name, Role, rule};

pub(super) static PYTHON: Grammar = Grammar {
    parser: || tree_sitter_python::LANGUAGE.into(),
    separator: ".",
    rules: &[
        rule("function_definition", Role::Symbol(Kind::Function), Name::Field("name")),
        rule("class_definition", Role::Scope(Kind::Class), Name::Field("name")),
        rule("type_alias_statement", Role::Small(Kind::Type), Name::Field("left")),
        rule("decorated_definition", Role::Wrapper, Name::None),
        rule("block", Role::Transparent, Name::None),
        rule("if_statement", Role::Transparent, Name::None),
        rule("else_clause", Role::Transparent, Name::None),
        rule("try_statement", Role::Transparent, Name::None),
        rule("except_clause", Role::Transparent, Name::None),
    ],
};

pub(super) static RUBY: Grammar = Grammar {
    parser: || tree_sitter_ruby::LANGUAGE.into(),
    separator: ".",
    rules: &[
        rule("method", Role::Symbol(Kind::Function), Name::Field("name")),
        rule("singleton_method", Role::Symbol(Kind::Function), Name::Field("name")),
        rule("class", Role::Scope(Kind::Class), Name::Field("name")),
        rule("module", Role::Scope(Kind::Module), Name::Field("name")),
        rule("singleton_class", Role::Transparent, Name::None),
        rule("body_statement", Role::Transparent, Name::None),
    ],
};

pub(super) static BASH: Grammar = Grammar {
    parser: || tree_sitter_bash::LANGUAGE.into(),
    separator: ".",
    rules: &[rule("function_definition", Role::Symbol(Kind::Function), Name::Field("name"))],
};

pub(super) static LUA: Grammar = Grammar {
    parser: || tree_sitter_lua::LANGUAGE.into(),
    separator: ".",
    rules: &[
        rule("function_declaration", Role::Symbol(Kind::Function), Name::Field("name")),
        rule("assignment_statement", Role::Assigned, Name::None),
        rule("variable_declaration", Role::Transparent, Name::None),
    ],
};
