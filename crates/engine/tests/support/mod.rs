//! A small bundle in memory, written by the bundle crate's own writers, and a host that feeds it to
//! the engine.

#![allow(dead_code)]

pub mod hostile;

use std::collections::BTreeMap;

use findling_bundle::lexicon::{Posting, TermsBuilder};
use findling_bundle::positions::{PositionsBuilder, write_directory};
use findling_bundle::sentences::SentencesBuilder;
use findling_bundle::spelling::{SpellingBuilder, commonness};
use findling_bundle::structure::StructureBuilder;
use findling_bundle::texts::{PageText, SectionText, TextsBuilder};
use findling_bundle::vectors::{VectorsBuilder, quantise};
use findling_bundle::{
    Attribute, AttributeKind, AttributeLevel, AttributeValue, Column, Dense, EncoderCard, Level,
    LexiconRange, Manifest, PageId, PassageId, SectionId, SentencesRange, ShardEntry, ShardId,
    ShardKind, SpellingRange, Stats, TextRange, VectorId, VectorRange, addresses, decode_shard,
    encode_manifest, encode_shard, shard_hash, upper_half,
};
use findling_engine::{Error, Index, Request, Response, Step};
use findling_text::keys::{Name, form_key, split_form};
use findling_text::{Analyzer, TokenKind};

/// A page. Blocks of a section's text are separated by newlines, and each is a passage.
#[derive(Clone, Debug, Default)]
pub struct Page {
    pub title: String,
    pub url: String,
    pub language: String,
    pub sections: Vec<Section>,
    pub attributes: Attributes,
}

/// Values by name.
pub type Attributes = Vec<(&'static str, AttributeValue)>;

#[derive(Clone, Debug, Default)]
pub struct Section {
    pub heading: String,
    pub anchor: Option<String>,
    pub parent: Option<u32>,
    pub text: String,
    /// Whether it is the next part of the section before.
    pub continues: bool,
    pub vectors: Vec<Vec<f32>>,
    /// The codes of its stretches; empty if the bundle has none for it.
    pub codes: Vec<u64>,
    /// The section's own attributes.
    pub attributes: Attributes,
}

/// Returns the value of an attribute.
pub fn value<'a>(attributes: &'a Attributes, name: &str) -> Option<&'a AttributeValue> {
    attributes.iter().find(|(of, _)| *of == name).map(|(_, value)| value)
}

/// Returns the column of an attribute: of sections if any has it, and else of pages.
fn column(pages: &[Page], name: &str, kind: AttributeKind) -> (AttributeLevel, Column) {
    let sections =
        || pages.iter().flat_map(|page| page.sections.iter().map(move |own| (page, own)));
    if sections().any(|(_, own)| value(&own.attributes, name).is_some()) {
        let values = sections()
            .map(|(page, own)| value(&own.attributes, name).or(value(&page.attributes, name)));
        (AttributeLevel::Section, Column::build(kind, values).unwrap())
    } else {
        let values = pages.iter().map(|page| value(&page.attributes, name));
        (AttributeLevel::Page, Column::build(kind, values).unwrap())
    }
}

/// Returns attributes in the form of texts: by their places among all names.
fn placed(attributes: &Attributes, names: &[&str]) -> Vec<(u32, AttributeValue)> {
    let place = |name: &str| names.iter().position(|of| *of == name).map(|place| place as u32);
    let mut placed: Vec<_> =
        attributes.iter().filter_map(|(name, value)| Some((place(name)?, value.clone()))).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed
}

pub fn page(title: &str, sections: &[(&str, &str)]) -> Page {
    Page {
        title: title.into(),
        url: format!("/{}/", title.to_lowercase().replace(' ', "-")),
        language: "en".into(),
        sections: sections
            .iter()
            .map(|(heading, text)| Section {
                heading: heading.to_string(),
                anchor: (!heading.is_empty()).then(|| heading.to_lowercase().replace(' ', "-")),
                text: text.to_string(),
                ..Section::default()
            })
            .collect(),
        attributes: Vec::new(),
    }
}

/// A bundle as it would be stored.
#[derive(Clone)]
pub struct Bundle {
    pub manifest: Manifest,
    pub stored_manifest: Vec<u8>,
    pub shards: Vec<Vec<u8>>,
    pub positions: Grid,
}

/// The places of positions.
#[derive(Clone, Default)]
pub struct Grid {
    pages: Vec<u32>,
    ranges: Vec<u32>,
    lines: Vec<Option<ShardEntry>>,
    stored: Vec<Vec<u8>>,
}

/// The sizes that determine the cuts of a bundle.
#[derive(Clone, Copy)]
pub struct Cut {
    pub terms_per_range: usize,
    pub pages_per_text: usize,
    /// Number of sections in a shard of texts; 0 if pages are whole.
    pub sections_per_text: usize,
    pub vectors_per_shard: usize,
    /// 0 if the bundle corrects nothing.
    pub words_per_spelling: usize,
    /// Number of postings of each term in the first tier, by level.
    pub first_tier: [usize; 3],
}

impl Default for Cut {
    fn default() -> Self {
        Self {
            terms_per_range: 7,
            pages_per_text: 2,
            sections_per_text: 0,
            vectors_per_shard: 3,
            words_per_spelling: 0,
            first_tier: [usize::MAX; 3],
        }
    }
}

/// Counts and positions of one field.
pub type Field = BTreeMap<String, Vec<u32>>;

pub fn analyse(analyzer: &mut Analyzer, text: &str) -> (Field, u32) {
    let mut field = Field::new();
    let mut len = 0;
    analyzer.analyze(text, |token| {
        field.entry(token.term.to_string()).or_default().push(token.position);
        len += u32::from(token.kind.is_counted());
    });
    (field, len)
}

/// Returns a title's keys in the lexicon: the forms of its words, and the title as a whole if it
/// has stop words.
fn keys(analyzer: &mut Analyzer, text: &str) -> Vec<String> {
    let (mut name, mut keys) = (Name::default(), Vec::new());
    analyzer.analyze(text, |token| {
        name.push(&token);
        if matches!(token.kind, TokenKind::Word | TokenKind::Part) {
            keys.extend(form_key(token.term, &text[token.start as usize..token.end as usize]));
        }
    });
    keys.extend(name.key().filter(|_| name.has_stop()));
    keys.sort();
    keys.dedup();
    keys
}

pub fn blocks(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut at = 0;
    text.split('\n')
        .map(|block| {
            let range = at..at + block.len();
            at = range.end + 1;
            range
        })
        .collect()
}

#[derive(Default)]
struct TermData {
    postings: [Vec<Posting>; 3],
    counts: [Vec<u32>; 3],
    positions: [Vec<u32>; 3],
    passages: std::collections::BTreeSet<u32>,
}

impl TermData {
    fn add(
        &mut self,
        (level, field): (Level, usize),
        id: u32,
        positions: &[u32],
        len: u32,
        keep: bool,
    ) {
        let i = level as usize;
        if self.postings[i].last().map(|posting| posting.id) != Some(id) {
            self.postings[i].push(Posting { id, tf: [0; 2], len: [0; 2] });
            self.counts[i].push(0);
        }
        let posting = self.postings[i].last_mut().unwrap();
        let (mut tf, mut lens) = (posting.tf, posting.len);
        tf[field] += positions.len() as u32;
        lens[field] = len;
        *posting = Posting::new(level, id, tf, lens);
        let level = i;
        if keep {
            self.positions[level].extend(positions);
            *self.counts[level].last_mut().unwrap() += positions.len() as u32;
        }
    }
}

pub fn build(pages: &[Page], attributes: &[(&str, AttributeKind)], cut: Cut) -> Bundle {
    let mut shards = Vec::new();
    let mut entries: Vec<ShardEntry> = Vec::new();
    let mut put = |kind, raw: &[u8]| {
        let (entry, stored) = encode_shard(kind, raw).unwrap();
        entries.push(entry);
        shards.push(stored);
        ShardId(entries.len() as u32 - 1)
    };

    let mut structure = StructureBuilder::default();
    let mut terms: BTreeMap<String, TermData> = BTreeMap::new();
    let mut vectors: Vec<&Vec<f32>> = Vec::new();
    let mut languages: Vec<String> = Vec::new();
    let mut n_passages = 0;
    // By passage: the lengths of all fields.
    let mut lens: Vec<[u32; 6]> = Vec::new();
    let mut n_sections = 0;
    for (page_id, page) in pages.iter().enumerate() {
        if !languages.contains(&page.language) {
            languages.push(page.language.clone());
        }
        let mut analyzer = Analyzer::for_language(&page.language);
        let (title, title_len) = analyse(&mut analyzer, &page.title);
        let (path, path_len) = analyse(&mut analyzer, &page.url.replace(['/', '-'], " "));
        structure.page();
        let first_passage = n_passages;
        for (level_field, (field, len)) in
            [(&title, title_len), (&path, path_len)].into_iter().enumerate()
        {
            for (term, positions) in field {
                let data = terms.entry(term.clone()).or_default();
                data.add(
                    (Level::Page, level_field),
                    page_id as u32,
                    positions,
                    len,
                    level_field == 0,
                );
            }
        }
        for key in keys(&mut analyzer, &page.title) {
            terms.entry(key).or_default().add(
                (Level::Page, 0),
                page_id as u32,
                &[0],
                title_len,
                false,
            );
        }
        for section in &page.sections {
            let (heading, heading_len) = analyse(&mut analyzer, &section.heading);
            let (above, above_len) = analyse(&mut analyzer, &ancestors(page, section));
            structure.section(section.vectors.len() as u32);
            if section.continues {
                structure.continues();
            }
            vectors.extend(&section.vectors);
            for (level_field, (field, len)) in
                [(&heading, heading_len), (&above, above_len)].into_iter().enumerate()
            {
                for (term, positions) in field {
                    let data = terms.entry(term.clone()).or_default();
                    data.add(
                        (Level::Section, level_field),
                        n_sections,
                        positions,
                        len,
                        level_field == 0,
                    );
                }
            }
            for key in keys(&mut analyzer, &section.heading) {
                terms.entry(key).or_default().add(
                    (Level::Section, 0),
                    n_sections,
                    &[0],
                    heading_len,
                    false,
                );
            }
            let first = n_passages;
            for block in blocks(&section.text) {
                let (body, body_len) = analyse(&mut analyzer, &section.text[block]);
                structure.passage();
                lens.push([title_len, path_len, heading_len, above_len, body_len, 0]);
                for (term, positions) in &body {
                    let data = terms.entry(term.clone()).or_default();
                    data.add((Level::Passage, 0), n_passages, positions, body_len, true);
                    data.passages.insert(n_passages);
                }
                n_passages += 1;
            }
            for term in heading.keys().chain(above.keys()) {
                terms.get_mut(term).unwrap().passages.extend(first..n_passages);
            }
            n_sections += 1;
        }
        for term in title.keys().chain(path.keys()) {
            terms.get_mut(term).unwrap().passages.extend(first_passage..n_passages);
        }
    }
    let forms: Vec<String> =
        terms.keys().filter_map(|key| Some(split_form(key)?.0.to_string())).collect();
    terms.retain(|key, _| {
        split_form(key)
            .is_none_or(|(term, _)| forms.iter().filter(|other| *other == term).count() > 1)
    });
    let structure = structure.finish();
    put(ShardKind::Structure, &structure.to_bytes());

    let (mut lexicon, mut seconds) = (Vec::new(), Vec::new());
    let all: Vec<_> = terms.iter().collect();
    let ranges: Vec<_> = all.chunks(cut.terms_per_range).collect();
    let mut grid = Grid::default();
    grid.pages.extend(pages.chunks(cut.pages_per_text).map(|block| block.len() as u32));
    for column in ranges.chunks(2) {
        let mut builders = vec![PositionsBuilder::new(); grid.pages.len()];
        for range in column {
            let (mut builder, mut second) = (TermsBuilder::new(), TermsBuilder::new());
            for (term, data) in *range {
                let df = data.passages.len() as u32;
                let tiers = Level::ALL.map(|level| {
                    let (all, most) =
                        (&data.postings[level as usize], cut.first_tier[level as usize]);
                    all.split_at(all.len().min(most))
                });
                let n_second = tiers.map(|(_, others)| others.len() as u32);
                builder
                    .push_first_tier(term, df, tiers.map(|(first, _)| first), n_second, &structure)
                    .unwrap();
                if n_second != [0; 3] {
                    second.push(term, df, tiers.map(|(_, others)| others), &structure).unwrap();
                }
                for level in Level::ALL {
                    let mut rest = &data.positions[level as usize][..];
                    let counts = &data.counts[level as usize];
                    for (posting, &count) in data.postings[level as usize].iter().zip(counts) {
                        let (own, after) = rest.split_at(count as usize);
                        rest = after;
                        let PageId(page) = match level {
                            Level::Page => PageId(posting.id),
                            Level::Section => structure.page_of(SectionId(posting.id)),
                            Level::Passage => {
                                structure.page_of(structure.section_of(PassageId(posting.id)))
                            }
                        };
                        let block = &mut builders[page as usize / cut.pages_per_text];
                        block.push(level, posting.tf, own).unwrap();
                    }
                }
            }
            builders.iter_mut().for_each(PositionsBuilder::end_range);
            let terms = put(ShardKind::Terms, &builder.finish());
            seconds.push((!second.is_empty()).then(|| second.finish()));
            lexicon.push(LexiconRange { first_term: range[0].0.clone(), terms, second: None });
        }
        grid.ranges.push(column.len() as u32);
        for builder in builders {
            let is_empty = builder.is_empty();
            let (line, stored) = encode_shard(ShardKind::Positions, &builder.finish()).unwrap();
            grid.lines.push((!is_empty).then_some(line));
            grid.stored.push(stored);
        }
    }
    put(ShardKind::PositionsDirectory, &grid.directory());
    for (range, second) in lexicon.iter_mut().zip(&seconds) {
        range.second = second.as_ref().map(|second| put(ShardKind::SecondTier, second));
    }

    let mut spelling = Vec::new();
    if cut.words_per_spelling > 0 {
        let mut words: BTreeMap<String, u32> = BTreeMap::new();
        for page in pages {
            let sections =
                page.sections.iter().flat_map(|section| [&section.heading, &section.text]);
            for text in sections.chain([&page.title]) {
                for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty())
                {
                    *words.entry(word.to_lowercase()).or_default() += 1;
                }
            }
        }
        let words: Vec<_> = words.into_iter().collect();
        for range in words.chunks(cut.words_per_spelling) {
            let mut builder = SpellingBuilder::new();
            for (word, n) in range {
                builder.push(word, commonness(*n)).unwrap();
            }
            let shard = put(ShardKind::Spelling, &builder.finish());
            spelling.push(SpellingRange { first_word: range[0].0.clone(), shard });
        }
    }

    let mut names: Vec<&str> = attributes.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();

    let mut texts = Vec::new();
    if cut.sections_per_text > 0 {
        for (i, page) in (0..).zip(pages) {
            let id = format!("doc-{i}");
            let (whole, n) = (page_text(&id, page, &names), page.sections.len() as u32);
            for first in (0..n.max(1)).step_by(cut.sections_per_text) {
                let mut builder = TextsBuilder::new();
                builder
                    .push(&whole.part(first..n.min(first + cut.sections_per_text as u32)))
                    .unwrap();
                let shard = put(ShardKind::Texts, &builder.finish());
                texts.push(TextRange { first_page: PageId(i), first_section: first, shard });
            }
        }
    } else {
        for (i, chunk) in pages.chunks(cut.pages_per_text).enumerate() {
            let mut builder = TextsBuilder::new();
            for (j, page) in chunk.iter().enumerate() {
                let place = i * cut.pages_per_text + j;
                builder.push(&page_text(&format!("doc-{place}"), page, &names)).unwrap();
            }
            let shard = put(ShardKind::Texts, &builder.finish());
            let first_page = PageId((i * cut.pages_per_text) as u32);
            texts.push(TextRange { first_page, first_section: 0, shard });
        }
    }

    let mut sentences = Vec::new();
    for (i, chunk) in pages.chunks(cut.pages_per_text).enumerate() {
        if pages.iter().flat_map(|page| &page.sections).all(|section| section.codes.is_empty()) {
            break;
        }
        let mut builder = SentencesBuilder::new();
        for page in chunk {
            let codes: Vec<_> = page.sections.iter().map(|section| section.codes.clone()).collect();
            builder.push(&codes).unwrap();
        }
        let shard = put(ShardKind::Sentences, &builder.finish());
        sentences
            .push(SentencesRange { first_page: PageId((i * cut.pages_per_text) as u32), shard });
    }

    let ids: Vec<String> = (0..pages.len()).map(|i| format!("doc-{i}")).collect();
    let urls = pages.iter().map(|page| page.url.as_str());
    put(ShardKind::Addresses, &addresses::write(ids.iter().map(String::as_str).zip(urls)));

    let mut directory = Vec::new();
    for name in names {
        let kind = attributes.iter().find(|(of, _)| *of == name).unwrap().1;
        let (level, column) = column(pages, name, kind);
        let column = put(ShardKind::Column, &column.to_bytes());
        directory.push(Attribute { name: name.into(), kind, level, column, facet: true });
    }

    let dense = (!vectors.is_empty()).then(|| {
        let dim = vectors[0].len();
        let mut ranges = Vec::new();
        let mut mean = vec![0.0; dim];
        for (i, chunk) in vectors.chunks(cut.vectors_per_shard).enumerate() {
            let mut builder = VectorsBuilder::new(dim as u32);
            for vector in chunk {
                let norm = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
                let unit: Vec<f32> = vector.iter().map(|v| v / norm).collect();
                for (mean, v) in mean.iter_mut().zip(&unit) {
                    *mean += v / vectors.len() as f32;
                }
                let (row, scale) = quantise(&unit);
                builder.push(&row, scale).unwrap();
            }
            let shard = put(ShardKind::Vectors, &builder.finish());
            let first_vector = VectorId((i * cut.vectors_per_shard) as u32);
            ranges.push(VectorRange { first_vector, shard });
        }
        Dense {
            encoder: EncoderCard {
                name: "test".into(),
                dim: dim as u32,
                fingerprint: "0".repeat(32),
                max_tokens: 256,
                query_prefix: String::new(),
                document_prefix: String::new(),
                semantic: true,
            },
            mean: mean.into_iter().map(upper_half).collect(),
            vectors: ranges,
            graph: None,
            centroids: None,
            query_encoders: vec![],
            projection: None,
            rows: None,
            sentences,
            sections: Vec::new(),
        }
    });

    let mut manifest = Manifest {
        generator: "test".into(),
        analysis: findling_text::conformance(&languages),
        languages,
        stats: Stats {
            n_pages: structure.n_pages(),
            n_sections: structure.n_sections(),
            n_passages: structure.n_passages(),
            n_vectors: structure.n_vectors(),
            n_terms: terms.len() as u32,
            mean_len: std::array::from_fn(|field| {
                let sum: u32 = lens.iter().map(|lens| lens[field]).sum();
                sum as f32 / lens.len().max(1) as f32
            }),
        },
        attributes: directory,
        dense,
        lexicon,
        spelling,
        synonyms: Vec::new(),
        ranking: Vec::new(),
        texts,
        shards: entries,
    };
    manifest.share_hashes();
    let (_, stored_manifest) = encode_manifest(&manifest).unwrap();
    Bundle { manifest, stored_manifest, shards, positions: grid }
}

fn page_text<'a>(id: &'a str, page: &'a Page, names: &[&str]) -> PageText<'a> {
    PageText {
        id,
        url: &page.url,
        title: &page.title,
        language: &page.language,
        attributes: placed(&page.attributes, names),
        sections: page
            .sections
            .iter()
            .map(|section| SectionText {
                level: u8::from(!section.heading.is_empty()),
                heading: &section.heading,
                anchor: section.anchor.as_deref().map(Into::into),
                parent: section.parent,
                attributes: placed(&section.attributes, names),
                text: (&*section.text).into(),
                code: vec![],
                passages: blocks(&section.text)
                    .into_iter()
                    .map(|range| range.start as u32..range.end as u32)
                    .collect(),
            })
            .collect(),
        ..PageText::default()
    }
}

pub fn ancestors(page: &Page, section: &Section) -> String {
    let mut path = Vec::new();
    let mut at = section.parent;
    while let Some(i) = at {
        path.push(page.sections[i as usize].heading.clone());
        at = page.sections[i as usize].parent;
    }
    path.reverse();
    path.join(" ")
}

impl Grid {
    fn directory(&self) -> Vec<u8> {
        write_directory(&self.pages, &self.ranges, &self.lines).unwrap()
    }
}

impl Bundle {
    /// Returns a shard as stored.
    pub fn shard(&self, id: ShardId) -> &[u8] {
        match id.place_of_positions() {
            Some(place) => &self.positions.stored[place],
            None => &self.shards[id.index()],
        }
    }

    /// Returns the kind of a shard of the manifest or of positions.
    pub fn kind(&self, id: ShardId) -> ShardKind {
        match id.place_of_positions() {
            Some(_) => ShardKind::Positions,
            None => self.manifest.shards[id.index()].kind,
        }
    }

    /// Returns the shards of the manifest, and after them the shards of positions: all shards that
    /// [`Bundle::raw`] returns and that can be replaced.
    pub fn n_raw(&self) -> usize {
        self.manifest.shards.len() + self.positions.stored.len()
    }

    /// Returns the id of a shard by its place among all.
    pub fn id(&self, i: usize) -> ShardId {
        match i.checked_sub(self.manifest.shards.len()) {
            None => ShardId(i as u32),
            Some(place) => ShardId(ShardId::POSITIONS + place as u32),
        }
    }

    /// Returns the contents of a shard by its place among all.
    pub fn raw(&self, i: usize) -> Vec<u8> {
        match i.checked_sub(self.manifest.shards.len()) {
            None => decode_shard(&self.manifest.shards[i], &self.shards[i]).unwrap(),
            Some(place) => {
                let stored = &self.positions.stored[place];
                let line = ShardEntry {
                    kind: ShardKind::Positions,
                    hash: shard_hash(ShardKind::Positions, stored),
                    stored_len: stored.len() as u32,
                };
                decode_shard(&line, stored).unwrap()
            }
        }
    }

    /// Replaces the contents of a shard, and all checksums above it.
    pub fn replace(&mut self, i: usize, raw: &[u8]) -> Result<(), findling_bundle::Error> {
        let Some(place) = i.checked_sub(self.manifest.shards.len()) else {
            let (entry, stored) = encode_shard(self.manifest.shards[i].kind, raw)?;
            self.manifest.shards[i] = entry;
            self.manifest.share_hashes();
            self.shards[i] = stored;
            self.stored_manifest = encode_manifest(&self.manifest)?.1;
            return Ok(());
        };
        let (line, stored) = encode_shard(ShardKind::Positions, raw)?;
        self.positions.lines[place] = Some(line);
        self.positions.stored[place] = stored;
        let directory = self.positions.directory();
        self.replace(self.manifest.positions().unwrap().index(), &directory)
    }

    pub fn open(&self) -> Index {
        Index::open(&self.stored_manifest).unwrap()
    }

    /// Answers a request and fetches the missing shards. Also returns the shards of each round.
    pub fn answer(
        &self,
        index: &mut Index,
        request: Request,
    ) -> Result<(Response, Vec<Vec<ShardId>>), Error> {
        let mut search = index.search(request)?;
        let mut rounds = Vec::new();
        loop {
            match search.step(index)? {
                Step::Done(response) => return Ok((*response, rounds)),
                Step::Need(shards) => {
                    // Two rounds suffice if all words are spelt as in the bundle. A correction
                    // takes up to three more, and suggestions take up to three more.
                    assert!(!shards.is_empty() && rounds.len() < 8);
                    for &shard in &shards {
                        index.provide(shard, self.shard(shard))?;
                    }
                    rounds.push(shards);
                }
            }
        }
    }

    pub fn search(&self, request: Request) -> Response {
        self.answer(&mut self.open(), request).unwrap().0
    }

    /// Returns titles with headings of the best sections.
    pub fn find(&self, query: &str) -> Vec<String> {
        titles(&self.search(Request { query: query.into(), ..Request::default() }))
    }
}

/// Returns the names in a message: everything between back quotes, in order.
pub fn named(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

pub fn titles(response: &Response) -> Vec<String> {
    response.results.iter().map(|page| page.title.clone()).collect()
}
