//! Parameters of ranking, for tuning.

use findling_bundle::RANKING_MAX;

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
    /// How soon further occurrences of a term stop counting. 0: only the first counts. Default:
    /// 1.2.
    pub k1: f32,
    /// Parameters of each field, in the order of [`findling_bundle::Field`]. The default weights
    /// are title 3, path 1, heading 2, ancestors 1, body 1, code 0.8; b is 0.75 for body, 0.65 for
    /// code. The lengths of short fields hardly vary and say little: b is 0.3 for title and
    /// heading. The b of path and ancestors has no effect, since their lengths are not stored.
    pub fields: [FieldParams; 6],
    /// Weight of an identifier's parts, against 1 for the identifier as a whole and for words.
    /// Default: 0.5.
    pub part_weight: f32,
    /// Weight of stop words in a query that also has other words. Default: 0; then they are not
    /// even looked up.
    pub stop_weight: f32,
    /// Weight of the completions of an unfinished last word, against 1 for the word as typed.
    /// Default: 0.7.
    pub completion_weight: f32,
    /// Weight of the site's synonyms of a word, against 1 for the word: pages with the typed word
    /// come first. Default: 0.45.
    pub synonym_weight: f32,
    /// Weight of a word's relatives, which begin with it or which it begins with (`parse`,
    /// `parser`; `file`, `filename`), against 1 for the word, in queries of several words. Default:
    /// 0.5.
    pub relative_weight: f32,
    /// Additional weight of a title's word in the form that was typed. Default: 0.2.
    pub form_weight: f32,
    /// A section whose page's title consists of the query's words scores this much more, as a
    /// share. Default: 0.6.
    pub title_boost: f32,
    /// The same for the section's own heading. Default: 0.5.
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

/// Everything about ranking that a host may set, for tuning. The defaults were chosen on
/// development data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankParams {
    /// Scoring by words.
    pub bm25f: Bm25fParams,
    /// Sections taken from the dense leg, and sections of the lexical leg whose similarity is
    /// computed. Default: 200.
    pub depth: u32,
    /// The dense leg's share in convex fusion, if the request does not give one. Default: 0.35.
    pub alpha: f32,
    /// The same for a query that is a sentence: it has a stop word and at least three other words.
    /// Sentences describe rather than name. Default: 0.45.
    pub sentence_alpha: f32,
    /// How much convex fusion lowers the share of words if even the best section lacks some of
    /// them. 0: the best section has the whole share of the words, however little of the query it
    /// covers. 1: scores by words are divided by the score of a section with every word of the
    /// query, unless the best section scores more. Default: 1.
    pub coverage: f32,
    /// How a page's score combines its sections. 0: the fused score of its best section, so that
    /// words and meaning must meet in one place. 1: the best that words gave to any section plus
    /// the best that meaning gave to any, since one section may name the thing and another describe
    /// it. Default: 0.75.
    pub page_maxima: f32,
    /// The part of its second-best section's fused score that a page also gets, because a page is
    /// about the subject of several of its sections. If both legs score, it is multiplied by `2 *
    /// (1 - s / top)`, where `s` is the page's score without it, and `top` the score of a section
    /// that is first in both legs. So no page passes such a section. Default: 0.3.
    pub page_second: f32,
    /// Maximum number of bytes of cells that a query reads, if vectors are streamed. Default: 32
    /// kB.
    pub probe_bytes: u32,
    /// The same for a query that is a sentence, where meaning has more weight. Default: 64 kB.
    pub sentence_probe_bytes: u32,
    /// Number of sections found by words whose cells are read, if vectors are streamed and the
    /// bundle lists these cells. They take at most half of the bytes. Default: 10.
    pub probe_best: u32,
    /// Number of sections found by words whose vectors are fetched, if vectors are streamed and the
    /// bundle has shards of them. Default: 20.
    pub probe_sections: u32,
    /// Number of vectors passing the filter that is enough to choose from, if vectors are streamed.
    /// Default: 100.
    pub probe_enough: u32,
    /// Maximum number of bytes of cells if a filter excludes too much of them. Default: 256 kB.
    pub max_probe_bytes: u32,
    /// The similarity that is assumed, if vectors are streamed, for a section found by words whose
    /// cell was not read. 0 is the similarity to the mean vector, 1 the similarity of the last
    /// section ranked by meaning. It may exceed 1 if the list of ranked sections is full. Default:
    /// 1.15.
    pub unseen: f32,
    /// If vectors are streamed, up to three pages whose score is below the first page's by at most
    /// this are compared by their vectors. 0: none. Default: 0.03.
    pub close: f32,
}

impl Default for RankParams {
    fn default() -> Self {
        Self {
            bm25f: Bm25fParams::default(),
            depth: 200,
            alpha: 0.35,
            sentence_alpha: 0.45,
            coverage: 1.0,
            page_maxima: 0.75,
            page_second: 0.3,
            probe_bytes: 32_000,
            sentence_probe_bytes: 64_000,
            probe_best: 10,
            probe_sections: 20,
            probe_enough: 100,
            max_probe_bytes: 256_000,
            unseen: 1.15,
            close: 0.03,
        }
    }
}

impl RankParams {
    /// Returns every number that a bundle may set, in the order of
    /// [`findling_bundle::RANKING_MAX`].
    pub fn knobs(&mut self) -> [&mut f32; RANKING_MAX.len()] {
        let Self { bm25f, alpha, sentence_alpha, coverage, page_maxima, page_second, .. } = self;
        let [title, path, heading, ancestors, body, code] = &mut bm25f.fields;
        [
            &mut title.b,
            &mut heading.b,
            &mut body.b,
            &mut code.b,
            &mut bm25f.part_weight,
            &mut bm25f.stop_weight,
            &mut bm25f.completion_weight,
            &mut bm25f.synonym_weight,
            &mut bm25f.relative_weight,
            &mut bm25f.form_weight,
            alpha,
            sentence_alpha,
            coverage,
            page_maxima,
            page_second,
            &mut bm25f.k1,
            &mut title.weight,
            &mut path.weight,
            &mut heading.weight,
            &mut ancestors.weight,
            &mut code.weight,
            &mut bm25f.title_boost,
            &mut bm25f.heading_boost,
        ]
    }

    /// Returns the defaults, but for what a bundle sets.
    pub(crate) fn of(ranking: &[f32]) -> Self {
        let mut params = Self::default();
        for (knob, &value) in params.knobs().into_iter().zip(ranking) {
            *knob = value;
        }
        params
    }

    /// Returns the dense leg's share for a query.
    pub(crate) fn alpha(&self, is_sentence: bool) -> f32 {
        if is_sentence { self.sentence_alpha } else { self.alpha }
    }

    /// Returns the budget of cells for a query.
    pub(crate) fn probe_bytes(&self, is_sentence: bool) -> u64 {
        u64::from(if is_sentence { self.sentence_probe_bytes } else { self.probe_bytes })
    }
}
