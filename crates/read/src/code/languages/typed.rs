//! Rust, Java, Go and C#.

use super::super::symbols::{Grammar, Kind, Name, Role, rule};

pub(super) static RUST: Grammar = Grammar {
    parser: || tree_sitter_rust::LANGUAGE.into(),
    separator: "::",
    rules: &[
        rule("function_item", Role::Symbol(Kind::Function), Name::Field("name")),
        rule("struct_item", Role::Symbol(Kind::Struct), Name::Field("name")),
        rule("union_item", Role::Symbol(Kind::Struct), Name::Field("name")),
        rule("enum_item", Role::Symbol(Kind::Enum), Name::Field("name")),
        rule("macro_definition", Role::Symbol(Kind::Macro), Name::Field("name")),
        rule("const_item", Role::Small(Kind::Constant), Name::Field("name")),
        rule("static_item", Role::Small(Kind::Constant), Name::Field("name")),
        rule("type_item", Role::Small(Kind::Type), Name::Field("name")),
        rule("trait_item", Role::Scope(Kind::Trait), Name::Field("name")),
        rule("impl_item", Role::Scope(Kind::Impl), Name::Field("type")),
        rule("mod_item", Role::Scope(Kind::Module), Name::Field("name")),
        rule("declaration_list", Role::Transparent, Name::None),
    ],
};

pub(super) static JAVA: Grammar = Grammar {
    parser: || tree_sitter_java::LANGUAGE.into(),
    separator: ".",
    rules: &[
        rule("class_declaration", Role::Scope(Kind::Class), Name::Field("name")),
        rule("record_declaration", Role::Scope(Kind::Class), Name::Field("name")),
        rule("interface_declaration", Role::Scope(Kind::Interface), Name::Field("name")),
        rule("annotation_type_declaration", Role::Scope(Kind::Interface), Name::Field("name")),
        rule("enum_declaration", Role::Scope(Kind::Enum), Name::Field("name")),
        rule("method_declaration", Role::Symbol(Kind::Function), Name::Field("name")),
        rule("constructor_declaration", Role::Symbol(Kind::Function), Name::Field("name")),
        rule("compact_constructor_declaration", Role::Symbol(Kind::Function), Name::Field("name")),
        rule("class_body", Role::Transparent, Name::None),
        rule("interface_body", Role::Transparent, Name::None),
        rule("enum_body", Role::Transparent, Name::None),
        rule("enum_body_declarations", Role::Transparent, Name::None),
        rule("annotation_type_body", Role::Transparent, Name::None),
    ],
};

pub(super) static GO: Grammar = Grammar {
    parser: || tree_sitter_go::LANGUAGE.into(),
    separator: ".",
    rules: &[
        rule("function_declaration", Role::Symbol(Kind::Function), Name::Field("name")),
        rule("method_declaration", Role::Symbol(Kind::Method), Name::Receiver),
        rule("type_declaration", Role::Small(Kind::Type), Name::Declared),
        rule("const_declaration", Role::Small(Kind::Constant), Name::Declared),
        rule("var_declaration", Role::Small(Kind::Constant), Name::Declared),
    ],
};

pub(super) static CSHARP: Grammar = Grammar {
    parser: || tree_sitter_c_sharp::LANGUAGE.into(),
    separator: ".",
    rules: &[
        rule("namespace_declaration", Role::Scope(Kind::Module), Name::Field("name")),
        rule("class_declaration", Role::Scope(Kind::Class), Name::Field("name")),
        rule("record_declaration", Role::Scope(Kind::Class), Name::Field("name")),
        rule("struct_declaration", Role::Scope(Kind::Struct), Name::Field("name")),
        rule("interface_declaration", Role::Scope(Kind::Interface), Name::Field("name")),
        rule("enum_declaration", Role::Symbol(Kind::Enum), Name::Field("name")),
        rule("delegate_declaration", Role::Small(Kind::Type), Name::Field("name")),
        rule("method_declaration", Role::Symbol(Kind::Function), Name::Field("name")),
        rule("constructor_declaration", Role::Symbol(Kind::Function), Name::Field("name")),
        rule("declaration_list", Role::Transparent, Name::None),
    ],
};
