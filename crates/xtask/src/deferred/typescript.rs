//! The client's copy of the markers on requests.

use super::Declaration;

/// The file of the client, below the repository.
pub const FILE: &str = "www/src/deferred-requests.ts";

/// Writes the TypeScript with which the client recognises requests that call deferred functions.
pub fn write(declaration: &Declaration) -> String {
    let mut out = HEAD.to_owned();
    for field in declaration.fields.iter().filter(|field| !field.deferred) {
        let values = field.values.as_ref().map_or("undefined".to_owned(), |values| {
            let quoted: Vec<String> = values.iter().map(|value| format!("\"{value}\"")).collect();
            format!("[{}]", quoted.join(", "))
        });
        out.push_str(&format!("  [\"{}\", {values}],\n", field.name));
    }
    let expressions: Vec<String> =
        declaration.syntax.iter().map(|expression| escape_slashes(expression)).collect();
    out.push_str(BETWEEN);
    out.push_str(&expressions.join("|"));
    out.push_str("/u;\n");
    out
}

const HEAD: &str = r#"// From markers in crates/engine/src. To write it anew: cargo xtask types

import type { Request } from "./engine-types";

/**
 * Request fields that the first part of the engine handles. A field with a list of values is
 * handled with these values only.
 */
export const FIRST_PART_FIELDS: ReadonlyMap<string, readonly string[] | undefined> = new Map<
  keyof Request,
  readonly string[] | undefined
>([
"#;

const BETWEEN: &str = "]);

/** Queries that call deferred functions. All other queries are words and nothing else. */
export const DEFERRED_SYNTAX =
  /";

/// Returns an expression for a literal between slashes.
fn escape_slashes(expression: &str) -> String {
    let mut out = String::with_capacity(expression.len());
    let mut in_class = false;
    let mut escaped = false;
    for c in expression.chars() {
        match c {
            '[' if !escaped => in_class = true,
            ']' if !escaped => in_class = false,
            '/' if !escaped && !in_class => out.push('\\'),
            _ => {}
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Field, names::Functions};
    use super::*;

    #[test]
    fn fields_of_the_first_part_and_expressions_are_written() {
        let field =
            |name: &str, deferred, values| Field { name: name.to_owned(), deferred, values };
        let text = write(&Declaration {
            functions: Functions::default(),
            fields: vec![
                field("query", false, None),
                field("filter", true, None),
                field("order", false, Some(vec!["relevance".to_owned()])),
            ],
            syntax: vec![r"a/b[^/]\/".to_owned(), "c".to_owned()],
        });
        assert!(text.contains("  [\"query\", undefined],\n  [\"order\", [\"relevance\"]],\n]);"));
        assert!(!text.contains("filter"));
        assert!(text.ends_with("  /a\\/b[^/]\\/|c/u;\n"), "{text}");
    }
}
