//! The values of `data-pagefind-meta`, `-default-meta`, `-filter` and `-sort`: names, each with the
//! source of its value.

/// A name, and the source of its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spec {
    pub name: String,
    pub value: Value,
}

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// The text of the element.
    Text,
    /// A known value: written in the specification, or an attribute of the element.
    Given(String),
}

/// Reads `name`, `name[attribute]` and, as the last, `name:value`, separated by commas.
/// `attribute` gives the element's attributes.
pub(super) fn parse(spec: &str, attribute: impl Fn(&str) -> Option<String>) -> Vec<Spec> {
    let (names, literal) = match spec.split_once(':') {
        Some((names, literal)) => (names, Some(literal)),
        None => (spec, None),
    };
    let mut specs: Vec<Spec> = names
        .split(',')
        .map(|item| match item.trim().strip_suffix(']').and_then(|item| item.split_once('[')) {
            Some((name, wanted)) => Spec {
                name: name.trim().to_owned(),
                value: Value::Given(fold(&attribute(wanted.trim()).unwrap_or_default())),
            },
            None => Spec { name: item.trim().to_owned(), value: Value::Text },
        })
        .collect();
    if let (Some(literal), Some(last)) = (literal, specs.last_mut()) {
        last.value = Value::Given(fold(literal));
    }
    specs.retain(|spec| !spec.name.is_empty());
    specs
}

/// Returns a text without white space at its ends, and with single spaces inside.
pub(super) fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(spec: &str) -> Vec<(String, Option<String>)> {
        let attribute = |name: &str| (name == "src").then(|| " /a.png ".to_owned());
        parse(spec, attribute)
            .into_iter()
            .map(|spec| match spec.value {
                Value::Text => (spec.name, None),
                Value::Given(value) => (spec.name, Some(value)),
            })
            .collect()
    }

    #[test]
    fn names_take_text_attributes_and_at_last_a_literal() {
        let pair = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
        assert_eq!(parsed("title"), [pair("title", None)]);
        assert_eq!(
            parsed("a, image[src], other: To the end, with commas: and colons"),
            [
                pair("a", None),
                pair("image", Some("/a.png")),
                pair("other", Some("To the end, with commas: and colons"))
            ]
        );
        assert_eq!(parsed("alt[alt]"), [pair("alt", Some(""))]);
        assert!(parsed(" , ").is_empty());
    }
}
