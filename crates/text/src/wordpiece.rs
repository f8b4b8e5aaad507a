//! WordPiece, the tokenizer of BERT-family encoders: BERT's normaliser and pre-tokeniser, then the
//! longest match from the left (Devlin et al., 2019; Wu et al., 2016, section 4.1). One pass over
//! the text, without an allocation for each word.
//!
//! The ids equal those of the `tokenizers` crate for models with `BertNormalizer`,
//! `BertPreTokenizer` and `WordPiece`; the tests compare them. The name of a special token in a
//! text is read as that token. There is one known difference: a few musical and Indic marks keep
//! their order where Unicode would reorder them. They are unknown tokens in both cases.

use std::collections::BTreeSet;

use crate::unicode;

/// The most characters of a known word.
const MAX_WORD_CHARS: usize = 100;

/// The names of the special tokens in BERT vocabularies.
const SPECIAL: [&str; 5] = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"];

/// The reason that a vocabulary cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VocabularyError {
    /// A token of every BERT vocabulary is missing.
    Missing(&'static str),
    /// A token occurs twice.
    Duplicate(String),
    /// The vocabulary has too much text for 32-bit offsets.
    TooLarge,
}

impl core::fmt::Display for VocabularyError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Missing(token) => write!(
                f,
                "expected a BERT vocabulary with the token {token}, found no such token; use the \
                 vocab.txt or tokenizer.json of a WordPiece model"
            ),
            Self::Duplicate(token) => {
                write!(
                    f,
                    "expected each token of the vocabulary once, found {token:?} twice; the file \
                     is damaged, get it again"
                )
            }
            Self::TooLarge => {
                write!(
                    f,
                    "expected a vocabulary of at most 256 MB, found a larger one; use the \
                     vocabulary of a WordPiece model"
                )
            }
        }
    }
}

impl core::error::Error for VocabularyError {}

/// The options of BERT's normaliser: the `normalizer` of a `tokenizer.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Normaliser {
    /// Drop control characters, and replace all white space by spaces.
    pub clean_text: bool,
    /// Make each Chinese character a word.
    pub handle_chinese_chars: bool,
    /// Drop accents. `None` drops them if `lowercase` is set.
    pub strip_accents: Option<bool>,
    /// Make text lower case.
    pub lowercase: bool,
}

impl Default for Normaliser {
    /// Returns the options of the uncased models.
    fn default() -> Self {
        Self { clean_text: true, handle_chinese_chars: true, strip_accents: None, lowercase: true }
    }
}

/// The token ids of one input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoding {
    /// `[CLS]`, the text's tokens, `[SEP]`.
    pub ids: Vec<u32>,
    /// Whether tokens at the end were left out.
    pub truncated: bool,
}

/// The tokenizer of BERT-family encoders. It takes the text of the vocabulary and about 16 bytes a
/// token.
pub struct WordPiece {
    /// All tokens in the order of their ids, without separators.
    text: String,
    /// The end of each token in `text`.
    ends: Vec<u32>,
    /// A hash table with open addressing and linear probing: id + 1, or 0 for an empty slot. Its
    /// size is a power of two, at least twice the number of tokens.
    table: Vec<u32>,
    /// The bytes of the longest token.
    longest: usize,
    /// The ids of [`SPECIAL`]; `None` for a token that the vocabulary lacks.
    special: [Option<u32>; 5],
    unknown: u32,
    cls: u32,
    sep: u32,
    normaliser: Normaliser,
}

impl WordPiece {
    /// Makes a tokenizer of a vocabulary in the order of its ids: the lines of `vocab.txt`, or
    /// `model.vocab` of a `tokenizer.json` sorted by id.
    ///
    /// # Errors
    /// If a special token is missing, a token occurs twice, or the vocabulary is over 256 MB.
    pub fn new<S: AsRef<str>>(
        vocabulary: impl IntoIterator<Item = S>,
        normaliser: Normaliser,
    ) -> Result<WordPiece, VocabularyError> {
        let mut text = String::new();
        let mut ends = Vec::new();
        let mut longest = 0;
        for token in vocabulary {
            let token = token.as_ref();
            if text.len() + token.len() > 256 << 20 || ends.len() >= 1 << 28 {
                return Err(VocabularyError::TooLarge);
            }
            longest = longest.max(token.len());
            text.push_str(token);
            ends.push(text.len() as u32);
        }
        let table = vec![0; (ends.len() * 2).next_power_of_two().max(16)];
        let mut this = WordPiece {
            text,
            ends,
            table,
            longest,
            special: [None; 5],
            unknown: 0,
            cls: 0,
            sep: 0,
            normaliser,
        };
        for id in 0..this.ends.len() as u32 {
            let token = this.token(id).unwrap_or("");
            match this.place("", token) {
                Ok(_) => return Err(VocabularyError::Duplicate(token.to_string())),
                Err(empty) => this.table[empty] = id + 1,
            }
        }
        this.special = SPECIAL.map(|name| this.id(name));
        let required = |at: usize| this.special[at].ok_or(VocabularyError::Missing(SPECIAL[at]));
        let (unknown, cls, sep) = (required(0)?, required(1)?, required(2)?);
        Ok(WordPiece { unknown, cls, sep, ..this })
    }

    /// Returns the number of tokens in the vocabulary.
    #[expect(clippy::len_without_is_empty, reason = "a vocabulary has at least its special tokens")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the token with an id.
    pub fn token(&self, id: u32) -> Option<&str> {
        let at = id as usize;
        let end = *self.ends.get(at)? as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        self.text.get(start..end)
    }

    /// Returns the id of a token. A token that continues a word begins with `##`.
    pub fn id(&self, token: &str) -> Option<u32> {
        self.place("", token).ok()
    }

    /// Returns the ids of `text` between `[CLS]` and `[SEP]`, at most `max_tokens` in all, but
    /// always these two. Reading stops at the limit.
    pub fn encode(&self, text: &str, max_tokens: usize) -> Encoding {
        let mut encoding = Encoding::default();
        self.encode_into(text, max_tokens, &mut encoding);
        encoding
    }

    /// Encodes as [`WordPiece::encode`] does, into a reused buffer.
    pub fn encode_into(&self, text: &str, max_tokens: usize, encoding: &mut Encoding) {
        encoding.ids.clear();
        encoding.truncated = false;
        encoding.ids.push(self.cls);
        let limit = max_tokens.saturating_sub(1).max(1);
        let pieces = Pieces { wordpiece: self, ids: &mut encoding.ids };
        let mut words = Words::new(self.normaliser, pieces);
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            match if c == '[' { self.special_at(rest) } else { None } {
                Some((id, len)) => {
                    words.flush();
                    words.sink.ids.push(id);
                    rest = &rest[len..];
                }
                None => {
                    words.read(c);
                    rest = &rest[c.len_utf8()..];
                }
            }
            if words.sink.ids.len() > limit {
                break;
            }
        }
        words.flush();
        encoding.truncated = encoding.ids.len() > limit;
        encoding.ids.truncate(limit);
        encoding.ids.push(self.sep);
    }

    /// Returns the special token at the beginning of `text`, and its length.
    fn special_at(&self, text: &str) -> Option<(u32, usize)> {
        (0..SPECIAL.len())
            .find(|&at| self.special[at].is_some() && text.starts_with(SPECIAL[at]))
            .and_then(|at| Some((self.special[at]?, SPECIAL[at].len())))
    }

    /// Returns the id of the token `prefix` + `piece`, or the empty slot of the table for it.
    #[inline]
    fn place(&self, prefix: &str, piece: &str) -> Result<u32, usize> {
        // FNV-1a. Keys are short, and vocabularies are verified files.
        let mut hash = 0x811c_9dc5_u32;
        for &byte in prefix.as_bytes().iter().chain(piece.as_bytes()) {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
        let mask = self.table.len() - 1;
        let mut place = (hash ^ hash >> 15) as usize & mask;
        loop {
            match self.table[place] {
                0 => return Err(place),
                entry => {
                    let token = self.token(entry - 1).unwrap_or("");
                    if token.len() == prefix.len() + piece.len()
                        && token.starts_with(prefix)
                        && token.ends_with(piece)
                    {
                        return Ok(entry - 1);
                    }
                }
            }
            place = (place + 1) & mask;
        }
    }
}

/// Calls `word` with the words of `text` as BERT's normaliser and pre-tokeniser make them, before
/// they are looked up in a vocabulary. Words of over 100 characters are left out: WordPiece knows
/// none of them.
pub fn for_each_word(text: &str, normaliser: Normaliser, mut word: impl FnMut(&str)) {
    for_each_name(text, normaliser, |whole, _| word(whole));
}

/// Splits text as [`for_each_word`] does, and also finds where the case of letters divides a word,
/// for [`parts`]: the bytes at which all parts but the first begin. `aB` and `ABc` are divided in
/// front of `B`. A single lower-case letter at the beginning is no part: `mRNA`, `iPhone`.
pub fn for_each_name(text: &str, normaliser: Normaliser, name: impl FnMut(&str, &[usize])) {
    struct Each<F>(F);
    impl<F: FnMut(&str, &[usize])> Sink for Each<F> {
        fn word(&mut self, word: &str, cuts: &[usize]) {
            (self.0)(word, cuts);
        }
        fn unknown(&mut self) {}
    }
    let mut words = Words::new(normaliser, Each(name));
    text.chars().for_each(|c| words.read(c));
    words.flush();
}

/// Returns the parts of a word that is divided at `cuts`; nothing without a cut.
pub fn parts<'w>(word: &'w str, cuts: &[usize]) -> impl Iterator<Item = &'w str> {
    let starts = cuts.iter().take(1).map(|_| 0).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([word.len()]);
    starts.zip(ends).filter_map(|(start, end)| word.get(start..end))
}

/// Tells for each token of a vocabulary, by id, whether it must stay in a smaller vocabulary so
/// that no known word becomes unknown: special tokens, characters, and tokens with a character that
/// has no token of its own. Words of other tokens are then read as shorter tokens, at worst as
/// their characters.
///
/// This holds for vocabularies that have each character both at the beginning of a word and within
/// a word, as BERT's do. Tokens that no text can become, for example `[unused7]`, need not stay.
pub fn indispensable<S: AsRef<str>>(vocabulary: &[S], normaliser: Normaliser) -> Vec<bool> {
    let parted = |token: &str| match token.strip_prefix("##") {
        Some(rest) if !rest.is_empty() => (true, rest.to_owned()),
        _ => (false, token.to_owned()),
    };
    // A piece within a word is read with a letter in front.
    let can_be_read = |within: bool, piece: &str| {
        let text = if within { format!("a{piece}") } else { piece.to_owned() };
        let mut words = 0;
        let mut whole = false;
        for_each_word(&text, normaliser, |word| {
            words += 1;
            whole = word == text;
        });
        words == 1 && whole
    };
    let mut characters = BTreeSet::new();
    for (within, piece) in vocabulary.iter().map(|token| parted(token.as_ref())) {
        let mut rest = piece.chars();
        if let (Some(c), None) = (rest.next(), rest.next()) {
            characters.insert((within, c));
        }
    }
    let must_stay = |token: &str| {
        let (within, piece) = parted(token);
        let known = |(i, c): (usize, char)| characters.contains(&(within || i > 0, c));
        let one = piece.chars().nth(1).is_none();
        SPECIAL.contains(&token)
            || can_be_read(within, &piece) && (one || !piece.chars().enumerate().all(known))
    };
    vocabulary.iter().map(|token| must_stay(token.as_ref())).collect()
}

/// A receiver of words.
trait Sink {
    /// Takes a word, and the places where the case of its letters divides it.
    fn word(&mut self, word: &str, cuts: &[usize]);
    /// Takes a word that is too long to be known.
    fn unknown(&mut self);
}

/// Divides words into the tokens of a vocabulary.
struct Pieces<'a> {
    wordpiece: &'a WordPiece,
    ids: &'a mut Vec<u32>,
}

impl Sink for Pieces<'_> {
    /// Adds the longest matches from the left, or `[UNK]` if a piece is missing.
    fn word(&mut self, word: &str, _cuts: &[usize]) {
        let n_before = self.ids.len();
        let mut rest = word;
        while !rest.is_empty() {
            let prefix = if rest.len() == word.len() { "" } else { "##" };
            let mut end =
                rest.floor_char_boundary(self.wordpiece.longest.saturating_sub(prefix.len()));
            loop {
                if end == 0 {
                    self.ids.truncate(n_before);
                    return self.unknown();
                }
                if let Ok(id) = self.wordpiece.place(prefix, &rest[..end]) {
                    self.ids.push(id);
                    rest = &rest[end..];
                    break;
                }
                end = rest.floor_char_boundary(end - 1);
            }
        }
    }

    fn unknown(&mut self) {
        self.ids.push(self.wordpiece.unknown);
    }
}

/// Divides a text into words.
struct Words<S> {
    normaliser: Normaliser,
    word: String,
    n_chars: usize,
    /// The places where the case of its letters divides the word.
    cuts: Vec<usize>,
    /// The number of capitals at the end of the word so far.
    n_capitals: usize,
    sink: S,
}

impl<S: Sink> Words<S> {
    fn new(normaliser: Normaliser, sink: S) -> Self {
        Self { normaliser, word: String::new(), n_chars: 0, cuts: Vec::new(), n_capitals: 0, sink }
    }

    /// Reads one character of the text. This is the normaliser.
    #[inline]
    fn read(&mut self, c: char) {
        let Normaliser { clean_text, handle_chinese_chars, strip_accents, lowercase } =
            self.normaliser;
        if c.is_ascii_graphic() {
            self.note_case(c);
            return self.take(if lowercase { c.to_ascii_lowercase() } else { c });
        }
        self.n_capitals = 0;
        if clean_text {
            let space = matches!(c, '\t' | '\n' | '\r');
            if c == '\u{fffd}' || (!space && unicode::is_other(c)) {
                return;
            }
        }
        if c.is_whitespace() {
            return self.flush();
        }
        let alone = handle_chinese_chars && is_chinese(c);
        if alone {
            self.flush();
        }
        let lower = |c: char, this: &mut Self| {
            if lowercase { unicode::for_each_lower(c, |c| this.take(c)) } else { this.take(c) }
        };
        if strip_accents.unwrap_or(lowercase) {
            unicode::for_each_base(c, |c| lower(c, self));
        } else {
            lower(c, self);
        }
        if alone {
            self.flush();
        }
    }

    /// Notes the end of a part, before an ASCII character is added.
    #[inline]
    fn note_case(&mut self, c: char) {
        let at = self.word.len();
        if c.is_ascii_uppercase() {
            if self.n_capitals == 0 && at > 1 {
                self.cuts.push(at);
            }
            self.n_capitals += 1;
            return;
        }
        if c.is_ascii_lowercase() && self.n_capitals > 1 {
            // The last capital begins the next part.
            self.cuts.push(at - 1);
        }
        self.n_capitals = 0;
    }

    /// Adds one normalised character. This is the pre-tokeniser.
    #[inline]
    fn take(&mut self, c: char) {
        if c.is_ascii_alphanumeric() {
            self.push(c);
        } else if c.is_whitespace() {
            self.flush();
        } else if c.is_ascii_punctuation() || (!c.is_ascii() && unicode::is_punctuation(c)) {
            self.flush();
            self.push(c);
            self.flush();
        } else {
            self.push(c);
        }
    }

    #[inline]
    fn push(&mut self, c: char) {
        self.n_chars += 1;
        // Longer words are unknown, so their further characters are not needed.
        if self.n_chars <= MAX_WORD_CHARS {
            self.word.push(c);
        }
    }

    /// Ends the word.
    fn flush(&mut self) {
        match self.n_chars {
            0 => return,
            1..=MAX_WORD_CHARS => self.sink.word(&self.word, &self.cuts),
            _ => self.sink.unknown(),
        }
        self.word.clear();
        self.cuts.clear();
        (self.n_chars, self.n_capitals) = (0, 0);
    }
}

/// Returns whether `c` is in one of the blocks that BERT calls Chinese: Han without the scripts of
/// Japanese and Korean.
fn is_chinese(c: char) -> bool {
    matches!(u32::from(c),
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x20000..=0x2a6df | 0x2a700..=0x2b73f
        | 0x2b740..=0x2b81f | 0x2b920..=0x2ceaf | 0xf900..=0xfaff | 0x2f800..=0x2fa1f)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TINY: [&str; 22] = [
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "un", "##aff", "##able", "##a", "a", "b",
        "##b", "hug", "##s", "!", "水", "cafe", "[", "]", "ab", "=", "ᄒ",
    ];

    fn tiny() -> WordPiece {
        WordPiece::new(TINY, Normaliser::default()).expect("a good vocabulary")
    }

    fn check(text: &str, expect: &str) {
        let wordpiece = tiny();
        let encoding = wordpiece.encode(text, 512);
        let tokens: Vec<&str> =
            encoding.ids.iter().map(|&id| wordpiece.token(id).expect("an id")).collect();
        assert_eq!(
            tokens.join(" "),
            format!("[CLS] {expect} [SEP]").replace("  ", " "),
            "{text:?}"
        );
        assert!(!encoding.truncated);
    }

    #[test]
    fn names_are_divided_where_case_changes() {
        let divided = |text: &str| {
            let mut all = Vec::new();
            for_each_name(text, Normaliser::default(), |word, cuts| {
                all.push((word.to_owned(), parts(word, cuts).collect::<Vec<_>>().join(" ")));
            });
            all.into_iter()
                .map(|(word, parts)| format!("{word}: {parts}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        assert_eq!(divided("HashMap of"), "hashmap: hash map, of: ");
        assert_eq!(divided("XMLHttpRequest"), "xmlhttprequest: xml http request");
        assert_eq!(
            divided("CString m_dwThreadID"),
            "cstring: c string, m: , _: , dwthreadid: dw thread id"
        );
        assert_eq!(
            divided("mRNA iPhone HTML Word word2"),
            "mrna: , iphone: , html: , word: , word2: "
        );
        // Characters beyond ASCII and dropped characters between capitals do not move the places.
        assert_eq!(divided("ABÉc AB\u{301}c Straße"), "abec: , abc: , straße: ");
        assert_eq!(divided(&"aB".repeat(60)), "", "too long for a word");
    }

    #[test]
    fn longest_match_from_the_left() {
        check("", "");
        check("unaffable", "un ##aff ##able");
        check("UNAFFABLE!", "un ##aff ##able !");
        check("hugs abb", "hug ##s ab ##b");
        check("unx ab", "[UNK] ab");
        check("café ca\u{301}fe", "cafe cafe");
        check("水a水", "水 a 水");
        check("a\u{0}b\u{ad}b\tb\u{a0}b", "ab ##b b b");
        check("a[MASK]b [x]", "a [MASK] b [ [UNK] ]");
        check("≠", "=");
    }

    #[test]
    fn words_over_100_characters_are_unknown() {
        check(&"a".repeat(101), "[UNK]");
        check(&"a".repeat(100), &format!("a{}", " ##a".repeat(99)));
    }

    #[test]
    fn truncation_is_reported() {
        let wordpiece = tiny();
        for (n, max, expect, truncated) in
            [(3, 5, 5, false), (4, 5, 5, true), (3, 0, 2, true), (0, 2, 2, false)]
        {
            let encoding = wordpiece.encode(&"a ".repeat(n), max);
            assert_eq!(
                (encoding.ids.len(), encoding.truncated),
                (expect, truncated),
                "{n} of {max}"
            );
            assert_eq!(encoding.ids.last(), Some(&3));
        }
    }

    #[test]
    fn tokens_that_known_words_need_must_stay() {
        let stays = |vocabulary: &[&'static str], normaliser| -> Vec<&str> {
            let stay = indispensable(vocabulary, normaliser);
            vocabulary
                .iter()
                .zip(stay)
                .filter(|(_, stays)| *stays)
                .map(|(token, _)| *token)
                .collect()
        };
        let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
        let check = |normaliser, vocabulary: &[&'static str], expect: &[&str]| {
            assert_eq!(
                stays(&[&special[..], vocabulary].concat(), normaliser),
                [&special[..], expect].concat()
            );
        };
        let uncased = Normaliser::default();
        check(uncased, &["a", "##a", "b", "##b", "ab", "##ab", "aba"], &["a", "##a", "b", "##b"]);
        // There is no `##c`, and no `d` at the beginning, so these cannot be read by characters.
        check(
            uncased,
            &["a", "##a", "c", "d", "##d", "ac", "ca", "da", "##da"],
            &["a", "##a", "c", "d", "##d", "ac"],
        );
        check(uncased, &["a", "##a", "##e", "ea"], &["a", "##a", "##e", "ea"]);
        // No text can become these: punctuation and Chinese characters are words by themselves, and
        // upper case and accents are removed.
        check(uncased, &["[unused1]", "!", "##!", "水", "##水", "A", "é", "don't"], &["!", "水"]);
        check(Normaliser { lowercase: false, ..uncased }, &["A", "##é", "Aé"], &["A", "##é"]);
    }

    proptest! {
        #[test]
        fn no_known_word_becomes_unknown_in_a_smaller_vocabulary(
            pieces in prop::collection::btree_set("[abc]{2,4}", 1..12),
            within in prop::collection::btree_set("[abc]{2,4}", 1..12),
            left_out: u32,
            words in prop::collection::vec("[abc]{1,12}", 1..8),
        ) {
            let mut vocabulary: Vec<String> = SPECIAL.map(str::to_owned).to_vec();
            vocabulary.extend(["a", "b", "c", "##a", "##b", "##c"].map(str::to_owned));
            vocabulary.extend(pieces);
            vocabulary.extend(within.iter().map(|piece| format!("##{piece}")));
            let stay = indispensable(&vocabulary, Normaliser::default());
            let kept: Vec<&String> = (0..).zip(&vocabulary).zip(stay)
                .filter(|((i, _), stays)| *stays || left_out >> (i % 32) & 1 == 0)
                .map(|((_, token), _)| token)
                .collect();
            let wordpiece = WordPiece::new(&kept, Normaliser::default()).expect("a vocabulary");
            for word in words {
                let ids = wordpiece.encode(&word, 512).ids;
                let spelt: String = ids[1..ids.len() - 1].iter()
                    .map(|&id| wordpiece.token(id).expect("an id").trim_start_matches("##"))
                    .collect();
                prop_assert_eq!(spelt, word);
            }
        }
    }

    #[test]
    fn a_vocabulary_with_missing_or_repeated_tokens_is_refused() {
        let refuse = |tokens: &[&str]| WordPiece::new(tokens, Normaliser::default()).err();
        assert_eq!(refuse(&[]), Some(VocabularyError::Missing("[UNK]")));
        assert_eq!(refuse(&["[UNK]", "[CLS]"]), Some(VocabularyError::Missing("[SEP]")));
        assert_eq!(refuse(&["[UNK]", "x", "x"]), Some(VocabularyError::Duplicate("x".to_string())));
    }
}
