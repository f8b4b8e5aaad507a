//! Responses as JSON text, equal byte for byte to the output of `serde_json` (the tests compare),
//! with half of the code: every reader downloads it. Rare fields are in [`rare`], which browsers
//! load when a request needs it (`crates/xtask/src/deferred/mod.rs`).

use serde_json::Value;

use crate::api::{Facet, Legs, Mode, PageHit, Response, SectionHit, Snippet};

/// JSON text under construction. Each call adds a value, or the name of the next value.
#[derive(Debug, Default)]
pub struct Json(String);

impl Json {
    /// Returns the text.
    pub fn into_text(self) -> String {
        self.0
    }

    /// Writes a comma, unless this is the first of its object or array.
    #[inline(never)]
    fn separate(&mut self) {
        if !matches!(self.0.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.0.push(',');
        }
    }

    #[inline(never)]
    fn raw(&mut self, text: &str) {
        self.separate();
        self.0.push_str(text);
    }

    /// Appends a fragment that was written separately.
    pub fn json(&mut self, other: &Json) {
        self.raw(&other.0);
    }

    /// Begins an object.
    pub fn object(&mut self) -> &mut Self {
        self.raw("{");
        self
    }

    /// Begins an array.
    pub fn array(&mut self) -> &mut Self {
        self.raw("[");
        self
    }

    /// Ends an object.
    pub fn end_object(&mut self) {
        self.0.push('}');
    }

    /// Ends an array.
    pub fn end_array(&mut self) {
        self.0.push(']');
    }

    /// Returns the name of what is added next.
    #[inline(never)]
    pub fn name(&mut self, name: &str) -> &mut Self {
        self.text(name);
        self.0.push(':');
        self
    }

    /// Writes a string.
    #[inline(never)]
    pub fn text(&mut self, text: &str) {
        self.raw("\"");
        let mut from = 0;
        for (at, byte) in text.bytes().enumerate() {
            let short = match byte {
                b'"' | b'\\' => byte,
                8 => b'b',
                9 => b't',
                10 => b'n',
                12 => b'f',
                13 => b'r',
                0..32 => b'u',
                _ => continue,
            };
            self.0.push_str(&text[from..at]);
            from = at + 1;
            self.0.push('\\');
            self.0.push(char::from(short));
            if short == b'u' {
                self.0.push_str("00");
                for digit in [byte >> 4, byte & 15] {
                    self.0.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
                }
            }
        }
        self.0.push_str(&text[from..]);
        self.0.push('"');
    }

    /// Writes a string, or null.
    pub fn text_or_null(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.null(),
        }
    }

    /// Writes an array of strings.
    #[inline(never)]
    pub fn texts(&mut self, texts: &[String]) {
        self.list(texts, |json, text| json.text(text));
    }

    /// Writes a whole number.
    #[inline(never)]
    pub fn whole(&mut self, number: u64) {
        self.raw(&number.to_string());
    }

    /// Writes a number in its shortest form; null if it is not finite.
    #[inline(never)]
    pub fn real(&mut self, number: f32) {
        self.raw(&serde_json::to_string(&number).unwrap_or_default());
    }

    /// Writes true or false.
    pub fn truth(&mut self, truth: bool) {
        self.raw(if truth { "true" } else { "false" });
    }

    /// Writes null.
    pub fn null(&mut self) {
        self.raw("null");
    }

    /// Writes the value, or null.
    pub fn or_null<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        match value {
            Some(value) => write(self, value),
            None => self.null(),
        }
    }

    /// Writes an array.
    pub fn list<T>(&mut self, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.array();
        for item in items {
            write(self, item);
        }
        self.end_array();
    }

    /// Writes any value.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.null(),
            Value::Bool(truth) => self.truth(*truth),
            Value::Number(number) => self.raw(&number.to_string()),
            Value::String(text) => self.text(text),
            Value::Array(values) => self.list(values, Self::value),
            Value::Object(fields) => {
                self.object();
                for (name, value) in fields {
                    self.name(name).value(value);
                }
                self.end_object();
            }
        }
    }

    fn ranges(&mut self, ranges: &[(u32, u32)]) {
        self.list(ranges, |json, &range| json.range(range));
    }

    fn range(&mut self, (start, end): (u32, u32)) {
        self.array();
        self.whole(start.into());
        self.whole(end.into());
        self.end_array();
    }
}

impl Response {
    /// Returns the response as JSON, as every host other than Rust receives it.
    pub fn to_json(&self) -> String {
        let mut json = Json::default();
        json.object();
        json.name("query").text(&self.query);
        json.name("mode").text(match self.mode {
            Mode::Hybrid => "hybrid",
            Mode::Lexical => "lexical",
            Mode::Semantic => "semantic",
        });
        json.name("encoder").text_or_null(self.encoder.as_deref());
        json.name("notices").list(&self.notices, |json, notice| {
            json.object().name("code").text(&notice.code);
            json.name("message").text(&notice.message);
            json.end_object();
        });
        json.name("corrections").list(&self.corrections, |json, correction| {
            json.object().name("word").text(&correction.word);
            json.name("replacement").text(&correction.replacement);
            json.end_object();
        });
        json.name("suggestions").list(&self.suggestions, rare::suggestion);
        json.name("answerable").or_null(self.answerable, Json::real);
        json.name("total").object().name("pages").whole(self.total.pages.into());
        json.name("sections").whole(self.total.sections.into());
        if self.total.at_least {
            json.name("atLeast").truth(true);
        }
        json.end_object();
        json.name("results").list(&self.results, page);
        json.name("facets").list(&self.facets, facet);
        json.name("plan").or_null(self.plan.as_ref(), rare::plan);
        if let Some(why) = &self.why {
            rare::why(json.name("why"), why);
        }
        if let Some(document) = &self.document {
            rare::document(json.name("document"), document);
        }
        json.end_object();
        json.into_text()
    }
}

fn facet(json: &mut Json, facet: &Facet) {
    json.object().name("name").text(&facet.name);
    json.name("values").list(&facet.values, |json, (value, count)| {
        json.array().text(value);
        json.whole((*count).into());
        json.end_array();
    });
    json.end_object();
}

#[inline(never)]
fn page(json: &mut Json, page: &PageHit) {
    json.object().name("id").text(&page.id);
    json.name("url").text(&page.url);
    json.name("title").text(&page.title);
    json.name("language").text(&page.language);
    json.name("score").real(page.score);
    attributes(json, &page.attributes);
    json.name("meta").list(&page.meta, |json, (name, value)| {
        json.array().text(name);
        json.text(value);
        json.end_array();
    });
    json.name("sections").list(&page.sections, section);
    json.name("nSections").whole(page.n_sections.into());
    if page.copies > 0 {
        json.name("copies").whole(page.copies.into());
    }
    if page.pinned {
        json.name("pinned").truth(true);
    }
    json.end_object();
}

#[inline(never)]
fn attributes(json: &mut Json, attributes: &serde_json::Map<String, serde_json::Value>) {
    json.name("attributes").object();
    for (name, value) in attributes {
        json.name(name).value(value);
    }
    json.end_object();
}

#[inline(never)]
fn section(json: &mut Json, section: &SectionHit) {
    let SectionHit { url, anchor, heading_path, attributes: own, score, snippet, legs, explain } =
        section;
    json.object().name("url").text(url);
    json.name("anchor").text_or_null(anchor.as_deref());
    json.name("headingPath").texts(heading_path);
    attributes(json, own);
    json.name("score").real(*score);
    let Snippet { text, ranges, code, sentence, cut_start, cut_end } = snippet;
    json.name("snippet").object().name("text").text(text);
    json.name("ranges").ranges(ranges);
    json.name("code").ranges(code);
    json.name("sentence").range(*sentence);
    json.name("cutStart").truth(*cut_start);
    json.name("cutEnd").truth(*cut_end);
    json.end_object();
    let Legs {
        lexical_rank,
        lexical_score,
        semantic_rank,
        similarity,
        lexical_share,
        semantic_share,
    } = *legs;
    json.name("legs").object();
    json.name("lexicalRank").or_null(lexical_rank, |json, rank| json.whole(rank.into()));
    json.name("lexicalScore").or_null(lexical_score, Json::real);
    json.name("semanticRank").or_null(semantic_rank, |json, rank| json.whole(rank.into()));
    json.name("similarity").or_null(similarity, Json::real);
    json.name("lexicalShare").real(lexical_share);
    json.name("semanticShare").real(semantic_share);
    json.end_object();
    json.name("explain").or_null(explain.as_ref(), rare::explanation);
    json.end_object();
}

#[doc(alias = "deferred")]
mod rare {
    //! Explanations, suggestions if nothing is found, and whole pages.

    use super::{Json, attributes, page, section};
    use crate::api::{Document, Explanation, Plan, Suggestion, SuggestionKind, Why};

    #[inline(never)]
    pub fn suggestion(json: &mut Json, suggestion: &Suggestion) {
        json.object().name("kind").text(match suggestion.kind {
            SuggestionKind::Words => "words",
            SuggestionKind::Value => "value",
            SuggestionKind::Attribute => "attribute",
            SuggestionKind::Spelling => "spelling",
            SuggestionKind::Phrases => "phrases",
            SuggestionKind::Exclusions => "exclusions",
            SuggestionKind::Part => "part",
            SuggestionKind::Filter => "filter",
            SuggestionKind::Everything => "everything",
        });
        json.name("what").text(&suggestion.what);
        json.name("instead").text_or_null(suggestion.instead.as_deref());
        json.name("query").text(&suggestion.query);
        if !suggestion.also.is_empty() {
            json.name("also").texts(&suggestion.also);
        }
        json.name("filter").text_or_null(suggestion.filter.as_deref());
        json.name("verbatim").truth(suggestion.verbatim);
        json.name("pages").whole(suggestion.pages.into());
        json.end_object();
    }

    #[inline(never)]
    pub fn explanation(json: &mut Json, explanation: &Explanation) {
        json.object().name("terms").list(&explanation.terms, |json, term| {
            json.object().name("term").text(&term.term);
            json.name("idf").real(term.idf);
            json.name("frequencies")
                .list(&term.frequencies, |json, &count| json.whole(count.into()));
            json.name("score").real(term.score);
            json.end_object();
        });
        json.name("boosts").list(&explanation.boosts, |json, boost| {
            json.object().name("reason").text(&boost.reason);
            json.name("share").real(boost.share);
            json.end_object();
        });
        json.end_object();
    }

    #[inline(never)]
    pub fn plan(json: &mut Json, plan: &Plan) {
        json.object().name("terms").texts(&plan.terms);
        json.name("phrases").texts(&plan.phrases);
        json.name("excluded").texts(&plan.excluded);
        json.name("filter").text_or_null(plan.filter.as_deref());
        json.name("selectivity").real(plan.selectivity);
        json.name("neighbours").text(&plan.neighbours);
        json.name("fusion").text(&plan.fusion);
        json.name("vectorsCompared").whole(plan.vectors_compared.into());
        json.name("evidence").object();
        json.name("words").or_null(plan.evidence.words, Json::real);
        json.name("meaning").or_null(plan.evidence.meaning, Json::real);
        json.end_object();
        json.end_object();
    }

    #[inline(never)]
    pub fn why(json: &mut Json, why: &Why) {
        json.object().name("page").object().name("id").text(&why.page.id);
        json.name("url").text(&why.page.url);
        json.name("title").text(&why.page.title);
        json.end_object();
        json.name("reason").text(&why.reason);
        json.name("rank").or_null(why.rank, |json, rank| json.whole(rank.into()));
        json.name("hit").or_null(why.hit.as_ref(), page);
        json.name("section").or_null(why.section.as_ref(), section);
        json.name("first").or_null(why.first.as_ref(), page);
        json.name("above").or_null(why.above.as_ref(), page);
        json.name("words").list(&why.words, |json, word| {
            json.object().name("word").text(&word.word);
            json.name("terms").texts(&word.terms);
            json.name("onPage").truth(word.on_page);
            json.end_object();
        });
        json.name("removedBy").list(&why.removed_by, |json, removal| {
            json.object().name("kind").text(&removal.kind);
            json.name("text").text(&removal.text);
            json.name("sections").whole(removal.sections.into());
            json.end_object();
        });
        json.name("nSections").whole(why.n_sections.into());
        json.end_object();
    }

    #[inline(never)]
    pub fn document(json: &mut Json, document: &Document) {
        json.object().name("id").text(&document.id);
        json.name("url").text(&document.url);
        json.name("title").text(&document.title);
        json.name("language").text(&document.language);
        attributes(json, &document.attributes);
        json.name("sections").list(&document.sections, |json, section| {
            json.object().name("level").whole(section.level.into());
            json.name("headingPath").texts(&section.heading_path);
            json.name("anchor").text_or_null(section.anchor.as_deref());
            json.name("text").text(&section.text);
            json.name("passages").ranges(&section.passages);
            json.end_object();
        });
        json.end_object();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use crate::*;

    /// Returns a response with something in every field.
    fn full(text: &str, number: f32) -> Response {
        let text = || text.to_owned();
        let attributes = json!({
            "text": text(), "list": ["a", text()], "whole": -3, "big": 1e300,
            "real": f64::from(number), "truth": false, "nothing": null,
            "more": {"a": [], "b": {}},
        });
        let serde_json::Value::Object(attributes) = attributes else { unreachable!() };
        let section = SectionHit {
            url: text(),
            anchor: Some(text()),
            heading_path: vec![text(), "b".into()],
            attributes: attributes.clone(),
            score: number,
            snippet: Snippet {
                text: text(),
                ranges: vec![(0, 3), (4, u32::MAX)],
                code: vec![(1, 2)],
                sentence: (0, 5),
                cut_start: true,
                cut_end: false,
            },
            legs: Legs {
                lexical_rank: Some(1),
                lexical_score: Some(number),
                semantic_rank: Some(7),
                similarity: Some(-number),
                lexical_share: 0.1,
                semantic_share: number / 3.0,
            },
            explain: Some(Explanation {
                terms: vec![TermExplanation {
                    term: text(),
                    idf: 1.5,
                    frequencies: [0, 1, 2, 3, 4, 5],
                    score: number,
                }],
                boosts: vec![Boost { reason: text(), share: 0.2 }],
            }),
        };
        let page = PageHit {
            id: text(),
            url: text(),
            title: text(),
            language: "en".into(),
            score: number,
            attributes: attributes.clone(),
            meta: vec![(text(), text())],
            sections: vec![section.clone(), section.clone()],
            n_sections: 2,
            copies: 3,
            pinned: true,
        };
        let notice = Notice { code: "a".into(), message: text() };
        Response {
            query: text(),
            mode: Mode::Hybrid,
            encoder: Some(text()),
            notices: vec![notice.clone(), notice],
            corrections: vec![Correction { word: text(), replacement: text() }],
            suggestions: [vec![], vec![text()]]
                .into_iter()
                .flat_map(|also| {
                    KINDS.map(|kind| Suggestion {
                        kind,
                        what: text(),
                        instead: (kind == SuggestionKind::Words).then(text),
                        query: text(),
                        also: also.clone(),
                        filter: (kind == SuggestionKind::Part).then(text),
                        verbatim: kind == SuggestionKind::Value,
                        pages: 7,
                    })
                })
                .collect(),
            answerable: Some(number),
            total: Total { pages: 3, sections: 4, at_least: true },
            results: vec![page.clone(), page.clone()],
            facets: vec![Facet { name: text(), values: vec![(text(), 3), ("b".into(), 0)] }],
            plan: Some(Plan {
                terms: vec![text()],
                phrases: vec![],
                excluded: vec![text(), text()],
                filter: Some(text()),
                selectivity: number,
                neighbours: "exact".into(),
                fusion: text(),
                vectors_compared: 9,
                evidence: Evidence { words: Some(number), meaning: None },
            }),
            why: Some(Why {
                page: PageName { id: text(), url: text(), title: text() },
                reason: text(),
                rank: Some(4),
                hit: Some(page.clone()),
                section: Some(section),
                first: Some(page.clone()),
                above: None,
                words: vec![WordOnPage { word: text(), terms: vec![text()], on_page: true }],
                removed_by: vec![Removal { kind: "filter".into(), text: text(), sections: 1 }],
                n_sections: 12,
            }),
            document: Some(Box::new(Document {
                id: text(),
                url: text(),
                title: text(),
                language: "en".into(),
                attributes,
                sections: [None, Some(text())]
                    .map(|anchor| DocumentSection {
                        level: 6,
                        heading_path: vec![text(), "b".into()],
                        anchor,
                        text: text(),
                        passages: vec![(0, 3), (2, u32::MAX)],
                    })
                    .into(),
            })),
        }
    }

    const KINDS: [SuggestionKind; 9] = [
        SuggestionKind::Words,
        SuggestionKind::Value,
        SuggestionKind::Attribute,
        SuggestionKind::Spelling,
        SuggestionKind::Phrases,
        SuggestionKind::Exclusions,
        SuggestionKind::Part,
        SuggestionKind::Filter,
        SuggestionKind::Everything,
    ];

    fn check(response: &Response) {
        assert_eq!(response.to_json(), serde_json::to_string(response).unwrap());
    }

    #[test]
    fn as_serde_writes_it_where_there_is_little() {
        let mut response = Response {
            query: String::new(),
            mode: Mode::Lexical,
            encoder: None,
            notices: vec![],
            corrections: vec![],
            suggestions: vec![],
            answerable: None,
            total: Total::default(),
            results: vec![],
            facets: vec![],
            plan: None,
            why: None,
            document: None,
        };
        check(&response);
        let mut page = full("a", 1.0).results.remove(0);
        page.attributes.clear();
        page.meta.clear();
        (page.copies, page.pinned) = (0, false);
        page.sections.truncate(1);
        let section = &mut page.sections[0];
        (section.anchor, section.explain) = (None, None);
        section.legs = Legs::default();
        section.attributes.clear();
        section.snippet = Snippet::default();
        response.mode = Mode::Semantic;
        response.results = vec![page];
        check(&response);
        assert_eq!(serde_json::from_str::<Response>(&response.to_json()).unwrap(), response);
    }

    #[test]
    fn as_serde_writes_every_character_below_200() {
        let text: String = (0..200).filter_map(char::from_u32).collect();
        let response = full(&text, 0.3);
        check(&response);
        assert_eq!(serde_json::from_str::<Response>(&response.to_json()).unwrap(), response);
    }

    proptest! {
        #[test]
        fn as_serde_writes_it(text in any::<String>(), bits in any::<u32>()) {
            check(&full(&text, f32::from_bits(bits)));
        }
    }
}
