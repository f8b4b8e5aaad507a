//! Attributes of an element.

use scraper::node::Element;

/// The attributes of an element that matter for extraction, read in one pass.
#[derive(Default)]
pub(super) struct Attrs<'a> {
    pub id: Option<&'a str>,
    pub class: &'a str,
    pub role: &'a str,
    pub href: Option<&'a str>,
    pub name: Option<&'a str>,
    pub hidden: bool,
}

impl<'a> Attrs<'a> {
    pub fn of(element: &'a Element) -> Self {
        let mut attrs = Self::default();
        for (name, value) in element.attrs() {
            match name {
                "id" => attrs.id = Some(value).filter(|id| !id.is_empty()),
                "class" => attrs.class = value,
                "role" => attrs.role = value,
                "href" => attrs.href = Some(value),
                "name" => attrs.name = Some(value).filter(|name| !name.is_empty()),
                "hidden" => attrs.hidden |= !value.eq_ignore_ascii_case("until-found"),
                "aria-hidden" => attrs.hidden |= value.eq_ignore_ascii_case("true"),
                "style" => attrs.hidden |= hides(value),
                _ => {}
            }
        }
        attrs
    }

    pub fn has_class(&self, wanted: impl Fn(&str) -> bool) -> bool {
        self.class.split_ascii_whitespace().any(wanted)
    }
}

fn hides(style: &str) -> bool {
    style.split(';').any(|rule| match rule.split_once(':') {
        Some((property, value)) => {
            let (property, value) = (property.trim(), value.trim());
            (property.eq_ignore_ascii_case("display") && value.starts_with("none"))
                || (property.eq_ignore_ascii_case("visibility") && value.starts_with("hidden"))
        }
        None => false,
    })
}

/// Returns whether a name has a word for which `wanted` holds. Names are class names, attributes
/// and tags; their words are separated by punctuation or by a capital letter: `btn-clipboard`,
/// `codeLineNumber`.
pub(super) fn has_word(name: &str, wanted: impl Fn(&str) -> bool) -> bool {
    let mut word = String::new();
    let mut after_lower = false;
    for c in name.chars() {
        let begins = c.is_ascii_uppercase() && after_lower;
        if (begins || !c.is_ascii_alphanumeric()) && !word.is_empty() {
            if wanted(&word) {
                return true;
            }
            word.clear();
        }
        if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        }
        after_lower = c.is_ascii_lowercase();
    }
    !word.is_empty() && wanted(&word)
}

/// Returns the names that authors and themes give an element: its tag if it is a custom one, its
/// classes, and its `data-` and framework attributes.
pub(super) fn names(element: &Element) -> impl Iterator<Item = &str> {
    let tag = element.name();
    std::iter::once(tag).filter(|tag| tag.contains('-')).chain(
        element.attrs().filter(|(name, _)| !name.starts_with("data-v-")).flat_map(
            |(name, value)| {
                let classes = if name == "class" { value } else { "" };
                let own = name.starts_with("data-").then(|| &name[5..]);
                own.into_iter().chain(classes.split_ascii_whitespace())
            },
        ),
    )
}

/// Returns whether one of the element's names has a word for which `wanted` holds.
pub(super) fn is_called(element: &Element, wanted: impl Fn(&str) -> bool) -> bool {
    names(element).any(|name| has_word(name, &wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_words() {
        for (name, word) in [
            ("btn-clipboard", "clipboard"),
            ("codeLineNumber_Tfdd", "number"),
            ("tabs__item", "item"),
            ("copy", "copy"),
        ] {
            assert!(has_word(name, |found| found == word), "{name}");
        }
        assert!(!has_word("copyright", |word| word == "copy"));
    }
}
