//! The knobs of lexical scoring.

/// How BM25F weighs one field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldParams {
    /// How often a word in this field counts, against once in running text.
    pub weight: f32,
    /// How much the field's length matters: 0 not at all, 1 in full proportion.
    pub b: f32,
}

/// Parameters of BM25F (Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted
/// fields", CIKM 2004; per-field length normalisation after Zaragoza et al., TREC 2004).
///
/// For a term and a passage, with `tf`, `len` and `mean_len` of each field:
/// `tf~ = sum of weight * tf / (1 - b + b * len / mean_len)`, and the score is `idf * tf~ / (k1 +
/// tf~)` with `idf = ln(1 + (n - df + 0.5) / (df + 0.5))` over passages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bm25fParams {
    /// How soon further occurrences stop counting. 0: at the first. 1.2 unless told.
    pub k1: f32,
    /// By field, in the order of [`findling_bundle::Field`]. Unless told: title 3, path 1, heading
    /// 2, ancestors 1, body 1, code 0.8; b is 0.75 for body, 0.65 for code. Short fields
    /// hardly vary in length, and where they do it says little: b is 0.3 for title and
    /// heading. That of path and ancestors has no effect: how long they are is not stored.
    pub fields: [FieldParams; 6],
    /// Weight of an identifier's parts, against 1 for the identifier as a whole and for words. 0.5
    /// unless told.
    pub part_weight: f32,
    /// Weight of stop words in a query that also has other words. 0 unless told: they are then not
    /// even looked up.
    pub stop_weight: f32,
    /// Weight of the completions of an unfinished last word, against 1 for the word as it stands.
    /// 0.7 unless told.
    pub completion_weight: f32,
    /// Weight of the site's synonyms of a word, against 1 for the word: what says the word typed
    /// leads. 0.45 unless told.
    pub synonym_weight: f32,
    /// Weight of a word's relatives, which begin with it or which it begins with (`parse`,
    /// `parser`; `file`, `filename`), against 1 for the word, in queries of several words. 0.5
    /// unless told.
    pub relative_weight: f32,
    /// Weight of a title's word in the very form that was typed, besides its weight as a word. 0.2
    /// unless told.
    pub form_weight: f32,
    /// A section whose page's title consists of the query's words scores this much more, as a
    /// share. 0.6 unless told.
    pub title_boost: f32,
    /// The same for the section's own heading. 0.5 unless told.
    pub heading_boost: f32,
}

impl Default for Bm25fParams {
    fn default() -> Self {
        let field = |weight, b| FieldParams { weight, b };
        Self {
            k1: 1.2,
            fields: [
                field(3.0, 0.3),
                field(1.0, 0.0),
                field(2.0, 0.3),
                field(1.0, 0.0),
                field(1.0, 0.75),
                field(0.8, 0.65),
            ],
            part_weight: 0.5,
            stop_weight: 0.0,
            completion_weight: 0.7,
            synonym_weight: 0.45,
            relative_weight: 0.5,
            form_weight: 0.2,
            title_boost: 0.6,
            heading_boost: 0.5,
        }
    }
}
