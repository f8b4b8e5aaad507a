//! Analysing a batch of pages: tokens become terms, keys and postings.

use std::collections::{HashMap, HashSet};

use bincode::{Decode, Encode};
use findling_bundle::lexicon::Posting;
use findling_bundle::{AttributeValue, Level, Synonym};
use findling_text::keys::{Name, form_key, pin_key, symbol_key};
use findling_text::{Analyzer, TokenKind};

use super::compounds::{candidates, joins_words};
use super::page_names::{ancestors, file_name, path_and_aliases};
use crate::languages::Languages;
use crate::spelling::{Place, Words};
use crate::synonyms::Rows;
use crate::title_variants::title_variants;
use findling_page::chunk::{ChunkedPage, ChunkedSection};
use findling_page::page::Page;

/// The postings and positions of one term on one level.
#[derive(Clone, Debug, Default)]
pub struct LevelPostings {
    pub postings: Vec<Posting>,
    /// Number of positions of each posting.
    pub counts: Vec<u32>,
    pub positions: Vec<u32>,
}

/// The postings of one term on all levels.
#[derive(Clone, Debug, Default)]
pub struct TermPostings {
    pub levels: [LevelPostings; 3],
    /// Whether a query can ask for the term, if the term is a key. False for a name key that finds
    /// the same as the words of the name.
    pub is_searched_for: bool,
}

/// A page or a section.
#[derive(Clone, Copy, Debug, Encode, Decode)]
pub struct Node {
    /// Lengths of the two fields of its level.
    pub len: [u32; 2],
    /// Number of sections of a page, or of passages of a section.
    pub n_children: u32,
    pub n_vectors: u32,
    /// Whether a section continues the section before it.
    pub continues: bool,
}

/// An occurrence of a term in the page, section or passage that is being analysed.
#[derive(Clone, Copy, Debug)]
struct Occurrence {
    term: u32,
    /// The position; `None` in fields without positions.
    position: Option<u32>,
    field: u8,
    weight: f32,
}

impl Occurrence {
    /// Returns an occurrence of a key (see [`findling_text::keys`]), which has no position.
    fn of_key(term: u32, field: u8) -> Self {
        Self { term, position: None, field, weight: 1.0 }
    }
}

/// Analyses texts of one language.
struct Reader {
    analyzer: Analyzer,
    synonyms: Rows,
}

/// A reader for each language.
pub struct Readers<'a> {
    languages: &'a Languages,
    synonyms: &'a [Synonym],
    by_language: HashMap<&'a str, Reader>,
}

impl<'a> Readers<'a> {
    /// Returns readers of the languages of a corpus, with the synonyms of its site.
    pub fn new(languages: &'a Languages, synonyms: &'a [Synonym]) -> Self {
        Self { languages, synonyms, by_language: HashMap::new() }
    }

    fn of(&mut self, language: &'a str) -> &mut Reader {
        self.by_language.entry(language).or_insert_with(|| {
            let mut analyzer = Analyzer::for_language(language);
            let synonyms = Rows::new(self.synonyms, &mut analyzer);
            Reader { analyzer, synonyms }
        })
    }
}

/// The analysis of a batch of pages. Terms, pages, sections and passages are numbered within the
/// batch.
#[derive(Debug, Default)]
pub struct PageBatch {
    /// The number of each term, which is its index in `lists`.
    pub terms: HashMap<Box<str>, u32>,
    pub lists: Vec<TermPostings>,
    pub pages: Vec<Node>,
    pub sections: Vec<Node>,
    /// Lengths of the two fields of each passage.
    pub passages: Vec<[u32; 2]>,
    occurrences: Vec<Occurrence>,
    /// Words as they are spelt.
    pub words: Words,
}

impl PageBatch {
    /// Analyses the next page, which is number `at` of the corpus.
    pub fn page(
        &mut self,
        page: &Page,
        chunked: &ChunkedPage,
        at: usize,
        readers: &mut Readers<'_>,
    ) {
        let id = self.pages.len() as u32;
        let languages = readers.languages;
        let reader = readers.of(languages.of_page(at));
        let title = self.field(reader, &page.title, 0, true);
        // Aliases of a page are in the same field as its path. A query that is exactly an alias is
        // found by its key.
        let path = self.field(reader, &path_and_aliases(page), 1, false);
        for name in page.aliases.iter().chain(&file_name(&page.url)) {
            self.name(reader, name);
        }
        for query in &page.pins {
            if let Some(key) = Name::of(&mut reader.analyzer, query).key() {
                self.key(&pin_key(&key));
            }
        }
        self.flush(Level::Page, id, [title, path]);
        let mut symbols = HashSet::new();
        let n_children = chunked.sections.len() as u32;
        self.pages.push(Node { len: [title, path], n_children, n_vectors: 0, continues: false });
        for section in &chunked.sections {
            let reader = readers.of(languages.of_section(at, &section.language));
            let heading = self.field(reader, &section.heading, 0, true);
            let ancestors = self.field(reader, &ancestors(chunked, section), 1, false);
            self.symbols(reader, section, &mut symbols);
            self.flush(Level::Section, self.sections.len() as u32, [heading, ancestors]);
            let n_vectors = section.units.len() as u32;
            let n_children = section.passages.len() as u32;
            let continues = section.continues;
            self.sections.push(Node {
                len: [heading, ancestors],
                n_children,
                n_vectors,
                continues,
            });
            for &(start, end) in &section.passages {
                let len = self.passage(reader, section, start, end);
                self.flush(Level::Passage, self.passages.len() as u32, len);
                self.passages.push(len);
            }
        }
    }

    /// Analyses a field in which every word has weight 1. Returns the field's length.
    fn field(&mut self, reader: &mut Reader, text: &str, field: u8, positions: bool) -> u32 {
        let mut len = 0;
        let Self { terms, lists, occurrences, words, .. } = self;
        let mut keys = Vec::new();
        let (mut name, mut question) = (Name::default(), Name::default());
        let Reader { analyzer, synonyms } = reader;
        let joins_words = joins_words(analyzer.language());
        analyzer.analyze_with_marks(text, |token| {
            // Only titles and headings are read: paths and ancestor headings repeat them.
            if positions {
                words.count(text, &token, Place::Title);
                name.push(&token);
                question.push_behind_stops(&token);
                synonyms.push(&token, field);
                if joins_words && token.kind == TokenKind::Word {
                    candidates(token.term, |piece| {
                        // These go into the field of paths and ancestors, which counts less.
                        occurrences.push(Occurrence::of_key(intern(terms, lists, piece), 1));
                    });
                }
                if matches!(token.kind, TokenKind::Word | TokenKind::Part) {
                    let spelt = text.get(token.start as usize..token.end as usize);
                    keys.extend(spelt.and_then(|spelt| form_key(token.term, spelt)));
                }
            }
            len += u32::from(token.kind.is_counted());
            let has_position = positions && token.kind != TokenKind::Mark;
            let position = has_position.then_some(token.position);
            occurrences.push(Occurrence {
                term: intern(terms, lists, token.term),
                position,
                field,
                weight: 1.0,
            });
        });
        if positions {
            // A title without stop words is found by its terms, unless they are very common. That
            // is known only when all pages are analysed (`drop_plain_names`).
            if let Some(key) = name.key().filter(|_| !name.has_stop() && name.n_words() > 1) {
                occurrences.push(Occurrence::of_key(intern(terms, lists, &key), field));
            }
            keys.extend(name.key().filter(|_| name.has_stop()));
            // The title "How do I change my password?" is also found by `change my password`.
            keys.extend(question.key().filter(|key| question.has_stop() && !keys.contains(key)));
            for other in title_variants(text) {
                keys.extend(Name::of(analyzer, other).key());
            }
        }
        keys.extend(synonyms.take().into_iter().map(|(key, _)| key));
        occurrences.extend(
            keys.iter().map(|key| Occurrence::of_key(intern_key(terms, lists, key), field)),
        );
        len
    }

    /// Adds a name of the current page.
    fn name(&mut self, reader: &mut Reader, text: &str) {
        if let Some(key) = Name::of(&mut reader.analyzer, text).key() {
            self.key(&key);
        }
    }

    /// Adds the keys of a section's symbols, by their qualified and their own names. Only the first
    /// section of a symbol has them: its other parts, and other definitions under conditions, rank
    /// below it.
    fn symbols(
        &mut self,
        reader: &mut Reader,
        section: &ChunkedSection,
        seen: &mut HashSet<String>,
    ) {
        let Some(AttributeValue::Strings(symbols)) = section.attributes.get("symbol") else {
            return;
        };
        for symbol in symbols.iter().filter(|symbol| seen.insert((*symbol).clone())) {
            let own = symbol.rsplit(['.', ':']).next().unwrap_or_default();
            for name in [Some(symbol.as_str()), Some(own).filter(|own| own != symbol)] {
                if let Some(key) = name.and_then(|name| symbol_key(&mut reader.analyzer, name)) {
                    let term = intern_key(&mut self.terms, &mut self.lists, &key);
                    self.occurrences.push(Occurrence::of_key(term, 0));
                }
            }
        }
    }

    /// Adds a key of the current page or section.
    fn key(&mut self, key: &str) {
        let term = intern_key(&mut self.terms, &mut self.lists, key);
        self.occurrences.push(Occurrence::of_key(term, 1));
    }

    /// Analyses a passage. Words have the weight that the site gives them. Words in code are in a
    /// separate field. Returns the lengths of both fields.
    fn passage(
        &mut self,
        reader: &mut Reader,
        section: &ChunkedSection,
        start: u32,
        end: u32,
    ) -> [u32; 2] {
        let Some(text) = section.text.get(start as usize..end as usize) else { return [0, 0] };
        let mut len = [0.0f32; 2];
        let (mut code, mut weights) = (&section.code[..], &section.weights[..]);
        let Self { terms, lists, occurrences, words, .. } = self;
        let Reader { analyzer, synonyms } = reader;
        analyzer.analyze_with_marks(text, |token| {
            // Tokens are ordered by position, not by start: a whole identifier comes before its
            // parts. Ranges that end before the token are not needed again.
            let at = start + token.start;
            while let [(_, end), rest @ ..] = code
                && *end <= at
            {
                code = rest;
            }
            while let [(_, end, _), rest @ ..] = weights
                && *end <= at
            {
                weights = rest;
            }
            let field = u8::from(code.first().is_some_and(|range| range.0 <= at));
            let weight = weights.first().filter(|range| range.0 <= at).map_or(1.0, |range| range.2);
            if weight <= 0.0 {
                return;
            }
            words.count(text, &token, if field == 1 { Place::Code } else { Place::Text });
            synonyms.push(&token, field);
            if token.kind.is_counted() {
                // A word that counts three times is not three words long.
                len[usize::from(field)] += weight.min(1.0);
            }
            occurrences.push(Occurrence {
                term: intern(terms, lists, token.term),
                position: (token.kind != TokenKind::Mark).then_some(token.position),
                field,
                weight,
            });
        });
        for (key, field) in synonyms.take() {
            occurrences.push(Occurrence::of_key(intern_key(terms, lists, &key), field));
        }
        len.map(|len| len.round() as u32)
    }

    /// Turns the gathered occurrences into postings of one page, section or passage. `len` are the
    /// lengths of its fields.
    fn flush(&mut self, level: Level, id: u32, len: [u32; 2]) {
        self.occurrences.sort_by_key(|occurrence| (occurrence.term, occurrence.position));
        for same in self.occurrences.chunk_by(|a, b| a.term == b.term) {
            let mut tf = [0.0f32; 2];
            let lists = &mut self.lists[same[0].term as usize].levels[level as usize];
            let before = lists.positions.len();
            let mut last = None;
            for occurrence in same {
                tf[usize::from(occurrence.field)] += occurrence.weight;
                if let Some(position) = occurrence.position
                    && last != Some(position)
                {
                    lists.positions.push(position);
                    last = Some(position);
                }
            }
            // A word that occurs counts at least once.
            let tf = tf.map(|tf| if tf > 0.0 { (tf.round() as u32).max(1) } else { 0 });
            lists.postings.push(Posting::new(level, id, tf, len));
            lists.counts.push((lists.positions.len() - before) as u32);
        }
        self.occurrences.clear();
    }
}

/// Returns the number of a key that is kept even if its words are common.
fn intern_key(terms: &mut HashMap<Box<str>, u32>, lists: &mut Vec<TermPostings>, key: &str) -> u32 {
    let id = intern(terms, lists, key);
    lists[id as usize].is_searched_for = true;
    id
}

/// Returns the number of a term, new if the batch does not contain it yet.
fn intern(terms: &mut HashMap<Box<str>, u32>, lists: &mut Vec<TermPostings>, term: &str) -> u32 {
    if let Some(&id) = terms.get(term) {
        return id;
    }
    let id = lists.len() as u32;
    terms.insert(term.into(), id);
    lists.push(TermPostings::default());
    id
}
