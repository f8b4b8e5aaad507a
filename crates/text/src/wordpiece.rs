//! WordPiece, as BERT-family encoders read text: BERT's normaliser and pre-tokeniser, then the
//! longest match from the left (Devlin et al., 2019; Wu et al., 2016, section 4.1). One pass, no
//! allocation for each word.
//!
//! Equal to the `tokenizers` crate for models with `BertNormalizer`, `BertPreTokenizer` and
//! `WordPiece`, which the tests check; the names of special tokens in a text are read as those
//! tokens, as there. One difference is known: a few musical and Indic marks that Unicode would
//! reorder keep their order; they are unknown tokens either way.

use std::collections::BTreeSet;

use crate::unicode;

/// Characters of a word beyond which it is unknown.
const MAX_WORD_CHARS: usize = 100;

/// The special tokens, as BERT vocabularies name them.
const SPECIAL: [&str; 5] = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"];

/// Why a vocabulary cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VocabularyError {
    /// A token that every BERT vocabulary has is missing.
    Missing(&'static str),
    /// A token stands twice.
    Duplicate(String),
    /// More text than 32-bit offsets reach.
    TooLarge,
}

impl core::fmt::Display for VocabularyError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Missing(token) => write!(
                f,
                "expected a BERT vocabulary with the token {token}, found none; take vocab.txt or tokenizer.json of a WordPiece model"
            ),
            Self::Duplicate(token) => {
                write!(
                    f,
                    "expected every token of the vocabulary once, found {token:?} twice; the file is damaged"
                )
            }
            Self::TooLarge => {
                write!(
                    f,
                    "expected a vocabulary of at most 256 MB, found more; take the vocabulary of a WordPiece model"
                )
            }
        }
    }
}

impl core::error::Error for VocabularyError {}

/// What BERT's normaliser does to text first; the `normalizer` of a `tokenizer.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Normaliser {
    /// Drop control characters, make all white space spaces.
    pub clean_text: bool,
    /// Each Chinese character is a word.
    pub handle_chinese_chars: bool,
    /// Drop accents; `None`: when lowercasing.
    pub strip_accents: Option<bool>,
    /// Lower case.
    pub lowercase: bool,
}

impl Default for Normaliser {
    /// That of the uncased models.
    fn default() -> Self {
        Self { clean_text: true, handle_chinese_chars: true, strip_accents: None, lowercase: true }
    }
}

/// Token ids of one input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoding {
    /// `[CLS]`, the text's tokens, `[SEP]`.
    pub ids: Vec<u32>,
    /// Whether tokens were left out behind.
    pub truncated: bool,
}

/// The tokenizer of BERT-family encoders. About 16 bytes a token besides the vocabulary's own text.
pub struct WordPiece {
    /// All tokens, one behind the other.
    text: String,
    /// Where each ends in `text`.
    ends: Vec<u32>,
    /// Open addressing, linear probing: id + 1, or 0 for an empty place. Twice as many places as
    /// tokens, a power of two.
    table: Vec<u32>,
    /// Bytes of the longest token.
    longest: usize,
    /// Ids of [`SPECIAL`]; `None` for what the vocabulary lacks.
    special: [Option<u32>; 5],
    unknown: u32,
    cls: u32,
    sep: u32,
    normaliser: Normaliser,
}

impl WordPiece {
    /// From a vocabulary in the order of its ids: the lines of `vocab.txt`, or `model.vocab` of a
    /// `tokenizer.json` sorted by id.
    ///
    /// # Errors
    /// When a special token is missing or a token stands twice.
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

    /// Number of tokens in the vocabulary.
    #[expect(clippy::len_without_is_empty, reason = "a vocabulary has its special tokens at least")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The token with an id.
    pub fn token(&self, id: u32) -> Option<&str> {
        let at = id as usize;
        let end = *self.ends.get(at)? as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        self.text.get(start..end)
    }

    /// The id of a token, `##` in front of what continues a word.
    pub fn id(&self, token: &str) -> Option<u32> {
        self.place("", token).ok()
    }

    /// The ids of `text` between `[CLS]` and `[SEP]`, at most `max_tokens` in all (at least those
    /// two). Reading stops where the limit is passed.
    pub fn encode(&self, text: &str, max_tokens: usize) -> Encoding {
        let mut encoding = Encoding::default();
        self.encode_into(text, max_tokens, &mut encoding);
        encoding
    }

    /// [`WordPiece::encode`] into a reused buffer.
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

    /// The special token that `text` begins with, and its length.
    fn special_at(&self, text: &str) -> Option<(u32, usize)> {
        (0..SPECIAL.len())
            .find(|&at| self.special[at].is_some() && text.starts_with(SPECIAL[at]))
            .and_then(|at| Some((self.special[at]?, SPECIAL[at].len())))
    }

    /// The id of `prefix` followed by `piece`; or the empty place of the table where it would be.
    #[inline]
    fn place(&self, prefix: &str, piece: &str) -> Result<u32, usize> {
        // FNV-1a: short keys, no adversary (vocabularies are verified files).
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

/// The words of `text` as BERT's normaliser and pre-tokeniser make them, before any vocabulary is
/// asked. Words of over 100 characters, which WordPiece does not know whatever they are, are left
/// out.
pub fn for_each_word(text: &str, normaliser: Normaliser, mut word: impl FnMut(&str)) {
    for_each_name(text, normaliser, |whole, _| word(whole));
}

/// The same, and where the case of letters divides a word: the bytes at which all parts but the
/// first begin, for [`parts`]. `aB` is divided in front of `B`, `ABc` there as well. A first letter
/// in lower case is no part: `mRNA`, `iPhone`.
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

/// The parts of a word that is divided at `cuts`; none where there is no cut.
pub fn parts<'w>(word: &'w str, cuts: &[usize]) -> impl Iterator<Item = &'w str> {
    let starts = cuts.iter().take(1).map(|_| 0).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([word.len()]);
    starts.zip(ends).filter_map(|(start, end)| word.get(start..end))
}

/// Which tokens of a vocabulary must stay, by id, for every word that it knows to remain known when
/// others are left out: the special tokens, the characters, and tokens with a character that has no
/// token of its own. What is left out is then read as the longest tokens that are left, its
/// characters at the worst.
///
/// That holds for vocabularies that have each of their characters at the beginning of a word and
/// within one, as BERT's do. Tokens that no text can become, `[unused7]` for one, need not stay.
pub fn indispensable<S: AsRef<str>>(vocabulary: &[S], normaliser: Normaliser) -> Vec<bool> {
    let parted = |token: &str| match token.strip_prefix("##") {
        Some(rest) if !rest.is_empty() => (true, rest.to_owned()),
        _ => (false, token.to_owned()),
    };
    // What stands within a word is read with something in front.
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

/// What takes the words.
trait Sink {
    /// A word, and where the case of its letters divides it.
    fn word(&mut self, word: &str, cuts: &[usize]);
    fn unknown(&mut self);
}

/// Words becoming pieces.
struct Pieces<'a> {
    wordpiece: &'a WordPiece,
    ids: &'a mut Vec<u32>,
}

impl Sink for Pieces<'_> {
    /// The longest match from the left, `[UNK]` where any piece is missing.
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

/// Text becoming words.
struct Words<S> {
    normaliser: Normaliser,
    word: String,
    n_chars: usize,
    /// Where the case of its letters divides the word.
    cuts: Vec<usize>,
    /// Capitals that the word ends in so far.
    n_capitals: usize,
    sink: S,
}

impl<S: Sink> Words<S> {
    fn new(normaliser: Normaliser, sink: S) -> Self {
        Self { normaliser, word: String::new(), n_chars: 0, cuts: Vec::new(), n_capitals: 0, sink }
    }

    /// Takes in one character of the text: the normaliser.
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

    /// Notes where a part ends, before an ASCII character is taken in.
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
            // The last capital begins what follows.
            self.cuts.push(at - 1);
        }
        self.n_capitals = 0;
    }

    /// Takes in one normalised character: the pre-tokeniser.
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
        // Longer ones are unknown whatever follows; nothing more is kept of them.
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

/// The blocks that BERT calls Chinese: Han without Japanese and Korean scripts.
fn is_chinese(c: char) -> bool {
    matches!(u32::from(c),
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x20000..=0x2a6df | 0x2a700..=0x2b73f | 0x2b740..=0x2b81f
        | 0x2b920..=0x2ceaf | 0xf900..=0xfaff | 0x2f800..=0x2fa1f)
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
        // What stands between capitals and is no ASCII, or is dropped, does not shift the places.
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
    fn tokens_that_words_cannot_be_read_without_stay() {
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
        // Without `##c` or a `d` in front nothing else says what these do.
        check(
            uncased,
            &["a", "##a", "c", "d", "##d", "ac", "ca", "da", "##da"],
            &["a", "##a", "c", "d", "##d", "ac"],
        );
        check(uncased, &["a", "##a", "##e", "ea"], &["a", "##a", "##e", "ea"]);
        // What no text can become: punctuation and Chinese stand alone, upper case and accents are
        // gone.
        check(uncased, &["[unused1]", "!", "##!", "水", "##水", "A", "é", "don't"], &["!", "水"]);
        check(Normaliser { lowercase: false, ..uncased }, &["A", "##é", "Aé"], &["A", "##é"]);
    }

    proptest! {
        #[test]
        fn no_known_word_becomes_unknown_whatever_else_is_left_out(
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
    fn what_is_no_vocabulary_is_refused() {
        let refuse = |tokens: &[&str]| WordPiece::new(tokens, Normaliser::default()).err();
        assert_eq!(refuse(&[]), Some(VocabularyError::Missing("[UNK]")));
        assert_eq!(refuse(&["[UNK]", "[CLS]"]), Some(VocabularyError::Missing("[SEP]")));
        assert_eq!(refuse(&["[UNK]", "x", "x"]), Some(VocabularyError::Duplicate("x".to_string())));
    }
}
