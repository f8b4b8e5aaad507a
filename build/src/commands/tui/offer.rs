//! The offer to install the model that a search needs. A model is offered once; a refused model is
//! not offered again.

use crate::models::known;
use crate::ui::bytes;

/// A model that can be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The name.
    pub name: String,
    /// The question, one string a paragraph.
    pub words: Vec<String>,
}

impl Offer {
    /// Returns the offer of a model; `None` if the model is unknown, this program cannot run it, or
    /// the user refused it.
    pub fn of(name: &str, refused: &[String]) -> Option<Self> {
        if !cfg!(feature = "transformer") || refused.iter().any(|known| known == name) {
            return None;
        }
        Self::of_known(name)
    }

    fn of_known(name: &str) -> Option<Self> {
        let model = known::find(name)?;
        let words = vec![
            format!("This search needs the model {name}, which is not installed."),
            format!("Size: {}. Licence: {}.", bytes(model.total_bytes()), model.licence),
            format!("Source: {}", model.homepage),
            "It is downloaded once and runs on this machine. A download that was interrupted goes \
             on where it ended."
                .to_owned(),
            "y: install it    n: do not ask again".to_owned(),
        ];
        Some(Self { name: name.to_owned(), words })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_licence_and_source_are_said_and_a_refusal_holds() {
        let offer = Offer::of_known(known::DEFAULT).unwrap();
        let words = offer.words.join(" ");
        for expect in ["MB", "Apache-2.0", "https://"] {
            assert!(words.contains(expect), "{words}");
        }
        assert_eq!(Offer::of(known::DEFAULT, &[known::DEFAULT.to_owned()]), None);
        assert_eq!(Offer::of_known("nosuch"), None);
    }
}
