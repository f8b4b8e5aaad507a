//! Names of people: a surname, and given names or their initials.

use super::key;

/// Longer names, in words, are not read as names of people.
const MAX_WORDS: usize = 12;

/// Words that belong to the surname after them.
const PARTICLES: [&str; 24] = [
    "af", "al", "av", "bin", "d", "da", "de", "dei", "del", "della", "den", "der", "di", "dos",
    "du", "el", "ibn", "la", "le", "ten", "ter", "van", "von", "zu",
];

/// A name of a person, in lower case and without accents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Without particles such as `van`.
    surname: String,
    particles: String,
    /// Given names or their initials.
    given: Vec<String>,
}

impl Person {
    /// Reads `Jane Smith`, `J. Smith`, `Smith, Jane`, `Smith J`, `Smith JR` or `Smith`. `None` if
    /// there is no surname, or if there are more than [`MAX_WORDS`] words.
    pub fn parse(name: &str) -> Option<Self> {
        if name.split_whitespace().take(MAX_WORDS + 1).count() > MAX_WORDS {
            return None;
        }
        let (last, first): (Vec<&str>, Vec<&str>) = match name.split_once(',') {
            Some((last, first)) => (words(last).collect(), words(first).collect()),
            None => {
                let words: Vec<&str> = words(name).collect();
                let at = start_of_surname(&words);
                // `Smith J`: initials follow the surname.
                let initials = words.iter().rev().take_while(|word| is_initials(word)).count();
                if initials > 0 && initials < words.len() {
                    let (last, first) = words.split_at(words.len() - initials);
                    (last.to_vec(), first.to_vec())
                } else {
                    (words[at..].to_vec(), words[..at].to_vec())
                }
            }
        };
        let is_particle = |word: &&&str| PARTICLES.contains(&key(word).as_str());
        let n_particles = last[..last.len().saturating_sub(1)].iter().take_while(is_particle);
        let (particles, surname) = last.split_at(n_particles.count());
        let surname = key(&surname.concat());
        if surname.is_empty() {
            return None;
        }
        let given = first.iter().flat_map(|word| given(word)).filter(|name| !name.is_empty());
        Some(Self { surname, particles: key(&particles.concat()), given: given.collect() })
    }

    /// Returns whether this name, as typed, can mean another one: the surnames are equal, and each
    /// given name equals the one at the same position or is its initial. The typed name may leave
    /// out given names and particles.
    pub fn may_be(&self, other: &Self) -> bool {
        let particles = self.particles.is_empty() || self.particles == other.particles;
        self.surname == other.surname
            && particles
            && self.given.len() <= other.given.len()
            && self.agrees(other)
    }

    /// Returns whether two names that were written in full can be of one person: the surnames are
    /// equal, and given names agree as far as both go.
    pub fn is_like(&self, other: &Self) -> bool {
        self.surname == other.surname
            && self.particles == other.particles
            && self.given.is_empty() == other.given.is_empty()
            && self.agrees(other)
    }

    fn agrees(&self, other: &Self) -> bool {
        let alike = |(a, b): (&String, &String)| {
            a == b || (is_letter(a) && b.starts_with(&**a)) || (is_letter(b) && a.starts_with(&**b))
        };
        self.given.iter().zip(&other.given).all(alike)
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric))
}

/// Returns the index where the surname begins in a name without a comma: at the last word, or at
/// the particles before it.
fn start_of_surname(words: &[&str]) -> usize {
    let is_particle = |at: usize| {
        // A capitalised first word is a given name such as `Al`.
        let is_given = at == 0 && words[at].starts_with(char::is_uppercase);
        !is_given && PARTICLES.contains(&key(words[at]).as_str())
    };
    let mut at = words.len().saturating_sub(1);
    while at > 0 && is_particle(at - 1) {
        at -= 1;
    }
    at
}

/// Returns whether a word is initials: `J`, `J.`, `J.-L.`, `JR`.
fn is_initials(word: &str) -> bool {
    let is_letter = |c: char| c.is_uppercase() || c.is_lowercase();
    let mut parts = word.split(['.', '-']).filter(|part| !part.is_empty());
    parts.all(|part| part.chars().count() == 1 && part.chars().all(is_letter))
        || (word.chars().count() <= 3 && word.chars().all(char::is_uppercase))
}

/// Splits a word into given names: `Jean-Luc` holds two, `J.R.` and `JR` hold two initials.
fn given(word: &str) -> Vec<String> {
    if is_initials(word) {
        let letters = word.chars().filter(|c| c.is_alphanumeric());
        return letters.map(|letter| key(letter.encode_utf8(&mut [0; 4]))).collect();
    }
    word.split(['.', '-']).map(key).collect()
}

fn is_letter(name: &str) -> bool {
    name.chars().count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_be(typed: &str, name: &str) -> bool {
        Person::parse(typed).is_some_and(|typed| typed.may_be(&Person::parse(name).unwrap()))
    }

    #[test]
    fn a_name_is_found_in_other_spellings() {
        for (typed, name) in [
            ("smith", "Jane Smith"),
            ("J. Smith", "Jane Smith"),
            ("J Smith", "Smith, Jane"),
            ("Smith J", "Jane Smith"),
            ("Smith, J.", "Jane Mary Smith"),
            ("smith, jane", "Jane Smith"),
            ("J. M. Smith", "Jane Mary Smith"),
            ("J.M. Smith", "Smith, Jane M."),
            ("Smith JM", "Jane Mary Smith"),
            ("Jane Smith", "J. Smith"),
            ("Jane Smith", "Smith JM"),
            ("J.-L. Borel", "Jean-Luc Borel"),
            ("jean luc borel", "Jean-Luc Borel"),
            ("Berg", "Ben van den Berg"),
            ("van den Berg", "Ben van den Berg"),
            ("B. van den Berg", "van den Berg, Ben"),
            ("Muller", "Jürgen Müller"),
            ("O'Neil", "Ann ONeil"),
            ("Wu", "Li Wu"),
        ] {
            assert!(may_be(typed, name), "{typed} may be {name}");
        }
    }

    #[test]
    fn other_people_are_not_found() {
        for (typed, name) in [
            ("A. Smith", "Jane Smith"),
            ("Jan Smith", "Jane Smith"),
            ("Jane Smith", "John Smith"),
            ("J. R. Smith", "Jane Mary Smith"),
            ("J. M. Smith", "Jane Smith"),
            ("von Berg", "Ben van den Berg"),
            ("Smithson", "Jane Smith"),
            ("Jane", "Jane Smith"),
        ] {
            assert!(!may_be(typed, name), "{typed} is not {name}");
        }
        for none in ["", " , ", "...", &"a ".repeat(40)] {
            assert_eq!(Person::parse(none), None, "{none:?}");
        }
    }
}
