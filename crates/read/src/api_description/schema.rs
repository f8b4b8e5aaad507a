//! The fields of JSON Schema, as OpenAPI and AsyncAPI use it.

use std::cell::Cell;

use findling_bundle::addresses::percent_decoded;
use serde_json::{Map, Value};

use super::model::{Field, Type};

/// Maximum number of references that lead from one to the next.
const MAX_REFERENCES: usize = 16;

/// Largest depth of fields within fields. Deeper fields are listed with their own type.
const MAX_DEPTH: usize = 4;

/// Maximum number of fields of one body. Larger bodies are cut: nobody reads them as a list.
const MAX_FIELDS: usize = 300;

/// Maximum number of fields of a description in all, so that a small file with many references does
/// not become a large page.
const MAX_FIELDS_IN_ALL: usize = 100_000;

/// Maximum number of schemas that are looked at: each may refer to many others, and these to many
/// more.
const MAX_VISITS: usize = 200_000;

/// Maximum number of values of an enumeration that are named.
const MAX_VALUES: usize = 40;

/// A description within which references are followed.
pub(super) struct Document<'a> {
    root: &'a Value,
    /// The number of fields that may still be taken.
    room: Cell<usize>,
    /// The number of schemas that may still be looked at.
    visits: Cell<usize>,
    n_left_out: Cell<usize>,
}

impl<'a> Document<'a> {
    pub fn new(root: &'a Value) -> Self {
        Self {
            root,
            room: Cell::new(MAX_FIELDS_IN_ALL),
            visits: Cell::new(MAX_VISITS),
            n_left_out: Cell::new(0),
        }
    }

    /// Returns the number of fields that were left out.
    pub fn n_left_out(&self) -> usize {
        self.n_left_out.get()
    }

    /// Returns a value, or the value that it refers to. References to other files are not followed.
    pub fn resolve(&self, value: &'a Value) -> &'a Value {
        let mut value = value;
        for _ in 0..MAX_REFERENCES {
            let Some(pointer) = value["$ref"].as_str().and_then(|it| it.strip_prefix('#')) else {
                return value;
            };
            match self.root.pointer(&percent_decoded(pointer)) {
                Some(target) => value = target,
                None => return value,
            }
        }
        &Value::Null
    }

    /// Returns the fields of a schema, and their fields.
    pub fn fields(&self, schema: &'a Value) -> Vec<Field> {
        let mut fields = Vec::new();
        self.add(schema, "", 0, &mut fields);
        fields
    }

    /// Returns the named types of an object of schemas; none if it is no object.
    pub fn named_types(&self, schemas: &'a Value) -> Vec<Type> {
        let schemas = schemas.as_object().into_iter().flatten();
        schemas
            .map(|(name, schema)| Type {
                name: name.clone(),
                description: text(&self.resolve(schema)["description"]),
                fields: self.fields(schema),
            })
            .collect()
    }

    fn add(&self, schema: &'a Value, above: &str, depth: usize, fields: &mut Vec<Field>) {
        if depth > MAX_DEPTH {
            return;
        }
        if self.visits.get() == 0 {
            self.n_left_out.set(self.n_left_out.get() + 1);
            return;
        }
        self.visits.set(self.visits.get() - 1);
        let schema = self.resolve(schema);
        if let Some(properties) = schema["properties"].as_object() {
            self.add_properties(properties, &schema["required"], above, depth, fields);
        }
        for key in ["allOf", "oneOf", "anyOf"] {
            for part in schema[key].as_array().into_iter().flatten() {
                self.add(part, above, depth + 1, fields);
            }
        }
        if !schema["items"].is_null() {
            self.add(&schema["items"], &format!("{above}[]"), depth + 1, fields);
        }
        if schema["additionalProperties"].is_object() {
            self.add(&schema["additionalProperties"], &format!("{above}.*"), depth + 1, fields);
        }
    }

    fn add_properties(
        &self,
        properties: &'a Map<String, Value>,
        required: &Value,
        above: &str,
        depth: usize,
        fields: &mut Vec<Field>,
    ) {
        for (name, property) in properties {
            if fields.len() >= MAX_FIELDS || self.room.get() == 0 {
                self.n_left_out.set(self.n_left_out.get() + 1);
                continue;
            }
            let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
            // Variants of a type repeat their common fields.
            if fields.iter().any(|known| known.name == path) {
                continue;
            }
            self.room.set(self.room.get() - 1);
            let is_required = required.as_array().is_some_and(|all| {
                all.iter().any(|required| required.as_str() == Some(name.as_str()))
            });
            let resolved = self.resolve(property);
            let mut notes = self.notes(property);
            if is_required {
                notes.push("required".to_owned());
            }
            // A description beside a reference belongs to this use of the type.
            let description = [property, resolved].iter().find_map(|it| it["description"].as_str());
            fields.push(Field {
                name: path.clone(),
                notes,
                description: description.unwrap_or_default().to_owned(),
            });
            self.add(property, &path, depth + 1, fields);
        }
    }

    /// Returns the type and the restrictions of a schema.
    pub fn notes(&self, schema: &'a Value) -> Vec<String> {
        let schema = self.resolve(schema);
        let mut notes = Vec::new();
        let kind = self.kind(schema, 0);
        if !kind.is_empty() {
            notes.push(kind);
        }
        let literal = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        for values in [&schema["enum"], &schema["items"]["enum"]] {
            let Some(values) = values.as_array().filter(|values| !values.is_empty()) else {
                continue;
            };
            let named: Vec<String> = values.iter().take(MAX_VALUES).map(literal).collect();
            notes.push(format!("one of {}", named.join(", ")));
        }
        if !schema["default"].is_null() {
            notes.push(format!("default {}", literal(&schema["default"])));
        }
        for (key, name) in [
            ("minimum", "at least"),
            ("maximum", "at most"),
            ("maxLength", "at most"),
            ("pattern", "pattern"),
        ] {
            if !schema[key].is_null() {
                let unit = if key == "maxLength" { " characters" } else { "" };
                notes.push(format!("{name} {}{unit}", literal(&schema[key])));
            }
        }
        if schema["deprecated"] == true {
            notes.push("deprecated".to_owned());
        }
        notes
    }

    /// Returns the name of a type: `integer`, `array of string`, `string or null`.
    fn kind(&self, schema: &'a Value, depth: usize) -> String {
        if depth > MAX_DEPTH {
            return String::new();
        }
        let mut kind = match &schema["type"] {
            Value::String(kind) => kind.clone(),
            Value::Array(kinds) => {
                kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
            }
            _ => String::new(),
        };
        if kind == "array" {
            let of = self.kind(self.resolve(&schema["items"]), depth + 1);
            if !of.is_empty() {
                kind = format!("array of {of}");
            }
        }
        if let Some(format) = schema["format"].as_str() {
            kind = if kind.is_empty() { format.to_owned() } else { format!("{kind} {format}") };
        }
        if schema["nullable"] == true {
            kind.push_str(" or null");
        }
        kind
    }
}

/// Returns a text. A version such as `1.2` may be a number.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}
